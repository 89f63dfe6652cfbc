//! Functions of `f32` that compute in `f64`, so that the last rounding is nearly the only one, as loops can vectorise them: no branches, no
//! calls, no tables. Where no other error is said, it is below 0.52 units in the last place for every `f32` (tests/accuracy.rs tries all).
//! Each polynomial is a minimax one; its largest relative error stands beside it.
#![expect(clippy::excessive_precision, reason = "coefficients with the digits that they were computed with")]

use std::f64::consts::{FRAC_PI_2, LN_2, LOG2_E, LOG10_E, PI};

use super::double::{logarithm, polynomial};

/// Added to a small number, it leaves the nearest integer in the lowest bits.
pub(super) const ROUND: f64 = 6_755_399_441_055_744.0;
const BIAS: u64 = 1023;

/// (2^r - 1) / r for |r| ≤ 1/2, to 2^-32.
const EXP2: [f64; 7] = [
    0.693_147_180_581_566_416,
    0.240_226_509_200_438_309,
    0.055_504_107_276_327_749_1,
    0.009_618_057_037_131_675_58,
    0.001_333_366_942_733_050_61,
    0.000_154_613_300_133_495_559,
    1.525_272_410_815_199_38e-5,
];

/// (ln((1 + s) / (1 - s)) - 2 s) / s³ in s², where √½ ≤ (1 + s) / (1 - s) ≤ √2, to 2^-37.
const LN: [f64; 4] = [0.666_666_656_454_415_335, 0.400_003_351_933_849_332, 0.285_373_084_154_572_419, 0.235_821_533_176_942_44];

/// No more than that; NaN stays.
#[inline(always)]
pub(super) fn at_most(x: f64, limit: f64) -> f64 {
    if x > limit { limit } else { x }
}

#[inline(always)]
fn at_least(x: f64, limit: f64) -> f64 {
    if x < limit { limit } else { x }
}

/// A power of two and d, where 2^t is the power times 1 + d; |t| < 1000.
#[inline(always)]
fn power_of_two(t: f64) -> (f64, f64) {
    let shifted = t + ROUND;
    let r = t - (shifted - ROUND);
    let scale = f64::from_bits(shifted.to_bits().wrapping_add(BIAS) << 52);
    (scale, r * polynomial(r, &EXP2))
}

/// 2^t, for any t that an `f32` asks for.
#[inline(always)]
pub(super) fn exp2_wide(t: f64) -> f64 {
    let (scale, d) = power_of_two(at_least(at_most(t, 200.0), -200.0));
    scale + scale * d
}

/// 2^t - 1, right also near zero.
#[inline(always)]
fn exp2_m1(t: f64) -> f64 {
    let (scale, d) = power_of_two(at_least(at_most(t, 200.0), -200.0));
    scale * d + (scale - 1.0)
}

#[inline(always)]
pub(super) fn narrow(x: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "the one rounding")]
    {
        x as f32
    }
}

#[inline(always)]
pub(super) fn sinh(x: f32) -> f32 {
    let grown = exp2_m1(f64::from(x.abs()) * LOG2_E);
    narrow(0.5 * (grown + grown / (grown + 1.0))).copysign(x)
}

#[inline(always)]
pub(super) fn cosh(x: f32) -> f32 {
    let grown = exp2_wide(f64::from(x.abs()) * LOG2_E);
    narrow(0.5 * (grown + 1.0 / grown))
}

/// The exponent of a positive normal number and the logarithm of what is left, which lies between √½ and √2.
#[inline(always)]
fn exponent_and_ln(x: f64) -> (f64, f64) {
    const ROOT: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    let bits = x.to_bits();
    // Biased by 1, so that a number just above √½ has exponent zero.
    let biased = bits.wrapping_sub(ROOT).wrapping_add(BIAS << 52) >> 52;
    let exponent = f64::from_bits(ROUND.to_bits().wrapping_add(biased).wrapping_sub(BIAS)) - ROUND;
    let rest = f64::from_bits(bits.wrapping_sub(biased.wrapping_sub(BIAS) << 52));
    let s = (rest - 1.0) / (rest + 1.0);
    let z = s * s;
    (exponent, 2.0 * s + s * z * polynomial(z, &LN))
}

#[inline(always)]
pub(super) fn ln_wide(x: f64) -> f64 {
    let (exponent, ln) = exponent_and_ln(x);
    logarithm(x, exponent * LN_2 + ln)
}

#[inline(always)]
pub(super) fn log10(x: f32) -> f32 {
    narrow(ln_wide(f64::from(x)) * LOG10_E)
}

