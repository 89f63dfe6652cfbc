//! The order of the elements of rows of a tensor of a CUDA device: few elements by comparing, more where a block keeps them, the rest by
//! bytes of their keys, which go over memory once for each; of a few results of many elements the last one is found by such bytes.

use latten_kernel::kernels::sorts::key_bytes;
use latten_spec::DType;
use smallvec::SmallVec;

use super::rows::{RowsShape, size_along};
use super::walk::{GivenBytes, THREADS, address, blocks, check_count, written};
use crate::cuda::Context;
use crate::cuda::library::{Key, kernel};
use crate::error::Result;
use crate::geometry::Geometry;
use crate::raw::RawTensor;
use crate::storage::{Access, LockMode, UntypedStorage};

/// Elements of a row that are compared with each other.
const FEW: usize = 32;
/// Elements of a row that a block sorts, those of a long row that it puts in order together, and the values of a byte, as the kernels know.
const KEPT: usize = 2048;
const TILE: usize = 4096;
const BYTES: usize = 256;
/// Words of eight bytes that say what the last one of those chosen is, as the kernels know.
const CHOSEN: usize = 3;
/// Parts of rows that keep a device busy.
const PARTS: usize = 1024;

/// Which entry of the kernels of a dtype.
#[derive(Clone, Copy)]
enum SortEntry {
    Each,
    Together,
    Keys,
    Found,
    Chosen,
}

/// Which entry of the kernels of keys.
#[derive(Clone, Copy)]
enum RadixEntry {
    Counts,
    Starts,
    Spread,
    SelectCounts,
    SelectByte,
    SelectTaken,
}

/// Writes the first elements of rows along a dimension in their order, and their places, of an input that has some.
///
/// # Errors
/// Where there are more elements than a kernel can count, and where the device refuses.
pub(crate) fn sort(input: &RawTensor, dim: usize, descending: bool, [values, places]: [&RawTensor; 2]) -> Result<()> {
    written((values, Some(places)), input.dtype(), input, |values, places| match places {
        Some(places) => run(input, dim, descending, [values, places]),
        None => Ok(()),
    })
}

fn run(input: &RawTensor, dim: usize, descending: bool, out: [&RawTensor; 2]) -> Result<()> {
    let results = size_along(out[0], dim);
    let (input, shape) = RowsShape::of(input, dim, results)?;
    let (rows, count) = (shape.rows.sizes.iter().product::<usize>(), shape.count);
    check_count("sort", rows.checked_mul(count))?;
    let launch = SortLaunch { input: &input, out, shape: &shape, rows, results, descending };
    if count <= KEPT {
        return launch.walk(if count <= FEW { SortEntry::Each } else { SortEntry::Together }, None);
    }
    let keys = RadixKeys::new(rows, count, key_bytes(input.dtype()), &input)?;
    launch.walk(SortEntry::Keys, Some(keys.first()))?;
    if results <= KEPT && results.saturating_mul(8) <= count {
        return launch.walk(SortEntry::Chosen, Some(keys.select(results)?));
    }
    let sorted = keys.sort(input.dtype().itemsize())?;
    launch.walk(SortEntry::Found, Some(sorted))
}

/// What the kernels of a dtype are given.
struct SortLaunch<'a> {
    input: &'a RawTensor,
    out: [&'a RawTensor; 2],
    shape: &'a RowsShape,
    rows: usize,
    results: usize,
    descending: bool,
}

impl SortLaunch<'_> {
    fn walk(&self, entry: SortEntry, keys: Option<&[RawTensor; 2]>) -> Result<()> {
        let context = Context::of(self.input.device())?;
        let kernel = kernel(context, &Key::Sort(self.input.dtype()))?;
        let all: Vec<_> = self.out.into_iter().chain(keys.into_iter().flatten()).map(RawTensor::storage).collect();
        let access = Access::lock(&all, &[self.input.storage()])?;
        let queue = context.queue();
        let to = |tensor: &RawTensor| address(&access, tensor, LockMode::Write, &queue);
        let from = address(&access, self.input, LockMode::Read, &queue)?;
        let mut given = self.shape.given([self.rows, 1, self.shape.count], [to(self.out[0])?, to(self.out[1])?, from, 0]);
        given.counts(&[self.results, self.descending.into()]);
        let (keys, order) = match keys {
            Some([keys, order]) => (to(keys)?, to(order)?),
            None => (0, 0),
        };
        given.addresses(&[keys, order]);
        let tasks = match entry {
            SortEntry::Together => self.rows,
            SortEntry::Found | SortEntry::Chosen => (self.rows * self.results).div_ceil(THREADS),
            SortEntry::Each | SortEntry::Keys => (self.rows * self.shape.count).div_ceil(THREADS),
        };
        queue.launch(kernel.numbered(entry as usize), blocks(tasks), THREADS as u32, &mut given.0)
    }
}

/// Keys of rows one after the other, and their places, and room for as many.
pub(super) struct RadixKeys {
    rows: usize,
    count: usize,
    bytes: usize,
    both: [[RawTensor; 2]; 2],
}

