//! Where fused expressions end: in a new tensor, in the elements of one, or in a reduction.

use latten_spec::reduction::Reduction;

use super::reduce::{Picked, Reduced, both};
use super::{Operand, Tensor};
use crate::element::Element;
use crate::error::{Result, proved};
use crate::fused::{Lazy, Leaf, Mark, Node, On, Term, Two};
use crate::op;
use crate::reduce::{Along, Keep};
use crate::relations::{CastInto, PromoteWith, SubtractWith};
use crate::shape::{Axis, BroadcastInto, Shape, ShapeArgument};

/// The dtype that a tensor and a term compute in.
type Updated<E, S, X> = <E as PromoteWith<<S as Shape>::Level, <X as Term>::Level, <X as Term>::Element>>::Output;

/// The result of an expression, in a new tensor.
///
/// # Errors
/// What the first operation that fails says.
pub fn try_evaluate<N: Node>(expression: Lazy<N>) -> Result<Tensor<N::Element, N::Shape>> {
    expression.result().and_then(Tensor::stretched)
}

/// The result of an expression, in a new tensor.
///
/// # Panics
/// Where [`try_evaluate`] is an error.
#[must_use]
#[track_caller]
pub fn evaluate<N: Node>(expression: Lazy<N>) -> Tensor<N::Element, N::Shape> {
    proved(try_evaluate(expression))
}

/// An expression that a reduction ends, which reads its elements where they are computed. The methods are those of tensors.
#[derive(Clone, Copy, Debug)]
pub struct Ending<N>(Lazy<N>);

/// An expression that a reduction ends.
pub fn ending<N: Node>(expression: Lazy<N>) -> Ending<N> {
    Ending(expression)
}

/// Of all elements, or along dimensions that only the run knows.
macro_rules! endings {
    ($($Op:ident $all:ident $try_all:ident $($dims:ident)?;)+) => { $(
        impl<N: Node> Ending<N> {
            #[doc = concat!("As `", stringify!($all), "` of the tensor.")]
            ///
            /// # Panics
            #[doc = concat!("Where `", stringify!($try_all), "` is an error.")]
            #[must_use]
            #[track_caller]
            pub fn $all<O: Element>(self) -> Tensor<O, ()> where N::Element: op::$Op<Output = O> {
                proved(self.$try_all())
            }

            #[doc = concat!("As `", stringify!($try_all), "` of the tensor.")]
            ///
            /// # Errors
            /// What the first operation that fails says.
            pub fn $try_all<O: Element>(self) -> Result<Tensor<O, ()>> where N::Element: op::$Op<Output = O> {
                self.0.reduced(Reduction::$Op, &Along::all()).map(Tensor::proved)
            }

            $(
                #[doc = concat!("As `", stringify!($dims), "` of the tensor.")]
                ///
                /// # Errors
                /// What the first operation that fails says, or the reduction.
                pub fn $dims<O: Element>(self, dims: impl ShapeArgument, keep: Keep) -> Result<Tensor<O>>
                where N::Element: op::$Op<Output = O>,
                {
                    self.0.reduced(Reduction::$Op, &Along::dims(&dims.signed_sizes()).keep(keep)).map(Tensor::proved)
                }
            )?
        }
    )+ };
}

endings! {
    Sum  sum  try_sum  sum_dims;
    Mean mean try_mean mean_dims;
    Amax amax try_amax amax_dims;
    Amin amin try_amin amin_dims;
    Max  max  try_max;
    Min  min  try_min;
}

impl<N: Node> Ending<N> {
    fn one<O: Element, R: Shape>(&self, op: Reduction, axis: isize) -> Result<Tensor<O, R>> {
        self.0.reduced(op, &Along::dims(&[axis])).map(Tensor::proved)
    }

    fn picked<O: Element, R: Shape>(&self, op: Reduction, axis: isize) -> Result<Picked<O, R>> {
        self.0.picked(op, axis).map(both)
    }
}