/// x^y with the special results that IEEE 754 names.
#[inline(always)]
pub(super) fn pow(x: f32, y: f32) -> f32 {
    let (size, exponent) = (f64::from(x.abs()), f64::from(y));
    let (twos, ln) = exponent_and_ln(size);
    let power = exp2_wide(exponent * logarithm(size, twos + ln * LOG2_E));
    let is_one = size == 1.0 && !y.is_nan();
    let power = narrow(if is_one { 1.0 } else { power });
    let (whole, half) = (y.trunc() == y, 0.5 * y);
    let is_odd = whole && half.trunc() != half;
    let signed = if is_odd { power.copysign(x) } else { power };
    let found = if x < 0.0 && x != f32::NEG_INFINITY && !whole { f32::NAN } else { signed };
    if y == 0.0 || x == 1.0 { 1.0 } else { found }
}

/// ln(1 + x), right also near zero.
#[inline(always)]
fn ln_1p_wide(x: f64) -> f64 {
    let sum = 1.0 + x;
    // What the sum lost of a small number.
    let lost = if x.abs() < 1.0 { x - (sum - 1.0) } else { 0.0 };
    ln_wide(sum) + lost
}

#[inline(always)]
pub(super) fn asinh(x: f32) -> f32 {
    let a = f64::from(x).abs();
    let found = ln_1p_wide(a + a * a / (1.0 + (1.0 + a * a).sqrt()));
    narrow(if a == f64::INFINITY { a } else { found }).copysign(x)
}

#[inline(always)]
pub(super) fn acosh(x: f32) -> f32 {
    let beyond = if x < 1.0 { f64::NAN } else { f64::from(x) - 1.0 };
    narrow(ln_1p_wide(beyond + (beyond * (beyond + 2.0)).sqrt()))
}

#[inline(always)]
pub(super) fn atanh(x: f32) -> f32 {
    let a = f64::from(x).abs();
    narrow(0.5 * ln_1p_wide(2.0 * a / (1.0 - a))).copysign(x)
}

#[inline(always)]
pub(super) fn hypot(x: f32, y: f32) -> f32 {
    if x.is_infinite() || y.is_infinite() {
        return f32::INFINITY;
    }
    let (x, y) = (f64::from(x), f64::from(y));
    narrow((x * x + y * y).sqrt())
}

/// The arc of a tangent between 0 and 1.
#[inline(always)]
fn small_arc(tangent: f64) -> f64 {
    /// atan t / t in t² up to 1, to 2^-33.
    const ATAN: [f64; 12] = [
        0.999_999_999_929_303_7,
        -0.333_333_312_908_899_9,
        0.199_999_011_021_715_55,
        -0.142_838_132_557_431_94,
        0.110_919_229_636_833_02,
        -0.089_741_719_583_638_82,
        0.072_282_783_453_772_52,
        -0.053_956_680_571_371_72,
        0.033_826_218_952_786_875,
        -0.015_828_322_749_149_415,
        0.004_732_484_193_421_92,
        -0.000_663_395_457_110_478_7,
    ];
    tangent * polynomial(tangent * tangent, &ATAN)
}

/// The angle of a point, of which `y` is the height.
#[inline(always)]
pub(super) fn atan2(y: f32, x: f32) -> f32 {
    let (height, width) = (f64::from(y).abs(), f64::from(x).abs());
    let steep = height > width;
    let (low, high) = if steep { (width, height) } else { (height, width) };
    let tangent = if low == f64::INFINITY { 1.0 } else { low / high };
    let arc = small_arc(if high == 0.0 { 0.0 } else { tangent });
    let first = if steep { FRAC_PI_2 - arc } else { arc };
    let angle = narrow(if x.is_sign_negative() { PI - first } else { first }).copysign(y);
    if x.is_nan() || y.is_nan() { f32::NAN } else { angle }
}

/// A sine's size, and the arc of it where that is at most a half, else half the arc that is missing to a quarter.
#[inline(always)]
fn arc_of_sine(x: f32) -> (f64, f64) {
    /// asin s / s in s² up to a quarter, to 2^-35.
    const ASIN: [f64; 8] = [
        0.999_999_999_986_353_7,
        0.166_666_673_641_864_47,
        0.074_999_419_087_547_19,
        0.044_661_139_308_668_96,
        0.030_102_506_899_661_49,
        0.024_650_862_660_604_088,
        0.007_401_007_239_075_379_5,
        0.034_748_424_808_083_9,
    ];
    let size = f64::from(x).abs();
    let square = if size > 0.5 { 0.5 - 0.5 * size } else { size * size };
    let sine = if size > 0.5 { square.sqrt() } else { size };
    (size, sine * polynomial(square, &ASIN))
}

#[inline(always)]
pub(super) fn asin(x: f32) -> f32 {
    let (size, arc) = arc_of_sine(x);
    narrow(if size > 0.5 { FRAC_PI_2 - 2.0 * arc } else { arc }).copysign(x)
}

#[inline(always)]
pub(super) fn acos(x: f32) -> f32 {
    let (size, arc) = arc_of_sine(x);
    let negative = x < 0.0;
    let far = if negative { PI - 2.0 * arc } else { 2.0 * arc };
    let near = if negative { FRAC_PI_2 + arc } else { FRAC_PI_2 - arc };
    narrow(if size > 0.5 { far } else { near })
}
