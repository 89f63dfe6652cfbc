//! A share of a cell. The cells of small storages that nobody has any more wait with the thread that dropped the last share, for its next small
//! storages: to make one takes longer than to compute what lies in it.
#![expect(unsafe_code, reason = "takes a cell out of the share that is dropped")]

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use super::access::Cell;
use super::memory::Memory;
use super::pool::{Contents, Pooled, is_off, release};
use crate::device::Device;
use crate::error::Result;

/// The sizes of small blocks.
const SIZES: [usize; 2] = [64, 256];
/// So many cells of each size wait at most, with each thread.
const MOST: usize = 32;

/// The cells of one size that wait: the first `count`.
struct IdleCells {
    cells: [Option<Arc<Cell>>; MOST],
    count: usize,
}

thread_local! {
    static WAITING: RefCell<[IdleCells; SIZES.len()]> = const { RefCell::new([const { IdleCells::none() }; SIZES.len()]) };
}

/// One of the owners of a cell.
pub(super) struct Share(ManuallyDrop<Arc<Cell>>);

impl Share {
    /// Of a cell that there is.
    pub(super) fn of(cell: Arc<Cell>) -> Self {
        Self(ManuallyDrop::new(cell))
    }

    /// The only share of that many bytes of the host, whose contents are left open.
    ///
    /// # Errors
    /// If there is no such memory.
    pub(super) fn fresh(nbytes: usize) -> Result<Self> {
        let Some(size) = SIZES.iter().position(|&size| nbytes <= size && nbytes > 0).filter(|_| !is_off()) else {
            let block = Pooled::new(nbytes, Contents::Stale)?;
            return Ok(Self::of(Arc::new(Cell::new(Memory::Heap(block), nbytes, Device::CPU))));
        };
        // While a thread ends nothing waits with it.
        if let Ok(Some(cell)) = WAITING.try_with(|waiting| waiting.borrow_mut()[size].take()) {
            cell.begin_again(nbytes);
            return Ok(Self::of(cell));
        }
        let block = Pooled::new(SIZES[size], Contents::Stale)?;
        let cell = Cell::new(Memory::Heap(block), nbytes, Device::CPU);
        Ok(Self::of(Arc::new(cell.reusable(SIZES[size]))))
    }
}

/// Gives all waiting memory back to the system; of what waits for small storages, that of this thread.
pub fn empty_cache() {
    let _ = WAITING.try_with(|waiting| waiting.replace([const { IdleCells::none() }; SIZES.len()]));
    release();
}

impl IdleCells {
    const fn none() -> Self {
        Self { cells: [const { None }; MOST], count: 0 }
    }

    fn take(&mut self) -> Option<Arc<Cell>> {
        self.count = self.count.checked_sub(1)?;
        self.cells[self.count].take()
    }

    /// Keeps a cell, where there is room.
    fn give(&mut self, cell: Arc<Cell>) {
        if let Some(place) = self.cells.get_mut(self.count) {
            *place = Some(cell);
            self.count += 1;
        }
    }
}

impl Deref for Share {
    type Target = Arc<Cell>;

    #[inline]
    fn deref(&self) -> &Arc<Cell> {
        &self.0
    }
}

impl Clone for Share {
    #[inline]
    fn clone(&self) -> Self {
        Self::of(Arc::clone(&self.0))
    }
}

impl Drop for Share {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: a value is dropped once, and nobody looks at it afterwards.
        let cell = unsafe { ManuallyDrop::take(&mut self.0) };
        if Arc::strong_count(&cell) == 1 {
            last(cell);
        }
    }
}

/// Keeps a cell that nobody else has, if it is a small one as it was made.
fn last(cell: Arc<Cell>) {
    let Some(capacity) = cell.left() else { return };
    if Arc::weak_count(&cell) > 0 {
        return;
    }
    // What other threads did before they dropped their shares comes before what is done with the cell from now on.
    fence(Ordering::Acquire);
    let Some(size) = SIZES.iter().position(|&size| size == capacity) else { return };
    let _ = WAITING.try_with(|waiting| waiting.borrow_mut()[size].give(cell));
}

#[cfg(test)]
mod tests {
    use crate::device::Device;
    use crate::error::Result;
    use crate::storage::UntypedStorage;

    #[test]
    fn the_cell_of_a_small_storage_comes_back_as_if_it_were_new() -> Result<()> {
        let first = UntypedStorage::new(40, Device::CPU)?;
        first.lineage().count();
        let (cell, part) = (first.id(), first.slice(0..4)?);
        drop(first);
        // Not while a part of it is there.
        assert_ne!(UntypedStorage::new(40, Device::CPU)?.id(), cell);
        drop(part);
        let second = UntypedStorage::new(33, Device::CPU)?;
        assert_eq!((second.id(), second.nbytes(), second.lineage().version()), (cell, 33, 0));
        // Of another size, it is another one's.
        drop(second);
        assert_ne!(UntypedStorage::new(200, Device::CPU)?.id(), cell);
        let third = UntypedStorage::new(64, Device::CPU)?;
        assert_eq!(third.id(), cell);
        third.resize_(3)?;
        assert_eq!(third.cell.left(), None, "its block isn't what it was");
        Ok(())
    }

    #[test]
    fn threads_hand_cells_on() -> Result<()> {
        let storage = UntypedStorage::from_bytes(&[1, 2, 3])?;
        let cell = storage.id();
        let found = std::thread::spawn(move || -> Result<usize> {
            drop(storage);
            let next = UntypedStorage::from_bytes(&[4, 5, 6])?;
            assert_eq!(next.tolist()?, [4, 5, 6]);
            Ok(next.id())
        });
        assert_eq!(found.join().expect("no panic")?, cell);
        Ok(())
    }
}
