//! Views with types: what each is known to give, of dtype and of shape. A view shares the storage, and what is written to it is
//! seen by all. What a view comes to is decided in [`geometry`](crate::geometry). Other orders of the dimensions are in
//! `tensor/transposes.rs`, other dtypes in `tensor/reinterpret.rs`, indexing in `tensor/index.rs`.

use super::dims::SqueezeArgument;
use super::{DimArgument, NewDimArgument, OneDim, Tensor, made};
use crate::call::Function;
use crate::element::Element;
use crate::error::{Error, Result, proved};
use crate::shape::{
    AnyShape, Certainty, Dim, IntegerList, One, Rank, Shape, ShapeArgument, SizeInteger, assert_expands, assert_same_count,
};

/// Other sizes over the same elements in the same order.
impl<E: Element, S: Shape> Tensor<E, S> {
    as_written! {
        /// PyTorch's `view(shape)`: `x.view(shape![4, 2])`, or with sizes of the run, `x.view([n, 2])?`; one of them may be -1, or `_`, which the run
        /// computes.
        ///
        /// Another number of elements, where types know both, isn't built:
        ///
        /// ```compile_fail,E0080
        /// # use latten_core::{shape::D, tensor::Tensor};
        /// let six = Tensor::from([[1, 2, 3], [4, 5, 6]]);
        /// six.view((D::<4>, D::<2>)); // shape '[4, 2]' is invalid for input of size 6
        /// ```
        ///
        /// # Panics
        /// Where [`try_view`](Self::try_view) is an error.
        #[track_caller]
        pub fn view<R: ShapeArgument>( // one list of sizes: x.view([4, -1])?, x.view(shape![4, 2])
            &self,
            shape: R,
        ) -> <R::Certainty as Certainty>::Given<Tensor<E, R::Shape>> {
            const { assert_same_count(S::SIZES, R::SIZES) };
            R::Certainty::give(self.try_view(shape))
        }
    }

    /// What [`view`](Self::view) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where the shape has another number of elements, or the strides don't allow it without a copy.
    pub fn try_view<R: ShapeArgument>(&self, shape: R) -> Result<Tensor<E, R::Shape>> {
        made(Function::View, &[(&self.raw).into(), (&shape.signed_sizes()[..]).into()])
    }

    /// The view with the shape of another tensor.
    ///
    /// # Panics
    /// Where [`try_view_as`](Self::try_view_as) is an error.
    #[must_use]
    #[track_caller]
    pub fn view_as<F: Element, R: Shape>(&self, other: &Tensor<F, R>) -> Tensor<E, R> {
        proved(self.try_view_as(other))
    }

    /// What [`view_as`](Self::view_as) gives, or the error that it panics with.
    ///
    /// # Errors
    /// As [`view`](Self::view).
    pub fn try_view_as<F: Element, R: Shape>(&self, other: &Tensor<F, R>) -> Result<Tensor<E, R>> {
        made(Function::ViewAs, &[(&self.raw).into(), (&other.raw).into()])
    }

    as_written! {
        /// PyTorch's `reshape(shape)`: a view where the strides allow one, else a contiguous copy: `x.reshape(shape![3, 2])`, `x.reshape(shape![_, 2])`,
        /// or with sizes of the run, `x.reshape([3, n])?`. Another number of elements, where types know both, isn't built.
        ///
        /// # Panics
        /// Where [`try_reshape`](Self::try_reshape) is an error.
        #[track_caller]
        pub fn reshape<R: ShapeArgument>( // one list of sizes: x.reshape([4, -1])?, x.reshape(shape![4, 2])
            &self,
            shape: R,
        ) -> <R::Certainty as Certainty>::Given<Tensor<E, R::Shape>> {
            const { assert_same_count(S::SIZES, R::SIZES) };
            R::Certainty::give(self.try_reshape(shape))
        }
    }

    /// What [`reshape`](Self::reshape) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where the shape has another number of elements.
    pub fn try_reshape<R: ShapeArgument>(&self, shape: R) -> Result<Tensor<E, R::Shape>> {
        made(Function::Reshape, &[(&self.raw).into(), (&shape.signed_sizes()[..]).into()])
    }

