//! Functions of `f32`, as loops can vectorise them: no branches, no calls, no tables.
//!
//! Those that programs ask for most stand here and compute in `f32`, to less than a unit in the last place, and the inverse of the error function, to
//! two; `wide` and `special` have the others. Where one fuses a multiplication with an addition, it says so, and never leaves it to the compiler: every processor gives the same
//! bits.
//! Each polynomial is a minimax one; its largest relative error stands beside it.
#![expect(clippy::excessive_precision, reason = "coefficients with the digits that they were computed with")]

use super::double::logarithm;
use super::wide::narrow;

/// Added to a small number, it leaves the nearest integer in the lowest bits.
const ROUND: f32 = 12_582_912.0;
const BIAS: u32 = 127;
/// It leaves what makes two exponents out of the integer.
const TWO_FACTORS: f32 = ROUND + 2.0 * 127.0;

/// ln 2 in two parts.
const LN_2: [f32; 2] = [std::f32::consts::LN_2, -1.904_654_3e-9];

/// (2^r - 1) / r for |r| ≤ 1/2, to 2^-26.
const EXP2: [f32; 6] = [0.693_147_187_9, 0.240_226_498, 0.055_503_574_33, 0.009_618_237_463, 0.001_339_073_557, 0.000_154_035_238_7];

/// Each step rounded once. A loop, since `fold` of what goes backwards is a call where nothing inlines across the parts of a crate.
#[inline(always)]
fn fused<const N: usize>(x: f32, coefficients: &[f32; N]) -> f32 {
    let mut sum = coefficients[N - 1];
    for k in (0..N - 1).rev() {
        sum = sum.mul_add(x, coefficients[k]);
    }
    sum
}

/// The bits of a number of which the lowest ones are n, n itself, and x - n ln 2 but for what the second part of [`LN_2`] takes, where n is near
/// x / ln 2; `round` leaves the nearest integer in the lowest bits. The difference is exact: of such numbers it has no more bits than fit.
#[inline(always)]
fn reduced(x: f32, round: f32) -> (u32, f32, f32) {
    let shifted = x.mul_add(std::f32::consts::LOG2_E, round);
    let n = shifted - round;
    (shifted.to_bits(), n, n.mul_add(-LN_2[0], x))
}

/// The same bits, and e^(x - n ln 2).
#[inline(always)]
fn power(x: f32, round: f32) -> (u32, f32) {
    /// ((e^r - 1) / r - 1) / r for |r| ≤ ln 2 / 2, so that e^r is right to 2^-28.
    const EXP: [f32; 5] = [0.499_999_94, 0.166_665_18, 0.041_668_42, 0.008_369_063, 0.001_381_388];
    let (bits, n, rest) = reduced(x, round);
    let r = n.mul_add(-LN_2[1], rest);
    (bits, fused(r, &EXP).mul_add(r, 1.0).mul_add(r, 1.0))
}

/// A number as 2^n times a factor, which may be too large for one power of two, or too small: n in the lowest bits, and twice the bias.
#[inline(always)]
fn scaled(factor: f32, bits: u32) -> f32 {
    let half = bits >> 1;
    factor * f32::from_bits(half << 23) * f32::from_bits(bits.wrapping_sub(half) << 23)
}

/// The exponential, which others are made of (`sigmoid`, `softmax`): to 0.9 units in the last place.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    // Beyond these, the result is infinite or zero.
    let x = if x > 89.0 { 89.0 } else { x };
    let x = if x < -104.0 { -104.0 } else { x };
    let (bits, power) = power(x, TWO_FACTORS);
    scaled(power, bits)
}

/// The power of two: to 0.9 units in the last place.
#[inline(always)]
pub(super) fn exp2(x: f32) -> f32 {
    // Beyond these, the result is infinite or zero.
    let x = if x > 128.0 { 128.0 } else { x };
    let x = if x < -150.0 { -150.0 } else { x };
    let shifted = x + TWO_FACTORS;
    let r = x - (shifted - TWO_FACTORS);
    scaled(fused(r, &EXP2).mul_add(r, 1.0), shifted.to_bits())
}

