//! Views of some of the elements: `narrow`, `select`, `slice`, `unfold`, `diagonal`, and `as_strided`, which can show any.

use super::{
    Geometry, LARGEST, copied, numel, overflow_of_strided, replaced, strided_nbytes, times, unsigned, wrap_dim, wrap_existing_dim,
};
use crate::error::{Error, Result};
use crate::room::room;

impl Geometry {
    /// The offset of element `index` along a dimension.
    #[inline]
    fn offset_at(&self, dim: usize, index: usize) -> Result<usize> {
        let place = index.checked_mul(self.strides[dim]).and_then(|step| step.checked_add(self.offset));
        place.filter(|&place| place <= LARGEST).ok_or_else(|| overflow_of_strided(&self.sizes, &self.strides))
    }

    /// `len` elements from `start` on along a dimension, which must have them.
    #[inline]
    pub(super) fn piece(&self, dim: usize, start: usize, len: usize) -> Result<Self> {
        let offset = self.offset_at(dim, start)?;
        Ok(Self { sizes: replaced(&self.sizes, dim, len), strides: copied(&self.strides), offset })
    }

    /// `narrow(dim, start, length)`; a negative start counts from the end.
    #[inline]
    pub fn narrow(&self, dim: isize, start: isize, length: isize) -> Result<Self> {
        if self.rank() == 0 {
            return Err(Error::runtime("narrow() cannot be applied to a 0-dim tensor."));
        }
        if length < 0 {
            return Err(Error::runtime("narrow(): length must be non-negative."));
        }
        let dim = wrap_dim(dim, self.rank())?;
        let size = self.sizes[dim].cast_signed();
        if start < -size || start > size {
            return Err(Error::index(format!("start out of range (expected to be in range of [{}, {size}], but got {start})", -size)));
        }
        let start = if start < 0 { start + size } else { start };
        if start > size - length {
            return Err(Error::runtime(format!("start ({start}) + length ({length}) exceeds dimension size ({size}).")));
        }
        self.piece(dim, start.cast_unsigned(), length.cast_unsigned())
    }

    /// `select(dim, index)`: one place along a dimension, which vanishes.
    pub fn select(&self, dim: isize, index: isize) -> Result<Self> {
        if self.rank() == 0 {
            return Err(Error::index("select() cannot be applied to a 0-dim tensor."));
        }
        let dim = wrap_dim(dim, self.rank())?;
        let size = self.sizes[dim].cast_signed();
        if index < -size || index >= size {
            return Err(Error::index(format!(
                "select(): index {index} out of range for tensor of size {:?} at dimension {dim}",
                self.sizes.as_slice()
            )));
        }
        let mut view = self.clone();
        view.offset = self.offset_at(dim, if index < 0 { index + size } else { index }.cast_unsigned())?;
        view.sizes.remove(dim);
        view.strides.remove(dim);
        Ok(view)
    }

    /// `a[…, start:end:step, …]` at a dimension, with Python's meaning of negative, absent and too large ends.
    pub fn slice(&self, dim: isize, start: Option<isize>, end: Option<isize>, step: isize) -> Result<Self> {
        if self.rank() == 0 {
            return Err(Error::index("slice() cannot be applied to a 0-dim tensor."));
        }
        let dim = wrap_dim(dim, self.rank())?;
        match step {
            0 => return Err(Error::value("slice step cannot be zero")),
            ..0 => return Err(Error::value("step must be greater than zero")),
            _ => {}
        }
        let size = self.sizes[dim];
        let start = clamp_index(start.unwrap_or(0), size);
        let end = end.map_or(size, |end| clamp_index(end, size)).max(start);
        let step = step.cast_unsigned();
        let mut view = self.piece(dim, start, (end - start).div_ceil(step))?;
        view.strides[dim] = times(self.strides[dim], step);
        Ok(view)
    }

