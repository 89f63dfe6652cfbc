//! Losses of margins, declared in terms of other calls: how far what belongs together is nearer than what doesn't.

use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;
use latten_spec::{DType, promote_types};

use super::curves::chosen;
use super::distances::pairwise_distance;
use super::losses::{LossReduction, printed, reduced};
use super::value::{Value, binary, unary};
use super::{CallArgument, Function, one};
use crate::create::Options;
use crate::dtype::promotion_default;
use crate::element::{check_float, unsupported};
use crate::error::{Error, Result};
use crate::geometry::broadcast::{broadcast_shapes, check_output_shape};
use crate::geometry::wrap_existing_dim;
use crate::plan::check_cast;
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep};
use crate::scalar::Scalar;

/// PyTorch's `soft_margin_loss`: logarithms of one and an exponential.
pub(super) fn soft_margin_loss(input: &RawTensor, target: &RawTensor, reduction: &str) -> Result<RawTensor> {
    if input.dtype() == DType::Bool {
        unary(Op::Neg, &input.into()).tensor()?;
    }
    // Halves round once, after the logarithm.
    let dtype = promote_types(input.dtype(), target.dtype()).unwrap_or(input.dtype());
    check_output_shape(input.sizes(), &broadcast_shapes(&[input.sizes(), target.sizes()])?)?;
    check_cast(if dtype.is_integral() { promotion_default() } else { dtype }, input.dtype())?;
    let product = binary(Op::Mul, &unary(Op::Neg, &Value::from(input).cast(dtype.computing())), target);
    reduced(&unary(Op::Log1p, &unary(Op::Exp, &product)).cast(input.dtype()), reduction)
}

/// PyTorch's `margin_ranking_loss`: how far the first is from being above the second, where the target is 1, or below.
pub(super) fn margin_ranking_loss([first, second, target]: [&RawTensor; 3], margin: f64, reduction: &str) -> Result<RawTensor> {
    if first.rank() != second.rank() || first.rank() != target.rank() {
        let [first, second, target] = [first, second, target].map(|tensor| printed(tensor.sizes()));
        return Err(Error::runtime(format!(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: {first}, input2: {second}, target: \
             {target} "
        )));
    }
    let apart = binary(Op::Mul, &unary(Op::Neg, &target.into()), binary(Op::Sub, &first.into(), second));
    reduced(&binary(Op::ClampMin, &binary(Op::Add, &apart, margin), 0), reduction)
}

/// PyTorch's `hinge_embedding_loss`: distances where the target is 1, and how far they are below a margin where it is -1.
pub(super) fn hinge_embedding_loss(input: &RawTensor, target: &RawTensor, margin: f64, reduction: &str) -> Result<RawTensor> {
    // The margin is a number of the distances' dtype.
    let options = Options { dtype: Some(input.dtype()), device: Some(input.device()), format: None };
    let margin = Value::from(RawTensor::full(&[], margin.into(), &options)?);
    let far = binary(Op::ClampMin, &Value::from(binary(Op::Sub, &margin, input).tensor()?), 0);
    let target = Value::from(target);
    let apart = chosen(binary(Op::Ne, &target, 1), far, 0);
    let near = chosen(binary(Op::Ne, &target, -1), input, 0);
    reduced(&binary(Op::Add, &apart, near), reduction)
}

/// PyTorch's `cosine_embedding_loss`: 1 less the cosine where the target is 1, and how far it is above a margin where it is -1.
pub(super) fn cosine_embedding_loss([first, second, target]: [&RawTensor; 3], margin: f64, reduction: &str) -> Result<RawTensor> {
    if ![0, 1].contains(&target.rank()) {
        return Err(Error::runtime("0D or 1D target tensor expected, multi-target not supported"));
    }
    if first.rank() != target.rank() + 1 || second.rank() != target.rank() + 1 {
        let [rank, expected] = [target.rank(), target.rank() + 1];
        return Err(Error::runtime(format!(
            "{rank}D target tensor expects {expected}D input tensors, but found inputs with sizes {:?} and {:?}.",
            first.sizes(),
            second.sizes()
        )));
    }
    let sum = |value: &Value| value.reduced(Reduction::Sum, &Along::dims(&[-1]));
    let (x, y, target) = (Value::from(first), Value::from(second), Value::from(target));
    let squares = |x: &Value| -> Result<Value> { Ok(binary(Op::Add, &sum(&binary(Op::Mul, x, x))?, 1e-12)) };
    let both = unary(Op::Sqrt, &binary(Op::Mul, &squares(&x)?, squares(&y)?));
    let cosine = Value::from(binary(Op::Div, &sum(&binary(Op::Mul, &x, &y))?, both).tensor()?);
    let near = chosen(binary(Op::Eq, &target, 1), binary(Op::Rsub, &cosine, 1), 0);
    let apart = chosen(binary(Op::Eq, &target, -1), binary(Op::ClampMin, &binary(Op::Sub, &cosine, margin), 0), 0);
    reduced(&binary(Op::Add, &near, apart), reduction)
}

