//! The product of a matrix and a vector, which reads each element once: nothing to pack.

use std::ops::Range;

use super::factors::{Factor, Tiles};
use super::pack::{Column, Factors, Runs};
use crate::error::Result;
use crate::kernels::level::{Job, vectorised, widest};
use crate::kernels::parts::{collect, hand_out};

/// Elements that are summed before their sum joins the others.
const BLOCK: usize = 1024;
/// Elements of one row that are worth a thread, at most.
const PART: usize = 1 << 16;
/// The same of several rows, which are summed in less time than it takes to wake one.
const GRAIN: usize = 1 << 17;
/// The fewest lines of a thread's part where the lines of a step are neighbours.
const ABREAST: usize = 256;
/// Steps that are added to them at a time.
const STEPS: usize = 4;

/// Computes one product after another, where right factors have one column.
pub(super) fn multiply<T: Factor + Tiles>(factors: &Factors<'_, T>, out: &mut [T]) -> Result<()> {
    let [m, k, _] = factors.sizes;
    let mut room = factors.column_room()?;
    for (at, out) in out.chunks_exact_mut(m).enumerate() {
        let column = &factors.right_column(at, &mut room);
        // The pieces of a row depend on its length alone: so does the result. They are as long, so that no thread waits for another.
        let long = k.div_ceil(k.div_ceil(PART).max(1)).next_multiple_of(BLOCK);
        let pieces = k.div_ceil(long.max(1));
        let turned = factors.left_runs() == Runs::Steps && m > 1;
        if pieces > 1 && !turned {
            let sums = collect(m * pieces, &|task| {
                let (row, piece) = (task / pieces, task % pieces);
                let (mut sum, steps) = ([T::default()], piece * long..k.min((piece + 1) * long));
                widest(RowDots { factors, at, first: row, steps, column, out: &mut sum });
                sum[0]
            });
            out.iter_mut().zip(sums.chunks(pieces)).for_each(|(out, sums)| *out = pairwise(sums.iter().copied()));
            continue;
        }
        // Parts of one size, so that no thread waits for another.
        let parts = (m * k).div_ceil(GRAIN).min(m);
        let mut each = m.div_ceil(parts).max(if turned { ABREAST } else { 1 });
        if turned && factors.left_steps(at).is_none() {
            // So many are converted or gathered at a time.
            each = each.min(BLOCK);
        }
        let part = |task: usize, out: &mut [T]| {
            let first = task * each;
            if turned {
                vectorised(ColumnSums { factors, at, first, column, out });
            } else {
                widest(RowDots { factors, at, first, steps: 0..k, column, out });
            }
        };
        if m <= each { part(0, out) } else { hand_out(&mut out.chunks_mut(each), &part) }
    }
    Ok(())
}

/// Some steps of some rows, each with those of the vector.
struct RowDots<'a, T: Tiles> {
    factors: &'a Factors<'a, T>,
    at: usize,
    first: usize,
    steps: Range<usize>,
    column: &'a Column<'a, T>,
    out: &'a mut [T],
}

impl<T: Factor + Tiles> Job for RowDots<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { factors, at, first, steps, column, out } = self;
        let most = BLOCK.min(steps.len());
        let mut right = vec![T::default(); most];
        if steps.len() <= BLOCK {
            // Short rows: the vector is looked up once, and there is nothing to join.
            let x = column.part(steps.start, steps.len(), &mut right);
            if let Some(plane) = factors.left_plane(at) {
                for (row, out) in out.iter_mut().enumerate() {
                    *out = dot(&plane.elements[(first + row) * plane.stride + steps.start..][..x.len()], x);
                }
                return;
            }
            let mut left = vec![T::default(); most];
            for (row, out) in out.iter_mut().enumerate() {
                *out = dot(factors.left_part(at, first + row, steps.start, steps.len(), &mut left), x);
            }
            return;
        }
        let (mut left, mut sums) = (vec![T::default(); most], Vec::new());
        for (row, out) in out.iter_mut().enumerate() {
            sums.clear();
            for start in steps.clone().step_by(BLOCK) {
                let len = BLOCK.min(steps.end - start);
                sums.push(dot(factors.left_part(at, first + row, start, len, &mut left), column.part(start, len, &mut right)));
            }
            *out = pairwise(sums.iter().copied());
        }
    }
}

