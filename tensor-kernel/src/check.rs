//! What each part of a formula is: a value of the dtype, a part of a complex one, or a truth.

use latten_spec::Category;

use proc_macro2::Span;

use crate::words::{self, Gives, WORDS};
use crate::{Binary, Expr, ExprNode, INDEX, Kind, Mistake, Unary};

/// What methods of Rust's numbers are called here, beside the symbols of words.
const OF_RUST: [(&str, &str); 10] = [
    ("powi", "pow"),
    ("powf", "pow"),
    ("max", "maximum"),
    ("min", "minimum"),
    ("recip", "reciprocal"),
    ("signum", "sign"),
    ("rem_euclid", "remainder"),
    ("fract", "frac"),
    ("norm", "abs"),
    ("arg", "angle"),
];

/// The kinds of the names that are known at some place.
pub type Scope = Vec<(String, Kind)>;

/// What a formula gives, for numbers of that category and those names.
///
/// # Errors
/// Where a part of it isn't defined for what it is given.
pub fn kind(formula: &Expr, category: Category, scope: &mut Scope) -> Result<Kind, Mistake> {
    Ok(found(formula, category, scope)?.unwrap_or(value(category)))
}

/// What a value is: in a bool computation values are truths.
#[must_use]
pub const fn value(category: Category) -> Kind {
    if matches!(category, Category::Boolean) { Kind::Truth } else { Kind::Value }
}

/// The kind of an expression; a number alone has none, and takes that of its neighbours.
fn found(expr: &Expr, category: Category, scope: &mut Scope) -> Result<Option<Kind>, Mistake> {
    let mistake = |why: String| Err(Mistake::at(expr.span, why));
    match &expr.node {
        ExprNode::Number(text) if category == Category::Boolean => mistake(format!("`{text}` in a formula for bool")),
        ExprNode::Number(_) => Ok(None),
        ExprNode::Truth(_) => Ok(Some(Kind::Truth)),
        ExprNode::Index => match scope.iter().find(|(known, _)| known == INDEX) {
            Some(_) if category == Category::Boolean => mistake("`index()` in a formula for bool".into()),
            Some((_, kind)) => Ok(Some(*kind)),
            None => mistake("nothing is counted here".into()),
        },
        ExprNode::Name(name) => match scope.iter().rev().find(|(known, _)| known == name) {
            Some((_, kind)) => Ok(Some(*kind)),
            None => mistake(format!("no operand, parameter or `let` is called `{name}`")),
        },
        ExprNode::Unary(operator, inner) => {
            let inner = found(inner, category, scope)?;
            match (operator, inner) {
                (Unary::Neg, Some(Kind::Truth)) => mistake("`-` of a truth".into()),
                (Unary::Not, Some(Kind::Value | Kind::Part)) if category != Category::Integral => mistake("`!` of a float".into()),
                _ => Ok(inner),
            }
        }
        ExprNode::Binary(operator, left, right) => {
            let operands = [found(left, category, scope)?, found(right, category, scope)?];
            binary(*operator, operands, category).or_else(mistake)
        }
        ExprNode::Call(name, arguments) => call(expr.span, name, arguments, category, scope),
        ExprNode::If(condition, then, other) => {
            if found(condition, category, scope)? != Some(Kind::Truth) {
                return Err(Mistake::at(condition.span, "the condition of `if` isn't a comparison"));
            }
            same(found(then, category, scope)?, found(other, category, scope)?).or_else(mistake)
        }
        ExprNode::Let(name, value, rest) => {
            let kind = kind(value, category, scope)?;
            scope.push((name.clone(), kind));
            let rest = found(rest, category, scope);
            scope.pop();
            rest
        }
    }
}

/// What a kind of value is called.
const fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Value => "a value",
        Kind::Part => "a part of a complex number",
        Kind::Truth => "a truth",
    }
}

