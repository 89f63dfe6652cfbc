//! Several kernels on one block, one after the other: what a fused expression is where only the run knows its dtypes. Intermediate
//! results stay in regions of scratch, in the cache, rounded to their dtypes as tensors between two operations are.
//!
//! Invariant of a [`Machine`]: a step reads operands that the loop has, and regions that an earlier step or a number has filled.
#![expect(unsafe_code, reason = "gives blocks to kernels, by the invariants of `run`")]

use latten_spec::DType;
use smallvec::SmallVec;

use super::block::{Lane, Literal, Moves, convert, moves};
use super::run::{Elements, Kernel, OPERANDS, Run};
use super::scratch::Scratch;
use crate::error::Result;
use crate::scalar::Scalar;

/// Where an argument of a step comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    /// An operand of the loop, in its own dtype.
    Operand(usize, DType),
    /// The result of an earlier step.
    Step(usize),
    /// A number.
    Number(Scalar),
}

/// What is done with the arguments.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    /// Nothing but their conversion.
    Convert,
    /// An operation, with its parameters, and the dtype that its kernel gives.
    Kernel(Kernel, SmallVec<[Scalar; 3]>, DType),
}

/// An argument on its way: where it lies, and what it is converted through.
#[derive(Debug)]
struct Fetch {
    source: Place,
    dtype: DType,
    moves: Moves,
    /// Where the conversions go, one each.
    region: usize,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    Operand(usize),
    Region(usize),
}

#[derive(Debug)]
struct Step {
    task: Task,
    arguments: SmallVec<[Fetch; OPERANDS]>,
    /// What the kernel gives, and what that is rounded to.
    gives: DType,
    store: Moves,
    /// The first of the regions of the result; the second is for the rounded one.
    region: usize,
}

impl Step {
    fn result(&self) -> (usize, DType) {
        (self.region + self.store.len(), self.store.last().map_or(self.gives, |&(_, dtype)| dtype))
    }
}

/// A number, converted once for all blocks.
#[derive(Debug)]
struct Constant {
    literal: Literal,
    moves: Moves,
    region: usize,
}

/// The steps of an expression.
#[derive(Debug, Default)]
pub(crate) struct Machine {
    steps: Vec<Step>,
    constants: Vec<Constant>,
    regions: usize,
}

impl Machine {
    fn regions(&mut self, count: usize) -> usize {
        self.regions += count;
        self.regions - count
    }

    /// Adds a step, whose arguments are converted through dtypes and whose result is rounded to one.
    ///
    /// # Errors
    /// Where two dtypes have no conversion.
    pub(crate) fn push(&mut self, task: Task, arguments: &[(Source, [DType; 2])], result: DType) -> Result<()> {
        let mut fetches = SmallVec::new();
        for &(source, [through, to]) in arguments {
            fetches.push(self.fetch(source, through, to)?);
        }
        let gives = match &task {
            Task::Kernel(_, _, gives) => *gives,
            Task::Convert => arguments.first().map_or(result, |(_, [_, to])| *to),
        };
        let store = moves(&[gives, result])?;
        let region = self.regions(1 + store.len());
        self.steps.push(Step { task, arguments: fetches, gives, store, region });
        Ok(())
    }

    fn fetch(&mut self, source: Source, through: DType, to: DType) -> Result<Fetch> {
        match source {
            Source::Number(number) => {
                let literal = Literal::from(number);
                let mut moves = moves(&[literal.dtype(), through, to])?;
                if moves.is_empty() {
                    moves.push((super::block::conversion(to, to)?, to));
                }
                let region = self.regions(moves.len());
                let last = region + moves.len() - 1;
                self.constants.push(Constant { literal, moves, region });
                Ok(Fetch { source: Place::Region(last), dtype: to, moves: Moves::new(), region: 0 })
            }
            Source::Operand(index, dtype) => self.converted(Place::Operand(index), dtype, through, to),
            Source::Step(index) => {
                let (region, dtype) = self.steps[index].result();
                self.converted(Place::Region(region), dtype, through, to)
            }
        }
    }

    fn converted(&mut self, source: Place, dtype: DType, through: DType, to: DType) -> Result<Fetch> {
        let moves = moves(&[dtype, through, to])?;
        let region = self.regions(moves.len());
        Ok(Fetch { source, dtype, moves, region })
    }

    /// What an element costs, compared to an addition.
    pub(super) fn weight(&self) -> usize {
        let weight = |step: &Step| match &step.task {
            Task::Convert => 1,
            Task::Kernel(kernel, ..) => kernel.weight,
        };
        self.steps.iter().map(weight).sum::<usize>().max(1)
    }

    /// Room for blocks of at most so many elements, with the numbers in it.
    pub(super) fn rooms(&self, len: usize) -> Scratch {
        let mut rooms = Scratch::new(self.regions, len);
        for Constant { literal, moves, region } in &self.constants {
            let lane = Lane::number(literal, 0);
            let mut before = lane.dtype;
            for (stage, &(transfer, dtype)) in moves.iter().enumerate() {
                let to = rooms.region(region + stage);
                if stage == 0 {
                    lane.repeat(transfer, dtype, to, len);
                } else {
                    convert(transfer, [before, dtype], rooms.region(region + stage - 1), to, len);
                }
                before = dtype;
            }
        }
        rooms
    }

    /// Computes a block. The last step gives the dtype of the output.
    pub(super) fn run(&self, run: Run<'_>, rooms: &mut Scratch) {
        let (out, inputs) = run.erased();
        let len = inputs.len();
        let Some(last) = self.steps.len().checked_sub(1) else { return };
        let mut elements: SmallVec<[Elements; OPERANDS]> = SmallVec::new();
        for (at, step) in self.steps.iter().enumerate() {
            elements.clear();
            for fetch in &step.arguments {
                let mut start = match fetch.source {
                    Place::Operand(index) => inputs.elements(index).start,
                    Place::Region(region) => rooms.region(region),
                };
                let mut dtype = fetch.dtype;
                for (stage, &(transfer, next)) in fetch.moves.iter().enumerate() {
                    let to = rooms.region(fetch.region + stage);
                    convert(transfer, [dtype, next], start, to, len);
                    (start, dtype) = (to, next);
                }
                elements.push(Elements { start, dtype });
            }
            let target = |rooms: &mut Scratch, stage: usize| {
                if at == last && stage == step.store.len() { out.start } else { rooms.region(step.region + stage) }
            };
            let mut start = target(rooms, 0);
            match &step.task {
                Task::Kernel(kernel, params, gives) => {
                    // SAFETY: operands as the loop gave them, and regions of scratch, which are aligned, initialised and distinct: the
                    // result has one of its own, or is the output, which no operand overlaps.
                    let run = unsafe { Run::new(Elements { start, dtype: *gives }, &elements, params, len) };
                    kernel.run(run);
                }
                Task::Convert => {
                    let from = elements[0];
                    match super::block::conversion(from.dtype, from.dtype) {
                        Ok(same) => convert(same, [from.dtype; 2], from.start, start, len),
                        Err(_) => start = from.start,
                    }
                }
            }
            for (stage, &(transfer, next)) in step.store.iter().enumerate() {
                let to = target(rooms, stage + 1);
                convert(transfer, [step.gives, next], start, to, len);
                start = to;
            }
        }
    }
}
