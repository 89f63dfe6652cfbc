//! What decompositions do with whole columns, compiled for the processor's vectors.

use std::ops::Range;

use latten_elements::loops::level::{Job, vectorised};

use super::number::{LARGE, MatrixNumber};

/// Sums that run beside each other, so that none waits for the one before.
const LANES: usize = 16;
/// Columns that are taken off another one together: that is read and written once for all of them.
const TOGETHER: usize = 4;
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

    /// One number.
    pub(super) fn at(self, row: usize, column: usize) -> N {
        self.numbers[column * self.rows + row]
    }

    /// Solves with the lower triangle of some columns, whose diagonal counts as ones, from the first row of theirs on: whatever lies below in the
    /// target loses its part, too.
    pub(super) fn forward(self, columns: Range<usize>, target: &mut [N]) {
        for first in columns.clone().step_by(TOGETHER) {
            let end = (first + TOGETHER).min(columns.end);
            let mut often = [N::default(); TOGETHER];
            for at in first..end {
                let (own, later) = target[at..end].split_at_mut(1);
                later.iter_mut().zip(self.part(at, at + 1..end)).for_each(|(x, &y)| *x -= own[0] * y);
                often[at - first] = own[0];
            }
            self.subtract_all(first, &often[..end - first], &mut target[end..], end);
        }
    }

    /// Solves with the upper triangle, from the last row on.
    pub(super) fn backward(self, target: &mut [N]) {
        let mut end = target.len();
        while end > 0 {
            let first = end.saturating_sub(TOGETHER);
            let mut often = [N::default(); TOGETHER];
            for at in (first..end).rev() {
                let (before, own) = target[first..=at].split_at_mut(at - first);
                own[0] = own[0].over(self.at(at, at));
                before.iter_mut().zip(self.part(at, first..at)).for_each(|(x, &y)| *x -= own[0] * y);
                often[at - first] = own[0];
            }
            self.subtract_all(first, &often[..end - first], &mut target[..first], 0);
            end = first;
        }
    }

    /// Rows from one on less the same rows of columns from a first one on, as often as is said of each.
    pub(super) fn subtract_all(self, first: usize, often: &[N], from: &mut [N], row: usize) {
        let rows = row..row + from.len();
        if often.iter().all(|&often| often == N::default()) {
            return;
        }
        let (whole, rest) = often.as_chunks::<TOGETHER>();
        for (first, often) in (first..).step_by(TOGETHER).zip(whole) {
            let columns = std::array::from_fn(|at| self.part(first + at, rows.clone()));
            subtract(from, *often, columns);
        }
        for (at, &often) in (first + TOGETHER * whole.len()..).zip(rest) {
            subtract(from, [often], [self.part(at, rows.clone())]);
        }
    }
}

struct Dot<'a, N>(&'a [N], &'a [N]);

impl<N: MatrixNumber> Job for Dot<'_, N> {
    type Output = N;

    #[inline(always)]
    fn run(self) -> N {
        let ((xs, x_rest), (ys, y_rest)) = (self.0.as_chunks::<LANES>(), self.1.as_chunks::<LANES>());
        let mut sums = [N::default(); BLOCK];
        if !xs.is_empty() {
            let mut lanes = [N::default(); LANES];
            for (xs, ys) in xs.iter().zip(ys) {
                for at in 0..LANES {
                    lanes[at] = lanes[at].plus_product(xs[at].conj(), ys[at]);
                }
            }
            for at in 0..LANES {
                sums[at % BLOCK] += lanes[at];
            }
        }
        let ((xs, x_rest), (ys, y_rest)) = (x_rest.as_chunks::<BLOCK>(), y_rest.as_chunks::<BLOCK>());
        for (xs, ys) in xs.iter().zip(ys) {
            for at in 0..BLOCK {
                sums[at] = sums[at].plus_product(xs[at].conj(), ys[at]);
            }
        }
        let mut rest = N::default();
        for (&x, &y) in x_rest.iter().zip(y_rest) {
            rest += x.conj() * y;
        }
        rest + ((sums[0] + sums[2]) + (sums[1] + sums[3]))
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
        let Self { from, often, .. } = self;
        let rows = from.len();
        let mut columns = [(&[][..], &[][..]); K];
        for k in 0..K {
            columns[k] = self.columns[k][..rows].as_chunks::<BLOCK>();
        }
        for at in 0..rows / BLOCK {
            let Some(from) = from[at * BLOCK..].first_chunk_mut::<BLOCK>() else { break };
            let mut rest = *from;
            for k in 0..K {
                for row in 0..BLOCK {
                    rest[row] = rest[row].plus_product(-often[k], columns[k].0[at][row]);
                }
            }
            *from = rest;
        }
        for (at, x) in from[rows / BLOCK * BLOCK..].iter_mut().enumerate() {
            for k in 0..K {
                *x = x.plus_product(-often[k], columns[k].1[at]);
            }
        }
    }
}

