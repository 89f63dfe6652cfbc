//! The kernels that wait to be compiled in the background, and the thread that does it: how many a process makes is bounded, and it ends
//! without waiting for the rest.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{ThreadId, current};
use std::time::Duration;

use latten_kernel::kernels::keys::Key;

use crate::process::{PerProcess, locked};

/// The environment variable that says how many kernels a process may compile in the background; 0: none.
const MOST_VARIABLE: &str = "LATTEN_CUDA_WARM";
const MOST: usize = 256;

/// What is to be compiled in the background.
#[derive(Debug, Default)]
pub(super) struct Background {
    pub(super) work: VecDeque<(Key, (u32, u32))>,
    /// Whether a thread is at it, and which, when it has begun.
    pub(super) running: bool,
    pub(super) thread: Option<ThreadId>,
    /// How many may be begun still; nothing before it is known.
    pub(super) left: Option<usize>,
    pub(super) compiled: usize,
}

/// What this process compiles.
#[derive(Debug, Default)]
struct CompileQueue {
    background: Mutex<Background>,
    /// Told when the thread ends.
    idle: Condvar,
    /// Calls that are compiling what they need now.
    first: AtomicUsize,
}

// A forked child has no such thread, and can't compile what its parent has begun with.
static LINE: PerProcess<CompileQueue> = PerProcess::new(CompileQueue::default, |_| CompileQueue::default());

pub(super) fn background() -> MutexGuard<'static, Background> {
    locked(&LINE.get().background)
}

/// Held by a call that compiles what it needs: the background begins nothing meanwhile.
pub(super) struct Foreground;

impl Foreground {
    pub(super) fn new() -> Self {
        LINE.get().first.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Foreground {
    fn drop(&mut self) {
        LINE.get().first.fetch_sub(1, Ordering::Relaxed);
    }
}

pub(super) fn most() -> usize {
    std::env::var(MOST_VARIABLE).ok().and_then(|most| most.trim().parse().ok()).unwrap_or(MOST)
}

/// The next kernel, when no call compiles its own. That there is none and that the thread ends is one moment for others.
pub(super) fn next() -> Option<(Key, (u32, u32))> {
    loop {
        let mut background = background();
        if background.left == Some(0) {
            background.work.clear();
        }
        if background.work.is_empty() {
            ended(&mut background);
            return None;
        }
        if LINE.get().first.load(Ordering::Relaxed) == 0 {
            return background.work.pop_front();
        }
        drop(background);
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The thread ends.
pub(super) fn ended(background: &mut Background) {
    background.running = false;
    background.thread = None;
    LINE.get().idle.notify_all();
}

/// Begins no more.
pub(super) fn give_up() {
    let mut background = background();
    background.left = Some(0);
    background.work.clear();
}

/// Waits until nothing is compiled in the background, and says how many kernels were.
pub(super) fn settled() -> usize {
    let mut background = background();
    while background.running {
        background = LINE.get().idle.wait(background).unwrap_or_else(PoisonError::into_inner);
    }
    background.compiled
}

/// Waits at the end of the process until what was compiled in the background is on disk, unless it is the thread for that which ends it.
pub(super) fn end() {
    let own = background().thread == Some(current().id());
    if !own {
        settled();
    }
}
