//! Storages as numbers of one dtype: an untyped storage and the dtype to read it as.

use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::path::Path;

use tensor_spec::DType;

use super::access::Access;
use super::number::{Stored, match_stored};
use super::untyped::{clamp, wrap};
use super::{Sharing, UntypedStorage};
use crate::convert::{CastFrom, ToScalar, Written};
use crate::device::{Device, DeviceType, IntoDevice};
use crate::element::{Any, Element, Native};
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// Numbers of one dtype over an [`UntypedStorage`]: of the Rust type `E`, or of a dtype that only the run knows.
///
/// ```
/// # use tensor_core::storage::{FloatStorage, TypedStorage};
/// let storage = FloatStorage::from_slice(&[1.0, 2.5])?;
/// storage.set(-1, 0.1)?;
/// assert_eq!(storage.get(1)?, 0.1);
/// assert_eq!(storage.long()?.tolist()?, [1, 0]);
/// let shown = " 1.0\n 0.10000000149011612\n[torch.storage.TypedStorage(dtype=torch.float32, device=cpu) of size 2]";
/// assert_eq!(storage.to_string(), shown);
/// # Ok::<(), tensor_core::error::Error>(())
/// ```
pub struct TypedStorage<E: Element = Any> {
    untyped: UntypedStorage,
    dtype: DType,
    element: PhantomData<fn() -> E>,
}

