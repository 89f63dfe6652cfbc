//! Joins and rearrangements with types: what `cat`, `stack`, `flip` and their kin are known to give. What they do is in
//! [`joins`](crate::joins) and [`arrangements`](crate::arrangements).

use super::dims::DimsArgument;
use super::{DynTensor, NewDimArgument, Tensor, into_out, made};
use crate::call::Function;
use crate::element::Element;
use crate::error::{Result, proved};
use crate::raw::RawTensor;
use crate::relations::CastInto;
use crate::shape::{AnyShape, Certainty, IntegerList, Rank, Shape, ShapeArgument};

mod lists;

pub use lists::{Alike, Gridding, Joining, Merging, Spreading, Stacking, TensorList};

fn raws<'a, E: Element, S: Shape>(tensors: &[&'a Tensor<E, S>]) -> Vec<&'a RawTensor> {
    tensors.iter().map(|tensor| &tensor.raw).collect()
}

as_written! {
/// PyTorch's `cat`: tensors end to end along a dimension. `cat((&a, &b), axis::<0>())` takes tensors of different types, whose sizes the types
/// add. Along an axis of the type the result is given itself, as operators give theirs; along a dimension of the run, `cat((&a, &b), 0)?`, there is
/// a `Result`, whose type knows no sizes. `cat(&[&a, &b], 0)?` takes any number of one type: tensors of different dtypes or ranks go in as
/// [`DynTensor`](super::DynTensor)s, and the dtype is the one that they promote to.
///
/// ```
/// # use latten_core::tensor::Tensor;
/// # use latten_core::shape::{D, axis};
/// # use latten_core::tensor::cat;
/// let (a, b) = (Tensor::from([[1, 2]]), Tensor::from([[3, 4], [5, 6]]));
/// let all: Tensor<i32, (D<3>, D<2>)> = cat((&a, &b), axis::<0>());
/// assert_eq!(all.to_vec(), [1, 2, 3, 4, 5, 6]);
/// assert_eq!(cat((&a, &b), 0)?.to_vec(), all.to_vec());
/// assert_eq!(cat(&[&a, &a], 1)?.sizes(), [1, 4]);
/// # Ok::<(), latten_core::error::Error>(())
/// ```
///
/// # Errors
/// Where there is none, or their sizes differ in another dimension.
///
/// # Panics
/// Along an axis of the type, where sizes that only the run knows differ; [`try_cat`] gives the error.
#[track_caller]
pub fn cat<D, A: Joining<D>>( // types that differ: cat((&a, &b), axis::<1>()), cat((&a, &b), 1)?; one type: cat(&[&a, &b], 1)?
    tensors: A,
    dim: D,
) -> <A::Certainty as Certainty>::Given<Tensor<A::Element, A::Shape>> {
    A::Certainty::give(try_cat(tensors, dim))
}
}

/// What [`cat`] gives, or the error that it panics with.
///
/// # Errors
/// Where there is none, or their sizes differ in another dimension.
pub fn try_cat<D, A: Joining<D>>(tensors: A, dim: D) -> Result<Tensor<A::Element, A::Shape>> {
    made(Function::Cat, &[(&tensors.raws()[..]).into(), A::dim(&dim).into()])
}

/// [`cat`] into a tensor, which is resized to the result.
///
/// # Errors
/// As [`cat`], and where the result doesn't fit the output's dtype or the shape that its type says, or memory overlaps.
pub fn cat_out<E: Element + CastInto<F>, S: Shape, F: Element, R: Shape>(
    tensors: &[&Tensor<E, S>],
    dim: isize,
    out: &mut Tensor<F, R>,
) -> Result<()> {
    into_out(Function::Cat, &[(&raws(tensors)[..]).into(), dim.into()], out)
}

/// PyTorch's `stack`: tensors of one shape beside each other along a new dimension: `stack((&a, &b), axis::<0>())`, or `stack(&rows, 0)?`.
/// Those of a tuple may be of different dtypes.
///
/// # Errors
/// Where there is none, or their shapes differ.
///
/// # Panics
/// Along an axis of the type, where sizes that only the run knows differ; [`try_stack`] gives the error.
#[track_caller]
pub fn stack<A: Stacking, D: NewDimArgument<A::Shape>>(tensors: A, dim: D) -> Stacked<A, D> {
    Stackable::<A, D>::give(try_stack(tensors, dim))
}

/// What [`stack`] gives, or the error that it panics with.
///
/// # Errors
/// Where there is none, or their shapes differ.
pub fn try_stack<A: Stacking, D: NewDimArgument<A::Shape>>(tensors: A, dim: D) -> Result<Stack<A, D>> {
    made(Function::Stack, &[(&tensors.raws()[..]).into(), dim.dim().into()])
}

/// Whether types have proved that there are tensors to stack, and the dimension.
type Stackable<A, D> = <<D as NewDimArgument<<A as Stacking>::Shape>>::Certainty as Certainty>::And<<A as Stacking>::There>;

