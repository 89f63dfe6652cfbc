//! Columns of a right factor, a panel at a time: of a plane or of windows where they lie, the others packed. A panel of windows is of one of
//! their rows, so that its columns are next to each other at every step.

use std::ops::Range;

use super::factors::{Panel, StepPlaces, Tiles};
use super::pack::{Factors, Plane, place};
use crate::kernels::block::Grid;

/// That many rows of the left factor are worth packing the right one: a loop over lines that follow each other is faster.
const WORTH_PACKING: usize = 64;
/// Bytes of a right factor that stay in the first cache: there, lines with gaps are as fast.
const IN_FIRST_CACHE: usize = 1 << 15;
/// Bytes between lines that begin where the cache's own do: others are read from one of those more.
const CACHE_LINE: usize = 64;
/// Packing windows takes as long as products with that many rows of the left factor.
const PACKING: usize = 8;

/// What is read where it lies.
enum Lying<'a, T> {
    Plane(Plane<'a, T>),
    Windows { grid: Grid<'a, T>, over: usize, starts: Vec<usize> },
}

/// Some steps of some columns of a right factor, in panels.
pub(super) struct Right<'a, T> {
    columns: Range<usize>,
    /// Where the first columns lie, which come before those that are packed.
    lying: Option<Lying<'a, T>>,
    in_place: usize,
    across: usize,
    /// The steps, as a packed panel has them.
    pub(super) depth: usize,
}

impl<T: Tiles> Factors<'_, T> {
    /// Whether whole panels of the right factor are read where they lie.
    fn plane_in_place(&self) -> bool {
        let is_near = |plane: Plane<'_, T>| {
            let bytes = plane.stride.saturating_mul(size_of::<T>());
            bytes.is_multiple_of(CACHE_LINE) && self.sizes[1].saturating_mul(bytes) <= IN_FIRST_CACHE
        };
        T::GROUP == 1 && self.right_plane(0).is_some_and(|plane| self.sizes[0] < WORTH_PACKING || is_near(plane))
    }

    /// Windows whose panels are read where they lie: rows of neighbours that lie one after another, and fill panels so well that no packing
    /// would pay.
    fn windows_in_place(&self, across: usize) -> Option<(Grid<'_, T>, usize)> {
        let (grid, over) = self.right_windows()?;
        let (sizes, strides) = (&grid.sizes[..over], &grid.strides[..over]);
        let (wide, all) = (sizes[0], self.sizes[2]);
        let in_order = (1..over).all(|dim| strides[dim] >= strides[dim - 1] * sizes[dim - 1]);
        let empty = (wide.next_multiple_of(across) - wide) * (all / wide);
        (strides[0] == 1 && in_order && 2 * wide >= across && empty * self.sizes[0] <= PACKING * all).then_some((grid, over))
    }

    /// How many columns of so many are packed at most, whole panels.
    pub(super) fn packed_columns(&self, columns: usize, across: usize) -> usize {
        match self.plane_in_place() {
            true if self.sizes[2].is_multiple_of(across) => 0,
            true => across,
            // Of windows, what would end behind the last element.
            false if self.windows_in_place(across).is_some() => 2 * across,
            false => columns.next_multiple_of(across),
        }
    }
}

impl<'a, T: Tiles> Right<'a, T> {
    pub(super) fn new(factors: &'a Factors<'_, T>, across: usize, at: usize, steps: &Range<usize>, columns: &Range<usize>) -> Self {
        let mut right = Self::packed(columns.clone(), across, steps.len().next_multiple_of(T::GROUP));
        if factors.plane_in_place() {
            right.in_place = columns.len() / across * across;
            let plane = if right.in_place == 0 { None } else { factors.right_plane(at) };
            right.lying = plane.map(|plane| Lying::Plane(plane.from(steps.start, columns.start)));
        } else if let Some((grid, over)) = factors.windows_in_place(across) {
            let starts = factors.step_places(&grid, at, steps.clone());
            let (wide, farthest) = (grid.sizes[0], starts.iter().max().copied().unwrap_or_default());
            // The last panel may end behind the last element: then it is packed; all of the last two rows, where the first panel does.
            let row = ((columns.end - 1) / wide * wide).max(columns.start);
            let last = row + (columns.end - 1 - row) / across * across;
            let end = |panel| farthest + place(&grid.sizes[..over], &grid.strides[..over], panel) + across;
            right.in_place = match [columns.start, last].map(|panel| end(panel) <= grid.elements.len()) {
                [false, _] => 0,
                [true, false] => last - columns.start,
                [true, true] => columns.len(),
            };
            right.lying = Some(Lying::Windows { grid, over, starts });
        }
        right
    }

    /// All of them packed.
    pub(super) fn packed(columns: Range<usize>, across: usize, depth: usize) -> Self {
        Self { columns, lying: None, in_place: 0, across, depth }
    }

    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn packed_columns(&self) -> Range<usize> {
        self.columns.start + self.in_place..self.columns.end
    }

    /// How much of a room the panels take.
    pub(super) fn room(&self) -> usize {
        self.packed_columns().len().next_multiple_of(self.across) * self.depth
    }

    /// The panel that begins with a column, and how many columns it has.
    #[inline(always)]
    pub(super) fn panel<'s>(&'s self, packed: &'s [T], column: usize) -> (usize, Panel<'s, T>) {
        let columns = self.across.min(self.columns.len() - column);
        match &self.lying {
            Some(Lying::Plane(plane)) if column < self.in_place => {
                (columns, Panel { elements: &plane.elements[column..], steps: StepPlaces::Apart(plane.stride) })
            }
            Some(Lying::Windows { grid, over, starts }) if column < self.in_place => {
                let number = self.columns.start + column;
                let columns = columns.min(grid.sizes[0] - number % grid.sizes[0]);
                let first = place(&grid.sizes[..*over], &grid.strides[..*over], number);
                (columns, Panel { elements: &grid.elements[first..], steps: StepPlaces::Listed(starts) })
            }
            _ => {
                let elements = &packed[(column - self.in_place) * self.depth..][..self.across * self.depth];
                (columns, Panel { elements, steps: StepPlaces::Apart(self.across * T::GROUP) })
            }
        }
    }
}
