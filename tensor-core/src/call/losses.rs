//! Losses that are declared in terms of other calls: how far elements are from what they should be, and how all of that becomes one number.

use std::f64::consts::TAU;

use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;
use latten_spec::{DType, can_cast};

use super::curves::{chosen, logarithm_of_sigmoid};
use super::value::{Value, binary, unary};
use super::{CallArgument, Function, one};
use crate::convert::rounded_to;
use crate::element::check_float;
use crate::elementwise::{self, Params};
use crate::error::{Error, Result};
use crate::geometry::broadcast::broadcast_shapes;
use crate::program::Action;
use crate::raw::RawTensor;
use crate::reduce::Along;
use crate::scalar::Scalar;

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

    /// What numbers stand for.
    pub(super) fn numbered(reduction: isize) -> Self {
        match reduction {
            1 => Self::Mean,
            2 => Self::Sum,
            _ => Self::All,
        }
    }
}

/// What a loss is where it is reduced in this way.
pub(super) fn reduced(loss: &Value, reduction: &str) -> Result<RawTensor> {
    match LossReduction::parse(reduction)? {
        LossReduction::All => loss.tensor(),
        LossReduction::Mean => loss.reduced(Reduction::Mean, &Along::all())?.tensor(),
        LossReduction::Sum => loss.reduced(Reduction::Sum, &Along::all())?.tensor(),
    }
}

/// The dtype of two tensors' differences, which must be a real float.
fn common(kernel: &str, input: &RawTensor, target: &RawTensor) -> Result<DType> {
    broadcast_shapes(&[input.sizes(), target.sizes()])?;
    let dtype = elementwise::result_dtype(Op::Add, &[input.into(), target.into()])?;
    check_float(kernel, dtype).map(|()| dtype)
}

/// PyTorch's `mse_loss`: squares of differences.
pub(super) fn mse_loss(input: &RawTensor, target: &RawTensor, reduction: &str) -> Result<RawTensor> {
    let dtype = common("mse_cpu", input, target)?;
    let difference = binary(Op::Sub, &Value::from(input).cast(dtype), Value::from(target).cast(dtype));
    reduced(&binary(Op::Mul, &difference, &difference), reduction)
}

/// PyTorch's `l1_loss`: distances.
pub(super) fn l1_loss(input: &RawTensor, target: &RawTensor, reduction: &str) -> Result<RawTensor> {
    reduced(&unary(Op::Abs, &binary(Op::Sub, &input.into(), target)), reduction)
}

/// What an operation of the table makes of elements and what they should be. Of one kind of halves the number is rounded to their dtype,
/// elsewhere to that in which they are computed; beyond it, it is infinite.
fn each(op: Op, input: &RawTensor, target: &RawTensor, (number, rounded): (f64, DType)) -> Result<Value> {
    let dtype = elementwise::result_dtype(op, &[input.into(), target.into()])?;
    let held = if dtype == rounded { dtype } else { dtype.computing() };
    let numbers = [dtype.computing(), held].map(|dtype| Some(Scalar::Float(rounded_to(number, dtype))));
    Ok(Value::waiting(Action::Apply(op.into(), Params::all(&numbers)), [input.into(), target.into()]))
}

/// PyTorch's `smooth_l1_loss`: halves of squares over `beta` where the distance is less than that, distances elsewhere.
pub(super) fn smooth_l1_loss(input: &RawTensor, target: &RawTensor, reduction: &str, beta: f64) -> Result<RawTensor> {
    if beta < 0.0 {
        return Err(Error::runtime("smooth_l1_loss does not support negative values for beta."));
    }
    if beta == 0.0 {
        return l1_loss(input, target, reduction);
    }
    reduced(&each(Op::SmoothL1Loss, input, target, (beta, DType::F16))?, reduction)
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
    let loss = each(Op::HuberLoss, input, target, (delta, DType::BF16))?;
    reduced(&if wide == input.dtype() { loss } else { loss.cast(input.dtype()) }, reduction)
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
    check_float("log_sigmoid_cpu", input.dtype())?;
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
    // PyTorch computes in what it makes of the target.
    reduced(&loss.cast(target.dtype()), reduction)
}

/// PyTorch's `kl_div`: how far probabilities, given by their logarithms, are from others.
pub(super) fn kl_div(input: &RawTensor, target: &RawTensor, reduction: &str, of_logarithms: bool) -> Result<RawTensor> {
    let dtypes = [input.dtype(), target.dtype()];
    if dtypes.iter().any(|dtype| dtype.is_complex()) {
        return Err(Error::runtime("kl_div: Complex inputs not supported."));
    }
    if dtypes.iter().any(|dtype| dtype.is_integral()) {
        return Err(Error::runtime("kl_div: Integral inputs not supported."));
    }
    let (x, y) = (Value::from(input), Value::from(target));
    let loss = if of_logarithms {
        binary(Op::Mul, &unary(Op::Exp, &y), binary(Op::Sub, &y, &x))
    } else {
        binary(Op::Sub, &binary(Op::Xlogy, &y, &y), binary(Op::Mul, &y, &x))
    };
    if reduction == "batchmean" {
        let samples = Scalar::from(input.sizes().first().copied().unwrap_or(1));
        return binary(Op::Div, &loss.reduced(Reduction::Sum, &Along::all())?, samples).tensor();
    }
    reduced(&loss, reduction)
}

