//! Special functions of real numbers as series and quotients, computed in double precision: Bessel's functions that grow, and what the normal
//! distribution is made of. Their gradients are in the rows.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::curves::chosen;
use super::value::{Value, binary, unary};
use super::{CallArgument, Function, inexact};
use crate::create::Options;
use crate::element::{check_float, unsupported};
use crate::elementwise::{self, RawOperand, Target};
use crate::error::{Error, Result};
use crate::geometry::broadcast::broadcast_shapes;
use crate::raw::RawTensor;
use crate::reduce::Along;
use crate::scalar::Scalar;

/// A function of numbers in double precision, of the tensor's dtype or, for integers, the default one.
fn special(kernel: &str, input: &RawTensor, of: impl FnOnce(&Value) -> Result<Value>) -> Result<Value> {
    let dtype = inexact(input.dtype());
    check_float(kernel, dtype)?;
    let wide = Value::from(input).computed_in(DType::F64)?;
    Ok(of(&wide)?.cast(dtype))
}

/// A polynomial, the highest power first.
fn polynomial(x: &Value, factors: impl IntoIterator<Item = f64>) -> Result<Value> {
    let mut sum: Option<Value> = None;
    for factor in factors {
        sum = Some(match sum {
            None => Value::from(factor),
            Some(Value::Number(first)) => binary(Op::Add, &binary(Op::Mul, x, first), factor),
            Some(sum) => binary(Op::Add, &binary(Op::Mul, &sum, x), factor).settled()?,
        });
    }
    Ok(sum.unwrap_or_else(|| 0.0.into()))
}

/// Products, one after the other, the last one first.
fn products(count: usize, factor: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut all = vec![1.0];
    for at in 1..count {
        all.push(all[at - 1] * factor(at as f64));
    }
    all.reverse();
    all
}

/// PyTorch's `i0`, `i1`, `i0e` and `i1e`: Bessel's functions of an order, or what of them doesn't grow.
pub(super) fn bessel(kernel: &str, input: &RawTensor, order: f64, scaled: bool) -> Result<Value> {
    special(kernel, input, |x| {
        let size = Value::from(unary(Op::Abs, x).tensor()?);
        let square = Value::from(binary(Op::Mul, x, binary(Op::Mul, x, 0.25)).tensor()?);
        let near = polynomial(&square, products(44, |at| 1.0 / (at * (at + order))))?;
        let near = if order > 0.0 { binary(Op::Mul, &near, binary(Op::Mul, &size, 0.5)) } else { near };
        let inverse = Value::from(unary(Op::Reciprocal, &size).tensor()?);
        let term = |at: f64| ((2.0 * at - 1.0).powi(2) - 4.0 * order * order) / (8.0 * at);
        let far = polynomial(&inverse, products(30, term))?;
        let far = binary(Op::Mul, &far, unary(Op::Rsqrt, &binary(Op::Mul, &size, std::f64::consts::TAU)));
        let (near, far) = if scaled {
            (binary(Op::Mul, &near, unary(Op::Exp, &unary(Op::Neg, &size))), far)
        } else {
            (near, binary(Op::Mul, &far, unary(Op::Exp, &size)))
        };
        let found = chosen(binary(Op::Le, &size, 18.0), near, far).settled()?;
        Ok(if order > 0.0 { chosen(binary(Op::Lt, x, 0.0), unary(Op::Neg, &found), found) } else { found })
    })
}

/// What `erfc` has without its exponential, of numbers that aren't negative.
fn rest_of_erfc(size: &Value) -> Result<Value> {
    let square = binary(Op::Mul, size, size);
    let near = binary(Op::Mul, &unary(Op::Exp, &square), unary(Op::Erfc, size));
    let inverse = Value::from(binary(Op::Div, &(-0.5).into(), &square).tensor()?);
    let far = polynomial(&inverse, products(14, |at| 2.0 * at - 1.0))?;
    let far = binary(Op::Div, &far, binary(Op::Mul, size, std::f64::consts::PI.sqrt()));
    chosen(binary(Op::Lt, size, 8.0), near, far).settled()
}

