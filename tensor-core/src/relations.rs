//! Relations between element types: what two dtypes make, and what may be stored where.
//!
//! The rows come from tensor-spec's tables by tensor-macros; a row for [`Any`] stands for "the run will tell".

use num_complex::Complex;

use crate::element::{Any, Element};
use crate::shape::{AnyRank, Dimensioned, Ranked, Wrapped, ZeroDim};

/// The dtype that two operands compute in, given what their types say of their ranks.
///
/// `f32: PromoteWith<Dimensioned, ZeroDim, f64>` has the output `f32`. Where the answer depends on a rank that only the
/// run knows, the output is [`Any`].
#[diagnostic::on_unimplemented(
    message = "no promotion between `{Self}` and `{Rhs}`",
    label = "not the dtype of a tensor",
    note = "a tensor's dtype is a Rust type that it computes with (`bool`, `u8`, `i8`, `i16`, `i32`, `i64`, `f16`, `bf16`, `f32`, `f64`, `Complex<_>`) or `Any`"
)]
pub trait PromoteWith<LhsRank, RhsRank, Rhs> {
    /// The common dtype.
    type Output: Element;
}

#[diagnostic::do_not_recommend]
impl<L, R, Rhs: Element> PromoteWith<L, R, Rhs> for Any {
    type Output = Self;
}

tensor_macros::promotion_rows!();

/// A result of this dtype may be stored into an output of dtype `Out`.
///
/// Complex doesn't go into real, a float doesn't go into an integer, and nothing but `bool` goes into `bool`. Width is no
/// matter: an `i64` result goes into a `u8` output, and wraps.
#[diagnostic::on_unimplemented(
    message = "result type `{Self}` can't be cast to the desired output type `{Out}`",
    label = "would store `{Self}` into a tensor of `{Out}`",
    note = "make a new tensor instead (`a * &b`), or cast the operand first: `b.to::<{Out}>()`"
)]
pub trait CastInto<Out> {}

#[diagnostic::do_not_recommend]
impl<Out: Element> CastInto<Out> for Any {}

tensor_macros::cast_rows!();
