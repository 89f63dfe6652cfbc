//! Sums in which what is added has a factor: PyTorch's `beta` and `alpha`, and the weights of `bincount`.

use std::convert::Infallible;

use super::declared::{argument, declared, kind};
use super::{DimArgument, DynTensor, Tensor, made};
use crate::call::{CallArgument, Function};
use crate::element::{Any, Element, Native};
use crate::error::{Result, proved};
use crate::kinds::{Countable, WideFloat};
use crate::raw::RawTensor;
use crate::relations::{IndexElement, SameDType};
use crate::scalar::Scalar;
use crate::shape::{Dyn, Rank, Shape, SizeInteger};

declared! {
    /// PyTorch's `addmv(mat, vec, beta, alpha)`: `beta` times this vector plus `alpha` times the product.
    Addmv addmv_with(same mat, same vec, number beta, number alpha) -> Tensor<E, Rank<1>>, "Where the sizes don't fit, and where a factor doesn't fit the dtype.";
    /// PyTorch's `addr(vec1, vec2, beta, alpha)`: `beta` times this matrix plus `alpha` times the products.
    Addr addr_with(same vec1, same vec2, number beta, number alpha) -> Tensor<E, Rank<2>>, "Where the sizes don't fit, and where a factor doesn't fit the dtype.";
    /// PyTorch's `addbmm(batch1, batch2, beta, alpha)`: `beta` times this matrix plus `alpha` times the sum of products.
    Addbmm addbmm_with(same batch1, same batch2, number beta, number alpha) -> Tensor<E, Rank<2>>, "Where the sizes don't fit, and where a factor doesn't fit the dtype.";
}

impl<E: Element, S: Shape> Tensor<E, S> {
    /// PyTorch's `index_add(dim, index, source, alpha)`: a copy to which `alpha` times the elements of `source` are added, row by row.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let (x, at) = (Tensor::from([1, 2, 3]), Tensor::from([2_i64, 2]));
    /// assert_eq!(x.index_add_with(0, &at, &Tensor::from([10, 20]), -1)?.to_vec(), [1, 2, -27]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`index_add`](Self::index_add), and where the factor doesn't fit the dtype.
    pub fn index_add_with<I: IndexElement, R: Shape, F: Element + SameDType<E>, Q: Shape>(
        &self,
        dim: impl DimArgument<S>,
        indices: &Tensor<I, R>,
        source: &Tensor<F, Q>,
        alpha: impl Into<Scalar>,
    ) -> Result<Self> {
        let alpha = CallArgument::Number(alpha.into());
        made(Function::IndexAdd, &[self.raw().into(), dim.dim().into(), indices.raw().into(), source.raw().into(), alpha])
    }

    /// PyTorch's `index_add_(dim, index, source, alpha)`.
    ///
    /// # Errors
    /// As [`index_add_with`](Self::index_add_with), and where memory overlaps; nothing is changed then.
    pub fn index_add_with_<I: IndexElement, R: Shape, F: Element + SameDType<E>, Q: Shape>(
        &mut self,
        dim: impl DimArgument<S>,
        indices: &Tensor<I, R>,
        source: &Tensor<F, Q>,
        alpha: impl Into<Scalar>,
    ) -> Result<&mut Self> {
        let alpha = CallArgument::Number(alpha.into());
        self.changed(Function::IndexAdd, &[dim.dim().into(), indices.raw().into(), source.raw().into(), alpha])
    }

    /// PyTorch's `bincount(weights, minlength)`: at least that many counts, or of each number the sum of the weights that stand where it is.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let (classes, weights) = (Tensor::from([0_i64, 2, 2]), Tensor::from([0.5_f32, 1.0, 2.0]));
    /// assert_eq!(classes.bincount_with(None, 4)?.to_vec(), [1, 0, 2, 0]);
    /// assert_eq!(classes.bincount_with(&weights, 0)?.to_vec(), [0.5, 0.0, 3.0]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where a number is negative, there isn't one dimension, or there isn't a weight for each number.
    pub fn bincount_with<W: BinWeights>(&self, weights: W, minlength: impl SizeInteger) -> Result<Tensor<W::Sum, Rank<1>>>
    where
        E: Countable,
    {
        let weights = weights.given().map_or(CallArgument::None, CallArgument::from);
        let sums: DynTensor = made(Function::Bincount, &[self.raw().into(), weights, minlength.to_isize().into()])?;
        // Of no numbers they are integers.
        let dtype = W::Sum::KNOWN_DTYPE.unwrap_or_else(|| sums.dtype());
        made(Function::ToDType, &[sums.raw().into(), dtype.into()])
    }
}

/// What `bincount` adds up: the numbers of a tensor, or none, and then it counts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be the weights of bincount",
    label = "neither a tensor of floats nor `None`",
    note = "`x.bincount_with(None, 10)?` counts, `x.bincount_with(&weights, 0)?` adds up"
)]
pub trait BinWeights {
    /// The dtype of sums, or of counts.
    type Sum: Element;

    #[doc(hidden)]
    fn given(&self) -> Option<&RawTensor>;
}

#[diagnostic::do_not_recommend]
impl<F: WideFloat + Native, R: Shape> BinWeights for &Tensor<F, R> {
    type Sum = F;

    fn given(&self) -> Option<&RawTensor> {
        Some(self.raw())
    }
}

#[diagnostic::do_not_recommend]
impl<R: Shape> BinWeights for &Tensor<Any, R> {
    type Sum = Any;

    fn given(&self) -> Option<&RawTensor> {
        Some(self.raw())
    }
}

// Of nothing that is, so that `None` has a type.
#[diagnostic::do_not_recommend]
impl BinWeights for Option<Infallible> {
    type Sum = i64;

    fn given(&self) -> Option<&RawTensor> {
        None
    }
}

impl<E: Element + SameDType<i64>, S: Shape> Tensor<E, S> {
    as_written! {
        /// PyTorch's `one_hot()`: for each number a row that is 1 at that place and 0 elsewhere; the largest number says how many classes there are.
        ///
        /// ```
        /// # use latten_core::tensor::Tensor;
        /// let classes = Tensor::from([2_i64, 0]);
        /// assert_eq!(classes.one_hot().tolist(), [[0, 0, 1], [1, 0, 0]]);
        /// assert_eq!(classes.one_hot_with(4)?.tolist(), [[0, 0, 1, 0], [1, 0, 0, 0]]);
        /// # Ok::<(), latten_core::error::Error>(())
        /// ```
        ///
        /// # Panics
        /// Where [`try_one_hot`](Self::try_one_hot) is an error.
        #[must_use]
        #[track_caller]
        pub fn one_hot( // or i.one_hot_with(3)?
            &self,
        ) -> Tensor<i64, S::Appended<Dyn>> {
            proved(self.try_one_hot())
        }
    }

    /// What [`one_hot`](Self::one_hot) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where a number is negative, or there is none to count by.
    pub fn try_one_hot(&self) -> Result<Tensor<i64, S::Appended<Dyn>>> {
        self.one_hot_with(-1)
    }

    /// PyTorch's `one_hot(num_classes)`: the same with that many classes.
    ///
    /// # Errors
    /// Where a number is negative or too large.
    pub fn one_hot_with(&self, count: impl SizeInteger) -> Result<Tensor<i64, S::Appended<Dyn>>> {
        made(Function::OneHot, &[self.raw().into(), count.to_isize().into()])
    }
}
