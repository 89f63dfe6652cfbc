//! Special functions: of `f64` the error function, what it lacks to 1 and its inverse, to less than a unit in the last place, and `libm`'s
//! `lgamma`; then those of `f32`. All but that one are as loops can vectorise them. Each polynomial is a minimax one; its largest relative
//! error stands beside it.
#![expect(clippy::excessive_precision, reason = "coefficients with the digits that they were computed with")]

use std::f64::consts::FRAC_2_SQRT_PI;

use super::double::{ROUND_FOR_TWO, fused, ln, power_m1, scaled};

/// From there on the error function isn't computed by itself.
const LIMIT: f64 = 0.5;

/// erf x / x - 1, up to the limit.
#[inline(always)]
fn near(x: f64) -> f64 {
    /// The same in x², so that erf x is right to 2^-65.
    const NEAR: [f64; 10] = [
        0.128_379_167_095_512_6,
        -0.376_126_389_031_837_5,
        0.112_837_916_709_548_67,
        -0.026_866_170_644_998_615,
        0.005_223_977_621_991_097,
        -0.000_854_832_650_738_135_7,
        0.000_120_552_859_508_407_92,
        -1.492_299_247_611_464_5e-5,
        1.637_098_171_613_799_2e-6,
        -1.461_848_664_067_037e-7,
    ];
    fused(x * x, &NEAR)
}

/// What the error function lacks to 1, of numbers that aren't below the limit, and e^(-a²).
#[inline(always)]
fn far(a: f64) -> (f64, f64) {
    /// (a + 3) e^(a²) erfc a in (a - 3) / (a + 3) from the limit up to 28, to 2^-60: the first coefficients in two parts, and the others.
    const FIRST: [[f64; 2]; 3] = [
        [1.074_006_907_088_339_8, -8.865_749_162_043_672e-17],
        [-0.883_394_453_169_883_6, -4.529_586_651_329_477e-17],
        [0.590_228_357_104_101_9, -5.126_179_146_379_048e-17],
    ];
    const REST: [f64; 20] = [
        -0.310_467_261_900_560_45,
        0.119_527_761_287_287_16,
        -0.026_827_234_624_765_51,
        -0.001_212_416_627_091_03,
        0.003_034_062_006_439_736,
        -0.000_548_309_694_428_021_8,
        -0.000_276_777_897_899_126_17,
        0.000_107_561_521_515_348_6,
        3.039_846_213_240_297_6e-5,
        -1.747_083_050_389_05e-5,
        -4.750_283_657_184_201e-6,
        2.766_588_977_700_709_3e-6,
        1.001_160_278_448_142_2e-6,
        -4.112_677_068_532_586_3e-7,
        -2.361_955_024_757_940_5e-7,
        5.150_740_460_645_956_5e-8,
        5.168_957_945_587_153_4e-8,
        -6.006_030_722_120_040_4e-9,
        -7.522_122_071_639_946e-9,
        1.149_663_531_623_634e-9,
    ];
    // From there on the result is zero.
    let a = if a > 28.0 { 28.0 } else { a };
    // Beside each number what its rounding has left out.
    let sum = a + 3.0;
    let inverse = 1.0 / sum;
    let inverse_lost = inverse * (inverse.mul_add(-sum, 1.0) - inverse * (a - (sum - 3.0)));
    let difference = a - 3.0;
    let t = difference * inverse;
    let t_lost = difference.mul_add(inverse, -t) + difference.mul_add(inverse_lost, inverse * (a - (difference + 3.0)));
    let (mut factor, mut factor_lost, mut slope) = (fused(t, &REST), 0.0_f64, 0.0_f64);
    for k in (0..FIRST.len()).rev() {
        let [high, low] = FIRST[k];
        let sum = factor.mul_add(t, high);
        slope = slope.mul_add(t, factor);
        factor_lost = factor_lost.mul_add(t, factor.mul_add(t, high - sum) + low);
        factor = sum;
    }
    let factor_lost = slope.mul_add(t_lost, factor_lost);
    let share = factor * inverse;
    let share_lost = factor.mul_add(inverse, -share) + factor_lost.mul_add(inverse, inverse_lost * factor);
    let square = a * a;
    let (bits, power, power_lost) = power_m1(-square, a.mul_add(a, -square), ROUND_FOR_TWO);
    let found = share + share.mul_add(power, share.mul_add(power_lost, share_lost.mul_add(power, share_lost)));
    (scaled(found, bits), scaled(1.0 + power, bits))
}

