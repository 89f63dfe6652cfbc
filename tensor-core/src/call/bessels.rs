//! Functions of one or two numbers that no formula of elementwise operations gives well: they are computed in double precision, number by
//! number, on the host. Bessel's functions, Airy's, and shares of the gamma function; [`polynomials`](super::polynomials) has more of them.

use std::f64::consts::{FRAC_PI_4, PI, TAU};

use latten_spec::DType;
use latten_spec::operation::Op;

use super::value::{Value, binary};
use super::{inexact, specials};
use crate::element::{check_float, unsupported};
use crate::elementwise::RawOperand;
use crate::error::Result;
use crate::geometry::broadcast::broadcast_shapes;
use crate::raw::RawTensor;
use crate::room::listed;

/// Refuses halves, too.
fn check_wide(kernel: &str, dtype: DType) -> Result<()> {
    if matches!(dtype, DType::F32 | DType::F64) { Ok(()) } else { Err(unsupported(kernel, dtype)) }
}

/// What a function makes of numbers, in the sizes and strides that a sum of the operands has.
fn mapped(dtype: DType, operands: [&Value; 2], of: &dyn Fn(f64, f64) -> f64) -> Result<Value> {
    let whole = binary(Op::Add, operands[0], operands[1]).cast(DType::F64).tensor()?;
    if !whole.is_meta() {
        let sizes: Vec<isize> = whole.sizes().iter().map(|size| size.cast_signed()).collect();
        let numbers = |value: &Value| -> Result<Vec<f64>> {
            match value.cast(DType::F64) {
                Value::Number(number) => listed(std::iter::repeat_n(number.to_f64(), whole.numel())),
                other => other.tensor()?.expand(&sizes)?.numbers(),
            }
        };
        let (first, second) = (numbers(operands[0])?, numbers(operands[1])?);
        let found = listed(first.into_iter().zip(second).map(|(x, y)| of(x, y)))?;
        whole.copy_(&RawTensor::from_vec(found, whole.sizes())?)?;
    }
    Ok(Value::from(whole).cast(dtype))
}

/// A function of the elements of a tensor.
pub(super) fn of_one(kernel: &str, input: &RawTensor, of: fn(f64) -> f64) -> Result<Value> {
    let dtype = inexact(input.dtype());
    check_wide(kernel, dtype)?;
    let wide = Value::from(input).cast(DType::F64);
    mapped(dtype, [&wide, &Value::from(0.0)], &|x, _| of(x))
}

