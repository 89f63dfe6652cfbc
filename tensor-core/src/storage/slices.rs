//! Slices of numbers, lent to the user under the lock of their storage.
#![expect(unsafe_code, reason = "makes slices of the bytes of storages")]

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use super::access::{Access, Bytes, Hold, LockMode};
use super::{TypedStorage, UntypedStorage};
use crate::element::Native;
use crate::error::{Error, Result};
use latten_spec::DType;

/// The numbers of a storage, for reading. While it is kept nobody writes to the storage: other threads wait, and this
/// thread gets an error.
///
/// Invariant: from `start` on, `len` values of `T` are initialised, aligned and valid, and nobody writes to them while
/// `hold` is kept.
///
/// That of a tensor borrows the tensor. That of a storage, which is a handle, borrows nothing and is a `Slice<'static, T>`.
pub struct Slice<'a, T: Native> {
    start: *const T,
    len: usize,
    /// Keeps the storage alive and locked.
    _hold: Hold,
    of: PhantomData<&'a T>,
}

/// The numbers of a storage, for writing. While it is kept nobody else uses the storage: other threads wait, and this
/// thread gets an error.
///
/// Invariant: that of [`Slice`], and nobody else reads them either.
///
/// That of a tensor borrows the tensor: no operation can use it meanwhile. That of a storage is a `SliceMut<'static, T>`.
pub struct SliceMut<'a, T: Native> {
    start: *mut T,
    len: usize,
    _hold: Hold,
    of: PhantomData<&'a mut T>,
}

impl<T: Native> TypedStorage<T> {
    /// The numbers, without a copy, for as long as the result is kept.
    ///
    /// # Errors
    /// If the numbers aren't aligned, as in a slice of a storage; if bytes of a `bool` storage are neither 0 nor 1; for
    /// mapped files and shared memory, whose bytes others may change: there, copy; on the meta device; and if this thread
    /// keeps a mutable slice.
    ///
    /// ```
    /// # use latten_core::storage::TypedStorage;
    /// let storage = TypedStorage::from_slice(&[1.5_f32, 2.0])?;
    /// storage.slice_mut()?[0] += 1.0;
    /// assert_eq!(storage.slice()?.iter().sum::<f32>(), 4.5);
    ///
    /// let kept = storage.slice()?;
    /// let refused = storage.fill_(0.0).unwrap_err();
    /// assert_eq!(refused.message(), "the storage can't be written while this thread keeps a slice of it: drop the slice first");
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    pub fn slice(&self) -> Result<Slice<'static, T>> {
        let hold = Hold::new(self.untyped(), LockMode::Read)?;
        let (start, len) = numbers::<T>(self.untyped(), hold.bytes()?)?;
        Ok(Slice { start, len, _hold: hold, of: PhantomData })
    }

    /// The numbers, for writing, for as long as the result is kept.
    ///
    /// # Errors
    /// As for [`slice`](Self::slice), and if this thread keeps any slice.
    pub fn slice_mut(&self) -> Result<SliceMut<'static, T>> {
        let hold = Hold::new(self.untyped(), LockMode::Write)?;
        let (start, len) = numbers::<T>(self.untyped(), hold.bytes()?)?;
        Ok(SliceMut { start, len, _hold: hold, of: PhantomData })
    }
}

impl UntypedStorage {
    /// Where it stands in the order in which operations take locks.
    pub(crate) fn place_in_order(&self) -> usize {
        self.cell().address()
    }

    /// Whether `slice_mut` can lend the numbers: not those that others may change meanwhile, nor those that are borrowed.
    ///
    /// # Errors
    /// Where they can't be written in any way.
    pub(crate) fn lends_to_write(&self) -> Result<bool> {
        let access = Access::write(self)?;
        Ok(access.memory(self, |memory| !memory.is_shared() && !memory.is_borrowed()))
    }
}

/// Checks, under the lock, that the bytes are a slice of `T`.
fn numbers<T: Native>(storage: &UntypedStorage, bytes: Bytes) -> Result<(*mut T, usize)> {
    storage.check_readable()?;
    if storage.is_shared() {
        return Err(Error::runtime(
            "no slice of a mapped file or of shared memory: others may change it meanwhile; copy it, or use get and set",
        ));
    }
    let start = bytes.start.cast::<T>();
    if !start.is_aligned() {
        return Err(Error::runtime(format!(
            "no slice of {}: the storage starts at an address that is no multiple of {}",
            T::DTYPE,
            align_of::<T>()
        )));
    }
    if T::DTYPE == DType::Bool {
        // SAFETY: `bytes` are initialised bytes, under the lock.
        let raw = unsafe { std::slice::from_raw_parts(bytes.start.cast_const(), bytes.len) };
        if let Some(at) = raw.iter().position(|byte| *byte > 1) {
            return Err(Error::runtime(format!("no slice of bool: byte {at} of the storage is {}, neither 0 nor 1", raw[at])));
        }
    }
    Ok((start, bytes.len / size_of::<T>()))
}

impl<T: Native> Deref for Slice<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the invariant.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

impl<T: Native> Deref for SliceMut<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the invariant.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

impl<T: Native> DerefMut for SliceMut<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: the invariant, and `&mut self`: nobody else has a reference into the slice.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.len) }
    }
}

impl<T: Native> std::fmt::Debug for Slice<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: Native> std::fmt::Debug for SliceMut<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
