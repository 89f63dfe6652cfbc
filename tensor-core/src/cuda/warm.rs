//! Compiling and loading kernels that a program names, before they are needed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use latten_kernel::kernels::keys::{self, Key};
use latten_spec::DType;
use latten_spec::operation::Op;

use super::context::Context;
use super::{FUNCTIONS, library};
use crate::device::IntoDevice;
use crate::error::{Error, Result};
use crate::process::forks;

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
        Key::Fold(_) | Key::Rows(_) | Key::Sort(_) | Key::Radix(_) | Key::Meet(_) | Key::Product(_) => false,
    };
    let operations = ops.iter().flat_map(|&op| keys::variants(&FUNCTIONS, op)).filter(of_dtypes);
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
