//! Memory of devices, and page-locked memory of the host. Blocks are allocated and freed in the order of a stream, and know which
//! streams have used them: work on another one waits for those.
#![expect(unsafe_code, reason = "calls the driver, and hands out pinned memory")]

use std::ptr;
use std::sync::Arc;

use parking_lot::Mutex;

use super::context::Context;
use super::driver::{call, check_process};
use super::queue::{Queue, StreamMark};
use crate::device::{Device, DeviceType};
use crate::error::Result;

/// Portable: page-locked for all devices.
const PORTABLE: u32 = 1;

/// A block of a device's memory. Its address is given only to what runs on the device.
///
/// Invariant: from `address` on, `capacity` bytes are allocated until the block is dropped.
#[derive(Debug)]
pub(crate) struct DeviceBlock {
    context: &'static Context,
    address: u64,
    capacity: usize,
    uses: Mutex<Uses>,
}

/// Which streams have used a block.
#[derive(Debug)]
struct Uses {
    /// The one that wrote to it last.
    writer: Arc<Queue>,
    /// Others that have read it since; they have waited for the writer.
    readers: Vec<Arc<Queue>>,
}

impl Uses {
    /// Lets a stream wait for all others.
    fn take(&mut self, queue: &Arc<Queue>) -> Result<()> {
        for other in self.readers.iter().chain([&self.writer]).filter(|other| !Arc::ptr_eq(other, queue)) {
            queue.wait_for(other)?;
        }
        self.readers.clear();
        self.writer = queue.clone();
        Ok(())
    }
}

impl DeviceBlock {
    /// That many bytes of a device, with whatever was there before.
    pub(crate) fn new(nbytes: usize, device: Device) -> Result<Self> {
        let context = Context::of(device.resolved())?;
        let queue = context.queue();
        let address = if nbytes == 0 { 0 } else { context.allocate(nbytes, &queue)? };
        Ok(Self { context, address, capacity: nbytes, uses: Mutex::new(Uses { writer: queue, readers: Vec::new() }) })
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// The address as a number, to be shown.
    pub(crate) fn address(&self) -> usize {
        usize::try_from(self.address).unwrap_or(usize::MAX)
    }

    /// The address, for work on a stream that reads the block. It waits for the one that wrote it. Whoever calls this keeps others from writing
    /// until the work is on the stream, and so does the caller of the next with all others: the lock of the storage does.
    pub(crate) fn read_on(&self, queue: &Arc<Queue>) -> Result<u64> {
        self.context.enter()?;
        let mut uses = self.uses.lock();
        if !uses.readers.iter().chain([&uses.writer]).any(|known| Arc::ptr_eq(known, queue)) {
            queue.wait_for(&uses.writer)?;
            uses.readers.push(queue.clone());
        }
        Ok(self.address)
    }

    /// The address, for work on a stream that writes to the block. It waits for all that others did with it.
    pub(crate) fn write_on(&self, queue: &Arc<Queue>) -> Result<u64> {
        self.context.enter()?;
        self.uses.lock().take(queue)?;
        Ok(self.address)
    }

    fn check(&self, at: usize, count: usize) {
        assert!(at <= self.capacity && count <= self.capacity - at, "{at} + {count} of {}", self.capacity);
    }

    /// Copies bytes to the host, and waits for them.
    pub(crate) fn read(&self, at: usize, to: &mut [u8]) -> Result<()> {
        self.check(at, to.len());
        if to.is_empty() {
            return Ok(());
        }
        let queue = self.context.queue();
        let from = self.read_on(&queue)? + at as u64;
        self.context.enter()?;
        call!(cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), from, to.len(), queue.raw()))?;
        queue.synchronize()
    }

    /// Copies bytes of the host. They may change as soon as this returns.
    pub(crate) fn write(&self, at: usize, from: &[u8]) -> Result<()> {
        self.check(at, from.len());
        if from.is_empty() {
            return Ok(());
        }
        let queue = self.context.queue();
        let to = self.write_on(&queue)? + at as u64;
        self.context.enter()?;
        call!(cuMemcpyHtoDAsync_v2(to, from.as_ptr().cast(), from.len(), queue.raw()))?;
        // The driver has read pageable memory when it returns, but not page-locked memory, and which this is isn't known here.
        queue.synchronize()
    }

    /// Copies page-locked bytes of the host, without waiting; whoever uses those does.
    pub(crate) fn write_pinned(&self, at: usize, from: &PinnedMemory, start: usize, count: usize) -> Result<()> {
        self.check(at, count);
        let queue = self.context.queue();
        let to = self.write_on(&queue)? + at as u64;
        self.context.enter()?;
        call!(cuMemcpyHtoDAsync_v2(to, from.place(start, count).cast(), count, queue.raw()))?;
        from.busy(&queue)
    }

    /// Copies bytes into page-locked memory, without waiting; whoever uses that does.
    pub(crate) fn read_pinned(&self, at: usize, to: &PinnedMemory, start: usize, count: usize) -> Result<()> {
        self.check(at, count);
        let queue = self.context.queue();
        let from = self.read_on(&queue)? + at as u64;
        self.context.enter()?;
        call!(cuMemcpyDtoHAsync_v2(to.place(start, count).cast(), from, count, queue.raw()))?;
        to.busy(&queue)
    }

    /// Sets bytes.
    pub(crate) fn fill(&self, at: usize, count: usize, value: u8) -> Result<()> {
        self.check(at, count);
        if count == 0 {
            return Ok(());
        }
        let queue = self.context.queue();
        let to = self.write_on(&queue)? + at as u64;
        self.context.enter()?;
        call!(cuMemsetD8Async(to, value, count, queue.raw()))
    }

    /// Copies bytes of another block, on the same device or another one. Within one block they must not overlap.
    pub(crate) fn copy_from(&self, at: usize, source: &Self, from: usize, count: usize) -> Result<()> {
        self.check(at, count);
        source.check(from, count);
        if count == 0 {
            return Ok(());
        }
        let queue = self.context.queue();
        let to = self.write_on(&queue)? + at as u64;
        let from = source.read_on(&queue)? + from as u64;
        self.context.enter()?;
        if ptr::eq(self.context, source.context) {
            return call!(cuMemcpyDtoDAsync_v2(to, from, count, queue.raw()));
        }
        let (ours, theirs) = (self.context.raw().0.cast(), source.context.raw().0.cast());
        call!(cuMemcpyPeerAsync(to, ours, from, theirs, count, queue.raw()))
    }
}

