//! Copies: elements from tensor to tensor, from a number to all elements, and back to one number. No operation of the table is needed for
//! them, and no cast is checked.

mod devices;
mod storages;

use latten_spec::DType;

use crate::convert::Written;
use crate::device::Device;
use crate::element::Native;
use crate::error::{Error, Result};
use crate::geometry::Geometry;
use crate::geometry::broadcast::{broadcast_shapes, broadcast_strides, check_output_shape};
use crate::geometry::merge::{Merged, merge_dims};
use crate::geometry::overlap::{Relation, SelfOverlap, check_output_overlap, partial_overlap_error, self_overlap};
use crate::geometry::strides::{strides_for, strides_of_copy, suggest_memory_format};
use crate::kernels::block::{Lane, Literal, Neighbours, Threads, any_nonzero_byte, copy, read};
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::room::{listed, room};
use crate::scalar::Scalar;
use crate::storage::{Access, Fresh, Glance, TypedStorage};
use crate::{launch, warning};
use devices::Blocking;

/// Elements that are copied at once, without a walk.
const ROW: usize = 2048;

/// The elements of a tensor along a grid.
pub(crate) fn lane<'a>(access: &'a Access<'_>, tensor: &RawTensor, sizes: &[usize], strides: &[usize]) -> Result<Lane<'a>> {
    Lane::new(access, &tensor.storage, tensor.dtype, sizes, strides, tensor.geometry.offset)
}

/// Whether threads may write different elements of a tensor at once.
pub(crate) fn threads(tensor: &RawTensor) -> Threads {
    if self_overlap(&tensor.geometry) == SelfOverlap::None { Threads::Many } else { Threads::One }
}

/// Copies elements into a tensor of a shape that they broadcast to, where neither is a meta tensor and no memory overlaps.
fn copy_elements(from: &RawTensor, to: &RawTensor) -> Result<()> {
    if from.dtype.is_complex() && !to.dtype.is_complex() && to.dtype != DType::Bool {
        warning::imaginary_parts_discarded();
    }
    if to.sizes().contains(&0) {
        return Ok(());
    }
    if from.device() != to.device() {
        return devices::copy(from, to, Blocking::Yes);
    }
    let spread = broadcast_strides(from.sizes(), from.strides(), to.sizes());
    let grid = merge_dims(to.sizes(), &[to.strides().clone(), spread]);
    if to.is_on_cuda() {
        return launch::copy(&grid.sizes, (from, &grid.strides[1]), (to, &grid.strides[0]));
    }
    let access = Access::lock(&[&to.storage], &[&from.storage])?;
    copy_along(&access, &grid, from, to)
}

/// Copies elements between tensors of the host that are held, of one shape, and share no memory.
pub(crate) fn copy_held(access: &Access<'_>, from: &RawTensor, to: &RawTensor) -> Result<()> {
    if to.sizes().contains(&0) {
        return Ok(());
    }
    copy_along(access, &merge_dims(to.sizes(), &[to.strides().clone(), from.strides().clone()]), from, to)
}

fn copy_along(access: &Access<'_>, grid: &Merged, from: &RawTensor, to: &RawTensor) -> Result<()> {
    let threads = threads(to);
    let (to, from) = (lane(access, to, &grid.sizes, &grid.strides[0])?, lane(access, from, &grid.sizes, &grid.strides[1])?);
    copy(&grid.sizes, &from, &to, threads)
}

impl RawTensor {
    /// A tensor without dimensions that holds a number, converted as arithmetic converts it.
    pub(crate) fn from_scalar(scalar: Scalar, dtype: DType) -> Result<Self> {
        let tensor = Self::empty(&[], &[], dtype, Device::CPU)?;
        tensor.fill_elements(scalar)?;
        Ok(tensor)
    }

    /// PyTorch's `copy_`: the elements of `source`, broadcast and converted to this dtype, whatever they are.
    ///
    /// # Errors
    /// Where the shapes don't fit, the memory overlaps, or the source is a meta tensor without data.
    pub fn copy_(&self, source: &Self) -> Result<()> {
        if self.dtype == source.dtype && self.is_set_to(source) {
            return Ok(());
        }
        if !self.is_meta() {
            check_output_overlap(&self.geometry)?;
        }
        let related = if self.is_meta() { Relation::Disjoint } else { source.relation_to(self) };
        if related == Relation::PartialDense {
            return Err(partial_overlap_error());
        }
        check_output_shape(self.sizes(), &broadcast_shapes(&[self.sizes(), source.sizes()])?)?;
        if self.is_meta() {
            return Ok(());
        }
        if source.is_meta() {
            return Err(Error::not_implemented("Cannot copy out of meta tensor; no data!"));
        }
        match related {
            Relation::Disjoint => copy_elements(source, self),
            // Elements of one place may differ in dtype, and be read and written in one pass; but only a copy keeps that apart.
            Relation::Identical | Relation::Mixed | Relation::PartialDense => {
                copy_elements(&source.clone_as(MemoryFormat::Preserve)?, self)
            }
        }
    }

