//! The device functions that build.rs wrote, by operation and category.

use latten_spec::Category;
use latten_spec::operation::Op;

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
