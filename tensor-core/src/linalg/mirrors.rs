//! Any matrix as columns at right angles and an upper triangle, by mirrors: some are put together, so that what is left is read once for all of them.

use std::cmp::Ordering;

use super::columns::{dot, mirror, mirrored};
use super::groups::{Change, GROUP, change_all};
use super::matrix::MatrixOf;
use super::number::MatrixNumber;
use crate::error::Result;
use crate::product::Panels;
use crate::room::filled;

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
        let along = Panels::new(height, count, |row, column| at(row, column).conj())?;
        let off = Panels::new(count, height, |column, row| at(row, column))?;
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

/// An upper triangle, and below its diagonal the mirrors that make it of a matrix, of which a one on the diagonal isn't written; with the factor of
/// each.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn mirrors<N: MatrixNumber>(matrix: MatrixOf<N>) -> Result<(MatrixOf<N>, Vec<N>)> {
    let steps = matrix.rows.min(matrix.columns);
    let mut both = matrix;
    let mut factors = filled(steps, N::default())?;
    for start in (0..steps).step_by(SOME) {
        let end = (start + SOME).min(steps);
        for at in start..end {
            let Some((factor, target)) = mirror(&mut both.column_mut(at)[at..]) else { continue };
            factors[at] = factor;
            for later in at + 1..end {
                let [own, column] = both.pair(at, later);
                mirrored(&mut column[at..], &own[at..], factor.conj());
            }
            *both.at_mut(at, at) = N::from(target);
        }
        if end < both.columns {
            let together = Mirrors::new(&both, start, 0, &factors[start..end], true)?;
            let rows = both.rows;
            change_all(both.split(end).1, rows, &together);
        }
    }
    Ok((both, factors))
}

/// Columns of length 1 at right angles, and the upper triangle that with them gives a matrix; as many columns as are asked for.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn orthogonal<N: MatrixNumber>(matrix: MatrixOf<N>, columns: usize) -> Result<(MatrixOf<N>, MatrixOf<N>)> {
    let (both, factors) = mirrors(matrix)?;
    Ok((turned(&both, &factors, columns, 0)?, upper(&both, columns)?))
}

/// So many rows of the upper triangle.
///
/// # Errors
/// Where there is no memory.
pub(super) fn upper<N: MatrixNumber>(both: &MatrixOf<N>, rows: usize) -> Result<MatrixOf<N>> {
    MatrixOf::of(rows, both.columns, |row, column| if row <= column { both.at(row, column) } else { N::default() })
}

/// The first columns of what mirrors make together, of which each begins some rows below the diagonal.
///
/// # Errors
/// Where there is no memory.
pub(super) fn turned<N: MatrixNumber>(mirrors: &MatrixOf<N>, factors: &[N], columns: usize, below: usize) -> Result<MatrixOf<N>> {
    let one = |row, column| N::from(f64::from(u8::from(row == column)));
    let start = MatrixOf::of(mirrors.rows, columns, one)?;
    // Columns before are still those of the identity, with zeros there.
    turned_on(mirrors, factors, below, start, |first| columns.min(first + below))
}

/// What mirrors make of a matrix, of whose columns those from one on are changed by the mirrors from each on.
///
/// # Errors
/// Where there is no memory.
pub(super) fn turned_on<N: MatrixNumber>(
    mirrors: &MatrixOf<N>,
    factors: &[N],
    below: usize,
    mut matrix: MatrixOf<N>,
    from: impl Fn(usize) -> usize,
) -> Result<MatrixOf<N>> {
    for start in (0..factors.len()).step_by(SOME).rev() {
        let some = &factors[start..factors.len().min(start + SOME)];
        let together = Mirrors::new(mirrors, start, below, some, false)?;
        change_all(matrix.split(from(start)).1, mirrors.rows, &together);
    }
    Ok(matrix)
}
