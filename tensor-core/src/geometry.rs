//! Sizes, strides and offsets as pure arithmetic: no tensor, no storage, no unsafe.
//!
//! [`strides`] and [`order`] say how elements lie in memory, [`broadcast`] how shapes meet, [`reshape`], [`permute`], [`index`],
//! [`split`] and [`reinterpret`] hold the views as methods of [`Geometry`], [`overlap`] and [`merge`] serve the plan.

use smallvec::SmallVec;

use crate::error::{Error, Result};

pub mod broadcast;
pub mod index;
pub mod merge;
pub mod order;
pub mod overlap;
pub mod permute;
pub mod reinterpret;
pub mod reshape;
pub mod split;
pub mod strides;
mod sums;

/// Sizes or strides, in elements; rarely more than four. Every tensor has two of them, and is moved often.
pub type Dims = SmallVec<[usize; 4]>;

/// No size, stride, offset or count of elements is larger.
pub(crate) const LARGEST: usize = isize::MAX.cast_unsigned();

/// Where a tensor's elements lie in its storage: element (i, j, …) at `offset + strides[0] * i + strides[1] * j + …`.
///
/// No number in it exceeds `isize::MAX`.
#[derive(Debug, PartialEq, Eq, Hash, Default)]
pub struct Geometry {
    /// The number of elements along each dimension.
    pub sizes: Dims,
    /// How far apart neighbours along each dimension lie.
    pub strides: Dims,
    /// Where the first element lies.
    pub offset: usize,
}

/// Every tensor is cloned through this, so the numbers are copied at once.
impl Clone for Geometry {
    #[inline]
    fn clone(&self) -> Self {
        Self { sizes: copied(&self.sizes), strides: copied(&self.strides), offset: self.offset }
    }
}

/// The same numbers. Few are written one by one: a copy whose length only the run knows is a call.
#[inline]
fn copied(dims: &Dims) -> Dims {
    few(dims).map_or_else(|| Dims::from_slice(dims), |few| Dims::from_buf_and_len(few, dims.len()))
}

/// The numbers, and zeros after them, where there are few.
#[inline]
fn few(dims: &Dims) -> Option<[usize; 4]> {
    Some(match *dims.as_slice() {
        [] => [0; 4],
        [a] => [a, 0, 0, 0],
        [a, b] => [a, b, 0, 0],
        [a, b, c] => [a, b, c, 0],
        [a, b, c, d] => [a, b, c, d],
        _ => return None,
    })
}

/// The same numbers but for one, which is there.
#[inline]
fn replaced(dims: &Dims, at: usize, number: usize) -> Dims {
    match few(dims) {
        // What is changed where it lies is read again before it has got there.
        Some(few) => Dims::from_buf_and_len(std::array::from_fn(|place| if place == at { number } else { few[place] }), dims.len()),
        None => {
            let mut dims = Dims::from_slice(dims);
            dims[at] = number;
            dims
        }
    }
}

impl Geometry {
    /// Elements in row-major order, from the start of a storage.
    #[must_use]
    pub fn contiguous(sizes: &[usize]) -> Self {
        Self { sizes: sizes.into(), strides: strides::contiguous_strides(sizes), offset: 0 }
    }

    /// The number of dimensions.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.sizes.len()
    }

    /// The number of elements.
    #[must_use]
    pub fn numel(&self) -> usize {
        count(&self.sizes)
    }

    /// The places of the first and the last element in the storage, as counted in elements; `None` without elements.
    pub fn extent(&self) -> Result<Option<(usize, usize)>> {
        if self.sizes.contains(&0) {
            return Ok(None);
        }
        let last = last_place(&self.sizes, &self.strides, self.offset);
        last.map(|last| Some((self.offset, last))).ok_or_else(|| overflow_of_strided(&self.sizes, &self.strides))
    }

    /// The bytes that a storage must have to hold every element; 0 without elements, whatever the offset.
    pub fn needed_bytes(&self, itemsize: usize) -> Result<usize> {
        strided_nbytes(&self.sizes, &self.strides, self.offset, itemsize)
    }

    /// The same places with another dimension order, sizes or strides.
    pub(crate) fn with(&self, sizes: Dims, strides: Dims) -> Self {
        Self { sizes, strides, offset: self.offset }
    }
}

