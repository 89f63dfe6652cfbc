//! The device functions of the tables: what `device` writes of all formulas while a crate is built, found by operation, or by fold, and
//! category.

use latten_spec::Category;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

/// The device functions of all operations and folds.
#[derive(Debug)]
pub struct Functions {
    /// Of each operation all its functions, for all categories.
    pub operations: &'static [(Op, &'static str)],
    /// Of the folds.
    pub folds: &'static [FoldFunctions],
}

/// The device functions of a fold of numbers of a category.
#[derive(Debug)]
pub struct FoldFunctions {
    /// The reduction.
    pub op: Reduction,
    /// Its number in the row of the reduction.
    pub fold: usize,
    /// Of which numbers.
    pub category: Category,
    /// What elements add, and the result.
    pub text: &'static str,
    /// Of each accumulator, whether it is of parts of numbers.
    pub parts: &'static [bool],
}

impl Functions {
    /// All functions of an operation that computes numbers of a category.
    #[must_use]
    pub fn operation(&self, op: Op, category: Category) -> Option<&'static str> {
        op.row().formula(category)?;
        self.operations.iter().find(|row| row.0 == op).map(|row| row.1)
    }

    /// The functions of a fold of numbers of a category, and of each accumulator whether it is of their parts.
    #[must_use]
    pub fn fold(&self, op: Reduction, fold: usize, category: Category) -> Option<(&'static str, &'static [bool])> {
        let row = self.folds.iter().find(|row| row.op == op && row.fold == fold && row.category == category)?;
        Some((row.text, row.parts))
    }
}
