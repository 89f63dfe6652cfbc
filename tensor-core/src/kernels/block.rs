//! The loop over blocks: from a grid of elements and operands in memory to slices that kernels compute on, and back.
//!
//! Invariants: (1) a [`Lane`] reaches only bytes that it was made for, and its guard is held; (2) no two elements of an output lane
//! share bytes, or the loop runs on one thread; (3) an input lane that reaches bytes of the output is marked so, and reaches them in
//! the same order as the output or not at all.
#![expect(unsafe_code, reason = "calls transfers and makes slices for kernels, by the invariants")]

mod blocks;
mod few;
mod further;
mod load;
mod made;
mod reader;
mod row;
mod writer;

use latten_spec::{Category, DType};
use smallvec::SmallVec;

use super::cut::{Cut, Section};
use super::machine::Machine;
use super::moves::{Moves, conversion, convert, moved, moves};
use super::run::{Elements, Kernel, OPERANDS, Run};
use super::scratch::Scratch;
use super::stream;
use super::transfer::MovedRows;
use super::turn::turn;
use super::workers::share;
use crate::error::Result;
use crate::geometry::{count, times};
use crate::scalar::Scalar;
use blocks::{BlockWork, Blocks, STAGES, gather, scatter};
use further::FurtherPut;
use load::{Load, load};

pub(crate) use super::lane::{Lane, Literal};
pub(crate) use further::Further;
pub(crate) use made::{Feed, Made, Open};
pub(crate) use reader::{Grid, Reader};
pub(crate) use row::{Neighbours, ROOM, Room, fresh_slice};
pub(crate) use writer::{Piece, Pieces, Writer, is_free};

/// Elements that are loaded, computed and stored at a time: few enough to stay in the first cache, in programs of many steps, too.
const BLOCK: usize = 1024;
/// The bytes of a block of one kernel, of whose operands some are loaded: few enough that all stay in the first cache.
const LOADED_BYTES: usize = 8 << 10;
/// The most elements of such a block: scratch has room for the widest ones.
const LOADED_BLOCK: usize = 4 * BLOCK;
/// The same where results go past the caches, or to where operands came from: so few that loads and stores of neighbouring blocks overlap.
const STREAMED_BLOCK: usize = 256;
/// From this weight on a kernel takes longer than memory.
const HEAVY: usize = 4;
/// The same where nothing has to be loaded or stored.
const DIRECT_BLOCK: usize = 16 * BLOCK;
/// Additions that are worth waking a thread for.
const GRAIN: usize = 64 * BLOCK;
/// The most pieces of a loop: enough for the threads of any machine to end together, and so few that what a piece begins and ends with takes no time.
const TASKS: usize = 1024;

/// Whether threads may share a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    /// Elements of the output may overlap: one thread, in order.
    One,
    /// Every element is written once.
    Many,
}

/// Hands the blocks of a grid to threads, from a first to an end. Which ones go together doesn't depend on the number of threads.
fn split(sizes: &[usize], cut: Cut, weight: usize, threads: Threads, part: impl Fn(usize, usize) + Sync) {
    let (blocks, each) = (cut.count(sizes), (GRAIN / (weight * cut.len())).max(1));
    if threads == Threads::One || blocks <= each {
        return part(0, blocks);
    }
    let tasks = blocks.div_ceil(each).min(TASKS);
    share(tasks, &|task| part(blocks * task / tasks, blocks * (task + 1) / tasks));
}

/// Whether a result is so large that its stores go past the caches; `cut` says whether what is read is turned.
fn is_streamed<'a>(sizes: &[usize], lane: &Lane<'_>, cut: Cut, read: impl Iterator<Item = &'a Lane<'a>>) -> bool {
    let (bytes, mut read) = (times(count(sizes), lane.dtype.itemsize()), read);
    let least = if read.any(|lane| cut.turns(lane)) { stream::TURNED } else { stream::STREAMED };
    bytes >= least && lane.row_steps()[0] == lane.dtype.itemsize() && stream::suits(lane.start)
}

