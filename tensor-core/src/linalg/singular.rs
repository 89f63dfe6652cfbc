//! Singular values, by Jacobi's way from one side: pairs of columns are turned until all stand at right angles.

use super::matrix::{MatrixNumber, MatrixOf, dot, rotate, square, subtract};
use crate::error::Result;
use crate::room::filled;

/// A matrix as `left * values * right`, of which the left one has columns, and the right one rows, of length 1 at right angles.
#[derive(Debug)]
pub(crate) struct Singular<N> {
    pub(crate) left: MatrixOf<N>,
    pub(crate) values: Vec<f64>,
    /// The adjoint of the right factor.
    pub(crate) right: MatrixOf<N>,
}

/// More sweeps change nothing.
const SWEEPS: usize = 60;

/// The singular values of a matrix, the largest first, and the vectors that belong to them.
///
/// # Errors
/// Where there is no memory for them.
pub(crate) fn singular<N: MatrixNumber>(matrix: MatrixOf<N>) -> Result<Singular<N>> {
    if matrix.columns > matrix.rows {
        let Singular { left, values, right } = of_tall(matrix.adjoint()?)?;
        return Ok(Singular { left: right, values, right: left });
    }
    of_tall(matrix)
}

fn of_tall<N: MatrixNumber>(mut left: MatrixOf<N>) -> Result<Singular<N>> {
    let count = left.columns;
    let mut right = MatrixOf::identity(count)?;
    for _ in 0..SWEEPS {
        let mut turned = false;
        for first in 0..count {
            for second in first + 1..count {
                turned |= turn(&mut left, &mut right, first, second);
            }
        }
        if !turned {
            break;
        }
    }
    let (mut order, mut values) = (filled(count, 0)?, filled(count, 0.0)?);
    let length = |at: usize| square(left.column(at)).sqrt();
    order.iter_mut().enumerate().for_each(|(at, place)| *place = at);
    order.sort_by(|&x, &y| length(y).total_cmp(&length(x)));
    values.iter_mut().zip(&order).for_each(|(value, &at)| *value = length(at));
    let (mut left, right) = (left.picked(&order)?, right.picked(&order)?);
    let least = values.first().copied().unwrap_or(0.0) * f64::EPSILON * 0.01;
    for (at, &value) in values.iter().enumerate() {
        if value > least {
            left.column_mut(at).iter_mut().for_each(|x| *x /= value);
        } else {
            complete(&mut left, at)?;
        }
    }
    Ok(Singular { left, values, right })
}

/// Turns two columns so that they stand at right angles, and says whether they didn't.
fn turn<N: MatrixNumber>(left: &mut MatrixOf<N>, right: &mut MatrixOf<N>, first: usize, second: usize) -> bool {
    let (own, there) = (square(left.column(first)), square(left.column(second)));
    let product = dot(left.column(first), left.column(second));
    let size = product.norm();
    if size <= f64::EPSILON * (own * there).sqrt() || size < 1e-200 || !size.is_finite() {
        return false;
    }
    let phase = product / size;
    let slope = (there - own) / (2.0 * size);
    let tangent = slope.signum() / (slope.abs() + slope.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = cosine * tangent;
    for matrix in [left, right] {
        rotate(matrix.pair(first, second), phase.conj(), [cosine, sine]);
    }
    true
}

/// A matrix with further columns of length 1, all at right angles.
pub(super) fn completed<N: MatrixNumber>(matrix: MatrixOf<N>, columns: usize) -> Result<MatrixOf<N>> {
    if columns == matrix.columns {
        return Ok(matrix);
    }
    let own = matrix.columns;
    let mut wide = MatrixOf::of(matrix.rows, columns, |row, column| if column < own { matrix.at(row, column) } else { N::default() })?;
    (own..columns).try_for_each(|at| complete(&mut wide, at))?;
    Ok(wide)
}

/// Makes a column of length 1 at right angles to those before it.
fn complete<N: MatrixNumber>(matrix: &mut MatrixOf<N>, at: usize) -> Result<()> {
    let rows = matrix.rows;
    for unit in 0..rows {
        let mut column = filled(rows, N::default())?;
        column[unit] = N::from(1.0);
        for before in (0..2).flat_map(|_| 0..at) {
            let before = matrix.column(before);
            let share = dot(before, &column);
            subtract(&mut column, share, before);
        }
        let length = square(&column).sqrt();
        if length > 0.1 / (rows as f64).sqrt() {
            matrix.column_mut(at).iter_mut().zip(column).for_each(|(to, x)| *to = x / length);
            break;
        }
    }
    Ok(())
}
