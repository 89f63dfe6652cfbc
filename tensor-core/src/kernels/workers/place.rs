//! On which processors threads run. The system wakes a thread up where the one runs that wakes it, on virtual machines even while another
//! processor has nothing to do. There it waits until the other's time is over, which is milliseconds: a loop would be over, too.

use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

#[cfg(all(target_os = "linux", not(miri)))]
use crate::process::system;

/// From no processor.
const NONE: usize = 0;
/// Somebody is about to keep it from one.
const SOON: usize = 1;
/// What stands for processor 0; the others follow.
const FIRST: usize = 2;

/// Which processor a helper is kept from while it is woken up.
pub(super) struct Whereabouts {
    /// Its number for the system; 0 while it hasn't said it.
    thread: AtomicI32,
    kept_from: AtomicUsize,
}

impl Whereabouts {
    pub(super) fn new() -> Self {
        Self { thread: AtomicI32::new(0), kept_from: AtomicUsize::new(NONE) }
    }

    /// This thread is the helper.
    pub(super) fn here(&self) {
        #[cfg(all(target_os = "linux", not(miri)))]
        self.thread.store(system::thread(), Ordering::Relaxed);
    }

    /// Keeps the helper from a processor, where it may use another.
    pub(super) fn keep_from(&self, processor: Option<usize>) {
        let thread = self.thread.load(Ordering::Relaxed);
        let Some(processor) = processor.filter(|_| thread != 0) else { return };
        if self.kept_from.compare_exchange(NONE, SOON, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            let kept = keep_from(thread, processor);
            self.kept_from.store(if kept { FIRST + processor } else { NONE }, Ordering::Release);
        }
    }

    /// Lets this thread, the helper, use all processors again that it might.
    pub(super) fn restore(&self) {
        if let Some(processor) = self.kept_from.load(Ordering::Acquire).checked_sub(FIRST) {
            self.kept_from.store(NONE, Ordering::Relaxed);
            allow(processor);
        }
    }
}

/// On which processor this thread runs, where that can be asked.
pub(super) fn processor() -> Option<usize> {
    #[cfg(all(target_os = "linux", not(miri)))]
    return system::processor();
    #[cfg(not(all(target_os = "linux", not(miri))))]
    None
}

/// Moves this thread to another processor, where it may use one, and lets it be anywhere from there on.
pub(super) fn leave(processor: usize) {
    if keep_from(0, processor) {
        allow(processor);
    }
}

/// Keeps a thread from a processor, where it may use another; 0 is this one. Says whether it does so from now on.
fn keep_from(thread: i32, processor: usize) -> bool {
    #[cfg(all(target_os = "linux", not(miri)))]
    return system::keep_from(thread, processor);
    #[cfg(not(all(target_os = "linux", not(miri))))]
    {
        let _ = (thread, processor);
        false
    }
}

/// Lets this thread use a processor.
fn allow(processor: usize) {
    #[cfg(all(target_os = "linux", not(miri)))]
    system::allow(processor);
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = processor;
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use super::{Whereabouts, leave, processor, system};

    #[test]
    fn a_thread_that_was_kept_from_a_processor_may_use_all_again() {
        let all = system::processors(0).expect("some processors");
        let place = Whereabouts::new();
        place.keep_from(processor());
        assert_eq!(system::processors(0), Some(all), "of a helper that hasn't said which thread it is");
        place.here();
        for _ in 0..3 {
            let here = processor();
            place.keep_from(here);
            // A second owner comes while it is kept from the first one's.
            place.keep_from(Some(1));
            let others = system::processors(0) != Some(all);
            assert!(!others || processor() != here, "it has left {here:?}");
            place.restore();
            assert_eq!(system::processors(0), Some(all));
            place.restore();
            assert_eq!(system::processors(0), Some(all));
        }
        place.keep_from(Some(1 << 20));
        place.restore();
        leave(processor().expect("a processor"));
        assert_eq!(system::processors(0), Some(all));
    }
}
