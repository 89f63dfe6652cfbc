//! Triangular factors: of any square matrix with rows that change places, of a positive one by Cholesky's way, and of any matrix behind columns
//! at right angles. Systems of equations are solved with them.

use std::ops::Range;

use super::columns::{TOGETHER, mirror, mirrored};
use super::matrix::MatrixOf;
use super::number::MatrixNumber;
use crate::error::Result;
use crate::room::filled;

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
    // Up to where the columns before are taken off already.
    let mut off = 0;
    for at in 0..both.columns {
        if at % TOGETHER == 0 {
            off = 0;
            if at + TOGETHER <= both.columns {
                off = at.min(steps);
                let (before, mut targets) = both.before::<TOGETHER>(at);
                targets.iter_mut().for_each(|column| exchange(column, &pivots, 0..off));
                before.forward(0..off, targets, true);
            }
        }
        let known = at.min(steps);
        let (before, [column]) = both.before(at);
        exchange(column, &pivots, off..known);
        before.forward(off..known, [&mut *column], true);
        if at >= steps {
            continue;
        }
        let large = |row: usize| column[row].l1_norm();
        let top = (at..rows).rev().max_by(|&x, &y| large(x).total_cmp(&large(y))).unwrap_or(at);
        pivots[at] = top;
        if large(top) == 0.0 {
            pivots[at] = at;
            singular = singular.or(Some(at));
            continue;
        }
        if top != at {
            (0..=at).for_each(|column| both.column_mut(column).swap(at, top));
        }
        let pivot = both.at(at, at);
        both.column_mut(at)[at + 1..].iter_mut().for_each(|x| *x = x.over(pivot));
    }
    Ok(TriangularFactors { both, pivots, singular })
}

/// Has rows change places, as some of the steps say.
fn exchange<N>(column: &mut [N], pivots: &[usize], steps: Range<usize>) {
    steps.for_each(|row| column.swap(row, pivots[row]));
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
    pub(crate) fn solve(&self, mut right: MatrixOf<N>) -> MatrixOf<N> {
        let several = right.columns - right.columns % TOGETHER;
        (0..several).step_by(TOGETHER).for_each(|at| self.solve_some(right.before::<TOGETHER>(at).1));
        (several..right.columns).for_each(|at| self.solve_some(right.before::<1>(at).1));
        right
    }

    fn solve_some<const T: usize>(&self, mut columns: [&mut [N]; T]) {
        columns.iter_mut().for_each(|column| exchange(column, &self.pivots, 0..self.pivots.len()));
        self.both.all().forward(0..self.both.rows, columns.each_mut().map(|column| &mut **column), true);
        self.both.all().backward(columns, false);
    }
}

/// The lower triangle that times its adjoint is a matrix, or the first place where there is none.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn cholesky<N: MatrixNumber>(matrix: &MatrixOf<N>) -> Result<(MatrixOf<N>, Option<usize>)> {
    let size = matrix.rows;
    let mut lower = MatrixOf::of(size, size, |row, column| if row >= column { matrix.at(row, column) } else { N::default() })?;
    let mut often = filled(size, N::default())?;
    for at in 0..size {
        often[..at].iter_mut().enumerate().for_each(|(column, often)| *often = lower.at(at, column).conj());
        let (before, [column]) = lower.before(at);
        before.subtract_all(0, &often[..at], &mut column[at..], at);
        let number = column[at].real();
        if number.is_nan() || number <= 0.0 {
            return Ok((lower, Some(at)));
        }
        let root = number.sqrt();
        column[at..].iter_mut().for_each(|x| *x /= root);
    }
    Ok((lower, None))
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
    for at in 0..steps {
        let Some((factor, target)) = mirror(&mut both.column_mut(at)[at..]) else { continue };
        factors[at] = factor;
        for later in at + 1..both.columns {
            let [own, column] = both.pair(at, later);
            mirrored(&mut column[at..], &own[at..], factor.conj());
        }
        *both.at_mut(at, at) = N::from(target);
    }
    Ok((both, factors))
}

/// Columns of length 1 at right angles, and the upper triangle that with them gives a matrix; as many columns as are asked for.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn orthogonal<N: MatrixNumber>(matrix: MatrixOf<N>, columns: usize) -> Result<(MatrixOf<N>, MatrixOf<N>)> {
    let (mut both, factors) = mirrors(matrix)?;
    let triangle = MatrixOf::of(columns, both.columns, |row, column| if row <= column { both.at(row, column) } else { N::default() })?;
    factors.iter().enumerate().for_each(|(at, _)| *both.at_mut(at, at) = N::from(1.0));
    Ok((turned(&both, &factors, columns, 0)?, triangle))
}

/// The first columns of what mirrors make together, of which each begins some rows below the diagonal, and has its one there.
///
/// # Errors
/// Where there is no memory.
pub(super) fn turned<N: MatrixNumber>(mirrors: &MatrixOf<N>, factors: &[N], columns: usize, below: usize) -> Result<MatrixOf<N>> {
    let one = |row, column| N::from(f64::from(u8::from(row == column)));
    let mut turned = MatrixOf::of(mirrors.rows, columns, one)?;
    for (at, &factor) in factors.iter().enumerate().rev().filter(|(_, factor)| **factor != N::default()) {
        let mirror = &mirrors.column(at)[at + below..];
        // Columns before are still those of the identity, with zeros there.
        (at + below..columns).for_each(|column| mirrored(&mut turned.column_mut(column)[at + below..], mirror, factor));
    }
    Ok(turned)
}
