//! Functions of `f64`: the standard library's, and `libm`'s where it has none or a rough one.

macro_rules! standard {
    ($($name:ident)*) => { $(
        #[inline(always)]
        pub(super) fn $name(x: f64) -> f64 {
            x.$name()
        }
    )* };
}

standard! { exp exp2 exp_m1 ln log2 log10 ln_1p sin cos tan asin acos atan sinh cosh tanh }

macro_rules! special {
    ($($name:ident)*) => { $(
        #[inline(always)]
        pub(super) fn $name(x: f64) -> f64 {
            libm::$name(x)
        }
    )* };
}

special! { asinh atanh erf erfc }

#[inline(always)]
pub(super) fn acosh(x: f64) -> f64 {
    // Far below 1, the formula of libm cancels to something that isn't always NaN.
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// Whether `sin_near`, `cos_near` and `tan_near` take the number: never.
#[inline(always)]
pub(super) fn is_near(_: f64) -> bool {
    false
}

pub(super) use {cos as cos_near, sin as sin_near, tan as tan_near};
