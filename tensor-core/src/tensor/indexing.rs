//! Elements chosen and placed by other tensors, with types: places are `i64`, masks are `bool`, what is put somewhere has the
//! tensor's dtype. What the methods do is in [`indexing`](crate::indexing); `index` and `index_put_` are in `selection.rs`, order in
//! `order.rs`.

use super::{DimArgument, Operand, Tensor, made};
use crate::call::{Call, CallArgument, Function, run};
use crate::element::Element;
use crate::error::{Result, proved};
use crate::indexing::{IncludeSelf, Padding};
use crate::relations::{IndexElement, SameDType};
use crate::scalar::Scalar;
use crate::shape::{BroadcastInto, BroadcastWith, IntegerList, Rank, Shape, SizeInteger};

/// PyTorch's `embedding(input, weight)`: for each index, that row of a matrix of weights; the method [`Tensor::embedding`] of the indices.
///
/// # Panics
/// Where [`Tensor::try_embedding`] is an error.
#[must_use]
#[track_caller]
pub fn embedding<I: IndexElement, R: Shape, E: Element, S: Shape>(
    indices: &Tensor<I, R>,
    weight: &Tensor<E, S>,
) -> Tensor<E, R::Appended<S::Last>> {
    indices.embedding(weight)
}

/// Tensors of indices.
impl<I: Element, R: Shape> Tensor<I, R> {
    as_written! {
        /// PyTorch's `embedding`, of the indices: for each, that row of a matrix of weights.
        ///
        /// ```
        /// # use latten_core::tensor::Tensor;
        /// let words = Tensor::from([2_i64, 0]);
        /// let weight = Tensor::from([[0.0_f32, 0.5], [1.0, 1.5], [2.0, 2.5]]);
        /// assert_eq!(words.embedding(&weight).to_vec(), [2.0, 2.5, 0.0, 0.5]);
        /// ```
        ///
        /// # Panics
        /// Where [`try_embedding`](Self::try_embedding) is an error.
        #[must_use]
        #[track_caller]
        pub fn embedding<E: Element, S: Shape>( // indices first: ids.embedding(&table), or ids.embedding_with(&table, 0)?
            &self,
            weight: &Tensor<E, S>,
        ) -> Tensor<E, R::Appended<S::Last>>
        where
            I: IndexElement,
        {
            proved(self.try_embedding(weight))
        }
    }

    /// What [`embedding`](Self::embedding) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where the weights are no matrix, or an index is out of range.
    pub fn try_embedding<E: Element, S: Shape>(&self, weight: &Tensor<E, S>) -> Result<Tensor<E, R::Appended<S::Last>>>
    where
        I: IndexElement,
    {
        made(Function::Embedding, &[self.raw().into(), weight.raw().into()])
    }

    /// PyTorch's `embedding(…, padding_idx)`: the same, but no gradient goes to the row at `padding`.
    ///
    /// # Errors
    /// As [`try_embedding`](Self::try_embedding), and where that row isn't there.
    pub fn embedding_with<E: Element, S: Shape>(
        &self,
        weight: &Tensor<E, S>,
        padding: impl SizeInteger,
    ) -> Result<Tensor<E, R::Appended<S::Last>>>
    where
        I: IndexElement,
    {
        made(Function::Embedding, &[self.raw().into(), weight.raw().into(), padding.to_isize().into()])
    }
}

/// Elements by their indices.
impl<E: Element, S: Shape> Tensor<E, S> {
    /// PyTorch's `gather`: along a dimension, the elements that the indices name; the result has their shape.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let scores = Tensor::from([[0.1_f32, 0.9], [0.8, 0.2]]);
    /// let labels = Tensor::from([[1_i64], [0]]);
    /// assert_eq!(scores.gather(1, &labels)?.to_vec(), [0.9, 0.8]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where the dimension isn't there, an index is out of range, or the indices' shape doesn't fit.
    pub fn gather<I: IndexElement, R: Shape>(&self, dim: impl DimArgument<S>, indices: &Tensor<I, R>) -> Result<Tensor<E, R>> {
        made(Function::Gather, &[self.raw().into(), dim.dim().into(), indices.raw().into()])
    }

