//! What `einsum!` writes its types with: the sizes that subscripts name, and dtypes whose sums are their own.

use super::{Tensor, einsum};
use crate::element::{Any, Element};
use crate::error::{Result, proved};
use crate::op;
use crate::raw::RawTensor;
use crate::relations::Undecided;
use crate::shape::{AnyShape, BroadcastDim, Dim, Dyn, One, Shape};

pub use super::product::MultiplyWith;

/// The size that two sizes of a subscript broadcast to, as the bound of a function: one impl, so that rustc lists none. It names the letter
/// where they don't.
pub trait SubscriptWith<Rhs, const LETTER: char> {
    /// The common size.
    type Size: Dim;
}

impl<Size: BroadcastDim<Rhs, Output: Dim>, Rhs, const LETTER: char> SubscriptWith<Rhs, LETTER> for Size {
    type Size = Size::Output;
}

/// A shape of as many dimensions as an operand has subscripts.
#[diagnostic::on_unimplemented(
    message = "einsum(): the number of subscripts in the equation ({RANK}) does not match the number of dimensions of `{Self}`",
    label = "not a tensor of {RANK} dimensions"
)]
pub trait Subscripted<const RANK: usize>: Shape {
    /// Its first size.
    type At0: Dim;
    /// Its second size, where there is one.
    type At1: Dim;
    /// Its third size, where there is one.
    type At2: Dim;
    /// Its fourth size, where there is one.
    type At3: Dim;
    /// Its fifth size, where there is one.
    type At4: Dim;
    /// Its sixth size, where there is one.
    type At5: Dim;
    /// Its seventh size, where there is one.
    type At6: Dim;
    /// Its eighth size, where there is one.
    type At7: Dim;
}

#[diagnostic::do_not_recommend]
impl<const RANK: usize> Subscripted<RANK> for AnyShape {
    type At0 = Dyn;
    type At1 = Dyn;
    type At2 = Dyn;
    type At3 = Dyn;
    type At4 = Dyn;
    type At5 = Dyn;
    type At6 = Dyn;
    type At7 = Dyn;
}

macro_rules! subscripted {
    ($($rank:literal: [$($A:ident)*] $At0:ident $At1:ident $At2:ident $At3:ident $At4:ident $At5:ident $At6:ident $At7:ident;)+) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($A: Dim),*> Subscripted<$rank> for ($($A,)*) {
            type At0 = $At0;
            type At1 = $At1;
            type At2 = $At2;
            type At3 = $At3;
            type At4 = $At4;
            type At5 = $At5;
            type At6 = $At6;
            type At7 = $At7;
        }
    )+ };
}

subscripted! {
    0: [] One One One One One One One One;
    1: [A] A One One One One One One One;
    2: [A B] A B One One One One One One;
    3: [A B C] A B C One One One One One;
    4: [A B C G] A B C G One One One One;
    5: [A B C G H] A B C G H One One One;
    6: [A B C G H I] A B C G H I One One;
    7: [A B C G H I J] A B C G H I J One;
    8: [A B C G H I J K] A B C G H I J K;
}

/// A dtype of which sums are: small integers and bools become `i64` where a subscript is summed over, which sizes can decide.
#[diagnostic::on_unimplemented(
    message = "einsum!: a sum of `{Self}` may be of another dtype, as that of `i32` is `i64`",
    label = "sums over a subscript",
    note = "a function over dtypes says `E: Float`; the function takes all: `einsum(\"…\", (&a, &b))?`, and `.to_shape()?` or `.typed()?` of what it gives"
)]
pub trait SumsStay: Element {}

impl<E: op::Sum<Output = O>, O: SumOf<E>> SumsStay for E {}

/// The dtype of a sum of `E`.
#[diagnostic::on_unimplemented(
    message = "einsum!: sums of `{E}` are `{Self}`, so the run decides of which dtype the result is",
    label = "not of the dtype of its sums",
    note = "convert first, `.to::<{Self}>()`; the function takes all dtypes: `einsum(\"…\", (&a, &b))?`"
)]
pub trait SumOf<E> {}

#[diagnostic::do_not_recommend]
impl<E: Element> SumOf<E> for E {}
// A second impl, of a type that nobody has: with one impl alone the compiler unifies and reports a mismatch of types.
#[diagnostic::do_not_recommend]
impl SumOf<Any> for Undecided {}

/// What `einsum!` gives, whose types it has worked out.
#[doc(hidden)]
#[track_caller]
pub fn given<E: Element, S: Shape>(equation: &str, operands: &[&RawTensor]) -> Tensor<E, S> {
    proved(tried(equation, operands))
}

/// What `try_einsum!` gives. Dtypes of operands that the types don't know can make another one where nothing is summed, and a size
/// that happens to be 1 another size: so the result is looked at.
///
/// # Errors
/// Where sizes or dtypes that only the run knows don't fit.
#[doc(hidden)]
pub fn tried<E: Element, S: Shape>(equation: &str, operands: &[&RawTensor]) -> Result<Tensor<E, S>> {
    einsum(equation, operands)?.typed()
}
