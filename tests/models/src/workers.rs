//! How loops go to helpers and back (`kernels/workers/seat.rs`), under every order of their steps.

#[path = "../../../tensor-core/src/kernels/workers/seat.rs"]
mod seat;

/// What seats are made of.
mod sync {
    pub(super) use loom::sync::Mutex;
    pub(super) use loom::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
    pub(super) use loom::thread::{Thread, park};

    /// Models have no processors.
    pub(super) struct Whereabouts;

    impl Whereabouts {
        pub(super) fn new() -> Self {
            Self
        }

        pub(super) fn keep_from(&self, _: Option<usize>) {}

        pub(super) fn restore(&self) {}
    }

    pub(super) fn locked<T>(mutex: &Mutex<T>) -> loom::sync::MutexGuard<'_, T> {
        mutex.lock().expect("no model panics with a lock")
    }

    /// Once is as good as many times, where every order is tried.
    pub(super) fn patiently<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
        look()
    }

    pub(super) fn wait_until(mut holds: impl FnMut() -> bool) {
        while !holds() {
            loom::thread::yield_now();
        }
    }
}

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use loom::sync::Arc;
use loom::thread::{self, JoinHandle};

use super::{model, model_within};
use seat::{Seat, SharedLoop, first, lend};
use sync::{AtomicBool, AtomicUsize, Ordering};

/// Helpers at seats, until they are sent home.
struct Helpers {
    seats: Arc<Vec<Seat>>,
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Helpers {
    fn new(count: usize) -> Self {
        let seats: Arc<Vec<Seat>> = Arc::new((0..count).map(|_| Seat::new()).collect());
        let over = Arc::new(AtomicBool::new(false));
        let threads: Vec<_> = (0..count)
            .map(|number| {
                let (seats, over) = (seats.clone(), over.clone());
                thread::spawn(move || {
                    while !over.load(Ordering::Relaxed) {
                        seats[number].serve(number);
                    }
                })
            })
            .collect();
        for (seat, thread) in seats.iter().zip(&threads) {
            seat.helper.set(thread.thread().clone()).expect("a new seat");
        }
        Self { seats, over, threads }
    }

    /// A last task for each, at which they see that it is over: nobody takes it back. They are woken up in any case: that a helper which falls
    /// asleep and an owner who offers see each other is a matter of one order over two variables, which loom hasn't.
    fn go_home(self) {
        let (work, next) = (|_: usize| {}, [AtomicUsize::new(0)]);
        let last = SharedLoop::new(&work, 0, &next, None);
        self.over.store(true, Ordering::Relaxed);
        for (seat, thread) in self.seats.iter().zip(self.threads) {
            seat.offer(&last);
            thread.thread().unpark();
            thread.join().expect("no helper panics");
        }
    }
}

/// What a turn writes to, and the owner reads afterwards. A number that is added to with no order of its own: an addition is lost where two
/// threads have one turn, and not seen where the owner goes on too early.
struct Cell(AtomicUsize);

impl Cell {
    fn new() -> Self {
        Self(AtomicUsize::new(0))
    }

    fn add_one(&self) {
        let before = self.0.load(Ordering::Relaxed);
        self.0.store(before + 1, Ordering::Relaxed);
    }

    fn number(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// A loop with a cell for each turn. The answer is the turn that failed.
fn run(seats: &[Seat], count: usize, failing: Option<usize>) -> Result<(), usize> {
    let cells: Vec<Cell> = (0..count).map(|_| Cell::new()).collect();
    let shares = seats.len() + 1;
    let next: Vec<AtomicUsize> = (0..shares).map(|share| AtomicUsize::new(first(count, share, shares))).collect();
    let work = |turn: usize| {
        cells[turn].add_one();
        if failing == Some(turn) {
            resume_unwind(Box::new(turn));
        }
    };
    let task = SharedLoop::new(&work, count, &next, None);
    let payload = catch_unwind(AssertUnwindSafe(|| lend(&task, seats))).err().or_else(|| task.failure());
    let payload = payload.map(|payload| *payload.downcast::<usize>().expect("a turn's"));
    if failing.is_none() {
        assert!(cells.iter().all(|cell| cell.number() == 1), "each turn once");
    }
    payload.map_or(Ok(()), Err)
}

#[test]
fn each_turn_is_taken_once_and_seen() {
    model(|| {
        let helpers = Helpers::new(1);
        assert_eq!(run(&helpers.seats, 2, None), Ok(()));
        helpers.go_home();
    });
}

/// A seat that has another owner's task takes no second one.
#[test]
fn two_owners_share_a_helper() {
    // Three threads: with three preemptions it takes minutes.
    model_within(2, || {
        let helpers = Helpers::new(1);
        let seats = helpers.seats.clone();
        let other = thread::spawn(move || run(&seats, 1, None));
        assert_eq!(run(&helpers.seats, 1, None), Ok(()));
        assert_eq!(other.join().expect("no panic"), Ok(()));
        helpers.go_home();
    });
}

/// Whoever takes the turn that fails: its owner hears of it, when nobody is at the task any more, and the helper goes on.
#[test]
fn a_failure_reaches_the_owner() {
    model_within(2, || {
        let helpers = Helpers::new(1);
        assert_eq!(run(&helpers.seats, 2, Some(1)), Err(1));
        assert_eq!(run(&helpers.seats, 1, None), Ok(()));
        helpers.go_home();
    });
}
