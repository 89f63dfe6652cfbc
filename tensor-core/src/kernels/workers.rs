//! Threads that help with one loop. The thread that has the loop works too, and a helper that wakes up too late finds the
//! work done: rayon's caller sleeps meanwhile, and waking it costs as much as a loop over 100,000 elements. How a loop goes from thread to
//! thread and back is in `workers/seat.rs`.

mod place;
mod seat;
mod sync;

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use smallvec::SmallVec;

use crate::process::PerProcess;
use place::{leave, processor};
use seat::{Seat, SharedLoop, first, lend};

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
    // A pointer, as the calls of operations are (`call::COMPUTE` says why): loops of every kind come here.
    let among: fn(usize, usize, &(dyn Fn(usize) + Sync)) = share_among;
    among(helpers, count, work);
}

/// The same with so many helpers.
fn share_among(helpers: usize, count: usize, work: &(dyn Fn(usize) + Sync)) {
    let seats = seats(helpers);
    let shares = seats.len() + 1;
    let next: SmallVec<[AtomicUsize; 8]> = (0..shares).map(|share| AtomicUsize::new(first(count, share, shares))).collect();
    let task = SharedLoop::new(work, count, &next, processor());
    lend(&task, seats);
    if let Some(payload) = task.failure() {
        resume_unwind(payload);
    }
}

/// A helper's life.
fn serve(seat: &Seat, number: usize) {
    let mut moved = None;
    seat.place.here();
    loop {
        let owner = seat.serve(number);
        // On its owner's processor it would wait for it.
        if let Some(here) = owner.filter(|_| owner == processor())
            && moved.is_none_or(|moved: Instant| moved.elapsed() > REST)
        {
            leave(here);
            moved = Some(Instant::now());
        }
    }
}

fn empty() -> [Seat; SEATS] {
    std::array::from_fn(|_| Seat::new())
}

/// At most this many threads help.
const SEATS: usize = 255;

/// That many seats, each with a helper.
fn seats(helpers: usize) -> &'static [Seat] {
    // A forked child has none of the helpers that sat here.
    static SEATED: PerProcess<[Seat; SEATS]> = PerProcess::new(empty, |_| empty());
    let seats = &SEATED.get()[..helpers.min(SEATS)];
    for (number, seat) in seats.iter().enumerate() {
        seat.helper.get_or_init(|| {
            let builder = std::thread::Builder::new().name("latten".into());
            match builder.spawn(move || serve(seat, number)) {
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
