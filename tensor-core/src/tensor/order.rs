//! Order, distinct elements and places of what isn't zero, with types: what was sorted keeps its dtype, and where it was is `i64`.

use super::declared::certain;
use super::{AlongOne, DimArgument, Tensor, TensorOrNumber, made};
use crate::call::Function;
use crate::element::Element;
use crate::error::{Result, proved};
use crate::indexing::{Extreme, Order};
use crate::kinds::RealFloat;
use crate::op;
use crate::shape::{Certainty, Rank, Shape, SizeInteger};

/// What `unique` knows: the distinct elements, for each element which of them it is, and how often each is there.
pub type Unique<E, V, S> = (Tensor<E, V>, Tensor<i64, S>, Tensor<i64, Rank<1>>);

/// Elements and where they were.
type WithPlaces<E, S> = (Tensor<E, S>, Tensor<i64, S>);
/// A result along a dimension: itself where types prove that it is there.
type Fallible<A, S, T> = <<A as DimArgument<S>>::Certainty as Certainty>::Given<T>;

impl<E: Element, S: Shape> Tensor<E, S> {
    as_written! {
        /// PyTorch's `sort(dim, stable=True)`: the elements along a dimension in ascending order, and where they were; along `axis::<0>()`, or an
        /// integer. NaN is larger than any number.
        ///
        /// ```
        /// # use latten_core::{indexing::Order, tensor::Tensor};
        /// let x = Tensor::from([0.5_f32, 2.0, 1.0]);
        /// let (sorted, places) = x.sort(0)?;
        /// assert_eq!((sorted.to_vec(), places.to_vec()), (vec![0.5, 1.0, 2.0], vec![0, 2, 1]));
        /// assert_eq!(x.sort_with(0, Order::Descending)?.0.to_vec(), [2.0, 1.0, 0.5]);
        /// # Ok::<(), latten_core::error::Error>(())
        /// ```
        ///
        /// # Errors
        /// Where the dimension isn't there, and where a dtype that only the run knows has no order.
        #[track_caller]
        pub fn sort<O: Element, A: DimArgument<S>>( // x.sort(-1), or x.sort_with(-1, Order::Descending)
            &self,
            dim: A,
        ) -> Fallible<A, S, WithPlaces<O, S>>
        where
            E: op::Sort<Output = O>,
        {
            self.sort_with(dim, Order::Ascending)
        }
    }

    as_written! {
        /// The same in an order, PyTorch's `sort(dim, descending, stable=True)`: an [`Order`], or whether it descends.
        ///
        /// # Errors
        /// As [`Tensor::sort`].
        #[track_caller]
        pub fn sort_with<O: Element, A: DimArgument<S>>( // an order: Order::Ascending, Order::Descending
            &self,
            dim: A,
            order: impl Into<Order>,
        ) -> Fallible<A, S, WithPlaces<O, S>>
        where
            E: op::Sort<Output = O>,
        {
            A::Certainty::give(made(Function::Sort, &[self.raw().into(), dim.dim().into(), order.into().into()]))
        }
    }

    as_written! {
        /// PyTorch's `argsort(dim, stable=True)`: where the elements along a dimension are, in ascending order.
        ///
        /// # Errors
        /// As [`Tensor::sort`].
        #[track_caller]
        pub fn argsort<O: Element, A: DimArgument<S>>( // x.argsort(-1), or x.argsort_with(-1, Order::Descending)
            &self,
            dim: A,
        ) -> Fallible<A, S, Tensor<i64, S>>
        where
            E: op::Sort<Output = O>,
        {
            self.argsort_with(dim, Order::Ascending)
        }
    }

    as_written! {
        /// The same in an order, PyTorch's `argsort(dim, descending, stable=True)`: an [`Order`], or whether it descends.
        ///
        /// # Errors
        /// As [`Tensor::sort`].
        #[track_caller]
        pub fn argsort_with<O: Element, A: DimArgument<S>>( // an order: Order::Ascending, Order::Descending
            &self,
            dim: A,
            order: impl Into<Order>,
        ) -> Fallible<A, S, Tensor<i64, S>>
        where
            E: op::Sort<Output = O>,
        {
            A::Certainty::give(made(Function::Argsort, &[self.raw().into(), dim.dim().into(), order.into().into()]))
        }
    }

    as_written! {
        /// PyTorch's `topk(k, dim)`: that many of the largest elements along a dimension in order, and where they are.
        ///
        /// # Errors
        /// Where the dimension isn't there or has fewer elements, and for bool.
        pub fn topk<O: Element, A: DimArgument<S>>( // x.topk(3, -1)?, or of the smallest: x.topk_with(3, -1, false, true)?
            &self,
            count: impl SizeInteger,
            dim: A,
        ) -> Result<WithPlaces<O, A::Cut>>
        where
            E: op::Sort<Output = O>,
        {
            self.topk_with(count, dim, Extreme::Largest, true)
        }
    }

