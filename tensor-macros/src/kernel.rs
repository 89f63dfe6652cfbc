//! The language of kernels: Rust's syntax over numbers of one dtype. `parse` reads a formula into an [`Expr`], `check` finds what each
//! part is, `expand` writes Rust. A renderer for another device starts from the same checked tree.

mod check;
mod expand;
mod parse;

pub(crate) use expand::kernels;

/// An expression of the language.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    /// A number; its text, as written.
    Number(String),
    /// `true` or `false`.
    Truth(bool),
    /// An operand, a parameter or a `let`.
    Name(String),
    /// `-x` or `!x`.
    Unary(Unary, Box<Self>),
    /// `x + y`, `x < y`, …
    Binary(Binary, Box<Self>, Box<Self>),
    /// `exp(x)`.
    Call(String, Vec<Self>),
    /// `if condition { then } else { other }`.
    If(Box<Self>, Box<Self>, Box<Self>),
    /// `let name = value; rest`.
    Let(String, Box<Self>, Box<Self>),
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Neg,
    Not,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Both,
    Either,
}

/// What a value is, apart from its dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Of the dtype of the computation.
    Value,
    /// Of the dtype of its parts, where the computation is complex.
    Part,
    /// True or false.
    Truth,
}

/// A mistake in a formula.
#[derive(Debug)]
pub(crate) struct Mistake {
    pub(crate) message: String,
}

impl Mistake {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl From<syn::Error> for Mistake {
    fn from(error: syn::Error) -> Self {
        Self::new(error.to_string())
    }
}
