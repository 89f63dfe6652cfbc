//! How basic indexing is written: ranges of any integers become spans. What an index does is in `views/entries.rs`, the form with types in
//! `tensor/index.rs`.

use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

use crate::shape::SizeInteger;
pub use crate::views::{Entry, Span};

/// Places of a range at equal distances: `step(1..-1, 2)` is Python's `1:-1:2`.
#[must_use]
pub fn step(range: impl Into<Span>, step: isize) -> Span {
    Span { step, ..range.into() }
}

impl From<RangeFull> for Span {
    fn from(_: RangeFull) -> Self {
        Self { start: None, end: None, step: 1 }
    }
}

impl<T: SizeInteger> From<RangeFrom<T>> for Span {
    fn from(range: RangeFrom<T>) -> Self {
        Self { start: Some(range.start.to_isize()), end: None, step: 1 }
    }
}

impl<T: SizeInteger> From<RangeTo<T>> for Span {
    fn from(range: RangeTo<T>) -> Self {
        Self { start: None, end: Some(range.end.to_isize()), step: 1 }
    }
}

impl<T: SizeInteger> From<Range<T>> for Span {
    fn from(range: Range<T>) -> Self {
        Self { start: Some(range.start.to_isize()), end: Some(range.end.to_isize()), step: 1 }
    }
}

/// The place after one that is included; after -1 is the end.
fn behind(last: isize) -> Option<isize> {
    if last == -1 { None } else { Some(last.saturating_add(1)) }
}

impl<T: SizeInteger> From<RangeToInclusive<T>> for Span {
    fn from(range: RangeToInclusive<T>) -> Self {
        Self { start: None, end: behind(range.end.to_isize()), step: 1 }
    }
}

impl<T: SizeInteger> From<RangeInclusive<T>> for Span {
    fn from(range: RangeInclusive<T>) -> Self {
        Self { start: Some(range.start().to_isize()), end: behind(range.end().to_isize()), step: 1 }
    }
}
