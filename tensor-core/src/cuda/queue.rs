//! Queues of work on a device, and marks in them: streams and events as the driver has them. Work in one queue is done in order; memory knows
//! the queues that used it, so that work in another one waits for them (`memory.rs`).
#![expect(unsafe_code, reason = "calls the driver")]

use std::cell::RefCell;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUresult};

use super::driver::{Handle, call, check_process, failure, version};
use crate::error::{Error, Result};

/// A stream of the driver.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) ordinal: u8,
    raw: Handle,
    context: Handle,
}

thread_local! {
    /// The streams that this thread has chosen, the last first.
    static CHOSEN: RefCell<Vec<Arc<Queue>>> = const { RefCell::new(Vec::new()) };
}

impl Queue {
    /// A stream of a context, which is current.
    pub(super) fn new(ordinal: u8, context: Handle) -> Result<Self> {
        let mut raw = ptr::null_mut();
        call!(cuStreamCreate(&raw mut raw, sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32))?;
        Ok(Self { ordinal, raw: Handle(raw.cast()), context })
    }

    pub(super) fn raw(&self) -> sys::CUstream {
        self.raw.0.cast()
    }

    /// The stream that this thread has chosen for a device.
    pub(super) fn current(ordinal: u8) -> Option<Arc<Self>> {
        CHOSEN.try_with(|chosen| chosen.borrow().iter().rev().find(|queue| queue.ordinal == ordinal).cloned()).ok().flatten()
    }

    pub(crate) fn synchronize(&self) -> Result<()> {
        self.enter()?;
        call!(cuStreamSynchronize(self.raw()))
    }

    /// Makes its context that of the thread.
    pub(super) fn enter(&self) -> Result<()> {
        call!(cuCtxSetCurrent(self.context.0.cast()))
    }

    /// Does something with this as the stream of the thread.
    pub(super) fn scope<R>(self: &Arc<Self>, work: impl FnOnce() -> R) -> R {
        struct Chosen;
        impl Drop for Chosen {
            fn drop(&mut self) {
                let _ = CHOSEN.try_with(|chosen| chosen.borrow_mut().pop());
            }
        }
        CHOSEN.with(|chosen| chosen.borrow_mut().push(self.clone()));
        let _chosen = Chosen;
        work()
    }

    /// Lets what comes next on this stream wait for what is on another one by now.
    pub(super) fn wait_for(&self, other: &Self) -> Result<()> {
        self.wait_for_mark(&StreamMark::record(other)?)
    }

    pub(super) fn wait_for_mark(&self, mark: &StreamMark) -> Result<()> {
        self.enter()?;
        call!(cuStreamWaitEvent(self.raw(), mark.raw.0.cast(), 0))
    }

    /// Runs a kernel that takes one argument, of these bytes.
    pub(crate) fn launch(&self, function: Handle, blocks: u32, threads: u32, argument: &mut [u8]) -> Result<()> {
        self.enter()?;
        let mut arguments = [argument.as_mut_ptr().cast()];
        call!(cuLaunchKernel(function.0.cast(), blocks, 1, 1, threads, 1, 1, 0, self.raw(), arguments.as_mut_ptr(), ptr::null_mut()))
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if self.enter().is_ok() {
            // What is on the stream is done first; a failure shows where it is waited for.
            let _ = call!(cuStreamDestroy_v2(self.raw()));
        }
    }
}

/// A place in the order of a stream.
#[derive(Debug)]
pub(super) struct StreamMark {
    ordinal: u8,
    raw: Handle,
}

impl StreamMark {
    pub(super) fn record(queue: &Queue) -> Result<Self> {
        queue.enter()?;
        let mut raw = ptr::null_mut();
        call!(cuEventCreate(&raw mut raw, 0))?;
        let mark = Self { ordinal: queue.ordinal, raw: Handle(raw.cast()) };
        call!(cuEventRecord(raw, queue.raw()))?;
        Ok(mark)
    }

    pub(super) fn wait(&self) -> Result<()> {
        call!(cuEventSynchronize(self.raw.0.cast()))
    }

    pub(super) fn is_done(&self) -> Result<bool> {
        check_process()?;
        // SAFETY: the event lives as long as `self`.
        match unsafe { sys::cuEventQuery(self.raw.0.cast()) } {
            CUresult::CUDA_SUCCESS => Ok(true),
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            code => Err(failure(code, "cuEventQuery")),
        }
    }

    /// The milliseconds from this one to a later one.
    pub(super) fn milliseconds_to(&self, later: &Self) -> Result<f32> {
        if self.ordinal != later.ordinal {
            return Err(Error::value("the two events are of different devices"));
        }
        let mut milliseconds = 0.0;
        // The function has another name before that.
        if version()? < 12_080 {
            return Err(Error::not_implemented("the time between events needs a driver for CUDA 12.8 or later"));
        }
        call!(cuEventElapsedTime_v2(&raw mut milliseconds, self.raw.0.cast(), later.raw.0.cast()))?;
        Ok(milliseconds)
    }
}

impl Drop for StreamMark {
    fn drop(&mut self) {
        // The driver keeps an event until nobody waits for it.
        let _ = call!(cuEventDestroy_v2(self.raw.0.cast()));
    }
}
