//! What a reduction is told to go along: everything, an axis that the type knows, dimensions that the run knows; and whether they stay.
//! The argument decides the result's type, and whether there is something left for the run to check.

use super::Tensor;
use crate::element::{Any, Element};
use crate::error::{Result, proved};
use crate::reduce::{Along, Keep};
use crate::shape::{AnyShape, Axis, KeptAlong, Listed, Shape, SignedDims, SizeInteger, TypeAxis, WithoutPlaces};

/// Dimensions that stay, with size 1: [`kept`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept<A>(A);

/// The same dimensions, which stay with size 1: PyTorch's `keepdim=True`.
#[must_use]
pub fn kept<A>(along: A) -> Kept<A> {
    Kept(along)
}

/// What a reduction of a tensor of shape `S` can go along: `axis::<1>()`, `axes![0, 2]`, `1`, `[0, -1]`, `[dim]`, `kept(…)` of these, `..` for everything, or an
/// [`Along`] with a dtype or a parameter.
#[diagnostic::on_unimplemented(
    message = "`{Self}` names no dimensions of `{S}`",
    label = "no such dimensions",
    note = "dimensions are counted from 0, or from -1 backwards: write `axis::<1>()`, `axes![0, 2]`, `1`, `[0, -1]` or `..`, or `kept(…)` around one of these; or `Along::dims(&[1]).dtype(…)`"
)]
pub trait AlongArgument<S: Shape> {
    /// The shape that is left.
    type Left: Shape;
    /// The dtype of the result, where that of the reduction is `O`.
    type Element<O: Element>: Element;
    /// A result itself where types know that the dimensions are there, else a `Result`.
    type Given<T>;

    /// The dimensions, as the run takes them.
    fn along(&self) -> Along;
    /// The result, as it is given.
    #[track_caller]
    fn give<T>(result: Result<T>) -> Self::Given<T>;
}

/// One dimension of those that [`AlongArgument`] has, for reductions that have a place for each result.
#[diagnostic::on_unimplemented(
    message = "`{Self}` isn't one dimension",
    label = "places are found along one dimension",
    note = "write `axis::<1>()` or `1`, or `kept(…)` around one of these; of all elements there is the method without `_along`"
)]
pub trait AlongOne<S: Shape>: AlongArgument<S> {
    /// The dimension.
    fn dim(&self) -> isize;

    /// Whether it stays.
    fn keep(&self) -> Keep {
        Keep::No
    }
}

impl<S: Axis<AXIS> + Shape, const AXIS: isize> AlongArgument<S> for TypeAxis<AXIS> {
    type Left = S::Removed;
    type Element<O: Element> = O;
    type Given<T> = T;

    fn along(&self) -> Along {
        Along::dims(&[AXIS])
    }

    #[track_caller]
    fn give<T>(result: Result<T>) -> T {
        proved(result)
    }
}

impl<S: Axis<AXIS> + Shape, const AXIS: isize> AlongOne<S> for TypeAxis<AXIS> {
    fn dim(&self) -> isize {
        AXIS
    }
}

impl<S: Axis<AXIS> + Shape, const AXIS: isize> AlongArgument<S> for Kept<TypeAxis<AXIS>> {
    type Left = S::Kept;
    type Element<O: Element> = O;
    type Given<T> = T;

    fn along(&self) -> Along {
        Along::dims(&[AXIS]).keep(Keep::Yes)
    }

    #[track_caller]
    fn give<T>(result: Result<T>) -> T {
        proved(result)
    }
}

impl<S: Axis<AXIS> + Shape, const AXIS: isize> AlongOne<S> for Kept<TypeAxis<AXIS>> {
    fn dim(&self) -> isize {
        AXIS
    }

    fn keep(&self) -> Keep {
        Keep::Yes
    }
}

impl<S: Shape> AlongArgument<S> for std::ops::RangeFull {
    type Left = ();
    type Element<O: Element> = O;
    type Given<T> = T;

    fn along(&self) -> Along {
        Along::all()
    }

    #[track_caller]
    fn give<T>(result: Result<T>) -> T {
        proved(result)
    }
}

/// A list of types, the first outermost.
macro_rules! nested {
    () => { () };
    ($first:ty, $($others:ty,)*) => { ($first, nested!($($others,)*)) };
}