/// Copies all elements, converting them.
///
/// # Errors
/// Where the dtypes have no conversion; nothing was written then.
pub(crate) fn copy(sizes: &[usize], from: &Lane<'_>, to: &Lane<'_>, threads: Threads) -> Result<()> {
    let transfer = conversion(from.dtype, to.dtype)?;
    let (from_steps, to_steps) = (from.row_steps(), to.row_steps());
    let direct = Cut::new(sizes, [from, to].into_iter(), DIRECT_BLOCK);
    let streamed = is_streamed(sizes, to, direct, [from].into_iter());
    let same = from.dtype == to.dtype && from.dtype != DType::Bool;
    let put = if streamed && same { stream::rows } else { transfer };
    let cut = if streamed { Cut::new(sizes, [from, to].into_iter(), STREAMED_BLOCK) } else { direct };
    let streamed = streamed && cut.keeps_dense(sizes, to);
    let transposed = cut.turns(from);
    let size = to.dtype.itemsize();
    let as_it_is = same && cut.keeps_dense(sizes, from);
    split(sizes, cut, 1, threads, |first, end| {
        let mut scratch = Scratch::new((transposed || streamed && !as_it_is).into(), cut.len());
        cut.visit(sizes, first, end, |block| {
            let target = block.address(to);
            if streamed && stream::suits(target) {
                let mut source = block.address(from);
                if !as_it_is {
                    source = scratch.region(0);
                    gather(transfer, size, from, sizes, block, source);
                }
                // SAFETY: (1) and (2); whoever copies makes sure that the lanes don't overlap (3).
                return unsafe { stream::copy(source, target, block.len() * size) };
            }
            if transposed {
                let item = from.dtype.itemsize();
                gather(turn(item), item, from, sizes, block, scratch.region(0));
                return scatter(put, item, scratch.region(0), to, sizes, block);
            }
            block.rectangles(sizes, |rectangle| {
                let (from, to) = (from.address(rectangle.at), to.address(rectangle.at));
                let rows = MovedRows { from, to, from_steps, to_steps, counts: rectangle.counts };
                if same {
                    // SAFETY: as above; what isn't converted fills rows of one element by itself.
                    unsafe { transfer(rows) }
                } else {
                    // SAFETY: as above.
                    unsafe { moved(transfer, size, rows) }
                }
            });
        });
        if streamed || transposed {
            stream::fence();
        }
    });
    Ok(())
}

/// How many elements one thread computes at once, without a grid.
pub(crate) fn fits_at_once(kernel: Kernel, len: usize) -> bool {
    len <= DIRECT_BLOCK / kernel.weight()
}

/// The first element of a lane, as a number.
///
/// # Errors
/// For quantised elements.
pub(crate) fn read(lane: &Lane<'_>) -> Result<Scalar> {
    let widest = match lane.dtype.category() {
        Category::Boolean => DType::Bool,
        Category::Integral => DType::I64,
        Category::Floating => DType::F64,
        Category::Complex => DType::C128,
    };
    let transfer = conversion(lane.dtype, widest)?;
    let mut literal = Literal { bytes: [0; 16], dtype: widest };
    let rows = MovedRows { from: lane.start, to: literal.bytes.as_mut_ptr(), from_steps: [0, 0], to_steps: [0, 0], counts: [1, 1] };
    // SAFETY: (1); the widest numbers have 16 bytes.
    unsafe { transfer(rows) }
    Ok(literal.scalar())
}

/// Whether some of the first bytes of a dense lane isn't zero.
pub(crate) fn any_nonzero_byte(lane: &Lane<'_>, elements: usize) -> bool {
    // SAFETY: (1): a dense lane reaches that many elements.
    let bytes = unsafe { std::slice::from_raw_parts(lane.start, elements * lane.dtype.itemsize()) };
    bytes.iter().any(|&byte| byte != 0)
}

/// Whether an operand's storage is also the output's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputSharing {
    /// It is: no result of a block is stored before all of them are computed.
    WithOutput,
    /// It isn't.
    No,
}

/// An operand of a loop.
#[derive(Debug)]
pub(crate) struct Input<'a> {
    /// Its elements.
    pub(crate) lane: Lane<'a>,
    /// Whether the output writes to the same storage.
    pub(crate) sharing: OutputSharing,
    /// A dtype that the elements are rounded to on their way.
    pub(crate) through: DType,
    /// The dtype that the kernel takes.
    pub(crate) to: DType,
}

/// The output of a loop.
#[derive(Debug)]
pub(crate) struct Output<'a> {
    /// The dtype that the kernel gives.
    pub(crate) from: DType,
    /// A dtype that the elements are rounded to on their way.
    pub(crate) through: DType,
    /// Where they go.
    pub(crate) lane: Lane<'a>,
}

/// What is computed with a block.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Compute<'a> {
    /// One loop.
    Kernel(Kernel),
    /// One after the other.
    Steps(&'a Machine),
}

