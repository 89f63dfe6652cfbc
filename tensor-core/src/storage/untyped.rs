//! What can be done with bytes: making, reading, writing, copying, resizing and moving them.

use std::ops::{Bound, RangeBounds};

use super::access::{Access, Cell};
use super::memory::{Adopted, Memory};
use super::pool::{Contents, Pooled};
use super::share::Share;
use super::{Claim, UntypedStorage, Window};
use crate::cuda::DeviceBlock;
use crate::device::{Device, DeviceType};
use crate::element::Native;
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// The type's name in PyTorch.
pub(super) const TYPE_NAME: &str = "torch.storage.UntypedStorage";

/// Making storages.
impl UntypedStorage {
    /// That many bytes, whose contents are left open: zeros, or what a freed storage held.
    ///
    /// # Errors
    /// If there is no such memory, or this build can't use the device.
    pub fn new(nbytes: usize, device: Device) -> Result<Self> {
        Self::allocate(nbytes, device, Contents::Stale)
    }

    /// That many zero bytes. Pages of a large storage cost nothing until they are used.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn zeroed(nbytes: usize, device: Device) -> Result<Self> {
        Self::allocate(nbytes, device, Contents::Zeros)
    }

    /// A copy of those bytes.
    ///
    /// # Errors
    /// If there is no such memory.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let storage = Self::new(bytes.len(), Device::CPU)?;
        Access::write(&storage)?.copy_in(&storage, 0, bytes)?;
        Ok(storage)
    }

    /// The low eight bits of each integer.
    ///
    /// # Errors
    /// For a number that is no integer, and if there is no such memory.
    pub fn from_scalars(numbers: &[Scalar]) -> Result<Self> {
        let byte = |number: &Scalar| {
            low_byte(*number).ok_or_else(|| {
                Error::runtime(format!(
                    "torch.UntypedStorage(): tried to construct a storage from a sequence (list), but one of the items was of type {} \
                     instead of int",
                    name(*number)
                ))
            })
        };
        Self::from_bytes(&numbers.iter().map(byte).collect::<Result<Vec<u8>>>()?)
    }

    /// The memory of a `Vec`, taken over without a copy. Such a storage can't be resized.
    #[must_use]
    pub fn from_vec<T: Native>(numbers: Vec<T>) -> Self {
        let nbytes = size_of_val(numbers.as_slice());
        Self::over(Cell::new(Memory::Foreign(Adopted::new(numbers)), nbytes, Device::CPU))
    }

    /// An empty storage on the host: PyTorch's `new()`.
    #[must_use]
    pub fn empty() -> Self {
        Self::over(Cell::new(Memory::Heap(Pooled::none()), 0, Device::CPU))
    }

    fn allocate(nbytes: usize, device: Device, contents: Contents) -> Result<Self> {
        device.require_built()?;
        let memory = match device.kind() {
            DeviceType::Meta => Memory::Absent,
            DeviceType::Cuda => {
                let block = DeviceBlock::new(nbytes, device)?;
                if contents == Contents::Zeros {
                    block.fill(0, nbytes, 0)?;
                }
                Memory::Device(block)
            }
            _ if contents == Contents::Stale && device.resolved() == Device::CPU => return Ok(Self::whole(Share::fresh(nbytes)?)),
            _ => Memory::Heap(Pooled::new(nbytes, contents)?),
        };
        Ok(Self::over(Cell::new(memory, nbytes, device.resolved())))
    }
}

/// Asking.
impl UntypedStorage {
    /// The size in bytes, again: an element of an untyped storage is a byte.
    #[must_use]
    pub fn size(&self) -> usize {
        self.nbytes()
    }

