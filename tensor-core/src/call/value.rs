//! Values that composites and derivatives compute with: elementwise operations on them wait, and run in one pass when another call needs their
//! elements.

use std::rc::Rc;

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;
use num_complex::Complex;
use smallvec::SmallVec;

use super::outcome::OneAnswer;
use super::{Call, CallArgument, Destination, Function, Outcome, Work, operation, run};
use crate::device::Device;
use crate::dtype;
use crate::elementwise::{Params, RawOperand, Target};
use crate::error::{Error, Result};
use crate::program::{self, Action, AnyOperation, Program};
use crate::raw::RawTensor;
use crate::raw::history::History;
use crate::raw::mode::mode;
use crate::reduce::Along;
use crate::scalar::Scalar;

/// More steps don't wait: so no program is long, and no chain of waiting steps deep.
const MOST: usize = 24;

/// On so few elements a call for each operation takes less time than one pass begins in.
pub(super) const FEW_ELEMENTS: usize = 1024;

/// A tensor, a number, or elementwise operations that wait.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// A tensor.
    Tensor(RawTensor),
    /// A number without dtype.
    Number(Scalar),
    /// The place of each element of the result.
    Index,
    /// An operation that waits.
    Waiting(Rc<PendingStep>),
}

/// An operation, and what it computes with.
#[derive(Debug)]
pub(crate) struct PendingStep {
    action: Action,
    operands: SmallVec<[Value; 3]>,
    /// How many steps wait for it, at most.
    length: usize,
}

impl From<&RawTensor> for Value {
    fn from(tensor: &RawTensor) -> Self {
        Self::Tensor(tensor.clone())
    }
}

impl From<RawTensor> for Value {
    fn from(tensor: RawTensor) -> Self {
        Self::Tensor(tensor)
    }
}

impl<T: Into<Scalar>> From<T> for Value {
    fn from(number: T) -> Self {
        Self::Number(number.into())
    }
}

impl From<&Self> for Value {
    fn from(value: &Self) -> Self {
        value.clone()
    }
}

/// An elementwise operation, which waits.
pub(crate) fn unary(op: Op, x: &Value) -> Value {
    Value::waiting(Action::Apply(op.into(), Params::none()), [x.clone()])
}

/// The same of two operands.
pub(crate) fn binary(op: Op, x: &Value, y: impl Into<Value>) -> Value {
    Value::waiting(Action::Apply(op.into(), Params::none()), [x.clone(), y.into()])
}

/// What steps have given that ran one by one.
type GivenSteps = SmallVec<[(*const PendingStep, RawTensor); 2]>;

impl PendingStep {
    /// The operation of the library that it is, unless it is a conversion or a kernel.
    fn operation(&self) -> Option<(Op, &Params)> {
        match &self.action {
            Action::Apply(operation, params) => operation.op().map(|op| (op, params)),
            Action::Cast(_) => None,
        }
    }

    /// Whether single operations make it: of the library, on few elements of the host, of which nothing is recorded.
    fn is_small(&self) -> bool {
        let is_few = |operand: &Value| match operand {
            Value::Tensor(tensor) => tensor.numel() <= FEW_ELEMENTS && tensor.device() == Device::CPU && !tensor.is_concerned(),
            Value::Number(_) => true,
            Value::Waiting(step) => step.is_small(),
            Value::Index => false,
        };
        self.operation().is_some() && self.operands.iter().all(is_few)
    }

    /// What single operations make of it, the last of them in that place.
    fn one_by_one(&self, target: Destination<'_>, given: &mut GivenSteps) -> Result<RawTensor> {
        for operand in &self.operands {
            if let Value::Waiting(step) = operand
                && step.among(given).is_none()
            {
                let result = step.one_by_one(Destination::New, given)?;
                given.push((Rc::as_ptr(step), result));
            }
        }
        let (op, params) = self.operation().ok_or_else(|| Error::type_error("no operation of the library"))?;
        let operands: SmallVec<[RawOperand<'_>; 3]> = self.operands.iter().filter_map(|operand| operand.operand(given)).collect();
        match target {
            Destination::New => operation(op, &operands, params),
            target => run(Call::elementwise(op, &operands, params, target))?.one(),
        }
    }

    fn among<'g>(&self, given: &'g GivenSteps) -> Option<&'g RawTensor> {
        given.iter().find(|(known, _)| std::ptr::eq(*known, self)).map(|(_, result)| result)
    }
}

/// A value as a program: its tensors, and the places of steps that are there already.
#[derive(Default)]
struct WrittenProgram {
    program: Program,
    tensors: Vec<RawTensor>,
    steps: Vec<(*const PendingStep, program::Argument)>,
}