/// What values of a kind are.
fn described(kind: Kind, category: Category) -> String {
    match (kind, category) {
        (Kind::Truth, _) => "truths".into(),
        (Kind::Part, _) | (_, Category::Floating) => "floats".into(),
        (_, Category::Boolean) => "truths".into(),
        (_, Category::Integral) => "integers".into(),
        (_, Category::Complex) => "complex numbers".into(),
    }
}

/// How an operator is written.
const fn symbol(operator: Binary) -> &'static str {
    match operator {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Rem => "%",
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
        Binary::Shl => "<<",
        Binary::Shr => ">>",
        Binary::Eq => "==",
        Binary::Ne => "!=",
        Binary::Lt => "<",
        Binary::Le => "<=",
        Binary::Gt => ">",
        Binary::Ge => ">=",
        Binary::Both => "&&",
        Binary::Either => "||",
    }
}

/// Two that must be alike; a bare number is like any number.
fn same(left: Option<Kind>, right: Option<Kind>) -> Result<Option<Kind>, String> {
    match (left, right) {
        (None, Some(Kind::Truth)) | (Some(Kind::Truth), None) => Err("a number where a truth is needed".into()),
        (Some(left), Some(right)) if left != right => Err(format!("{} and {} don't mix", word(left), word(right))),
        _ => Ok(left.or(right)),
    }
}

fn binary(operator: Binary, [left, right]: [Option<Kind>; 2], category: Category) -> Result<Option<Kind>, String> {
    let both = same(left, right)?;
    let truth = both == Some(Kind::Truth);
    match operator {
        Binary::Eq | Binary::Ne => Ok(Some(Kind::Truth)),
        Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge if both == Some(Kind::Value) && category == Category::Complex => {
            Err("complex numbers have no order".into())
        }
        Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => Ok(Some(Kind::Truth)),
        Binary::Both | Binary::Either if truth => Ok(both),
        Binary::And | Binary::Or | Binary::Xor if truth || category == Category::Integral => Ok(both),
        Binary::Shl | Binary::Shr if category == Category::Integral && !truth => Ok(both),
        Binary::Rem if category == Category::Complex => Err("complex numbers have no remainder".into()),
        Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Rem if !truth => Ok(both),
        other => Err(format!("`{}` doesn't take {}", symbol(other), both.map_or("numbers".into(), |kind| described(kind, category)))),
    }
}

fn call(span: Span, name: &str, arguments: &[Expr], category: Category, scope: &mut Scope) -> Result<Option<Kind>, Mistake> {
    let mut kinds = None;
    for argument in arguments {
        kinds = same(kinds, found(argument, category, scope)?).map_err(|why| Mistake::at(argument.span, why))?;
    }
    let kind = kinds.unwrap_or(value(category));
    // The parts of a complex number are floats.
    let of = if kind == Kind::Part { Category::Floating } else { category };
    let Some(function) = words::word(name, of) else {
        let symbols = WORDS.iter().map(|word| (word.symbol, word.name));
        let why = match OF_RUST.into_iter().chain(symbols).find(|(rust, _)| *rust == name) {
            Some((_, called)) => format!("write `{called}`"),
            None => "they have the elementwise operations of the table, `where_`, `mul_add` and `complex`".into(),
        };
        return Err(Mistake::at(span, format!("kernels have no function `{name}`: {why}")));
    };
    if arguments.len() != function.arguments {
        return Err(Mistake::at(span, format!("`{name}` takes {} arguments, not {}", function.arguments, arguments.len())));
    }
    let takes = match function.gives {
        Gives::Whole => kind == Kind::Part,
        _ => kind != Kind::Truth && function.takes.contains(of),
    };
    if !takes {
        return Err(Mistake::at(span, format!("`{name}` doesn't take {}", described(kind, category))));
    }
    Ok(Some(match function.gives {
        Gives::Same => kind,
        Gives::Part => Kind::Part,
        Gives::Whole => Kind::Value,
        Gives::Truth => Kind::Truth,
    }))
}
