//! Between elements and [`Scalar`]s, the numbers without dtype. Nothing is checked here: arithmetic with a scalar wraps
//! and overflows as PyTorch's does.

use half::{bf16, f16};
use num_complex::Complex;

use super::CastFrom;
use crate::scalar::Scalar;

impl<T> CastFrom<Scalar> for T
where
    T: CastFrom<bool> + CastFrom<i64> + CastFrom<f64> + CastFrom<Complex<f64>>,
{
    #[inline]
    fn cast_from(value: Scalar) -> Self {
        match value {
            Scalar::Bool(x) => Self::cast_from(x),
            Scalar::Int(x) => Self::cast_from(x),
            Scalar::Float(x) => Self::cast_from(x),
            Scalar::Complex(x) => Self::cast_from(x),
        }
    }
}

/// An element that can become a [`Scalar`]; a `u64` beyond `i64` wraps around.
pub trait ToScalar: Copy {
    /// The number without its dtype.
    fn to_scalar(self) -> Scalar;
}

impl<T: Copy + Into<Scalar>> ToScalar for T {
    #[inline]
    fn to_scalar(self) -> Scalar {
        self.into()
    }
}

macro_rules! number {
    ($($source:ty),* $(,)?) => {
        /// A type whose values come from those of every dtype, and from scalars: all that `CastFrom` offers, as one bound. What 8-bit floats
        /// become follows from `f32`.
        pub trait Number: Copy + Send + Sync + ToScalar + CastFrom<Scalar> $(+ CastFrom<$source>)* + 'static {}
        impl<T: Copy + Send + Sync + ToScalar + CastFrom<Scalar> $(+ CastFrom<$source>)* + 'static> Number for T {}
    };
}

number! {
    bool, u8, i8, i16, i32, i64, u16, u32, u64, f16, bf16, f32, f64, Complex<f16>, Complex<f32>, Complex<f64>,
}
