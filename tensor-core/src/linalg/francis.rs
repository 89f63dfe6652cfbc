//! Real matrices as real triangles, but for two rows and columns of each pair of conjugate eigenvalues: steps with both shifts of a pair at once
//! (Francis' way), so that all numbers stay real and pairs are conjugates to the last digit.

use std::ops::Range;

use super::C;
use super::columns::{rotate, square, turn};
use super::matrix::{ComplexMatrix, MatrixOf};
use super::number::MatrixNumber;
use super::schur::{PATIENCE, STEPS, Turnable, is_nothing};
use crate::error::Result;

/// After so many steps, other shifts are tried.
const STUCK: usize = 10;

/// A matrix that is zero below the diagonal beside its own one, and what turned it.
struct RealTriangle {
    matrix: MatrixOf<f64>,
    turned: MatrixOf<f64>,
}

impl Turnable for f64 {
    fn triangle(matrix: MatrixOf<Self>, turned: MatrixOf<Self>, whole: f64) -> Result<Option<[ComplexMatrix; 2]>> {
        let mut turning = RealTriangle { matrix, turned };
        if turning.solve(whole) { turning.triangle().map(Some) } else { Ok(None) }
    }

    fn pair(values: &[C], vectors: &mut ComplexMatrix) {
        for (at, value) in values.iter().enumerate() {
            if value.im == 0.0 {
                let own = vectors.column_mut(at);
                own.iter_mut().for_each(|x| x.im = 0.0);
                let length = square(own).sqrt();
                own.iter_mut().for_each(|x| *x /= length);
            } else if value.im < 0.0 {
                let [own, other] = vectors.pair(at - 1, at);
                other.iter_mut().zip(own).for_each(|(to, x)| *to = x.conj());
            }
        }
    }
}

/// A mirror of two or three numbers: what makes a number and zeros of them.
struct SmallMirror<const T: usize> {
    normal: [f64; T],
    factor: f64,
}

impl<const T: usize> SmallMirror<T> {
    fn of(numbers: [f64; T]) -> Option<Self> {
        let largest = numbers.iter().fold(0.0, |most: f64, number| most.max(number.abs()));
        if !(largest > 0.0 && largest.is_finite()) {
            return None;
        }
        let mut normal = numbers.map(|number| number / largest);
        let length = normal.iter().map(|number| number * number).sum::<f64>().sqrt().copysign(normal[0]);
        let first = normal[0] + length;
        normal.iter_mut().for_each(|number| *number /= first);
        normal[0] = 1.0;
        Some(Self { normal, factor: first / length })
    }

    /// Mirrors some rows of columns.
    fn rows(&self, matrix: &mut MatrixOf<f64>, row: usize, columns: Range<usize>) {
        for column in columns {
            let own = &mut matrix.column_mut(column)[row..][..T];
            let share = self.factor * own.iter().zip(&self.normal).map(|(x, y)| x * y).sum::<f64>();
            own.iter_mut().zip(&self.normal).for_each(|(x, y)| *x -= share * y);
        }
    }

    /// Mirrors as many columns, as far as some rows.
    fn columns(&self, matrix: &mut MatrixOf<f64>, column: usize, rows: usize) {
        let columns = matrix.before::<T>(column).1.map(|column| &mut column[..rows]);
        for row in 0..rows {
            let mut share = 0.0;
            for at in 0..T {
                share += columns[at][row] * self.normal[at];
            }
            share *= self.factor;
            for at in 0..T {
                columns[at][row] -= share * self.normal[at];
            }
        }
    }
}

impl RealTriangle {
    /// Turns it until it is a triangle but for pairs; says whether that came to an end.
    fn solve(&mut self, whole: f64) -> bool {
        let mut end = self.matrix.rows;
        let mut steps = 0;
        while end > 1 {
            let last = end - 1;
            let least = if steps > PATIENCE { whole } else { 0.0 };
            let first = (1..end).rev().find(|&at| is_nothing(&mut self.matrix, at, least)).unwrap_or(0);
            if first + 1 >= last {
                if first < last {
                    self.divide(first);
                }
                (end, steps) = (first, 0);
                continue;
            }
            if steps == STEPS {
                return false;
            }
            steps += 1;
            self.step(first, last, steps.is_multiple_of(STUCK));
        }
        true
    }

    /// The sum and the product of two shifts: the eigenvalues of the last two rows and columns.
    fn shifts(&self, last: usize, is_stuck: bool) -> [f64; 2] {
        let at = |row, column| self.matrix.at(row, column);
        if is_stuck {
            let (beside, own) = (at(last, last - 1).abs() + at(last - 1, last - 2).abs(), at(last, last));
            return [1.5 * beside + 2.0 * own, beside * beside + (1.5 * beside + own) * own];
        }
        let [a, b, c, d] = [at(last - 1, last - 1), at(last - 1, last), at(last, last - 1), at(last, last)];
        [a + d, a * d - b * c]
    }

