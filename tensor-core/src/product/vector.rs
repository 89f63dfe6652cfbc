//! The product of a matrix and a vector, which reads each element once: nothing to pack.

use std::ops::Range;

use super::factors::{Factor, Tiles};
use super::pack::{Column, Factors, Plane, Runs};
use crate::error::Result;
use crate::kernels::level::{Job, vectorised};
use crate::kernels::parts::collect;
use crate::room::filled;

/// Elements that are summed before their sum joins the others.
const BLOCK: usize = 1024;
/// Steps of rows that are computed several at a time.
const SHORT: usize = 64;
/// How many these are.
const ABREAST: usize = 8;
/// Elements of the matrix that are worth a thread.
const PART: usize = 1 << 16;

/// Computes one product after another, where right factors have one column.
pub(super) fn multiply<T: Factor + Tiles>(factors: &Factors<'_, T>, out: &mut [T]) -> Result<()> {
    let [m, k, _] = factors.sizes;
    for (at, out) in out.chunks_exact_mut(m).enumerate() {
        let column = factors.right_column(at)?;
        if factors.left_runs() == Runs::Steps && m > 1 {
            out.fill(T::default());
            let scratch = filled(m, T::default())?;
            vectorised(Columns { factors, at, column: &column, scratch, out });
            continue;
        }
        // The pieces of a row depend on its length alone: so does the result.
        let pieces = k.div_ceil(PART);
        let each = (PART / k).max(1);
        let tasks = if pieces > 1 { m * pieces } else { m.div_ceil(each) };
        let sums = collect(tasks, &|task| {
            let (rows, piece) =
                if pieces > 1 { (task / pieces..task / pieces + 1, task % pieces) } else { (task * each..m.min((task + 1) * each), 0) };
            vectorised(Rows { factors, at, rows, steps: piece * PART..k.min((piece + 1) * PART), column: &column })
        });
        if pieces > 1 {
            let rows = sums.chunks(pieces);
            out.iter_mut().zip(rows).for_each(|(out, sums)| *out = pairwise(sums.iter().map(|sum| sum[0])));
        } else {
            out.iter_mut().zip(sums.into_iter().flatten()).for_each(|(out, sum)| *out = sum);
        }
    }
    Ok(())
}

/// Some steps of some rows, each with those of the vector.
struct Rows<'a, T: Tiles> {
    factors: &'a Factors<'a, T>,
    at: usize,
    rows: Range<usize>,
    steps: Range<usize>,
    column: &'a Column<'a, T>,
}

impl<T: Factor + Tiles> Job for Rows<'_, T> {
    type Output = Vec<T>;

    #[inline(always)]
    fn run(self) -> Vec<T> {
        let Self { factors, at, rows, steps, column } = self;
        let (mut left, mut right) = (vec![T::default(); BLOCK], vec![T::default(); BLOCK]);
        let mut all = Vec::with_capacity(rows.len());
        if let (Some(plane), true) = (factors.left_plane(at), steps.len() <= SHORT) {
            short(plane, rows, column.part(steps.start, steps.len(), &mut right), &mut all);
            return all;
        }
        if steps.len() <= BLOCK {
            // Short rows: the vector is looked up once, and there is nothing to join.
            let x = column.part(steps.start, steps.len(), &mut right);
            for row in rows {
                all.push(dot(factors.left_part(at, row, steps.start, steps.len(), &mut left), x));
            }
            return all;
        }
        let mut sums = Vec::new();
        for row in rows {
            sums.clear();
            for first in steps.clone().step_by(BLOCK) {
                let len = BLOCK.min(steps.end - first);
                sums.push(dot(factors.left_part(at, row, first, len, &mut left), column.part(first, len, &mut right)));
            }
            all.push(pairwise(sums.iter().copied()));
        }
        all
    }
}

/// Rows of a few steps, all of them: one row's additions wait for each other, those of several don't.
#[inline(always)]
fn short<T: Factor>(plane: Plane<'_, T>, rows: Range<usize>, x: &[T], all: &mut Vec<T>) {
    for first in rows.clone().step_by(ABREAST) {
        let mut sums = [T::default(); ABREAST];
        let mut lanes = [[T::default(); 8]; ABREAST];
        for (row, (sum, lanes)) in sums.iter_mut().zip(&mut lanes).enumerate() {
            // Where there are no more rows, the last one.
            let line = &plane.elements[(first + row).min(rows.end - 1) * plane.stride..][..x.len()];
            for (line, x) in line.as_chunks::<8>().0.iter().zip(x.as_chunks::<8>().0) {
                for ((lane, &a), &x) in lanes.iter_mut().zip(line).zip(x) {
                    *lane = lane.plus_product(a, x);
                }
            }
            for (&a, &x) in line.as_chunks::<8>().1.iter().zip(x.as_chunks::<8>().1) {
                *sum = sum.plus_product(a, x);
            }
        }
        if x.len() >= 8 {
            for lane in 0..8 {
                for (sum, lanes) in sums.iter_mut().zip(&lanes) {
                    *sum = sum.plus(lanes[lane]);
                }
            }
        }
        all.extend_from_slice(&sums[..ABREAST.min(rows.end - first)]);
    }
}

/// Columns of the matrix, each times an element of the vector, added to the result.
struct Columns<'a, T: Tiles> {
    factors: &'a Factors<'a, T>,
    at: usize,
    column: &'a Column<'a, T>,
    scratch: Vec<T>,
    out: &'a mut [T],
}

impl<T: Factor + Tiles> Job for Columns<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { factors, at, column, mut scratch, out } = self;
        let steps = factors.sizes[1];
        let mut right = vec![T::default(); BLOCK];
        for first in (0..steps).step_by(BLOCK) {
            let elements = column.part(first, BLOCK.min(steps - first), &mut right);
            for (step, &x) in elements.iter().enumerate() {
                let run = factors.left_part(at, first + step, 0, out.len(), &mut scratch);
                for (out, &a) in out.iter_mut().zip(run) {
                    *out = out.plus_product(a, x);
                }
            }
        }
    }
}

/// The sum of products of neighbours, in several runs side by side; of the few that are left in fewer. Loops are written out: a closure may be
/// compiled without the vector instructions, and then each product is a call.
#[inline(always)]
fn dot<T: Factor>(a: &[T], b: &[T]) -> T {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<32>(), b.as_chunks::<32>());
    let rest = {
        let ((a, a_rest), (b, b_rest)) = (a_rest.as_chunks::<8>(), b_rest.as_chunks::<8>());
        let mut last = T::default();
        for (&a, &b) in a_rest.iter().zip(b_rest) {
            last = last.plus_product(a, b);
        }
        if a.is_empty() { last } else { runs(a, b, last) }
    };
    if a.is_empty() { rest } else { runs(a, b, rest) }
}

/// The sum of products in that many runs, added to another one.
#[inline(always)]
fn runs<T: Factor, const RUNS: usize>(a: &[[T; RUNS]], b: &[[T; RUNS]], rest: T) -> T {
    let mut lanes = [T::default(); RUNS];
    for (a, b) in a.iter().zip(b) {
        for ((lane, &a), &b) in lanes.iter_mut().zip(a).zip(b) {
            *lane = lane.plus_product(a, b);
        }
    }
    let mut sum = rest;
    for &lane in &lanes {
        sum = sum.plus(lane);
    }
    sum
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
