//! Storages: bytes that tensors share.

use std::sync::Arc;

use parking_lot::{RawRwLock, lock_api::RawRwLock as _};
use smallvec::SmallVec;

use crate::device::Device;
use crate::error::Result;

struct Cell {
    lock: RawRwLock,
    memory: std::cell::UnsafeCell<Vec<u64>>,
    nbytes: usize,
    device: Device,
}

// SAFETY: first version, replaced.
#[expect(unsafe_code, reason = "first version")]
unsafe impl Sync for Cell {}
// SAFETY: first version, replaced.
#[expect(unsafe_code, reason = "first version")]
unsafe impl Send for Cell {}

/// Bytes on a device, shared by any number of tensors.
#[derive(Clone)]
pub struct UntypedStorage(Arc<Cell>);

impl std::fmt::Debug for UntypedStorage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "storage {:#x}", self.data_ptr())
    }
}

impl UntypedStorage {
    /// So many bytes, whose contents are left open (but never uninitialised in Rust's sense).
    pub fn new(nbytes: usize, device: Device) -> Result<Self> {
        Self::zeroed(nbytes, device)
    }

    /// So many zero bytes.
    pub fn zeroed(nbytes: usize, device: Device) -> Result<Self> {
        Ok(Self(Arc::new(Cell { lock: RawRwLock::INIT, memory: vec![0_u64; nbytes.div_ceil(8)].into(), nbytes, device })))
    }

    /// The size in bytes.
    #[must_use]
    pub fn nbytes(&self) -> usize {
        self.0.nbytes
    }

    /// Where the bytes are.
    #[must_use]
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// The address of the first byte.
    #[must_use]
    pub fn data_ptr(&self) -> usize {
        self.0.memory.get() as usize
    }

    /// Whether both are the same bytes.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The guards of all storages that one operation touches, taken in one order everywhere, so that no two threads can
/// wait for each other.
pub(crate) struct Access<'a> {
    held: SmallVec<[(&'a Cell, bool); 4]>,
}

/// The bytes of a storage while an [`Access`] is held.
#[derive(Clone, Copy)]
pub(crate) struct Bytes {
    pub(crate) start: *mut u8,
    pub(crate) len: usize,
}

impl<'a> Access<'a> {
    /// Waits for exclusive use of `written` and shared use of `read`; a storage may stand in both.
    pub(crate) fn lock(written: &[&'a UntypedStorage], read: &[&'a UntypedStorage]) -> Result<Self> {
        let mut held: SmallVec<[(&'a Cell, bool); 4]> =
            written.iter().map(|s| (&*s.0, true)).chain(read.iter().map(|s| (&*s.0, false))).collect();
        held.sort_by_key(|(cell, exclusive)| (std::ptr::from_ref(*cell) as usize, !exclusive));
        held.dedup_by_key(|(cell, _)| std::ptr::from_ref(*cell) as usize);
        for (cell, exclusive) in &held {
            if *exclusive { cell.lock.lock_exclusive() } else { cell.lock.lock_shared() }
        }
        Ok(Self { held })
    }

    /// The bytes of a storage that was named to `lock`; writable only if it was named among the written.
    pub(crate) fn bytes(&self, storage: &UntypedStorage) -> Bytes {
        assert!(self.held.iter().any(|(cell, _)| std::ptr::eq(*cell, &*storage.0)));
        Bytes { start: storage.0.memory.get().cast(), len: storage.0.nbytes }
    }
}

impl Drop for Access<'_> {
    #[expect(unsafe_code, reason = "first version")]
    fn drop(&mut self) {
        for (cell, exclusive) in &self.held {
            if *exclusive {
                // SAFETY: taken in `lock`.
                unsafe { cell.lock.unlock_exclusive() }
            } else {
                // SAFETY: taken in `lock`.
                unsafe { cell.lock.unlock_shared() }
            }
        }
    }
}
