//! Shapes as types: tuples of sizes, each known ([`D`], and [`One`]) or not ([`Dyn`]), or nothing known at all ([`AnyShape`]).
//! What two shapes make together is in `shape/together.rs`; the operators that need it are in `operators`.

use crate::element::Any;
use crate::geometry::Dims;

mod argument;
mod axes;
mod certainty;
mod count;
mod list;
mod together;
mod windows;

pub use argument::{IntegerList, ShapeArgument, SignedDims, SizeInteger};
pub use axes::{Axis, Exchange, NewAxisAt, OtherPlace, Place, Reordered};
pub use certainty::{Certain, Certainty, Checked};
pub(crate) use count::{assert_expands, assert_one, assert_same_count};
pub use list::{KeptAlong, Listed, Lost, ReversedOnto, Tupled, WithoutPlaces};
pub use together::{
    Broadcast, BroadcastDim, BroadcastInto, BroadcastWith, ChannelDim, Concat, Counted, InnerDim, JoinDim, KnownAs, KnownAsDim,
    MatrixProduct, MatrixProductWith, OfTheRun, SameDim, SmallNumber, StretchInto,
};
pub use windows::{TransposedOf, WindowWeights, Windowed, WindowsOf};

/// An axis that the type knows: [`axis`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypeAxis<const AXIS: isize>;

/// A dimension of the tensor's type, counted from 0, or backwards from -1: the result's type follows from it.
/// `x.sum_along(axis::<1>())`, `x.unsqueeze(axis::<0>())`, `x.transpose(axis::<0>(), axis::<-1>())`.
#[must_use]
pub fn axis<const AXIS: isize>() -> TypeAxis<AXIS> {
    TypeAxis
}

as_written! {
    /// No dimension at all. Several are written by the macro of the same name: `axes![0, 2]`.
    pub fn axes() { // several: axes![0, 2]
    }
}

/// A size that the type knows: what `shape![3]` and `shape![N]` say.
///
/// A parameter or constant may be 1, too. Then it is a size like any other, which equals itself; the 1 that stretches is [`One`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct D<const N: usize>;

/// The size 1 that stretches to any other: what `shape![1]` says, and what reductions keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct One;

/// A size that only the run knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dyn;

/// [`Any`] where it stands for a shape: of which the type knows nothing, not even the number of dimensions.
pub type AnyShape = Any;

/// One dimension of a shape: [`D`], [`One`] or [`Dyn`].
///
/// Each broadcasts with itself, with 1 and with a size that only the run knows, so that functions over dimensions need no more bounds.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a dimension",
    label = "not a dimension of a shape",
    note = "a shape is written `shape![2, 3]`, with `_` for a size known at run time; sizes of the run are an array, `[n, 3]`"
)]
pub trait Dim:
    BroadcastDim<Self, Output = Self>
    + BroadcastDim<One, Output = Self>
    + BroadcastDim<Dyn, Output = <Self as Dim>::BesideRun>
    + BroadcastDim<<Self as Dim>::BesideRun, Output = <Self as Dim>::BesideRun>
    + StretchInto<Self>
    + StretchInto<Dyn>
    + InnerDim<Self>
    + InnerDim<<Self as Dim>::BesideRun>
    + ChannelDim<Self>
    + SameDim<Self, 0, Output = Self>
    + SameDim<Self, 1, Output = Self>
    + SameDim<Self, 2, Output = Self>
    + SameDim<Self, 3, Output = Self>
    + SameDim<Self, 4, Output = Self>
    + SameDim<Self, 5, Output = Self>
    + SameDim<Self, 6, Output = Self>
    + SameDim<Self, 7, Output = Self>
    + KnownAsDim<Self>
    + KnownAsDim<Dyn>
    + Copy
    + Default
    + 'static
{
    /// The size, where the type knows it.
    const SIZE: Option<usize>;
    /// As many values: an array, where the type knows the size.
    type Each<T>: AsRef<[T]> + IntoIterator<Item = T>;
    /// What it makes with a size that the run knows.
    type BesideRun: Dim + BroadcastDim<Self, Output = <Self as Dim>::BesideRun> + InnerDim<Self>;
    /// The size as a number: of a written 1 the one that a parameter is where it is 1.
    type Numbered: Dim;

    /// The values, of which there are as many.
    #[doc(hidden)]
    fn each<T>(values: Vec<T>) -> Self::Each<T>;
}

impl Dim for Dyn {
    const SIZE: Option<usize> = None;
    type Each<T> = Vec<T>;
    type BesideRun = Self;
    type Numbered = Self;

    fn each<T>(values: Vec<T>) -> Vec<T> {
        values
    }
}

