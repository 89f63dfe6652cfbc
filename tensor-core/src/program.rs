//! Elementwise expressions as data: operations on operands, numbers and earlier results, computed block by block in one pass, with the
//! dtypes, the roundings and the errors that the same operations have one after the other.
//!
//! What every step decides, the plan of its operation decides, on tensors without data; nothing of promotion or broadcasting is here.
//! On a CUDA device it is one kernel. Where an expression can't be one pass (several devices, a division that must look for zeros first),
//! its operations run one after the other.

use std::rc::Rc;

use latten_spec::operation::Trait;
use latten_spec::{DType, can_cast};
use smallvec::SmallVec;

use crate::copy::{grid, lane, threads};
use crate::device::{Device, DeviceType};
use crate::elementwise::{Decision, Params, What, apply, decide};
use crate::error::{Error, Result};
use crate::geometry::Dims;
use crate::geometry::broadcast::{broadcast_strides, check_output_shape};
use crate::geometry::merge::Merged;
use crate::geometry::overlap::{Relation, check_output_overlap};
use crate::kernels::block::{Compute, Input, Lane, Literal, Loop, Output, Sharing, Threads};
use crate::kernels::machine::{Machine, Source, Task};
use crate::kernels::run::{Kernel, OPERANDS};
use crate::launch;
use crate::layout::MemoryFormat;
use crate::plan::{Operand, Plan, Target};
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::storage::{Access, UntypedStorage};

mod computed;
mod memory;

pub(crate) use computed::Computed;
use memory::{keep, recall};

pub use crate::plan::{Operation, Own};

/// What a step computes with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Argument {
    /// An operand of the program.
    Operand(usize),
    /// The result of an earlier step.
    Step(usize),
    /// A number without dtype.
    Number(Scalar),
}

impl<S: Into<Scalar>> From<S> for Argument {
    fn from(number: S) -> Self {
        Self::Number(number.into())
    }
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum Action {
    /// An operation, with its parameters.
    Apply(Operation, Params),
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
/// assert_eq!(sum.scalars()?, [4.0.into(), 9.0.into()]);
/// # Ok::<(), latten_core::error::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Program {
    steps: Vec<Step>,
}

/// What is known of a step when all is checked.
struct Decided {
    task: Option<(Operation, SmallVec<[Scalar; 3]>, DType)>,
    arguments: SmallVec<[(Argument, [DType; 2]); 3]>,
    /// Without data.
    result: RawTensor,
    /// Whether it is the operation of the step on its own arguments.
    as_written: bool,
    /// Whether its parameters were given.
    has_params: bool,
}

impl Decided {
    /// Whether it divides integers.
    fn divides(&self) -> bool {
        self.task.as_ref().is_some_and(|(op, ..)| op.row().is(Trait::Divides)) && self.result.dtype().is_integral()
    }
}

impl Program {
    /// A program without steps.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an operation; its result is an argument for later ones.
    pub fn apply(&mut self, operation: impl Into<Operation>, arguments: &[Argument], params: Params) -> Argument {
        self.push(Action::Apply(operation.into(), params), arguments)
    }

    /// Adds a conversion.
    pub fn cast(&mut self, dtype: DType, argument: Argument) -> Argument {
        self.push(Action::Cast(dtype), &[argument])
    }

    fn push(&mut self, action: Action, arguments: &[Argument]) -> Argument {
        self.steps.push(Step { action, arguments: arguments.into() });
        Argument::Step(self.steps.len() - 1)
    }

    /// The steps, in order.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The result, in a new tensor.
    ///
    /// # Errors
    /// What the first operation that fails says.
    pub fn run(&self, operands: &[&RawTensor]) -> Result<RawTensor> {
        let operands: SmallVec<[Option<&RawTensor>; 8]> = operands.iter().copied().map(Some).collect();
        Call { program: self, operands: &operands, kernel: None }.new_result()
    }

