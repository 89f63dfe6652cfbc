//! The 8-bit floats: how a byte reads as a number, and which byte a number becomes. What tells them apart is a column of their rows.

use latten_spec::DType;
use latten_spec::dtype::Float8Format;
use num_complex::Complex;

use super::CastFrom;
use super::complex::Real;
use super::narrow::round_to_narrow;
use crate::scalar::Scalar;

/// A number of the 8-bit float `DTYPE`, which is `dtype as u8` of a [`DType`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Float8<const DTYPE: u8>(
    /// The bits.
    pub u8,
);

impl<const DTYPE: u8> Float8<DTYPE> {
    const FORMAT: Float8Format = match DType::ALL[DTYPE as usize].float8() {
        Some(format) => format,
        None => panic!("no dtype of 8-bit floats"),
    };

    /// The nearest one; of two, the even one.
    #[inline]
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "codes have eight bits")]
    pub fn from_f32(x: f32) -> Self {
        let format = Self::FORMAT;
        let sign = u32::from(x.is_sign_negative()) << 7;
        let rounded = round_to_narrow(x.to_bits() & 0x7fff_ffff, format.mantissa, format.bias);
        let magnitude = if rounded > format.greatest { format.beyond } else { rounded };
        let magnitude = match (x.is_nan(), format.one_zero) {
            (true, true) => 0x80,
            (true, false) => 0x7f,
            (false, _) => magnitude,
        };
        let signless = format.one_zero && magnitude & 0x7f == 0;
        Self((magnitude | if signless { 0 } else { sign }) as u8)
    }

    /// The number, exactly.
    #[inline]
    #[must_use]
    pub fn to_f32(self) -> f32 {
        let (code, format) = (self.0, Self::FORMAT);
        let magnitude = u32::from(code & 0x7f);
        let scale = f32::from_bits((254 - format.bias) << 23);
        let finite = f32::from_bits(magnitude << (23 - format.mantissa)) * scale;
        let magnitude = if format.one_zero && code == 0x80 || magnitude > format.greatest.max(format.beyond) {
            f32::NAN
        } else if magnitude > format.greatest {
            f32::INFINITY
        } else {
            finite
        };
        if code & 0x80 == 0 { magnitude } else { -magnitude }
    }
}

impl<const DTYPE: u8> From<Float8<DTYPE>> for Scalar {
    fn from(number: Float8<DTYPE>) -> Self {
        Self::Float(f64::from(number.to_f32()))
    }
}

/// Whatever `f32` becomes, an 8-bit float becomes through it, another one too.
impl<T: CastFrom<f32>, const DTYPE: u8> CastFrom<Float8<DTYPE>> for T {
    #[inline]
    fn cast_from(value: Float8<DTYPE>) -> Self {
        Self::cast_from(value.to_f32())
    }
}

/// Whatever becomes `f32` becomes an 8-bit float through it.
impl<S: Real, const DTYPE: u8> CastFrom<S> for Float8<DTYPE>
where
    f32: CastFrom<S>,
{
    #[inline]
    fn cast_from(value: S) -> Self {
        Self::from_f32(f32::cast_from(value))
    }
}

impl<S, const DTYPE: u8> CastFrom<Complex<S>> for Float8<DTYPE>
where
    Self: CastFrom<S>,
{
    #[inline]
    fn cast_from(value: Complex<S>) -> Self {
        Self::cast_from(value.re)
    }
}
