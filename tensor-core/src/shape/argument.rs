//! Shapes as arguments: arrays, slices and vectors of integers, and what `shape!` writes.

use smallvec::SmallVec;

use super::{AnyShape, Certain, Certainty, Checked, Dim, OfRank, Rank, Shape, Unsized};
use crate::error::{Error, Result};
use crate::geometry::Dims;

/// Sizes as a caller gives them: -1 stands for a size to be found.
pub type SignedDims = SmallVec<[isize; 6]>;

/// An integer that can be written for a size or an index.
#[diagnostic::on_unimplemented(
    message = "`{Self}` isn't an integer",
    label = "no integer",
    note = "sizes, places and dimensions are integers; a dimension is `axis::<1>()`, too, where the type knows the shape, so not of `Any`"
)]
pub trait SizeInteger: Copy {
    /// The integer with the range of memory; one beyond it becomes one that no tensor can have.
    fn to_isize(self) -> isize;
}

macro_rules! size_integers {
    ($($integer:ty),+) => { $(
        impl SizeInteger for $integer {
            fn to_isize(self) -> isize {
                isize::try_from(self).unwrap_or(isize::MAX)
            }
        }

        impl IntegerList for $integer {
            const ALONE: bool = true;

            fn integers(&self) -> SignedDims {
                [self.to_isize()].into_iter().collect()
            }
        }
    )+ };
}

size_integers!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

/// Integers as an argument: `[0, -1]`, `&[0, 1][..]`, a vector, or one alone.
#[diagnostic::on_unimplemented(
    message = "`{Self}` isn't a list of integers",
    label = "no integers",
    note = "write `[0, 1]`, a slice or a vector"
)]
pub trait IntegerList {
    /// Whether it is one integer, where a list would say something else.
    const ALONE: bool = false;

    /// The integers.
    fn integers(&self) -> SignedDims;
}

impl<T: IntegerList + ?Sized> IntegerList for &T {
    const ALONE: bool = T::ALONE;

    fn integers(&self) -> SignedDims {
        T::integers(self)
    }
}

/// None.
impl IntegerList for () {
    fn integers(&self) -> SignedDims {
        SignedDims::new()
    }
}

impl<I: SizeInteger> IntegerList for [I] {
    fn integers(&self) -> SignedDims {
        self.iter().map(|integer| integer.to_isize()).collect()
    }
}

macro_rules! integer_lists {
    ($([$($generics:tt)*] $list:ty;)+) => { $(
        impl<I: SizeInteger $($generics)*> IntegerList for $list {
            fn integers(&self) -> SignedDims {
                self[..].integers()
            }
        }
    )+ };
}

integer_lists! {
    [, const N: usize] [I; N];
    [] Vec<I>;
    [, const N: usize] SmallVec<[I; N]>;
}

/// What a function takes for a shape: `[2, 3]`, `&[2, 3][..]`, `vec![2, 3]` or `shape![2, 3]`; of one dimension an integer, `6`.
///
/// An array and an integer say the rank, `shape!` the sizes, too, and the tensor's type follows.
///
/// ```
/// # use latten_core::shape::Rank;
/// # use latten_core::tensor::{OfShape as _, Tensor};
/// let x: Tensor<f32, Rank<1>> = Tensor::<f32>::zeros(6)?;
/// assert_eq!(x.reshape([2, 3])?.reshape(-1)?.sizes(), [6]);
/// # Ok::<(), latten_core::error::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be used as a shape",
    label = "not a shape",
    note = "a shape is an array (`[2, 3]`), a slice or a vector of integers, one integer, or `shape![2, 3]`"
)]
pub trait ShapeArgument {
    /// What the type of the argument says of the shape.
    type Shape: Shape;
    /// Whether the type says all that there is to know.
    type Certainty: Certainty;
    /// The sizes that it says; none for one that is to be found.
    const SIZES: Option<&'static [Option<usize>]> = None;

