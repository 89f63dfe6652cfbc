//! Losses and activations that are declared in terms of other calls: how far elements are from what they should be, and how all of that becomes
//! one number.

use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;
use latten_spec::{DType, can_cast, promote_types};

use super::value::{Value, binary, unary};
use crate::elementwise::{self, Operand, Params, Target};
use crate::error::{Error, Result};
use crate::raw::RawTensor;
use crate::reduce::Along;
use crate::scalar::Scalar;

/// What a loss is where it is reduced in this way.
fn reduced(loss: &Value, reduction: &str) -> Result<RawTensor> {
    let reduction = match reduction {
        "none" => return loss.tensor(),
        "mean" => Reduction::Mean,
        "sum" => Reduction::Sum,
        other => return Err(Error::value(format!("{other} is not a valid value for reduction"))),
    };
    loss.reduced(reduction, &Along::all())?.tensor()
}

/// The dtype of two tensors' differences, which must be a real float.
fn common(kernel: &str, input: &RawTensor, target: &RawTensor) -> Result<DType> {
    let dtype = promote_types(input.dtype(), target.dtype()).unwrap_or(input.dtype());
    let dtype =
        if input.rank() > 0 && target.rank() > 0 { dtype } else { elementwise::result_dtype(Op::Add, &[input.into(), target.into()])? };
    if dtype.is_floating_point() && dtype.is_computing() {
        return Ok(dtype);
    }
    Err(Error::not_implemented(format!("\"{kernel}\" not implemented for '{}'", dtype.message_name())))
}

/// The distances of elements, in a dtype in which halves don't round between the steps.
fn distances(input: &RawTensor, target: &RawTensor, dtype: DType) -> Value {
    let wide = |tensor: &RawTensor| Value::from(tensor).cast(dtype).cast(dtype.computing());
    unary(Op::Abs, &binary(Op::Sub, &wide(input), wide(target)))
}

/// PyTorch's `mse_loss`: squares of differences.
pub(super) fn mse_loss(input: &RawTensor, target: &RawTensor, reduction: &str) -> Result<RawTensor> {
    common("mse_cpu", input, target)?;
    let difference = binary(Op::Sub, &input.into(), target);
    reduced(&binary(Op::Mul, &difference, &difference), reduction)
}

/// PyTorch's `l1_loss`: distances.
pub(super) fn l1_loss(input: &RawTensor, target: &RawTensor, reduction: &str) -> Result<RawTensor> {
    reduced(&unary(Op::Abs, &binary(Op::Sub, &input.into(), target)), reduction)
}

/// PyTorch's `smooth_l1_loss`: halves of squares over `beta` where the distance is less than that, distances elsewhere.
pub(super) fn smooth_l1_loss(input: &RawTensor, target: &RawTensor, reduction: &str, beta: f64) -> Result<RawTensor> {
    if beta < 0.0 {
        return Err(Error::runtime("smooth_l1_loss does not support negative values for beta."));
    }
    if beta == 0.0 {
        return l1_loss(input, target, reduction);
    }
    let dtype = common("smooth_l1_cpu", input, target)?;
    let far = distances(input, target, dtype);
    let near = binary(Op::Div, &binary(Op::Mul, &binary(Op::Mul, &far, 0.5), &far), beta);
    let loss = chosen(binary(Op::Lt, &far, beta), near, binary(Op::Sub, &far, 0.5 * beta));
    reduced(&loss.cast(dtype), reduction)
}

/// PyTorch's `huber_loss`: halves of squares up to a distance of `delta`, from there on a line. It has the dtype of the input.
pub(super) fn huber_loss(input: &RawTensor, target: &RawTensor, reduction: &str, delta: f64) -> Result<RawTensor> {
    if delta <= 0.0 {
        return Err(Error::runtime("huber_loss does not support non-positive values for delta."));
    }
    let wide = elementwise::result_dtype(Op::Add, &[input.into(), target.into()])?;
    if !can_cast(wide, input.dtype()) {
        let (wide, own) = (wide.message_name(), input.dtype().message_name());
        return Err(Error::runtime(format!("result type {wide} can't be cast to the desired output type {own}")));
    }
    let dtype = common("huber_cpu", input, target)?;
    let far = distances(input, target, dtype);
    let near = binary(Op::Mul, &binary(Op::Mul, &far, 0.5), &far);
    let beyond = binary(Op::Mul, &binary(Op::Sub, &far, 0.5 * delta), delta);
    let loss = chosen(binary(Op::Le, &far, delta), near, beyond);
    reduced(&loss.cast(dtype).cast(input.dtype()), reduction)
}

