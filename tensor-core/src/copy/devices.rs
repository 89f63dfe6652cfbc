//! Copies from device to device: bytes go as they are, in the order that they have, and each side arranges and converts on its own.

use super::copy_elements;
use crate::device::{Device, DeviceType};
use crate::error::{Error, Result};
use crate::geometry::Geometry;
use crate::geometry::strides::{is_non_overlapping_and_dense, strides_of_copy};
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::storage::UntypedStorage;

/// Whether a copy waits until it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blocking {
    /// It does.
    Yes,
    /// Not where page-locked memory is copied to or from: whoever looks at that waits then.
    No,
}

/// Copies elements into a tensor on another device, of a shape that they broadcast to.
pub(super) fn copy(from: &RawTensor, to: &RawTensor, blocking: Blocking) -> Result<()> {
    if from.dtype == to.dtype && from.sizes() == to.sizes() && from.strides() == to.strides() && is_dense(from) {
        return bytes(from, to, blocking);
    }
    // A number that has the dtype and lies side by side with its neighbours, on either device.
    let ready = from.dtype == to.dtype && is_dense(from);
    let dense = if ready { from.clone() } else { from.copied(to.dtype, MemoryFormat::Preserve)? };
    let moved = RawTensor::empty(dense.sizes(), dense.strides(), dense.dtype, to.device())?;
    bytes(&dense, &moved, blocking)?;
    copy_elements(&moved, to)
}

fn is_dense(tensor: &RawTensor) -> bool {
    is_non_overlapping_and_dense(tensor.sizes(), tensor.strides())
}

/// Copies the bytes of one dense tensor to another one with the same strides.
fn bytes(from: &RawTensor, to: &RawTensor, blocking: Blocking) -> Result<()> {
    let part = |tensor: &RawTensor| -> Result<UntypedStorage> {
        tensor.check_inside()?;
        let start = tensor.geometry.offset * tensor.dtype.itemsize();
        let end = start + tensor.numel() * tensor.dtype.itemsize();
        let signed = |at: usize| i64::try_from(at).map_err(|_| Error::runtime("the tensor is too large"));
        tensor.storage.slice(signed(start)?..signed(end)?)
    };
    let (from, to) = (part(from)?, part(to)?);
    match blocking {
        Blocking::Yes => to.copy_(&from).map(|_| ()),
        Blocking::No => to.copy_later(&from),
    }
}

/// The element at an offset, on the host.
pub(super) fn element(tensor: &RawTensor, offset: usize) -> Result<RawTensor> {
    let one = tensor.with_geometry(Geometry { sizes: [].into_iter().collect(), strides: [].into_iter().collect(), offset });
    one.to_device(Device::CPU)
}

impl RawTensor {
    /// [`to_device`](Self::to_device) without waiting: to a CUDA device from page-locked memory, and from one to the host, where the
    /// result is in page-locked memory. Whoever looks at either waits then.
    ///
    /// # Errors
    /// As [`to_device`](Self::to_device).
    pub fn to_device_later(&self, device: Device) -> Result<Self> {
        device.require_built()?;
        let device = device.resolved();
        if device == self.device() || self.is_meta() || device.kind() == DeviceType::Meta {
            return self.to_device(device);
        }
        let strides = strides_of_copy(MemoryFormat::Preserve, self.sizes(), self.strides())?;
        let mut moved = Self::empty(self.sizes(), &strides, self.dtype, device)?;
        if device.kind() == DeviceType::Cpu {
            moved.storage = moved.storage.pin_memory()?;
        }
        moved.copy_later_(self)?;
        Ok(moved)
    }

    /// [`copy_`](Self::copy_) without waiting, where one of the two is in page-locked memory and the other on a CUDA device.
    ///
    /// # Errors
    /// As [`copy_`](Self::copy_).
    pub fn copy_later_(&self, source: &Self) -> Result<()> {
        let plain = self.device() == source.device() || self.is_meta() || source.is_meta() || self.sizes() != source.sizes();
        if plain || self.numel() == 0 { self.copy_(source) } else { copy(source, self, Blocking::No) }
    }
}