/// PyTorch's `triplet_margin_loss`: how far the positive isn't nearer to the anchor than the negative, by a margin.
pub(super) fn triplet_margin_loss(
    [anchor, positive, negative]: [&RawTensor; 3],
    margin: f64,
    (p, eps): (f64, f64),
    swap: bool,
    reduction: &str,
) -> Result<RawTensor> {
    if margin <= 0.0 {
        return Err(Error::value(format!("margin must be greater than 0, got {margin:?}")));
    }
    let [a, b, c] = [anchor, positive, negative].map(RawTensor::rank);
    if a != b || b != c {
        return Err(Error::runtime(format!(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor {a}D, positive \
             {b}D, and negative {c}D inputs"
        )));
    }
    let distance = |x, y| pairwise_distance(x, y, p, eps, Keep::No).map(Value::from);
    let near = distance(anchor, positive)?;
    let mut far = distance(anchor, negative)?;
    if swap {
        far = binary(Op::Minimum, &far, distance(positive, negative)?);
    }
    reduced(&binary(Op::ClampMin, &binary(Op::Sub, &binary(Op::Add, &near, margin), far), 0), reduction)
}

/// Numbers above zero; what isn't above it, no numbers among that, is nothing.
fn positive(x: &Value) -> Value {
    chosen(binary(Op::Gt, x, 0), x, 0.0)
}

/// Samples of numbers for classes; one sample without a dimension of its own gets it.
fn samples(input: &RawTensor) -> Result<RawTensor> {
    let sizes = input.sizes();
    if !matches!(sizes.len(), 0..=2) || sizes.iter().skip(usize::from(sizes.len() == 2)).any(|&size| size == 0) {
        return Err(Error::runtime(format!("Expected non-empty vector or matrix with optional 0-dim batch size, but got: {sizes:?}")));
    }
    let classes = sizes.last().copied().unwrap_or(1).cast_signed();
    one(Function::Reshape, &[input.into(), CallArgument::Ints(&[-1, classes])])
}

/// What a kernel says of numbers and of the classes that they are for.
fn check_kernel(kernel: &str, input: &RawTensor, target: &RawTensor) -> Result<()> {
    if !matches!(input.dtype(), DType::F32 | DType::F64) {
        return Err(unsupported(kernel, input.dtype()));
    }
    if target.dtype() != DType::I64 {
        return Err(Error::runtime(format!("expected scalar type Long but found {}", target.dtype().message_name())));
    }
    Ok(())
}

/// PyTorch's `multi_margin_loss`: how far other classes aren't below the right one, by a margin.
pub(super) fn multi_margin_loss(
    input: &RawTensor,
    target: &RawTensor,
    (p, margin): (f64, f64),
    weight: Option<&RawTensor>,
    reduction: &str,
) -> Result<RawTensor> {
    LossReduction::parse(reduction)?;
    if p != 1.0 && p != 2.0 {
        return Err(Error::value("only p == 1 and p == 2 supported"));
    }
    if weight.is_some_and(|weight| weight.rank() != 1) {
        return Err(Error::value("weight must be one-dimensional"));
    }
    let rows = samples(input)?;
    let (count, classes) = (rows.sizes()[0], rows.sizes()[1]);
    if target.rank() > 1 || target.numel() != count {
        let (own, there) = (target.sizes(), input.sizes());
        return Err(Error::runtime(format!(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). Expected target size \
             [{count}], but got {own:?}. Input has shape {there:?}."
        )));
    }
    if let Some(weight) = weight.filter(|weight| weight.numel() != classes) {
        return Err(Error::runtime(format!("inconsistent weight size, expected {classes} but got {:?}", weight.sizes())));
    }
    check_kernel("multi_margin_loss_cpu_kernel", input, target)?;
    if let Some(weight) = weight.filter(|weight| weight.dtype() != input.dtype()) {
        let (own, there) = (input.dtype().message_name(), weight.dtype().message_name());
        return Err(Error::runtime(format!("expected scalar type {own} but found {there}")));
    }
    let places = one(Function::Reshape, &[target.into(), CallArgument::Ints(&[-1, 1])])?;
    let x = Value::from(&rows);
    let right = x.then(Function::Gather, &[1.into(), (&places).into()])?;
    let below = positive(&binary(Op::Add, &binary(Op::Sub, &x, right), margin));
    let mut loss = if p == 2.0 { binary(Op::Mul, &below, &below) } else { below };
    if let Some(weight) = weight {
        let own = one(Function::Take, &[weight.into(), (&places).into()])?;
        loss = binary(Op::Mul, &loss, own);
    }
    // The right class isn't compared with itself.
    let numbers = Options { dtype: Some(DType::I64), device: Some(input.device()), format: None };
    let numbers = RawTensor::arange(0.into(), classes.into(), 1.into(), &numbers)?;
    let loss = chosen(binary(Op::Eq, &places.into(), numbers), 0.0, loss);
    let all = binary(Op::Div, &loss.reduced(Reduction::Sum, &Along::dims(&[1]))?, Scalar::from(classes));
    of_samples(all, input, reduction)
}

