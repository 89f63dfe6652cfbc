//! Tensors that become a view of themselves, and calls in which tensors say what else numbers say: declared in terms of the calls that take
//! these. The rows are in `latten_spec::call::views` and `elements`.

use std::sync::Arc;

use latten_spec::DType;

use super::{Call, CallArgument, Function, Outcome, one, run};
use crate::device::Device;
use crate::elementwise::RawOperand;
use crate::error::{Error, Result};
use crate::raw::RawTensor;
use crate::raw::history::Extent;

/// A tensor becomes a view of itself, after a check of its new sizes. No element changes.
pub(super) fn turned_into(
    tensor: &mut RawTensor,
    check: impl FnOnce(&[usize]) -> Result<()>,
    view: impl FnOnce(&RawTensor) -> Result<RawTensor>,
) -> Result<()> {
    let turned = view(tensor)?.geometry;
    check(&turned.sizes)?;
    // The call that is recorded holds the history once more.
    if let Some(history) = tensor.history.as_ref().filter(|history| Arc::strong_count(history) > 2) {
        let sizes = &history.state().extent.geometry.sizes;
        return Err(Error::not_implemented(format!(
            "a tensor of size {sizes:?} that gradients concern is to lie otherwise in place, but it has views or is held twice: the others' \
             gradients would go astray"
        )));
    }
    tensor.geometry = turned;
    if let Some(history) = &tensor.history {
        history.state().extent = Extent::of(tensor);
    }
    Ok(())
}

/// The tensor, if it isn't more than a matrix.
pub(super) fn two_at_most(tensor: &RawTensor) -> Result<&RawTensor> {
    match tensor.rank() {
        0..=2 => Ok(tensor),
        rank => Err(Error::runtime(format!("t_() expects a tensor with <= 2 dimensions, but self is {rank}D"))),
    }
}

/// PyTorch's `narrow` from where a tensor says.
pub(super) fn narrow_from(input: &RawTensor, dim: isize, start: &RawTensor, length: isize) -> Result<RawTensor> {
    if start.rank() != 0 || !start.dtype().is_integral() || start.dtype() == DType::Bool {
        return Err(Error::runtime("start must be an 0-dim integral Tensor."));
    }
    let start = start.item()?.to_f64() as isize;
    one(Function::Narrow, &[input.into(), dim.into(), start.into(), length.into()])
}

/// PyTorch's `tensor_split` by a tensor: in so many parts, or at those places.
pub(super) fn tensor_split_by(input: &RawTensor, cuts: &RawTensor, dim: isize) -> Result<Vec<RawTensor>> {
    let refused = |expected: &str, found: &str| {
        Err(Error::runtime(format!("tensor_split expected tensor_indices_or_sections to {expected}, but {found}")))
    };
    if cuts.device() != Device::CPU {
        return refused("be on cpu", &format!("it's on {}", cuts.device()));
    }
    if cuts.dtype() != DType::I64 {
        return refused("have dtype of long", &format!("got {}", cuts.dtype().message_name()));
    }
    if cuts.rank() > 1 {
        return refused("be a zero-dimensional or one-dimensional tensor", &format!("got a tensor with {} dims", cuts.rank()));
    }
    let numbers: Vec<isize> = cuts.numbers::<i64>()?.into_iter().map(|place| place as isize).collect();
    let (row, cuts) = match numbers[..] {
        [sections] if cuts.rank() == 0 => (Function::TensorSplit, sections.into()),
        _ => (Function::TensorSplitAt, CallArgument::Ints(&numbers)),
    };
    run(Call::new(row, &[input.into(), cuts, dim.into()]))?.several()
}

/// PyTorch's `nonzero` as it is, or with a row for each dimension.
pub(super) fn nonzero_as(input: &RawTensor, rows: bool) -> Result<Outcome> {
    if !rows {
        return one(Function::Nonzero, &[input.into()]).map(Outcome::Tensor);
    }
    let input = if input.rank() == 0 { input.unsqueeze(0)? } else { input.clone() };
    let places = one(Function::Nonzero, &[(&input).into()])?;
    run(Call::new(Function::Unbind, &[(&places).into(), 1.into()]))
}

/// A result of `repeat_interleave`, if it has the size that the caller named.
pub(super) fn repeated(
    result: RawTensor,
    dim: Option<isize>,
    size: Option<isize>,
    refused: impl FnOnce(isize, isize) -> String,
) -> Result<RawTensor> {
    let Some(size) = size else { return Ok(result) };
    let own = match dim {
        Some(dim) => result.sizes()[crate::geometry::wrap_dim(dim, result.rank())?],
        None => result.numel(),
    };
    if own.cast_signed() == size { Ok(result) } else { Err(Error::runtime(refused(own.cast_signed(), size))) }
}

/// The ends of `linspace` and `logspace`: numbers, or tensors that are one.
pub(super) fn ends(name: &str, ends: [RawOperand<'_>; 2]) -> Result<[f64; 2]> {
    let ranks = ends.map(|end| end.tensor().map(RawTensor::rank));
    if ranks.iter().flatten().any(|&rank| rank > 0) {
        let of = |(end, rank): (&str, Option<usize>)| rank.map(|rank| format!("{end} with {rank} dimension(s)"));
        // Where both are tensors the first one is named, too.
        let named: Vec<String> = ["start", "end"].into_iter().zip(ranks).filter_map(of).collect();
        return Err(Error::runtime(format!("{name} only supports 0-dimensional start and end tensors, but got {}.", named.join(" and "))));
    }
    let [start, end] = ends.map(|end| match end {
        RawOperand::Tensor(tensor) => tensor.item(),
        RawOperand::Scalar(number) => Ok(number),
    });
    let real = |number: crate::scalar::Scalar| match number {
        crate::scalar::Scalar::Complex(z) if z.im != 0.0 => {
            Err(Error::not_implemented(format!("{name} isn't there between complex numbers, but got {} + {}i", z.re, z.im)))
        }
        number => Ok(number.to_f64()),
    };
    Ok([real(start?)?, real(end?)?])
}
