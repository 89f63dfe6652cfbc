//! Indexing with tensors: `index` and `index_put_`. Integers name places along a dimension, several of them together; a mask stands for the
//! dimensions that it has. What views can name is in [`index`](crate::index).

use latten_spec::DType;
use smallvec::SmallVec;

use super::mask::{masked_fill_in_place, masked_select};
#[cfg(feature = "cuda")]
use super::on_device;
use super::pieces::write;
use super::scatter::ScatterReduce;
use super::{BLOCK, Indices, OffsetStep, Offsets, Outside, PART, apart, check_data, out_of_bounds, pick, reader};
use crate::copy::copy_held;
use crate::element::unsupported;
use crate::elementwise::RawOperand;
use crate::error::{Error, Result};
use crate::geometry::broadcast::broadcast_shapes;
use crate::geometry::order::strides_in_order;
use crate::geometry::strides::fastest_first;
use crate::geometry::{Dims, count};
use crate::kernels::parts::hand_out;
use crate::plan::Target;
use crate::raw::RawTensor;
use crate::room::filled;
use crate::storage::{Access, UntypedStorage};
use crate::views::{broadcast_tensors, signed};

/// What `index_put_` does to the elements that were there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Accumulate {
    /// They are replaced; of several values for one element the last stays.
    #[default]
    No,
    /// The values are added to them: PyTorch's `accumulate=True`.
    Yes,
}

/// PyTorch's `accumulate`.
impl From<bool> for Accumulate {
    fn from(accumulate: bool) -> Self {
        if accumulate { Self::Yes } else { Self::No }
    }
}

/// Indices along dimensions, by the number of the dimension.
type NamedIndices = SmallVec<[(usize, RawTensor); 2]>;

/// The coordinates of the true elements of a mask, one tensor for each dimension.
fn coordinates(mask: &RawTensor) -> Result<Vec<RawTensor>> {
    check_data(mask, "index")?;
    super::nonzero(mask, Target::New)?.unbind(1)
}

/// The indices by dimension, with the coordinates of masks in their place.
fn named(input: &RawTensor, indices: &[Option<&RawTensor>]) -> Result<NamedIndices> {
    if indices.is_empty() {
        return Err(Error::index("at least one index must be provided"));
    }
    if indices.len() > input.rank() {
        let (rank, count) = (input.rank(), indices.len());
        return Err(Error::index(format!("too many indices for tensor of dimension {rank} (got {count})")));
    }
    let is_one = |dtype| matches!(dtype, DType::I64 | DType::I32 | DType::U8 | DType::Bool);
    if indices.iter().flatten().any(|index| !is_one(index.dtype())) {
        return Err(Error::index("tensors used as indices must be long, int, byte or bool tensors"));
    }
    let (mut found, mut dim) = (NamedIndices::new(), 0);
    for index in indices {
        match index {
            None => dim += 1,
            Some(mask) if matches!(mask.dtype(), DType::Bool | DType::U8) => {
                for (j, &size) in mask.sizes().iter().enumerate() {
                    let at = crate::geometry::wrap_dim((dim + j).cast_signed(), input.rank())?;
                    if input.sizes()[at] != size {
                        return Err(Error::index(format!(
                            "The shape of the mask {:?} at index {j} does not match the shape of the indexed tensor {:?} at index {at}",
                            mask.sizes(),
                            input.sizes()
                        )));
                    }
                }
                found.extend(coordinates(mask)?.into_iter().zip(dim..).map(|(index, dim)| (dim, index)));
                dim += mask.rank();
            }
            Some(index) => {
                found.push((dim, (*index).clone()));
                dim += 1;
            }
        }
    }
    if found.iter().any(|(dim, _)| *dim >= input.rank()) {
        let rank = input.rank();
        return Err(Error::index(format!("too many indices for tensor of dimension {rank} (got {dim})")));
    }
    if found.is_empty() {
        return Err(Error::index("at least one index must be a tensor with dimensions, or of integers"));
    }
    Ok(found)
}

/// A tensor and indices that fit it.
struct IndexedTensor {
    /// The indices by dimension, broadcast to one shape.
    named: NamedIndices,
    /// The dimensions that no index names, and how many of them come before the shape of the indices in the result.
    others: Dims,
    before: usize,
    /// The sizes of the result.
    sizes: Dims,
}