#[inline(always)]
pub(super) fn erf(x: f64) -> f64 {
    let a = x.abs();
    if a < LIMIT { near(x).mul_add(x, x) } else { (1.0 - far(a).0).copysign(x) }
}

#[inline(always)]
pub(super) fn erfc(x: f64) -> f64 {
    let a = x.abs();
    let far = far(a).0;
    let beyond = if x < 0.0 { 2.0 - far } else { far };
    // A half is exact where the result is small.
    if a < LIMIT { 0.5 + near(x).mul_add(-x, 0.5 - x) } else { beyond }
}

/// erf⁻¹ x / x in -ln(1 - x²) - 3.75, where that logarithm is at most 7.5, to 2^-27.
const ERFINV_MIDDLE: [f64; 13] = [
    1.801_242_786_351_822_6,
    0.231_919_213_893_367_78,
    -0.007_021_024_210_665_613,
    -0.000_332_628_194_456_708_1,
    0.000_138_595_306_137_856_83,
    -1.600_864_090_796_566e-5,
    1.248_579_815_431_899_2e-7,
    2.543_274_295_369_865_6e-7,
    -3.814_333_353_394_063e-8,
    3.463_610_189_368_202e-11,
    6.493_527_542_047_371e-10,
    -3.530_147_636_967_268e-11,
    -4.415_771_600_251_557e-12,
];
/// The same in √-ln(1 - x²) - 4, from there up to what the largest `f64` below 1 has.
const ERFINV_END: [f64; 11] = [
    3.839_783_800_056_763,
    1.009_493_461_186_174,
    0.001_259_802_517_952_770_5,
    -0.000_870_945_942_663_277_8,
    0.000_321_472_420_937_262_75,
    -0.000_112_749_445_826_212_89,
    5.344_789_896_496_974e-5,
    -3.773_809_201_480_781e-5,
    2.214_732_081_007_367_3e-5,
    -7.212_486_739_245_953e-6,
    9.453_619_248_900_031e-7,
];

#[inline(always)]
pub(super) fn erfinv(x: f64) -> f64 {
    let size = x.abs();
    let rest = 1.0 - size;
    let depth = -ln(rest * (1.0 + size));
    let factor = if depth <= 7.5 { fused(depth - 3.75, &ERFINV_MIDDLE) } else { fused(depth.sqrt() - 4.0, &ERFINV_END) };
    let rough = factor * size;
    // A step of Halley's. What a number near 1 lacks has more digits than the number.
    let (lacking, bell) = far(rough);
    let beyond = if rough < LIMIT { near(rough).mul_add(rough, rough - size) } else { rest - lacking };
    let off = beyond / (FRAC_2_SQRT_PI * bell);
    let found = rough - off / off.mul_add(rough, 1.0);
    (if rest == 0.0 { f64::INFINITY } else { found }).copysign(x)
}

#[inline(always)]
pub(super) fn lgamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// The same of `f32`, computed in `f64` as in `wide`; `erf` and its inverse are in `single`.
pub(super) mod single {
    use std::f64::consts::{LOG2_E, PI};

    use crate::loops::double::{fused, ln, polynomial};
    use crate::loops::wide::{ROUND, at_most, exp2_wide, narrow};

    /// What the error function lacks to 1.
    #[inline(always)]
    pub(in crate::loops) fn erfc(x: f32) -> f32 {
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
        let log = ln(if far { a } else { ratio });
        let near = (y * (y + 1.0)).mul_add(fused(y, &NEAR), if a < 1.5 { -log } else { log });
        let inverse = 1.0 / a;
        let above = (a - 0.5).mul_add(log - 1.0, fused(inverse * inverse, &FAR).mul_add(inverse, HALF_LN));
        if far { above } else { near }
    }

    /// ln |Γ(x)|, with so many digits that its error is no larger beside the zeros of negative numbers.
    #[inline(always)]
    pub(in crate::loops) fn lgamma(x: f32) -> f32 {
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
        let below = if sine == 0.0 { f64::INFINITY } else { ln(PI / (near * sine.abs())) - above };
        narrow(if x < 0.0 { below } else { above })
    }
}
