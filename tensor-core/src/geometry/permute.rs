//! Views with the dimensions in another order.

use super::{Dims, Geometry, wrap_dim};
use crate::error::{Error, Result};

impl Geometry {
    fn reordered(&self, order: &[usize]) -> Self {
        self.with(order.iter().map(|&d| self.sizes[d]).collect(), order.iter().map(|&d| self.strides[d]).collect())
    }

    /// `transpose(dim0, dim1)`: two dimensions swapped.
    pub fn transpose(&self, dim0: isize, dim1: isize) -> Result<Self> {
        let (dim0, dim1) = (wrap_dim(dim0, self.rank())?, wrap_dim(dim1, self.rank())?);
        let mut view = self.clone();
        if self.rank() > 0 {
            view.sizes.swap(dim0, dim1);
            view.strides.swap(dim0, dim1);
        }
        Ok(view)
    }

    /// `t()`: the transpose of a matrix; a tensor of fewer dimensions is its own.
    #[inline]
    pub fn t(&self) -> Result<Self> {
        let swapped = |a: usize, b: usize| Dims::from_buf_and_len([b, a, 0, 0], 2);
        match (self.rank(), &*self.sizes, &*self.strides) {
            (_, &[m, n], &[s, t]) => Ok(self.with(swapped(m, n), swapped(s, t))),
            (0 | 1, ..) => Ok(self.clone()),
            (rank, ..) => Err(Error::runtime(format!("t() expects a tensor with <= 2 dimensions, but self is {rank}D"))),
        }
    }

    /// `mT`: the transposes of a batch of matrices.
    pub fn matrix_transpose(&self) -> Result<Self> {
        match self.rank() {
            0 => Ok(self.clone()),
            1 => Err(Error::runtime("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")),
            _ => self.transpose(-2, -1),
        }
    }

    /// `T`: all dimensions in reverse order.
    #[must_use]
    pub fn reverse_dims(&self) -> Self {
        let order: Dims = (0..self.rank()).rev().collect();
        self.reordered(&order)
    }

    /// `permute(dims)`: dimension `i` of the view is dimension `dims[i]` of this.
    pub fn permute(&self, dims: &[isize]) -> Result<Self> {
        if dims.len() != self.rank() {
            return Err(Error::runtime(format!(
                "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of \
                 dimensions i.e. input.dim() = {} is not equal to len(dims) = {}",
                self.rank(),
                dims.len()
            )));
        }
        let mut order = Dims::new();
        for &dim in dims {
            let dim = wrap_dim(dim, self.rank())?;
            if order.contains(&dim) {
                return Err(Error::runtime("permute(): duplicate dims are not allowed."));
            }
            order.push(dim);
        }
        Ok(self.reordered(&order))
    }

    /// `movedim(source, destination)`: those dimensions moved to those places, the others in their order around them.
    pub fn movedim(&self, source: &[isize], destination: &[isize]) -> Result<Self> {
        if source.len() != destination.len() {
            return Err(Error::runtime(format!(
                "movedim: Invalid source or destination dims: source ({source:?} dims) should contain the same number of dims as \
                 destination ({destination:?} dims)"
            )));
        }
        let wrapped = |dims: &[isize]| dims.iter().map(|&dim| wrap_dim(dim, self.rank())).collect::<Result<Dims>>();
        let (from, to) = (wrapped(source)?, wrapped(destination)?);
        for (name, given, dims) in [("source", source, &from), ("destination", destination, &to)] {
            if (1..dims.len()).any(|d| dims[..d].contains(&dims[d])) {
                return Err(Error::runtime(format!("movedim: repeated dim in `{name}` ({given:?})")));
            }
        }
        let mut others = (0..self.rank()).filter(|d| !from.contains(d));
        let order: Dims = (0..self.rank())
            .filter_map(|place| match to.iter().position(|&d| d == place) {
                Some(moved) => Some(from[moved]),
                None => others.next(),
            })
            .collect();
        Ok(self.reordered(&order))
    }
}
