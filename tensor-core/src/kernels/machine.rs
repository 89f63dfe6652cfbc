//! Several kernels on one block, one after the other: what a fused expression is where only the run knows its dtypes. Intermediate
//! results stay in regions of scratch, in the cache, rounded to their dtypes as tensors between two operations are.
//!
//! Invariant of a [`Machine`]: a step reads operands that the loop has, and regions that an earlier step or a number has filled.
#![expect(unsafe_code, reason = "gives blocks to kernels, by the invariants of `run`")]

use latten_spec::DType;
use smallvec::SmallVec;

use super::lane::{Lane, Literal};
use super::moves::{Moves, conversion, convert, moves};
use super::operation::{Argument, Step};
use super::run::{Elements, Kernel, OPERANDS, Run};
use super::scratch::Scratch;
use super::stream;
use crate::error::{Error, Result};
use crate::scalar::Scalar;

/// From that many steps on the next block is asked for while they compute. Between fewer the processor does so by itself, in time.
const LONG: usize = 4;

/// An argument on its way: where it lies, and what it is converted through.
#[derive(Debug)]
struct Fetch {
    source: RegisterPlace,
    dtype: DType,
    moves: Moves,
    /// Where the conversions go, one each.
    region: usize,
}

impl Fetch {
    /// The dtype that it has in the end.
    fn result(&self) -> DType {
        self.moves.last().map_or(self.dtype, |&(_, dtype)| dtype)
    }
}

#[derive(Clone, Copy, Debug)]
enum RegisterPlace {
    Operand(usize),
    /// The places of the elements, after all operands.
    Index,
    Region(usize),
}

/// A step as blocks need it.
#[derive(Debug)]
struct Turn {
    /// The loop, and its parameters; without one, the first argument is the result.
    kernel: Option<(Kernel, SmallVec<[Scalar; 3]>)>,
    /// The argument beside which all others are numbers, for a kernel that takes such.
    alone: Option<usize>,
    arguments: SmallVec<[Fetch; OPERANDS]>,
    /// What that gives, and what it is rounded to.
    gives: DType,
    store: Moves,
    /// The first of the regions of the result; the second is for the rounded one.
    region: usize,
}

impl Turn {
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
    turns: Vec<Turn>,
    constants: Vec<Constant>,
    regions: usize,
}

impl Machine {
    fn regions(&mut self, count: usize) -> usize {
        self.regions += count;
        self.regions - count
    }

    /// The steps of an expression on operands of those dtypes.
    ///
    /// # Errors
    /// Where two dtypes have no conversion, and for an operation without a loop.
    pub(crate) fn new(steps: &[Step], operands: impl Fn(usize) -> DType) -> Result<Self> {
        let mut machine = Self::default();
        for step in steps {
            let mut arguments = SmallVec::new();
            for (argument, [through, to]) in step.arguments() {
                arguments.push(machine.fetch(argument, through, to, &operands)?);
            }
            let (kernel, gives) = match &step.task {
                None => (None, arguments.first().map_or(step.result, Fetch::result)),
                Some(task) => {
                    let missing = || Error::not_implemented(task.operation.row().unsupported(task.computing, false));
                    let kernel = task.operation.kernel(task.computing).ok_or_else(missing)?;
                    (Some((kernel, step.params().collect())), task.gives)
                }
            };
            let store = moves(&[gives, step.result])?;
            let is_number = |operand| matches!(step.arguments[operand], Some((Argument::Number(_), _)));
            let alone = kernel.as_ref().and_then(|(kernel, _)| kernel.alone(arguments.len(), is_number));
            let region = machine.regions(1 + store.len());
            machine.turns.push(Turn { kernel, alone, arguments, gives, store, region });
        }
        Ok(machine)
    }

