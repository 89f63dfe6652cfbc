//! One dimension as an argument: an axis of the type, from which the shape follows and which can't be missing, or an integer of the run.

use crate::shape::{
    AnyShape, Axis, Certain, Certainty, Checked, Dim, IntegerList, NewAxisAt, OfTheRun, One, Shape, SignedDims, SizeInteger, TypeAxis,
};

/// A dimension of a tensor of shape `S`: `axis::<1>()`, or an integer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` isn't a dimension of a tensor of shape `{S}`",
    label = "no dimension of that shape",
    note = "`axis::<1>()` is one that the type has, counted from 0 or from -1 backwards; of a shape that only the run knows write `1`, and `?` behind it"
)]
pub trait DimArgument<S: Shape> {
    /// The shape without it.
    type Removed: Shape;
    /// The shape with that size left to the run.
    type Cut: Shape;
    /// Along what shapes are joined: the axis, or [`OfTheRun`].
    type At;
    /// Whether types have proved that it is there.
    type Certainty: Certainty;
    /// The dimension.
    fn dim(&self) -> isize;
}

impl<S: Shape + Axis<AXIS>, const AXIS: isize> DimArgument<S> for TypeAxis<AXIS> {
    type Removed = S::Removed;
    type Cut = S::Cut;
    type At = Self;
    type Certainty = Certain;

    fn dim(&self) -> isize {
        AXIS
    }
}

impl<S: Shape, I: SizeInteger> DimArgument<S> for I {
    type Removed = S::RankBelow;
    type Cut = S::SameRank;
    type At = OfTheRun;
    type Certainty = Checked;

    fn dim(&self) -> isize {
        self.to_isize()
    }
}

/// A place for a new dimension in a tensor of shape `S`: `axis::<0>()`, or an integer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` isn't a place for a dimension in a tensor of shape `{S}`",
    label = "no place for a dimension",
    note = "`axis::<1>()` is one in a shape that the type knows; in a shape that only the run knows write `1`, and `?` behind it"
)]
pub trait NewDimArgument<S: Shape> {
    /// The shape with it.
    type With<Size: Dim>: Shape;
    /// Whether types have proved that there is such a place.
    type Certainty: Certainty;
    /// The place.
    fn dim(&self) -> isize;
}

impl<S: Shape + NewAxisAt<AXIS>, const AXIS: isize> NewDimArgument<S> for TypeAxis<AXIS> {
    type With<Size: Dim> = S::With<Size>;
    type Certainty = Certain;

    fn dim(&self) -> isize {
        AXIS
    }
}

impl<S: Shape, I: SizeInteger> NewDimArgument<S> for I {
    type With<Size: Dim> = S::RankAbove;
    type Certainty = Checked;

    fn dim(&self) -> isize {
        self.to_isize()
    }
}

/// Dimensions of a tensor of shape `S`: `axis::<1>()`, an integer, or a list of integers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` doesn't say which dimensions of a tensor of shape `{S}`",
    label = "no dimensions of that shape",
    note = "`axis::<1>()` is one that the type has, counted from 0 or from -1 backwards; of a shape that only the run knows write `1` or `[0, -1]`, and `?` behind it"
)]
pub trait DimsArgument<S: Shape> {
    /// Whether types have proved that they are there.
    type Certainty: Certainty;
    /// The dimensions.
    fn dims(&self) -> SignedDims;
}

impl<S: Shape + Axis<AXIS>, const AXIS: isize> DimsArgument<S> for TypeAxis<AXIS> {
    type Certainty = Certain;

    fn dims(&self) -> SignedDims {
        SignedDims::from_slice(&[AXIS])
    }
}

impl<S: Shape, L: IntegerList> DimsArgument<S> for L {
    type Certainty = Checked;

    fn dims(&self) -> SignedDims {
        self.integers()
    }
}

/// Dimensions to take away where they have one element: `axis::<1>()`, whose size the type says, or integers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` isn't a dimension of one element of a tensor of shape `{S}`",
    label = "no such dimension of that shape",
    note = "`axis::<1>()` is one whose size the type knows to be 1; else the run looks, and keeps other sizes: `x.squeeze_dims(1)?`"
)]
pub trait SqueezeArgument<S: Shape>: DimsArgument<S> {
    /// The shape without them.
    type Squeezed: Shape;
}

impl<S: Shape + Axis<AXIS, Size: IsOne>, const AXIS: isize> SqueezeArgument<S> for TypeAxis<AXIS> {
    type Squeezed = S::Removed;
}

impl<S: Shape, L: IntegerList> SqueezeArgument<S> for L {
    type Squeezed = AnyShape;
}

/// The size 1, which can be taken away.
#[diagnostic::on_unimplemented(
    message = "a dimension of size `{Self}` can't be squeezed away by its type",
    label = "its size isn't known to be 1",
    note = "`x.squeeze_dims(1)?` lets the run look, and keeps other sizes"
)]
pub trait IsOne {}

impl IsOne for One {}