    /// PyTorch's `take`: the elements that the indices name in row-major order, whatever the shape.
    ///
    /// # Panics
    /// Where [`try_take`](Self::try_take) is an error.
    #[must_use]
    #[track_caller]
    pub fn take<I: Element + SameDType<i64>, R: Shape>(&self, indices: &Tensor<I, R>) -> Tensor<E, R> {
        proved(self.try_take(indices))
    }

    /// What [`take`](Self::take) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where an index is out of range.
    pub fn try_take<I: Element + SameDType<i64>, R: Shape>(&self, indices: &Tensor<I, R>) -> Result<Tensor<E, R>> {
        made(Function::Take, &[self.raw().into(), indices.raw().into()])
    }

    /// PyTorch's `index_select`: the places along a dimension that a row of indices names.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let x = Tensor::from([[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(x.index_select(1, &Tensor::from([2_i64, 0]))?.to_vec(), [3, 1, 6, 4]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where the dimension isn't there, an index is out of range, or the indices have more than one dimension.
    pub fn index_select<A: DimArgument<S>, I: IndexElement, R: Shape>(&self, dim: A, indices: &Tensor<I, R>) -> Result<Tensor<E, A::Cut>> {
        made(Function::IndexSelect, &[self.raw().into(), dim.dim().into(), indices.raw().into()])
    }
}

/// Elements by a mask.
impl<E: Element, S: Shape> Tensor<E, S> {
    /// PyTorch's `masked_select`: the elements for which the mask holds, in one dimension.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let x = Tensor::from([[1, -2], [-3, 4]]);
    /// assert_eq!(x.masked_select(&x.gt(0)).to_vec(), [1, 4]);
    /// ```
    ///
    /// # Panics
    /// Where [`try_masked_select`](Self::try_masked_select) is an error.
    #[must_use]
    #[track_caller]
    pub fn masked_select<M: Element + SameDType<bool>, R: Shape>(&self, mask: &Tensor<M, R>) -> Tensor<E, Rank<1>>
    where
        S: BroadcastWith<R>,
    {
        proved(self.try_masked_select(mask))
    }

    /// What [`masked_select`](Self::masked_select) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where the shapes don't broadcast, and for meta tensors.
    pub fn try_masked_select<M: Element + SameDType<bool>, R: Shape>(&self, mask: &Tensor<M, R>) -> Result<Tensor<E, Rank<1>>>
    where
        S: BroadcastWith<R>,
    {
        made(Function::MaskedSelect, &[self.raw().into(), mask.raw().into()])
    }

    /// PyTorch's `masked_fill`: a copy with a number wherever the mask holds; a tensor without dimensions counts as its number.
    ///
    /// # Panics
    /// Where [`try_masked_fill`](Self::try_masked_fill) is an error.
    #[must_use]
    #[track_caller]
    pub fn masked_fill<M: Element + SameDType<bool>, R: Shape, X: Operand>(
        &self,
        mask: &Tensor<M, R>,
        value: X,
    ) -> Tensor<E, <S as BroadcastWith<R>>::Common>
    where
        S: BroadcastWith<R>,
    {
        proved(self.try_masked_fill(mask, value))
    }

    /// What [`masked_fill`](Self::masked_fill) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where the shapes don't broadcast, or the number doesn't fit the dtype.
    pub fn try_masked_fill<M: Element + SameDType<bool>, R: Shape, X: Operand>(
        &self,
        mask: &Tensor<M, R>,
        value: X,
    ) -> Result<Tensor<E, <S as BroadcastWith<R>>::Common>>
    where
        S: BroadcastWith<R>,
    {
        run(Call::new(Function::MaskedFill, &[self.raw().into(), mask.raw().into(), value.erased().into()]))?
            .one()
            .and_then(Tensor::stretched)
    }

    /// PyTorch's `masked_fill_`.
    ///
    /// # Errors
    /// Where the mask doesn't broadcast to this shape, memory overlaps, or the number doesn't fit the dtype; nothing is changed then.
    pub fn masked_fill_<M: Element + SameDType<bool>, R: Shape + BroadcastInto<S>, X: Operand>(
        &mut self,
        mask: &Tensor<M, R>,
        value: X,
    ) -> Result<&mut Self> {
        self.changed(Function::MaskedFill, &[mask.raw().into(), value.erased().into()])
    }

