//! The order of the elements of rows of a tensor of a CUDA device: few elements by comparing, more where a block keeps them, the rest by
//! bytes of their keys, which go over memory once for each.

use latten_kernel::kernels::sorts::key_bytes;
use latten_spec::DType;

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
/// Keys that a block keeps, and the values of a byte, as the kernels know.
const KEPT: usize = 2048;
const BYTES: usize = 256;
/// Parts of rows that keep a device busy.
const PARTS: usize = 2048;

/// Which entry of the kernels of a dtype.
#[derive(Clone, Copy)]
enum SortEntry {
    Each,
    Together,
    Keys,
    Found,
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
            SortEntry::Found => (self.rows * self.results).div_ceil(THREADS),
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

    /// Sorts by the lowest bytes; gives the keys in their order, and their places.
    pub(super) fn sort(&self, lowest: usize) -> Result<&[RawTensor; 2]> {
        let most = (PARTS / self.rows).clamp(1, self.count.div_ceil(KEPT));
        let chunk = self.count.div_ceil(most).next_multiple_of(KEPT);
        let parts = self.count.div_ceil(chunk);
        let counts = RawTensor::empty(&[self.rows * BYTES * parts], &[1], DType::I32, self.both[0][0].device())?;
        for byte in 0..lowest {
            for entry in 0..3 {
                self.walk(entry, byte, [parts, chunk], &counts)?;
            }
        }
        Ok(&self.both[lowest % 2])
    }

    /// Counts values, finds where the first of each goes, or brings keys there.
    fn walk(&self, entry: usize, byte: usize, [parts, chunk]: [usize; 2], counts: &RawTensor) -> Result<()> {
        let (from, to) = (&self.both[byte % 2], &self.both[(byte + 1) % 2]);
        let context = Context::of(counts.device())?;
        let kernel = kernel(context, &Key::Radix(self.bytes))?;
        let access = Access::lock(&[to[0].storage(), to[1].storage(), counts.storage()], &[from[0].storage(), from[1].storage()])?;
        let queue = context.queue();
        let written = |tensor: &RawTensor| address(&access, tensor, LockMode::Write, &queue);
        let read = |tensor: &RawTensor| address(&access, tensor, LockMode::Read, &queue);
        let mut given = GivenBytes::default();
        given.counts(&[self.rows, self.count, parts, chunk, 8 * byte]);
        given.addresses(&[read(&from[0])?, read(&from[1])?, written(&to[0])?, written(&to[1])?, written(counts)?]);
        let tasks = if entry == 1 { self.rows } else { self.rows * parts };
        queue.launch(kernel.numbered(entry), blocks(tasks), THREADS as u32, &mut given.0)
    }
}
