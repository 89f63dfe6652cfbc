//! Functions of `f32` that compute in `f64`, so that the last rounding is nearly the only one, as loops can vectorise them: no branches, no
//! calls, no tables. Where no other error is said, it is below 0.52 units in the last place for every `f32` (tests/accuracy.rs tries all).
//! Each polynomial is a minimax one; its largest relative error stands beside it.
#![expect(clippy::excessive_precision, reason = "coefficients with the digits that they were computed with")]

use std::f64::consts::{FRAC_PI_2, LN_2, LOG2_E, LOG10_E, PI};

use super::double::{self, fused, logarithm, polynomial};
use super::errors::{ERFINV_END, ERFINV_MIDDLE};

/// Added to a small number, it leaves the nearest integer in the lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
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
fn at_most(x: f64, limit: f64) -> f64 {
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
fn exp2_wide(t: f64) -> f64 {
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
fn ln_wide(x: f64) -> f64 {
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
pub(super) fn ln_1p(x: f32) -> f32 {
    narrow(ln_1p_wide(f64::from(x))).copysign(x)
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

/// What the error function lacks to 1.
#[inline(always)]
pub(super) fn erfc(x: f32) -> f32 {
    /// e^(a²) erfc a in (a - 3) / (a + 3), for a up to 10.1, to 2^-34.
    const REST: [f64; 13] = [
        0.179_001_151_180_774_5,
        -0.326_233_560_144_621_24,
        0.245_603_801_976_387_56,
        -0.150_115_931_091_666_54,
        0.071_665_828_276_072_55,
        -0.024_392_583_351_356_373,
        0.004_269_219_985_538_501,
        0.000_708_327_610_769_113_9,
        -0.000_597_311_235_154_690_2,
        4.324_368_643_663_796_5e-5,
        6.397_506_560_702_864e-5,
        -9.513_983_336_704_23e-6,
        -6.682_554_672_643_104e-6,
    ];
    // From there on the result is zero.
    let a = at_most(f64::from(x).abs(), 10.1);
    let found = exp2_wide(-LOG2_E * (a * a)) * polynomial((a - 3.0) / (a + 3.0), &REST);
    narrow(if x < 0.0 { 2.0 - found } else { found })
}

/// The inverse of the error function: to 0.6 units in the last place.
#[inline(always)]
pub(super) fn erfinv(x: f32) -> f32 {
    let x = f64::from(x);
    let depth = -ln_wide((1.0 - x) * (1.0 + x));
    let middle = fused(depth - 3.75, &ERFINV_MIDDLE);
    let end = fused(depth.sqrt() - 4.0, &ERFINV_END);
    narrow(if depth == f64::INFINITY { depth.copysign(x) } else { x * if depth > 7.5 { end } else { middle } })
}

/// ln Γ(a) of positive numbers: near the zeros 1 and 2 with the factors that they are of, and as Stirling has it where a is larger.
#[inline(always)]
fn lgamma_above(a: f64) -> f64 {
    /// ln Γ(2 + y) / y / (1 + y) for |y| ≤ 1/2, to 2^-53.
    const NEAR: [f64; 17] = [
        0.422_784_335_098_467_13,
        -0.100_317_301_674_352_93,
        0.032_965_000_621_153_547,
        -0.012_384_192_193_559_523,
        0.004_998_641_164_938_774,
        -0.002_108_130_823_469_849_3,
        0.000_915_376_912_399_805_1,
        -0.000_405_707_659_321_351_3,
        0.000_182_552_840_106_017_33,
        -8.309_166_905_252_843e-5,
        3.816_659_126_476_059e-5,
        -1.768_745_244_082_864_3e-5,
        8.237_546_182_000_146e-6,
        -3.738_902_062_260_840_6e-6,
        1.748_882_525_235_049_2e-6,
        -1.089_248_859_101_452_3e-6,
        5.238_287_567_345_019e-7,
    ];
    /// a (ln Γ(a) - (a - 1/2) ln a + a - ln √2π) in 1 / a² where a ≥ 3.5, so that ln Γ(a) is right to 2^-54.
    const FAR: [f64; 8] = [
        0.083_333_333_333_254_42,
        -0.002_777_777_751_065_847_5,
        0.000_793_647_498_247_638_4,
        -0.000_595_032_004_749_792_4,
        0.000_834_283_494_531_070_4,
        -0.001_749_983_700_235_532_2,
        0.003_988_042_093_726_773_5,
        -0.005_839_500_622_540_951,
    ];
    /// ln √2π - 1/2.
    const HALF_LN: f64 = 0.418_938_533_204_672_74;
    // The distance from 2 of a number between 1.5 and 2.5, and which logarithm is to be added to go from there to a, or subtracted.
    let (y, ratio) = if a < 1.5 { (a - 1.0, a) } else { (a - 2.0, 1.0) };
    let (y, ratio) = if a < 0.5 { (a, a * (a + 1.0)) } else { (y, ratio) };
    let (y, ratio) = if a >= 2.5 { (a - 3.0, a - 1.0) } else { (y, ratio) };
    let far = a >= 3.5;
    let log = double::ln(if far { a } else { ratio });
    let near = (y * (y + 1.0)).mul_add(fused(y, &NEAR), if a < 1.5 { -log } else { log });
    let inverse = 1.0 / a;
    let above = (a - 0.5).mul_add(log - 1.0, fused(inverse * inverse, &FAR).mul_add(inverse, HALF_LN));
    if far { above } else { near }
}

/// ln |Γ(x)|, with so many digits that its error is no larger beside the zeros of negative numbers.
#[inline(always)]
pub(super) fn lgamma(x: f32) -> f32 {
    /// sin(π r) / r in r², for |r| ≤ 1/2, to 2^-52.
    const SIN: [f64; 9] = [
        PI,
        -5.167_712_780_049_969,
        2.550_164_039_877_294,
        -0.599_264_529_318_738_3,
        0.082_145_886_569_892_62,
        -0.007_370_430_478_758_142,
        0.000_466_299_688_739_363_9,
        -2.190_318_531_634_8e-5,
        7.694_726_146_179_197e-7,
    ];
    let a = f64::from(x).abs();
    let above = lgamma_above(a);
    // Γ(a) Γ(-a) = -π / (a sin πa). From 2^23 on all numbers are integers.
    let near = at_most(a, 8_388_608.0);
    let r = near - ((near + ROUND) - ROUND);
    let sine = r * fused(r * r, &SIN);
    let below = if sine == 0.0 { f64::INFINITY } else { double::ln(PI / (near * sine.abs())) - above };
    narrow(if x < 0.0 { below } else { above })
}
