//! Eigenvalues of matrices that are their own adjoints: mirrors leave three diagonals, whose turns (by Francis' way, with Wilkinson's shifts) leave
//! one.

use super::columns::{clear_beside, dot, is_nothing, mirror, rotate_all, take_both, times, turn};
use super::matrix::{MatrixOf, Vectors, places};
use super::mirrors::turned;
use super::number::MatrixNumber;
use crate::error::Result;
use crate::room::{filled, listed, room};

/// The eigenvalues of a matrix that is its own adjoint, the smallest first, and the vectors that belong to them.
///
/// # Errors
/// Where there is no memory.
pub(super) fn symmetric<N: MatrixNumber>(mut matrix: MatrixOf<N>, wanted: Vectors) -> Result<(Vec<f64>, MatrixOf<N>)> {
    let scale = matrix.scale();
    let mut three = ThreeDiagonals::of(&mut matrix)?;
    let mut vectors = MatrixOf::without_rows(matrix.columns);
    if wanted != Vectors::None {
        vectors.rows = matrix.rows;
        turned(&matrix, &three.factors, 1, &mut vectors)?;
    }
    if wanted == Vectors::None {
        three.solve_alone();
    } else {
        three.solve(&mut vectors);
    }
    let order = places(matrix.rows, |&x, &y| three.middle[x].total_cmp(&three.middle[y]))?;
    let values = listed(order.iter().map(|&at| three.middle[at] / scale))?;
    Ok((values, vectors.picked(&order)?))
}

/// A symmetric matrix that is zero but for its diagonal and what is beside it.
struct ThreeDiagonals<N> {
    middle: Vec<f64>,
    beside: Vec<f64>,
    /// Those of the mirrors that made it, which lie below the diagonal of the matrix.
    factors: Vec<N>,
    /// The turns of a step.
    turns: Vec<[f64; 2]>,
}

impl<N: MatrixNumber> ThreeDiagonals<N> {
    fn of(matrix: &mut MatrixOf<N>) -> Result<Self> {
        let size = matrix.rows;
        let steps = size.saturating_sub(1);
        let (mut middle, mut beside, mut factors) = (filled(size, 0.0)?, filled(steps, 0.0)?, filled(steps, N::default())?);
        let mut across = filled(size, N::default())?;
        for at in 0..steps {
            let next = at + 1;
            let first = matrix.at(next, at).real();
            let Some((factor, target)) = mirror(&mut matrix.column_mut(at)[next..]) else {
                beside[at] = first;
                continue;
            };
            (beside[at], factors[at]) = (target, factor);
            // The matrix between two mirrors loses one product of columns and its adjoint.
            let across = &mut across[next..];
            let (before, later) = matrix.split(next);
            let mirror = before.part(at, next..size);
            times(&*later, size, mirror, across);
            across.iter_mut().for_each(|x| *x *= factor);
            let half = factor * dot(across, mirror) * 0.5;
            across.iter_mut().zip(mirror).for_each(|(x, &y)| *x -= half * y);
            take_both(later, size, [mirror, &*across]);
        }
        middle.iter_mut().enumerate().for_each(|(at, number)| *number = matrix.at(at, at).real());
        Ok(Self { middle, beside, factors, turns: room(steps)? })
    }

    /// Makes zeros beside the diagonal, and turns the vectors with it.
    fn solve(&mut self, vectors: &mut MatrixOf<N>) {
        let is_nothing = |own: &mut Self, at: usize| is_nothing(own.beside[at], [own.middle[at], own.middle[at + 1]]);
        clear_beside(self, self.middle.len(), is_nothing, |own, first, last| own.step(vectors, first, last));
    }

    /// The same without vectors, by squares of what is beside the diagonal: there are no roots in it, and no turns to keep.
    fn solve_alone(&mut self) {
        self.beside.iter_mut().for_each(|x| *x *= *x);
        let is_nothing = |own: &mut Self, at: usize| {
            let least = f64::EPSILON * (own.middle[at].abs() + own.middle[at + 1].abs());
            own.beside[at] <= (least * least).max(f64::MIN_POSITIVE)
        };
        clear_beside(self, self.middle.len(), is_nothing, |own, first, last| own.step_alone(first, last));
    }

    /// A step of Pal's, Walker's and Kahan's: the same turns, of which only the squares of cosines and sines are known.
    fn step_alone(&mut self, first: usize, last: usize) {
        let half = (self.middle[last - 1] - self.middle[last]) / 2.0;
        let end = self.beside[last - 1];
        let shift = self.middle[last] - end / (half + (half * half + end).sqrt().copysign(half));
        let (mut cosine, mut sine) = (1.0, 0.0);
        let mut left = self.middle[first] - shift;
        let mut square = left * left;
        for at in first..last {
            let between = self.beside[at];
            let length = square + between;
            if at > first {
                self.beside[at - 1] = sine * length;
            }
            let before = cosine;
            // Both quotients at once.
            let (own, inverse) = (square / length, length / square);
            (cosine, sine) = (own, between / length);
            let (old, next) = (left, self.middle[at + 1]);
            left = cosine * (next - shift) - sine * old;
            self.middle[at] = old + (next - left);
            square = if cosine > 0.0 && inverse.is_finite() { left * left * inverse } else { before * between };
        }
        self.beside[last - 1] = sine * square;
        self.middle[last] = shift + left;
    }

    /// Turns rows and columns from the first to the last so that what is beside the last one gets smaller.
    fn step(&mut self, vectors: &mut MatrixOf<N>, first: usize, last: usize) {
        let half = (self.middle[last - 1] - self.middle[last]) / 2.0;
        let end = self.beside[last - 1];
        let shift = self.middle[last] - end * (end / (half + half.hypot(end).copysign(half)));
        let (mut x, mut out) = (self.middle[first] - shift, self.beside[first]);
        self.turns.clear();
        for at in first..last {
            let ([cosine, sine], length) = turn(x, out);
            if at > first {
                self.beside[at - 1] = length;
            }
            let (own, between, next) = (self.middle[at], self.beside[at], self.middle[at + 1]);
            let moved = sine * (sine * (next - own) + 2.0 * cosine * between);
            self.middle[at] = own + moved;
            self.middle[at + 1] = next - moved;
            x = cosine * (cosine * between + sine * (next - own)) - sine * (sine * between);
            self.beside[at] = x;
            if at + 1 < last {
                out = sine * self.beside[at + 1];
                self.beside[at + 1] *= cosine;
            }
            self.turns.push([cosine, sine]);
        }
        let rows = vectors.rows;
        rotate_all(vectors.split(first).1, rows, &self.turns);
    }
}
