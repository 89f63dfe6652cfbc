//! Singular values: mirrors from both sides leave two diagonals, whose turns from both sides (by Golub's way) leave one.

use super::columns::{clear_beside, is_nothing, mirror, mirrored, rotate, rotate_all, subtract, turn};
use super::matrix::{MatrixOf, Vectors, places};
use super::mirrors::{mirrors, turned, turned_on, upper};
use super::number::MatrixNumber;
use crate::error::Result;
use crate::room::{filled, listed, room};

/// How many times as many rows as columns are worth that.
const TALL: usize = 2;

/// A matrix as `left * values * right`, of which the left one has columns, and the right one rows, of length 1 at right angles.
#[derive(Debug)]
pub(crate) struct Singular<N> {
    pub(crate) left: MatrixOf<N>,
    pub(crate) values: Vec<f64>,
    /// The adjoint of the right factor.
    pub(crate) right: MatrixOf<N>,
}

/// The singular values of a matrix, the largest first, and the vectors that belong to them.
///
/// # Errors
/// Where there is no memory for them.
pub(crate) fn singular<N: MatrixNumber>(matrix: MatrixOf<N>, wanted: Vectors) -> Result<Singular<N>> {
    if matrix.columns > matrix.rows {
        let Singular { left, values, right } = of_tall(matrix.adjoint()?, wanted)?;
        return Ok(Singular { left: right, values, right: left });
    }
    of_tall(matrix, wanted)
}

fn of_tall<N: MatrixNumber>(mut matrix: MatrixOf<N>, wanted: Vectors) -> Result<Singular<N>> {
    let scale = matrix.scale();
    // Of a much taller matrix those of the triangle that mirrors leave of it: these are taken off by products.
    if matrix.rows > TALL * matrix.columns && wanted != Vectors::All {
        let (mut factors, steps) = (Vec::new(), matrix.columns);
        mirrors(&mut matrix, steps, &mut factors)?;
        let mut triangle = MatrixOf::unmade(steps, steps);
        upper(&matrix, &mut triangle)?;
        let Singular { left, mut values, right } = of_tall(triangle, wanted)?;
        values.iter_mut().for_each(|value| *value /= scale);
        if wanted == Vectors::None {
            return Ok(Singular { left, values, right });
        }
        let small = left;
        let mut left =
            MatrixOf::of(matrix.rows, small.columns, |row, column| if row < small.rows { small.at(row, column) } else { N::default() })?;
        turned_on(&matrix, &factors, 0, &mut left, |_| 0)?;
        return Ok(Singular { left, values, right });
    }
    let mut two = TwoDiagonals::of(&mut matrix, wanted)?;
    two.solve();
    let TwoDiagonals { middle, mut left, mut right, .. } = two;
    for (at, _) in middle.iter().enumerate().filter(|(_, value)| value.is_sign_negative()) {
        right.column_mut(at).iter_mut().for_each(|x| *x = -*x);
    }
    let mut order = places(middle.len(), |&x, &y| middle[y].abs().total_cmp(&middle[x].abs()))?;
    let values = listed(order.iter().map(|&at| middle[at].abs() / scale))?;
    right = right.picked(&order)?;
    order.extend(order.len()..left.columns);
    left = left.picked(&order)?;
    Ok(Singular { left, values, right })
}

/// A matrix of real numbers that is zero but for its diagonal and what is above that, and what it was made by.
struct TwoDiagonals<N> {
    middle: Vec<f64>,
    above: Vec<f64>,
    left: MatrixOf<N>,
    right: MatrixOf<N>,
    /// The turns of a step, of the left columns and the right ones.
    turns: [Vec<[f64; 2]>; 2],
}

impl<N: MatrixNumber> TwoDiagonals<N> {
    fn of(matrix: &mut MatrixOf<N>, wanted: Vectors) -> Result<Self> {
        let (rows, size) = (matrix.rows, matrix.columns);
        let steps = size.saturating_sub(1);
        let (mut middle, mut above) = (filled(size, 0.0)?, filled(steps, 0.0)?);
        let (mut left, mut right) = (filled(size, N::default())?, filled(steps, N::default())?);
        // Mirrors of rows, as columns.
        let mut lying = MatrixOf::identity(size)?;
        let (mut across, mut often) = (filled(rows, N::default())?, room(size)?);
        for at in 0..size {
            let next = at + 1;
            middle[at] = matrix.at(at, at).real();
            if let Some((factor, target)) = mirror(&mut matrix.column_mut(at)[at..]) {
                (middle[at], left[at]) = (target, factor);
                let (before, later) = matrix.split(next);
                mirrored(later, rows, at, before.part(at, at..rows), factor.conj());
            }
            if next == size {
                break;
            }
            let row = &mut lying.column_mut(at)[next..];
            row.iter_mut().zip(next..).for_each(|(x, column)| *x = matrix.at(at, column).conj());
            above[at] = row[0].real();
            let Some((factor, target)) = mirror(row) else { continue };
            (above[at], right[at]) = (target, factor);
            let across = &mut across[next..];
            across.fill(N::default());
            often.clear();
            often.extend(row.iter().map(|&share| -(share * factor)));
            matrix.all().subtract_all(next, &often, across, next);
            for (column, &share) in (next..).zip(&*row) {
                subtract(&mut matrix.column_mut(column)[next..], [share.conj()], [across]);
            }
        }
        let columns = if wanted == Vectors::All { rows } else { size };
        let (left_columns, right_columns) = (MatrixOf::without_rows(size), MatrixOf::without_rows(size));
        let mut own = Self { middle, above, left: left_columns, right: right_columns, turns: [room(steps)?, room(steps)?] };
        if wanted != Vectors::None {
            (own.left, own.right) = (MatrixOf::unmade(rows, columns), MatrixOf::unmade(size, size));
            turned(matrix, &left, 0, &mut own.left)?;
            turned(&lying, &right, 1, &mut own.right)?;
        }
        Ok(own)
    }

