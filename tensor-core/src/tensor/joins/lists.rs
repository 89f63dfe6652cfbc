//! What `cat` and `stack` take: tuples of tensors, each with its own type, or arrays, slices and vectors of one type.

use super::super::{DimArgument, Tensor, made};
use crate::call::Function;
use crate::element::{Element, Native};
use crate::error::{Error, proved};
use crate::raw::RawTensor;
use crate::relations::PromoteWith;
use crate::shape::{AnyShape, Certain, Certainty, Checked, Concat, D, Dim, Dimensioned, Dyn, Shape};

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

/// Tensors of one type, which [`stack`](super::stack) puts beside each other.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be stacked",
    label = "no tensors of one type",
    note = "what is stacked has one dtype and one shape: `stack([&a, &b], axis::<0>())`, or `stack(&rows, 0)?` of a vector; other sizes are joined: `cat((&a, &b), axis::<1>())`"
)]
pub trait Stacking: TensorList {
    /// Their dtype.
    type Element: Element;
    /// Their shape.
    type Shape: Shape;
    /// How many there are.
    type Count: Dim;
    /// Whether there is one for certain.
    type There: Certainty;
}

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
        #[diagnostic::do_not_recommend]
        impl<E: Native, $($dim: Dim),+> Gridding for ($(&Tensor<E, ($dim,)>,)+) {
            type Grid = ($(grids!(@type $dim Tensor<E, $shape>),)+);

            fn grid(&self) -> Self::Grid {
                let grid: Vec<Tensor<E, $shape>> = proved(made(Function::Meshgrid, &[(&self.raws()[..]).into()]));
                let mut grid = grid.into_iter();
                let mut next = || proved(grid.next().ok_or_else(|| Error::runtime("a grid has a tensor for each row")));
                ($(grids!(@value $dim next()),)+)
            }
        }
    )+ };
    (@type $dim:ident $type:ty) => { $type };
    (@value $dim:ident $value:expr) => { $value };
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

/// The parts after the first one, as a list.
macro_rules! list {
    () => { () };
    ($Part:ident $($Others:ident)*) => { (($Part::Element, $Part::Shape), list!($($Others)*)) };
}

macro_rules! tuples {
    ($($First:ident $first:tt $($Part:ident $at:tt)+;)+) => { $(
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
    )+ };
}

tuples! {
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 F 3;
    A 0 B 1 C 2 F 3 G 4;
    A 0 B 1 C 2 F 3 G 4 H 5;
}