    /// The size in bytes, by its usual name in Rust.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nbytes()
    }

    /// The ordinal of the device: none on the host.
    #[must_use]
    pub fn get_device(&self) -> Option<u8> {
        self.device().index()
    }

    /// Whether there are no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nbytes() == 0
    }

    /// The size of an element: 1.
    #[must_use]
    pub const fn element_size(&self) -> usize {
        1
    }

    /// PyTorch's name of the type.
    #[must_use]
    pub const fn type_name(&self) -> &'static str {
        TYPE_NAME
    }

    /// The storage itself: there is nothing untyped below it.
    #[must_use]
    pub const fn untyped(&self) -> &Self {
        self
    }

    /// Whether the bytes are on a CUDA device.
    #[must_use]
    pub fn is_cuda(&self) -> bool {
        self.device().kind() == DeviceType::Cuda
    }

    /// Whether the bytes are on an HPU: never, such devices are not built.
    #[must_use]
    pub const fn is_hpu(&self) -> bool {
        false
    }

    /// Whether the storage is sparse: never.
    #[must_use]
    pub const fn is_sparse(&self) -> bool {
        false
    }

    /// Whether the storage is sparse in the CSR layout: never.
    #[must_use]
    pub const fn is_sparse_csr(&self) -> bool {
        false
    }

    /// Whether the bytes are page-locked for a CUDA device.
    #[must_use]
    pub fn is_pinned(&self) -> bool {
        self.cell().is_pinned()
    }

    /// Whether other processes can map the bytes: shared memory, and mapped files.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.cell().is_shared()
    }

    /// Whether [`resize_`](Self::resize_) can work: not for slices of storages, mapped files, shared memory and the memory of a `Vec`.
    #[must_use]
    pub fn resizable(&self) -> bool {
        self.window().is_none() && self.cell().is_resizable()
    }

    /// The file that the storage is, where writes reach it.
    #[must_use]
    pub fn filename(&self) -> Option<&std::path::Path> {
        if self.window().is_some_and(|window| window.part == Claim::Slice) { None } else { self.cell().filename() }
    }
}

/// Reading and writing.
impl UntypedStorage {
    /// One byte; a negative index counts from the end.
    ///
    /// # Errors
    /// For an index out of range, and on the meta device.
    pub fn get(&self, index: i64) -> Result<u8> {
        self.check_readable()?;
        let access = Access::read(self)?;
        let len = self.nbytes();
        let Some(at) = wrap(index, len) else {
            // PyTorch says what it made of a negative index.
            let index = if index < 0 { index.saturating_add_unsigned(len as u64) } else { index };
            return Err(Error::index(format!("index {index} out of range for storage of size {len}")));
        };
        let mut byte = [0];
        access.copy_out(self, at, &mut byte)?;
        Ok(byte[0])
    }

    /// Sets one byte to the low eight bits of an integer. Unlike reading, writing takes no index that counts from the end, as in PyTorch.
    ///
    /// # Errors
    /// For an index out of range, and a number that is no integer.
    pub fn set(&self, index: i64, value: impl Into<Scalar>) -> Result<()> {
        let value = settable(value.into())?;
        let access = Access::write(self)?;
        let Some(at) = usize::try_from(index).ok().filter(|&at| at < self.nbytes()) else { return Err(Error::runtime("out of bounds")) };
        if !self.is_meta() {
            access.copy_in(self, at, &[value])?;
        }
        Ok(())
    }

    /// A part of the storage, as a storage that shares the bytes. Negative ends count from the end; what lies outside is
    /// left out.
    ///
    /// # Errors
    /// On the meta device.
    pub fn slice(&self, range: impl RangeBounds<i64>) -> Result<Self> {
        self.check_readable()?;
        let (start, end) = clamp(range, self.nbytes());
        Ok(self.with_window(Some(Window { start: self.window_start() + start, nbytes: end - start, part: Claim::Slice })))
    }

    /// Sets a part of the bytes to the low eight bits of an integer.
    ///
    /// # Errors
    /// For a number that is no integer.
    pub fn set_range(&self, range: impl RangeBounds<i64>, value: impl Into<Scalar>) -> Result<()> {
        let value = settable(value.into())?;
        let access = Access::write(self)?;
        let (start, end) = clamp(range, self.nbytes());
        if !self.is_meta() {
            access.fill(self, start, end - start, value)?;
        }
        Ok(())
    }

    /// Sets every byte to the low eight bits of an integer.
    ///
    /// # Errors
    /// For a number that is no integer.
    pub fn fill_(&self, value: impl Into<Scalar>) -> Result<&Self> {
        let value = value.into();
        let byte = low_byte(value).ok_or_else(|| Error::runtime(format!("fill_ expects int, but got {}", name(value))))?;
        let access = Access::write(self)?;
        if !self.is_meta() {
            access.fill(self, 0, self.nbytes(), byte)?;
        }
        Ok(self)
    }

