//! `for row in &x`: the places along the first dimension, one after the other, each a view.

use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::ops::Range;

use super::{Tensor, made};
use crate::call::Function;
use crate::element::Element;
use crate::error::{Error, proved};
use crate::shape::{AnyShape, Axis, Shape};

/// The places along the first dimension of a tensor: [`Tensor::iter`].
#[derive(Clone, Debug)]
pub struct Rows<'a, E: Element, S: Shape, R: Shape> {
    tensor: &'a Tensor<E, S>,
    places: Range<usize>,
    /// What is left of the shape.
    row: PhantomData<fn() -> R>,
}

impl<E: Element, S: Shape> Tensor<E, S> {
    /// The places along the first dimension, as Python's `for row in x` has them. Each is a view, of which the type knows what is left of the
    /// shape. Of a tensor that has its rank at run time only, `for row in &x` is [`unbind`](Self::unbind), which makes a vector.
    #[must_use]
    pub fn iter<R: Shape>(&self) -> Rows<'_, E, S, R>
    where
        S: Axis<0, Removed = R>,
    {
        Rows { tensor: self, places: 0..self.len(), row: PhantomData }
    }

    /// How many there are along the first dimension: Python's `len(x)`. All elements are [`numel`](Self::numel).
    #[must_use]
    pub fn len<R: Shape>(&self) -> usize
    where
        S: Axis<0, Removed = R>,
    {
        self.sizes()[0]
    }

    /// Whether there is nothing along the first dimension.
    #[must_use]
    pub fn is_empty<R: Shape>(&self) -> bool
    where
        S: Axis<0, Removed = R>,
    {
        self.len() == 0
    }
}

impl<'a, E: Element, S: Axis<0>> IntoIterator for &'a Tensor<E, S> {
    type Item = Tensor<E, S::Removed>;
    type IntoIter = Rows<'a, E, S, S::Removed>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// By [`unbind`](Tensor::unbind), because only the run knows whether there is a dimension.
impl<E: Element> IntoIterator for &Tensor<E, AnyShape> {
    type Item = Tensor<E, AnyShape>;
    type IntoIter = std::vec::IntoIter<Tensor<E, AnyShape>>;

    /// # Panics
    /// For a tensor without dimensions, as an operator does.
    #[track_caller]
    fn into_iter(self) -> Self::IntoIter {
        let rows = if self.dim() == 0 { Err(Error::type_error("iteration over a 0-d tensor")) } else { self.unbind(0) };
        proved(rows).into_iter()
    }
}

impl<E: Element, S: Shape, R: Shape> Rows<'_, E, S, R> {
    fn row(&self, place: usize) -> Tensor<E, R> {
        proved(made(Function::Select, &[self.tensor.raw().into(), 0.into(), place.cast_signed().into()]))
    }
}

impl<E: Element, S: Shape, R: Shape> Iterator for Rows<'_, E, S, R> {
    type Item = Tensor<E, R>;

    fn next(&mut self) -> Option<Self::Item> {
        self.places.next().map(|place| self.row(place))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.places.size_hint()
    }
}

impl<E: Element, S: Shape, R: Shape> DoubleEndedIterator for Rows<'_, E, S, R> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.places.next_back().map(|place| self.row(place))
    }
}

impl<E: Element, S: Shape, R: Shape> ExactSizeIterator for Rows<'_, E, S, R> {}
impl<E: Element, S: Shape, R: Shape> FusedIterator for Rows<'_, E, S, R> {}
