//! What each part of a formula is: a value of the dtype, a part of a complex one, or a truth. The functions of the language are listed here.

use latten_spec::Category;
use latten_spec::operation::Categories;

use proc_macro2::Span;

use crate::{Binary, Expr, ExprNode, INDEX, Kind, Mistake, Unary};

/// A function of the language.
#[derive(Debug)]
pub struct LanguageFunction {
    /// What formulas call it: PyTorch's name, where it has one.
    pub name: &'static str,
    /// What Rust and CUDA call it.
    pub symbol: &'static str,
    /// Which trait of `latten_core::kernels::vocabulary` has it.
    pub home: &'static str,
    /// The categories of its arguments.
    pub takes: Categories,
    /// How many it takes.
    pub arguments: usize,
    /// What it gives.
    pub gives: Gives,
    /// Whether it takes many times the time of an operator.
    pub is_slow: bool,
}

/// What a function gives.
#[derive(Clone, Copy, Debug)]
pub enum Gives {
    /// What it took.
    Same,
    /// A part, of a complex value.
    Part,
    /// A complex value, of two parts.
    Whole,
    /// True or false.
    Truth,
}

macro_rules! functions {
    ($($home:ident $takes:ident $arguments:literal $gives:ident $speed:ident: $($name:ident $(= $symbol:ident)?)+;)*) => {
        &[$($(LanguageFunction {
            name: stringify!($name), symbol: symbol_of(stringify!($name), [$(stringify!($symbol))?].as_slice()), home: stringify!($home), takes: Categories::$takes, arguments: $arguments, gives: Gives::$gives,
            is_slow: matches!(stringify!($speed).as_bytes(), b"slow"),
        }),+),*]
    };
}

/// What methods of Rust's numbers are called here.
const OF_RUST: [(&str, &str); 18] = [
    ("ln", "log"),
    ("ln_1p", "log1p"),
    ("exp_m1", "expm1"),
    ("is_nan", "isnan"),
    ("is_infinite", "isinf"),
    ("is_finite", "isfinite"),
    ("powi", "pow"),
    ("powf", "pow"),
    ("max", "maximum"),
    ("min", "minimum"),
    ("recip", "reciprocal"),
    ("signum", "sign"),
    ("rem_euclid", "remainder"),
    ("fract", "frac"),
    ("re", "real"),
    ("im", "imag"),
    ("norm", "abs"),
    ("arg", "angle"),
];

/// What Rust and CUDA call a function: the same, or what is said.
const fn symbol_of(name: &'static str, said: &[&'static str]) -> &'static str {
    if let [said, ..] = said { said } else { name }
}

/// All functions. One that differs by category has a row for each.
pub const FUNCTIONS: &[LanguageFunction] = functions! {
    Division REAL 2 Same slow: floor_divide = div_floor remainder = modulo;
    Integral INTEGRAL 2 Same slow: gcd;
    Magnitude REAL 1 Same fast: abs;
    Magnitude COMPLEX 1 Part slow: abs;
    Power NUMBER 2 Same slow: pow;
    Analytic INEXACT 1 Same fast: sqrt;
    Analytic INEXACT 1 Same slow: exp exp2 expm1 = exp_m1 log = ln log2 log10 log1p = ln_1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh;
    Floating FLOATING 1 Same fast: floor ceil trunc round;
    Floating FLOATING 1 Same slow: erf erfc erfinv lgamma;
    Floating FLOATING 2 Same slow: atan2 hypot;
    Floating FLOATING 2 Same fast: copysign;
    Floating FLOATING 3 Same fast: mul_add;
    Floating FLOATING 1 Truth fast: isnan = is_nan isinf = is_infinite isfinite = is_finite signbit;
    Complexity COMPLEX 1 Part fast: real = re imag = im;
    Complexity COMPLEX 1 Part slow: angle = argument;
    Complexity COMPLEX 1 Same fast: conj;
    Complexity COMPLEX 1 Same slow: sgn = unit;
    Complexity COMPLEX 2 Whole fast: complex;
};

/// The function that a formula for numbers of some category calls by a name: the one that takes them, else the first of that name.
#[must_use]
pub fn function(name: &str, category: Category) -> Option<&'static LanguageFunction> {
    let called = || FUNCTIONS.iter().filter(|function| function.name == name);
    called().find(|function| function.takes.contains(category)).or_else(|| called().next())
}

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
    let Some(function) = function(name, of) else {
        let why = match OF_RUST.iter().find(|(rust, _)| *rust == name) {
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