/// A column less other ones as often as is said.
pub(super) fn subtract<N: MatrixNumber, const K: usize>(from: &mut [N], often: [N; K], columns: [&[N]; K]) {
    vectorised(Subtract { from, often, columns });
}

/// Of a matrix that is its own adjoint the columns from the diagonal on, and a vector.
struct Times<'a, N> {
    columns: &'a [N],
    rows: usize,
    vector: &'a [N],
    out: &'a mut [N],
}

impl<N: MatrixNumber> Job for Times<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { columns, rows, vector, out } = self;
        let size = vector.len();
        out.fill(N::default());
        for first in (0..size).step_by(TOGETHER) {
            let end = (first + TOGETHER).min(size);
            // The corner at the diagonal, number by number.
            for column in first..end {
                let own = &columns[column * rows + rows - size..];
                out[column] = out[column].plus_product(own[column], vector[column]);
                for row in column + 1..end {
                    out[row] = out[row].plus_product(own[row], vector[column]);
                    out[column] = out[column].plus_product(own[row].conj(), vector[row]);
                }
            }
            if end - first < TOGETHER {
                break;
            }
            // Below it each number counts for its row and, as its conjugate, for its column.
            let mut parts = [(&[][..], &[][..]); TOGETHER];
            let (mut often, mut sums) = ([N::default(); TOGETHER], [[N::default(); BLOCK]; TOGETHER]);
            for k in 0..TOGETHER {
                parts[k] = columns[(first + k) * rows + rows - size..][end..size].as_chunks::<BLOCK>();
                often[k] = vector[first + k];
            }
            let ((vectors, vector_rest), (outs, out_rest)) = (vector[end..].as_chunks::<BLOCK>(), out[end..].as_chunks_mut::<BLOCK>());
            for (at, (vector, out)) in vectors.iter().zip(outs).enumerate() {
                let (vector, mut own) = (*vector, *out);
                for k in 0..TOGETHER {
                    let part = parts[k].0[at];
                    for row in 0..BLOCK {
                        own[row] = own[row].plus_product(part[row], often[k]);
                        sums[k][row] = sums[k][row].plus_product(part[row].conj(), vector[row]);
                    }
                }
                *out = own;
            }
            for k in 0..TOGETHER {
                let mut sum = (sums[k][0] + sums[k][2]) + (sums[k][1] + sums[k][3]);
                for (at, &x) in parts[k].1.iter().enumerate() {
                    out_rest[at] = out_rest[at].plus_product(x, often[k]);
                    sum = sum.plus_product(x.conj(), vector_rest[at]);
                }
                sums[k][0] = sum;
            }
            for k in 0..TOGETHER {
                out[first + k] += sums[k][0];
            }
        }
    }
}

/// A matrix that is its own adjoint times a vector. Its columns, of so many rows, begin above it with others; only what is from the diagonal on is
/// looked at.
pub(super) fn times<N: MatrixNumber>(columns: &[N], rows: usize, vector: &[N], out: &mut [N]) {
    vectorised(Times { columns, rows, vector, out });
}

struct TakeBoth<'a, N> {
    columns: &'a mut [N],
    rows: usize,
    both: [&'a [N]; 2],
}

