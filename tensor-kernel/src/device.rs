//! The device functions of the tables, written from their formulas: what a build script puts into a program, as a Rust expression.

use std::fmt::Write as _;

use latten_spec::Category;
use latten_spec::operation::{Op, Trait};
use latten_spec::reduction::Reduction;

use crate::fold::Fold;
use crate::kernels::functions::{FoldFunctions, Functions};
use crate::{Kind, Mistake, check, cuda, parse};

const CATEGORIES: [Category; 4] = [Category::Boolean, Category::Integral, Category::Floating, Category::Complex];

/// All of them, for as long as the process lives.
///
/// # Errors
/// Where a formula isn't in the language, naming its row.
pub fn functions() -> Result<Functions, String> {
    let operations = Op::ALL.iter().map(|&op| Ok((op, &*operation(op)?.leak()))).collect::<Result<Vec<_>, String>>()?;
    let mut folds = Vec::new();
    for &op in Reduction::ALL {
        for fold in 0..op.row().folds.len() {
            for category in CATEGORIES {
                folds.extend(functions_of_fold(op, fold, category)?);
            }
        }
    }
    Ok(Functions { operations: operations.leak(), folds: folds.leak() })
}

/// The same as an expression of Rust, of the type [`Functions`].
#[must_use]
pub fn expression(functions: &Functions) -> String {
    let mut text = String::from("latten_kernel::kernels::Functions {\n    operations: &[\n");
    for (op, functions) in functions.operations {
        _ = writeln!(text, "        (latten_spec::operation::Op::{}, {functions:?}),", op.variant());
    }
    text.push_str("    ],\n    folds: &[\n");
    for FoldFunctions { op, fold, category, text: functions, parts } in functions.folds {
        _ = writeln!(
            text,
            "        latten_kernel::kernels::functions::FoldFunctions {{ op: latten_spec::reduction::Reduction::{}, fold: {fold}, \
             category: latten_spec::Category::{category:?}, text: {functions:?}, parts: &{parts:?} }},",
            op.variant()
        );
    }
    text.push_str("    ],\n}\n");
    text
}

/// The functions of an operation, for all categories of numbers that it computes.
fn operation(op: Op) -> Result<String, String> {
    let mut text = format!("// {op}({})\n", op.row().operands.join(", "));
    for category in CATEGORIES {
        let Some(formula) = op.row().formula(category) else { continue };
        let refused = |mistake: Mistake| format!("{op} for {category:?}: {}: {formula}", mistake.message);
        let tree = parse::formula(formula).map_err(refused)?;
        let name = format!("{}_{}", op.name(), format!("{category:?}").to_lowercase());
        text.push_str(&cuda::function(&name, &tree, category, &operands(op, category)).map_err(refused)?.text);
    }
    Ok(text)
}

/// The functions of a fold: one for each term, one for the result. Nothing, where its row has no formulas for such numbers.
fn functions_of_fold(op: Reduction, fold: usize, category: Category) -> Result<Option<FoldFunctions>, String> {
    let refused = |mistake: Mistake| format!("{} for {category:?}: {}", op.row().name, mistake.message);
    let Some(formulas) = Fold::new(op.row(), &op.row().folds[fold], category).map_err(refused)? else { return Ok(None) };
    let name = format!("{}{fold}_{}", op.row().name, format!("{category:?}").to_lowercase());
    let mut text = String::new();
    for (number, (tree, _)) in formulas.terms.iter().enumerate() {
        let function = cuda::function(&format!("{name}_term{number}"), tree, category, &formulas.scope);
        text.push_str(&function.map_err(refused)?.text);
    }
    let result = cuda::function(&format!("{name}_result"), &formulas.finish, formulas.category, &formulas.names);
    text.push_str(&result.map_err(refused)?.text);
    let parts: Vec<bool> = formulas.terms.iter().map(|(_, kind)| *kind == Kind::Part).collect();
    Ok(Some(FoldFunctions { op, fold, category, text: text.leak(), parts: parts.leak() }))
}

/// What the formula of an operation may name.
fn operands(op: Op, category: Category) -> Vec<(String, Kind)> {
    let row = op.row();
    let condition = |i: usize| i == 0 && row.is(Trait::Conditional);
    let operand = |(i, name): (usize, &&str)| ((*name).to_owned(), if condition(i) { Kind::Truth } else { check::value(category) });
    let params = row.params.iter().map(|(name, _)| ((*name).to_owned(), check::value(category)));
    row.operands.iter().enumerate().map(operand).chain(params).collect()
}

#[cfg(test)]
mod tests {
    use latten_spec::Category;
    use latten_spec::operation::Categories;

    use crate::kernels::source::PRELUDE;
    use crate::words::WORDS;

    /// What isn't a call of CUDA's function, for floats and for complex numbers.
    #[test]
    fn the_prelude_has_every_word() {
        let defined = |forms: &[String]| forms.iter().any(|form| PRELUDE.contains(form.as_str()));
        let mut missing = Vec::new();
        for word in WORDS {
            let name = word.symbol;
            let real = [format!(" {name}(const ")];
            let complex = [
                format!("c128 wide_{name}(const c128 "),
                format!("> {name}(const cplx<P>"),
                format!(" {name}(const T "),
                format!("P {name}(const cplx<P>"),
                format!("C {name}(const part<C>"),
            ];
            if word.cuda.is_none() && word.takes != Categories::COMPLEX && !defined(&real) {
                missing.push(name.to_owned());
            }
            if word.takes.contains(Category::Complex) && !defined(&complex) {
                missing.push(format!("complex {name}"));
            }
        }
        assert!(missing.is_empty(), "the prelude lacks what words.rs lists: {missing:?}");
    }
}
