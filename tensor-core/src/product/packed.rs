//! A right factor that is packed once and multiplied with many rows: what decompositions take off the columns that are left.

use super::factors::Tiles;
use super::gemm::{NarrowTiles, ProductBlock, WideTiles, tile_of};
use super::pack::Plane;
use super::panels::Right;
use crate::error::Result;
use crate::kernels::level::by_width;
use crate::storage::Workspace;

/// A factor in panels.
pub(crate) struct Panels<T> {
    numbers: Workspace<T>,
    steps: usize,
    columns: usize,
}

impl<T: Tiles<Sum = T, Means = ()>> Panels<T> {
    /// Packs what a function writes for each step: so many neighbouring columns, from the first of them on.
    ///
    /// # Errors
    /// Where there is no memory.
    pub(crate) fn new(steps: usize, columns: usize, line: impl Fn(usize, usize, &mut [T])) -> Result<Self> {
        let across = tile_of::<T>().1;
        let mut numbers = Workspace::new(columns.next_multiple_of(across) * steps)?;
        for first in (0..columns).step_by(across) {
            let panel = &mut numbers[first * steps..];
            for step in 0..steps {
                let (own, none) = panel[step * across..][..across].split_at_mut(across.min(columns - first));
                line(step, first, own);
                none.fill(T::default());
            }
        }
        Ok(Self { numbers, steps, columns })
    }

    /// The first column of the panel in which a column is.
    pub(crate) fn panel(column: usize) -> usize {
        column - column % tile_of::<T>().1
    }

    /// Adds the product of so many rows, which lie so far apart, to rows that lie so far apart: of the columns from a panel's first one on.
    pub(crate) fn add(&self, first: usize, rows: usize, (left, far): (&[T], usize), (out, stride): (&mut [T], usize)) {
        let right = Right::packed(first..self.columns, tile_of::<T>().1, self.steps);
        let (left, packed) = (Plane { elements: left, stride: far }, &self.numbers[first * self.steps..]);
        by_width(
            ProductBlock { means: (), left, rows, steps: self.steps, right: &right, packed, out, stride, first: false },
            WideTiles,
            NarrowTiles,
        );
    }
}
