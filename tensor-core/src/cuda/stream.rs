//! Streams and events. Work on one stream is done in order; memory knows the streams that used it, so that work on another one waits
//! for them (`memory.rs`): no order of calls reads what isn't there yet.
#![expect(unsafe_code, reason = "calls the driver")]

use std::cell::RefCell;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUresult};

use super::driver::{Context, Handle, call, check_process, failure, version};
use crate::device::{Device, DeviceType, IntoDevice};
use crate::error::{Error, Result};

/// A stream of the driver.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) ordinal: u8,
    raw: Handle,
}

thread_local! {
    /// The streams that this thread has chosen, the last first.
    static CHOSEN: RefCell<Vec<Arc<Queue>>> = const { RefCell::new(Vec::new()) };
}

impl Queue {
    /// A stream of the context that is current.
    pub(super) fn new(ordinal: u8, _context: Handle) -> Result<Self> {
        let mut raw = ptr::null_mut();
        call!(cuStreamCreate(&raw mut raw, sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32))?;
        Ok(Self { ordinal, raw: Handle(raw.cast()) })
    }

    pub(super) fn raw(&self) -> sys::CUstream {
        self.raw.0.cast()
    }

    /// The stream that this thread has chosen for a device.
    pub(super) fn current(ordinal: u8) -> Option<Arc<Self>> {
        CHOSEN.try_with(|chosen| chosen.borrow().iter().rev().find(|queue| queue.ordinal == ordinal).cloned()).ok().flatten()
    }

    pub(crate) fn synchronize(&self) -> Result<()> {
        self.context()?.enter()?;
        call!(cuStreamSynchronize(self.raw()))
    }

    fn context(&self) -> Result<&'static Context> {
        Context::of(Device::new(DeviceType::Cuda, self.ordinal.into())?)
    }

    /// Lets what comes next on this stream wait for what is on another one by now.
    pub(super) fn wait_for(&self, other: &Self) -> Result<()> {
        let event = Mark::record(other)?;
        self.context()?.enter()?;
        call!(cuStreamWaitEvent(self.raw(), event.raw.0.cast(), 0))
    }

    /// Runs a kernel that takes one argument, of these bytes.
    pub(crate) fn launch(&self, function: Handle, blocks: u32, threads: u32, argument: &mut [u8]) -> Result<()> {
        self.context()?.enter()?;
        let mut arguments = [argument.as_mut_ptr().cast()];
        call!(cuLaunchKernel(function.0.cast(), blocks, 1, 1, threads, 1, 1, 0, self.raw(), arguments.as_mut_ptr(), ptr::null_mut()))
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if let Ok(context) = self.context()
            && context.enter().is_ok()
        {
            // What is on the stream is done first; a failure shows where it is waited for.
            let _ = call!(cuStreamDestroy_v2(self.raw()));
        }
    }
}

/// A place in the order of a stream.
#[derive(Debug)]
pub(super) struct Mark {
    ordinal: u8,
    raw: Handle,
}

impl Mark {
    pub(super) fn record(queue: &Queue) -> Result<Self> {
        queue.context()?.enter()?;
        let mut raw = ptr::null_mut();
        call!(cuEventCreate(&raw mut raw, 0))?;
        let mark = Self { ordinal: queue.ordinal, raw: Handle(raw.cast()) };
        call!(cuEventRecord(raw, queue.raw()))?;
        Ok(mark)
    }

    pub(super) fn wait(&self) -> Result<()> {
        call!(cuEventSynchronize(self.raw.0.cast()))
    }

    fn is_done(&self) -> Result<bool> {
        check_process()?;
        // SAFETY: the event lives as long as `self`.
        match unsafe { sys::cuEventQuery(self.raw.0.cast()) } {
            CUresult::CUDA_SUCCESS => Ok(true),
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            code => Err(failure(code, "cuEventQuery")),
        }
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        // The driver keeps an event until nobody waits for it.
        let _ = call!(cuEventDestroy_v2(self.raw.0.cast()));
    }
}

/// A stream: work in order, beside that of other streams. Each device has one that is used where none is chosen.
///
/// Tensors that are used on several streams need no care: work on a stream waits for what another one did with the same memory.
#[derive(Clone, Debug)]
pub struct Stream(Arc<Queue>);

impl Stream {
    /// A new stream of a device.
    ///
    /// # Errors
    /// Where the device can't be used.
    pub fn new(device: impl IntoDevice) -> Result<Self> {
        let device = device.into_device()?;
        if device.kind() != DeviceType::Cuda {
            return Err(Error::value(format!("Expected a cuda device, but got: {device}")));
        }
        let context = Context::of(device.resolved())?;
        context.enter()?;
        Ok(Self(Arc::new(Queue::new(context.ordinal, context.raw())?)))
    }

    /// Does something with this as the stream of the thread.
    pub fn scope<R>(&self, work: impl FnOnce() -> R) -> R {
        struct Chosen;
        impl Drop for Chosen {
            fn drop(&mut self) {
                let _ = CHOSEN.try_with(|chosen| chosen.borrow_mut().pop());
            }
        }
        CHOSEN.with(|chosen| chosen.borrow_mut().push(self.0.clone()));
        let _chosen = Chosen;
        work()
    }

    /// Waits until all is done that was put on the stream so far.
    ///
    /// # Errors
    /// Where some of it failed.
    pub fn synchronize(&self) -> Result<()> {
        self.0.synchronize()
    }

    /// An event after all that was put on the stream so far.
    ///
    /// # Errors
    /// Where the driver refuses.
    pub fn record(&self) -> Result<Event> {
        Mark::record(&self.0).map(|mark| Event(Arc::new(mark)))
    }

    /// Lets what comes next on the stream wait for an event.
    ///
    /// # Errors
    /// Where the driver refuses.
    pub fn wait(&self, event: &Event) -> Result<()> {
        self.0.context()?.enter()?;
        call!(cuStreamWaitEvent(self.0.raw(), event.0.raw.0.cast(), 0))
    }
}

/// A place in the order of a stream, to wait for and to measure from.
#[derive(Clone, Debug)]
pub struct Event(Arc<Mark>);

impl Event {
    /// An event after all that this thread has put on its stream of a device.
    ///
    /// # Errors
    /// Where the device can't be used.
    pub fn record(device: impl IntoDevice) -> Result<Self> {
        let context = Context::of(device.into_device()?.resolved())?;
        Mark::record(&context.queue()).map(|mark| Self(Arc::new(mark)))
    }

    /// Waits until the stream has come so far.
    ///
    /// # Errors
    /// Where something before it failed.
    pub fn synchronize(&self) -> Result<()> {
        self.0.wait()
    }

    /// Whether the stream has come so far.
    ///
    /// # Errors
    /// Where something before it failed.
    pub fn is_done(&self) -> Result<bool> {
        self.0.is_done()
    }

    /// The milliseconds from this event to a later one.
    ///
    /// # Errors
    /// Where the stream hasn't come so far.
    pub fn milliseconds_to(&self, later: &Self) -> Result<f32> {
        if self.0.ordinal != later.0.ordinal {
            return Err(Error::value("the two events are of different devices"));
        }
        let mut milliseconds = 0.0;
        // The function has another name before that.
        if version()? < 12_080 {
            return Err(Error::not_implemented("the time between events needs a driver for CUDA 12.8 or later"));
        }
        call!(cuEventElapsedTime_v2(&raw mut milliseconds, self.0.raw.0.cast(), later.0.raw.0.cast()))?;
        Ok(milliseconds)
    }
}