    /// [`reshape`](Self::reshape) to the shape of another tensor.
    ///
    /// # Panics
    /// Where [`try_reshape_as`](Self::try_reshape_as) is an error.
    #[must_use]
    #[track_caller]
    pub fn reshape_as<F: Element, R: Shape>(&self, other: &Tensor<F, R>) -> Tensor<E, R> {
        proved(self.try_reshape_as(other))
    }

    /// What [`reshape_as`](Self::reshape_as) gives, or the error that it panics with.
    ///
    /// # Errors
    /// As `reshape`.
    pub fn try_reshape_as<F: Element, R: Shape>(&self, other: &Tensor<F, R>) -> Result<Tensor<E, R>> {
        made(Function::ReshapeAs, &[(&self.raw).into(), (&other.raw).into()])
    }

    as_written! {
        /// All dimensions as one; a view where the strides allow one.
        ///
        /// # Panics
        /// Where there is no memory for a copy.
        #[must_use]
        #[track_caller]
        pub fn flatten( // all but the first: x.flatten_with(1, -1)?, or of a known rank x.reshape(shape![_, 784])
            &self,
        ) -> Tensor<E, Rank<1>> {
            proved(made(Function::Flatten, &[(&self.raw).into()]))
        }
    }

    /// The dimensions from `start` to `end`, both included, as one: PyTorch's `flatten(start_dim, end_dim)`.
    ///
    /// # Errors
    /// Where there are no such dimensions.
    pub fn flatten_with(&self, start: impl SizeInteger, end: impl SizeInteger) -> Result<Tensor<E, AnyShape>> {
        made(Function::Flatten, &[(&self.raw).into(), start.to_isize().into(), end.to_isize().into()])
    }

    /// All elements in one dimension; a view where the strides allow one.
    ///
    /// # Panics
    /// Where there is no memory for a copy.
    #[must_use]
    #[track_caller]
    pub fn ravel(&self) -> Tensor<E, Rank<1>> {
        proved(made(Function::Ravel, &[(&self.raw).into()]))
    }

    /// One dimension as several; one of their sizes may be -1.
    ///
    /// # Errors
    /// Where the sizes don't multiply to that of the dimension.
    pub fn unflatten(&self, dim: impl OneDim, sizes: impl ShapeArgument) -> Result<Tensor<E, AnyShape>> {
        made(Function::Unflatten, &[(&self.raw).into(), dim.dim().into(), (&sizes.signed_sizes()[..]).into()])
    }

    as_written! {
        /// PyTorch's `squeeze(dim)`: without a dimension of size 1 that the type knows, `x.squeeze(axis::<1>())`, or several, `x.squeeze(axes![0, 2])`;
        /// without one that the run finds to have size 1, `x.squeeze(1)?` (along an axis whose size the type doesn't know it panics where it is
        /// larger); without those of several that have it, `x.squeeze([0, -1])?`, or of all,
        /// `x.squeeze(..)`.
        ///
        /// # Errors
        /// Where there are no such dimensions, one is named twice, or the one of a type that counts the dimensions is larger than 1.
        #[track_caller]
        pub fn squeeze<A: SqueezeArgument<S>>( // x.squeeze(axis::<1>()), x.squeeze(1)?; all: x.squeeze(..)
            &self,
            dims: A,
        ) -> <A::Certainty as Certainty>::Given<Tensor<E, A::Squeezed>> {
            let dims = dims.dims();
            let (function, which) = match dims[..] {
                _ if A::ALL => (Function::Squeeze, (&dims[..]).into()),
                [dim] => (Function::SqueezeDim, dim.into()),
                _ => (Function::SqueezeDims, (&dims[..]).into()),
            };
            let arguments = [(&self.raw).into(), which];
            A::Certainty::give(made(function, &arguments[..if A::ALL { 1 } else { 2 }]).and_then(|left: Tensor<E>| match A::Squeezed::admits(left.sizes()) {
                true => Ok(Tensor::proved(left.raw)),
                false => Err(larger_than_one(self.sizes(), dims[0])),
            }))
        }
    }

