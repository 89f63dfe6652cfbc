//! Dimensions as an argument: axes of the type, from which the shape follows and which can't be missing, or integers of the run.
//!
//! What an argument says of dimensions and what a shape makes of that are two traits, so that an axis that isn't there has a message of the
//! shape's.

use smallvec::SmallVec;

use super::along::AlongArgument;
use crate::shape::{
    AnyShape, Axis, Certain, Certainty, Checked, D, Dim, Dyn, IntegerList, NewAxisAt, OfTheRun, One, Shape, SignedDims, SizeInteger,
    TypeAxis,
};

/// One dimension that an integer says, for which the run looks.
#[derive(Clone, Copy, Debug)]
pub enum OneAtRun {}

/// Dimensions that integers say, for which the run looks.
#[derive(Clone, Copy, Debug)]
pub enum AtRun {}

/// One dimension, whatever the tensor: `axis::<1>()`, or an integer.
pub trait OneDim {
    /// The argument's type where it says the dimension, else that the run looks.
    type Said;
    /// The dimension.
    fn dim(&self) -> isize;
}

impl<const AXIS: isize> OneDim for TypeAxis<AXIS> {
    type Said = Self;

    fn dim(&self) -> isize {
        AXIS
    }
}

impl<I: SizeInteger> OneDim for I {
    type Said = OneAtRun;

    fn dim(&self) -> isize {
        self.to_isize()
    }
}

/// A dimension of a tensor of shape `S`: `axis::<1>()`, or an integer.
pub trait DimArgument<S: Shape>: OneDim {
    /// The shape without it.
    type Removed: Shape;
    /// The shape with that size left to the run.
    type Cut: Shape;
    /// The size.
    type Size: Dim;
    /// Along what shapes are joined: the axis, or [`OfTheRun`].
    type At;
    /// Whether types have proved that it is there.
    type Certainty: Certainty;
}

impl<S: Shape, A: OneDim<Said: DimOf<S>>> DimArgument<S> for A {
    type Removed = <A::Said as DimOf<S>>::Removed;
    type Cut = <A::Said as DimOf<S>>::Cut;
    type Size = <A::Said as DimOf<S>>::Size;
    type At = <A::Said as DimOf<S>>::At;
    type Certainty = <A::Said as DimOf<S>>::Certainty;
}

/// What is said of a dimension, in the shape `S`.
pub trait DimOf<S: Shape> {
    /// The shape without it.
    type Removed: Shape;
    /// The shape with that size left to the run.
    type Cut: Shape;
    /// The size.
    type Size: Dim;
    /// Along what shapes are joined: the axis, or [`OfTheRun`].
    type At;
    /// Whether types have proved that it is there.
    type Certainty: Certainty;
}

impl<S: Shape + Axis<AXIS>, const AXIS: isize> DimOf<S> for TypeAxis<AXIS> {
    type Removed = S::Removed;
    type Cut = S::Cut;
    type Size = S::Size;
    type At = Self;
    type Certainty = Certain;
}

impl<S: Shape> DimOf<S> for OneAtRun {
    type Removed = S::RankBelow;
    type Cut = S::SameRank;
    type Size = Dyn;
    type At = OfTheRun;
    type Certainty = Checked;
}

/// A place for a new dimension in a tensor of shape `S`: `axis::<0>()`, or an integer.
pub trait NewDimArgument<S: Shape>: OneDim {
    /// The shape with it.
    type With<Size: Dim>: Shape;
    /// Whether types have proved that there is such a place.
    type Certainty: Certainty;
}

impl<S: Shape, A: OneDim<Said: NewDimOf<S>>> NewDimArgument<S> for A {
    type With<Size: Dim> = <A::Said as NewDimOf<S>>::With<Size>;
    type Certainty = <A::Said as NewDimOf<S>>::Certainty;
}

/// What is said of a new dimension, in the shape `S`.
pub trait NewDimOf<S: Shape> {
    /// The shape with it.
    type With<Size: Dim>: Shape;
    /// Whether types have proved that there is such a place.
    type Certainty: Certainty;
}

impl<S: Shape + NewAxisAt<AXIS>, const AXIS: isize> NewDimOf<S> for TypeAxis<AXIS> {
    type With<Size: Dim> = S::With<Size>;
    type Certainty = Certain;
}

impl<S: Shape> NewDimOf<S> for OneAtRun {
    type With<Size: Dim> = S::RankAbove;
    type Certainty = Checked;
}

/// Any number of dimensions, whatever the tensor: `axis::<1>()`, `axes![0, 2]`, an integer, a list of integers, or `..`.
pub trait SomeDims {
    /// The argument's type where it says the dimensions, else that the run looks.
    type Said;
    /// The dimensions.
    fn dims(&self) -> SignedDims;
}

// An integer is one impl for all of them, so that it says what it is before a literal has its type.
macro_rules! integers {
    ($([$($generics:tt)*] $dims:ty, $Said:ty;)+) => { $(
        impl<$($generics)*> SomeDims for $dims {
            type Said = $Said;

            fn dims(&self) -> SignedDims {
                self.integers()
            }
        }
    )+ };
}