/// A product that stays at the largest possible number instead of overflowing: right wherever the product belongs to a dimension
/// with more than one element, and without meaning elsewhere.
pub(crate) fn times(a: usize, b: usize) -> usize {
    a.saturating_mul(b).min(LARGEST)
}

/// How many elements a tensor of these sizes has. Where one of them is zero the others may be any numbers.
pub(crate) fn count(sizes: &[usize]) -> usize {
    sizes.iter().fold(1, |n, &size| times(n, size))
}

/// The product of all sizes and `first`, or `None` where one on the way to it doesn't fit, be there a zero after it or not.
fn product(first: usize, sizes: &[usize]) -> Option<usize> {
    sizes.iter().try_fold(first, |n, &size| n.checked_mul(size)).filter(|&n| n <= LARGEST)
}

/// The number of elements of a shape.
pub fn numel(sizes: &[usize]) -> Result<usize> {
    product(1, sizes).ok_or_else(|| Error::runtime("numel: integer multiplication overflow"))
}

/// The bytes of a dense tensor of that shape.
pub fn dense_nbytes(sizes: &[usize], itemsize: usize) -> Result<usize> {
    let nbytes = product(1, sizes).and_then(|n| product(n, &[itemsize]));
    nbytes.ok_or_else(|| Error::runtime(format!("Storage size calculation overflowed with sizes={sizes:?}")))
}

/// The bytes of a storage that holds a tensor of those sizes and strides at that offset.
pub fn strided_nbytes(sizes: &[usize], strides: &[usize], offset: usize, itemsize: usize) -> Result<usize> {
    if sizes.contains(&0) {
        return Ok(0);
    }
    let elements = last_place(sizes, strides, offset).and_then(|last| last.checked_add(1));
    elements.and_then(|n| product(n, &[itemsize])).ok_or_else(|| overflow_of_strided(sizes, strides))
}

fn last_place(sizes: &[usize], strides: &[usize], offset: usize) -> Option<usize> {
    let last = sizes.iter().zip(strides).try_fold(offset, |place, (&size, &stride)| place.checked_add((size - 1).checked_mul(stride)?))?;
    (last <= LARGEST).then_some(last)
}

fn overflow_of_strided(sizes: &[usize], strides: &[usize]) -> Error {
    Error::runtime(format!("Storage size calculation overflowed with sizes={sizes:?} and strides={strides:?}"))
}

/// The dimension that `dim` means, where negative ones count from the end. A tensor without dimensions takes 0 and -1.
#[inline]
pub fn wrap_dim(dim: isize, rank: usize) -> Result<usize> {
    let count = rank.max(1).cast_signed();
    if dim < -count || dim >= count {
        return Err(out_of_range(dim, count));
    }
    Ok(if dim < 0 { dim + count } else { dim }.cast_unsigned())
}

#[cold]
fn out_of_range(dim: isize, count: isize) -> Error {
    let last = count - 1;
    Error::index(format!("Dimension out of range (expected to be in range of [{}, {last}], but got {dim})", -count))
}

/// [`wrap_dim`] for what needs a dimension that is there, such as `size`.
pub fn wrap_existing_dim(dim: isize, rank: usize) -> Result<usize> {
    if rank == 0 {
        return Err(Error::index(format!("Dimension specified as {dim} but tensor has no dimensions")));
    }
    wrap_dim(dim, rank)
}

/// Each of several dimensions as [`wrap_dim`] gives it; none may come twice.
pub fn wrap_distinct_dims(dims: &[isize], rank: usize) -> Result<Dims> {
    let mut wrapped = Dims::new();
    for &dim in dims {
        let dim = wrap_dim(dim, rank)?;
        if wrapped.contains(&dim) {
            return Err(Error::runtime(format!("dim {dim} appears multiple times in the list of dims")));
        }
        wrapped.push(dim);
    }
    Ok(wrapped)
}

/// Sizes that a caller gave as signed numbers, for a new tensor.
pub fn checked_sizes(sizes: &[isize]) -> Result<Dims> {
    match sizes.iter().find(|&&size| size < 0) {
        Some(size) => Err(Error::runtime(format!("Trying to create tensor with negative dimension {size}: {sizes:?}"))),
        None => Ok(unsigned(sizes)),
    }
}

/// Numbers that are known not to be negative.
fn unsigned(numbers: &[isize]) -> Dims {
    numbers.iter().map(|n| n.cast_unsigned()).collect()
}
