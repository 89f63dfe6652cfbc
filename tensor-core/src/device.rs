//! Devices: where a storage's bytes live. Names, ordinals, parsing and the current device; no memory.

use std::cell::Cell;
use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

macro_rules! device_types {
    ($($(#[$doc:meta])* $variant:ident $name:literal,)*) => {
        /// A kind of device. All of PyTorch's names parse; only [`Cpu`](Self::Cpu), [`Cuda`](Self::Cuda) and
        /// [`Meta`](Self::Meta) can hold tensors, the others are refused where one is used.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum DeviceType { $($(#[$doc])* $variant,)* }

        impl DeviceType {
            /// All of them, in the order in which PyTorch lists them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name in device strings.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

device_types! {
    /// The host.
    Cpu "cpu",
    /// An NVIDIA GPU.
    Cuda "cuda",
    /// A Graphcore IPU.
    Ipu "ipu",
    /// An Intel GPU.
    Xpu "xpu",
    /// The host by oneDNN; a name of the past.
    Mkldnn "mkldnn",
    /// OpenGL.
    Opengl "opengl",
    /// OpenCL.
    Opencl "opencl",
    /// The host by IDEEP; a name of the past.
    Ideep "ideep",
    /// An AMD GPU.
    Hip "hip",
    /// An NEC vector engine.
    Ve "ve",
    /// A field-programmable gate array.
    Fpga "fpga",
    /// A Microsoft Maia.
    Maia "maia",
    /// A device by the XLA compiler.
    Xla "xla",
    /// Lazy tensors.
    Lazy "lazy",
    /// Vulkan.
    Vulkan "vulkan",
    /// An Apple GPU.
    Mps "mps",
    /// No data: shapes, strides and dtypes only.
    Meta "meta",
    /// An Intel Gaudi.
    Hpu "hpu",
    /// A Meta training and inference accelerator.
    Mtia "mtia",
    /// What a user adds.
    PrivateUseOne "privateuseone",
}

impl fmt::Display for DeviceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A kind of device and, where it was given, an ordinal from 0 to 127.
///
/// `cpu` and `cpu:0` are different devices, as in PyTorch; a tensor on either says `cpu`.
///
/// ```
/// use latten_core::device::{Device, IntoDevice};
/// let device = "cuda:1".into_device()?;
/// assert_eq!(device, ("cuda", 1).into_device()?);
/// assert_eq!(device, 1.into_device()?);
/// assert_eq!(device.to_string(), "cuda:1");
/// assert_eq!(format!("{device:?}"), "device(type='cuda', index=1)");
/// # Ok::<(), latten_core::error::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Device {
    kind: DeviceType,
    index: Option<u8>,
}

const GREATEST_INDEX: u8 = 127;

impl Device {
    /// The host.
    pub const CPU: Self = Self { kind: DeviceType::Cpu, index: None };
    /// The device without data.
    pub const META: Self = Self { kind: DeviceType::Meta, index: None };

    /// The device of that kind with that ordinal.
    ///
    /// # Errors
    /// Where the ordinal is negative or beyond 127. (PyTorch lets the latter wrap around.)
    pub fn new(kind: DeviceType, index: i64) -> Result<Self> {
        if index < 0 {
            return Err(Error::runtime("Device index must not be negative"));
        }
        match u8::try_from(index) {
            Ok(index) if index <= GREATEST_INDEX => Ok(Self { kind, index: Some(index) }),
            _ => Err(Error::runtime(format!("Device index must be at most {GREATEST_INDEX}, got {index}"))),
        }
    }

    /// The device that a string names: a kind, then perhaps a colon and an ordinal without leading zeros.
    ///
    /// # Errors
    /// In PyTorch's words; an ordinal beyond 127 is refused too.
    pub fn parse(text: &str) -> Result<Self> {
        if text.is_empty() {
            return Err(Error::runtime("Device string must not be empty"));
        }
        let (name, index) = text.split_once(':').map_or((text, None), |(name, index)| (name, Some(index)));
        let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_');
        let is_index = index.is_none_or(|index| {
            let digits = !index.is_empty() && index.bytes().all(|b| b.is_ascii_digit());
            digits && (index == "0" || !index.starts_with('0'))
        });
        if !is_name || !is_index {
            return Err(Error::runtime(format!("Invalid device string: '{text}'")));
        }
        let kind = DeviceType::ALL.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| {
            let names: Vec<&str> = DeviceType::ALL.iter().map(|kind| kind.name()).collect();
            Error::runtime(format!("Expected one of {} device type at start of device string: {name}", names.join(", ")))
        })?;
        let Some(index) = index else { return Ok(kind.into()) };
        let Ok(index) = index.parse::<i32>() else {
            return Err(Error::runtime(format!("Could not parse device index '{index}' in device string '{text}'")));
        };
        Self::new(kind, index.into())
    }

    /// The kind of device.
    #[must_use]
    pub const fn kind(self) -> DeviceType {
        self.kind
    }

    /// The ordinal, where one was given.
    #[must_use]
    pub const fn index(self) -> Option<u8> {
        self.index
    }

    /// The device that a tensor made there reports: `cpu` and `meta` lose their ordinal, `cuda` gains the current one.
    #[must_use]
    pub fn resolved(self) -> Self {
        match self.kind {
            DeviceType::Cpu | DeviceType::Meta => Self { kind: self.kind, index: None },
            DeviceType::Cuda => Self { kind: self.kind, index: self.index.or_else(|| Some(current_cuda_device())) },
            _ => self,
        }
    }
}

/// The kind alone, without an ordinal.
impl From<DeviceType> for Device {
    fn from(kind: DeviceType) -> Self {
        Self { kind, index: None }
    }
}

impl FromStr for Device {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

/// `cuda:1`.
impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            None => f.pad(self.kind.name()),
            Some(index) => f.pad(&format!("{}:{index}", self.kind)),
        }
    }
}

/// `device(type='cuda', index=1)`, as Python's `repr` has it.
impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            None => write!(f, "device(type='{}')", self.kind),
            Some(index) => write!(f, "device(type='{}', index={index})", self.kind),
        }
    }
}

