//! The gradients of views and of what moves elements about: put back to where they came from.

use latten_spec::operation::Op;
use num_complex::Complex;

use super::super::Function;
use super::super::argument::CallArgument;
use super::super::backward::Backward;
use super::super::value::{Value, binary};
use super::{missing, one, zeros};
use crate::create::Options;
use crate::device::Device;
use crate::error::Result;
use crate::geometry::reshape::Reshaped;
use crate::geometry::split::Cuts;
use crate::geometry::strides::{is_contiguous, is_non_overlapping_and_dense};
use crate::geometry::{Geometry, strided_nbytes, wrap_dim};
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::views::{Entry, Span, signed};

/// PyTorch's `reshape`.
pub(super) fn reshaped(tensor: &RawTensor, sizes: &[isize]) -> Result<RawTensor> {
    one(Function::Reshape, &[tensor.into(), sizes.into()])
}

/// The same, to the sizes of another tensor.
pub(super) fn as_sized(tensor: &RawTensor, sizes: &[usize]) -> Result<RawTensor> {
    reshaped(tensor, &signed(sizes))
}

pub(super) fn expanded(tensor: &RawTensor, sizes: &[usize]) -> Result<RawTensor> {
    one(Function::Expand, &[tensor.into(), signed(sizes)[..].into()])
}

pub(super) fn unsqueezed(tensor: &RawTensor, dim: isize) -> Result<RawTensor> {
    // Of a dimension that the tensor has already, counted from the back, the place is one further on.
    one(Function::Unsqueeze, &[tensor.into(), dim.into()])
}

pub(super) fn transposed(tensor: &RawTensor, dim0: isize, dim1: isize) -> Result<RawTensor> {
    one(Function::Transpose, &[tensor.into(), dim0.into(), dim1.into()])
}

pub(super) fn permuted(tensor: &RawTensor, order: &[usize]) -> Result<RawTensor> {
    one(Function::Permute, &[tensor.into(), signed(order)[..].into()])
}

/// The dimensions in the order in which they were.
pub(super) fn permuted_back(tensor: &RawTensor, dims: &[isize]) -> Result<RawTensor> {
    let rank = tensor.rank();
    let mut inverse = vec![0; rank];
    for (place, &dim) in dims.iter().enumerate() {
        inverse[wrap_dim(dim, rank)?] = place;
    }
    permuted(tensor, &inverse)
}

pub(super) fn narrowed(tensor: &RawTensor, dim: isize, start: usize, length: usize) -> Result<RawTensor> {
    one(Function::Narrow, &[tensor.into(), dim.into(), start.cast_signed().into(), length.cast_signed().into()])
}

/// Zeros, with a gradient where a view of them lies.
pub(super) fn placed(g: &RawTensor, sizes: &[usize], view: impl FnOnce(&RawTensor) -> Result<RawTensor>) -> Result<RawTensor> {
    let there = view(&like_meta(g, sizes)?)?;
    let (whole, offset) = (zeros(g, sizes)?, there.storage_offset().cast_signed());
    let (sizes, strides) = (signed(there.sizes()), signed(there.strides()));
    one(Function::AsStridedScatter, &[(&whole).into(), g.into(), sizes[..].into(), strides[..].into(), offset.into()])
}

/// A row-major tensor without data.
fn like_meta(g: &RawTensor, sizes: &[usize]) -> Result<RawTensor> {
    RawTensor::empty(sizes, &Geometry::contiguous(sizes).strides, g.dtype(), Device::META)
}

/// Zeros, to which a gradient is added where a view of them lies that may have elements twice.
pub(super) fn added(g: &RawTensor, sizes: &[usize], view: impl FnOnce(&RawTensor) -> Result<RawTensor>) -> Result<RawTensor> {
    let there = view(&like_meta(g, sizes)?)?;
    let whole = zeros(g, &[sizes.iter().product()])?;
    as_sized(&add_strided(&whole, g, &there)?, sizes)
}