    /// PyTorch's `index_fill_`: a number at the places along a dimension, here.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let mut x = Tensor::from([1.0_f32, 2.0, 3.0]);
    /// x.index_fill_(0, &Tensor::from([0_i64, 2]), 9.0)?;
    /// assert_eq!(x.to_vec(), [9.0, 2.0, 9.0]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where a place isn't there, or the dtype can't hold the number; nothing is changed then.
    pub fn index_fill_<I: IndexElement, R: Shape>(
        &mut self,
        dim: impl DimArgument<S>,
        places: &Tensor<I, R>,
        value: impl Into<Scalar>,
    ) -> Result<&mut Self> {
        self.changed(Function::IndexFill, &[dim.dim().into(), places.raw().into(), CallArgument::Number(value.into())])
    }
}

macro_rules! scatters {
    ($($name:ident $in_place:ident $Function:ident $doc:literal;)+) => { $(
        impl<E: Element, S: Shape> Tensor<E, S> {
            #[doc = concat!("PyTorch's `", stringify!($name), "`: a copy where the elements of `source` ", $doc, " at the indices along a dimension.")]
            ///
            /// # Errors
            /// Where the dimension isn't there, an index is out of range, or shapes don't fit.
            pub fn $name<I: IndexElement, R: Shape, F: Element + SameDType<E>, Q: Shape>(
                &self,
                dim: impl DimArgument<S>,
                indices: &Tensor<I, R>,
                source: &Tensor<F, Q>,
            ) -> Result<Self> {
                made(Function::$Function, &[self.raw().into(), dim.dim().into(), indices.raw().into(), source.raw().into()])
            }

            #[doc = concat!("PyTorch's `", stringify!($in_place), "`.")]
            ///
            /// # Errors
            #[doc = concat!("As [`Tensor::", stringify!($name), "`], and where memory overlaps; nothing is changed then.")]
            pub fn $in_place<I: IndexElement, R: Shape, F: Element + SameDType<E>, Q: Shape>(
                &mut self,
                dim: impl DimArgument<S>,
                indices: &Tensor<I, R>,
                source: &Tensor<F, Q>,
            ) -> Result<&mut Self> {
                self.changed(Function::$Function, &[dim.dim().into(), indices.raw().into(), source.raw().into()])
            }
        }
    )+ };
}

scatters! {
    scatter     scatter_     Scatter    "stand";
    scatter_add scatter_add_ ScatterAdd "are added";
    index_add // or x.index_add_with(0, &i, &y, 0.5)?
        index_add_ // or x.index_add_with_(0, &i, &y, -1)?
        IndexAdd   "are added, row by row,";
}

/// Elements put at indices.
impl<E: Element, S: Shape> Tensor<E, S> {
    /// PyTorch's `scatter` with a number: a copy where it stands at the indices along a dimension.
    ///
    /// # Errors
    /// Where the dimension isn't there, an index is out of range, or the number doesn't fit the dtype.
    pub fn scatter_value<I: IndexElement, R: Shape>(
        &self,
        dim: impl DimArgument<S>,
        indices: &Tensor<I, R>,
        value: impl Into<Scalar>,
    ) -> Result<Self> {
        made(Function::ScatterValue, &[self.raw().into(), dim.dim().into(), indices.raw().into(), value.into().into()])
    }

    /// PyTorch's `scatter_` with a number.
    ///
    /// # Errors
    /// As [`Tensor::scatter_value`], and where memory overlaps; nothing is changed then.
    pub fn scatter_value_<I: IndexElement, R: Shape>(
        &mut self,
        dim: impl DimArgument<S>,
        indices: &Tensor<I, R>,
        value: impl Into<Scalar>,
    ) -> Result<&mut Self> {
        self.changed(Function::ScatterValue, &[dim.dim().into(), indices.raw().into(), value.into().into()])
    }

