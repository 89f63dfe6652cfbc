//! What one or several dimensions of a shape select, as relations between types: what is left without one, what is there with a new one, and
//! the dimensions in another order. The rows, one a rank and a dimension, are written by tensor-macros.

use super::{Broadcast, Dim, Dyn, One, Shape, TypeAxis};

/// A dimension of a shape, counted from the front (0, 1, …) or the back (-1, -2, …).
///
/// A function over shapes that have a last dimension says `S: Axis<-1>`, and can combine a tensor with what a reduction along it keeps.
#[diagnostic::on_unimplemented(
    message = "Dimension out of range: `{Self}` has no dimension {AXIS}",
    label = "no such dimension",
    note = "dimensions are counted from 0, or from -1 backwards; the type of a tensor of any shape (`Any`) has none: write `x.squeeze(0)?`, `x.sizes()[0]`, or `let y: Tensor<f32, Rank<2>> = x.to_shape()?;` first"
)]
pub trait Axis<const AXIS: isize>: Shape + Broadcast<<Self as Axis<AXIS>>::Kept, Output = Self> {
    /// The shape without that dimension: what a reduction gives.
    type Removed: Shape;
    /// The shape with size 1 there: what a reduction with `keepdim` gives.
    type Kept: Shape;
    /// The shape with that size left to the run.
    type Cut: Shape;
    /// The size.
    type Size: Dim;
    /// Where it is, from the front.
    type Place;
}

/// A place among dimensions, from the front.
#[derive(Clone, Copy, Debug)]
pub enum Place<const PLACE: usize> {}

/// A shape that has room for a new dimension at a place, counted from the front, or from the back of the result.
#[diagnostic::on_unimplemented(
    message = "Dimension out of range: a new dimension of `{Self}` can't be at {AXIS}",
    label = "no such place for a dimension",
    note = "places are counted from 0, or from -1 backwards, and there are at most 8 dimensions; the type of a tensor of any shape (`Any`) has none: write `x.unsqueeze(0)?`, or `let y: Tensor<f32, Rank<2>> = x.to_shape()?;` first"
)]
pub trait NewAxisAt<const AXIS: isize> {
    /// The shape with a dimension of that size there.
    type With<Size: Dim>: Shape;
}

/// A shape with two dimensions exchanged.
pub trait Exchange<A, B> {
    /// The shape of the transposed tensor.
    type Shape: Shape;
}

/// A place that isn't another one.
#[diagnostic::on_unimplemented(message = "permute(): duplicate dims are not allowed.", label = "names a dimension twice")]
pub trait OtherPlace<Other> {}

/// A shape whose dimensions can be put into an order: a tuple of [`TypeAxis`], one for each dimension.
#[diagnostic::on_unimplemented(
    message = "permute: number of dimensions in the tensor input does not match the length of the desired ordering of dimensions",
    label = "`{Axes}` isn't an order of the dimensions of `{Self}`"
)]
pub trait Reordered<Axes> {
    /// The shape in that order.
    type Shape: Shape;
}

latten_macros::axis_rows!();
