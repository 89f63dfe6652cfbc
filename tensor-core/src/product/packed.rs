//! A right factor that is packed once and multiplied with many rows: what decompositions take off the columns that are left.

use super::factors::Tiles;
use super::gemm::{NarrowTiles, ProductBlock, WideTiles, tile_of};
use super::pack::Plane;
use super::panels::Right;
use crate::error::Result;
use crate::kernels::level::by_width;
use crate::room::filled;

/// A factor in panels.
pub(crate) struct Panels<T> {
    numbers: Vec<T>,
    steps: usize,
    columns: usize,
}

impl<T: Tiles<Sum = T, Means = ()>> Panels<T> {
    /// Packs a number for each step and column.
    ///
    /// # Errors
    /// Where there is no memory.
    pub(crate) fn new(steps: usize, columns: usize, number: impl Fn(usize, usize) -> T) -> Result<Self> {
        let across = tile_of::<T>().1;
        let mut numbers = filled(columns.next_multiple_of(across) * steps, T::default())?;
        for first in (0..columns).step_by(across) {
            let panel = &mut numbers[first * steps..];
            for step in 0..steps {
                let own = &mut panel[step * across..][..across.min(columns - first)];
                own.iter_mut().zip(first..).for_each(|(to, column)| *to = number(step, column));
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
