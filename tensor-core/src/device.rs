//! Devices: where a storage's bytes live. Parsing, ordinals and the current device.

use std::fmt;

/// The kinds of device that this library can place a storage on; other names parse and are refused where one is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceType {
    /// The host.
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
    /// No data: shapes, strides and dtypes only.
    Meta,
}

/// A kind of device and, where it was given, an ordinal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Device {
    kind: DeviceType,
    index: Option<u8>,
}

impl Device {
    /// The host.
    pub const CPU: Self = Self { kind: DeviceType::Cpu, index: None };
    /// The device without data.
    pub const META: Self = Self { kind: DeviceType::Meta, index: None };

    /// The kind of device.
    #[must_use]
    pub const fn kind(self) -> DeviceType {
        self.kind
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}{:?}", self.kind, self.index)
    }
}
