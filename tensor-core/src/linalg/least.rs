//! What comes nearest to right sides, multiplied by a matrix that has as many independent rows or columns as it can have: mirrors are enough for
//! that. Of others, singular values say how many there are.

use super::columns::{Columns, dot, square};
use super::matrix::MatrixOf;
use super::mirrors::{mirrors, turned_on};
use super::number::MatrixNumber;
use crate::error::Result;
use crate::room::refill;

/// How much farther from the least value that counts the smallest one has to be than it is known to be: roundings make that much of it.
const MARGIN: f64 = 8.0;

/// Where the solutions for one matrix after the other are made.
pub(super) struct NearestByMirrors<N> {
    both: MatrixOf<N>,
    factors: Vec<N>,
    solution: MatrixOf<N>,
    inverse: Vec<N>,
}

impl<N: MatrixNumber> NearestByMirrors<N> {
    /// For so many sides.
    pub(super) const fn new(columns: usize, sides: usize) -> Self {
        Self { both: MatrixOf::unmade(0, 0), factors: Vec::new(), solution: MatrixOf::unmade(columns, sides), inverse: Vec::new() }
    }

    /// Puts what comes nearest to sides, and the shortest of that, where the smallest singular value is surely more than so much of the largest one;
    /// and says whether that is so. All numbers are in row-major order.
    ///
    /// # Errors
    /// Where there is no memory.
    pub(super) fn solve(&mut self, numbers: &[N], sides: &[N], least: f64, to: &mut [N]) -> Result<bool> {
        let Self { both, factors, solution, inverse } = self;
        let (columns, width) = (solution.rows, solution.columns);
        let rows = sides.len() / width;
        let least = least.max(f64::EPSILON * rows.max(columns) as f64) * MARGIN;
        let scale;
        if rows >= columns {
            (both.rows, both.columns) = (rows, columns);
            both.refill(numbers)?;
            scale = both.scale();
            both.append(width, sides)?;
            mirrors(both, columns, factors)?;
            let (triangle, sides) = both.split(columns);
            if !is_regular(triangle, columns, least, inverse)? {
                return Ok(false);
            }
            sides.chunks_exact_mut(rows).for_each(|side| triangle.backward(&mut side[..columns]));
            solution.remake(|row, side| sides[side * rows + row])?;
        } else {
            // The shortest solution is made of the matrix's rows.
            (both.rows, both.columns) = (columns, rows);
            both.remake(|row, column| numbers[column * columns + row].conj())?;
            scale = both.scale();
            mirrors(both, rows, factors)?;
            let triangle = both.all();
            if !is_regular(triangle, rows, least, inverse)? {
                return Ok(false);
            }
            solution.remake(|row, side| if row < rows { sides[row * width + side] } else { N::default() })?;
            for side in solution.split(0).1.chunks_exact_mut(columns) {
                // The diagonal is real.
                for at in 0..rows {
                    let less = dot(triangle.part(at, 0..at), &side[..at]);
                    side[at] = (side[at] - less).over(triangle.at(at, at));
                }
            }
            turned_on(both, factors, 0, solution, |_| 0)?;
        }
        solution.put(to);
        to.iter_mut().for_each(|x| *x = *x * scale);
        Ok(true)
    }
}

/// Whether the smallest singular value of an upper triangle is surely more than so much of the largest one: neither is beyond what the squares of
/// all numbers say, of the triangle and of its inverse.
fn is_regular<N: MatrixNumber>(triangle: Columns<'_, N>, size: usize, least: f64, inverse: &mut Vec<N>) -> Result<bool> {
    let (mut own, mut of_inverse) = (0.0, 0.0);
    for at in 0..size {
        own += square(triangle.part(at, 0..at + 1));
        refill(inverse, at + 1, N::default())?;
        inverse[at] = N::from(1.0);
        triangle.backward(inverse);
        of_inverse += square(inverse);
    }
    // Not where one is a NaN.
    Ok(own.sqrt() * of_inverse.sqrt() * least < 1.0)
}