/// Several axes of the type, `axes![0, 2]`: as a list, and their places.
macro_rules! several {
    ($($($axis:ident)+;)+) => { $(
        #[diagnostic::do_not_recommend]
        impl<S: $(Axis<$axis> +)+ Listed, $(const $axis: isize),+> AlongArgument<S> for ($(TypeAxis<$axis>,)+)
        where
            S::List: WithoutPlaces<nested!($(<S as Axis<$axis>>::Place,)+)>,
        {
            type Left = <S::List as WithoutPlaces<nested!($(<S as Axis<$axis>>::Place,)+)>>::Shape;
            type Element<O: Element> = O;
            type Given<T> = T;

            fn along(&self) -> Along {
                Along::dims(&[$($axis),+])
            }

            #[track_caller]
            fn give<T>(result: Result<T>) -> T {
                proved(result)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<S: $(Axis<$axis> +)+ Listed + KeptAlong<nested!($(TypeAxis<$axis>,)+)>, $(const $axis: isize),+> AlongArgument<S>
            for Kept<($(TypeAxis<$axis>,)+)>
        where
            S::List: WithoutPlaces<nested!($(<S as Axis<$axis>>::Place,)+)>,
        {
            type Left = <S as KeptAlong<nested!($(TypeAxis<$axis>,)+)>>::Kept;
            type Element<O: Element> = O;
            type Given<T> = T;

            fn along(&self) -> Along {
                Along::dims(&[$($axis),+]).keep(Keep::Yes)
            }

            #[track_caller]
            fn give<T>(result: Result<T>) -> T {
                proved(result)
            }
        }
    )+ };
}

several! {
    A;
    A B;
    A B C;
    A B C F;
    A B C F G;
}

/// A result of dtype `O` of a tensor of shape `S` that is reduced along `A`.
pub type ReducedAlong<A, S, O> = Tensor<<A as AlongArgument<S>>::Element<O>, <A as AlongArgument<S>>::Left>;

/// What the run looks at: a `Result` of a shape of which types know the rank at most.
macro_rules! looked_at {
    ($([$($generics:tt)*] $Argument:ty => $Left:ty, $element:ident, |$argument:ident| $along:expr;)+) => { $(
        #[diagnostic::do_not_recommend]
        impl<S: Shape $($generics)*> AlongArgument<S> for $Argument {
            type Left = $Left;
            type Element<O: Element> = $element;
            type Given<T> = Result<T>;

            fn along(&self) -> Along {
                let $argument = self;
                $along
            }

            fn give<T>(result: Result<T>) -> Result<T> {
                result
            }
        }
    )+ };
}

/// A shape of which two dimensions are gone.
type TwoBelow<S> = <<S as Shape>::RankBelow as Shape>::RankBelow;

/// Dimensions as the run takes them.
fn of<T: SizeInteger>(dims: &[T]) -> Along {
    let dims: SignedDims = dims.iter().map(|dim| dim.to_isize()).collect();
    Along::dims(&dims)
}

looked_at! {
    [, I: SizeInteger] I => S::RankBelow, O, |dim| of(&[*dim]);
    [, I: SizeInteger] Kept<I> => S::SameRank, O, |dim| of(&[dim.0]).keep(Keep::Yes);
    [, I: SizeInteger] [I; 0] => AnyShape, O, |dims| of(dims);
    [, I: SizeInteger] [I; 1] => S::RankBelow, O, |dims| of(dims);
    [, I: SizeInteger] [I; 2] => TwoBelow<S>, O, |dims| of(dims);
    [, I: SizeInteger] [I; 3] => <TwoBelow<S> as Shape>::RankBelow, O, |dims| of(dims);
    [, I: SizeInteger] [I; 4] => TwoBelow<TwoBelow<S>>, O, |dims| of(dims);
    [, I: SizeInteger] [I; 5] => AnyShape, O, |dims| of(dims);
    [, I: SizeInteger] [I; 6] => AnyShape, O, |dims| of(dims);
    [, I: SizeInteger] [I; 7] => AnyShape, O, |dims| of(dims);
    [, I: SizeInteger] [I; 8] => AnyShape, O, |dims| of(dims);
    [] (isize, isize) => TwoBelow<S>, O, |dims| of(&[dims.0, dims.1]);
    [] (isize, isize, isize) => <TwoBelow<S> as Shape>::RankBelow, O, |dims| of(&[dims.0, dims.1, dims.2]);
    [, I: SizeInteger] &[I] => AnyShape, O, |dims| of(dims);
    [, I: SizeInteger] Vec<I> => AnyShape, O, |dims| of(dims);
    [, I: SizeInteger, const N: usize] Kept<[I; N]> => S::SameRank, O, |dims| of(&dims.0).keep(Keep::Yes);
    [, I: SizeInteger] Kept<&[I]> => S::SameRank, O, |dims| of(dims.0).keep(Keep::Yes);
    [, I: SizeInteger] Kept<Vec<I>> => S::SameRank, O, |dims| of(&dims.0).keep(Keep::Yes);
    [] Kept<std::ops::RangeFull> => S::SameRank, O, |_all| Along::all().keep(Keep::Yes);
    [] Along => AnyShape, Any, |along| along.clone();
    [] &Along => AnyShape, Any, |along| (*along).clone();
}

/// One dimension as the run takes it.
macro_rules! one {
    ($([$($generics:tt)*] $Argument:ty, |$argument:ident| $dim:expr, $keep:ident;)+) => { $(
        #[diagnostic::do_not_recommend]
        impl<S: Shape $($generics)*> AlongOne<S> for $Argument {
            fn dim(&self) -> isize {
                let $argument = self;
                $dim
            }

            fn keep(&self) -> Keep {
                Keep::$keep
            }
        }
    )+ };
}

// One impl for all integers: with several a literal would have none in time.
one! {
    [, I: SizeInteger] I, |dim| dim.to_isize(), No;
    [, I: SizeInteger] Kept<I>, |dim| dim.0.to_isize(), Yes;
    [, I: SizeInteger] [I; 1], |dim| dim[0].to_isize(), No;
    [, I: SizeInteger] Kept<[I; 1]>, |dim| dim.0[0].to_isize(), Yes;
}
