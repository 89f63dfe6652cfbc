//! Room for blocks between load and store: one for each loop that a thread is in, kept from loop to loop and never uninitialised.

use std::cell::RefCell;

/// A line of the cache, so that blocks are aligned for every dtype and every vector.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct CacheLine(#[expect(dead_code, reason = "read and written through pointers")] [u8; 64]);

/// The bytes of the widest element.
const WIDEST: usize = 16;

thread_local! {
    static KEPT: RefCell<Vec<Vec<CacheLine>>> = const { RefCell::new(Vec::new()) };
}

/// Regions of equal size, aligned for every dtype, of initialised bytes.
#[derive(Debug)]
pub(super) struct Scratch {
    lines: Vec<CacheLine>,
    /// Lines of a region.
    each: usize,
}

impl Scratch {
    /// That many regions, each with room for that many elements of any dtype.
    pub(super) fn new(regions: usize, elements: usize) -> Self {
        // Three more, so that equal places of neighbours don't compete for the same lines of the cache.
        let each = (elements * WIDEST).div_ceil(size_of::<CacheLine>()) + 3;
        // While a thread ends nothing is kept.
        let kept = || KEPT.try_with(|kept| kept.borrow_mut().pop()).ok().flatten().unwrap_or_default();
        let mut lines = if regions > 0 { kept() } else { Vec::new() };
        if lines.len() < regions * each {
            lines.resize(regions * each, CacheLine([0; 64]));
        }
        Self { lines, each }
    }

    pub(super) fn region(&mut self, index: usize) -> *mut u8 {
        self.lines.as_mut_ptr().wrapping_add(index * self.each).cast()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.lines.is_empty() {
            // While a thread ends it keeps nothing.
            let _ = KEPT.try_with(|kept| kept.borrow_mut().push(std::mem::take(&mut self.lines)));
        }
    }
}