    /// Makes zeros above the diagonal, and turns the vectors with it.
    fn solve(&mut self) {
        let largest = self.middle.iter().chain(&self.above).fold(0.0, |most: f64, number| most.max(number.abs()));
        let nothing = f64::EPSILON * largest;
        let step = |own: &mut Self, first: usize, last: usize| match (first..=last).rev().find(|&at| own.middle[at].abs() <= nothing) {
            Some(at) if at == last => own.clear_column(first, last),
            Some(at) => own.clear_row(at, last),
            None => own.step(first, last),
        };
        clear_beside(self, self.middle.len(), Self::is_nothing, step);
    }

    /// Whether a number above the diagonal counts for nothing; then it is.
    fn is_nothing(&mut self, at: usize) -> bool {
        let nothing = is_nothing(self.above[at], [self.middle[at], self.middle[at + 1]]);
        if nothing {
            self.above[at] = 0.0;
        }
        nothing
    }

    /// Turns rows until nothing is right of a zero on the diagonal.
    fn clear_row(&mut self, zero: usize, last: usize) {
        self.middle[zero] = 0.0;
        let mut out = std::mem::take(&mut self.above[zero]);
        for at in zero + 1..=last {
            let ([cosine, sine], length) = turn(self.middle[at], out);
            self.middle[at] = length;
            if at < last {
                out = -sine * self.above[at];
                self.above[at] *= cosine;
            }
            let [own, other] = self.left.pair(zero, at);
            rotate([other, own], [cosine, sine]);
        }
    }

    /// Turns columns until nothing is above a zero at the end of the diagonal.
    fn clear_column(&mut self, first: usize, zero: usize) {
        self.middle[zero] = 0.0;
        let mut out = std::mem::take(&mut self.above[zero - 1]);
        for at in (first..zero).rev() {
            let ([cosine, sine], length) = turn(self.middle[at], out);
            self.middle[at] = length;
            if at > first {
                out = -sine * self.above[at - 1];
                self.above[at - 1] *= cosine;
            }
            rotate(self.right.pair(at, zero), [cosine, sine]);
        }
    }

    /// Turns columns and rows from the first to the last so that what is above the last one gets smaller.
    fn step(&mut self, first: usize, last: usize) {
        let (own, end) = (self.middle[last - 1], self.middle[last]);
        let before = if last - 1 > first { self.above[last - 2] } else { 0.0 };
        let beside = own * self.above[last - 1];
        let corner = end * end + self.above[last - 1] * self.above[last - 1];
        let half = (own * own + before * before - corner) / 2.0;
        let far = half + half.hypot(beside).copysign(half);
        let shift = if far == 0.0 { corner } else { corner - beside * (beside / far) };
        // What the first number is multiplied by is in both: nothing overflows.
        let (mut x, mut out) = (self.middle[first] - shift / self.middle[first], self.above[first]);
        self.turns.iter_mut().for_each(Vec::clear);
        for at in first..last {
            let ([cosine, sine], length) = turn(x, out);
            if at > first {
                self.above[at - 1] = length;
            }
            x = cosine * self.middle[at] + sine * self.above[at];
            self.above[at] = cosine * self.above[at] - sine * self.middle[at];
            out = sine * self.middle[at + 1];
            self.middle[at + 1] *= cosine;
            self.turns[1].push([cosine, sine]);
            let ([cosine, sine], length) = turn(x, out);
            self.middle[at] = length;
            x = cosine * self.above[at] + sine * self.middle[at + 1];
            self.middle[at + 1] = cosine * self.middle[at + 1] - sine * self.above[at];
            self.above[at] = x;
            if at + 1 < last {
                out = sine * self.above[at + 1];
                self.above[at + 1] *= cosine;
            }
            self.turns[0].push([cosine, sine]);
        }
        for (columns, turns) in [&mut self.left, &mut self.right].into_iter().zip(&self.turns) {
            let rows = columns.rows;
            rotate_all(columns.split(first).1, rows, turns);
        }
    }
}
