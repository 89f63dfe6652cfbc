//! Compiling kernels in the background, before they are needed: those that a program names, and, when one had to be compiled, those that
//! are likely to be needed next. The latter go to disk only; how many a process makes is bounded, and it ends without waiting for the rest.
#![expect(unsafe_code, reason = "has the C library call a function when the process ends")]

use std::collections::VecDeque;
use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use latten_spec::DType;
use latten_spec::operation::Op;

use super::driver::Context;
use super::keys::{self, Key};
use super::source::source;
use super::{cache, compiler, library};
use crate::device::IntoDevice;
use crate::error::{Error, Result};

/// Kernels that are being compiled. When this is dropped, no more are begun; the one that is being compiled is waited for, because a process
/// must not end meanwhile.
#[derive(Debug)]
pub struct WarmUp {
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
    Ok(WarmUp { stop, thread: Some(thread.map_err(|error| Error::runtime(format!("no thread to compile kernels: {error}")))?) })
}

impl WarmUp {
    /// Waits until all are ready, and says how many they are.
    ///
    /// # Errors
    /// The first that could not be compiled or loaded.
    pub fn wait(mut self) -> Result<usize> {
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(count)) => count,
            Some(Err(_)) | None => Err(Error::runtime("the thread that compiled kernels has panicked")),
        }
    }
}

impl Drop for WarmUp {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The environment variable that says how many kernels a process may compile in the background; 0: none.
const MOST_VARIABLE: &str = "LATTEN_CUDA_WARM";
const MOST: usize = 256;

/// What is to be compiled in the background.
#[derive(Debug)]
struct Background {
    work: VecDeque<(Key, (u32, u32))>,
    /// Whether a thread is at it.
    running: bool,
    /// How many may be begun still; nothing before it is known.
    left: Option<usize>,
    compiled: usize,
}

static BACKGROUND: Mutex<Background> = Mutex::new(Background { work: VecDeque::new(), running: false, left: None, compiled: 0 });
/// Told when the thread ends.
static IDLE: Condvar = Condvar::new();

/// Calls that are compiling what they need now.
static FIRST: AtomicUsize = AtomicUsize::new(0);

/// Held by a call that compiles what it needs: the background begins nothing meanwhile.
pub(super) struct Foreground;

impl Foreground {
    pub(super) fn new() -> Self {
        FIRST.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Foreground {
    fn drop(&mut self) {
        FIRST.fetch_sub(1, Ordering::Relaxed);
    }
}

fn most() -> usize {
    std::env::var(MOST_VARIABLE).ok().and_then(|most| most.trim().parse().ok()).unwrap_or(MOST)
}

/// Compiles kernels to disk in the background, as far as they aren't there and the process may. Nothing of that is an error.
pub(super) fn begin(capability: (u32, u32), keys: Vec<Key>) {
    let mut background = BACKGROUND.lock();
    let first = background.left.is_none();
    let left = *background.left.get_or_insert_with(most);
    if left == 0 {
        return;
    }
    if first && !at_exit(stop) {
        // A process that ends while NVRTC is at work may crash.
        background.left = Some(0);
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
    match std::thread::Builder::new().name("latten-cuda".into()).spawn(work) {
        Ok(_) => background.running = true,
        Err(error) => log::debug!("latten: no thread to compile CUDA kernels ahead: {error}"),
    }
}

/// What the thread does, until there is no more.
fn work() {
    /// Says that the thread has ended, should it panic.
    struct Running;
    impl Drop for Running {
        fn drop(&mut self) {
            BACKGROUND.lock().running = false;
            IDLE.notify_all();
        }
    }
    let running = Running;
    while let Some((key, capability)) = next() {
        let text = source(&[key.unit()]);
        let kept = library::module_key(&text, capability);
        if !cache::is_missing(kept) || library::packed(&text, capability).is_some() {
            continue;
        }
        match compiler::compile(&text, capability, &[]) {
            Ok(module) => {
                cache::put(kept, &module);
                let mut background = BACKGROUND.lock();
                background.compiled += 1;
                background.left = background.left.map(|left| left.saturating_sub(1));
            }
            Err(error) => {
                log::debug!("latten: a CUDA kernel isn't compiled ahead: {error}");
                stop_at(&mut BACKGROUND.lock());
            }
        }
    }
    // `next` has said it.
    std::mem::forget(running);
}

/// The next kernel, when no call compiles its own. That there is none and that the thread ends is one moment for others.
fn next() -> Option<(Key, (u32, u32))> {
    loop {
        let mut background = BACKGROUND.lock();
        if background.left == Some(0) {
            background.work.clear();
        }
        if background.work.is_empty() {
            background.running = false;
            IDLE.notify_all();
            return None;
        }
        if FIRST.load(Ordering::Relaxed) == 0 {
            return background.work.pop_front();
        }
        drop(background);
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn stop_at(background: &mut Background) {
    background.left = Some(0);
    background.work.clear();
}

/// Waits until nothing is compiled in the background, and says how many kernels were.
pub(super) fn settled() -> usize {
    let mut background = BACKGROUND.lock();
    while background.running {
        IDLE.wait(&mut background);
    }
    background.compiled
}

/// Begins no more, and waits for the kernel that is being compiled: NVRTC must not be at work when its library is shut down.
extern "C" fn stop() {
    stop_at(&mut BACKGROUND.lock());
    settled();
}

/// Has a function called when the process ends, before the libraries that are loaded by now are shut down.
fn at_exit(function: extern "C" fn()) -> bool {
    unsafe extern "C" {
        safe fn atexit(function: extern "C" fn()) -> c_int;
    }
    atexit(function) == 0
}
