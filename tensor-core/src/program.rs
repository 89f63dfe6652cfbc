//! Elementwise expressions as data: operations on operands, numbers and earlier results, computed block by block in one pass, with the
//! dtypes, the roundings and the errors that the same operations have one after the other.
//!
//! What every step does, [`plan`](crate::plan) decides, without data; nothing of promotion or broadcasting is here. On a CUDA device it is
//! one kernel. Where an expression can't be one pass (several devices, a division that must look for zeros first), its operations run one
//! after the other.

mod computed;
mod memory;
mod several;

use std::rc::Rc;

use latten_spec::DType;
use smallvec::SmallVec;

use crate::copy::threads;
use crate::create::Options;
use crate::device::{Device, DeviceType};
use crate::elementwise::run;
use crate::error::{Error, Result};
use crate::geometry::broadcast::{broadcast_shapes, check_output_shape};
use crate::geometry::overlap::{Relation, check_output_overlap};
use crate::geometry::strides::strides_of_copy;
use crate::geometry::{Dims, Geometry};
use crate::kernels::block::Threads;
use crate::kernels::operation;
use crate::kernels::run::Kernel;
use crate::layout::MemoryFormat;
use crate::plan::{Decision, Goal, Outline, Params, Pass, RawOperand, Seen, Target, check_cast, decide};
use crate::raw::RawTensor;
use crate::raw::history::Extent;
use crate::scalar::Scalar;

pub(crate) use computed::Computed;
use memory::{keep, recall};

pub use crate::kernels::operation::{AnyOperation, Argument, Own};

/// What a step does.
#[derive(Clone, Debug)]
pub enum Action {
    /// An operation, with its parameters.
    Apply(AnyOperation, Params),
    /// A conversion.
    Cast(DType),
}

/// One operation of a program.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it does.
    pub action: Action,
    /// What it does it with.
    pub arguments: SmallVec<[Argument; 3]>,
}

/// An elementwise expression. The last step is its result.
///
/// ```
/// use latten_core::elementwise::Params;
/// use latten_core::program::{Argument, Program};
/// use latten_core::tensor::Tensor;
/// use latten_spec::operation::Op;
///
/// let mut program = Program::new();
/// let product = program.apply(Op::Mul, &[Argument::Operand(0), Argument::Operand(1)], Params::none());
/// program.apply(Op::Add, &[product, 1.into()], Params::none());
/// let (a, b) = (Tensor::from([1.0_f32, 2.0]), Tensor::from([3.0_f32, 4.0]));
/// let sum = program.run(&[a.raw(), b.raw()])?;
/// assert_eq!(sum.scalars()?, [4.0, 9.0]);
/// # Ok::<(), latten_core::error::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Program {
    steps: Vec<Step>,
    /// Steps whose results are wanted beside that of the last one.
    more: SmallVec<[usize; 4]>,
}

/// What is known of a program when all is checked.
#[derive(Debug)]
struct Decided {
    /// The steps of which the result is made. Others were only to be checked.
    steps: Vec<operation::Step>,
    /// Which operands they read.
    read: SmallVec<[bool; 16]>,
    /// Sizes and strides of a new result.
    sizes: Dims,
    strides: Dims,
    /// The numbers in the order in which one loop reads them, where that does the same: of each step its arguments, then its parameters, if
    /// some were given.
    numbers: Option<SmallVec<[Scalar; 8]>>,
    /// The steps that give further results, where these lie as the last one's does.
    more: Option<SmallVec<[usize; 4]>>,
}

impl Decided {
    fn dtype(&self) -> Result<DType> {
        self.steps.last().map(|step| step.result).ok_or_else(nothing)
    }
}

impl Program {
    /// A program without steps.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an operation; its result is an argument for later ones.
    pub fn apply(&mut self, operation: impl Into<AnyOperation>, arguments: &[Argument], params: Params) -> Argument {
        self.push(Action::Apply(operation.into(), params), arguments)
    }

    /// Adds a conversion.
    pub fn cast(&mut self, dtype: DType, argument: Argument) -> Argument {
        self.push(Action::Cast(dtype), &[argument])
    }

    /// Makes another conversion of a step that is one.
    pub(crate) fn cast_to(&mut self, step: usize, dtype: DType) {
        self.steps[step].action = Action::Cast(dtype);
    }

