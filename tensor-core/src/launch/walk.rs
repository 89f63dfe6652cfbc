//! Dimensions that a kernel walks over in their own order, as few as they can be, and the bytes of what a kernel is given: what reductions,
//! rows and products share.

use std::sync::Arc;

use smallvec::SmallVec;

use latten_spec::DType;

use super::arguments::axis;
use crate::cuda::Queue;
use crate::error::{Error, Result};
use crate::geometry::Dims;
use crate::geometry::strides::contiguous_strides;
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::storage::{Access, LockMode};

/// The dimensions that a kernel can walk over.
pub(super) const RANK: usize = 8;
/// Threads of a block, as the kernels know.
pub(super) const THREADS: usize = 256;
/// The warps that these are.
pub(super) const WARPS: usize = 8;
/// What 32-bit numbers count.
pub(super) const MOST: usize = i32::MAX as usize;

/// Sizes, and strides of several tensors along them, innermost dimension first; neighbours that can be one are one.
#[derive(Debug)]
pub(super) struct Dimensions<const N: usize> {
    pub(super) sizes: Dims,
    pub(super) strides: [Dims; N],
}

impl<const N: usize> Dimensions<N> {
    /// Dimensions from the outermost on.
    pub(super) fn new(dims: impl DoubleEndedIterator<Item = (usize, [usize; N])>) -> Self {
        let mut joined = Self { sizes: Dims::new(), strides: std::array::from_fn(|_| Dims::new()) };
        for (size, strides) in dims.rev().filter(|(size, _)| *size != 1) {
            let inner = joined.sizes.last().copied();
            let goes_on =
                |inner: usize| joined.strides.iter().zip(strides).all(|(own, stride)| own.last().map(|own| own * inner) == Some(stride));
            if inner.is_some_and(goes_on) {
                joined.sizes.last_mut().into_iter().for_each(|last| *last *= size);
            } else {
                joined.sizes.push(size);
                joined.strides.iter_mut().zip(strides).for_each(|(own, stride)| own.push(stride));
            }
        }
        joined
    }

    /// Whether a kernel can walk over them.
    pub(super) fn fits(&self) -> bool {
        self.sizes.len() <= RANK && self.sizes.iter().all(|&size| size <= MOST)
    }
}

/// The bytes of what a kernel is given.
#[derive(Debug, Default)]
pub(super) struct GivenBytes(pub(super) SmallVec<[u8; 512]>);

impl GivenBytes {
    pub(super) fn counts(&mut self, counts: &[usize]) {
        for &count in counts {
            self.0.extend_from_slice(&u32::try_from(count).unwrap_or(u32::MAX).to_ne_bytes());
        }
    }

    /// Addresses, after what brings them to a multiple of their size.
    pub(super) fn addresses(&mut self, addresses: &[u64]) {
        self.0.resize(self.0.len().next_multiple_of(8), 0);
        addresses.iter().for_each(|address| self.0.extend_from_slice(&address.to_ne_bytes()));
    }

    pub(super) fn steps(&mut self, steps: &[usize]) {
        steps.iter().for_each(|&step| self.0.extend_from_slice(&(step as u64).to_ne_bytes()));
    }

    /// As many numbers as there can be, of strides or of something else that there is once for each dimension.
    pub(super) fn padded(&mut self, numbers: impl IntoIterator<Item = i64>) {
        numbers.into_iter().chain([0; RANK]).take(RANK).for_each(|number| self.0.extend_from_slice(&number.to_ne_bytes()));
    }

    /// As many strides as there can be.
    pub(super) fn strides(&mut self, strides: &[usize]) {
        self.padded(strides.iter().map(|stride| stride.cast_signed() as i64));
    }

    /// As many sizes as there can be, with the numbers that divide by them.
    pub(super) fn axes(&mut self, sizes: impl IntoIterator<Item = usize>) {
        for size in sizes.into_iter().chain([1; RANK]).take(RANK) {
            axis(size.max(1)).iter().for_each(|number| self.0.extend_from_slice(&number.to_ne_bytes()));
        }
    }
}

/// Where the elements of a tensor begin on its device, for work on a stream. Whatever reduces, indexes or multiplies gets its addresses here,
/// under the lock of the storage, which nobody resizes meanwhile.
///
/// # Errors
/// Where the tensor reaches beyond its storage, and where elements aren't at multiples of their size.
pub(super) fn address(access: &Access<'_>, tensor: &RawTensor, mode: LockMode, queue: &Arc<Queue>) -> Result<u64> {
    tensor.check_inside()?;
    let Some((block, start)) = access.block(tensor.storage(), mode) else {
        return Err(Error::runtime(format!("Tensor on device {} is not on the expected device cuda:{}!", tensor.device(), queue.ordinal)));
    };
    let begin = match mode {
        LockMode::Write | LockMode::End => block.write_on(queue)?,
        LockMode::Read => block.read_on(queue)?,
    };
    let address = begin + (start + tensor.storage_offset() * tensor.dtype().itemsize()) as u64;
    if !address.is_multiple_of(tensor.dtype().itemsize() as u64) {
        return Err(Error::not_implemented("a slice of a storage that starts between two elements can't be used on a device"));
    }
    Ok(address)
}

/// Lets `write` write results of a dtype, and places of them: into the tensors themselves where they are as a kernel writes them, contiguous and
/// in no memory that it reads; else into others, which are copied.
///
/// # Errors
/// Where `write` or the device refuses.
pub(super) fn written(
    (values, places): (&RawTensor, Option<&RawTensor>),
    dtype: DType,
    input: &RawTensor,
    write: impl FnOnce(&RawTensor, Option<&RawTensor>) -> Result<()>,
) -> Result<()> {
    let room = |to: &RawTensor, dtype| {
        let apart = !to.storage().is_same(input.storage());
        let suits = apart && to.dtype() == dtype && to.is_contiguous(MemoryFormat::Contiguous);
        if suits { Ok(to.clone()) } else { RawTensor::empty(to.sizes(), &contiguous_strides(to.sizes()), dtype, to.device()) }
    };
    let (of_values, of_places) = (room(values, dtype)?, places.map(|places| room(places, DType::I64)).transpose()?);
    write(&of_values, of_places.as_ref())?;
    for (room, to) in [(&of_values, values)].into_iter().chain(of_places.as_ref().zip(places)) {
        if !room.storage().is_same(to.storage()) {
            to.copy_(room)?;
        }
    }
    Ok(())
}

/// The blocks of a launch: as many as there are tasks, but for very many, of which blocks take several.
pub(super) fn blocks(tasks: usize) -> u32 {
    u32::try_from(tasks.clamp(1, 1 << 20)).unwrap_or(1)
}

/// That 32-bit numbers count that many.
pub(super) fn check_count(name: &str, count: Option<usize>) -> Result<()> {
    if count.is_some_and(|count| count <= MOST) {
        return Ok(());
    }
    Err(Error::not_implemented(format!("{name} of more than {MOST} elements has no CUDA kernel")))
}
