//! Views with the same elements in the same order under other sizes: `view`, `reshape`, `flatten`, `squeeze` and their kin.

use super::strides::contiguous_strides;
use super::{Dims, Geometry, times, unsigned, wrap_dim, wrap_distinct_dims, wrap_existing_dim};
use crate::error::{Error, Result};

/// What `reshape` comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reshaped {
    /// The strides allow it without a copy.
    View(Geometry),
    /// The elements must be copied to a contiguous tensor of those sizes.
    Copy(Dims),
}

/// Why sizes with a -1 in them don't describe that many elements.
enum Uninferable {
    /// They multiply to another number.
    Mismatch,
    /// They mean nothing in themselves.
    Refused(String),
}

/// Sizes in which one -1 stands for whatever gives that number of elements.
pub fn infer_sizes(shape: &[isize], numel: usize) -> Result<Dims> {
    infer(shape, numel).map_err(|why| match why {
        Uninferable::Mismatch => Error::runtime(format!("shape '{shape:?}' is invalid for input of size {numel}")),
        Uninferable::Refused(text) => Error::runtime(text),
    })
}

fn infer(shape: &[isize], numel: usize) -> Result<Dims, Uninferable> {
    let refused = |text: String| Err(Uninferable::Refused(text));
    let mut open = None;
    let mut known = Some(1_usize);
    for (d, &size) in shape.iter().enumerate() {
        match size {
            -1 if open.is_some() => return refused("only one dimension can be inferred".into()),
            -1 => open = Some(d),
            0 => known = Some(0),
            1.. if known == Some(0) => {}
            1.. => known = known.and_then(|n| n.checked_mul(size.cast_unsigned())),
            _ => return refused(format!("invalid shape dimension {size} at index {d} of shape {shape:?}")),
        }
    }
    let mut sizes = unsigned(shape);
    // More elements than can be counted are certainly not those of the tensor.
    let known = known.ok_or(Uninferable::Mismatch)?;
    match open {
        None if known == numel => Ok(sizes),
        Some(_) if known == 0 && numel == 0 => refused(format!(
            "cannot reshape tensor of 0 elements into shape {shape:?} because the unspecified dimension size -1 can be any value and is \
             ambiguous"
        )),
        Some(d) if known > 0 && numel.is_multiple_of(known) => {
            sizes[d] = numel / known;
            Ok(sizes)
        }
        _ => Err(Uninferable::Mismatch),
    }
}

impl Geometry {
    /// The strides that show the same elements under other sizes of the same product, where such strides exist.
    ///
    /// Old dimensions that step through memory as one form a chunk; each chunk must be tiled by new dimensions exactly.
    fn strides_under(&self, sizes: &[usize]) -> Option<Dims> {
        if self.rank() == 0 {
            return Some(Dims::from_elem(1, sizes.len()));
        }
        if self.sizes.contains(&0) {
            return Some(if self.sizes.as_slice() == sizes { self.strides.clone() } else { contiguous_strides(sizes) });
        }
        let mut strides = Dims::from_elem(0, sizes.len());
        let mut open = sizes.len();
        let (mut base, mut chunk) = (self.strides[self.rank() - 1], 1);
        for d in (0..self.rank()).rev() {
            chunk = times(chunk, self.sizes[d]);
            let goes_on = d > 0 && (self.sizes[d - 1] == 1 || self.strides[d - 1] == times(chunk, base));
            if goes_on {
                continue;
            }
            let mut tiled = 1;
            while open > 0 && (tiled < chunk || sizes[open - 1] == 1) {
                open -= 1;
                strides[open] = times(tiled, base);
                tiled = times(tiled, sizes[open]);
            }
            if tiled != chunk {
                return None;
            }
            if d > 0 {
                (base, chunk) = (self.strides[d - 1], 1);
            }
        }
        (open == 0).then_some(strides)
    }

    /// `view(shape)`: other sizes over the same memory; one of them may be -1.
    pub fn view(&self, shape: &[isize]) -> Result<Self> {
        match self.reshape(shape)? {
            Reshaped::View(geometry) => Ok(geometry),
            Reshaped::Copy(_) => Err(Error::runtime(
                "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous \
                 subspaces). Use .reshape(...) instead.",
            )),
        }
    }