/// PyTorch's `binary_cross_entropy`: how far probabilities are from others. Logarithms are at least -100.
pub(super) fn binary_cross_entropy(
    input: &RawTensor,
    target: &RawTensor,
    weight: Option<&RawTensor>,
    reduction: &str,
) -> Result<RawTensor> {
    if input.sizes() != target.sizes() {
        let [own, there] = [input, target].map(|tensor| printed(tensor.sizes()));
        return Err(Error::value(format!(
            "Using a target size ({there}) that is different to the input size ({own}) is deprecated. Please ensure they have the same size."
        )));
    }
    if target.dtype() != input.dtype() {
        let [own, there] = [input, target].map(|tensor| tensor.dtype().message_name());
        return Err(Error::runtime(format!("Found dtype {there} but expected {own}")));
    }
    check_float("binary_cross_entropy", input.dtype())?;
    let x = Value::from(input);
    let inside = binary(Op::LogicalAnd, &binary(Op::Ge, &x, 0), binary(Op::Le, &x, 1));
    if !inside.everywhere()? {
        return Err(Error::runtime("all elements of input should be between 0 and 1"));
    }
    let y = Value::from(target);
    let at_least = |logarithm: Value| binary(Op::ClampMin, &logarithm, -100);
    let away = binary(Op::Mul, &binary(Op::Sub, &y, 1), at_least(unary(Op::Log1p, &unary(Op::Neg, &x))));
    let loss = binary(Op::Sub, &away, binary(Op::Mul, &y, at_least(unary(Op::Log, &x))));
    match weight {
        Some(weight) => reduced(&binary(Op::Mul, &loss, weight), reduction),
        None => reduced(&loss, reduction),
    }
}

/// PyTorch's `poisson_nll_loss`: of the mean of a Poisson distribution, or its logarithm.
pub(super) fn poisson_nll_loss(
    input: &RawTensor,
    target: &RawTensor,
    (of_logarithms, full): (bool, bool),
    eps: f64,
    reduction: &str,
) -> Result<RawTensor> {
    let (x, y) = (Value::from(input), Value::from(target));
    let mut loss = if of_logarithms {
        binary(Op::Sub, &unary(Op::Exp, &x), binary(Op::Mul, &y, &x))
    } else {
        binary(Op::Sub, &x, binary(Op::Mul, &y, unary(Op::Log, &binary(Op::Add, &x, eps))))
    };
    if full {
        let stirling = binary(Op::Sub, &binary(Op::Mul, &y, unary(Op::Log, &y)), &y);
        let stirling = binary(Op::Add, &stirling, binary(Op::Mul, &unary(Op::Log, &binary(Op::Mul, &y, TAU)), 0.5));
        loss = binary(Op::Add, &loss, chosen(binary(Op::Le, &y, 1), 0, stirling));
    }
    reduced(&loss, reduction)
}

/// PyTorch's `gaussian_nll_loss`: of the mean and the variance of a normal distribution.
pub(super) fn gaussian_nll_loss(
    input: &RawTensor,
    target: &RawTensor,
    variance: &Value,
    full: bool,
    eps: f64,
    reduction: &str,
) -> Result<RawTensor> {
    if binary(Op::Lt, variance, 0).somewhere()? {
        return Err(Error::value("var has negative entry/entries"));
    }
    let variance = match variance {
        Value::Tensor(tensor) => Value::from(beside(input, tensor)?),
        number => binary(Op::Mul, &Value::from(one(Function::OnesLike, &[input.into()])?), number),
    };
    let Ok(reduction) = LossReduction::parse(reduction).map(|_| reduction) else {
        return Err(Error::value(format!("{reduction} is not valid")));
    };
    // What is lifted to the least has the gradient of what was there.
    let variance = variance.tensor()?;
    if variance.dtype().is_integral() {
        let lifted = crate::dtype::promotion_default().message_name();
        let own = crate::dtype::cpp_name(variance.dtype());
        return Err(Error::runtime(format!("result type {lifted} can't be cast to the desired output type {own}")));
    }
    let known = Value::from(variance.detach());
    let lift = binary(Op::Sub, &binary(Op::ClampMin, &known, eps), known);
    let variance = binary(Op::Add, &variance.into(), lift);
    let difference = binary(Op::Sub, &input.into(), target);
    let squares = binary(Op::Div, &binary(Op::Mul, &difference, &difference), &variance);
    let mut loss = binary(Op::Mul, &binary(Op::Add, &unary(Op::Log, &variance), squares), 0.5);
    if full {
        loss = binary(Op::Add, &loss, 0.5 * TAU.ln());
    }
    reduced(&loss, reduction)
}

/// Variances as they go with a tensor: one of each element, or one along the last dimension or along a dimension of size 1.
fn beside(input: &RawTensor, variance: &RawTensor) -> Result<RawTensor> {
    let (own, there) = (input.sizes(), variance.sizes());
    if own == there {
        return Ok(variance.clone());
    }
    if own.split_last().is_some_and(|(_, outer)| outer == there) {
        return one(Function::Unsqueeze, &[variance.into(), CallArgument::from(-1_isize)]);
    }
    let different: usize = own.iter().zip(there).filter(|(own, there)| own != there).map(|(_, there)| there).sum();
    if own.len() == there.len() && different == 1 {
        return Ok(variance.clone());
    }
    Err(Error::value("var is of incorrect size"))
}

/// Sizes as Python prints them.
pub(super) fn printed(sizes: &[usize]) -> String {
    format!("torch.Size({sizes:?})")
}
