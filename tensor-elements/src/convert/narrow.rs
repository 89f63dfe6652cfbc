//! `f16` and `bf16` to and from `f32` by integer arithmetic: unlike the `half` crate's conversions, which ask for the
//! processor's features at each element, these turn into vector code. Rounding is to nearest, ties to even.

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;
const QUIET: u32 = 0x7fc0_0000;

/// Exact; a NaN becomes a quiet one, as processors have it.
#[inline]
pub(super) fn f16_to_f32(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let shifted = u32::from(half & 0x7fff) << 13;
    // The exponents differ by 112; the multiplication also makes subnormal numbers normal.
    let finite = (f32::from_bits(shifted) * f32::from_bits((127 + 112) << 23)).to_bits();
    let special = shifted | if half & 0x3ff == 0 { INFINITY } else { QUIET };
    f32::from_bits(sign | if half & 0x7c00 == 0x7c00 { special } else { finite })
}

/// From 65520 on it is infinity; NaN keeps its sign and nothing else.
#[inline]
pub(super) fn f32_to_f16(x: f32) -> u16 {
    let bits = x.to_bits();
    let magnitude = bits & !SIGN;
    let rounded = round_to_narrow(magnitude, 10, 15);
    let half = if magnitude > INFINITY { 0x7e00 } else { rounded.min(0x7c00) };
    low_half((bits & SIGN) >> 16 | half)
}

/// Exact.
#[inline]
pub(super) fn bf16_to_f32(brain: u16) -> f32 {
    f32::from_bits(u32::from(brain) << 16)
}

/// Rounds off the lower half; NaN keeps its sign and nothing else.
#[inline]
pub(super) fn f32_to_bf16(x: f32) -> u16 {
    let bits = x.to_bits();
    let odd = (bits >> 16) & 1;
    let rounded = bits.wrapping_add(0x7fff + odd) >> 16;
    let nan = (bits & SIGN) >> 16 | 0x7fc0;
    low_half(if bits & !SIGN > INFINITY { nan } else { rounded })
}

/// The bits of a narrow float next to a positive `f32`, given as bits: exponent field above `mantissa` bits, as if the
/// exponent field had no end. The caller caps it.
#[inline]
pub(super) fn round_to_narrow(magnitude: u32, mantissa: u32, bias: u32) -> u32 {
    let dropped = 23 - mantissa;
    let odd = (magnitude >> dropped) & 1;
    let rebias = (127 - bias) << 23;
    let normal = magnitude.wrapping_sub(rebias).wrapping_add((1 << (dropped - 1)) - 1 + odd) >> dropped;
    // A subnormal number is a whole multiple of the least one: adding a number whose last bit is worth that rounds.
    let ruler = (128 - bias + dropped) << 23;
    let subnormal = (f32::from_bits(magnitude) + f32::from_bits(ruler)).to_bits().wrapping_sub(ruler);
    if magnitude < (128 - bias) << 23 { subnormal } else { normal }
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the upper half is zero")]
fn low_half(bits: u32) -> u16 {
    bits as u16
}