    as_written! {
        /// The same of either end, PyTorch's `topk(k, dim, largest, sorted)`: an [`Extreme`], or whether it is the largest; and whether they
        /// are in order.
        ///
        /// # Errors
        /// As [`Tensor::topk`].
        pub fn topk_with<O: Element, A: DimArgument<S>>( // an end: Extreme::Largest, Extreme::Smallest
            &self,
            count: impl SizeInteger,
            dim: A,
            end: impl Into<Extreme>,
            sorted: bool,
        ) -> Result<WithPlaces<O, A::Cut>>
        where
            E: op::Sort<Output = O>,
        {
            made(Function::Topk, &[self.raw().into(), count.to_isize().into(), dim.dim().into(), end.into().into(), sorted.into()])
        }
    }

    /// PyTorch's `kthvalue(k, dim)`: the k-th smallest element of each row along a dimension, counted from 1, and where it is; the dimension stays in `kept(1)`.
    ///
    /// # Errors
    /// Where the dimension isn't there or has fewer elements.
    pub fn kthvalue<O: Element, A: AlongOne<S>>(&self, k: impl SizeInteger, dim: A) -> Result<WithPlaces<O, A::Left>>
    where
        E: op::Sort<Output = O>,
    {
        made(Function::Kthvalue, &[self.raw().into(), k.to_isize().into(), dim.dim().into(), dim.keep().into()])
    }

    /// PyTorch's `mode(dim)`: the most frequent element of each row along a dimension, which stays in `kept(1)`, and where it is.
    ///
    /// # Errors
    /// Where the dimension isn't there.
    #[track_caller]
    pub fn mode_along<O: Element, A: AlongOne<S>>(&self, dim: A) -> A::Given<WithPlaces<O, A::Left>>
    where
        E: op::Sort<Output = O>,
    {
        A::give(made(Function::Mode, &[self.raw().into(), dim.dim().into(), dim.keep().into()]))
    }

    /// PyTorch's `nanmedian(dim)`: the medians of what is a number along a dimension, which stays in `kept(1)`, and where they are.
    ///
    /// # Errors
    /// Where the dimension isn't there.
    #[track_caller]
    pub fn nanmedian_along<A: AlongOne<S>>(&self, dim: A) -> A::Given<WithPlaces<E, A::Left>>
    where
        E: RealFloat,
    {
        A::give(made(Function::NanmedianDim, &[self.raw().into(), dim.dim().into(), dim.keep().into()]))
    }

    /// PyTorch's `unique(dim=…)`: the distinct places along a dimension, in the order of their elements.
    ///
    /// # Errors
    /// As [`Tensor::try_unique`], and where the dimension isn't there.
    #[track_caller]
    pub fn unique_dim<A: DimArgument<S>>(&self, dim: A) -> <A::Certainty as Certainty>::Given<Unique<E, A::Cut, Rank<1>>> {
        A::Certainty::give(made(Function::Unique, &[self.raw().into(), true.into(), true.into(), true.into(), dim.dim().into()]))
    }
}

/// Places in what is in order.
impl<E: Element, S: Shape> Tensor<E, S> {
    as_written! {
        /// PyTorch's `searchsorted(self, values)`: before which place of a sorted row each value stands, or one number.
        ///
        /// # Panics
        /// Where [`try_searchsorted`](Self::try_searchsorted) is an error.
        #[must_use]
        #[track_caller]
        pub fn searchsorted<V: TensorOrNumber<E>>( // or v.searchsorted_with(&x, true)
            &self,
            values: V,
        ) -> Tensor<i64, V::Shape> {
            proved(self.try_searchsorted(values))
        }
    }

    /// What [`searchsorted`](Self::searchsorted) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where the shapes don't fit.
    pub fn try_searchsorted<V: TensorOrNumber<E>>(&self, values: V) -> Result<Tensor<i64, V::Shape>> {
        self.try_searchsorted_with(values, false)
    }

    /// The same, behind elements that are equal: PyTorch's `right`.
    ///
    /// # Panics
    /// Where [`try_searchsorted_with`](Self::try_searchsorted_with) is an error.
    #[must_use]
    #[track_caller]
    pub fn searchsorted_with<V: TensorOrNumber<E>>(&self, values: V, right: bool) -> Tensor<i64, V::Shape> {
        proved(self.try_searchsorted_with(values, right))
    }

