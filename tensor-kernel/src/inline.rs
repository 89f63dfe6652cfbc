//! The operations of the table as functions of the language: a kernel that calls `sigmoid(x)` gets the formula of its row. The language's own
//! functions stay calls. For derivatives an operation whose row writes its own stays one, too, so that kinks are as the row has them.

use latten_spec::Category;
use latten_spec::operation::{Op, Row, Trait};
use proc_macro2::Span;

use crate::check::{self, Scope};
use crate::{Expr, ExprNode, Kind, Mistake, Unary, parse, words};

/// Which operations of the table stay calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// None of them.
    Nothing,
    /// Those whose rows write derivatives.
    Derivatives,
}

/// A formula without calls of operations of the table, but for those that stay.
///
/// # Errors
/// Where an operation isn't there for what it is given.
pub fn inlined(tree: &Expr, category: Category, scope: &mut Scope, keep: Keep) -> Result<Expr, Mistake> {
    Inliner { category, keep }.inlined(tree, scope)
}

/// The operation of the table that formulas and expressions call by this name, and whether its parameters are given.
#[must_use]
pub fn operation(name: &str) -> Option<(Op, bool)> {
    let plain = |name: &str| Op::parse(name).filter(|op| !op.row().is(Trait::Conditional));
    if let Some(op) = plain(name) {
        return Some((op, op.row().is(Trait::SaysParameters)));
    }
    let stem = name.strip_suffix("_with")?;
    plain(stem).filter(|op| !op.row().params.is_empty()).map(|op| (op, true))
}

struct Inliner {
    category: Category,
    keep: Keep,
}

impl Inliner {
    fn inlined(&self, expr: &Expr, scope: &mut Scope) -> Result<Expr, Mistake> {
        let mut boxed = |inner: &Expr| self.inlined(inner, scope).map(Box::new);
        let node = match &expr.node {
            ExprNode::Number(_) | ExprNode::Truth(_) | ExprNode::Name(_) | ExprNode::Index => return Ok(expr.clone()),
            ExprNode::Unary(operator, inner) => ExprNode::Unary(*operator, boxed(inner)?),
            ExprNode::Binary(operator, left, right) => ExprNode::Binary(*operator, boxed(left)?, boxed(right)?),
            ExprNode::If(condition, then, other) => ExprNode::If(boxed(condition)?, boxed(then)?, boxed(other)?),
            ExprNode::Let(name, value, rest) => {
                let value = boxed(value)?;
                let kind = self.kind(&value, scope)?;
                scope.push((name.clone(), kind));
                let rest = self.inlined(rest, scope);
                scope.pop();
                ExprNode::Let(name.clone(), value, Box::new(rest?))
            }
            ExprNode::Call(name, arguments) => {
                let arguments = arguments.iter().map(|argument| self.inlined(argument, scope)).collect::<Result<Vec<_>, _>>()?;
                if name == "where_" {
                    return choice(expr.span, arguments);
                }
                if let Some(found) = self.called(expr.span, name, &arguments, scope)? {
                    return Ok(found);
                }
                ExprNode::Call(name.clone(), arguments)
            }
        };
        Ok(Expr { node, span: expr.span })
    }

    /// The kind of a tree without calls of the table; where some stay, it was found before.
    fn kind(&self, tree: &Expr, scope: &mut Scope) -> Result<Kind, Mistake> {
        let tree = match self.keep {
            Keep::Nothing => tree.clone(),
            Keep::Derivatives => inlined(tree, self.category, scope, Keep::Nothing)?,
        };
        check::kind(&tree, self.category, scope)
    }

    /// What a call of an operation of the table becomes; nothing, where it stays a call.
    fn called(&self, span: Span, name: &str, arguments: &[Expr], scope: &mut Scope) -> Result<Option<Expr>, Mistake> {
        let Some((op, with)) = operation(name) else { return Ok(None) };
        let row = op.row();
        let kinds = arguments.iter().filter(|argument| !matches!(argument.node, ExprNode::Number(_)));
        let kinds = kinds.map(|argument| self.kind(argument, scope)).collect::<Result<Vec<_>, _>>()?;
        let kind = kinds.first().copied().unwrap_or(check::value(self.category));
        let category = match kind {
            Kind::Value => self.category,
            Kind::Part => Category::Floating,
            Kind::Truth => Category::Boolean,
        };
        if words::word(name, category).is_some_and(|word| word.takes.contains(category)) {
            return Ok(None);
        }
        let expected = row.operands.len() + if with { row.given().len() } else { 0 };
        if arguments.len() != expected {
            return Err(Mistake::at(span, format!("`{name}` takes {expected} arguments, not {}", arguments.len())));
        }
        let stays = |row: &Row| row.derivatives.iter().any(|row| row.categories.contains(category));
        if self.keep == Keep::Derivatives && !with && kind == Kind::Value && stays(row) {
            return Ok(None);
        }
        let limits = !with && row.params.iter().any(|(_, default)| default.abs() >= f64::MAX);
        let Some(formula) = row.formula(category).filter(|_| !limits) else {
            let why = if limits { format!("`{name}` needs its parameters: `{name}_with`") } else { refused(name, category) };
            return Err(Mistake::at(span, why));
        };
        let given = arguments
            .iter()
            .cloned()
            .chain(row.params[arguments.len() - row.operands.len()..].iter().map(|&(_, default)| number(default, span)));
        let names = row.operands.iter().copied().chain(row.params.iter().map(|(name, _)| *name));
        Ok(Some(substituted(name, parse::formula(formula)?, names.zip(given).collect(), kind, span)))
    }
}

