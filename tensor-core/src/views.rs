//! The views of an erased tensor: other sizes, strides and offsets over the same storage. What they come to is decided in
//! [`geometry`](crate::geometry); here it is joined with a storage and a dtype. `reshape` and its kin copy where no strides will do.

mod entries;

use latten_spec::DType;

use crate::error::{Error, Result};
use crate::geometry::broadcast::broadcast_shapes;
use crate::geometry::reshape::Reshaped;
use crate::geometry::split::Cuts;
use crate::geometry::{Geometry, wrap_dim};
use crate::layout::MemoryFormat;
use crate::raw::{RawTensor, type_name};
use crate::room::listed;

pub use entries::{Entry, Span};

/// Sizes as a caller would write them.
pub(crate) fn signed(sizes: &[usize]) -> Vec<isize> {
    sizes.iter().map(|size| size.cast_signed()).collect()
}

/// All of the tensors expanded to the shape that they broadcast to.
///
/// # Errors
/// Where they don't broadcast.
pub fn broadcast_tensors(tensors: &[&RawTensor]) -> Result<Vec<RawTensor>> {
    let shapes: Vec<&[usize]> = tensors.iter().map(|tensor| tensor.sizes()).collect();
    let shape = signed(&broadcast_shapes(&shapes)?);
    tensors.iter().map(|tensor| tensor.expand(&shape)).collect()
}

impl RawTensor {
    #[inline]
    fn seen(&self, geometry: Result<Geometry>) -> Result<Self> {
        geometry.map(|geometry| self.with_geometry(geometry))
    }

    fn seen_as(&self, dtype: DType, geometry: Geometry) -> Self {
        Self { storage: self.storage.clone(), dtype, geometry, history: None }
    }

    fn all_seen(&self, geometries: Result<Vec<Geometry>>) -> Result<Vec<Self>> {
        listed(geometries?.into_iter().map(|geometry| self.with_geometry(geometry)))
    }

    fn reshaped(&self, reshaped: Reshaped) -> Result<Self> {
        match reshaped {
            Reshaped::View(geometry) => Ok(self.with_geometry(geometry)),
            Reshaped::Copy(sizes) => Ok(self.clone_as(MemoryFormat::Contiguous)?.with_geometry(Geometry::contiguous(&sizes))),
        }
    }
}

/// Other sizes over the same elements in the same order.
impl RawTensor {
    /// PyTorch's `view(shape)`; one of the sizes may be -1.
    ///
    /// # Errors
    /// Where the shape has another number of elements, or the strides don't allow it without a copy.
    pub fn view(&self, shape: &[isize]) -> Result<Self> {
        self.seen(self.geometry.view(shape))
    }

    /// PyTorch's `reshape(shape)`: a view where the strides allow one, else a contiguous copy.
    ///
    /// # Errors
    /// Where the shape has another number of elements.
    pub fn reshape(&self, shape: &[isize]) -> Result<Self> {
        self.reshaped(self.geometry.reshape(shape)?)
    }

    /// The dimensions from `start` to `end`, both included, as one; a view where the strides allow one.
    ///
    /// # Errors
    /// Where there are no such dimensions.
    pub fn flatten(&self, start: isize, end: isize) -> Result<Self> {
        let flat = self.geometry.flatten(start, end)?;
        // One dimension is itself, as a tensor, not only as elements.
        if self.rank() > 0 && wrap_dim(start, self.rank())? == wrap_dim(end, self.rank())? { Ok(self.clone()) } else { self.reshaped(flat) }
    }

    /// PyTorch's `ravel()`: all elements in one dimension, next to each other; a view of a contiguous tensor, else a copy.
    ///
    /// # Errors
    /// Where there is no memory for a copy.
    pub fn ravel(&self) -> Result<Self> {
        self.contiguous(MemoryFormat::Contiguous)?.reshape(&[-1])
    }

    /// One dimension as several; one of their sizes may be -1.
    ///
    /// # Errors
    /// Where the sizes don't multiply to that of the dimension.
    pub fn unflatten(&self, dim: isize, sizes: &[isize]) -> Result<Self> {
        self.seen(self.geometry.unflatten(dim, sizes))
    }

    /// Without the dimensions of size 1.
    #[must_use]
    pub fn squeeze(&self) -> Self {
        self.with_geometry(self.geometry.squeeze())
    }

