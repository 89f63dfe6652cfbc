//! Formulas: expressions of the language, and mistakes in them.

use proc_macro2::Span;

/// The operand that `index()` becomes: the last one.
pub const INDEX: &str = "index__";

/// An expression of the language, and where it was written.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub node: ExprNode,
    /// Where a mistake in it is shown.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprNode {
    /// A number; its text, as written.
    Number(String),
    /// `true` or `false`.
    Truth(bool),
    /// An operand, a parameter or a `let`.
    Name(String),
    /// `index()`: the place of the element in the result, in row-major order.
    Index,
    /// `-x` or `!x`.
    Unary(Unary, Box<Expr>),
    /// `x + y`, `x < y`, …
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `exp(x)`.
    Call(String, Vec<Expr>),
    /// `if condition { then } else { other }`.
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `let name = value; rest`.
    Let(String, Box<Expr>, Box<Expr>),
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-x`.
    Neg,
    /// `!x`.
    Not,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `x + y`.
    Add,
    /// `x - y`.
    Sub,
    /// `x * y`.
    Mul,
    /// `x / y`.
    Div,
    /// `x % y`.
    Rem,
    /// `x & y`.
    And,
    /// `x | y`.
    Or,
    /// `x ^ y`.
    Xor,
    /// `x << y`.
    Shl,
    /// `x >> y`.
    Shr,
    /// `x == y`.
    Eq,
    /// `x != y`.
    Ne,
    /// `x < y`.
    Lt,
    /// `x <= y`.
    Le,
    /// `x > y`.
    Gt,
    /// `x >= y`.
    Ge,
    /// `x && y`.
    Both,
    /// `x || y`.
    Either,
}

/// What a value is, apart from its dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of the dtype of the computation.
    Value,
    /// Of the dtype of its parts, where the computation is complex.
    Part,
    /// True or false.
    Truth,
}

impl ExprNode {
    /// The same with other parts.
    #[must_use]
    pub fn map(self, part: &mut impl FnMut(Expr) -> Expr) -> Self {
        let mut boxed = |inner: Box<Expr>| Box::new(part(*inner));
        match self {
            Self::Number(_) | Self::Truth(_) | Self::Name(_) | Self::Index => self,
            Self::Unary(operator, inner) => Self::Unary(operator, boxed(inner)),
            Self::Binary(operator, left, right) => Self::Binary(operator, boxed(left), boxed(right)),
            Self::If(condition, then, other) => Self::If(boxed(condition), boxed(then), boxed(other)),
            Self::Let(name, value, rest) => Self::Let(name, boxed(value), boxed(rest)),
            Self::Call(name, arguments) => Self::Call(name, arguments.into_iter().map(part).collect()),
        }
    }
}

impl Expr {
    /// The expressions that it is made of.
    #[must_use]
    pub fn parts(&self) -> Vec<&Self> {
        match &self.node {
            ExprNode::Number(_) | ExprNode::Truth(_) | ExprNode::Name(_) | ExprNode::Index => Vec::new(),
            ExprNode::Unary(_, inner) => vec![inner],
            ExprNode::Binary(_, left, right) | ExprNode::Let(_, left, right) => vec![left, right],
            ExprNode::Call(_, arguments) => arguments.iter().collect(),
            ExprNode::If(condition, then, other) => vec![condition, then, other],
        }
    }

    /// Whether it has `index()`.
    #[must_use]
    pub fn counts(&self) -> bool {
        matches!(self.node, ExprNode::Index) || self.parts().into_iter().any(Self::counts)
    }
}

impl Expr {
    /// Whether a name occurs in it.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        matches!(&self.node, ExprNode::Name(found) if found == name) || self.parts().iter().any(|part| part.has(name))
    }
}

/// A mistake in a formula.
#[derive(Debug)]
pub struct Mistake {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub span: Span,
}

impl Mistake {
    /// A mistake at some place.
    #[must_use]
    pub fn at(span: Span, message: impl Into<String>) -> Self {
        Self { message: message.into(), span }
    }
}

impl From<syn::Error> for Mistake {
    fn from(error: syn::Error) -> Self {
        Self::at(error.span(), error.to_string())
    }
}
