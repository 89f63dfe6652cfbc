//! Basic indexing, erased: a list of integers, slices, new axes and an ellipsis, as Python writes between brackets.

use crate::error::{Error, Result};
use crate::raw::RawTensor;

/// Python's `start:end:step`: what is absent means all, and negative ends count from the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first place.
    pub start: Option<isize>,
    /// The place after the last one.
    pub end: Option<isize>,
    /// How far apart the places are.
    pub step: isize,
}

/// One entry of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// One place along a dimension, which vanishes.
    At(isize),
    /// Some places along a dimension.
    Span(Span),
    /// A new dimension of size 1.
    NewAxis,
    /// All dimensions that the other entries don't speak of.
    Ellipsis,
}

impl RawTensor {
    /// The view that an index names: `a[1:-1, ..., 0]` in Python.
    ///
    /// # Errors
    /// For more entries than dimensions, indices out of range, and steps that aren't positive.
    pub fn index(&self, entries: &[Entry]) -> Result<Self> {
        let named = entries.iter().filter(|entry| matches!(entry, Entry::At(_) | Entry::Span(_))).count();
        if self.rank() == 0 && matches!(entries, [Entry::At(_)]) {
            return Err(Error::index(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to \
                 a number",
            ));
        }
        // One slice of a tensor without dimensions has a message of its own, which `slice` knows.
        let one_span = matches!(entries, [Entry::Span(_)]);
        if named > self.rank() && !one_span {
            return Err(Error::index(format!("too many indices for tensor of dimension {}", self.rank())));
        }
        if entries.iter().filter(|entry| **entry == Entry::Ellipsis).count() > 1 {
            return Err(Error::index("an index can only have a single ellipsis ('...')"));
        }
        let mut view = self.clone();
        let mut dim = 0_usize;
        for (position, entry) in entries.iter().enumerate() {
            let here = dim.cast_signed();
            match *entry {
                Entry::At(index) => {
                    let size = view.sizes()[dim];
                    if index < -size.cast_signed() || index >= size.cast_signed() {
                        return Err(Error::index(format!("index {index} is out of bounds for dimension {position} with size {size}")));
                    }
                    view = view.select(here, index)?;
                }
                Entry::Span(Span { start, end, step }) => {
                    view = view.slice(here, start, end, step)?;
                    dim += 1;
                }
                Entry::NewAxis => {
                    view = view.unsqueeze(here)?;
                    dim += 1;
                }
                Entry::Ellipsis => dim += self.rank() - named,
            }
        }
        Ok(view)
    }
}
