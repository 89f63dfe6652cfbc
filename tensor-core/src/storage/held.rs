//! Which locks of storages this thread has. It asks for none that it has itself, and says so when it is forked and when it ends.
#![expect(unsafe_code, reason = "reaches the locks that a thread has")]

use std::cell::RefCell;
use std::sync::{Mutex, Once};

use super::lock::{HeldLock, Lock, LockMode, LockRefusal, Waiting};
use crate::error::{Error, Result};
use crate::process::{PerProcess, after_fork, forks};

/// Invariant: the lock of each entry lives, and this thread has it in that mode.
struct HeldByThread(RefCell<Vec<HeldLock>>);

thread_local! {
    /// The locks of this thread, once for each time it has them.
    static HELD: HeldByThread = const { HeldByThread(RefCell::new(Vec::new())) };
}

/// The threads of this process that wait for a lock.
static WAITING: PerProcess<Mutex<Waiting>> = PerProcess::new(Mutex::default, |_| Mutex::default());

impl HeldByThread {
    fn each(&self, work: impl Fn(&Lock, LockMode)) {
        for kept in &*self.0.borrow() {
            // SAFETY: the invariant; the address was that of a reference.
            work(unsafe { &*std::ptr::with_exposed_provenance::<Lock>(kept.address) }, kept.mode);
        }
    }
}

/// What is left when a thread ends was forgotten, unless it is dropped still later.
impl Drop for HeldByThread {
    fn drop(&mut self) {
        self.each(|lock, _| lock.forget(WAITING.get()));
    }
}

/// Makes a new lock of this process.
pub(super) fn new_lock() -> Lock {
    extern "C" fn keep_in_child() {
        let _ = HELD.try_with(|held| held.each(|lock, mode| lock.keep_after_fork(mode, forks())));
    }

    static WATCHED: Once = Once::new();
    if !WATCHED.is_completed() {
        WATCHED.call_once(|| after_fork(keep_in_child));
    }
    Lock::new(forks())
}

/// Takes a lock, for an operation or to lend a slice.
///
/// # Errors
/// Where this thread has it already, unless it only reads twice, and where a wait would never end.
pub(super) fn acquire(lock: &Lock, mode: LockMode, lent: bool) -> Result<()> {
    // Exposed, so that it leads back to the lock.
    let address = std::ptr::from_ref(lock).expose_provenance();
    let taken = HELD.try_with(|HeldByThread(held)| {
        let mut held = held.borrow_mut();
        let mine = held.iter().filter(|kept| kept.address == address).map(|kept| kept.mode).max();
        match (mine, mode) {
            (None, _) => take(lock, mode, &held)?,
            (Some(LockMode::Read), LockMode::Read) if lock.take_again() => {}
            (Some(LockMode::Read), LockMode::Read) => return Err(Error::runtime("the storage has more slices than can be counted")),
            (Some(LockMode::Read), LockMode::Write | LockMode::End) => {
                return Err(Error::runtime("the storage can't be written while this thread keeps a slice of it: drop the slice first"));
            }
            (Some(LockMode::Write | LockMode::End), _) => {
                return Err(Error::runtime(
                    "the storage can't be used while this thread keeps a mutable slice of it: drop the slice first",
                ));
            }
        }
        held.push(HeldLock { address, mode, lent });
        Ok(())
    });
    // While a thread ends its list may be gone already; then nothing of it is known.
    taken.unwrap_or_else(|_| take(lock, mode, &[]))
}

fn take(lock: &Lock, mode: LockMode, kept: &[HeldLock]) -> Result<()> {
    let forks = forks();
    if lock.take_at_once(mode, forks) {
        return Ok(());
    }
    lock.take(mode, forks, kept, WAITING.get()).map_err(|refusal| {
        Error::runtime(match refusal {
            LockRefusal::Crossed => {
                "another thread keeps the storage and waits for one of which this thread keeps a slice: the two would wait for each other \
                 for ever; drop the slice first"
            }
            LockRefusal::Forgotten => "a thread kept a slice of the storage and has ended without dropping it: nobody can give it back",
        })
    })
}

/// Gives a lock back.
///
/// # Safety
/// This thread has it in that mode, by [`acquire`], and gives it back only here.
pub(super) unsafe fn release(lock: &Lock, mode: LockMode) {
    let address = lock.address();
    let _ = HELD.try_with(|HeldByThread(held)| {
        let mut held = held.borrow_mut();
        if let Some(index) = held.iter().rposition(|kept| kept.address == address && kept.mode == mode) {
            held.swap_remove(index);
        }
    });
    give_back(lock, mode);
}

/// Gives a lock back that this thread's list doesn't have.
#[inline]
pub(super) fn give_back(lock: &Lock, mode: LockMode) {
    lock.give_back(mode, || WAITING.get());
}
