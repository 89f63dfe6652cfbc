//! Losses of margins, declared in terms of other calls: how far what belongs together is nearer than what doesn't.

use latten_spec::operation::Op;
use latten_spec::promote_types;
use latten_spec::reduction::Reduction;

use super::curves::chosen;
use super::distances::pairwise_distance;
use super::losses::{printed, reduced};
use super::value::{Value, binary, unary};
use crate::error::{Error, Result};
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep};

/// PyTorch's `soft_margin_loss`: logarithms of one and an exponential.
pub(super) fn soft_margin_loss(input: &RawTensor, target: &RawTensor, reduction: &str) -> Result<RawTensor> {
    // Halves round once, after the logarithm.
    let dtype = promote_types(input.dtype(), target.dtype()).unwrap_or(input.dtype());
    let product = binary(Op::Mul, &unary(Op::Neg, &Value::from(input).cast(dtype.computing())), target);
    reduced(&unary(Op::Log1p, &unary(Op::Exp, &product)).cast(dtype), reduction)
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
    let far = binary(Op::ClampMin, &binary(Op::Rsub, &input.into(), margin), 0);
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
    let [a, b, c] = [anchor, positive, negative].map(RawTensor::rank);
    if a != b || b != c {
        return Err(Error::runtime(format!(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor {a}D, positive \
             {b}D, and negative {c}D inputs"
        )));
    }
    if margin <= 0.0 {
        return Err(Error::value("margin must be greater than 0"));
    }
    let distance = |x, y| pairwise_distance(x, y, p, eps, Keep::No).map(Value::from);
    let near = distance(anchor, positive)?;
    let mut far = distance(anchor, negative)?;
    if swap {
        far = binary(Op::Minimum, &far, distance(positive, negative)?);
    }
    reduced(&binary(Op::ClampMin, &binary(Op::Sub, &binary(Op::Add, &near, margin), far), 0), reduction)
}