    /// Adds a step.
    pub(crate) fn push(&mut self, action: Action, arguments: &[Argument]) -> Argument {
        self.steps.push(Step { action, arguments: arguments.into() });
        Argument::Step(self.steps.len() - 1)
    }

    /// Has the result of a step be one of the program's, before that of the last step.
    pub(crate) fn give(&mut self, step: usize) {
        self.more.push(step);
    }

    /// Whether it has several results.
    pub(crate) fn gives_several(&self) -> bool {
        !self.more.is_empty()
    }

    /// The steps, in order.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How many places of operands its steps name.
    pub(crate) fn operands(&self) -> usize {
        let place = |argument: &Argument| if let Argument::Operand(index) = argument { index + 1 } else { 0 };
        self.steps.iter().flat_map(|step| &step.arguments).map(place).max().unwrap_or(0)
    }

    /// Whether some step takes the places of elements.
    fn counts(&self) -> bool {
        self.steps.iter().any(|step| step.arguments.contains(&Argument::Index))
    }

    /// The result, in a new tensor.
    ///
    /// # Errors
    /// What the first operation that fails says.
    pub fn run(&self, operands: &[&RawTensor]) -> Result<RawTensor> {
        let operands: SmallVec<[Option<&RawTensor>; 8]> = operands.iter().copied().map(Some).collect();
        ProgramCall { program: self, operands: &operands, kernel: None, composed: true }.new_result(Target::New)
    }

    /// The result, in the elements of a tensor, whose dtype and shape stay.
    ///
    /// # Errors
    /// As [`run`](Self::run), and where the result has another shape, can't be cast, or the memory overlaps; nothing is changed then.
    pub fn run_into(&self, operands: &[&RawTensor], out: &RawTensor) -> Result<()> {
        let operands: SmallVec<[Option<&RawTensor>; 8]> = operands.iter().copied().map(Some).collect();
        ProgramCall { program: self, operands: &operands, kernel: None, composed: true }.write_to(out)
    }
}

/// What one kernel of a CUDA device takes: its arguments have a place of some kilobytes.
const MOST_OPERANDS: usize = 16;
const MOST_STEPS: usize = 32;

/// A call of a program.
pub(crate) struct ProgramCall<'a> {
    pub(crate) program: &'a Program,
    /// Places without a tensor are no argument of any step.
    pub(crate) operands: &'a [Option<&'a RawTensor>],
    /// The same expression as one loop over elements in the operands' own dtypes.
    pub(crate) kernel: Option<Kernel>,
    /// Whether it was put together from operations that were called one after the other, so that the last of them names its node.
    pub(crate) composed: bool,
}

