//! Storages as numbers of one dtype: an untyped storage and the dtype to read it as. Its numbers are in `elements`.

use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use latten_spec::DType;

use super::UntypedStorage;
use crate::device::{Device, DeviceType, IntoDevice};
use crate::element::{Any, Element};
use crate::error::{Error, Result};

/// Numbers of one dtype over an [`UntypedStorage`]: of the Rust type `E`, or of a dtype that only the run knows.
///
/// ```
/// # use latten_core::storage::{FloatStorage, TypedStorage};
/// let storage = FloatStorage::from_slice(&[1.0, 2.5])?;
/// storage.set(-1, 0.1)?;
/// assert_eq!(storage.get(1)?, 0.1);
/// assert_eq!(storage.long()?.tolist()?, [1, 0]);
/// let shown = " 1.0\n 0.10000000149011612\n[torch.storage.TypedStorage(dtype=torch.float32, device=cpu) of size 2]";
/// assert_eq!(storage.to_string(), shown);
/// # Ok::<(), latten_core::error::Error>(())
/// ```
pub struct TypedStorage<E: Element = Any> {
    pub(super) untyped: UntypedStorage,
    pub(super) dtype: DType,
    element: PhantomData<fn() -> E>,
}

/// Another handle of the same storage.
impl<E: Element> Clone for TypedStorage<E> {
    fn clone(&self) -> Self {
        Self::over(self.untyped.clone(), self.dtype)
    }
}

/// What the storage is, without its numbers.
impl<E: Element> fmt::Debug for TypedStorage<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[torch.storage.TypedStorage(dtype={:?}, device={}) of size {}]", self.dtype, self.device(), self.size())
    }
}

impl<E: Element> AsRef<UntypedStorage> for TypedStorage<E> {
    fn as_ref(&self) -> &UntypedStorage {
        &self.untyped
    }
}

/// Asking.
impl<E: Element> TypedStorage<E> {
    /// `dtype` must be that of `E`, where `E` has one.
    pub(crate) fn over(untyped: UntypedStorage, dtype: DType) -> Self {
        debug_assert!(E::KNOWN_DTYPE.is_none_or(|own| own == dtype), "{dtype:?}");
        Self { untyped, dtype, element: PhantomData }
    }

    /// The dtype of the numbers.
    #[must_use]
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// The bytes below.
    #[must_use]
    pub const fn untyped(&self) -> &UntypedStorage {
        &self.untyped
    }

    /// The same storage with its dtype known at run time only.
    #[must_use]
    pub fn erase(&self) -> TypedStorage {
        TypedStorage::over(self.untyped.clone(), self.dtype)
    }

    /// How many numbers there are; bytes that don't make up a whole one don't count.
    #[must_use]
    pub fn size(&self) -> usize {
        self.untyped.nbytes() / self.dtype.itemsize()
    }

    /// How many numbers there are, by its usual name in Rust.
    #[must_use]
    pub fn len(&self) -> usize {
        self.size()
    }