    /// What [`searchsorted_with`](Self::searchsorted_with) gives, or the error that it panics with.
    ///
    /// # Errors
    /// As [`searchsorted`](Self::searchsorted).
    pub fn try_searchsorted_with<V: TensorOrNumber<E>>(&self, values: V, right: bool) -> Result<Tensor<i64, V::Shape>> {
        made(Function::Searchsorted, &[self.raw().into(), values.erased().into(), false.into(), right.into()])
    }
}

certain! {
    /// PyTorch's `unique`: the distinct elements in ascending order.
    Unique unique try_unique() -> Tensor<E, Rank<1>>, "For complex numbers and meta tensors.";
    /// PyTorch's `unique(return_counts=True)`: the distinct elements, and how often each is there.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let (values, counts) = Tensor::from([3, 1, 3]).unique_counts();
    /// assert_eq!((values.to_vec(), counts.to_vec()), (vec![1, 3], vec![1, 2]));
    /// ```
    Unique unique_counts try_unique_counts() with (true, false, true) -> (Tensor<E, Rank<1>>, Tensor<i64, Rank<1>>),
        "For complex numbers and meta tensors.";
    /// PyTorch's `unique` with all that it knows.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let (values, inverse, counts) = Tensor::from([3, 1, 3]).unique_all();
    /// assert_eq!((values.to_vec(), inverse.to_vec(), counts.to_vec()), (vec![1, 3], vec![1, 0, 1], vec![1, 2]));
    /// ```
    Unique unique_all try_unique_all() with (true, true, true) -> Unique<E, Rank<1>, S>, "For complex numbers and meta tensors.";
    /// PyTorch's `unique_consecutive`: of equal elements that follow each other in row-major order only the first.
    UniqueConsecutive unique_consecutive try_unique_consecutive() -> Tensor<E, Rank<1>>, "For complex numbers and meta tensors.";
    /// PyTorch's `unique_consecutive` with all that it knows.
    UniqueConsecutive unique_consecutive_all try_unique_consecutive_all() with (true, true) -> Unique<E, Rank<1>, S>,
        "For complex numbers and meta tensors.";
}

/// Where elements aren't zero.
impl<E: Element, S: Shape> Tensor<E, S> {
    /// PyTorch's `nonzero`: the coordinates of all elements that aren't zero, a row for each.
    ///
    /// # Panics
    /// Where [`try_nonzero`](Self::try_nonzero) is an error.
    #[must_use]
    #[track_caller]
    pub fn nonzero(&self) -> Tensor<i64, Rank<2>> {
        proved(self.try_nonzero())
    }

    /// What [`nonzero`](Self::nonzero) gives, or the error that it panics with.
    ///
    /// # Errors
    /// For meta tensors.
    pub fn try_nonzero(&self) -> Result<Tensor<i64, Rank<2>>> {
        made(Function::Nonzero, &[self.raw().into()])
    }

    /// PyTorch's `nonzero(as_tuple=True)`: for each dimension where the elements that aren't zero are, an array where the type knows the rank.
    /// Beside each other in an index they choose these elements.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let x = Tensor::from([[0, 3], [1, 0]]);
    /// let [rows, columns] = x.nonzero_as_tuple();
    /// assert_eq!((rows.to_vec(), columns.to_vec()), (vec![0, 1], vec![1, 0]));
    /// assert_eq!(x.index((&rows, &columns))?.to_vec(), [3, 1]);
    /// assert_eq!(x.index(&x.nonzero_as_tuple())?.to_vec(), [3, 1]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Panics
    /// Where [`try_nonzero_as_tuple`](Self::try_nonzero_as_tuple) is an error.
    #[must_use]
    #[track_caller]
    pub fn nonzero_as_tuple(&self) -> S::PerDim<Tensor<i64, Rank<1>>> {
        proved(self.try_nonzero_as_tuple())
    }

    /// What [`nonzero_as_tuple`](Self::nonzero_as_tuple) gives, or the error that it panics with.
    ///
    /// # Errors
    /// For meta tensors.
    pub fn try_nonzero_as_tuple(&self) -> Result<S::PerDim<Tensor<i64, Rank<1>>>> {
        made(Function::NonzeroAs, &[self.raw().into(), true.into()]).map(S::per_dim)
    }

    /// PyTorch's `argwhere`, which is [`nonzero`](Tensor::nonzero).
    ///
    /// # Panics
    /// Where [`try_argwhere`](Self::try_argwhere) is an error.
    #[must_use]
    #[track_caller]
    pub fn argwhere(&self) -> Tensor<i64, Rank<2>> {
        proved(self.try_argwhere())
    }

    /// What [`argwhere`](Self::argwhere) gives, or the error that it panics with.
    ///
    /// # Errors
    /// For meta tensors.
    pub fn try_argwhere(&self) -> Result<Tensor<i64, Rank<2>>> {
        self.try_nonzero()
    }
}