#[diagnostic::do_not_recommend]
impl Dim for One {
    const SIZE: Option<usize> = Some(1);
    type Each<T> = [T; 1];
    type BesideRun = Dyn;
    type Numbered = D<1>;

    fn each<T>(values: Vec<T>) -> [T; 1] {
        array(values)
    }
}

#[diagnostic::do_not_recommend]
impl<const N: usize> Dim for D<N> {
    const SIZE: Option<usize> = Some(N);
    type Each<T> = [T; N];
    type BesideRun = Self;
    type Numbered = Self;

    fn each<T>(values: Vec<T>) -> [T; N] {
        array(values)
    }
}

fn array<T, const N: usize>(values: Vec<T>) -> [T; N] {
    let count = values.len();
    values.try_into().unwrap_or_else(|_| unreachable!("a dimension of {N} has {count} places"))
}

/// A size that the type knows.
#[diagnostic::on_unimplemented(
    message = "the size `{Self}` is left to the run",
    label = "a size is left to the run",
    note = "give the shape as an argument: `Tensor::<f32>::zeros([5, 3])?`"
)]
pub trait KnownDim: Dim {
    /// The size.
    const N: usize;
}

#[diagnostic::do_not_recommend]
impl KnownDim for One {
    const N: usize = 1;
}

#[diagnostic::do_not_recommend]
impl<const SIZE: usize> KnownDim for D<SIZE> {
    const N: usize = SIZE;
}

/// What the type of a tensor says about its priority in promotion.
pub trait Ranked: 'static {}

/// At least one dimension.
#[derive(Clone, Copy, Debug)]
pub enum Dimensioned {}
/// No dimensions.
#[derive(Clone, Copy, Debug)]
pub enum ZeroDim {}
/// A number of dimensions that only the run knows.
#[derive(Clone, Copy, Debug)]
pub enum AnyRank {}
/// Not a tensor but a real number of the host language: the lowest priority.
#[derive(Clone, Copy, Debug)]
pub enum Wrapped {}
/// A complex number of the host language.
#[derive(Clone, Copy, Debug)]
pub enum WrappedComplex {}

impl Ranked for Dimensioned {}
impl Ranked for ZeroDim {}
impl Ranked for AnyRank {}

/// The shape of a tensor, as far as its type knows it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a shape",
    label = "not a tuple of dimensions",
    note = "a shape is written `shape![2, _]`, `Rank<2>` or `Any`"
)]
pub trait Shape:
    Broadcast<Self, Output = Self>
    + Broadcast<(), Output = Self>
    + BroadcastInto<Self>
    + BroadcastInto<AnyShape>
    + KnownAs<AnyShape>
    + Copy
    + Default
    + 'static
{
    /// What promotion needs to know of the rank.
    type Level: Ranked;
    /// The same rank, with every size left to the run.
    type SameRank: Shape;
    /// One dimension fewer, with every size left to the run.
    type RankBelow: Shape;
    /// One dimension more, with every size left to the run.
    type RankAbove: Shape;
    /// The same sizes as [numbers](Dim::Numbered).
    type Numbered: Shape;
    /// The size of the last dimension.
    type Last: Dim;
    /// The shape with the last size left to the run.
    type LastCut: Shape;
    /// The shape without the last dimension.
    type LastGone: Shape;
    /// The shape with one dimension more behind the last.
    type Appended<N: Dim>: Shape;
    /// The shape with the first two dimensions exchanged.
    type Rotated: Shape;
    /// The shape of a vector or of columns with that many rows, of which this is another number.
    type OfRows<N: Dim>: Shape;
    /// The shape of what solves a system of such matrices and a right side: the right side's, where this is known to be one matrix.
    type Solution<R: Shape>: Shape;
    /// The shape of the distances of these rows from those of another matrix.
    type Distances<R: Shape>: Shape;
    /// The shape of as many rows, each with a distance from each of these.
    type DistancesOf<N: Dim>: Shape;
    /// The shape of what `diag` makes: of a row a square matrix, of a matrix its diagonal.
    type Diag: Shape;
    /// The shape of what the rows of a matrix make with each other: of one row a number.
    type Squared: Shape;
    /// Sizes of the run: an array of as many as there are dimensions, or a slice where only the run knows how many.
    type Sizes<'a>: AsRef<[usize]> + Copy + std::fmt::Debug;
    /// A value for each number of a place, of which there is one where there are no dimensions: an array, or a vector where only the run knows how many.
    type PerDim<T>: AsRef<[T]> + IntoIterator<Item = T>;
    /// The sizes of all dimensions, as far as the type knows them; nothing where it doesn't know the rank.
    const SIZES: Option<&'static [Option<usize>]>;

    /// The sizes of a tensor of this type.
    #[doc(hidden)]
    fn sizes_of(sizes: &[usize]) -> Self::Sizes<'_>;

    /// The values, of which there are as many.
    #[doc(hidden)]
    fn per_dim<T>(values: Vec<T>) -> Self::PerDim<T>;

    /// Whether a tensor of these sizes may have this type.
    #[must_use]
    #[inline]
    fn admits(sizes: &[usize]) -> bool {
        Self::SIZES.is_none_or(|known| {
            known.len() == sizes.len() && known.iter().zip(sizes).all(|(known, &size)| known.is_none_or(|known| known == size))
        })
    }

    /// The sizes, where the type knows them all.
    #[must_use]
    fn known_sizes() -> Option<Dims> {
        Self::SIZES?.iter().copied().collect()
    }

    /// How a message writes the shape: `[2, _]`.
    #[must_use]
    fn describe() -> String {
        let Some(sizes) = Self::SIZES else { return "[..]".into() };
        let sizes: Vec<_> = sizes.iter().map(|size| size.map_or_else(|| "_".into(), |size| size.to_string())).collect();
        format!("[{}]", sizes.join(", "))
    }
}

