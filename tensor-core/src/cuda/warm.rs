//! Compiling kernels in the background, before they are needed: those that a program names, and, when one had to be compiled, those that
//! are likely to be needed next. The latter go to disk only; how many a process makes is bounded, and it ends without waiting for the rest.
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{JoinHandle, ThreadId, current};
use std::time::Duration;

use latten_spec::DType;
use latten_spec::operation::Op;

use super::driver::Context;
use super::keys::{self, Key};
use super::source::source;
use super::{cache, compiling, library};
use crate::device::IntoDevice;
use crate::error::{Error, Result};
use crate::process::{PerProcess, forks, locked};

/// Kernels that are being compiled. When this is dropped, no more are begun; the one that is being compiled is waited for.
#[derive(Debug)]
pub struct WarmUp {
    /// The process that the thread is in.
    forks: u32,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<usize>>>,
}

/// Compiles the kernels of some operations on tensors of some dtypes, and on numbers beside them, while the program goes on. NVRTC compiles
/// one kernel at a time: a call that needs another one waits for the one that is being compiled, for about a tenth of a second.
///
/// # Errors
/// Where the device can't be used.
pub fn warm_up(device: impl IntoDevice, ops: &[Op], dtypes: &[DType]) -> Result<WarmUp> {
    let context = Context::of(device.into_device()?.resolved())?;
    let of_dtypes = |key: &Key| match key {
        Key::Operation { operands, .. } => {
            operands.iter().flatten().filter_map(|operand| operand.memory).any(|dtype| dtypes.contains(&dtype))
        }
        Key::Copy(..) | Key::Fill(_) | Key::Places(_) | Key::Truths => false,
        Key::Fold(_) | Key::Rows(_) | Key::Product(_) => false,
    };
    let operations = ops.iter().flat_map(|&op| keys::variants(op)).filter(of_dtypes);
    let copies = dtypes.iter().flat_map(|&from| dtypes.iter().map(move |&to| Key::Copy(from, to)));
    let keys: Vec<Key> = operations.chain(copies).collect();
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let work = move || {
        let mut count = 0;
        for key in keys {
            if stopped.load(Ordering::Relaxed) {
                break;
            }
            library::kernel(context, &key)?;
            count += 1;
        }
        Ok(count)
    };
    let thread = std::thread::Builder::new().name("latten-cuda".into()).spawn(work);
    Ok(WarmUp {
        forks: forks(),
        stop,
        thread: Some(thread.map_err(|error| Error::runtime(format!("no thread to compile kernels: {error}")))?),
    })
}

impl WarmUp {
    /// Waits until all are ready, and says how many they are.
    ///
    /// # Errors
    /// The first that could not be compiled or loaded; and in a forked child, which hasn't the thread.
    pub fn wait(mut self) -> Result<usize> {
        match self.take_thread().map(JoinHandle::join) {
            Some(Ok(count)) => count,
            Some(Err(_)) => Err(Error::runtime("the thread that compiled kernels has panicked")),
            None => Err(Error::runtime("the thread that compiles kernels isn't in this process, which was forked")),
        }
    }

    /// The thread, where it is one of this process's.
    fn take_thread(&mut self) -> Option<JoinHandle<Result<usize>>> {
        let thread = self.thread.take();
        if self.forks == forks() {
            return thread;
        }
        // Whatever is done with a thread that isn't there may wait for ever.
        std::mem::forget(thread);
        None
    }
}

impl Drop for WarmUp {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.take_thread() {
            let _ = thread.join();
        }
    }
}

/// The environment variable that says how many kernels a process may compile in the background; 0: none.
const MOST_VARIABLE: &str = "LATTEN_CUDA_WARM";
const MOST: usize = 256;

/// What is to be compiled in the background.
#[derive(Debug, Default)]
struct Background {
    work: VecDeque<(Key, (u32, u32))>,
    /// Whether a thread is at it, and which, when it has begun.
    running: bool,
    thread: Option<ThreadId>,
    /// How many may be begun still; nothing before it is known.
    left: Option<usize>,
    compiled: usize,
}

/// What this process compiles.
#[derive(Debug, Default)]
struct Line {
    background: Mutex<Background>,
    /// Told when the thread ends.
    idle: Condvar,
    /// Calls that are compiling what they need now.
    first: AtomicUsize,
}

// A forked child has no such thread, and can't compile what its parent has begun with.
static LINE: PerProcess<Line> = PerProcess::new(Line::default, |_| Line::default());

fn background() -> MutexGuard<'static, Background> {
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

fn most() -> usize {
    std::env::var(MOST_VARIABLE).ok().and_then(|most| most.trim().parse().ok()).unwrap_or(MOST)
}

/// Compiles kernels to disk in the background, as far as they aren't there and the process may. Nothing of that is an error.
pub(super) fn begin(capability: (u32, u32), keys: Vec<Key>) {
    let mut background = background();
    let left = *background.left.get_or_insert_with(most);
    if left == 0 {
        return;
    }
    // What was needed last is likelier to be followed by more.
    for key in keys.into_iter().rev() {
        background.work.push_front((key, capability));
    }
    background.work.truncate(left);
    if background.running || background.work.is_empty() {
        return;
    }
    let thread = std::thread::Builder::new().name("latten-cuda".into()).spawn(work);
    background.running = thread.is_ok();
    drop(background);
    if let Err(error) = thread {
        log::debug!("latten: no thread to compile CUDA kernels ahead: {error}");
    }
}

/// What the thread does, until there is no more.
fn work() {
    /// Says that the thread has ended, should it panic.
    struct Running;
    impl Drop for Running {
        fn drop(&mut self) {
            ended(&mut background());
        }
    }
    let running = Running;
    background().thread = Some(current().id());
    while let Some((key, capability)) = next() {
        let text = source(&[key.unit()]);
        let kept = library::module_key(&text, capability);
        if !cache::is_missing(kept) || library::packed(&text, capability).is_some() {
            continue;
        }
        match compiling::compile(&text, capability, &[]) {
            Ok(module) => {
                cache::put(kept, &module);
                let mut background = background();
                background.compiled += 1;
                background.left = background.left.map(|left| left.saturating_sub(1));
            }
            Err(error) => {
                log::debug!("latten: a CUDA kernel isn't compiled ahead: {error}");
                give_up();
            }
        }
    }
    // `next` has said it.
    std::mem::forget(running);
}

/// The next kernel, when no call compiles its own. That there is none and that the thread ends is one moment for others.
fn next() -> Option<(Key, (u32, u32))> {
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
fn ended(background: &mut Background) {
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
