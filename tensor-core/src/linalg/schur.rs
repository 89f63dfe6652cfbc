//! Eigenvalues and vectors of any square matrix: it is turned until it is a triangle, by mirrors down to one diagonal below the first, and then
//! by steps of products whose factors change sides (Francis' way, with Wilkinson's shifts).

use super::C;
use super::columns::{dot, square, subtract};
use super::matrix::ComplexMatrix;
use crate::error::Result;
use crate::room::{filled, room};

/// Eigenvalues, and the vectors that belong to them as columns of length 1.
pub(super) struct Eigen {
    pub(super) values: Vec<C>,
    pub(super) vectors: ComplexMatrix,
}

/// Steps for each eigenvalue, at most.
const STEPS: usize = 60;

/// The eigenvalues of a square matrix, or nothing where none are found.
///
/// # Errors
/// Where there is no memory.
pub(super) fn eigen(mut matrix: ComplexMatrix, is_real: bool) -> Result<Option<Eigen>> {
    let size = matrix.rows;
    let mut turned = ComplexMatrix::identity(size)?;
    let whole = (0..size).map(|at| square(matrix.column(at))).sum::<f64>().sqrt();
    for at in 0..size.saturating_sub(2) {
        mirror(&mut matrix, &mut turned, at)?;
    }
    let (mut last, mut steps) = (size.saturating_sub(1), 0);
    while last > 0 {
        let first = (1..=last).rev().find(|&at| is_nothing(&mut matrix, at)).unwrap_or(0);
        if first == last {
            (last, steps) = (last - 1, 0);
            continue;
        }
        if steps == STEPS {
            return Ok(None);
        }
        steps += 1;
        let shift = if steps % 10 == 0 { C::from(matrix.at(last, last - 1).norm()) + matrix.at(last, last) } else { near(&matrix, last) };
        step(&mut matrix, &mut turned, (first, last), shift)?;
    }
    let mut values = filled(size, C::default())?;
    for (at, value) in values.iter_mut().enumerate() {
        *value = matrix.at(at, at);
        if is_real && value.im.abs() <= 16.0 * f64::EPSILON * whole {
            value.im = 0.0;
        }
    }
    let vectors = vectors(&matrix, &turned, whole)?;
    Ok(Some(Eigen { values, vectors }))
}

/// Makes nothing of a column below its second diagonal.
fn mirror(matrix: &mut ComplexMatrix, turned: &mut ComplexMatrix, at: usize) -> Result<()> {
    let size = matrix.rows;
    let mut normal = filled(size, C::default())?;
    normal[at + 1..].copy_from_slice(&matrix.column(at)[at + 1..]);
    let length = square(&normal).sqrt();
    if length == 0.0 {
        return Ok(());
    }
    let head = normal[at + 1];
    normal[at + 1] += if head.norm() > 0.0 { head / head.norm() * length } else { C::from(length) };
    let scale = 2.0 / square(&normal);
    for column in at..size {
        let share = dot(&normal, matrix.column(column)) * scale;
        subtract(matrix.column_mut(column), [share], [&normal]);
    }
    for side in [matrix, turned] {
        for row in 0..size {
            let share = (at + 1..size).map(|column| side.at(row, column) * normal[column]).sum::<C>() * scale;
            (at + 1..size).for_each(|column| *side.at_mut(row, column) -= share * normal[column].conj());
        }
    }
    Ok(())
}

/// Whether what stands beside the diagonal counts for nothing; then it is.
fn is_nothing(matrix: &mut ComplexMatrix, at: usize) -> bool {
    let beside = matrix.at(at - 1, at - 1).norm() + matrix.at(at, at).norm();
    let nothing = matrix.at(at, at - 1).norm() <= f64::EPSILON * beside.max(f64::MIN_POSITIVE);
    if nothing {
        *matrix.at_mut(at, at - 1) = C::default();
    }
    nothing
}

/// The eigenvalue of the last two rows and columns that is nearer to the last element.
fn near(matrix: &ComplexMatrix, last: usize) -> C {
    let (a, b) = (matrix.at(last - 1, last - 1), matrix.at(last - 1, last));
    let (c, d) = (matrix.at(last, last - 1), matrix.at(last, last));
    let half = (a - d) / 2.0;
    let root = (half * half + b * c).sqrt();
    let far = if (half.conj() * root).re < 0.0 { half - root } else { half + root };
    if far.norm() > 0.0 { d - b * c / far } else { d }
}

/// One step for the rows and columns from the first to the last: the factors of what is left of them after a shift, in the other order.
fn step(matrix: &mut ComplexMatrix, turned: &mut ComplexMatrix, (first, last): (usize, usize), shift: C) -> Result<()> {
    let size = matrix.rows;
    let mut turns = room(last - first)?;
    (first..=last).for_each(|at| *matrix.at_mut(at, at) -= shift);
    for at in first..last {
        let (x, y) = (matrix.at(at, at), matrix.at(at + 1, at));
        let length = x.norm().hypot(y.norm());
        let (cosine, sine) = if length > 0.0 { (x / length, y / length) } else { (C::from(1.0), C::default()) };
        turns.push((cosine, sine));
        for column in at..size {
            let (x, y) = (matrix.at(at, column), matrix.at(at + 1, column));
            *matrix.at_mut(at, column) = cosine.conj() * x + sine.conj() * y;
            *matrix.at_mut(at + 1, column) = cosine * y - sine * x;
        }
    }
    for (at, (cosine, sine)) in (first..).zip(turns) {
        for (side, rows) in [(&mut *matrix, at + 2), (&mut *turned, size)] {
            let [xs, ys] = side.pair(at, at + 1);
            for (x, y) in xs[..rows].iter_mut().zip(ys) {
                let old = *x;
                *x = old * cosine + *y * sine;
                *y = *y * cosine.conj() - old * sine.conj();
            }
        }
    }
    (first..=last).for_each(|at| *matrix.at_mut(at, at) += shift);
    Ok(())
}

/// The vectors of a triangle, turned back. The largest number of each is real.
fn vectors(triangle: &ComplexMatrix, turned: &ComplexMatrix, whole: f64) -> Result<ComplexMatrix> {
    let size = triangle.rows;
    let least = (f64::EPSILON * whole).max(f64::MIN_POSITIVE);
    let mut found = ComplexMatrix::identity(size)?;
    for at in 0..size {
        let mut own = filled(size, C::default())?;
        own[at] = C::from(1.0);
        for row in (0..at).rev() {
            let sum: C = (row + 1..=at).map(|column| triangle.at(row, column) * own[column]).sum();
            let apart = triangle.at(row, row) - triangle.at(at, at);
            own[row] = -sum / if apart.norm() < least { C::from(least) } else { apart };
        }
        let column = found.column_mut(at);
        for (row, to) in column.iter_mut().enumerate() {
            *to = (0..=at).map(|inner| turned.at(row, inner) * own[inner]).sum();
        }
        let largest = column.iter().copied().max_by(|x, y| x.norm().total_cmp(&y.norm())).unwrap_or_default();
        let factor = largest.conj() / (largest.norm() * square(column).sqrt());
        column.iter_mut().for_each(|x| *x *= factor);
    }
    Ok(found)
}
