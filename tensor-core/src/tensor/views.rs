//! Views with types: what each is known to give, of dtype and of shape. A view shares the storage, and what is written to it is
//! seen by all. What a view comes to is decided in [`geometry`](crate::geometry). Other orders of the dimensions are in
//! `tensor/transposes.rs`, other dtypes in `tensor/reinterpret.rs`, indexing in `tensor/index.rs`.

use super::Tensor;
use crate::element::Element;
use crate::error::Result;
use crate::geometry::split::Cuts;
use crate::raw::RawTensor;
use crate::shape::{AnyShape, Rank, Shape, ShapeArgument};

fn all<E: Element, S: Shape>(views: Result<Vec<RawTensor>>) -> Result<Vec<Tensor<E, S>>> {
    Ok(views?.into_iter().map(Tensor::proved).collect())
}

/// Other sizes over the same elements in the same order.
impl<E: Element, S: Shape> Tensor<E, S> {
    /// PyTorch's `view(shape)`; one of the sizes may be -1, or `_` in `shape![_, 3]`.
    ///
    /// # Errors
    /// Where the shape has another number of elements, or the strides don't allow it without a copy.
    pub fn view<R: ShapeArgument>(&self, shape: R) -> Result<Tensor<E, R::Shape>> {
        self.raw.view(&shape.signed_sizes()).map(Tensor::proved)
    }

    /// The view with the shape of another tensor.
    ///
    /// # Errors
    /// As [`view`](Self::view).
    pub fn view_as<F: Element, R: Shape>(&self, other: &Tensor<F, R>) -> Result<Tensor<E, R>> {
        self.raw.view(&other.raw.sizes().signed_sizes()).map(Tensor::proved)
    }

    /// PyTorch's `reshape(shape)`: a view where the strides allow one, else a contiguous copy.
    ///
    /// # Errors
    /// Where the shape has another number of elements.
    pub fn reshape<R: ShapeArgument>(&self, shape: R) -> Result<Tensor<E, R::Shape>> {
        self.raw.reshape(&shape.signed_sizes()).map(Tensor::proved)
    }

    /// [`reshape`](Self::reshape) to the shape of another tensor.
    ///
    /// # Errors
    /// As `reshape`.
    pub fn reshape_as<F: Element, R: Shape>(&self, other: &Tensor<F, R>) -> Result<Tensor<E, R>> {
        self.raw.reshape(&other.raw.sizes().signed_sizes()).map(Tensor::proved)
    }

    /// The dimensions from `start` to `end`, both included, as one; a view where the strides allow one.
    ///
    /// # Errors
    /// Where there are no such dimensions.
    pub fn flatten(&self, start: isize, end: isize) -> Result<Tensor<E, AnyShape>> {
        self.raw.flatten(start, end).map(Tensor::proved)
    }

    /// All elements in one dimension; a view where the strides allow one.
    ///
    /// # Errors
    /// Where there is no memory for a copy.
    pub fn ravel(&self) -> Result<Tensor<E, Rank<1>>> {
        self.raw.ravel().map(Tensor::proved)
    }

    /// One dimension as several; one of their sizes may be -1.
    ///
    /// # Errors
    /// Where the sizes don't multiply to that of the dimension.
    pub fn unflatten(&self, dim: isize, sizes: impl ShapeArgument) -> Result<Tensor<E, AnyShape>> {
        self.raw.unflatten(dim, &sizes.signed_sizes()).map(Tensor::proved)
    }

    /// Without the dimensions of size 1.
    #[must_use]
    pub fn squeeze(&self) -> Tensor<E, AnyShape> {
        Tensor::proved(self.raw.squeeze())
    }

    /// PyTorch's `squeeze(dim)`: without those of the dimensions that have size 1.
    ///
    /// # Errors
    /// Where there are no such dimensions, or one is named twice.
    pub fn squeeze_dims(&self, dims: impl AsRef<[isize]>) -> Result<Tensor<E, AnyShape>> {
        self.raw.squeeze_dims(dims.as_ref()).map(Tensor::proved)
    }

    /// With a dimension of size 1 at that place.
    ///
    /// # Errors
    /// Where there is no such place.
    pub fn unsqueeze(&self, dim: isize) -> Result<Tensor<E, S::More>> {
        self.raw.unsqueeze(dim).map(Tensor::proved)
    }

    /// Dimensions of size 1 repeated, and new ones put in front; -1, or `_` in `shape![_, 3]`, keeps a size.
    ///
    /// # Errors
    /// Where another size would have to be repeated.
    pub fn expand<R: ShapeArgument>(&self, shape: R) -> Result<Tensor<E, R::Shape>> {
        self.raw.expand(&shape.signed_sizes()).map(Tensor::proved)
    }

    /// [`expand`](Self::expand) to the shape of another tensor.
    ///
    /// # Errors
    /// As `expand`.
    pub fn expand_as<F: Element, R: Shape>(&self, other: &Tensor<F, R>) -> Result<Tensor<E, R>> {
        self.raw.expand_as(&other.raw).map(Tensor::proved)
    }

