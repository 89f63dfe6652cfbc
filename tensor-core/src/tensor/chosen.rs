//! Tensors in an index that `i!` writes, `x.i(i![.., &rows])`: what types know of the shape of what they choose. Their own dimensions, those of
//! all that stand beside each other, stand where they stand; a mask has taken the place of as many as it has.

use super::Tensor;
use super::choice::{Selector, Selectors};
use super::index::Entries;
use super::path::{ALL, Chosen, LookedEntry, PathAlong, PathEntry, Together};
use crate::element::Element;
use crate::raw::RawTensor;
use crate::shape::{AnyShape, BroadcastWith, Dim, Dyn, Listed, Lost, Shape};

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

/// A tensor that chooses from the first of the dimensions.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't choose from a tensor",
    label = "no tensor of places, no mask, or more entries than dimensions",
    note = "what is borrowed in `i![…]` is a tensor of `i64` or `i32`, or a mask of `bool` for as many dimensions as it has; a number isn't borrowed: `i![k]`"
)]
pub trait ChoosesFrom<Dims>: Chooser {
    /// The dimensions that are left.
    type Left;
    /// The shape of the places that it names.
    type Places: ChooserShape;
}

#[diagnostic::do_not_recommend]
impl<Dims, T: ChoosesFrom<Dims>> ChoosesFrom<Dims> for &T {
    type Left = T::Left;
    type Places = T::Places;
}

/// The dimensions of a tensor that chooses.
pub trait ChooserShape: Shape {
    /// Their list, or that nobody knows it.
    type List;
    /// They before a list of dimensions, the last one first.
    type Onto<Made>;
}

impl<S: Shape + Listed> ChooserShape for S {
    type List = S::List;
    type Onto<Made> = S::Onto<Made>;
}

impl ChooserShape for AnyShape {
    type List = Lost;
    type Onto<Made> = Lost;
}

macro_rules! places {
    ($($I:ty),+) => { $(
        #[diagnostic::do_not_recommend]
        impl<Size, Dims, R: ChooserShape> ChoosesFrom<(Size, Dims)> for Tensor<$I, R> {
            type Left = Dims;
            type Places = R;
        }
    )+ };
}

places!(i64, i32);

/// The dimensions of a mask, beside those that it chooses from.
pub trait MaskOf<Dims> {
    /// The dimensions that are left.
    type Left;
    /// One dimension instead of all of the mask's.
    type Places: ChooserShape;
}

impl<Dims> MaskOf<Dims> for () {
    type Left = Dims;
    type Places = (Dyn,);
}

impl<Dims> MaskOf<Dims> for Lost {
    type Left = Self;
    type Places = AnyShape;
}

impl<First, Others: MaskOf<Dims>, Size, Dims> MaskOf<(Size, Dims)> for (First, Others) {
    type Left = Others::Left;
    type Places = Others::Places;
}

#[diagnostic::do_not_recommend]
impl<Dims, R: ChooserShape<List: MaskOf<Dims>>> ChoosesFrom<Dims> for Tensor<bool, R> {
    type Left = <R::List as MaskOf<Dims>>::Left;
    type Places = <R::List as MaskOf<Dims>>::Places;
}

/// One tensor in an index, or some beside each other.
pub trait Choosers<Dims> {
    /// The dimensions that are left.
    type Left;
    /// The shape of the places that they name.
    type Places: ChooserShape;
}

impl<T: ChoosesFrom<Dims>, Dims> Choosers<Dims> for Chosen<'_, T> {
    type Left = T::Left;
    type Places = T::Places;
}

impl<First, Others, Dims> Choosers<Dims> for Together<First, Others>
where
    First: Choosers<Dims, Places: BroadcastWith<Others::Places, Common: ChooserShape>>,
    Others: Choosers<First::Left>,
{
    type Left = Others::Left;
    type Places = <First::Places as BroadcastWith<Others::Places>>::Common;
}

/// A tensor without a `&` where it stands, which chooses from one dimension.
macro_rules! owned {
    ($([$($generics:tt)*] $tensor:ty, $Made:ident => $onto:ty;)+) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> LookedEntry for $tensor {
            const CHOOSES: bool = true;
            type Onto<$Made> = $onto;

            fn selector(&self) -> Selector<'_> {
                Selector::Tensor(self.raw())
            }
        }
    )+ };
}

owned! {
    [R: ChooserShape] Tensor<i64, R>, Made => R::Onto<Made>;
    [R: ChooserShape] Tensor<i32, R>, Made => R::Onto<Made>;
    [N: Dim] Tensor<bool, (N,)>, Made => (Dyn, Made);
    [R: ChooserShape] &Tensor<i64, R>, Made => R::Onto<Made>;
    [R: ChooserShape] &Tensor<i32, R>, Made => R::Onto<Made>;
    [N: Dim] &Tensor<bool, (N,)>, Made => (Dyn, Made);
}

impl<T: Chooser> PathEntry for Chosen<'_, T> {
    const CHOOSES: usize = 1;

    fn select<'a>(&'a self, selectors: &mut Selectors<'a>) {
        selectors.push(Selector::Tensor(self.0.tensor()));
    }

    fn list(&self, entries: &mut Entries) {
        entries.push(ALL);
    }
}

impl<First: PathEntry, Others: PathEntry> PathEntry for Together<First, Others> {
    const CHOOSES: usize = First::CHOOSES + Others::CHOOSES;

    fn select<'a>(&'a self, selectors: &mut Selectors<'a>) {
        self.0.select(selectors);
        self.1.select(selectors);
    }

    fn list(&self, entries: &mut Entries) {
        self.0.list(entries);
        self.1.list(entries);
    }
}

macro_rules! along {
    ($([$($generics:tt)*] $entry:ty;)+) => { $(
        impl<$($generics)*, Dims, Made, Rest, const RANK: usize> PathAlong<Dims, Made, RANK> for ($entry, Rest)
        where
            $entry: Choosers<Dims> + PathEntry,
            Rest: PathAlong<<$entry as Choosers<Dims>>::Left, <<$entry as Choosers<Dims>>::Places as ChooserShape>::Onto<Made>, RANK>,
        {
            type Made = Rest::Made;
            type Left = Rest::Left;
        }
    )+ };
}

along! {
    ['a, T] Chosen<'a, T>;
    [First, Others] Together<First, Others>;
}
