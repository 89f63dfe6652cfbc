//! The formulas of a fold of the table of reductions, parsed and checked for numbers of one category: what an element adds to each
//! accumulator, and what comes of them in the end. Loops and CUDA kernels are written from the same.

use latten_spec::Category;
use latten_spec::reduction::{FoldRow, Join, ReductionRow};

use crate::{Expr, Kind, Mistake, check, parse};

/// A fold of numbers of one category.
#[derive(Debug)]
pub struct Fold {
    /// What terms may name: the element `x`, and the parameter.
    pub scope: Vec<(String, Kind)>,
    /// What an element adds to each accumulator, and what kind of number that is.
    pub terms: Vec<(Expr, Kind)>,
    /// The category of the last formula: of integers, where it has counts or places alone.
    pub category: Category,
    /// The last formula.
    pub finish: Expr,
    /// What that may name, accumulators first: those of each, in their order.
    pub names: Vec<(String, Kind)>,
    /// What it gives.
    pub gives: Kind,
}

impl Fold {
    /// The fold of a row; nothing, where the row has no formulas for such numbers.
    ///
    /// # Errors
    /// Where a formula isn't in the language.
    pub fn new(row: &ReductionRow, fold: &FoldRow, category: Category) -> Result<Option<Self>, Mistake> {
        let mut scope = vec![("x".to_owned(), check::value(category))];
        scope.extend(parameter(row, category));
        let mut terms = Vec::new();
        for accumulator in fold.accumulators {
            let Some(text) = accumulator.term(category) else { return Ok(None) };
            let tree = parse::formula(text)?;
            let kind = check::kind(&tree, category, &mut scope)?;
            terms.push((tree, kind));
        }
        let Some((last, text)) = fold.finish(category) else { return Ok(None) };
        let finish = parse::formula(text)?;
        let mut names = Vec::new();
        for (accumulator, (_, kind)) in fold.accumulators.iter().zip(&terms) {
            let kind = match accumulator.join {
                Join::Count => real(last),
                _ if fold.is_place() => Kind::Value,
                Join::Exponentials => {
                    names.push(("most".to_owned(), real(last)));
                    *kind
                }
                _ => *kind,
            };
            names.push((accumulator.name.to_owned(), kind));
        }
        if last != Category::Boolean {
            names.push(("count".to_owned(), real(last)));
            names.extend(parameter(row, last));
        }
        let gives = check::kind(&finish, last, &mut names.clone())?;
        Ok(Some(Self { scope, terms, category: last, finish, names, gives }))
    }
}

/// The parameter and its kind.
fn parameter(row: &ReductionRow, category: Category) -> Option<(String, Kind)> {
    row.parameter.filter(|_| category != Category::Boolean).map(|(name, _)| (name.to_owned(), real(category)))
}

/// The kind of a real number beside numbers of a category.
const fn real(category: Category) -> Kind {
    if matches!(category, Category::Complex) { Kind::Part } else { Kind::Value }
}