/// A row of elements, to which a gradient is added at the places of a geometry.
pub(in super::super) fn add_strided(whole: &RawTensor, g: &RawTensor, there: &RawTensor) -> Result<RawTensor> {
    let places = RawTensor::arange(0.into(), whole.numel().into(), 1.into(), &Options::new().device(g.device())?)?;
    let places = places.as_strided(&signed(there.sizes()), &signed(there.strides()), Some(there.storage_offset().cast_signed()))?;
    let (places, g) = (places.reshape(&[-1])?, reshaped(g, &[-1])?);
    one(Function::ScatterAdd, &[whole.into(), 0_isize.into(), (&places).into(), (&g).into()])
}

/// The gradient of `as_strided`: it goes to places of the storage, and from there to the tensor. Elements that the tensor has twice share it.
pub(super) fn restrided(g: &RawTensor, backward: &Backward<'_>) -> Result<RawTensor> {
    let (Some(CallArgument::Tensor(input)), Some(result)) = (backward.arguments.first(), backward.results.first()) else {
        return Err(missing("as_strided of no tensor"));
    };
    let end = |tensor: &RawTensor| tensor.geometry().needed_bytes(1);
    let whole = zeros(g, &[end(input)?.max(end(result)?)])?;
    let base = add_strided(&whole, g, result)?;
    let back = |base: &RawTensor| {
        let (sizes, strides, offset) = (signed(input.sizes()), signed(input.strides()), input.storage_offset().cast_signed());
        one(Function::AsStrided, &[base.into(), sizes[..].into(), strides[..].into(), offset.into()])
    };
    let found = back(&base)?;
    if is_non_overlapping_and_dense(input.sizes(), input.strides()) || input.numel() == 0 {
        return Ok(found);
    }
    let ones = zeros(g, input.sizes())?;
    ones.fill_(1.0)?;
    let often = back(&add_strided(&whole, &ones, input)?)?;
    binary(Op::Div, &found.into(), Value::from(often)).tensor()
}

/// The pieces that a tensor was cut into along a dimension; those without a gradient are zeros.
pub(super) fn rejoined(backward: &Backward<'_>, dim: isize) -> Result<RawTensor> {
    let all = all_of(backward.gradients, backward.results)?;
    one(Function::Cat, &[CallArgument::Tensors(&all.iter().collect::<Vec<_>>()), dim.into()])
}

/// The pieces that a tensor was cut into before each of some indices. Where these don't ascend, pieces overlap.
pub(super) fn resliced(backward: &Backward<'_>, sizes: &[usize], dim: isize, indices: &[isize]) -> Result<RawTensor> {
    let along = wrap_dim(dim, sizes.len())?;
    if backward.results.iter().map(|piece| piece.sizes()[along]).sum::<usize>() == sizes[along] {
        return rejoined(backward, dim);
    }
    let mut whole: Option<Value> = None;
    for (at, g) in backward.gradients.iter().enumerate() {
        let Some(g) = g else { continue };
        let piece = |whole: &RawTensor| Ok(whole.tensor_split(Cuts::Indices(indices), dim)?.swap_remove(at));
        let part = Value::from(placed(g, sizes, piece)?);
        whole = Some(match whole {
            None => part,
            Some(whole) => binary(Op::Add, &whole, part),
        });
    }
    whole.ok_or_else(|| missing("a gradient is missing"))?.tensor()
}

/// The same of pieces without that dimension.
pub(super) fn restacked(backward: &Backward<'_>, dim: isize) -> Result<RawTensor> {
    let all = all_of(backward.gradients, backward.results)?;
    one(Function::Stack, &[CallArgument::Tensors(&all.iter().collect::<Vec<_>>()), dim.into()])
}

fn all_of(gradients: &[Option<RawTensor>], pieces: &[&RawTensor]) -> Result<Vec<RawTensor>> {
    let like = gradients.iter().flatten().next().ok_or_else(|| missing("a gradient is missing"))?;
    gradients.iter().zip(pieces).map(|(gradient, piece)| gradient.clone().map_or_else(|| zeros(like, piece.sizes()), Ok)).collect()
}

/// The node of a reshape: a view where there can be one.
pub(super) fn reshape_node(input: &RawTensor, shape: &[isize]) -> &'static str {
    reshaped_node(input, input.geometry().view(shape).is_ok())
}

