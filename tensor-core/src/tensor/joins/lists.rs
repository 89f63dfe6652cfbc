//! What `cat`, `stack` and their kin take: tuples of tensors, each with its own type, or arrays, slices and vectors of one type.

use super::super::{DimArgument, DynTensor, Tensor, made};
use crate::call::Function;
use crate::element::{Element, Native};
use crate::error::{Error, Result, proved};
use crate::raw::RawTensor;
use crate::relations::{PromoteWith, SameDType};
use crate::shape::{AnyShape, BroadcastWith, Certain, Certainty, Checked, Concat, D, Dim, Dimensioned, Dyn, Shape};

/// Several tensors: a tuple of references, or an array, a slice or a vector of tensors of one type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` isn't a list of tensors",
    label = "no tensors",
    note = "write `(&a, &b)`, or `[&a, &b]` for tensors of one type"
)]
pub trait TensorList {
    /// The tensors without their types.
    fn raws(&self) -> Vec<&RawTensor>;
}

/// Tensors that [`cat`](super::cat) joins along `D`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be joined along `{D}`",
    label = "no tensors to join",
    note = "write `cat((&a, &b), axis::<0>())`, or `cat(&[&a, &b], 0)?` for tensors of one type"
)]
pub trait Joining<D>: TensorList {
    /// The dtype of the result.
    type Element: Element;
    /// The shape of the result.
    type Shape: Shape;
    /// Whether types have proved that there are tensors and the dimension.
    type Certainty: Certainty;
    /// The dimension.
    fn dim(dim: &D) -> isize;
}

/// Tensors of one shape, which [`stack`](super::stack) puts beside each other.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be stacked",
    label = "no tensors of one shape",
    note = "what is stacked has one shape: `stack((&a, &b), axis::<0>())`, or `stack(&rows, 0)?` of a vector; other sizes are joined: `cat((&a, &b), axis::<1>())`"
)]
pub trait Stacking: TensorList {
    /// The dtype of the result.
    type Element: Element;
    /// Their shape.
    type Shape: Shape;
    /// How many there are.
    type Count: Dim;
    /// Whether there is one for certain.
    type There: Certainty;
}

/// Tensors of any shapes that [`hstack`](super::hstack) and its kin make one of.
#[diagnostic::on_unimplemented(
    message = "`{Self}` isn't a list of tensors",
    label = "no tensors to join",
    note = "write `hstack((&a, &b))`, or `hstack(&rows)` of a vector"
)]
pub trait Merging: TensorList {
    /// The dtype of the result.
    type Element: Element;
}

/// Tensors of one dtype, of whose elements [`cartesian_prod`](super::cartesian_prod) makes rows.
#[diagnostic::on_unimplemented(
    message = "`{Self}` isn't a list of tensors of one dtype",
    label = "no tensors of one dtype",
    note = "write `cartesian_prod((&a, &b))`"
)]
pub trait Alike: TensorList {
    /// Their dtype.
    type Element: Element;
}

/// Tensors that [`broadcast_tensors`](super::broadcast_tensors) gives one shape.
#[diagnostic::on_unimplemented(
    message = "`{Self}` isn't a list of tensors",
    label = "no tensors to broadcast",
    note = "write `broadcast_tensors((&a, &b))`, or `broadcast_tensors(&rows)` of a vector"
)]
pub trait Spreading: TensorList {
    /// The views.
    type Spread;
    /// Makes the views.
    ///
    /// # Errors
    /// Where the shapes don't broadcast.
    fn spread(&self) -> Result<Self::Spread>;
}

/// The shape of tensors that are stacked.
#[diagnostic::on_unimplemented(
    message = "stack expects each tensor to be equal size, but got `{Self}` and `{Rhs}`",
    label = "no tensors of one shape",
    note = "what is known of less, `(&a.as_shape(), &b)`; other sizes are joined: `cat((&a, &b), axis::<1>())`"
)]
pub trait StackedWith<Rhs> {}

#[diagnostic::do_not_recommend]
impl<S: Shape> StackedWith<S> for S {}

/// Rows that [`meshgrid`](super::meshgrid) makes a grid of.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't span a grid",
    label = "no rows of one dtype",
    note = "write `meshgrid((&a, &b))` of tensors with one dimension, or `meshgrid([&a, &b])` of tensors of one type"
)]
pub trait Gridding: TensorList {
    /// The coordinates of the grid's places.
    type Grid;
    /// Makes the grid.
    fn grid(&self) -> Self::Grid;
}