    /// Copies all bytes of another storage, untyped or typed; they may overlap.
    ///
    /// # Errors
    /// If the sizes differ, and if there is no data to copy.
    pub fn copy_(&self, source: &impl AsRef<Self>) -> Result<&Self> {
        let source = source.as_ref();
        let access = Access::lock(&[self], &[source])?;
        let (to, from) = (self.nbytes(), source.nbytes());
        if to != from {
            return Err(Error::runtime(format!("size does not match, self was {to} bytes but src was {from} bytes")));
        }
        if !self.is_meta() {
            source.check_copied()?;
            access.copy_from(self, &access, source, to)?;
        }
        Ok(self)
    }

    /// [`copy_`](Self::copy_) of as many bytes, without waiting for a device that can copy by itself.
    pub(crate) fn copy_later(&self, source: &Self) -> Result<()> {
        let access = Access::lock(&[self], &[source])?;
        access.copy_later_from(self, &access, source, self.nbytes().min(source.nbytes()))
    }

    /// The bytes.
    ///
    /// # Errors
    /// On the meta device, and if there is no memory for a copy.
    pub fn tolist(&self) -> Result<Vec<u8>> {
        if self.is_meta() && self.is_empty() {
            return Ok(Vec::new());
        }
        self.check_readable()?;
        let access = Access::read(self)?;
        let len = self.nbytes();
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(len).map_err(|_| Error::runtime(format!("tolist: no memory for {len} bytes")))?;
        bytes.resize(len, 0);
        access.copy_out(self, 0, &mut bytes)?;
        Ok(bytes)
    }

    /// The bytes one after the other, as they are now.
    ///
    /// # Errors
    /// As for [`tolist`](Self::tolist).
    pub fn iter(&self) -> Result<std::vec::IntoIter<u8>> {
        Ok(self.tolist()?.into_iter())
    }
}

/// Checking.
impl UntypedStorage {
    pub(super) fn is_meta(&self) -> bool {
        self.device().kind() == DeviceType::Meta
    }

    pub(super) fn check_readable(&self) -> Result<()> {
        if self.is_meta() { Err(Error::not_implemented("Not available for 'meta' device type")) } else { Ok(()) }
    }

    pub(super) fn check_copied(&self) -> Result<()> {
        if self.is_meta() { Err(Error::not_implemented("Cannot copy out of meta tensor; no data!")) } else { Ok(()) }
    }
}

impl AsRef<Self> for UntypedStorage {
    fn as_ref(&self) -> &Self {
        self
    }
}

fn settable(value: Scalar) -> Result<u8> {
    low_byte(value).ok_or_else(|| Error::runtime(format!("can only set storage content with a int types, but got {} instead", name(value))))
}

fn low_byte(value: Scalar) -> Option<u8> {
    match value {
        Scalar::Bool(value) => Some(u8::from(value)),
        Scalar::Int(value) => Some(value.to_le_bytes()[0]),
        Scalar::Float(_) | Scalar::Complex(_) => None,
    }
}

fn name(value: Scalar) -> &'static str {
    match value {
        Scalar::Bool(_) => "bool",
        Scalar::Int(_) => "int",
        Scalar::Float(_) => "float",
        Scalar::Complex(_) => "complex",
    }
}

/// The position that an index means; a negative one counts from the end.
pub(super) fn wrap(index: i64, len: usize) -> Option<usize> {
    let at = if index < 0 { len.checked_sub(usize::try_from(index.unsigned_abs()).ok()?)? } else { usize::try_from(index).ok()? };
    (at < len).then_some(at)
}

/// The positions that a range means, as Python's slices do.
pub(super) fn clamp(range: impl RangeBounds<i64>, len: usize) -> (usize, usize) {
    let at = |index: i64| {
        let distance = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
        if index < 0 { len.saturating_sub(distance) } else { distance.min(len) }
    };
    let start = match range.start_bound() {
        Bound::Included(&start) => at(start),
        Bound::Excluded(&start) => at(start.saturating_add(1)),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        // -1 is the last position, after which the storage ends.
        Bound::Included(&-1) | Bound::Unbounded => len,
        Bound::Included(&end) => at(end.saturating_add(1)),
        Bound::Excluded(&end) => at(end),
    };
    (start, end.max(start))
}
