//! Elements by their indices along a dimension: `gather`, `take`, `index_select`, `embedding`, `repeat_interleave`.

use latten_spec::DType;

#[cfg(feature = "cuda")]
use super::on_device;
use super::{BLOCK, Indices, Outside, PART, Step, Walk, dense, out_of_bounds, pick, reader, size_of_dim, usize_of};
use crate::error::{Error, Result};
use crate::geometry::{Dims, wrap_dim};
use crate::kernels::parts::hand_out;
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::storage::Access;
use crate::views::signed;

/// Whether a dtype is one that indices have.
pub(super) fn is_index(dtype: DType) -> bool {
    matches!(dtype, DType::I64 | DType::I32)
}

/// The strides of a tensor along the dimensions of its indices, where that of one dimension is left to them: its own is the second result.
pub(super) fn strides_around(tensor: &RawTensor, dim: usize, indices: &RawTensor) -> (Dims, usize) {
    let along = tensor.strides().get(dim).copied().unwrap_or(0);
    let mut strides: Dims = tensor.strides().clone();
    strides.resize(indices.rank(), 0);
    strides.iter_mut().skip(dim).take(1).for_each(|stride| *stride = 0);
    (strides, along)
}

/// PyTorch's `gather`: along a dimension, the elements that the indices name; the result has their shape.
///
/// # Errors
/// Where the dimension isn't there, an index is out of range, or the indices aren't integers of a shape that fits.
pub fn gather(input: &RawTensor, dim: isize, indices: &RawTensor) -> Result<RawTensor> {
    let dim = wrap_dim(dim, input.rank())?;
    let count = indices.numel();
    if count > 0 {
        if !is_index(indices.dtype()) {
            return Err(Error::runtime("gather(): Expected dtype int32/int64 for index"));
        }
        check_gather_shape(input, dim, indices)?;
    }
    let out = dense(indices.sizes(), input.dtype(), input)?;
    if out.is_meta() || indices.is_meta() || count == 0 {
        return Ok(out);
    }
    #[cfg(feature = "cuda")]
    if input.is_on_cuda() {
        return on_device::gather(input, dim, indices, out);
    }
    let access = Access::lock(&[], &[input.storage(), indices.storage()])?;
    let size = size_of_dim(input, dim);
    let (strides, stride) = strides_around(input, dim, indices);
    let named = Indices { reader: reader(&access, indices)?, inside: 0..size, stride, number: 0 };
    let walk = Walk::new(input.storage_offset(), indices.sizes().iter().zip(strides).map(|(&size, stride)| (size, Step::By(stride))));
    let outside = Outside::default();
    check_some(&named, count, &outside);
    if size > 0 {
        pick(&access, input, &out, 1, &|first, places| {
            walk.places(first, places);
            named.add_to(first, places, &outside);
        })?;
    }
    match outside.first() {
        Some((_, index)) => Err(Error::runtime(out_of_bounds(index, dim, usize_of(size)))),
        None => Ok(out),
    }
}

/// Where nothing can be inside, the loop isn't begun: the first index is outside.
pub(super) fn check_some(named: &Indices<'_>, count: usize, outside: &Outside) {
    if named.inside.is_empty() && count > 0 {
        named.add_to(0, &mut [0], outside);
    }
}

fn check_gather_shape(input: &RawTensor, dim: usize, indices: &RawTensor) -> Result<()> {
    if input.rank().max(1) != indices.rank().max(1) {
        return Err(Error::runtime("Index tensor must have the same number of dimensions as input tensor"));
    }
    let larger = |&(d, (index, size)): &(usize, (&usize, &usize))| d != dim && index > size;
    match indices.sizes().iter().zip(input.sizes()).enumerate().find(larger) {
        None => Ok(()),
        Some((d, _)) => Err(Error::runtime(format!(
            "Size does not match at dimension {d} expected index {:?} to be no larger than self {:?} apart from dimension {dim}",
            indices.sizes(),
            input.sizes()
        ))),
    }
}