macro_rules! grids {
    ($(($($dim:ident)+): $shape:ty;)+) => { $(
        grids!(@of [E: Native, $($dim: Dim),+] $([&Tensor<E, ($dim,)>])+: $shape);
        grids!(@of [E: Element] $([&Tensor<E, grids!(@type $dim, AnyShape)>])+: AnyShape);
    )+ };
    (@of [$($generics:tt)+] $([$row:ty])+: $shape:ty) => {
        #[diagnostic::do_not_recommend]
        impl<$($generics)+> Gridding for ($($row,)+) {
            type Grid = ($(grids!(@type $row, Tensor<E, $shape>),)+);

            fn grid(&self) -> Self::Grid {
                let grid: Vec<Tensor<E, $shape>> = proved(made(Function::Meshgrid, &[(&self.raws()[..]).into()]));
                let mut grid = grid.into_iter();
                let mut next = || proved(grid.next().ok_or_else(|| Error::runtime("a grid has a tensor for each row")));
                ($(grids!(@value $row, next()),)+)
            }
        }
    };
    (@type $row:ty, $type:ty) => { $type };
    (@value $row:ty, $value:expr) => { $value };
}

grids! {
    (A B): (A, B);
    (A B C): (A, B, C);
}

macro_rules! lists {
    ($([$($generics:tt)*] $list:ty, $count:ty, $there:ty $(, $any:expr)?;)+) => { $(
        impl<'a, E: Element, S: Shape $($generics)*> TensorList for $list {
            fn raws(&self) -> Vec<&RawTensor> {
                $($any;)?
                self.iter().map(|tensor| &tensor.raw).collect()
            }
        }

        impl<'a, E: Element, S: Shape $($generics)*> Stacking for $list {
            type Element = E;
            type Shape = S;
            type Count = $count;
            type There = $there;
        }

        impl<'a, E: Element, S: Shape $($generics)*> Gridding for $list {
            type Grid = <$count as Dim>::Each<Tensor<E, AnyShape>>;

            fn grid(&self) -> Self::Grid {
                <$count>::each(proved(made(Function::Meshgrid, &[(&self.raws()[..]).into()])))
            }
        }

        impl<'a, E: Element, S: Shape $($generics)*> Merging for $list {
            type Element = E;
        }

        impl<'a, E: Element, S: Shape $($generics)*> Alike for $list {
            type Element = E;
        }

        impl<'a, E: Element, S: Shape $($generics)*> Spreading for $list {
            type Spread = <$count as Dim>::Each<Tensor<E, S::SameRank>>;

            fn spread(&self) -> Result<Self::Spread> {
                made(Function::BroadcastTensors, &[(&self.raws()[..]).into()]).map(<$count>::each)
            }
        }

        impl<'a, A: DimArgument<S>, E: Element, S: Shape $($generics)*> Joining<A> for $list {
            type Element = E;
            type Shape = A::Cut;
            type Certainty = <A::Certainty as Certainty>::And<$there>;

            fn dim(dim: &A) -> isize {
                dim.dim()
            }
        }
    )+ };
}