/// Columns of the matrix, each times an element of the vector, added to some lines of the result.
struct ColumnSums<'a, T: Tiles> {
    factors: &'a Factors<'a, T>,
    at: usize,
    first: usize,
    column: &'a Column<'a, T>,
    out: &'a mut [T],
}

impl<T: Factor + Tiles> Job for ColumnSums<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { factors, at, first, column, out } = self;
        let steps = factors.sizes[1];
        let plane = factors.left_steps(at);
        let mut right = vec![T::default(); BLOCK.min(steps)];
        let mut scratch = vec![T::default(); if plane.is_some() { 0 } else { out.len() }];
        out.fill(T::default());
        for start in (0..steps).step_by(BLOCK) {
            let elements = column.part(start, BLOCK.min(steps - start), &mut right);
            let mut done = 0;
            if let Some(plane) = plane {
                for (group, x) in elements.as_chunks::<STEPS>().0.iter().enumerate() {
                    let run = |step: usize| &plane.elements[(start + group * STEPS + step) * plane.stride + first..][..out.len()];
                    add_steps(out, [run(0), run(1), run(2), run(3)], x);
                    done += STEPS;
                }
            }
            for (step, &x) in elements.iter().enumerate().skip(done) {
                let run = match plane {
                    Some(plane) => &plane.elements[(start + step) * plane.stride + first..][..out.len()],
                    None => factors.left_part(at, start + step, first, out.len(), &mut scratch),
                };
                for (out, &a) in out.iter_mut().zip(run) {
                    *out = out.plus_product(a, x);
                }
            }
        }
    }
}

/// Adds the products of some steps, one after the other.
#[inline(always)]
fn add_steps<T: Factor>(out: &mut [T], [a, b, c, d]: [&[T]; STEPS], x: &[T; STEPS]) {
    for ((((out, &a), &b), &c), &d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *out = out.plus_product(a, x[0]).plus_product(b, x[1]).plus_product(c, x[2]).plus_product(d, x[3]);
    }
}

/// The sum of products of neighbours, in several runs side by side; of the few that are left in fewer. Loops are written out: a closure may be
/// compiled without the vector instructions, and then each product is a call.
#[inline(always)]
fn dot<T: Factor>(a: &[T], b: &[T]) -> T {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<32>(), b.as_chunks::<32>());
    let mut lanes = [T::default(); 8];
    if !a.is_empty() {
        let mut wide = [T::default(); 32];
        for (a, b) in a.iter().zip(b) {
            for at in 0..32 {
                wide[at] = wide[at].plus_product(a[at], b[at]);
            }
        }
        lanes = halved::<T, 16, 8>(&halved::<T, 32, 16>(&wide));
    }
    let ((a, a_rest), (b, b_rest)) = (a_rest.as_chunks::<8>(), b_rest.as_chunks::<8>());
    for (a, b) in a.iter().zip(b) {
        for at in 0..8 {
            lanes[at] = lanes[at].plus_product(a[at], b[at]);
        }
    }
    let mut few = halved::<T, 8, 4>(&lanes);
    let ((a, a_rest), (b, b_rest)) = (a_rest.as_chunks::<4>(), b_rest.as_chunks::<4>());
    for (a, b) in a.iter().zip(b) {
        for at in 0..4 {
            few[at] = few[at].plus_product(a[at], b[at]);
        }
    }
    let [first, second] = halved::<T, 4, 2>(&few);
    let mut last = T::default();
    for (&a, &b) in a_rest.iter().zip(b_rest) {
        last = last.plus_product(a, b);
    }
    first.plus(second).plus(last)
}

/// The sums of the lanes of each half with those of the other.
#[inline(always)]
fn halved<T: Factor, const LANES: usize, const HALF: usize>(lanes: &[T; LANES]) -> [T; HALF] {
    let mut sums = [T::default(); HALF];
    for (at, sum) in sums.iter_mut().enumerate() {
        *sum = lanes[at].plus(lanes[at + HALF]);
    }
    sums
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
