//! The devices of the driver, and one context for each that is in use.
#![expect(unsafe_code, reason = "calls the driver")]

use std::ptr;
use std::sync::{Arc, OnceLock};

use cudarc::driver::sys::{self, CUdevice_attribute, CUmemPool_attribute, CUresult};
use parking_lot::Mutex;

use super::DeviceProperties;
use super::driver::{Handle, call, check, count};
use super::loaded::Library;
use super::queue::Queue;
use crate::device::Device;
use crate::error::{Error, Result};

/// What launches have to know of a device.
#[derive(Clone, Debug)]
pub(crate) struct Properties {
    name: String,
    pub(crate) capability: (u32, u32),
    pub(crate) multiprocessors: u32,
    total_memory: usize,
}

impl Properties {
    pub(super) fn public(&self) -> DeviceProperties {
        let Self { name, capability, multiprocessors, total_memory } = self.clone();
        DeviceProperties { name, capability, multiprocessors, total_memory }
    }

    fn read(device: sys::CUdevice) -> Result<Self> {
        let attribute = |attribute| {
            let mut value = 0;
            call!(cuDeviceGetAttribute(&raw mut value, attribute, device))?;
            Ok::<u32, Error>(u32::try_from(value).unwrap_or(0))
        };
        let mut name = [0; 256];
        call!(cuDeviceGetName(name.as_mut_ptr().cast(), 255, device))?;
        let end = name.iter().position(|&byte: &u8| byte == 0).unwrap_or(0);
        let mut total_memory = 0;
        call!(cuDeviceTotalMem_v2(&raw mut total_memory, device))?;
        Ok(Self {
            name: String::from_utf8_lossy(&name[..end]).into_owned(),
            capability: (
                attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
            ),
            multiprocessors: attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            total_memory,
        })
    }
}

/// A device that is in use, for the rest of the process.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) ordinal: u8,
    raw: Handle,
    pool: Handle,
    queue: Arc<Queue>,
    properties: Properties,
    pub(super) library: Mutex<Library>,
}

impl Context {
    /// The context of a device, made when it is first asked for.
    ///
    /// # Errors
    /// Where there is no driver or no such device, and where the device can't be used.
    pub(crate) fn of(device: Device) -> Result<&'static Self> {
        static CONTEXTS: OnceLock<Vec<OnceLock<Result<&'static Context>>>> = OnceLock::new();
        let count = count()?;
        let ordinal = device.index().unwrap_or(0);
        let contexts = CONTEXTS.get_or_init(|| (0..count).map(|_| OnceLock::new()).collect());
        let Some(context) = contexts.get(usize::from(ordinal)) else {
            return Err(Error::runtime(format!("CUDA error: invalid device ordinal: {device} of {count}")));
        };
        context.get_or_init(|| Self::new(ordinal).map(|context| &*Box::leak(Box::new(context)))).clone()
    }

    fn new(ordinal: u8) -> Result<Self> {
        let (mut device, mut raw, mut pool) = (0, ptr::null_mut(), ptr::null_mut());
        call!(cuDeviceGet(&raw mut device, ordinal.into()))?;
        call!(cuDevicePrimaryCtxRetain(&raw mut raw, device))?;
        call!(cuCtxSetCurrent(raw))?;
        call!(cuDeviceGetDefaultMemPool(&raw mut pool, device))?;
        // By itself the pool gives all memory back whenever somebody synchronises.
        let mut threshold = u64::MAX;
        let attribute = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        call!(cuMemPoolSetAttribute(pool, attribute, (&raw mut threshold).cast()))?;
        let (raw, pool) = (Handle(raw.cast()), Handle(pool.cast()));
        let queue = Arc::new(Queue::new(ordinal, raw)?);
        Ok(Self { ordinal, raw, pool, queue, properties: Properties::read(device)?, library: Mutex::default() })
    }

    /// Makes this the context of the thread. What asks for a lock beside storages does this before, so that a child gets an error and doesn't wait.
    pub(crate) fn enter(&self) -> Result<()> {
        call!(cuCtxSetCurrent(self.raw.0.cast()))
    }

    pub(crate) fn raw(&self) -> Handle {
        self.raw
    }

    pub(crate) fn properties(&self) -> &Properties {
        &self.properties
    }

    /// The stream that this thread uses.
    pub(crate) fn queue(&self) -> Arc<Queue> {
        Queue::current(self.ordinal).unwrap_or_else(|| self.queue.clone())
    }

    pub(super) fn synchronize(&self) -> Result<()> {
        self.enter()?;
        call!(cuCtxSynchronize())
    }

    pub(super) fn trim(&self) -> Result<()> {
        self.synchronize()?;
        call!(cuMemPoolTrimTo(self.pool.0.cast(), 0))
    }

    /// Memory of the device, in the order of a stream.
    pub(super) fn allocate(&self, nbytes: usize, queue: &Queue) -> Result<u64> {
        self.enter()?;
        let mut address = 0;
        // SAFETY: the context is current, and the stream is one of its own.
        let mut allocate = || unsafe { sys::cuMemAllocAsync(&raw mut address, nbytes, queue.raw()) };
        let mut code = allocate();
        if code == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            // What was freed on other streams may only now be free.
            self.trim()?;
            code = allocate();
        }
        if code == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            let (mut free, mut total) = (0, 0);
            call!(cuMemGetInfo_v2(&raw mut free, &raw mut total))?;
            return Err(Error::runtime(format!(
                "CUDA out of memory. Tried to allocate {}. GPU {} has a total capacity of {} of which {} is free.",
                amount(nbytes),
                self.ordinal,
                amount(total),
                amount(free)
            )));
        }
        check(code, "cuMemAllocAsync")?;
        Ok(address)
    }
}

/// Bytes in PyTorch's words.
#[expect(clippy::cast_precision_loss, reason = "a few digits are shown")]
fn amount(nbytes: usize) -> String {
    let amount = nbytes as f64;
    match nbytes {
        0..=1023 => format!("{nbytes} bytes"),
        1024..=1_048_575 => format!("{:.2} KiB", amount / 1024.0),
        1_048_576..=1_073_741_823 => format!("{:.2} MiB", amount / 1_048_576.0),
        _ => format!("{:.2} GiB", amount / 1_073_741_824.0),
    }
}