impl IndexedTensor {
    fn new(input: &RawTensor, indices: &[Option<&RawTensor>]) -> Result<Self> {
        let mut named = named(input, indices)?;
        let together: Vec<&RawTensor> = named.iter().map(|(_, index)| index).collect();
        let broadcast = broadcast_tensors(&together).map_err(|_| {
            let shapes: Vec<String> = together.iter().map(|index| format!("{:?}", index.sizes())).collect();
            let shapes = shapes.join(", ");
            Error::index(format!("shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"))
        })?;
        named.iter_mut().zip(broadcast).for_each(|((_, index), broadcast)| *index = broadcast);
        let shape = named[0].1.sizes();
        let (first, last) = (named[0].0, named[named.len() - 1].0);
        let others: Dims = (0..input.rank()).filter(|dim| named.iter().all(|(own, _)| own != dim)).collect();
        // Indices with a whole dimension between them: their shape comes first.
        let before = if last - first + 1 == named.len() { first } else { 0 };
        let size = |dim: &usize| input.sizes()[*dim];
        let sizes: Dims = others[..before].iter().map(size).chain(shape.iter().copied()).chain(others[before..].iter().map(size)).collect();
        if !shape.contains(&0) && named.iter().any(|(dim, _)| input.sizes()[*dim] == 0) {
            return Err(Error::index("index is out of bounds for dimension with size 0"));
        }
        Ok(Self { named, others, before, sizes })
    }

    fn is_meta(&self) -> bool {
        self.named.iter().any(|(_, index)| index.is_meta())
    }

    /// The least index along a dimension of that size.
    fn least(&self, size: i64) -> i64 {
        -size
    }

    fn shape(&self) -> &[usize] {
        self.named[0].1.sizes()
    }

    /// The storages of the indices.
    fn storages(&self) -> impl Iterator<Item = &UntypedStorage> {
        self.named.iter().map(|(_, index)| index.storage())
    }

    /// The indices, to be read while they are held.
    fn indices<'a>(&self, access: &'a Access<'_>, input: &RawTensor) -> Result<Vec<Indices<'a>>> {
        let one = |(number, (dim, index)): (usize, &(usize, RawTensor))| {
            let size = input.sizes()[*dim].cast_signed() as i64;
            Ok(Indices { reader: reader(access, index)?, inside: self.least(size)..size, stride: input.strides()[*dim], number })
        };
        self.named.iter().enumerate().map(one).collect()
    }

    /// As in PyTorch, what is named is the number of the index, not of its dimension.
    fn check(&self, outside: Outside, input: &RawTensor) -> Result<()> {
        match outside.first() {
            Some((number, index)) => Err(Error::index(out_of_bounds(index, number, input.sizes()[self.named[number].0]))),
            None => Ok(()),
        }
    }

    /// How far the indices, which are held, lead together, for each element of their shape.
    fn table(&self, access: &Access<'_>, input: &RawTensor) -> Result<Vec<usize>> {
        let mut table = filled(count(self.shape()), 0)?;
        let (indices, outside) = (self.indices(access, input)?, Outside::default());
        hand_out(&mut table.chunks_mut(PART), &|part, places| {
            for (first, places) in (part * PART..).step_by(BLOCK).zip(places.chunks_mut(BLOCK)) {
                indices.iter().for_each(|index| index.add_to(first, places, &outside));
            }
        });
        self.check(outside, input)?;
        Ok(table)
    }

    /// Where the indices come first and the elements after them lie next to each other: how many these are.
    fn run(&self, input: &RawTensor, order: &[usize]) -> Option<usize> {
        let behind = order.strip_prefix(&[self.before])?;
        let dim = |&dim: &usize| self.others[if dim > self.before { dim - 1 } else { dim }];
        let step = |dim: usize| (input.sizes()[dim], OffsetStep::By(input.strides()[dim]));
        let mut walk = Offsets::new(0, behind.iter().map(dim).map(step));
        let run = walk.take_run();
        walk.dims.is_empty().then_some(run)
    }

