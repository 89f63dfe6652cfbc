//! Elements at places that other tensors of the device name, and the coordinates of what is true there. Whether an index is outside is known
//! when the device has looked: whoever asks waits for it.

use std::ops::Range;

use latten_kernel::kernels::meets::{MeetKernel, MeetKind};
use latten_spec::DType;
use smallvec::SmallVec;

use super::sort::RadixKeys;
use super::walk::{GivenBytes, RANK, THREADS, address, check_count};
use crate::cuda::Context;
use crate::cuda::library::{Key, kernel};
use crate::error::{Error, Result};
use crate::geometry::Dims;
use crate::raw::RawTensor;
use crate::storage::{Access, LockMode};

/// Blocks for each multiprocessor; beyond that, threads take several turns.
const BLOCKS: usize = 64;
/// Elements that a thread looks at for what is true.
const CHUNK: usize = 256;

/// Elements for each place from which on a place has a thread, rather than the first element that comes to it.
const CROWDED: usize = 8;

/// A tensor of int64 that names places, and its strides along the grid.
pub(crate) struct Named<'a> {
    pub(crate) index: &'a RawTensor,
    pub(crate) strides: Dims,
    /// The indices that there are.
    pub(crate) inside: Range<i64>,
    /// How far one leads, in elements.
    pub(crate) step: usize,
}

/// The tensor whose elements are named: where a walk over it begins, and its strides along the grid, which may go backwards.
pub(crate) struct Far<'a> {
    pub(crate) tensor: &'a RawTensor,
    pub(crate) start: usize,
    pub(crate) strides: SmallVec<[isize; 6]>,
}

/// Which entry of the kernels.
#[derive(Clone, Copy)]
enum PlacesEntry {
    Pick,
    Claim,
    Put,
    Lead,
}

/// What becomes of elements that meet at one place.
#[derive(Clone, Copy)]
pub(crate) struct Meeting {
    pub(crate) kind: MeetKind,
    /// Whether what is there counts, too.
    pub(crate) with_own: bool,
    /// Whether it is divided by how many they are.
    pub(crate) is_mean: bool,
    /// In how many parts they are combined first; 0: one after the other.
    pub(crate) parts: usize,
}

/// A walk over a grid, outermost dimension first.
pub(crate) struct GridPlaces<'a> {
    pub(crate) sizes: &'a [usize],
    /// The tensor that is walked over as it lies, and its strides along the grid.
    pub(crate) near: (&'a RawTensor, &'a [usize]),
    pub(crate) far: Far<'a>,
    pub(crate) named: &'a [Named<'a>],
}

