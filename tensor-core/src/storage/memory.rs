//! The kinds of memory that a storage can lie in. Each knows where its bytes start; how many there are is the
//! business of the cell that owns it (`access.rs`).
#![expect(unsafe_code, reason = "takes over the memory of a Vec")]

use std::mem::ManuallyDrop;

use super::block::nowhere;
use super::lock::LockMode;
use super::mapping::Mapping;
use super::pool::Pooled;
use crate::cuda::{DeviceBlock, PinnedMemory};
use crate::error::Result;

/// Invariant: from `start()` on, as many bytes as the storage was made with (for the heap: the block's capacity) are
/// initialised and stay in place until the value is dropped. Of a device's memory it is only a number.
#[derive(Debug)]
pub(super) enum Memory {
    /// Nothing: a meta storage.
    Absent,
    /// A block of the pool: the only memory that can be resized.
    Heap(Pooled),
    /// Memory that the user made.
    Foreign(Adopted),
    /// A file, or memory that other processes can map. Whether writes reach it was decided when it was mapped.
    Mapped(Mapping),
    /// A part of another storage's bytes, which that one doesn't use meanwhile.
    Part(ForeignBytes),
    /// Numbers of the user's, for as long as a call lasts, and whether they may be written.
    Borrowed(ForeignBytes, LockMode),
    /// Memory of a CUDA device.
    Device(DeviceBlock),
    /// Memory of the host that a CUDA device may use by itself.
    Pinned(PinnedMemory),
}

impl Memory {
    /// The address of the first byte.
    pub(super) fn start(&self) -> *mut u8 {
        match self {
            Self::Absent => nowhere(),
            Self::Heap(block) => block.start(),
            Self::Foreign(adopted) => adopted.start,
            Self::Mapped(mapping) => mapping.start(),
            Self::Part(part) | Self::Borrowed(part, _) => part.0,
            Self::Device(block) => std::ptr::without_provenance_mut(block.address()),
            Self::Pinned(memory) => memory.start(),
        }
    }

    /// Whether `resize_` may replace it.
    pub(super) fn is_resizable(&self) -> bool {
        matches!(self, Self::Absent | Self::Heap(_) | Self::Device(_))
    }

    /// Whether the bytes are numbers of the user's that may only be read.
    pub(super) fn is_read_only(&self) -> bool {
        matches!(self, Self::Borrowed(_, LockMode::Read))
    }

    /// Whether the bytes are numbers of the user's, which no slice may outlive.
    pub(super) fn is_borrowed(&self) -> bool {
        matches!(self, Self::Borrowed(..))
    }

    /// Whether others than this storage may see or change the bytes.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self, Self::Mapped(_))
    }

    /// Whether a CUDA device may use the bytes by itself.
    pub(super) fn is_pinned(&self) -> bool {
        matches!(self, Self::Pinned(_))
    }

    /// That what is mapped still has that many bytes. Touching a page after its end would be a SIGBUS, so this is asked before
    /// each use; one that truncates between that and the use can't be stopped. Pinned memory is waited for until no device uses it.
    pub(super) fn check_backing(&self, nbytes: usize) -> Result<()> {
        match self {
            Self::Absent | Self::Heap(_) | Self::Foreign(_) | Self::Part(_) | Self::Borrowed(..) | Self::Device(_) => Ok(()),
            Self::Pinned(memory) => memory.wait(),
            Self::Mapped(mapping) => mapping.check(nbytes),
        }
    }
}

/// Where bytes begin that are somebody else's: of another storage, or numbers of the user's.
///
/// Invariant: its maker keeps them from all others until no storage has them any more (of numbers that are only read, from all who
/// write), and no other part has a byte of this one.
#[derive(Debug)]
pub(super) struct ForeignBytes(pub(super) *mut u8);

// SAFETY: the invariant: its bytes belong to whoever has the lock of the storage over it.
unsafe impl Send for ForeignBytes {}

/// The memory of a `Vec<T>`, without its type.
///
/// Invariant: `start` and `capacity` are those of a `Vec<T>` that was forgotten, and `free` is `free::<T>`.
#[derive(Debug)]
pub(super) struct Adopted {
    start: *mut u8,
    capacity: usize,
    free: unsafe fn(*mut u8, usize),
}

// SAFETY: the Vec's elements were `Send` and need no drop; only its memory is left.
unsafe impl Send for Adopted {}

impl Adopted {
    /// Takes over the memory of numbers: types without padding, any bytes of which may be read.
    pub(super) fn new<T: crate::element::Native>(numbers: Vec<T>) -> Self {
        /// # Safety
        /// `start` and `capacity` are those of a forgotten `Vec<T>`, and this is called once.
        unsafe fn free<T>(start: *mut u8, capacity: usize) {
            // SAFETY: as the caller promises; no element needs a drop, so a length of 0 will do.
            drop(unsafe { Vec::from_raw_parts(start.cast::<T>(), 0, capacity) });
        }
        let mut numbers = ManuallyDrop::new(numbers);
        Self { start: numbers.as_mut_ptr().cast(), capacity: numbers.capacity(), free: free::<T> }
    }
}

impl Drop for Adopted {
    fn drop(&mut self) {
        // SAFETY: the invariant; a drop happens once.
        unsafe { (self.free)(self.start, self.capacity) };
    }
}
