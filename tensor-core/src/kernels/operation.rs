//! An operation of the table or a user's own: what is known of it, its loops, its device functions, and its steps.

use latten_spec::DType;
use latten_spec::operation::{Op, Row};
use latten_spec::step;

use super::derivative::{Derivative, derivative};
use super::{kernel, run};
use crate::scalar::Scalar;

/// An operation of a user's, by `#[kernel]`.
#[derive(Debug)]
pub struct Own {
    /// What a row of the table says of one.
    pub row: Row,
    /// Its loops.
    #[doc(hidden)]
    pub kernel: fn(DType) -> Option<run::Kernel>,
    /// Its device functions for CUDA, one for each category of numbers.
    #[doc(hidden)]
    pub cuda: &'static str,
    /// Its derivative, by rules.
    #[doc(hidden)]
    pub derivative: Derivative,
}

/// An operation of the table, or a user's own.
#[derive(Clone, Copy, Debug)]
pub enum AnyOperation {
    /// Of the table.
    Table(Op),
    /// A user's.
    Own(&'static Own),
}

impl AnyOperation {
    /// What is known of it.
    #[must_use]
    pub fn row(self) -> &'static Row {
        match self {
            Self::Table(op) => op.row(),
            Self::Own(own) => &own.row,
        }
    }

    /// The operation of the table, where it is one.
    #[must_use]
    pub fn op(self) -> Option<Op> {
        match self {
            Self::Table(op) => Some(op),
            Self::Own(_) => None,
        }
    }

    /// The loop on elements of a dtype, where there is one.
    pub(crate) fn kernel(self, computing: DType) -> Option<run::Kernel> {
        match self {
            Self::Table(op) => kernel(op, computing),
            Self::Own(own) => (own.kernel)(computing),
        }
    }

    /// The gradients of its operands.
    pub(crate) fn derivative(self) -> &'static Derivative {
        match self {
            Self::Table(op) => derivative(op),
            Self::Own(own) => &own.derivative,
        }
    }

    /// Whether both are the same one.
    pub(crate) fn is_same(self, other: Self) -> bool {
        match (self, other) {
            (Self::Table(left), Self::Table(right)) => left == right,
            (Self::Own(left), Self::Own(right)) => std::ptr::eq(left, right),
            _ => false,
        }
    }
}

impl From<Op> for AnyOperation {
    fn from(op: Op) -> Self {
        Self::Table(op)
    }
}

/// A decided step of an elementwise expression.
pub(crate) type Step = step::Step<AnyOperation, Scalar>;

/// What a step computes with.
pub type Argument = step::Argument<Scalar>;