/// What the exponential is beyond 1, of which activations are made: to 0.98 units in the last place.
#[inline(always)]
pub(super) fn exp_m1(x: f32) -> f32 {
    /// (e^r - 1 - r - r² / 2) / r³ for |r| ≤ ln 2 / 2, so that e^r - 1 is right to 2^-28.
    const EXP: [f32; 5] = [0.166_666_36, 0.041_666_51, 0.008_341_536, 0.001_393_063_5, 0.000_150_104_04];
    // Beyond these, the result is infinite or -1.
    let near = if x > 89.0 { 89.0 } else { x };
    let near = if near < -20.0 { -20.0 } else { near };
    let (bits, n, rest) = reduced(near, ROUND + 126.0);
    let r = n.mul_add(-LN_2[1], rest);
    let square = r * r;
    let small = n.mul_add(-LN_2[1], fused(r, &EXP).mul_add(r * square, 0.5 * square));
    // Half of 2^n, because that may be too large. What the sums of the large parts lose is added to the small one.
    let half = f32::from_bits(bits << 23);
    let (whole, part) = (half - 0.5, half * rest);
    let large = whole + part;
    let lost = ((whole - large) + part) + ((half - whole) - 0.5);
    let found = 2.0 * (large + half.mul_add(small, lost));
    // A half of the smallest numbers has too few digits, and the sign of a zero is lost on the way.
    if x.abs() < f32::EPSILON / 4.0 { x } else { found }
}

/// The hyperbolic tangent, which networks ask for: to 0.96 units in the last place.
#[inline(always)]
pub(super) fn tanh(x: f32) -> f32 {
    /// (tanh a / a - 1) / a² in a² up to 1, to 2^-27.
    const NEAR: [f32; 7] = [-0.333_332_96, 0.133_323_48, -0.053_879_99, 0.021_487_199, -0.007_946_894, 0.002_301_929_8, -0.000_358_611_23];
    /// ((e^2r - 1) / r - 2) / r for |r| ≤ ln 2 / 4, so that e^2r is right to 2^-28.
    const EXP: [f32; 5] = [1.999_999_76, 1.333_321_44, 0.666_694_72, 0.267_810_02, 0.088_408_832];
    // From 9.02 on the result is 1.
    let a = if x.abs() > 10.0 { 10.0 } else { x.abs() };
    let z = a * a;
    let near = (z * fused(z, &NEAR)).mul_add(a, a);
    let shifted = a.mul_add(2.0 * std::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = n.mul_add(-LN_2[1] / 2.0, n.mul_add(-LN_2[0] / 2.0, a));
    let power = fused(r, &EXP).mul_add(r, 2.0).mul_add(r, 1.0);
    let grown = f32::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 23));
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
    let a = if x.abs() > 4.0 { 4.0 } else { x.abs() };
    let near = fused(a * a, &NEAR).mul_add(a, a);
    let log = fused(a - 1.0, &FAR);
    let shifted = log + ROUND;
    let r = log - (shifted - ROUND);
    let rest = fused(r, &EXP2).mul_add(r, 1.0);
    let far = 1.0 - f32::from_bits(rest.to_bits().wrapping_add(shifted.to_bits().wrapping_sub(3) << 23));
    (if a >= LIMIT { far } else { near }).copysign(x)
}

/// The exponent of a positive number, and m, where 1 + m is what is left, which lies between √½ and √2.
#[inline(always)]
fn exponent_and_rest(x: f32) -> (f32, f32) {
    const ROOT: u32 = std::f32::consts::FRAC_1_SQRT_2.to_bits();
    const NORMAL: f32 = 8_388_608.0;
    let (normal, beyond) = if x < f32::MIN_POSITIVE { (x * NORMAL, -23.0) } else { (x, 0.0) };
    // Biased by 1, so that a number just above √½ has exponent zero.
    let biased = normal.to_bits().wrapping_sub(ROOT).wrapping_add(BIAS << 23) >> 23;
    let exponent = f32::from_bits(ROUND.to_bits().wrapping_add(biased).wrapping_sub(BIAS)) - ROUND + beyond;
    (exponent, f32::from_bits(normal.to_bits().wrapping_sub(biased.wrapping_sub(BIAS) << 23)) - 1.0)
}

/// (ln(1 + m) - m + m² / 2) / m³, where √½ ≤ 1 + m ≤ √2, so that ln(1 + m) is right to 2^-27.
const LN: [f32; 8] = [0.333_333_3, -0.250_008_2, 0.200_012_42, -0.166_234_09, 0.142_015_81, -0.131_596_13, 0.127_621_98, -0.076_363_95];

/// The natural logarithm in two parts, of which their sum rounds to the first one, or nearly.
#[inline(always)]
fn ln_parts(x: f32) -> (f32, f32) {
    /// ln 2 in two parts, the first of so few bits that its products with exponents are exact.
    const LN_2: [f32; 2] = [0.693_145_75, 1.428_606_8e-6];
    let (exponent, m) = exponent_and_rest(x);
    // What the sum of the two large parts loses is added to the small ones.
    let whole = exponent * LN_2[0];
    let large = whole + m;
    let lost = (whole - large) + m;
    (large, fused(m, &LN).mul_add(m, -0.5).mul_add(m * m, exponent.mul_add(LN_2[1], lost)))
}

