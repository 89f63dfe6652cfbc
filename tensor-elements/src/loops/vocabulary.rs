//! What formulas say, for every type that kernels compute in. Words come from the table in `tensor-kernel/src/words.rs`, by `words!`: those of
//! floats are functions of `f32` and of `f64` beside this file, those of other traits have their code here.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use num_complex::Complex;

use super::complex;
use crate::convert::CastFrom;
use crate::element::Native;
use crate::scalar::Scalar;

/// A type that kernels compute in.
pub trait Value: Native + CastFrom<Scalar> + CastFrom<f64> {}

impl<T: Native + CastFrom<Scalar> + CastFrom<f64>> Value for T {}

/// A number that a formula writes.
#[inline(always)]
pub fn constant<T: CastFrom<f64>>(number: f64) -> T {
    T::cast_from(number)
}

/// The operators. Integers wrap, and their division truncates; a divisor of zero was refused before.
pub trait Arithmetic: Value {
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn rem(self, other: Self) -> Self;
    fn neg(self) -> Self;
}

/// Powers.
pub trait Power: Arithmetic {
    latten_macros::words! { Power }
}

/// Absolute values.
pub trait Magnitude: Arithmetic {
    /// What they are: a part, of complex numbers.
    type Size;
    fn abs(self) -> Self::Size;
}

/// Division that rounds down, and its remainder, which has the divisor's sign.
pub trait Division: Arithmetic {
    latten_macros::words! { Division }
}

/// Integers.
pub trait Integral:
    Power
    + Magnitude<Size = Self>
    + Division
    + PartialOrd
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    fn shl(self, count: Self) -> Self;
    fn shr(self, count: Self) -> Self;
    latten_macros::words! { Integral }
}

/// The functions that floats and complex numbers share.
pub trait Analytic: Power {
    latten_macros::words! { Analytic }
}

/// Real floats.
pub trait Floating: Analytic + Magnitude<Size = Self> + Division + PartialOrd {
    latten_macros::words! { Floating }
    /// Whether `sin_near`, `cos_near` and `tan_near` take the number: sine, cosine and tangent of small angles, which vectorise.
    fn is_near(self) -> bool;
    /// Whether the three below take the numbers: divisions with a small quotient, which vectorise.
    fn is_near_by(self, other: Self) -> bool;
    fn rem_near(self, other: Self) -> Self;
    fn floor_divide_near(self, other: Self) -> Self;
    fn remainder_near(self, other: Self) -> Self;
}

/// Complex numbers.
pub trait Complexity: Analytic + Magnitude<Size = <Self as Complexity>::Part> {
    /// The type of their parts.
    type Part: Floating;
    latten_macros::words! { Complexity }
}

macro_rules! integers {
    ($($T:ident |$x:ident, $y:ident| $quotient:expr;)*) => { $(
        impl Arithmetic for $T {
            #[inline(always)]
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self.wrapping_mul(other) }
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                // Of zero any quotient will do, if it can be computed.
                let ($x, $y) = (self, if other == 0 { 1 } else { other });
                let quotient = $quotient;
                if other == 0 { 0 } else { quotient }
            }
            #[inline(always)]
            fn rem(self, other: Self) -> Self {
                let rest = self.wrapping_sub(Arithmetic::div(self, other).wrapping_mul(other));
                if other == 0 { 0 } else { rest }
            }
            #[inline(always)]
            fn neg(self) -> Self { self.wrapping_neg() }
        }

        impl Power for $T {
            #[inline(always)]
            fn pow(self, exponent: Self) -> Self {
                if (exponent as i64) < 0 {
                    let odd = exponent & 1 == 1;
                    return if self == 1 { 1 } else if self.wrapping_add(1) == 0 { if odd { self } else { 1 } } else { 0 };
                }
                let (mut result, mut base, mut rest) = (1_u8 as Self, self, exponent);
                while rest != 0 {
                    if rest & 1 == 1 {
                        result = result.wrapping_mul(base);
                    }
                    base = base.wrapping_mul(base);
                    rest >>= 1;
                }
                result
            }
        }

        impl Magnitude for $T {
            type Size = Self;
            #[inline(always)]
            fn abs(self) -> Self { if (self as i64) < 0 { self.wrapping_neg() } else { self } }
        }

        impl Division for $T {
            #[inline(always)]
            fn div_floor(self, other: Self) -> Self {
                let quotient = Arithmetic::div(self, other);
                let inexact = (other != 0) & (quotient.wrapping_mul(other) != self);
                quotient.wrapping_sub(Self::from(inexact & (((self as i64) ^ (other as i64)) < 0)))
            }
            #[inline(always)]
            fn modulo(self, other: Self) -> Self {
                let rest = Arithmetic::rem(self, other);
                let opposes = (rest != 0) & (((rest as i64) ^ (other as i64)) < 0);
                rest.wrapping_add(if opposes { other } else { 0 })
            }
        }

        impl Integral for $T {
            #[inline(always)]
            fn shl(self, count: Self) -> Self {
                if (count as i64 as u64) < u64::from($T::BITS) { self.wrapping_shl(count as u32) } else { 0 }
            }
            #[inline(always)]
            fn shr(self, count: Self) -> Self {
                if (count as i64 as u64) < u64::from($T::BITS) { self.wrapping_shr(count as u32) } else { if (self as i64) < 0 { !0 } else { 0 } }
            }
            fn gcd(self, other: Self) -> Self {
                let (mut least, mut most) = (Magnitude::abs(self), Magnitude::abs(other));
                while least != 0 {
                    (least, most) = (Arithmetic::rem(most, least), least);
                }
                most
            }
        }
    )* };
}

