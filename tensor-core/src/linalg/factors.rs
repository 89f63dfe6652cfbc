//! Triangular factors: of any square matrix with rows that change places, and of a positive one by Cholesky's way. Systems of equations are solved
//! with them. Some columns are taken off all others before the next ones are: by products, and while they are in the caches.

use std::ops::Range;

use latten_elements::loops::level::{Job, vectorised};

use super::columns::Columns;
use super::factoring::Factoring;
use super::few::{self, FewRows};
use super::groups::{Change, GROUP, change_all};
use super::matrix::MatrixOf;
use super::number::MatrixNumber;
use crate::error::Result;
use crate::kernels::turn::panel;
use crate::product::Panels;
use crate::room::refill;

/// Columns that are taken off all others together, and those that are taken off these first.
const NEAR: usize = 32;
const NEXT: usize = 8;
/// Fewer columns are solved one after the other.
const FEW: usize = 4;

/// What makes the factors of matrices of so many rows and columns.
pub(super) fn making<N: MatrixNumber>(rows: usize, columns: usize) -> Box<dyn Factoring<N>> {
    match rows {
        1..=4 if rows == columns => Box::new(FewRows::<N, 4>::new(rows)),
        5..=8 if rows == columns => Box::new(FewRows::<N, 8>::new(rows)),
        9..=16 if rows == columns => Box::new(FewRows::<N, 16>::new(rows)),
        _ => Box::new(TriangularFactors::new(rows, columns)),
    }
}

/// Those of any matrix, a column behind the other.
struct TriangularFactors<N> {
    both: MatrixOf<N>,
    pivots: Vec<usize>,
    singular: Option<usize>,
    sides: MatrixOf<N>,
}

impl<N: MatrixNumber> Factoring<N> for TriangularFactors<N> {
    fn factor(&mut self, numbers: &[N]) -> Result<()> {
        let Self { both, pivots, singular, .. } = self;
        both.refill(numbers)?;
        let (rows, steps) = (both.rows, both.rows.min(both.columns));
        refill(pivots, steps, 0)?;
        *singular = None;
        for at in 0..steps {
            let (near, off) = (at - at % NEAR, at - at % NEXT);
            let (before, [column]) = both.before(at);
            exchange(column, pivots, off..at);
            before.forward(off..at, column);
            let large = |row: usize| column[row].l1_norm();
            let top = (at..rows).rev().max_by(|&x, &y| large(x).total_cmp(&large(y))).unwrap_or(at);
            pivots[at] = if large(top) == 0.0 { at } else { top };
            if large(top) == 0.0 {
                *singular = singular.or(Some(at));
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
                take_off(triangle, Some(&pivots[..]), near..next, later)?;
            } else if next % NEXT == 0 {
                take_off(triangle, Some(&pivots[..]), off..next, &mut later[..((near + NEAR).min(steps) - next) * rows])?;
            }
        }
        Ok(())
    }

    fn put(&self, to: &mut [N]) {
        self.both.put(to);
    }

    fn diagonal(&self, at: usize) -> N {
        self.both.at(at, at)
    }

    fn pivots(&self) -> &[usize] {
        &self.pivots
    }

    fn singular(&self) -> Option<usize> {
        self.singular
    }

    fn solve(&mut self, sides: &mut [N], columns: usize) -> Result<()> {
        self.sides.columns = columns;
        self.sides.refill(sides)?;
        self.substitute()?;
        self.sides.put(sides);
        Ok(())
    }

    fn invert(&mut self, to: &mut [N]) -> Result<()> {
        self.sides.columns = self.sides.rows;
        self.sides.remake_identity()?;
        self.substitute()?;
        self.sides.put(to);
        Ok(())
    }
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
    let line = |step, first, to: &mut [N]| to.copy_from_slice(triangle.part(steps.start + step, end + first..end + first + to.len()));
    let off = Panels::new(steps.len(), triangle.rows - end, line)?;
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
    const fn new(rows: usize, columns: usize) -> Self {
        Self { both: MatrixOf::unmade(rows, columns), pivots: Vec::new(), singular: None, sides: MatrixOf::unmade(rows, 0) }
    }

    /// Makes what gives the sides, multiplied by the matrix, of these.
    fn substitute(&mut self) -> Result<()> {
        let Self { both, pivots, sides, .. } = self;
        let (triangle, size) = (both.all(), both.rows);
        // The triangle is as all steps left it, and so are the rows of the sides.
        sides.split(0).1.chunks_exact_mut(size.max(1)).for_each(|column| exchange(column, pivots, 0..size));
        if sides.columns < FEW {
            for column in sides.split(0).1.chunks_exact_mut(size.max(1)) {
                triangle.forward(0..size, column);
                triangle.backward(column);
            }
            return Ok(());
        }
        let some = |first: usize| first..(first + NEAR).min(size);
        for first in (0..size).step_by(NEAR) {
            take_off(triangle, None, some(first), sides.split(0).1)?;
        }
        for first in (0..size).step_by(NEAR).rev() {
            let steps = some(first);
            let line = |step, row, to: &mut [N]| to.copy_from_slice(triangle.part(first + step, row..row + to.len()));
            let off = Panels::new(steps.len(), first, line)?;
            change_all(sides.split(0).1, size, &Solve { triangle, steps, off, lower: false, pivots: None });
        }
        Ok(())
    }
}

/// Makes a lower triangle of a matrix in row-major order, of which only that one is looked at: it gives the matrix, times its adjoint. What comes out
/// is the first place where there is none. Where it is made there is memory for the next one.
///
/// # Errors
/// Where there is no memory.
pub(super) fn cholesky<N: MatrixNumber>(memory: &mut MatrixOf<N>, numbers: &mut [N]) -> Result<Option<usize>> {
    let size = memory.rows;
    match size {
        1..=4 => Ok(few::cholesky::<N, 4>(numbers, size)),
        5..=8 => Ok(few::cholesky::<N, 8>(numbers, size)),
        9..=16 => Ok(few::cholesky::<N, 16>(numbers, size)),
        _ => {
            memory.refill(numbers)?;
            let found = lower(memory)?;
            memory.put(numbers);
            Ok(found)
        }
    }
}

/// The same where the matrix is, a column behind the other.
fn lower<N: MatrixNumber>(lower: &mut MatrixOf<N>) -> Result<Option<usize>> {
    let size = lower.rows;
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
            return Ok(Some(at));
        }
        let root = number.sqrt();
        column[at..].iter_mut().for_each(|x| *x /= root);
        let next = at + 1;
        if next % NEAR == 0 && next < size {
            let (columns, later) = lower.split(next);
            let line = |step, row, to: &mut [N]| to.copy_from_slice(columns.part(near + step, next + row..next + row + to.len()));
            let off = Panels::new(NEAR, size - next, line)?;
            change_all(later, size, &TakeSquares { columns, steps: near..next, off });
        }
    }
    Ok(None)
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
