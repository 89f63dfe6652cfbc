//! Functions of `f64`: those that programs ask for most as loops can vectorise them, with fused multiplications, to less than a unit in the
//! last place (`tanh` and `tan`: to less than two); the standard library's, and `libm`'s where it has none or a rough one.
//! Each polynomial is a minimax one where nothing else is said; its largest relative error stands beside it.

use std::f64::consts::{FRAC_2_PI, LOG2_E, LOG10_E};

macro_rules! standard {
    ($($name:ident)*) => { $(
        #[inline(always)]
        pub(super) fn $name(x: f64) -> f64 {
            x.$name()
        }
    )* };
}

standard! { exp2 log2 asin acos atan }

#[inline(always)]
pub(super) fn pow(x: f64, y: f64) -> f64 {
    x.powf(y)
}

#[inline(always)]
pub(super) fn atan2(y: f64, x: f64) -> f64 {
    y.atan2(x)
}

macro_rules! special {
    ($($name:ident)*) => { $(
        #[inline(always)]
        pub(super) fn $name(x: f64) -> f64 {
            libm::$name(x)
        }
    )* };
}

special! { asinh atanh }

#[inline(always)]
pub(super) fn acosh(x: f64) -> f64 {
    // Far below 1, the formula of libm cancels to something that isn't always NaN.
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// Added to a small number, it leaves the nearest integer in the lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

#[inline(always)]
pub(super) fn polynomial<const N: usize>(x: f64, coefficients: &[f64; N]) -> f64 {
    let mut sum = coefficients[N - 1];
    for k in (0..N - 1).rev() {
        sum = sum * x + coefficients[k];
    }
    sum
}

/// The same, each step rounded once.
#[inline(always)]
pub(super) fn fused<const N: usize>(x: f64, coefficients: &[f64; N]) -> f64 {
    let mut sum = coefficients[N - 1];
    for k in (0..N - 1).rev() {
        sum = sum.mul_add(x, coefficients[k]);
    }
    sum
}

/// ln 2 in two parts.
const LN_2: [f64; 2] = [std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17];

/// The bits of a number of which the lowest ones are n, n itself, and x - n ln 2 but for what the second part of [`LN_2`] takes, where n is near
/// x / ln 2; `round` leaves the nearest integer in the lowest bits. The difference is exact: of such numbers it has no more bits than fit.
#[inline(always)]
fn reduced(x: f64, round: f64) -> (u64, f64, f64) {
    let shifted = x.mul_add(LOG2_E, round);
    let n = shifted - round;
    (shifted.to_bits(), n, n.mul_add(-LN_2[0], x))
}

/// The same bits, and e^(x - less - n ln 2) - 1 and what its rounding has left out, where `less` is below the last digit of `x`.
#[inline(always)]
pub(super) fn power_m1(x: f64, less: f64, round: f64) -> (u64, f64, f64) {
    /// (e^r - 1 - r) / r² for |r| ≤ ln 2 / 2: one over the factorials.
    const EXP: [f64; 12] = [
        0.5,
        1.0 / 6.0,
        1.0 / 24.0,
        1.0 / 120.0,
        1.0 / 720.0,
        1.0 / 5_040.0,
        1.0 / 40_320.0,
        1.0 / 362_880.0,
        1.0 / 3_628_800.0,
        1.0 / 39_916_800.0,
        1.0 / 479_001_600.0,
        1.0 / 6_227_020_800.0,
    ];
    let (bits, n, rest) = reduced(x, round);
    let whole = n.mul_add(-LN_2[1], rest);
    let r = whole - less;
    let factor = fused(r, &EXP) * r;
    let found = factor.mul_add(r, r);
    (bits, found, factor.mul_add(r, r - found) + ((whole - r) - less))
}

#[inline(always)]
fn power(x: f64, round: f64) -> (u64, f64) {
    let (bits, beyond, _) = power_m1(x, 0.0, round);
    (bits, beyond + 1.0)
}

/// What leaves in the lowest bits what makes two exponents out of the integer.
pub(super) const ROUND_FOR_TWO: f64 = ROUND + 2.0 * 1023.0;

/// The number times 2^n, as two factors, because it may be too large for one, or too small.
#[inline(always)]
pub(super) fn scaled(x: f64, bits: u64) -> f64 {
    let half = bits >> 1;
    x * f64::from_bits(half << 52) * f64::from_bits(bits.wrapping_sub(half) << 52)
}

#[inline(always)]
pub(super) fn exp(x: f64) -> f64 {
    // Beyond these, the result is infinite or zero.
    let x = if x > 710.0 { 710.0 } else { x };
    let x = if x < -746.0 { -746.0 } else { x };
    let (bits, power) = power(x, ROUND_FOR_TWO);
    scaled(power, bits)
}

#[inline(always)]
pub(super) fn exp_m1(x: f64) -> f64 {
    /// (e^r - 1 - r) / r² for |r| ≤ ln 2 / 2, so that e^r - 1 is right to 2^-59.
    const EXP: [f64; 11] = [
        0.5,
        0.166_666_666_666_666_77,
        0.041_666_666_666_666_51,
        0.008_333_333_333_321_691,
        0.001_388_888_888_896_235_5,
        0.000_198_412_698_859_662_4,
        2.480_158_717_255_694_3e-5,
        2.755_724_437_392_850_7e-6,
        2.755_740_263_630_525e-7,
        2.510_897_896_303_464e-8,
        2.087_532_943_818_044e-9,
    ];
    // Beyond these, the result is infinite or -1.
    let near = if x > 710.0 { 710.0 } else { x };
    let near = if near < -40.0 { -40.0 } else { near };
    let (bits, n, rest) = reduced(near, ROUND + 1022.0);
    let r = n.mul_add(-LN_2[1], rest);
    let small = n.mul_add(-LN_2[1], r * r * fused(r, &EXP));
    // Half of 2^n, because that may be too large. What the sums of the large parts lose is added to the small one.
    let half = f64::from_bits(bits << 52);
    let (whole, part) = (half - 0.5, half * rest);
    let large = whole + part;
    let lost = ((whole - large) + part) + ((half - whole) - 0.5);
    let found = 2.0 * (large + half.mul_add(small, lost));
    // A half of the smallest numbers has too few digits, and the sign of a zero is lost on the way.
    if x.abs() < f64::EPSILON / 4.0 { x } else { found }
}

/// Half of e^a, what its rounding has left out, and half of e^-a; `a` isn't negative.
#[inline(always)]
fn half_powers(a: f64) -> [f64; 3] {
    // Beyond that, the result is infinite.
    let a = if a > 712.0 { 712.0 } else { a };
    let (bits, beyond, lost) = power_m1(a, 0.0, ROUND_FOR_TWO - 1.0);
    let power = 1.0 + beyond;
    let half = scaled(power, bits);
    [half, scaled((1.0 - power) + beyond + lost, bits), 0.25 / half]
}

#[inline(always)]
pub(super) fn sinh(x: f64) -> f64 {
    /// (sinh a / a - 1) / a² in a² up to 1, so that sinh a is right to 2^-59.
    const NEAR: [f64; 7] = [
        0.166_666_666_666_666_69,
        0.008_333_333_333_333_139,
        0.000_198_412_698_414_376_8,
        2.755_731_915_533_690_5e-6,
        2.505_212_339_855_190_6e-8,
        1.605_724_034_149_397_4e-10,
        7.759_312_195_864_513e-13,
    ];
    let a = x.abs();
    let [half, lost, inverse] = half_powers(a);
    let z = a * a;
    (if a < 1.0 { (z * fused(z, &NEAR)).mul_add(a, a) } else { half - (inverse - lost) }).copysign(x)
}

#[inline(always)]
pub(super) fn cosh(x: f64) -> f64 {
    let [half, lost, inverse] = half_powers(x.abs());
    half + (inverse + lost)
}

#[inline(always)]
pub(super) fn tanh(x: f64) -> f64 {
    /// (tanh a / a - 1) / a² in a² up to the limit, so that tanh a is right to 2^-58.
    const NEAR: [f64; 11] = [
        -0.333_333_333_333_333,
        0.133_333_333_333_266_23,
        -0.053_968_253_963_760_5,
        0.021_869_488_385_853_054,
        -0.008_863_232_601_400_347,
        0.003_592_092_030_068_084_6,
        -0.001_455_542_843_655_364_5,
        0.000_588_444_478_611_941_5,
        -0.000_233_381_548_345_237_8,
        8.331_642_623_087_114e-5,
        -1.949_467_615_347_881_5e-5,
    ];
    const LIMIT: f64 = 0.55;
    // From 19.1 on the result is 1.
    let a = if x.abs() > 20.0 { 20.0 } else { x.abs() };
    let z = a * a;
    let near = (z * fused(z, &NEAR)).mul_add(a, a);
    let (bits, power) = power(a + a, ROUND);
    let grown = f64::from_bits(power.to_bits().wrapping_add(bits << 52));
    let far = 1.0 - 2.0 / (grown + 1.0);
    (if a >= LIMIT { far } else { near }).copysign(x)
}

/// Whether `sin_near`, `cos_near` and `tan_near` take the number.
#[inline(always)]
pub(super) fn is_near(x: f64) -> bool {
    x.abs() <= 1e9
}

/// In which quarter of the circle an angle is, in the lowest bits, and sine and cosine of its distance from the quarter's middle.
#[inline(always)]
fn quarter(x: f64) -> (u64, f64, f64) {
    /// (sin r - r) / r³ in r², for |r| ≤ 1.0001 π/4, because the quarter may be the next one where it is found roughly; sin r is right to 2^-56.
    const SIN: [f64; 6] = [
        -0.166_666_666_666_666_3,
        0.008_333_333_333_322_108,
        -0.000_198_412_698_295_800_9,
        2.755_731_361_799_608_7e-6,
        -2.505_074_721_541_578e-8,
        1.589_619_749_864_148_7e-10,
    ];
    /// (cos r - 1 + r² / 2) / r⁴ in r², so that cos r is right to 2^-59.
    const COS: [f64; 6] = [
        0.041_666_666_666_666_595,
        -0.001_388_888_888_887_304,
        2.480_158_728_884_139_4e-5,
        -2.755_731_417_623_522e-7,
        2.087_570_041_507_374e-9,
        -1.135_851_388_592_053_6e-11,
    ];
    /// π/2 in three parts.
    const HALF_PI: [f64; 3] = [std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17, -1.497_384_904_859_169_8e-33];
    let shifted = x.mul_add(FRAC_2_PI, ROUND);
    let quarters = shifted - ROUND;
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
fn negated(x: f64, bits: u64) -> f64 {
    f64::from_bits(x.to_bits() ^ (bits << 63))
}

#[inline(always)]
pub(super) fn sin_near(x: f64) -> f64 {
    let (quarter, sin, cos) = quarter(x);
    let found = negated(if quarter & 1 == 1 { cos } else { sin }, quarter >> 1);
    // The sign of a zero is lost on the way.
    if x == 0.0 { x } else { found }
}

#[inline(always)]
pub(super) fn cos_near(x: f64) -> f64 {
    let (quarter, sin, cos) = quarter(x);
    negated(if quarter & 1 == 1 { sin } else { cos }, quarter.wrapping_add(1) >> 1)
}

#[inline(always)]
pub(super) fn tan_near(x: f64) -> f64 {
    let (quarter, sin, cos) = quarter(x);
    let (above, below) = if quarter & 1 == 1 { (cos, sin) } else { (sin, cos) };
    let found = negated(above / below, quarter);
    if x == 0.0 { x } else { found }
}

/// Any angle, as in `single`.
macro_rules! angles {
    ($($name:ident $near:ident)*) => { $(
        #[inline(always)]
        pub(super) fn $name(x: f64) -> f64 {
            if is_near(x) { $near(x) } else { x.$name() }
        }
    )* };
}

angles! {
    sin sin_near
    cos cos_near
    tan tan_near
}

/// A logarithm, with its values where the formula has none.
#[inline(always)]
pub(super) fn logarithm<T: Copy + PartialOrd + From<f32>>(x: T, value: T) -> T {
    let zero = T::from(0.0);
    let finite = if x == T::from(f32::INFINITY) { x } else { value };
    let none = T::from(if x == zero { f32::NEG_INFINITY } else { f32::NAN });
    if x > zero { finite } else { none }
}

#[inline(always)]
pub(super) fn ln(x: f64) -> f64 {
    ln_beyond::<false>(x, 0.0)
}

#[inline(always)]
pub(super) fn ln_1p(x: f64) -> f64 {
    let sum = 1.0 + x;
    let found = ln_beyond::<true>(sum, x - (sum - 1.0));
    // The sign of a zero is lost on the way.
    if x == 0.0 { x } else { found }
}

/// The logarithm of a number; where `MORE`, of one and what it lacks, which is less than its last digit.
#[inline(always)]
fn ln_beyond<const MORE: bool>(x: f64, more: f64) -> f64 {
    /// ln 2 in two parts, the first of so few bits that its products with exponents are exact.
    const LN_2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];
    let (exponent, [m, half], factors) = ln_parts(x);
    let beyond = if MORE { exponent.mul_add(LN_2[1], more / x) } else { exponent * LN_2[1] };
    let small = factors[0].mul_add(factors[1], beyond);
    logarithm(x, exponent.mul_add(LN_2[0], m - (half - small)))
}

#[inline(always)]
pub(super) fn log10(x: f64) -> f64 {
    /// One over ln 10, and log₁₀ 2, in two parts; products of the second's first one with exponents are exact.
    const UNIT: [f64; 2] = [LOG10_E, 1.098_319_650_216_765e-17];
    const TWO: [f64; 2] = [0.301_029_995_663_157, 8.241_712_586_023_572e-13];
    let (exponent, [m, half], factors) = ln_parts(x);
    let high = m - half;
    let low = factors[0].mul_add(factors[1], (m - high) - half);
    let part = high * UNIT[0];
    let part_lost = high.mul_add(UNIT[0], -part) + high.mul_add(UNIT[1], low * UNIT[0]);
    let whole = exponent * TWO[0];
    let sum = whole + part;
    logarithm(x, sum + (((whole - sum) + part) + exponent.mul_add(TWO[1], part_lost)))
}

/// The exponent of a number, and two terms and two factors: the logarithm of what is left, between √½ and √2, is the first term less the second
/// and with the product.
#[inline(always)]
fn ln_parts(x: f64) -> (f64, [f64; 2], [f64; 2]) {
    /// (ln((1 + s) / (1 - s)) - 2 s) / s in s², where √½ ≤ (1 + s) / (1 - s) ≤ √2, to 2^-58.
    const LN: [f64; 7] = [
        0.666_666_666_666_673_5,
        0.399_999_999_994_094_2,
        0.285_714_287_436_623_9,
        0.222_221_984_321_497_84,
        0.181_835_721_616_180_5,
        0.153_138_376_992_093_73,
        0.147_981_986_051_165_86,
    ];
    const ROOT: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    // A number with fewer digits than others is made a larger one.
    let tiny = x < f64::MIN_POSITIVE;
    let bits = (if tiny { x * 18_014_398_509_481_984.0 } else { x }).to_bits();
    // Biased by 1, so that a number just above √½ has exponent zero.
    let biased = bits.wrapping_sub(ROOT).wrapping_add(1023 << 52) >> 52;
    let exponent = f64::from_bits(ROUND.to_bits().wrapping_add(biased).wrapping_sub(1023)) - ROUND - if tiny { 54.0 } else { 0.0 };
    let m = f64::from_bits(bits.wrapping_sub(biased.wrapping_sub(1023) << 52)) - 1.0;
    let s = m / (2.0 + m);
    let z = s * s;
    let half = 0.5 * m * m;
    (exponent, [m, half], [s, fused(z, &LN).mul_add(z, half)])
}

/// A power of two, exactly.
const fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The square, and what its rounding left out, without the fused multiplication that not every processor has.
#[inline(always)]
fn square(x: f64) -> (f64, f64) {
    const HALF_OF_THE_DIGITS: f64 = 134_217_729.0;
    let product = HALF_OF_THE_DIGITS * x;
    let high = product - (product - x);
    let low = x - high;
    let square = x * x;
    (square, ((high * high - square) + 2.0 * high * low) + low * low)
}

/// √(x² + y²), nearly always the nearest number. The standard library's is another one on another processor.
#[inline(always)]
pub(super) fn hypot(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    let (long, short) = if x < y { (y, x) } else { (x, y) };
    // Squares of what is in between neither overflow nor lose digits.
    let (small, large) = (long < const { power_of_two(-500) }, long > const { power_of_two(500) });
    let (up, down) = const { (power_of_two(600), power_of_two(-600)) };
    let (scale, back) = if small { (up, down) } else { (1.0, 1.0) };
    let (scale, back) = if large { (down, up) } else { (scale, back) };
    let ((long, long_rest), (short, short_rest)) = (square(long * scale), square(short * scale));
    let sum = long + short;
    let rest = (long - sum) + short + (long_rest + short_rest);
    let root = sum.sqrt();
    // One step of Newton's from the rounded root, with the digits that rounding has left out.
    let (again, again_rest) = square(root);
    let found = (root + ((sum - again) - again_rest + rest) / (2.0 * root)) * back;
    let found = if root == 0.0 { 0.0 } else { found };
    if (x == f64::INFINITY) | (y == f64::INFINITY) { f64::INFINITY } else { found }
}
