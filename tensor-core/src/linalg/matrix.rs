//! A matrix of real or complex numbers, a column behind the other.

use std::iter::{Product, Sum};
use std::ops::{Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use super::C;
use crate::element::Native;
use crate::error::Result;
use crate::room::filled;

/// What matrices are of: real ones take a fraction of the time.
pub(crate) trait MatrixNumber:
    Native
    + Default
    + From<f64>
    + Neg<Output = Self>
    + std::ops::Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
    + SubAssign
    + MulAssign
    + DivAssign
    + DivAssign<f64>
    + Sum
    + Product
{
    fn conj(self) -> Self;
    fn real(self) -> f64;
    /// Whether there is no imaginary part.
    fn is_real(self) -> bool;
    fn norm(self) -> f64;
    fn norm_sqr(self) -> f64;
    /// The sizes of both parts together.
    fn l1_norm(self) -> f64;
}

impl MatrixNumber for f64 {
    fn conj(self) -> Self {
        self
    }
    fn real(self) -> f64 {
        self
    }
    fn is_real(self) -> bool {
        true
    }
    fn norm(self) -> f64 {
        self.abs()
    }
    fn norm_sqr(self) -> f64 {
        self * self
    }
    fn l1_norm(self) -> f64 {
        self.abs()
    }
}

impl MatrixNumber for C {
    fn conj(self) -> Self {
        Self::conj(&self)
    }
    fn real(self) -> f64 {
        self.re
    }
    fn is_real(self) -> bool {
        self.im == 0.0
    }
    fn norm(self) -> f64 {
        Self::norm(self)
    }
    fn norm_sqr(self) -> f64 {
        Self::norm_sqr(&self)
    }
    fn l1_norm(self) -> f64 {
        Self::l1_norm(&self)
    }
}

/// A matrix by its columns.
#[derive(Debug)]
pub(crate) struct MatrixOf<N> {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    numbers: Vec<N>,
}

/// One of complex numbers.
pub(crate) type ComplexMatrix = MatrixOf<C>;

/// The sum of the products of two columns, the first one conjugated.
pub(super) fn dot<N: MatrixNumber>(x: &[N], y: &[N]) -> N {
    x.iter().zip(y).map(|(&x, &y)| x.conj() * y).sum()
}

/// A column less another one as often as is said.
pub(super) fn subtract<N: MatrixNumber>(from: &mut [N], often: N, column: &[N]) {
    from.iter_mut().zip(column).for_each(|(x, &y)| *x -= often * y);
}

/// The sum of the squares of a column.
pub(super) fn square<N: MatrixNumber>(x: &[N]) -> f64 {
    x.iter().map(|x| x.norm_sqr()).sum()
}

/// Turns two columns into one another, of which the second one is multiplied by a phase before.
pub(super) fn rotate<N: MatrixNumber>([xs, ys]: [&mut [N]; 2], phase: N, [cosine, sine]: [f64; 2]) {
    for (x, y) in xs.iter_mut().zip(ys) {
        let (old, other) = (*x, *y * phase);
        *x = old * cosine - other * sine;
        *y = old * sine + other * cosine;
    }
}

impl<N: MatrixNumber> MatrixOf<N> {
    /// Of a number for each row and column.
    pub(crate) fn of(rows: usize, columns: usize, number: impl Fn(usize, usize) -> N) -> Result<Self> {
        let mut numbers = filled(rows * columns, N::default())?;
        for (at, to) in numbers.iter_mut().enumerate() {
            *to = number(at % rows, at / rows);
        }
        Ok(Self { rows, columns, numbers })
    }

    /// Of numbers in row-major order.
    pub(crate) fn new(rows: usize, columns: usize, numbers: &[N]) -> Result<Self> {
        Self::of(rows, columns, |row, column| numbers[row * columns + column])
    }

    /// With ones on the diagonal.
    pub(crate) fn identity(size: usize) -> Result<Self> {
        Self::of(size, size, |row, column| N::from(f64::from(u8::from(row == column))))
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
        self.numbers[column * self.rows + row]
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

    /// A column and a later one.
    pub(super) fn pair(&mut self, first: usize, second: usize) -> [&mut [N]; 2] {
        let (head, tail) = self.numbers.split_at_mut(second * self.rows);
        [&mut head[first * self.rows..][..self.rows], &mut tail[..self.rows]]
    }

    /// The numbers in row-major order.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = N> + '_ {
        (0..self.rows).flat_map(move |row| (0..self.columns).map(move |column| self.at(row, column)))
    }
}
