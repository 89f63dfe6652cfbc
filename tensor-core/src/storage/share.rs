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
use super::pool::{Contents, Pooled};
use crate::device::Device;
use crate::error::Result;

/// The sizes of small blocks.
const SIZES: [usize; 2] = [64, 256];
/// So many cells of each size wait at most, with each thread.
const MOST: usize = 32;

/// The cells of one size that wait: the first `count`.
struct Waiting {
    cells: [Option<Arc<Cell>>; MOST],
    count: usize,
}

thread_local! {
    static WAITING: RefCell<[Waiting; SIZES.len()]> = const { RefCell::new([const { Waiting::none() }; SIZES.len()]) };
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
        let Some(size) = SIZES.iter().position(|&size| nbytes <= size && nbytes > 0) else {
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

/// Lets the memory go that waits with this thread.
pub(super) fn let_go() {
    let _ = WAITING.try_with(|waiting| waiting.replace([const { Waiting::none() }; SIZES.len()]));
}

impl Waiting {
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
