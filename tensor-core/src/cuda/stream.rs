//! Streams and events, as a program holds them: no order of calls reads what isn't there yet (`queue.rs`).

use std::sync::Arc;

use super::context::Context;
use super::queue::{Queue, StreamMark};
use crate::device::{DeviceType, IntoDevice};
use crate::error::{Error, Result};

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
        self.0.scope(work)
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
        StreamMark::record(&self.0).map(|mark| Event(Arc::new(mark)))
    }

    /// Lets what comes next on the stream wait for an event.
    ///
    /// # Errors
    /// Where the driver refuses.
    pub fn wait(&self, event: &Event) -> Result<()> {
        self.0.wait_for_mark(&event.0)
    }
}

/// A place in the order of a stream, to wait for and to measure from.
#[derive(Clone, Debug)]
pub struct Event(Arc<StreamMark>);

impl Event {
    /// An event after all that this thread has put on its stream of a device.
    ///
    /// # Errors
    /// Where the device can't be used.
    pub fn record(device: impl IntoDevice) -> Result<Self> {
        let context = Context::of(device.into_device()?.resolved())?;
        StreamMark::record(&context.queue()).map(|mark| Self(Arc::new(mark)))
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
        self.0.milliseconds_to(&later.0)
    }
}