/// What an operation says of numbers that its row has no formula for.
fn refused(name: &str, category: Category) -> String {
    let of = match category {
        Category::Boolean => "truths",
        Category::Integral => "integers",
        Category::Floating => "floats",
        Category::Complex => "complex numbers",
    };
    format!("`{name}` doesn't take {of}")
}

/// `where_(condition, x, y)`.
fn choice(span: Span, arguments: Vec<Expr>) -> Result<Expr, Mistake> {
    let count = arguments.len();
    let Ok([condition, x, y]) = <[Expr; 3]>::try_from(arguments) else {
        return Err(Mistake::at(span, format!("`where_` takes 3 arguments, not {count}")));
    };
    Ok(Expr { node: ExprNode::If(Box::new(condition), Box::new(x), Box::new(y)), span })
}

/// A number as an expression.
fn number(number: f64, span: Span) -> Expr {
    let size = Expr { node: ExprNode::Number(format!("{:?}", number.abs())), span };
    if number < 0.0 { Expr { node: ExprNode::Unary(Unary::Neg, Box::new(size)), span } } else { size }
}

/// A formula over arguments. Names of the formula get the operation's before them, so that none is taken for one of the caller's.
fn substituted(op: &str, formula: Expr, arguments: Vec<(&str, Expr)>, kind: Kind, span: Span) -> Expr {
    let named = |name: &str| format!("{op}_{name}_");
    let body = renamed(formula, &named, span);
    arguments.into_iter().rev().fold(body, |rest, (name, value)| match value.node {
        _ if !rest.has(&named(name)) => rest,
        // A `let` of a number is a value.
        ExprNode::Number(_) if kind == Kind::Part => replaced(rest, &named(name), &value),
        _ => Expr { node: ExprNode::Let(named(name), Box::new(value), Box::new(rest)), span },
    })
}

/// A formula with other names, all at one place.
fn renamed(expr: Expr, named: &impl Fn(&str) -> String, span: Span) -> Expr {
    let node = match expr.node {
        ExprNode::Name(name) => ExprNode::Name(named(&name)),
        ExprNode::Let(name, value, rest) => {
            ExprNode::Let(named(&name), Box::new(renamed(*value, named, span)), Box::new(renamed(*rest, named, span)))
        }
        other => other.map(&mut |part| renamed(part, named, span)),
    };
    Expr { node, span }
}

/// A formula with a number in the place of a name that it doesn't bind.
fn replaced(expr: Expr, name: &str, number: &Expr) -> Expr {
    if matches!(&expr.node, ExprNode::Name(own) if own == name) {
        return number.clone();
    }
    Expr { node: expr.node.map(&mut |part| replaced(part, name, number)), span: expr.span }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cuda::function;

    const CATEGORIES: [Category; 4] = [Category::Boolean, Category::Integral, Category::Floating, Category::Complex];

    fn scope(names: &[&str], category: Category) -> Scope {
        names.iter().map(|name| ((*name).to_owned(), check::value(category))).collect()
    }

    #[test]
    fn every_operation_of_the_table_is_a_function_of_the_language() {
        let mut count = 0;
        for &op in Op::ALL.iter().filter(|op| !op.row().is(Trait::Conditional)) {
            let row = op.row();
            for category in CATEGORIES {
                let Some(formula) = row.formula(category) else { continue };
                let names: Vec<_> = row.operands.iter().chain(row.params.iter().map(|(name, _)| name)).copied().collect();
                let given: Vec<_> = row.operands.iter().chain(row.given().iter().map(|(name, _)| name)).copied().collect();
                let call = match row.params {
                    [] => op.name().to_owned(),
                    _ if row.is(Trait::SaysParameters) => op.name().to_owned(),
                    _ => format!("{op}_with"),
                };
                let call = parse::formula(&format!("{call}({})", given.join(", "))).expect("a call");
                let expected = check::kind(&parse::formula(formula).expect("a formula"), category, &mut scope(&names, category));
                for keep in [Keep::Nothing, Keep::Derivatives] {
                    let tree = inlined(&call, category, &mut scope(&names, category), keep)
                        .unwrap_or_else(|mistake| panic!("{op} of {category:?}: {}", mistake.message));
                    if keep == Keep::Nothing {
                        let found = check::kind(&tree, category, &mut scope(&names, category));
                        assert_eq!(found.ok(), expected.as_ref().ok().copied(), "{op} of {category:?}");
                        count += 1;
                    }
                }
            }
        }
        assert!(count > 200, "{count} formulas");
    }

    #[test]
    fn names_of_a_formula_are_not_the_callers() {
        let tree = parse::formula("let top = x; clamp(logaddexp(top, y), 0, top)").expect("a formula");
        let tree = inlined(&tree, Category::Floating, &mut scope(&["x", "y"], Category::Floating), Keep::Nothing).expect("operations");
        let operands = [("x".to_owned(), Kind::Value), ("y".to_owned(), Kind::Value)];
        let text = function("f", &tree, Category::Floating, &operands).expect("it is checked").text;
        assert!(text.contains("v_top_1 = v_x;") && text.contains(" = v_top_1;"), "{text}");
    }
}
