//! Shapes that windows go over: of convolutions and of pools. Their last dimensions, as many as a window has, are left to the run; the channels
//! before them, and the batch before those, stay known.

use super::{AnyShape, ChannelDim, Dim, Dyn, Shape};

/// A shape that windows of `DIMS` dimensions go over: channels are before these, and maybe a batch before the channels.
#[diagnostic::on_unimplemented(
    message = "{DIMS}-dimensional windows don't go over a tensor of shape `{Self}`",
    label = "not the shape of channels, or of a batch of them",
    note = "windows go over the last dimensions, as many as they have; before these are channels, and maybe a batch"
)]
pub trait Windowed<const DIMS: usize>: Shape {
    /// How many channels there are.
    type Channels: Dim;
    /// The shape of what comes of windows, with other channels.
    type Made<Channels: Dim>: Shape;
    /// The same, with these channels.
    type Pooled: Shape;
}

/// The shape of weights for windows of `DIMS` dimensions.
#[diagnostic::on_unimplemented(
    message = "a tensor of shape `{Self}` can't be the weights of {DIMS}-dimensional windows",
    label = "not the shape of weights",
    note = "weights have two dimensions of channels, and behind them those of a window"
)]
pub trait WindowWeights<const DIMS: usize>: Shape {
    /// The first dimension: the channels that come out, of a transposed convolution those that go in.
    type First: Dim;
    /// The second one: the channels that go in, of a transposed convolution those that come out.
    type Second: Dim;
}

/// What windows make of a shape, by these weights.
pub trait WindowsOf<S, const DIMS: usize> {
    /// The shape of a convolution.
    type Convolved: Shape;
}

impl<W: WindowWeights<DIMS>, S: Windowed<DIMS, Channels: ChannelDim<W::Second>>, const DIMS: usize> WindowsOf<S, DIMS> for W {
    type Convolved = S::Made<W::First>;
}

/// The same of a transposed convolution.
pub trait TransposedOf<S, const DIMS: usize> {
    /// Its shape.
    type Convolved: Shape;
}

impl<W: WindowWeights<DIMS>, S: Windowed<DIMS, Channels: ChannelDim<W::First>>, const DIMS: usize> TransposedOf<S, DIMS> for W {
    type Convolved = S::Made<W::Second>;
}

#[diagnostic::do_not_recommend]
impl<const DIMS: usize> Windowed<DIMS> for AnyShape {
    type Channels = Dyn;
    type Made<Channels: Dim> = Self;
    type Pooled = Self;
}

#[diagnostic::do_not_recommend]
impl<const DIMS: usize> WindowWeights<DIMS> for AnyShape {
    type First = Dyn;
    type Second = Dyn;
}

macro_rules! windows {
    ($($dims:literal: $($size:ident $dyn:ident),+;)+) => { $(
        #[diagnostic::do_not_recommend]
        impl<C: Dim, $($size: Dim),+> Windowed<$dims> for (C, $($size),+) {
            type Channels = C;
            type Made<Channels: Dim> = (Channels, $($dyn),+);
            type Pooled = (C, $($dyn),+);
        }

        #[diagnostic::do_not_recommend]
        impl<N: Dim, C: Dim, $($size: Dim),+> Windowed<$dims> for (N, C, $($size),+) {
            type Channels = C;
            type Made<Channels: Dim> = (N, Channels, $($dyn),+);
            type Pooled = (N, C, $($dyn),+);
        }

        #[diagnostic::do_not_recommend]
        impl<O: Dim, I: Dim, $($size: Dim),+> WindowWeights<$dims> for (O, I, $($size),+) {
            type First = O;
            type Second = I;
        }
    )+ };
}

windows! {
    1: X Dyn;
    2: Y Dyn, X Dyn;
    3: Z Dyn, Y Dyn, X Dyn;
}
