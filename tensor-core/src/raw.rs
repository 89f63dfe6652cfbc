//! The erased tensor: a storage, a dtype and a geometry. All that computes works on this; the typed tensor wraps it.
//! How it changes its storage is in `raw/storage.rs`.

pub(crate) mod history;
pub(crate) mod mode;
pub(crate) mod node;
mod storage;

use std::sync::Arc;

use latten_spec::DType;

use crate::device::{Device, DeviceType};
use crate::error::{Error, Result};
use crate::geometry::overlap::{Relation, relation};
use crate::geometry::strides::{is_contiguous, strides_of_copy};
use crate::geometry::{Dims, Geometry, strided_nbytes, times, wrap_existing_dim};
use crate::layout::MemoryFormat;
use crate::storage::UntypedStorage;
use history::History;

pub use storage::Source;

/// A strided tensor whose dtype and shape are values.
#[derive(Clone, Debug)]
pub struct RawTensor {
    pub(crate) storage: UntypedStorage,
    pub(crate) dtype: DType,
    pub(crate) geometry: Geometry,
    /// What gradients need to know of it; `None` for tensors that they don't concern. A view begins without.
    pub(crate) history: Option<Arc<History>>,
}

impl RawTensor {
    /// A tensor in a storage of its own, whose elements are whatever was in that memory.
    ///
    /// # Errors
    /// Where the storage would be larger than memory can be.
    pub fn empty(sizes: &[usize], strides: &[usize], dtype: DType, device: Device) -> Result<Self> {
        let nbytes = strided_nbytes(sizes, strides, 0, dtype.itemsize())?;
        let geometry = Geometry { sizes: Dims::from_slice(sizes), strides: Dims::from_slice(strides), offset: 0 };
        Ok(Self { storage: UntypedStorage::new(nbytes, device)?, dtype, geometry, history: None })
    }

    /// A tensor over a storage that there is, whose elements it shares.
    ///
    /// # Errors
    /// Where elements would lie beyond the storage.
    pub fn over(storage: UntypedStorage, dtype: DType, geometry: Geometry) -> Result<Self> {
        let (needed, nbytes) = (geometry.needed_bytes(dtype.itemsize())?, storage.nbytes());
        if needed > nbytes {
            return Err(Error::runtime(format!(
                "a tensor of sizes {:?} needs {needed} bytes, but the storage has {nbytes}",
                geometry.sizes
            )));
        }
        Ok(Self { storage, dtype, geometry, history: None })
    }

    /// An empty tensor of the same sizes on the same device, in a memory format.
    ///
    /// # Errors
    /// Where the format doesn't suit the rank.
    pub fn empty_like(&self, dtype: DType, format: MemoryFormat) -> Result<Self> {
        let strides = strides_of_copy(format, self.sizes(), self.strides())?;
        Self::empty(self.sizes(), &strides, dtype, self.device())
    }

    /// Zeros of the same sizes, dtype and order of strides.
    pub(crate) fn zeros_like(&self) -> Result<Self> {
        let zeros = self.empty_like(self.dtype, MemoryFormat::Preserve)?;
        zeros.zero_().map(|()| zeros)
    }

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

    /// The number of elements along one dimension; negative ones count from the end.
    ///
    /// # Errors
    /// Where there is no such dimension.
    pub fn size(&self, dim: isize) -> Result<usize> {
        Ok(self.sizes()[wrap_existing_dim(dim, self.rank())?])
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

    /// Sizes, strides and offset.
    #[must_use]
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Where the data is.
    #[must_use]
    pub fn device(&self) -> Device {
        self.storage.device()
    }

    /// Whether the tensor has no data.
    #[must_use]
    pub fn is_meta(&self) -> bool {
        self.device().kind() == DeviceType::Meta
    }

    /// Whether the elements lie next to each other in the order of a memory format.
    pub(crate) fn is_contiguous(&self, format: MemoryFormat) -> bool {
        is_contiguous(self.sizes(), self.strides(), format)
    }

    /// How many elements there are, where there are some, on the host and next to each other in row-major order.
    #[inline]
    pub(crate) fn row_len(&self) -> Option<usize> {
        let (sizes, strides) = (&self.geometry.sizes, &self.geometry.strides);
        let mut step = 1;
        for (&size, &stride) in sizes.iter().zip(strides).rev() {
            if size == 0 || stride != step {
                return None;
            }
            step = times(step, size);
        }
        (self.device().kind() == DeviceType::Cpu).then_some(step)
    }

    /// Whether its elements are on a GPU.
    pub(crate) fn is_on_cuda(&self) -> bool {
        self.device().kind() == DeviceType::Cuda
    }

    /// The number of dimensions.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.geometry.rank()
    }

