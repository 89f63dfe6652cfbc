//! What triangular factors are made for, of matrices of any size: systems of equations, inverses, determinants.

use super::number::MatrixNumber;
use crate::error::Result;

/// Where the triangular factors of one matrix after the other are made, by the largest number of each column; complex ones are as large as their
/// parts together, as LAPACK has it. All numbers that come and go are in row-major order.
pub(super) trait Factoring<N> {
    /// Puts the rows of a matrix into an order: below the diagonal is what was taken off then, from there on what is left.
    fn factor(&mut self, numbers: &[N]) -> Result<()>;
    /// Both factors in one matrix.
    fn put(&self, to: &mut [N]);
    /// A number of the diagonal.
    fn diagonal(&self, at: usize) -> N;
    /// Which later row, or itself, each row changed places with, one after the other.
    fn pivots(&self) -> &[usize];
    /// The first place of the diagonal that is zero.
    fn singular(&self) -> Option<usize>;
    /// Makes what gives the columns, multiplied by the matrix, of as many columns as are said.
    fn solve(&mut self, sides: &mut [N], columns: usize) -> Result<()>;
    /// The same for those of an identity.
    fn invert(&mut self, to: &mut [N]) -> Result<()>;
}

/// What is on the diagonal, with the signs of the changes of rows.
fn signed_diagonal<N: MatrixNumber>(factors: &dyn Factoring<N>) -> impl Iterator<Item = N> {
    let number = |(at, &pivot)| if pivot == at { factors.diagonal(at) } else { -factors.diagonal(at) };
    factors.pivots().iter().enumerate().map(number)
}

/// The determinant of a matrix that has these factors.
pub(super) fn determinant<N: MatrixNumber>(factors: &dyn Factoring<N>) -> N {
    signed_diagonal(factors).product()
}

/// The determinant as a number of length 1 and the logarithm of the other factor.
pub(super) fn logarithm_of_determinant<N: MatrixNumber>(factors: &dyn Factoring<N>) -> (N, f64) {
    let (mut sign, mut size) = (N::from(1.0), 0.0);
    for number in signed_diagonal(factors) {
        let length = number.norm();
        sign = if length == 0.0 { N::default() } else { sign * (number / length) };
        size += length.ln();
    }
    (sign, size)
}