fn reshaped_node(input: &RawTensor, is_view: bool) -> &'static str {
    match is_view {
        true if is_contiguous(input.sizes(), input.strides(), MemoryFormat::Contiguous) => "ViewBackward0",
        true => "ReshapeAliasBackward0",
        false => "UnsafeViewBackward0",
    }
}

/// The node of a `flatten`: the same.
pub(super) fn flatten_node(input: &RawTensor, start: isize, end: isize) -> &'static str {
    reshaped_node(input, matches!(input.geometry().flatten(start, end), Ok(Reshaped::View(_))))
}

/// The node of an index, which is that of its last entry.
pub(super) fn index_node(index: &[Entry]) -> &'static str {
    // As in PyTorch, what takes a whole dimension is no slice.
    let whole = |entry: &Entry| matches!(entry, Entry::Ellipsis | Entry::Span(Span { start: None, end: None, step: 1 }));
    match index.iter().rfind(|entry| !whole(entry)) {
        Some(Entry::At(_)) => "SelectBackward0",
        Some(Entry::Span(_)) => "SliceBackward0",
        Some(Entry::NewAxis) => "UnsqueezeBackward0",
        _ => "AliasBackward0",
    }
}

/// The node of a slice along one dimension: as in PyTorch's `x[:, start:end]`, that of an alias where it takes all.
pub(super) fn slice_node(input: &RawTensor, dim: isize, start: Option<isize>, end: Option<isize>, step: isize) -> &'static str {
    let takes_all = step == 1 && input.slice(dim, start, end, step).is_ok_and(|slice| slice.sizes() == input.sizes());
    if takes_all { "AliasBackward0" } else { "SliceBackward0" }
}

/// A gradient of an imaginary part.
pub(super) fn turned(g: &RawTensor) -> Value {
    binary(Op::Mul, &g.into(), Complex::new(0.0, 1.0))
}

/// A gradient as a row of elements that lie as those of the result do.
fn as_memory(g: &RawTensor, backward: &Backward<'_>) -> Result<(RawTensor, Vec<isize>)> {
    let result = backward.results.first().ok_or_else(|| missing("as_strided_scatter without a result"))?;
    let (sizes, strides) = (signed(result.sizes()), signed(result.strides()));
    let row = zeros(g, &[strided_nbytes(result.sizes(), result.strides(), 0, 1)?])?;
    let row = one(Function::AsStridedScatter, &[(&row).into(), g.into(), sizes[..].into(), strides[..].into(), 0_isize.into()])?;
    Ok((row, strides))
}

/// Which part of a tensor `as_strided` names: sizes, strides, and where it begins.
pub(super) type StridedPart<'p> = (&'p [isize], &'p [isize], Option<isize>);

/// The gradient of a tensor a part of which was replaced: zeros there.
pub(super) fn but_strided(g: &RawTensor, backward: &Backward<'_>, source: &[usize], part: StridedPart<'_>) -> Result<RawTensor> {
    let (row, strides) = as_memory(g, backward)?;
    let nothing = zeros(g, source)?;
    let offset = part.2.unwrap_or(0);
    let row = one(Function::AsStridedScatter, &[(&row).into(), (&nothing).into(), part.0.into(), part.1.into(), offset.into()])?;
    one(Function::AsStrided, &[(&row).into(), signed(g.sizes())[..].into(), strides[..].into(), 0_isize.into()])
}

/// And of what it was replaced by.
pub(super) fn strided(g: &RawTensor, backward: &Backward<'_>, part: StridedPart<'_>) -> Result<RawTensor> {
    let (row, _) = as_memory(g, backward)?;
    one(Function::AsStrided, &[(&row).into(), part.0.into(), part.1.into(), part.2.unwrap_or(0).into()])
}

/// The gradient of a tensor of numbers viewed as complex ones, and the other way round.
pub(super) fn as_complex(g: &RawTensor) -> Result<RawTensor> {
    let dense = one(Function::Contiguous, &[g.into()])?;
    one(Function::ViewAsComplex, &[(&dense).into()])
}

pub(super) fn as_real(g: &RawTensor) -> Result<RawTensor> {
    one(Function::ViewAsReal, &[g.into()])
}