    /// `unfold(dim, size, step)`: the windows of that size, each `step` after the one before; their elements are a new last
    /// dimension.
    pub fn unfold(&self, dim: isize, size: isize, step: isize) -> Result<Self> {
        let dim = wrap_dim(dim, self.rank())?;
        let (present, stride) = if self.rank() == 0 { (1, 1) } else { (self.sizes[dim], self.strides[dim]) };
        if size < 0 {
            return Err(Error::runtime(format!("size is {size} but must be >= 0")));
        }
        if size > present.cast_signed() {
            return Err(Error::runtime(format!("maximum size for tensor at dimension {dim} is {present} but size is {size}")));
        }
        if step <= 0 {
            return Err(Error::runtime(format!("step is {step} but must be > 0")));
        }
        let (size, step) = (size.cast_unsigned(), step.cast_unsigned());
        let mut view = self.clone();
        if self.rank() > 0 {
            view.sizes[dim] = (present - size) / step + 1;
            view.strides[dim] = times(stride, step);
        }
        view.sizes.push(size);
        view.strides.push(stride);
        // Windows of windows have elements in common, and so more than any memory; windows without elements may be more than a size can say.
        numel(&view.sizes)?;
        if view.sizes.iter().any(|&size| size > LARGEST) {
            return Err(overflow_of_strided(&view.sizes, &view.strides));
        }
        Ok(view)
    }

    /// `diagonal(offset, dim1, dim2)`: a diagonal of each matrix that the two dimensions span, as a new last dimension.
    pub fn diagonal(&self, offset: isize, dim1: isize, dim2: isize) -> Result<Self> {
        let (row, column) = (wrap_dim(dim1, self.rank())?, wrap_dim(dim2, self.rank())?);
        if row == column {
            return Err(Error::runtime(format!("diagonal dimensions cannot be identical {dim1}, {dim2}")));
        }
        let skipped = offset.unsigned_abs();
        let (rows, columns) = match offset {
            0.. => (self.sizes[row], self.sizes[column].saturating_sub(skipped)),
            _ => (self.sizes[row].saturating_sub(skipped), self.sizes[column]),
        };
        let len = rows.min(columns);
        let mut view = self.clone();
        if len > 0 {
            view.offset = self.offset_at(if offset >= 0 { column } else { row }, skipped)?;
        }
        for dim in [row.max(column), row.min(column)] {
            view.sizes.remove(dim);
            view.strides.remove(dim);
        }
        view.sizes.push(len);
        view.strides.push(self.strides[row].saturating_add(self.strides[column]).min(LARGEST));
        Ok(view)
    }

    /// `unbind(dim)`: every place along a dimension, one after the other.
    pub fn unbind(&self, dim: isize) -> Result<Vec<Self>> {
        let dim = wrap_existing_dim(wrap_dim(dim, self.rank())?.cast_signed(), self.rank())?;
        let mut places = room(self.sizes[dim])?;
        for index in 0..self.sizes[dim] {
            places.push(self.select(dim.cast_signed(), index.cast_signed())?);
        }
        Ok(places)
    }

    /// `as_strided(size, stride, storage_offset)`: any elements of a storage of that many bytes; without an offset, that of this.
    pub fn as_strided(
        &self,
        sizes: &[isize],
        strides: &[isize],
        offset: Option<isize>,
        itemsize: usize,
        storage_nbytes: usize,
    ) -> Result<Self> {
        if sizes.len() != strides.len() {
            return Err(Error::runtime("mismatch in length of strides and shape"));
        }
        if strides.iter().any(|&stride| stride < 0) {
            return Err(Error::runtime(format!("as_strided: Negative strides are not supported at the moment, got strides: {strides:?}")));
        }
        let offset = offset.unwrap_or(self.offset.cast_signed());
        if offset < 0 {
            return Err(Error::runtime(format!("Tensor: invalid storage offset {offset}")));
        }
        if sizes.iter().any(|&size| size < 0) {
            return Err(Error::runtime(format!("Storage size calculation overflowed with sizes={sizes:?} and strides={strides:?}")));
        }
        let view = Self { sizes: unsigned(sizes), strides: unsigned(strides), offset: offset.cast_unsigned() };
        let needed = strided_nbytes(&view.sizes, &view.strides, view.offset, itemsize)?;
        if needed > storage_nbytes {
            return Err(Error::runtime(format!(
                "setStorage: sizes {sizes:?}, strides {strides:?}, storage offset {offset}, and itemsize {itemsize} requiring a storage \
                 size of {needed} are out of bounds for storage of size {storage_nbytes}"
            )));
        }
        numel(&view.sizes)?;
        Ok(view)
    }
}

/// An index of Python's slices: negative ones count from the end, all are pulled into 0..=size.
pub(super) fn clamp_index(index: isize, size: usize) -> usize {
    if index < 0 { size.saturating_sub(index.unsigned_abs()) } else { index.cast_unsigned().min(size) }
}