/// The natural logarithm, of which losses are made: to 0.88 units in the last place.
#[inline(always)]
pub(super) fn ln(x: f32) -> f32 {
    let (large, small) = ln_parts(x);
    logarithm(x, large + small)
}

/// The logarithm of one and a number, of which activations and losses are made: to 0.92 units in the last place.
#[inline(always)]
pub(super) fn ln_1p(x: f32) -> f32 {
    let sum = 1.0 + x;
    // What the sum lost, of the smaller part.
    let lost = if x < 1.0 { x - (sum - 1.0) } else { 1.0 - (sum - x) };
    let (large, small) = ln_parts(sum);
    logarithm(sum, large + (small + lost / sum)).copysign(x)
}

/// The inverse of the error function: to 2.1 units in the last place, where |x| < 0.9 to 1.2.
#[inline(always)]
pub(super) fn erfinv(x: f32) -> f32 {
    /// erf⁻¹ x / x - `START[0]` in -ln(1 - x²) up to 5, to 2^-28.
    const MIDDLE: [f32; 11] = [
        -2.462_391_002e-8,
        0.232_013_553_4,
        0.011_550_335_21,
        -0.002_338_540_507,
        -0.000_122_002_849_8,
        4.048_694_245e-5,
        5.835_567_663e-6,
        -2.497_867_854e-6,
        3.097_952_970e-7,
        -1.716_123_421e-8,
        3.355_368_206e-10,
    ];
    /// erf⁻¹ x / x - `START[1]` in √-ln(1 - x²) - 3, from there up to what the largest number below 1 has, to 2^-27.
    const END: [f32; 10] = [
        0.832_976_818_1,
        1.001_675_129,
        0.009_445_688_687,
        -0.007_639_405_783,
        0.005_683_129_188,
        -0.003_586_988_896,
        0.001_495_991_135,
        -7.667_465_979e-5,
        -0.000_318_853_417_4,
        0.000_129_051_288_2,
    ];
    const START: [f32; 2] = [0.886_226_95, 2.0];
    let rest = (-x).mul_add(x, 1.0);
    let (large, small) = ln_parts(rest);
    let log = large + small;
    // Both factors grow by about a fifth of what the logarithm lacks.
    let lost = 0.2 * (small - (log - large));
    let (start, factor) = if log < -5.0 { (START[1], fused((-log).sqrt() - 3.0, &END)) } else { (START[0], fused(-log, &MIDDLE)) };
    // The second part may be of the other sign: with a zero it would take its sign away.
    let found = x.mul_add(start, x * (factor - lost)).copysign(x);
    let beyond = if rest == 0.0 { f32::INFINITY.copysign(x) } else { f32::NAN };
    if rest > 0.0 { found } else { beyond }
}

/// The logarithm to base two: to 0.75 units in the last place.
#[inline(always)]
pub(super) fn log2(x: f32) -> f32 {
    use std::f32::consts::LOG2_E;
    /// What is missing in the constant.
    const LOG2_E_REST: f32 = 1.925_963_033_500_11e-8;
    let (exponent, m) = exponent_and_rest(x);
    // The logarithm of what is left in two parts, of which the first has two terms of the series.
    let square = m * m;
    let half = -0.5 * square;
    let most = m + half;
    let rest = fused(m, &LN).mul_add(m * square, m.mul_add(m, -square).mul_add(-0.5, (m - most) + half));
    let product = most * LOG2_E;
    let large = exponent + product;
    let lost = ((exponent - large) + product) + most.mul_add(LOG2_E, -product);
    let small = rest.mul_add(LOG2_E, most.mul_add(LOG2_E_REST, lost));
    logarithm(x, large + small)
}

/// Whether `sin_near`, `cos_near` and `tan_near` take the number.
#[inline(always)]
pub(super) fn is_near(x: f32) -> bool {
    x.abs() <= 1e6
}