/// PyTorch's `take`: the elements that the indices name in row-major order, whatever the shape.
///
/// # Errors
/// Where an index is out of range, or the indices aren't int64.
pub fn take(input: &RawTensor, indices: &RawTensor) -> Result<RawTensor> {
    if indices.dtype() != DType::I64 {
        return Err(Error::runtime(format!("take(): Expected a long tensor for index, but got {}", indices.dtype().message_name())));
    }
    let (numel, count) = (input.numel(), indices.numel());
    if numel == 0 && count > 0 {
        return Err(Error::index("take(): tried to take from an empty tensor"));
    }
    let out = dense(indices.sizes(), input.dtype(), input)?;
    if out.is_meta() || indices.is_meta() || count == 0 {
        return Ok(out);
    }
    #[cfg(feature = "cuda")]
    if input.is_on_cuda() {
        return on_device::take(input, indices, out);
    }
    let access = Access::lock(&[], &[input.storage(), indices.storage()])?;
    let size = numel.cast_signed() as i64;
    let named = Indices { reader: reader(&access, indices)?, inside: -size..size, stride: 1, number: 0 };
    let (walk, outside) = (Walk::of(input), Outside::default());
    pick(&access, input, &out, 1, &|first, places| {
        places.fill(0);
        named.add_to(first, places, &outside);
        places.iter_mut().for_each(|place| *place = walk.place(*place));
    })?;
    match outside.first() {
        Some((_, index)) => Err(Error::index(format!("out of range: tried to access index {index} on a tensor of {numel} elements."))),
        None => Ok(out),
    }
}

/// PyTorch's `index_select`: the places along a dimension that a row of indices names.
///
/// # Errors
/// Where the dimension isn't there, an index is out of range, or the indices aren't integers in one dimension.
pub fn index_select(input: &RawTensor, dim: isize, indices: &RawTensor) -> Result<RawTensor> {
    let dim = wrap_dim(dim, input.rank())?;
    if indices.rank() > 1 {
        return Err(Error::index("index_select(): Index is supposed to be a vector"));
    }
    let count = indices.numel();
    if input.rank() == 0 && count != 1 {
        return Err(Error::runtime(format!("index_select(): Index to scalar can have only 1 value, got {count} value(s)")));
    }
    if !is_index(indices.dtype()) {
        return Err(Error::runtime("index_select(): Expected dtype int32 or int64 for index"));
    }
    if input.is_meta() || indices.is_meta() {
        return dense(&with_size(input, dim, count), input.dtype(), input);
    }
    #[cfg(feature = "cuda")]
    if input.is_on_cuda() {
        return on_device::index_select(input, dim, indices, &with_size(input, dim, count));
    }
    let size = size_of_dim(input, dim);
    let outside = Outside::default();
    let places = {
        let access = Access::lock(&[], &[indices.storage()])?;
        let named = Indices { reader: reader(&access, indices)?, inside: 0..size, stride: 1, number: 0 };
        let mut places = vec![0; count];
        hand_out(places.chunks_mut(PART), |part, places| {
            for (first, places) in (part * PART..).step_by(BLOCK).zip(places.chunks_mut(BLOCK)) {
                named.add_to(first, places, &outside);
            }
        });
        places
    };
    match outside.first() {
        Some((_, index)) => Err(select_error(input, dim, index)),
        None => select_places(input, dim, places),
    }
}

/// The sizes of a tensor with another one along a dimension.
fn with_size(input: &RawTensor, dim: usize, size: usize) -> Dims {
    let mut sizes: Dims = input.sizes().into();
    sizes.iter_mut().skip(dim).take(1).for_each(|old| *old = size);
    sizes
}

/// PyTorch has two loops for it, which don't say the same.
fn select_error(input: &RawTensor, dim: usize, index: i64) -> Error {
    let size = size_of_dim(input, dim);
    match input.rank() {
        2.. if size == 0 => Error::runtime("index_select(): self indexing axis dim should be positive"),
        2.. if dim == 1 || input.numel() == 0 => {
            Error::runtime(format!("INDICES element is out of DATA bounds, id={index} axis_dim={size}"))
        }
        _ => Error::index("index out of range in self"),
    }
}

/// Those places along a dimension, all of which are there.
pub(super) fn select_places(input: &RawTensor, dim: usize, mut places: Vec<usize>) -> Result<RawTensor> {
    let sizes = with_size(input, dim, places.len());
    #[cfg(feature = "cuda")]
    if input.is_on_cuda() {
        return on_device::select_places(input, dim, &places, &sizes);
    }
    let out = dense(&sizes, input.dtype(), input)?;
    if out.is_meta() || out.numel() == 0 {
        return Ok(out);
    }
    let stride = input.strides().get(dim).copied().unwrap_or(0);
    places.iter_mut().for_each(|place| *place *= stride);
    let mut table = Some((places.len(), Step::To(places)));
    let dims = input
        .sizes()
        .iter()
        .zip(input.strides())
        .enumerate()
        .map(|(d, (&size, &stride))| if d == dim { table.take().unwrap_or((0, Step::By(0))) } else { (size, Step::By(stride)) });
    let mut walk = Walk::new(input.storage_offset(), dims);
    let run = walk.take_run();
    let access = Access::lock(&[], &[input.storage()])?;
    pick(&access, input, &out, run, &|first, to| walk.places(first, to))?;
    Ok(out)
}

