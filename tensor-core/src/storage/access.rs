//! The only way to the bytes of storages: a cell with a reader-writer lock below each, and [`Access`], which takes the
//! locks of all storages that one operation touches.
//!
//! No deadlock: locks are waited for in the order of their addresses; against that order, which happens when a thread
//! keeps a slice while it works on something else, the wait is bounded and ends in an error. A thread that asks for
//! what it already holds itself gets an error at once; only reading twice is fine.
#![expect(unsafe_code, reason = "reads and writes the bytes below storages, under their locks")]

use std::cell::{RefCell, UnsafeCell};
use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::RawRwLock;
use parking_lot::lock_api::{RawRwLock as _, RawRwLockRecursive as _, RawRwLockTimed as _};
use smallvec::SmallVec;

use super::UntypedStorage;
use super::memory::{Memory, nowhere};
use crate::cuda::Block;
use crate::device::{Device, DeviceType};
use crate::error::{Error, Result};

/// How long a thread that keeps a slice waits for another storage, where waiting could be forever.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the storages over the same bytes share.
///
/// Invariants:
/// 1. `memory` is looked at only by who holds `lock`, and changed only by who holds it alone.
/// 2. `start` and `nbytes` describe `memory`: unless it is a device's, that many initialised bytes from there on, readable under
///    the lock and writable by who holds it alone. They change only together with `memory`.
/// 3. The memory of a storage on a CUDA device is a block of that device, and of no other storage.
pub(super) struct Cell {
    lock: RawRwLock,
    memory: UnsafeCell<Memory>,
    start: AtomicPtr<u8>,
    nbytes: AtomicUsize,
    resizable: AtomicBool,
    shared: AtomicBool,
    pinned: AtomicBool,
    pub(super) device: Device,
    pub(super) filename: Option<PathBuf>,
}

// SAFETY: invariant 1, and `Memory` is `Send`.
unsafe impl Sync for Cell {}

impl Cell {
    pub(super) fn new(memory: Memory, nbytes: usize, device: Device, filename: Option<PathBuf>) -> Self {
        Self {
            lock: RawRwLock::INIT,
            start: AtomicPtr::new(memory.start()),
            nbytes: AtomicUsize::new(nbytes),
            resizable: AtomicBool::new(memory.is_resizable()),
            shared: AtomicBool::new(memory.is_shared()),
            pinned: AtomicBool::new(memory.is_pinned()),
            memory: UnsafeCell::new(memory),
            device,
            filename,
        }
    }

    // These five may be asked without the lock: the answer is what was true at some moment.

    pub(super) fn start(&self) -> *mut u8 {
        self.start.load(Ordering::Relaxed)
    }

    pub(super) fn nbytes(&self) -> usize {
        self.nbytes.load(Ordering::Relaxed)
    }

    pub(super) fn is_resizable(&self) -> bool {
        self.resizable.load(Ordering::Relaxed)
    }

    pub(super) fn is_shared(&self) -> bool {
        self.shared.load(Ordering::Relaxed)
    }

    pub(super) fn is_pinned(&self) -> bool {
        self.pinned.load(Ordering::Relaxed)
    }

    /// That the bytes can be used: a mapped file has them still, and no device uses them.
    ///
    /// # Safety
    /// This thread holds the lock.
    unsafe fn check_backing(&self) -> Result<()> {
        if !self.is_shared() && !self.is_pinned() {
            return Ok(());
        }
        // SAFETY: invariant 1; a shared reference for as long as this looks.
        unsafe { &*self.memory.get() }.check_backing(self.nbytes())
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

/// What a lock is held for. The order matters: writing includes reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mode {
    Read,
    Write,
}

thread_local! {
    /// The addresses of the cells that this thread holds, once for each time it holds them.
    static HELD: RefCell<Vec<(usize, Mode)>> = const { RefCell::new(Vec::new()) };
}

impl Cell {
    fn acquire(&self, mode: Mode) -> Result<()> {
        let address = self.address();
        let taken = HELD.try_with(|held| {
            let mut held = held.borrow_mut();
            let (mut mine, mut after) = (None, false);
            for &(other, mode) in &*held {
                mine = if other == address { mine.max(Some(mode)) } else { mine };
                after |= other > address;
            }
            match (mine, mode) {
                (None, _) => self.wait(mode, after)?,
                // Holding it, no writer can be inside: this doesn't wait, not even behind writers that wait.
                (Some(Mode::Read), Mode::Read) => self.lock.lock_shared_recursive(),
                (Some(Mode::Read), Mode::Write) => {
                    return Err(Error::runtime("the storage can't be written while this thread keeps a slice of it: drop the slice first"));
                }
                (Some(Mode::Write), _) => {
                    return Err(Error::runtime(
                        "the storage can't be used while this thread keeps a mutable slice of it: drop the slice first",
                    ));
                }
            }
            held.push((address, mode));
            Ok(())
        });
        // While a thread ends its list may be gone already; then nothing is known, and nothing of it is held.
        taken.unwrap_or_else(|_| self.wait(mode, false))
    }

