//! Losses that are declared in terms of other calls: how far elements are from what they should be, and how all of that becomes one number.

use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;
use latten_spec::{DType, can_cast};

use super::curves::{chosen, logarithm_of_sigmoid};
use super::value::{Value, binary, unary};
use crate::elementwise;
use crate::error::{Error, Result};
use crate::raw::RawTensor;
use crate::reduce::Along;

/// What stays of a loss for each of many elements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LossReduction {
    All,
    Mean,
    Sum,
}

impl LossReduction {
    pub(super) fn parse(reduction: &str) -> Result<Self> {
        match reduction {
            "none" => Ok(Self::All),
            "mean" => Ok(Self::Mean),
            "sum" => Ok(Self::Sum),
            other => Err(Error::value(format!("{other} is not a valid value for reduction"))),
        }
    }
}

/// What a loss is where it is reduced in this way.
fn reduced(loss: &Value, reduction: &str) -> Result<RawTensor> {
    match LossReduction::parse(reduction)? {
        LossReduction::All => loss.tensor(),
        LossReduction::Mean => loss.reduced(Reduction::Mean, &Along::all())?.tensor(),
        LossReduction::Sum => loss.reduced(Reduction::Sum, &Along::all())?.tensor(),
    }
}

/// The dtype of two tensors' differences, which must be a real float.
fn common(kernel: &str, input: &RawTensor, target: &RawTensor) -> Result<DType> {
    let dtype = elementwise::result_dtype(Op::Add, &[input.into(), target.into()])?;
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

/// PyTorch's `binary_cross_entropy_with_logits`: how far probabilities, given as what `sigmoid` makes them of, are from others.
pub(super) fn binary_cross_entropy_with_logits(
    input: &RawTensor,
    target: &RawTensor,
    weight: Option<&RawTensor>,
    positive: Option<&RawTensor>,
    reduction: &str,
) -> Result<RawTensor> {
    if input.sizes() != target.sizes() {
        let [own, there] = [input, target].map(|tensor| printed(tensor.sizes()));
        return Err(Error::value(format!("Target size ({there}) must be the same as input size ({own})")));
    }
    let dtype = elementwise::result_dtype(Op::Mul, &[input.into(), target.into()])?;
    if !can_cast(dtype, target.dtype()) {
        let (dtype, own) = (dtype.message_name(), target.dtype().message_name());
        return Err(Error::runtime(format!("result type {dtype} can't be cast to the desired output type {own}")));
    }
    let wide = Value::from(input).cast(input.dtype().computing());
    let mut sure = logarithm_of_sigmoid(&wide).cast(input.dtype());
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
fn printed(sizes: &[usize]) -> String {
    format!("torch.Size({sizes:?})")
}
