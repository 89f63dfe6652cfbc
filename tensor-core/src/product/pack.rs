//! The factors of products: where their elements lie, or packed. Rows of a left factor are packed one after another. Columns of a right
//! factor are packed into panels: a panel holds, step after step of the sums, one element for each of its columns, and zeros where there
//! are no more of them; where tiles take steps in groups, it holds a group of each column after the other.

use std::ops::Range;

use super::factors::Tiles;
use crate::element::Native;
use crate::error::Result;
use crate::geometry::{Dims, count};
use crate::kernels::block::{Grid, Reader};
use crate::kernels::turn::panel as turned;
use crate::raw::RawTensor;
use crate::room::filled;
use crate::storage::Access;

/// Elements of a run that are gathered at a time.
const GATHERED: usize = 1024;

/// Elements of a matrix where they lie: those of a row next to each other, rows so far apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane<'a, T> {
    pub(super) elements: &'a [T],
    pub(super) stride: usize,
}

impl<T> Plane<'_, T> {
    /// The same from another first element on.
    pub(super) fn from(self, row: usize, at: usize) -> Self {
        Self { elements: &self.elements[row * self.stride + at..], ..self }
    }
}

/// How one factor of a batch of products is walked along: `lines` are what the result keeps, `steps` what is summed over. Each is one dimension of
/// a matrix, or several of windows.
struct SideWalk {
    /// Whether neighbours in the walk are steps of one line.
    steps_inside: bool,
    is_matrix: bool,
    /// How many dimensions lines have.
    over: usize,
    lines: usize,
    steps: usize,
}

impl SideWalk {
    /// The same, and sizes and strides, innermost dimension first.
    fn new(tensor: &RawTensor, lines: Range<usize>, steps: Range<usize>) -> (Self, [Dims; 2]) {
        let (sizes, strides) = (tensor.sizes(), tensor.strides());
        let (over, is_matrix) = (lines.len(), lines.len() == 1 && steps.len() == 1);
        let (line, step) = (lines.start, steps.start);
        let steps_inside = is_matrix && (strides[step] <= strides[line] || sizes[line] == 1) && sizes[step] != 1;
        let walk = Self { steps_inside, is_matrix, over, lines: count(&sizes[lines.clone()]), steps: count(&sizes[steps.clone()]) };
        let [inner, outer] = if steps_inside { [steps, lines] } else { [lines, steps] };
        let mut along = [Dims::new(), Dims::new()];
        for range in [inner, outer, 0..line.min(step)] {
            for dim in range.rev() {
                along[0].push(sizes[dim]);
                along[1].push(strides[dim]);
            }
        }
        (walk, along)
    }
}

/// The elements of one factor.
struct Side<'a, T> {
    reader: Reader<'a, T>,
    walk: SideWalk,
}

/// How far the element number `rest` of a walk lies from the first one.
pub(super) fn place(sizes: &[usize], strides: &[usize], mut rest: usize) -> usize {
    let mut place = 0;
    for (&size, &stride) in sizes.iter().zip(strides) {
        place += rest % size * stride;
        rest /= size;
    }
    place
}

/// Copies as many elements as that, eight at a time where there are so many: mostly they are few, and a call would take longer.
#[inline(always)]
fn copy_run<T: Copy>(from: &[T], to: &mut [T]) {
    const RUN: usize = 8;
    let Some(last) = to.len().checked_sub(RUN) else { return to.copy_from_slice(from) };
    for at in (0..to.len()).step_by(RUN) {
        let at = at.min(last);
        if let (Some(to), Some(from)) = (to[at..].first_chunk_mut::<RUN>(), from[at..].first_chunk::<RUN>()) {
            *to = *from;
        }
    }
}

impl<'a, T: Native + Default> Side<'a, T> {
    fn new(access: &'a Access<'_>, tensor: &RawTensor, lines: Range<usize>, steps: Range<usize>) -> Result<Self> {
        let (walk, [sizes, strides]) = SideWalk::new(tensor, lines, steps);
        Ok(Self { reader: Reader::new(access, tensor, &sizes, &strides)?, walk })
    }

