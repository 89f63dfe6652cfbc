//! The four 8-bit floats: how a byte reads as a number, and which byte a number becomes.

use super::narrow::round_to_narrow;
use crate::scalar::Scalar;

/// Where an 8-bit float has its fields and what its last codes mean.
struct Format {
    mantissa: u32,
    bias: u32,
    /// The code of the greatest finite number.
    greatest: u32,
    /// The code of numbers beyond it: the greatest one, infinity, or NaN.
    beyond: u32,
    /// One zero and one NaN, the latter where minus zero would be.
    one_zero: bool,
}

const E4M3FN: Format = Format { mantissa: 3, bias: 7, greatest: 0x7e, beyond: 0x7e, one_zero: false };
const E5M2: Format = Format { mantissa: 2, bias: 15, greatest: 0x7b, beyond: 0x7c, one_zero: false };
const E4M3FNUZ: Format = Format { mantissa: 3, bias: 8, greatest: 0x7f, beyond: 0x80, one_zero: true };
const E5M2FNUZ: Format = Format { mantissa: 2, bias: 16, greatest: 0x7f, beyond: 0x80, one_zero: true };

impl Format {
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "codes have eight bits")]
    fn encode(&self, x: f32) -> u8 {
        let sign = u32::from(x.is_sign_negative()) << 7;
        let rounded = round_to_narrow(x.to_bits() & 0x7fff_ffff, self.mantissa, self.bias);
        let magnitude = if rounded > self.greatest { self.beyond } else { rounded };
        let magnitude = match (x.is_nan(), self.one_zero) {
            (true, true) => 0x80,
            (true, false) => 0x7f,
            (false, _) => magnitude,
        };
        let signless = self.one_zero && magnitude & 0x7f == 0;
        (magnitude | if signless { 0 } else { sign }) as u8
    }

    #[inline]
    fn decode(&self, code: u8) -> f32 {
        let magnitude = u32::from(code & 0x7f);
        let scale = f32::from_bits((254 - self.bias) << 23);
        let finite = f32::from_bits(magnitude << (23 - self.mantissa)) * scale;
        let magnitude = if self.one_zero && code == 0x80 || magnitude > self.greatest.max(self.beyond) {
            f32::NAN
        } else if magnitude > self.greatest {
            f32::INFINITY
        } else {
            finite
        };
        if code & 0x80 == 0 { magnitude } else { -magnitude }
    }
}

macro_rules! float8 {
    ($($(#[$doc:meta])* $name:ident = $format:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
        #[repr(transparent)]
        pub struct $name(
            /// The bits.
            pub u8,
        );

        impl $name {
            /// The nearest one; of two, the even one.
            #[inline]
            #[must_use]
            pub fn from_f32(x: f32) -> Self {
                Self($format.encode(x))
            }

            /// The number, exactly.
            #[inline]
            #[must_use]
            pub fn to_f32(self) -> f32 {
                $format.decode(self.0)
            }
        }

        impl From<$name> for Scalar {
            fn from(number: $name) -> Self {
                Self::Float(f64::from(number.to_f32()))
            }
        }
    )* };
}

float8! {
    /// `float8_e4m3fn`: up to ±448, no infinities; what lies beyond becomes ±448.
    F8E4M3Fn = E4M3FN;
    /// `float8_e5m2`: up to ±57344, with infinities.
    F8E5M2 = E5M2;
    /// `float8_e4m3fnuz`: up to ±240, no infinities, one zero; what lies beyond becomes NaN.
    F8E4M3FnUz = E4M3FNUZ;
    /// `float8_e5m2fnuz`: up to ±57344, no infinities, one zero; what lies beyond becomes NaN.
    F8E5M2FnUz = E5M2FNUZ;
}
