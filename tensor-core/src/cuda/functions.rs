//! The device functions that build.rs wrote: by operation, or by fold, and category.

use latten_spec::Category;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

/// One line for each operation and dtype: the device function that computes it.
pub(crate) const MANIFEST: &str = include_str!(concat!(env!("OUT_DIR"), "/cuda/manifest.txt"));

include!(concat!(env!("OUT_DIR"), "/cuda/functions.rs"));

/// A row of what build.rs wrote.
#[derive(Debug)]
pub(crate) struct Row {
    op: Op,
    category: Category,
    /// All functions of the operation.
    text: &'static str,
}

/// All functions of an operation that computes numbers of a category.
pub(super) fn text(op: Op, category: Category) -> Option<&'static str> {
    FUNCTIONS.iter().find(|row| row.op == op && row.category == category).map(|row| row.text)
}

/// What build.rs wrote of a fold.
#[derive(Debug)]
pub(crate) struct Fold {
    op: Reduction,
    /// Its number in the row of the reduction.
    fold: usize,
    category: Category,
    /// What elements add, and the result.
    text: &'static str,
    /// Of each accumulator, whether it is of parts of numbers.
    parts: &'static [bool],
}

/// The functions of a fold of numbers of a category, and of each accumulator whether it is of their parts.
pub(super) fn fold(op: Reduction, fold: usize, category: Category) -> Option<(&'static str, &'static [bool])> {
    let row = FOLDS.iter().find(|row| row.op == op && row.fold == fold && row.category == category)?;
    Some((row.text, row.parts))
}
