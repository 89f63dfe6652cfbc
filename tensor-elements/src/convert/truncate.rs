//! Floats to integers: toward zero, and what doesn't fit, NaN included, is the least integer.
//!
//! That is what x86's instructions do. Here it is done with shifts: `as` saturates, which costs up to ten times as much,
//! and shifts become vector code on every processor.

const EXPONENT_32: u32 = 0xff;
const EXPONENT_64: u64 = 0x7ff;

/// The `f32`'s significand is shifted to the top of a word, and from there down by what the exponent asks for.
#[inline]
pub(super) fn f32_to_i32(x: f32) -> i32 {
    let bits = x.to_bits();
    let exponent = (bits >> 23) & EXPONENT_32;
    let significand = (bits | 1 << 23) << 8;
    let down = 158_u32.wrapping_sub(exponent);
    let magnitude = if down < 32 { significand >> (down & 31) } else { 0 };
    if exponent < 158 { with_sign_32(magnitude, bits >> 31) } else { i32::MIN }
}

/// As above, in the upper word.
#[inline]
pub(super) fn f32_to_i64(x: f32) -> i64 {
    let bits = x.to_bits();
    let exponent = u64::from((bits >> 23) & EXPONENT_32);
    let significand = u64::from((bits | 1 << 23) << 8) << 32;
    let down = 190_u64.wrapping_sub(exponent);
    let magnitude = if down < 64 { significand >> (down & 63) } else { 0 };
    if exponent < 190 { with_sign_64(magnitude, u64::from(bits >> 31)) } else { i64::MIN }
}

/// As above.
#[inline]
pub(super) fn f64_to_i64(x: f64) -> i64 {
    let bits = x.to_bits();
    let exponent = (bits >> 52) & EXPONENT_64;
    let significand = (bits | 1 << 52) << 11;
    let down = 1086_u64.wrapping_sub(exponent);
    let magnitude = if down < 64 { significand >> (down & 63) } else { 0 };
    if exponent < 1086 { with_sign_64(magnitude, bits >> 63) } else { i64::MIN }
}

/// Through 64 bits, where 32 suffice.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the exponent says that it fits")]
pub(super) fn f64_to_i32(x: f64) -> i32 {
    let exponent = (x.to_bits() >> 52) & EXPONENT_64;
    if exponent < 1054 { f64_to_i64(x) as i32 } else { i32::MIN }
}

/// What compilers make of a conversion to `u64` on x86: the upper half of the range apart, zero beyond it.
#[inline]
#[expect(clippy::cast_sign_loss, reason = "negative numbers wrap")]
pub(super) fn f64_to_u64(x: f64) -> u64 {
    const HALF: f64 = 9_223_372_036_854_775_808.0;
    let (lower, flip) = if x >= HALF { (x - HALF, 1 << 63) } else { (x, 0) };
    f64_to_i64(lower) as u64 ^ flip
}

/// Minus the magnitude where the sign is 1.
#[inline]
#[expect(clippy::cast_possible_wrap, reason = "the magnitude is below 2^31")]
fn with_sign_32(magnitude: u32, sign: u32) -> i32 {
    (magnitude ^ sign.wrapping_neg()).wrapping_add(sign) as i32
}

#[inline]
#[expect(clippy::cast_possible_wrap, reason = "the magnitude is below 2^63")]
fn with_sign_64(magnitude: u64, sign: u64) -> i64 {
    (magnitude ^ sign.wrapping_neg()).wrapping_add(sign) as i64
}

#[cfg(test)]
mod tests {
    use super::{f32_to_i32, f32_to_i64, f64_to_i32, f64_to_i64};

    /// By `as`, which saturates below and is 0 for NaN; the comparison, false for NaN too, does the rest.
    fn check(x: f64) {
        let s = x as f32;
        assert_eq!(f32_to_i32(s), if s < 2_147_483_648.0 { s as i32 } else { i32::MIN }, "{s}");
        assert_eq!(f32_to_i64(s), if s < 9_223_372_036_854_775_808.0 { s as i64 } else { i64::MIN }, "{s}");
        assert_eq!(f64_to_i32(x), if x < 2_147_483_648.0 { x as i32 } else { i32::MIN }, "{x}");
        assert_eq!(f64_to_i64(x), if x < 9_223_372_036_854_775_808.0 { x as i64 } else { i64::MIN }, "{x}");
    }

    #[test]
    fn shifts_do_what_a_saturating_conversion_and_a_comparison_do() {
        for i in 0..200_000_u64 {
            let bits = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            check(f64::from_bits(bits));
            check(f64::from(f32::from_bits((bits >> 32) as u32)));
            check((bits as i64 >> (i % 64)) as f64 / 16.0);
        }
        for x in [f64::NAN, 2_147_483_647.9, -2_147_483_648.9, -2_147_483_649.0, 2_147_483_648.0, -0.0, 0.99, -0.99, 1e-320] {
            check(x);
        }
    }
}
