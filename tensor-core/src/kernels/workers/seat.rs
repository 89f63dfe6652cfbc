//! How a loop goes to other threads and back: its owner offers it at their seats, works, takes back what nobody took, and waits for the others.
//!
//! Invariants: (1) a task stays where it is until its owner has taken it back from every seat, or seen that whoever took it has
//! left it; (2) only the one that takes a task out of a seat uses it, and leaves it last by counting itself out.
#![expect(unsafe_code, reason = "lends a closure on the stack to other threads, and waits for them")]

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::OnceLock;

use super::sync::{AtomicBool, AtomicPtr, AtomicUsize, Mutex, Ordering, Thread, Whereabouts, locked, park, patiently, wait_until};

/// The first turn of a share.
pub(super) fn first(count: usize, share: usize, shares: usize) -> usize {
    count / shares * share + (count % shares).min(share)
}

/// A loop whose turns several threads take. Each has a share of its own, of neighbours, and takes turns of others' when it is done: so
/// that the same elements come to the same thread's caches from loop to loop.
pub(super) struct SharedLoop<'a> {
    work: &'a (dyn Fn(usize) + Sync),
    count: usize,
    /// The next turn of each share.
    next: &'a [AtomicUsize],
    /// Where its owner runs.
    processor: Option<usize>,
    /// How many helpers have it.
    inside: AtomicUsize,
    /// What a helper's turn panicked with.
    failed: Mutex<Option<Box<dyn Any + Send>>>,
}

impl<'a> SharedLoop<'a> {
    pub(super) fn new(work: &'a (dyn Fn(usize) + Sync), count: usize, next: &'a [AtomicUsize], processor: Option<usize>) -> Self {
        Self { work, count, next, processor, inside: AtomicUsize::new(0), failed: Mutex::new(None) }
    }

    /// What a helper's turn panicked with.
    pub(super) fn failure(&self) -> Option<Box<dyn Any + Send>> {
        locked(&self.failed).take()
    }

    fn help(&self, own: usize) {
        let shares = self.next.len();
        for share in (own..shares).chain(0..own) {
            let end = first(self.count, share + 1, shares);
            loop {
                let turn = self.next[share].fetch_add(1, Ordering::Relaxed);
                if turn >= end {
                    break;
                }
                (self.work)(turn);
            }
        }
    }
}

/// Has all turns of a task taken: by this thread, and by those at the seats, as far as they come.
pub(super) fn lend(task: &SharedLoop<'_>, seats: &[Seat]) {
    let lent = Lent { task, seats };
    for seat in seats {
        seat.offer(task);
    }
    task.help(0);
    drop(lent);
}

/// A task while others may have it: when this is dropped, nobody has it.
struct Lent<'a> {
    task: &'a SharedLoop<'a>,
    seats: &'a [Seat],
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        // Also where the owner's own turn panicked.
        self.task.next.iter().for_each(|next| next.store(self.task.count, Ordering::Relaxed));
        for seat in self.seats {
            seat.take_back(self.task);
        }
        wait_until(|| self.task.inside.load(Ordering::Acquire) == 0);
        if std::thread::panicking() {
            // One panic is enough. A payload may panic when it is dropped, which would end the process here.
            std::mem::forget(self.task.failure());
        }
    }
}

/// Where a helper finds its next task.
pub(super) struct Seat {
    /// The task that is offered, without its lifetime; null where there is none.
    offered: AtomicPtr<SharedLoop<'static>>,
    asleep: AtomicBool,
    pub(super) helper: OnceLock<Thread>,
    /// Where it runs.
    pub(super) place: Whereabouts,
}

impl Seat {
    pub(super) fn new() -> Self {
        Self {
            offered: AtomicPtr::new(ptr::null_mut()),
            asleep: AtomicBool::new(false),
            helper: OnceLock::new(),
            place: Whereabouts::new(),
        }
    }

    /// Puts a task into the seat, unless it has one.
    pub(super) fn offer(&self, task: &SharedLoop<'_>) {
        // Counted in before it can be taken.
        task.inside.fetch_add(1, Ordering::Relaxed);
        let pointer = address(task);
        if self.offered.compare_exchange(ptr::null_mut(), pointer, Ordering::SeqCst, Ordering::Relaxed).is_err() {
            task.inside.fetch_sub(1, Ordering::Relaxed);
        } else if self.asleep.load(Ordering::SeqCst)
            && let Some(helper) = self.helper.get()
        {
            self.place.keep_from(task.processor);
            helper.unpark();
        }
    }

    /// Takes a task out that nobody has begun.
    fn take_back(&self, task: &SharedLoop<'_>) {
        if self.offered.compare_exchange(address(task), ptr::null_mut(), Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            task.inside.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Waits for a task, and helps with it. The answer is where its owner runs.
    pub(super) fn serve(&self, number: usize) -> Option<usize> {
        let task = self.next();
        // SAFETY: (1) and (2): it was taken out of the seat just now, so that its owner waits until it is counted out.
        let task = unsafe { &*task };
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| task.help(number + 1))) {
            // Dropped here, the payload of a second panic could end this thread, for which the owner would wait for ever.
            std::mem::forget(locked(&task.failed).replace(payload));
        }
        let processor = task.processor;
        task.inside.fetch_sub(1, Ordering::Release);
        processor
    }

    /// Waits for a task and takes it out.
    fn next(&self) -> *const SharedLoop<'static> {
        // Not between waking up and taking a task.
        self.place.restore();
        loop {
            if let Some(task) = patiently(|| self.take()) {
                return task;
            }
            self.place.restore();
            self.asleep.store(true, Ordering::SeqCst);
            if self.offered.load(Ordering::SeqCst).is_null() {
                park();
            }
            self.asleep.store(false, Ordering::Relaxed);
        }
    }

    /// Takes a task out, if there is one.
    fn take(&self) -> Option<*const SharedLoop<'static>> {
        if self.offered.load(Ordering::Relaxed).is_null() {
            return None;
        }
        let task = self.offered.swap(ptr::null_mut(), Ordering::Acquire);
        (!task.is_null()).then_some(task.cast_const())
    }
}

/// A task's address, without its lifetime.
fn address(task: &SharedLoop<'_>) -> *mut SharedLoop<'static> {
    ptr::from_ref(task).cast_mut().cast()
}