    /// The dimensions of the result as the walk takes them; those of the indices are one.
    fn dims(&self, input: &RawTensor, table: Vec<usize>) -> Vec<(usize, OffsetStep)> {
        let step = |&dim: &usize| (input.sizes()[dim], OffsetStep::By(input.strides()[dim]));
        let mut dims: Vec<_> = self.others.iter().map(step).collect();
        dims.insert(self.before, (table.len(), OffsetStep::To(table)));
        dims
    }

    /// The order of the result's dimensions in memory, outermost first, where those of the indices are one: that of the input's.
    fn order(&self, input: &RawTensor) -> Dims {
        let of = |pick: &dyn Fn(usize) -> usize, index: usize| -> Dims {
            let mut dims: Dims = self.others.iter().map(|&dim| pick(dim)).collect();
            dims.insert(self.before, index);
            dims
        };
        let sizes = of(&|dim| input.sizes()[dim], count(self.shape()));
        let (own, index) = (of(&|dim| input.strides()[dim], 0), of(&|_| 0, 1));
        fastest_first(&sizes, &[own, index]).into_iter().rev().collect()
    }

    /// The dimensions of the result in an order where those of the indices are one.
    fn dims_in(&self, order: &[usize]) -> Vec<isize> {
        let count = self.shape().len();
        let dims = |&dim: &usize| match dim.cmp(&self.before) {
            std::cmp::Ordering::Less => dim..dim + 1,
            std::cmp::Ordering::Equal => dim..dim + count,
            std::cmp::Ordering::Greater => dim + count - 1..dim + count,
        };
        order.iter().flat_map(dims).map(usize::cast_signed).collect()
    }

    /// The strides of the result.
    fn strides(&self, order: &[usize]) -> Dims {
        let fastest: Dims = self.dims_in(order).into_iter().rev().map(isize::cast_unsigned).collect();
        strides_in_order(&self.sizes, &fastest)
    }
}

/// PyTorch's indexing with tensors, `a[i, :, j]`: one index a dimension, where `None` is all of a dimension and a mask stands for the
/// dimensions that it has. The indices broadcast; their shape takes the place of the dimensions that they name, or comes first where
/// these aren't neighbours.
///
/// # Errors
/// Where there are too many indices or none, one is out of range, or shapes or dtypes don't fit.
pub fn index(input: &RawTensor, indices: &[Option<&RawTensor>]) -> Result<RawTensor> {
    #[cfg(feature = "cuda")]
    let moved = beside(input, indices)?;
    #[cfg(feature = "cuda")]
    let indices = &moved.iter().map(Option::as_ref).collect::<Vec<_>>()[..];
    if let [Some(mask)] = indices
        && mask.dtype() == DType::Bool
        && mask.rank() > 0
        && mask.sizes() == input.sizes()
    {
        return masked_select(input, mask, Target::New);
    }
    select(input, &IndexedTensor::new(input, indices)?)
}

fn select(input: &RawTensor, selection: &IndexedTensor) -> Result<RawTensor> {
    crate::geometry::dense_nbytes(&selection.sizes, input.dtype().itemsize())?;
    let order = selection.order(input);
    let out = RawTensor::empty(&selection.sizes, &selection.strides(&order), input.dtype(), input.device())?;
    if input.is_meta() || selection.is_meta() || out.numel() == 0 {
        return Ok(out);
    }
    #[cfg(feature = "cuda")]
    if input.is_on_cuda() {
        let inside = selection.chosen().pick(input, &out)?;
        return if inside { Ok(out) } else { selection.check(selection.outside(input)?, input).map(|()| out) };
    }
    let storages: Vec<_> = selection.storages().chain([input.storage()]).collect();
    let access = Access::lock(&[out.storage()], &storages)?;
    input.check_inside()?;
    // The result in the order of its memory.
    let walked = out.permute(&selection.dims_in(&order))?;
    if let Some(run) = selection.run(input, &order) {
        let (indices, outside) = (selection.indices(&access, input)?, Outside::default());
        pick(&access, input, &walked, run, &|first, places| {
            places.fill(input.storage_offset());
            indices.iter().for_each(|index| index.add_to(first, places, &outside));
        })?;
        drop(access);
        return selection.check(outside, input).map(|()| out);
    }
    let mut dims: Vec<_> = selection.dims(input, selection.table(&access, input)?).into_iter().map(Some).collect();
    let mut walk = Offsets::new(input.storage_offset(), order.iter().filter_map(|&dim| dims[dim].take()));
    let run = walk.take_run();
    pick(&access, input, &walked, run, &|first, places| walk.places(first, places))?;
    drop(access);
    Ok(out)
}

