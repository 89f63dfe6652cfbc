//! A call of an operation as a value, and `run` (`result`, where it gives one tensor), through which every call goes: of operators, methods, `fuse!` and calls by name. It alone
//! gives results to the typed layer; whoever wants to see what a program computes looks here.
//!
//! Which calls there are, and what computes them, is the table in `latten_spec::call`; `table` holds what follows from it.

mod algebra;
mod alignments;
mod argument;
mod attention;
mod backward;
mod value;
mod bags;
mod bessels;
mod bits;
mod blends;
mod classes;
mod composed;
mod composites;
mod convolutions;
mod copies;
mod counts;
mod curves;
mod decompositions;
mod derivatives;
mod distances;
mod drafts;
mod frames;
mod function;
mod grids;
mod heads;
mod orders;
mod origin;
mod losses;
mod layers;
mod made;
mod margins;
mod masked;
mod mirrors;
mod norms;
mod outcome;
mod part;
mod placing;
mod polynomials;
mod pools;
mod recording;
mod resampling;
mod samples;
mod slices;
mod slopes;
mod solving;
mod segments;
mod sparse;
mod spectra;
mod specials;
mod statistics;
mod sums;
mod symmetric;
mod tapers;
mod triangles;
mod unpools;
mod table;
mod turned;
mod unmade;
mod weightless;
mod windows;

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;
use smallvec::SmallVec;

pub(crate) use argument::{CallArgument, UNSAID};
use backward::Gradient;
pub(crate) use derivatives::RecordedOperation;
pub(crate) use function::Function;
pub use norms::MatrixOrder;
pub(crate) use origin::{edge, history, is_differentiable, is_inference};
pub use outcome::Outcome;
pub(crate) use table::{CallEntry, ENTRIES, Form, Parameter};
use value::unary;
pub(crate) use value::{Value, binary};

use crate::elementwise::{self, Params, RawOperand, Resized};
use crate::error::{Error, Result};
use crate::geometry::overlap::Relation;
use crate::plan::{self, Admitted};
use crate::program;
use crate::raw::RawTensor;
use crate::raw::mode::infers;
use crate::reduce::{self, Along, Keep};