/// A shape all of whose sizes the type knows.
#[diagnostic::on_unimplemented(
    message = "the type doesn't know all sizes of the shape `{Self}`",
    label = "a size is left to the run",
    note = "give the shape as an argument: `Tensor::<f32>::zeros([5, 3])?`"
)]
pub trait KnownShape: Shape {
    /// The sizes.
    #[must_use]
    fn known() -> Dims;
}

impl KnownShape for () {
    fn known() -> Dims {
        Dims::new()
    }
}

/// A shape in which a place is so many numbers.
#[diagnostic::on_unimplemented(
    message = "a place in a tensor of the shape `{Self}` hasn't {RANK} numbers",
    label = "a number for each dimension"
)]
pub trait PlaceOf<const RANK: usize>: Shape {
    /// The numbers of a place.
    #[doc(hidden)]
    fn place(at: Self::Sizes<'_>) -> [usize; RANK];
}

#[diagnostic::do_not_recommend]
impl PlaceOf<0> for () {
    fn place(at: [usize; 0]) -> [usize; 0] {
        at
    }
}

impl Shape for AnyShape {
    type Level = AnyRank;
    type SameRank = Self;
    type RankBelow = Self;
    type RankAbove = Self;
    type Numbered = Self;
    type Last = Dyn;
    type LastCut = Self;
    type LastGone = Self;
    type Appended<N: Dim> = Self;
    type Rotated = Self;
    type OfRows<N: Dim> = Self;
    type Solution<R: Shape> = Self;
    type Distances<R: Shape> = Self;
    type DistancesOf<N: Dim> = Self;
    type Diag = Self;
    type Squared = Self;
    type Sizes<'a> = &'a [usize];
    type PerDim<T> = Vec<T>;
    const SIZES: Option<&'static [Option<usize>]> = None;

    fn sizes_of(sizes: &[usize]) -> &[usize] {
        sizes
    }

    fn per_dim<T>(values: Vec<T>) -> Vec<T> {
        values
    }
}

impl Shape for () {
    type Level = ZeroDim;
    type SameRank = Self;
    type RankBelow = AnyShape;
    type RankAbove = (Dyn,);
    type Numbered = Self;
    type Last = Dyn;
    type LastCut = AnyShape;
    type LastGone = AnyShape;
    type Appended<N: Dim> = (N,);
    type Rotated = AnyShape;
    type OfRows<N: Dim> = AnyShape;
    type Solution<R: Shape> = AnyShape;
    type Distances<R: Shape> = AnyShape;
    type DistancesOf<N: Dim> = AnyShape;
    type Diag = AnyShape;
    type Squared = Self;
    type Sizes<'a> = [usize; 0];
    type PerDim<T> = [T; 1];
    const SIZES: Option<&'static [Option<usize>]> = Some(&[]);

    fn sizes_of(_: &[usize]) -> [usize; 0] {
        []
    }