    /// One step for the rows and columns from the first to the last.
    fn step(&mut self, first: usize, last: usize, is_stuck: bool) {
        let [sum, product] = self.shifts(last, is_stuck);
        let at = |row: usize, column: usize| self.matrix.at(first + row, first + column);
        let mut bulge =
            [at(0, 0) * (at(0, 0) - sum) + at(0, 1) * at(1, 0) + product, at(1, 0) * (at(0, 0) + at(1, 1) - sum), at(1, 0) * at(2, 1)];
        for row in first..last - 1 {
            self.mirror(bulge, row, first, last);
            if row > first {
                self.matrix.column_mut(row - 1)[row + 1..row + 3].fill(0.0);
            }
            let below = if row + 3 <= last { self.matrix.at(row + 3, row) } else { 0.0 };
            bulge = [self.matrix.at(row + 1, row), self.matrix.at(row + 2, row), below];
        }
        self.mirror([bulge[0], bulge[1]], last - 1, first, last);
        *self.matrix.at_mut(last, last - 2) = 0.0;
    }

    /// Mirrors rows and columns from one on so that zeros come of all but one of some numbers, between the first and the last.
    fn mirror<const T: usize>(&mut self, numbers: [f64; T], row: usize, first: usize, last: usize) {
        let Some(mirror) = SmallMirror::of(numbers) else { return };
        let size = self.matrix.rows;
        mirror.rows(&mut self.matrix, row, row.saturating_sub(1).max(first)..size);
        mirror.columns(&mut self.matrix, row, (row + 4).min(last + 1));
        mirror.columns(&mut self.turned, row, size);
    }

    /// Turns two rows and columns with real eigenvalues into a triangle.
    fn divide(&mut self, first: usize) {
        let at = |row, column| self.matrix.at(first + row, first + column);
        let ([a, b], [c, d]) = ([at(0, 0), at(0, 1)], [at(1, 0), at(1, 1)]);
        let half = (a - d) / 2.0;
        let square = half * half + b * c;
        if square < 0.0 || c == 0.0 {
            return;
        }
        let far = half + square.sqrt().copysign(half);
        let (turn, _) = turn(far, c);
        for column in first..self.matrix.columns {
            let own = &mut self.matrix.column_mut(column)[first..first + 2];
            (own[0], own[1]) = (own[0] * turn[0] + own[1] * turn[1], own[1] * turn[0] - own[0] * turn[1]);
        }
        let [left, right] = self.matrix.pair(first, first + 1);
        rotate([&mut left[..first + 2], &mut right[..first + 2]], turn);
        rotate(self.turned.pair(first, first + 1), turn);
        *self.matrix.at_mut(first + 1, first) = 0.0;
    }

    /// A triangle of complex numbers, and what turned it.
    ///
    /// # Errors
    /// Where there is no memory.
    fn triangle(&self) -> Result<[ComplexMatrix; 2]> {
        let complex = |own: &MatrixOf<f64>| ComplexMatrix::of(own.rows, own.columns, |row, column| C::from(own.at(row, column)));
        let (mut triangle, mut turned) = (complex(&self.matrix)?, complex(&self.turned)?);
        for first in 0..self.matrix.rows.saturating_sub(1) {
            let at = |row, column| self.matrix.at(first + row, first + column);
            let ([a, b], [c, d]) = ([at(0, 0), at(0, 1)], [at(1, 0), at(1, 1)]);
            if c == 0.0 {
                continue;
            }
            let half = (a - d) / 2.0;
            let value = C::new(d + half, (-(half * half + b * c)).max(0.0).sqrt());
            let length = (value - d).norm().hypot(c);
            let (x, y) = ((value - d) / length, C::from(c / length));
            for (side, rows) in [(&mut triangle, first + 2), (&mut turned, self.matrix.rows)] {
                let [left, right] = side.pair(first, first + 1);
                for (own, other) in left[..rows].iter_mut().zip(right) {
                    (*own, *other) = (*own * x + *other * y, *other * x.conj() - *own * y.conj());
                }
            }
            for column in first..self.matrix.columns {
                let own = &mut triangle.column_mut(column)[first..first + 2];
                (own[0], own[1]) = (x.conj() * own[0] + y.conj() * own[1], x * own[1] - y * own[0]);
            }
            *triangle.at_mut(first + 1, first) = C::default();
            *triangle.at_mut(first, first) = value;
            *triangle.at_mut(first + 1, first + 1) = value.conj();
        }
        Ok([triangle, turned])
    }
}