/// What is computed, and from what.
#[derive(Clone, Copy)]
pub(crate) enum Work<'a> {
    /// An elementwise operation. In place, the operands are those after the first.
    Elementwise(Op, &'a [RawOperand<'a>], &'a Params),
    /// A reduction to one tensor.
    Reduction(Reduction, &'a RawTensor, &'a Along),
    /// What has a row of its own, with its arguments in their order; those at the end may be left out. In place, the arguments are those after
    /// the first.
    Row(&'static CallEntry, &'a [CallArgument<'a>]),
    /// An elementwise expression, of one or several results. In place, its result goes into the elements of a tensor.
    Expression(&'a program::ProgramCall<'a>),
    /// A reduction of what an expression gives.
    Reduced(Reduction, &'a program::ProgramCall<'a>, &'a Along),
    /// The elements that a reduction picks along a dimension of what an expression gives, and their places.
    Picked(Reduction, &'a program::ProgramCall<'a>, isize, Keep),
}

/// What becomes of the result of a call: the tensors that the caller has, or new ones. Where a kernel writes it is a [`plan::Target`].
#[derive(Debug)]
pub(crate) enum Destination<'a> {
    /// Into new tensors, or views.
    New,
    /// The same; or into this tensor, where a new one, or the first of two, would be no other. It is counted as changed by who offers it.
    Offered(&'a RawTensor),
    /// Into the tensor itself.
    InPlace(&'a mut RawTensor),
    /// Into the tensor itself, which becomes another one if it may have those sizes.
    Changed(&'a mut RawTensor, Admitted),
    /// Into an output, which is resized where it must, if it may have those sizes.
    Out(&'a mut RawTensor, Admitted),
    /// Into two of them.
    Outs([&'a mut RawTensor; 2], [Admitted; 2]),
}

/// That a tensor may have any sizes.
pub(crate) fn anything(_: &[usize]) -> Result<()> {
    Ok(())
}

/// One call of one operation.
pub(crate) struct Call<'a> {
    /// What is computed.
    pub(crate) work: Work<'a>,
    /// Where the result goes.
    pub(crate) target: Destination<'a>,
}

impl<'a> Call<'a> {
    /// A call of an elementwise operation.
    pub(crate) fn elementwise(op: Op, operands: &'a [RawOperand<'a>], params: &'a Params, target: Destination<'a>) -> Self {
        Self { work: Work::Elementwise(op, operands, params), target }
    }

    /// A call of a reduction.
    pub(crate) fn reduction(op: Reduction, input: &'a RawTensor, along: &'a Along, target: Destination<'a>) -> Self {
        Self { work: Work::Reduction(op, input, along), target }
    }

    /// A call that gives new tensors.
    pub(crate) fn new(function: Function, arguments: &'a [CallArgument<'a>]) -> Self {
        Self::row(function, arguments, Destination::New)
    }

    /// A call that changes a tensor.
    pub(crate) fn in_place(function: Function, tensor: &'a mut RawTensor, arguments: &'a [CallArgument<'a>]) -> Self {
        Self::row(function, arguments, Destination::InPlace(tensor))
    }

    /// A call of a row.
    pub(crate) fn row(function: Function, arguments: &'a [CallArgument<'a>], target: Destination<'a>) -> Self {
        Self { work: Work::Row(function.entry(), arguments), target }
    }
}

/// What makes calls, as pointers. For every function anew rustc looks for circles in all that it can reach, and everything reaches these:
/// through pointers it doesn't look, while LLVM calls what is behind them.
const COMPUTE: fn(Work<'_>, Destination<'_>) -> Result<Outcome> = compute;
const RECORD: fn(Work<'_>, Destination<'_>) -> Result<Outcome> = recording::run;
const RECORD_OPERATION: fn(Op, &[RawOperand<'_>], &Params) -> Result<RawTensor> = recording::operation;
const APPLY: fn(Op, &[RawOperand<'_>], &Params) -> Result<RawTensor> = elementwise::apply;
const REDUCE: fn(Reduction, &RawTensor, &Along) -> Result<RawTensor> = reduce::reduce;

/// Makes a call. In place and into an output there is nothing to give back.
///
/// # Errors
/// The operation's; then nothing was changed.
pub(crate) fn run(call: Call<'_>) -> Result<Outcome> {
    let Call { work, target } = call;
    if work.is_concerned() || target.is_concerned() || infers() { RECORD(work, target) } else { COMPUTE(work, target) }
}

/// The same of a call that gives one tensor.
pub(crate) fn result(call: Call<'_>) -> Result<RawTensor> {
    let Call { work, target } = call;
    if let (&Work::Elementwise(op, operands, params), Destination::New) = (&work, &target) {
        return operation(op, operands, params);
    }
    if work.is_concerned() || target.is_concerned() || infers() {
        return RECORD(work, target)?.one();
    }
    match (work, target) {
        (Work::Reduction(op, input, along), Destination::New) => REDUCE(op, input, along),
        (work, target) => COMPUTE(work, target)?.one(),
    }
}

/// The result of an elementwise operation in a new tensor. Small ones take so little time that it matters how often it is moved.
pub(crate) fn operation(op: Op, operands: &[RawOperand<'_>], params: &Params) -> Result<RawTensor> {
    if Work::Elementwise(op, operands, params).is_concerned() || infers() {
        return RECORD_OPERATION(op, operands, params);
    }
    APPLY(op, operands, params)
}

/// Makes a call of a row that gives one new tensor.
pub(crate) fn one(function: Function, arguments: &[CallArgument<'_>]) -> Result<RawTensor> {
    let entry = function.entry();
    match entry.new {
        // Views take so little time that it matters how often the result is moved.
        Some(Form::One(new)) if !argument::concern(arguments) && !infers() => new(arguments),
        Some(Form::To(make)) if !argument::concern(arguments) && !infers() => make(arguments, plan::Target::New),
        _ => result(Call::new(function, arguments)),
    }
}

impl<'a> plan::Target<'a> {
    /// Where the last of several calls goes, whose result this takes afterwards: what would be new may be the output already.
    fn destination(self) -> Destination<'a> {
        match self.offer() {
            Self::Offered(out) => Destination::Offered(out),
            _ => Destination::New,
        }
    }

    /// Makes the last of several calls.
    pub(crate) fn last(self, function: Function, arguments: &[CallArgument<'_>]) -> Result<RawTensor> {
        match self.destination() {
            Destination::New => one(function, arguments),
            to => result(Call::row(function, arguments, to)),
        }
    }
}

/// A tensor's dtype as messages write it.
fn named(tensor: &RawTensor) -> &'static str {
    tensor.dtype().message_name()
}

/// The dtype that a function of floats gives: the default one for integers.
fn inexact(dtype: DType) -> DType {
    if dtype.is_integral() { crate::dtype::promotion_default() } else { dtype }
}

/// The conjugates of complex numbers; real ones are their own.
pub(crate) fn conj(tensor: &RawTensor) -> Result<RawTensor> {
    if tensor.dtype().is_complex() { unary(Op::Conj, &tensor.into()).tensor() } else { Ok(tensor.clone()) }
}

/// The tensor in a dtype: itself, where it has that one.
pub(crate) fn cast(tensor: &RawTensor, dtype: DType) -> Result<RawTensor> {
    if tensor.dtype() == dtype { Ok(tensor.clone()) } else { one(Function::ToDType, &[tensor.into(), dtype.into()]) }
}

impl Work<'_> {
    /// Whether writing a tensor could change what it reads.
    fn reads(&self, out: &RawTensor) -> bool {
        let read = |tensor: &RawTensor| tensor.relation_to(out) != Relation::Disjoint;
        match self {
            Work::Elementwise(_, operands, _) => operands.iter().any(|operand| operand.tensor().is_some_and(read)),
            Work::Reduction(_, input, _) => read(input),
            Work::Row(_, arguments) => argument::any(arguments, read),
            Work::Expression(expression) | Work::Reduced(_, expression, _) | Work::Picked(_, expression, ..) => {
                expression.operands.iter().flatten().any(|tensor| read(tensor))
            }
        }
    }

    /// Whether gradients may concern it.
    #[inline]
    fn is_concerned(&self) -> bool {
        match self {
            Work::Elementwise(_, operands, _) => operands.iter().any(|operand| operand.tensor().is_some_and(RawTensor::is_concerned)),
            Work::Reduction(_, input, _) => input.is_concerned(),
            Work::Row(_, arguments) => argument::concern(arguments),
            Work::Expression(expression) | Work::Reduced(_, expression, _) | Work::Picked(_, expression, ..) => {
                expression.operands.iter().flatten().any(|tensor| tensor.is_concerned())
            }
        }
    }
}

impl Destination<'_> {
    /// Whether gradients may concern what is written to.
    #[inline]
    fn is_concerned(&self) -> bool {
        match self {
            Self::New | Self::Offered(_) => false,
            Self::InPlace(tensor) | Self::Changed(tensor, _) | Self::Out(tensor, _) => tensor.is_concerned(),
            Self::Outs(tensors, _) => tensors.iter().any(|tensor| tensor.is_concerned()),
        }
    }
}

/// Makes a call, whatever histories its tensors have. A change of a tensor is counted.
fn compute(work: Work<'_>, target: Destination<'_>) -> Result<Outcome> {
    if let Destination::Offered(out) = target {
        return offered(work, out);
    }
    match (work, target) {
        (Work::Elementwise(op, operands, params), Destination::New) => elementwise::apply(op, operands, params).map(Outcome::Tensor),
        (Work::Elementwise(op, rest, params), Destination::InPlace(tensor)) => {
            elementwise::apply_in_place(op, tensor, rest, params).map(|()| counted(tensor))
        }
        (Work::Elementwise(op, operands, params), Destination::Out(out, admitted)) => {
            into_out(out, admitted, |to| elementwise::run(op.into(), operands, to, params)).map(|()| counted(out))
        }
        (Work::Reduction(op, input, along), Destination::New) => reduce::reduce(op, input, along).map(Outcome::Tensor),
        (Work::Reduction(op, input, along), Destination::Out(out, admitted)) => {
            into_out(out, admitted, |to| reduce::reduce_to(op, input, along, to)).map(|()| counted(out))
        }
        (Work::Expression(expression), Destination::New) if expression.program.gives_several() => {
            expression.new_results().map(Outcome::Tensors)
        }
        (Work::Expression(expression), Destination::New) => expression.new_result(plan::Target::New).map(Outcome::Tensor),
        (Work::Expression(expression), Destination::InPlace(out)) => expression.write_to(out).map(|()| counted(out)),
        (Work::Reduced(op, expression, along), Destination::New) => reduce::reduce_call(op, expression, along).map(Outcome::Tensor),
        (Work::Picked(op, expression, dim, keep), Destination::New) => reduce::pick_call(op, expression, dim, keep).map(Outcome::pair_of),
        (Work::Row(entry, arguments), target) => compute_row(entry, arguments, target),
        (Work::Elementwise(op, ..), target) => Err(missing(op.name(), &target)),
        (Work::Reduction(op, ..) | Work::Reduced(op, ..) | Work::Picked(op, ..), target) => Err(missing(op.row().name, &target)),
        (Work::Expression(_), target) => Err(missing("an expression", &target)),
    }
}

/// Makes a call whose result is new, or the tensor that is offered.
#[inline(never)]
fn offered(work: Work<'_>, out: &RawTensor) -> Result<Outcome> {
    let to = plan::Target::Offered(out);
    match work {
        work if work.reads(out) => compute(work, Destination::New),
        Work::Elementwise(op, operands, params) => elementwise::run(op.into(), operands, to, params).map(Outcome::Tensor),
        Work::Reduction(op, input, along) => reduce::reduce_to(op, input, along, to).map(Outcome::Tensor),
        Work::Expression(expression) if !expression.program.gives_several() => expression.new_result(to).map(Outcome::Tensor),
        Work::Row(entry, arguments) => match entry.new {
            Some(Form::To(make)) => make(arguments, to).map(Outcome::Tensor),
            Some(Form::Both(make)) => make(arguments, [to, plan::Target::New]).map(Outcome::pair_of),
            Some(Form::At(make)) => make(arguments, Destination::Offered(out)),
            Some(Form::Operation(op)) => entry.operation(op, arguments, Destination::Offered(out)),
            Some(Form::One(_) | Form::Function(_)) | None => compute_row(entry, arguments, Destination::New),
        },
        work => compute(work, Destination::New),
    }
}

/// An output becomes what an operation makes where it lies.
fn into_out(out: &mut RawTensor, admitted: Admitted, make: impl FnOnce(plan::Target<'_>) -> Result<RawTensor>) -> Result<()> {
    let made = make(plan::Target::Out(out, admitted))?;
    Resized::put(out, made);
    Ok(())
}

/// Two of them.
fn into_both(
    [first, second]: [&mut RawTensor; 2],
    admitted: [Admitted; 2],
    make: impl FnOnce([plan::Target<'_>; 2]) -> Result<(RawTensor, RawTensor)>,
) -> Result<()> {
    let made = make([plan::Target::Out(first, admitted[0]), plan::Target::Out(second, admitted[1])])?;
    Resized::put(first, made.0);
    Resized::put(second, made.1);
    Ok(())
}

/// Counts a change of a tensor, after which there is nothing to give back.
fn counted(tensor: &RawTensor) -> Outcome {
    tensor.storage().lineage().count();
    Outcome::Nothing
}

/// Makes a call of a row of the table. The rows that follow from other tables come back to [`run`] as what they are there, which counts changes.
fn compute_row(entry: &CallEntry, arguments: &[CallArgument<'_>], target: Destination<'_>) -> Result<Outcome> {
    let count = |tensor: &RawTensor| {
        if !entry.gradient.counts_itself() {
            tensor.storage().lineage().count();
        }
    };
    // Parts make a new tensor, and what puts it into the output is no call.
    let count_output = |tensor: &RawTensor| {
        if !matches!(entry.gradient, Gradient::Elsewhere) {
            tensor.storage().lineage().count();
        }
    };
    match (target, entry) {
        (Destination::New, CallEntry { new: Some(Form::Function(new)), .. }) => new(arguments),
        (Destination::New, CallEntry { new: Some(Form::One(new)), .. }) => new(arguments).map(Outcome::Tensor),
        (Destination::New, CallEntry { new: Some(Form::To(make)), .. }) => make(arguments, plan::Target::New).map(Outcome::Tensor),
        (Destination::New, CallEntry { new: Some(Form::Both(make)), .. }) => make(arguments, [plan::Target::New; 2]).map(Outcome::pair_of),
        (Destination::New, CallEntry { new: Some(Form::At(make)), .. }) => make(arguments, Destination::New),
        (Destination::New, CallEntry { new: Some(Form::Operation(op)), .. }) => entry.operation(*op, arguments, Destination::New),
        (Destination::InPlace(tensor) | Destination::Changed(tensor, _), CallEntry { in_place: Some(Form::Operation(op)), .. }) => {
            entry.operation(*op, arguments, Destination::InPlace(tensor))
        }
        (Destination::InPlace(tensor), CallEntry { in_place: Some(Form::Function(in_place)), .. }) => {
            in_place(tensor, arguments, anything).inspect(|_| count(tensor))
        }
        (Destination::Changed(tensor, admitted), CallEntry { in_place: Some(Form::Function(in_place)), .. }) => {
            in_place(tensor, arguments, admitted).inspect(|_| count(tensor))
        }
        (Destination::InPlace(tensor) | Destination::Changed(tensor, _), CallEntry { in_place: Some(Form::To(make)), .. }) => {
            let tensor = &*tensor;
            let mut all = SmallVec::<[CallArgument<'_>; 4]>::new();
            all.push(tensor.into());
            all.extend_from_slice(arguments);
            make(&all, plan::Target::InPlace(tensor))?;
            count(tensor);
            Ok(Outcome::Nothing)
        }
        (target @ Destination::Out(..), CallEntry { out: Some(Form::Operation(op)), .. }) => entry.operation(*op, arguments, target),
        (Destination::Out(output, admitted), CallEntry { out: Some(Form::Function(out)), .. }) => {
            out(arguments, output, admitted).inspect(|_| count_output(output))
        }
        (Destination::Out(output, admitted), CallEntry { out: Some(Form::To(make)), .. }) => {
            into_out(output, admitted, |to| make(arguments, to))?;
            count_output(output);
            Ok(Outcome::Nothing)
        }
        (target @ Destination::Out(..), CallEntry { out: Some(Form::At(make)), .. }) => make(arguments, target),
        (Destination::Outs([first, second], admitted), CallEntry { outs: Some(Form::Both(make)), .. }) => {
            into_both([&mut *first, &mut *second], admitted, |to| make(arguments, to))?;
            count_output(first);
            count_output(second);
            Ok(Outcome::Nothing)
        }
        (target, entry) => Err(missing(entry.name, &target)),
    }
}

#[cold]
fn missing(name: &str, target: &Destination<'_>) -> Error {
    let form = match target {
        Destination::New | Destination::Offered(_) => "without `_`",
        Destination::InPlace(_) | Destination::Changed(..) => "in place",
        Destination::Out(..) => "with `out`",
        Destination::Outs(..) => "with two outputs",
    };
    Error::type_error(format!("{name} can't be called {form}"))
}