    /// The result, in the elements of a tensor, whose dtype and shape stay.
    ///
    /// # Errors
    /// As [`run`](Self::run), and where the result has another shape, can't be cast, or the memory overlaps; nothing is changed then.
    pub fn run_into(&self, operands: &[&RawTensor], out: &RawTensor) -> Result<()> {
        let operands: SmallVec<[Option<&RawTensor>; 8]> = operands.iter().copied().map(Some).collect();
        Call { program: self, operands: &operands, kernel: None }.write_to(out)
    }
}

/// What one kernel of a CUDA device takes: its arguments have a place of some kilobytes.
const MOST_OPERANDS: usize = 16;
const MOST_STEPS: usize = 32;

/// A call of a program.
pub(crate) struct Call<'a> {
    pub(crate) program: &'a Program,
    /// Places without a tensor are no argument of any step.
    pub(crate) operands: &'a [Option<&'a RawTensor>],
    /// The same expression as one loop over elements in the operands' own dtypes.
    pub(crate) kernel: Option<Kernel>,
}

impl Call<'_> {
    /// The result, in a new tensor.
    pub(crate) fn new_result(&self) -> Result<RawTensor> {
        let Some(device) = self.device(None) else { return self.one_by_one() };
        let Some(decided) = self.decide()? else { return self.one_by_one() };
        let Some(Decided { result, .. }) = decided.last() else { return Err(nothing()) };
        let output = RawTensor::empty(result.sizes(), result.strides(), result.dtype(), device)?;
        if !result.sizes().contains(&0) {
            self.compute(&decided, &output, &[], Threads::Many)?;
        }
        Ok(output)
    }

    /// The result, in the elements of a tensor.
    pub(crate) fn write_to(&self, out: &RawTensor) -> Result<()> {
        if self.device(Some(out)).is_none() {
            return self.one_by_one_into(out);
        }
        let Some(decided) = self.decide()? else { return self.one_by_one_into(out) };
        let Some(last) = decided.last() else { return Err(nothing()) };
        let relations = self.relations(out)?;
        check_output_shape(out.sizes(), last.result.sizes())?;
        check_cast(last.result.dtype(), out.dtype())?;
        if out.sizes().contains(&0) {
            return Ok(());
        }
        self.compute(&decided, out, &relations, threads(out))
    }

    /// Where all is, if that is one device that computes an expression in one pass: the host, or a CUDA device, whose kernels take so many.
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
    fn relations(&self, out: &RawTensor) -> Result<SmallVec<[Relation; 8]>> {
        check_output_overlap(out.geometry())?;
        let relation = |operand: &Option<&RawTensor>| match operand.map_or(Relation::Disjoint, |tensor| tensor.relation_to(out)) {
            Relation::PartialDense => Relation::Mixed,
            other => other,
        };
        Ok(self.operands.iter().map(relation).collect())
    }

    /// The operations one after the other, each in a tensor of its own.
    fn one_by_one(&self) -> Result<RawTensor> {
        let mut results: Vec<RawTensor> = Vec::new();
        for step in &self.program.steps {
            let result = match (&step.action, &*self.arguments(step, &results)?) {
                (Action::Apply(Operation::Table(op), params), operands) => apply(*op, operands, params)?,
                (Action::Apply(own, params), operands) => Plan::new(*own, operands, Target::New)?.run(&params.given())?,
                (Action::Cast(dtype), [Operand::Tensor(tensor), ..]) => tensor.to_dtype(*dtype)?,
                (Action::Cast(dtype), [Operand::Scalar(number), ..]) => RawTensor::from_scalar(*number, *dtype)?,
                (Action::Cast(_), []) => return Err(nothing()),
            };
            results.push(result);
        }
        results.pop().ok_or_else(nothing)
    }

    fn one_by_one_into(&self, out: &RawTensor) -> Result<()> {
        let result = self.one_by_one()?;
        if !out.is_meta() {
            self.relations(out)?;
        }
        check_output_shape(out.sizes(), result.sizes())?;
        check_cast(result.dtype(), out.dtype())?;
        out.copy_(&result)
    }

    fn arguments<'t>(&'t self, step: &Step, results: &'t [RawTensor]) -> Result<SmallVec<[Operand<'t>; 3]>> {
        step.arguments.iter().map(|argument| self.operand(*argument, results)).collect()
    }

    fn operand<'t>(&'t self, argument: Argument, results: &'t [RawTensor]) -> Result<Operand<'t>> {
        let missing = || Error::type_error("a program has no such operand or step");
        Ok(match argument {
            Argument::Operand(index) => Operand::Tensor(self.operands.get(index).copied().flatten().ok_or_else(missing)?),
            Argument::Step(index) => Operand::Tensor(results.get(index).ok_or_else(missing)?),
            Argument::Number(number) => Operand::Scalar(number),
        })
    }

    /// What every step does, or the error of the first one that can't. None where a step divides integers: whether it may, only their
    /// elements tell.
    fn decide(&self) -> Result<Option<Rc<[Decided]>>> {
        if let Some(decided) = recall(self) {
            return Ok(Some(decided));
        }
        let meta = Device::META;
        let bare = |tensor: &RawTensor| RawTensor::empty(tensor.sizes(), tensor.strides(), tensor.dtype(), meta);
        let operands: SmallVec<[Option<RawTensor>; 8]> =
            self.operands.iter().map(|operand| operand.map(bare).transpose()).collect::<Result<_>>()?;
        let operands: SmallVec<[Option<&RawTensor>; 8]> = operands.iter().map(Option::as_ref).collect();
        let bare = Call { program: self.program, operands: &operands, kernel: None };
        let mut results: Vec<RawTensor> = Vec::new();
        let mut decided = Vec::new();
        for step in &self.program.steps {
            let next = decide_step(step, &bare.arguments(step, &results)?)?;
            if next.divides() {
                return Ok(None);
            }
            results.push(next.result.clone());
            decided.push(next);
        }
        let decided: Rc<[Decided]> = decided.into();
        keep(self, &decided);
        Ok(Some(decided))
    }

    /// All elements, by the one loop where that is the same, or by steps.
    fn compute(&self, decided: &[Decided], output: &RawTensor, relations: &[Relation], threads: Threads) -> Result<()> {
        let Some(last) = decided.last() else { return Err(nothing()) };
        let copies: SmallVec<[Option<RawTensor>; 8]> = self
            .operands
            .iter()
            .enumerate()
            .map(|(i, operand)| match (operand, relations.get(i)) {
                (Some(tensor), Some(Relation::Mixed)) => tensor.clone_as(MemoryFormat::Preserve).map(Some),
                _ => Ok(None),
            })
            .collect::<Result<_>>()?;
        let live = live(decided);
        let operands: SmallVec<[Option<&RawTensor>; 8]> =
            self.read(decided, &live).zip(&copies).map(|(operand, copy)| operand.map(|operand| copy.as_ref().unwrap_or(operand))).collect();
        let mut all: SmallVec<[Dims; 8]> = SmallVec::from_iter([output.strides().clone()]);
        all.extend(operands.iter().map(|operand| match operand {
            Some(tensor) => broadcast_strides(tensor.sizes(), tensor.strides(), output.sizes()),
            None => SmallVec::from_elem(0, output.rank()),
        }));
        let grid = grid(output.sizes(), &all);
        if output.is_on_cuda() {
            return self.launch(decided, &live, &operands, &grid, output);
        }
        let read: SmallVec<[&UntypedStorage; 8]> = operands.iter().flatten().map(|tensor| tensor.storage()).collect();
        let access = Access::lock(&[output.storage()], &read)?;
        let (nothing, params) = (Literal::from(Scalar::Int(0)), params(decided));
        let (kernel, machine) = self.loops(decided, &live)?;
        let compute = kernel.map_or(Compute::Steps(&machine), Compute::Kernel);
        let inputs = inputs(&access, &operands, (&grid.sizes, &grid.strides[1..]), &nothing, Some(output))?;
        let (from, output) = (last.result.dtype(), lane(&access, output, &grid.sizes, &grid.strides[0])?);
        let output = Output { from, through: from, lane: output };
        Loop { sizes: &grid.sizes, inputs, params: &params, compute, output, threads }.run()
    }

    /// The operands, but for those that no step reads on which the result depends.
    fn read(&self, decided: &[Decided], live: &[bool]) -> impl Iterator<Item = Option<&RawTensor>> {
        let is_read = move |index: usize| {
            let reads = |step: &Decided| step.arguments.iter().any(|(argument, _)| *argument == Argument::Operand(index));
            decided.iter().zip(live).any(|(step, live)| *live && reads(step))
        };
        self.operands.iter().enumerate().map(move |(i, operand)| operand.filter(|_| is_read(i)))
    }

    /// The one loop, where it is the same, or else the steps.
    fn loops(&self, decided: &[Decided], live: &[bool]) -> Result<(Option<Kernel>, Machine)> {
        let kernel = self.kernel.filter(|_| live.iter().all(|live| *live) && decided.iter().all(|step| step.as_written));
        Ok((kernel, if kernel.is_none() { self.machine(decided, live)? } else { Machine::default() }))
    }

    /// The steps as one kernel of a CUDA device.
    fn launch(&self, decided: &[Decided], live: &[bool], operands: &[Option<&RawTensor>], grid: &Merged, out: &RawTensor) -> Result<()> {
        let read = |index: usize| operands[..index].iter().flatten().count();
        let place = |index: usize| live[..index].iter().filter(|live| **live).count();
        let tensors = operands.iter().enumerate().filter_map(|(i, operand)| operand.map(|tensor| (tensor, &*grid.strides[i + 1])));
        let tensors: Vec<(&RawTensor, &[usize])> = tensors.collect();
        let steps = decided.iter().zip(live).filter(|(_, live)| **live).map(|(step, _)| {
            let argument = |argument: Argument| match argument {
                Argument::Operand(index) => launch::Argument::Operand(read(index)),
                Argument::Step(index) => launch::Argument::Step(place(index)),
                Argument::Number(number) => launch::Argument::Number(number),
            };
            launch::Step {
                task: step.task.as_ref().map(|(operation, params, given)| (operation.source(), params.to_vec(), *given)),
                arguments: step.arguments.iter().map(|&(own, conversion)| (argument(own), conversion)).collect(),
                result: step.result.dtype(),
            }
        });
        launch::program(&grid.sizes, &tensors, &steps.collect::<Vec<_>>(), (out, &grid.strides[0]))
    }

    fn machine(&self, decided: &[Decided], live: &[bool]) -> Result<Machine> {
        let mut machine = Machine::default();
        let place = |index: usize| live[..index].iter().filter(|live| **live).count();
        for (step, _) in decided.iter().zip(live).filter(|(_, live)| **live) {
            let mut arguments: SmallVec<[(Source, [DType; 2]); 3]> = SmallVec::new();
            for &(argument, conversion) in &step.arguments {
                let source = match argument {
                    Argument::Operand(index) => {
                        Source::Operand(index, self.operands.get(index).copied().flatten().map_or(DType::I64, RawTensor::dtype))
                    }
                    Argument::Step(index) => Source::Step(place(index)),
                    Argument::Number(number) => Source::Number(number),
                };
                arguments.push((source, conversion));
            }
            let task = match &step.task {
                None => Task::Convert,
                Some((operation, params, gives)) => {
                    let computing = arguments.last().map_or(DType::I64, |(_, [_, to])| *to);
                    let kernel = operation.kernel(computing).ok_or_else(|| operation.unsupported(computing, false))?;
                    Task::Kernel(kernel, params.clone(), *gives)
                }
            };
            machine.push(task, &arguments, step.result.dtype())?;
        }
        Ok(machine)
    }
}