impl RadixKeys {
    /// Room for keys of so many bytes.
    pub(super) fn new(rows: usize, count: usize, bytes: usize, like: &RawTensor) -> Result<Self> {
        let room = |bytes: usize, dtype: DType| {
            let storage = UntypedStorage::new(rows * count * bytes, like.device())?;
            RawTensor::over(storage, dtype, Geometry::contiguous(&[rows * count]))
        };
        let dtype = if bytes == 8 { DType::I64 } else { DType::I32 };
        let pair = || -> Result<[RawTensor; 2]> { Ok([room(bytes, dtype)?, room(4, DType::I32)?]) };
        Ok(Self { rows, count, bytes, both: [pair()?, pair()?] })
    }

    /// Where keys and places are to be written.
    pub(super) fn first(&self) -> &[RawTensor; 2] {
        &self.both[0]
    }

    /// In how many parts rows are looked at, and of how many elements.
    fn parts(&self) -> [usize; 2] {
        let most = (PARTS / self.rows).clamp(1, self.count.div_ceil(TILE));
        let chunk = self.count.div_ceil(most).next_multiple_of(TILE);
        [self.count.div_ceil(chunk), chunk]
    }

    fn zeros(&self, count: usize, dtype: DType) -> Result<RawTensor> {
        let zeros = RawTensor::empty(&[count], &[1], dtype, self.both[0][0].device())?;
        zeros.zero_()?;
        Ok(zeros)
    }

    /// Sorts by the lowest bytes; gives the keys in their order, and their places.
    pub(super) fn sort(&self, lowest: usize) -> Result<&[RawTensor; 2]> {
        let parts = self.parts();
        // How often each value is there in each part, and in all.
        let counts = RawTensor::empty(&[self.rows * BYTES * (parts[0] + 1)], &[1], DType::I32, self.both[0][0].device())?;
        for byte in 0..lowest {
            let (from, to) = (&self.both[byte % 2], &self.both[(byte + 1) % 2]);
            for entry in [RadixEntry::Counts, RadixEntry::Starts, RadixEntry::Spread] {
                self.walk(entry, [from, to], parts, &[8 * byte], &[&counts])?;
            }
        }
        Ok(&self.both[lowest % 2])
    }

    /// The keys of the first elements of each row and their places, in any order.
    fn select(&self, results: usize) -> Result<&[RawTensor; 2]> {
        let [from, to] = &self.both;
        let (counts, chosen) = (self.zeros(self.rows * BYTES, DType::I32)?, self.zeros(self.rows * CHOSEN, DType::I64)?);
        let walk = |entry, shift: usize, of_places: bool| {
            self.walk(entry, [from, to], self.parts(), &[shift, of_places.into(), results], &[&counts, &chosen])
        };
        // Keys from the top, then the places of equal ones, which have four bytes.
        for (bytes, of_places) in [(self.bytes, false), (4, true)] {
            for byte in (0..bytes).rev() {
                walk(RadixEntry::SelectCounts, 8 * byte, of_places)?;
                walk(RadixEntry::SelectByte, 8 * byte, of_places)?;
            }
        }
        walk(RadixEntry::SelectTaken, 0, false)?;
        Ok(to)
    }

    /// One entry: from keys and places to others, with what it is told and what it counts with.
    fn walk(
        &self,
        entry: RadixEntry,
        [from, to]: [&[RawTensor; 2]; 2],
        [parts, chunk]: [usize; 2],
        told: &[usize],
        with: &[&RawTensor],
    ) -> Result<()> {
        let context = Context::of(from[0].device())?;
        let kernel = kernel(context, &Key::Radix(self.bytes))?;
        let outputs: SmallVec<[_; 4]> = to.iter().chain(with.iter().copied()).map(RawTensor::storage).collect();
        let access = Access::lock(&outputs, &[from[0].storage(), from[1].storage()])?;
        let queue = context.queue();
        let written = |tensor: &RawTensor| address(&access, tensor, LockMode::Write, &queue);
        let read = |tensor: &RawTensor| address(&access, tensor, LockMode::Read, &queue);
        let mut given = GivenBytes::default();
        given.counts(&[self.rows, self.count, parts, chunk]);
        given.counts(told);
        given.addresses(&[read(&from[0])?]);
        if matches!(entry, RadixEntry::Counts | RadixEntry::Starts | RadixEntry::Spread) {
            given.addresses(&[read(&from[1])?]);
        }
        given.addresses(&[written(&to[0])?, written(&to[1])?]);
        for tensor in with {
            given.addresses(&[written(tensor)?]);
        }
        let tasks = match entry {
            RadixEntry::Counts | RadixEntry::Spread | RadixEntry::SelectCounts => self.rows * parts,
            RadixEntry::Starts if parts <= FEW => (self.rows * BYTES).div_ceil(THREADS),
            RadixEntry::Starts => self.rows * BYTES,
            RadixEntry::SelectByte => self.rows,
            RadixEntry::SelectTaken => (self.rows * self.count).div_ceil(THREADS),
        };
        queue.launch(kernel.numbered(entry as usize), blocks(tasks), THREADS as u32, &mut given.0)
    }
}