/// PyTorch's `special.erfcx`.
pub(super) fn erfcx(input: &RawTensor) -> Result<Value> {
    special("erfcx", input, |x| {
        let rest = rest_of_erfc(&Value::from(unary(Op::Abs, x).tensor()?))?;
        let whole = binary(Op::Mul, &unary(Op::Exp, &binary(Op::Mul, x, x)), 2.0);
        Ok(chosen(binary(Op::Lt, x, 0.0), binary(Op::Sub, &whole, &rest), rest))
    })
}

fn share_below(x: &Value) -> Value {
    binary(Op::Mul, &unary(Op::Erfc, &binary(Op::Mul, x, -std::f64::consts::FRAC_1_SQRT_2)), 0.5)
}

/// PyTorch's `special.ndtr`: which share of a normal distribution lies below.
pub(super) fn ndtr(input: &RawTensor) -> Result<Value> {
    special("erf_vml_cpu", input, |x| Ok(share_below(x)))
}

fn logarithm_of_share(x: &Value) -> Result<Value> {
    let size = Value::from(unary(Op::Abs, &binary(Op::Mul, x, std::f64::consts::FRAC_1_SQRT_2)).tensor()?);
    let half = unary(Op::Log, &binary(Op::Mul, &rest_of_erfc(&size)?, 0.5));
    let below = binary(Op::Sub, &half, binary(Op::Mul, &size, &size));
    let share = binary(Op::Mul, &unary(Op::Erfc, &size), -0.5);
    let above = chosen(binary(Op::Lt, x, 0.0), unary(Op::Log, &share_below(x)), unary(Op::Log1p, &share));
    Ok(chosen(binary(Op::Lt, x, -1.0), below, above))
}

/// PyTorch's `special.log_ndtr`.
pub(super) fn log_ndtr(input: &RawTensor) -> Result<Value> {
    special("log_ndtr", input, logarithm_of_share)
}

/// PyTorch's `special.ndtri`: below which number such a share lies. From a quotient near it, by Newton's steps on logarithms.
pub(super) fn ndtri(input: &RawTensor) -> Result<Value> {
    special("ndtri", input, |p| {
        let upper = binary(Op::Gt, p, 0.5);
        let share = Value::from(chosen(upper.clone(), binary(Op::Sub, &1.0.into(), p), p).tensor()?);
        let logarithm = Value::from(unary(Op::Log, &share).tensor()?);
        let t = Value::from(unary(Op::Sqrt, &binary(Op::Mul, &logarithm, -2.0)).tensor()?);
        let above = polynomial(&t, [0.010_328, 0.802_853, 2.515_517])?;
        let below = polynomial(&t, [0.001_308, 0.189_269, 1.432_788, 1.0])?;
        let mut x = Value::from(binary(Op::Sub, &binary(Op::Div, &above, below), &t).tensor()?);
        for _ in 0..3 {
            let found = Value::from(logarithm_of_share(&x)?.tensor()?);
            let off = binary(Op::Sub, &found, &logarithm);
            let density = binary(Op::Sub, &binary(Op::Mul, &binary(Op::Mul, &x, &x), -0.5), &found);
            let slope = binary(Op::Mul, &unary(Op::Exp, &density), 1.0 / std::f64::consts::TAU.sqrt());
            x = Value::from(binary(Op::Sub, &x, binary(Op::Div, &off, slope)).tensor()?);
        }
        let found = chosen(binary(Op::Eq, &share, 0.0), f64::NEG_INFINITY, x);
        Ok(chosen(upper, unary(Op::Neg, &found), found))
    })
}