impl WrittenProgram {
    fn write(&mut self, value: &Value) -> program::Argument {
        match value {
            Value::Number(number) => program::Argument::Number(*number),
            Value::Index => program::Argument::Index,
            Value::Tensor(tensor) => {
                // A tensor and its `detach()` have the same elements, and their gradients go different ways.
                let same = |other: &RawTensor| {
                    other.dtype() == tensor.dtype()
                        && other.is_set_to(tensor)
                        && History::lead_the_same_way(other.history.as_ref(), tensor.history.as_ref())
                };
                let place = self.tensors.iter().position(same).unwrap_or_else(|| {
                    self.tensors.push(tensor.clone());
                    self.tensors.len() - 1
                });
                program::Argument::Operand(place)
            }
            Value::Waiting(step) => {
                if let Some((_, place)) = self.steps.iter().find(|(known, _)| *known == Rc::as_ptr(step)) {
                    return *place;
                }
                let operands: SmallVec<[program::Argument; 3]> = step.operands.iter().map(|operand| self.write(operand.bare())).collect();
                let place = self.program.push(step.action.clone(), &operands);
                self.steps.push((Rc::as_ptr(step), place));
                place
            }
        }
    }
}

impl WrittenProgram {
    /// Whether calls with these tensors are recorded.
    fn is_recorded(&self) -> bool {
        mode().records() && self.tensors.iter().any(RawTensor::is_concerned)
    }

    /// The results, or what a reduction makes of them, in that place.
    fn run(&self, reduction: Option<(Reduction, &Along)>, target: Destination<'_>) -> Result<Outcome> {
        let operands: SmallVec<[Option<&RawTensor>; 8]> = self.tensors.iter().map(Some).collect();
        let expression = program::ProgramCall { program: &self.program, operands: &operands, kernel: None, composed: true };
        let work = match reduction {
            Some((reduction, along)) => Work::Reduced(reduction, &expression, along),
            None => Work::Expression(&expression),
        };
        run(Call { work, target })
    }
}

impl Value {
    /// An operation that waits, or a conversion.
    pub(crate) fn waiting(action: Action, operands: impl IntoIterator<Item = Self>) -> Self {
        let operands: SmallVec<[Self; 3]> = operands.into_iter().collect();
        let length = operands.iter().map(Self::length).sum::<usize>() + 1;
        Self::Waiting(Rc::new(PendingStep { action, operands, length }))
    }

    /// How many steps wait, at most.
    pub(crate) fn length(&self) -> usize {
        match self {
            Self::Waiting(step) => step.length,
            Self::Tensor(_) | Self::Number(_) | Self::Index => 0,
        }
    }

    /// The value, computed if much waits for it.
    pub(crate) fn settled(self) -> Result<Self> {
        if self.length() > MOST { self.tensor().map(Self::Tensor) } else { Ok(self) }
    }

    /// What an operation makes of values. Numbers alone make a number; a condition that is a number chooses.
    pub(crate) fn apply(operation: AnyOperation, params: &Params, operands: &[Self]) -> Result<Self> {
        if let Some(op) = operation.op()
            && let Some(simpler) = simplified(op, params, operands)?
        {
            return Ok(simpler);
        }
        Self::waiting(Action::Apply(operation, params.clone()), operands.iter().cloned()).settled()
    }