    /// Where run number `index` of factor number `at` begins in the walk.
    fn run(&self, at: usize, index: usize) -> usize {
        let inner = if self.walk.steps_inside { self.walk.steps } else { self.walk.lines };
        at * self.walk.lines * self.walk.steps + index * inner
    }

    /// Factor number `at` where it lies, one run a row.
    fn plane(&self, at: usize) -> Option<Plane<'_, T>> {
        if !self.walk.is_matrix {
            return None;
        }
        self.reader.plane(self.run(at, 0)).map(|(elements, stride)| Plane { elements, stride })
    }

    /// Some columns of a step: of the plane, where there is one.
    fn columns<'s>(&'s self, plane: Option<Plane<'s, T>>, at: usize, step: usize, columns: &Range<usize>, scratch: &'s mut [T]) -> &'s [T] {
        match plane {
            Some(plane) => &plane.elements[step * plane.stride + columns.start..][..columns.len()],
            None => self.part(at, step, columns.start, columns.len(), scratch),
        }
    }

    /// Neighbours in run number `index` of factor number `at`: a line or a step.
    fn part<'s>(&'s self, at: usize, index: usize, first: usize, len: usize, scratch: &'s mut [T]) -> &'s [T] {
        self.reader.read(self.run(at, index) + first, len, scratch)
    }
}

/// Makes a row of a right factor of the one before.
pub(super) type Turn<T> = fn(&[T], &mut [T]);

/// Two batches of matrices to be multiplied one by one: [.., m, k] and [.., k, n], the batches broadcast already. Of windows k and n are several
/// dimensions, n half of them or one less.
pub(super) struct Factors<'a, T: Tiles> {
    left: Side<'a, T>,
    right: Side<'a, T>,
    /// Makes every second row of the right factor, which has half as many; their columns are next to each other.
    turn: Option<Turn<T>>,
    /// m, k and n.
    pub(super) sizes: [usize; 3],
    /// What tiles need to know.
    pub(super) means: T::Means,
}

impl<'a, T: Tiles> Factors<'a, T> {
    pub(super) fn new(access: &'a Access<'_>, left: &RawTensor, right: &RawTensor, means: T::Means, turn: Option<Turn<T>>) -> Result<Self> {
        let (rank, end) = (left.rank(), right.rank());
        let steps = rank - 2..end - (end - (rank - 2)) / 2;
        let left = Side::new(access, left, rank - 2..rank - 1, rank - 1..rank)?;
        let right = Side::new(access, right, steps.end..end, steps)?;
        let sizes = [left.walk.lines, left.walk.steps, right.walk.lines];
        Ok(Self { left, right, turn, sizes, means })
    }

    /// Whether left factors are read where they lie.
    pub(super) fn left_in_place(&self) -> bool {
        self.left_plane(0).is_some()
    }

