//! Complex numbers: real ones gain a zero, complex ones convert by parts or lose the imaginary one.

use half::{bf16, f16};
use num_complex::Complex;

use super::CastFrom;

mod private {
    /// Numbers without an imaginary part; 8-bit floats count as the `f32` that they become.
    pub trait Real: Copy {}
}
pub(super) use private::Real;

impl<S: Real, P: CastFrom<S> + Default> CastFrom<S> for Complex<P> {
    #[inline]
    fn cast_from(value: S) -> Self {
        Self::new(P::cast_from(value), P::default())
    }
}

impl<S, P: CastFrom<S>> CastFrom<Complex<S>> for Complex<P> {
    #[inline]
    fn cast_from(value: Complex<S>) -> Self {
        Self::new(P::cast_from(value.re), P::cast_from(value.im))
    }
}

impl<S> CastFrom<Complex<S>> for bool
where
    Self: CastFrom<S>,
{
    #[inline]
    fn cast_from(value: Complex<S>) -> Self {
        Self::cast_from(value.re) | Self::cast_from(value.im)
    }
}

macro_rules! real_part {
    ($($target:ty)*) => { $(
        impl<S> CastFrom<Complex<S>> for $target
        where
            Self: CastFrom<S>,
        {
            #[inline]
            fn cast_from(value: Complex<S>) -> Self {
                Self::cast_from(value.re)
            }
        }
        impl Real for $target {}
    )* };
}

real_part! { u8 i8 i16 i32 i64 u16 u32 u64 f16 bf16 f32 f64 }
impl Real for bool {}