impl GridPlaces<'_> {
    /// Fills the near tensor from the far one; whether all indices were inside. Where they weren't, those elements aren't filled.
    ///
    /// # Errors
    /// Where there are more dimensions or elements than a kernel can count, and where the device refuses.
    pub(crate) fn pick(&self) -> Result<bool> {
        let outside = self.flag()?;
        self.launch(PlacesEntry::Pick, self.near.0, None, &outside)?;
        Ok(self.named.is_empty() || is_zero(&outside)?)
    }

    /// Puts the elements of the near tensor to places of the far one, of several for one place the last; whether all indices were inside.
    /// Where they weren't, nothing is put.
    ///
    /// # Errors
    /// As [`pick`](Self::pick).
    pub(crate) fn put(&self) -> Result<bool> {
        let winners = RawTensor::empty(&[self.last() + 1], &[1], DType::I32, self.far.tensor.device())?;
        winners.zero_()?;
        let outside = self.flag()?;
        self.launch(PlacesEntry::Claim, self.near.0, Some(&winners), &outside)?;
        if !is_zero(&outside)? {
            return Ok(false);
        }
        self.launch(PlacesEntry::Put, self.near.0, Some(&winners), &outside)?;
        Ok(true)
    }

    /// Makes one of the elements of the near tensor, which lie in the order of the grid, and of those at places of the far one, in the order of
    /// the near ones; whether all indices were inside. Where they weren't, nothing has changed.
    ///
    /// # Errors
    /// As [`pick`](Self::pick).
    pub(crate) fn meet(&self, how: Meeting) -> Result<bool> {
        let (near, far) = (self.near.0, self.far.tensor);
        let count = near.numel();
        if count == 0 {
            return Ok(true);
        }
        check_count("sums at places", Some(self.last().max(count)))?;
        let (keys, outside) = (RadixKeys::new(1, count, 4, far)?, self.flag()?);
        let [places, order] = keys.first();
        self.launch(PlacesEntry::Lead, places, Some(order), &outside)?;
        if !is_zero(&outside)? {
            return Ok(false);
        }
        let [places, order] = keys.sort((usize::BITS - self.last().leading_zeros()).div_ceil(8) as usize)?;
        let context = Context::of(far.device())?;
        let kernel = kernel(context, &Key::Meet(MeetKernel { kind: how.kind, dtype: far.dtype() }))?;
        let access = Access::lock(&[far.storage()], &[near, places, order].map(RawTensor::storage))?;
        let queue = context.queue();
        let read = |tensor: &RawTensor| address(&access, tensor, LockMode::Read, &queue);
        let mut given = GivenBytes::default();
        // Few places that many elements come to have a thread each.
        let far_count = if self.last() < count / CROWDED { self.last() + 1 } else { 0 };
        given.counts(&[count, how.parts, how.with_own.into(), how.is_mean.into(), far_count]);
        given.addresses(&[address(&access, far, LockMode::Write, &queue)?, read(near)?, read(places)?, read(order)?]);
        let threads = if far_count == 0 { count } else { far_count };
        queue.launch(kernel.numbered(0), busy_blocks(context, threads), THREADS as u32, &mut given.0)?;
        Ok(true)
    }

    /// The last place of the far tensor.
    fn last(&self) -> usize {
        let tensor = self.far.tensor;
        tensor.sizes().iter().zip(tensor.strides()).map(|(&size, &stride)| size.saturating_sub(1) * stride).sum()
    }

    fn flag(&self) -> Result<RawTensor> {
        let flag = RawTensor::empty(&[1], &[1], DType::I32, self.far.tensor.device())?;
        flag.zero_()?;
        Ok(flag)
    }

    fn launch(&self, entry: PlacesEntry, near: &RawTensor, winners: Option<&RawTensor>, outside: &RawTensor) -> Result<()> {
        let count = self.sizes.iter().try_fold(1_usize, |count, &size| count.checked_mul(size)).unwrap_or(usize::MAX);
        let dims: Vec<usize> = (0..self.sizes.len()).rev().filter(|&dim| self.sizes[dim] != 1).collect();
        check_size(count, dims.len(), self.named.len())?;
        if count == 0 {
            return Ok(());
        }
        let far = self.far.tensor;
        let context = Context::of(far.device())?;
        let kernel = kernel(context, &Key::Places(far.dtype().itemsize()))?;
        let fills = matches!(entry, PlacesEntry::Pick | PlacesEntry::Lead);
        let (to, from) = if fills { (near, far) } else { (far, near) };
        let written: SmallVec<[_; 3]> = [Some(to), winners, Some(outside)].into_iter().flatten().map(RawTensor::storage).collect();
        let read: SmallVec<[_; 9]> = self.named.iter().map(|named| named.index).chain([from]).map(RawTensor::storage).collect();
        let access = Access::lock(&written, &read)?;
        let queue = context.queue();
        let write = |tensor: &RawTensor| address(&access, tensor, LockMode::Write, &queue);
        let read = |tensor: &RawTensor| address(&access, tensor, LockMode::Read, &queue);
        let (near_at, far_at) = if fills { (write(near)?, read(far)?) } else { (read(near)?, write(far)?) };
        // A walk that goes backwards begins at another element than the tensor does.
        let ahead = (self.far.start - far.storage_offset()) * far.dtype().itemsize();
        let far_at = far_at + ahead as u64;
        let mut given = GivenBytes::default();
        given.counts(&[count, dims.len(), self.named.len()]);
        given.addresses(&[near_at, far_at, winners.map_or(Ok(0), write)?, write(outside)?]);
        given.padded(dims.iter().map(|&dim| self.near.1[dim].cast_signed() as i64));
        given.padded(dims.iter().map(|&dim| self.far.strides[dim] as i64));
        let mut indices = [0; RANK];
        for (place, named) in indices.iter_mut().zip(self.named) {
            if named.index.dtype() != DType::I64 {
                return Err(Error::index(format!("indices on a device are int64, not {}", named.index.dtype())));
            }
            *place = read(named.index)?;
        }
        given.addresses(&indices);
        for k in 0..RANK {
            let strides = |named: &Named<'_>| dims.iter().map(|&dim| named.strides[dim]).collect();
            given.strides(&self.named.get(k).map_or_else(Dims::new, strides));
        }
        given.padded(self.named.iter().map(|named| named.inside.start));
        given.padded(self.named.iter().map(|named| named.inside.end));
        given.padded(self.named.iter().map(|named| named.step.cast_signed() as i64));
        given.axes(dims.iter().map(|&dim| self.sizes[dim]));
        queue.launch(kernel.numbered(entry as usize), busy_blocks(context, count), THREADS as u32, &mut given.0)
    }
}

