//! The gradients of elementwise operations, by the formulas of their rows; and of expressions, whose programs are followed backwards as a whole.

use latten_spec::DType;
use latten_spec::operation::{Op, ResultRule};
use num_complex::Complex;
use smallvec::SmallVec;

use super::super::argument::CallArgument;
use super::super::backward::{Back, Backward, Gradient, Names};
use super::super::value::{Value, binary, unary};
use super::super::{Call, Destination, Work, result as one_of};
use super::{missing, zeros};
use crate::device::Device;
use crate::elementwise::{Params, RawOperand};
use crate::error::{Error, Result};
use crate::kernels::derivative::{Formulas, Part, derivative};
use crate::program::{self, Action, AnyOperation, Program};
use crate::raw::RawTensor;
use crate::raw::node::Gradients;
use crate::scalar::Scalar;

/// The name of the node of a call: of those among tensors, with a number as the last operand, with one as the first.
pub(super) fn named(arguments: &[CallArgument<'_>], [tensors, last, first]: [&'static str; 3]) -> &'static str {
    match arguments {
        [CallArgument::Number(_), _, ..] => first,
        [_, .., CallArgument::Number(_)] => last,
        _ => tensors,
    }
}

/// The formulas of one operation, on values.
struct RowFormulas<'v> {
    formulas: &'static Formulas,
    gradient: &'v Value,
    operands: &'v [Value],
    result: &'v Value,
    params: SmallVec<[Scalar; 3]>,
    /// Parts that have been computed.
    known: Vec<Option<Value>>,
}

impl<'v> RowFormulas<'v> {
    fn new(
        operation: AnyOperation,
        is_complex: bool,
        gradient: &'v Value,
        operands: &'v [Value],
        result: &'v Value,
        params: &Params,
    ) -> Result<Self> {
        let derivative = operation.derivative();
        let beside_numbers = operands.len() > 1 && operands[1..].iter().all(|operand| matches!(operand, Value::Number(_)));
        let formulas = derivative.formulas(is_complex, beside_numbers);
        let params = params.numbers(operation.row(), DType::F64)?.into_iter().flatten().collect();
        Ok(Self { formulas, gradient, operands, result, params, known: vec![None; formulas.parts.len()] })
    }

    /// The gradient of an operand; none where it is zero.
    fn of(&mut self, operand: usize) -> Result<Option<Value>> {
        self.formulas.gradients.get(operand).copied().flatten().map(|place| self.part(place)).transpose()
    }

    fn part(&mut self, place: usize) -> Result<Value> {
        if let Some(known) = &self.known[place] {
            return Ok(known.clone());
        }
        let missing = || Error::runtime("a formula of gradients names what isn't there");
        let value = match self.formulas.parts[place] {
            Part::Gradient => self.gradient.clone(),
            Part::Operand(at) => self.operands.get(at).ok_or_else(missing)?.clone(),
            Part::Result => self.result.clone(),
            Part::Parameter(at) => Value::Number(*self.params.get(at).ok_or_else(missing)?),
            Part::Number(number) => Value::from(number),
            Part::Imaginary => Value::from(Complex::new(0.0, 1.0)),
            Part::Index => Value::Index,
            Part::Step(op, arguments) => {
                // Of a choice that numbers decide, only what is chosen is computed.
                if let (Op::Where, [Some(condition), Some(then), Some(other)]) = (op, arguments)
                    && let Value::Number(number) = self.part(condition)?
                {
                    return self.part(if number.is(0.0) { other } else { then });
                }
                let arguments = arguments.into_iter().flatten().map(|argument| self.part(argument));
                let arguments = arguments.collect::<Result<SmallVec<[Value; 3]>>>()?;
                Value::apply(op.into(), &Params::none(), &arguments)?
            }
        };
        self.known[place] = Some(value.clone());
        Ok(value)
    }
}

/// Formulas where what they name is there. A gradient that is itself there, or one operation of what is, needs no values.
struct Direct<'b> {
    formulas: &'static Formulas,
    gradient: &'b RawTensor,
    arguments: &'b [CallArgument<'b>],
    result: Option<&'b RawTensor>,
    params: &'b [Scalar],
}