impl ProgramCall<'_> {
    /// The result, in a new tensor, or in one that is offered.
    pub(crate) fn new_result(&self, to: Target<'_>) -> Result<RawTensor> {
        let Some(device) = self.device(None) else { return self.one_by_one(None) };
        let Some(decided) = self.decide()? else { return self.one_by_one(None) };
        let output = to.as_it_lies(&decided.sizes, &decided.strides, decided.dtype()?, device)?;
        if !decided.sizes.contains(&0) {
            self.compute(&decided, &output, &[], if to.is_new() { Threads::Many } else { threads(&output) })?;
        }
        Ok(output)
    }

    /// The result, in the elements of a tensor.
    pub(crate) fn write_to(&self, out: &RawTensor) -> Result<()> {
        if self.device(Some(out)).is_none() {
            return self.one_by_one_into(out);
        }
        let Some(decided) = self.decide()? else { return self.one_by_one_into(out) };
        let relations = self.relations(out)?;
        self.check_shape(&decided.sizes, out.sizes())?;
        check_cast(decided.dtype()?, out.dtype())?;
        if out.sizes().contains(&0) {
            return Ok(());
        }
        self.compute(&decided, out, &relations, threads(out))
    }

    /// A mask for an argument: truths in the order of its memory, not yet drawn; and the dtype of numbers that it is multiplied by.
    pub(crate) fn mask(&self, of: Argument) -> Result<(RawTensor, DType)> {
        let mut decisions: Vec<Decision> = Vec::new();
        let outline = match of {
            Argument::Operand(index) => Outline::of(self.operands.get(index).copied().flatten().ok_or_else(missing)?),
            Argument::Step(index) => {
                for step in &self.program.steps[..=index] {
                    decisions.push(self.decide_step(step, &decisions)?);
                }
                decisions[index].outline()
            }
            Argument::Number(_) | Argument::Index => return Err(missing()),
        };
        let strides = strides_of_copy(MemoryFormat::Preserve, outline.sizes, outline.strides)?;
        check_cast(DType::F32, outline.dtype)?;
        Ok((RawTensor::empty(outline.sizes, &strides, DType::Bool, outline.device)?, outline.dtype.to_real()))
    }

    /// What the call would be refused for, whatever its elements are.
    pub(crate) fn check(&self) -> Result<()> {
        let mut decisions: Vec<Decision> = Vec::new();
        for step in &self.program.steps {
            decisions.push(self.decide_step(step, &decisions)?);
        }
        Ok(())
    }

    /// Where all is, if that is one device that computes an expression in one pass: the host, or a CUDA device, whose kernels take that many.
    fn device(&self, out: Option<&RawTensor>) -> Option<Device> {
        let mut devices = self.operands.iter().flatten().copied().chain(out).map(RawTensor::device);
        let first = devices.next().unwrap_or(Device::CPU);
        let fits = match first.kind() {
            DeviceType::Cpu => true,
            DeviceType::Cuda => self.operands.len() <= MOST_OPERANDS && self.program.steps.len() <= MOST_STEPS,
            _ => false,
        };
        (fits && devices.all(|device| device == first)).then_some(first)
    }

    /// How the operands' memory relates to the output's. No overlap is refused: an expression is computed, and then put into the output.
    fn relations(&self, out: &RawTensor) -> Result<SmallVec<[Relation; 4]>> {
        check_output_overlap(out.geometry())?;
        let relation = |operand: &Option<&RawTensor>| match operand.map_or(Relation::Disjoint, |tensor| tensor.relation_to(out)) {
            Relation::PartialDense => Relation::Mixed,
            other => other,
        };
        Ok(self.operands.iter().map(relation).collect())
    }

    /// What the result would be like; nothing, where only elements tell whether there is one.
    pub(crate) fn extent(&self) -> Result<Option<Extent>> {
        let Some(device) = self.device(None) else { return Ok(None) };
        let Some(decided) = self.decide()? else { return Ok(None) };
        let geometry = Geometry { sizes: decided.sizes.clone(), strides: decided.strides.clone(), offset: 0 };
        Ok(Some(Extent { dtype: decided.dtype()?, device, geometry }))
    }

    /// The dtypes that the steps give.
    pub(crate) fn dtypes(&self) -> Result<Vec<DType>> {
        let mut decisions: Vec<Decision> = Vec::new();
        for step in &self.program.steps {
            decisions.push(self.decide_step(step, &decisions)?);
        }
        Ok(decisions.iter().map(|decision| decision.step.result).collect())
    }

    /// That a result fits an output. Places are those of the output, and so they have its sizes.
    fn check_shape(&self, result: &[usize], output: &[usize]) -> Result<()> {
        if self.program.counts() {
            return check_output_shape(output, &broadcast_shapes(&[result, output])?);
        }
        check_output_shape(output, result)
    }

    /// The operations one after the other, each in a tensor of its own.
    fn one_by_one(&self, sizes: Option<&[usize]>) -> Result<RawTensor> {
        if self.program.counts() {
            return self.counted(sizes);
        }
        let mut results: Vec<RawTensor> = Vec::new();
        for step in &self.program.steps {
            let result = match (&step.action, &*self.arguments(step, &results)?) {
                (Action::Apply(operation, params), operands) => run(*operation, operands, Target::New, params)?,
                (Action::Cast(dtype), [RawOperand::Tensor(tensor), ..]) => tensor.to_dtype(*dtype)?,
                (Action::Cast(dtype), [RawOperand::Scalar(number), ..]) => RawTensor::from_scalar(*number, *dtype)?,
                (Action::Cast(_), []) => return Err(nothing()),
            };
            results.push(result);
        }
        results.pop().ok_or_else(nothing)
    }

    /// The same where some take the places of elements: what is made of these has the sizes of the result, and is promoted as if it had none.
    fn counted(&self, sizes: Option<&[usize]>) -> Result<RawTensor> {
        let mut decisions: Vec<Decision> = Vec::new();
        for step in &self.program.steps {
            decisions.push(self.decide_step(step, &decisions)?);
        }
        let last = decisions.last().ok_or_else(nothing)?;
        if let Some(sizes) = sizes {
            self.check_shape(&last.sizes, sizes)?;
        }
        let (sizes, given) = (sizes.unwrap_or(&last.sizes), self.operands.len());
        let (mut counted, mut results): (Vec<bool>, Vec<RawTensor>) = Default::default();
        for (step, decision) in self.program.steps.iter().zip(&decisions) {
            let counts = |argument: &Argument| match argument {
                Argument::Step(index) => counted[*index],
                other => *other == Argument::Index,
            };
            counted.push(step.arguments.iter().any(counts));
            let sizes = if counted.last() == Some(&true) { sizes } else { &decision.sizes };
            let output = RawTensor::new(sizes, &Options::new().dtype(decision.step.result).device(decision.device)?)?;
            let place = |argument| match argument {
                Argument::Step(index) => Argument::Operand(given + index),
                other => other,
            };
            let step = decision.step.with_arguments(place);
            let read = |index: usize| step.arguments().any(|(argument, _)| argument == Argument::Operand(index));
            let all = self.operands.iter().copied().chain(results.iter().map(Some)).enumerate();
            let operands: Vec<Option<&RawTensor>> = all.map(|(index, tensor)| tensor.filter(|_| read(index))).collect();
            if !output.is_meta() && output.numel() > 0 {
                let steps = std::slice::from_ref(&step);
                Pass {
                    steps,
                    whole: None,
                    operands: &operands,
                    relations: &[],
                    output: &output,
                    more: &[],
                    flat: false,
                    threads: Threads::Many,
                }
                .run()?;
            }
            results.push(output);
        }
        results.pop().ok_or_else(nothing)
    }

    fn one_by_one_into(&self, out: &RawTensor) -> Result<()> {
        let result = self.one_by_one(Some(out.sizes()))?;
        if !out.is_meta() {
            self.relations(out)?;
        }
        check_output_shape(out.sizes(), result.sizes())?;
        check_cast(result.dtype(), out.dtype())?;
        out.copy_(&result)
    }

    fn arguments<'t>(&'t self, step: &Step, results: &'t [RawTensor]) -> Result<SmallVec<[RawOperand<'t>; 3]>> {
        let operand = |argument: &Argument| {
            Ok(match *argument {
                Argument::Operand(index) => RawOperand::Tensor(self.operands.get(index).copied().flatten().ok_or_else(missing)?),
                Argument::Step(index) => RawOperand::Tensor(results.get(index).ok_or_else(missing)?),
                Argument::Number(number) => RawOperand::Scalar(number),
                Argument::Index => return Err(missing()),
            })
        };
        step.arguments.iter().map(operand).collect()
    }

    /// What every step does, or the error of the first one that can't. None where a step divides integers: whether it may, only their
    /// elements tell.
    fn decide(&self) -> Result<Option<Rc<Decided>>> {
        if let Some(decided) = recall(self) {
            return Ok(Some(decided));
        }
        let mut decisions: Vec<Decision> = Vec::new();
        for step in &self.program.steps {
            let mut decision = self.decide_step(step, &decisions)?;
            if decision.divides() {
                return Ok(None);
            }
            decision.step = decision.step.with_arguments(|argument| match argument {
                Argument::Step(index) => self.handed_on(&decisions[index]).unwrap_or(argument),
                other => other,
            });
            decisions.push(decision);
        }
        let mut all = &decisions[..];
        if let Some(Argument::Step(before)) = all.last().and_then(|last| self.handed_on(last))
            && self.program.more.is_empty()
        {
            all = &decisions[..=before];
        }
        let decided = Rc::new(self.decided(all).ok_or_else(nothing)?);
        keep(self, &decided);
        Ok(Some(decided))
    }

    /// What a step gives that changes nothing, so that others read that; one loop for all steps has been written with it.
    fn handed_on(&self, decision: &Decision) -> Option<Argument> {
        let [first, ..] = decision.step.arguments;
        first.map(|(argument, _)| argument).filter(|_| decision.itself && self.kernel.is_none())
    }

    /// What a step does, with the program's own arguments.
    fn decide_step(&self, step: &Step, before: &[Decision]) -> Result<Decision> {
        let mut seen: SmallVec<[Seen<'_>; 4]> = SmallVec::new();
        for argument in &step.arguments {
            seen.push(match *argument {
                Argument::Operand(index) => Seen::Tensor(self.operands.get(index).copied().flatten().map(Outline::of).ok_or_else(missing)?),
                Argument::Step(index) => Seen::Tensor(before.get(index).map(Decision::outline).ok_or_else(missing)?),
                Argument::Number(number) => Seen::Number(number),
                Argument::Index => Seen::Tensor(Outline { dtype: DType::I64, sizes: &[], strides: &[], device: Device::CPU }),
            });
        }
        // A pointer, as the calls of operations are (`call::COMPUTE` says why).
        let decide = decide as fn(_, &[Seen<'_>], &Goal<'_>, &_, &mut dyn FnMut() -> Result<()>) -> _;
        let mut decision = match &step.action {
            Action::Apply(operation, params) => decide(*operation, &seen, &Goal::New, params, &mut || Ok(()))?,
            Action::Cast(dtype) => Decision::cast(seen.first().ok_or_else(nothing)?, *dtype)?,
        };
        decision.step = decision.step.with_arguments(|argument| match argument {
            Argument::Operand(index) => step.arguments[index],
            other => other,
        });
        Ok(decision)
    }

    /// The steps of which the last one's result is made.
    fn decided(&self, decisions: &[Decision]) -> Option<Decided> {
        let last = decisions.last()?;
        let mut live: SmallVec<[bool; 16]> = SmallVec::from_elem(false, decisions.len());
        live[decisions.len() - 1] = true;
        self.program.more.iter().for_each(|&step| live[step] = true);
        let mut read: SmallVec<[bool; 16]> = SmallVec::from_elem(false, self.operands.len());
        for (at, decision) in decisions.iter().enumerate().rev() {
            for (argument, _) in decision.step.arguments().filter(|_| live[at]).collect::<SmallVec<[_; 3]>>() {
                match argument {
                    Argument::Step(index) => live[index] = true,
                    Argument::Operand(index) => read[index] = true,
                    Argument::Number(_) | Argument::Index => {}
                }
            }
        }
        let among = |index: usize| live[..index].iter().filter(|live| **live).count();
        let place = |argument| match argument {
            Argument::Step(index) => Argument::Step(among(index)),
            other => other,
        };
        let alike = |&step: &usize| decisions[step].sizes == last.sizes && decisions[step].strides == last.strides;
        let more = self.program.more.iter().all(alike).then(|| self.program.more.iter().map(|&step| among(step)).collect());
        let steps = decisions.iter().zip(&live).filter(|(_, live)| **live).map(|(decision, _)| decision.step.with_arguments(place));
        let as_written = live.iter().all(|live| *live) && decisions.iter().all(|decision| decision.as_written);
        let numbers = self.program.steps.iter().zip(decisions).flat_map(|(written, decision)| {
            let given = matches!(&written.action, Action::Apply(_, params) if !params.is_none());
            let arguments = decision.step.arguments().filter_map(|(argument, _)| match argument {
                Argument::Number(number) => Some(number),
                Argument::Operand(_) | Argument::Step(_) | Argument::Index => None,
            });
            arguments.chain(decision.step.params().filter(move |_| given)).collect::<SmallVec<[Scalar; 8]>>()
        });
        let numbers = as_written.then(|| numbers.collect());
        Some(Decided { steps: steps.collect(), read, sizes: last.sizes.clone(), strides: last.strides.clone(), numbers, more })
    }

    /// All elements, by the one loop where that is the same, or by steps.
    fn compute(&self, decided: &Decided, output: &RawTensor, relations: &[Relation], threads: Threads) -> Result<()> {
        let whole = self.kernel.zip(decided.numbers.as_deref());
        let operands = self.read(decided);
        Pass { steps: &decided.steps, whole, operands: &operands, relations, output, more: &[], flat: false, threads }.run()
    }

    /// The operands, but for those that no step reads on which the result depends.
    fn read(&self, decided: &Decided) -> SmallVec<[Option<&RawTensor>; 8]> {
        self.operands.iter().zip(&decided.read).map(|(operand, read)| operand.filter(|_| *read)).collect()
    }
}

fn nothing() -> Error {
    Error::type_error("a program without steps has no result")
}

fn missing() -> Error {
    Error::type_error("a program has no such operand or step")
}
