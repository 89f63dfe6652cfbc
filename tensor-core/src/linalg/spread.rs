//! Where the numbers of matrices are written: one behind the other, or as an output lies. Nothing of it is read.

use crate::convert::{CastFrom, cast_slice};
use crate::raw::RawTensor;

/// How the matrices in the last two dimensions of a tensor lie: none has a number between the first and the last one of another.
#[derive(Clone, Copy, Debug)]
pub(super) struct MatrixSpread {
    /// From a matrix to the next one.
    apart: usize,
    /// From a row to the next one, and from a column to the next one.
    steps: [usize; 2],
    columns: usize,
}

impl MatrixSpread {
    /// That of a tensor with elements, unless numbers coincide or matrices lie in each other.
    pub(super) fn of(tensor: &RawTensor) -> Option<Self> {
        let (&[ref outer @ .., rows, columns], &[ref far @ .., down, across]) = (tensor.sizes(), &**tensor.strides()) else { return None };
        let [height, width] = [(rows - 1) * down, (columns - 1) * across];
        let are_lines = rows == 1 || columns == 1 || down > width || across > height;
        let mut spread = Self { apart: height + width + 1, steps: [down, across], columns };
        let coincide = |size: usize, step: usize| size > 1 && step == 0;
        if !are_lines || coincide(rows, down) || coincide(columns, across) {
            return None;
        }
        let mut next = None;
        for (&size, &stride) in outer.iter().zip(far).rev().filter(|&(&size, _)| size > 1) {
            match next {
                None if stride >= spread.apart => spread.apart = stride,
                Some(next) if stride == next => {}
                None | Some(_) => return None,
            }
            next = Some(size * stride);
        }
        Some(spread)
    }

    /// Puts the numbers of a matrix, which are in row-major order, where it lies.
    fn put<T: CastFrom<N>, N: Copy>(self, matrix: &[N], to: &mut [T]) {
        /// Rows that are written together, where neighbours are in columns.
        const SOME: usize = 16;
        let Self { steps: [down, across], columns, .. } = self;
        if across == 1 {
            matrix.chunks_exact(columns).enumerate().for_each(|(at, row)| cast_slice(row, &mut to[at * down..]));
            return;
        }
        for (at, rows) in matrix.chunks(SOME * columns).enumerate() {
            for column in 0..columns {
                let to = &mut to[at * SOME * down + column * across..];
                rows.chunks_exact(columns).enumerate().for_each(|(row, numbers)| to[row * down] = T::cast_from(numbers[column]));
            }
        }
    }
}

/// Numbers of matrices that are still to come.
pub(super) struct MatrixRoom<'a, T> {
    numbers: &'a mut [T],
    /// How they lie, where not simply one behind the other.
    spread: Option<MatrixSpread>,
}

impl<'a, T> MatrixRoom<'a, T> {
    /// One behind the other.
    pub(super) fn in_order(numbers: &'a mut [T]) -> Self {
        Self { numbers, spread: None }
    }

    /// As a tensor lies, whose first number is the first of these.
    pub(super) fn spread(numbers: &'a mut [T], spread: MatrixSpread) -> Self {
        Self { numbers, spread: Some(spread) }
    }

    /// Takes off what belongs to the first matrices, of so many numbers each.
    pub(super) fn first(&mut self, matrices: usize, each: usize) -> Self {
        let apart = self.spread.map_or(each, |spread| spread.apart);
        let count = (matrices * apart).min(self.numbers.len());
        let (numbers, rest) = std::mem::take(&mut self.numbers).split_at_mut(count);
        self.numbers = rest;
        Self { numbers, spread: self.spread }
    }

    /// Writes them, of so many numbers each, unless there is no room at all.
    pub(super) fn put<N: Copy>(self, matrices: &[N], each: usize)
    where
        T: CastFrom<N>,
    {
        match self.spread {
            _ if self.numbers.is_empty() => {}
            None => cast_slice(matrices, self.numbers),
            Some(spread) => {
                matrices.chunks_exact(each).zip(self.numbers.chunks_mut(spread.apart)).for_each(|(matrix, to)| spread.put(matrix, to));
            }
        }
    }
}