    /// The same without waiting, unless places of elements are counted.
    pub(crate) fn now(op: Op, operands: &[Self]) -> Result<Self> {
        let (params, nothing) = (Params::none(), GivenSteps::new());
        let given: SmallVec<[RawOperand<'_>; 3]> = operands.iter().filter_map(|operand| operand.operand(&nothing)).collect();
        if given.len() < operands.len() || given.iter().all(|operand| operand.tensor().is_none()) {
            return Self::apply(op.into(), &params, operands);
        }
        match simplified(op, &params, operands)? {
            Some(simpler) => Ok(simpler),
            None => operation(op, &given, &params).map(Self::Tensor),
        }
    }

    /// The value in another dtype.
    pub(crate) fn cast(&self, dtype: DType) -> Self {
        Self::waiting(Action::Cast(dtype), [self.clone()])
    }

    /// The same without a conversion to the dtype that it has: for what is made of it, since nobody else would get a copy.
    fn bare(&self) -> &Self {
        if let Self::Waiting(step) = self
            && let (Action::Cast(dtype), [own @ Self::Tensor(tensor)]) = (&step.action, &step.operands[..])
            && tensor.dtype() == *dtype
        {
            return own;
        }
        self
    }

    /// The same computed, and without a copy where it is of the dtype.
    pub(crate) fn computed_in(&self, dtype: DType) -> Result<Self> {
        match self {
            Self::Tensor(tensor) if tensor.dtype() == dtype => Ok(self.clone()),
            _ => self.cast(dtype).tensor().map(Self::Tensor),
        }
    }

    /// The elements: what waits is computed in one pass.
    pub(crate) fn tensor(&self) -> Result<RawTensor> {
        self.tensor_to(Target::New)
    }

    /// The same as the last of several calls, whose result the target takes.
    pub(crate) fn tensor_to(&self, to: Target<'_>) -> Result<RawTensor> {
        let step = match self {
            Self::Tensor(tensor) => return Ok(tensor.clone()),
            Self::Number(number) => return RawTensor::from_scalar(*number, number.dtype(dtype::promotion_default())),
            Self::Index => return Err(Error::type_error("places of elements without a tensor")),
            Self::Waiting(step) => step,
        };
        let counts = step.operands.iter().any(|operand| matches!(operand, Self::Index));
        let alone = step.length == 1 && !counts && step.operation().is_some();
        if alone || step.is_small() {
            return step.one_by_one(to.destination(), &mut GivenSteps::new());
        }
        let mut written = WrittenProgram::default();
        written.write(self);
        written.run(None, to.destination())?.one()
    }

    /// The elements of several values: what waits is computed in one pass, unless it is recorded, where each is a call of its own.
    pub(crate) fn tensors(values: &[Self]) -> Result<SmallVec<[RawTensor; 3]>> {
        let together = values.iter().filter(|value| matches!(value, Self::Waiting(_))).count() > 1;
        if !together || values.iter().any(Self::counts) {
            return values.iter().map(Self::tensor).collect();
        }
        let mut written = WrittenProgram::default();
        let mut places: SmallVec<[Option<usize>; 3]> = SmallVec::new();
        for value in values {
            places.push(match value {
                Self::Waiting(_) => match written.write(value) {
                    program::Argument::Step(step) => Some(step),
                    _ => None,
                },
                Self::Tensor(_) | Self::Number(_) | Self::Index => None,
            });
        }
        if written.is_recorded() {
            return values.iter().map(Self::tensor).collect();
        }
        // Each step once, the last one's result comes last.
        let mut steps: SmallVec<[usize; 4]> = places.iter().copied().flatten().collect();
        steps.sort_unstable();
        steps.dedup();
        steps[..steps.len() - 1].iter().for_each(|&step| written.program.give(step));
        let results = match written.run(None, Destination::New)? {
            Outcome::Tensor(only) => vec![only],
            several => several.several()?,
        };
        let result = |step: usize| steps.iter().position(|known| *known == step).and_then(|at| results.get(at).cloned());
        values.iter().zip(places).map(|(value, place)| place.and_then(result).map_or_else(|| value.tensor(), Ok)).collect()
    }

    /// Whether it is made of the places of elements.
    fn counts(&self) -> bool {
        match self {
            Self::Index => true,
            Self::Waiting(step) => step.operands.iter().any(Self::counts),
            Self::Tensor(_) | Self::Number(_) => false,
        }
    }

    /// The elements, in those of a tensor, whose shape and dtype stay: one pass.
    pub(crate) fn write_to(&self, out: &mut RawTensor) -> Result<()> {
        let mut written = WrittenProgram::default();
        let last = written.write(self);
        if !matches!(last, program::Argument::Step(_)) {
            written.program.cast(out.dtype(), last);
        }
        written.run(None, Destination::InPlace(out)).map(drop)
    }

    /// What an operation takes: of what waits, what is given.
    fn operand<'v>(&'v self, given: &'v GivenSteps) -> Option<RawOperand<'v>> {
        match self {
            Self::Tensor(tensor) => Some(tensor.into()),
            Self::Number(number) => Some(RawOperand::Scalar(*number)),
            Self::Waiting(step) => step.among(given).map(RawOperand::Tensor),
            Self::Index => None,
        }
    }

    fn number(&self) -> Option<Scalar> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    /// What another call makes of it and of further arguments.
    pub(crate) fn then(&self, function: Function, rest: &[CallArgument<'_>]) -> Result<Self> {
        self.last(Target::New, function, rest).map(Self::Tensor)
    }

    /// The same as the last of several calls, whose result the target takes.
    pub(crate) fn last(&self, to: Target<'_>, function: Function, rest: &[CallArgument<'_>]) -> Result<RawTensor> {
        let tensor = self.tensor()?;
        let arguments: SmallVec<[CallArgument<'_>; 4]> = [CallArgument::Tensor(&tensor)].into_iter().chain(rest.iter().copied()).collect();
        to.last(function, &arguments)
    }

    /// What a reduction makes of it.
    pub(crate) fn reduced(&self, reduction: Reduction, along: &Along) -> Result<Self> {
        self.reduced_to(Target::New, reduction, along).map(Self::Tensor)
    }

    /// The same as the last of several calls, whose result the target takes.
    pub(crate) fn reduced_to(&self, to: Target<'_>, reduction: Reduction, along: &Along) -> Result<RawTensor> {
        let own = self.bare();
        if let Self::Waiting(step) = own
            && !step.is_small()
        {
            let mut written = WrittenProgram::default();
            written.write(own);
            if !written.is_recorded() {
                // What waits goes into the reduction, and into no tensor.
                return written.run(Some((reduction, along)), to.destination())?.one();
            }
        }
        run(Call::reduction(reduction, &own.tensor()?, along, to.destination()))?.one()
    }

    pub(crate) fn item(&self) -> Result<Scalar> {
        self.tensor()?.item()
    }

    /// Whether it is true of some element; of a meta tensor it is taken not to be.
    pub(super) fn somewhere(&self) -> Result<bool> {
        Ok(self.reduced(Reduction::Any, &Along::all())?.known()? == Some(Scalar::Bool(true)))
    }

    /// Whether it is true of every element; of a meta tensor it is taken to be.
    pub(super) fn everywhere(&self) -> Result<bool> {
        Ok(self.reduced(Reduction::All, &Along::all())?.known()? != Some(Scalar::Bool(false)))
    }

    /// The number that it is, where there is one: a meta tensor has none.
    pub(super) fn known(&self) -> Result<Option<Scalar>> {
        let tensor = self.tensor()?;
        if tensor.is_meta() { Ok(None) } else { tensor.item().map(Some) }
    }
}

impl OneAnswer for Result<Value> {
    fn one_answer(self) -> Result<RawTensor> {
        self?.tensor()
    }
}

/// What an operation with numbers is without it.
fn simplified(op: Op, params: &Params, operands: &[Value]) -> Result<Option<Value>> {
    let truth = |value: &Value| value.number().map(|number| number != 0.0);
    Ok(match (op, operands) {
        (Op::Where, [condition, then, other]) if truth(condition).is_some() => {
            Some(if truth(condition) == Some(true) { then.clone() } else { other.clone() })
        }
        (Op::LogicalAnd, [x, y]) if truth(x) == Some(false) || truth(y) == Some(false) => Some(Value::from(false)),
        (Op::LogicalAnd, [x, y]) if truth(x) == Some(true) && truth(y).is_none() => Some(y.clone()),
        (Op::LogicalAnd, [x, y]) if truth(y) == Some(true) && truth(x).is_none() => Some(x.clone()),
        _ if operands.iter().all(|operand| operand.number().is_some()) => {
            let numbers: SmallVec<[Scalar; 3]> = operands.iter().filter_map(Value::number).collect();
            Some(Value::Number(of_numbers(op, params, &numbers)?))
        }
        _ => None,
    })
}

/// What an operation makes of numbers, in double precision.
#[expect(clippy::float_cmp, reason = "what the comparison of equal numbers gives is wanted")]
fn of_numbers(op: Op, params: &Params, numbers: &[Scalar]) -> Result<Scalar> {
    if let (true, [x, y]) = (params.is_none(), numbers)
        && [x, y].iter().all(|number| !matches!(number, Scalar::Complex(_)))
    {
        let (x, y) = (x.to_f64(), y.to_f64());
        let result = match op {
            Op::Add => Some((x + y).into()),
            Op::Sub => Some((x - y).into()),
            Op::Mul => Some((x * y).into()),
            Op::Div => Some((x / y).into()),
            Op::Eq => Some((x == y).into()),
            Op::Lt => Some((x < y).into()),
            Op::Gt => Some((x > y).into()),
            // others: the call below makes them.
            _ => None,
        };
        if let Some(result) = result {
            return Ok(result);
        }
    }
    let complex = numbers.iter().any(|number| matches!(number, Scalar::Complex(_)));
    let tensors = numbers.iter().map(|&number| match number {
        Scalar::Bool(_) => RawTensor::from_scalar(number, DType::Bool),
        Scalar::Complex(_) => RawTensor::from_scalar(number, DType::C128),
        number if complex => RawTensor::from_scalar(Scalar::Complex(Complex::new(number.to_f64(), 0.0)), DType::C128),
        number => RawTensor::from_scalar(number, DType::F64),
    });
    let tensors = tensors.collect::<Result<SmallVec<[RawTensor; 3]>>>()?;
    let operands: SmallVec<[RawOperand<'_>; 3]> = tensors.iter().map(RawOperand::from).collect();
    run(Call::elementwise(op, &operands, params, Destination::New))?.one()?.item()
}
