//! Loops over plain slices, one for each operation and dtype, written by `latten_macros::kernels!` from the table in tensor-spec. `run` is what
//! a loop sees, `vocabulary` is what formulas may say, `transfer` converts; each is compiled for the levels of processors that it gains from.

mod complex;
mod double;
pub mod formula;
#[cfg(target_arch = "x86_64")]
mod halves;
pub mod level;
mod pairs;
pub mod run;
mod single;
mod special;
pub mod transfer;
pub mod vocabulary;
mod wide;

use latten_spec::DType;
use latten_spec::operation::Op;
use level::Level;

/// The kernel of an operation on elements of a dtype, where there is one, compiled for the processor at hand.
pub fn kernel(op: Op, computing: DType) -> Option<run::Kernel> {
    table::kernel(op, computing, Level::detect())
}

/// The kernel of an operation on operands of two dtypes, where converting them in the loop is worth one of its own. Where operands may
/// change places, there is one for one order only.
pub fn pair_kernel(op: Op, lhs: DType, rhs: DType) -> Option<run::Kernel> {
    pairs::pair_kernel(op, lhs, rhs, Level::detect())
}

#[expect(clippy::approx_constant, reason = "formulas write their own constants, in more digits than any dtype has")]
pub mod table {
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