    /// Without those of the dimensions that have size 1.
    ///
    /// # Errors
    /// Where there are no such dimensions, or one is named twice.
    pub fn squeeze_dims(&self, dims: &[isize]) -> Result<Self> {
        self.seen(self.geometry.squeeze_dims(dims))
    }

    /// With a dimension of size 1 at that place.
    ///
    /// # Errors
    /// Where there is no such place.
    pub fn unsqueeze(&self, dim: isize) -> Result<Self> {
        self.seen(self.geometry.unsqueeze(dim))
    }

    /// Dimensions of size 1 repeated, and new ones put in front; -1 keeps a size.
    ///
    /// # Errors
    /// Where another size would have to be repeated.
    pub fn expand(&self, shape: &[isize]) -> Result<Self> {
        self.seen(self.geometry.expand(shape, &type_name(self)))
    }

    /// Expanded to the shape of another tensor.
    ///
    /// # Errors
    /// As [`expand`](Self::expand).
    pub fn expand_as(&self, other: &Self) -> Result<Self> {
        self.expand(&signed(other.sizes()))
    }
}

/// Some of the elements.
impl RawTensor {
    /// `length` places along a dimension; a negative start counts from the end.
    ///
    /// # Errors
    /// Where the dimension hasn't got them.
    #[inline]
    pub fn narrow(&self, dim: isize, start: isize, length: isize) -> Result<Self> {
        self.seen(self.geometry.narrow(dim, start, length))
    }

    /// One place along a dimension, which vanishes.
    ///
    /// # Errors
    /// Where the index is out of range.
    pub fn select(&self, dim: isize, index: isize) -> Result<Self> {
        self.seen(self.geometry.select(dim, index))
    }

    /// Python's `start:end:step` along a dimension.
    ///
    /// # Errors
    /// Where the step isn't positive.
    pub fn slice(&self, dim: isize, start: Option<isize>, end: Option<isize>, step: isize) -> Result<Self> {
        self.seen(self.geometry.slice(dim, start, end, step))
    }

    /// The windows of that size along a dimension, as a new last dimension.
    ///
    /// # Errors
    /// Where no window fits, or the step isn't positive.
    pub fn unfold(&self, dim: isize, size: isize, step: isize) -> Result<Self> {
        self.seen(self.geometry.unfold(dim, size, step))
    }

    /// A diagonal of each matrix that two dimensions span, as a new last dimension.
    ///
    /// # Errors
    /// Where the dimensions are one.
    pub fn diagonal(&self, offset: isize, dim1: isize, dim2: isize) -> Result<Self> {
        self.seen(self.geometry.diagonal(offset, dim1, dim2))
    }

    /// Any elements of the storage, in this tensor or not; without an offset, from this tensor's on.
    ///
    /// # Errors
    /// Where they reach beyond the storage. That of a meta tensor has no end.
    pub fn as_strided(&self, sizes: &[isize], strides: &[isize], offset: Option<isize>) -> Result<Self> {
        let end = if self.is_meta() { usize::MAX } else { self.storage.nbytes() };
        self.seen(self.geometry.as_strided(sizes, strides, offset, self.dtype.itemsize(), end))
    }
}

/// The dimensions in another order.
impl RawTensor {
    /// Two dimensions swapped.
    ///
    /// # Errors
    /// Where there are no such dimensions.
    pub fn transpose(&self, dim0: isize, dim1: isize) -> Result<Self> {
        self.seen(self.geometry.transpose(dim0, dim1))
    }

    /// The transpose of a matrix; a tensor of fewer dimensions is its own.
    ///
    /// # Errors
    /// For more than two dimensions.
    #[inline]
    pub fn t(&self) -> Result<Self> {
        self.seen(self.geometry.t())
    }

    /// PyTorch's `mT`: the transposes of a batch of matrices.
    ///
    /// # Errors
    /// For one dimension.
    pub fn matrix_transpose(&self) -> Result<Self> {
        self.seen(self.geometry.matrix_transpose())
    }

    /// PyTorch's `T`: all dimensions in reverse order.
    #[must_use]
    pub fn reverse_dims(&self) -> Self {
        self.with_geometry(self.geometry.reverse_dims())
    }

    /// Dimension `i` of the view is dimension `dims[i]` of this.
    ///
    /// # Errors
    /// Where `dims` isn't an order of the dimensions.
    pub fn permute(&self, dims: &[isize]) -> Result<Self> {
        self.seen(self.geometry.permute(dims))
    }