fn chosen(condition: Value, then: Value, otherwise: Value) -> Value {
    Value::waiting(crate::program::Action::Apply(Op::Where.into(), Params::none()), [condition, then, otherwise])
}

/// PyTorch's `leaky_relu`: numbers that aren't positive times a slope.
pub(super) fn leaky_relu(input: &RawTensor, slope: Scalar) -> Result<Value> {
    let dtype = input.dtype();
    if !dtype.is_floating_point() || !dtype.is_computing() {
        return Err(Error::not_implemented(format!("\"leaky_relu_cpu\" not implemented for '{}'", dtype.message_name())));
    }
    let x = Value::from(input);
    Ok(chosen(binary(Op::Gt, &x, 0), x.clone(), binary(Op::Mul, &x, slope)))
}

/// PyTorch's `hardtanh`: numbers between two bounds. Of integers the bounds are integers, too.
pub(super) fn hardtanh(input: &RawTensor, low: Scalar, high: Scalar, to: Target<'_>) -> Result<RawTensor> {
    if low.real() > high.real() {
        return Err(Error::value("min_val cannot be greater than max_val"));
    }
    let dtype = input.dtype();
    if dtype == DType::Bool {
        return Err(Error::not_implemented("Bool inputs not supported for hardtanh"));
    }
    if dtype.is_complex() {
        return Err(Error::not_implemented("clamp is not supported for complex types"));
    }
    let bound = |number: Scalar| if dtype.is_integral() { Scalar::Int(number.real() as i64) } else { number };
    let operands = [Operand::from(input), Operand::Scalar(bound(low)), Operand::Scalar(bound(high))];
    elementwise::run(Op::Clamp.into(), &operands, to, &Params::none())
}

/// PyTorch's `elu`: below zero a curve towards `-alpha`.
pub(super) fn elu(input: &RawTensor, alpha: Scalar) -> Result<Value> {
    let dtype = input.dtype();
    if !dtype.is_floating_point() || !dtype.is_computing() {
        return Err(Error::not_implemented(format!("\"elu_cpu\" not implemented for '{}'", dtype.message_name())));
    }
    let x = Value::from(input).cast(dtype.computing());
    Ok(chosen(binary(Op::Le, &x, 0), binary(Op::Mul, &unary(Op::Expm1, &x), alpha), x.clone()).cast(dtype))
}

/// The logarithm of what `sigmoid` makes of numbers.
fn log_sigmoid(input: &RawTensor) -> Value {
    let x = Value::from(input).cast(input.dtype().computing());
    let far = unary(Op::Exp, &unary(Op::Neg, &unary(Op::Abs, &x)));
    let least = Value::waiting(crate::program::Action::Apply(Op::ClampMax.into(), Params::none()), [x, 0.into()]);
    binary(Op::Sub, &least, unary(Op::Log1p, &far)).cast(input.dtype())
}

/// PyTorch's `binary_cross_entropy_with_logits`: how far probabilities, given as what `sigmoid` makes them of, are from others.
pub(super) fn binary_cross_entropy_with_logits(
    input: &RawTensor,
    target: &RawTensor,
    weight: Option<&RawTensor>,
    positive: Option<&RawTensor>,
    reduction: &str,
) -> Result<RawTensor> {
    if input.sizes() != target.sizes() {
        let [own, there] = [input, target].map(|tensor| size_of(tensor.sizes()));
        return Err(Error::value(format!("Target size ({there}) must be the same as input size ({own})")));
    }
    let dtype = elementwise::result_dtype(Op::Mul, &[input.into(), target.into()])?;
    if !can_cast(dtype, target.dtype()) {
        let (dtype, own) = (dtype.message_name(), target.dtype().message_name());
        return Err(Error::runtime(format!("result type {dtype} can't be cast to the desired output type {own}")));
    }
    let mut sure = log_sigmoid(input);
    if let Some(positive) = positive {
        let heavier = binary(Op::Mul, &binary(Op::Sub, &positive.into(), 1), target);
        sure = binary(Op::Mul, &sure, binary(Op::Add, &heavier, 1));
    }
    let mut loss = binary(Op::Sub, &binary(Op::Mul, &binary(Op::Rsub, &target.into(), 1), input), &sure);
    if let Some(weight) = weight {
        loss = binary(Op::Mul, &loss, weight);
    }
    reduced(&loss, reduction)
}

/// Sizes as Python prints them.
fn size_of(sizes: &[usize]) -> String {
    format!("torch.Size({sizes:?})")
}
