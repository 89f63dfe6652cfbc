//! What a fold keeps of the elements that it has seen: accumulators, whose terms are formulas of an element `x`, and which join by one of a few
//! ways; and what comes of them in the end, a formula of their names, of `count` and of the parameter. Loops and CUDA kernels come from these.

use super::Reduction;
use crate::dtype::{Category, DType};
use crate::operation::Categories;

/// A fold, and when it is meant.
#[derive(Clone, Copy, Debug)]
pub struct FoldRow {
    /// What elements are read as.
    pub reads: Reads,
    /// When it is meant.
    pub when: When,
    /// What is known of the elements seen so far.
    pub accumulators: &'static [Accumulator],
    /// What comes of that, for numbers of some categories.
    pub finish: &'static [(Categories, &'static str)],
}

/// When a fold of a row is meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    /// Where no fold before it is.
    Always,
    /// Where each result is of one element.
    Single,
    /// Where the parameter is a number.
    Given(f64),
    /// Where elements are picked, and their places are a second result.
    Picking,
}

/// What elements are read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Numbers of the dtype that is computed in.
    Own,
    /// float64, or complex128, whatever the dtype.
    Wide,
    /// Whether they aren't zero.
    Truth,
}

/// A number, or a few, that elements make together.
#[derive(Clone, Copy, Debug)]
pub struct Accumulator {
    /// What the last formula calls it.
    pub name: &'static str,
    /// How two become one.
    pub join: Join,
    /// What an element adds to it, for numbers of some categories.
    pub term: &'static [(Categories, &'static str)],
}

/// How what is known of two runs of elements becomes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Join {
    /// Their sum: narrow floats in short runs, and these in float64.
    Sum,
    /// Their product.
    Product,
    /// How many terms are true.
    Count,
    /// Whether some term is true.
    Some,
    /// The greatest; NaN is greater than any number.
    Greatest,
    /// The least; NaN is less than any number.
    Least,
    /// The first of the greatest, and its place.
    FirstGreatest,
    /// The first of the least, and its place.
    FirstLeast,
    /// The sum of the squared distances from the mean, of each part of a complex number.
    Moments,
    /// The sum of exponentials, all divided by that of the greatest real part, which is called `most`.
    Exponentials,
}

/// The formula for numbers of a category.
fn of_category(formulas: &[(Categories, &'static str)], category: Category) -> Option<&'static str> {
    formulas.iter().find(|(categories, _)| categories.contains(category)).map(|(_, formula)| *formula)
}

impl Accumulator {
    /// Whether a term, or joining two, is a function that takes dozens of instructions.
    #[must_use]
    pub fn is_costly(&self, category: Category) -> bool {
        self.join == Join::Exponentials || self.term(category).is_some_and(|term| term.contains("pow("))
    }

    /// What an element of a category adds.
    #[must_use]
    pub fn term(&self, category: Category) -> Option<&'static str> {
        of_category(self.term, category)
    }

    /// Whether it has the place of an element.
    #[must_use]
    pub const fn finds(&self) -> bool {
        matches!(self.join, Join::FirstGreatest | Join::FirstLeast)
    }
}

impl FoldRow {
    /// The last formula for elements of a category, and the category of its numbers: counts and places are integers, whatever the elements are.
    #[must_use]
    pub fn finish(&self, category: Category) -> Option<(Category, &'static str)> {
        let of = |category| of_category(self.finish, category).map(|formula| (category, formula));
        of(category).or_else(|| of(Category::Integral))
    }

    /// Whether the places of elements are the results.
    #[must_use]
    pub fn is_place(&self) -> bool {
        self.accumulators.iter().any(Accumulator::finds) && self.finish.iter().all(|(of, _)| !of.contains(Category::Floating))
    }

    /// The fold that a device or the host shares with this one what is known of elements with: the first of the table that keeps the same.
    #[must_use]
    pub fn shared(&self) -> Option<(Reduction, usize)> {
        let folds = |&op: &Reduction| op.row().folds.iter().position(|fold| fold.keeps_as(self)).map(|at| (op, at));
        Reduction::ALL.iter().find_map(folds)
    }

    /// Whether the same is known of elements.
    #[must_use]
    pub fn keeps_as(&self, other: &Self) -> bool {
        let same = |a: &Accumulator, b: &Accumulator| {
            let terms = a.term.iter().map(|term| (term.0, term.1)).eq(b.term.iter().map(|term| (term.0, term.1)));
            a.join == b.join && terms
        };
        let all = self.accumulators.iter().zip(other.accumulators).all(|(a, b)| same(a, b));
        self.reads == other.reads && self.accumulators.len() == other.accumulators.len() && all
    }

    /// The dtype that the host reads elements as which are rounded to a dtype: integers are folded in 64 bits, halves as float32. Terms of float32
    /// may be in float64 all the same.
    #[must_use]
    pub fn host_number(&self, through: DType) -> DType {
        match (self.reads, self.number(through)) {
            (Reads::Own, number) if number.is_integral() => DType::I64,
            (Reads::Wide, DType::F64) if through.computing() == DType::F32 => DType::F32,
            (_, number) => number,
        }
    }

    /// The dtype that a device folds in, of elements that are rounded to a dtype.
    #[must_use]
    pub fn number(&self, through: DType) -> DType {
        match self.reads {
            Reads::Truth => DType::Bool,
            Reads::Wide if through.is_complex() => DType::C128,
            Reads::Wide => DType::F64,
            Reads::Own if through == DType::Bool => DType::I64,
            Reads::Own => through.computing(),
        }
    }
}
