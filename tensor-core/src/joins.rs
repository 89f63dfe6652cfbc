//! Tensors laid end to end in a new one: `cat`, `stack` and their kin, on erased tensors. What only rearranges one tensor is in
//! [`arrangements`](crate::arrangements).

use latten_spec::{DType, Level, can_cast};

use crate::copy::copy_held;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::geometry::overlap::{Relation, check_output_overlap, partial_overlap_error};
use crate::geometry::strides::{is_non_overlapping_and_dense, strides_for, suggest_memory_format};
use crate::geometry::{Dims, Geometry, LARGEST, checked_sizes, wrap_dim};
use crate::layout::MemoryFormat;
use crate::outputs::held;
use crate::plan::Target;
use crate::raw::RawTensor;
use crate::storage::Access;
use crate::strictness;
use crate::views::signed;

/// What `cat` gives, before it is computed.
#[derive(Debug)]
struct Joined {
    dim: usize,
    sizes: Dims,
    dtype: DType,
    format: MemoryFormat,
    device: Device,
}

/// A tensor of no elements in one dimension goes with any others, as it always did in PyTorch.
fn is_skipped(tensor: &RawTensor) -> bool {
    tensor.sizes() == [0]
}

fn is_beside(tensor: &RawTensor, first: &RawTensor, dim: usize, position: usize) -> Result<()> {
    if tensor.rank() != first.rank() {
        let (first, this) = (first.rank(), tensor.rank());
        return Err(Error::runtime(format!("Tensors must have same number of dimensions: got {first} and {this}")));
    }
    let differs = |&(d, (expected, size)): &(usize, (&usize, &usize))| d != dim && expected != size;
    match first.sizes().iter().zip(tensor.sizes()).enumerate().find(differs) {
        None => Ok(()),
        Some((_, (expected, size))) => Err(Error::runtime(format!(
            "Sizes of tensors must match except in dimension {dim}. Expected size {expected} but got size {size} for tensor number \
             {position} in the list."
        ))),
    }
}

/// The memory format that all of the tensors have; row-major where they differ.
fn common_format(tensors: &[&RawTensor]) -> MemoryFormat {
    let mut formats = tensors.iter().map(|tensor| suggest_memory_format(tensor.sizes(), tensor.strides()));
    let first = formats.next().unwrap_or(MemoryFormat::Contiguous);
    if formats.all(|format| format == first) { first } else { MemoryFormat::Contiguous }
}

impl Joined {
    /// Checks a call in PyTorch's order. The dtype is that of the output, where there is one.
    fn new(tensors: &[&RawTensor], dim: isize, output: Option<DType>) -> Result<Self> {
        let Some(&any) = tensors.first() else {
            return Err(Error::value("torch.cat(): expected a non-empty list of Tensors"));
        };
        if let Some(at) = tensors.iter().position(|tensor| tensor.rank() == 0) {
            return Err(Error::runtime(format!("zero-dimensional tensor (at position {at}) cannot be concatenated")));
        }
        let first = tensors.iter().find(|tensor| !is_skipped(tensor));
        let dim = first.map_or(Ok(0), |first| wrap_dim(dim, first.rank()))?;
        let promoted = strictness::promote(tensors.iter().map(|tensor| (Level::Dimensioned, tensor.dtype())))?;
        if let Some(output) = output.filter(|&output| !can_cast(promoted, output)) {
            let output = output.message_name();
            return Err(Error::type_error(format!("torch.cat(): input types can't be cast to the desired output type {output}")));
        }
        let mut sizes = Dims::from_elem(0, 1);
        if let Some(first) = first {
            sizes = first.sizes().into();
            sizes[dim] = 0;
            for (position, tensor) in tensors.iter().enumerate().filter(|(_, tensor)| !is_skipped(tensor)) {
                is_beside(tensor, first, dim, position)?;
                sizes[dim] = sizes[dim].wrapping_add(tensor.sizes()[dim]);
                if sizes[dim] > LARGEST {
                    checked_sizes(&signed(&sizes))?;
                }
            }
        }
        let device = any.device();
        if let Some(other) = tensors.iter().find(|tensor| tensor.device() != device) {
            return Err(elsewhere(other, device));
        }
        Ok(Self { dim, sizes, dtype: output.unwrap_or(promoted), format: common_format(tensors), device })
    }