    /// With a dimension of size 1 at that place: `x.unsqueeze(axis::<0>())`, or `x.unsqueeze(0)?`.
    ///
    /// # Errors
    /// Where there is no such place.
    #[track_caller]
    pub fn unsqueeze<A: NewDimArgument<S>>(&self, dim: A) -> <A::Certainty as Certainty>::Given<Tensor<E, A::With<One>>> {
        A::Certainty::give(made(Function::Unsqueeze, &[(&self.raw).into(), dim.dim().into()]))
    }

    as_written! {
        /// Dimensions of size 1 repeated, and new ones put in front; -1, or `_` in `shape![_, 3]`, keeps a size: `x.expand(shape![4, 3])`, or with
        /// sizes of the run, `x.expand([n, 3])?`. What types know not to fit isn't built.
        ///
        /// ```compile_fail,E0080
        /// # use latten_core::{shape::D, tensor::Tensor};
        /// Tensor::from([1, 2, 3]).expand((D::<2>, D::<4>)); // The expanded size of the tensor (4) must match the existing size (3) …
        /// ```
        ///
        /// # Panics
        /// Where [`try_expand`](Self::try_expand) is an error.
        #[track_caller]
        pub fn expand<R: ShapeArgument>( // one list of sizes: x.expand([4, -1])?, x.expand(shape![4, 2])
            &self,
            shape: R,
        ) -> <R::Certainty as Certainty>::Given<Tensor<E, R::Shape>> {
            const { assert_expands(S::SIZES, R::SIZES) };
            R::Certainty::give(self.try_expand(shape))
        }
    }

    /// What [`expand`](Self::expand) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where another size would have to be repeated.
    pub fn try_expand<R: ShapeArgument>(&self, shape: R) -> Result<Tensor<E, R::Shape>> {
        made(Function::Expand, &[(&self.raw).into(), (&shape.signed_sizes()[..]).into()])
    }

    /// [`expand`](Self::expand) to the shape of another tensor.
    ///
    /// # Panics
    /// Where [`try_expand_as`](Self::try_expand_as) is an error.
    #[must_use]
    #[track_caller]
    pub fn expand_as<F: Element, R: Shape>(&self, other: &Tensor<F, R>) -> Tensor<E, R> {
        proved(self.try_expand_as(other))
    }

    /// What [`expand_as`](Self::expand_as) gives, or the error that it panics with.
    ///
    /// # Errors
    /// As `expand`.
    pub fn try_expand_as<F: Element, R: Shape>(&self, other: &Tensor<F, R>) -> Result<Tensor<E, R>> {
        made(Function::ExpandAs, &[(&self.raw).into(), (&other.raw).into()])
    }

    /// PyTorch's other name of [`expand`](Self::expand).
    ///
    /// # Panics
    /// Where [`try_expand`](Self::try_expand) is an error.
    #[track_caller]
    pub fn broadcast_to<R: ShapeArgument>(&self, shape: R) -> <R::Certainty as Certainty>::Given<Tensor<E, R::Shape>> {
        self.expand(shape)
    }
}

/// A type that counts the dimensions has no room for one that stays.
#[cold]
fn larger_than_one(sizes: &[usize], dim: isize) -> Error {
    Error::runtime(format!(
        "squeeze: dimension {dim} of {sizes:?} is larger than 1, and of a tensor whose type counts its dimensions it has to go; \
         `x.as_shape::<Any>().squeeze(dim)?` keeps it"
    ))
}

/// Some of the elements.
impl<E: Element, S: Shape> Tensor<E, S> {
    /// `length` places along a dimension, an integer or `axis::<0>()`; a negative start counts from the end.
    ///
    /// # Errors
    /// Where the dimension hasn't got them.
    pub fn narrow<A: DimArgument<S>>(&self, dim: A, start: impl SizeInteger, length: impl SizeInteger) -> Result<Tensor<E, A::Cut>> {
        made(Function::Narrow, &[(&self.raw).into(), dim.dim().into(), start.to_isize().into(), length.to_isize().into()])
    }

