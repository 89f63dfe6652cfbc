//! This process: whether it was forked from one that used latten, and values that each process has of its own.
//!
//! A forked child has one thread. Locks that other threads held stay locked in it, and nobody gives them back: so what is locked here lies in
//! a [`PerProcess`], or has the number of its process in it (`storage/lock.rs`).
#![expect(unsafe_code, reason = "has the C library call functions in a child, and keeps values for good")]

#[cfg(unix)]
pub(crate) mod system;

use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many forks lie between this process and the one that loaded the program.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// How many forks lie between this process and the first one, as far as latten was in use when they happened.
pub(crate) fn forks() -> u32 {
    FORKS.load(Ordering::Relaxed)
}

#[cfg(unix)]
mod handlers {
    use std::ffi::c_int;
    use std::sync::Once;
    use std::sync::atomic::Ordering;

    use super::FORKS;

    type Handler = Option<extern "C" fn()>;

    unsafe extern "C" {
        safe fn pthread_atfork(prepare: Handler, parent: Handler, child: Handler) -> c_int;
    }

    extern "C" fn forked() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }

    /// Has forks counted from now on.
    pub(crate) fn count_forks() {
        static COUNTED: Once = Once::new();
        // Without memory for a handler nothing is seen of forks, as on a system that has none.
        COUNTED.call_once(|| {
            pthread_atfork(None, None, Some(forked));
        });
    }

    /// Has a function called in each child, when forks have been counted: handlers of children are called in the order in which they are given.
    pub(crate) fn after_fork(function: extern "C" fn()) {
        count_forks();
        pthread_atfork(None, None, Some(function));
    }
}

/// Systems without `fork`.
#[cfg(not(unix))]
mod handlers {
    pub(crate) fn count_forks() {}

    pub(crate) fn after_fork(_function: extern "C" fn()) {}
}

pub(crate) use handlers::{after_fork, count_forks};

/// What only the process can use that was the first to do so, such as a driver: a forked child has copies of its locks and none of its threads.
#[cfg(feature = "cuda")]
pub(crate) struct FirstProcess(AtomicU32);

#[cfg(feature = "cuda")]
impl FirstProcess {
    pub(crate) const fn new() -> Self {
        Self(AtomicU32::new(0))
    }

    /// Whether this process is the first to ask that, or has been.
    pub(crate) fn is_this(&self) -> bool {
        let first = self.0.load(Ordering::Relaxed);
        if first != 0 {
            return first == forks() + 1;
        }
        // Before anything is used, or a fork that happens meanwhile isn't seen.
        count_forks();
        let own = forks() + 1;
        self.0.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed).map_or_else(|first| first == own, |_| true)
    }
}

/// A static value that each process has of its own: a forked child makes another one, from what the old one lets it have.
///
/// Invariant: `current` is null or points to an `Owned` that is never freed.
pub(crate) struct PerProcess<T: 'static> {
    current: AtomicPtr<Owned<T>>,
    fresh: fn() -> T,
    /// What a child takes over. The value may be locked by a thread that isn't there.
    inherit: fn(&T) -> T,
}

struct Owned<T> {
    forks: u32,
    value: T,
}

impl<T: Send + Sync> PerProcess<T> {
    pub(crate) const fn new(fresh: fn() -> T, inherit: fn(&T) -> T) -> Self {
        Self { current: AtomicPtr::new(std::ptr::null_mut()), fresh, inherit }
    }

    #[inline]
    pub(crate) fn get(&'static self) -> &'static T {
        match self.known() {
            Some(owned) if owned.forks == forks() => &owned.value,
            _ => self.make(),
        }
    }

    #[inline]
    fn known(&'static self) -> Option<&'static Owned<T>> {
        // SAFETY: the invariant.
        unsafe { self.current.load(Ordering::Acquire).as_ref() }
    }

    #[cold]
    fn make(&'static self) -> &'static T {
        count_forks();
        loop {
            let before = self.known();
            let value = match before {
                Some(owned) if owned.forks == forks() => return &owned.value,
                Some(owned) => (self.inherit)(&owned.value),
                None => (self.fresh)(),
            };
            let made = Box::into_raw(Box::new(Owned { forks: forks(), value }));
            let expected = before.map_or(std::ptr::null_mut(), |owned| std::ptr::from_ref(owned).cast_mut());
            if self.current.compare_exchange(expected, made, Ordering::AcqRel, Ordering::Relaxed).is_err() {
                // Another thread was first.
                // SAFETY: made just now, and given to nobody.
                drop(unsafe { Box::from_raw(made) });
            }
        }
    }
}

/// A lock that no panic closes: what it guards is whole whenever it can be taken.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a child takes over of a locked value: all of it, unless a thread was at it when the process was forked.
pub(crate) fn left_behind<T: Default>(mutex: &Mutex<T>) -> Mutex<T> {
    Mutex::new(mutex.try_lock().map_or_else(|_| T::default(), |mut value| std::mem::take(&mut *value)))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::{PerProcess, left_behind, locked};

    #[test]
    fn a_value_is_made_once() {
        static NUMBERS: PerProcess<Mutex<Vec<i32>>> = PerProcess::new(Mutex::default, left_behind);
        std::thread::scope(|scope| {
            for number in 0..8 {
                scope.spawn(move || locked(NUMBERS.get()).push(number));
            }
        });
        let mut all = locked(NUMBERS.get()).clone();
        all.sort_unstable();
        assert_eq!(all, (0..8).collect::<Vec<_>>());
    }

    #[test]
    fn a_child_takes_over_what_is_not_locked() {
        let free = Mutex::new(vec![1]);
        assert_eq!(*locked(&left_behind(&free)), [1]);
        let kept = Mutex::new(vec![1]);
        let guard = locked(&kept);
        assert_eq!(*locked(&left_behind(&kept)), [0; 0]);
        drop(guard);
    }
}
