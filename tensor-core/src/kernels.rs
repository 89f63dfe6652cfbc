//! Kernels: loops over blocks of plain slices, one for each operation and dtype, written by `latten_macros::kernels!` from the table in
//! tensor-spec. `block` brings elements in and out, `run` is what a kernel sees, `vocabulary` is what formulas may say.

pub(crate) mod block;
pub(crate) mod brain;
mod complex;
mod cut;
pub mod derivative;
mod double;
mod formula;
mod lane;
pub(crate) mod level;
pub(crate) mod machine;
pub mod operation;
mod pairs;
pub(crate) mod parts;
pub(crate) mod places;
pub(crate) mod run;
mod scratch;
mod single;
mod stream;
mod transfer;
mod turn;
#[doc(hidden)]
pub mod vocabulary;
pub mod workers;

#[doc(hidden)]
pub use formula::{Formula, Unknown};

use latten_spec::DType;
use latten_spec::operation::Op;
use level::Level;

/// The kernel of an operation on elements of a dtype, where there is one, compiled for the processor at hand.
pub(crate) fn kernel(op: Op, computing: DType) -> Option<run::Kernel> {
    table::kernel(op, computing, Level::detect())
}

/// The kernel of an operation on operands of two dtypes, where converting them in the loop is worth one of its own.
pub(crate) fn pair_kernel(op: Op, lhs: DType, rhs: DType) -> Option<run::Kernel> {
    pairs::pair_kernel(op, lhs, rhs, Level::detect())
}

#[expect(clippy::approx_constant, reason = "formulas write their own constants, in more digits than any dtype has")]
pub(crate) mod table {
    use latten_spec::DType;
    use latten_spec::operation::Op;
    use num_complex::Complex;

    use super::formula::Formula;
    use super::level::Level;
    use super::run;
    use super::vocabulary::{Analytic, Arithmetic, Complexity, Division, Floating, Integral, Magnitude, Power, constant};
    use crate::element::Native;

    latten_macros::kernels! {}
}
