//! A matrix of complex numbers, a column behind the other.

use num_complex::Complex;

use super::C;
use crate::error::Result;
use crate::room::filled;

/// A matrix by its columns.
#[derive(Debug)]
pub(crate) struct ComplexMatrix {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    numbers: Vec<C>,
}

/// The sum of the products of two columns, the first one conjugated.
pub(super) fn dot(x: &[C], y: &[C]) -> C {
    x.iter().zip(y).map(|(x, y)| x.conj() * y).sum()
}

/// A column less another one as often as is said.
pub(super) fn subtract(from: &mut [C], often: C, column: &[C]) {
    from.iter_mut().zip(column).for_each(|(x, y)| *x -= often * y);
}

/// The sum of the squares of a column.
pub(super) fn square(x: &[C]) -> f64 {
    x.iter().map(Complex::norm_sqr).sum()
}

impl ComplexMatrix {
    /// Of a number for each row and column.
    pub(crate) fn of(rows: usize, columns: usize, number: impl Fn(usize, usize) -> C) -> Result<Self> {
        let mut numbers = filled(rows * columns, C::default())?;
        for (at, to) in numbers.iter_mut().enumerate() {
            *to = number(at % rows, at / rows);
        }
        Ok(Self { rows, columns, numbers })
    }

    /// Of numbers in row-major order.
    pub(crate) fn new(rows: usize, columns: usize, numbers: &[C]) -> Result<Self> {
        Self::of(rows, columns, |row, column| numbers[row * columns + column])
    }

    /// With ones on the diagonal.
    pub(crate) fn identity(size: usize) -> Result<Self> {
        Self::of(size, size, |row, column| C::from(f64::from(u8::from(row == column))))
    }

    /// Rows for columns, and conjugates.
    pub(crate) fn adjoint(&self) -> Result<Self> {
        Self::of(self.columns, self.rows, |row, column| self.at(column, row).conj())
    }

    /// These columns in this order.
    pub(crate) fn picked(&self, order: &[usize]) -> Result<Self> {
        Self::of(self.rows, order.len(), |row, column| self.at(row, order[column]))
    }

    /// One number.
    pub(crate) fn at(&self, row: usize, column: usize) -> C {
        self.numbers[column * self.rows + row]
    }

    /// The place of one number.
    pub(crate) fn at_mut(&mut self, row: usize, column: usize) -> &mut C {
        &mut self.numbers[column * self.rows + row]
    }

    /// A column.
    pub(crate) fn column(&self, at: usize) -> &[C] {
        &self.numbers[at * self.rows..][..self.rows]
    }

    /// The same, to be changed.
    pub(crate) fn column_mut(&mut self, at: usize) -> &mut [C] {
        &mut self.numbers[at * self.rows..][..self.rows]
    }

    /// A column and a later one.
    pub(super) fn pair(&mut self, first: usize, second: usize) -> [&mut [C]; 2] {
        let (head, tail) = self.numbers.split_at_mut(second * self.rows);
        [&mut head[first * self.rows..][..self.rows], &mut tail[..self.rows]]
    }

    /// The numbers in row-major order.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = C> + '_ {
        (0..self.rows).flat_map(move |row| (0..self.columns).map(move |column| self.at(row, column)))
    }
}