/// Another handle of the same storage.
impl<E: Element> Clone for TypedStorage<E> {
    fn clone(&self) -> Self {
        Self::over(self.untyped.clone(), self.dtype)
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
    pub(super) fn over(untyped: UntypedStorage, dtype: DType) -> Self {
        debug_assert!(E::DTYPE.is_none_or(|own| own == dtype), "{dtype:?}");
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
    pub fn any(&self) -> TypedStorage {
        TypedStorage::over(self.untyped.clone(), self.dtype)
    }

    /// How many numbers there are; bytes that don't make up a whole one don't count.
    #[must_use]
    pub fn size(&self) -> usize {
        self.untyped.nbytes() / self.dtype.itemsize()
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
    pub const fn is_pinned(&self) -> bool {
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

/// Numbers of any dtype, as scalars.
impl<E: Element> TypedStorage<E> {
    pub(super) fn scalar_at(&self, index: i64) -> Result<Scalar> {
        self.load(index, |bytes| match_stored!(self.dtype, T => T::load(bytes).to_scalar()))
    }

    pub(super) fn scalars(&self) -> Result<Vec<Scalar>> {
        let bytes = self.untyped.tolist()?;
        Ok(match_stored!(self.dtype, T => bytes.chunks_exact(size_of::<T>()).map(|each| T::load(each).to_scalar()).collect()))
    }

    fn load<R>(&self, index: i64, load: impl FnOnce(&[u8]) -> R) -> Result<R> {
        self.untyped.check_readable()?;
        let access = Access::read(&self.untyped)?;
        let size = self.size();
        let at = wrap(index, size).ok_or_else(|| Error::index(format!("index {index} out of range for storage of size {size}")))?;
        let mut bytes = [0; WIDEST];
        let bytes = &mut bytes[..self.element_size()];
        access.copy_out(&self.untyped, at * bytes.len(), bytes);
        Ok(load(bytes))
    }

    fn store(&self, index: i64, bytes: &[u8]) -> Result<()> {
        let access = Access::write(&self.untyped)?;
        let size = self.size();
        let at =
            wrap(index, size).ok_or_else(|| Error::index(format!("index {index} is out of bounds for dimension 0 with size {size}")))?;
        if !self.untyped.is_meta() {
            access.copy_in(&self.untyped, at * bytes.len(), bytes);
        }
        Ok(())
    }

    /// Writes the same bytes to every `step`-th number of a range.
    fn store_range(&self, range: impl RangeBounds<i64>, step: usize, bytes: impl FnOnce(usize) -> Result<[u8; WIDEST]>) -> Result<()> {
        if step == 0 {
            return Err(Error::value("step must be greater than zero"));
        }
        let access = Access::write(&self.untyped)?;
        let (start, end) = clamp(range, self.size());
        let bytes = bytes((end - start).div_ceil(step))?;
        let bytes = &bytes[..self.element_size()];
        if self.untyped.is_meta() {
            return Ok(());
        }
        if step == 1 && bytes.iter().all(|byte| *byte == bytes[0]) {
            access.fill(&self.untyped, start * bytes.len(), (end - start) * bytes.len(), bytes[0]);
            return Ok(());
        }
        for at in (start..end).step_by(step) {
            access.copy_in(&self.untyped, at * bytes.len(), bytes);
        }
        Ok(())
    }
}

/// The bytes of the widest number.
const WIDEST: usize = 16;

fn bytes_of(size: usize, dtype: DType) -> Result<usize> {
    size.checked_mul(dtype.itemsize()).ok_or_else(|| Error::runtime(format!("Storage size calculation overflowed with sizes=[{size}]")))
}

/// A scalar as the bytes of a dtype, if it fits.
fn checked_bytes(value: Scalar, dtype: DType, written: Written) -> Result<[u8; WIDEST]> {
    let value = value.checked_into(as_stored(dtype), written)?;
    let mut bytes = [0; WIDEST];
    match_stored!(dtype, T => T::cast_from(value).store(&mut bytes));
    Ok(bytes)
}

/// The dtype that quantised numbers are stored as.
const fn as_stored(dtype: DType) -> DType {
    match dtype {
        DType::QUInt8 | DType::QUInt4x2 | DType::QUInt2x4 => DType::U8,
        DType::QInt8 => DType::I8,
        DType::QInt32 => DType::I32,
        other => other,
    }
}

/// Storages whose dtype only the run knows: their numbers are [`Scalar`]s.
impl TypedStorage {
    /// So many numbers of that dtype, whose values are left open.
    ///
    /// # Errors
    /// If there is no such memory, or this build can't use the device.
    pub fn with_dtype(size: usize, dtype: DType, device: Device) -> Result<Self> {
        if dtype.is_quantized() && device.kind() == DeviceType::Cuda {
            return Err(Error::runtime("Cannot create CUDA storage with quantized dtype"));
        }
        Ok(Self::over(UntypedStorage::new(bytes_of(size, dtype)?, device)?, dtype))
    }

    /// These numbers, each checked to fit the dtype.
    ///
    /// # Errors
    /// If one doesn't fit, or there is no memory.
    pub fn from_scalars(numbers: &[Scalar], dtype: DType) -> Result<Self> {
        let mut bytes = Vec::with_capacity(bytes_of(numbers.len(), dtype)?);
        for number in numbers {
            bytes.extend_from_slice(&checked_bytes(*number, dtype, Written::Literal)?[..dtype.itemsize()]);
        }
        Ok(Self::over(UntypedStorage::from_bytes(&bytes)?, dtype))
    }

    /// An untyped storage, shared, read as numbers of a dtype: PyTorch's `wrap_storage`.
    #[must_use]
    pub fn wrap(untyped: UntypedStorage, dtype: DType) -> Self {
        Self::over(untyped, dtype)
    }

    /// The same storage with its dtype in its type.
    ///
    /// # Errors
    /// If the dtype is another one.
    pub fn typed<T: Native>(&self) -> Result<TypedStorage<T>> {
        if self.dtype != T::NATIVE {
            return Err(Error::type_error(format!("expected a storage of {:?}, but this one is of {:?}", T::NATIVE, self.dtype)));
        }
        Ok(TypedStorage::over(self.untyped.clone(), self.dtype))
    }

    /// One number; a negative index counts from the end. A `uint64` beyond `i64` wraps around.
    ///
    /// # Errors
    /// For an index out of range, and on the meta device.
    pub fn get(&self, index: i64) -> Result<Scalar> {
        self.scalar_at(index)
    }

    /// Sets one number.
    ///
    /// # Errors
    /// For an index out of range, and a value that doesn't fit the dtype.
    pub fn set(&self, index: i64, value: impl Into<Scalar>) -> Result<()> {
        let bytes = checked_bytes(value.into(), self.dtype, Written::One)?;
        self.store(index, &bytes[..self.element_size()])
    }

    /// Sets every `step`-th number of a range. Negative ends count from the end; what lies outside is left out.
    ///
    /// # Errors
    /// For a step of 0, and a value that doesn't fit the dtype.
    pub fn set_range(&self, range: impl RangeBounds<i64>, step: usize, value: impl Into<Scalar>) -> Result<()> {
        let value = value.into();
        self.store_range(range, step, |count| checked_bytes(value, self.dtype, if count == 1 { Written::One } else { Written::Many }))
    }

    /// Sets every number.
    ///
    /// # Errors
    /// For a value that doesn't fit the dtype.
    pub fn fill_(&self, value: impl Into<Scalar>) -> Result<&Self> {
        self.set_range(.., 1, value)?;
        Ok(self)
    }

    /// The numbers.
    ///
    /// # Errors
    /// On the meta device.
    pub fn tolist(&self) -> Result<Vec<Scalar>> {
        self.scalars()
    }
}

impl<T: Native> TypedStorage<T> {
    /// An untyped storage, shared, read as numbers of this type: PyTorch's `wrap_storage`.
    #[must_use]
    pub fn of(untyped: UntypedStorage) -> Self {
        Self::over(untyped, T::NATIVE)
    }
}

/// Storages whose dtype is a Rust type.
#[expect(private_bounds, reason = "every native type is stored")]
impl<T: Native + Stored> TypedStorage<T> {
    /// So many numbers on the host, whose values are left open.
    ///
    /// # Errors
    /// If there is no such memory.
    pub fn new(size: usize) -> Result<Self> {
        Ok(Self::over(UntypedStorage::new(bytes_of(size, T::NATIVE)?, Device::CPU)?, T::NATIVE))
    }

    /// A copy of those numbers.
    ///
    /// # Errors
    /// If there is no such memory.
    pub fn from_slice(numbers: &[T]) -> Result<Self> {
        let mut bytes = vec![0; size_of_val(numbers)];
        for (number, to) in numbers.iter().zip(bytes.chunks_exact_mut(size_of::<T>())) {
            number.store(to);
        }
        Ok(Self::of(UntypedStorage::from_bytes(&bytes)?))
    }

    /// The memory of a `Vec`, taken over without a copy. Such a storage can't be resized.
    #[must_use]
    pub fn from_vec(numbers: Vec<T>) -> Self {
        Self::of(UntypedStorage::from_vec(numbers))
    }

    /// The first `size` numbers of a file, mapped into memory: [`UntypedStorage::from_file`].
    ///
    /// # Errors
    /// As there.
    pub fn from_file(path: impl AsRef<Path>, sharing: Sharing, size: usize) -> Result<Self> {
        Ok(Self::of(UntypedStorage::from_file(path, sharing, bytes_of(size, T::NATIVE)?)?))
    }

    /// One number; a negative index counts from the end.
    ///
    /// # Errors
    /// For an index out of range, and on the meta device.
    pub fn get(&self, index: i64) -> Result<T> {
        self.load(index, T::load)
    }

    /// Sets one number.
    ///
    /// # Errors
    /// For an index out of range.
    pub fn set(&self, index: i64, value: T) -> Result<()> {
        let mut bytes = [0; WIDEST];
        value.store(&mut bytes);
        self.store(index, &bytes[..size_of::<T>()])
    }

    /// Sets every `step`-th number of a range. Negative ends count from the end; what lies outside is left out.
    ///
    /// # Errors
    /// For a step of 0.
    pub fn set_range(&self, range: impl RangeBounds<i64>, step: usize, value: T) -> Result<()> {
        self.store_range(range, step, |_| {
            let mut bytes = [0; WIDEST];
            value.store(&mut bytes);
            Ok(bytes)
        })
    }

    /// Sets every number.
    ///
    /// # Errors
    /// If this thread keeps a slice of the storage.
    pub fn fill_(&self, value: T) -> Result<&Self> {
        self.set_range(.., 1, value)?;
        Ok(self)
    }

    /// The numbers.
    ///
    /// # Errors
    /// On the meta device.
    pub fn tolist(&self) -> Result<Vec<T>> {
        let bytes = self.untyped.tolist()?;
        Ok(bytes.chunks_exact(size_of::<T>()).map(T::load).collect())
    }
}
