//! `for row in &x`: the places along the first dimension, one after the other, each a view.

use std::iter::FusedIterator;
use std::ops::Range;

use super::{Tensor, made};
use crate::call::Function;
use crate::element::Element;
use crate::error::proved;
use crate::shape::Axis;

/// The places along the first dimension of a tensor: [`Tensor::iter`].
#[derive(Clone, Debug)]
pub struct Rows<'a, E: Element, S: Axis<0>> {
    tensor: &'a Tensor<E, S>,
    places: Range<usize>,
}

impl<E: Element, S: Axis<0>> Tensor<E, S> {
    /// The places along the first dimension, as Python's `for row in x` has them. Each is a view, of which the type knows what is left of the
    /// shape. Of a tensor that has its rank at run time only, [`unbind`](Self::unbind) makes a vector.
    #[must_use]
    pub fn iter(&self) -> Rows<'_, E, S> {
        Rows { tensor: self, places: 0..self.len() }
    }

    /// How many there are along the first dimension: Python's `len(x)`. All elements are [`numel`](Self::numel).
    #[must_use]
    pub fn len(&self) -> usize {
        self.sizes()[0]
    }

    /// Whether there is nothing along the first dimension.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'a, E: Element, S: Axis<0>> IntoIterator for &'a Tensor<E, S> {
    type Item = Tensor<E, S::Removed>;
    type IntoIter = Rows<'a, E, S>;

    fn into_iter(self) -> Rows<'a, E, S> {
        self.iter()
    }
}

impl<E: Element, S: Axis<0>> Rows<'_, E, S> {
    fn row(&self, place: usize) -> Tensor<E, S::Removed> {
        proved(made(Function::Select, &[self.tensor.raw().into(), 0.into(), place.cast_signed().into()]))
    }
}

impl<E: Element, S: Axis<0>> Iterator for Rows<'_, E, S> {
    type Item = Tensor<E, S::Removed>;

    fn next(&mut self) -> Option<Self::Item> {
        self.places.next().map(|place| self.row(place))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.places.size_hint()
    }
}

impl<E: Element, S: Axis<0>> DoubleEndedIterator for Rows<'_, E, S> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.places.next_back().map(|place| self.row(place))
    }
}

impl<E: Element, S: Axis<0>> ExactSizeIterator for Rows<'_, E, S> {}
impl<E: Element, S: Axis<0>> FusedIterator for Rows<'_, E, S> {}