    fn per_dim<T>(values: Vec<T>) -> [T; 1] {
        array(values)
    }
}

macro_rules! shapes {
    ($($($dim:ident)+: $less:ty, $loose:ty, $more:ty, $appended:ty, $turned:ty, $rows:ty, $solution:ty, $distances:ty, $rows_of:ty, $diag:ty, $squared:ty;)+) => { $(
        impl<$($dim: Dim),+> Shape for ($($dim,)+) {
            type Level = Dimensioned;
            type SameRank = $loose;
            type RankBelow = $less;
            type RankAbove = $more;
            type Numbered = ($($dim::Numbered,)+);
            type Last = <Self as Axis<-1>>::Size;
            type LastCut = <Self as Axis<-1>>::Cut;
            type LastGone = <Self as Axis<-1>>::Removed;
            type Appended<N: Dim> = $appended;
            type Rotated = $turned;
            type OfRows<N: Dim> = $rows;
            type Solution<R: Shape> = $solution;
            type Distances<R: Shape> = $distances;
            type DistancesOf<N: Dim> = $rows_of;
            type Diag = $diag;
            type Squared = $squared;
            type Sizes<'a> = [usize; [$(stringify!($dim)),+].len()];
            type PerDim<T> = [T; [$(stringify!($dim)),+].len()];
            const SIZES: Option<&'static [Option<usize>]> = Some(&[$($dim::SIZE),+]);

            fn sizes_of(sizes: &[usize]) -> Self::Sizes<'_> {
                std::array::from_fn(|dim| sizes[dim])
            }

            fn per_dim<T>(values: Vec<T>) -> Self::PerDim<T> {
                array(values)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($dim: Dim),+> PlaceOf<{ [$(stringify!($dim)),+].len() }> for ($($dim,)+) {
            fn place(at: Self::Sizes<'_>) -> [usize; [$(stringify!($dim)),+].len()] {
                at
            }
        }

        impl<$($dim: KnownDim),+> KnownShape for ($($dim,)+) {
            fn known() -> Dims {
                Dims::from_slice(&[$($dim::N),+])
            }
        }
    )+ };
}

shapes! {
    A: (), Rank<1>, Rank<2>, (A, N), AnyShape, (N,), AnyShape, AnyShape, AnyShape, (A, A), ();
    A B: Rank<1>, Rank<2>, Rank<3>, (A, B, N), (B, A), (N, B), R, R::DistancesOf<A>, (N, A), Rank<1>, (A, A);
    A B C: Rank<2>, Rank<3>, Rank<4>, (A, B, C, N), (B, A, C), AnyShape, AnyShape, AnyShape, AnyShape, AnyShape, AnyShape;
    A B C E: Rank<3>, Rank<4>, Rank<5>, (A, B, C, E, N), (B, A, C, E), AnyShape, AnyShape, AnyShape, AnyShape, AnyShape, AnyShape;
    A B C E F: Rank<4>, Rank<5>, Rank<6>, (A, B, C, E, F, N), (B, A, C, E, F), AnyShape, AnyShape, AnyShape, AnyShape, AnyShape, AnyShape;
    A B C E F G: Rank<5>, Rank<6>, Rank<7>, (A, B, C, E, F, G, N), (B, A, C, E, F, G), AnyShape, AnyShape, AnyShape, AnyShape, AnyShape, AnyShape;
    A B C E F G H: Rank<6>, Rank<7>, Rank<8>, (A, B, C, E, F, G, H, N), (B, A, C, E, F, G, H), AnyShape, AnyShape, AnyShape, AnyShape, AnyShape, AnyShape;
    A B C E F G H I: Rank<7>, Rank<8>, AnyShape, AnyShape, (B, A, C, E, F, G, H, I), AnyShape, AnyShape, AnyShape, AnyShape, AnyShape, AnyShape;
}

/// The shape of `N` dimensions whose sizes only the run knows: `Rank<2>` is `(Dyn, Dyn)`.
pub type Rank<const N: usize> = <OfRank<N> as Unsized>::Shape;

/// A number of dimensions, to look a shape up by.
#[derive(Clone, Copy, Debug)]
pub enum OfRank<const N: usize> {}

/// The shape of a rank that leaves every size to the run.
#[diagnostic::on_unimplemented(
    message = "the number of `Rank` is written, 0 to 8, and no parameter",
    label = "of `{Self}` nothing is known here",
    note = "a function over shapes takes any: `fn f<S: Shape>(x: &Tensor<f32, S>)`; what it makes by a list of sizes is `Tensor<f32>`, which is of any shape"
)]
pub trait Unsized {
    /// A tuple of as many [`Dyn`].
    type Shape: Shape;
}

macro_rules! ranks {
    ($($rank:literal ($($dim:ident)*);)+) => { $(
        #[diagnostic::do_not_recommend]
        impl Unsized for OfRank<$rank> {
            type Shape = ($($dim,)*);
        }
    )+ };
}

ranks! {
    0 ();
    1 (Dyn);
    2 (Dyn Dyn);
    3 (Dyn Dyn Dyn);
    4 (Dyn Dyn Dyn Dyn);
    5 (Dyn Dyn Dyn Dyn Dyn);
    6 (Dyn Dyn Dyn Dyn Dyn Dyn);
    7 (Dyn Dyn Dyn Dyn Dyn Dyn Dyn);
    8 (Dyn Dyn Dyn Dyn Dyn Dyn Dyn Dyn);
}
