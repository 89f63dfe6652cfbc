//! The elements of a tensor as vectors of vectors, one for each dimension that the type has.

use super::{Readable, Tensor};
use crate::error::{Error, Result, proved};
use crate::room::room;
use crate::shape::{Dim, Shape};

/// A shape whose type says how many dimensions there are.
#[diagnostic::on_unimplemented(
    message = "the type doesn't say how many dimensions a tensor of shape `{Self}` has",
    label = "lists of unknown depth",
    note = "`x.to_vec()` has all numbers in one list; a type that knows the rank comes by `x.typed::<f32, Rank<2>>()?`"
)]
pub trait NestedLists: Shape {
    /// The numbers: one, a list of them, a list of lists.
    type List<T>;

    /// The numbers of that many sizes, in row-major order.
    ///
    /// # Errors
    /// Where there are too few, or no memory for the lists.
    fn nested<T>(numbers: &mut impl Iterator<Item = T>, sizes: &[usize]) -> Result<Self::List<T>>;
}

fn too_few() -> Error {
    Error::runtime("tolist: fewer elements than the sizes say")
}

impl NestedLists for () {
    type List<T> = T;

    fn nested<T>(numbers: &mut impl Iterator<Item = T>, _: &[usize]) -> Result<T> {
        numbers.next().ok_or_else(too_few)
    }
}

macro_rules! nested {
    ($($first:ident $($dim:ident)*;)+) => { $(
        impl<$first: Dim, $($dim: Dim),*> NestedLists for ($first, $($dim,)*) {
            type List<T> = Vec<<($($dim,)*) as NestedLists>::List<T>>;

            fn nested<T>(numbers: &mut impl Iterator<Item = T>, sizes: &[usize]) -> Result<Self::List<T>> {
                let (&size, inner) = sizes.split_first().ok_or_else(too_few)?;
                let mut lists = room(size)?;
                for _ in 0..size {
                    lists.push(<($($dim,)*)>::nested(numbers, inner)?);
                }
                Ok(lists)
            }
        }
    )+ };
}

nested! {
    A;
    A B;
    A B C;
    A B C F;
    A B C F G;
    A B C F G H;
    A B C F G H I;
    A B C F G H I J;
}

impl<E: Readable, S: NestedLists> Tensor<E, S> {
    /// PyTorch's `tolist`: a number, a list of numbers, a list of lists, as deep as the type has dimensions.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let rows: Vec<Vec<f32>> = Tensor::from([[1.0_f32, 2.0], [3.0, 4.0]]).tolist();
    /// assert_eq!(rows, [[1.0, 2.0], [3.0, 4.0]]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Panics
    /// Where [`try_tolist`](Self::try_tolist) is an error.
    #[track_caller]
    pub fn tolist(&self) -> S::List<E::Number> {
        proved(self.try_tolist())
    }

    /// What [`tolist`](Self::tolist) gives, or the error that it panics with.
    ///
    /// # Errors
    /// As [`try_to_vec`](Self::try_to_vec).
    pub fn try_tolist(&self) -> Result<S::List<E::Number>> {
        S::nested(&mut self.try_to_vec()?.into_iter(), self.sizes())
    }
}
