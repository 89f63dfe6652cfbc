//! The factors of products, and their elements packed into panels: a panel holds, step after step of the sums, one element for each of
//! its rows (or columns), and zeros where there are no more of them.

use std::ops::Range;

use super::factors::Factor;
use crate::error::Result;
use crate::geometry::Dims;
use crate::kernels::block::Reader;
use crate::raw::RawTensor;
use crate::storage::Access;

/// Panels of equal length.
#[derive(Debug)]
pub(super) struct Packed<T> {
    elements: Vec<T>,
    scratch: Vec<T>,
    panels: usize,
}

impl<T> Default for Packed<T> {
    fn default() -> Self {
        Self { elements: Vec::new(), scratch: Vec::new(), panels: 0 }
    }
}

impl<T: Factor> Packed<T> {
    /// The panels, each that long.
    #[inline(always)]
    pub(super) fn panels(&self, len: usize) -> impl Iterator<Item = &[T]> {
        self.elements.chunks_exact(len).take(self.panels)
    }

    /// Makes room for `lines` rows or columns, `across` to a panel.
    fn prepare(&mut self, lines: usize, steps: usize, across: usize) {
        self.panels = lines.div_ceil(across);
        let len = self.panels * across * steps;
        if self.elements.len() < len {
            self.elements.resize(len, T::default());
        }
        if !lines.is_multiple_of(across) {
            self.elements[(self.panels - 1) * across * steps..len].fill(T::default());
        }
        let run = lines.max(steps);
        if self.scratch.len() < run {
            self.scratch.resize(run, T::default());
        }
    }
}

/// The elements of one factor of a batch of products: `lines` are what the result keeps, `steps` what is summed over.
struct Side<'a, T> {
    reader: Reader<'a, T>,
    /// Whether neighbours in the walk are steps of one line.
    steps_inside: bool,
    lines: usize,
    steps: usize,
}

impl<'a, T: Factor> Side<'a, T> {
    fn new(access: &'a Access<'_>, tensor: &RawTensor, line: usize, step: usize) -> Result<Self> {
        let (sizes, strides) = (tensor.sizes(), tensor.strides());
        let steps_inside = (strides[step] <= strides[line] || sizes[line] == 1) && sizes[step] != 1;
        let inner = if steps_inside { [step, line] } else { [line, step] };
        let order: Dims = inner.into_iter().chain((0..tensor.rank() - 2).rev()).collect();
        let pick = |dims: &[usize]| -> Dims { order.iter().map(|&dim| dims[dim]).collect() };
        let reader = Reader::new(access, tensor, &pick(sizes), &pick(strides))?;
        Ok(Self { reader, steps_inside, lines: sizes[line], steps: sizes[step] })
    }

    /// Packs some lines and steps of factor number `at`.
    fn pack(&self, at: usize, lines: Range<usize>, steps: Range<usize>, across: usize, to: &mut Packed<T>) {
        let (count, depth) = (lines.len(), steps.len());
        to.prepare(count, depth, across);
        let Packed { elements, scratch, .. } = to;
        let panel = across * depth;
        let whole = at * self.lines * self.steps;
        if self.steps_inside {
            for (line, index) in lines.enumerate() {
                let run = self.reader.read(whole + index * self.steps + steps.start, depth, scratch);
                let panel = &mut elements[line / across * panel + line % across..];
                panel.iter_mut().step_by(across).zip(run).for_each(|(to, &x)| *to = x);
            }
            return;
        }
        for (step, index) in steps.enumerate() {
            let run = self.reader.read(whole + index * self.lines + lines.start, count, scratch);
            for (panel, run) in elements.chunks_exact_mut(panel).zip(run.chunks(across)) {
                panel[step * across..][..run.len()].copy_from_slice(run);
            }
        }
    }

    /// Neighbours in run number `index` of factor number `at`: a line or a step.
    fn part<'s>(&'s self, at: usize, index: usize, first: usize, len: usize, scratch: &'s mut [T]) -> &'s [T] {
        let inner = if self.steps_inside { self.steps } else { self.lines };
        self.reader.read(at * self.lines * self.steps + index * inner + first, len, scratch)
    }
}

/// Two batches of matrices to be multiplied one by one: [.., m, k] and [.., k, n], the batches broadcast already.
pub(super) struct Factors<'a, T> {
    left: Side<'a, T>,
    right: Side<'a, T>,
    /// m, k and n.
    pub(super) sizes: [usize; 3],
}

impl<'a, T: Factor> Factors<'a, T> {
    pub(super) fn new(access: &'a Access<'_>, left: &RawTensor, right: &RawTensor) -> Result<Self> {
        let rank = left.rank();
        let sizes = [left.sizes()[rank - 2], left.sizes()[rank - 1], right.sizes()[rank - 1]];
        let (left, right) = (Side::new(access, left, rank - 2, rank - 1)?, Side::new(access, right, rank - 1, rank - 2)?);
        Ok(Self { left, right, sizes })
    }

    pub(super) fn pack_left(&self, at: usize, rows: Range<usize>, steps: Range<usize>, high: usize, to: &mut Packed<T>) {
        self.left.pack(at, rows, steps, high, to);
    }

    pub(super) fn pack_right(&self, at: usize, steps: Range<usize>, columns: Range<usize>, across: usize, to: &mut Packed<T>) {
        self.right.pack(at, columns, steps, across, to);
    }

    /// Runs of the left factor number `at`: a row each, or a column each. Says which.
    pub(super) fn left_runs(&self) -> Runs {
        if self.left.steps_inside { Runs::Lines } else { Runs::Steps }
    }

    /// Neighbours in run number `index` of the left factor number `at`.
    pub(super) fn left_part<'s>(&'s self, at: usize, index: usize, first: usize, len: usize, scratch: &'s mut [T]) -> &'s [T] {
        self.left.part(at, index, first, len, scratch)
    }

    /// All of a right factor that has one column: where it lies, or gathered once.
    pub(super) fn right_column(&self, at: usize) -> Column<'_, T> {
        let steps = self.sizes[1];
        let mut gathered = Vec::new();
        if !self.right.reader.is_dense() {
            gathered.resize(steps, T::default());
            self.right.reader.read(at * steps, steps, &mut gathered);
        }
        Column { side: &self.right, first: at * steps, gathered }
    }
}

/// A right factor of one column.
pub(super) struct Column<'a, T> {
    side: &'a Side<'a, T>,
    first: usize,
    gathered: Vec<T>,
}

impl<T: Factor> Column<'_, T> {
    /// Some of its elements.
    pub(super) fn part<'s>(&'s self, first: usize, len: usize, scratch: &'s mut [T]) -> &'s [T] {
        if self.gathered.is_empty() { self.side.reader.read(self.first + first, len, scratch) } else { &self.gathered[first..first + len] }
    }
}

/// What neighbours in memory are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runs {
    /// The steps of one line.
    Lines,
    /// The lines of one step.
    Steps,
}
