//! Activations that are declared in terms of other calls: each element becomes what a curve has there.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::value::{Value, binary, unary};
use super::{CallArgument, Function};
use crate::element::check_float;
use crate::elementwise::{self, Params, Target};
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

/// What `selu` takes in place of `elu`'s numbers.
pub(super) const SELU: [f64; 2] = [1.673_263_242_354_377_2, 1.050_700_987_355_480_5];

/// The operation that PyTorch's `celu` is.
pub(super) fn celu(alpha: f64) -> Result<Op> {
    if alpha == 0.0 { Err(Error::runtime("ZeroDivisionError: alpha cannot be 0 for CELU")) } else { Ok(Op::Elu) }
}

/// The operation that PyTorch's `softshrink` is, which looks at the dtype before it looks at an output.
pub(super) fn softshrink(input: &RawTensor) -> Result<Op> {
    check_float("softshrink_check", input.dtype()).map(|()| Op::Softshrink)
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

/// The logarithm of what `sigmoid` makes of numbers. It has no kink at 0, so neither side of it may have one there.
pub(super) fn logarithm_of_sigmoid(x: &Value) -> Value {
    let below = binary(Op::Lt, x, 0.0);
    let far = unary(Op::Exp, &chosen(below.clone(), x, unary(Op::Neg, x)));
    binary(Op::Sub, &chosen(below, x, 0.0), unary(Op::Log1p, &far))
}

/// PyTorch's `logsigmoid`.
pub(super) fn logsigmoid(to: Target<'_>, input: &RawTensor) -> Result<RawTensor> {
    let found = curve("log_sigmoid_cpu", input, logarithm_of_sigmoid)?.tensor_to(to)?;
    if matches!(to, Target::Out(out, _) | Target::Offered(out) if found.is_set_to(out)) {
        Ok(found)
    } else {
        Value::from(found).then(Function::Contiguous, &[])?.tensor()
    }
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
    let bound = |number: Scalar| Some((if dtype.is_integral() { Scalar::Int(number.to_f64() as i64) } else { number }).into());
    let (op, operands) = elementwise::clamp(input.into(), bound(low), bound(high))?;
    elementwise::run(op.into(), &operands, to, &Params::none())
}
