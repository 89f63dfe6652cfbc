//! The only way to the bytes of storages: a cell with a reader-writer lock below each, and [`Access`], which takes the
//! locks of all storages that one operation touches.
//!
//! No deadlock: locks are waited for in the order of their addresses. Against that order, which happens when a thread keeps a slice while it
//! works on something else, threads may come to wait for each other: `lock.rs` sees that, and one of them gets an error. A thread that asks
//! for what it already holds itself gets an error at once; only reading twice is fine.
#![expect(unsafe_code, reason = "reads and writes the bytes below storages, under their locks")]

mod brief;

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::Lineage;
use super::UntypedStorage;
use super::block::nowhere;
use super::held::{acquire, give_back, new_lock, release};
use super::lock::Lock;
pub(crate) use super::lock::LockMode;
use super::memory::Memory;
use super::pool::Pooled;
use crate::cuda::DeviceBlock;
use crate::device::{Device, DeviceType};
use crate::error::{Error, Result};
use crate::process::forks;
pub(crate) use brief::Glance;

/// What the storages over the same bytes share.
///
/// Invariants:
/// 1. `memory` is looked at only by a holder of `lock`, and changed only by the one that holds it alone.
/// 2. `start` and `nbytes` describe `memory`: unless it is a device's, that many initialised bytes from there on, readable under
///    the lock and writable by the one that holds it alone. They change only together with `memory`, and `changing` is set meanwhile.
/// 3. The memory of a storage on a CUDA device is a block of that device, and of no other storage.
/// 4. No two cells of a process are of the same file or shared memory; where one is a private copy of a file, `below` is the file's, and
///    is locked for reading with it.
pub(super) struct Cell {
    lock: Lock,
    memory: UnsafeCell<Memory>,
    start: AtomicPtr<u8>,
    nbytes: AtomicUsize,
    resizable: AtomicBool,
    shared: AtomicBool,
    pinned: AtomicBool,
    read_only: AtomicBool,
    changing: AtomicBool,
    /// How many bytes the block has that the cell was made with, where another storage may have it afterwards; else 0.
    reusable: AtomicUsize,
    pub(super) device: Device,
    filename: OnceLock<Box<Path>>,
    below: Option<Arc<Self>>,
    pub(super) lineage: Lineage,
}

// SAFETY: invariant 1, and `Memory` is `Send`.
unsafe impl Sync for Cell {}

impl Cell {
    pub(super) fn new(memory: Memory, nbytes: usize, device: Device) -> Self {
        Self {
            lock: new_lock(),
            start: AtomicPtr::new(memory.start()),
            nbytes: AtomicUsize::new(nbytes),
            resizable: AtomicBool::new(memory.is_resizable()),
            shared: AtomicBool::new(memory.is_shared()),
            pinned: AtomicBool::new(memory.is_pinned()),
            read_only: AtomicBool::new(memory.is_read_only()),
            changing: AtomicBool::new(false),
            reusable: AtomicUsize::new(0),
            memory: UnsafeCell::new(memory),
            device,
            filename: OnceLock::new(),
            below: None,
            lineage: Lineage::default(),
        }
    }

    /// The same for one storage after another, while its block stays what it is.
    pub(super) fn reusable(self, capacity: usize) -> Self {
        Self { reusable: AtomicUsize::new(capacity), ..self }
    }

    /// How many bytes another storage may have here, when nobody has a share of the cell; `None` where it can't be used again.
    pub(super) fn left(&self) -> Option<usize> {
        let capacity = self.reusable.load(Ordering::Relaxed);
        (capacity > 0 && self.lock.is_free(forks()) && !self.lineage.has_common()).then_some(capacity)
    }

    /// Makes it the cell of another storage; nobody else has it, and its block has as many bytes.
    pub(super) fn begin_again(&self, nbytes: usize) {
        self.nbytes.store(nbytes, Ordering::Relaxed);
        self.lineage.begin_again();
    }

    /// The same over a private copy of a file.
    pub(super) fn copied_from(self, file: Arc<Self>) -> Self {
        Self { below: Some(file), ..self }
    }

    /// The cell of the file of which this is a private copy.
    pub(super) fn below(&self) -> Option<&Self> {
        self.below.as_deref()
    }

    /// The same with the path of its file.
    pub(super) fn named(self, path: &Path) -> Self {
        self.name(path);
        self
    }

