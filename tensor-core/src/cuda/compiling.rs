//! Who is at work with NVRTC. It compiles for the process that began with it, and must not be at work when the process ends and its library
//! is shut down: from then on nothing is begun, and what was begun is waited for.
#![expect(unsafe_code, reason = "has the C library call a function when the process ends")]

use std::ffi::c_int;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{ThreadId, current};

use latten_kernel::nvrtc::{self, Asked};

use super::line;
use crate::error::{Error, Result};
use crate::process::{FirstProcess, PerProcess, locked};

/// The process that uses NVRTC.
static USER: FirstProcess = FirstProcess::new();

/// The threads that compile.
#[derive(Default)]
struct AtWork {
    threads: Mutex<CompilingThreads>,
    /// Told when one is done.
    fewer: Condvar,
}

#[derive(Default)]
struct CompilingThreads {
    compiling: Vec<ThreadId>,
    /// Whether the process ends.
    ended: bool,
    /// Whether the end of the process is waited for, since before and since after NVRTC has compiled something.
    awaited: [bool; 2],
}

// A child has none of the threads.
static AT_WORK: PerProcess<AtWork> = PerProcess::new(AtWork::default, |_| AtWork::default());

/// A thread that compiles.
struct Compiling;

impl Compiling {
    fn begin() -> Result<Self> {
        let mut threads = locked(&AT_WORK.get().threads);
        if threads.ended {
            return Err(Error::runtime("CUDA kernels aren't compiled any more: the process ends"));
        }
        threads.compiling.push(current().id());
        Ok(Self)
    }
}

impl Drop for Compiling {
    fn drop(&mut self) {
        let at_work = AT_WORK.get();
        let mut threads = locked(&at_work.threads);
        if let Some(at) = threads.compiling.iter().position(|&thread| thread == current().id()) {
            threads.compiling.swap_remove(at);
        }
        at_work.fewer.notify_all();
    }
}

/// Sees to it that the end of the process waits, before the libraries that are loaded by now are shut down.
fn await_end(time: usize) -> Result<()> {
    unsafe extern "C" {
        safe fn atexit(function: extern "C" fn()) -> c_int;
    }
    let awaited = std::mem::replace(&mut locked(&AT_WORK.get().threads).awaited[time], true);
    if awaited || atexit(end) == 0 {
        Ok(())
    } else {
        Err(Error::runtime("CUDA kernels can't be compiled: the end of the process can't be seen"))
    }
}

/// Begins no more, and waits for the other threads that compile.
extern "C" fn end() {
    line::give_up();
    let at_work = AT_WORK.get();
    let mut threads = locked(&at_work.threads);
    threads.ended = true;
    while threads.compiling.iter().any(|&thread| thread != current().id()) {
        threads = at_work.fewer.wait(threads).unwrap_or_else(PoisonError::into_inner);
    }
    drop(threads);
    line::end();
}

/// Compiles the text of kernels for devices of a compute capability, as far as is asked.
///
/// # Errors
/// Where there is no NVRTC, where it refuses the text, in a child that was forked from a process that has compiled, and when the process ends.
pub(super) fn compile(source: &str, capability: (u32, u32), asked: Asked) -> Result<Vec<u8>> {
    version()?;
    await_end(0)?;
    let compiling = Compiling::begin()?;
    let module = nvrtc::compile(source, capability, asked).map_err(Error::runtime);
    drop(compiling);
    // By now it has loaded what it needs for that.
    await_end(1)?;
    module
}

/// The version of NVRTC.
///
/// # Errors
/// Where there is none, and in a child that was forked from a process that has used it.
pub(super) fn version() -> Result<(i32, i32)> {
    if !USER.is_this() {
        return Err(Error::runtime("NVRTC can't be used in a forked process when the process that it was forked from has used it"));
    }
    nvrtc::version().map_err(Error::runtime)
}
