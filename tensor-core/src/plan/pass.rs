//! One pass over all elements: steps that are decided, bound to the storages of their operands and of an output. All storages are locked at
//! once; what must be seen of elements before anything is written is seen under these locks.

use std::sync::atomic::{AtomicBool, Ordering};

use latten_spec::operation::Trait;
use latten_spec::step::Task;
use latten_spec::{DType, promote_types};
use smallvec::SmallVec;

use super::Decision;
use super::decision::{is_zero, zero_division};
use crate::copy::lane;
use crate::error::{Error, Result};
use crate::geometry::broadcast::broadcast_strides;
use crate::geometry::merge::{Merged, merge_dims};
use crate::geometry::overlap::Relation;
use crate::geometry::strides::contiguous_strides;
use crate::geometry::{Dims, count};
use crate::kernels::block::{Compute, Further, Input, Lane, Literal, Loop, Output, OutputSharing, Reader, Threads};
use crate::kernels::machine::Machine;
use crate::kernels::operation::{AnyOperation, Argument, Step};
use crate::kernels::run::{Kernel, OPERANDS};
use crate::kernels::{pair_kernel, workers};
use crate::launch;
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::storage::{Access, UntypedStorage};

/// What is computed, of what, and where it goes.
#[derive(Debug)]
pub(crate) struct Pass<'p> {
    /// The steps; the last gives the output, and there may be further results.
    pub(crate) steps: &'p [Step],
    /// All steps as one loop over elements in the operands' own dtypes, and the numbers that it takes.
    pub(crate) whole: Option<(Kernel, &'p [Scalar])>,
    /// Places without a tensor are no argument of any step.
    pub(crate) operands: &'p [Option<&'p RawTensor>],
    /// How the operands' memory relates to the output's; without any, it is apart.
    pub(crate) relations: &'p [Relation],
    /// Of the result's shape.
    pub(crate) output: &'p RawTensor,
    /// Further results: of which steps, and in tensors that lie as the output does, of the steps' dtypes and apart from all others.
    pub(crate) more: &'p [(usize, RawTensor)],
    /// Whether all tensors are row-major and of one shape.
    pub(crate) flat: bool,
    /// Whether threads may share the work.
    pub(crate) threads: Threads,
}

type Tensors<'p> = SmallVec<[Option<&'p RawTensor>; 8]>;

