//! Indexing with types: `t.i((.., 1..-1, -1))`. An integer takes a dimension away, a new axis adds one, and the result's type
//! knows its rank. What an index does is in [`index`](crate::index).

use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use smallvec::SmallVec;

use super::{Tensor, made};
use crate::call::Function;
use crate::element::Element;
use crate::error::Result;
use crate::index::{Entry, Span};
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
    /// What the entry makes of a shape.
    type On<S: Shape>: Shape;

    /// The entry as a value.
    fn entry(&self) -> Entry;
}

/// What stands in `t.i(…)`: one entry, or a tuple of several, one a dimension.
#[diagnostic::on_unimplemented(
    message = "a tensor can't be indexed with `{Self}`",
    label = "not an index",
    note = "an index is one entry or a tuple of them: integers, ranges (`..`, `1..-1`), `step(1..-1, 2)`, `NewAxis` and `Ellipsis`"
)]
pub trait Index {
    /// What the index makes of a shape.
    type On<S: Shape>: Shape;

    /// The entries.
    fn entries(&self) -> Entries;
}

impl<E: Element, S: Shape> Tensor<E, S> {
    /// The view that an index names: `x.i((.., 1..-1, -1))` is Python's `x[:, 1:-1, -1]`.
    ///
    /// Writing to it writes to this tensor: `x.i(0)?.fill_(1)?`.
    /// Clippy takes a literal `1..-1` for an empty range; a program that writes it allows `clippy::reversed_empty_ranges`.
    ///
    /// # Errors
    /// For more entries than dimensions, indices out of range, and steps that aren't positive.
    pub fn i<I: Index>(&self, index: I) -> Result<Tensor<E, I::On<S>>> {
        made(Function::GetItem, &[(&self.raw).into(), (&index.entries()[..]).into()])
    }

    /// Some places along a dimension: `x.slice_dim(-1, 1..-1)`, `x.slice_dim(0, step(.., 2))`.
    ///
    /// # Errors
    /// Where there is no such dimension, or the step isn't positive.
    pub fn slice_dim(&self, dim: isize, places: impl Into<Span>) -> Result<Tensor<E, S::Loose>> {
        let Span { start, end, step } = places.into();
        made(Function::Slice, &[(&self.raw).into(), dim.into(), start.into(), end.into(), step.into()])
    }
}

macro_rules! entries {
    ($([$($generics:tt)*] $entry:ty => $shape:ident $On:ty, |$this:ident| $value:expr;)+) => { $(
        impl<$($generics)*> IndexEntry for $entry {
            type On<$shape: Shape> = $On;

            fn entry(&self) -> Entry {
                let $this = self;
                $value
            }
        }

        impl<$($generics)*> Index for $entry {
            type On<$shape: Shape> = $On;

            fn entries(&self) -> Entries {
                SmallVec::from_iter([self.entry()])
            }
        }
    )+ };
}

entries! {
    []               i32                 => S S::Less,  |i| Entry::At(i.to_isize());
    []               i64                 => S S::Less,  |i| Entry::At(i.to_isize());
    []               isize               => S S::Less,  |i| Entry::At(*i);
    []               u32                 => S S::Less,  |i| Entry::At(i.to_isize());
    []               u64                 => S S::Less,  |i| Entry::At(i.to_isize());
    []               usize               => S S::Less,  |i| Entry::At(i.to_isize());
    []               RangeFull           => S S,        |range| Entry::Span((*range).into());
    [T: SizeInteger] RangeFrom<T>        => S S::Loose, |range| Entry::Span(range.clone().into());
    [T: SizeInteger] RangeTo<T>          => S S::Loose, |range| Entry::Span((*range).into());
    [T: SizeInteger] Range<T>            => S S::Loose, |range| Entry::Span(range.clone().into());
    [T: SizeInteger] RangeToInclusive<T> => S S::Loose, |range| Entry::Span((*range).into());
    [T: SizeInteger] RangeInclusive<T>   => S S::Loose, |range| Entry::Span(range.clone().into());
    []               Span               => S S::Loose, |slice| Entry::Span(*slice);
    []               NewAxis             => S S::More,  |_axis| Entry::NewAxis;
    []               Ellipsis            => S S,        |_all| Entry::Ellipsis;
    []               Entry               => S AnyShape, |entry| *entry;
}

impl Index for [Entry] {
    type On<S: Shape> = AnyShape;

    fn entries(&self) -> Entries {
        self.into()
    }
}

impl Index for Vec<Entry> {
    type On<S: Shape> = AnyShape;

    fn entries(&self) -> Entries {
        self.as_slice().into()
    }
}

impl<I: Index + ?Sized> Index for &I {
    type On<S: Shape> = I::On<S>;

    fn entries(&self) -> Entries {
        I::entries(self)
    }
}

impl Index for () {
    type On<S: Shape> = S;

    fn entries(&self) -> Entries {
        Entries::new()
    }
}

/// Each entry takes the shape that the entries before it made.
macro_rules! tuples {
    ($($($entry:ident $at:tt)+ => $On:ty;)+) => { $(
        impl<$($entry: IndexEntry),+> Index for ($($entry,)+) {
            type On<S: Shape> = $On;

            fn entries(&self) -> Entries {
                SmallVec::from_iter([$(self.$at.entry()),+])
            }
        }
    )+ };
}

type First<S, A> = <A as IndexEntry>::On<S>;
type Second<S, A, B> = <B as IndexEntry>::On<First<S, A>>;
type Third<S, A, B, C> = <C as IndexEntry>::On<Second<S, A, B>>;
type Fourth<S, A, B, C, D> = <D as IndexEntry>::On<Third<S, A, B, C>>;
type Fifth<S, A, B, C, D, F> = <F as IndexEntry>::On<Fourth<S, A, B, C, D>>;
type Sixth<S, A, B, C, D, F, G> = <G as IndexEntry>::On<Fifth<S, A, B, C, D, F>>;
type Seventh<S, A, B, C, D, F, G, H> = <H as IndexEntry>::On<Sixth<S, A, B, C, D, F, G>>;
type Eighth<S, A, B, C, D, F, G, H, J> = <J as IndexEntry>::On<Seventh<S, A, B, C, D, F, G, H>>;

tuples! {
    A 0                             => First<S, A>;
    A 0 B 1                         => Second<S, A, B>;
    A 0 B 1 C 2                     => Third<S, A, B, C>;
    A 0 B 1 C 2 D 3                 => Fourth<S, A, B, C, D>;
    A 0 B 1 C 2 D 3 F 4             => Fifth<S, A, B, C, D, F>;
    A 0 B 1 C 2 D 3 F 4 G 5         => Sixth<S, A, B, C, D, F, G>;
    A 0 B 1 C 2 D 3 F 4 G 5 H 6     => Seventh<S, A, B, C, D, F, G, H>;
    A 0 B 1 C 2 D 3 F 4 G 5 H 6 J 7 => Eighth<S, A, B, C, D, F, G, H, J>;
}
