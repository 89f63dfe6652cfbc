//! The lock below storages, and how loops go to other threads (`workers`), under every order of their steps: the files that tensor-core uses,
//! with loom's atomics and threads in place of the standard library's. `cargo test -p models` runs the small models;
//! `LOOM_MAX_PREEMPTIONS=5` looks at more orders.
#![cfg(test)]

#[expect(dead_code, reason = "whether it is free is asked where there is one handle")]
#[path = "../../../tensor-core/src/storage/lock.rs"]
mod lock;
mod workers;

/// What the lock is made of.
mod sync {
    pub(super) use loom::sync::Mutex;
    pub(super) use loom::sync::atomic::{AtomicU64, Ordering};
    pub(super) use loom::thread::{Thread, current, park};

    pub(super) fn locked<T>(mutex: &Mutex<T>) -> loom::sync::MutexGuard<'_, T> {
        mutex.lock().expect("no model panics with a lock")
    }
}

use loom::sync::{Arc, Mutex};
use loom::thread;

use lock::{HeldLock, Lock, LockMode, LockRefusal, Waiting};
use sync::{AtomicU64, Ordering};

/// A storage: a number below a lock, with no order of its own. A thread may read an old number unless the lock has passed it on, so that an
/// addition is lost where two threads are at it, and where the lock's own order is too weak.
struct Storage {
    lock: Lock,
    number: AtomicU64,
}

struct World {
    storages: Vec<Storage>,
    waiting: Mutex<Waiting>,
}

impl World {
    fn new(count: usize) -> Arc<Self> {
        let storage = || Storage { lock: Lock::new(0), number: AtomicU64::new(0) };
        Arc::new(Self { storages: (0..count).map(|_| storage()).collect(), waiting: Mutex::new(Waiting::default()) })
    }

    fn take(&self, at: usize, mode: LockMode, kept: &[HeldLock]) -> Result<(), LockRefusal> {
        let lock = &self.storages[at].lock;
        if lock.take_at_once(mode, 0) { Ok(()) } else { lock.take(mode, 0, kept, &self.waiting) }
    }

    fn keep(&self, at: usize, mode: LockMode) -> HeldLock {
        self.take(at, mode, &[]).expect("a thread that keeps nothing only waits");
        HeldLock { address: self.storages[at].lock.address(), mode, lent: true }
    }

    fn add_one(&self, at: usize) {
        let number = &self.storages[at].number;
        let before = number.load(Ordering::Relaxed);
        number.store(before + 1, Ordering::Relaxed);
    }

    fn number(&self, at: usize) -> u64 {
        self.storages[at].number.load(Ordering::Relaxed)
    }

    fn give_back(&self, at: usize, mode: LockMode) {
        self.storages[at].lock.give_back(mode, || &self.waiting);
    }
}

fn model(run: impl Fn() + Sync + Send + 'static) {
    model_within(3, run);
}

/// Orders with at most that many preemptions, unless the environment says how many.
fn model_within(preemptions: usize, run: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(preemptions));
    builder.check(run);
}

#[test]
fn no_addition_is_lost() {
    model(|| {
        let world = World::new(1);
        let add = |world: Arc<World>| {
            world.take(0, LockMode::Write, &[]).expect("nobody keeps anything");
            world.add_one(0);
            world.give_back(0, LockMode::Write);
        };
        let threads: Vec<_> = (0..2).map(|_| (world.clone(), add)).map(|(world, add)| thread::spawn(move || add(world))).collect();
        threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
        world.take(0, LockMode::Read, &[]).expect("nobody keeps anything");
        assert_eq!(world.number(0), 2);
    });
}

#[test]
fn readers_see_all_of_a_write() {
    model(|| {
        let world = World::new(1);
        let writer = world.clone();
        let writing = thread::spawn(move || {
            writer.take(0, LockMode::Write, &[]).expect("nobody keeps anything");
            writer.add_one(0);
            writer.add_one(0);
            writer.give_back(0, LockMode::Write);
        });
        world.take(0, LockMode::Read, &[]).expect("nobody keeps anything");
        assert!([0, 2].contains(&world.number(0)), "half of a write");
        assert!(world.storages[0].lock.take_again(), "a second time, be a writer waiting or not");
        world.give_back(0, LockMode::Read);
        world.give_back(0, LockMode::Read);
        writing.join().expect("no panic");
    });
}