/// The sum of the powers of `q + k` for all `k`, by Euler's and Maclaurin's formula: of positive `q`.
fn hurwitz(x: &Value, q: &Value) -> Result<Value> {
    /// Twice as many a Bernoulli number, over the product of the numbers up to it.
    const SHARES: [f64; 8] = [
        1.0 / 12.0,
        -1.0 / 720.0,
        1.0 / 30_240.0,
        -1.0 / 1_209_600.0,
        1.0 / 47_900_160.0,
        -691.0 / 1_307_674_368_000.0,
        1.0 / 74_724_249_600.0,
        -3617.0 / 10_670_622_842_880_000.0,
    ];
    const FIRST: i32 = 12;
    let less = Value::from(unary(Op::Neg, x).tensor()?);
    let power = |at: i32| binary(Op::Pow, &binary(Op::Add, q, f64::from(at)), &less);
    let mut sum = power(0);
    for at in 1..FIRST {
        sum = binary(Op::Add, &sum, power(at)).settled()?;
    }
    let far = Value::from(binary(Op::Add, q, f64::from(FIRST)).tensor()?);
    let last = Value::from(power(FIRST).tensor()?);
    let rest = binary(Op::Div, &binary(Op::Mul, &far, &last), binary(Op::Sub, x, 1.0));
    sum = Value::from(binary(Op::Add, &binary(Op::Add, &sum, rest), binary(Op::Mul, &last, 0.5)).tensor()?);
    let mut term = Value::from(binary(Op::Div, &binary(Op::Mul, &last, x), &far).tensor()?);
    for (at, share) in SHARES.into_iter().enumerate() {
        sum = Value::from(binary(Op::Add, &sum, binary(Op::Mul, &term, share)).tensor()?);
        let next = |more: f64| binary(Op::Div, &binary(Op::Add, x, 2.0 * at as f64 + more), &far);
        term = Value::from(binary(Op::Mul, &binary(Op::Mul, &term, next(1.0)), next(2.0)).tensor()?);
    }
    Ok(sum)
}

/// PyTorch's `special.zeta`. The powers of negative numbers, for whole `x`, are those of two sums of positive ones, and a third sum follows.
pub(super) fn zeta(x: RawOperand<'_>, q: RawOperand<'_>) -> Result<Value> {
    if let (RawOperand::Tensor(x), RawOperand::Tensor(q)) = (x, q) {
        broadcast_shapes(&[x.sizes(), q.sizes()])?;
    }
    let dtype = elementwise::result_dtype(Op::Div, &[x, q])?;
    if !matches!(dtype, DType::F32 | DType::F64) {
        return Err(unsupported("zeta_cpu", dtype));
    }
    let wide = |operand: RawOperand<'_>| match operand {
        RawOperand::Tensor(tensor) => Value::from(tensor).cast(dtype).cast(DType::F64).tensor().map(Value::from),
        RawOperand::Scalar(number) => Ok(Value::from(number.to_f64())),
    };
    Ok(zeta_of(&wide(x)?, &wide(q)?)?.cast(dtype))
}

fn zeta_of(x: &Value, q: &Value) -> Result<Value> {
    let x = &binary(Op::ClampMax, &as_tensor(x)?, 1e100);
    let q = &as_tensor(q)?;
    let negative = Value::from(binary(Op::Le, q, 0.0).tensor()?);
    let below = unary(Op::Floor, q);
    let part = Value::from(binary(Op::Sub, q, &below).tensor()?);
    let found = Value::from(hurwitz(x, &Value::from(chosen(negative.clone(), &part, q).tensor()?))?.tensor()?);
    let mut sum = found.clone();
    if negative.somewhere()? {
        let turned = hurwitz(x, &Value::from(binary(Op::Sub, &1.0.into(), &part).tensor()?))?;
        let far = hurwitz(x, &Value::from(binary(Op::Sub, &1.0.into(), q).tensor()?))?;
        let both = Value::from(binary(Op::Sub, &turned, far).tensor()?);
        let odd = binary(Op::Ne, &binary(Op::Remainder, x, 2.0), 0.0);
        let both = chosen(odd, unary(Op::Neg, &both), both);
        let whole = binary(Op::Eq, &unary(Op::Floor, x), x);
        let there = chosen(whole, binary(Op::Add, &found, both), f64::NAN);
        let there = chosen(binary(Op::Eq, &unary(Op::Floor, q), q), f64::INFINITY, there);
        sum = Value::from(chosen(negative, there, found).tensor()?);
    }
    let sum = chosen(binary(Op::Lt, x, 1.0), f64::NAN, sum);
    Ok(chosen(binary(Op::Eq, x, 1.0), f64::INFINITY, sum))
}

fn as_tensor(x: &Value) -> Result<Value> {
    match x {
        Value::Number(number) => RawTensor::from_scalar(*number, DType::F64).map(Value::from),
        other => other.tensor().map(Value::from),
    }
}