    /// Joins them where the target says.
    fn join(self, tensors: &[&RawTensor], to: Target<'_>) -> Result<RawTensor> {
        let Some(out) = to.tensor() else {
            let output = to.as_it_lies(&self.sizes, &strides_for(self.format, &self.sizes)?, self.dtype, self.device)?;
            return self.write(tensors, &output).map(|()| output);
        };
        to.admits(&self.sizes)?;
        if out.device() != self.device {
            return Err(elsewhere(out, self.device));
        }
        let mut output = out.clone();
        if out.sizes() != &*self.sizes {
            output.geometry.strides = strides_for(self.format, &self.sizes)?;
            output.geometry.sizes.clone_from(&self.sizes);
        }
        let inputs = apart(tensors, &output)?;
        output.fit_storage()?;
        self.write(&inputs.iter().collect::<Vec<_>>(), &output)?;
        Ok(output)
    }

    /// Writes the tensors into an output that none of them overlaps.
    fn write(&self, tensors: &[&RawTensor], output: &RawTensor) -> Result<()> {
        if output.is_meta() {
            return Ok(());
        }
        let tensors: Vec<&RawTensor> = tensors.iter().copied().filter(|tensor| !is_skipped(tensor)).collect();
        let mut start = 0;
        let mut pieces = Vec::with_capacity(tensors.len());
        for tensor in &tensors {
            let len = tensor.sizes()[self.dim].cast_signed();
            pieces.push(output.narrow(self.dim.cast_signed(), start, len)?);
            start += len;
        }
        if output.is_on_cuda() {
            return pieces.iter().zip(&tensors).try_for_each(|(piece, tensor)| piece.copy_(tensor));
        }
        let all = |access: &Access<'_>| pieces.iter().zip(&tensors).try_for_each(|(piece, tensor)| copy_held(access, tensor, piece));
        held(&[output], &tensors, |_| Ok(()), all)
    }
}

fn elsewhere(tensor: &RawTensor, expected: Device) -> Error {
    Error::runtime(format!("Tensor on device {} is not on the expected device {expected}!", tensor.device()))
}

/// PyTorch's `cat`: tensors end to end along a dimension, in the dtype that they promote to. The result is in channels-last format
/// where all of them are, else row-major.
///
/// # Errors
/// Where there is none, their sizes differ in another dimension, or the output has a dtype that theirs don't fit or memory that overlaps theirs.
pub fn cat(tensors: &[&RawTensor], dim: isize, to: Target<'_>) -> Result<RawTensor> {
    Joined::new(tensors, dim, to.tensor().map(RawTensor::dtype))?.join(tensors, to)
}

/// The tensors as they are, or as copies where writing the output would change them. PyTorch refuses the plain cases and computes
/// garbage in the others.
fn apart(tensors: &[&RawTensor], output: &RawTensor) -> Result<Vec<RawTensor>> {
    if output.is_meta() {
        return Ok(tensors.iter().map(|&tensor| tensor.clone()).collect());
    }
    check_output_overlap(output.geometry())?;
    let is_dense = |geometry: &Geometry| is_non_overlapping_and_dense(&geometry.sizes, &geometry.strides);
    let one = |tensor: &&RawTensor| match tensor.relation_to(output) {
        Relation::Disjoint => Ok((*tensor).clone()),
        Relation::PartialDense => Err(partial_overlap_error()),
        Relation::Identical if is_dense(output.geometry()) => Err(partial_overlap_error()),
        Relation::Identical | Relation::Mixed => tensor.clone_as(MemoryFormat::Preserve),
    };
    tensors.iter().map(one).collect()
}

/// What `stack` joins, the dimension that it joins along, and the sizes of its result.
fn stacked(tensors: &[&RawTensor], dim: isize) -> Result<(usize, Dims)> {
    let Some(first) = tensors.first() else {
        return Err(Error::runtime("stack expects a non-empty TensorList"));
    };
    let dim = wrap_dim(dim, first.rank() + 1)?;
    if let Some(at) = tensors.iter().position(|tensor| tensor.sizes() != first.sizes()) {
        let (one, other) = (first.sizes(), tensors[at].sizes());
        return Err(Error::runtime(format!(
            "stack expects each tensor to be equal size, but got {one:?} at entry 0 and {other:?} at entry {at}"
        )));
    }
    let mut sizes = Dims::from_slice(first.sizes());
    sizes.insert(dim, tensors.len());
    Ok((dim, sizes))
}