#[rustfmt::skip]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_lossless, trivial_numeric_casts, reason = "one text for all integers")]
mod integers {
    use super::{Arithmetic, Division, Integral, Magnitude, Power};

    // Processors have a division of integers for one at a time, of floats for a vector of them. The quotient of a float with twice the digits
    // never reaches the next integer; one that wraps around is the negative.
    integers! {
        u8 |x, y| (f32::from(x) / f32::from(y)) as i32 as Self;
        i8 |x, y| (f32::from(x) / f32::from(y)) as i32 as Self;
        i16 |x, y| (f32::from(x) / f32::from(y)) as i32 as Self;
        i32 |x, y| if y == -1 { x.wrapping_neg() } else { (f64::from(x) / f64::from(y)) as Self };
        i64 |x, y| if y == -1 { x.wrapping_neg() } else { x.wrapping_div(if y == -1 { 1 } else { y }) };
    }
}

/// What a division leaves, whose quotient is large, infinite or no number.
#[cold]
#[inline(never)]
fn long_division<T: std::ops::Rem<Output = T>>(x: T, y: T) -> T {
    x % y
}

/// Whether what a division leaves has another sign than the divisor.
#[inline(always)]
fn opposes<T: Floating>(rest: T, y: T) -> bool {
    let zero = constant::<T>(0.0);
    (rest != zero) & ((y < zero) != (rest < zero))
}

/// The floor of a quotient, of what the division leaves.
#[inline(always)]
fn floored<T: Floating>(x: T, y: T, rest: T) -> T {
    let (zero, one) = (constant::<T>(0.0), constant::<T>(1.0));
    let quotient = x.sub(rest).div(y).sub(if opposes(rest, y) { one } else { zero });
    let floor = quotient.floor();
    // What isn't taken costs less than a branch that nobody can foresee.
    let whole = x.div(y);
    let nearest = floor.add(if quotient.sub(floor) > constant(0.5) { one } else { zero });
    let found = if quotient == zero { zero.copysign(whole) } else { nearest };
    if y == zero { whole } else { found }
}

/// What a division leaves, with the divisor's sign.
#[inline(always)]
fn signed_rest<T: Floating>(y: T, rest: T) -> T {
    if opposes(rest, y) { rest.add(y) } else { rest }
}

macro_rules! floats {
    ($($T:ident from $own:ident;)*) => { $(
        impl Arithmetic for $T {
            #[inline(always)]
            fn add(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self - other }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self * other }
            #[inline(always)]
            fn div(self, other: Self) -> Self { self / other }
            #[inline(always)]
            fn rem(self, other: Self) -> Self {
                // A larger quotient may have been rounded to another integer.
                if (self / other).trunc().abs() < const { 1.0 / $T::EPSILON } {
                    self.rem_near(other)
                } else {
                    long_division(self, other)
                }
            }
            #[inline(always)]
            fn neg(self) -> Self { -self }
        }

        impl Power for $T {
            #[inline(always)]
            fn pow(self, exponent: Self) -> Self { $own::pow(self, exponent) }
        }

        impl Magnitude for $T {
            type Size = Self;
            #[inline(always)]
            fn abs(self) -> Self { $T::abs(self) }
        }

        impl Division for $T {
            #[inline(always)]
            fn div_floor(self, other: Self) -> Self { floored(self, other, Arithmetic::rem(self, other)) }
            #[inline(always)]
            fn modulo(self, other: Self) -> Self { signed_rest(other, Arithmetic::rem(self, other)) }
        }

        impl Analytic for $T {
            latten_macros::words! { Analytic for $T in $own }
        }

        impl Floating for $T {
            latten_macros::words! { Floating for $T in $own }
            #[inline(always)]
            fn is_near(self) -> bool { $own::is_near(self) }
            #[inline(always)]
            fn is_near_by(self, other: Self) -> bool { self.abs() < other.abs() * const { 0.5 / $T::EPSILON } }
            #[inline(always)]
            fn rem_near(self, other: Self) -> Self {
                let quotient = (self / other).trunc();
                let rest = (-quotient).mul_add(other, self);
                // The quotient may be the next integer, where it was rounded to it.
                let beyond = (rest != 0.0) & ((rest < 0.0) != (self < 0.0));
                let rest = if beyond { rest + other.abs().copysign(self) } else { rest };
                (if quotient == 0.0 { self } else { rest }).copysign(self)
            }
            #[inline(always)]
            fn floor_divide_near(self, other: Self) -> Self { floored(self, other, self.rem_near(other)) }
            #[inline(always)]
            fn remainder_near(self, other: Self) -> Self { signed_rest(other, self.rem_near(other)) }
        }
    )* };
}

