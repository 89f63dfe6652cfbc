//! Reductions of what programs give, where their elements are read as they are computed.

use latten_spec::reduction::Reduction;
use smallvec::SmallVec;

use super::pairs::{pick, pick_input};
use super::plan::Plan;
use super::walk::ReducedInput;
use super::{Along, Keep, reduce};
use crate::error::Result;
use crate::plan::Target;
use crate::program::{Program, ProgramCall};
use crate::raw::RawTensor;

/// A reduction of what a program gives: in one pass and without a tensor of its results, but with the bits that they would give.
///
/// On a CUDA device, and where a program's operations run one after the other, there is such a tensor.
///
/// # Errors
/// Those of the program, then those of [`reduce`].
pub fn reduce_program(op: Reduction, program: &Program, operands: &[&RawTensor], along: &Along) -> Result<RawTensor> {
    let operands: SmallVec<[Option<&RawTensor>; 8]> = operands.iter().copied().map(Some).collect();
    reduce_call(op, &ProgramCall { program, operands: &operands, kernel: None, composed: true }, along)
}

/// The same for a call of a program.
pub(crate) fn reduce_call(op: Reduction, call: &ProgramCall<'_>, along: &Along) -> Result<RawTensor> {
    if let Some(computed) = call.computed()? {
        let plan = Plan::new(op, ReducedInput::Computed(&computed), along, None)?;
        if plan.is_direct() && op != Reduction::Median {
            return plan.run();
        }
    }
    reduce(op, &call.new_result(Target::New)?, along)
}

/// The most extreme elements of what a program gives along a dimension, and their places.
pub(crate) fn pick_call(op: Reduction, call: &ProgramCall<'_>, dim: isize, keep: Keep) -> Result<(RawTensor, RawTensor)> {
    match call.computed()? {
        Some(computed) if op != Reduction::Median => pick_input(op, ReducedInput::Computed(&computed), dim, keep),
        _ => pick(op, &call.new_result(Target::New)?, dim, keep, [Target::New; 2]),
    }
}