/// In which quarter of the circle an angle is, in the lowest bits, and sine and cosine of its distance from the quarter's middle: to
/// 0.88 units in the last place, and beside each what it lacks.
#[inline(always)]
fn quarter(x: f32) -> (u32, [f32; 2], [f32; 2]) {
    /// (sin r - r) / r³ in r², for |r| ≤ 1.05 π/4, because the quarter may be the next one where it is found roughly; to 2^-32.
    const SIN: [f32; 4] = [-0.166_666_67, 0.008_333_375, -0.000_198_506_02, 0.000_002_803_019_7];
    /// (cos r - 1 + r² / 2) / r⁴ in r², to 2^-32.
    const COS: [f32; 3] = [0.041_666_638, -0.001_388_696, 0.000_024_393_883];
    /// π/2 in three parts.
    const HALF_PI: [f32; 3] = [1.570_796_4, -4.371_139e-8, -1.715_124_5e-15];
    let shifted = x.mul_add(std::f32::consts::FRAC_2_PI, ROUND);
    let quarters = shifted - ROUND;
    // The first difference is exact: of such angles it has no more bits than fit. What the product and the sum after it lose is kept.
    let first = quarters.mul_add(-HALF_PI[0], x);
    let second = -HALF_PI[1] * quarters;
    let r = first + second;
    let own = r - first;
    let sum_lost = (first - (r - own)) + (second - own);
    let lost = quarters.mul_add(-HALF_PI[2], quarters.mul_add(-HALF_PI[1], -second) + sum_lost);
    let z = r * r;
    let small_sin = (fused(z, &SIN) * z).mul_add(r, lost);
    let (half, square) = (-0.5 * z, z * z);
    let near = 1.0 + half;
    let small_cos = fused(z, &COS).mul_add(square, r.mul_add(-lost, (1.0 - near) + half));
    let (sin, cos) = (r + small_sin, near + small_cos);
    let square_lost = -0.5 * r.mul_add(r, -z);
    let sin_lost = (r * square_lost).mul_add(1.0 / 3.0, (r - sin) + small_sin);
    (shifted.to_bits(), [sin, sin_lost], [cos, (near - cos) + (small_cos + square_lost)])
}

/// Minus the number where the lowest bit is 1.
#[inline(always)]
fn negated(x: f32, bits: u32) -> f32 {
    f32::from_bits(x.to_bits() ^ (bits << 31))
}

#[inline(always)]
pub(super) fn sin_near(x: f32) -> f32 {
    let (quarter, [sin, _], [cos, _]) = quarter(x);
    let found = negated(if quarter & 1 == 1 { cos } else { sin }, quarter >> 1);
    // The sign of a zero is lost on the way.
    if x == 0.0 { x } else { found }
}

#[inline(always)]
pub(super) fn cos_near(x: f32) -> f32 {
    let (quarter, [sin, _], [cos, _]) = quarter(x);
    negated(if quarter & 1 == 1 { sin } else { cos }, quarter.wrapping_add(1) >> 1)
}

/// To a unit in the last place.
#[inline(always)]
pub(super) fn tan_near(x: f32) -> f32 {
    let (quarter, sin, cos) = quarter(x);
    let ([above, above_rest], [below, below_rest]) = if quarter & 1 == 1 { (cos, sin) } else { (sin, cos) };
    let inverse = 1.0 / below;
    let quotient = above * inverse;
    // What is left when that is multiplied again, and when nothing had been rounded.
    let rest = quotient.mul_add(-below, above) + quotient.mul_add(-below_rest, above_rest);
    let found = negated(rest.mul_add(inverse, quotient), quarter);
    if x == 0.0 { x } else { found }
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

/// The arc of a tangent: to 0.95 units in the last place.
#[inline(always)]
pub(super) fn atan(x: f32) -> f32 {
    /// (atan t / t - 1) / t² in t² up to 1, so that atan t is right to 2^-28.
    const ATAN: [f32; 9] = [
        -0.333_333_13,
        0.199_989_07,
        -0.142_675_7,
        0.109_678_77,
        -0.084_456_295,
        0.058_631_826,
        -0.031_812_05,
        0.011_238_742,
        -0.001_863_063_1,
    ];
    /// π/2 in two parts.
    const HALF_PI: [f32; 2] = [1.570_796_4, -4.371_139e-8];
    // From there on the result is π/2.
    let size = if x.abs() > 1e9 { 1e9 } else { x.abs() };
    let steep = size > 1.0;
    let t = if steep { 1.0 / size } else { size };
    let z = t * t;
    let beyond = fused(z, &ATAN) * z;
    // What the difference, the product and the sum lose is added last, and roughly what the arc lacks because the quotient was rounded.
    let difference = HALF_PI[0] - t;
    let product = beyond * -t;
    let large = difference + product;
    let rounded = size.mul_add(-t, 1.0) * t * z.mul_add(-0.5, 1.0);
    let small = ((HALF_PI[0] - difference) - t) + (HALF_PI[1] - rounded) + beyond.mul_add(-t, -product);
    let far = large + (((difference - large) + product) + small);
    (if steep { far } else { beyond.mul_add(t, t) }).copysign(x)
}
