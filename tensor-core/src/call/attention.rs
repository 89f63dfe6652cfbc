//! Attention: which values count how much for each query, by their keys.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::curves::chosen;
use super::value::{Value, binary};
use super::{CallArgument, Function, named, one};
use crate::create::Options;
use crate::dtype::cpp_name;
use crate::error::{Error, Result};
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep};

/// What attention is told.
#[derive(Clone, Copy)]
pub(super) struct Attention {
    pub(super) dropout: f64,
    /// Whether a query sees no key behind its own place.
    pub(super) causal: bool,
    pub(super) scale: Option<f64>,
    /// Whether several heads of queries share one of keys and values.
    pub(super) grouped: bool,
}

fn check([query, key, value]: [&RawTensor; 3]) -> Result<()> {
    if [key, value].iter().any(|tensor| tensor.dtype() != query.dtype()) {
        let [first, second, third] = [query, key, value].map(|tensor| cpp_name(tensor.dtype()));
        return Err(Error::runtime(format!(
            "Expected query, key, and value to have the same dtype, but got query.dtype: {first} key.dtype: {second} and value.dtype: {third} \
             instead."
        )));
    }
    if [query, key, value].iter().any(|tensor| tensor.rank() < 2) {
        let [first, second, third] = [query, key, value].map(RawTensor::rank);
        return Err(Error::runtime(format!(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {first} key.dim: {second} and value.dim: \
             {third} instead."
        )));
    }
    Ok(())
}

/// Keys or values for each head of queries, of which several share one.
fn repeated(query: &RawTensor, tensor: &RawTensor) -> Result<RawTensor> {
    let (own, there) = (query.sizes()[query.rank() - 3], tensor.sizes()[tensor.rank() - 3]);
    if there == 0 || own % there != 0 {
        return Err(Error::runtime("Number of heads in key and value must divide the number of heads in query"));
    }
    one(Function::RepeatInterleave, &[tensor.into(), (own / there).cast_signed().into(), CallArgument::Int(-3)])
}

/// PyTorch's `scaled_dot_product_attention`.
pub(super) fn attention([query, key, value]: [&RawTensor; 3], mask: Option<&RawTensor>, how: Attention) -> Result<RawTensor> {
    check([query, key, value])?;
    if mask.is_some() && how.causal {
        return Err(Error::runtime("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"));
    }
    if let Some(mask) = mask.filter(|mask| ![DType::Bool, DType::F32, query.dtype()].contains(&mask.dtype())) {
        let [found, own] = [mask, query].map(|tensor| cpp_name(tensor.dtype()));
        return Err(Error::runtime(format!(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: {found} and  query.dtype: {own} \
             instead."
        )));
    }
    let grouped = how.grouped && [query, key, value].iter().all(|tensor| tensor.rank() >= 3);
    let (key, value) = if grouped { (repeated(query, key)?, repeated(query, value)?) } else { (key.clone(), value.clone()) };
    attended([query, &key, &value], mask, how)
}

/// The values that count for each query.
fn attended([query, key, value]: [&RawTensor; 3], mask: Option<&RawTensor>, how: Attention) -> Result<RawTensor> {
    let scores = scores(query, key, mask, how)?;
    let mut shares = scores.then(Function::Softmax, &[CallArgument::Int(-1)])?;
    // A query that sees nothing gets nothing.
    if mask.is_some() || how.causal {
        let blind = binary(Op::Eq, &scores, f64::NEG_INFINITY);
        let blind = blind.reduced(Reduction::All, &Along::dims(&[-1]).keep(Keep::Yes))?;
        shares = Value::from(chosen(blind, 0.0, shares).tensor()?);
    }
    if how.dropout > 0.0 {
        shares = shares.then(Function::Dropout, &[CallArgument::Number(how.dropout.into()), CallArgument::Flag(true)])?;
    }
    let value = Value::from(value).cast(query.dtype().computing()).tensor()?;
    Value::from(shares.then(Function::Matmul, &[(&value).into()])?.tensor()?).cast(query.dtype()).tensor()
}

/// How much queries and keys have in common, where those are seen.
fn scores(query: &RawTensor, key: &RawTensor, mask: Option<&RawTensor>, how: Attention) -> Result<Value> {
    let wide = query.dtype().computing();
    let [rows, width] = [query.sizes()[query.rank() - 2], query.sizes()[query.rank() - 1]];
    let columns = key.sizes()[key.rank() - 2];
    let scale = how.scale.unwrap_or(1.0 / (width as f64).sqrt());
    let turned = Value::from(key).cast(wide).then(Function::Transpose, &[CallArgument::Int(-2), CallArgument::Int(-1)])?.tensor()?;
    let products = Value::from(query).cast(wide).then(Function::Matmul, &[(&turned).into()])?;
    let mut scores = binary(Op::Mul, &products, scale);
    if how.causal {
        let options = Options { dtype: Some(DType::Bool), device: Some(query.device()), format: None };
        let all = RawTensor::full(&[rows, columns], true.into(), &options)?;
        let seen = one(Function::Tril, &[(&all).into()])?;
        scores = chosen(seen.into(), scores, f64::NEG_INFINITY);
    }
    if let Some(mask) = mask {
        scores = if mask.dtype() == DType::Bool {
            chosen(mask.into(), scores, f64::NEG_INFINITY)
        } else {
            binary(Op::Add, &scores, Value::from(mask).cast(wide))
        };
    }
    scores.tensor().map(Value::from)
}

/// PyTorch's `_scaled_dot_product_flash_attention_for_cpu`: what attention gives, and the logarithms of what its scores were divided by, which have
/// no gradients.
pub(super) fn flash([query, key, value]: [&RawTensor; 3], mask: Option<&RawTensor>, how: Attention) -> Result<(RawTensor, RawTensor)> {
    let refused = |text: &str| Err(Error::runtime(format!("scaled_dot_product_attention_flash_attention: {text}")));
    if !query.dtype().is_floating_point() {
        let found = query.dtype().message_name();
        return refused(&format!("Expected data type in FP32, FP64, BF16, FP16, but got {found} instead."));
    }
    if [query, key, value].iter().any(|tensor| tensor.rank() != 4) {
        return refused("Accept only 4 dims inputs shape of {B, H, T, K}");
    }
    if how.dropout > 0.0 {
        return refused("Currently do not support dropout > 0");
    }
    if [key, value].iter().any(|tensor| tensor.sizes()[3] != query.sizes()[3]) {
        return refused("Q/K/V should have the same head size");
    }
    if let Some(mask) = mask {
        if ![query.dtype(), query.dtype().computing()].contains(&mask.dtype()) {
            return refused("Attention mask is the same data type as query");
        }
        if mask.rank() != 2 && mask.rank() != 4 {
            return refused("Attention mask dim in {2, 4}");
        }
    }
    if let Some(other) = [key, value].iter().find(|tensor| tensor.dtype() != query.dtype()) {
        return Err(Error::runtime(format!("expected scalar type {} but found {}", named(query), named(other))));
    }
    let (key, value) = (repeated(query, key)?, repeated(query, value)?);
    let known = [query, &key].map(RawTensor::detach);
    let sums = scores(&known[0], &known[1], mask.map(RawTensor::detach).as_ref(), how)?;
    let sums = sums.reduced(Reduction::Logsumexp, &Along::dims(&[-1]))?;
    // They lie step by step.
    let turned = |value: &Value| value.then(Function::Transpose, &[1.into(), 2.into()]);
    let sums = turned(&turned(&sums)?.then(Function::Contiguous, &[])?)?.tensor()?;
    Ok((attended([query, &key, &value], mask, how)?, sums))
}