impl<'b> Direct<'b> {
    fn there(&self, place: usize) -> Option<RawOperand<'b>> {
        Some(match self.formulas.parts[place] {
            Part::Gradient => RawOperand::Tensor(self.gradient),
            Part::Operand(at) => match *self.arguments.get(at)? {
                CallArgument::Tensor(tensor) => RawOperand::Tensor(tensor),
                CallArgument::Number(number) => RawOperand::Scalar(number),
                _ => return None,
            },
            Part::Result => RawOperand::Tensor(self.result?),
            Part::Parameter(at) => RawOperand::Scalar(*self.params.get(at)?),
            Part::Number(number) => RawOperand::Scalar(number.into()),
            Part::Imaginary | Part::Index | Part::Step(..) => return None,
        })
    }

    /// Of a choice by a parameter, what is chosen.
    fn chosen(&self, place: usize) -> usize {
        let Part::Step(Op::Where, [Some(condition), Some(then), Some(other)]) = self.formulas.parts[place] else { return place };
        let Part::Step(Op::Eq, [Some(one), Some(number), None]) = self.formulas.parts[condition] else { return place };
        match (self.there(one), self.formulas.parts[number]) {
            (Some(RawOperand::Scalar(one)), Part::Number(number)) => self.chosen(if one.is(number) { then } else { other }),
            _ => place,
        }
    }

    /// The part that is the gradient of an operand; none where more than an operation is to be computed.
    fn near(&self, operand: usize) -> Option<Near> {
        let place = self.chosen(self.formulas.gradient(operand)?);
        let (op, arguments) = match self.formulas.parts[place] {
            Part::Gradient => return Some(Near::Gradient),
            Part::Step(op, arguments) => (op, arguments),
            _ => return None,
        };
        let mut tensors = false;
        for argument in arguments.into_iter().flatten() {
            tensors |= self.there(argument)?.tensor().is_some();
        }
        tensors.then_some(Near::Operation(op, arguments))
    }

    /// The gradient.
    fn made(&self, near: Near) -> Result<RawTensor> {
        match near {
            Near::Gradient => Ok(self.gradient.clone()),
            Near::Operation(op, arguments) => {
                let mut operands: SmallVec<[RawOperand<'b>; 3]> = SmallVec::new();
                arguments.into_iter().flatten().for_each(|argument| operands.extend(self.there(argument)));
                one_of(Call::elementwise(op, &operands, &Params::none(), Destination::New))
            }
        }
    }
}

/// A gradient that is there, or nearly.
#[derive(Clone, Copy)]
enum Near {
    /// That of the result.
    Gradient,
    /// An operation on parts that are there.
    Operation(Op, [Option<usize>; 3]),
}

/// The gradients of an elementwise operation.
pub(super) fn of_op(op: Op, backward: &Backward<'_>) -> Result<Gradients> {
    let (gradient, arguments, result) = (backward.gradient()?, backward.arguments, backward.results.first().copied());
    let is_complex = arguments.iter().any(|argument| match argument {
        CallArgument::Tensor(tensor) => tensor.dtype().is_complex(),
        CallArgument::Number(number) => matches!(number, Scalar::Complex(_)),
        _ => false,
    });
    let formulas = derivative(op).formulas(is_complex, are_beside_numbers(arguments));
    let mut params: SmallVec<[Scalar; 3]> = SmallVec::new();
    if !op.row().params.is_empty() {
        params.extend(backward.params.numbers(op.row(), DType::F64)?.into_iter().flatten());
    }
    let direct = Direct { formulas, gradient, arguments, result, params: &params };
    let mut near: SmallVec<[Option<Near>; 3]> = SmallVec::new();
    for (at, argument) in arguments.iter().enumerate() {
        if !matches!(argument, CallArgument::Tensor(_)) {
            continue;
        }
        let wanted = backward.wants(near.len());
        near.push(if wanted { direct.near(at) } else { None });
        if wanted && near.last().is_none_or(Option::is_none) || op.row().result == ResultRule::Double {
            return by_values(op, is_complex, backward);
        }
    }
    let mut gradients = Gradients::new();
    for near in near {
        gradients.push(near.map(|near| direct.made(near)).transpose()?);
    }
    Ok(gradients)
}

