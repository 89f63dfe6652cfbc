//! What becomes of a row: running sums, products and extremes, and the median. Softmax has a file of its own.

use std::marker::PhantomData;

use super::extremes::{Ordered, beats};
use super::rows::RowMap;
use super::sums::{Exponential, Summed};
use crate::error::Result;
use crate::kernels::vocabulary::Arithmetic;
use crate::room::listed;

/// Rows that go side by side.
const SIDE: usize = 4;

/// `cumsum`, or `cumprod`.
pub(super) struct Running<T, const PRODUCT: bool>(pub(super) PhantomData<fn() -> T>);

impl<T: Summed, const PRODUCT: bool> RowMap for Running<T, PRODUCT> {
    type In = T;
    type Out = T;
    const TOGETHER: usize = SIDE;

    fn results(&self, count: usize) -> usize {
        count
    }

    #[inline(always)]
    fn run(&self, row: &[T], out: &mut [T], _: &mut [i64]) -> Result<()> {
        let mut acc = Self::start();
        for (out, &x) in out.iter_mut().zip(row) {
            acc = Self::next(acc, x);
            *out = T::narrow(acc);
        }
        Ok(())
    }

    // Each sum waits for the one before it, and meanwhile for nothing of the other rows.
    #[inline(always)]
    fn some(&self, rows: &[T], count: usize, out: &mut [T], places: &mut [i64]) -> Result<()> {
        if rows.len() != SIDE * count {
            return rows.chunks_exact(count).zip(out.chunks_exact_mut(count)).try_for_each(|(row, out)| self.run(row, out, places));
        }
        let (mut accs, mut rest) = ([Self::start(); SIDE], out.chunks_exact_mut(count));
        let rows: [&[T]; SIDE] = std::array::from_fn(|row| &rows[row * count..][..count]);
        let outs: [&mut [T]; SIDE] = std::array::from_fn(|_| &mut rest.next().unwrap_or_default()[..count]);
        for at in 0..count {
            for row in 0..SIDE {
                accs[row] = Self::next(accs[row], rows[row][at]);
                outs[row][at] = T::narrow(accs[row]);
            }
        }
        Ok(())
    }
}

impl<T: Summed, const PRODUCT: bool> Running<T, PRODUCT> {
    #[inline(always)]
    fn start() -> T::Wide {
        if PRODUCT { T::ONE.widen() } else { T::Wide::default() }
    }

    #[inline(always)]
    fn next(acc: T::Wide, x: T) -> T::Wide {
        if PRODUCT { acc.mul(x.widen()) } else { acc.add(x.widen()) }
    }
}

/// Elements whose exponentials, and then logarithms, are computed together.
const AHEAD: usize = 256;

/// `logcumsumexp`: the sum of exponentials so far, divided by that of the largest element so far, so that it is between 1 and their number.
pub(super) struct RunningLogarithm<T>(pub(super) PhantomData<fn() -> T>);

impl<T: Exponential> RowMap for RunningLogarithm<T> {
    type In = T;
    type Out = T;
    const VECTORS: bool = true;

    fn results(&self, count: usize) -> usize {
        count
    }

    #[inline(always)]
    fn run(&self, row: &[T], out: &mut [T], _: &mut [i64]) -> Result<()> {
        let (mut most, mut sum) = (T::LEAST, 0.0_f64);
        let (mut largest, mut shares) = ([T::LEAST; AHEAD + 1], [T::default(); AHEAD]);
        for (xs, out) in row.chunks(AHEAD).zip(out.chunks_mut(AHEAD)) {
            largest[0] = most;
            for (to, &x) in largest[1..].iter_mut().zip(xs) {
                most = if x > most { x } else { most };
                *to = most;
            }
            // What the sum is to be multiplied by where an element is the largest so far, else what is added to it. Infinities are equal.
            for ((share, &x), &before) in shares.iter_mut().zip(xs).zip(&largest) {
                let (low, high) = if x > before { (before, x) } else { (x, before) };
                *share = if low == high { T::ONE } else { low.sub(high).exp() };
            }
            for (((to, &x), &before), &share) in out.iter_mut().zip(xs).zip(&largest).zip(&shares) {
                let share = share.widen();
                let (factor, more) = if x > before { (share, 1.0) } else { (1.0, share) };
                sum = sum * factor + more;
                *to = T::narrow(sum);
            }
            for (to, &most) in out.iter_mut().zip(&largest[1..]) {
                *to = to.ln().add(most);
            }
        }
        Ok(())
    }
}

/// Elements that are looked at together: mostly none of them is an extreme.
const TOGETHER: usize = 32;

/// `cummax` and `cummin`: of equal elements the last is found, and after a NaN no number.
pub(super) struct RunningExtreme<T, const LARGEST: bool>(pub(super) PhantomData<fn() -> T>);

impl<T: Ordered, const LARGEST: bool> RowMap for RunningExtreme<T, LARGEST> {
    type In = T;
    type Out = T;
    const PLACES: bool = true;
    const VECTORS: bool = true;

    fn results(&self, count: usize) -> usize {
        count
    }

    #[inline(always)]
    fn run(&self, row: &[T], out: &mut [T], places: &mut [i64]) -> Result<()> {
        let Some(&(mut best)) = row.first() else { return Ok(()) };
        let mut place = 0;
        let (mut outs, mut tos) = (out.chunks_mut(TOGETHER), places.chunks_mut(TOGETHER));
        for (first, xs) in (0..).step_by(TOGETHER).zip(row.chunks(TOGETHER)) {
            let (Some(out), Some(to)) = (outs.next(), tos.next()) else { break };
            let mut any = false;
            for &x in xs {
                any |= beats::<T, LARGEST>(x, best) | (x == best);
            }
            if !any {
                out.fill(best);
                to.fill(place);
                continue;
            }
            for (((out, to), &x), at) in out.iter_mut().zip(to).zip(xs).zip(first..) {
                if beats::<T, LARGEST>(x, best) || x == best {
                    (best, place) = (x, at);
                }
                (*out, *to) = (best, place);
            }
        }
        Ok(())
    }
}

/// `median`: of an even number of elements the lower one, and a NaN if there is one.
pub(super) struct Median<T>(pub(super) PhantomData<fn() -> T>);

impl<T: Ordered> RowMap for Median<T> {
    type In = T;
    type Out = T;
    const PLACES: bool = true;

    fn results(&self, _: usize) -> usize {
        1
    }

    fn run(&self, row: &[T], out: &mut [T], places: &mut [i64]) -> Result<()> {
        let place = match row.iter().position(|x| x.is_nan()) {
            Some(place) => place,
            None => {
                let mut sorted = listed(row.iter().copied())?;
                let compare = |a: &T, b: &T| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal);
                let (_, &mut median, _) = sorted.select_nth_unstable_by((row.len() - 1) / 2, compare);
                row.iter().position(|x| *x == median).unwrap_or(0)
            }
        };
        out[0] = row[place];
        places[0] = place.cast_signed() as i64;
        Ok(())
    }
}
