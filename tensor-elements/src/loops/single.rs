//! Functions of `f32`, as loops can vectorise them: no branches, no calls, no tables.
//!
//! Those that programs ask for most compute in `f32`: `exp`, `ln`, `sin`, `cos`, `tanh` and `erf`, to less than a unit in the last place. The others
//! compute in `f64`, so that the last rounding is nearly the only one: their error is below 0.52 units for every `f32` (tests/accuracy.rs tries all). Where one fuses a multiplication with an addition, it says so, and never
//! leaves it to the compiler: every processor gives the same bits.
//! Each polynomial is a minimax one; its largest relative error stands beside it.
#![expect(clippy::excessive_precision, reason = "coefficients with the digits that they were computed with")]

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, LN_2, LOG2_E, LOG10_E, PI};
use std::ops::{Add, Mul};

use super::double::{self, logarithm};

/// Added to a small number, it leaves the nearest integer in the lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
const BIAS: u64 = 1023;

/// The same of `f32`.
const ROUND_SINGLE: f32 = 12_582_912.0;
const BIAS_SINGLE: u32 = 127;

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

/// (sin r - r) / r³ in r², for |r| ≤ π/4, to 2^-37.
const SIN: [f64; 4] =
    [-0.166_666_666_386_519_162, 0.008_333_329_057_341_010_78, -0.000_198_392_330_573_819_697, 2.717_370_443_151_646_43e-6];

/// (cos r - 1) / r² in r², for |r| ≤ π/4, to 2^-33.
const COS: [f64; 4] = [-0.499_999_996_686_061_377, 0.041_666_617_462_075_184_1, -0.001_388_659_101_225_669_29, 2.437_511_449_391_636_98e-5];

/// π/2 to 33 bits, and what is missing.
const HALF_PI: [f64; 2] = [1.570_796_326_734_125_6, 6.077_100_506_506_192e-11];

/// Up to here `sin`, `cos` and `tan` find the quarter of the circle with the two parts of [`HALF_PI`].
const NEAR: f32 = 1e6;

#[inline(always)]
fn polynomial<T: Copy + Add<Output = T> + Mul<Output = T>, const N: usize>(x: T, coefficients: &[T; N]) -> T {
    coefficients.iter().rev().skip(1).fold(coefficients[N - 1], |sum, &next| sum * x + next)
}

/// The same in `f32`, each step rounded once.
#[inline(always)]
fn fused<const N: usize>(x: f32, coefficients: &[f32; N]) -> f32 {
    coefficients.iter().rev().skip(1).fold(coefficients[N - 1], |sum, &next| sum.mul_add(x, next))
}

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
fn narrow(x: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "the one rounding")]
    {
        x as f32
    }
}

/// The bits of a number of which the lowest ones are n, as an integer, and e^(x - n ln 2), where n is near x / ln 2; `round` leaves the nearest
/// integer in the lowest bits.
#[inline(always)]
fn power(x: f32, round: f32) -> (u32, f32) {
    /// ((e^r - 1) / r - 1) / r for |r| ≤ ln 2 / 2, so that e^r is right to 2^-28.
    const EXP: [f32; 5] = [0.499_999_94, 0.166_665_18, 0.041_668_42, 0.008_369_063, 0.001_381_388];
    /// ln 2 in two parts.
    const LN_2: [f32; 2] = [std::f32::consts::LN_2, -1.904_654_3e-9];
    let shifted = x.mul_add(std::f32::consts::LOG2_E, round);
    let n = shifted - round;
    let r = n.mul_add(-LN_2[1], n.mul_add(-LN_2[0], x));
    (shifted.to_bits(), fused(r, &EXP).mul_add(r, 1.0).mul_add(r, 1.0))
}

