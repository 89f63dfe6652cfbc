//! Locks that are held for a moment: taken without a list, where that needs no wait.

use std::marker::PhantomData;
use std::sync::atomic::Ordering;

use smallvec::SmallVec;

use super::{Access, Bytes, Cell, FEW, LockMode};
use crate::device::DeviceType;
use crate::error::Result;
use crate::process::forks;
use crate::storage::UntypedStorage;
use crate::storage::held::give_back;

impl<'a> Access<'a> {
    /// The same as [`lock`](Self::lock) for a moment in which this thread does nothing but compute: it asks for no other storage, and nothing
    /// of the user's runs. So nobody needs to know of these locks who waits for others, and where all are free they are taken without a list.
    ///
    /// # Errors
    /// As [`lock`](Self::lock).
    #[inline]
    pub(crate) fn lock_briefly(written: &[&'a UntypedStorage], read: &[&'a UntypedStorage]) -> Result<Self> {
        let Some(any) = written.first().or(read.first()) else { return Self::lock(written, read) };
        let mut taken = Taken { cells: [(any.cell(), LockMode::Read); FEW], count: 0 };
        if taken.add(written, LockMode::Write) && taken.add(read, LockMode::Read) {
            let held = SmallVec::from_buf_and_len(taken.cells, taken.count);
            return Ok(Self { held, taken: taken.count, listed: false, of_this_thread: PhantomData });
        }
        taken.give_back();
        Self::lock(written, read)
    }
}

/// Shared use of one storage on the host for such a moment, where that needs no wait.
///
/// Invariant: its cell's lock is held for reading, and its bytes need nothing else to be used.
pub(crate) struct Glance<'a> {
    cell: &'a Cell,
    of_this_thread: PhantomData<*const ()>,
}

impl<'a> Glance<'a> {
    /// Takes the lock; nothing, where it isn't free or more must be seen: then [`Access::lock`] says what there is to say.
    #[inline]
    pub(crate) fn new(storage: &'a UntypedStorage) -> Option<Self> {
        let cell = storage.cell();
        // Parts of a storage are left to those who wait.
        if storage.special.is_some() || cell.device.kind() != DeviceType::Cpu || !cell.lock.take_at_once(LockMode::Read, forks()) {
            return None;
        }
        let glance = Self { cell, of_this_thread: PhantomData };
        cell.is_ordinary().then_some(glance)
    }

    /// Where the bytes are for as long as this lives.
    #[inline]
    pub(crate) fn bytes(&self) -> Bytes {
        Bytes { start: self.cell.start(), len: self.cell.nbytes() }
    }
}

impl Drop for Glance<'_> {
    #[inline]
    fn drop(&mut self) {
        give_back(&self.cell.lock, LockMode::Read);
    }
}

/// Locks that were taken at once: the first `count`.
struct Taken<'a> {
    cells: [(&'a Cell, LockMode); FEW],
    count: usize,
}

impl<'a> Taken<'a> {
    #[cold]
    fn give_back(&self) {
        for (cell, mode) in &self.cells[..self.count] {
            give_back(&cell.lock, *mode);
        }
    }

    /// Takes the locks of storages that are free and ordinary; if some aren't, nothing more is known of the rest.
    #[inline]
    fn add(&mut self, storages: &[&'a UntypedStorage], mode: LockMode) -> bool {
        let forks = forks();
        for storage in storages {
            let cell = storage.cell();
            if self.cells[..self.count].iter().any(|(taken, _)| std::ptr::eq(*taken, cell)) {
                continue;
            }
            // Parts of a storage are left to those who wait.
            if storage.special.is_some() || self.count == FEW || !cell.lock.take_at_once(mode, forks) {
                return false;
            }
            self.cells[self.count] = (cell, mode);
            self.count += 1;
            if !cell.is_ordinary() {
                return false;
            }
        }
        true
    }
}

impl Cell {
    /// Under the lock: whether nothing else must be seen before its bytes are used.
    #[inline]
    fn is_ordinary(&self) -> bool {
        let flags = [&self.shared, &self.pinned, &self.read_only, &self.changing];
        self.below.is_none() && !flags.into_iter().any(|flag| flag.load(Ordering::Acquire))
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, Glance, LockMode};
    use crate::device::Device;
    use crate::error::Result;
    use crate::storage::UntypedStorage;

    #[test]
    fn locks_that_are_held_briefly_are_held() -> Result<()> {
        let (a, b) = (UntypedStorage::new(8, Device::CPU)?, UntypedStorage::new(8, Device::CPU)?);
        let both = Access::lock_briefly(&[&a], &[&b, &a])?;
        assert!(!both.listed && both.held.len() == 2);
        assert!(!a.cell().lock.take_at_once(LockMode::Read, 0) && !b.cell().lock.take_at_once(LockMode::Write, 0));
        assert!(both.writable(&a).is_ok() && both.bytes(&b).is_ok());
        drop(both);
        assert!(Access::lock_briefly(&[&b, &a], &[]).is_ok());
        Ok(())
    }

    #[test]
    fn a_glance_holds_what_is_free_and_ordinary() -> Result<()> {
        let storage = UntypedStorage::from_bytes(&[1, 2, 3])?;
        let (one, other) = (Glance::new(&storage).expect("free"), Glance::new(&storage).expect("read twice"));
        assert_eq!((one.bytes().start.addr(), one.bytes().len), (storage.data_ptr(), 3));
        drop(other);
        assert!(!storage.cell().lock.take_at_once(LockMode::Write, 0), "one of them is held still");
        drop(one);
        let written = Access::write(&storage)?;
        assert!(Glance::new(&storage).is_none(), "it is written");
        drop(written);
        assert!(Glance::new(&storage.slice(0..2)?).is_none(), "parts are left to those who wait");
        assert!(Glance::new(&UntypedStorage::new(3, Device::META)?).is_none(), "not on the host");
        assert!(storage.cell().lock.take_at_once(LockMode::Write, 0), "all was given back");
        storage.cell().lock.give_back(LockMode::Write, || unreachable!("nobody waits"));
        Ok(())
    }

    #[test]
    fn what_is_not_free_gives_the_others_back() -> Result<()> {
        let (a, b) = (UntypedStorage::new(8, Device::CPU)?, UntypedStorage::new(8, Device::CPU)?);
        let kept = Access::write(&b)?;
        assert!(Access::lock_briefly(&[], &[&a, &b]).is_err(), "this thread has it already");
        drop(kept);
        let (part, kept) = (b.slice(2..4)?, Access::read(&a)?);
        assert!(Access::lock_briefly(&[], &[&a, &part])?.listed, "parts are left to those who wait");
        drop(kept);
        assert!(Access::lock_briefly(&[&a, &b], &[]).is_ok());
        Ok(())
    }
}
