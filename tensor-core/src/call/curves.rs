//! Activations that are declared in terms of other calls: each element becomes what a curve has there.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::value::{Value, binary, unary};
use super::{CallArgument, Function};
use crate::element::{check_float, unsupported};
use crate::elementwise::{self, Params, RawOperand, Target};
use crate::error::{Error, Result};
use crate::geometry::wrap_dim;
use crate::program::Action;
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep};
use crate::scalar::Scalar;

/// One value or another.
pub(super) fn chosen(condition: Value, then: impl Into<Value>, otherwise: impl Into<Value>) -> Value {
    Value::waiting(Action::Apply(Op::Where.into(), Params::none()), [condition, then.into(), otherwise.into()])
}

/// The same numbers, of which other ones that play no part in them have zeros as their gradient.
pub(super) fn beside(value: impl Into<Value>, other: impl Into<Value>) -> Value {
    chosen(Value::from(false), other, value)
}

/// A curve at real floats. Halves don't round on the way.
fn curve(kernel: &str, input: &RawTensor, of: impl FnOnce(&Value) -> Value) -> Result<Value> {
    let dtype = input.dtype();
    check_float(kernel, dtype)?;
    Ok(of(&Value::from(input).cast(dtype.computing())).cast(dtype))
}

fn within(x: &Value, op: Op, bound: f64) -> Value {
    binary(op, x, bound)
}

/// PyTorch's `leaky_relu`: numbers that aren't positive times a slope.
pub(super) fn leaky_relu(input: &RawTensor, slope: Scalar) -> Result<Value> {
    curve("leaky_relu_cpu", input, |x| chosen(binary(Op::Gt, x, 0), x, binary(Op::Mul, x, slope)))
}

/// What `selu` takes in place of `elu`'s numbers.
pub(super) const SELU: [f64; 2] = [1.673_263_242_354_377_2, 1.050_700_987_355_480_5];

/// PyTorch's `elu`, `celu` and `selu`: below zero a curve towards a number, all of it times a scale.
pub(super) fn elu(input: &RawTensor, alpha: f64, scale: f64, stretch: f64) -> Result<Value> {
    curve("elu_cpu", input, |x| {
        let below = binary(Op::Mul, &unary(Op::Expm1, &times(x, stretch)), alpha * scale);
        chosen(binary(Op::Le, x, 0), below, times(x, scale))
    })
}

fn times(x: &Value, factor: f64) -> Value {
    if factor == 1.0 { x.clone() } else { binary(Op::Mul, x, factor) }
}

/// PyTorch's `celu`.
pub(super) fn celu(input: &RawTensor, alpha: f64) -> Result<Value> {
    if alpha == 0.0 {
        return Err(Error::runtime("ZeroDivisionError: alpha cannot be 0 for CELU"));
    }
    elu(input, alpha, 1.0, 1.0 / alpha)
}

/// PyTorch's `selu`.
pub(super) fn selu(input: &RawTensor) -> Result<Value> {
    elu(input, SELU[0], SELU[1], 1.0)
}

fn up_to_six(x: &Value) -> Value {
    within(&within(&binary(Op::Add, x, 3), Op::ClampMin, 0.0), Op::ClampMax, 6.0)
}

/// PyTorch's `hardsigmoid`.
pub(super) fn hardsigmoid(input: &RawTensor) -> Result<Value> {
    curve("hardsigmoid_cpu", input, |x| binary(Op::Div, &up_to_six(x), 6))
}

/// PyTorch's `hardswish`.
pub(super) fn hardswish(input: &RawTensor) -> Result<Value> {
    curve("hardswish_cpu", input, |x| binary(Op::Div, &binary(Op::Mul, x, up_to_six(x)), 6))
}

/// PyTorch's `mish`.
pub(super) fn mish(input: &RawTensor) -> Result<Value> {
    curve("mish_cpu", input, |x| binary(Op::Mul, x, unary(Op::Tanh, &unary(Op::Softplus, x))))
}

/// PyTorch's `tanhshrink`, which rounds after each step.
pub(super) fn tanhshrink(input: &RawTensor) -> Result<RawTensor> {
    let x = Value::from(input);
    binary(Op::Sub, &x, unary(Op::Tanh, &x)).tensor()
}

/// PyTorch's `softshrink`: nearer to zero by a number.
pub(super) fn softshrink(input: &RawTensor, by: f64) -> Result<Value> {
    let dtype = input.dtype();
    let largest = match dtype {
        DType::F16 => "65504",
        DType::BF16 => "3.38953e+38",
        DType::F32 => "3.40282e+38",
        // others: refused below, but for one.
        _ => "1.79769e+308",
    };
    let loss = curve("softshrink_check", input, |x| {
        let below = chosen(within(x, Op::Lt, -by), binary(Op::Add, x, by), binary(Op::Mul, x, 0));
        chosen(within(x, Op::Gt, by), binary(Op::Sub, x, by), below)
    })?;
    if by >= 0.0 {
        return Ok(loss);
    }
    let dtype = dtype.message_name();
    Err(Error::runtime(format!("lambda must be in range [0, {largest}] for input dtype {dtype}, but found {by}")))
}

