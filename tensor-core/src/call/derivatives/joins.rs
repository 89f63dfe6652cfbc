//! The gradients of what joins, repeats and arranges tensors.

use latten_spec::reduction::Reduction;

use super::super::Function;
use super::super::argument::CallArgument;
use super::super::value::Value;
use super::views::{as_sized, narrowed, reshaped};
use super::{one, zeros};
use crate::create::Options;
use crate::error::Result;
use crate::geometry::wrap_dim;
use crate::indexing::repeat_interleave_by;
use crate::raw::RawTensor;
use crate::reduce::Along;

type JoinedParts = Result<Vec<Option<RawTensor>>>;

/// Of `cat`: each tensor's part. PyTorch leaves out rows without elements.
pub(super) fn parts(g: &RawTensor, tensors: &[&RawTensor], dim: isize) -> JoinedParts {
    let mut start = 0;
    let part = |tensor: &&RawTensor| {
        if tensor.sizes() == [0] {
            return zeros(g, &[0]).map(Some);
        }
        let length = tensor.sizes()[wrap_dim(dim, g.rank())?];
        start += length;
        narrowed(g, dim, start - length, length).map(Some)
    };
    tensors.iter().map(part).collect()
}

/// Of `stack`.
pub(super) fn layers(g: &RawTensor, tensors: &[&RawTensor], dim: isize) -> JoinedParts {
    let layer = |place: usize| one(Function::Select, &[g.into(), dim.into(), place.cast_signed().into()]).map(Some);
    (0..tensors.len()).map(layer).collect()
}

/// Of a join of tensors that first got the rank of the result: so much of it belongs to each.
fn shares(g: &RawTensor, tensors: &[&RawTensor], dim: usize, length: impl Fn(&RawTensor) -> usize) -> JoinedParts {
    let mut start = 0;
    let share = |tensor: &&RawTensor| {
        let length = length(tensor);
        start += length;
        as_sized(&narrowed(g, dim.cast_signed(), start - length, length)?, tensor.sizes()).map(Some)
    };
    tensors.iter().map(share).collect()
}

/// Of `hstack`, which leaves out rows without elements where others have more dimensions.
pub(super) fn of_hstack(g: &RawTensor, tensors: &[&RawTensor]) -> JoinedParts {
    let dim = usize::from(g.rank() > 1);
    shares(g, tensors, dim, |tensor| tensor.sizes().get(dim).copied().unwrap_or(1 - dim))
}

pub(super) fn of_vstack(g: &RawTensor, tensors: &[&RawTensor]) -> JoinedParts {
    shares(g, tensors, 0, |tensor| if tensor.rank() > 1 { tensor.sizes()[0] } else { 1 })
}

pub(super) fn of_dstack(g: &RawTensor, tensors: &[&RawTensor]) -> JoinedParts {
    shares(g, tensors, 2, |tensor| tensor.sizes().get(2).copied().unwrap_or(1))
}

pub(super) fn of_column_stack(g: &RawTensor, tensors: &[&RawTensor]) -> JoinedParts {
    shares(g, tensors, 1, |tensor| if tensor.rank() > 1 { tensor.sizes()[1] } else { 1 })
}

/// Of `repeat`: the copies are summed.
pub(super) fn of_repeats(g: &RawTensor, sizes: &[usize], repeats: &[isize]) -> Result<RawTensor> {
    let new = repeats.len().saturating_sub(sizes.len());
    let mut shape = Vec::new();
    for (place, &repeat) in repeats.iter().enumerate() {
        let size = place.checked_sub(new).map_or(1, |own| sizes[own]);
        shape.extend([repeat, size.cast_signed()]);
    }
    let dims: Vec<isize> = (0..repeats.len()).map(|place| (2 * place).cast_signed()).collect();
    if dims.is_empty() || g.numel() == 0 {
        return if g.sizes() == sizes { Ok(g.clone()) } else { zeros(g, sizes) };
    }
    let summed = Value::from(reshaped(g, &shape)?).reduced(Reduction::Sum, &Along::dims(&dims))?.tensor()?;
    as_sized(&summed, sizes)
}

/// Of `tile`, which repeats further dimensions once.
pub(super) fn of_tiles(g: &RawTensor, sizes: &[usize], dims: &[isize]) -> Result<RawTensor> {
    let mut repeats = vec![1; sizes.len().saturating_sub(dims.len())];
    repeats.extend_from_slice(dims);
    of_repeats(g, sizes, &repeats)
}

/// Of `repeat_interleave`: what was made of an element is added to it.
pub(super) fn of_interleaved(g: &RawTensor, sizes: &[usize], repeats: &RawTensor, dim: Option<isize>) -> Result<RawTensor> {
    let flat = [sizes.iter().product()];
    let (whole, dim) = dim.map_or((&flat[..], 0), |dim| (sizes, dim));
    let count = if whole.is_empty() { 1 } else { whole[wrap_dim(dim, whole.len())?] };
    let own = RawTensor::arange(0.into(), count.into(), 1.into(), &Options::new().device(g.device())?)?;
    let repeats = if repeats.numel() == 1 { repeats.reshape(&[1])?.expand(&[count.cast_signed()])? } else { repeats.clone() };
    let places = repeat_interleave_by(&own, &repeats, Some(0))?;
    let into = zeros(g, whole)?;
    let summed = one(Function::IndexAdd, &[(&into).into(), dim.into(), (&places).into(), g.into()])?;
    as_sized(&summed, sizes)
}

/// The same where all elements are repeated as often.
pub(super) fn of_interleaved_alike(g: &RawTensor, sizes: &[usize], repeats: isize, dim: Option<isize>) -> Result<RawTensor> {
    of_interleaved(g, sizes, &RawTensor::full(&[1], repeats.into(), &Options::new().device(g.device())?)?, dim)
}

/// PyTorch's `roll`.
pub(super) fn rolled(g: &RawTensor, shifts: &[isize], dims: &[isize]) -> Result<RawTensor> {
    let back: Vec<isize> = shifts.iter().map(|shift| -shift).collect();
    one(Function::Roll, &[g.into(), back[..].into(), dims.into()])
}

/// PyTorch's `rot90`.
pub(super) fn rotated(g: &RawTensor, turns: isize, dims: Option<&[isize]>) -> Result<RawTensor> {
    one(Function::Rot90, &[g.into(), turns.into(), CallArgument::Ints(dims.unwrap_or(&[0, 1]))])
}

/// PyTorch's `movedim`.
pub(super) fn moved(g: &RawTensor, from: &[isize], to: &[isize]) -> Result<RawTensor> {
    one(Function::Movedim, &[g.into(), from.into(), to.into()])
}