    as_written! {
        /// PyTorch's `scatter_reduce`: what meets at one place, and what was there, becomes its sum, product, mean, largest or smallest element. Which
        /// is said by PyTorch's word, or by a [`ScatterReduce`](crate::indexing::ScatterReduce).
        ///
        /// ```
        /// # use latten_core::{indexing::{ScatterReduce, IncludeSelf}, tensor::Tensor};
        /// let (groups, x) = (Tensor::from([0_i64, 1, 0]), Tensor::from([3, 5, 7]));
        /// let most = Tensor::from([0, 9]).scatter_reduce(0, &groups, &x, "amax")?;
        /// assert_eq!(most.to_vec(), [7, 9]);
        /// let of_x = Tensor::from([0, 9]).scatter_reduce_with(0, &groups, &x, ScatterReduce::Amax, IncludeSelf::No)?;
        /// assert_eq!(of_x.to_vec(), [7, 5]);
        /// # Ok::<(), latten_core::error::Error>(())
        /// ```
        ///
        /// # Errors
        /// As [`Tensor::scatter`], and where the dtype has no order to find the largest by.
        pub fn scatter_reduce<I: IndexElement, R: Shape, F: Element + SameDType<E>, Q: Shape>( // a way: "sum", "prod", "mean", "amax", "amin"; or x.scatter_reduce_with(1, &at, &y, "amax", false)?
            &self,
            dim: impl DimArgument<S>,
            indices: &Tensor<I, R>,
            source: &Tensor<F, Q>,
            reduce: impl AsRef<str>,
        ) -> Result<Self> {
            self.scatter_reduce_with(dim, indices, source, reduce, IncludeSelf::Yes)
        }
    }

    /// PyTorch's `scatter_reduce(…, include_self)`: an [`IncludeSelf`], or whether what was there counts, too.
    ///
    /// # Errors
    /// As [`Tensor::scatter_reduce`].
    pub fn scatter_reduce_with<I: IndexElement, R: Shape, F: Element + SameDType<E>, Q: Shape>(
        &self,
        dim: impl DimArgument<S>,
        indices: &Tensor<I, R>,
        source: &Tensor<F, Q>,
        reduce: impl AsRef<str>,
        own: impl Into<IncludeSelf>,
    ) -> Result<Self> {
        let arguments =
            [self.raw().into(), dim.dim().into(), indices.raw().into(), source.raw().into(), reduce.as_ref().into(), own.into().into()];
        made(Function::ScatterReduce, &arguments)
    }

    as_written! {
        /// PyTorch's `scatter_reduce_`.
        ///
        /// # Errors
        /// As [`Tensor::scatter_reduce`], and where memory overlaps; nothing is changed then.
        pub fn scatter_reduce_<I: IndexElement, R: Shape, F: Element + SameDType<E>, Q: Shape>( // or x.scatter_reduce_with_(1, &at, &y, "amax", false)?
            &mut self,
            dim: impl DimArgument<S>,
            indices: &Tensor<I, R>,
            source: &Tensor<F, Q>,
            reduce: impl AsRef<str>,
        ) -> Result<&mut Self> {
            self.scatter_reduce_with_(dim, indices, source, reduce, IncludeSelf::Yes)
        }
    }

    /// PyTorch's `scatter_reduce_(…, include_self)`.
    ///
    /// # Errors
    /// As [`Tensor::scatter_reduce_`].
    pub fn scatter_reduce_with_<I: IndexElement, R: Shape, F: Element + SameDType<E>, Q: Shape>(
        &mut self,
        dim: impl DimArgument<S>,
        indices: &Tensor<I, R>,
        source: &Tensor<F, Q>,
        reduce: impl AsRef<str>,
        own: impl Into<IncludeSelf>,
    ) -> Result<&mut Self> {
        let arguments = [dim.dim().into(), indices.raw().into(), source.raw().into(), reduce.as_ref().into(), own.into().into()];
        self.changed(Function::ScatterReduce, &arguments)
    }
}