/// The operands of a loop along a grid; where there is none, a number stands.
fn inputs<'a>(
    access: &'a Access<'_>,
    operands: &[Option<&RawTensor>],
    (sizes, strides): (&[usize], &[Dims]),
    nothing: &'a Literal,
    output: Option<&RawTensor>,
) -> Result<SmallVec<[Input<'a>; OPERANDS]>> {
    let mut inputs = SmallVec::new();
    for (operand, strides) in operands.iter().zip(strides) {
        let Some(tensor) = operand else {
            inputs.push(Input { lane: Lane::number(nothing, sizes.len()), sharing: Sharing::No, through: DType::I64, to: DType::I64 });
            continue;
        };
        let shares = output.is_some_and(|output| tensor.storage.shares_memory(&output.storage));
        let sharing = if shares { Sharing::WithOutput } else { Sharing::No };
        let dtype = tensor.dtype();
        inputs.push(Input { lane: lane(access, tensor, sizes, strides)?, sharing, through: dtype, to: dtype });
    }
    Ok(inputs)
}

fn nothing() -> Error {
    Error::type_error("a program without steps has no result")
}

fn check_cast(result: DType, output: DType) -> Result<()> {
    if can_cast(result, output) {
        return Ok(());
    }
    let (result, output) = (result.message_name(), output.message_name());
    Err(Error::runtime(format!("result type {result} can't be cast to the desired output type {output}")))
}

