//! The driver: whether it is there, its devices, and one context for each. cudarc panics where the library is missing, so nothing calls it
//! before [`count`] has found it. What the driver refuses is an `Error` with the driver's words.
#![expect(unsafe_code, reason = "calls the driver")]

use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::{Arc, OnceLock};

use cudarc::driver::sys::{self, CUdevice_attribute, CUmemPool_attribute, CUresult};
use parking_lot::Mutex;

use super::DeviceProperties;
use super::library::Library;
use super::stream::Queue;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::process::First;

/// The oldest driver with stream-ordered memory: CUDA 11.2.
const OLDEST: i32 = 11_020;

/// A pointer that the driver gave, which any thread may give back to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handle(pub(super) *mut c_void);

// SAFETY: the driver's functions may be called from any thread with any of its objects.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

/// An error of the driver, in its words.
pub(super) fn failure(code: CUresult, call: &str) -> Error {
    let mut text = ptr::null();
    // SAFETY: the driver is there: it gave the code. It writes a pointer to a string that lives as long as the library, or null.
    let known = unsafe { sys::cuGetErrorString(code, &raw mut text) };
    let text = if known == CUresult::CUDA_SUCCESS && !text.is_null() {
        // SAFETY: a string of the driver's, as just said.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    } else {
        format!("{code:?}")
    };
    Error::runtime(format!("CUDA error: {text} ({call})"))
}

pub(super) fn check(code: CUresult, call: &str) -> Result<()> {
    if code == CUresult::CUDA_SUCCESS { Ok(()) } else { Err(failure(code, call)) }
}

/// The process that uses the driver.
static USER: First = First::new();

/// That this process may use the driver.
///
/// # Errors
/// In a child that was forked from a process that has used it, in PyTorch's words.
pub(super) fn check_process() -> Result<()> {
    if USER.is_this() {
        return Ok(());
    }
    Err(Error::runtime(
        "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start method",
    ))
}

/// Calls a function of the driver. Whoever writes a call makes sure that the driver was found, by holding a [`Context`] or in `start`,
/// and that pointers among the arguments are valid for what the function does with them.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        $crate::cuda::driver::check_process().and_then(|()| {
            // SAFETY: the driver is there, and so is what the arguments point to; each call says which that is.
            let code = unsafe { cudarc::driver::sys::$function($($argument),*) };
            $crate::cuda::driver::check(code, stringify!($function))
        })
    }};
}
pub(super) use call;

/// How many devices there are.
///
/// # Errors
/// Where there is no driver, where it is too old, and where it can't start.
pub(super) fn count() -> Result<usize> {
    static DRIVER: OnceLock<Result<usize>> = OnceLock::new();
    // A child would wait for the thread that starts the driver in its parent.
    check_process()?;
    DRIVER.get_or_init(start).clone()
}

fn start() -> Result<usize> {
    // SAFETY: looks whether a library can be loaded; loading the driver runs nothing but its own start.
    if !unsafe { sys::is_culib_present() } {
        return Err(Error::runtime(
            "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver from \
             http://www.nvidia.com/Download/index.aspx",
        ));
    }
    // SAFETY: the library is there.
    match unsafe { sys::cuInit(0) } {
        CUresult::CUDA_SUCCESS => {}
        CUresult::CUDA_ERROR_NO_DEVICE => return Err(Error::runtime("No CUDA GPUs are available")),
        code => return Err(failure(code, "cuInit")),
    }
    let mut count = 0;
    let version = version()?;
    if version < OLDEST {
        let (major, minor) = (version / 1000, version % 1000 / 10);
        return Err(Error::runtime(format!(
            "The NVIDIA driver on your system is too old (found version {major}.{minor}): latten needs one for CUDA 11.2 or later"
        )));
    }
    call!(cuDeviceGetCount(&raw mut count))?;
    match usize::try_from(count) {
        Ok(count) if count > 0 => Ok(count),
        _ => Err(Error::runtime("No CUDA GPUs are available")),
    }
}

/// The version of CUDA that the driver was made for: 13000 is 13.0.
pub(super) fn version() -> Result<i32> {
    let mut version = 0;
    call!(cuDriverGetVersion(&raw mut version))?;
    Ok(version)
}

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