// Of slices and vectors the run finds out whether there are any at all.
lists! {
    [, const N: usize] [&'a Tensor<E, S>; N], D<N>, Certain, const { assert!(N > 0, "expected a non-empty list of Tensors") };
    [, const N: usize] &[&'a Tensor<E, S>; N], D<N>, Certain, const { assert!(N > 0, "expected a non-empty list of Tensors") };
    [, const N: usize] [Tensor<E, S>; N], D<N>, Certain, const { assert!(N > 0, "expected a non-empty list of Tensors") };
    [, const N: usize] &[Tensor<E, S>; N], D<N>, Certain, const { assert!(N > 0, "expected a non-empty list of Tensors") };
    [] &[&'a Tensor<E, S>], Dyn, Checked;
    [] &Vec<&'a Tensor<E, S>>, Dyn, Checked;
    [] Vec<&'a Tensor<E, S>>, Dyn, Checked;
    [] &[Tensor<E, S>], Dyn, Checked;
    [] &Vec<Tensor<E, S>>, Dyn, Checked;
}

impl<const N: usize> TensorList for &[&RawTensor; N] {
    fn raws(&self) -> Vec<&RawTensor> {
        self.to_vec()
    }
}

impl TensorList for &[&RawTensor] {
    fn raws(&self) -> Vec<&RawTensor> {
        self.to_vec()
    }
}

/// A tensor among several of other types.
pub trait Part {
    /// Its dtype.
    type Element: Element;
    /// Its shape.
    type Shape: Shape;
    /// The tensor without its type.
    fn raw(&self) -> &RawTensor;
}

/// Borrowed or not.
macro_rules! part {
    ($($tensor:ty),+) => { $(
        impl<E: Element, S: Shape> Part for $tensor {
            type Element = E;
            type Shape = S;

            fn raw(&self) -> &RawTensor {
                &self.raw
            }
        }
    )+ };
}

part!(&Tensor<E, S>, Tensor<E, S>);

/// Tensors of different types that are joined along a dimension of the first one, one after the other.
pub trait Chain<At> {
    /// The dtype of the result.
    type Element: Element;
    /// The shape of the result.
    type Shape: Shape;
}

impl<E: Element, S: Shape, At> Chain<At> for (E, S, ()) {
    type Element = E;
    type Shape = S;
}

impl<E, S, F, R, Others, At, G, Q> Chain<At> for (E, S, ((F, R), Others))
where
    S: Concat<R, At, Output = Q>,
    E: PromoteWith<Dimensioned, Dimensioned, F, Output = G>,
    (G, Q, Others): Chain<At>,
{
    type Element = <(G, Q, Others) as Chain<At>>::Element;
    type Shape = <(G, Q, Others) as Chain<At>>::Shape;
}

/// The dtype of tensors of different types, of any shapes.
pub trait Mixed {
    /// The dtype that they promote to.
    type Element: Element;
}

impl<E: Element> Mixed for (E, ()) {
    type Element = E;
}

impl<E, F, R, Others, G> Mixed for (E, ((F, R), Others))
where
    E: PromoteWith<Dimensioned, Dimensioned, F, Output = G>,
    (G, Others): Mixed,
{
    type Element = <(G, Others) as Mixed>::Element;
}

/// The shape that shapes broadcast to, one after the other.
pub trait SpreadTogether {
    /// The common shape.
    type Common: Shape;
}

impl<S: Shape> SpreadTogether for (S, ()) {
    type Common = S;
}

impl<S, F, R, Others, Q> SpreadTogether for (S, ((F, R), Others))
where
    S: BroadcastWith<R, Common = Q>,
    (Q, Others): SpreadTogether,
{
    type Common = <(Q, Others) as SpreadTogether>::Common;
}

/// Tensors of the dtypes of several, all of one shape.
pub trait EachOf {
    /// The tensors.
    type Shaped<Q: Shape>;
    /// What the run made of them.
    ///
    /// # Errors
    /// Where there are fewer.
    fn shaped<Q: Shape>(tensors: Vec<DynTensor>) -> Result<Self::Shaped<Q>>;
}

/// The parts after the first one, as a list.
macro_rules! list {
    () => { () };
    ($Part:ident $($Others:ident)*) => { (($Part::Element, $Part::Shape), list!($($Others)*)) };
}

macro_rules! tuples {
    ($($count:literal: $First:ident $first:tt $($Part:ident $at:tt)+;)+) => { $(
        impl<$First: Part, $($Part: Part),+> TensorList for ($First, $($Part),+) {
            fn raws(&self) -> Vec<&RawTensor> {
                vec![self.$first.raw(), $(self.$at.raw()),+]
            }
        }

        impl<Along: DimArgument<$First::Shape>, $First: Part, $($Part: Part),+> Joining<Along> for ($First, $($Part),+)
        where
            ($First::Element, $First::Shape, list!($($Part)+)): Chain<Along::At>,
        {
            type Element = <($First::Element, $First::Shape, list!($($Part)+)) as Chain<Along::At>>::Element;
            type Shape = <($First::Element, $First::Shape, list!($($Part)+)) as Chain<Along::At>>::Shape;
            type Certainty = Along::Certainty;

            fn dim(dim: &Along) -> isize {
                dim.dim()
            }
        }

        impl<$First: Part, $($Part: Part),+> Stacking for ($First, $($Part),+)
        where
            ($First::Element, list!($($Part)+)): Mixed,
            $($First::Shape: StackedWith<$Part::Shape>),+
        {
            type Element = <($First::Element, list!($($Part)+)) as Mixed>::Element;
            type Shape = $First::Shape;
            type Count = D<$count>;
            type There = Certain;
        }

        impl<$First: Part, $($Part: Part),+> Merging for ($First, $($Part),+)
        where
            ($First::Element, list!($($Part)+)): Mixed,
        {
            type Element = <($First::Element, list!($($Part)+)) as Mixed>::Element;
        }

        impl<$First: Part, $($Part: Part),+> Alike for ($First, $($Part),+)
        where
            $($Part::Element: SameDType<$First::Element>),+
        {
            type Element = $First::Element;
        }

        impl<$First: Part, $($Part: Part),+> EachOf for ($First, $($Part),+) {
            type Shaped<Q: Shape> = (Tensor<$First::Element, Q>, $(Tensor<$Part::Element, Q>),+);

            fn shaped<Q: Shape>(tensors: Vec<DynTensor>) -> Result<Self::Shaped<Q>> {
                let mut tensors = tensors.into_iter();
                let mut next = || tensors.next().map(|tensor| tensor.raw).ok_or_else(|| Error::runtime("there is a view of each tensor"));
                Ok((Tensor::<$First::Element, Q>::proved(next()?), $(Tensor::<$Part::Element, Q>::proved(next()?)),+))
            }
        }

        impl<$First: Part, $($Part: Part),+> Spreading for ($First, $($Part),+)
        where
            ($First::Shape, list!($($Part)+)): SpreadTogether,
        {
            type Spread = <Self as EachOf>::Shaped<<($First::Shape, list!($($Part)+)) as SpreadTogether>::Common>;

            fn spread(&self) -> Result<Self::Spread> {
                made(Function::BroadcastTensors, &[(&self.raws()[..]).into()]).and_then(Self::shaped)
            }
        }
    )+ };
}

tuples! {
    2: A 0 B 1;
    3: A 0 B 1 C 2;
    4: A 0 B 1 C 2 F 3;
    5: A 0 B 1 C 2 F 3 G 4;
    6: A 0 B 1 C 2 F 3 G 4 H 5;
}