/// PyTorch's `embedding`: for each index, that row of a matrix. The row at `padding` is one that training leaves alone; here it is only
/// checked to be there.
///
/// # Errors
/// Where the weights are no matrix, an index is out of range, or the indices aren't integers.
pub fn embedding(indices: &RawTensor, weight: &RawTensor, padding: Option<isize>) -> Result<RawTensor> {
    if let Some(padding) = padding {
        let rows = weight.sizes().first().map_or(0, |rows| rows.cast_signed());
        if padding >= rows || padding < -rows {
            return Err(Error::value("Padding_idx must be within num_embeddings"));
        }
    }
    if weight.rank() != 2 {
        return Err(Error::runtime("'weight' must be 2-D"));
    }
    if !is_index(indices.dtype()) {
        return Err(Error::runtime(format!(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got {} instead (while \
             checking arguments for embedding)",
            crate::views::type_name(indices)
        )));
    }
    let rows = index_select(weight, 0, &indices.reshape(&[-1])?)?;
    let sizes: Vec<isize> = signed(indices.sizes()).into_iter().chain([weight.sizes()[1].cast_signed()]).collect();
    rows.view(&sizes)
}

/// All elements in one row, where no dimension is named.
fn flat_unless(input: &RawTensor, dim: Option<isize>) -> Result<(RawTensor, usize)> {
    match dim {
        Some(dim) => Ok((input.clone(), wrap_dim(dim, input.rank())?)),
        None => Ok((input.contiguous(MemoryFormat::Contiguous)?.reshape(&[-1])?, 0)),
    }
}

/// PyTorch's `repeat_interleave` with a number: each place along a dimension so many times, one after the other. Without a
/// dimension the tensor counts as one row.
///
/// # Errors
/// Where the dimension isn't there, and for a negative number.
pub fn repeat_interleave(input: &RawTensor, repeats: isize, dim: Option<isize>) -> Result<RawTensor> {
    let (input, dim) = flat_unless(input, dim)?;
    let Ok(repeats) = usize::try_from(repeats) else { return Err(Error::runtime("Repeats must be non-negative")) };
    if input.rank() == 0 {
        return Err(Error::index("Dimension out of range (expected to be in range of [-1, 0], but got 1)"));
    }
    let behind = dim.cast_signed() + 1;
    let mut sizes: Vec<isize> = signed(input.sizes());
    sizes.insert(dim + 1, repeats.cast_signed());
    crate::geometry::dense_nbytes(&sizes.iter().map(|size| size.cast_unsigned()).collect::<Dims>(), input.dtype().itemsize())?;
    input.unsqueeze(behind)?.expand(&sizes)?.clone_as(MemoryFormat::Contiguous)?.flatten(dim.cast_signed(), behind)
}

/// PyTorch's `repeat_interleave` with a tensor: each place along a dimension as often as that says for it. One number is for all places.
///
/// # Errors
/// Where the dimension isn't there, and where there aren't as many numbers as places, all of them integers and none negative.
pub fn repeat_interleave_by(input: &RawTensor, repeats: &RawTensor, dim: Option<isize>) -> Result<RawTensor> {
    let (input, dim) = flat_unless(input, dim)?;
    super::check_data(repeats, "repeat_interleave")?;
    let size = usize_of(size_of_dim(&input, dim));
    let one = repeats.numel() == 1 && repeats.rank() <= 1;
    if repeats.rank() > 1 {
        return Err(Error::runtime("repeats must be 0-dim or 1-dim tensor"));
    }
    if !one && repeats.numel() != size {
        return Err(Error::runtime(format!(
            "repeats must have the same size as input along dim, but got repeats.size(0) = {} and input.size({dim}) = {size}",
            repeats.numel()
        )));
    }
    if !repeats.dtype().is_integral() || repeats.dtype() == DType::Bool {
        let dtype = repeats.dtype().message_name();
        return Err(Error::not_implemented(format!("\"repeat_interleave_cpu\" not implemented for '{dtype}'")));
    }
    let counts = repeats.to_dtype(DType::I64)?.numbers::<i64>()?;
    let negative = || Error::runtime("repeats can not be negative");
    let counts = counts.into_iter().map(|count| usize::try_from(count).map_err(|_| negative())).collect::<Result<Vec<_>>>()?;
    let total = counts.iter().try_fold(0_usize, |total, count| total.checked_add(*count)).unwrap_or(usize::MAX);
    crate::geometry::dense_nbytes(&[if one { total.saturating_mul(size) } else { total }], size_of::<usize>())?;
    let places = (0..size).flat_map(|place| std::iter::repeat_n(place, if one { counts[0] } else { counts[place] })).collect::<Vec<_>>();
    select_places(&input, dim, places)
}