/// A function of two numbers, of which at least one is a tensor's.
pub(super) fn of_two(kernel: &str, operands: [RawOperand<'_>; 2], of: fn(f64, f64) -> f64) -> Result<Value> {
    let dtype = crate::elementwise::result_dtype(Op::Div, &operands)?;
    let tensors: Vec<&[usize]> = operands.iter().filter_map(|operand| operand.tensor()).map(RawTensor::sizes).collect();
    broadcast_shapes(&tensors)?;
    check_wide(kernel, dtype)?;
    let [x, y] = operands.map(|operand| match operand {
        RawOperand::Tensor(tensor) => Value::from(tensor),
        RawOperand::Scalar(number) => Value::from(number),
    });
    mapped(dtype, [&x, &y], &of)
}

/// PyTorch's `igamma` and `igammac`: which share of the gamma function lies below a number, and what is left.
pub(super) fn gamma_share(kernel: &str, operands: [&RawTensor; 2], is_rest: bool) -> Result<Value> {
    let dtype = crate::elementwise::result_dtype(Op::Add, &operands.map(RawOperand::from))?;
    broadcast_shapes(&operands.map(RawTensor::sizes))?;
    check_float(kernel, dtype)?;
    let [a, x] = operands.map(Value::from);
    mapped(dtype, [&a, &x], &|a, x| if is_rest { share_above(a, x) } else { share_below(a, x) })
}

/// PyTorch's `special.modified_bessel_i0` and `i1`.
pub(super) fn modified(kernel: &str, input: &RawTensor, order: f64) -> Result<Value> {
    check_wide(kernel, inexact(input.dtype()))?;
    specials::bessel(kernel, input, order, false)
}

/// Bessel's function of order 0. PyTorch has no number at infinity.
pub(super) fn j0(x: f64) -> f64 {
    if x.is_finite() { libm::j0(x) } else { f64::NAN }
}

/// And of order 1.
pub(super) fn j1(x: f64) -> f64 {
    if x.is_finite() { libm::j1(x) } else { f64::NAN }
}

/// The other solution of order 0.
pub(super) fn y0(x: f64) -> f64 {
    if x.is_finite() { libm::y0(x) } else { f64::NAN }
}

/// And of order 1.
pub(super) fn y1(x: f64) -> f64 {
    if x.is_finite() { libm::y1(x) } else { f64::NAN }
}

/// Of order 0, of spheres.
pub(super) fn spherical_j0(x: f64) -> f64 {
    match x {
        0.0 => 1.0,
        x if x.is_infinite() => 0.0,
        x => x.sin() / x,
    }
}

/// Bessel's function that falls, times an exponential that grows as fast: its integral in steps, whose sum is exact to the last digits.
pub(super) fn scaled_k(x: f64, order: f64) -> f64 {
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 || x.is_infinite() {
        return 1.0 / x.abs();
    }
    // What is summed has the width of 1 / sqrt(x), and vanishes where the exponent is -750.
    let step = 0.125_f64.min(0.7 / x.sqrt());
    let last = (2.0 * (375.0 / x).sqrt().asinh() / step) as usize;
    let term = |at: usize| {
        let place = at as f64 * step;
        let far = (place / 2.0).sinh();
        (-2.0 * x * far * far).exp() * (order * place).cosh()
    };
    step * ((1..=last + 1).map(term).sum::<f64>() + 0.5)
}

/// The same without the exponential.
pub(super) fn modified_k(x: f64, order: f64) -> f64 {
    if x == f64::INFINITY { 0.0 } else { scaled_k(x, order) * (-x).exp() }
}

fn polynomial(x: f64, factors: &[f64]) -> f64 {
    factors.iter().fold(0.0, |sum, factor| sum * x + factor)
}

/// Airy's function `Ai`: a series near 0, above it Bessel's function of order 1/3, below it a wave.
pub(super) fn airy(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    if x > 103.892 {
        return 0.0;
    }
    let far = x.abs().powf(1.5) * 2.0 / 3.0;
    if x >= 2.09 {
        return (x / 3.0).sqrt() / PI * modified_k(far, 1.0 / 3.0);
    }
    if x < -2.09 {
        let (inverse, square) = (1.0 / far, 1.0 / (far * far));
        let [even, even_over, odd, odd_over] = AIRY.map(|factors| polynomial(square, factors));
        let (sine, cosine) = (far + FRAC_PI_4).sin_cos();
        let height = PI.sqrt().recip() / x.abs().sqrt().sqrt();
        return height * (sine * (1.0 + square * even / even_over) - cosine * inverse * odd / odd_over);
    }
    let cube = x * x * x;
    let (mut first, mut second, mut sum) = (0.355_028_053_887_817_2, -0.258_819_403_792_806_8 * x, 0.0);
    for at in (3..60).step_by(3).map(f64::from) {
        sum += first + second;
        first *= cube / (at * (at - 1.0));
        second *= cube / (at * (at + 1.0));
    }
    sum
}

/// Cephes' factors of the wave, the highest power first: of even powers and what they are divided by, of odd ones and what they are.
const AIRY: [&[f64]; 4] = [
    &[
        -0.131_696_323_418_331_8,
        -0.626_456_544_431_912_4,
        -0.693_158_036_036_933_5,
        -0.279_779_981_545_119_1,
        -0.049_190_013_260_950_03,
        -0.004_062_659_235_948_854,
        -1.592_764_962_392_621e-4,
        -2.776_491_081_552_329e-6,
        -1.677_876_984_891_146_3e-8,
    ],
    &[
        1.0,
        13.356_042_070_655_324,
        32.682_503_279_522_46,
        26.736_704_094_149_956,
        9.187_074_029_072_596,
        1.475_291_467_716_664_1,
        0.115_687_173_795_188_04,
        0.004_402_916_416_152_112,
        7.547_203_482_874_143e-5,
        4.518_500_929_705_804e-7,
    ],
    &[
        0.019_733_993_209_168_57,
        0.391_103_029_615_688_3,
        1.065_798_975_995_956,
        0.939_169_229_816_650_2,
        0.351_465_656_105_547_6,
        0.063_388_891_962_892_55,
        0.005_858_041_130_483_885,
        2.828_516_008_367_37e-4,
        6.987_936_699_972_61e-6,
        8.117_892_395_543_893e-8,
        3.415_517_847_659_236e-10,
    ],
    &[
        1.0,
        9.308_929_080_774_42,
        19.835_292_871_831_214,
        15.564_662_893_286_463,
        5.476_860_694_229_755,
        0.954_293_611_618_961_9,
        0.086_458_082_635_239_2,
        0.004_126_565_238_242_226,
        1.012_590_851_165_091_4e-4,
        1.171_667_332_144_135_3e-6,
        4.918_345_700_629_3e-9,
    ],
];

/// What the power, the exponential and the gamma function make together.
fn weight(a: f64, x: f64) -> f64 {
    (a * x.ln() - x - libm::lgamma(a)).exp()
}

/// The share below, as a series.
fn by_series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum, mut at) = (1.0 / a, 1.0 / a, a);
    while term > sum * f64::EPSILON / 4.0 {
        at += 1.0;
        term *= x / at;
        sum += term;
    }
    sum * weight(a, x)
}

