//! Elements by a mask: `masked_fill`, `masked_select`, and `nonzero`, which says where they are.

use latten_spec::DType;
use latten_spec::operation::Op;
use smallvec::SmallVec;

#[cfg(feature = "cuda")]
use super::on_device;
use super::{BLOCK, PART, Walk, as_bits, by_size, check_data, dense, each_block, pick, reader};
use crate::convert::Written;
use crate::dtype::cpp_name;
use crate::element::Native;
use crate::elementwise::{Operand, Params, apply_out};
use crate::error::{Error, Result};
use crate::geometry::Dims;
use crate::geometry::broadcast::{broadcast_shapes, check_output_shape};
use crate::geometry::overlap::{Relation, SelfOverlap, partial_overlap_error, self_overlap};
use crate::geometry::strides::contiguous_strides;
use crate::kernels::parts::{collect, hand_out};
use crate::kernels::places::PlacesMut;
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::storage::{Access, TypedStorage};
use crate::views::{broadcast_tensors, signed};

fn check_mask(mask: &RawTensor) -> Result<()> {
    if mask.dtype() == DType::Bool {
        return Ok(());
    }
    let dtype = cpp_name(mask.dtype());
    Err(Error::runtime(format!("masked_fill_ only supports boolean masks, but got mask with dtype {dtype}")))
}

/// The number that a value is: a tensor must have no dimensions.
fn number(value: Operand<'_>) -> Result<Scalar> {
    match value {
        Operand::Scalar(number) => Ok(number),
        Operand::Tensor(tensor) if tensor.rank() == 0 => tensor.item(),
        Operand::Tensor(tensor) => Err(Error::runtime(format!(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
            tensor.rank()
        ))),
    }
}

/// A number as an element of a dtype, which it must fit.
pub(super) fn as_element(number: Scalar, dtype: DType) -> Result<RawTensor> {
    number.check(dtype, Written::Many)?;
    RawTensor::from_scalar(number, dtype)
}

/// Puts the value where the mask holds, and the input's elements elsewhere.
fn blend(mask: &RawTensor, value: &RawTensor, input: &RawTensor, out: &RawTensor) -> Result<()> {
    let (value, input, mut out) = (as_bits(value), as_bits(input), as_bits(out));
    apply_out(Op::Where, &[mask.into(), (&value).into(), (&input).into()], &mut out, &Params::none()).map(drop)
}

/// PyTorch's `masked_fill`: a copy with a number wherever the mask holds. The tensor and the mask broadcast.
///
/// # Errors
/// Where the mask isn't bool, the shapes don't broadcast, or the number doesn't fit the dtype.
pub fn masked_fill(input: &RawTensor, mask: &RawTensor, value: Operand<'_>) -> Result<RawTensor> {
    let sizes = broadcast_shapes(&[mask.sizes(), input.sizes()])?;
    let value = number(value)?;
    check_mask(mask)?;
    let value = as_element(value, input.dtype())?;
    let out = dense(&sizes, input.dtype(), input)?;
    if !out.is_meta() {
        blend(mask, &value, input, &out)?;
    }
    Ok(out)
}

/// PyTorch's `masked_fill_`.
///
/// # Errors
/// As [`masked_fill`], and where the mask doesn't broadcast to the tensor's shape, or their memory overlaps; then nothing was changed.
pub fn masked_fill_in_place(tensor: &RawTensor, mask: &RawTensor, value: Operand<'_>) -> Result<()> {
    let value = number(value)?;
    check_mask(mask)?;
    let mask = match mask.relation_to(tensor) {
        Relation::PartialDense => return Err(partial_overlap_error()),
        Relation::Disjoint => mask.clone(),
        Relation::Identical | Relation::Mixed => mask.clone_as(MemoryFormat::Preserve)?,
    };
    check_output_shape(tensor.sizes(), &broadcast_shapes(&[tensor.sizes(), mask.sizes()])?)?;
    let value = as_element(value, tensor.dtype())?;
    if tensor.is_meta() || tensor.numel() == 0 {
        return Ok(());
    }
    if self_overlap(tensor.geometry()) == SelfOverlap::None {
        return blend(&mask, &value, tensor, tensor);
    }
    // An element that stands for several is filled if the mask holds for one of them.
    let trues = trues(&mask.expand(&signed(tensor.sizes()))?)?;
    by_size!(tensor.dtype(), T => fill_at::<T>(tensor, &value, &trues))
}

fn fill_at<T: Native>(tensor: &RawTensor, value: &RawTensor, elements: &[usize]) -> Result<()> {
    let access = Access::lock(&[tensor.storage()], &[value.storage()])?;
    tensor.check_inside()?;
    let value = crate::kernels::places::Places::<T>::new(&access, value.storage())?.get(0);
    let (walk, mut to) = (Walk::of(tensor), PlacesMut::<T>::new(&access, tensor.storage())?);
    elements.iter().for_each(|&element| to.set(walk.place(element), value));
    Ok(())
}

