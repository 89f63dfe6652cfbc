//! Numbers beside tensors, which operations need on the way: in memory that storages had before, since fresh pages take as long as much that is
//! done with few numbers. Lists of anything else, and those that grow, are made in `room`.
#![expect(unsafe_code, reason = "makes slices of blocks")]

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use latten_spec::DType;

use super::pool::{Contents, Pooled};
use crate::element::Native;
use crate::error::Result;

/// So many numbers.
///
/// Invariant: the block has the bytes of `len` values of `T`, all of which are one, and nobody else has the block.
pub(crate) struct Workspace<T> {
    block: Pooled,
    len: usize,
    of: PhantomData<T>,
}

// SAFETY: who shares them reads them.
unsafe impl<T: Sync> Sync for Workspace<T> {}

impl<T> Workspace<T> {
    /// No numbers.
    pub(crate) const fn none() -> Self {
        Self { block: Pooled::none(), len: 0, of: PhantomData }
    }
}

impl<T: Native> Workspace<T> {
    /// So many numbers; what they are is left open. Not every byte is a bool: these are false.
    ///
    /// # Errors
    /// Where there is no memory for them.
    pub(crate) fn new(len: usize) -> Result<Self> {
        let contents = if T::DTYPE == DType::Bool { Contents::Zeros } else { Contents::Stale };
        Ok(Self { block: Pooled::new(len.saturating_mul(size_of::<T>()), contents)?, len, of: PhantomData })
    }

    /// Makes them so many; what they are is left open.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn renew(&mut self, len: usize) -> Result<()> {
        if T::DTYPE == DType::Bool || len > self.block.capacity() / size_of::<T>() {
            *self = Self::none();
            *self = Self::new(len)?;
        }
        self.len = len;
        Ok(())
    }

    /// Puts so many numbers behind them, of which what they are is left open.
    ///
    /// # Errors
    /// As [`new`](Self::new); then they are as before.
    pub(crate) fn enlarge(&mut self, more: usize) -> Result<()> {
        let mut longer = Self::new(self.len.saturating_add(more))?;
        longer[..self.len].copy_from_slice(self);
        *self = longer;
        Ok(())
    }
}

impl<T: Native> Deref for Workspace<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the invariant; blocks are initialised, and begin where any number may.
        unsafe { std::slice::from_raw_parts(self.block.start().cast_const().cast(), self.len) }
    }
}

impl<T: Native> DerefMut for Workspace<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and `&mut self`: nobody else has a reference into them.
        unsafe { std::slice::from_raw_parts_mut(self.block.start().cast(), self.len) }
    }
}

impl<T> std::fmt::Debug for Workspace<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} numbers", self.len)
    }
}
