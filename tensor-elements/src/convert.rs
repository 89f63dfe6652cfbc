//! Conversions between the numbers of all dtypes, one element at a time, exactly as PyTorch does them on x86.
//!
//! The rules in one table: `rows!` below. Complex numbers, 8-bit floats and [`Scalar`](crate::scalar::Scalar)s follow from it in
//! `convert/complex.rs`, `convert/float8.rs` and `convert/scalar.rs`; the checks on numbers that a user writes are in `convert/checked.rs`.
//! No function here branches on the data, so that loops over them become vector code, or at least keep the pipeline full.

mod checked;
mod complex;
mod float8;
mod narrow;
mod scalar;
mod truncate;

use half::{bf16, f16};

pub use checked::Written;
pub use checked::rounded_to;
pub use float8::Float8;
pub use scalar::{Number, ToScalar};

/// "A number of type `S` becomes one of this type": what `copy_` and `to` do to each element, for every pair of dtypes.
///
/// - Integers wrap around.
/// - Floats become integers by truncation. What doesn't fit, and NaN, gives what x86 gives: the least `i32` (the least
///   `i64` for `i64`, and from `f64` to `u8`), of which a narrower integer takes the low bits.
/// - Integers and `f64` become `f16`, `bf16` and 8-bit floats through `f32`, so they may round twice.
/// - Anything but zero is true, NaN included.
/// - A complex number becomes real by losing its imaginary part, and is true if either part is.
///
/// ```
/// use latten_elements::convert::CastFrom;
/// assert_eq!(u8::cast_from(300.0_f32), 44);
/// assert_eq!(i32::cast_from(f32::NAN), i32::MIN);
/// assert_eq!(i8::cast_from(200_i64), -56);
/// ```
pub trait CastFrom<S>: Sized {
    /// The number as one of this type.
    fn cast_from(value: S) -> Self;
}

/// The first row, written out; all others are made by `rows!` in the same way.
impl CastFrom<Self> for bool {
    #[inline]
    fn cast_from(value: Self) -> Self {
        value
    }
}

/// Converts the elements of `source` into those of `target`, as many as the shorter one has.
#[inline]
pub fn cast_slice<S: Copy, T: CastFrom<S>>(source: &[S], target: &mut [T]) {
    for (to, &from) in target.iter_mut().zip(source) {
        *to = T::cast_from(from);
    }
}

macro_rules! rows {
    (@each $source:ty => [$($target:ty)*] |$value:ident| $cast:expr) => { $(
        impl CastFrom<$source> for $target {
            #[inline]
            fn cast_from($value: $source) -> Self {
                $cast
            }
        }
    )* };
    ($([$($source:ty)*] => $targets:tt |$value:ident| $cast:expr;)*) => { $($(
        rows! { @each $source => $targets |$value| $cast }
    )*)* };
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    clippy::cast_lossless,
    trivial_numeric_casts,
    reason = "wrapping and rounding are the rules"
)]
mod rows {
    use super::narrow::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};
    use super::{CastFrom, bf16, f16, truncate};

    rows! {
        [bool] => [u8 i8 i16 i32 i64 u16 u32 u64 f32 f64]                |x| Self::from(x);
        [bool] => [f16 bf16]                                             |x| Self::cast_from(f32::from(x));

        [u8 i8 i16 i32 i64 u16 u32 u64] => [bool]                        |x| x != 0;
        [u8 i8 i16 i32 i64 u16 u32 u64] => [u8 i8 i16 i32 i64 u16 u32 u64 f32 f64] |x| x as Self;
        [u8 i8 i16 i32 i64 u16 u32 u64] => [f16 bf16]                    |x| Self::cast_from(x as f32);

        [f32 f64] => [bool]                                              |x| x != 0.0;
        [f32]     => [i32]                                               |x| truncate::f32_to_i32(x);
        [f64]     => [i32]                                               |x| truncate::f64_to_i32(x);
        [f32]     => [i64]                                               |x| truncate::f32_to_i64(x);
        [f64]     => [i64]                                               |x| truncate::f64_to_i64(x);
        [f32 f64] => [i8 i16 u16]                                        |x| i32::cast_from(x) as Self;
        [f32]     => [u8]                                                |x| i32::cast_from(x) as Self;
        [f64]     => [u8]                                                |x| i64::cast_from(x) as Self;
        [f32 f64] => [u32]                                               |x| i64::cast_from(x) as Self;
        [f32 f64] => [u64]                                               |x| truncate::f64_to_u64(x as f64);
        [f32 f64] => [f32 f64]                                           |x| x as Self;
        [f32]     => [f16]                                               |x| Self::from_bits(f32_to_f16(x));
        [f32]     => [bf16]                                              |x| Self::from_bits(f32_to_bf16(x));
        [f64]     => [f16 bf16]                                          |x| Self::cast_from(x as f32);

        [f16]     => [f32]                                               |x| f16_to_f32(x.to_bits());
        [bf16]    => [f32]                                               |x| bf16_to_f32(x.to_bits());
        [f16]     => [f16]                                               |x| x;
        [bf16]    => [bf16]                                              |x| x;
        [f16]     => [bool u8 i8 i16 i32 i64 u16 u32 u64 bf16 f64]       |x| Self::cast_from(f32::cast_from(x));
        [bf16]    => [bool u8 i8 i16 i32 i64 u16 u32 u64 f16 f64]        |x| Self::cast_from(f32::cast_from(x));
    }
}

#[cfg(test)]
#[path = "convert/tests.rs"]
mod tests;
