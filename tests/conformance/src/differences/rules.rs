//! Whether an element that isn't the recorded one differs as the list says: latten's number and PyTorch's are both computed again here.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use half::{bf16, f16};
use latten::DType;
use latten::prelude::*;

use super::call::Call;

type C = Complex<f64>;

/// The number of a floating dtype next to another.
fn rounded(dtype: DType, x: f64) -> f64 {
    match dtype.to_real() {
        DType::F16 => f16::from_f64(x).to_f64(),
        DType::BF16 => bf16::from_f64(x).to_f64(),
        DType::F32 => f64::from(x as f32),
        _ => x,
    }
}

/// The distance of the numbers of a dtype around one.
fn unit(dtype: DType, x: f64) -> f64 {
    let bits = match dtype {
        DType::F16 => 10,
        DType::BF16 => 7,
        DType::F32 => 23,
        _ => 52,
    };
    2_f64.powi(x.abs().log2().floor().max(-126.0) as i32 - bits)
}

fn is_half(call: &Call<'_>) -> bool {
    matches!(call.dtype, DType::F16 | DType::BF16)
}

/// The same number, sign of zero included; a NaN is any.
fn same(x: f64, y: f64) -> bool {
    x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan()
}

/// Ours is the processor's own root, and the recorded one is its neighbour.
pub(super) fn rounds_correctly(call: &Call<'_>, at: usize) -> bool {
    let Some([x]) = call.at(at) else { return false };
    let (got, expected) = (call.got[at].re, call.expected[at].re);
    match call.dtype {
        DType::F32 => {
            let root = (x.re as f32).sqrt();
            same(got, root.into()) && [root.next_up(), root.next_down()].contains(&(expected as f32))
        }
        DType::F64 => same(got, x.re.sqrt()) && [x.re.sqrt().next_up(), x.re.sqrt().next_down()].contains(&expected),
        _ => false,
    }
}

/// Ours adds the parts, or those times alpha; the recorded one adds the second number times alpha, or -alpha, as complex numbers.
pub(super) fn adds_parts(call: &Call<'_>, at: usize) -> bool {
    let Some([x, y]) = call.at(at) else { return false };
    let (x, y) = if call.op == "rsub" { (y, x) } else { (x, y) };
    let (sign, alpha) = (if call.op == "add" { 1.0 } else { -1.0 }, call.number("alpha").unwrap_or(1.0));
    let times = |alpha: f64| [y.re * alpha - y.im * 0.0, y.re * 0.0 + y.im * alpha];
    let [re, im] = if alpha == 1.0 { [y.re, y.im] } else { times(alpha) };
    let ours = [x.re + sign * re, x.im + sign * im];
    let [re, im] = times(sign * alpha);
    let theirs = [x.re + re, x.im + im];
    let near = |x: f64, y: f64| x.is_finite() && y.is_finite() && x != 0.0 && (x - y).abs() <= 1e-6 * y.abs();
    let part = |x: f64, y: f64| same(x, rounded(call.dtype, y)) || near(x, y);
    let is = |z: C, [re, im]: [f64; 2]| part(z.re, re) && part(z.im, im);
    call.dtype.is_complex() && is(call.got[at], ours) && is(call.expected[at], theirs)
}

/// Ours is the logarithm rounded once, the recorded one is off by some units.
pub(super) fn rounds_logarithms_once(call: &Call<'_>, at: usize) -> bool {
    let dim = call.step.kw.get("dim").or(call.step.args.get(1)).and_then(serde_json::Value::as_i64);
    let rank = call.sizes.len() as i64;
    let Some(dim) = dim.and_then(|dim| usize::try_from(if dim < 0 { dim + rank } else { dim }).ok()).filter(|dim| *dim < call.sizes.len())
    else {
        return false;
    };
    let (count, stride) = (call.sizes[dim], call.sizes[dim + 1..].iter().product::<usize>());
    let first = at - at / stride % count * stride;
    let Some(values) = call.operands.first().map(|operand| &operand.values) else { return false };
    let row: Vec<f64> = (0..count).map(|i| values[first + i * stride].re).collect();
    let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = row.iter().map(|x| (x - top).exp()).sum();
    let exact = values[at].re - top - sum.ln();
    let off = |x: f64| (x - exact).abs() / unit(call.dtype, exact);
    // It rounds the sum, and then its logarithm.
    let twice = (call.expected[at].re - exact).abs() <= unit(call.dtype, 1.0) * (1.0 + sum.ln()) + unit(call.dtype, exact);
    is_half(call) && off(call.got[at].re) <= 0.52 && (twice || off(call.expected[at].re) <= 8.0)
}