/// The dtype and the shape are what the relation of the tensor's method says; `one` gives a tensor, `picked` the places, too.
macro_rules! axes {
    ($($Op:ident $axis:ident $try_axis:ident $how:ident $Result:ident;)+) => { $(
        impl<N: Node> Ending<N> {
            #[doc = concat!("As `", stringify!($axis), "` of the tensor.")]
            ///
            /// # Panics
            #[doc = concat!("Where `", stringify!($try_axis), "` is an error.")]
            #[must_use]
            #[track_caller]
            pub fn $axis<const AXIS: isize>(
                self,
            ) -> $Result<<Reduced<N::Element, N::Shape, AXIS> as op::$Op>::Output, <N::Shape as Axis<AXIS>>::Removed>
            where N::Shape: Axis<AXIS>, Reduced<N::Element, N::Shape, AXIS>: op::$Op,
            {
                proved(self.$try_axis::<AXIS>())
            }

            #[doc = concat!("As `", stringify!($try_axis), "` of the tensor.")]
            ///
            /// # Errors
            /// What the first operation that fails says, or the reduction.
            pub fn $try_axis<const AXIS: isize>(
                self,
            ) -> Result<$Result<<Reduced<N::Element, N::Shape, AXIS> as op::$Op>::Output, <N::Shape as Axis<AXIS>>::Removed>>
            where N::Shape: Axis<AXIS>, Reduced<N::Element, N::Shape, AXIS>: op::$Op,
            {
                self.$how(Reduction::$Op, AXIS)
            }
        }
    )+ };
}

axes! {
    Sum  sum_axis  try_sum_axis  one Tensor;
    Mean mean_axis try_mean_axis one Tensor;
    Amax amax_axis try_amax_axis one Tensor;
    Amin amin_axis try_amin_axis one Tensor;
    Max  max_axis  try_max_axis  picked Picked;
    Min  min_axis  try_min_axis  picked Picked;
}

/// What `fuse!(out = …)` and `fuse!(out += …)` call.
#[doc(hidden)]
impl<E: Element, S: Shape> Tensor<E, S> {
    /// Takes the result of an expression.
    ///
    /// # Errors
    /// What the first operation that fails says, and where the result doesn't fit; nothing is changed then.
    pub fn try_fuse_set<N: Node<Element: CastInto<E>, Shape: BroadcastInto<S>>>(&mut self, expression: Lazy<N>) -> Result<()> {
        expression.result_into(&self.raw)
    }

    /// Takes the result of an operation on itself and an expression.
    ///
    /// # Errors
    /// As [`try_fuse_set`](Self::try_fuse_set).
    pub fn try_fuse_update<O, const I: usize, X>(&mut self, expression: X) -> Result<()>
    where
        O: Mark,
        X: Term<Shape: BroadcastInto<S>>,
        E: PromoteWith<S::Level, X::Level, X::Element, Output: On<O, Output: CastInto<E>>>,
    {
        let own = Lazy(Leaf::<E, S, I>::new(&self.raw));
        Lazy(Two::<O, Updated<E, S, X>, S, _, X>::new(own, expression, [None; 3])).result_into(&self.raw)
    }

    /// As [`try_fuse_set`](Self::try_fuse_set), but panics.
    #[track_caller]
    pub fn fuse_set<N: Node<Element: CastInto<E>, Shape: BroadcastInto<S>>>(&mut self, expression: Lazy<N>) {
        proved(self.try_fuse_set(expression));
    }

    /// As [`try_fuse_update`](Self::try_fuse_update), but panics.
    #[track_caller]
    pub fn fuse_update<O, const I: usize, X>(&mut self, expression: X)
    where
        O: Mark,
        X: Term<Shape: BroadcastInto<S>>,
        E: PromoteWith<S::Level, X::Level, X::Element, Output: On<O, Output: CastInto<E>>>,
    {
        proved(self.try_fuse_update::<O, I, X>(expression));
    }

    /// That an expression may be subtracted.
    pub fn fuse_subtracts<X: Term>(&self, _: &X)
    where
        E: SubtractWith<X::Element>,
    {
    }
}

/// An operand of `fuse!`.
pub fn operand<const I: usize, X: Operand>(operand: &X) -> X::Fused<'_, I> {
    operand.fused::<I>()
}
