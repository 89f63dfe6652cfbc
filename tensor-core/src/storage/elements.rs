//! The numbers of typed storages: making storages of numbers, reading and writing them, as scalars or as a Rust type.

use std::ops::RangeBounds;
use std::path::Path;

use latten_spec::DType;

use super::access::Access;
use super::number::{Stored, match_held};
use super::typed::bytes_of;
use super::untyped::{clamp, wrap};
use super::{Sharing, TypedStorage, UntypedStorage};
use crate::convert::{CastFrom, ToScalar, Written};
use crate::device::{Device, DeviceType};
use crate::dtype::default_dtype;
use crate::element::{Element, Native};
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// Numbers of any dtype, as scalars.
impl<E: Element> TypedStorage<E> {
    pub(super) fn scalar_at(&self, index: i64) -> Result<Scalar> {
        self.load(index, |bytes| match_held!(self.dtype, T => T::load(bytes).to_scalar()))
    }

    pub(crate) fn scalars(&self) -> Result<Vec<Scalar>> {
        let bytes = self.untyped.tolist()?;
        Ok(match_held!(self.dtype, T => bytes.chunks_exact(size_of::<T>()).map(|each| T::load(each).to_scalar()).collect()))
    }

    fn load<R>(&self, index: i64, load: impl FnOnce(&[u8]) -> R) -> Result<R> {
        self.untyped.check_readable()?;
        let access = Access::read(&self.untyped)?;
        let size = self.size();
        let at = wrap(index, size).ok_or_else(|| Error::index(format!("index {index} out of range for storage of size {size}")))?;
        let mut bytes = [0; WIDEST];
        let bytes = &mut bytes[..self.element_size()];
        access.copy_out(&self.untyped, at * bytes.len(), bytes)?;
        Ok(load(bytes))
    }

    fn store(&self, index: i64, bytes: &[u8]) -> Result<()> {
        let access = Access::write(&self.untyped)?;
        let size = self.size();
        let at =
            wrap(index, size).ok_or_else(|| Error::index(format!("index {index} is out of bounds for dimension 0 with size {size}")))?;
        if !self.untyped.is_meta() {
            access.copy_in(&self.untyped, at * bytes.len(), bytes)?;
        }
        Ok(())
    }

    /// Writes the same bytes to every `step`-th number of a range.
    fn store_range(&self, range: impl RangeBounds<i64>, step: i64, bytes: impl FnOnce(usize) -> Result<[u8; WIDEST]>) -> Result<()> {
        let step = match usize::try_from(step) {
            Ok(0) => return Err(Error::value("slice step cannot be zero")),
            Ok(step) => step,
            Err(_) => return Err(Error::value("step must be greater than zero")),
        };
        let access = Access::write(&self.untyped)?;
        let (start, end) = clamp(range, self.size());
        let bytes = bytes((end - start).div_ceil(step))?;
        let bytes = &bytes[..self.element_size()];
        if self.untyped.is_meta() {
            return Ok(());
        }
        if step == 1 && bytes.iter().all(|byte| *byte == bytes[0]) {
            access.fill(&self.untyped, start * bytes.len(), (end - start) * bytes.len(), bytes[0])?;
            return Ok(());
        }
        for at in (start..end).step_by(step) {
            access.copy_in(&self.untyped, at * bytes.len(), bytes)?;
        }
        Ok(())
    }
}

/// The bytes of the widest number.
const WIDEST: usize = 16;

/// A scalar as the bytes of a dtype, if it fits.
fn checked_bytes(value: Scalar, dtype: DType, written: Written) -> Result<[u8; WIDEST]> {
    let value = value.checked_into(dtype.held_as(), written)?;
    let mut bytes = [0; WIDEST];
    match_held!(dtype, T => T::cast_from(value).store(&mut bytes));
    Ok(bytes)
}

/// Storages whose dtype only the run knows: their numbers are [`Scalar`]s.
impl TypedStorage {
    /// That many numbers of that dtype, whose values are left open.
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

    /// That many numbers of the current default dtype on the host, whose values are left open: PyTorch's `torch.Storage`.
    ///
    /// # Errors
    /// If there is no such memory.
    pub fn of_default_dtype(size: usize) -> Result<Self> {
        Self::with_dtype(size, default_dtype(), Device::CPU)
    }

    /// The first `size` numbers of a file, mapped into memory: [`UntypedStorage::from_file`].
    ///
    /// # Errors
    /// As there.
    pub fn from_file_of(path: impl AsRef<Path>, sharing: Sharing, size: usize, dtype: DType) -> Result<Self> {
        Ok(Self::over(UntypedStorage::from_file(path, sharing, bytes_of(size, dtype)?)?, dtype))
    }

    /// The same storage with its dtype in its type.
    ///
    /// # Errors
    /// If the dtype is another one.
    pub fn typed<T: Native>(&self) -> Result<TypedStorage<T>> {
        if self.dtype != T::DTYPE {
            return Err(Error::type_error(format!("expected a storage of {:?}, but this one is of {:?}", T::DTYPE, self.dtype)));
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
    /// For a step that isn't positive, and a value that doesn't fit the dtype.
    pub fn set_range(&self, range: impl RangeBounds<i64>, step: i64, value: impl Into<Scalar>) -> Result<()> {
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

    /// The numbers one after the other, as they are now.
    ///
    /// # Errors
    /// As for [`tolist`](Self::tolist).
    pub fn iter(&self) -> Result<std::vec::IntoIter<Scalar>> {
        Ok(self.tolist()?.into_iter())
    }
}

impl<T: Native> TypedStorage<T> {
    /// An untyped storage, shared, read as numbers of this type: PyTorch's `wrap_storage`.
    #[must_use]
    pub fn of(untyped: UntypedStorage) -> Self {
        Self::over(untyped, T::DTYPE)
    }
}

/// Storages whose dtype is a Rust type.
#[expect(private_bounds, reason = "every native type is stored")]
impl<T: Native + Stored> TypedStorage<T> {
    /// That many numbers on the host, whose values are left open.
    ///
    /// # Errors
    /// If there is no such memory.
    pub fn new(size: usize) -> Result<Self> {
        Ok(Self::over(UntypedStorage::new(bytes_of(size, T::DTYPE)?, Device::CPU)?, T::DTYPE))
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
        Ok(Self::of(UntypedStorage::from_file(path, sharing, bytes_of(size, T::DTYPE)?)?))
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
    /// For a step that isn't positive.
    pub fn set_range(&self, range: impl RangeBounds<i64>, step: i64, value: T) -> Result<()> {
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

    /// The numbers one after the other, as they are now.
    ///
    /// # Errors
    /// As for [`tolist`](Self::tolist).
    pub fn iter(&self) -> Result<std::vec::IntoIter<T>> {
        Ok(self.tolist()?.into_iter())
    }
}
