//! Where fused expressions end: in a new tensor, in the elements of one, or in a reduction.

use latten_spec::reduction::Reduction;

use super::along::{AlongArgument, AlongOne};
use super::{Operand, Tensor};
use crate::element::Element;
use crate::error::{Result, proved};
use crate::fused::{Lazy, Leaf, Mark, Node, On, Term, Thinned, TwoNode};
use crate::kinds::Continuous;
use crate::op;
use crate::random::Mode;
use crate::reduce::{Along, Keep};
use crate::relations::{CastInto, PromoteWith, SubtractWith};
use crate::shape::{BroadcastInto, Shape};

/// The dtype that a tensor and a term compute in.
type Updated<E, S, X> = <E as PromoteWith<<S as Shape>::Level, <X as Term>::Level, <X as Term>::Element>>::Output;

/// The result of an expression, in a new tensor.
///
/// # Errors
/// What the first operation that fails says.
pub fn try_evaluate<N: Node>(expression: Lazy<N>) -> Result<Tensor<N::Element, N::Shape>> {
    expression.result().and_then(Tensor::stretched)
}

/// The result of an expression, in a new tensor.
///
/// # Panics
/// Where [`try_evaluate`] is an error.
#[must_use]
#[track_caller]
pub fn evaluate<N: Node>(expression: Lazy<N>) -> Tensor<N::Element, N::Shape> {
    proved(try_evaluate(expression))
}

/// An expression that a reduction ends, which reads its elements where they are computed. The methods are those of tensors.
#[derive(Clone, Copy, Debug)]
pub struct Ending<N>(Lazy<N>);

/// An expression that a reduction ends.
pub fn ending<N: Node>(expression: Lazy<N>) -> Ending<N> {
    Ending(expression)
}

impl<N: Node> Ending<N> {
    fn reduced<O: Element, R: Shape>(&self, op: Reduction, along: &Along) -> Result<Tensor<O, R>> {
        self.0.reduced(op, along).map(Tensor::proved)
    }

    fn picked<O: Element, R: Shape>(&self, op: Reduction, dim: isize, keep: Keep) -> Result<(Tensor<O, R>, Tensor<i64, R>)> {
        let (values, places) = self.0.picked(op, dim, keep)?;
        Ok((Tensor::proved(values), Tensor::proved(places)))
    }
}

latten_macros::reduction_endings!();

/// What `fuse!(out = …)` and `fuse!(out += …)` call.
#[doc(hidden)]
impl<E: Element, S: Shape> Tensor<E, S> {
    /// Takes the result of an expression.
    ///
    /// # Errors
    /// What the first operation that fails says, and where the result doesn't fit; nothing is changed then.
    pub fn try_fuse_set<N: Node<Element: CastInto<E>, Shape: BroadcastInto<S>>>(&mut self, expression: Lazy<N>) -> Result<()> {
        expression.result_into(&mut self.raw)
    }

    /// Takes the result of an operation on itself and an expression.
    ///
    /// # Errors
    /// As [`try_fuse_set`](Self::try_fuse_set).
    pub fn try_fuse_update<O, const I: usize, X>(&mut self, expression: X) -> Result<()>
    where
        O: Mark,
        X: Term<Shape: BroadcastInto<S>>,
        E: PromoteWith<S::Level, X::Level, X::Element, Output: On<O, Output: CastInto<E>>>,
    {
        let own = Lazy(Leaf::<E, S, I>::new(&self.raw));
        Lazy(TwoNode::<O, Updated<E, S, X>, S, _, X>::new(own, expression, [None; 3])).result_into(&mut self.raw.clone())
    }

    /// As [`try_fuse_set`](Self::try_fuse_set), but panics.
    #[track_caller]
    pub fn fuse_set<N: Node<Element: CastInto<E>, Shape: BroadcastInto<S>>>(&mut self, expression: Lazy<N>) {
        proved(self.try_fuse_set(expression));
    }

    /// As [`try_fuse_update`](Self::try_fuse_update), but panics.
    #[track_caller]
    pub fn fuse_update<O, const I: usize, X>(&mut self, expression: X)
    where
        O: Mark,
        X: Term<Shape: BroadcastInto<S>>,
        E: PromoteWith<S::Level, X::Level, X::Element, Output: On<O, Output: CastInto<E>>>,
    {
        proved(self.try_fuse_update::<O, I, X>(expression));
    }

    /// That an expression may be subtracted.
    pub fn fuse_subtracts<X: Term>(&self, _: &X)
    where
        E: SubtractWith<X::Element>,
    {
    }
}

/// An operand of `fuse!`.
pub fn operand<const I: usize, X: Operand>(operand: &X) -> X::Fused<'_, I> {
    operand.fused::<I>()
}

/// An expression without the elements that are left out by chance, as PyTorch's `dropout` of a model that learns: `dropout(x, 0.5)`.
pub fn dropout<const MASK: usize, N: Node<Element: Continuous>>(term: Lazy<N>, probability: f64) -> Lazy<Thinned<MASK, N>> {
    dropout_in(term, (probability, Mode::Training))
}

/// The same with a mode: `dropout(x, 0.5, mode)`.
pub fn dropout_in<const MASK: usize, N: Node<Element: Continuous>>(
    term: Lazy<N>,
    (probability, mode): (f64, Mode),
) -> Lazy<Thinned<MASK, N>> {
    Lazy(Thinned::new(term.0, probability, mode))
}
