//! A lock for many readers or one writer: a word, and beside it the list of all threads that wait for any lock. A wait that could never end
//! is an error. Which locks a thread has is in `held.rs`, what they guard in `access.rs`.
//!
//! The word has the number of the process in it. A forked child, in which threads are missing, finds a number that isn't its own, and takes the
//! lock for free; what its own thread had before the fork is its again by `keep_after_fork`.

use super::sync::{AtomicU64, Mutex, Ordering, Thread, current, locked, park};

/// What a lock is held for. The order matters: writing includes reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LockMode {
    Read,
    Write,
    /// Writing for the last time: where threads wait for each other, another one gives up.
    End,
}

/// The bits of the word: how many readers, then flags, then the number of the process.
const READERS: u64 = FORGOTTEN - 1;
/// A thread has ended that had the lock.
const FORGOTTEN: u64 = 1 << 29;
/// Threads wait.
const WAITED: u64 = 1 << 30;
const WRITER: u64 = 1 << 31;

/// The word of a free lock of a process.
fn free(forks: u32) -> u64 {
    u64::from(forks) << 32
}

/// Why a lock can't be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockRefusal {
    /// Threads would wait for each other for ever.
    Crossed,
    /// Who has it has ended.
    Forgotten,
}

/// A lock that a thread has, by its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HeldLock {
    pub(super) address: usize,
    pub(super) mode: LockMode,
    /// Whether a slice keeps it, and not an operation that will end by itself.
    pub(super) lent: bool,
}

/// All threads that wait for a lock.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    threads: Vec<Waiter>,
    count: u64,
}

#[derive(Debug)]
struct Waiter {
    number: u64,
    thread: Thread,
    wanted: (usize, LockMode),
    kept: Vec<HeldLock>,
    refused: bool,
}

impl Waiter {
    /// Whether it waits for another one that waits.
    fn waits_for(&self, other: &Self) -> bool {
        let (address, mode) = self.wanted;
        other.kept.iter().any(|kept| kept.address == address && (mode >= LockMode::Write || kept.mode >= LockMode::Write))
    }
}

impl Waiting {
    /// Where the last one closes a circle of threads that wait for each other: one of them that keeps a slice, which no operation waits for by
    /// itself, and else any; none that ends a storage, which only operations have then, so that not all of the circle do. Each circle is seen
    /// here, because what a thread has doesn't change while it waits.
    fn crossed(&mut self) -> Option<&mut Waiter> {
        let start = self.threads.len() - 1;
        let mut came_from = vec![None; self.threads.len()];
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            for next in 0..self.threads.len() {
                if self.threads[next].refused || !self.threads[at].waits_for(&self.threads[next]) {
                    continue;
                }
                if next == start {
                    let mut circle = std::iter::successors(Some(at), |&at| came_from[at]);
                    let yields = |&at: &usize| self.threads[at].wanted.1 != LockMode::End;
                    let lends = |&at: &usize| yields(&at) && self.threads[at].kept.iter().any(|kept| kept.lent);
                    let any = || [start, at].into_iter().find(yields).unwrap_or(start);
                    let chosen = if lends(&start) { start } else { circle.find(lends).unwrap_or_else(any) };
                    return self.threads.get_mut(chosen);
                }
                if came_from[next].is_none() {
                    came_from[next] = Some(at);
                    open.push(next);
                }
            }
        }
        None
    }

    fn place(&self, number: u64) -> usize {
        self.threads.iter().position(|waiter| waiter.number == number).unwrap_or(0)
    }

    fn wants(&self, address: usize, mode: Option<LockMode>) -> bool {
        self.threads.iter().any(|waiter| waiter.wanted.0 == address && mode.is_none_or(|mode| waiter.wanted.1 >= mode))
    }
}

/// What came of an attempt.
enum Attempt {
    Taken,
    Forgotten,
    /// Whoever gives the lock back sees that somebody waits.
    Busy,
}

#[derive(Debug)]
pub(super) struct Lock(AtomicU64);

impl Lock {
    pub(super) fn new(forks: u32) -> Self {
        Self(AtomicU64::new(free(forks)))
    }

    pub(super) fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Whether nobody has it or waits for it, in this process.
    pub(super) fn is_free(&self, forks: u32) -> bool {
        self.0.load(Ordering::Relaxed) == free(forks)
    }

    /// Takes the lock if that needs no wait; if not, nothing is known.
    #[inline]
    pub(super) fn take_at_once(&self, mode: LockMode, forks: u32) -> bool {
        let free = free(forks);
        match mode {
            LockMode::Write | LockMode::End => self.0.compare_exchange(free, free | WRITER, Ordering::Acquire, Ordering::Relaxed).is_ok(),
            LockMode::Read => {
                let word = self.0.load(Ordering::Relaxed);
                let unflagged = word & !READERS == free && word & READERS < READERS;
                unflagged && self.0.compare_exchange(word, word + 1, Ordering::Acquire, Ordering::Relaxed).is_ok()
            }
        }
    }