/// What samples lose; one without a dimension of its own loses one number.
fn of_samples(losses: Value, input: &RawTensor, reduction: &str) -> Result<RawTensor> {
    let losses = if input.rank() < 2 { losses.then(Function::Reshape, &[CallArgument::Ints(&[])])? } else { losses };
    reduced(&losses, reduction)
}

/// PyTorch's `multilabel_margin_loss`: how far other classes aren't below those that are named, up to the first -1, by 1.
pub(super) fn multilabel_margin_loss(input: &RawTensor, target: &RawTensor, reduction: &str) -> Result<RawTensor> {
    LossReduction::parse(reduction)?;
    let rows = samples(input)?;
    let is_alike = if input.rank() < 2 { target.rank() < 2 && target.numel() == rows.numel() } else { target.sizes() == input.sizes() };
    if !is_alike {
        let (own, there) = (target.sizes(), input.sizes());
        return Err(Error::runtime(format!("inconsistent target size: {own:?} for input of size: {there:?}")));
    }
    let classes = rows.sizes()[1];
    let named = Value::from(one(Function::Reshape, &[target.into(), CallArgument::Ints(&[-1, classes.cast_signed()])])?);
    let outside = binary(Op::LogicalOr, &binary(Op::Lt, &named, -1), binary(Op::Ge, &named, Scalar::from(classes)));
    if outside.somewhere()? {
        return Err(Error::runtime("argument #2 'target' is out of range"));
    }
    check_kernel("multilabel_margin_loss_forward_out_frame", input, target)?;
    let valid = binary(Op::Ge, &named, 0).then(Function::Cumprod, &[1.into(), DType::I64.into()])?;
    let valid = Value::from(binary(Op::Ne, &valid, 0).tensor()?);
    let places = chosen(valid.clone(), &named, 0).tensor()?;
    let none = one(Function::ZerosLike, &[(&places).into()])?;
    let often = one(Function::ScatterAdd, &[(&none).into(), 1.into(), (&places).into(), (&valid.cast(DType::I64).tensor()?).into()])?;
    let other = binary(Op::Eq, &often.into(), 0);
    let x = Value::from(&rows);
    let right = x.then(Function::Gather, &[1.into(), (&places).into()])?;
    let apart = binary(Op::Sub, &x.then(Function::Unsqueeze, &[1.into()])?, right.then(Function::Unsqueeze, &[2.into()])?);
    let below = positive(&binary(Op::Add, &apart, 1));
    let counts = binary(Op::LogicalAnd, &valid.then(Function::Unsqueeze, &[2.into()])?, other.then(Function::Unsqueeze, &[1.into()])?);
    let all = chosen(counts, below, 0.0).reduced(Reduction::Sum, &Along::dims(&[1, 2]))?;
    of_samples(binary(Op::Div, &all, Scalar::from(classes)), input, reduction)
}

/// PyTorch's `multilabel_soft_margin_loss`: for each class how far `sigmoid` is from no or yes, and the mean of that.
pub(super) fn multilabel_soft_margin_loss(
    input: &RawTensor,
    target: &RawTensor,
    weight: Option<&RawTensor>,
    reduction: &str,
) -> Result<RawTensor> {
    check_float("log_sigmoid_cpu", input.dtype())?;
    let dim = wrap_existing_dim(-1, input.rank())?.cast_signed();
    let (x, y) = (Value::from(input), Value::from(target));
    let logarithm = |x: &Value| x.then(Function::Logsigmoid, &[]);
    let yes = binary(Op::Mul, &y, logarithm(&x)?);
    let no = binary(Op::Mul, &binary(Op::Rsub, &y, 1), logarithm(&unary(Op::Neg, &x))?);
    let mut loss = unary(Op::Neg, &binary(Op::Add, &yes, no));
    if let Some(weight) = weight {
        loss = binary(Op::Mul, &loss, weight);
    }
    let mean =
        binary(Op::Div, &loss.reduced(Reduction::Sum, &Along::dims(&[dim]))?, Scalar::from(input.sizes().last().copied().unwrap_or(1)));
    reduced(&mean, reduction)
}