/// Whether all operands after the first are numbers.
fn are_beside_numbers(arguments: &[CallArgument<'_>]) -> bool {
    arguments.len() > 1 && arguments[1..].iter().all(|argument| matches!(argument, CallArgument::Number(_)))
}

/// The same where a gradient is more than one operation.
fn by_values(op: Op, is_complex: bool, backward: &Backward<'_>) -> Result<Gradients> {
    let gradient = Value::from(backward.gradient()?);
    let double = op.row().result == ResultRule::Double;
    let operands: SmallVec<[Value; 3]> = backward
        .arguments
        .iter()
        .filter_map(|argument| match *argument {
            CallArgument::Tensor(tensor) if double => Some(Value::from(tensor).cast(op.common(tensor.dtype(), tensor.dtype()))),
            CallArgument::Tensor(tensor) => Some(Value::from(tensor)),
            CallArgument::Number(number) => Some(Value::Number(number)),
            _ => None,
        })
        .collect();
    let result = backward.results.first().map_or_else(|| Value::from(0.0), |result| Value::from(*result));
    let mut formula = RowFormulas::new(op.into(), is_complex, &gradient, &operands, &result, backward.params)?;
    let mut gradients = Gradients::new();
    for (at, argument) in backward.arguments.iter().enumerate() {
        let CallArgument::Tensor(tensor) = argument else { continue };
        gradients.push(if backward.wants(gradients.len()) {
            let found = formula.of(at)?;
            Some(settled(found, tensor, backward.gradient()?)?)
        } else {
            None
        });
    }
    Ok(gradients)
}

/// A gradient as a tensor: one that is a number has the sizes of its operand.
fn settled(gradient: Option<Value>, operand: &RawTensor, like: &RawTensor) -> Result<RawTensor> {
    match gradient {
        None => zeros(like, operand.sizes()),
        Some(Value::Number(number)) => {
            let filled = zeros(like, operand.sizes())?;
            filled.fill_(number)?;
            Ok(filled)
        }
        Some(value) => value.tensor(),
    }
}

/// What an expression says of gradients: of its operands those are kept that they need. What its steps give is computed again.
pub(crate) fn of_expression(work: Work<'_>) -> Gradient {
    let (Work::Expression(expression) | Work::Reduced(_, expression, _)) = work else { return Gradient::None };
    Gradient::Back(Back {
        name: |_| "FusedBackward0",
        // In place, the operands stand after the changed tensor, wherever they are kept.
        keeps: Names { arguments: needed(expression) | needed(expression) << 1, results: 0 },
        each: &[],
        function: back,
    })
}

/// The operands on whose elements the gradients of an expression depend; the last bit stands for all further ones.
fn needed(expression: &program::ProgramCall<'_>) -> u32 {
    let is_complex = expression.operands.iter().flatten().any(|tensor| tensor.dtype().is_complex());
    let mut made_of: SmallVec<[u32; 16]> = SmallVec::new();
    let mut needed = 0;
    for step in expression.program.steps() {
        let of = |argument: &program::Argument| match *argument {
            program::Argument::Operand(index) => 1 << index.min(31),
            program::Argument::Step(index) => made_of[index],
            program::Argument::Number(_) | program::Argument::Index => 0,
        };
        let arguments: SmallVec<[u32; 3]> = step.arguments.iter().map(of).collect();
        let whole = arguments.iter().fold(0, |all, of| all | of);
        if let Action::Apply(operation, _) = &step.action {
            let derivative = operation.derivative();
            let complex = is_complex.then(|| derivative.formulas(true, false));
            for formulas in [Some(derivative.formulas(false, false)), derivative.beside_numbers.as_ref(), complex].into_iter().flatten() {
                for operand in (0..arguments.len()).filter(|&operand| arguments[operand] != 0) {
                    let own = (0..arguments.len()).filter(|&other| formulas.uses(operand, Part::Operand(other)));
                    needed |= own.fold(0, |all, other| all | arguments[other]);
                    needed |= if formulas.uses(operand, Part::Result) { whole } else { 0 };
                }
            }
        }
        made_of.push(whole);
    }
    needed
}

/// The gradients of the operands of an expression; in place, also of the tensor that it has overwritten.
fn back(backward: &Backward<'_>) -> Result<Gradients> {
    let program = backward.program.ok_or_else(|| Error::type_error("an expression without a program"))?;
    let gradient = &backward.unmade.map_or_else(|| backward.gradient().cloned(), |unmade| unmade.gradient(backward))?;
    let places = program.operands();
    let changed = backward.arguments.len() > places;
    let mut gradients = Gradients::new();
    if changed {
        gradients.push(if backward.wants(0) { Some(zeros(gradient, gradient.sizes())?) } else { None });
    }
    let (mut operands, mut wanted) = (Vec::new(), Vec::new());
    let mut tensors = usize::from(changed);
    for argument in &backward.arguments[usize::from(changed)..] {
        let tensor = if let CallArgument::Tensor(tensor) = argument { Some((*tensor).clone()) } else { None };
        wanted.push(tensor.is_some() && backward.wants(tensors));
        tensors += usize::from(tensor.is_some());
        operands.push(tensor);
    }
    let found = of_program(program, &operands, gradient, &wanted)?;
    gradients.extend(found.into_iter().zip(&operands).filter(|(_, operand)| operand.is_some()).map(|(gradient, _)| gradient));
    Ok(gradients)
}

/// The gradients of the operands of an expression, which are all that is kept of it: what its steps give is computed again in the same pass.
/// There is one for each place of `operands` that is wanted.
///
/// # Errors
/// Where a step has no derivative.
fn of_program(program: &Program, operands: &[Option<RawTensor>], gradient: &RawTensor, wanted: &[bool]) -> Result<Gradients> {
    // Operands that weren't kept are on the meta device; what is decided without data is decided for all of them there.
    let meta = |tensor: &RawTensor| RawTensor::empty(tensor.sizes(), tensor.strides(), tensor.dtype(), Device::META);
    let outlines = operands.iter().map(|operand| operand.as_ref().map(meta).transpose()).collect::<Result<Vec<_>>>()?;
    let borrowed: SmallVec<[Option<&RawTensor>; 8]> = outlines.iter().map(Option::as_ref).collect();
    let dtypes = program::ProgramCall { program, operands: &borrowed, kernel: None }.dtypes()?;
    let mut way = Trace { operands, dtypes: &dtypes, values: Vec::new(), leads: Vec::new() };
    for step in program.steps() {
        way.forward(step, wanted)?;
    }
    let mut of_steps: Vec<Option<Value>> = vec![None; program.steps().len()];
    let mut of_operands: Vec<Option<Value>> = vec![None; operands.len()];
    if let Some(last) = of_steps.last_mut() {
        *last = Some(Value::from(gradient));
    }
    for (at, step) in program.steps().iter().enumerate().rev() {
        let Some(gradient) = of_steps[at].take().filter(|_| way.leads[at]) else { continue };
        for (argument, found) in way.back(at, step, gradient, wanted)? {
            let sum = match argument {
                program::Argument::Operand(index) => &mut of_operands[index],
                program::Argument::Step(index) => &mut of_steps[index],
                program::Argument::Number(_) | program::Argument::Index => continue,
            };
            *sum = Some(match sum.take() {
                Some(before) => binary(Op::Add, &before, found),
                None => found,
            });
        }
    }
    // All of them are made in one pass over the operands.
    let waiting: SmallVec<[Value; 3]> = of_operands.iter().flatten().filter(|value| matches!(value, Value::Waiting(_))).cloned().collect();
    let mut made = Value::tensors(&waiting)?.into_iter();
    let each = of_operands.into_iter().zip(operands).zip(wanted);
    each.map(|((found, operand), wanted)| match operand {
        Some(operand) if *wanted => match found {
            Some(Value::Waiting(_)) => made.next().map_or_else(|| Err(missing("a gradient is missing")), Ok).map(Some),
            found => settled(found, operand, gradient).map(Some),
        },
        _ => Ok(None),
    })
    .collect()
}

/// The steps of an expression, followed to its result and back.
struct Trace<'p> {
    operands: &'p [Option<RawTensor>],
    /// The dtype that each step gives.
    dtypes: &'p [DType],
    /// What each step gives.
    values: Vec<Value>,
    /// Whether each step depends on an operand whose gradient is wanted.
    leads: Vec<bool>,
}

