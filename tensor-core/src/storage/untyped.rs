//! What can be done with bytes: making, reading, writing, copying, resizing and moving them.

use std::ops::{Bound, RangeBounds};

use super::access::{Access, Cell};
use super::memory::{Adopted, Memory};
use super::pool::{Contents, Pooled};
use super::shared::SharedMemory;
use super::{UntypedStorage, Window};
use crate::device::{Device, DeviceType, IntoDevice};
use crate::element::Native;
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// The type's name in PyTorch.
pub(super) const TYPE_NAME: &str = "torch.storage.UntypedStorage";

/// Making storages.
impl UntypedStorage {
    /// So many bytes, whose contents are left open: zeros, or what a freed storage held.
    ///
    /// # Errors
    /// If there is no such memory, or this build can't use the device.
    pub fn new(nbytes: usize, device: Device) -> Result<Self> {
        Self::allocate(nbytes, device, Contents::Stale)
    }

    /// So many zero bytes. Pages of a large storage cost nothing until they are used.
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
        Access::write(&storage)?.copy_in(&storage, 0, bytes);
        Ok(storage)
    }

    /// The memory of a `Vec`, taken over without a copy. Such a storage can't be resized.
    #[must_use]
    pub fn from_vec<T: Native>(numbers: Vec<T>) -> Self {
        let nbytes = size_of_val(numbers.as_slice());
        Self::over(Cell::new(Memory::Foreign(Adopted::new(numbers)), nbytes, Device::CPU, None))
    }

    /// An empty storage on the host: PyTorch's `new()`.
    #[must_use]
    pub fn empty() -> Self {
        Self::over(Cell::new(Memory::Heap(Pooled::none()), 0, Device::CPU, None))
    }

    fn allocate(nbytes: usize, device: Device, contents: Contents) -> Result<Self> {
        device.require_built()?;
        let memory = if device.kind() == DeviceType::Meta { Memory::Absent } else { Memory::Heap(Pooled::new(nbytes, contents)?) };
        Ok(Self::over(Cell::new(memory, nbytes, device.resolved(), None)))
    }
}

/// Asking.
impl UntypedStorage {
    /// The size in bytes, again: an element of an untyped storage is a byte.
    #[must_use]
    pub fn size(&self) -> usize {
        self.nbytes()
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
    pub const fn is_pinned(&self) -> bool {
        false
    }

    /// Whether other processes can map the bytes: shared memory, and mapped files.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.cell().is_shared()
    }

    /// Whether [`resize_`](Self::resize_) can work: not for slices of storages, mapped files, shared memory and the memory of a `Vec`.
    #[must_use]
    pub fn resizable(&self) -> bool {
        self.window.is_none() && self.cell().is_resizable()
    }

    /// The file that the storage is, where writes reach it.
    #[must_use]
    pub fn filename(&self) -> Option<&std::path::Path> {
        if self.window.is_some() { None } else { self.cell().filename.as_deref() }
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
        access.copy_out(self, at, &mut byte);
        Ok(byte[0])
    }

    /// Sets one byte to the low eight bits of an integer.
    ///
    /// # Errors
    /// For an index out of range, and a number that is no integer.
    pub fn set(&self, index: i64, value: impl Into<Scalar>) -> Result<()> {
        let value = settable(value.into())?;
        let access = Access::write(self)?;
        let Some(at) = wrap(index, self.nbytes()) else { return Err(Error::runtime("out of bounds")) };
        if !self.is_meta() {
            access.copy_in(self, at, &[value]);
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
        let base = self.window.map_or(0, |window| window.start);
        Ok(Self { cell: self.cell.clone(), window: Some(Window { start: base + start, nbytes: end - start }) })
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
            access.fill(self, start, end - start, value);
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
            access.fill(self, 0, self.nbytes(), byte);
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
            access.copy_from(self, &access, source, to);
        }
        Ok(self)
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
        access.copy_out(self, 0, &mut bytes);
        Ok(bytes)
    }
}

/// Copying, resizing and moving.
impl UntypedStorage {
    /// A copy with bytes of its own: PyTorch's `clone`. It is never shared and never a file.
    ///
    /// # Errors
    /// If there is no memory for it.
    #[doc(alias = "clone")]
    pub fn deep_clone(&self) -> Result<Self> {
        let access = Access::read(self)?;
        let copy = Self::new(self.nbytes(), self.device())?;
        if !self.is_meta() {
            // Nobody else knows the copy: taking its lock against the order can't wait.
            let target = Access::write(&copy)?;
            target.copy_from(&copy, &access, self, self.nbytes());
        }
        Ok(copy)
    }

    /// Gives the storage another size. The bytes that both sizes have are kept; the contents of new ones are left open.
    /// Tensors over the storage keep their sizes: one that needs more bytes than there are left can't be read any more.
    ///
    /// # Errors
    /// If it isn't [`resizable`](Self::resizable) or there is no such memory.
    pub fn resize_(&self, nbytes: usize) -> Result<&Self> {
        let mut access = Access::write(self)?;
        if !self.resizable() {
            return Err(Error::runtime("Trying to resize storage that is not resizable"));
        }
        let kept = self.nbytes().min(nbytes);
        let fits = access.memory(self, |memory| match memory {
            // A block that is more than half empty is worth giving back.
            Memory::Heap(block) => nbytes <= block.capacity() && nbytes > block.capacity() / 2,
            _ => true,
        });
        if fits {
            access.replace(self, |_| Ok(nbytes))?;
        } else {
            let larger = Self::new(nbytes, Device::CPU)?;
            let target = Access::write(&larger)?;
            target.copy_from(&larger, &access, self, kept);
            drop(target);
            larger.exchange_memory(self, &mut access, nbytes)?;
        }
        Ok(self)
    }

