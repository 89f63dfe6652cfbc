//! One thread's blocks: operands are loaded, and computed with. The invariants are those of the loop over blocks.
#![expect(unsafe_code, reason = "calls transfers and makes slices for kernels, by the invariants")]

use latten_spec::DType;
use smallvec::SmallVec;

use super::load::{Load, Repeats};
use super::{BLOCK, Compute, Input, Lane};
use crate::geometry::count;
use crate::kernels::cut::{Rectangle, Section};
use crate::kernels::machine::Machine;
use crate::kernels::moves::{convert, moved};
use crate::kernels::run::{Elements, OPERANDS, Run};
use crate::kernels::scratch::Scratch;
use crate::kernels::transfer::{MovedRows, Transfer};
use crate::scalar::Scalar;

/// That many elements of several operands aren't in the caches near a thread.
const FAR: usize = 256 * BLOCK;
/// The regions of scratch for each operand and for the results: one for a turn, and one for each conversion.
pub(super) const STAGES: usize = 3;

/// What blocks are computed from, and how.
#[derive(Clone, Copy)]
pub(super) struct BlockWork<'l, 'a> {
    pub(super) sizes: &'l [usize],
    pub(super) inputs: &'l [Input<'a>],
    pub(super) params: &'l [Scalar],
    pub(super) compute: Compute<'l>,
    /// The dtype of the results.
    pub(super) gives: DType,
    /// The operand beside which the kernel takes one element of each other one, in rows along which it is the same.
    pub(super) alone: Option<usize>,
    /// Whether an operand is the output, and the kernel changes it where it is.
    pub(super) changes: bool,
}

/// One thread's blocks, one after the other.
pub(crate) struct Blocks<'l, 'a> {
    work: BlockWork<'l, 'a>,
    loads: &'l [Load],
    pub(super) scratch: Scratch,
    pub(super) rooms: Option<(&'l Machine, Scratch)>,
    elements: SmallVec<[Elements; OPERANDS]>,
    /// Whether operands come from memory beyond the caches, where many steps compute with them: while they do, nothing is read.
    far: bool,
    /// The bytes of the next block then.
    soon: SmallVec<[(*const u8, usize); OPERANDS]>,
    repeats: Repeats,
    /// Whether the elements beside one operand are the same everywhere.
    fixed: bool,
}

impl<'l, 'a> Blocks<'l, 'a> {
    /// Room for that many elements of each operand, as many as blocks have that are loaded; `in_memory` is whether results need none.
    pub(super) fn new(work: BlockWork<'l, 'a>, loads: &'l [Load], len: usize, in_memory: bool) -> Self {
        let direct = in_memory && loads.iter().all(|load| load.moves.is_empty());
        let scratch = Scratch::new(if direct { 0 } else { STAGES * (work.inputs.len() + 1) + 1 }, len);
        let rooms = match work.compute {
            Compute::Kernel(_) => None,
            Compute::Steps(machine) => Some((machine, machine.rooms(len))),
        };
        let far = rooms.as_ref().is_some_and(|(machine, _)| machine.is_long()) && count(work.sizes) >= FAR;
        let (elements, soon, repeats) = (SmallVec::new(), SmallVec::new(), Repeats::of(loads.len()));
        let fixed = work.alone.is_some_and(|alone| (0..loads.len()).all(|operand| operand == alone || loads[operand].constant));
        let mut blocks = Self { work, loads, scratch, rooms, elements, far, soon, repeats, fixed };
        for operand in (0..loads.len()).filter(|&operand| loads[operand].constant) {
            let times = if fixed && work.alone != Some(operand) { 1 } else { len };
            blocks.gather(operand, Section::Tile { at: &[], counts: [times, 1] });
        }
        blocks
    }

    /// The region for results.
    pub(super) fn results(&mut self) -> *mut u8 {
        self.scratch.region(STAGES * self.work.inputs.len())
    }