impl Trace<'_> {
    fn value(&self, argument: program::Argument) -> Result<Value> {
        let missing = || Error::type_error("a program has no such operand or step");
        Ok(match argument {
            program::Argument::Operand(index) => self.operands.get(index).and_then(Option::as_ref).ok_or_else(missing)?.into(),
            program::Argument::Step(index) => self.values.get(index).ok_or_else(missing)?.clone(),
            program::Argument::Number(number) => Value::Number(number),
            program::Argument::Index => Value::Index,
        })
    }

    fn dtype(&self, argument: program::Argument) -> Option<DType> {
        match argument {
            program::Argument::Operand(index) => self.operands.get(index).and_then(Option::as_ref).map(RawTensor::dtype),
            program::Argument::Step(index) => self.dtypes.get(index).copied(),
            program::Argument::Number(_) | program::Argument::Index => None,
        }
    }

    fn wants(&self, argument: program::Argument, wanted: &[bool]) -> bool {
        match argument {
            program::Argument::Operand(index) => wanted.get(index).copied().unwrap_or(false),
            program::Argument::Step(index) => self.leads[index],
            program::Argument::Number(_) | program::Argument::Index => false,
        }
    }

    fn forward(&mut self, step: &program::Step, wanted: &[bool]) -> Result<()> {
        let operands = step.arguments.iter().map(|&argument| self.value(argument)).collect::<Result<SmallVec<[Value; 3]>>>()?;
        let leads = step.arguments.iter().any(|&argument| self.wants(argument, wanted));
        self.values.push(Value::waiting(step.action.clone(), operands));
        self.leads.push(leads);
        Ok(())
    }

    /// The gradients of the arguments of a step that want one, in their dtypes.
    fn back(&self, at: usize, step: &program::Step, gradient: Value, wanted: &[bool]) -> Result<SmallVec<[(program::Argument, Value); 3]>> {
        let operands = step.arguments.iter().map(|&argument| self.value(argument)).collect::<Result<SmallVec<[Value; 3]>>>()?;
        let complex = |argument: &program::Argument| match argument {
            program::Argument::Number(number) => matches!(number, Scalar::Complex(_)),
            &other => self.dtype(other).is_some_and(DType::is_complex),
        };
        let is_complex = step.arguments.iter().any(complex);
        let mut formula = match &step.action {
            Action::Apply(operation, params) => {
                Some(RowFormulas::new(*operation, is_complex, &gradient, &operands, &self.values[at], params)?)
            }
            Action::Cast(_) => None,
        };
        let mut found = SmallVec::new();
        for (place, &argument) in step.arguments.iter().enumerate() {
            let Some(dtype) = self.dtype(argument).filter(|_| self.wants(argument, wanted)) else { continue };
            let value = match &mut formula {
                Some(formula) => formula.of(place)?,
                None => Some(gradient.clone()),
            };
            let Some(value) = value else { continue };
            // What is computed of complex numbers, and belongs to a real one, counts by its real part.
            let value = if (is_complex || self.dtypes[at].is_complex()) && !dtype.is_complex() { unary(Op::Real, &value) } else { value };
            let same =
                step.arguments.iter().filter_map(|&argument| self.dtype(argument)).chain([self.dtypes[at]]).all(|other| other == dtype);
            found.push((argument, if same { value } else { value.cast(dtype) }));
        }
        Ok(found)
    }
}
