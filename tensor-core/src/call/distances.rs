//! Norms, angles and distances, declared in terms of other calls.

use latten_spec::operation::Op;
use latten_spec::promote_types;
use latten_spec::reduction::Reduction;

use super::value::{Value, binary};
use super::{Call, CallArgument, Function, run};
use crate::elementwise::{self, Params, Target};
use crate::error::{Error, Result};
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep};

/// PyTorch's `normalize`: elements over the norm along a dimension, where that isn't smaller than a number.
pub(super) fn normalize(input: &RawTensor, p: f64, dim: isize, least: f64, to: Target<'_>) -> Result<RawTensor> {
    let dtype = input.dtype();
    if !dtype.is_floating_point() && !dtype.is_complex() {
        let found = dtype.message_name();
        return Err(Error::not_implemented(format!(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {found}"
        )));
    }
    let x = Value::from(input);
    let norm = x.reduced(Reduction::Norm, &Along::dims(&[dim]).keep(Keep::Yes).parameter(p))?;
    let norm = binary(Op::ClampMin, &norm, least);
    if to.is_new() {
        return binary(Op::Div, &x, &norm).tensor();
    }
    elementwise::run(Op::Div.into(), &[input.into(), (&norm.tensor()?).into()], to, &Params::none())
}

/// PyTorch's `cosine_similarity`.
pub(super) fn cosine_similarity(left: &RawTensor, right: &RawTensor, dim: isize, least: f64) -> Result<RawTensor> {
    let dtype = promote_types(left.dtype(), right.dtype()).unwrap_or(left.dtype());
    if !dtype.is_floating_point() {
        let found = dtype.message_name();
        return Err(Error::runtime(format!("expected common dtype to be floating point, yet common dtype is {found}")));
    }
    let both = run(Call::new(Function::BroadcastTensors, &[CallArgument::Tensors(&[left, right])]))?.several()?;
    let unit = |tensor: &RawTensor| -> Result<Value> {
        let x = Value::from(Value::from(tensor).cast(dtype).tensor()?);
        let norm = x.reduced(Reduction::Norm, &Along::dims(&[dim]).keep(Keep::Yes))?;
        Ok(binary(Op::Div, &x, binary(Op::ClampMin, &norm, least)))
    };
    let [left, right] = &both[..] else { return Err(Error::runtime("two tensors were broadcast")) };
    binary(Op::Mul, &unit(left)?, unit(right)?).reduced(Reduction::Sum, &Along::dims(&[dim]))?.tensor()
}

/// PyTorch's `pairwise_distance`: the norms of rows of differences, to which a number is added.
pub(super) fn pairwise_distance(left: &RawTensor, right: &RawTensor, p: f64, apart: f64, keep: Keep) -> Result<RawTensor> {
    let difference = binary(Op::Add, &binary(Op::Sub, &left.into(), right), apart);
    difference.reduced(Reduction::Norm, &Along::dims(&[-1]).keep(keep).parameter(p))?.tensor()
}