/// The exponential, which others are made of (`sigmoid`, `softmax`), in `f32`: to 0.9 units in the last place.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    // Beyond these, the result is infinite or zero.
    let x = if x > 89.0 { 89.0 } else { x };
    let x = if x < -104.0 { -104.0 } else { x };
    // In the lowest bits what makes two exponents out of the integer.
    let (bits, power) = power(x, ROUND_SINGLE + 2.0 * 127.0);
    // 2^n as two factors, because it may be too large for one, or too small.
    let half = bits >> 1;
    power * f32::from_bits(half << 23) * f32::from_bits(bits.wrapping_sub(half) << 23)
}

#[inline(always)]
pub(super) fn exp2(x: f32) -> f32 {
    narrow(exp2_wide(f64::from(x)))
}

#[inline(always)]
pub(super) fn exp_m1(x: f32) -> f32 {
    narrow(exp2_m1(f64::from(x) * LOG2_E)).copysign(x)
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

/// The hyperbolic tangent, which networks ask for, in `f32`: to 0.96 units in the last place.
#[inline(always)]
pub(super) fn tanh(x: f32) -> f32 {
    /// (tanh a / a - 1) / a² in a² up to 1, to 2^-27.
    const NEAR: [f32; 7] = [-0.333_332_96, 0.133_323_48, -0.053_879_99, 0.021_487_199, -0.007_946_894, 0.002_301_929_8, -0.000_358_611_23];
    // From 9.02 on the result is 1.
    let a = if x.abs() > 10.0 { 10.0 } else { x.abs() };
    let z = a * a;
    let near = (z * fused(z, &NEAR)).mul_add(a, a);
    let (bits, power) = power(a + a, ROUND_SINGLE);
    let grown = f32::from_bits(power.to_bits().wrapping_add(bits << 23));
    let far = 1.0 - 2.0 / (grown + 1.0);
    (if a >= 1.0 { far } else { near }).copysign(x)
}

/// The error function, which PyTorch computes so fast that `f32` has to do: to 0.83 units in the last place.
#[inline(always)]
pub(super) fn erf(x: f32) -> f32 {
    const LIMIT: f32 = 0.875;
    /// erf a / a - 1 in a² below the limit, to 2^-31.
    const NEAR: [f32; 7] =
        [0.128_379_166_8, -0.376_126_349_8, 0.112_837_150_3, -0.026_860_508_51, 0.005_203_859_254, -0.000_817_564_031_2, 8.513_108_466e-5];
    /// 3 + log₂ erfc a in a - 1 from the limit up to 4, so that erf a is right to 2^-28.
    const FAR: [f32; 7] =
        [0.331_583_296_2, -3.807_225_634, -1.216_345_446, -0.059_943_444_47, 0.014_389_002_48, -0.002_721_371_598, 0.000_289_974_610_2];
    /// (2^r - 1) / r for |r| ≤ 1/2, to 2^-26.
    const EXP2: [f32; 6] = [0.693_147_187_9, 0.240_226_498, 0.055_503_574_33, 0.009_618_237_463, 0.001_339_073_557, 0.000_154_035_238_7];

    let a = if x.abs() > 4.0 { 4.0 } else { x.abs() };
    let near = fused(a * a, &NEAR).mul_add(a, a);
    let log = fused(a - 1.0, &FAR);
    let shifted = log + ROUND_SINGLE;
    let r = log - (shifted - ROUND_SINGLE);
    let rest = fused(r, &EXP2).mul_add(r, 1.0);
    let far = 1.0 - f32::from_bits(rest.to_bits().wrapping_add(shifted.to_bits().wrapping_sub(3) << 23));
    (if a >= LIMIT { far } else { near }).copysign(x)
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

/// The natural logarithm, of which losses are made, in `f32`: to 0.88 units in the last place.
#[inline(always)]
pub(super) fn ln(x: f32) -> f32 {
    /// (ln(1 + m) - m + m² / 2) / m³, where √½ ≤ 1 + m ≤ √2, so that ln(1 + m) is right to 2^-27.
    const LN: [f32; 8] = [0.333_333_3, -0.250_008_2, 0.200_012_42, -0.166_234_09, 0.142_015_81, -0.131_596_13, 0.127_621_98, -0.076_363_95];
    /// ln 2 in two parts, the first of so few bits that its products with exponents are exact.
    const LN_2: [f32; 2] = [0.693_145_75, 1.428_606_8e-6];
    const ROOT: u32 = std::f32::consts::FRAC_1_SQRT_2.to_bits();
    const NORMAL: f32 = 8_388_608.0;
    let (normal, beyond) = if x < f32::MIN_POSITIVE { (x * NORMAL, -23.0) } else { (x, 0.0) };
    // Biased by 1, so that a number just above √½ has exponent zero.
    let biased = normal.to_bits().wrapping_sub(ROOT).wrapping_add(BIAS_SINGLE << 23) >> 23;
    let exponent = f32::from_bits(ROUND_SINGLE.to_bits().wrapping_add(biased).wrapping_sub(BIAS_SINGLE)) - ROUND_SINGLE + beyond;
    let m = f32::from_bits(normal.to_bits().wrapping_sub(biased.wrapping_sub(BIAS_SINGLE) << 23)) - 1.0;
    let z = m * m;
    // What the sum of the two large parts loses is added to the small ones.
    let whole = exponent * LN_2[0];
    let large = whole + m;
    let lost = (whole - large) + m;
    let small = fused(m, &LN).mul_add(m, -0.5).mul_add(z, exponent.mul_add(LN_2[1], lost));
    logarithm(x, large + small)
}

#[inline(always)]
pub(super) fn log2(x: f32) -> f32 {
    let x = f64::from(x);
    let (exponent, ln) = exponent_and_ln(x);
    narrow(logarithm(x, exponent + ln * LOG2_E))
}

#[inline(always)]
pub(super) fn log10(x: f32) -> f32 {
    narrow(ln_wide(f64::from(x)) * LOG10_E)
}

#[inline(always)]
pub(super) fn ln_1p(x: f32) -> f32 {
    let wide = f64::from(x);
    let sum = 1.0 + wide;
    // What the sum lost of a small number.
    let lost = if wide.abs() < 1.0 { wide - (sum - 1.0) } else { 0.0 };
    narrow(ln_wide(sum) + lost).copysign(x)
}

/// Whether `sin_near`, `cos_near` and `tan_near` take the number.
#[inline(always)]
pub(super) fn is_near(x: f32) -> bool {
    x.abs() <= NEAR
}

/// In which quarter of the circle an angle is, in the lowest bits, and sine and cosine of its distance from the quarter's middle.
#[inline(always)]
fn quarter(x: f32) -> (u64, f64, f64) {
    let x = f64::from(x);
    let shifted = x * FRAC_2_PI + ROUND;
    let quarters = shifted - ROUND;
    let r = (x - quarters * HALF_PI[0]) - quarters * HALF_PI[1];
    let z = r * r;
    (shifted.to_bits(), r * (1.0 + z * polynomial(z, &SIN)), 1.0 + z * polynomial(z, &COS))
}

/// Minus the number where the bit is 1.
#[inline(always)]
fn negated(x: f64, bit: u64) -> f64 {
    f64::from_bits(x.to_bits() ^ (bit << 63))
}

/// In which quarter of the circle an angle is, in the lowest bits, and sine and cosine of its distance from the quarter's middle, in `f32`: to
/// 0.88 units in the last place.
#[inline(always)]
fn quarter_single(x: f32) -> (u32, f32, f32) {
    /// (sin r - r) / r³ in r², for |r| ≤ 1.05 π/4, because the quarter may be the next one where it is found roughly; to 2^-32.
    const SIN: [f32; 4] = [-0.166_666_67, 0.008_333_375, -0.000_198_506_02, 0.000_002_803_019_7];
    /// (cos r - 1 + r² / 2) / r⁴ in r², to 2^-32.
    const COS: [f32; 3] = [0.041_666_638, -0.001_388_696, 0.000_024_393_883];
    /// π/2 in three parts.
    const HALF_PI: [f32; 3] = [1.570_796_4, -4.371_139e-8, -1.715_124_5e-15];
    let shifted = x.mul_add(std::f32::consts::FRAC_2_PI, ROUND_SINGLE);
    let quarters = shifted - ROUND_SINGLE;
    // The first difference is exact: of such angles it has no more bits than fit. What the product and the sum after it lose is kept.
    let first = quarters.mul_add(-HALF_PI[0], x);
    let second = -HALF_PI[1] * quarters;
    let r = first + second;
    let own = r - first;
    let sum_lost = (first - (r - own)) + (second - own);
    let lost = quarters.mul_add(-HALF_PI[2], quarters.mul_add(-HALF_PI[1], -second) + sum_lost);
    let z = r * r;
    let sin = r + (fused(z, &SIN) * z).mul_add(r, lost);
    let (half, square) = (-0.5 * z, z * z);
    let near = 1.0 + half;
    let cos = near + fused(z, &COS).mul_add(square, r.mul_add(-lost, (1.0 - near) + half));
    (shifted.to_bits(), sin, cos)
}

/// Minus the number where the lowest bit is 1.
#[inline(always)]
fn negated_single(x: f32, bits: u32) -> f32 {
    f32::from_bits(x.to_bits() ^ (bits << 31))
}

#[inline(always)]
pub(super) fn sin_near(x: f32) -> f32 {
    let (quarter, sin, cos) = quarter_single(x);
    let found = negated_single(if quarter & 1 == 1 { cos } else { sin }, quarter >> 1);
    // The sign of a zero is lost on the way.
    if x == 0.0 { x } else { found }
}

#[inline(always)]
pub(super) fn cos_near(x: f32) -> f32 {
    let (quarter, sin, cos) = quarter_single(x);
    negated_single(if quarter & 1 == 1 { sin } else { cos }, quarter.wrapping_add(1) >> 1)
}

#[inline(always)]
pub(super) fn tan_near(x: f32) -> f32 {
    let (quarter, sin, cos) = quarter(x);
    let odd = quarter & 1;
    let (above, below) = if odd == 1 { (cos, sin) } else { (sin, cos) };
    narrow(negated(above / below, odd))
}

#[inline(always)]
pub(super) fn hypot(x: f32, y: f32) -> f32 {
    if x.is_infinite() || y.is_infinite() {
        return f32::INFINITY;
    }
    let (x, y) = (f64::from(x), f64::from(y));
    narrow((x * x + y * y).sqrt())
}

/// Any angle: slower, because it calls a function for large ones. Small ones have the same sine whatever stands beside them.
macro_rules! angles {
    ($($name:ident $near:ident)*) => { $(
        #[inline(always)]
        pub(super) fn $name(x: f32) -> f32 {
            if is_near(x) { $near(x) } else { narrow(f64::from(x).$name()) }
        }
    )* };
}

angles! {
    sin sin_near
    cos cos_near
    tan tan_near
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

#[inline(always)]
pub(super) fn atan(x: f32) -> f32 {
    let size = f64::from(x).abs();
    let arc = small_arc(if size > 1.0 { 1.0 / size } else { size });
    narrow(if size > 1.0 { FRAC_PI_2 - arc } else { arc }).copysign(x)
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

/// What the standard library has only roughly: slower, because it calls a function.
macro_rules! special {
    ($($name:ident)*) => { $(
        #[inline(always)]
        pub(super) fn $name(x: f32) -> f32 {
            narrow(libm::$name(f64::from(x)))
        }
    )* };
}

special! { asinh atanh erfc lgamma }

#[inline(always)]
pub(super) fn acosh(x: f32) -> f32 {
    narrow(double::acosh(f64::from(x)))
}
