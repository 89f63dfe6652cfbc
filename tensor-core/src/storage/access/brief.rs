//! Locks that are held for a moment: taken without a list, where that needs no wait.

use std::marker::PhantomData;
use std::sync::atomic::Ordering;

use smallvec::SmallVec;

use super::{Access, Cell, FEW, LockMode};
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
    use super::{Access, LockMode};
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