    /// The number of elements.
    #[must_use]
    pub fn numel(&self) -> usize {
        self.geometry.numel()
    }

    /// Another look at the same storage, which has these elements: the caller has seen that. Others take [`over`](Self::over).
    #[inline]
    pub(crate) fn with_geometry(&self, geometry: Geometry) -> Self {
        Self { storage: self.storage.clone(), dtype: self.dtype, geometry, history: None }
    }

    /// The same with a dtype of as many bytes, any of which are a number of it.
    pub(crate) fn as_bits(&self) -> Self {
        let dtype = match self.dtype.itemsize() {
            1 => DType::U8,
            2 => DType::I16,
            4 => DType::I32,
            8 => DType::I64,
            _ => DType::C128,
        };
        Self { dtype, ..self.clone() }
    }

    /// How this tensor's memory relates to that of an output. Over two slices of one storage, which PyTorch takes for unrelated,
    /// nothing is refused.
    pub(crate) fn relation_to(&self, output: &Self) -> Relation {
        if !self.storage.shares_memory(&output.storage) {
            return if self.storage.follows(&output.storage) { Relation::Mixed } else { Relation::Disjoint };
        }
        let sizes = (self.dtype.itemsize(), output.dtype.itemsize());
        if self.storage.is_same(&output.storage) {
            return relation(&self.geometry, sizes.0, &output.geometry, sizes.1);
        }
        let (Some(input), Some(output)) = (self.geometry_below_slices(), output.geometry_below_slices()) else { return Relation::Mixed };
        match relation(&input, sizes.0, &output, sizes.1) {
            Relation::PartialDense => Relation::Mixed,
            other => other,
        }
    }

    /// The geometry over the storage of which this one is a slice; `None` where the slice starts between two elements.
    fn geometry_below_slices(&self) -> Option<Geometry> {
        let (start, itemsize) = (self.storage.window_start(), self.dtype.itemsize());
        let offset = start.is_multiple_of(itemsize).then_some(self.geometry.offset + start / itemsize)?;
        Some(Geometry { offset, ..self.geometry.clone() })
    }
}

/// What PyTorch's `tensor.type()` says, as some messages quote it.
pub(crate) fn type_name(tensor: &RawTensor) -> String {
    let dtype = tensor.dtype();
    match (dtype, tensor.device().kind()) {
        (DType::U8 | DType::I8 | DType::I16 | DType::I32 | DType::I64 | DType::F16 | DType::F32 | DType::F64, DeviceType::Cpu) => {
            format!("torch.{}Tensor", dtype.message_name())
        }
        // others: PyTorch's newer dtypes have no such name.
        (_, DeviceType::Cpu) => format!("CPU{}Type", dtype.message_name()),
        (_, DeviceType::Meta) => format!("Meta{}Type", dtype.message_name()),
        // others: of GPUs, every dtype.
        _ => format!("torch.cuda.{}Tensor", dtype.message_name()),
    }
}

/// That tensors are on one device where one is on a GPU: PyTorch looks at that before anything else, and names its kernel and the argument.
///
/// # Errors
/// Where they aren't.
pub(crate) fn check_devices(kernel: &str, arguments: &[(&str, &RawTensor)]) -> Result<()> {
    let [(_, first), ..] = arguments else { return Ok(()) };
    if arguments.iter().all(|(_, tensor)| !tensor.is_on_cuda()) {
        return Ok(());
    }
    match arguments.iter().find(|(_, tensor)| tensor.device() != first.device()) {
        None => Ok(()),
        Some((name, tensor)) => Err(Error::runtime(format!(
            "Expected all tensors to be on the same device, but got {name} is on {}, different from other tensors on {} (when checking \
             argument in method wrapper_CUDA_{kernel})",
            tensor.device(),
            first.device()
        ))),
    }
}

/// That an output is where the result is.
///
/// # Errors
/// Where it isn't.
pub(crate) fn check_out_device(result: &RawTensor, out: &RawTensor) -> Result<()> {
    let (expected, found) = (result.device(), out.device());
    if expected == found {
        return Ok(());
    }
    if !result.is_on_cuda() && !out.is_on_cuda() {
        let text = format!("Attempting to copy from device {expected} to device {found}, but cross-device copies are not allowed!");
        return Err(Error::runtime(text));
    }
    Err(Error::runtime(format!("Expected all tensors to be on the same device, but found at least two devices, {expected} and {found}!")))
}