/// Ours rounds the sum, the recorded one the product before.
pub(super) fn rounds_sums_once(call: &Call<'_>, at: usize) -> bool {
    let (Some([x, y]), Some(alpha)) = (call.at(at), call.number("alpha")) else { return false };
    let (x, y) = if call.op == "rsub" { (y, x) } else { (x, y) };
    let alpha = rounded(call.dtype, alpha) * if call.op == "add" { 1.0 } else { -1.0 };
    let round = |x: f64| rounded(call.dtype, x);
    let (once, twice) = (round(x.re + alpha * y.re), round(x.re + round(alpha * y.re)));
    is_half(call) && same(call.got[at].re, once) && same(call.expected[at].re, twice)
}

/// Ours is the quotient, truncated or rounded down; the recorded one is that of numbers rounded on the way, to the operands' dtype.
pub(super) fn divides_at_once(call: &Call<'_>, at: usize) -> bool {
    let Some([x, y]) = call.at(at) else { return false };
    // Into a wider output half operands come, too.
    let halves = [DType::F16, DType::BF16].into_iter().filter(|&half| !is_half(call) || call.dtype == half);
    let mut halves = halves.filter(|&half| [x, y].iter().all(|z| rounded(half, z.re) == z.re));
    let is = |z: C, x: f64| same(z.re, rounded(call.dtype, x));
    halves.any(|half| {
        let (quotient, round) = (x.re / y.re, |x| rounded(half, x));
        let (once, on_the_way) = match call.text("rounding_mode") {
            Some("trunc") => (quotient.trunc(), round(quotient).trunc()),
            Some("floor") => (quotient.floor(), floored_on_the_way(x.re, y.re, round)),
            _ => return false,
        };
        is(call.got[at], once) && is(call.expected[at], on_the_way)
    })
}

/// What is left of the division is taken off before it, and each number is rounded.
fn floored_on_the_way(x: f64, y: f64, round: impl Fn(f64) -> f64) -> f64 {
    let rest = round(x % y);
    let mut quotient = round(round(x - rest) / y);
    if rest != 0.0 && (y < 0.0) != (rest < 0.0) {
        quotient = round(quotient - 1.0);
    }
    let floor = quotient.floor();
    if quotient - floor > 0.5 { round(floor + 1.0) } else { floor }
}

/// Both operands are zeros, and so are both results.
pub(super) fn takes_one_of_two_zeros(call: &Call<'_>, at: usize) -> bool {
    let zero = |z: C| z.re == 0.0;
    call.dtype == DType::BF16
        && call.at::<2>(at).is_some_and(|both| both.into_iter().all(zero))
        && zero(call.got[at])
        && zero(call.expected[at])
}

/// The recorded one is a product of the base with itself; ours is near, where that is a number.
pub(super) fn takes_powers_alike(call: &Call<'_>, at: usize) -> bool {
    let Some([base, exponent]) = call.at(at) else { return false };
    let round = |z: C| C::new(rounded(call.dtype, z.re), rounded(call.dtype, z.im));
    let times = |a: C, b: C| {
        let [rr, ii, ri, ir] = [a.re * b.re, a.im * b.im, a.re * b.im, a.im * b.re].map(|product| rounded(call.dtype, product));
        round(C::new(rr - ii, ri + ir))
    };
    let square = times(base, base);
    let product = if exponent.re == 3.0 { times(square, base) } else { inverse(square) };
    let finite = |z: C| z.re.is_finite() && z.im.is_finite();
    let near = |z: C| (z - product).norm() <= 1e-5 * product.norm();
    let (got, expected) = (call.got[at], call.expected[at]);
    let recorded = if finite(product) {
        near(expected)
    } else {
        [(expected.re, product.re), (expected.im, product.im)].iter().all(|(x, y)| same(*x, *y))
    };
    let number = call.step.args.get(1).is_some_and(serde_json::Value::is_object);
    let alike = !finite(product) || product.norm() < f64::from(f32::MIN_POSITIVE) || near(got);
    number && call.dtype.is_complex() && exponent.im == 0.0 && [3.0, -2.0].contains(&exponent.re) && recorded && alike
}

fn inverse(z: C) -> C {
    if z.re.abs() >= z.im.abs() {
        let ratio = z.im / z.re;
        let scale = 1.0 / (z.re + z.im * ratio);
        C::new(scale, -ratio * scale)
    } else {
        let ratio = z.re / z.im;
        let scale = 1.0 / (z.re * ratio + z.im);
        C::new(ratio * scale, -scale)
    }
}