    /// Takes the lock for reading once more, for a thread that has it for that: nobody writes, and a thread that waits to write is no reason to wait.
    pub(super) fn take_again(&self) -> bool {
        if self.0.load(Ordering::Relaxed) & READERS == READERS {
            return false;
        }
        self.0.fetch_add(1, Ordering::Relaxed);
        true
    }

    /// Waits for the lock. `kept` is what this thread has; this lock isn't among it.
    ///
    /// # Errors
    /// Where that could never end.
    pub(super) fn take(&self, mode: LockMode, forks: u32, kept: &[HeldLock], waiting: &Mutex<Waiting>) -> Result<(), LockRefusal> {
        let mut number = None;
        loop {
            let mut list = locked(waiting);
            // Readers let writers that wait go first, unless they keep something, for which others may wait.
            let behind = mode == LockMode::Read && kept.is_empty() && list.wants(self.address(), Some(LockMode::Write));
            let answer = match self.attempt(mode, forks, behind) {
                Attempt::Taken => Some(Ok(())),
                Attempt::Forgotten => Some(Err(LockRefusal::Forgotten)),
                Attempt::Busy if number.is_some_and(|number| list.threads[list.place(number)].refused) => Some(Err(LockRefusal::Crossed)),
                Attempt::Busy => None,
            };
            if let Some(answer) = answer {
                if let Some(number) = number {
                    let place = list.place(number);
                    list.threads.swap_remove(place);
                }
                if !list.wants(self.address(), None) {
                    self.0.fetch_and(!WAITED, Ordering::Relaxed);
                }
                return answer;
            }
            if number.is_none() {
                let own = list.count;
                number = Some(own);
                list.count += 1;
                list.threads.push(Waiter {
                    number: own,
                    thread: current(),
                    wanted: (self.address(), mode),
                    kept: kept.to_vec(),
                    refused: false,
                });
                while let Some(chosen) = list.crossed() {
                    chosen.refused = true;
                    chosen.thread.unpark();
                }
            }
            drop(list);
            park();
        }
    }

    fn attempt(&self, mode: LockMode, forks: u32, behind: bool) -> Attempt {
        let free = free(forks);
        loop {
            let word = self.0.load(Ordering::Relaxed);
            let flags = word & (u64::from(u32::MAX));
            let goal = if word - flags != free {
                // Of another process.
                free
            } else if mode >= LockMode::Write && word & (WRITER | READERS) == 0 {
                word | WRITER
            } else if mode == LockMode::Read && word & WRITER == 0 && word & READERS < READERS && !behind {
                word + 1
            } else if word & FORGOTTEN != 0 {
                return Attempt::Forgotten;
            } else if word & WAITED != 0 {
                return Attempt::Busy;
            } else {
                word | WAITED
            };
            let changed = self.0.compare_exchange(word, goal, Ordering::Acquire, Ordering::Relaxed).is_ok();
            if changed && goal != free && goal & (WRITER | READERS) != word & (WRITER | READERS) {
                return Attempt::Taken;
            }
        }
    }

    /// Gives the lock back.
    #[inline]
    pub(super) fn give_back<'a>(&self, mode: LockMode, waiting: impl FnOnce() -> &'a Mutex<Waiting>) {
        let before = match mode {
            LockMode::Write | LockMode::End => self.0.fetch_and(!(WRITER | FORGOTTEN), Ordering::Release),
            LockMode::Read => self.0.fetch_sub(1, Ordering::Release),
        };
        if before & (WAITED | FORGOTTEN) != 0 {
            self.given_back(before, mode, waiting());
        }
    }

    #[cold]
    fn given_back(&self, before: u64, mode: LockMode, waiting: &Mutex<Waiting>) {
        let last = mode >= LockMode::Write || before & READERS == 1;
        if last && before & FORGOTTEN != 0 {
            self.0.fetch_and(!FORGOTTEN, Ordering::Relaxed);
        }
        if last && before & WAITED != 0 {
            self.wake(waiting);
        }
    }

    fn wake(&self, waiting: &Mutex<Waiting>) {
        for waiter in locked(waiting).threads.iter().filter(|waiter| waiter.wanted.0 == self.address()) {
            waiter.thread.unpark();
        }
    }

    /// The thread that has the lock ends: whoever waits for it gets an error.
    pub(super) fn forget(&self, waiting: &Mutex<Waiting>) {
        self.0.fetch_or(FORGOTTEN, Ordering::Relaxed);
        self.wake(waiting);
    }

    /// In a forked child, before it has a second thread: its thread has the lock still, once more for each call.
    pub(super) fn keep_after_fork(&self, mode: LockMode, forks: u32) {
        let word = self.0.load(Ordering::Relaxed);
        let readers = if word & !READERS == free(forks) { word & READERS } else { 0 };
        let kept = if mode >= LockMode::Write { WRITER } else { readers + 1 };
        self.0.store(free(forks) | kept, Ordering::Relaxed);
    }
}