    /// Of several paths of a file the first is kept.
    pub(super) fn name(&self, path: &Path) {
        self.filename.get_or_init(|| path.into());
    }

    pub(super) fn filename(&self) -> Option<&Path> {
        self.filename.get().map(AsRef::as_ref)
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

    pub(super) fn address(&self) -> usize {
        self.lock.address()
    }
}

/// The guards of all storages that one operation touches. It belongs to the thread that took it.
///
/// Invariant: each cell stands in `held` once, and the locks of the first `taken` are held in that mode: of all of them, when it is given away.
/// Locks that are waited for stand in the order of their addresses.
pub(crate) struct Access<'a> {
    held: SmallVec<[(&'a Cell, LockMode); FEW]>,
    taken: usize,
    /// Whether this thread's list of locks has these: all but those that are held briefly.
    listed: bool,
    of_this_thread: PhantomData<*const ()>,
}

/// Operations rarely touch more storages.
const FEW: usize = 4;

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
    /// Where this thread keeps a slice that is in the way, where the wait would never end, where a storage that is a slice
    /// of another reaches beyond what that one was shrunk to, where a mapped file was truncated, and where borrowed numbers would be written.
    pub(crate) fn lock(written: &[&'a UntypedStorage], read: &[&'a UntypedStorage]) -> Result<Self> {
        let mut access = Self { held: SmallVec::new(), taken: 0, listed: true, of_this_thread: PhantomData };
        // Those to be written come first, and keep that mode.
        for (storages, mode) in [(written, LockMode::Write), (read, LockMode::Read)] {
            for storage in storages {
                access.want(storage.cell(), mode);
            }
            for storage in storages {
                if let Some(below) = storage.cell().below() {
                    access.want(below, LockMode::Read);
                }
            }
        }
        while let Some((cell, mode)) = access.held.get(access.taken) {
            acquire(&cell.lock, *mode, false)?;
            access.taken += 1;
        }
        for storage in written.iter().chain(read) {
            // SAFETY: the lock was taken just now.
            unsafe { storage.check_usable() }?;
        }
        if written.iter().any(|storage| storage.cell().read_only.load(Ordering::Relaxed)) {
            return Err(Error::runtime(
                "the tensor's numbers are those of a slice that can only be read: write to a `clone`, or use `with_slice_mut`",
            ));
        }
        Ok(access)
    }

    /// Puts a cell where its address belongs, unless it is there.
    fn want(&mut self, cell: &'a Cell, mode: LockMode) {
        let address = cell.address();
        let mut place = self.held.len();
        while place > 0 && self.held[place - 1].0.address() > address {
            place -= 1;
        }
        if place == 0 || !std::ptr::eq(self.held[place - 1].0, cell) {
            self.held.insert(place, (cell, mode));
        }
    }

    /// Takes away the bytes of a storage whose user is done with them, when nobody is at them any more. `last` may still look at them.
    ///
    /// # Errors
    /// Where somebody keeps a slice of the storage for whom this thread can't wait. There are none of numbers that are borrowed.
    pub(super) fn end(storage: &'a UntypedStorage, last: impl FnOnce(&Self) -> Result<()>) -> Result<()> {
        let cell = storage.cell();
        acquire(&cell.lock, LockMode::End, false)?;
        let mut access = Self { held: SmallVec::from_iter([(cell, LockMode::End)]), taken: 1, listed: true, of_this_thread: PhantomData };
        let done = last(&access);
        access.replace(storage, |memory| {
            *memory = Memory::Heap(Pooled::none());
            Ok(0)
        })?;
        done
    }

    /// Shared use of one storage.
    pub(super) fn read(storage: &'a UntypedStorage) -> Result<Self> {
        Self::lock(&[], &[storage])
    }

    /// Exclusive use of one storage.
    pub(super) fn write(storage: &'a UntypedStorage) -> Result<Self> {
        Self::lock(&[storage], &[])
    }

    fn holds(&self, storage: &UntypedStorage, mode: LockMode) -> bool {
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
        assert!(self.holds(storage, LockMode::Read), "the storage isn't one that is held");
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
        assert!(self.holds(storage, LockMode::Write), "the storage isn't one that is held for writing");
        storage.bytes()
    }

    /// Copies bytes of a storage from `offset` on, as many as `to` has.
    pub(super) fn copy_out(&self, storage: &UntypedStorage, offset: usize, to: &mut [u8]) -> Result<()> {
        if let Some((block, start)) = self.block(storage, LockMode::Read) {
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
        if let Some((block, start)) = self.block(storage, LockMode::Write) {
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
        match (self.block(to, LockMode::Write), source.block(from, LockMode::Read)) {
            (Some((target, at)), Some((block, start))) => {
                if !std::ptr::eq(target, block) {
                    return target.copy_from(at, block, start, count);
                }
                // Parts of one block may overlap.
                let between = DeviceBlock::new(count, to.device())?;
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
        match (self.block(to, LockMode::Write), source.block(from, LockMode::Read)) {
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
        if let Some((block, start)) = self.block(storage, LockMode::Write) {
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
    pub(crate) fn block(&self, storage: &UntypedStorage, mode: LockMode) -> Option<(&DeviceBlock, usize)> {
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
        assert!(self.holds(storage, LockMode::Read), "the storage isn't one that is held");
        // SAFETY: invariant 1 of the cell; it changes only with `&mut self` of an access that holds it alone.
        look(unsafe { &*storage.cell().memory.get() })
    }

    /// Lets `change` replace the memory below a storage and say how many bytes it has now.
    pub(super) fn replace(&mut self, storage: &UntypedStorage, change: impl FnOnce(&mut Memory) -> Result<usize>) -> Result<()> {
        assert!(self.holds(storage, LockMode::Write), "the storage isn't one that is held for writing");
        let cell = storage.cell();
        // SAFETY: invariant 1 of the cell, whose lock is held alone, and `&mut self`: no other reference lives.
        let memory = unsafe { &mut *cell.memory.get() };
        cell.changing.store(true, Ordering::Release);
        cell.reusable.store(0, Ordering::Relaxed);
        let changed = change(memory);
        let nbytes = *changed.as_ref().unwrap_or(&cell.nbytes());
        cell.start.store(memory.start(), Ordering::Relaxed);
        cell.nbytes.store(nbytes, Ordering::Relaxed);
        cell.resizable.store(memory.is_resizable(), Ordering::Relaxed);
        cell.shared.store(memory.is_shared(), Ordering::Relaxed);
        cell.pinned.store(memory.is_pinned(), Ordering::Relaxed);
        cell.read_only.store(memory.is_read_only(), Ordering::Relaxed);
        cell.changing.store(false, Ordering::Release);
        changed.map(drop)
    }
}

impl Drop for Access<'_> {
    fn drop(&mut self) {
        for (cell, mode) in &self.held[..self.taken] {
            if self.listed {
                // SAFETY: the invariant; an access can't leave its thread.
                unsafe { release(&cell.lock, *mode) };
            } else {
                give_back(&cell.lock, *mode);
            }
        }
    }
}

impl UntypedStorage {
    /// That the bytes can be used: the storage below a slice is as long, a mapped file has them still, and no device uses them.
    ///
    /// # Safety
    /// This thread holds the lock.
    unsafe fn check_usable(&self) -> Result<()> {
        self.check_window()?;
        let cell = self.cell();
        if !cell.is_shared() && !cell.is_pinned() && !cell.changing.load(Ordering::Acquire) {
            return Ok(());
        }
        if cell.changing.load(Ordering::Acquire) {
            return Err(Error::runtime("another thread was resizing the storage when this process was forked: it has no bytes here"));
        }
        // SAFETY: invariant 1; a shared reference for as long as this looks.
        unsafe { &*cell.memory.get() }.check_backing(self.window_start() + self.nbytes())
    }

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
    mode: LockMode,
    of_this_thread: PhantomData<*const ()>,
}

impl Hold {
    pub(super) fn new(storage: &UntypedStorage, mode: LockMode) -> Result<Self> {
        acquire(&storage.cell().lock, mode, true)?;
        let hold = Self { storage: storage.clone(), mode, of_this_thread: PhantomData };
        // SAFETY: the lock was taken just now.
        unsafe { storage.check_usable() }?;
        // SAFETY: invariant 1 of the cell, whose lock was taken just now.
        if unsafe { &*storage.cell().memory.get() }.is_borrowed() {
            return Err(Error::runtime(
                "no slice of a tensor whose numbers are borrowed, because it could outlive them: use the slice that was lent",
            ));
        }
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
        unsafe { release(&self.storage.cell().lock, self.mode) };
    }
}
