//! Indexing with types: `t.i(i![.., 1..-1, -1])`. An integer takes a dimension away, a new axis adds one, and the result's type
//! knows its rank. What an index does is in [`index`](crate::index).

use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use smallvec::SmallVec;

use super::choice::{Selectors, chosen};
use super::{OneDim, Tensor, made};
use crate::call::{Call, Function, run};
use crate::element::Element;
use crate::error::{Error, Result, proved};
use crate::index::{Entry, Span};
use crate::raw::RawTensor;
use crate::shape::{AnyShape, Shape, SizeInteger};

/// A new dimension of size 1, in an index: Python's `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewAxis;

/// All dimensions that the rest of an index doesn't speak of: Python's `...`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ellipsis;

/// The entries of an index, few enough to need no allocation.
pub type Entries = SmallVec<[Entry; 6]>;

/// One entry of an index: an integer, a range, [`step`](crate::index::step)`(range, 2)`, [`NewAxis`] or [`Ellipsis`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be an entry of an index",
    label = "not an entry of an index",
    note = "entries are integers, ranges (`..`, `1..`, `..-1`, `1..=2`), `step(1..-1, 2)`, `NewAxis` and `Ellipsis`"
)]
pub trait IndexEntry {
    /// The entry as a value.
    fn entry(&self) -> Entry;
}

/// What stands in `t.i(…)`: what `i![…]` writes, or a list of [`Entry`] that the run has made.
#[diagnostic::on_unimplemented(
    message = "a tensor can't be indexed with `{Self}`",
    label = "not an index",
    note = "an index is written `i![0]`, `i![.., 1..-1, k]`, and tensors stand there borrowed: `i![.., &rows]`"
)]
pub trait Index<S: Shape> {
    /// What the index makes of the shape.
    type Shape: Shape;
    /// What only constants can find to be wrong.
    #[doc(hidden)]
    const SOUND: () = ();

    /// The entries; where there are tensors among them, [`selectors`](Self::selectors) counts.
    fn entries(&self) -> Entries;

    /// The entries, where there are tensors among them.
    fn selectors(&self) -> Option<Selectors<'_>> {
        None
    }
}

/// [`Index`] as the bound of [`Tensor::i`], asked of the shape, which rustc knows first: what it says of an index that doesn't fit ends without a
/// list of shapes then.
pub trait IndexedBy<I> {
    /// What the index makes of the shape.
    type View: Shape;
}

impl<S: Shape, I: Index<S>> IndexedBy<I> for S {
    type View = I::Shape;
}

impl<E: Element, S: Shape> Tensor<E, S> {
    /// The view that an index names: `x.i(i![.., 1..-1, -1])` is Python's `x[:, 1:-1, -1]`.
    ///
    /// What `i!` writes keeps the sizes that types know, and refuses what isn't there; numbers of the run, `x.i(i![.., k])`, panic where
    /// they are out of range, as `v[k]` does. Writing to the view writes to this tensor: `x.i(i![0]).fill_(1)?`.
    ///
    /// Tensors of places and masks stand there borrowed, `x.i(i![.., &places])`; what they choose is a copy, as of [`index`](Self::index).
    ///
    /// # Panics
    /// Where [`try_i`](Self::try_i) is an error.
    #[must_use]
    #[track_caller]
    pub fn i<I: Index<S>>(&self, index: I) -> Tensor<E, <S as IndexedBy<I>>::View>
    where
        S: IndexedBy<I>,
    {
        const { I::SOUND };
        proved(self.try_i(index))
    }

    /// What [`i`](Self::i) gives, or the error that it panics with.
    ///
    /// # Errors
    /// For more entries than dimensions, indices out of range, and steps that aren't positive.
    pub fn try_i<I: Index<S>>(&self, index: I) -> Result<Tensor<E, <S as IndexedBy<I>>::View>>
    where
        S: IndexedBy<I>,
    {
        const { I::SOUND };
        match index.selectors() {
            None => as_said(
                run(Call::new(Function::GetItem, &[(&self.raw).into(), index.entries()[..].into()]))?.one()?,
                "a range is out of bounds",
            ),
            Some(selectors) => as_said(chosen(&self.raw, &selectors)?, "i!: tensors choose together"),
        }
    }

    /// Some places along a dimension: `x.slice_dim(-1, 1..-1)`, `x.slice_dim(0, step(.., 2))`.
    ///
    /// # Errors
    /// Where there is no such dimension, or the step isn't positive.
    pub fn slice_dim(&self, dim: impl OneDim, places: impl Into<Span>) -> Result<Tensor<E, S::SameRank>> {
        let Span { start, end, step } = places.into();
        made(Function::Slice, &[(&self.raw).into(), dim.dim().into(), start.into(), end.into(), step.into()])
    }
}

/// What an index gives, unless the run finds other sizes than the type says: a range whose length is written, `k..k + 8`, was cut off, or a
/// parameter that is 1 stretches.
fn as_said<E: Element, S: Shape>(found: RawTensor, otherwise: &str) -> Result<Tensor<E, S>> {
    if S::admits(found.sizes()) {
        return Ok(Tensor::proved(found));
    }
    Err(Error::index(format!("{otherwise}: the index says {}, and there is {:?}", S::describe(), found.sizes())))
}

macro_rules! entries {
    ($([$($generics:tt)*] $entry:ty, |$this:ident| $value:expr;)+) => { $(
        impl<$($generics)*> IndexEntry for $entry {
            fn entry(&self) -> Entry {
                let $this = self;
                $value
            }
        }
    )+ };
}

entries! {
    [I: SizeInteger] I, |i| Entry::At(i.to_isize());
    []               RangeFull, |range| Entry::Span((*range).into());
    [T: SizeInteger] RangeFrom<T>, |range| Entry::Span(range.clone().into());
    [T: SizeInteger] RangeTo<T>, |range| Entry::Span((*range).into());
    [T: SizeInteger] Range<T>, |range| Entry::Span(range.clone().into());
    [T: SizeInteger] RangeToInclusive<T>, |range| Entry::Span((*range).into());
    [T: SizeInteger] RangeInclusive<T>, |range| Entry::Span(range.clone().into());
    []               Span, |slice| Entry::Span(*slice);
    []               NewAxis, |_axis| Entry::NewAxis;
    []               Ellipsis, |_all| Entry::Ellipsis;
    []               Entry, |entry| *entry;
}

impl<S: Shape> Index<S> for &[Entry] {
    type Shape = AnyShape;

    fn entries(&self) -> Entries {
        (*self).into()
    }
}

impl<S: Shape> Index<S> for Vec<Entry> {
    type Shape = AnyShape;

    fn entries(&self) -> Entries {
        self.as_slice().into()
    }
}

impl<S: Shape, const N: usize> Index<S> for &[Entry; N] {
    type Shape = AnyShape;

    fn entries(&self) -> Entries {
        self.as_slice().into()
    }
}