/// PyTorch's `stack`: tensors of one shape, beside each other along a new dimension.
///
/// # Errors
/// Where there is none, their shapes differ, or as for [`cat`].
pub fn stack(tensors: &[&RawTensor], dim: isize, to: Target<'_>) -> Result<RawTensor> {
    let (dim, sizes) = stacked(tensors, dim)?;
    let splits = dim + 1 < sizes.len();
    // As in PyTorch, this decides the strides: a new dimension that isn't the last one splits the dimension of a `cat`.
    if splits && to.is_new() {
        return cat(tensors, dim.cast_signed(), to)?.view(&signed(&sizes));
    }
    let layers = tensors.iter().map(|tensor| tensor.unsqueeze(dim.cast_signed())).collect::<Result<Vec<_>>>()?;
    let layers: Vec<&RawTensor> = layers.iter().collect();
    let mut joined = Joined::new(&layers, dim.cast_signed(), to.tensor().map(RawTensor::dtype))?;
    if splits {
        joined.format = MemoryFormat::Contiguous;
    }
    joined.join(&layers, to)
}

/// The dimensions of size 1 that a tensor gets until it has so many, and whether each stands behind the others: a row becomes a matrix by one
/// in front, a matrix becomes a block by one behind.
pub(crate) fn added_dims(own: usize, rank: usize) -> impl Iterator<Item = bool> {
    [false, false, true].into_iter().take(rank).skip(own)
}

/// The tensors with at least that many dimensions, as `atleast_1d`, `atleast_2d` and `atleast_3d` add them.
fn at_least(rank: usize, tensors: &[&RawTensor], op: &str) -> Result<Vec<RawTensor>> {
    if tensors.is_empty() {
        return Err(Error::runtime(format!("{op} expects a non-empty TensorList")));
    }
    let one = |tensor: &&RawTensor| {
        let mut tensor = (*tensor).clone();
        for behind in added_dims(tensor.rank(), rank) {
            tensor = tensor.unsqueeze(if behind { -1 } else { 0 })?;
        }
        Ok(tensor)
    };
    tensors.iter().map(one).collect()
}

fn cat_all(tensors: &[RawTensor], dim: isize, to: Target<'_>) -> Result<RawTensor> {
    cat(&tensors.iter().collect::<Vec<_>>(), dim, to)
}

/// PyTorch's `hstack`: along the second dimension, or the only one.
///
/// # Errors
/// As [`cat`].
pub fn hstack(tensors: &[&RawTensor], to: Target<'_>) -> Result<RawTensor> {
    let tensors = at_least(1, tensors, "hstack")?;
    cat_all(&tensors, if tensors[0].rank() == 1 { 0 } else { 1 }, to)
}

/// PyTorch's `vstack`: rows below each other.
///
/// # Errors
/// As [`cat`].
pub fn vstack(tensors: &[&RawTensor], to: Target<'_>) -> Result<RawTensor> {
    cat_all(&at_least(2, tensors, "vstack")?, 0, to)
}

/// PyTorch's `dstack`: along the third dimension.
///
/// # Errors
/// As [`cat`].
pub fn dstack(tensors: &[&RawTensor], to: Target<'_>) -> Result<RawTensor> {
    cat_all(&at_least(3, tensors, "dstack")?, 2, to)
}

/// PyTorch's `column_stack`: vectors as the columns of a matrix.
///
/// # Errors
/// As [`cat`].
pub fn column_stack(tensors: &[&RawTensor], to: Target<'_>) -> Result<RawTensor> {
    let column =
        |tensor: &&RawTensor| if tensor.rank() < 2 { tensor.view(&[tensor.numel().cast_signed(), 1]) } else { Ok((*tensor).clone()) };
    if tensors.is_empty() {
        return Err(Error::runtime("column_stack expects a non-empty TensorList"));
    }
    cat_all(&tensors.iter().map(column).collect::<Result<Vec<_>>>()?, 1, to)
}