/// The derivative of `digamma`, from its reflection, six terms and a series. By PyTorch's steps, so that near poles it rounds to the same numbers.
fn trigamma(x: &Value) -> Result<Value> {
    let square = |x: &Value| binary(Op::Mul, x, x);
    let turns = binary(Op::Lt, x, 0.5);
    let sine = unary(Op::Sin, &binary(Op::Mul, x, std::f64::consts::PI));
    let reflected = binary(Op::Div, &(-std::f64::consts::PI.powi(2)).into(), square(&sine));
    let mut sum = chosen(turns.clone(), reflected, 0.0);
    let mut x = chosen(turns.clone(), binary(Op::Sub, &1.0.into(), x), x);
    for _ in 0..6 {
        sum = binary(Op::Add, &sum, unary(Op::Reciprocal, &square(&x))).settled()?;
        x = binary(Op::Add, &x, 1.0).settled()?;
    }
    let inverse = Value::from(unary(Op::Reciprocal, &square(&x)).tensor()?);
    let less = |from: f64, rest: Value| binary(Op::Sub, &(1.0 / from).into(), binary(Op::Mul, &inverse, rest));
    let series = less(6.0, less(30.0, binary(Op::Mul, &inverse, 1.0 / 42.0)));
    let series = binary(Op::Add, &binary(Op::Add, &binary(Op::Div, &0.5.into(), &x), 1.0), binary(Op::Mul, &inverse, series));
    let sum = binary(Op::Add, &sum, binary(Op::Div, &series, &x)).settled()?;
    Ok(chosen(turns, unary(Op::Neg, &sum), sum))
}

/// PyTorch's `polygamma`: so many derivatives of `digamma`.
pub(super) fn polygamma(n: isize, input: &RawTensor) -> Result<Value> {
    let Ok(order) = u32::try_from(n) else { return Err(Error::runtime("polygamma(n, x) does not support negative n.")) };
    if order == 0 {
        return Ok(unary(Op::Digamma, &input.into()));
    }
    if order == 1 {
        let dtype = inexact(input.dtype());
        check_float("trigamma", dtype)?;
        // As PyTorch does, in the dtype itself.
        return Ok(trigamma(&Value::from(input).cast(dtype.computing()))?.cast(dtype));
    }
    special("polygamma", input, |x| {
        let factor: f64 = (1..=order).map(f64::from).product();
        let sign = if order % 2 == 0 { -1.0 } else { 1.0 };
        Ok(binary(Op::Mul, &zeta_of(&Value::from(f64::from(order) + 1.0), x)?, sign * factor))
    })
}

/// PyTorch's `mvlgamma`: the logarithm of the gamma function of several dimensions.
pub(super) fn mvlgamma(input: &RawTensor, p: isize) -> Result<Value> {
    let dtype = input.dtype();
    if dtype == DType::Bool {
        return Err(Error::runtime("The input tensor may not be a boolean tensor."));
    }
    if p < 1 {
        return Err(Error::runtime("p has to be greater than or equal to 1"));
    }
    if dtype.is_complex() {
        return Err(unsupported("arange_cpu", dtype));
    }
    // Steps round to the dtype, as PyTorch's do.
    let options = Options { dtype: Some(inexact(dtype)), device: Some(input.device()), format: None };
    let dims = p as f64;
    let steps = RawTensor::arange(Scalar::Float(0.5 - dims / 2.0), Scalar::Float(0.5), Scalar::Float(0.5), &options)?;
    let each = Value::from(input).then(Function::Unsqueeze, &[CallArgument::Int(-1)])?;
    let each = Value::from(binary(Op::Add, &steps.into(), each).tensor()?);
    let logarithms = Value::from(unary(Op::Lgamma, &each).tensor()?);
    let constant = dims * (dims - 1.0) * std::f64::consts::PI.ln() / 4.0;
    Ok(binary(Op::Add, &logarithms.reduced(Reduction::Sum, &Along::dims(&[-1]))?, constant))
}

/// The same where a target says.
pub(super) fn mvlgamma_to(to: Target<'_>, input: &RawTensor, p: isize) -> Result<RawTensor> {
    let found = mvlgamma(input, p)?.tensor_to(to)?;
    if to.tensor().is_none_or(|out| latten_spec::can_cast(found.dtype(), out.dtype())) {
        return to.take(found);
    }
    // PyTorch names the input's dtype, and the result's as the output's.
    let [own, result] = [input, &found].map(|tensor| tensor.dtype().message_name());
    Err(Error::runtime(format!("mvlgamma: result type {own} can't be cast to the desired output type {result}")))
}
