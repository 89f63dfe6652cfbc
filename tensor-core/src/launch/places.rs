//! Elements at places that other tensors of the device name, and the coordinates of what is true there. Whether an index is outside is known
//! when the device has looked: whoever asks waits for it.

use std::ops::Range;

use latten_kernel::kernels::meets::{MeetKernel, MeetKind};
use latten_spec::DType;
use smallvec::SmallVec;

use super::arguments::axis;
use super::sort::RadixKeys;
use super::walk::{GivenBytes, address, check_count};
use crate::cuda::library::{Key, LoadedKernel, kernel};
use crate::cuda::{Context, Queue};
use crate::error::{Error, Result};
use crate::geometry::Dims;
use crate::raw::RawTensor;
use crate::storage::{Access, LockMode};

/// The dimensions that a kernel can walk over, and the index tensors that it can read.
const RANK: usize = 8;
const NAMED: usize = 8;
const THREADS: usize = 256;
/// Blocks for each multiprocessor; beyond that, threads take several turns.
const BLOCKS: usize = 64;
/// Elements that a thread looks at for what is true.
const CHUNK: usize = 256;

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
        given.counts(&[count, how.parts, how.with_own.into(), how.is_mean.into()]);
        given.addresses(&[address(&access, far, LockMode::Write, &queue)?, read(near)?, read(places)?, read(order)?]);
        queue.launch(kernel.numbered(0), blocks(context, count), THREADS as u32, &mut given.0)?;
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
        let mut bytes = GivenBuffer::default();
        bytes.words(&[count, dims.len(), self.named.len(), 0]);
        bytes.longs([near_at, far_at, winners.map_or(Ok(0), write)?, write(outside)?]);
        let padded = |stride: &dyn Fn(usize) -> i64| dims.iter().map(|&dim| stride(dim)).chain([0; RANK]).take(RANK).collect::<Vec<i64>>();
        bytes.signed(padded(&|dim| self.near.1[dim].cast_signed() as i64));
        bytes.signed(padded(&|dim| self.far.strides[dim] as i64));
        let mut indices = [0; NAMED];
        for (place, named) in indices.iter_mut().zip(self.named) {
            if named.index.dtype() != DType::I64 {
                return Err(Error::index(format!("indices on a device are int64, not {}", named.index.dtype())));
            }
            *place = read(named.index)?;
        }
        bytes.longs(indices);
        for k in 0..NAMED {
            let named = self.named.get(k);
            bytes.signed(padded(&|dim| named.map_or(0, |named| named.strides[dim].cast_signed() as i64)));
        }
        let each =
            |number: &dyn Fn(&Named<'_>) -> i64| -> Vec<i64> { self.named.iter().map(number).chain([0; NAMED]).take(NAMED).collect() };
        bytes.signed(each(&|named| named.inside.start));
        bytes.signed(each(&|named| named.inside.end));
        bytes.signed(each(&|named| named.step.cast_signed() as i64));
        bytes.axes(dims.iter().map(|&dim| self.sizes[dim]));
        run(context, &queue, &kernel, entry as usize, count, bytes)
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
        let mut bytes = GivenBuffer::default();
        bytes.words(&[count, CHUNK, rank, out.map_or(0, |(_, total)| total)]);
        let places = out.map_or(Ok(0), |(out, _)| address(&access, out, LockMode::Write, &queue))?;
        let from = address(&access, truths, LockMode::Read, &queue)?;
        bytes.longs([from, address(&access, counts, LockMode::Write, &queue)?, places]);
        bytes.axes(sizes.iter().rev().copied());
        run(context, &queue, &kernel, walk, chunks, bytes)
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

fn check_size(count: usize, rank: usize, named: usize) -> Result<()> {
    if count > i32::MAX as usize || rank > RANK || named > NAMED {
        return Err(Error::not_implemented(format!(
            "indexing on a CUDA device goes up to {RANK} dimensions, {NAMED} indices and 2147483647 elements, not {rank}, {named} and {count}"
        )));
    }
    Ok(())
}

/// Waits for a flag.
fn is_zero(flag: &RawTensor) -> Result<bool> {
    Ok(flag.numbers::<i32>()? == [0])
}

/// For so many threads.
fn blocks(context: &Context, work: usize) -> u32 {
    let most = BLOCKS * context.properties().multiprocessors.max(1) as usize;
    u32::try_from(work.div_ceil(THREADS).clamp(1, most)).unwrap_or(1)
}

fn run(context: &Context, queue: &Queue, kernel: &LoadedKernel, walk: usize, work: usize, mut bytes: GivenBuffer) -> Result<()> {
    queue.launch(kernel.numbered(walk), blocks(context, work), THREADS as u32, &mut bytes.0)
}

/// What a kernel is given, byte for byte.
#[derive(Default)]
struct GivenBuffer(SmallVec<[u8; 1280]>);

impl GivenBuffer {
    fn words(&mut self, words: &[usize]) {
        words.iter().for_each(|&word| self.0.extend_from_slice(&u32::try_from(word).unwrap_or(u32::MAX).to_ne_bytes()));
    }

    fn longs(&mut self, longs: impl IntoIterator<Item = u64>) {
        longs.into_iter().for_each(|long| self.0.extend_from_slice(&long.to_ne_bytes()));
    }

    fn signed(&mut self, longs: Vec<i64>) {
        longs.into_iter().for_each(|long| self.0.extend_from_slice(&long.to_ne_bytes()));
    }

    /// `Axis` of the prelude, for each dimension.
    fn axes(&mut self, sizes: impl Iterator<Item = usize>) {
        for size in sizes.chain([1; RANK]).take(RANK) {
            axis(size.max(1)).iter().for_each(|number| self.0.extend_from_slice(&number.to_ne_bytes()));
        }
    }
}
