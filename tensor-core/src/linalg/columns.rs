//! What decompositions do with whole columns, compiled for the processor's vectors.

use std::ops::Range;

use latten_elements::loops::level::{Job, vectorised};

use super::number::{LARGE, MatrixNumber};

/// Sums that run beside each other, so that none waits for the one before.
const LANES: usize = 16;
/// Columns that are taken off another one together: it is read and written once for all of them.
const TOGETHER: usize = 4;

/// Columns of that many rows, one behind the other.
#[derive(Clone, Copy)]
pub(super) struct Columns<'a, N> {
    pub(super) rows: usize,
    pub(super) numbers: &'a [N],
}

impl<'a, N: MatrixNumber> Columns<'a, N> {
    /// Some rows of a column.
    pub(super) fn part(self, at: usize, rows: Range<usize>) -> &'a [N] {
        &self.numbers[at * self.rows..][rows]
    }

    /// Solves with the lower triangle of the first columns: whatever lies below in the column loses its part, too. A diagonal counts as ones, or as
    /// what it is.
    pub(super) fn forward(self, count: usize, column: &mut [N], ones: bool) {
        for first in (0..count).step_by(TOGETHER) {
            let end = (first + TOGETHER).min(count);
            let (own, rest) = column.split_at_mut(end);
            for at in first..end {
                if !ones {
                    own[at] = own[at].over(self.part(at, at..end)[0]);
                }
                let (often, later) = (own[at], &mut own[at + 1..]);
                later.iter_mut().zip(self.part(at, at + 1..end)).for_each(|(x, &y)| *x -= often * y);
            }
            self.subtract(first, &own[first..], rest, end);
        }
    }

    /// Solves with the upper triangle, from the last row on.
    pub(super) fn backward(self, column: &mut [N], ones: bool) {
        let mut end = column.len();
        while end > 0 {
            let first = end.saturating_sub(TOGETHER);
            let (rest, own) = column[..end].split_at_mut(first);
            for at in (first..end).rev() {
                let (before, number) = own.split_at_mut(at - first);
                if !ones {
                    number[0] = number[0].over(self.part(at, at..end)[0]);
                }
                before.iter_mut().zip(self.part(at, first..at)).for_each(|(x, &y)| *x -= number[0] * y);
            }
            self.subtract(first, own, rest, 0);
            end = first;
        }
    }

    /// Rows from one on less the same rows of columns from a first one on, as often as is said of each.
    pub(super) fn subtract_all(self, first: usize, often: &[N], from: &mut [N], row: usize) {
        for (first, often) in (first..).step_by(TOGETHER).zip(often.chunks(TOGETHER)) {
            self.subtract(first, often, from, row);
        }
    }

    /// The same with a few.
    fn subtract(self, first: usize, often: &[N], from: &mut [N], row: usize) {
        let rows = row..row + from.len();
        if often.iter().all(|&often| often == N::default()) {
            return;
        }
        match *often {
            [a, b, c, d] => subtract(from, [a, b, c, d], std::array::from_fn(|at| self.part(first + at, rows.clone()))),
            _ => (first..).zip(often).for_each(|(at, &often)| subtract(from, [often], [self.part(at, rows.clone())])),
        }
    }
}

struct Dot<'a, N>(&'a [N], &'a [N]);

impl<N: MatrixNumber> Job for Dot<'_, N> {
    type Output = N;

    #[inline(always)]
    fn run(self) -> N {
        let ((xs, x_rest), (ys, y_rest)) = (self.0.as_chunks::<LANES>(), self.1.as_chunks::<LANES>());
        let mut sums = [N::default(); LANES];
        for (xs, ys) in xs.iter().zip(ys) {
            for ((sum, &x), &y) in sums.iter_mut().zip(xs).zip(ys) {
                *sum += x.conj() * y;
            }
        }
        let mut rest = N::default();
        for (&x, &y) in x_rest.iter().zip(y_rest) {
            rest += x.conj() * y;
        }
        for sum in sums {
            rest += sum;
        }
        rest
    }
}

/// The sum of the products of two columns, the first one conjugated.
pub(super) fn dot<N: MatrixNumber>(x: &[N], y: &[N]) -> N {
    vectorised(Dot(x, y))
}

/// The sum of the squares of a column.
pub(super) fn square<N: MatrixNumber>(x: &[N]) -> f64 {
    dot(x, x).real()
}