    /// Some dimensions at other places, the others in their order around them.
    ///
    /// # Errors
    /// Where there are no such dimensions, or one is named twice.
    pub fn movedim(&self, source: &[isize], destination: &[isize]) -> Result<Self> {
        self.seen(self.geometry.movedim(source, destination))
    }
}

/// The same bytes as other numbers.
impl RawTensor {
    /// PyTorch's `view(dtype)`.
    ///
    /// # Errors
    /// Where the last dimension can't be regrouped to elements of that size.
    pub fn view_dtype(&self, dtype: DType) -> Result<Self> {
        Ok(self.seen_as(dtype, self.geometry.view_dtype(self.dtype, dtype)?))
    }

    /// Complex numbers as pairs of real ones, in a new last dimension.
    ///
    /// # Errors
    /// For other dtypes.
    pub fn view_as_real(&self) -> Result<Self> {
        Ok(self.seen_as(self.dtype.to_real(), self.geometry.view_as_real(self.dtype)?))
    }

    /// Pairs along the last dimension as complex numbers.
    ///
    /// # Errors
    /// Where the dtype has no complex one, or the last dimension isn't dense pairs.
    pub fn view_as_complex(&self) -> Result<Self> {
        let geometry = self.geometry.view_as_complex(self.dtype)?;
        let dtype = self.dtype.to_complex().ok_or_else(|| Error::type_error("view_as_complex is not supported for this dtype"))?;
        Ok(self.seen_as(dtype, geometry))
    }

    /// The real parts; a real tensor is its own.
    #[must_use]
    pub fn real(&self) -> Self {
        self.seen_as(self.dtype.to_real(), self.geometry.real(self.dtype))
    }

    /// The imaginary parts.
    ///
    /// # Errors
    /// For dtypes that aren't complex.
    pub fn imag(&self) -> Result<Self> {
        Ok(self.seen_as(self.dtype.to_real(), self.geometry.imag(self.dtype)?))
    }
}

/// Several views that together are the tensor.
impl RawTensor {
    /// Pieces of one size along a dimension; the last one may be shorter.
    ///
    /// # Errors
    /// Where the size is negative, or 0 for a dimension that isn't empty.
    pub fn split(&self, size: isize, dim: isize) -> Result<Vec<Self>> {
        self.all_seen(self.geometry.split(size, dim))
    }

    /// Pieces of those sizes along a dimension.
    ///
    /// # Errors
    /// Where they don't add up to the dimension's size.
    pub fn split_with_sizes(&self, sizes: &[isize], dim: isize) -> Result<Vec<Self>> {
        self.all_seen(self.geometry.split_with_sizes(sizes, dim))
    }

    /// At most that many pieces of one size; the last one may be shorter.
    ///
    /// # Errors
    /// Where the number isn't positive.
    pub fn chunk(&self, chunks: isize, dim: isize) -> Result<Vec<Self>> {
        self.all_seen(self.geometry.chunk(chunks, dim))
    }

    /// Exactly as many pieces as asked for, be some of them empty.
    ///
    /// # Errors
    /// Where the number isn't positive.
    pub fn tensor_split(&self, cuts: Cuts<'_>, dim: isize) -> Result<Vec<Self>> {
        self.all_seen(self.geometry.tensor_split(cuts, dim))
    }

    /// Equal pieces along the second dimension, or the only one.
    ///
    /// # Errors
    /// Where there are no dimensions, or the pieces aren't equal.
    pub fn hsplit(&self, cuts: Cuts<'_>) -> Result<Vec<Self>> {
        self.all_seen(self.geometry.hsplit(cuts))
    }

    /// Equal pieces along the first dimension of at least two.
    ///
    /// # Errors
    /// Where there are fewer dimensions, or the pieces aren't equal.
    pub fn vsplit(&self, cuts: Cuts<'_>) -> Result<Vec<Self>> {
        self.all_seen(self.geometry.vsplit(cuts))
    }

    /// Equal pieces along the third dimension.
    ///
    /// # Errors
    /// Where there are fewer dimensions, or the pieces aren't equal.
    pub fn dsplit(&self, cuts: Cuts<'_>) -> Result<Vec<Self>> {
        self.all_seen(self.geometry.dsplit(cuts))
    }

    /// Every place along a dimension, one after the other.
    ///
    /// # Errors
    /// Where there is no such dimension.
    pub fn unbind(&self, dim: isize) -> Result<Vec<Self>> {
        self.all_seen(self.geometry.unbind(dim))
    }
}