    /// The sizes.
    fn signed_sizes(&self) -> SignedDims;

    /// The sizes, none of them negative.
    ///
    /// # Errors
    /// For a negative size, which only a view can find.
    fn sizes(&self) -> Result<Dims> {
        let signed = self.signed_sizes();
        let negative = |&&size: &&isize| size < 0;
        if let Some(size) = signed.iter().find(negative) {
            return Err(Error::runtime(format!("Trying to create tensor with negative dimension {size}: {signed:?}")));
        }
        Ok(signed.iter().map(|size| size.unsigned_abs()).collect())
    }
}

impl<T: SizeInteger, const N: usize> ShapeArgument for [T; N]
where
    OfRank<N>: Unsized,
{
    type Shape = <OfRank<N> as Unsized>::Shape;
    type Certainty = Checked;

    fn signed_sizes(&self) -> SignedDims {
        self.iter().map(|size| size.to_isize()).collect()
    }
}

impl<T: SizeInteger> ShapeArgument for [T] {
    type Shape = AnyShape;
    type Certainty = Checked;

    fn signed_sizes(&self) -> SignedDims {
        self.iter().map(|size| size.to_isize()).collect()
    }
}

impl<T: SizeInteger> ShapeArgument for Vec<T> {
    type Shape = AnyShape;
    type Certainty = Checked;

    fn signed_sizes(&self) -> SignedDims {
        self.as_slice().signed_sizes()
    }
}

/// Of one dimension. All integers at once, so that what is known of the result doesn't wait for the type of a literal.
#[diagnostic::do_not_recommend]
impl<T: SizeInteger> ShapeArgument for T {
    type Shape = Rank<1>;
    type Certainty = Checked;

    fn signed_sizes(&self) -> SignedDims {
        [self.to_isize()].into_iter().collect()
    }
}

/// What is borrowed, one by one: beside all integers there is no place for all references.
macro_rules! borrowed {
    ($([$($generics:tt)*] $shape:ty $(where $bound:ty)?;)+) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> ShapeArgument for &$shape
        $(where $bound: Unsized)?
        {
            type Shape = <$shape as ShapeArgument>::Shape;
            type Certainty = <$shape as ShapeArgument>::Certainty;
            const SIZES: Option<&'static [Option<usize>]> = <$shape as ShapeArgument>::SIZES;

            fn signed_sizes(&self) -> SignedDims {
                <$shape as ShapeArgument>::signed_sizes(self)
            }
        }
    )+ };
}

borrowed! {
    [T: SizeInteger] [T];
    [T: SizeInteger] Vec<T>;
    [T: SizeInteger, const N: usize] [T; N] where OfRank<N>;
    ['a, T: SizeInteger] &'a [T];
    ['a, T: SizeInteger, const N: usize] &'a [T; N] where OfRank<N>;
    [] ();
}

impl ShapeArgument for () {
    type Shape = Self;
    type Certainty = Certain;
    const SIZES: Option<&'static [Option<usize>]> = <Self as Shape>::SIZES;

    fn signed_sizes(&self) -> SignedDims {
        SignedDims::new()
    }
}

macro_rules! tuples {
    ($($($dim:ident)+;)+) => { $(
        borrowed! {
            [$($dim: Dim),+] ($($dim,)+);
        }

        impl<$($dim: Dim),+> ShapeArgument for ($($dim,)+) {
            type Shape = Self;
            type Certainty = Certain;
            const SIZES: Option<&'static [Option<usize>]> = <Self as Shape>::SIZES;

            fn signed_sizes(&self) -> SignedDims {
                [$($dim::SIZE),+].into_iter().map(|size| size.map_or(-1, SizeInteger::to_isize)).collect()
            }
        }
    )+ };
}

tuples! {
    A;
    A B;
    A B C;
    A B C E;
    A B C E F;
    A B C E F G;
    A B C E F G H;
    A B C E F G H I;
}
