//! The type of a literal: what stands around it may say it, `let x: Tensor<f64, Rank<1>> = tensor![1.0, 2.0]`; else it is the literal's own, and
//! is there at once: `(tensor![1.0] * 2.0).sum()`. A type that only waited for what is expected would come too late for methods.
//!
//! `tensor!` writes `wanted(|dtype, shape| { dtype.decide(); shape.decide(); })`. What is expected gives the closure the types of its arguments;
//! where nothing is, they are open when the body is checked, and then the first `decide` that fits makes both types of an argument one.

use std::marker::PhantomData;
use std::ops::Deref;

use crate::relations::{LiteralOf, Numbers};
use crate::shape::KnownAs;

/// A type, and the one that the literal has by itself.
#[derive(Debug)]
pub struct Expected<Own, T>(PhantomData<(Own, T)>);

impl<T> Expected<T, T> {
    /// They are one.
    pub fn decide(&self) {}
}

impl<Own, T> Deref for Expected<Own, T> {
    type Target = Elsewhere;

    fn deref(&self) -> &Elsewhere {
        &Elsewhere
    }
}

/// Says that a type is known from elsewhere.
#[derive(Debug)]
pub struct Elsewhere;

impl Elsewhere {
    /// It stays.
    pub fn decide(&self) {}
}

/// The dtype of a literal that has numbers of the program in it, the first of which is an `X`: what is expected; else the literal's own, where
/// the number may be of that, as one without a suffix; else the number's, where it holds the literals.
#[derive(Debug)]
pub struct Among<N, Own, X, E>(PhantomData<(N, Own, X, E)>);

impl<N, Own> Among<N, Own, Own, Own> {
    /// They are one.
    pub fn decide(&self) {}
}

impl<N, Own, X, E> Deref for Among<N, Own, X, E> {
    type Target = OfNumber<N, Own, X, E>;

    fn deref(&self) -> &Self::Target {
        &OfNumber(PhantomData)
    }
}

/// The same of the number's dtype.
#[derive(Debug)]
pub struct OfNumber<N, Own, X, E>(PhantomData<(N, Own, X, E)>);

impl<N: Numbers, Own, T: LiteralOf<N>> OfNumber<N, Own, T, T> {
    /// They are one.
    pub fn decide(&self) {}
}

impl<N, Own, X, E> Deref for OfNumber<N, Own, X, E> {
    type Target = Expected<Own, E>;

    fn deref(&self) -> &Self::Target {
        &Expected(PhantomData)
    }
}

/// What is expected of a literal, or what it has by itself and by the first number of the program that stands in it.
#[must_use]
#[expect(clippy::type_complexity, reason = "a closure's arguments are inferred by it")]
pub fn wanted_among<N, OwnE, OwnS, X, E, S>(_: &X, _: fn(Among<N, OwnE, X, E>, Expected<OwnS, S>)) -> Wanted<E, S> {
    Wanted(PhantomData)
}

/// The dtype and the shape of a literal.
#[derive(Debug)]
pub struct Wanted<E, S>(PhantomData<(E, S)>);

/// What is expected of a literal, or what it has by itself: `OwnE` and `OwnS`.
#[must_use]
pub fn wanted<OwnE, OwnS, E, S>(_: fn(Expected<OwnE, E>, Expected<OwnS, S>)) -> Wanted<E, S> {
    Wanted(PhantomData)
}

/// The shape of a literal whose own shape types work out.
#[derive(Debug)]
pub struct WantedShape<Own, S>(PhantomData<(Own, S)>);

/// The shape that is expected of a literal, or its own.
#[must_use]
pub fn wanted_shape<Own, S>(_: fn(Expected<Own, S>)) -> WantedShape<Own, S> {
    WantedShape(PhantomData)
}

/// A literal of this shape may stand for a tensor of the shape `Other`, which says less, or the same in other words.
#[diagnostic::on_unimplemented(
    message = "`tensor!` of shape `{Self}` stands where the shape `{Other}` is expected",
    label = "of shape `{Self}`",
    note = "a literal fits where less is said of its shape, `Rank<2>`, `shape![_, 3]` or `Any`, but no other size"
)]
pub trait WrittenAs<Other> {}

#[diagnostic::do_not_recommend]
impl<S: KnownAs<Other>, Other> WrittenAs<Other> for S {}
