//! The gradients of expressions, whose programs are followed backwards as a whole; and the names of elementwise operations' nodes.

use latten_spec::DType;
use latten_spec::operation::Op;
use smallvec::SmallVec;

use super::super::Work;
use super::super::argument::CallArgument;
use super::super::backward::{Back, Backward, Derivation, Gradient, Names};
use super::super::value::{Value, binary, unary};
use super::formulas::{RowFormulas, settled};
use super::{missing, of_op, zeros};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::kernels::derivative::Part;
use crate::program::{self, Action, Program};
use crate::raw::RawTensor;
use crate::raw::history::Extent;
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

/// The name of the node of an expression whose last operation names it.
pub(crate) fn last_node(program: &Program) -> &'static str {
    let mut last = program.steps().len().checked_sub(1);
    while let Some(step) = last.map(|at| &program.steps()[at]) {
        let Action::Apply(operation, _) = &step.action else {
            // What is only cast is called by what it was before.
            last = if let [program::Argument::Step(before)] = step.arguments[..] { Some(before) } else { None };
            continue;
        };
        if let Some(Gradient::Back(back)) = operation.op().map(of_op) {
            let number = |argument: &program::Argument| match argument {
                program::Argument::Number(number) => CallArgument::Number(*number),
                _ => CallArgument::None,
            };
            return (back.name)(&step.arguments.iter().map(number).collect::<SmallVec<[_; 4]>>());
        }
        break;
    }
    FUSED
}

/// The name of the node of any other expression.
const FUSED: &str = "FusedBackward0";

/// What an expression says of gradients: of its operands those are kept that they need. What its steps give is computed again.
pub(crate) fn of_expression(work: Work<'_>) -> Gradient {
    let (Work::Expression(expression) | Work::Reduced(_, expression, _)) = work else { return Gradient::None };
    Gradient::Back(Back {
        name: |_| FUSED,
        takes: u32::MAX,
        // In place, the operands stand after the changed tensor, wherever they are kept.
        keeps: Names { arguments: needed(expression) | needed(expression) << 1, results: 0 },
        each: &[],
        derivation: Derivation::Function(back),
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
        let arguments: SmallVec<[u32; 16]> = step.arguments.iter().map(of).collect();
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
    let dtypes = program::ProgramCall { program, operands: &borrowed, kernel: None, composed: true }.dtypes()?;
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
            found => settled(found, operand.sizes(), &Extent::of(gradient)).map(Some),
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
        let operands = step.arguments.iter().map(|&argument| self.value(argument).map(Some));
        let operands = operands.collect::<Result<SmallVec<[Option<Value>; 2]>>>()?;
        let complex = |argument: &program::Argument| match argument {
            program::Argument::Number(number) => matches!(number, Scalar::Complex(_)),
            &other => self.dtype(other).is_some_and(DType::is_complex),
        };
        let is_complex = step.arguments.iter().any(complex);
        let mut formula = match &step.action {
            Action::Apply(operation, params) => {
                let result = (Some(&self.values[at]), self.dtypes[at]);
                Some(RowFormulas::new(*operation, is_complex, &gradient, &operands, result, params)?)
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