impl Drop for DeviceBlock {
    fn drop(&mut self) {
        if self.address != 0 && self.context.enter().is_ok() {
            let mut uses = self.uses.lock();
            let writer = uses.writer.clone();
            // A failure of work before shows where that is waited for.
            let _ = uses.take(&writer);
            let _ = call!(cuMemFreeAsync(self.address, writer.raw()));
        }
    }
}

/// Page-locked memory of the host, which a device reads and writes by itself.
///
/// Invariant: from `start` on, `capacity` initialised bytes stay in place until it is dropped. A device uses them only until `busy` is
/// reached, and whoever on the host uses them waits for that first.
#[derive(Debug)]
pub(crate) struct PinnedMemory {
    start: *mut u8,
    capacity: usize,
    busy: Mutex<Option<StreamMark>>,
}

// SAFETY: plain memory, which belongs to the value.
unsafe impl Send for PinnedMemory {}

impl PinnedMemory {
    /// That many zero bytes.
    pub(crate) fn new(nbytes: usize) -> Result<Self> {
        Context::of(Device::from(DeviceType::Cuda).resolved())?.enter()?;
        let mut start = ptr::null_mut();
        call!(cuMemHostAlloc(&raw mut start, nbytes.max(1), PORTABLE))?;
        let start = start.cast::<u8>();
        // SAFETY: the driver gave that many bytes.
        unsafe { start.write_bytes(0, nbytes.max(1)) };
        Ok(Self { start, capacity: nbytes, busy: Mutex::new(None) })
    }

    pub(crate) fn start(&self) -> *mut u8 {
        self.start
    }

    fn place(&self, start: usize, count: usize) -> *mut u8 {
        assert!(start <= self.capacity && count <= self.capacity - start, "{start} + {count} of {}", self.capacity);
        self.start.wrapping_add(start)
    }

    fn busy(&self, queue: &Queue) -> Result<()> {
        check_process()?;
        let mut busy = self.busy.lock();
        let mark = StreamMark::record(queue);
        if mark.is_err() {
            // Without a mark nobody could wait later.
            queue.synchronize()?;
        }
        // An earlier mark may be of another stream.
        if let Some(earlier) = busy.replace(mark?) {
            earlier.wait()?;
        }
        Ok(())
    }

    /// Waits until no device uses the bytes. A forked child hasn't got them.
    pub(crate) fn wait(&self) -> Result<()> {
        check_process()?;
        match self.busy.lock().take() {
            Some(mark) => mark.wait(),
            None => Ok(()),
        }
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        let _ = self.wait();
        let _ = call!(cuMemFreeHost(self.start.cast()));
    }
}