macro_rules! triangles {
    ($($name:ident $with:ident $try_name:ident $try_with:ident $in_place:ident $in_place_with:ident $Function:ident $doc:literal;)+) => { $(
        impl<E: Element, S: Shape> Tensor<E, S> {
            #[doc = concat!("PyTorch's `", stringify!($name), "`: a copy of matrices with zeros ", $doc, " the main diagonal.")]
            ///
            /// # Panics
            #[doc = concat!("Where [`", stringify!($try_name), "`](Self::", stringify!($try_name), ") is an error.")]
            #[track_caller]
            pub fn $name(&self) -> Self {
                proved(self.$try_name())
            }

            #[doc = concat!("The same ", $doc, " another diagonal: 1 is the one above the main one, -1 the one below it.")]
            ///
            /// # Panics
            #[doc = concat!("Where [`", stringify!($try_with), "`](Self::", stringify!($try_with), ") is an error.")]
            #[track_caller]
            pub fn $with(&self, diagonal: impl SizeInteger) -> Self {
                proved(self.$try_with(diagonal))
            }

            #[doc = concat!("What [`", stringify!($name), "`](Self::", stringify!($name), ") gives, or the error that it panics with.")]
            ///
            /// # Errors
            /// For fewer than two dimensions.
            pub fn $try_name(&self) -> Result<Self> {
                self.$try_with(0)
            }

            #[doc = concat!("What [`", stringify!($with), "`](Self::", stringify!($with), ") gives, or the error that it panics with.")]
            ///
            /// # Errors
            /// For fewer than two dimensions.
            pub fn $try_with(&self, diagonal: impl SizeInteger) -> Result<Self> {
                made(Function::$Function, &[self.raw().into(), diagonal.to_isize().into()])
            }

            #[doc = concat!("PyTorch's `", stringify!($in_place), "`.")]
            ///
            /// # Errors
            #[doc = concat!("As [`Tensor::", stringify!($try_name), "`].")]
            pub fn $in_place(&mut self) -> Result<&mut Self> {
                self.$in_place_with(0)
            }

            #[doc = concat!("PyTorch's `", stringify!($in_place), "(diagonal)`.")]
            ///
            /// # Errors
            #[doc = concat!("As [`Tensor::", stringify!($try_with), "`].")]
            pub fn $in_place_with(&mut self, diagonal: impl SizeInteger) -> Result<&mut Self> {
                self.changed(Function::$Function, &[diagonal.to_isize().into()])
            }
        }
    )+ };
}

triangles! {
    tril // or x.tril_with(1)
        tril_with try_tril try_tril_with tril_ tril_with_ Tril "above";
    triu // or x.triu_with(1)
        triu_with try_triu try_triu_with triu_ triu_with_ Triu "below";
}

/// What stands around tensors.
impl<E: Element, S: Shape> Tensor<E, S> {
    as_written! {
        /// PyTorch's `pad`, with zeros: two amounts a dimension, before and after, the last dimension first. Negative amounts take elements away.
        ///
        /// ```
        /// # use latten_core::{indexing::Padding, tensor::Tensor};
        /// let x = Tensor::from([[1, 2, 3]]);
        /// assert_eq!(x.pad([1, 2])?.to_vec(), [0, 1, 2, 3, 0, 0]);
        /// assert_eq!(x.pad_with([2, 1], Padding::Reflect)?.to_vec(), [3, 2, 1, 2, 3, 2]);
        /// # Ok::<(), latten_core::error::Error>(())
        /// ```
        ///
        /// # Errors
        /// Where the amounts don't fit the tensor.
        pub fn pad( // or x.pad_with([1, 1, 0, 1], 0.5)?
            &self,
            amounts: impl IntegerList,
        ) -> Result<Tensor<E, S::SameRank>> {
            self.pad_with(amounts, Padding::Constant(Scalar::Int(0)))
        }
    }

    /// [`pad`](Self::pad) with another number, `x.pad_with([1, 0], 1.0)?`, or by one of PyTorch's modes.
    ///
    /// # Errors
    /// Where the amounts don't fit the tensor.
    pub fn pad_with(&self, amounts: impl IntegerList, padding: impl Into<Padding>) -> Result<Tensor<E, S::SameRank>> {
        let (mode, value) = padding.into().named();
        made(Function::Pad, &[self.raw().into(), (&amounts.integers()[..]).into(), mode.into(), value.into()])
    }
}