/// Which steps the result is made of. Others were only to be checked.
fn live(decided: &[Decided]) -> SmallVec<[bool; 16]> {
    let mut live: SmallVec<[bool; 16]> = SmallVec::from_elem(false, decided.len());
    if let Some(last) = live.last_mut() {
        *last = true;
    }
    for at in (0..decided.len()).rev() {
        if !live[at] {
            continue;
        }
        for (argument, _) in &decided[at].arguments {
            if let Argument::Step(index) = argument {
                live[*index] = true;
            }
        }
    }
    live
}

/// The numbers of all steps, in the order in which one loop reads them: of each step its arguments, then its parameters, if some were given.
fn params(decided: &[Decided]) -> SmallVec<[Scalar; 8]> {
    let mut all = SmallVec::new();
    for step in decided {
        all.extend(step.arguments.iter().filter_map(|(argument, _)| match argument {
            Argument::Number(number) => Some(*number),
            Argument::Operand(_) | Argument::Step(_) => None,
        }));
        all.extend(step.task.iter().filter(|_| step.has_params).flat_map(|(_, params, _)| params.iter().copied()));
    }
    all
}

fn decide_step(step: &Step, arguments: &[Operand<'_>]) -> Result<Decided> {
    let (operation, params) = match &step.action {
        Action::Apply(operation, params) => (*operation, params),
        Action::Cast(dtype) => {
            let Some(first) = arguments.first() else { return Err(nothing()) };
            let result = match first {
                Operand::Tensor(tensor) => tensor.to_dtype(*dtype)?,
                Operand::Scalar(number) => RawTensor::from_scalar(*number, *dtype)?,
            };
            let arguments = SmallVec::from_iter([(step.arguments[0], [*dtype, *dtype])]);
            return Ok(Decided { task: None, arguments, result, as_written: true, has_params: false });
        }
    };
    let decision = match operation {
        Operation::Table(op) => decide(op, arguments, Target::New, params)?,
        Operation::Own(_) => Decision { plan: Plan::new(operation, arguments, Target::New)?, what: What::Formula(params.given()) },
    };
    let result = decision.run()?;
    let Decision { plan, what } = decision;
    let mut as_written = plan.operation.op() == operation.op() && plan.operands.len() == arguments.len();
    let mut of_plan: SmallVec<[(Argument, [DType; 2]); 3]> = SmallVec::new();
    for (i, operand) in plan.operands.iter().enumerate() {
        // What was reversed or bounded is still the argument that it was.
        let at = arguments.iter().position(|own| same(own, operand)).unwrap_or(i);
        as_written &= at == i || same(&arguments[i], operand);
        let argument = match operand {
            Operand::Scalar(number) => {
                as_written &= step.arguments[i] == Argument::Number(*number);
                Argument::Number(*number)
            }
            Operand::Tensor(_) => step.arguments[at],
        };
        let (through, to) = plan.conversion(i);
        of_plan.push((argument, [through, to]));
    }
    let task = match what {
        What::Formula(params) => Some((plan.operation, params, plan.kernel_result())),
        What::Itself => None,
        What::Copy => {
            as_written = false;
            of_plan.truncate(1);
            of_plan[0].1 = [plan.common, plan.common];
            None
        }
        What::Number(number) => {
            as_written = false;
            of_plan = SmallVec::from_iter([(Argument::Number(number), [result.dtype(), result.dtype()])]);
            None
        }
    };
    if task.is_none() {
        of_plan[0].1 = [result.dtype(), result.dtype()];
    }
    Ok(Decided { task, arguments: of_plan, result, as_written, has_params: !params.is_none() })
}

/// Whether two operands are the same one.
fn same(left: &Operand<'_>, right: &Operand<'_>) -> bool {
    match (left, right) {
        (Operand::Tensor(left), Operand::Tensor(right)) => std::ptr::eq(*left, *right),
        (Operand::Scalar(left), Operand::Scalar(right)) => left == right,
        _ => false,
    }
}
