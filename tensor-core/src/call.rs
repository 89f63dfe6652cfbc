//! A call of an operation as a value, and `run`, through which every call goes: of operators, methods, `fuse!` and calls by name. It alone
//! gives results to the typed layer; who wants to see what a program computes looks here.
//!
//! Which calls there are, and what computes them, is the table in `latten_spec::call`; `table` holds what follows from it.

mod argument;
mod backward;
mod value;
mod composites;
mod derivatives;
mod origin;
mod outcome;
mod recording;
mod slices;
mod table;

use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

pub(crate) use argument::Argument;
pub(crate) use origin::{edge, history, is_differentiable, requires};
pub use outcome::Outcome;
pub(crate) use recording::is_inference;
pub(crate) use table::Function;
pub(crate) use table::{ENTRIES, Entry, Parameter};

use crate::elementwise::{self, Operand, Params};
use crate::error::{Error, Result};
use crate::program;
use crate::raw::RawTensor;
use crate::raw::mode::infers;
use crate::reduce::{self, Along};

/// What is computed, and from what.
#[derive(Clone, Copy)]
pub(crate) enum Work<'a> {
    /// An elementwise operation. In place, the operands are those after the first.
    Elementwise(Op, &'a [Operand<'a>], &'a Params),
    /// A reduction to one tensor.
    Reduction(Reduction, &'a RawTensor, &'a Along),
    /// What has a row of its own, with its arguments in their order; those at the end may be left out. In place, the arguments are those after
    /// the first.
    Function(Function, &'a [Argument<'a>]),
    /// An elementwise expression. In place, its result goes into the elements of a tensor.
    Expression(&'a program::Call<'a>),
}

/// Where the result of a call goes.
#[derive(Debug)]
pub(crate) enum Target<'a> {
    /// Into new tensors, or views.
    New,
    /// Into the tensor itself.
    InPlace(&'a mut RawTensor),
    /// Into an output, which is resized where it must, if it may have those sizes.
    Out(&'a mut RawTensor, fn(&[usize]) -> Result<()>),
}

impl<'a> Target<'a> {
    /// An output that may have any sizes.
    pub(crate) fn out(output: &'a mut RawTensor) -> Self {
        Self::Out(output, |_| Ok(()))
    }
}

/// One call of one operation.
pub(crate) struct Call<'a> {
    /// What is computed.
    pub(crate) work: Work<'a>,
    /// Where the result goes.
    pub(crate) target: Target<'a>,
}

impl<'a> Call<'a> {
    /// A call of an elementwise operation.
    pub(crate) fn elementwise(op: Op, operands: &'a [Operand<'a>], params: &'a Params, target: Target<'a>) -> Self {
        Self { work: Work::Elementwise(op, operands, params), target }
    }

    /// A call of a reduction.
    pub(crate) fn reduction(op: Reduction, input: &'a RawTensor, along: &'a Along, target: Target<'a>) -> Self {
        Self { work: Work::Reduction(op, input, along), target }
    }

    /// A call that gives new tensors.
    pub(crate) fn new(function: Function, arguments: &'a [Argument<'a>]) -> Self {
        Self { work: Work::Function(function, arguments), target: Target::New }
    }

    /// A call that changes a tensor.
    pub(crate) fn in_place(function: Function, tensor: &'a mut RawTensor, arguments: &'a [Argument<'a>]) -> Self {
        Self { work: Work::Function(function, arguments), target: Target::InPlace(tensor) }
    }
}

/// Makes a call. In place and into an output there is nothing to give back.
///
/// # Errors
/// The operation's; then nothing was changed.
pub(crate) fn run(call: Call<'_>) -> Result<Outcome> {
    let Call { work, target } = call;
    if let Work::Function(function, arguments) = work {
        return run_entry(function.entry(), arguments, target);
    }
    if !concerned(&work, &target) {
        return compute(work, target);
    }
    recording::run(work, target)
}