    /// One place along a dimension, an integer or `axis::<0>()`, which vanishes.
    ///
    /// # Errors
    /// Where the index is out of range.
    pub fn select<A: DimArgument<S>>(&self, dim: A, index: impl SizeInteger) -> Result<Tensor<E, A::Removed>> {
        made(Function::Select, &[(&self.raw).into(), dim.dim().into(), index.to_isize().into()])
    }

    /// The windows of that size along a dimension, each `step` after the one before, as a new last dimension.
    ///
    /// # Errors
    /// Where no window fits, or the step isn't positive.
    pub fn unfold(&self, dim: impl OneDim, size: impl SizeInteger, step: impl SizeInteger) -> Result<Tensor<E, S::RankAbove>> {
        made(Function::Unfold, &[(&self.raw).into(), dim.dim().into(), size.to_isize().into(), step.to_isize().into()])
    }

    as_written! {
        /// Any elements of the storage from this tensor's first one on, in this tensor or not.
        ///
        /// # Errors
        /// Where they reach beyond the storage.
        pub fn as_strided<R: ShapeArgument>( // or x.as_strided_with([2], [3], 1)?
            &self,
            sizes: R,
            strides: impl ShapeArgument,
        ) -> Result<Tensor<E, R::Shape>> {
            made(Function::AsStrided, &[(&self.raw).into(), (&sizes.signed_sizes()[..]).into(), (&strides.signed_sizes()[..]).into()])
        }
    }

    /// The same from an element of the storage on: PyTorch's `storage_offset`.
    ///
    /// # Errors
    /// Where they reach beyond the storage.
    pub fn as_strided_with<R: ShapeArgument>(
        &self,
        sizes: R,
        strides: impl ShapeArgument,
        offset: impl SizeInteger,
    ) -> Result<Tensor<E, R::Shape>> {
        let (sizes, strides) = (sizes.signed_sizes(), strides.signed_sizes());
        made(Function::AsStrided, &[(&self.raw).into(), (&sizes[..]).into(), (&strides[..]).into(), offset.to_isize().into()])
    }
}

/// Several views that together are the tensor.
impl<E: Element, S: Shape> Tensor<E, S> {
    /// Pieces by one number, or by a list.
    fn cut<L: IntegerList, R: Shape>(
        &self,
        [by_number, by_list]: [Function; 2],
        cuts: &L,
        dim: Option<isize>,
    ) -> Result<Vec<Tensor<E, R>>> {
        let cuts = cuts.integers();
        let (function, cuts) = if L::ALONE { (by_number, cuts[0].into()) } else { (by_list, cuts[..].into()) };
        let arguments = [(&self.raw).into(), cuts, dim.into()];
        made(function, &arguments[..if dim.is_some() { 3 } else { 2 }])
    }

    /// Pieces of one size along a dimension, of which the last one may be shorter; or of the sizes of a list.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let x = Tensor::from([1, 2, 3, 4, 5]);
    /// let parts = x.split(2, 0)?;
    /// assert_eq!(parts.iter().map(|part| part.numel()).collect::<Vec<_>>(), [2, 2, 1]);
    /// assert_eq!(x.split([1, 4], 0)?[1].to_vec(), [2, 3, 4, 5]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where the size is negative, or 0 for a dimension that isn't empty; where the sizes of a list don't add up to the dimension's.
    pub fn split<A: DimArgument<S>>(&self, sizes: impl IntegerList, dim: A) -> Result<Vec<Tensor<E, A::Cut>>> {
        self.cut([Function::Split, Function::SplitSizes], &sizes, Some(dim.dim()))
    }

    /// Pieces of those sizes along a dimension.
    ///
    /// # Errors
    /// Where they don't add up to the dimension's size.
    pub fn split_with_sizes<A: DimArgument<S>>(&self, sizes: impl IntegerList, dim: A) -> Result<Vec<Tensor<E, A::Cut>>> {
        made(Function::SplitSizes, &[(&self.raw).into(), (&sizes.integers()[..]).into(), dim.dim().into()])
    }