    /// `reshape(shape)`: a view where the strides allow one.
    pub fn reshape(&self, shape: &[isize]) -> Result<Reshaped> {
        Ok(self.reshape_exactly(infer_sizes(shape, self.numel())?))
    }

    fn reshape_exactly(&self, sizes: Dims) -> Reshaped {
        match self.strides_under(&sizes) {
            Some(strides) => Reshaped::View(self.with(sizes, strides)),
            None => Reshaped::Copy(sizes),
        }
    }

    /// `flatten(start, end)`: the dimensions from `start` to `end`, both included, as one.
    pub fn flatten(&self, start: isize, end: isize) -> Result<Reshaped> {
        let (start, end) = (wrap_dim(start, self.rank())?, wrap_dim(end, self.rank())?);
        if start > end {
            return Err(Error::runtime("flatten() has invalid args: start_dim cannot come after end_dim"));
        }
        if self.rank() == 0 {
            return Ok(self.reshape_exactly(Dims::from_elem(1, 1)));
        }
        if start == end {
            return Ok(Reshaped::View(self.clone()));
        }
        let flat = self.sizes[start..=end].iter().fold(1, |n, &size| times(n, size));
        let mut sizes = Dims::from_slice(&self.sizes[..start]);
        sizes.push(flat);
        sizes.extend_from_slice(&self.sizes[end + 1..]);
        Ok(self.reshape_exactly(sizes))
    }

    /// `unflatten(dim, sizes)`: one dimension as several; one of the sizes may be -1.
    pub fn unflatten(&self, dim: isize, sizes: &[isize]) -> Result<Self> {
        let dim = wrap_dim(dim, self.rank())?;
        if sizes.is_empty() {
            return Err(Error::runtime("unflatten: sizes must be non-empty"));
        }
        let unexpected = |text: &str| Error::runtime(format!("unflatten got an unexpected error:\n{text}"));
        wrap_existing_dim(dim.cast_signed(), self.rank()).map_err(|e| unexpected(e.message()))?;
        let size = self.sizes[dim];
        let inner = infer(sizes, size).map_err(|why| match why {
            Uninferable::Mismatch => Error::runtime(format!(
                "unflatten: Provided sizes {sizes:?} don't multiply up to the size of dim {dim} ({size}) in the input tensor"
            )),
            Uninferable::Refused(text) => unexpected(&text),
        })?;
        let mut shape: Vec<isize> = self.sizes.iter().map(|size| size.cast_signed()).collect();
        shape.splice(dim..=dim, inner.iter().map(|size| size.cast_signed()));
        self.view(&shape)
    }

    /// `squeeze()`: without the dimensions of size 1.
    #[must_use]
    pub fn squeeze(&self) -> Self {
        self.keep_dims(|d| self.sizes[d] != 1)
    }

    /// `squeeze(dims)`: without those of the dimensions that have size 1.
    pub fn squeeze_dims(&self, dims: &[isize]) -> Result<Self> {
        let dims = wrap_distinct_dims(dims, self.rank())?;
        Ok(self.keep_dims(|d| self.sizes[d] != 1 || !dims.contains(&d)))
    }

    fn keep_dims(&self, keep: impl Fn(usize) -> bool) -> Self {
        let kept = |dims: &[usize]| (0..self.rank()).filter(|&d| keep(d)).map(|d| dims[d]).collect();
        self.with(kept(&self.sizes), kept(&self.strides))
    }

    /// `unsqueeze(dim)`: a dimension of size 1 at that place.
    pub fn unsqueeze(&self, dim: isize) -> Result<Self> {
        let dim = wrap_dim(dim, self.rank() + 1)?;
        let mut view = self.clone();
        view.strides.insert(dim, if dim < self.rank() { times(self.sizes[dim], self.strides[dim]) } else { 1 });
        view.sizes.insert(dim, 1);
        Ok(view)
    }
}
