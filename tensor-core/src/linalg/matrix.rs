//! A matrix of real or complex numbers, a column behind the other.

use std::cmp::Ordering;

use super::C;
use super::columns::Columns;
use super::number::MatrixNumber;
use crate::error::Result;
use crate::kernels::turn::panel;
use crate::room::room;
use crate::storage::Workspace;

/// A matrix by its columns.
#[derive(Debug)]
pub(crate) struct MatrixOf<N> {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    numbers: Workspace<N>,
}

/// One of complex numbers.
pub(crate) type ComplexMatrix = MatrixOf<C>;

/// Which vectors are asked for beside values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vectors {
    None,
    /// One for each value.
    AsValues,
    /// As many as make factors square.
    All,
}

/// So many places in an order.
pub(super) fn places(count: usize, order: impl FnMut(&usize, &usize) -> Ordering) -> Result<Vec<usize>> {
    let mut places = room(count)?;
    places.extend(0..count);
    places.sort_by(order);
    Ok(places)
}

impl<N: MatrixNumber> MatrixOf<N> {
    /// Of so many rows and columns, whose numbers are still to come.
    pub(super) const fn unmade(rows: usize, columns: usize) -> Self {
        Self { rows, columns, numbers: Workspace::none() }
    }

    /// Of a number for each row and column.
    pub(crate) fn of(rows: usize, columns: usize, number: impl Fn(usize, usize) -> N) -> Result<Self> {
        let mut own = Self::unmade(rows, columns);
        own.remake(number)?;
        Ok(own)
    }

    /// Puts a number for each row and column in place of what was there.
    pub(super) fn remake(&mut self, number: impl Fn(usize, usize) -> N) -> Result<()> {
        self.numbers.renew(self.rows * self.columns)?;
        for column in 0..self.columns {
            self.column_mut(column).iter_mut().enumerate().for_each(|(row, to)| *to = number(row, column));
        }
        Ok(())
    }

    /// Puts numbers in row-major order in place of what was there.
    pub(super) fn refill(&mut self, numbers: &[N]) -> Result<()> {
        self.numbers.renew(self.rows * self.columns)?;
        panel((numbers, self.columns), [self.rows, self.columns], 1, (&mut self.numbers, self.rows));
        Ok(())
    }

    /// Puts more columns behind those that are there, of numbers in row-major order.
    pub(super) fn append(&mut self, columns: usize, numbers: &[N]) -> Result<()> {
        let count = self.numbers.len();
        self.numbers.enlarge(self.rows * columns)?;
        self.columns += columns;
        panel((numbers, columns), [self.rows, columns], 1, (&mut self.numbers[count..], self.rows));
        Ok(())
    }

    /// Of numbers in row-major order.
    pub(crate) fn new(rows: usize, columns: usize, numbers: &[N]) -> Result<Self> {
        let mut own = Self::unmade(rows, columns);
        own.refill(numbers)?;
        Ok(own)
    }

    /// Columns of nothing, which take any turn.
    pub(super) const fn without_rows(columns: usize) -> Self {
        Self::unmade(0, columns)
    }

    /// With ones on the diagonal.
    pub(crate) fn identity(size: usize) -> Result<Self> {
        let mut own = Self::unmade(size, size);
        own.remake_identity()?;
        Ok(own)
    }

    /// Puts ones on the diagonal and zeros elsewhere in place of what was there.
    pub(super) fn remake_identity(&mut self) -> Result<()> {
        self.remake(|row, column| N::from(f64::from(u8::from(row == column))))
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
    pub(crate) fn at(&self, row: usize, column: usize) -> N {
        self.all().at(row, column)
    }

    /// The place of one number.
    pub(crate) fn at_mut(&mut self, row: usize, column: usize) -> &mut N {
        &mut self.numbers[column * self.rows + row]
    }

    /// A column.
    pub(crate) fn column(&self, at: usize) -> &[N] {
        &self.numbers[at * self.rows..][..self.rows]
    }

    /// The same, to be changed.
    pub(crate) fn column_mut(&mut self, at: usize) -> &mut [N] {
        &mut self.numbers[at * self.rows..][..self.rows]
    }

    /// Multiplies all by a power of two so that squares neither overflow nor vanish, and says by which.
    pub(super) fn scale(&mut self) -> f64 {
        let largest = self.numbers.iter().map(|number| number.l1_norm()).fold(0.0, f64::max);
        if !(largest > 0.0 && largest.is_finite()) {
            return 1.0;
        }
        let scale = 2.0_f64.powi((-largest.log2().floor()).clamp(-1000.0, 1000.0) as i32);
        self.numbers.iter_mut().for_each(|number| *number = *number * scale);
        scale
    }

    /// All columns.
    pub(super) fn all(&self) -> Columns<'_, N> {
        Columns { rows: self.rows, numbers: &self.numbers }
    }

    /// The columns before one, and the numbers of it and of those behind it.
    pub(super) fn split(&mut self, at: usize) -> (Columns<'_, N>, &mut [N]) {
        let (head, tail) = self.numbers.split_at_mut(at * self.rows);
        (Columns { rows: self.rows, numbers: head }, tail)
    }

    /// The columns before one, and it and those behind it.
    pub(super) fn before<const T: usize>(&mut self, at: usize) -> (Columns<'_, N>, [&mut [N]; T]) {
        let rows = self.rows;
        let (head, mut tail) = self.split(at);
        let next = |_| {
            let (column, rest) = std::mem::take(&mut tail).split_at_mut(rows);
            tail = rest;
            column
        };
        (head, std::array::from_fn(next))
    }

    /// A column and a later one.
    pub(super) fn pair(&mut self, first: usize, second: usize) -> [&mut [N]; 2] {
        let (head, tail) = self.numbers.split_at_mut(second * self.rows);
        [&mut head[first * self.rows..][..self.rows], &mut tail[..self.rows]]
    }

    /// Puts the numbers into row-major order. There is room.
    pub(crate) fn put(&self, to: &mut [N]) {
        panel((&self.numbers, self.rows), [self.columns, self.rows], 1, (to, self.columns));
    }

    /// Puts the adjoint into row-major order.
    pub(super) fn put_adjoint(&self, to: &mut [N]) {
        to.iter_mut().zip(&*self.numbers).for_each(|(to, number)| *to = number.conj());
    }
}