/// The tensor that [`stack`] makes.
pub type Stack<A, D> = Tensor<<A as Stacking>::Element, <D as NewDimArgument<<A as Stacking>::Shape>>::With<<A as Stacking>::Count>>;

/// What [`stack`] gives.
pub type Stacked<A, D> = <Stackable<A, D> as Certainty>::Given<Stack<A, D>>;

as_written! {
    /// PyTorch's `meshgrid`: rows as the coordinates of a grid. Of two or three in a tuple come as many tensors, whose sizes are the rows'; of an
    /// array as many, of another list any number, of which the run knows the sizes.
    ///
    /// ```
    /// # use latten_core::tensor::{Tensor, meshgrid, meshgrid_with};
    /// # use latten_core::shape::D;
    /// let (rows, columns) = (Tensor::from([1, 2]), Tensor::from([3, 4, 5]));
    /// let (y, x): (Tensor<i32, (D<2>, D<3>)>, _) = meshgrid((&rows, &columns));
    /// assert_eq!((y.to_vec(), x.to_vec()), (vec![1, 1, 1, 2, 2, 2], vec![3, 4, 5, 3, 4, 5]));
    /// assert_eq!(meshgrid([&rows, &rows])[1].to_vec(), [1, 2, 1, 2]);
    /// assert_eq!(meshgrid_with(&[&rows, &rows], "xy")?[0].to_vec(), [1, 2, 1, 2]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Panics
    /// Where one of a list is no row; there [`meshgrid_with`] is an error.
    #[track_caller]
    pub fn meshgrid<A: Gridding>( // or meshgrid_with(&[&v, &w], "xy")?
        rows: A,
    ) -> A::Grid {
        rows.grid()
    }
}

/// PyTorch's `meshgrid(…, indexing)`: `"ij"`, or `"xy"`, by which the first two change places.
///
/// # Errors
/// Where one is no row, and for another word.
pub fn meshgrid_with<E: Element, S: Shape>(rows: &[&Tensor<E, S>], indexing: &str) -> Result<Vec<Tensor<E, AnyShape>>> {
    made(Function::Meshgrid, &[(&raws(rows)[..]).into(), indexing.into()])
}

