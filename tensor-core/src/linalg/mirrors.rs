//! Any matrix as columns at right angles and an upper triangle, by mirrors: some are put together, so that what is left is read once for all of them.

use std::cmp::Ordering;

use super::columns::{dot, mirror, mirrored};
use super::groups::{Change, GROUP, change_all};
use super::matrix::MatrixOf;
use super::number::MatrixNumber;
use crate::error::Result;
use crate::product::Panels;
use crate::room::refill;

/// Mirrors that are put together.
const SOME: usize = 16;

/// Mirrors as one: what it takes off a column is its part along them, each weighed by what those beside it leave.
struct Mirrors<N> {
    /// The row in which the first one begins.
    first: usize,
    count: usize,
    along: Panels<N>,
    off: Panels<N>,
    weights: [[N; SOME]; SOME],
}

impl<N: MatrixNumber> Mirrors<N> {
    /// Some columns below a diagonal, or below a diagonal below it, with their factors. The adjoint has them in the other order.
    fn new(mirrors: &MatrixOf<N>, start: usize, below: usize, factors: &[N], adjoint: bool) -> Result<Self> {
        let (count, first) = (factors.len(), start + below);
        let height = mirrors.rows - first;
        let at = |row: usize, column: usize| match row.cmp(&column) {
            Ordering::Less => N::default(),
            Ordering::Equal => N::from(1.0),
            Ordering::Greater => mirrors.at(first + row, start + column),
        };
        let mut weights = [[N::default(); SOME]; SOME];
        for last in 0..count {
            let own = &mirrors.column(start + last)[first + last + 1..];
            let mut shares = [N::default(); SOME];
            for (other, share) in shares[..last].iter_mut().enumerate() {
                let other = &mirrors.column(start + other)[first + last..];
                *share = other[0].conj() + dot(&other[1..], own);
            }
            for row in 0..last {
                let sum: N = (row..last).map(|other| weights[row][other] * shares[other]).sum();
                weights[row][last] = -(factors[last] * sum);
            }
            weights[last][last] = factors[last];
        }
        if adjoint {
            let other = weights;
            (0..SOME).for_each(|row| (0..SOME).for_each(|column| weights[row][column] = other[column][row].conj()));
        }
        let across = |row, first, to: &mut [N]| to.iter_mut().zip(first..).for_each(|(to, column)| *to = at(row, column).conj());
        let down = |column, first, to: &mut [N]| {
            if first > column {
                to.copy_from_slice(&mirrors.column(start + column)[mirrors.rows - height + first..][..to.len()]);
            } else {
                to.iter_mut().zip(first..).for_each(|(to, row)| *to = at(row, column));
            }
        };
        let (along, off) = (Panels::new(height, count, across)?, Panels::new(count, height, down)?);
        Ok(Self { first, count, along, off, weights })
    }
}

impl<N: MatrixNumber> Change<N> for Mirrors<N> {
    fn effort(&self) -> usize {
        2 * self.count
    }

    fn change(&self, _: usize, columns: &mut [N], rows: usize) {
        let (mut parts, mut often) = ([N::default(); GROUP * SOME], [N::default(); GROUP * SOME]);
        let (count, own) = (columns.len() / rows, self.count);
        self.along.add(0, count, (&columns[self.first..], rows), (&mut parts, own));
        for (parts, often) in parts.chunks_exact(own).zip(often.chunks_exact_mut(own)).take(count) {
            for (often, weights) in often.iter_mut().zip(&self.weights) {
                *often = -parts.iter().zip(weights).map(|(&part, &weight)| weight * part).sum::<N>();
            }
        }
        self.off.add(0, count, (&often, own), (&mut columns[self.first..], rows));
    }
}

/// Whether mirrors are taken one after the other: to put so few together takes longer.
fn is_little(rows: usize, columns: usize) -> bool {
    rows <= SOME && columns <= 2 * SOME
}

/// Makes an upper triangle of the first columns of a matrix, as many as are said, and below its diagonal the mirrors that do so, of which a one on the
/// diagonal isn't written; with the factor of each. The columns behind are mirrored, too.
///
/// # Errors
/// Where there is no memory.
pub(super) fn mirrors<N: MatrixNumber>(both: &mut MatrixOf<N>, steps: usize, factors: &mut Vec<N>) -> Result<()> {
    let (rows, columns) = (both.rows, both.columns);
    refill(factors, steps, N::default())?;
    let little = is_little(rows, columns);
    for start in (0..steps).step_by(SOME) {
        let end = (start + SOME).min(steps);
        let near = if little { columns } else { end };
        for at in start..end {
            let Some((factor, target)) = mirror(&mut both.column_mut(at)[at..]) else { continue };
            factors[at] = factor;
            let (before, later) = both.split(at + 1);
            mirrored(&mut later[..(near - at - 1) * rows], rows, at, before.part(at, at..rows), factor.conj());
            *both.at_mut(at, at) = N::from(target);
        }
        if near < columns {
            let together = Mirrors::new(both, start, 0, &factors[start..end], true)?;
            change_all(both.split(end).1, rows, &together);
        }
    }
    Ok(())
}

/// Makes the rows of the upper triangle, as many as that has.
///
/// # Errors
/// Where there is no memory.
pub(super) fn upper<N: MatrixNumber>(both: &MatrixOf<N>, triangle: &mut MatrixOf<N>) -> Result<()> {
    triangle.remake(|row, column| if row <= column { both.at(row, column) } else { N::default() })
}

/// Makes the first columns of what mirrors are together, of which each begins some rows below the diagonal.
///
/// # Errors
/// Where there is no memory.
pub(super) fn turned<N: MatrixNumber>(mirrors: &MatrixOf<N>, factors: &[N], below: usize, matrix: &mut MatrixOf<N>) -> Result<()> {
    matrix.remake_identity()?;
    let columns = matrix.columns;
    // Columns before are still those of the identity, with zeros there.
    turned_on(mirrors, factors, below, matrix, |first| columns.min(first + below))
}

/// What mirrors make of a matrix, of whose columns those from one on are changed by the mirrors from each on.
///
/// # Errors
/// Where there is no memory.
pub(super) fn turned_on<N: MatrixNumber>(
    mirrors: &MatrixOf<N>,
    factors: &[N],
    below: usize,
    matrix: &mut MatrixOf<N>,
    from: impl Fn(usize) -> usize,
) -> Result<()> {
    let rows = mirrors.rows;
    if is_little(rows, matrix.columns) {
        for (at, &factor) in factors.iter().enumerate().rev() {
            let (first, mut own) = (at + below, [N::default(); SOME]);
            let own = &mut own[..rows - first];
            own.copy_from_slice(&mirrors.column(at)[first..]);
            own[0] = N::from(1.0);
            mirrored(matrix.split(from(at)).1, rows, first, own, factor);
        }
        return Ok(());
    }
    for start in (0..factors.len()).step_by(SOME).rev() {
        let some = &factors[start..factors.len().min(start + SOME)];
        let together = Mirrors::new(mirrors, start, below, some, false)?;
        change_all(matrix.split(from(start)).1, rows, &together);
    }
    Ok(())
}