/// The only mask among the indices, as wide as the tensor; nothing where there are other tensors.
fn only_mask(input: &RawTensor, indices: &[Option<&RawTensor>]) -> Result<Option<RawTensor>> {
    let mut tensors = indices.iter().enumerate().filter_map(|(dim, index)| index.map(|index| (dim, index)));
    let (Some((dim, mask)), None) = (tensors.next(), tensors.next()) else { return Ok(None) };
    let fits = input.sizes().get(dim..dim + mask.rank()) == Some(mask.sizes());
    if mask.dtype() != DType::Bool || mask.rank() == 0 || !fits {
        return Ok(None);
    }
    let behind = input.rank() - dim - mask.rank();
    let sizes: Vec<isize> = signed(mask.sizes()).into_iter().chain(std::iter::repeat_n(1, behind)).collect();
    mask.reshape(&sizes).map(Some)
}

/// PyTorch's `index_put_`: values at the elements that [`index`] would give, to whose shape they broadcast.
///
/// # Errors
/// As [`index`], and where the values don't broadcast, have another dtype, or lie in the same memory; then nothing was changed.
pub fn index_put_in_place(tensor: &RawTensor, indices: &[Option<&RawTensor>], values: &RawTensor, accumulate: Accumulate) -> Result<()> {
    put(None, tensor, indices, values, accumulate)
}

/// The same in a tensor that becomes a copy of another one first, which has its dtype and sizes and none of its memory.
///
/// # Errors
/// As [`index_put_in_place`].
pub(crate) fn index_put_over(input: &RawTensor, out: &RawTensor, indices: &[Option<&RawTensor>], values: &RawTensor) -> Result<()> {
    put(Some(input), out, indices, values, Accumulate::No)
}

fn put(
    input: Option<&RawTensor>,
    tensor: &RawTensor,
    indices: &[Option<&RawTensor>],
    values: &RawTensor,
    accumulate: Accumulate,
) -> Result<()> {
    #[cfg(feature = "cuda")]
    let moved = beside(tensor, indices)?;
    #[cfg(feature = "cuda")]
    let indices = &moved.iter().map(Option::as_ref).collect::<Vec<_>>()[..];
    #[cfg(feature = "cuda")]
    let values = &if values.rank() == 0 && tensor.is_on_cuda() { values.to_device(tensor.device())? } else { values.clone() };
    if input.is_none()
        && accumulate == Accumulate::No
        && values.numel() == 1
        && indices.len() <= tensor.rank()
        && let Some(mask) = only_mask(tensor, indices)?
    {
        let value = if values.is_meta() { return Ok(()) } else { values.item()? };
        return masked_fill_in_place(tensor, &mask, RawOperand::Scalar(value));
    }
    let values = apart(values, tensor)?;
    let indices = indices.iter().map(|index| index.map(|index| apart(index, tensor)).transpose()).collect::<Result<Vec<_>>>()?;
    let indices: Vec<Option<&RawTensor>> = indices.iter().map(Option::as_ref).collect();
    let selection = IndexedTensor::new(tensor, &indices)?;
    check_values(tensor, &selection.sizes, &values, accumulate)?;
    if tensor.is_meta() || values.is_meta() || selection.is_meta() || selection.sizes.contains(&0) {
        return input.map_or(Ok(()), |input| tensor.copy_(input));
    }
    let values = values.expand(&signed(&selection.sizes))?;
    #[cfg(feature = "cuda")]
    if tensor.is_on_cuda() {
        on_device::together(&[tensor, &values])?;
        input.map_or(Ok(()), |input| tensor.copy_(input))?;
        let chosen = selection.chosen();
        let inside = if accumulate == Accumulate::Yes { chosen.add(tensor, &values)? } else { chosen.put(tensor, &values)? };
        return if inside { Ok(()) } else { selection.check(selection.outside(tensor)?, tensor) };
    }
    match (accumulate, tensor.dtype()) {
        (Accumulate::No, _) => {
            selection.put(input.map(RawTensor::as_bits).as_ref(), &tensor.as_bits(), &values.as_bits(), ScatterReduce::Replace)
        }
        // Of truths the sum is the larger byte.
        (Accumulate::Yes, DType::Bool) => selection.put(None, &tensor.as_bits(), &values.as_bits(), ScatterReduce::Amax),
        // others: numbers have sums.
        (Accumulate::Yes, _) => selection.put(None, tensor, &values, ScatterReduce::Sum),
    }
}

