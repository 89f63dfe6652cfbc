//! The product of a matrix and a vector, which reads each element once: nothing to pack.

use super::factors::Factor;
use super::pack::{Factors, Runs};
use crate::kernels::level::{Job, vectorised};
use crate::kernels::parts::hand_out;

/// Elements that are summed before their sum joins the others.
const BLOCK: usize = 1024;
/// Elements of the matrix that are worth a thread.
const PART: usize = 1 << 16;

/// Computes one product after another, where right factors have one column.
pub(super) fn multiply<T: Factor>(factors: &Factors<'_, T>, out: &mut [T]) {
    let [m, k, _] = factors.sizes;
    for (at, out) in out.chunks_exact_mut(m).enumerate() {
        let column = factors.right_column(at);
        if factors.left_runs() == Runs::Steps {
            vectorised(Columns { factors, at, column: &column, out });
            continue;
        }
        let rows = (PART / k).max(1);
        let job = |part: usize, out: &mut [T]| vectorised(Rows { factors, at, first: part * rows, column: &column, out });
        if out.len() <= rows { job(0, out) } else { hand_out(out.chunks_mut(rows), job) }
    }
}

/// Some rows, each with the vector.
struct Rows<'a, T> {
    factors: &'a Factors<'a, T>,
    at: usize,
    first: usize,
    column: &'a [T],
    out: &'a mut [T],
}

impl<T: Factor> Job for Rows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { factors, at, first, column, out } = self;
        let mut scratch = vec![T::default(); column.len()];
        for (row, out) in out.iter_mut().enumerate() {
            let row = factors.left_run(at, first + row, &mut scratch);
            let blocks = row.chunks(BLOCK).zip(column.chunks(BLOCK));
            *out = pairwise(blocks.map(|(a, b)| dot(a, b)));
        }
    }
}

/// Columns of the matrix, each times an element of the vector, added to the result.
struct Columns<'a, T> {
    factors: &'a Factors<'a, T>,
    at: usize,
    column: &'a [T],
    out: &'a mut [T],
}

impl<T: Factor> Job for Columns<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { factors, at, column, out } = self;
        let mut scratch = vec![T::default(); out.len()];
        for (step, &x) in column.iter().enumerate() {
            let run = factors.left_run(at, step, &mut scratch);
            out.iter_mut().zip(run).for_each(|(out, &a)| *out = out.plus_product(a, x));
        }
    }
}

/// The sum of products of neighbours, in several runs side by side.
#[inline(always)]
fn dot<T: Factor>(a: &[T], b: &[T]) -> T {
    let mut lanes = [T::default(); 32];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<32>(), b.as_chunks::<32>());
    for (a, b) in a.iter().zip(b) {
        for ((lane, &a), &b) in lanes.iter_mut().zip(a).zip(b) {
            *lane = lane.plus_product(a, b);
        }
    }
    let rest = a_rest.iter().zip(b_rest).fold(T::default(), |sum, (&a, &b)| sum.plus_product(a, b));
    if a.is_empty() { rest } else { lanes.iter().fold(rest, |sum, &lane| sum.plus(lane)) }
}

/// The sum of many: of each two, of each two of these, and so on, so that no rounding meets all others.
#[inline(always)]
fn pairwise<T: Factor>(terms: impl Iterator<Item = T>) -> T {
    let mut sums: Vec<(u32, T)> = Vec::new();
    for term in terms {
        let mut last = (0, term);
        while let Some(&(height, before)) = sums.last().filter(|(height, _)| *height == last.0) {
            sums.pop();
            last = (height + 1, before.plus(last.1));
        }
        sums.push(last);
    }
    sums.into_iter().rev().fold(T::default(), |sum, (_, term)| term.plus(sum))
}