/// The share above, as a series, where almost all is above and `x` is small: what is below would leave nothing of it.
fn above_by_series(a: f64, x: f64) -> f64 {
    let (mut factor, mut sum) = (1.0_f64, 0.0_f64);
    for at in 1..100 {
        factor *= -x / f64::from(at);
        let term = factor / (a + f64::from(at));
        sum += term;
        if term.abs() <= sum.abs() * f64::EPSILON / 4.0 {
            break;
        }
    }
    const EULER: f64 = 0.577_215_664_901_532_9;
    let power = a * x.ln();
    // Of small numbers the logarithm of the gamma function beside 1, which 1 + a has no digits for.
    let beside = if a < 1e-5 { a * (a * PI * PI / 12.0 - EULER) } else { libm::lgamma(1.0 + a) };
    -(power - beside).exp_m1() - (power - libm::lgamma(a)).exp() * sum
}

/// The share above, as a continued fraction, from its beginning on.
fn by_fraction(a: f64, x: f64) -> f64 {
    let mut near = x + 1.0 - a;
    let mut over = 1.0 / near;
    let (mut found, mut ratio) = (over, 1.0 / f64::MIN_POSITIVE);
    let mut at = 0.0;
    loop {
        at += 1.0;
        let (factor, next) = (at * (a - at), near + 2.0);
        near = next;
        over = 1.0 / (factor * over + near);
        ratio = near + factor / ratio;
        let change = over * ratio;
        found *= change;
        if (change - 1.0).abs() <= f64::EPSILON || at > 1e5 || change.is_nan() {
            return found * weight(a, x);
        }
    }
}

/// Whether there is no share, or which one needs no sum: of what lies below.
fn known_share(a: f64, x: f64) -> Option<f64> {
    match (a, x) {
        (a, x) if a < 0.0 || x < 0.0 => Some(f64::NAN),
        (0.0, x) => Some(if x > 0.0 { 1.0 } else { f64::NAN }),
        (_, 0.0) => Some(0.0),
        (f64::INFINITY, x) => Some(if x == f64::INFINITY { f64::NAN } else { 0.0 }),
        (_, f64::INFINITY) => Some(1.0),
        (a, x) if a.is_nan() || x.is_nan() => Some(f64::NAN),
        _ => None,
    }
}

/// The share above of a large `a`, by Temme's formula: a normal distribution's, and the first term of what is left.
fn by_limit(a: f64, x: f64) -> f64 {
    let apart = (x - a) / a;
    let half = if apart.abs() < 1e-4 { apart * apart * (0.5 - apart / 3.0 + apart * apart / 4.0) } else { apart - apart.ln_1p() };
    let place = (2.0 * half).sqrt().copysign(apart);
    let term = if apart.abs() < 1e-5 { -1.0 / 3.0 } else { 1.0 / apart - 1.0 / place };
    0.5 * libm::erfc(place * (a / 2.0).sqrt()) + (-a * half).exp() / (TAU * a).sqrt() * term
}

/// The shares below and above. The smaller one is summed.
fn shares(a: f64, x: f64) -> (f64, f64) {
    if a > 1e6 {
        let above = by_limit(a, x);
        (1.0 - above, above)
    } else if x <= 1.1 && a <= if x <= 0.5 { -0.4 / x.ln() } else { 1.1 * x } {
        let above = above_by_series(a, x);
        (1.0 - above, above)
    } else if x < a + 1.0 {
        let below = by_series(a, x);
        (below, 1.0 - below)
    } else {
        let above = by_fraction(a, x);
        (1.0 - above, above)
    }
}

fn share_below(a: f64, x: f64) -> f64 {
    known_share(a, x).unwrap_or_else(|| shares(a, x).0)
}

fn share_above(a: f64, x: f64) -> f64 {
    known_share(a, x).map_or_else(|| shares(a, x).1, |below| 1.0 - below)
}