    fn fetch(&mut self, argument: Argument, through: DType, to: DType, operands: &impl Fn(usize) -> DType) -> Result<Fetch> {
        match argument {
            Argument::Number(number) => {
                let literal = Literal::from(number);
                let mut moves = moves(&[literal.dtype(), through, to])?;
                if moves.is_empty() {
                    moves.push((conversion(to, to)?, to));
                }
                let region = self.regions(moves.len());
                let last = region + moves.len() - 1;
                self.constants.push(Constant { literal, moves, region });
                Ok(Fetch { source: RegisterPlace::Region(last), dtype: to, moves: Moves::new(), region: 0 })
            }
            Argument::Operand(index) => self.converted(RegisterPlace::Operand(index), operands(index), through, to),
            Argument::Index => self.converted(RegisterPlace::Index, DType::I64, through, to),
            Argument::Step(index) => {
                let (region, dtype) = self.turns[index].result();
                self.converted(RegisterPlace::Region(region), dtype, through, to)
            }
        }
    }

    fn converted(&mut self, source: RegisterPlace, dtype: DType, through: DType, to: DType) -> Result<Fetch> {
        let moves = moves(&[dtype, through, to])?;
        let region = self.regions(moves.len());
        Ok(Fetch { source, dtype, moves, region })
    }

    /// The region in which a block of results of a step lies when it was computed, unless it is the last one's.
    pub(super) fn results_of(&self, step: usize) -> usize {
        self.turns[step].result().0
    }

    /// What an element costs, compared to an addition.
    pub(super) fn weight(&self) -> usize {
        let weight = |turn: &Turn| turn.kernel.as_ref().map_or(1, |(kernel, _)| kernel.weight());
        self.turns.iter().map(weight).sum::<usize>().max(1)
    }

    /// Whether so many steps read what others gave that memory would have nothing to do meanwhile.
    pub(super) fn is_long(&self) -> bool {
        self.turns.len() >= LONG
    }

    /// Room for blocks of at most that many elements, with the numbers in it.
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

    /// Computes a block. The last step gives the dtype of the output. The bytes that are read `soon` are asked for between the steps, some at a time: as
    /// many at once would wait for each other.
    pub(super) fn run(&self, run: Run<'_>, rooms: &mut Scratch, soon: &[(*const u8, usize)]) {
        let (out, inputs) = run.erased();
        let len = inputs.count();
        let Some(last) = self.turns.len().checked_sub(1) else { return };
        let mut elements: SmallVec<[Elements; OPERANDS]> = SmallVec::new();
        for (at, turn) in self.turns.iter().enumerate() {
            elements.clear();
            for fetch in &turn.arguments {
                let mut start = match fetch.source {
                    RegisterPlace::Operand(index) => inputs.elements(index).start,
                    RegisterPlace::Index => inputs.last().start,
                    RegisterPlace::Region(region) => rooms.region(region),
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
                if at == last && stage == turn.store.len() { out.start } else { rooms.region(turn.region + stage) }
            };
            let mut start = target(rooms, 0);
            match &turn.kernel {
                Some((kernel, params)) => {
                    // SAFETY: operands as the loop gave them, and regions of scratch, which are aligned, initialised and distinct: the
                    // result has one of its own, or is the output, which no operand overlaps.
                    let run = unsafe { Run::new(Elements { start, dtype: turn.gives }, &elements, params, len) };
                    kernel.run(run.beside(turn.alone));
                }
                None => {
                    let from = elements[0];
                    match conversion(from.dtype, from.dtype) {
                        Ok(same) => convert(same, [from.dtype; 2], from.start, start, len),
                        Err(_) => start = from.start,
                    }
                }
            }
            for (stage, &(transfer, next)) in turn.store.iter().enumerate() {
                let to = target(rooms, stage + 1);
                convert(transfer, [turn.gives, next], start, to, len);
                start = to;
            }
            for &(from, len) in soon {
                let piece = (len / self.turns.len()).next_multiple_of(64);
                let first = (piece * at).min(len);
                stream::ask(from.wrapping_add(first), piece.min(len - first));
            }
        }
    }
}
