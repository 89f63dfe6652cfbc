//! Triangular factors: of any square matrix with rows that change places, and of a positive one by Cholesky's way. Systems of equations are solved
//! with them. Some columns are taken off all others before the next ones are: by products, and while they are in the caches.

use std::ops::Range;

use latten_elements::loops::level::{Job, vectorised};

use super::columns::Columns;
use super::groups::{Change, GROUP, change_all};
use super::matrix::MatrixOf;
use super::number::MatrixNumber;
use crate::error::Result;
use crate::kernels::turn::panel;
use crate::product::Panels;
use crate::room::filled;

/// Columns that are taken off all others together, and those that are taken off these first.
const NEAR: usize = 32;
const NEXT: usize = 8;
/// Fewer columns are solved one after the other.
const FEW: usize = 4;

/// A matrix whose rows were put into an order: below the diagonal what was taken off, from there on what is left.
#[derive(Debug)]
pub(crate) struct TriangularFactors<N> {
    pub(crate) both: MatrixOf<N>,
    /// Which later row, or itself, each row changed places with, one after the other.
    pub(crate) pivots: Vec<usize>,
    /// The first place of the diagonal that is zero.
    pub(crate) singular: Option<usize>,
}

/// The triangular factors of a matrix, by the largest number of each column; complex ones are as large as their parts together, as LAPACK has it.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn factors<N: MatrixNumber>(mut both: MatrixOf<N>) -> Result<TriangularFactors<N>> {
    let (rows, steps) = (both.rows, both.rows.min(both.columns));
    let (mut pivots, mut singular) = (filled(steps, 0)?, None);
    for at in 0..steps {
        let (near, off) = (at - at % NEAR, at - at % NEXT);
        let (before, [column]) = both.before(at);
        exchange(column, &pivots, off..at);
        before.forward(off..at, column);
        let large = |row: usize| column[row].l1_norm();
        let top = (at..rows).rev().max_by(|&x, &y| large(x).total_cmp(&large(y))).unwrap_or(at);
        pivots[at] = if large(top) == 0.0 { at } else { top };
        if large(top) == 0.0 {
            singular = singular.or(Some(at));
        } else {
            if top != at {
                (0..=at).for_each(|column| both.column_mut(column).swap(at, top));
            }
            let pivot = both.at(at, at);
            both.column_mut(at)[at + 1..].iter_mut().for_each(|x| *x = x.over(pivot));
        }
        let next = at + 1;
        let (triangle, later) = both.split(next);
        if next % NEAR == 0 || next == steps {
            take_off(triangle, Some(&pivots), near..next, later)?;
        } else if next % NEXT == 0 {
            take_off(triangle, Some(&pivots), off..next, &mut later[..((near + NEAR).min(steps) - next) * rows])?;
        }
    }
    Ok(TriangularFactors { both, pivots, singular })
}

/// Has rows change places, as some of the steps say.
fn exchange<N>(column: &mut [N], pivots: &[usize], steps: Range<usize>) {
    steps.for_each(|row| column.swap(row, pivots[row]));
}

/// Takes some columns of a lower triangle off others, whose rows change places first as those of the triangle did in these steps.
fn take_off<N: MatrixNumber>(triangle: Columns<'_, N>, pivots: Option<&[usize]>, steps: Range<usize>, others: &mut [N]) -> Result<()> {
    if others.is_empty() {
        return Ok(());
    }
    let end = steps.end;
    let off = Panels::new(steps.len(), triangle.rows - end, |step, row| triangle.at(end + row, steps.start + step))?;
    change_all(others, triangle.rows, &Solve { triangle, steps, off, lower: true, pivots });
    Ok(())
}

/// Solves with some columns of a triangle. A lower one has ones on its diagonal.
struct Solve<'a, N> {
    triangle: Columns<'a, N>,
    steps: Range<usize>,
    /// What is taken off the rows that come later.
    off: Panels<N>,
    lower: bool,
    /// How rows change places before.
    pivots: Option<&'a [usize]>,
}

impl<N: MatrixNumber> Change<N> for Solve<'_, N> {
    fn effort(&self) -> usize {
        self.steps.len()
    }

    fn change(&self, _: usize, columns: &mut [N], rows: usize) {
        let (count, steps, start) = (columns.len() / rows, self.steps.len(), self.steps.start);
        if let Some(pivots) = self.pivots {
            columns.chunks_exact_mut(rows).for_each(|column| exchange(column, pivots, self.steps.clone()));
        }
        let mut lines = [[N::default(); GROUP]; NEAR];
        let lines = &mut lines[..steps];
        panel((&columns[start..], rows), [count, steps], 1, (lines.as_flattened_mut(), GROUP));
        let triangle = &self.triangle.numbers[start * rows..];
        vectorised(Substitution { triangle, rows, start, lines, lower: self.lower });
        panel((lines.as_flattened(), GROUP), [steps, count], 1, (&mut columns[start..], rows));
        let mut often = [N::default(); GROUP * NEAR];
        lines.as_flattened_mut().iter_mut().for_each(|x| *x = -*x);
        panel((lines.as_flattened(), GROUP), [steps, count], 1, (&mut often, steps));
        let first = if self.lower { self.steps.end } else { 0 };
        self.off.add(0, count, (&often, steps), (&mut columns[first..], rows));
    }
}

