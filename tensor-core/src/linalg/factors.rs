//! Triangular factors: of any square matrix with rows that change places, of a positive one by Cholesky's way, and of any matrix behind columns
//! at right angles. Systems of equations are solved with them.

use super::matrix::{MatrixNumber, MatrixOf, dot, rotate, square, subtract};
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
    let (size, steps) = (both.rows, both.rows.min(both.columns));
    let (mut pivots, mut singular) = (filled(steps, 0)?, None);
    for at in 0..steps {
        let large = |row: usize| both.at(row, at).l1_norm();
        let top = (at..size).rev().max_by(|&x, &y| large(x).total_cmp(&large(y))).unwrap_or(at);
        pivots[at] = top;
        if large(top) == 0.0 {
            pivots[at] = at;
            singular = singular.or(Some(at));
            continue;
        }
        if top != at {
            (0..both.columns).for_each(|column| both.column_mut(column).swap(at, top));
        }
        let pivot = both.at(at, at);
        both.column_mut(at)[at + 1..].iter_mut().for_each(|x| *x /= pivot);
        for later in at + 1..both.columns {
            let [own, column] = both.pair(at, later);
            let often = column[at];
            subtract(&mut column[at + 1..], often, &own[at + 1..]);
        }
    }
    Ok(TriangularFactors { both, pivots, singular })
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
        for at in 0..right.columns {
            let column = right.column_mut(at);
            self.pivots.iter().enumerate().for_each(|(at, &pivot)| column.swap(at, pivot));
            forward(&self.both, column, true);
            backward(&self.both, column, false);
        }
        right
    }
}

/// Solves with the lower triangle of a matrix, whose diagonal counts as ones, or as what it is.
pub(super) fn forward<N: MatrixNumber>(lower: &MatrixOf<N>, column: &mut [N], ones: bool) {
    for at in 0..column.len() {
        if !ones {
            column[at] /= lower.at(at, at);
        }
        let number = column[at];
        subtract(&mut column[at + 1..], number, &lower.column(at)[at + 1..]);
    }
}

/// The same with the upper triangle.
pub(super) fn backward<N: MatrixNumber>(upper: &MatrixOf<N>, column: &mut [N], ones: bool) {
    for at in (0..column.len()).rev() {
        if !ones {
            column[at] /= upper.at(at, at);
        }
        let number = column[at];
        subtract(&mut column[..at], number, &upper.column(at)[..at]);
    }
}

/// The lower triangle that times its adjoint is a matrix, or the first place where there is none.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn cholesky<N: MatrixNumber>(matrix: &MatrixOf<N>) -> Result<(MatrixOf<N>, Option<usize>)> {
    let size = matrix.rows;
    let mut lower = MatrixOf::of(size, size, |row, column| if row >= column { matrix.at(row, column) } else { N::default() })?;
    for at in 0..size {
        let number = lower.at(at, at).real();
        if number.is_nan() || number <= 0.0 {
            return Ok((lower, Some(at)));
        }
        let root = number.sqrt();
        lower.column_mut(at)[at..].iter_mut().for_each(|x| *x /= root);
        for later in at + 1..size {
            let [own, column] = lower.pair(at, later);
            let often = own[later].conj();
            subtract(&mut column[later..], often, &own[later..]);
        }
    }
    Ok((lower, None))
}

/// An upper triangle, and below its diagonal the mirrors that make it of a matrix, of which a one on the diagonal isn't written; with the factor of
/// each. As LAPACK makes them, so that the signs are its signs.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn mirrors<N: MatrixNumber>(matrix: MatrixOf<N>) -> Result<(MatrixOf<N>, Vec<N>)> {
    let steps = matrix.rows.min(matrix.columns);
    let mut both = matrix;
    let mut factors = filled(steps, N::default())?;
    for at in 0..steps {
        let first = both.at(at, at);
        let below = square(&both.column(at)[at + 1..]);
        if below == 0.0 && first.is_real() {
            continue;
        }
        let length = (first.norm_sqr() + below).sqrt();
        let target = if first.real() >= 0.0 { -length } else { length };
        factors[at] = (N::from(target) - first) / target;
        let scale = N::from(1.0) / (first - N::from(target));
        let own = &mut both.column_mut(at)[at..];
        own[0] = N::from(1.0);
        own[1..].iter_mut().for_each(|x| *x *= scale);
        for later in at + 1..both.columns {
            let [mirror, column] = both.pair(at, later);
            mirrored(&mut column[at..], &mirror[at..], factors[at].conj());
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
    let mut left = MatrixOf::of(both.rows, columns, |row, column| N::from(f64::from(u8::from(row == column))))?;
    for (at, &factor) in factors.iter().enumerate().rev() {
        *both.at_mut(at, at) = N::from(1.0);
        for column in 0..columns {
            mirrored(&mut left.column_mut(column)[at..], &both.column(at)[at..], factor);
        }
    }
    Ok((left, triangle))
}

/// A column less its part along a mirror's.
fn mirrored<N: MatrixNumber>(column: &mut [N], mirror: &[N], factor: N) {
    let share = dot(mirror, column) * factor;
    subtract(column, share, mirror);
}

/// The eigenvalues of a matrix that is its own adjoint, the smallest first, and the vectors that belong to them: by turns of two dimensions.
///
/// # Errors
/// Where there is no memory.
pub(crate) fn symmetric<N: MatrixNumber>(mut matrix: MatrixOf<N>) -> Result<(Vec<f64>, MatrixOf<N>)> {
    let size = matrix.rows;
    let mut vectors = MatrixOf::identity(size)?;
    for _ in 0..60 {
        let mut turned = false;
        for first in 0..size {
            for second in first + 1..size {
                turned |= turn(&mut matrix, &mut vectors, first, second);
            }
        }
        if !turned {
            break;
        }
    }
    let mut order = filled(size, 0)?;
    order.iter_mut().enumerate().for_each(|(at, place)| *place = at);
    order.sort_by(|&x, &y| matrix.at(x, x).real().total_cmp(&matrix.at(y, y).real()));
    let mut values = filled(size, 0.0)?;
    values.iter_mut().zip(&order).for_each(|(value, &at)| *value = matrix.at(at, at).real());
    Ok((values, vectors.picked(&order)?))
}

/// Turns two dimensions so that they have nothing in common, and says whether they had.
fn turn<N: MatrixNumber>(matrix: &mut MatrixOf<N>, vectors: &mut MatrixOf<N>, first: usize, second: usize) -> bool {
    let beside = matrix.at(first, second);
    let size = beside.norm();
    // What is that small changes no digit, and a quotient of such numbers has none.
    let least = 1e-17 * (matrix.at(first, first).real().abs() + matrix.at(second, second).real().abs());
    if size <= least.max(1e-200) || !size.is_finite() {
        return false;
    }
    let phase = beside / size;
    let slope = (matrix.at(second, second).real() - matrix.at(first, first).real()) / (2.0 * size);
    let tangent = (if slope >= 0.0 { 1.0 } else { -1.0 }) / (slope.abs() + slope.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = cosine * tangent;
    for turned in [&mut *matrix, vectors] {
        rotate(turned.pair(first, second), phase.conj(), [cosine, sine]);
    }
    for column in 0..matrix.columns {
        let (old, other) = (matrix.at(first, column), matrix.at(second, column) * phase);
        *matrix.at_mut(first, column) = old * cosine - other * sine;
        *matrix.at_mut(second, column) = old * sine + other * cosine;
    }
    true
}
