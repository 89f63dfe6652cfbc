//! CUDA devices: whether there are any, what they are, their streams and events. Without the feature `cuda` there are none, and nothing of
//! this costs anything. Memory is in `memory`, who compiles and keeps kernels in `library`; their text is tensor-kernel's, and what launches
//! them over tensors is the module `launch`.

use crate::device::{Device, DeviceType};
use crate::error::{Error, Result};

#[cfg(not(feature = "cuda"))]
mod absent;
#[cfg(feature = "cuda")]
mod background;
#[cfg(feature = "cuda")]
mod cache;
#[cfg(feature = "cuda")]
mod compiling;
#[cfg(feature = "cuda")]
mod context;
#[cfg(feature = "cuda")]
mod driver;
#[cfg(feature = "cuda")]
pub(crate) mod blas;
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub mod inspect;
#[cfg(feature = "cuda")]
pub(crate) mod library;
#[cfg(feature = "cuda")]
mod line;
#[cfg(feature = "cuda")]
mod loaded;
#[cfg(feature = "cuda")]
mod memory;
#[cfg(feature = "cuda")]
mod queue;
#[cfg(feature = "cuda")]
mod stream;
#[cfg(feature = "cuda")]
mod warm;

/// The device functions that build.rs wrote.
#[cfg(feature = "cuda")]
pub(crate) static FUNCTIONS: latten_kernel::kernels::Functions = include!(concat!(env!("OUT_DIR"), "/cuda/functions.rs"));

#[cfg(not(feature = "cuda"))]
pub(crate) use absent::{DeviceBlock, PinnedMemory};
#[cfg(feature = "cuda")]
pub(crate) use context::Context;
#[cfg(feature = "cuda")]
pub(crate) use memory::{DeviceBlock, PinnedMemory};
#[cfg(feature = "cuda")]
pub(crate) use queue::Queue;
#[cfg(feature = "cuda")]
pub use stream::{Event, Stream};
#[cfg(feature = "cuda")]
pub use warm::{WarmUp, warm_up};

/// What a device is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceProperties {
    /// Its name.
    pub name: String,
    /// Its compute capability.
    pub capability: (u32, u32),
    /// Its multiprocessors.
    pub multiprocessors: u32,
    /// Its memory in bytes.
    pub total_memory: usize,
}

/// How many CUDA devices this process can use: 0 without the feature `cuda`, without a driver, and without a device.
#[must_use]
pub fn device_count() -> usize {
    #[cfg(feature = "cuda")]
    return driver::count().unwrap_or(0);
    #[cfg(not(feature = "cuda"))]
    0
}

/// Whether there is a CUDA device.
#[must_use]
pub fn is_available() -> bool {
    device_count() > 0
}

/// What a device is.
///
/// # Errors
/// Where there is no such device, naming what is missing: the feature, the driver or the device.
pub fn device_properties(device: impl crate::device::IntoDevice) -> Result<DeviceProperties> {
    let device = device.into_device()?;
    device.require_built()?;
    #[cfg(feature = "cuda")]
    return Context::of(device.resolved()).map(|context| context.properties().public());
    #[cfg(not(feature = "cuda"))]
    Err(not_built(device))
}

/// Waits until a device has done all that it was given.
///
/// # Errors
/// As [`device_properties`], and where something that it did failed.
pub fn synchronize(device: impl crate::device::IntoDevice) -> Result<()> {
    let device = device.into_device()?;
    device.require_built()?;
    #[cfg(feature = "cuda")]
    return Context::of(device.resolved())?.synchronize();
    #[cfg(not(feature = "cuda"))]
    Err(not_built(device))
}

/// Gives memory that is kept for the next tensors back to the driver.
///
/// # Errors
/// As [`device_properties`].
pub fn empty_cache(device: impl crate::device::IntoDevice) -> Result<()> {
    let device = device.into_device()?;
    device.require_built()?;
    #[cfg(feature = "cuda")]
    return Context::of(device.resolved())?.trim();
    #[cfg(not(feature = "cuda"))]
    Err(not_built(device))
}

impl Device {
    /// Whether tensors can be on it in this build and on this machine; nothing where they can.
    ///
    /// # Errors
    /// Where they can't, naming what is missing.
    pub fn require_built(self) -> Result<()> {
        match self.kind() {
            DeviceType::Cpu | DeviceType::Meta => Ok(()),
            #[cfg(feature = "cuda")]
            DeviceType::Cuda => Context::of(self.resolved()).map(|_| ()),
            #[cfg(not(feature = "cuda"))]
            DeviceType::Cuda => Err(not_built(self)),
            kind => Err(Error::not_implemented(format!("{self} can't be used: latten has the devices cpu, cuda and meta, and no {kind}"))),
        }
    }
}

#[cfg(not(feature = "cuda"))]
pub(crate) fn not_built(device: Device) -> Error {
    Error::not_implemented(format!("{device} can't be used: this build of latten has no CUDA"))
}