/// Ours is the number times 2/sqrt(pi), the recorded one 0.
pub(super) fn keeps_tiny_numbers(call: &Call<'_>, at: usize) -> bool {
    let Some([x]) = call.at(at) else { return false };
    let exact = rounded(DType::BF16, x.re * std::f64::consts::FRAC_2_SQRT_PI);
    call.dtype == DType::BF16 && x.re.abs() < 2_f64.powi(-125) && same(call.got[at].re, exact) && call.expected[at].re == 0.0
}

/// Ours is the infinity in the direction of the number, the recorded one NaN.
pub(super) fn knows_infinite_logarithms(call: &Call<'_>, at: usize) -> bool {
    let Some([x]) = call.at(at) else { return false };
    let (got, expected) = (call.got[at], call.expected[at]);
    let direction = rounded(call.dtype, FRAC_PI_2.copysign(x.im));
    x.re.is_finite()
        && x.im.is_infinite()
        && got.re == f64::INFINITY
        && rounded(call.dtype, got.im) == direction
        && expected.re.is_nan()
        && expected.im.is_nan()
}

/// The recorded one is that of the input as bytes: 0.5 counts as 0.
pub(super) fn counts_fractions(call: &Call<'_>, at: usize) -> bool {
    let Some(input) = call.operands.first() else { return false };
    let byte = |z: &C| z.re as i64 & 0xff != 0;
    let number = |z: &C| z.re != 0.0;
    // What became one element: all, or what differs along these dimensions only.
    let rank = (input.sizes.len() as i64).max(1);
    let dims = match call.step.kw.get("dim").or(call.step.args.get(1)) {
        None | Some(serde_json::Value::Null) => (0..rank).collect(),
        Some(serde_json::Value::Array(dims)) => dims.iter().filter_map(serde_json::Value::as_i64).map(|dim| dim.rem_euclid(rank)).collect(),
        Some(dim) => dim.as_i64().map_or(Vec::new(), |dim| vec![dim.rem_euclid(rank)]),
    };
    let result = |place: usize| {
        let (mut left, mut step, mut result) = (place, 1, 0);
        for (dim, &size) in input.sizes.iter().enumerate().rev() {
            if !dims.contains(&(dim as i64)) {
                result += left % size * step;
                step *= size;
            }
            left /= size;
        }
        result
    };
    let row: Vec<&C> = input.values.iter().enumerate().filter(|&(place, _)| result(place) == at).map(|(_, value)| value).collect();
    let [ours, theirs] = if call.op == "all" {
        [row.iter().all(|z| number(z)), row.iter().all(|z| byte(z))]
    } else {
        [row.iter().any(|z| number(z)), row.iter().any(|z| byte(z))]
    };
    call.dtype == DType::U8 && call.got[at].re == f64::from(ours) && call.expected[at].re == f64::from(theirs)
}

/// Ours is the product with a power that was rounded once, but for last bits of double precision; the recorded one is near it.
pub(super) fn rounds_powers_of_two(call: &Call<'_>, at: usize) -> bool {
    let Some([x, y]) = call.at(at) else { return false };
    let power = C::new(2.0, 0.0).powc(y);
    // A result of complex64 can go into an output of complex128.
    let computed = if call.operands.iter().all(|operand| operand.dtype == Some(DType::C64)) { DType::C64 } else { call.dtype };
    let exact = x * C::new(rounded(computed, power.re), rounded(computed, power.im));
    let near = |z: C, by: f64| (z - exact).norm() <= by * exact.norm();
    let (ours, theirs) = if computed == DType::C64 { (3e-7, 1e-5) } else { (1e-14, 1e-14) };
    call.dtype.is_complex() && near(call.got[at], ours) && near(call.expected[at], theirs)
}

/// Ours is the integral that the function is, the recorded one is off by less than a millionth.
pub(super) fn integrates(call: &Call<'_>, at: usize) -> bool {
    let Some([x]) = call.at(at) else { return false };
    let middles = |count: u32, width: f64| (0..count).map(move |i| (f64::from(i) + 0.5) * width);
    let x = x.re;
    let (count, pi) = (4000, PI);
    let width = pi / f64::from(count);
    let exact = if call.op.ends_with("j0") {
        middles(count, width).map(|t| (x * t.sin()).cos()).sum::<f64>() * width / pi
    } else {
        // The sine has a corner at both ends, and the rest ends where exponentials are nothing.
        let (order, sign) = if call.op.ends_with('0') { (0.0, 1.0) } else { (1.0, -1.0) };
        let turns: f64 = middles(count * 10, width / 10.0).map(|t| (x * t.sin() - order * t).sin()).sum::<f64>() * width / 10.0;
        let fall = |t: f64| ((order * t).exp() + sign * (-order * t).exp()) * (-x * t.sinh()).exp();
        let rest: f64 = middles(count * 10, 1e-4).map(fall).sum::<f64>() * 1e-4;
        (turns - rest) / pi
    };
    call.dtype == DType::F64 && (call.got[at].re - exact).abs() <= 1e-8 && (call.expected[at].re - exact).abs() <= 1e-6
}