    pub(super) fn left_plane(&self, at: usize) -> Option<Plane<'_, T>> {
        if self.left.walk.steps_inside { self.left.plane(at) } else { None }
    }

    /// The left factor number `at` where it lies, one step a row.
    pub(super) fn left_steps(&self, at: usize) -> Option<Plane<'_, T>> {
        if self.left.walk.steps_inside { None } else { self.left.plane(at) }
    }

    /// The right factor number `at` where it lies, one step a row.
    pub(super) fn right_plane(&self, at: usize) -> Option<Plane<'_, T>> {
        if self.right.walk.steps_inside || self.turn.is_some() { None } else { self.right.plane(at) }
    }

    /// The elements of a right factor that is windows, where they lie, and how many dimensions the numbers of windows have.
    pub(super) fn right_windows(&self) -> Option<(Grid<'_, T>, usize)> {
        let side = &self.right;
        if const { T::GROUP != 1 || !T::DTYPE.is_floating_point() } || side.walk.is_matrix {
            return None;
        }
        side.reader.grid().map(|grid| (grid, side.walk.over))
    }

    /// Where steps of windows begin.
    pub(super) fn step_places(&self, grid: &Grid<'_, T>, at: usize, steps: Range<usize>) -> Vec<usize> {
        let walk = &self.right.walk;
        let (sizes, strides) = (&grid.sizes[walk.over..], &grid.strides[walk.over..]);
        steps.map(|step| place(sizes, strides, at * walk.steps + step)).collect()
    }

    /// Packs some steps of some rows.
    pub(super) fn pack_left(&self, at: usize, rows: Range<usize>, steps: Range<usize>, to: &mut [T]) {
        let (side, depth) = (&self.left, steps.len());
        if side.walk.steps_inside {
            for (row, to) in rows.zip(to.chunks_exact_mut(depth)) {
                side.reader.copy(side.run(at, row) + steps.start, to);
            }
            return;
        }
        if let Some(Plane { elements, stride }) = side.plane(at) {
            return turned((&elements[steps.start * stride + rows.start..], stride), [depth, rows.len()], 1, (to, depth));
        }
        let mut scratch = vec![T::default(); rows.len().min(GATHERED)];
        for (first, to) in rows.clone().step_by(GATHERED).zip(to.chunks_mut(GATHERED * depth)) {
            for (step, index) in steps.clone().enumerate() {
                let run = side.part(at, index, first, GATHERED.min(rows.end - first), &mut scratch);
                to[step..].iter_mut().step_by(depth).zip(run).for_each(|(to, &x)| *to = x);
            }
        }
    }

    /// Packs some steps of some columns, `across` to a panel.
    pub(super) fn pack_right(&self, at: usize, steps: Range<usize>, columns: Range<usize>, across: usize, to: &mut [T]) {
        if columns.is_empty() {
            return;
        }
        let (side, depth) = (&self.right, steps.len().next_multiple_of(T::GROUP));
        let panel = across * depth;
        // Zeros where steps are odd, and where the last panel lacks columns.
        let whole = if depth > steps.len() { 0 } else { columns.len() / across * panel };
        to[whole..].fill(T::default());
        if let Some((grid, over)) = self.right_windows() {
            return self.pack_windows((&grid, over), at, steps, columns, across, to);
        }
        if !side.walk.steps_inside {
            return self.pack_steps(at, steps, columns, across, to);
        }
        let plane = side.plane(at);
        let mut scratch = vec![T::default(); if plane.is_some() { 0 } else { across * steps.len() }];
        for (first, to) in columns.clone().step_by(across).zip(to.chunks_mut(panel)) {
            let lines = across.min(columns.end - first);
            let (matrix, apart) = match plane {
                Some(Plane { elements, stride }) => (&elements[first * stride + steps.start..], stride),
                None => {
                    for (line, to) in scratch.chunks_exact_mut(steps.len()).enumerate().take(lines) {
                        side.reader.copy(side.run(at, first + line) + steps.start, to);
                    }
                    (&scratch[..], steps.len())
                }
            };
            let groups = steps.len() / T::GROUP;
            turned((matrix, apart), [lines, groups], T::GROUP, (&mut *to, across));
            // Where steps are odd, a zero follows the last.
            for line in (0..lines).take_while(|_| !steps.len().is_multiple_of(T::GROUP)) {
                to[(groups * across + line) * T::GROUP] = matrix[line * apart + steps.len() - 1];
            }
        }
    }

    /// The same of windows, which are read where they lie: what is next to each other at one step is so at all of them.
    fn pack_windows(
        &self,
        (grid, over): (&Grid<'_, T>, usize),
        at: usize,
        steps: Range<usize>,
        columns: Range<usize>,
        across: usize,
        to: &mut [T],
    ) {
        let panel = across * steps.len();
        let (own, own_strides) = (&grid.sizes[..over], &grid.strides[..over]);
        let starts = self.step_places(grid, at, steps);
        for (first, to) in columns.clone().step_by(across).zip(to.chunks_mut(panel)) {
            let (lines, mut runs, mut done) = (across.min(columns.end - first), Vec::new(), 0);
            while done < lines {
                let len = (own[0] - (first + done) % own[0]).min(lines - done);
                runs.push((place(own, own_strides, first + done), done..done + len));
                done += len;
            }
            for (&start, to) in starts.iter().zip(to.chunks_exact_mut(across)) {
                for (place, run) in &runs {
                    let (from, to) = (&grid.elements[start + place..], &mut to[run.clone()]);
                    if own_strides[0] == 1 {
                        copy_run(&from[..to.len()], to);
                    } else {
                        for at in 0..to.len() {
                            to[at] = from[at * own_strides[0]];
                        }
                    }
                }
            }
        }
    }

    /// The same, where neighbours are columns.
    fn pack_steps(&self, at: usize, steps: Range<usize>, columns: Range<usize>, across: usize, to: &mut [T]) {
        let (side, plane) = (&self.right, self.right.plane(at));
        let panel = across * steps.len().next_multiple_of(T::GROUP);
        let mut scratch = [(); 2].map(|()| vec![T::default(); if plane.is_some() { 0 } else { columns.len() }]);
        let [one, other] = &mut scratch;
        for (group, step) in steps.clone().step_by(T::GROUP).enumerate() {
            let first = side.columns(plane, at, if self.turn.is_some() { step / 2 } else { step }, &columns, one);
            if T::GROUP == 1 {
                let turn = self.turn.filter(|_| step % 2 == 1);
                for (panel, run) in to.chunks_exact_mut(panel).zip(first.chunks(across)) {
                    let to = &mut panel[group * across..][..run.len()];
                    match turn {
                        Some(turn) => turn(run, to),
                        None => to.copy_from_slice(run),
                    }
                }
                continue;
            }
            // Where steps are odd, a zero follows the last.
            let second =
                if step + 1 < steps.end { side.columns(plane, at, step + 1, &columns, other) } else { &vec![T::default(); columns.len()] };
            for (panel, runs) in to.chunks_exact_mut(panel).zip(first.chunks(across).zip(second.chunks(across))) {
                let (pairs, _) = panel[group * across * 2..].as_chunks_mut::<2>();
                pairs.iter_mut().zip(runs.0).zip(runs.1).for_each(|((to, &x), &y)| *to = [x, y]);
            }
        }
    }

    /// Runs of the left factor number `at`: a row each, or a column each. Says which.
    pub(super) fn left_runs(&self) -> Runs {
        if self.left.walk.steps_inside { Runs::Lines } else { Runs::Steps }
    }

    /// Neighbours in run number `index` of the left factor number `at`.
    pub(super) fn left_part<'s>(&'s self, at: usize, index: usize, first: usize, len: usize, scratch: &'s mut [T]) -> &'s [T] {
        self.left.part(at, index, first, len, scratch)
    }

    /// Room for a right factor that has one column, where it has to be gathered.
    pub(super) fn column_room(&self) -> Result<Vec<T>> {
        filled(if self.right.reader.is_dense() { 0 } else { self.sizes[1] }, T::default())
    }

    /// All of a right factor that has one column: where it lies, or gathered once.
    pub(super) fn right_column<'s>(&'s self, at: usize, room: &'s mut [T]) -> Column<'s, T> {
        let steps = self.sizes[1];
        if !room.is_empty() {
            self.right.reader.copy(at * steps, &mut room[..steps]);
        }
        Column { side: &self.right, first: at * steps, gathered: room }
    }
}

/// A right factor of one column.
pub(super) struct Column<'a, T> {
    side: &'a Side<'a, T>,
    first: usize,
    gathered: &'a [T],
}

impl<T: Native> Column<'_, T> {
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