/// The coordinates of the elements that hold, of contiguous truths seen in those sizes: a row for each, in columns.
///
/// # Errors
/// As [`GridPlaces::pick`].
pub(crate) fn coordinates(truths: &RawTensor, sizes: &[usize]) -> Result<RawTensor> {
    let (count, rank, device) = (truths.numel(), sizes.len(), truths.device());
    check_size(count, rank, 0)?;
    let empty = |total: usize| RawTensor::empty(&[total, rank], &[1, total.max(1)], DType::I64, device);
    if count == 0 {
        return RawTensor::empty(&[0, rank], &[rank.max(1), 1], DType::I64, device);
    }
    let context = Context::of(device)?;
    let kernel = kernel(context, &Key::Truths)?;
    let chunks = count.div_ceil(CHUNK);
    let counts = RawTensor::empty(&[chunks], &[1], DType::I32, device)?;
    let step = |walk: usize, out: Option<(&RawTensor, usize)>, counts: &RawTensor| -> Result<()> {
        let written: SmallVec<[_; 2]> = out.iter().map(|(out, _)| out.storage()).chain([counts.storage()]).collect();
        let access = Access::lock(&written, &[truths.storage()])?;
        let queue = context.queue();
        let mut given = GivenBytes::default();
        given.counts(&[count, CHUNK, rank, out.map_or(0, |(_, total)| total)]);
        let places = out.map_or(Ok(0), |(out, _)| address(&access, out, LockMode::Write, &queue))?;
        let from = address(&access, truths, LockMode::Read, &queue)?;
        given.addresses(&[from, address(&access, counts, LockMode::Write, &queue)?, places]);
        given.axes(sizes.iter().rev().copied());
        queue.launch(kernel.numbered(walk), busy_blocks(context, chunks), THREADS as u32, &mut given.0)
    };
    step(0, None, &counts)?;
    let mut total = 0_i32;
    let mut before = counts.numbers::<i32>()?;
    for count in &mut before {
        (*count, total) = (total, total + *count);
    }
    let total = usize::try_from(total).unwrap_or(0);
    if total == 0 || rank == 0 {
        return RawTensor::empty(&[total, rank], &[rank.max(1), 1], DType::I64, device);
    }
    let (out, before) = (empty(total)?, RawTensor::from_vec(before, &[chunks])?.to_device(device)?);
    step(1, Some((&out, total)), &before)?;
    Ok(out)
}

/// That a kernel can walk over so many dimensions and elements, and read so many index tensors: as many as dimensions.
fn check_size(count: usize, rank: usize, named: usize) -> Result<()> {
    if count > i32::MAX as usize || rank > RANK || named > RANK {
        return Err(Error::not_implemented(format!(
            "indexing on a CUDA device goes up to {RANK} dimensions, {RANK} indices and 2147483647 elements, not {rank}, {named} and {count}"
        )));
    }
    Ok(())
}

/// Waits for a flag.
fn is_zero(flag: &RawTensor) -> Result<bool> {
    Ok(flag.numbers::<i32>()? == [0])
}

/// The blocks for so many threads, which take several turns where that is more than keeps the device busy.
fn busy_blocks(context: &Context, work: usize) -> u32 {
    let most = BLOCKS * context.properties().multiprocessors.max(1) as usize;
    u32::try_from(work.div_ceil(THREADS).clamp(1, most)).unwrap_or(1)
}