impl Pass<'_> {
    /// Computes all elements.
    pub(crate) fn run(&self) -> Result<()> {
        // A pointer, as the calls of operations are (`call::COMPUTE` says why).
        let compute: fn(&Self, &[Option<&RawTensor>]) -> Result<()> = Self::compute;
        if !self.relations.contains(&Relation::Mixed) {
            return compute(self, self.operands);
        }
        // What shares memory with the output in another order is copied first.
        let copy = |(operand, relation): (&Option<&RawTensor>, &Relation)| match (operand, relation) {
            (Some(tensor), Relation::Mixed) => tensor.clone_as(MemoryFormat::Preserve).map(Some),
            _ => Ok(None),
        };
        let copies: SmallVec<[Option<RawTensor>; 2]> = self.operands.iter().zip(self.relations).map(copy).collect::<Result<_>>()?;
        let operands: Tensors<'_> = self.operands.iter().zip(&copies).map(|(operand, copy)| copy.as_ref().or(*operand)).collect();
        compute(self, &operands)
    }

    fn compute(&self, operands: &[Option<&RawTensor>]) -> Result<()> {
        let walk = self.walk(operands);
        if self.output.is_on_cuda() {
            return self.launch(operands, &walk);
        }
        let read: SmallVec<[&UntypedStorage; 4]> = operands.iter().flatten().map(|tensor| tensor.storage()).collect();
        let written: SmallVec<[&UntypedStorage; 4]> = [self.output].into_iter().chain(self.further()).map(RawTensor::storage).collect();
        let access = Access::lock(&written, &read)?;
        let lanes = Lanes { pass: self, operands, walk: &walk, access: &access };
        match (self.whole, self.steps) {
            (Some((kernel, params)), _) => lanes.run(lanes.own()?, Compute::Kernel(kernel), params, None),
            (None, [step @ Step { task: Some(task), .. }]) => {
                check_divisors(&access, operands, step, task)?;
                let params: SmallVec<[Scalar; 3]> = step.params().collect();
                let numbers = step.arguments.map(|argument| match argument {
                    Some((Argument::Number(number), _)) => Literal::from(number),
                    _ => Literal::from(Scalar::Bool(false)),
                });
                let pair = pair(operands, step, task);
                let missing = || Error::not_implemented(task.operation.row().unsupported(task.computing, false));
                let mut inputs = lanes.arguments(step, &numbers, pair.is_some())?;
                let (kernel, gives) = match pair {
                    Some((kernel, turned)) => {
                        if turned {
                            inputs.reverse();
                        }
                        (kernel, step.result)
                    }
                    None => (task.operation.kernel(task.computing).ok_or_else(missing)?, task.gives),
                };
                lanes.run(inputs, Compute::Kernel(kernel), &params, Some(gives))
            }
            (None, steps) => {
                let machine = Machine::new(steps, |index| dtype_of(operands, index))?;
                lanes.run(lanes.own()?, Compute::Steps(&machine), &[], None)
            }
        }
    }

    /// The tensors of further results.
    fn further(&self) -> impl Iterator<Item = &RawTensor> {
        self.more.iter().map(|(_, tensor)| tensor)
    }

    /// The pass as one kernel of a CUDA device. Operands on the host have no dimensions: they are numbers.
    fn launch(&self, operands: &[Option<&RawTensor>], walk: &VisitOrder) -> Result<()> {
        let mut numbers: SmallVec<[Option<Scalar>; 3]> = SmallVec::new();
        let mut along: SmallVec<[Option<launch::OnGrid<'_>>; 4]> = SmallVec::new();
        for (i, operand) in operands.iter().enumerate() {
            let there = operand.filter(|tensor| tensor.device() == self.output.device());
            numbers.push(match operand {
                Some(tensor) if there.is_none() => Some(tensor.item()?),
                _ => None,
            });
            along.push(there.map(|tensor| (tensor, walk.strides(i + 1))));
        }
        let number = |argument| match argument {
            Argument::Operand(index) => numbers[index].map_or(argument, Argument::Number),
            other => other,
        };
        let output = (self.output, walk.strides(0));
        match self.steps {
            [step] if !step.counts() => {
                let step = step.with_arguments(number);
                check_number(&step)?;
                launch::operation(&step, walk.sizes(), &along, output)
            }
            steps => {
                let places = self.counts().then(|| walk.strides(operands.len() + 1));
                launch::program(steps, walk.sizes(), &along, places, output, self.more)
            }
        }
    }

    /// Whether some step takes the places of elements.
    fn counts(&self) -> bool {
        self.steps.iter().any(Step::counts)
    }

    /// How the output, the operands and, after them, the places of elements are walked together.
    fn walk(&self, operands: &[Option<&RawTensor>]) -> VisitOrder {
        if self.flat {
            return VisitOrder::Row([count(self.output.sizes())]);
        }
        let mut all: SmallVec<[Dims; 4]> = SmallVec::from_iter([self.output.strides().clone()]);
        all.extend(operands.iter().map(|operand| match operand {
            Some(tensor) => broadcast_strides(tensor.sizes(), tensor.strides(), self.output.sizes()),
            None => SmallVec::from_elem(0, self.output.rank()),
        }));
        if self.counts() {
            all.push(contiguous_strides(self.output.sizes()));
        }
        VisitOrder::Grid(merge_dims(self.output.sizes(), &all))
    }
}

fn dtype_of(operands: &[Option<&RawTensor>], index: usize) -> DType {
    operands.get(index).copied().flatten().map_or(DType::I64, RawTensor::dtype)
}

/// The tensors of a pass while they are locked.
struct Lanes<'l, 's> {
    pass: &'l Pass<'l>,
    operands: &'l [Option<&'l RawTensor>],
    walk: &'l VisitOrder,
    access: &'l Access<'s>,
}

type PassInputs<'l> = SmallVec<[Input<'l>; OPERANDS]>;