/// Whether gradients may concern a call.
#[inline]
fn concerned(work: &Work<'_>, target: &Target<'_>) -> bool {
    let by_operands = match work {
        Work::Elementwise(_, operands, _) => operands.iter().any(|operand| operand.tensor().is_some_and(RawTensor::is_concerned)),
        Work::Reduction(_, input, _) => input.is_concerned(),
        Work::Function(_, arguments) => arguments.iter().any(recording::concerns),
        Work::Expression(expression) => expression.operands.iter().flatten().any(|tensor| tensor.is_concerned()),
    };
    by_operands || target.is_concerned() || infers()
}

impl Target<'_> {
    #[inline]
    fn is_concerned(&self) -> bool {
        match self {
            Self::New => false,
            Self::InPlace(tensor) | Self::Out(tensor, _) => tensor.is_concerned(),
        }
    }
}

/// Makes a call of the elementwise operations, the reductions and expressions, whatever its tensors' histories. What is written to counts that.
fn compute(work: Work<'_>, target: Target<'_>) -> Result<Outcome> {
    match (work, target) {
        (Work::Elementwise(op, operands, params), Target::New) => elementwise::apply(op, operands, params).map(Outcome::Tensor),
        (Work::Elementwise(op, rest, params), Target::InPlace(tensor)) => {
            counted(tensor, |tensor| elementwise::apply_in_place(op, tensor, rest, params))
        }
        (Work::Elementwise(op, operands, params), Target::Out(out, admits)) => {
            counted(out, |out| elementwise::apply_out_where(op, operands, out, params, admits))
        }
        (Work::Reduction(op, input, along), Target::New) => reduce::reduce(op, input, along).map(Outcome::Tensor),
        (Work::Reduction(op, input, along), Target::Out(out, _)) => counted(out, |out| reduce::reduce_out(op, input, along, out)),
        (Work::Reduction(op, ..), Target::InPlace(_)) => Err(missing(op.row().name, "in place")),
        (Work::Expression(expression), Target::New) => expression.new_result().map(Outcome::Tensor),
        (Work::Expression(expression), Target::InPlace(out) | Target::Out(out, _)) => counted(out, |out| expression.write_to(out)),
        (Work::Function(function, arguments), target) => compute_entry(function.entry(), arguments, target),
    }
}

/// Writes to a tensor, and counts that where it went well.
fn counted<T>(tensor: &mut RawTensor, write: impl FnOnce(&mut RawTensor) -> Result<T>) -> Result<Outcome> {
    write(tensor)?;
    tensor.storage().lineage().count();
    Ok(Outcome::Nothing)
}

/// Makes a call of a row of the table. The rows that follow from other tables come back to [`run`] as what they are there.
pub(crate) fn run_entry(entry: &'static Entry, arguments: &[Argument<'_>], target: Target<'_>) -> Result<Outcome> {
    if !(arguments.iter().any(recording::concerns) || target.is_concerned() || infers()) {
        return compute_entry(entry, arguments, target);
    }
    recording::run_entry(entry, arguments, target)
}

fn compute_entry(entry: &Entry, arguments: &[Argument<'_>], target: Target<'_>) -> Result<Outcome> {
    let (outcome, changed) = match target {
        Target::New => return entry.new.ok_or_else(|| missing(entry.name, "without `_`"))?(arguments),
        Target::InPlace(tensor) => (entry.in_place.ok_or_else(|| missing(entry.name, "in place"))?(tensor, arguments)?, tensor),
        Target::Out(out, _) => (entry.out.ok_or_else(|| missing(entry.name, "with `out`"))?(arguments, out)?, out),
    };
    if !entry.gradient.counts_itself() {
        changed.storage().lineage().count();
    }
    Ok(outcome)
}

#[cold]
fn missing(name: &str, form: &str) -> Error {
    Error::type_error(format!("{name} can't be called {form}"))
}