    /// PyTorch's other name of [`expand`](Self::expand).
    ///
    /// # Errors
    /// As `expand`.
    pub fn broadcast_to<R: ShapeArgument>(&self, shape: R) -> Result<Tensor<E, R::Shape>> {
        self.expand(shape)
    }
}

/// Some of the elements.
impl<E: Element, S: Shape> Tensor<E, S> {
    /// `length` places along a dimension; a negative start counts from the end.
    ///
    /// # Errors
    /// Where the dimension hasn't got them.
    pub fn narrow(&self, dim: isize, start: isize, length: isize) -> Result<Tensor<E, S::Loose>> {
        self.raw.narrow(dim, start, length).map(Tensor::proved)
    }

    /// One place along a dimension, which vanishes.
    ///
    /// # Errors
    /// Where the index is out of range.
    pub fn select(&self, dim: isize, index: isize) -> Result<Tensor<E, S::Less>> {
        self.raw.select(dim, index).map(Tensor::proved)
    }

    /// The windows of that size along a dimension, each `step` behind the one before, as a new last dimension.
    ///
    /// # Errors
    /// Where no window fits, or the step isn't positive.
    pub fn unfold(&self, dim: isize, size: isize, step: isize) -> Result<Tensor<E, S::More>> {
        self.raw.unfold(dim, size, step).map(Tensor::proved)
    }

    /// A diagonal of each matrix that two dimensions span, as a new last dimension.
    ///
    /// # Errors
    /// Where the dimensions are one.
    pub fn diagonal(&self, offset: isize, dim1: isize, dim2: isize) -> Result<Tensor<E, S::Less>> {
        self.raw.diagonal(offset, dim1, dim2).map(Tensor::proved)
    }

    /// Any elements of the storage, in this tensor or not; without an offset, from this tensor's on.
    ///
    /// # Errors
    /// Where they reach beyond the storage.
    pub fn as_strided<R: ShapeArgument>(
        &self,
        sizes: R,
        strides: impl ShapeArgument,
        offset: Option<isize>,
    ) -> Result<Tensor<E, R::Shape>> {
        self.raw.as_strided(&sizes.signed_sizes(), &strides.signed_sizes(), offset).map(Tensor::proved)
    }
}

/// Several views that together are the tensor.
impl<E: Element, S: Shape> Tensor<E, S> {
    /// Pieces of one size along a dimension; the last one may be shorter.
    ///
    /// # Errors
    /// Where the size is negative, or 0 for a dimension that isn't empty.
    pub fn split(&self, size: isize, dim: isize) -> Result<Vec<Tensor<E, S::Loose>>> {
        all(self.raw.split(size, dim))
    }

    /// Pieces of those sizes along a dimension.
    ///
    /// # Errors
    /// Where they don't add up to the dimension's size.
    pub fn split_with_sizes(&self, sizes: impl AsRef<[isize]>, dim: isize) -> Result<Vec<Tensor<E, S::Loose>>> {
        all(self.raw.split_with_sizes(sizes.as_ref(), dim))
    }

    /// At most so many pieces of one size; the last one may be shorter.
    ///
    /// # Errors
    /// Where the number isn't positive.
    pub fn chunk(&self, chunks: isize, dim: isize) -> Result<Vec<Tensor<E, S::Loose>>> {
        all(self.raw.chunk(chunks, dim))
    }

    /// So many pieces of nearly one size, or pieces cut before each of the indices: `x.tensor_split(3, 0)`, `x.tensor_split(&[1, 4], 0)`.
    ///
    /// # Errors
    /// Where the number isn't positive.
    pub fn tensor_split<'a>(&self, cuts: impl Into<Cuts<'a>>, dim: isize) -> Result<Vec<Tensor<E, S::Loose>>> {
        all(self.raw.tensor_split(cuts.into(), dim))
    }

    /// Equal pieces along the second dimension, or the only one.
    ///
    /// # Errors
    /// Where there are no dimensions, or the pieces aren't equal.
    pub fn hsplit<'a>(&self, cuts: impl Into<Cuts<'a>>) -> Result<Vec<Tensor<E, S::Loose>>> {
        all(self.raw.hsplit(cuts.into()))
    }

    /// Equal pieces along the first dimension of at least two.
    ///
    /// # Errors
    /// Where there are fewer dimensions, or the pieces aren't equal.
    pub fn vsplit<'a>(&self, cuts: impl Into<Cuts<'a>>) -> Result<Vec<Tensor<E, S::Loose>>> {
        all(self.raw.vsplit(cuts.into()))
    }

    /// Equal pieces along the third dimension.
    ///
    /// # Errors
    /// Where there are fewer dimensions, or the pieces aren't equal.
    pub fn dsplit<'a>(&self, cuts: impl Into<Cuts<'a>>) -> Result<Vec<Tensor<E, S::Loose>>> {
        all(self.raw.dsplit(cuts.into()))
    }

    /// Every place along a dimension, one after the other.
    ///
    /// # Errors
    /// Where there is no such dimension.
    pub fn unbind(&self, dim: isize) -> Result<Vec<Tensor<E, S::Less>>> {
        all(self.raw.unbind(dim))
    }
}