impl Lanes<'_, '_> {
    fn tensor(&self, index: usize) -> Result<Option<Input<'_>>> {
        let Some(tensor) = self.operands.get(index).copied().flatten() else { return Ok(None) };
        let sharing = if tensor.storage.shares_memory(&self.pass.output.storage) { OutputSharing::WithOutput } else { OutputSharing::No };
        let lane = lane(self.access, tensor, self.walk.sizes(), self.walk.strides(index + 1))?;
        Ok(Some(Input { lane, sharing, through: tensor.dtype(), to: tensor.dtype() }))
    }

    fn number<'a>(&self, number: &'a Literal, [through, to]: [DType; 2]) -> Input<'a> {
        Input { lane: Lane::number(number, self.walk.sizes().len()), sharing: OutputSharing::No, through, to }
    }

    /// The places of elements.
    fn places(&self, [through, to]: [DType; 2]) -> Input<'_> {
        Input { lane: Lane::places(self.walk.strides(self.operands.len() + 1)), sharing: OutputSharing::No, through, to }
    }

    /// All operands, in their own dtypes, and the places of elements, where a step takes them.
    fn own(&self) -> Result<PassInputs<'_>> {
        // Nothing reads an operand that isn't there.
        let nothing = Dims::from_elem(0, self.walk.sizes().len());
        let absent = || Input { lane: Lane::places(&nothing), sharing: OutputSharing::No, through: DType::I64, to: DType::I64 };
        let operand = |index| Ok(self.tensor(index)?.unwrap_or_else(absent));
        let mut inputs = (0..self.operands.len()).map(operand).collect::<Result<PassInputs<'_>>>()?;
        if self.pass.counts() {
            inputs.push(self.places([DType::I64; 2]));
        }
        Ok(inputs)
    }

    /// The arguments of a step, in the dtypes that it takes, or in their own.
    fn arguments<'a>(&'a self, step: &Step, numbers: &'a [Literal; OPERANDS], own: bool) -> Result<PassInputs<'a>> {
        let mut inputs = PassInputs::new();
        for ((argument, [through, to]), number) in step.arguments().zip(numbers) {
            let tensor = match argument {
                Argument::Operand(index) => self.tensor(index)?,
                Argument::Index => Some(self.places([through, to])),
                Argument::Step(_) | Argument::Number(_) => None,
            };
            inputs.push(match tensor {
                Some(tensor) if own => tensor,
                Some(tensor) => Input { through, to, ..tensor },
                None => self.number(number, [through, to]),
            });
        }
        Ok(inputs)
    }

    /// Runs the loop, which gives results of a dtype, or of the result's.
    fn run<'a>(&'a self, inputs: PassInputs<'a>, compute: Compute<'a>, params: &'a [Scalar], gives: Option<DType>) -> Result<()> {
        let Pass { output, threads, steps, .. } = *self.pass;
        let through = steps.last().map_or(output.dtype, |step| step.result);
        let lane = lane(self.access, output, self.walk.sizes(), self.walk.strides(0))?;
        let output = Output { from: gives.unwrap_or(through), through, lane };
        let further = self.pass.more.iter().map(|(step, tensor)| {
            let lane = crate::copy::lane(self.access, tensor, self.walk.sizes(), self.walk.strides(0))?;
            Ok(Further { step: *step, lane })
        });
        let further = further.collect::<Result<SmallVec<[Further<'_>; 2]>>>()?;
        Loop { sizes: self.walk.sizes(), inputs, params, compute, output, further, threads }.run()
    }
}

/// The kernel that takes two tensors in their own dtypes, where there is one, and whether it takes the second one first.
fn pair(operands: &[Option<&RawTensor>], step: &Step, task: &Task<AnyOperation, Scalar>) -> Option<(Kernel, bool)> {
    let [Some((Argument::Operand(lhs), _)), Some((Argument::Operand(rhs), _)), None] = step.arguments else { return None };
    let (lhs, rhs) = (dtype_of(operands, lhs), dtype_of(operands, rhs));
    // It computes in what the two promote to; where one has no dimensions, that may be another dtype.
    let (op, row) = (task.operation.op()?, task.operation.row());
    if lhs == rhs && lhs == task.computing || !row.is(Trait::Paired) || promote_types(lhs, rhs) != Ok(step.result) {
        return None;
    }
    let commutes = || row.is(Trait::Commutes) && step.params().all(|alpha| alpha == 1.0);
    let straight = pair_kernel(op, lhs, rhs).map(|kernel| (kernel, false));
    straight.or_else(|| if commutes() { pair_kernel(op, rhs, lhs).map(|kernel| (kernel, true)) } else { None })
}

