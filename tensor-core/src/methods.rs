//! The named methods of the operations: `exp`, `maximum`, `add_`, `lt_out`, `clamp`. All of them are rows of the table of operations.

use latten_spec::operation::Op;

use crate::call::{Call, Destination, Function, run};
use crate::element::Element;
use crate::elementwise::{Params, RawOperand as Erased};
use crate::error::{Result, proved};
use crate::op;
use crate::operators::{Common, CommonOfThree, Together, TogetherOfThree, apply};
use crate::relations::{CastInto, Condition, PromoteThree, PromoteWith, SameDType, SubtractWith};
use crate::scalar::Scalar;
use crate::shape::{BroadcastInto, BroadcastWith, Shape};
use crate::tensor::{Operand, Tensor, admitted, made};

/// Runs an operation into `out`, which is resized where its type lets it be.
fn into_out<F: Element, R: Shape>(op: Op, operands: &[Erased<'_>], params: &Params, out: &mut Tensor<F, R>) -> Result<()> {
    run(Call::elementwise(op, operands, params, Destination::Out(out.raw_mut(), admitted::<R>))).map(drop)
}

latten_macros::operation_methods!();

impl<E: Element, S: Shape> Tensor<E, S> {
    /// PyTorch's `type_as`: the same numbers in the dtype and on the device of another tensor; itself, where they are.
    ///
    /// # Panics
    /// Where [`try_type_as`](Self::try_type_as) is an error.
    #[must_use]
    #[track_caller]
    pub fn type_as<F: Element, R: Shape>(&self, other: &Tensor<F, R>) -> Tensor<F, S> {
        proved(self.try_type_as(other))
    }

    /// What [`type_as`](Self::type_as) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Out of meta tensors, which have no data.
    pub fn try_type_as<F: Element, R: Shape>(&self, other: &Tensor<F, R>) -> Result<Tensor<F, S>> {
        made(Function::TypeAs, &[self.raw().into(), other.raw().into()])
    }
}

/// The dtype of `where`'s result.
type Chosen<X, Y> = <<X as Operand>::Element as PromoteWith<<X as Operand>::Level, <Y as Operand>::Level, <Y as Operand>::Element>>::Output;

/// What `where` gives.
type Where<M, X, Y> = Tensor<Chosen<X, Y>, TogetherOfThree<M, X, Y>>;

/// The same as a method of `X`, whose shape is asked first: else rustc, which knows it first, lists shapes where they don't broadcast.
type WhereOf<M, X, Y> =
    Tensor<Chosen<X, Y>, <<<X as Operand>::Shape as BroadcastWith<M>>::Common as BroadcastWith<<Y as Operand>::Shape>>::Common>;

/// PyTorch's `where`: the elements of `x` where the condition holds, and of `y` where it doesn't. Either may be a number.
///
/// # Panics
/// Where [`try_where`] is an error.
#[must_use]
#[track_caller]
pub fn where_<C, X, Y>(condition: C, x: X, y: Y) -> Where<C::Shape, X, Y>
where
    C: Operand<Element: Condition, Shape: BroadcastWith<X::Shape, Common: BroadcastWith<Y::Shape>>>,
    X: Operand<Element: PromoteWith<X::Level, Y::Level, Y::Element>>,
    Y: Operand,
{
    proved(try_where(condition, x, y))
}

impl<E: Element, S: Shape> Tensor<E, S> {
    /// PyTorch's `x.where(condition, y)`: the function [`where_`], whose elements these are where the condition holds.
    ///
    /// # Panics
    /// Where [`try_where`] is an error.
    #[must_use]
    #[track_caller]
    pub fn where_<C, Y>(&self, condition: C, y: Y) -> WhereOf<C::Shape, Self, Y>
    where
        C: Operand<Element: Condition>,
        S: BroadcastWith<C::Shape, Common: BroadcastWith<Y::Shape>>,
        E: PromoteWith<S::Level, Y::Level, Y::Element>,
        Y: Operand,
    {
        proved(apply(Op::Where, &[condition.erased(), self.erased(), y.erased()], &Params::none()))
    }
}

/// PyTorch's `where`: what [`where_`] gives, or the error that it panics with.
///
/// # Errors
/// Where the condition isn't bool, the shapes don't broadcast, or the devices differ.
pub fn try_where<C, X, Y>(condition: C, x: X, y: Y) -> Result<Where<C::Shape, X, Y>>
where
    C: Operand<Element: Condition, Shape: BroadcastWith<X::Shape, Common: BroadcastWith<Y::Shape>>>,
    X: Operand<Element: PromoteWith<X::Level, Y::Level, Y::Element>>,
    Y: Operand,
{
    apply(Op::Where, &[condition.erased(), x.erased(), y.erased()], &Params::none())
}

/// PyTorch's `where(out=…)`, whose output must have the result's dtype.
///
/// # Errors
/// As [`try_where`], and where `out` has another dtype or its type doesn't admit the result's shape; it is unchanged then.
pub fn where_out<C, M, X, Y, F, R>(condition: &Tensor<C, M>, x: X, y: Y, out: &mut Tensor<F, R>) -> Result<()>
where
    C: Condition,
    M: Shape + BroadcastWith<X::Shape, Common: BroadcastWith<Y::Shape>>,
    X: Operand<Element: PromoteWith<X::Level, Y::Level, Y::Element, Output: SameDType<F>>>,
    Y: Operand,
    F: Element,
    R: Shape,
{
    into_out(Op::Where, &[condition.erased(), x.erased(), y.erased()], &Params::none(), out)
}