impl<N: MatrixNumber> Job for TakeBoth<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { columns, rows, both: [x, y] } = self;
        for (at, column) in columns.chunks_exact_mut(rows).enumerate() {
            let from = &mut column[rows - x.len() + at..];
            Subtract { from, often: [y[at].conj(), x[at].conj()], columns: [&x[at..], &y[at..]] }.run();
        }
    }
}

/// Takes the products of a vector and another one's adjoint, and those the other way round, off such a matrix.
pub(super) fn take_both<N: MatrixNumber>(columns: &mut [N], rows: usize, both: [&[N]; 2]) {
    vectorised(TakeBoth { columns, rows, both });
}

struct Mirror<'a, N> {
    columns: &'a mut [N],
    rows: usize,
    first: usize,
    mirror: &'a [N],
    factor: N,
}

impl<N: MatrixNumber> Job for Mirror<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for column in self.columns.chunks_exact_mut(self.rows) {
            let column = &mut column[self.first..];
            let share = Dot(self.mirror, column).run() * self.factor;
            Subtract { from: column, often: [share], columns: [self.mirror] }.run();
        }
    }
}

/// Columns of so many rows less their parts along a mirror's, which begins at one of the rows and ends with the last.
pub(super) fn mirrored<N: MatrixNumber>(columns: &mut [N], rows: usize, first: usize, mirror: &[N], factor: N) {
    vectorised(Mirror { columns, rows, first, mirror, factor });
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

/// Rows of neighbouring columns that are turned together: so many that no vector waits for the turn before.
const STRIP: usize = 32;
/// Fewer of them, where no more are left.
const NARROW: usize = 4;

/// Turns of neighbouring columns, the first two, then the second and the third, and so on.
struct Rotations<'a, N> {
    columns: &'a mut [N],
    rows: usize,
    turns: &'a [[f64; 2]],
}

impl<N: MatrixNumber> Rotations<'_, N> {
    /// All turns of some rows: what comes of a column's turn with the one before stays in registers for that with the next.
    #[inline(always)]
    fn strip<const ROWS: usize>(&mut self, first: usize) {
        let Some(mut own) = self.columns[first..].first_chunk::<ROWS>().copied() else { return };
        for (at, &[cosine, sine]) in self.turns.iter().enumerate() {
            let Some(&next) = self.columns[(at + 1) * self.rows + first..].first_chunk::<ROWS>() else { return };
            let Some(to) = self.columns[at * self.rows + first..].first_chunk_mut::<ROWS>() else { return };
            for row in 0..ROWS {
                to[row] = own[row] * cosine + next[row] * sine;
                own[row] = next[row] * cosine - own[row] * sine;
            }
        }
        if let Some(to) = self.columns[self.turns.len() * self.rows + first..].first_chunk_mut::<ROWS>() {
            *to = own;
        }
    }
}

impl<N: MatrixNumber> Job for Rotations<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let (mut first, rows) = (0, self.rows);
        while first + STRIP <= rows {
            self.strip::<STRIP>(first);
            first += STRIP;
        }
        while first + NARROW <= rows {
            self.strip::<NARROW>(first);
            first += NARROW;
        }
        for first in first..rows {
            self.strip::<1>(first);
        }
    }
}

/// Turns neighbouring columns of so many rows into one another, pair after pair.
pub(super) fn rotate_all<N: MatrixNumber>(columns: &mut [N], rows: usize, turns: &[[f64; 2]]) {
    if rows > 0 && !turns.is_empty() {
        vectorised(Rotations { columns, rows, turns });
    }
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

/// What squares keep their digits above, and below its inverse.
const SMALL: f64 = 1e-280;

/// The cosine and the sine of the turn that makes one number and zero of two, and the number.
pub(super) fn turn(x: f64, y: f64) -> ([f64; 2], f64) {
    let square = x * x + y * y;
    let length = if (SMALL..SMALL.recip()).contains(&square) { square.sqrt() } else { x.hypot(y) };
    // Two quotients wait for no other number, as products with an inverse would.
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
