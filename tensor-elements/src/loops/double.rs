//! Functions of `f64`: what softmax and losses are made of as loops can vectorise it, with fused multiplications, to less than a unit in the
//! last place; the standard library's, and `libm`'s where it has none or a rough one.

macro_rules! standard {
    ($($name:ident)*) => { $(
        #[inline(always)]
        pub(super) fn $name(x: f64) -> f64 {
            x.$name()
        }
    )* };
}

standard! { exp2 exp_m1 log2 log10 ln_1p sin cos tan asin acos atan sinh cosh tanh }

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

special! { asinh atanh erf erfc lgamma }

#[inline(always)]
pub(super) fn acosh(x: f64) -> f64 {
    // Far below 1, the formula of libm cancels to something that isn't always NaN.
    if x < 1.0 { f64::NAN } else { libm::acosh(x) }
}

/// Added to a small number, it leaves the nearest integer in the lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// Each step rounded once.
#[inline(always)]
fn fused<const N: usize>(x: f64, coefficients: &[f64; N]) -> f64 {
    coefficients.iter().rev().skip(1).fold(coefficients[N - 1], |sum, &next| sum.mul_add(x, next))
}

#[inline(always)]
pub(super) fn exp(x: f64) -> f64 {
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
    /// ln 2 in two parts.
    const LN_2: [f64; 2] = [std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17];
    /// In the lowest bits what makes two exponents out of the integer.
    const BIASED: f64 = ROUND + 2.0 * 1023.0;
    // Beyond these, the result is infinite or zero.
    let x = if x > 710.0 { 710.0 } else { x };
    let x = if x < -746.0 { -746.0 } else { x };
    let shifted = x.mul_add(std::f64::consts::LOG2_E, BIASED);
    let n = shifted - BIASED;
    let r = n.mul_add(-LN_2[1], n.mul_add(-LN_2[0], x));
    let power = (fused(r, &EXP) * r).mul_add(r, r) + 1.0;
    // 2^n as two factors, because it may be too large for one, or too small.
    let (bits, half) = (shifted.to_bits(), shifted.to_bits() >> 1);
    power * f64::from_bits(half << 52) * f64::from_bits(bits.wrapping_sub(half) << 52)
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
    /// ln 2 in two parts, the first of so few bits that its products with exponents are exact.
    const LN_2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];
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
    let small = s.mul_add(fused(z, &LN).mul_add(z, half), exponent * LN_2[1]);
    logarithm(x, exponent.mul_add(LN_2[0], m - (half - small)))
}

/// A power of two, exactly.
const fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// The square, and what its rounding left out, without the fused multiplication that not every processor has.
fn square(x: f64) -> (f64, f64) {
    const HALF_OF_THE_DIGITS: f64 = 134_217_729.0;
    let product = HALF_OF_THE_DIGITS * x;
    let high = product - (product - x);
    let low = x - high;
    let square = x * x;
    (square, ((high * high - square) + 2.0 * high * low) + low * low)
}

/// √(x² + y²), nearly always the nearest number. The standard library's is another one on another processor.
pub(super) fn hypot(x: f64, y: f64) -> f64 {
    let (x, y) = (x.abs(), y.abs());
    if x == f64::INFINITY || y == f64::INFINITY {
        return f64::INFINITY;
    }
    let (long, short) = if x < y { (y, x) } else { (x, y) };
    // Squares of what is in between neither overflow nor lose digits.
    let scale = match long {
        small if small < const { power_of_two(-500) } => const { power_of_two(600) },
        large if large > const { power_of_two(500) } => const { power_of_two(-600) },
        _ => 1.0,
    };
    let ((long, long_rest), (short, short_rest)) = (square(long * scale), square(short * scale));
    let sum = long + short;
    let rest = (long - sum) + short + (long_rest + short_rest);
    let root = sum.sqrt();
    if root == 0.0 {
        return 0.0;
    }
    // One step of Newton's from the rounded root, with the digits that rounding has left out.
    let (again, again_rest) = square(root);
    (root + ((sum - again) - again_rest + rest) / (2.0 * root)) / scale
}

/// Whether `sin_near`, `cos_near` and `tan_near` take the number: never.
#[inline(always)]
pub(super) fn is_near(_: f64) -> bool {
    false
}

pub(super) use {cos as cos_near, sin as sin_near, tan as tan_near};