/// The elements that aren't zero, by their numbers in row-major order.
pub(super) fn trues(tensor: &RawTensor) -> Result<Vec<usize>> {
    let count = tensor.numel();
    if count == 0 {
        return Ok(Vec::new());
    }
    let access = Access::lock(&[], &[tensor.storage()])?;
    let truths = reader::<bool>(&access, tensor)?;
    let parts = collect(count.div_ceil(PART), |part| {
        let mut found = Vec::new();
        each_block(&truths, part * PART..count.min((part + 1) * PART), |first, block| {
            // Without a branch, so that it doesn't matter how the truths are mixed.
            let (mut some, mut len) = ([0; BLOCK], 0);
            for (at, &truth) in block.iter().enumerate() {
                some[len] = first + at;
                len += usize::from(truth);
            }
            found.extend_from_slice(&some[..len]);
        });
        found
    });
    Ok(parts.concat())
}

/// PyTorch's `masked_select`: the elements for which the mask holds, in one dimension. The tensor and the mask broadcast.
///
/// # Errors
/// Where the mask isn't bool, the shapes don't broadcast, and for meta tensors.
pub fn masked_select(input: &RawTensor, mask: &RawTensor) -> Result<RawTensor> {
    if mask.dtype() != DType::Bool {
        return Err(Error::runtime("masked_select: expected BoolTensor for mask"));
    }
    let both = broadcast_tensors(&[mask, input])?;
    check_data(mask, "masked_select")?;
    check_data(input, "masked_select")?;
    #[cfg(feature = "cuda")]
    if input.is_on_cuda() {
        return on_device::masked_select(&both[1], &both[0]);
    }
    let elements = trues(&both[0])?;
    let out = dense(&[elements.len()], input.dtype(), input)?;
    let walk = Walk::of(&both[1]);
    let access = Access::lock(&[], &[input.storage()])?;
    pick(&access, input, &out, 1, &|first, places| {
        places.iter_mut().zip(&elements[first..]).for_each(|(place, &element)| *place = walk.place(element));
    })?;
    Ok(out)
}

/// The coordinates of elements, which come in order.
struct Odometer<'a> {
    sizes: &'a [usize],
    at: SmallVec<[usize; 6]>,
    element: usize,
}

impl<'a> Odometer<'a> {
    fn new(sizes: &'a [usize]) -> Self {
        Self { sizes, at: SmallVec::from_elem(0, sizes.len()), element: 0 }
    }

    fn advance(&mut self, element: usize) -> &[usize] {
        let mut rest = element - self.element;
        self.element = element;
        for (at, &size) in self.at.iter_mut().zip(self.sizes).rev() {
            let sum = *at + rest;
            if sum < size {
                *at = sum;
                break;
            }
            (*at, rest) = (sum % size, sum / size);
        }
        &self.at
    }
}

/// PyTorch's `nonzero`, which is `argwhere`: the coordinates of all elements that aren't zero, a row for each.
///
/// # Errors
/// For meta tensors.
pub fn nonzero(input: &RawTensor) -> Result<RawTensor> {
    check_data(input, "nonzero")?;
    #[cfg(feature = "cuda")]
    if input.is_on_cuda() {
        return on_device::nonzero(input);
    }
    let elements = trues(input)?;
    let (count, rank) = (elements.len(), input.rank());
    let sizes = Dims::from_slice(&[count, rank]);
    if count == 0 || rank == 0 {
        return RawTensor::empty(&sizes, &contiguous_strides(&sizes), DType::I64, input.device());
    }
    // As in PyTorch, the coordinates along one dimension lie next to each other.
    let out = RawTensor::empty(&sizes, &[1, count], DType::I64, input.device())?;
    let columns = TypedStorage::<i64>::of(out.storage().clone());
    let mut columns = columns.slice_mut()?;
    let mut parts: Vec<Vec<&mut [i64]>> = elements.chunks(PART).map(|_| Vec::with_capacity(rank)).collect();
    for column in columns[..count * rank].chunks_mut(count) {
        parts.iter_mut().zip(column.chunks_mut(PART)).for_each(|(part, column)| part.push(column));
    }
    hand_out(parts.into_iter(), |part, mut columns| {
        let mut odometer = Odometer::new(input.sizes());
        for (row, &element) in elements[part * PART..].iter().take(PART).enumerate() {
            let at = odometer.advance(element);
            columns.iter_mut().zip(at).for_each(|(column, &at)| column[row] = at.cast_signed() as i64);
        }
    });
    drop(columns);
    Ok(out)
}
