//! Elements as values of generic code: any of them converts to any other, so that a fused loop over types that are proved elsewhere needs
//! no bound for each pair. The conversions are those of [`CastFrom`]; A dtype that only the run knows, which no loop meets, converts to itself.

use half::{bf16, f16};
use num_complex::Complex;

use super::Element;
use crate::convert::CastFrom;
use crate::scalar::Scalar;

/// What every element type can become.
#[expect(missing_docs, reason = "one conversion a type, named after it")]
pub trait Held: Copy + Send + Sync {
    /// The type that kernels compute in.
    type Computing: Element;
    /// Whether that is a wider one.
    const IS_HALF: bool;
    /// Whether the numbers are complex.
    const IS_COMPLEX: bool;

    /// The number as one of another type.
    fn to<T: Held>(self) -> T;
    fn of_scalar(number: Scalar) -> Self;
    fn of_bool(number: bool) -> Self;
    fn of_u8(number: u8) -> Self;
    fn of_i8(number: i8) -> Self;
    fn of_i16(number: i16) -> Self;
    fn of_i32(number: i32) -> Self;
    fn of_i64(number: i64) -> Self;
    fn of_f16(number: f16) -> Self;
    fn of_bf16(number: bf16) -> Self;
    fn of_f32(number: f32) -> Self;
    fn of_f64(number: f64) -> Self;
    fn of_c32(number: Complex<f16>) -> Self;
    fn of_c64(number: Complex<f32>) -> Self;
    fn of_c128(number: Complex<f64>) -> Self;
}

macro_rules! held {
    ($($T:ty => $Computing:ty, $of:ident, $complex:literal;)+) => { $(
        impl Held for $T {
            type Computing = $Computing;
            const IS_HALF: bool = size_of::<$T>() < size_of::<$Computing>();
            const IS_COMPLEX: bool = $complex;

            #[inline(always)]
            fn to<T: Held>(self) -> T { T::$of(self) }
            #[inline(always)]
            fn of_scalar(number: Scalar) -> Self { Self::cast_from(number) }
            #[inline(always)]
            fn of_bool(number: bool) -> Self { Self::cast_from(number) }
            #[inline(always)]
            fn of_u8(number: u8) -> Self { Self::cast_from(number) }
            #[inline(always)]
            fn of_i8(number: i8) -> Self { Self::cast_from(number) }
            #[inline(always)]
            fn of_i16(number: i16) -> Self { Self::cast_from(number) }
            #[inline(always)]
            fn of_i32(number: i32) -> Self { Self::cast_from(number) }
            #[inline(always)]
            fn of_i64(number: i64) -> Self { Self::cast_from(number) }
            #[inline(always)]
            fn of_f16(number: f16) -> Self { Self::cast_from(number) }
            #[inline(always)]
            fn of_bf16(number: bf16) -> Self { Self::cast_from(number) }
            #[inline(always)]
            fn of_f32(number: f32) -> Self { Self::cast_from(number) }
            #[inline(always)]
            fn of_f64(number: f64) -> Self { Self::cast_from(number) }
            #[inline(always)]
            fn of_c32(number: Complex<f16>) -> Self { Self::cast_from(number) }
            #[inline(always)]
            fn of_c64(number: Complex<f32>) -> Self { Self::cast_from(number) }
            #[inline(always)]
            fn of_c128(number: Complex<f64>) -> Self { Self::cast_from(number) }
        }
    )+ };
}

#[rustfmt::skip]
held! {
    bool => bool, of_bool, false;
    u8 => u8, of_u8, false;
    i8 => i8, of_i8, false;
    i16 => i16, of_i16, false;
    i32 => i32, of_i32, false;
    i64 => i64, of_i64, false;
    f16 => f32, of_f16, false;
    bf16 => f32, of_bf16, false;
    f32 => f32, of_f32, false;
    f64 => f64, of_f64, false;
    Complex<f16> => Complex<f32>, of_c32, true;
    Complex<f32> => Complex<f32>, of_c64, true;
    Complex<f64> => Complex<f64>, of_c128, true;
}