    /// Moves the bytes into POSIX shared memory, for other processes to map: those that are forked from this one and those
    /// that are given [`shared_descriptor`](Self::shared_descriptor). The memory has no name and lives as long as somebody
    /// uses it. Tensors see no difference, but the storage can't be resized any more. A slice moves the whole storage.
    ///
    /// # Errors
    /// Off the host, and if the system has no more shared memory.
    pub fn share_memory_(&self) -> Result<&Self> {
        if self.device().kind() != DeviceType::Cpu {
            return Err(Error::runtime("_share_fd_: only available on CPU"));
        }
        let whole = Self { cell: self.cell.clone(), window: None };
        let mut access = Access::write(&whole)?;
        if !whole.is_shared() {
            let nbytes = whole.nbytes();
            let shared = Self::over(Cell::new(Memory::Shared(SharedMemory::new(nbytes)?), nbytes, Device::CPU, None));
            let target = Access::write(&shared)?;
            target.copy_from(&shared, &access, &whole, nbytes);
            drop(target);
            shared.exchange_memory(&whole, &mut access, nbytes)?;
        }
        Ok(self)
    }

    /// Puts the memory of a storage that nobody else knows below another one.
    fn exchange_memory(self, other: &Self, access: &mut Access<'_>, nbytes: usize) -> Result<()> {
        let mut mine = Access::write(&self)?;
        mine.replace(&self, |mine| {
            access.replace(other, |others| {
                std::mem::swap(mine, others);
                Ok(nbytes)
            })?;
            Ok(0)
        })
    }

    /// A descriptor of the shared memory below the storage, to be given to another process.
    ///
    /// # Errors
    /// If the storage isn't in shared memory, or the process has too many descriptors.
    #[cfg(unix)]
    pub fn shared_descriptor(&self) -> Result<std::os::fd::OwnedFd> {
        Access::read(self)?.memory(self, |memory| match memory {
            Memory::Shared(shared) => shared.descriptor(),
            _ => Err(Error::runtime("shared_descriptor: the storage is not in shared memory, call share_memory_ first")),
        })
    }

    /// The storage over shared memory that another process made, from the descriptor that it gave.
    ///
    /// The lock of a storage works within one process. Between processes the users agree on who writes when, as with
    /// any shared memory.
    ///
    /// # Errors
    /// If the memory is smaller than asked for, or can't be mapped.
    #[cfg(unix)]
    pub fn from_shared_descriptor(descriptor: std::os::fd::OwnedFd, nbytes: usize) -> Result<Self> {
        let memory = Memory::Shared(SharedMemory::from_descriptor(descriptor, nbytes)?);
        Ok(Self::over(Cell::new(memory, nbytes, Device::CPU, None)))
    }

    /// A copy in page-locked memory, for fast transfers to a CUDA device.
    ///
    /// # Errors
    /// Always in this build, which has no CUDA.
    pub fn pin_memory(&self) -> Result<Self> {
        if self.device().kind() != DeviceType::Cpu {
            return Err(Error::type_error(format!("cannot pin '{TYPE_NAME}' only CPU memory can be pinned")));
        }
        Err(Error::runtime("pin_memory: memory is pinned for a CUDA device, and this build has no CUDA"))
    }

    /// The storage on a device: itself if it is there already, else a copy.
    ///
    /// # Errors
    /// If the device isn't built, and from the meta device, where there is no data.
    pub fn to(&self, device: impl IntoDevice) -> Result<Self> {
        self.moved(device.into_device()?)
    }

    fn moved(&self, device: Device) -> Result<Self> {
        if self.device().kind() == device.kind() {
            return Ok(self.clone());
        }
        let copy = Self::new(self.nbytes(), device)?;
        copy.copy_(self)?;
        Ok(copy)
    }

    /// The storage on the host.
    ///
    /// # Errors
    /// As for [`to`](Self::to).
    pub fn cpu(&self) -> Result<Self> {
        self.to(Device::CPU)
    }

    /// The storage on a CUDA device.
    ///
    /// # Errors
    /// Always in this build, which has no CUDA.
    pub fn cuda(&self) -> Result<Self> {
        self.to(DeviceType::Cuda)
    }

    /// The storage on an HPU.
    ///
    /// # Errors
    /// Always: such devices are not built.
    pub fn hpu(&self) -> Result<Self> {
        self.to(DeviceType::Hpu)
    }

    /// The storage on an Apple GPU.
    ///
    /// # Errors
    /// Always: such devices are not built.
    pub fn mps(&self) -> Result<Self> {
        self.to(DeviceType::Mps)
    }

    pub(super) fn is_meta(&self) -> bool {
        self.device().kind() == DeviceType::Meta
    }

    pub(super) fn check_readable(&self) -> Result<()> {
        if self.is_meta() { Err(Error::not_implemented("Not available for 'meta' device type")) } else { Ok(()) }
    }

    fn check_copied(&self) -> Result<()> {
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
