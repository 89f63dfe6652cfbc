//! The erased tensor: a storage, a dtype and a geometry. All that computes works on this; the typed tensor wraps it.

use tensor_spec::DType;

use crate::device::Device;
use crate::geometry::{Dims, Geometry};
use crate::storage::UntypedStorage;

/// A strided tensor whose dtype and shape are values.
#[derive(Clone, Debug)]
pub struct RawTensor {
    pub(crate) storage: UntypedStorage,
    pub(crate) dtype: DType,
    pub(crate) geometry: Geometry,
}

impl RawTensor {
    /// The dtype of the elements.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The number of elements along each dimension.
    #[must_use]
    pub fn sizes(&self) -> &[usize] {
        &self.geometry.sizes
    }

    /// How far apart neighbours along each dimension lie, in elements.
    #[must_use]
    pub fn strides(&self) -> &Dims {
        &self.geometry.strides
    }

    /// Where in the storage the first element lies, in elements.
    #[must_use]
    pub fn storage_offset(&self) -> usize {
        self.geometry.offset
    }

    /// The storage, shared.
    #[must_use]
    pub fn storage(&self) -> &UntypedStorage {
        &self.storage
    }

    /// Where the data is.
    #[must_use]
    pub fn device(&self) -> Device {
        self.storage.device()
    }

    /// The number of elements.
    #[must_use]
    pub fn numel(&self) -> usize {
        self.geometry.sizes.iter().product()
    }
}