struct Subtract<'a, N, const K: usize> {
    from: &'a mut [N],
    often: [N; K],
    columns: [&'a [N]; K],
}

impl<N: MatrixNumber, const K: usize> Job for Subtract<'_, N, K> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let often = self.often;
        let columns = self.columns.map(|column| column[..self.from.len()].as_chunks::<LANES>());
        let (blocks, rest) = self.from.as_chunks_mut::<LANES>();
        for (at, block) in blocks.iter_mut().enumerate() {
            let mut sums = [N::default(); LANES];
            for k in 0..K {
                for (sum, &y) in sums.iter_mut().zip(&columns[k].0[at]) {
                    *sum += often[k] * y;
                }
            }
            for (x, sum) in block.iter_mut().zip(sums) {
                *x -= sum;
            }
        }
        for (at, x) in rest.iter_mut().enumerate() {
            let mut sum = N::default();
            for k in 0..K {
                sum += often[k] * columns[k].1[at];
            }
            *x -= sum;
        }
    }
}

/// A column less other ones as often as is said.
pub(super) fn subtract<N: MatrixNumber, const K: usize>(from: &mut [N], often: [N; K], columns: [&[N]; K]) {
    vectorised(Subtract { from, often, columns });
}

struct Mirror<'a, N> {
    column: &'a mut [N],
    mirror: &'a [N],
    factor: N,
}

impl<N: MatrixNumber> Job for Mirror<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let share = Dot(self.mirror, self.column).run() * self.factor;
        Subtract { from: self.column, often: [share], columns: [self.mirror] }.run();
    }
}

/// A column less its part along a mirror's.
pub(super) fn mirrored<N: MatrixNumber>(column: &mut [N], mirror: &[N], factor: N) {
    vectorised(Mirror { column, mirror, factor });
}

struct Rotation<'a, N> {
    columns: [&'a mut [N]; 2],
    turn: [f64; 2],
}

impl<N: MatrixNumber> Job for Rotation<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let ([xs, ys], [cosine, sine]) = (self.columns, self.turn);
        for (x, y) in xs.iter_mut().zip(ys) {
            let (old, other) = (*x, *y);
            *x = old * cosine + other * sine;
            *y = other * cosine - old * sine;
        }
    }
}

/// Turns two columns into one another.
pub(super) fn rotate<N: MatrixNumber>(columns: [&mut [N]; 2], turn: [f64; 2]) {
    vectorised(Rotation { columns, turn });
}

/// A mirror that makes a number, which is real, and zeros of a column: it is put there, with a one for the number, as LAPACK has it, so that signs are its
/// signs. Its factor and the number; nothing, where all is so already.
pub(super) fn mirror<N: MatrixNumber>(column: &mut [N]) -> Option<(N, f64)> {
    if !(LARGE.recip()..LARGE).contains(&square(column)) {
        let largest = column.iter().map(|x| x.l1_norm()).fold(0.0, f64::max);
        let scale = if largest < 1.0 { LARGE } else { LARGE.recip() };
        // Zeros, and what no factor makes a number, stay.
        if largest > 0.0 && largest.is_finite() {
            column.iter_mut().for_each(|x| *x = *x * scale);
            let found = mirror(column);
            if found.is_none() {
                column.iter_mut().for_each(|x| *x /= scale);
            }
            return found.map(|(factor, target)| (factor, target / scale));
        }
    }
    let (first, rest) = column.split_first_mut()?;
    let below = square(rest);
    if below == 0.0 && first.is_real() {
        return None;
    }
    let length = (first.norm_sqr() + below).sqrt();
    let target = if first.real() >= 0.0 { -length } else { length };
    let factor = (N::from(target) - *first) / target;
    let scale = N::from(1.0) / (*first - N::from(target));
    rest.iter_mut().for_each(|x| *x *= scale);
    *first = N::from(1.0);
    Some((factor, target))
}

/// Beside a matrix of numbers around 1, less than that is nothing. Its digits are all there.
pub(super) const NOTHING: f64 = 1e-200;

/// The cosine and the sine of the turn that makes one number and zero of two, and the number.
pub(super) fn turn(x: f64, y: f64) -> ([f64; 2], f64) {
    let length = x.hypot(y);
    if length < NOTHING { ([1.0, 0.0], x) } else { ([x / length, y / length], length) }
}