    /// Computes a block.
    pub(super) fn compute(&mut self, block: Section<'_>, to: *mut u8) {
        self.elements.clear();
        self.soon.clear();
        let alone = self.work.alone.filter(|_| self.fixed || block.is_row());
        for (operand, input) in self.work.inputs.iter().enumerate() {
            let load = &self.loads[operand];
            let (is_number, to) = (alone.is_some_and(|alone| alone != operand), input.to);
            if is_number && load.single && !load.constant {
                self.elements.push(Elements { start: block.first().address(&input.lane), dtype: to });
                continue;
            }
            if !load.constant {
                self.gather(operand, if is_number { block.first() } else { block });
            }
            let last = load.moves.len().checked_sub(1);
            let start = last.map_or_else(|| block.address(&input.lane), |last| self.scratch.region(STAGES * operand + last));
            self.elements.push(Elements { start, dtype: to });
            if self.far && input.lane.is_dense(self.work.sizes) {
                let bytes = block.len() * input.lane.dtype.itemsize();
                self.soon.push((block.address(&input.lane).wrapping_add(bytes), bytes));
            }
        }
        // SAFETY: regions of scratch are aligned and initialised, and lanes used in place are plain and dense in each block; of a number there
        // is one. Where an operand shares the output's storage, it is the output itself, of a kernel that changes it, or the results
        // lie in scratch until all of a block are there (3).
        let run = unsafe { Run::new(Elements { start: to, dtype: self.work.gives }, &self.elements, self.work.params, block.len()) };
        match (&mut self.rooms, self.work.compute) {
            (Some((machine, rooms)), _) => machine.run(run, rooms, &self.soon),
            (None, Compute::Kernel(kernel)) if self.work.changes => kernel.change(run.beside(alone)),
            (None, Compute::Kernel(kernel)) => kernel.run(run.beside(alone)),
            (None, Compute::Steps(_)) => {}
        }
    }

    /// Loads a block of an operand into its regions, one for each conversion.
    fn gather(&mut self, operand: usize, block: Section<'_>) {
        let input = &self.work.inputs[operand];
        if self.repeats.hold(operand, input, block) {
            return;
        }
        let (lane, region) = (&input.lane, STAGES * operand);
        let mut before = lane.dtype;
        for (stage, &(transfer, dtype)) in self.loads[operand].moves.iter().enumerate() {
            let to = self.scratch.region(region + stage);
            if stage == 0 && self.loads[operand].dense {
                convert(transfer, [before, dtype], block.address(lane), to, block.len());
            } else if stage == 0 {
                gather(transfer, dtype.itemsize(), lane, self.work.sizes, block, to);
            } else {
                convert(transfer, [before, dtype], self.scratch.region(region + stage - 1), to, block.len());
            }
            before = dtype;
        }
    }
}

/// Loads a block of a lane into a region, with one conversion to elements of that size.
pub(super) fn gather(transfer: Transfer, size: usize, lane: &Lane<'_>, sizes: &[usize], block: Section<'_>, to: *mut u8) {
    let from_steps = lane.row_steps();
    block.rectangles(sizes, |Rectangle { at, counts, done }| {
        let to = to.wrapping_add(done * size);
        let rows = MovedRows { from: lane.address(at), to, from_steps, to_steps: [size, size * counts[0]], counts };
        // SAFETY: (1); the region has room for a block.
        unsafe { moved(transfer, size, rows) }
    });
}

/// Stores a block from a region, whose elements have that size, into a lane, with one conversion.
pub(super) fn scatter(transfer: Transfer, size: usize, from: *const u8, lane: &Lane<'_>, sizes: &[usize], block: Section<'_>) {
    let to_steps = lane.row_steps();
    block.rectangles(sizes, |Rectangle { at, counts, done }| {
        let from = from.wrapping_add(done * size);
        let rows = MovedRows { from, to: lane.address(at), from_steps: [size, size * counts[0]], to_steps, counts };
        // SAFETY: (1) and (2); the block's elements lie in the region.
        unsafe { transfer(rows) }
    });
}
