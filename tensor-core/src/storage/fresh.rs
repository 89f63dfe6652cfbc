//! Memory on the host that is no storage yet. Only its owner reaches it: what is computed there needs no lock.

use super::UntypedStorage;
use super::access::{Bytes, Cell};
use super::memory::Memory;
use super::pool::{Contents, Pooled};
use crate::device::Device;
use crate::error::Result;

/// That many bytes of the host, whose contents are left open.
#[derive(Debug)]
pub(crate) struct Fresh {
    block: Pooled,
    nbytes: usize,
}

impl Fresh {
    /// Memory for that many bytes.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn new(nbytes: usize) -> Result<Self> {
        Ok(Self { block: Pooled::new(nbytes, Contents::Stale)?, nbytes })
    }

    /// Where they are, for as long as nobody else reaches them.
    pub(crate) fn bytes(&mut self) -> Bytes {
        Bytes { start: self.block.start(), len: self.nbytes }
    }

    /// The storage of these bytes.
    pub(crate) fn into_storage(self) -> UntypedStorage {
        UntypedStorage::over(Cell::new(Memory::Heap(self.block), self.nbytes, Device::CPU))
    }
}