/// What names a device: `"cuda:1"`, `("cuda", 1)`, a [`Device`], a [`DeviceType`], or an ordinal alone, which means CUDA.
#[diagnostic::on_unimplemented(
    message = "`{Self}` doesn't name a device",
    label = "not a device",
    note = "devices are given as \"cuda:1\", (\"cuda\", 1), an ordinal, a Device or a DeviceType"
)]
pub trait IntoDevice {
    /// The device.
    ///
    /// # Errors
    /// Where the text or the ordinal names none.
    fn into_device(self) -> Result<Device>;
}

impl IntoDevice for Device {
    fn into_device(self) -> Result<Device> {
        Ok(self)
    }
}

impl IntoDevice for &Device {
    fn into_device(self) -> Result<Device> {
        Ok(*self)
    }
}

impl IntoDevice for DeviceType {
    fn into_device(self) -> Result<Device> {
        Ok(self.into())
    }
}

impl IntoDevice for &str {
    fn into_device(self) -> Result<Device> {
        Device::parse(self)
    }
}

impl IntoDevice for &String {
    fn into_device(self) -> Result<Device> {
        Device::parse(self)
    }
}

impl IntoDevice for String {
    fn into_device(self) -> Result<Device> {
        Device::parse(&self)
    }
}

/// An ordinal beside a kind; the string must not have one too.
fn with_index(text: &str, index: i64) -> Result<Device> {
    let device = Device::parse(text)?;
    if device.index.is_some() {
        let rule = "type (string) must not include an index because index was passed explicitly";
        return Err(Error::runtime(format!("{rule}: {text}")));
    }
    Device::new(device.kind, index)
}

macro_rules! ordinals {
    ($($integer:ty)*) => { $(
        impl IntoDevice for $integer {
            fn into_device(self) -> Result<Device> {
                Device::new(DeviceType::Cuda, i64::try_from(self).unwrap_or(i64::MAX))
            }
        }
        impl IntoDevice for (DeviceType, $integer) {
            fn into_device(self) -> Result<Device> {
                Device::new(self.0, i64::try_from(self.1).unwrap_or(i64::MAX))
            }
        }
        impl IntoDevice for (&str, $integer) {
            fn into_device(self) -> Result<Device> {
                with_index(self.0, i64::try_from(self.1).unwrap_or(i64::MAX))
            }
        }
    )* };
}

ordinals! { i8 i16 i32 i64 u8 u16 u32 u64 usize }

thread_local! {
    static CURRENT: Cell<u8> = const { Cell::new(0) };
}

/// The ordinal that `cuda` without one means on this thread.
#[must_use]
pub fn current_cuda_device() -> u8 {
    CURRENT.get()
}

/// Sets what `cuda` means on this thread, and returns what it meant.
///
/// # Errors
/// For a device that isn't `cuda`. Whether the ordinal exists shows when it is used.
pub fn set_current_cuda_device(device: impl IntoDevice) -> Result<u8> {
    let device = device.into_device()?;
    if device.kind != DeviceType::Cuda {
        return Err(Error::value(format!("Expected a cuda device, but got: {device}")));
    }
    Ok(device.index.map_or_else(current_cuda_device, |index| CURRENT.replace(index)))
}

#[cfg(test)]
#[path = "device/tests.rs"]
mod tests;
