//! Storages: one element a line, and a line about the whole.

use tensor_spec::DType;

use super::number::element_repr;
use crate::device::{Device, DeviceType};
use crate::scalar::Scalar;

/// A storage of bytes as PyTorch's `repr` has it.
#[must_use]
pub fn untyped_storage_repr(bytes: &[u8], device: Device) -> String {
    let lines = bytes.iter().map(u8::to_string);
    format!("{}\n[torch.storage.UntypedStorage(device={device}) of size {}]", listed(lines, device), bytes.len())
}

/// A storage with a dtype as PyTorch's `repr` has it; `element` gives the first `size` ones.
#[must_use]
pub fn typed_storage_repr(dtype: DType, device: Device, size: usize, element: &dyn Fn(usize) -> Scalar) -> String {
    let lines = (0..size).map(|i| element_repr(dtype, element(i)));
    format!("{}\n[torch.storage.TypedStorage(dtype={dtype:?}, device={device}) of size {size}]", listed(lines, device))
}

fn listed(lines: impl Iterator<Item = String>, device: Device) -> String {
    if device.kind() == DeviceType::Meta {
        return "...".to_owned();
    }
    format!(" {}", lines.collect::<Vec<_>>().join("\n "))
}