    /// PyTorch's `fill_`: the number in every element.
    ///
    /// # Errors
    /// Where the number doesn't fit the dtype.
    pub fn fill_(&self, number: impl Into<Scalar>) -> Result<()> {
        let number = number.into();
        number.check(self.dtype, if self.numel() == 1 { Written::One } else { Written::Many })?;
        self.fill_elements(number)
    }

    /// Zero, or false, in every element.
    ///
    /// # Errors
    /// Where the tensor lies outside its storage.
    pub fn zero_(&self) -> Result<()> {
        self.fill_elements(Scalar::Int(0))
    }

    pub(crate) fn fill_elements(&self, number: Scalar) -> Result<()> {
        if self.is_meta() || self.sizes().contains(&0) {
            return Ok(());
        }
        let grid = merge_dims(self.sizes(), &[self.strides().clone()]);
        if self.is_on_cuda() {
            let element = Self::from_scalar(number, self.dtype)?.storage.tolist()?;
            return launch::fill(&grid.sizes, (self, &grid.strides[0]), &element);
        }
        let access = Access::lock(&[&self.storage], &[])?;
        let literal = Literal::from(number);
        let to = lane(&access, self, &grid.sizes, &grid.strides[0])?;
        copy(&grid.sizes, &Lane::number(&literal, grid.sizes.len()), &to, threads(self))
    }

    /// The elements in another dtype, in memory of their own; a tensor that has the dtype already is itself.
    ///
    /// # Errors
    /// For quantised dtypes.
    pub fn to_dtype(&self, dtype: DType) -> Result<Self> {
        if dtype == self.dtype { Ok(self.clone()) } else { self.copied(dtype, MemoryFormat::Preserve) }
    }

    /// PyTorch's `to` with a dtype and a memory format: itself, where the strides suggest that format and the dtype is the same.
    ///
    /// # Errors
    /// Where the format doesn't suit the rank, and for quantised dtypes.
    pub fn to(&self, dtype: DType, format: MemoryFormat) -> Result<Self> {
        let suits = format == MemoryFormat::Preserve || suggest_memory_format(self.sizes(), self.strides()) == format;
        if dtype == self.dtype && suits { Ok(self.clone()) } else { self.copied(dtype, format) }
    }

    /// A copy in memory of its own.
    ///
    /// # Errors
    /// Where the format doesn't suit the rank.
    pub fn clone_as(&self, format: MemoryFormat) -> Result<Self> {
        self.copied(self.dtype, format)
    }

    fn copied(&self, dtype: DType, format: MemoryFormat) -> Result<Self> {
        if let Some(copy) = self.copied_as_row(dtype, format)? {
            return Ok(copy);
        }
        let copy = self.empty_like(dtype, format)?;
        if !copy.is_meta() {
            copy_elements(self, &copy)?;
        }
        Ok(copy)
    }

    /// A copy of few elements that lie in their order, where they stay in it.
    fn copied_as_row(&self, dtype: DType, format: MemoryFormat) -> Result<Option<Self>> {
        let keeps = matches!(format, MemoryFormat::Preserve | MemoryFormat::Contiguous) && dtype.is_complex() >= self.dtype.is_complex();
        let Some(len) = self.row_len().filter(|&len| keeps && len <= ROW) else { return Ok(None) };
        let mut memory = Fresh::new(len * dtype.itemsize())?;
        let Some(glance) = Glance::new(&self.storage) else { return Ok(None) };
        let from = Neighbours::glanced(&glance, self.dtype, len, self.geometry.offset);
        let (Some(from), Some(to)) = (from, Neighbours::fresh(&mut memory, dtype, len)) else { return Ok(None) };
        to.convert(&from)?;
        drop(glance);
        let geometry = Geometry { offset: 0, ..self.geometry.clone() };
        Ok(Some(Self { storage: memory.into_storage(), dtype, geometry, history: None }))
    }

    /// Itself, where it has that memory format; otherwise a copy that has.
    ///
    /// # Errors
    /// Where the format doesn't suit the rank.
    pub fn contiguous(&self, format: MemoryFormat) -> Result<Self> {
        if format == MemoryFormat::Preserve && !self.is_contiguous(MemoryFormat::Contiguous) {
            return Err(Error::runtime("preserve memory format is unsupported by the contiguous operator"));
        }
        if format == MemoryFormat::Preserve {
            return Ok(self.clone());
        }
        strides_for(format, self.sizes())?;
        if self.is_contiguous(format) { Ok(self.clone()) } else { self.clone_as(format) }
    }