/// Each thread keeps one and wants the other: one of them is refused, and both end. loom fails where a thread waits for ever.
#[test]
fn crossed_waits_end() {
    model(|| {
        let world = World::new(2);
        let cross = |world: &World, mine: usize| {
            let kept = world.keep(mine, LockMode::Write);
            let answer = world.take(1 - mine, LockMode::Read, &[kept]);
            if answer.is_ok() {
                world.give_back(1 - mine, LockMode::Read);
            }
            world.give_back(mine, LockMode::Write);
            answer
        };
        let other = world.clone();
        let thread = thread::spawn(move || cross(&other, 1));
        let answers = [cross(&world, 0), thread.join().expect("no panic")];
        assert!(answers.iter().filter(|answer| **answer == Err(LockRefusal::Crossed)).count() <= 1, "{answers:?}");
        assert!(answers.iter().all(|answer| *answer != Err(LockRefusal::Forgotten)), "{answers:?}");
    });
}

/// Who ends a storage is never the one that is refused, though it keeps a slice: the operation that wants the slice's storage is.
#[test]
fn who_ends_a_storage_is_not_refused() {
    model(|| {
        let world = World::new(2);
        let other = world.clone();
        let kept = world.keep(1, LockMode::Write);
        let thread = thread::spawn(move || {
            other.take(0, LockMode::Read, &[]).expect("nobody waits for this thread yet");
            let operation = HeldLock { address: other.storages[0].lock.address(), mode: LockMode::Read, lent: false };
            let answer = other.take(1, LockMode::Write, &[operation]);
            if answer.is_ok() {
                other.give_back(1, LockMode::Write);
            }
            other.give_back(0, LockMode::Read);
            answer
        });
        let ended = world.take(0, LockMode::End, &[kept]);
        assert_eq!(ended, Ok(()));
        world.give_back(0, LockMode::End);
        world.give_back(1, LockMode::Write);
        assert_ne!(thread.join().expect("no panic"), Err(LockRefusal::Forgotten));
    });
}

/// A thread ends with a lock: who waits, and who comes later, is refused.
#[test]
fn forgotten_locks_are_refused() {
    model(|| {
        let world = World::new(1);
        let other = world.clone();
        let thread = thread::spawn(move || {
            other.keep(0, LockMode::Write);
            other.storages[0].lock.forget(&other.waiting);
        });
        let answer = world.take(0, LockMode::Read, &[]);
        if answer.is_ok() {
            world.give_back(0, LockMode::Read);
        }
        thread.join().expect("no panic");
        assert_eq!(world.take(0, LockMode::Read, &[]), Err(LockRefusal::Forgotten));
        // Dropped after all.
        world.give_back(0, LockMode::Write);
        assert_eq!(world.take(0, LockMode::Write, &[]), Ok(()));
    });
}

/// In a forked child the locks of threads that aren't there are free, and what its own thread has is its own still.
#[test]
fn a_child_takes_locks_of_its_parents_threads() {
    model(|| {
        let world = World::new(2);
        world.keep(0, LockMode::Write);
        world.keep(1, LockMode::Read);
        world.keep(1, LockMode::Read);
        let free = World::new(1);
        // Two forks later.
        let (lock, kept) = (&world.storages[0].lock, &world.storages[1].lock);
        kept.keep_after_fork(LockMode::Read, 2);
        kept.keep_after_fork(LockMode::Read, 2);
        assert!(!lock.take_at_once(LockMode::Write, 2));
        assert_eq!(lock.take(LockMode::Write, 2, &[], &free.waiting), Ok(()));
        assert!(kept.take_at_once(LockMode::Read, 2) && !kept.take_at_once(LockMode::Write, 2));
        for _ in 0..3 {
            kept.give_back(LockMode::Read, || &free.waiting);
        }
        assert!(kept.take_at_once(LockMode::Write, 2));
    });
}