/// Integers are divided by zero before anything is written, that is: not at all.
fn check_divisors(access: &Access<'_>, operands: &[Option<&RawTensor>], step: &Step, task: &Task<AnyOperation, Scalar>) -> Result<()> {
    let divides = task.computing.is_integral() && task.operation.row().is(Trait::Divides);
    match step.arguments[1] {
        Some((Argument::Operand(index), _)) if divides => match operands.get(index).copied().flatten() {
            Some(divisors) if any_zero(access, divisors, task.computing)? => Err(zero_division()),
            _ => Ok(()),
        },
        // The first place is 0.
        Some((Argument::Index, _)) if divides => Err(zero_division()),
        _ => Ok(()),
    }
}

/// The same where the divisor is a number. To look at those of a CUDA device would be to wait for it; its kernels give 0 where PyTorch's
/// give anything.
fn check_number(step: &Step) -> Result<()> {
    match (&step.task, step.arguments[1]) {
        (Some(task), Some((Argument::Number(divisor), _)))
            if task.computing.is_integral() && task.operation.row().is(Trait::Divides) && is_zero(divisor, task.computing) =>
        {
            Err(zero_division())
        }
        _ => Ok(()),
    }
}

impl Decision {
    /// Looks at divisors ahead of the pass: before an output's storage grows, which would be seen.
    pub(crate) fn check_divisors(&self, operands: &[Option<&RawTensor>]) -> Result<()> {
        let on_host = operands.iter().flatten().all(|tensor| !tensor.is_meta() && !tensor.is_on_cuda());
        let Some(task) = self.step.task.as_ref().filter(|_| on_host && !self.sizes.contains(&0)) else { return Ok(()) };
        let read: SmallVec<[&UntypedStorage; 4]> = operands.iter().flatten().map(|tensor| tensor.storage()).collect();
        check_divisors(&Access::lock(&[], &read)?, operands, &self.step, task)
    }
}

/// Numbers that are looked at together.
const BLOCK: usize = 1024;

/// Whether some element of a tensor of integers is zero in an integral dtype.
fn any_zero(access: &Access<'_>, tensor: &RawTensor, dtype: DType) -> Result<bool> {
    let grid = merge_dims(tensor.sizes(), &[tensor.strides().clone()]);
    let reader = Reader::<i64>::new(access, tensor, &grid.sizes, &grid.strides[0])?;
    let (count, found) = (tensor.numel(), AtomicBool::new(false));
    let above = 64 - 8 * dtype.itemsize();
    let tasks = count.div_ceil(64 * BLOCK);
    workers::share(tasks, &|task| {
        let (first, end) = (count * task / tasks, count * (task + 1) / tasks);
        let mut scratch = vec![0; if reader.is_dense() { 0 } else { BLOCK }];
        for at in (first..end).step_by(BLOCK) {
            let zero = reader.read(at, BLOCK.min(end - at), &mut scratch).iter().fold(false, |zero, &x| zero | (x << above == 0));
            if zero {
                found.store(true, Ordering::Relaxed);
            }
        }
    });
    Ok(found.into_inner())
}

/// The order in which elements are visited.
#[derive(Debug)]
enum VisitOrder {
    /// That many neighbours.
    Row([usize; 1]),
    /// Sizes, and the strides of the output and of each operand.
    Grid(Merged),
}

impl VisitOrder {
    fn sizes(&self) -> &[usize] {
        match self {
            Self::Row(sizes) => sizes,
            Self::Grid(grid) => &grid.sizes,
        }
    }

    fn strides(&self, index: usize) -> &[usize] {
        match self {
            Self::Row(_) => &[1],
            Self::Grid(grid) => &grid.strides[index],
        }
    }
}