integers! {
    [I: SizeInteger + IntegerList] I, OneAtRun;
    [I: SizeInteger, const N: usize] [I; N], AtRun;
    [I: SizeInteger, const N: usize] &[I; N], AtRun;
    [I: SizeInteger] &[I], AtRun;
    [I: SizeInteger] Vec<I>, AtRun;
    [I: SizeInteger] &Vec<I>, AtRun;
    [I: SizeInteger, const N: usize] SmallVec<[I; N]>, AtRun;
    [I: SizeInteger, const N: usize] &SmallVec<[I; N]>, AtRun;
    [] (), AtRun;
}

impl SomeDims for std::ops::RangeFull {
    type Said = Self;

    fn dims(&self) -> SignedDims {
        SignedDims::new()
    }
}

/// Dimensions of a tensor of shape `S`: `axis::<1>()`, `axes![0, 2]`, an integer, or a list of integers.
pub trait DimsArgument<S: Shape>: SomeDims {
    /// Whether types have proved that they are there.
    type Certainty: Certainty;
}

impl<S: Shape, A: SomeDims<Said: DimsOf<S>>> DimsArgument<S> for A {
    type Certainty = <A::Said as DimsOf<S>>::Certainty;
}

/// What is said of dimensions, in the shape `S`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` doesn't say which dimensions",
    label = "no dimensions",
    note = "write `axis::<1>()`, `axes![0, 2]`, an integer, or `[0, -1]`"
)]
pub trait DimsOf<S: Shape> {
    /// Whether types have proved that they are there.
    type Certainty: Certainty;
}

impl<S: Shape> DimsOf<S> for AtRun {
    type Certainty = Checked;
}

impl<S: Shape> DimsOf<S> for OneAtRun {
    type Certainty = Checked;
}

/// Dimensions to take away where they have one element: axes of the type, whose sizes it says, or integers; `..` is all of them.
pub trait SqueezeArgument<S: Shape>: SomeDims {
    /// Whether types have proved that they are there.
    type Certainty: Certainty;
    /// The shape without them.
    type Squeezed: Shape;
    /// Whether it is all of them.
    const ALL: bool;
}

impl<S: Shape, A: SomeDims<Said: SqueezeOf<S>>> SqueezeArgument<S> for A {
    type Certainty = <A::Said as SqueezeOf<S>>::Certainty;
    type Squeezed = <A::Said as SqueezeOf<S>>::Squeezed;
    const ALL: bool = <A::Said as SqueezeOf<S>>::ALL;
}

/// What is said of dimensions that go, in the shape `S`.
pub trait SqueezeOf<S: Shape> {
    /// Whether types have proved that they are there.
    type Certainty: Certainty;
    /// The shape without them.
    type Squeezed: Shape;
    /// Whether it is all of them.
    const ALL: bool = false;
}

impl<S: Shape> SqueezeOf<S> for AtRun {
    type Certainty = Checked;
    type Squeezed = AnyShape;
}

// A type that counts the dimensions counts one less: where PyTorch would leave a larger one, there is an error.
impl<S: Shape> SqueezeOf<S> for OneAtRun {
    type Certainty = Checked;
    type Squeezed = S::RankBelow;
}

impl<S: Shape> SqueezeOf<S> for std::ops::RangeFull {
    type Certainty = Certain;
    type Squeezed = AnyShape;
    const ALL: bool = true;
}

impl<const AXIS: isize> SomeDims for TypeAxis<AXIS> {
    type Said = Self;

    fn dims(&self) -> SignedDims {
        SignedDims::from_slice(&[AXIS])
    }
}

impl<S: Shape + Axis<AXIS>, const AXIS: isize> DimsOf<S> for TypeAxis<AXIS> {
    type Certainty = Certain;
}

impl<S: Shape + Axis<AXIS, Size: IsOne>, const AXIS: isize> SqueezeOf<S> for TypeAxis<AXIS> {
    type Certainty = Certain;
    type Squeezed = S::Removed;
}

/// Several axes of the type, `axes![0, 2]`.
macro_rules! axes {
    ($(($($AXIS:ident)+);)+) => { $(
        impl<$(const $AXIS: isize),+> SomeDims for ($(TypeAxis<$AXIS>,)+) {
            type Said = Self;

            fn dims(&self) -> SignedDims {
                SignedDims::from_slice(&[$($AXIS),+])
            }
        }

        impl<S: Shape, $(const $AXIS: isize),+> DimsOf<S> for ($(TypeAxis<$AXIS>,)+)
        where
            Self: AlongArgument<S>,
        {
            type Certainty = Certain;
        }

        impl<S: Shape $(+ Axis<$AXIS, Size: IsOne>)+, $(const $AXIS: isize),+> SqueezeOf<S> for ($(TypeAxis<$AXIS>,)+)
        where
            Self: AlongArgument<S>,
        {
            type Certainty = Certain;
            type Squeezed = <Self as AlongArgument<S>>::Left;
        }
    )+ };
}

axes! {
    (A);
    (A B);
    (A B C);
}

/// The size 1, which can be taken away; where the type doesn't know the size, the run looks.
#[diagnostic::on_unimplemented(
    message = "a dimension of size `{Self}` can't be squeezed away by its type",
    label = "its size isn't known to be 1",
    note = "`x.squeeze(1)?` lets the run look"
)]
pub trait IsOne {}

#[diagnostic::do_not_recommend]
impl IsOne for One {}
#[diagnostic::do_not_recommend]
impl IsOne for D<1> {}
#[diagnostic::do_not_recommend]
impl IsOne for Dyn {}
