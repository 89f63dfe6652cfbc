//! A storage in parts that don't overlap, each a storage with a lock of its own, for as long as a [`Lease`] is kept: threads that work on
//! different parts don't wait for each other.

use std::ops::Range;

use super::UntypedStorage;
use super::access::{Access, Cell, Hold, LockMode};
use super::memory::{ForeignBytes, Memory};
use crate::device::{Device, DeviceType};
use crate::error::{Error, Result};

/// Keeps a storage locked, and gives its parts.
///
/// Invariant: as long as a part has bytes of the storage, the lock is held.
pub(crate) struct Lease {
    hold: Option<Hold>,
    parts: Vec<UntypedStorage>,
}

impl Lease {
    /// The parts at those bytes, which must follow each other.
    ///
    /// # Errors
    /// Where they overlap or lie outside, off the host, for mapped and shared memory, which others may truncate, and where this thread keeps
    /// a slice of the storage.
    pub(crate) fn new(storage: &UntypedStorage, ranges: &[Range<usize>]) -> Result<Self> {
        if storage.device().kind() != DeviceType::Cpu || storage.is_shared() {
            return Err(Error::runtime("parts_mut: only memory of the host that no other process uses has parts for several threads"));
        }
        let hold = Hold::new(storage, LockMode::Write)?;
        let bytes = hold.bytes()?;
        let mut end = 0;
        for range in ranges {
            if range.start < end || range.end < range.start || range.end > bytes.len {
                return Err(Error::runtime(format!(
                    "parts_mut: a part of the bytes from {} to {} follows one that ends at {end}, in a storage of {}",
                    range.start, range.end, bytes.len
                )));
            }
            end = range.end;
        }
        let part = |range: &Range<usize>| {
            let memory = Memory::Part(ForeignBytes(bytes.start.wrapping_add(range.start)));
            UntypedStorage::over(Cell::new(memory, range.len(), Device::CPU))
        };
        Ok(Self { hold: Some(hold), parts: ranges.iter().map(part).collect() })
    }

    pub(crate) fn parts(&self) -> &[UntypedStorage] {
        &self.parts
    }
}

/// Whoever still has a part finds it empty.
impl Drop for Lease {
    fn drop(&mut self) {
        for part in &self.parts {
            if Access::end(part, |_| Ok(())).is_err() {
                // Somebody keeps a slice of the part, which this thread can't wait for: then the storage stays locked.
                std::mem::forget(self.hold.take());
            }
        }
    }
}
