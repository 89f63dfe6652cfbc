//! What decompositions do with whole columns, compiled for the processor's vectors.

use std::ops::Range;

use latten_elements::loops::level::{Job, vectorised};

use super::number::{LARGE, MatrixNumber};

/// Sums that run beside each other, so that none waits for the one before.
const LANES: usize = 16;
/// Columns that are taken off others together: these are read and written once for all of them; and how many of these, so that those are read once
/// for all, too.
pub(super) const TOGETHER: usize = 4;
/// Rows that are in registers meanwhile.
const BLOCK: usize = 4;

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

    /// Solves with the lower triangle of some columns, from the first row of theirs on: whatever lies below in the targets loses its part, too. A
    /// diagonal counts as ones, or as what it is.
    pub(super) fn forward<const T: usize>(self, columns: Range<usize>, mut targets: [&mut [N]; T], ones: bool) {
        for first in columns.clone().step_by(TOGETHER) {
            let end = (first + TOGETHER).min(columns.end);
            let mut often = [[N::default(); TOGETHER]; T];
            for (target, often) in targets.iter_mut().zip(&mut often) {
                for at in first..end {
                    let (own, later) = target[at..end].split_at_mut(1);
                    if !ones {
                        own[0] = own[0].over(self.part(at, at..end)[0]);
                    }
                    later.iter_mut().zip(self.part(at, at + 1..end)).for_each(|(x, &y)| *x -= own[0] * y);
                    often[at - first] = own[0];
                }
            }
            self.subtract(first..end, &often, targets.each_mut().map(|target| &mut target[end..]), end);
        }
    }

    /// Solves with the upper triangle, from the last row on.
    pub(super) fn backward<const T: usize>(self, mut targets: [&mut [N]; T], ones: bool) {
        let mut end = targets[0].len();
        while end > 0 {
            let first = end.saturating_sub(TOGETHER);
            let mut often = [[N::default(); TOGETHER]; T];
            for (target, often) in targets.iter_mut().zip(&mut often) {
                for at in (first..end).rev() {
                    let (before, own) = target[first..=at].split_at_mut(at - first);
                    if !ones {
                        own[0] = own[0].over(self.part(at, at..end)[0]);
                    }
                    before.iter_mut().zip(self.part(at, first..at)).for_each(|(x, &y)| *x -= own[0] * y);
                    often[at - first] = own[0];
                }
            }
            self.subtract(first..end, &often, targets.each_mut().map(|target| &mut target[..first]), 0);
            end = first;
        }
    }

    /// Rows from one on less the same rows of columns from a first one on, as often as is said of each.
    pub(super) fn subtract_all(self, first: usize, often: &[N], from: &mut [N], row: usize) {
        for (first, often) in (first..).step_by(TOGETHER).zip(often.chunks(TOGETHER)) {
            let mut all = [N::default(); TOGETHER];
            all[..often.len()].copy_from_slice(often);
            self.subtract(first..first + often.len(), &[all], [&mut *from], row);
        }
    }

    /// The same with a few columns and several targets.
    fn subtract<const T: usize>(self, columns: Range<usize>, often: &[[N; TOGETHER]; T], mut from: [&mut [N]; T], row: usize) {
        let rows = row..row + from[0].len();
        if often.as_flattened().iter().all(|&often| often == N::default()) {
            return;
        }
        if columns.len() == TOGETHER {
            let columns = std::array::from_fn(|at| self.part(columns.start + at, rows.clone()));
            return vectorised(Subtract { from, often: *often, columns });
        }
        for (k, at) in columns.enumerate() {
            let (from, often) = (from.each_mut().map(|from| &mut **from), often.map(|often| [often[k]]));
            vectorised(Subtract { from, often, columns: [self.part(at, rows.clone())] });
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
            for at in 0..LANES {
                sums[at] += xs[at].conj() * ys[at];
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

struct Subtract<'a, N, const K: usize, const T: usize> {
    from: [&'a mut [N]; T],
    often: [[N; K]; T],
    columns: [&'a [N]; K],
}

impl<N: MatrixNumber, const K: usize, const T: usize> Job for Subtract<'_, N, K, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { from, often, .. } = self;
        let rows = from[0].len();
        let mut columns = [(&[][..], &[][..]); K];
        for k in 0..K {
            columns[k] = self.columns[k][..rows].as_chunks::<BLOCK>();
        }
        for at in 0..rows / BLOCK {
            for t in 0..T {
                let Some(from) = from[t][at * BLOCK..].first_chunk_mut::<BLOCK>() else { break };
                let mut sums = [N::default(); BLOCK];
                for k in 0..K {
                    for row in 0..BLOCK {
                        sums[row] += often[t][k] * columns[k].0[at][row];
                    }
                }
                for row in 0..BLOCK {
                    from[row] -= sums[row];
                }
            }
        }
        for t in 0..T {
            for (at, x) in from[t][rows / BLOCK * BLOCK..].iter_mut().enumerate() {
                let mut sum = N::default();
                for k in 0..K {
                    sum += often[t][k] * columns[k].1[at];
                }
                *x -= sum;
            }
        }
    }
}

/// A column less other ones as often as is said.
pub(super) fn subtract<N: MatrixNumber, const K: usize>(from: &mut [N], often: [N; K], columns: [&[N]; K]) {
    vectorised(Subtract { from: [from], often: [often], columns });
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
        Subtract { from: [self.column], often: [[share]], columns: [self.mirror] }.run();
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

/// Whether a number beside a diagonal counts for nothing next to the two on it.
pub(super) fn is_nothing(beside: f64, middle: [f64; 2]) -> bool {
    beside.abs() <= (f64::EPSILON * (middle[0].abs() + middle[1].abs())).max(NOTHING)
}

/// Turns for each value, at most.
const STEPS: usize = 60;

/// Makes zeros beside a diagonal, from its end on: steps for the places from a first to a last one, between which none of the numbers `is_nothing`.
pub(super) fn clear_beside<D>(
    diagonals: &mut D,
    size: usize,
    is_nothing: impl Fn(&mut D, usize) -> bool,
    mut step: impl FnMut(&mut D, usize, usize),
) {
    let (mut last, mut steps) = (size.saturating_sub(1), 0);
    while last > 0 {
        let first = (1..=last).rev().find(|&at| is_nothing(diagonals, at - 1)).unwrap_or(0);
        if first == last || steps == STEPS {
            (last, steps) = (last - 1, 0);
            continue;
        }
        steps += 1;
        step(diagonals, first, last);
    }
}
