//! Bytes that change their size or their place: copies, `resize_`, shared memory, devices.

use super::UntypedStorage;
use super::access::{Access, Cell};
use super::memory::Memory;
use super::shared::make;
use super::untyped::TYPE_NAME;
use crate::cuda::PinnedMemory;
use crate::device::{Device, DeviceType, IntoDevice};
use crate::error::{Error, Result};

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
            target.copy_from(&copy, &access, self, self.nbytes())?;
        }
        Ok(copy)
    }

    /// Gives the storage another size. The bytes that both sizes have are kept; the contents of new ones are left open.
    /// Tensors over the storage keep their sizes: one that needs more bytes than there are left can't be read any more.
    ///
    /// # Errors
    /// If it isn't [`resizable`](Self::resizable) or there is no such memory.
    pub fn resize_(&self, nbytes: usize) -> Result<&Self> {
        self.resize_unless(nbytes, |_| false)
    }

    /// Gives the storage at least that many bytes. Whether it has them is asked under the lock: two threads that need room both get theirs.
    pub(crate) fn grow_to(&self, nbytes: usize) -> Result<()> {
        if self.nbytes() < nbytes {
            self.resize_unless(nbytes, |found| found >= nbytes)?;
        }
        Ok(())
    }

    fn resize_unless(&self, nbytes: usize, is_enough: impl FnOnce(usize) -> bool) -> Result<&Self> {
        let mut access = Access::write(self)?;
        if is_enough(self.nbytes()) {
            return Ok(self);
        }
        if !self.resizable() {
            return Err(Error::runtime("Trying to resize storage that is not resizable"));
        }
        let kept = self.nbytes().min(nbytes);
        let fits = access.memory(self, |memory| match memory {
            // A block that is more than half empty is worth giving back.
            Memory::Heap(block) => nbytes <= block.capacity() && nbytes > block.capacity() / 2,
            Memory::Device(block) => nbytes <= block.capacity() && nbytes > block.capacity() / 2,
            _ => true,
        });
        if fits {
            access.replace(self, |_| Ok(nbytes))?;
        } else {
            let larger = Self::new(nbytes, self.device())?;
            let target = Access::write(&larger)?;
            target.copy_from(&larger, &access, self, kept)?;
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
        let whole = self.with_window(None);
        let mut access = Access::write(&whole)?;
        access.memory(&whole, |memory| match memory {
            Memory::Part(_) => Err(Error::runtime("share_memory_: a part of a storage can't be moved without the rest")),
            Memory::Borrowed(..) => {
                Err(Error::runtime("share_memory_: numbers that are borrowed stay where they are: `clone` makes a copy"))
            }
            _ => Ok(()),
        })?;
        if !whole.is_shared() {
            let nbytes = whole.nbytes();
            let shared = Self::over(Cell::new(Memory::Mapped(make(nbytes)?), nbytes, Device::CPU));
            let target = Access::write(&shared)?;
            target.copy_from(&shared, &access, &whole, nbytes)?;
            drop(target);
            shared.exchange_memory(&whole, &mut access, nbytes)?;
            whole.register(&access)?;
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

    /// A copy in page-locked memory, for fast transfers to a CUDA device.
    ///
    /// # Errors
    /// Off the host, and where there is no CUDA device.
    pub fn pin_memory(&self) -> Result<Self> {
        if self.device().kind() != DeviceType::Cpu {
            return Err(Error::type_error(format!("cannot pin '{TYPE_NAME}' only CPU memory can be pinned")));
        }
        if self.is_pinned() {
            return Ok(self.clone());
        }
        let nbytes = self.nbytes();
        let pinned = Self::over(Cell::new(Memory::Pinned(PinnedMemory::new(nbytes)?), nbytes, Device::CPU));
        pinned.copy_(self)?;
        Ok(pinned)
    }

    /// The storage on a device: itself if it is there already, else a copy.
    ///
    /// # Errors
    /// If the device isn't built, and from the meta device, where there is no data.
    pub fn to(&self, device: impl IntoDevice) -> Result<Self> {
        self.moved(device.into_device()?)
    }

    fn moved(&self, device: Device) -> Result<Self> {
        if self.device() == device.resolved() {
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
    /// Where there is none.
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
}
