//! The driver: whether it is there, and its functions. cudarc panics where the library is missing, so nothing calls it before [`count`] has
//! found it. What the driver refuses is an `Error` with the driver's words.
#![expect(unsafe_code, reason = "calls the driver")]

use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::OnceLock;

use cudarc::driver::sys::{self, CUresult};

use crate::error::{Error, Result};
use crate::process::FirstProcess;

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
static USER: FirstProcess = FirstProcess::new();

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

/// Calls a function of the driver. Whoever writes a call makes sure that the driver was found, by holding a `Context` or in `start`,
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