/// Ours is the series that the function is, the recorded one is off by less than a hundred thousandth.
pub(super) fn sums_the_airy_series(call: &Call<'_>, at: usize) -> bool {
    let Some([x]) = call.at(at) else { return false };
    let x = x.re;
    if call.dtype == DType::F32 && x <= -100.0 {
        // What the function comes near to there, and how far a rounded angle leads.
        let (angle, height) = (2.0 / 3.0 * (-x).powf(1.5), (-x).powf(-0.25) / PI.sqrt());
        let exact = height * ((angle + FRAC_PI_4).sin() - 5.0 / 72.0 / angle * (angle + FRAC_PI_4).cos());
        let turned = (angle * f64::from(f32::EPSILON)).min(2.0);
        return (call.got[at].re - exact).abs() <= 1e-6 * height && (call.expected[at].re - exact).abs() <= turned * height;
    }
    // The two solutions of the equation that begin with 1 and with x.
    let solution = |first: f64, skipped: f64| {
        let terms = std::iter::successors(Some((first, skipped)), |&(term, n)| Some((term * x.powi(3) / ((n + 2.0) * (n + 3.0)), n + 3.0)));
        terms.take(120).map(|(term, _)| term).sum::<f64>()
    };
    let exact = 0.355_028_053_887_817_2 * solution(1.0, 0.0) - 0.258_819_403_792_806_8 * solution(x, 1.0);
    let off = |found: f64| (found - exact).abs();
    call.dtype == DType::F64 && (-8.0..=3.0).contains(&x) && off(call.got[at].re) <= 1e-9 && off(call.expected[at].re) <= 1e-5
}

/// The element reads memory that the call writes at another place.
pub(super) fn reads_what_is_written(call: &Call<'_>, at: usize) -> bool {
    let own = call.written.get(at);
    call.operands
        .iter()
        .filter_map(|operand| operand.places.as_ref()?.get(at))
        .any(|place| Some(place) != own && call.written.contains(place))
}

/// Ours is the polynomial, rounded once; the recorded one has lost digits on its way, or is none where a step was infinite.
pub(super) fn rounds_polynomials_once(call: &Call<'_>, at: usize) -> bool {
    let Some([x, degree]) = call.at(at) else { return false };
    let Some((name, kind)) = call.op.strip_prefix("special.").and_then(|op| op.rsplit_once('_')) else { return false };
    let x = if name.starts_with("shifted") { 2.0 * x.re - 1.0 } else { x.re };
    let first = match kind {
        "t" | "p" | "he" => x,
        "u" | "h" => 2.0 * x,
        "v" => 2.0 * x - 1.0,
        "w" => 2.0 * x + 1.0,
        _ => 1.0 - x,
    };
    let next = |n: f64, now: f64, before: f64| match kind {
        "h" => 2.0 * (x * now - n * before),
        "he" => x * now - n * before,
        "l" => ((2.0 * n + 1.0 - x) * now - n * before) / (n + 1.0),
        "p" => ((2.0 * n + 1.0) * x * now - n * before) / (n + 1.0),
        _ => 2.0 * x * now - before,
    };
    let mut largest = 0.0_f64;
    let step = |(before, now): (f64, f64), n: usize| {
        largest = largest.max(now.abs()).max((n as f64 * before).abs());
        (now, if n == 0 { first } else { next(n as f64, now, before) })
    };
    let (_, exact) = (0..degree.re as usize).fold((0.0, 1.0), step);
    let (got, expected) = (call.got[at].re, call.expected[at].re);
    let near = |found: f64, digits: f64| (found - exact).abs() <= digits * exact.abs().max(1.0);
    let is_ours = if exact.abs() > f64::from(f32::MAX) { got.is_infinite() && got.signum() == exact.signum() } else { near(got, 1e-6) };
    let is_lost = got.is_infinite() || largest > f64::from(f32::MAX);
    call.dtype == DType::F32 && is_ours && (is_lost && expected.is_nan() || near(expected, 1e-3))
}