    /// The only element.
    ///
    /// # Errors
    /// Where there are more or none, and for meta tensors.
    pub fn item(&self) -> Result<Scalar> {
        let numel = self.numel();
        if numel != 1 {
            return Err(Error::runtime(format!("a Tensor with {numel} elements cannot be converted to Scalar")));
        }
        self.read_at(self.geometry.offset)
    }

    /// The element at an index for each dimension.
    ///
    /// # Errors
    /// Where an index is out of range or of another number of dimensions, and for meta tensors.
    pub fn element(&self, index: &[usize]) -> Result<Scalar> {
        if index.len() != self.rank() {
            return Err(Error::index(format!("{} indices for a tensor of dimension {}", index.len(), self.rank())));
        }
        let mut offset = self.geometry.offset;
        for (dim, (&at, &size)) in index.iter().zip(self.sizes()).enumerate() {
            if at >= size {
                return Err(Error::index(format!("index {at} is out of bounds for dimension {dim} with size {size}")));
            }
            offset += at * self.strides()[dim];
        }
        self.read_at(offset)
    }

    fn read_at(&self, offset: usize) -> Result<Scalar> {
        if let Some(glance) = Glance::new(&self.storage)
            && let Some(number) = Neighbours::glanced(&glance, self.dtype, 1, offset).and_then(|row| row.number())
        {
            return Ok(number);
        }
        if self.is_meta() {
            return Err(Error::runtime("Tensor.item() cannot be called on meta tensors"));
        }
        if self.is_on_cuda() {
            return devices::element(self, offset)?.item();
        }
        let access = Access::lock(&[], &[&self.storage])?;
        read(&Lane::new(&access, &self.storage, self.dtype, &[], &[], offset)?)
    }

    /// All elements, in row-major order.
    ///
    /// # Errors
    /// For meta tensors, and where the tensor lies outside its storage.
    pub fn scalars(&self) -> Result<Vec<Scalar>> {
        let dense = self.to_host()?.clone_as(MemoryFormat::Contiguous)?;
        let access = Access::lock(&[], &[&dense.storage])?;
        let mut scalars = room(dense.numel())?;
        for at in 0..dense.numel() {
            scalars.push(read(&Lane::new(&access, &dense.storage, dense.dtype, &[], &[], at)?)?);
        }
        Ok(scalars)
    }

    /// All elements, in row-major order, where the dtype is known to be that of `T`.
    ///
    /// # Errors
    /// As [`scalars`](Self::scalars).
    pub(crate) fn numbers<T: Native>(&self) -> Result<Vec<T>> {
        let host = self.to_host()?;
        if host.is_contiguous(MemoryFormat::Contiguous)
            && let Ok(slice) = TypedStorage::<T>::of(host.storage.clone()).slice()
            && let Some(numbers) = slice.get(host.geometry.offset..).and_then(|numbers| numbers.get(..self.numel()))
        {
            return listed(numbers.iter().copied());
        }
        let dense = host.clone_as(MemoryFormat::Contiguous)?;
        listed(TypedStorage::<T>::of(dense.storage).slice()?[..self.numel()].iter().copied())
    }

    /// The same elements on a device: itself, where it is there.
    ///
    /// # Errors
    /// Where this build can't use the device, and out of meta tensors, which have no data.
    pub fn to_device(&self, device: Device) -> Result<Self> {
        device.require_built()?;
        let device = device.resolved();
        if device == self.device() {
            return Ok(self.clone());
        }
        if self.is_meta() {
            return Err(Error::not_implemented("Cannot copy out of meta tensor; no data!"));
        }
        let strides = strides_of_copy(MemoryFormat::Preserve, self.sizes(), self.strides())?;
        let moved = Self::empty(self.sizes(), &strides, self.dtype, device)?;
        moved.copy_(self)?;
        Ok(moved)
    }

    fn to_host(&self) -> Result<Self> {
        self.to_device(Device::CPU)
    }

    /// That the storage holds the whole tensor: it may have been shrunk since.
    ///
    /// # Errors
    /// Where it doesn't.
    pub(crate) fn check_inside(&self) -> Result<()> {
        let (end, nbytes) = (self.geometry.needed_bytes(self.dtype.itemsize())?, self.storage.nbytes());
        if end <= nbytes || self.is_meta() {
            return Ok(());
        }
        Err(Error::runtime(format!("the tensor ends at byte {end} of its storage, which has {nbytes} bytes")))
    }

    /// Whether some element of a bool tensor is true.
    pub(crate) fn any_true(&self) -> Result<bool> {
        let dense = self.to_host()?.contiguous(MemoryFormat::Contiguous)?;
        let access = Access::lock(&[], &[&dense.storage])?;
        Ok(any_nonzero_byte(&lane(&access, &dense, dense.sizes(), dense.strides())?, dense.numel()))
    }
}