/// PyTorch's `hardshrink`: nothing near zero.
pub(super) fn hardshrink(input: &RawTensor, near: f64) -> Result<Value> {
    curve("hardshrink_cpu", input, |x| {
        let outside = binary(Op::LogicalOr, &within(x, Op::Lt, -near), within(x, Op::Gt, near));
        // A NaN stays one, and has no gradient.
        chosen(outside, x, chosen(unary(Op::Isnan, x), f64::NAN, 0.0))
    })
}

/// PyTorch's `threshold`: a number in place of those that aren't above another one.
pub(super) fn threshold(input: &RawTensor, above: Scalar, value: Scalar) -> Result<Value> {
    let dtype = input.dtype();
    if dtype == DType::Bool || dtype.is_complex() || !dtype.is_computing() {
        return Err(unsupported("threshold_cpu", dtype));
    }
    let own = |number: Scalar| if dtype.is_integral() { Scalar::Int(number.to_f64() as i64) } else { number };
    let x = Value::from(input);
    Ok(chosen(binary(Op::Le, &x, own(above)), own(value), &x))
}

/// The logarithm of what `sigmoid` makes of numbers. It has no kink at 0, so neither side of it may have one there.
pub(super) fn logarithm_of_sigmoid(x: &Value) -> Value {
    let below = binary(Op::Lt, x, 0.0);
    let far = unary(Op::Exp, &chosen(below.clone(), x, unary(Op::Neg, x)));
    binary(Op::Sub, &chosen(below, x, 0.0), unary(Op::Log1p, &far))
}

/// PyTorch's `logsigmoid`.
pub(super) fn logsigmoid(input: &RawTensor) -> Result<RawTensor> {
    curve("log_sigmoid_cpu", input, logarithm_of_sigmoid)?.then(Function::Contiguous, &[])?.tensor()
}

/// PyTorch's `softmin`.
pub(super) fn softmin(input: &RawTensor, dim: isize, dtype: Option<DType>) -> Result<RawTensor> {
    unary(Op::Neg, &Value::from(input)).then(Function::Softmax, &[dim.into(), dtype.into()])?.tensor()
}

/// PyTorch's `_safe_softmax`: zeros, where nothing but negative infinities is to be shared among.
pub(super) fn safe_softmax(input: &RawTensor, dim: isize, dtype: Option<DType>) -> Result<RawTensor> {
    let (x, along) = (Value::from(input), Along::dims(&[dim]).keep(Keep::Yes));
    let shares = x.clone().then(Function::Softmax, &[dim.into(), dtype.into()])?;
    let nothing = binary(Op::Eq, &x, f64::NEG_INFINITY).reduced(Reduction::All, &along)?;
    chosen(nothing, 0.0, shares).tensor()
}

/// PyTorch's `glu`: one half of a dimension, times what `sigmoid` makes of the other one.
pub(super) fn glu(input: &RawTensor, dim: isize) -> Result<RawTensor> {
    if input.rank() == 0 {
        return Err(Error::runtime("glu does not support scalars because halving size must be even"));
    }
    let place = wrap_dim(dim, input.rank())?;
    let size = input.sizes()[place];
    if !size.is_multiple_of(2) {
        return Err(Error::runtime(format!("Halving dimension must be even, but dimension {place} is size {size}")));
    }
    let half = (size / 2).cast_signed();
    let part = |start: isize| {
        Value::from(input).then(Function::Narrow, &[place.cast_signed().into(), CallArgument::Int(start), half.into()])?.tensor()
    };
    let gate = Value::from(part(half)?).cast(input.dtype().computing());
    curve("glu_cpu", &part(0)?, |x| binary(Op::Mul, x, unary(Op::Sigmoid, &gate)))?.tensor()
}

/// PyTorch's `hardtanh`: numbers between two bounds. Of integers the bounds are integers, too.
pub(super) fn hardtanh(input: &RawTensor, low: Scalar, high: Scalar, to: Target<'_>) -> Result<RawTensor> {
    if low.to_f64() > high.to_f64() {
        return Err(Error::value("min_val cannot be greater than max_val"));
    }
    let dtype = input.dtype();
    if dtype == DType::Bool {
        return Err(Error::not_implemented("Bool inputs not supported for hardtanh"));
    }
    if dtype.is_complex() {
        return Err(Error::not_implemented("clamp is not supported for complex types"));
    }
    let bound = |number: Scalar| if dtype.is_integral() { Scalar::Int(number.to_f64() as i64) } else { number };
    let operands = [RawOperand::from(input), RawOperand::Scalar(bound(low)), RawOperand::Scalar(bound(high))];
    elementwise::run(Op::Clamp.into(), &operands, to, &Params::none())
}
