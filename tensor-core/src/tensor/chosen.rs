//! One tensor in an index that `i!` writes, `x.i(i![.., &rows])`: what types know of the shape of what it chooses. Its own dimensions stand where
//! it stands; a mask has taken the place of as many as it has.

use super::Tensor;
use super::choice::Selector;
use super::path::{Chosen, PathAlong, PathEntry};
use crate::element::Element;
use crate::index::{Entry, Span};
use crate::raw::RawTensor;
use crate::shape::{AnyShape, Dyn, Listed, Lost, ReversedOnto, Shape};

/// A tensor of places, or a mask.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't choose from a tensor",
    label = "no tensor of places, and no mask",
    note = "what is borrowed in `i![…]` is a tensor of `i64` or `i32`, or a mask of `bool`; a number isn't borrowed: `i![k]`"
)]
pub trait Chooser {
    /// The tensor.
    fn tensor(&self) -> &RawTensor;
}

impl<E: Element, S: Shape> Chooser for Tensor<E, S> {
    fn tensor(&self) -> &RawTensor {
        self.raw()
    }
}

impl<T: Chooser> Chooser for &T {
    fn tensor(&self) -> &RawTensor {
        (**self).tensor()
    }
}

impl<T: Chooser> PathEntry for Chosen<'_, T> {
    const CHOOSES: bool = true;

    fn value(&self) -> Entry {
        Entry::Span(Span { start: None, end: None, step: 1 })
    }

    fn selector(&self) -> Selector<'_> {
        Selector::Tensor(self.0.tensor())
    }
}

/// A tensor that chooses from the first of the dimensions, and what it puts onto those that were made before.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't choose from a tensor",
    label = "no tensor of places, no mask, or more entries than dimensions",
    note = "what is borrowed in `i![…]` is a tensor of `i64` or `i32`, or a mask of `bool` for as many dimensions as it has; a number isn't borrowed: `i![k]`"
)]
pub trait ChoosesFrom<Dims, Made>: Chooser {
    /// The dimensions that are left.
    type Left;
    /// Those that are made then.
    type Onto;
}

#[diagnostic::do_not_recommend]
impl<Dims, Made, T: ChoosesFrom<Dims, Made>> ChoosesFrom<Dims, Made> for &T {
    type Left = T::Left;
    type Onto = T::Onto;
}

/// The dimensions of a tensor that chooses.
pub trait ChooserShape: Shape {
    /// Their list, or that nobody knows it.
    type List;
}

impl<S: Shape + Listed> ChooserShape for S {
    type List = S::List;
}

impl ChooserShape for AnyShape {
    type List = Lost;
}

macro_rules! places {
    ($($I:ty),+) => { $(
        #[diagnostic::do_not_recommend]
        impl<Size, Dims, Made, R: ChooserShape<List: ReversedOnto<Made>>> ChoosesFrom<(Size, Dims), Made> for Tensor<$I, R> {
            type Left = Dims;
            type Onto = <R::List as ReversedOnto<Made>>::List;
        }
    )+ };
}

places!(i64, i32);

/// The dimensions of a mask, beside those that it chooses from.
pub trait MaskOf<Dims, Made> {
    /// The dimensions that are left.
    type Left;
    /// One dimension instead of all of the mask's.
    type Onto;
}

impl<Dims, Made> MaskOf<Dims, Made> for () {
    type Left = Dims;
    type Onto = (Dyn, Made);
}

impl<Dims, Made> MaskOf<Dims, Made> for Lost {
    type Left = Self;
    type Onto = Self;
}

impl<First, Others: MaskOf<Dims, Made>, Size, Dims, Made> MaskOf<(Size, Dims), Made> for (First, Others) {
    type Left = Others::Left;
    type Onto = Others::Onto;
}

#[diagnostic::do_not_recommend]
impl<Dims, Made, R: ChooserShape<List: MaskOf<Dims, Made>>> ChoosesFrom<Dims, Made> for Tensor<bool, R> {
    type Left = <R::List as MaskOf<Dims, Made>>::Left;
    type Onto = <R::List as MaskOf<Dims, Made>>::Onto;
}

impl<T, Dims, Made, Others, const RANK: usize> PathAlong<Dims, Made, RANK> for (Chosen<'_, T>, Others)
where
    T: ChoosesFrom<Dims, Made>,
    Others: PathAlong<T::Left, T::Onto, RANK>,
{
    type Made = Others::Made;
    type Left = Others::Left;
}