/// Joins of a list of tensors, and their twins.
macro_rules! joined {
    ($($(#[$comment:meta])* $function:ident $name:ident $twin:ident[$List:ident] -> $Result:ty, $errors:literal;)+) => { $(
        $(#[$comment])*
        ///
        /// # Panics
        #[doc = concat!("Where [`", stringify!($twin), "`] is an error.")]
        #[must_use]
        #[track_caller]
        pub fn $name<A: $List>(tensors: A) -> $Result {
            proved($twin(tensors))
        }

        #[doc = concat!("What [`", stringify!($name), "`] gives, or the error that it panics with.")]
        ///
        /// # Errors
        #[doc = $errors]
        pub fn $twin<A: $List>(tensors: A) -> Result<$Result> {
            made(Function::$function, &[(&tensors.raws()[..]).into()])
        }
    )+ };
}

joined! {
    /// PyTorch's `hstack`: along the second dimension, or the only one: `hstack((&a, &b))`, or any list that [`cat`] takes.
    ///
    /// ```
    /// # use latten_core::tensor::{Tensor, hstack, vstack};
    /// let (x, v) = (Tensor::from([[1, 2], [3, 4]]), Tensor::from([5, 6]));
    /// assert_eq!(hstack((&v, &v)).to_vec(), [5, 6, 5, 6]);
    /// assert_eq!(vstack((&x, &v)).sizes(), [3, 2]);
    /// ```
    Hstack hstack try_hstack[Merging] -> Tensor<A::Element, AnyShape>, "As [`try_cat`].";
    /// PyTorch's `vstack`: rows below each other.
    Vstack vstack try_vstack[Merging] -> Tensor<A::Element, AnyShape>, "As [`try_cat`].";
    /// PyTorch's `dstack`: along the third dimension.
    Dstack dstack try_dstack[Merging] -> Tensor<A::Element, AnyShape>, "As [`try_cat`].";
    /// PyTorch's `column_stack`: vectors as the columns of a matrix.
    ColumnStack column_stack try_column_stack[Merging] -> Tensor<A::Element, AnyShape>, "As [`try_cat`].";
    /// PyTorch's `block_diag`: matrices along the diagonal of a matrix of zeros.
    ///
    /// ```
    /// # use latten_core::tensor::{Tensor, block_diag};
    /// let (x, one) = (Tensor::from([[1, 2]]), Tensor::from([[3]]));
    /// assert_eq!(block_diag((&x, &one)).to_vec(), [1, 2, 0, 0, 0, 3]);
    /// ```
    BlockDiag block_diag try_block_diag[Merging] -> Tensor<A::Element, Rank<2>>, "Where one has more than two dimensions.";
    /// PyTorch's `cartesian_prod`: all choices of one element of each row, as rows; a row alone stays as it is.
    ///
    /// ```
    /// # use latten_core::tensor::{Tensor, cartesian_prod};
    /// let (x, y) = (Tensor::from([1, 2]), Tensor::from([3, 4, 5]));
    /// assert_eq!(cartesian_prod((&x, &y)).to_vec(), [1, 3, 1, 4, 1, 5, 2, 3, 2, 4, 2, 5]);
    /// ```
    CartesianProd cartesian_prod try_cartesian_prod[Alike] -> Tensor<A::Element, AnyShape>, "Where one is no row, and where there is none.";
}

/// PyTorch's `broadcast_tensors`: all of the tensors as views of the shape that they broadcast to. Of a tuple come as many, each of its dtype; of
/// an array as many of one type, of another list a vector.
///
/// ```
/// # use latten_core::tensor::{Tensor, broadcast_tensors};
/// # use latten_core::shape::D;
/// let (column, row) = (Tensor::from([[1], [2]]), Tensor::from([0.5_f32, 1.5, 2.5]));
/// let (x, y): (Tensor<i32, (D<2>, D<3>)>, Tensor<f32, (D<2>, D<3>)>) = broadcast_tensors((&column, &row));
/// assert_eq!((x.to_vec(), y.strides()), (vec![1, 1, 1, 2, 2, 2], &[0, 1][..]));
/// ```
///
/// # Panics
/// Where [`try_broadcast_tensors`] is an error.
#[must_use]
#[track_caller]
pub fn broadcast_tensors<A: Spreading>(tensors: A) -> A::Spread {
    proved(try_broadcast_tensors(tensors))
}

/// What [`broadcast_tensors`] gives, or the error that it panics with.
///
/// # Errors
/// Where they don't broadcast.
pub fn try_broadcast_tensors<A: Spreading>(tensors: A) -> Result<A::Spread> {
    tensors.spread()
}

/// Joins as functions of the type, too: `Tensor::cat(&[&a, &b], 0)?`, `Tensor::stack([&a, &b], axis::<0>())`.
impl DynTensor {
    /// The function [`cat`].
    ///
    /// # Errors
    /// As [`cat`].
    #[track_caller]
    pub fn cat<D, A: Joining<D>>(tensors: A, dim: D) -> <A::Certainty as Certainty>::Given<Tensor<A::Element, A::Shape>> {
        cat(tensors, dim)
    }

    /// The function [`stack`].
    ///
    /// # Errors
    /// As [`stack`].
    #[track_caller]
    pub fn stack<A: Stacking, D: NewDimArgument<A::Shape>>(tensors: A, dim: D) -> Stacked<A, D> {
        stack(tensors, dim)
    }
}

/// The tensor that `repeat` makes.
type Repeated<E, R> = Tensor<E, <<R as ShapeArgument>::Shape as Shape>::SameRank>;

impl<E: Element, S: Shape> Tensor<E, S> {
    as_written! {
        /// PyTorch's `flip`: a copy with some dimensions in reverse, `x.flip([0, 1])?`, or one of the type, `x.flip(axis::<-1>())`.
        ///
        /// # Errors
        /// Where there are no such dimensions, or one is named twice.
        #[track_caller]
        pub fn flip<A: DimsArgument<S>>( // one list: x.flip([0, 1])?, x.flip(axes![0, 1])
            &self,
            dims: A,
        ) -> <A::Certainty as Certainty>::Given<Self> {
            A::Certainty::give(made(Function::Flip, &[(&self.raw).into(), (&dims.dims()[..]).into()]))
        }
    }

    /// PyTorch's `roll`: a copy with the elements moved along dimensions, around their ends: `x.roll(1, axis::<0>())`, `x.roll([1, -2], [0, 1])?`.
    /// Without dimensions, `x.roll(1, ())?`, the tensor counts as one row.
    ///
    /// # Errors
    /// Where there are no such dimensions, or not one shift for each.
    #[track_caller]
    pub fn roll<A: DimsArgument<S>>(&self, shifts: impl IntegerList, dims: A) -> <A::Certainty as Certainty>::Given<Self> {
        A::Certainty::give(made(Function::Roll, &[(&self.raw).into(), (&shifts.integers()[..]).into(), (&dims.dims()[..]).into()]))
    }

    as_written! {
        /// PyTorch's `repeat`: that many copies along each dimension, new dimensions in front: `x.repeat(shape![2, 1])`, or with numbers of the run,
        /// `x.repeat([n, 1])?`.
        ///
        /// # Panics
        /// Where [`try_repeat`](Self::try_repeat) is an error.
        #[track_caller]
        pub fn repeat<R: ShapeArgument>( // one list: x.repeat([2, 3])?
            &self,
            repeats: R,
        ) -> <R::Certainty as Certainty>::Given<Repeated<E, R>> {
            R::Certainty::give(self.try_repeat(repeats))
        }
    }

    /// What [`repeat`](Self::repeat) gives, or the error that it panics with.
    ///
    /// # Errors
    /// For fewer numbers than dimensions, and negative ones.
    pub fn try_repeat<R: ShapeArgument>(&self, repeats: R) -> Result<Repeated<E, R>> {
        made(Function::Repeat, &[(&self.raw).into(), (&repeats.signed_sizes()[..]).into()])
    }
}