/// That values can be put into a selection of those sizes.
fn check_values(tensor: &RawTensor, sizes: &Dims, values: &RawTensor, accumulate: Accumulate) -> Result<()> {
    let fits = broadcast_shapes(&[sizes, values.sizes()]).is_ok_and(|broadcast| broadcast == *sizes);
    if !fits {
        return Err(Error::runtime(format!(
            "shape mismatch: value tensor of shape {:?} cannot be broadcast to indexing result of shape {sizes:?}",
            values.sizes()
        )));
    }
    let (own, other) = (tensor.dtype(), values.dtype());
    if own != other {
        let (own, other) = (own.message_name(), other.message_name());
        return Err(Error::runtime(format!(
            "Index put requires the source and destination dtypes match, got {own} for the destination and {other} for the source."
        )));
    }
    if accumulate == Accumulate::Yes && !own.is_computing() {
        return Err(unsupported("index_put", own));
    }
    Ok(())
}

#[cfg(feature = "cuda")]
impl IndexedTensor {
    fn chosen(&self) -> on_device::IndexedDims<'_> {
        on_device::IndexedDims { named: &self.named, others: &self.others, before: self.before, sizes: &self.sizes }
    }

    /// The first index outside, which the host finds.
    fn outside(&self, input: &RawTensor) -> Result<Outside> {
        let outside = Outside::default();
        for (number, (dim, index)) in self.named.iter().enumerate() {
            let size = input.sizes()[*dim].cast_signed() as i64;
            let indices =
                on_device::host(index)?.to_dtype(DType::I64)?.contiguous(crate::layout::MemoryFormat::Contiguous)?.numbers::<i64>()?;
            let found = indices.iter().enumerate().find(|(_, index)| !(self.least(size)..size).contains(index));
            found.into_iter().for_each(|(at, &index)| outside.note((at, number, index)));
        }
        Ok(outside)
    }
}

/// The indices on the device of what they index.
#[cfg(feature = "cuda")]
fn beside(input: &RawTensor, indices: &[Option<&RawTensor>]) -> Result<Vec<Option<RawTensor>>> {
    indices.iter().map(|index| index.map(|index| on_device::beside(input, index)).transpose()).collect()
}

impl IndexedTensor {
    /// Puts values of the selection's sizes, all of whose memory is elsewhere; the tensor becomes a copy of the input first, if there is one.
    fn put(&self, input: Option<&RawTensor>, tensor: &RawTensor, values: &RawTensor, combine: ScatterReduce) -> Result<()> {
        let whole: Dims = (0..=self.others.len()).collect();
        let storages: Vec<_> = self.storages().chain([values.storage()]).chain(input.map(RawTensor::storage)).collect();
        let access = Access::lock(&[tensor.storage()], &storages)?;
        input.map_or(Ok(()), RawTensor::check_inside)?;
        let before = || input.map_or(Ok(()), |input| copy_held(&access, input, tensor));
        let Some(run) = self.run(tensor, &whole) else {
            let mut walk = Offsets::new(tensor.storage_offset(), self.dims(tensor, self.table(&access, tensor)?));
            let run = walk.take_run();
            return write(&access, tensor, values, combine, run, &|first, places| walk.places(first, places), &before);
        };
        let (indices, outside) = (self.indices(&access, tensor)?, Outside::default());
        // All indices are looked at before anything is written.
        indices.iter().for_each(|index| index.check(count(self.shape()), &outside));
        self.check(outside, tensor)?;
        let none = Outside::default();
        let whence = |first, places: &mut [usize]| {
            places.fill(tensor.storage_offset());
            indices.iter().for_each(|index| index.add_to(first, places, &none));
        };
        write(&access, tensor, values, combine, run, &whence, &before)
    }
}
