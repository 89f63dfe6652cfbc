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

special! { asinh atanh erf erfc lgamma }

#[inline(always)]
pub(super) fn acosh(x: f64) -> f64 {
    // Far below 1, the formula of libm cancels to something that isn't always NaN.
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// A power of two, exactly.
const fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The square, and what its rounding left out, without the fused multiplication that not every processor has.
fn square(x: f64) -> (f64, f64) {
    const HALF_OF_THE_DIGITS: f64 = 134_217_729.0;
    let product = HALF_OF_THE_DIGITS * x;
    let high = product - (product - x);
    let low = x - high;
    let square = x * x;
    (square, ((high * high - square) + 2.0 * high * low) + low * low)
}

/// √(x² + y²), nearly always the nearest number. The standard library's is another one on another processor.
pub(super) fn hypot(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    if x == f64::INFINITY || y == f64::INFINITY {
        return f64::INFINITY;
    }
    let (long, short) = if x < y { (y, x) } else { (x, y) };
    // Squares of what is in between neither overflow nor lose digits.
    let scale = match long {
        small if small < const { power_of_two(-500) } => const { power_of_two(600) },
        large if large > const { power_of_two(500) } => const { power_of_two(-600) },
        _ => 1.0,
    };
    let ((long, long_rest), (short, short_rest)) = (square(long * scale), square(short * scale));
    let sum = long + short;
    let rest = (long - sum) + short + (long_rest + short_rest);
    let root = sum.sqrt();
    if root == 0.0 {
        return 0.0;
    }
    // One step of Newton's from the rounded root, with the digits that rounding has left out.
    let (again, again_rest) = square(root);
    (root + ((sum - again) - again_rest + rest) / (2.0 * root)) / scale
}

/// Whether `sin_near`, `cos_near` and `tan_near` take the number: never.
#[inline(always)]
pub(super) fn is_near(_: f64) -> bool {
    false
}

pub(super) use {cos as cos_near, sin as sin_near, tan as tan_near};
