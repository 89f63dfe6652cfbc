//! Eigenvalues and vectors of any square matrix: it is turned until it is a triangle, by mirrors down to one diagonal below the first, and then
//! by steps of products whose factors change sides (with Wilkinson's shifts; those of real numbers are in `francis`).

use super::C;
use super::columns::{NOTHING, mirror, mirrored, square, subtract};
use super::matrix::{ComplexMatrix, MatrixOf};
use super::number::{LARGE, MatrixNumber};
use crate::error::Result;
use crate::room::{filled, listed, room};

/// Eigenvalues, and the vectors that belong to them as columns of length 1.
pub(super) struct Eigen {
    pub(super) values: Vec<C>,
    pub(super) vectors: ComplexMatrix,
}

/// Steps for each eigenvalue, at most.
pub(super) const STEPS: usize = 60;

/// After more of them what is nothing beside the whole matrix counts for nothing: equal eigenvalues aren't told apart any better.
pub(super) const PATIENCE: usize = 15;

/// A number whose matrices are turned into triangles.
pub(super) trait Turnable: MatrixNumber {
    /// A matrix that is zero below the diagonal beside its own one as a triangle, and what turned it; or nothing, where there is no end of it.
    fn triangle(matrix: MatrixOf<Self>, turned: MatrixOf<Self>, whole: f64) -> Result<Option<[ComplexMatrix; 2]>>;
    /// Makes the vectors of pairs of conjugate values conjugates, and those of real ones real, where the matrix is.
    fn pair(values: &[C], vectors: &mut ComplexMatrix);
}

impl Turnable for C {
    fn triangle(mut matrix: ComplexMatrix, mut turned: ComplexMatrix, whole: f64) -> Result<Option<[ComplexMatrix; 2]>> {
        let (mut last, mut steps) = (matrix.rows.saturating_sub(1), 0);
        while last > 0 {
            let first = (1..=last).rev().find(|&at| is_nothing(&mut matrix, at, if steps > PATIENCE { whole } else { 0.0 })).unwrap_or(0);
            if first == last {
                (last, steps) = (last - 1, 0);
                continue;
            }
            if steps == STEPS {
                return Ok(None);
            }
            steps += 1;
            let shift =
                if steps % 10 == 0 { Self::from(matrix.at(last, last - 1).norm()) + matrix.at(last, last) } else { near(&matrix, last) };
            step(&mut matrix, &mut turned, (first, last), shift)?;
        }
        Ok(Some([matrix, turned]))
    }

    fn pair(_: &[C], _: &mut ComplexMatrix) {}
}

/// The eigenvalues of a square matrix, or nothing where none are found.
///
/// # Errors
/// Where there is no memory.
pub(super) fn eigen<N: Turnable>(mut matrix: MatrixOf<N>) -> Result<Option<Eigen>> {
    let size = matrix.rows;
    let scale = matrix.scale();
    let mut turned = MatrixOf::identity(size)?;
    let whole = (0..size).map(|at| square(matrix.column(at))).sum::<f64>().sqrt();
    for at in 0..size.saturating_sub(2) {
        clear(&mut matrix, &mut turned, at)?;
    }
    let Some([triangle, turned]) = N::triangle(matrix, turned, whole)? else { return Ok(None) };
    let mut values = filled(size, C::default())?;
    values.iter_mut().enumerate().for_each(|(at, value)| *value = triangle.at(at, at) / scale);
    let mut vectors = vectors(&triangle, &turned, whole)?;
    N::pair(&values, &mut vectors);
    Ok(Some(Eigen { values, vectors }))
}

/// Makes nothing of a column below its second diagonal.
fn clear<N: MatrixNumber>(matrix: &mut MatrixOf<N>, turned: &mut MatrixOf<N>, at: usize) -> Result<()> {
    let (size, next) = (matrix.rows, at + 1);
    let mut normal = listed(matrix.column(at)[next..].iter().copied())?;
    let Some((factor, target)) = mirror(&mut normal) else { return Ok(()) };
    let column = &mut matrix.column_mut(at)[next..];
    column.fill(N::default());
    column[0] = N::from(target);
    mirrored(matrix.split(next).1, size, next, &normal, factor.conj());
    let often = listed(normal.iter().map(|&number| -(number * factor)))?;
    for side in [matrix, turned] {
        let mut across = filled(size, N::default())?;
        side.all().subtract_all(next, &often, &mut across, 0);
        (next..size).for_each(|column| subtract(side.column_mut(column), [normal[column - next].conj()], [&across]));
    }
    Ok(())
}

/// Whether what stands beside the diagonal counts for nothing, next to the diagonal or to a number; then it is.
pub(super) fn is_nothing<N: MatrixNumber>(matrix: &mut MatrixOf<N>, at: usize, whole: f64) -> bool {
    let beside = matrix.at(at - 1, at - 1).norm() + matrix.at(at, at).norm();
    let nothing = matrix.at(at, at - 1).norm() <= (f64::EPSILON * beside.max(whole)).max(NOTHING);
    if nothing {
        *matrix.at_mut(at, at - 1) = N::default();
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
    if far.norm() > 0.0 { d - (b * c).over(far) } else { d }
}

/// One step for the rows and columns from the first to the last: the factors of what is left of them after a shift, in the other order.
fn step(matrix: &mut ComplexMatrix, turned: &mut ComplexMatrix, (first, last): (usize, usize), shift: C) -> Result<()> {
    let size = matrix.rows;
    let mut turns: Vec<(C, C)> = room(last - first)?;
    (first..=last).for_each(|at| *matrix.at_mut(at, at) -= shift);
    for at in first..size {
        let column = matrix.column_mut(at);
        for (row, &(cosine, sine)) in (first..).zip(&turns) {
            let (x, y) = (column[row], column[row + 1]);
            column[row] = cosine.conj() * x + sine.conj() * y;
            column[row + 1] = cosine * y - sine * x;
        }
        if at < last {
            let (x, y) = (column[at], column[at + 1]);
            let length = x.norm().hypot(y.norm());
            let (cosine, sine) = if length > 0.0 { (x / length, y / length) } else { (C::from(1.0), C::default()) };
            turns.push((cosine, sine));
            column[at] = cosine.conj() * x + sine.conj() * y;
            column[at + 1] = cosine * y - sine * x;
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
        // Less, because it is taken off.
        let mut own = filled(at + 1, C::default())?;
        own[at] = C::from(-1.0);
        own[..at].iter_mut().zip(triangle.column(at)).for_each(|(to, &x)| *to = x);
        for row in (0..at).rev() {
            let apart = triangle.at(row, row) - triangle.at(at, at);
            own[row] = own[row].over(if apart.norm() < least { C::from(least) } else { apart });
            // Equal eigenvalues without vectors of their own: only the direction counts.
            if own[row].l1_norm() > 1e100 {
                own.iter_mut().for_each(|x| *x /= LARGE);
            }
            let (before, number) = own.split_at_mut(row);
            subtract(before, [number[0]], [&triangle.column(row)[..row]]);
        }
        let column = found.column_mut(at);
        column.fill(C::default());
        turned.all().subtract_all(0, &own, column, 0);
        let largest = column.iter().copied().max_by(|x, y| x.norm().total_cmp(&y.norm())).unwrap_or_default();
        let factor = largest.conj() / (largest.norm() * square(column).sqrt());
        column.iter_mut().for_each(|x| *x *= factor);
    }
    Ok(found)
}