impl Compute<'_> {
    fn weight(self) -> usize {
        match self {
            Self::Kernel(kernel) => kernel.weight(),
            Self::Steps(machine) => machine.weight(),
        }
    }

    /// The operand beside which a kernel takes one element of each other one: the same everywhere, or else along rows. An output that it
    /// changes isn't such a number.
    fn alone(self, loads: &[Load], changed: Option<usize>) -> Option<usize> {
        let Self::Kernel(kernel) = self else { return None };
        let find = |is: fn(&Load) -> bool| kernel.alone(loads.len(), |operand| changed != Some(operand) && is(&loads[operand]));
        find(|load| load.constant).or_else(|| find(|load| load.still || load.constant))
    }
}

/// A computation over all elements of a grid.
#[derive(Debug)]
pub(crate) struct Loop<'a> {
    /// Of the grid, innermost dimension first.
    pub(crate) sizes: &'a [usize],
    /// What is computed with.
    pub(crate) inputs: SmallVec<[Input<'a>; OPERANDS]>,
    /// Parameters of the kernel.
    pub(crate) params: &'a [Scalar],
    /// The computation.
    pub(crate) compute: Compute<'a>,
    /// Where the results go.
    pub(crate) output: Output<'a>,
    /// Where further results go.
    pub(crate) further: SmallVec<[Further<'a>; 2]>,
    /// Whether threads may share the work.
    pub(crate) threads: Threads,
}

/// How results get out of a block.
struct Store {
    /// None where the kernel writes the elements where they go.
    moves: Moves,
    /// Whether they go past the caches, block by block.
    streamed: bool,
    /// Whether some may.
    fenced: bool,
}

impl Store {
    /// Whether the kernel writes the elements where they go.
    fn in_memory(&self) -> bool {
        self.moves.is_empty() && !self.streamed
    }
}

impl Loop<'_> {
    /// Computes all elements.
    ///
    /// # Errors
    /// Where no conversion between two dtypes exists; nothing was written then.
    pub(crate) fn run(&self) -> Result<()> {
        if let Compute::Kernel(kernel) = self.compute
            && (self.whole(kernel) || self.few(kernel)?)
        {
            return Ok(());
        }
        let Output { from, through, lane } = &self.output;
        // What is computed in place is in the caches when it is stored.
        let changed = self.changed();
        let shares = self.inputs.iter().any(|input| input.sharing == OutputSharing::WithOutput);
        let in_place = shares && changed.is_none();
        let lanes = || self.inputs.iter().map(|input| &input.lane).chain([lane]).chain(self.further.iter().map(|one| &one.lane));
        let read = self.inputs.iter().map(|input| &input.lane);
        let large = !shares && is_streamed(self.sizes, lane, Cut::new(self.sizes, lanes(), BLOCK), read);
        let mut store = Store { moves: moves(&[*from, *through, lane.dtype])?, streamed: large, fenced: large };
        // Where the arithmetic takes longer than memory, few blocks are better than short ones.
        let short = store.streamed && self.compute.weight() < HEAVY;
        let most = if short { STREAMED_BLOCK } else { self.block() };
        let mut cut = Cut::new(self.sizes, lanes(), most);
        store.streamed &= cut.keeps_dense(self.sizes, lane);
        let loads = self.inputs.iter().map(|input| load(input, self.sizes, cut)).collect::<Result<SmallVec<[Load; OPERANDS]>>>()?;
        let (alone, mut room) = (self.compute.alone(&loads, changed), cut.len());
        if store.moves.is_empty() && !store.streamed {
            if in_place || !(lane.is_plain() && cut.keeps_dense(self.sizes, lane)) {
                let rows = if large && *from != DType::Bool { stream::rows } else { conversion(*from, *from)? };
                store.moves.push((rows, *from));
            } else if (0..loads.len()).all(|operand| loads[operand].moves.is_empty() || alone.is_some_and(|alone| alone != operand))
                && cut == Cut::Tiles([most, 1])
                && matches!(self.compute, Compute::Kernel(_))
            {
                (cut, room) = (Cut::Tiles([DIRECT_BLOCK, 1]), 1);
            }
        }
        let puts = self.further.iter().map(|one| one.put(self.sizes, cut)).collect::<Result<SmallVec<[FurtherPut; 2]>>>()?;
        let (sizes, inputs, params, compute) = (self.sizes, &self.inputs, self.params, self.compute);
        let changes = store.in_memory() && changed.is_some_and(|operand| loads[operand].moves.is_empty());
        let work = BlockWork { sizes, inputs, params, compute, gives: *from, alone, changes };
        let part = |first, end| self.part(Blocks::new(work, &loads, room, store.in_memory()), (&store, &puts), cut, (first, end));
        split(self.sizes, cut, self.compute.weight(), self.threads, part);
        Ok(())
    }

    /// The operand that is the output, element by element, where the kernel changes it where it is, and nothing else shares its storage.
    fn changed(&self) -> Option<usize> {
        let (Compute::Kernel(kernel), lane) = (self.compute, &self.output.lane) else { return None };
        let changed = kernel.changes()?;
        let shares = |operand: usize| operand != changed && self.inputs[operand].sharing == OutputSharing::WithOutput;
        let own = &self.inputs.get(changed)?.lane;
        let is_output = own.start == lane.start && own.dtype == lane.dtype && own.steps == lane.steps;
        (is_output && !(0..self.inputs.len()).any(shares)).then_some(changed)
    }

    /// The most elements of a block that stays in the first cache.
    fn block(&self) -> usize {
        let widest = self.inputs.iter().map(|input| input.to.itemsize()).fold(self.output.from.itemsize(), usize::max);
        match self.compute {
            Compute::Kernel(_) => (LOADED_BYTES / widest).min(LOADED_BLOCK),
            Compute::Steps(_) => BLOCK,
        }
    }

    /// Computes all elements as one block, where they are few and the kernel can read and write them where they are; says whether.
    fn whole(&self, kernel: Kernel) -> bool {
        let Output { from, through, lane } = &self.output;
        let &[len] = self.sizes else { return false };
        let changed = self.changed();
        let plain = |lane: &Lane<'_>, dtypes: [DType; 2]| {
            dtypes == [lane.dtype; 2] && lane.steps[0] == lane.dtype.itemsize() && lane.is_plain() && fits_at_once(kernel, len)
        };
        let apart = |operand: usize| changed == Some(operand) || self.inputs[operand].sharing == OutputSharing::No;
        let fits = |input: &Input<'_>| plain(&input.lane, [input.through, input.to]);
        if !(plain(lane, [*from, *through]) && self.inputs.iter().all(fits) && (0..self.inputs.len()).all(apart)) {
            return false;
        }
        let all = |lane: &Lane<'_>| Elements { start: lane.start, dtype: lane.dtype };
        let elements: SmallVec<[Elements; OPERANDS]> = self.inputs.iter().map(|input| all(&input.lane)).collect();
        // SAFETY: the lanes are plain and dense, and no operand shares the output's storage, but for the changed one, which is the output (1) (3).
        let run = unsafe { Run::new(all(lane), &elements, self.params, len) };
        if changed.is_some() {
            kernel.change(run)
        } else {
            kernel.run(run)
        }
        true
    }

    /// One thread's part of the blocks.
    fn part(&self, mut blocks: Blocks<'_, '_>, (store, puts): (&Store, &[FurtherPut]), cut: Cut, (first, end): (usize, usize)) {
        let (sizes, in_memory) = (self.sizes, store.in_memory());
        cut.visit(sizes, first, end, |block| {
            let to = if in_memory { block.address(&self.output.lane) } else { blocks.results() };
            blocks.compute(block, to);
            if !in_memory {
                self.scatter(store, block, &mut blocks.scratch, STAGES * self.inputs.len());
            }
            for (one, &put) in self.further.iter().zip(puts) {
                if let Some(results) = blocks.results_of(one.step) {
                    one.store(put, results, sizes, block);
                }
            }
        });
        if store.fenced || puts.iter().any(|put| put.streamed) {
            stream::fence();
        }
    }

    /// Stores a block of results, which lie in the region `region` and use the next, into the output.
    fn scatter(&self, store: &Store, block: Section<'_>, scratch: &mut Scratch, mut region: usize) {
        let Output { from, lane, .. } = &self.output;
        let (mut dtype, to) = (*from, block.address(lane));
        let streamed = store.streamed && stream::suits(to);
        let moves = store.moves.as_slice();
        let (last, before) = match moves.split_last() {
            Some((last, before)) if !streamed => (Some(last.0), before),
            _ => (None, moves),
        };
        for &(transfer, through) in before {
            convert(transfer, [dtype, through], scratch.region(region), scratch.region(region + 1), block.len());
            (dtype, region) = (through, region + 1);
        }
        let (from, size) = (scratch.region(region), dtype.itemsize());
        if streamed {
            // SAFETY: (1) and (2): the elements of the block lie next to each other at `to`, and in the region.
            return unsafe { stream::copy(from, to, block.len() * size) };
        }
        match last {
            Some(last) => scatter(last, size, from, lane, self.sizes, block),
            // SAFETY: as above, where the address isn't one to stream to.
            None => unsafe { std::ptr::copy_nonoverlapping(from, to, block.len() * size) },
        }
    }
}