#[rustfmt::skip]
mod floats {
    use super::{Analytic, Arithmetic, Division, Floating, Magnitude, Power, floored, long_division, signed_rest};

    /// All functions of `f32`, wherever they stand.
    mod single {
        pub(super) use crate::loops::{single::*, special::single::*, wide::*};
    }

    mod double {
        pub(super) use crate::loops::{double::*, special::*};
    }

    floats! { f32 from single; f64 from double; }
}

macro_rules! complexes {
    ($($T:ident)*) => { $(
        impl Arithmetic for Complex<$T> {
            #[inline(always)]
            fn add(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn sub(self, other: Self) -> Self { self - other }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                Self::new(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)
            }
            #[inline(always)]
            fn div(self, other: Self) -> Self { complex::narrow(complex::div(complex::widen(self), complex::widen(other))) }
            #[inline(always)]
            fn rem(self, other: Self) -> Self { self - other }
            #[inline(always)]
            fn neg(self) -> Self { -self }
        }

        impl Power for Complex<$T> {
            #[inline(always)]
            fn pow(self, exponent: Self) -> Self { complex::narrow(complex::pow(complex::widen(self), complex::widen(exponent))) }
        }

        impl Analytic for Complex<$T> {
            latten_macros::words! { Analytic in complex }
        }

        impl Magnitude for Complex<$T> {
            type Size = $T;
            #[inline(always)]
            fn abs(self) -> $T { Floating::hypot(self.re, self.im) }
        }

        impl Complexity for Complex<$T> {
            type Part = $T;
            #[inline(always)]
            fn complex(re: $T, im: $T) -> Self { Self::new(re, im) }
            #[inline(always)]
            fn re(self) -> $T { self.re }
            #[inline(always)]
            fn im(self) -> $T { self.im }
            #[inline(always)]
            fn argument(self) -> $T { self.im.atan2(self.re) }
            #[inline(always)]
            fn conj(self) -> Self { Self::new(self.re, -self.im) }
            #[inline(always)]
            fn unit(self) -> Self {
                let modulus = self.abs();
                if modulus == 0.0 { Self::new(0.0, 0.0) } else { Self::new(self.re / modulus, self.im / modulus) }
            }
        }
    )* };
}

#[rustfmt::skip]
mod complexes {
    use super::{Analytic, Arithmetic, Complex, Complexity, Floating, Magnitude, Power, complex};

    complexes! { f32 f64 }
}

#[cfg(test)]
mod tests {
    use super::{Arithmetic, Division};

    /// Numbers near zero, near the ends of all integers and between, as far as they are of a type.
    fn numbers<T: TryFrom<i128>>() -> Vec<T> {
        let near = |middle: i128| middle - 130..=middle + 130;
        let powers = (0..64).flat_map(|power| near(1 << power).step_by(13).chain(near(-1 << power).step_by(13)));
        let between = (1..200).map(|number: i128| number.pow(8) * 3 - number);
        let all = (-260..=260).chain(near(i128::from(i32::MAX))).chain(near(i128::from(i32::MIN))).chain(powers).chain(between);
        all.filter_map(|number| T::try_from(number).ok()).collect()
    }

    macro_rules! divided {
        ($($T:ident)*) => { $(
            for (x, y) in numbers::<$T>().into_iter().flat_map(|x| numbers::<$T>().into_iter().map(move |y| (x, y))) {
                let (wide, divisor) = (i128::from(x), i128::from(y));
                let (quotient, rest) = (wide.checked_div(divisor).unwrap_or(0), wide.checked_rem(divisor).unwrap_or(0));
                let below = i128::from(rest != 0 && (wide < 0) != (divisor < 0));
                let expected = [quotient, rest, quotient - below, rest + below * divisor].map(|number| number as $T);
                let found = [Arithmetic::div(x, y), Arithmetic::rem(x, y), Division::div_floor(x, y), Division::modulo(x, y)];
                assert_eq!(found, expected, "{x} and {y} of {}", stringify!($T));
            }
        )* };
    }

    #[test]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "quotients that wrap around")]
    fn integers_are_divided_as_wider_ones() {
        divided! { u8 i8 i16 i32 i64 }
    }
}