/// Solves for several columns at once, of which each row lies together.
struct Substitution<'a, N> {
    /// From the first column on, of so many rows; it begins in that row.
    triangle: &'a [N],
    rows: usize,
    start: usize,
    lines: &'a mut [[N; GROUP]],
    /// A lower triangle has ones on its diagonal.
    lower: bool,
}

impl<N: MatrixNumber> Job for Substitution<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { triangle, rows, start, lines, lower } = self;
        let steps = lines.len();
        for step in 0..steps {
            let at = if lower { step } else { steps - 1 - step };
            let often = &triangle[at * rows + start..][..steps];
            let mut own = lines[at];
            if !lower {
                for column in 0..GROUP {
                    own[column] = own[column].over(often[at]);
                }
                lines[at] = own;
            }
            let others = if lower { at + 1..steps } else { 0..at };
            for other in others {
                let (often, line) = (-often[other], &mut lines[other]);
                for column in 0..GROUP {
                    line[column] = line[column].plus_product(often, own[column]);
                }
            }
        }
    }
}

impl<N: MatrixNumber> TriangularFactors<N> {
    /// What is on the diagonal, with the signs of the changes of rows.
    fn signed_diagonal(&self) -> impl Iterator<Item = N> {
        self.pivots.iter().enumerate().map(|(at, &pivot)| if pivot == at { self.both.at(at, at) } else { -self.both.at(at, at) })
    }

    pub(crate) fn determinant(&self) -> N {
        self.signed_diagonal().product()
    }

    /// The determinant as a number of length 1 and the logarithm of the other factor.
    pub(crate) fn logarithm_of_determinant(&self) -> (N, f64) {
        let (mut sign, mut size) = (N::from(1.0), 0.0);
        for number in self.signed_diagonal() {
            let length = number.norm();
            sign = if length == 0.0 { N::default() } else { sign * (number / length) };
            size += length.ln();
        }
        (sign, size)
    }

    /// What gives the columns of a matrix, multiplied by this one.
    ///
    /// # Errors
    /// Where there is no memory.
    pub(crate) fn solve(&self, mut right: MatrixOf<N>) -> Result<MatrixOf<N>> {
        let (triangle, size) = (self.both.all(), self.both.rows);
        if right.columns < FEW {
            for column in right.split(0).1.chunks_exact_mut(size.max(1)) {
                exchange(column, &self.pivots, 0..size);
                triangle.forward(0..size, column);
                triangle.backward(column);
            }
            return Ok(right);
        }
        // The triangle is as all steps left it, and so are the rows of the sides.
        right.split(0).1.chunks_exact_mut(size.max(1)).for_each(|column| exchange(column, &self.pivots, 0..size));
        let some = |first: usize| first..(first + NEAR).min(size);
        for first in (0..size).step_by(NEAR) {
            take_off(triangle, None, some(first), right.split(0).1)?;
        }
        for first in (0..size).step_by(NEAR).rev() {
            let steps = some(first);
            let off = Panels::new(steps.len(), first, |step, row| triangle.at(row, first + step))?;
            change_all(right.split(0).1, size, &Solve { triangle, steps, off, lower: false, pivots: None });
        }
        Ok(right)
    }
}

/// The lower triangle that times its adjoint is a matrix, or the first place where there is none.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn cholesky<N: MatrixNumber>(matrix: &MatrixOf<N>) -> Result<(MatrixOf<N>, Option<usize>)> {
    let size = matrix.rows;
    let mut lower = MatrixOf::of(size, size, |row, column| if row >= column { matrix.at(row, column) } else { N::default() })?;
    let mut often = [N::default(); NEAR];
    for at in 0..size {
        let near = at - at % NEAR;
        (near..at).zip(&mut often).for_each(|(column, often)| *often = lower.at(at, column).conj());
        let (before, [column]) = lower.before(at);
        before.subtract_all(near, &often[..at - near], &mut column[at..], at);
        column[..at].fill(N::default());
        let number = column[at].real();
        if number.is_nan() || number <= 0.0 {
            (at..size).for_each(|column| lower.column_mut(column)[..column].fill(N::default()));
            return Ok((lower, Some(at)));
        }
        let root = number.sqrt();
        column[at..].iter_mut().for_each(|x| *x /= root);
        let next = at + 1;
        if next % NEAR == 0 && next < size {
            let (columns, later) = lower.split(next);
            let off = Panels::new(NEAR, size - next, |step, row| columns.at(next + row, near + step))?;
            change_all(later, size, &TakeSquares { columns, steps: near..next, off });
        }
    }
    Ok((lower, None))
}

/// Takes columns of a lower triangle, times their conjugates, off the square that is left.
struct TakeSquares<'a, N> {
    columns: Columns<'a, N>,
    steps: Range<usize>,
    off: Panels<N>,
}

impl<N: MatrixNumber> Change<N> for TakeSquares<'_, N> {
    fn effort(&self) -> usize {
        self.steps.len()
    }

    fn change(&self, first: usize, columns: &mut [N], rows: usize) {
        let (count, end) = (columns.len() / rows, self.steps.end);
        let mut often = [N::default(); GROUP * NEAR];
        for (at, often) in often.chunks_exact_mut(NEAR).take(count).enumerate() {
            often.iter_mut().zip(self.steps.clone()).for_each(|(to, step)| *to = -self.columns.at(end + first + at, step).conj());
        }
        // Above that nothing is looked at.
        let start = Panels::<N>::panel(first);
        self.off.add(start, count, (&often, NEAR), (&mut columns[end + start..], rows));
    }
}
