//! Threads that help with one loop. The thread that has the loop works too, and a helper that wakes up too late finds the
//! work done: rayon's caller sleeps meanwhile, and waking it costs as much as a loop over 100,000 elements.
//!
//! Invariants: (1) a task stays where it is until its owner has taken it back from every seat, or seen that who took it has
//! left it; (2) only who takes a task out of a seat uses it, and leaves it last by counting itself out.
#![expect(unsafe_code, reason = "lends a closure on the stack to other threads, and waits for them")]

use std::any::Any;
use std::hint::spin_loop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread::{Thread, available_parallelism, park, yield_now};
use std::time::{Duration, Instant};

use smallvec::SmallVec;

use crate::process::{PerProcess, locked};

/// How long a helper looks for the next task before it sleeps: a program that computes has it by then.
const PATIENCE: Duration = Duration::from_micros(50);
/// How long a helper stays on a processor before it leaves it for another: where there are more threads than processors, that doesn't help.
const REST: Duration = Duration::from_millis(1);
/// The environment variable that sets the number of threads.
const THREADS_VARIABLE: &str = "LATTEN_NUM_THREADS";

/// How many threads a loop may use; 0 while nobody asked.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// How many threads share the work of an operation. At the start it is what the environment variable `LATTEN_NUM_THREADS`
/// says, else what the machine has.
#[must_use]
pub fn num_threads() -> usize {
    match THREADS.load(Ordering::Relaxed) {
        0 => {
            let written = std::env::var(THREADS_VARIABLE).ok().and_then(|text| text.trim().parse().ok());
            let threads = written.unwrap_or_else(|| available_parallelism().map_or(1, usize::from)).max(1);
            THREADS.store(threads, Ordering::Relaxed);
            threads
        }
        threads => threads,
    }
}

/// Sets how many threads share the work of an operation. No result depends on it.
pub fn set_num_threads(threads: usize) {
    THREADS.store(threads.max(1), Ordering::Relaxed);
}

/// Does `work(0)`, `work(1)`, …, `work(count - 1)`, each once, on as many threads as there are.
pub(crate) fn share(count: usize, work: &(dyn Fn(usize) + Sync)) {
    let helpers = num_threads().min(count) - usize::from(count > 0);
    if helpers == 0 {
        return (0..count).for_each(work);
    }
    let seats = seats(helpers);
    let shares = seats.len() + 1;
    let next = (0..shares).map(|share| AtomicUsize::new(first(count, share, shares))).collect();
    let task = Task { work, count, next, processor: processor(), inside: AtomicUsize::new(0), failed: Mutex::new(None) };
    let shared = Lent { task: &task, seats };
    for seat in shared.seats {
        seat.offer(&task);
    }
    task.help(0);
    drop(shared);
    let failed = locked(&task.failed).take();
    if let Some(payload) = failed {
        resume_unwind(payload);
    }
}

/// On which processor this thread runs, where that can be asked.
fn processor() -> Option<usize> {
    #[cfg(all(target_os = "linux", not(miri)))]
    return Some(rustix::thread::sched_getcpu());
    #[cfg(not(all(target_os = "linux", not(miri))))]
    None
}

/// Moves this thread to another processor, where it may use one. The system leaves a thread that wakes up where it slept, on virtual
/// machines even beside one that computes while another processor has nothing to do.
fn leave(processor: usize) {
    #[cfg(all(target_os = "linux", not(miri)))]
    if let Ok(all) = rustix::thread::sched_getaffinity(None) {
        let mut others = all;
        others.unset(processor);
        if others.count() > 0 && rustix::thread::sched_setaffinity(None, &others).is_ok() {
            // It is there; from now on it may be anywhere again.
            let _ = rustix::thread::sched_setaffinity(None, &all);
        }
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    let _ = processor;
}

/// The first turn of a share.
fn first(count: usize, share: usize, shares: usize) -> usize {
    count / shares * share + (count % shares).min(share)
}

/// A loop whose turns several threads take. Each has a share of its own, of neighbours, and takes turns of others' when it is done: so
/// that the same elements come to the same thread's caches from loop to loop.
struct Task<'a> {
    work: &'a (dyn Fn(usize) + Sync),
    count: usize,
    /// The next turn of each share.
    next: SmallVec<[AtomicUsize; 8]>,
    /// Where its owner runs.
    processor: Option<usize>,
    /// How many helpers have it.
    inside: AtomicUsize,
    /// What a helper's turn panicked with.
    failed: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Task<'_> {
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

/// A task while others may have it: when this is dropped, nobody has it.
struct Lent<'a> {
    task: &'a Task<'a>,
    seats: &'static [Seat],
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        // Also where the owner's own turn panicked.
        self.task.next.iter().for_each(|next| next.store(self.task.count, Ordering::Relaxed));
        for seat in self.seats {
            seat.take_back(self.task);
        }
        let mut looks = 0_u32;
        while self.task.inside.load(Ordering::Acquire) > 0 {
            looks += 1;
            if looks < 1000 { spin_loop() } else { yield_now() }
        }
        if std::thread::panicking() {
            // One panic is enough. A payload may panic when it is dropped, which would end the process here.
            std::mem::forget(locked(&self.task.failed).take());
        }
    }
}

/// Where a helper finds its next task.
struct Seat {
    /// The task that is offered, without its lifetime; null where there is none.
    offered: AtomicPtr<Task<'static>>,
    asleep: AtomicBool,
    helper: OnceLock<Thread>,
}