    /// At most that many pieces of one size; the last one may be shorter.
    ///
    /// # Errors
    /// Where the number isn't positive.
    pub fn chunk<A: DimArgument<S>>(&self, chunks: impl SizeInteger, dim: A) -> Result<Vec<Tensor<E, A::Cut>>> {
        made(Function::Chunk, &[(&self.raw).into(), chunks.to_isize().into(), dim.dim().into()])
    }

    /// [`chunk`](Self::chunk) of as many pieces as the pattern takes: `let [i, f, g, o] = gates.chunks(axis::<1>());`, or along a dimension of the
    /// run, `gates.chunks(1)?`.
    ///
    /// ```
    /// # use latten_core::{shape::axis, tensor::Tensor};
    /// let x = Tensor::from([[1, 2, 3, 4], [5, 6, 7, 8]]);
    /// let [left, right] = x.chunks(axis::<1>());
    /// assert_eq!((left.to_vec(), right.to_vec()), (vec![1, 2, 5, 6], vec![3, 4, 7, 8]));
    /// ```
    ///
    /// # Panics
    /// Along an axis of the type, where [`try_chunks`](Self::try_chunks) is an error.
    #[track_caller]
    pub fn chunks<const N: usize, A: DimArgument<S>>(&self, dim: A) -> <A::Certainty as Certainty>::Given<[Tensor<E, A::Cut>; N]> {
        A::Certainty::give(self.try_chunks(dim))
    }

    /// What [`chunks`](Self::chunks) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where there are less pieces.
    pub fn try_chunks<const N: usize, A: DimArgument<S>>(&self, dim: A) -> Result<[Tensor<E, A::Cut>; N]> {
        let pieces: Vec<_> = self.chunk(N, dim)?;
        let count = pieces.len();
        pieces.try_into().map_err(|_| Error::runtime(format!("chunks: the dimension makes {count} pieces, not {N}")))
    }

    /// That many pieces of nearly one size, or pieces cut before each of the indices: `x.tensor_split(3, 0)?`, `x.tensor_split([1, 4], axis::<0>())?`.
    ///
    /// # Errors
    /// Where the number isn't positive.
    pub fn tensor_split<A: DimArgument<S>>(&self, cuts: impl IntegerList, dim: A) -> Result<Vec<Tensor<E, A::Cut>>> {
        self.cut([Function::TensorSplit, Function::TensorSplitAt], &cuts, Some(dim.dim()))
    }

    /// Equal pieces along the second dimension, or the only one.
    ///
    /// # Errors
    /// Where there are no dimensions, or the pieces aren't equal.
    pub fn hsplit(&self, cuts: impl IntegerList) -> Result<Vec<Tensor<E, S::SameRank>>> {
        self.cut([Function::Hsplit, Function::HsplitAt], &cuts, None)
    }

    /// Equal pieces along the first dimension of at least two.
    ///
    /// # Errors
    /// Where there are fewer dimensions, or the pieces aren't equal.
    pub fn vsplit(&self, cuts: impl IntegerList) -> Result<Vec<Tensor<E, S::SameRank>>> {
        self.cut([Function::Vsplit, Function::VsplitAt], &cuts, None)
    }

    /// Equal pieces along the third dimension.
    ///
    /// # Errors
    /// Where there are fewer dimensions, or the pieces aren't equal.
    pub fn dsplit(&self, cuts: impl IntegerList) -> Result<Vec<Tensor<E, S::SameRank>>> {
        self.cut([Function::Dsplit, Function::DsplitAt], &cuts, None)
    }

    /// Every place along a dimension, one after the other: an array where the type knows the size, `let [x, y, z] = p.unbind(axis::<0>());`, else a
    /// vector, `p.unbind(0)?`.
    ///
    /// # Errors
    /// Where there is no such dimension.
    #[track_caller]
    #[expect(clippy::type_complexity, reason = "as many as the type says")]
    pub fn unbind<A: DimArgument<S>>(&self, dim: A) -> <A::Certainty as Certainty>::Given<<A::Size as Dim>::Each<Tensor<E, A::Removed>>> {
        A::Certainty::give(made(Function::Unbind, &[(&self.raw).into(), dim.dim().into()]).map(A::Size::each))
    }
}