    /// Whether there are no numbers.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.size() == 0
    }

    /// The size in bytes.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        self.untyped.nbytes()
    }

    /// The bytes of one number.
    #[must_use]
    pub const fn element_size(&self) -> usize {
        self.dtype.itemsize()
    }

    /// The address of the first number; 0 without bytes and on the meta device.
    #[must_use]
    pub fn data_ptr(&self) -> usize {
        self.untyped.data_ptr()
    }

    /// Where the numbers are.
    #[must_use]
    pub fn device(&self) -> Device {
        self.untyped.device()
    }

    /// The ordinal of the device: none on the host.
    #[must_use]
    pub fn get_device(&self) -> Option<u8> {
        self.device().index()
    }

    /// Whether the numbers are on a CUDA device.
    #[must_use]
    pub fn is_cuda(&self) -> bool {
        self.untyped.is_cuda()
    }

    /// Whether the numbers are on an HPU: never, such devices are not built.
    #[must_use]
    pub const fn is_hpu(&self) -> bool {
        false
    }

    /// Whether the storage is sparse: never.
    #[must_use]
    pub const fn is_sparse(&self) -> bool {
        false
    }

    /// Whether the bytes are page-locked for a CUDA device.
    #[must_use]
    pub fn is_pinned(&self) -> bool {
        self.untyped.is_pinned()
    }

    /// Whether other processes can map the bytes.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.untyped.is_shared()
    }

    /// Whether [`resize_`](Self::resize_) can work.
    #[must_use]
    pub fn resizable(&self) -> bool {
        self.untyped.resizable()
    }

    /// The file that the storage is, where writes reach it.
    #[must_use]
    pub fn filename(&self) -> Option<&Path> {
        self.untyped.filename()
    }

    /// PyTorch's name of the type: `torch.FloatStorage` where there is such a class.
    #[must_use]
    pub fn type_name(&self) -> String {
        match (self.dtype.legacy_name(), self.device().kind()) {
            (Some(stem), DeviceType::Cpu) => format!("torch.{stem}Storage"),
            (Some(stem), DeviceType::Cuda) => format!("torch.cuda.{stem}Storage"),
            _ => "torch.storage.TypedStorage".to_owned(),
        }
    }

    /// The name under which PyTorch's files know the storage: `FloatStorage`.
    ///
    /// # Errors
    /// For dtypes that have no such name.
    pub fn pickle_storage_type(&self) -> Result<String> {
        match self.dtype.legacy_name() {
            Some(stem) => Ok(format!("{stem}Storage")),
            None => Err(Error::value(format!("dtype {:?} is not recognized", self.dtype))),
        }
    }
}

/// Copying, resizing and moving.
impl<E: Element> TypedStorage<E> {
    /// Copies the bytes of another storage, whatever its dtype: nothing is converted.
    ///
    /// # Errors
    /// If the sizes in bytes differ, and if there is no data to copy.
    pub fn copy_(&self, source: &impl AsRef<UntypedStorage>) -> Result<&Self> {
        self.untyped.copy_(source)?;
        Ok(self)
    }

    /// A copy with memory of its own: PyTorch's `clone`.
    ///
    /// # Errors
    /// If there is no memory for it.
    #[doc(alias = "clone")]
    pub fn deep_clone(&self) -> Result<Self> {
        Ok(Self::over(self.untyped.deep_clone()?, self.dtype))
    }

    /// Gives the storage room for another count of numbers. Those that both sizes have are kept; the values of new ones
    /// are left open.
    ///
    /// # Errors
    /// If it isn't [`resizable`](Self::resizable) or there is no such memory.
    pub fn resize_(&self, size: usize) -> Result<&Self> {
        self.untyped.resize_(bytes_of(size, self.dtype)?)?;
        Ok(self)
    }

    /// Moves the numbers into memory that other processes can map: [`UntypedStorage::share_memory_`].
    ///
    /// # Errors
    /// As there.
    pub fn share_memory_(&self) -> Result<&Self> {
        self.untyped.share_memory_()?;
        Ok(self)
    }

    /// A copy in page-locked memory: [`UntypedStorage::pin_memory`].
    ///
    /// # Errors
    /// As there.
    pub fn pin_memory(&self) -> Result<Self> {
        Ok(Self::over(self.untyped.pin_memory()?, self.dtype))
    }

    /// The storage on a device: the same memory if it is there already, else a copy.
    ///
    /// # Errors
    /// If the device isn't built, from the meta device, and for quantised dtypes.
    pub fn to(&self, device: impl IntoDevice) -> Result<Self> {
        let device = device.into_device()?;
        if self.dtype.is_quantized() {
            let name = device.kind().name().to_uppercase();
            return Err(Error::runtime(format!("Cannot create {name} storage with quantized dtype")));
        }
        Ok(Self::over(self.untyped.to(device)?, self.dtype))
    }

    /// The storage on the host.
    ///
    /// # Errors
    /// From the meta device, where there is no data.
    pub fn cpu(&self) -> Result<Self> {
        Ok(Self::over(self.untyped.cpu()?, self.dtype))
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
}

pub(super) fn bytes_of(size: usize, dtype: DType) -> Result<usize> {
    size.checked_mul(dtype.itemsize()).ok_or_else(|| Error::runtime(format!("Storage size calculation overflowed with sizes=[{size}]")))
}
