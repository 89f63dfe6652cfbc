//! One piece of the heap: initialised bytes that start at a multiple of 64, so that no vector load crosses a cache line.
//! Who keeps freed blocks for later is in `pool.rs`.
#![expect(unsafe_code, reason = "allocates and frees")]

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// Where blocks start: at multiples of this.
pub(super) const ALIGNMENT: usize = 64;

/// Where no bytes are: an aligned address that nothing is read from.
pub(super) fn nowhere() -> *mut u8 {
    std::ptr::without_provenance_mut(ALIGNMENT)
}

/// What every `malloc` promises. Asked for more, `std` would clear the memory by itself and so touch every page.
const SYSTEM_ALIGNMENT: usize = 2 * size_of::<usize>();

/// Up to here clearing is cheaper than asking the allocator for cleared memory.
const SMALL: usize = 1024;

/// From here on the system is asked for large pages: faulting in small ones costs several times the arithmetic on them, and walking them
/// keeps the processor from its full bandwidth.
#[cfg(all(target_os = "linux", not(miri)))]
const VAST: usize = 4 << 20;

/// Invariants:
/// 1. `base` was allocated with `layout_of(capacity)` and is freed once, when the block is dropped.
/// 2. `start` is the first multiple of [`ALIGNMENT`] from `base` on; `capacity` bytes from there belong to the block.
/// 3. Those bytes are initialised from the beginning on.
#[derive(Debug)]
pub(super) struct Block {
    base: NonNull<u8>,
    start: NonNull<u8>,
    capacity: usize,
}

// SAFETY: a block owns its memory; nothing about it belongs to one thread.
unsafe impl Send for Block {}

impl Block {
    /// A block of zeros, or `None` where the system has no such memory. Pages of a large one are not touched.
    pub(super) fn zeroed(capacity: usize) -> Option<Self> {
        let layout = layout_of(capacity)?;
        let base = if capacity < SMALL {
            // SAFETY: the size of the layout is never zero.
            unsafe { alloc(layout) }
        } else {
            // SAFETY: the size of the layout is never zero.
            unsafe { alloc_zeroed(layout) }
        };
        let base = NonNull::new(base)?;
        let padding = base.addr().get().wrapping_neg() % ALIGNMENT;
        // SAFETY: the padding is less than ALIGNMENT - SYSTEM_ALIGNMENT + 1, by which the allocation exceeds `capacity`.
        let start = unsafe { base.add(padding) };
        let mut block = Self { base, start, capacity };
        #[cfg(all(target_os = "linux", not(miri)))]
        block.ask_for_large_pages();
        if capacity < SMALL {
            block.clear(capacity);
        }
        Some(block)
    }

    #[cfg(all(target_os = "linux", not(miri)))]
    fn ask_for_large_pages(&self) {
        const PAGE: usize = 4096;
        let first = self.start.as_ptr().wrapping_add(self.start.addr().get().wrapping_neg() % PAGE);
        let len = self.capacity.saturating_sub(PAGE) / PAGE * PAGE;
        if self.capacity >= VAST {
            // SAFETY: invariant 2: the range is within the block. The advice changes no byte, and may be refused.
            unsafe { libc::madvise(first.cast(), len, libc::MADV_HUGEPAGE) };
        }
    }

    /// Puts zeros into the first bytes.
    pub(super) fn clear(&mut self, len: usize) {
        let len = len.min(self.capacity);
        // SAFETY: invariant 2, and `&mut self`: nobody else looks at the bytes.
        unsafe { self.start.write_bytes(0, len) };
    }

    /// The address of the first byte.
    pub(super) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// How many bytes the block holds.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }
}

fn layout_of(capacity: usize) -> Option<Layout> {
    Layout::from_size_align(capacity.checked_add(ALIGNMENT - SYSTEM_ALIGNMENT)?.max(1), SYSTEM_ALIGNMENT).ok()
}

impl Drop for Block {
    fn drop(&mut self) {
        if let Some(layout) = layout_of(self.capacity) {
            // SAFETY: invariant 1.
            unsafe { dealloc(self.base.as_ptr(), layout) };
        }
    }
}