impl Seat {
    const fn new() -> Self {
        Self { offered: AtomicPtr::new(ptr::null_mut()), asleep: AtomicBool::new(false), helper: OnceLock::new() }
    }

    /// Puts a task into the seat, unless it has one.
    fn offer(&self, task: &Task<'_>) {
        // Counted in before it can be taken.
        task.inside.fetch_add(1, Ordering::Relaxed);
        let pointer = address(task);
        if self.offered.compare_exchange(ptr::null_mut(), pointer, Ordering::SeqCst, Ordering::Relaxed).is_err() {
            task.inside.fetch_sub(1, Ordering::Relaxed);
        } else if self.asleep.load(Ordering::SeqCst)
            && let Some(helper) = self.helper.get()
        {
            helper.unpark();
        }
    }

    /// Takes a task out that nobody has begun.
    fn take_back(&self, task: &Task<'_>) {
        if self.offered.compare_exchange(address(task), ptr::null_mut(), Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            task.inside.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// A helper's life.
    fn serve(&self, number: usize) {
        let mut moved = None;
        loop {
            let task = self.next();
            // SAFETY: (1) and (2): it was taken out of the seat just now, so that its owner waits until it is counted out.
            let task = unsafe { &*task };
            if let Err(payload) = catch_unwind(AssertUnwindSafe(|| task.help(number + 1))) {
                // Dropped here, the payload of a second panic could end this thread, for which the owner would wait for ever.
                std::mem::forget(locked(&task.failed).replace(payload));
            }
            let crowded = task.processor.filter(|_| task.processor == processor());
            task.inside.fetch_sub(1, Ordering::Release);
            if let Some(processor) = crowded
                && moved.is_none_or(|moved: Instant| moved.elapsed() > REST)
            {
                leave(processor);
                moved = Some(Instant::now());
            }
        }
    }

    /// Waits for a task and takes it out.
    fn next(&self) -> *const Task<'static> {
        loop {
            let start = Instant::now();
            while start.elapsed() < PATIENCE {
                for _ in 0..32 {
                    if !self.offered.load(Ordering::Relaxed).is_null() {
                        let task = self.offered.swap(ptr::null_mut(), Ordering::Acquire);
                        if !task.is_null() {
                            return task;
                        }
                    }
                    spin_loop();
                }
            }
            self.asleep.store(true, Ordering::SeqCst);
            if self.offered.load(Ordering::SeqCst).is_null() {
                park();
            }
            self.asleep.store(false, Ordering::Relaxed);
        }
    }
}

/// A task's address, without its lifetime.
fn address(task: &Task<'_>) -> *mut Task<'static> {
    ptr::from_ref(task).cast_mut().cast()
}

fn empty() -> [Seat; SEATS] {
    [const { Seat::new() }; SEATS]
}

/// At most this many threads help.
const SEATS: usize = 255;

/// So many seats, each with a helper.
fn seats(helpers: usize) -> &'static [Seat] {
    // A forked child has none of the helpers that sat here.
    static SEATED: PerProcess<[Seat; SEATS]> = PerProcess::new(empty, |_| empty());
    let seats = &SEATED.get()[..helpers.min(SEATS)];
    for (number, seat) in seats.iter().enumerate() {
        seat.helper.get_or_init(|| {
            let builder = std::thread::Builder::new().name("latten".into());
            match builder.spawn(move || seat.serve(number)) {
                Ok(handle) => handle.thread().clone(),
                // Nobody will take the task: the owner does the work alone.
                Err(_) => std::thread::current(),
            }
        });
    }
    seats
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{set_num_threads, share};

    #[test]
    fn every_turn_is_taken_once_also_when_many_threads_have_loops() {
        set_num_threads(4);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    for round in 0..2000 {
                        let turns: Vec<AtomicUsize> = (0..1 + (round + thread) % 17).map(|_| AtomicUsize::new(0)).collect();
                        share(turns.len(), &|turn| {
                            turns[turn].fetch_add(1, Ordering::Relaxed);
                        });
                        assert!(turns.iter().all(|turn| turn.load(Ordering::Relaxed) == 1), "round {round}");
                    }
                });
            }
        });
        share(0, &|turn| panic!("turn {turn} of none"));
    }

    #[test]
    fn a_panic_in_any_turn_reaches_the_owner_and_helpers_go_on() {
        set_num_threads(4);
        for failing in 0..8 {
            let outcome = std::panic::catch_unwind(|| share(8, &|turn| assert!(turn != failing, "turn {turn}")));
            assert!(outcome.is_err(), "turn {failing}");
        }
        /// Panics once more when it is dropped.
        struct Twice(bool);
        impl Drop for Twice {
            fn drop(&mut self) {
                assert!(!self.0, "dropped");
            }
        }
        for round in 0..20 {
            let outcome = std::panic::catch_unwind(|| {
                share(8, &|turn| {
                    if turn > 3 {
                        std::panic::panic_any(Twice(true))
                    }
                })
            });
            match outcome.expect_err("a turn panicked").downcast::<Twice>() {
                Ok(mut payload) => payload.0 = false,
                Err(_) => panic!("round {round}: another payload"),
            }
        }
        let done = AtomicUsize::new(0);
        share(8, &|_| {
            done.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(done.load(Ordering::Relaxed), 8);
    }
}
