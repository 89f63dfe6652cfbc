//! Whether a dimension whose size types count has the places that an entry of `i![…]` names.

use typenum::{B0, B1};

/// Whether a size is as large as an entry needs: typenum's answer, by a name that messages can show.
pub trait Reach {
    /// [`Enough`] or [`TooFew`].
    type Reach;
}

/// As many places as an entry needs.
#[derive(Debug)]
pub enum Enough {}

/// Not as many.
#[derive(Debug)]
pub enum TooFew {}

impl Reach for B1 {
    type Reach = Enough;
}

impl Reach for B0 {
    type Reach = TooFew;
}

/// That a dimension has the place of an index.
#[diagnostic::on_unimplemented(
    message = "index {INDEX} is out of bounds for dimension {POSITION} with size {SIZE}",
    label = "dimension {POSITION} has {SIZE} places, and none is {INDEX}",
    note = "places are counted from 0, or from -1 backwards"
)]
pub trait HasPlace<const INDEX: isize, const SIZE: usize, const POSITION: usize> {}

impl<const INDEX: isize, const SIZE: usize, const POSITION: usize> HasPlace<INDEX, SIZE, POSITION> for Enough {}
// In a tenth dimension, which no shape has: with the impl above alone the compiler reports a mismatch of types, with one more it shows that.
#[diagnostic::do_not_recommend]
impl HasPlace<0, 0, 9> for TooFew {}
#[diagnostic::do_not_recommend]
impl HasPlace<1, 0, 9> for TooFew {}

/// That a dimension has the places of a range.
#[diagnostic::on_unimplemented(
    message = "a range that needs {NEEDS} places is out of bounds for dimension {POSITION} with size {SIZE}",
    label = "dimension {POSITION} has {SIZE} places",
    note = "PyTorch would cut the range off; write where it ends, or the range in parentheses, `(1..9)`, and the run cuts it off"
)]
pub trait HasRange<const NEEDS: usize, const SIZE: usize, const POSITION: usize> {}

impl<const NEEDS: usize, const SIZE: usize, const POSITION: usize> HasRange<NEEDS, SIZE, POSITION> for Enough {}
#[diagnostic::do_not_recommend]
impl HasRange<0, 1, 9> for TooFew {}
#[diagnostic::do_not_recommend]
impl HasRange<1, 1, 9> for TooFew {}