    fn wait(&self, mode: Mode, against_the_order: bool) -> Result<()> {
        let taken = match (mode, against_the_order) {
            (Mode::Read, false) => {
                self.lock.lock_shared();
                true
            }
            (Mode::Write, false) => {
                self.lock.lock_exclusive();
                true
            }
            (Mode::Read, true) => self.lock.try_lock_shared_for(PATIENCE),
            (Mode::Write, true) => self.lock.try_lock_exclusive_for(PATIENCE),
        };
        if taken {
            return Ok(());
        }
        Err(Error::runtime(format!(
            "another thread has kept the storage for {} seconds while this thread keeps a slice of another one: \
             the two may be waiting for each other",
            PATIENCE.as_secs()
        )))
    }

    /// # Safety
    /// This thread holds the lock in that mode, by `acquire`, and lets it go only here.
    unsafe fn release(&self, mode: Mode) {
        let address = self.address();
        let _ = HELD.try_with(|held| {
            let mut held = held.borrow_mut();
            if let Some(index) = held.iter().rposition(|entry| *entry == (address, mode)) {
                held.swap_remove(index);
            }
        });
        match mode {
            // SAFETY: as the caller promises.
            Mode::Read => unsafe { self.lock.unlock_shared() },
            // SAFETY: as the caller promises.
            Mode::Write => unsafe { self.lock.unlock_exclusive() },
        }
    }
}

/// The guards of all storages that one operation touches. It belongs to the thread that took it.
///
/// Invariant: each cell stands in `held` once, and its lock is held in that mode.
pub(crate) struct Access<'a> {
    held: SmallVec<[(&'a Cell, Mode); 4]>,
    of_this_thread: PhantomData<*const ()>,
}

/// Where the bytes of a storage are while an [`Access`] is held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes {
    /// The first byte: at a multiple of 64 for storages on the heap, at any address for slices of storages.
    pub(crate) start: *mut u8,
    /// How many bytes there are; 0 on the meta device.
    pub(crate) len: usize,
}

impl<'a> Access<'a> {
    /// Waits for exclusive use of `written` and shared use of `read`; a storage may stand in both.
    ///
    /// # Errors
    /// Where this thread keeps a slice that is in the way, where waiting could be forever, where a storage that is a slice
    /// of another reaches beyond what that one was shrunk to, and where a mapped file was truncated.
    pub(crate) fn lock(written: &[&'a UntypedStorage], read: &[&'a UntypedStorage]) -> Result<Self> {
        let mut wanted: SmallVec<[(&'a Cell, Mode); 4]> = SmallVec::new();
        // In the order of their addresses, each once; those to be written come first, and keep that mode.
        for (storages, mode) in [(written, Mode::Write), (read, Mode::Read)] {
            for cell in storages.iter().map(|storage| storage.cell()) {
                let place = wanted.iter().position(|(other, _)| other.address() >= cell.address()).unwrap_or(wanted.len());
                if wanted.get(place).is_none_or(|(other, _)| !std::ptr::eq(*other, cell)) {
                    wanted.insert(place, (cell, mode));
                }
            }
        }
        let mut access = Self { held: SmallVec::new(), of_this_thread: PhantomData };
        for (cell, mode) in wanted {
            cell.acquire(mode)?;
            access.held.push((cell, mode));
        }
        for storage in written.iter().chain(read) {
            storage.check_window()?;
            // SAFETY: the lock was taken just now.
            unsafe { storage.cell().check_backing() }?;
        }
        Ok(access)
    }

    /// Shared use of one storage.
    pub(super) fn read(storage: &'a UntypedStorage) -> Result<Self> {
        Self::lock(&[], &[storage])
    }

    /// Exclusive use of one storage.
    pub(super) fn write(storage: &'a UntypedStorage) -> Result<Self> {
        Self::lock(&[storage], &[])
    }

    fn holds(&self, storage: &UntypedStorage, mode: Mode) -> bool {
        self.held.iter().any(|(cell, held)| std::ptr::eq(*cell, storage.cell()) && *held >= mode)
    }

    /// The bytes of a storage that was named to `lock`; writable only if it was named among the written.
    ///
    /// # Errors
    /// For a storage on a device: its bytes are reached by what runs there.
    ///
    /// # Panics
    /// For a storage that was not named.
    pub(crate) fn bytes(&self, storage: &UntypedStorage) -> Result<Bytes> {
        assert!(self.holds(storage, Mode::Read), "the storage isn't one that is held");
        storage.bytes()
    }

    /// The same for a storage that was named among the written.
    ///
    /// # Errors
    /// For a storage on a device.
    ///
    /// # Panics
    /// For a storage that was not.
    pub(crate) fn writable(&self, storage: &UntypedStorage) -> Result<Bytes> {
        assert!(self.holds(storage, Mode::Write), "the storage isn't one that is held for writing");
        storage.bytes()
    }

    /// Copies bytes of a storage from `offset` on, as many as `to` has.
    pub(super) fn copy_out(&self, storage: &UntypedStorage, offset: usize, to: &mut [u8]) -> Result<()> {
        if let Some((block, start)) = self.block(storage, Mode::Read) {
            return block.read(start + offset, to);
        }
        let bytes = self.bytes(storage)?;
        assert!(offset <= bytes.len && to.len() <= bytes.len - offset, "{offset} + {} of {}", to.len(), bytes.len);
        // SAFETY: both are as long (just checked); invariant 2 of the cell, whose lock is held; `to` is nobody else's.
        unsafe { std::ptr::copy_nonoverlapping(bytes.start.wrapping_add(offset), to.as_mut_ptr(), to.len()) };
        Ok(())
    }

    /// Copies bytes into a storage from `offset` on.
    pub(super) fn copy_in(&self, storage: &UntypedStorage, offset: usize, from: &[u8]) -> Result<()> {
        if let Some((block, start)) = self.block(storage, Mode::Write) {
            return block.write(start + offset, from);
        }
        let bytes = self.writable(storage)?;
        assert!(offset <= bytes.len && from.len() <= bytes.len - offset, "{offset} + {} of {}", from.len(), bytes.len);
        // SAFETY: both are as long (just checked); invariant 2 of the cell, whose lock is held alone, so that no slice of
        // it exists and `from` is elsewhere.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), bytes.start.wrapping_add(offset), from.len()) };
        Ok(())
    }

    /// Copies the first bytes of one storage to another, held by the same access or by another one; they may overlap.
    pub(super) fn copy_from(&self, to: &UntypedStorage, source: &Access<'_>, from: &UntypedStorage, count: usize) -> Result<()> {
        match (self.block(to, Mode::Write), source.block(from, Mode::Read)) {
            (Some((target, at)), Some((block, start))) => {
                if !std::ptr::eq(target, block) {
                    return target.copy_from(at, block, start, count);
                }
                // Parts of one block may overlap.
                let between = Block::new(count, to.device())?;
                between.copy_from(0, block, start, count)?;
                target.copy_from(at, &between, 0, count)
            }
            (Some((target, at)), None) => {
                let from = source.bytes(from)?;
                assert!(count <= from.len, "{count} of {}", from.len);
                // SAFETY: that many bytes (just checked); invariant 2 of the cell, whose lock is held.
                target.write(at, unsafe { std::slice::from_raw_parts(from.start, count) })
            }
            (None, Some((block, start))) => {
                let to = self.writable(to)?;
                assert!(count <= to.len, "{count} of {}", to.len);
                // SAFETY: that many bytes (just checked); invariant 2 of the cell, whose lock is held alone.
                block.read(start, unsafe { std::slice::from_raw_parts_mut(to.start, count) })
            }
            (None, None) => {
                let (to, from) = (self.writable(to)?, source.bytes(from)?);
                assert!(count <= to.len && count <= from.len, "{count} of {} to {}", from.len, to.len);
                // SAFETY: both have that many (just checked); invariant 2 of both cells, whose locks are held.
                unsafe { std::ptr::copy(from.start, to.start, count) };
                Ok(())
            }
        }
    }

    /// [`copy_from`](Self::copy_from) that doesn't wait for a device, where the memory of the host is page-locked.
    pub(super) fn copy_later_from(&self, to: &UntypedStorage, source: &Access<'_>, from: &UntypedStorage, count: usize) -> Result<()> {
        match (self.block(to, Mode::Write), source.block(from, Mode::Read)) {
            (Some((target, at)), None) if from.is_pinned() => source.memory(from, |memory| match memory {
                Memory::Pinned(pinned) => target.write_pinned(at, pinned, from.window_start(), count),
                _ => Ok(()),
            }),
            (None, Some((block, start))) if to.is_pinned() => self.memory(to, |memory| match memory {
                Memory::Pinned(pinned) => block.read_pinned(start, pinned, to.window_start(), count),
                _ => Ok(()),
            }),
            _ => self.copy_from(to, source, from, count),
        }
    }

    /// Sets `count` bytes from `offset` on.
    pub(super) fn fill(&self, storage: &UntypedStorage, offset: usize, count: usize, value: u8) -> Result<()> {
        if let Some((block, start)) = self.block(storage, Mode::Write) {
            return block.fill(start + offset, count, value);
        }
        let bytes = self.writable(storage)?;
        assert!(offset <= bytes.len && count <= bytes.len - offset, "{offset} + {count} of {}", bytes.len);
        // SAFETY: within the storage (just checked); invariant 2 of the cell, whose lock is held alone.
        unsafe { bytes.start.wrapping_add(offset).write_bytes(value, count) };
        Ok(())
    }

    /// The block of a storage on a device, and where in it the storage begins; `None` for one on the host.
    ///
    /// # Panics
    /// For a storage that isn't held so.
    pub(crate) fn block(&self, storage: &UntypedStorage, mode: Mode) -> Option<(&Block, usize)> {
        if storage.device().kind() != DeviceType::Cuda {
            return None;
        }
        assert!(self.holds(storage, mode), "the storage isn't one that is held so");
        // SAFETY: invariant 1; the memory is replaced only with `&mut self` of an access that holds it alone.
        match unsafe { &*storage.cell().memory.get() } {
            Memory::Device(block) => Some((block, storage.window_start())),
            _ => None,
        }
    }

    /// Lets `change` look at the memory below a storage.
    pub(super) fn memory<R>(&self, storage: &UntypedStorage, look: impl FnOnce(&Memory) -> R) -> R {
        assert!(self.holds(storage, Mode::Read), "the storage isn't one that is held");
        // SAFETY: invariant 1 of the cell; it changes only with `&mut self` of an access that holds it alone.
        look(unsafe { &*storage.cell().memory.get() })
    }

    /// Lets `change` replace the memory below a storage and say how many bytes it has now.
    pub(super) fn replace(&mut self, storage: &UntypedStorage, change: impl FnOnce(&mut Memory) -> Result<usize>) -> Result<()> {
        assert!(self.holds(storage, Mode::Write), "the storage isn't one that is held for writing");
        let cell = storage.cell();
        // SAFETY: invariant 1 of the cell, whose lock is held alone, and `&mut self`: no other reference lives.
        let memory = unsafe { &mut *cell.memory.get() };
        let nbytes = change(memory)?;
        cell.start.store(memory.start(), Ordering::Relaxed);
        cell.nbytes.store(nbytes, Ordering::Relaxed);
        cell.resizable.store(memory.is_resizable(), Ordering::Relaxed);
        cell.shared.store(memory.is_shared(), Ordering::Relaxed);
        cell.pinned.store(memory.is_pinned(), Ordering::Relaxed);
        Ok(())
    }
}

impl Drop for Access<'_> {
    fn drop(&mut self) {
        for (cell, mode) in &self.held {
            // SAFETY: the invariant; an access can't leave its thread.
            unsafe { cell.release(*mode) };
        }
    }
}

impl UntypedStorage {
    /// Where its bytes are now. Whoever uses the answer holds the lock.
    fn bytes(&self) -> Result<Bytes> {
        match self.device().kind() {
            DeviceType::Meta => Ok(Bytes { start: nowhere(), len: 0 }),
            DeviceType::Cuda => Err(Error::not_implemented(format!(
                "Could not run this operation with arguments from the 'CUDA' backend: latten has it for tensors on the host only, and the \
                 tensor is on {}. `cpu()` brings it there",
                self.device()
            ))),
            _ => Ok(Bytes { start: self.start(), len: self.nbytes() }),
        }
    }
}

/// One storage that stays locked for as long as a slice of it is kept.
///
/// Invariant: its cell's lock is held in that mode by the thread that made the hold, which it can't leave.
pub(super) struct Hold {
    storage: UntypedStorage,
    mode: Mode,
    of_this_thread: PhantomData<*const ()>,
}

impl Hold {
    pub(super) fn new(storage: &UntypedStorage, mode: Mode) -> Result<Self> {
        storage.cell().acquire(mode)?;
        let hold = Self { storage: storage.clone(), mode, of_this_thread: PhantomData };
        storage.check_window()?;
        // SAFETY: the lock was taken just now.
        unsafe { storage.cell().check_backing() }?;
        Ok(hold)
    }

    /// Where the bytes of the storage are, until the hold is dropped.
    pub(super) fn bytes(&self) -> Result<Bytes> {
        self.storage.bytes()
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        // SAFETY: the invariant.
        unsafe { self.storage.cell().release(self.mode) };
    }
}
