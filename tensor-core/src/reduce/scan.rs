//! What becomes of a row: running sums, products and extremes, softmax, and the median.

use std::marker::PhantomData;

use super::extremes::{Ordered, beats};
use super::rows::RowMap;
use super::sums::Summed;
use crate::kernels::vocabulary::Arithmetic;

/// `cumsum`, or `cumprod`.
pub(super) struct Running<T, const PRODUCT: bool>(pub(super) PhantomData<fn() -> T>);

impl<T: Summed, const PRODUCT: bool> RowMap for Running<T, PRODUCT> {
    type In = T;
    type Out = T;

    fn results(&self, count: usize) -> usize {
        count
    }

    #[inline(always)]
    fn run(&self, row: &[T], out: &mut [T], _: &mut [i64]) {
        let mut acc = if PRODUCT { T::ONE.widen() } else { T::Wide::default() };
        for (out, &x) in out.iter_mut().zip(row) {
            acc = if PRODUCT { acc.mul(x.widen()) } else { acc.add(x.widen()) };
            *out = T::narrow(acc);
        }
    }
}

/// `cummax` and `cummin`: of equal elements the last is found, and after a NaN no number.
pub(super) struct RunningExtreme<T, const LARGEST: bool>(pub(super) PhantomData<fn() -> T>);

impl<T: Ordered, const LARGEST: bool> RowMap for RunningExtreme<T, LARGEST> {
    type In = T;
    type Out = T;
    const PLACES: bool = true;

    fn results(&self, count: usize) -> usize {
        count
    }

    #[inline(always)]
    fn run(&self, row: &[T], out: &mut [T], places: &mut [i64]) {
        let Some(&(mut best)) = row.first() else { return };
        let mut place = 0;
        for (((out, to), &x), at) in out.iter_mut().zip(places).zip(row).zip(0..) {
            if beats::<T, LARGEST>(x, best) || x == best {
                (best, place) = (x, at);
            }
            (*out, *to) = (best, place);
        }
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

    fn run(&self, row: &[T], out: &mut [T], places: &mut [i64]) {
        let place = row.iter().position(|x| x.is_nan()).unwrap_or_else(|| {
            let mut sorted = row.to_vec();
            let compare = |a: &T, b: &T| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal);
            let (_, &mut median, _) = sorted.select_nth_unstable_by((row.len() - 1) / 2, compare);
            row.iter().position(|x| *x == median).unwrap_or(0)
        });
        out[0] = row[place];
        places[0] = place.cast_signed() as i64;
    }
}

/// A float that softmax is computed in.
pub(super) trait Exponential: Ordered {
    fn exp(self) -> Self;
    fn less(self, other: Self) -> Self;
    fn over(self, sum: f64) -> Self;
    fn ln_of(sum: f64) -> Self;
    fn widen(self) -> f64;
}

impl Exponential for f64 {
    #[inline(always)]
    fn exp(self) -> Self {
        Self::exp(self)
    }
    #[inline(always)]
    fn less(self, other: Self) -> Self {
        self - other
    }
    #[inline(always)]
    fn over(self, sum: f64) -> Self {
        self / sum
    }
    #[inline(always)]
    fn ln_of(sum: f64) -> Self {
        sum.ln()
    }
    #[inline(always)]
    fn widen(self) -> f64 {
        self
    }
}

impl Exponential for f32 {
    /// By a polynomial, so that the loop is vector code; within one unit in the last place.
    #[inline(always)]
    fn exp(self) -> Self {
        const LN_2_HIGH: f32 = 0.693_359_4;
        const LN_2_LOW: f32 = -2.121_944_4e-4;
        /// Added to a float below 2^22 it leaves the nearest integer in the low bits.
        const TO_INTEGER: f32 = 12_582_912.0;
        let x = self.clamp(-104.0, 89.0);
        let shifted = x.mul_add(std::f32::consts::LOG2_E, TO_INTEGER);
        let n = shifted - TO_INTEGER;
        let r = n.mul_add(-LN_2_LOW, n.mul_add(-LN_2_HIGH, x));
        let high = r.mul_add(1.987_569_1e-4, 1.398_199_9e-3);
        let tail = [8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5].into_iter().fold(high, |p, c| p.mul_add(r, c));
        let mantissa = tail.mul_add(r * r, r) + 1.0;
        // Two steps, so that results below the normal numbers come out, too.
        let n = shifted.to_bits().wrapping_sub(TO_INTEGER.to_bits()).cast_signed();
        let power = |n: i32| Self::from_bits(((n + 127) << 23).cast_unsigned());
        let y = mantissa * power(n >> 1) * power(n - (n >> 1));
        if self.is_nan() { self } else { y }
    }
    #[inline(always)]
    fn less(self, other: Self) -> Self {
        self - other
    }
    #[inline(always)]
    fn over(self, sum: f64) -> Self {
        self / sum as Self
    }
    #[inline(always)]
    fn ln_of(sum: f64) -> Self {
        sum.ln() as Self
    }
    #[inline(always)]
    fn widen(self) -> f64 {
        self.into()
    }
}

/// `softmax`, or its logarithm.
pub(super) struct Softmax<T, const LOG: bool>(pub(super) PhantomData<fn() -> T>);

impl<T: Exponential, const LOG: bool> RowMap for Softmax<T, LOG> {
    type In = T;
    type Out = T;

    fn results(&self, count: usize) -> usize {
        count
    }

    #[inline(always)]
    fn run(&self, row: &[T], out: &mut [T], _: &mut [i64]) {
        let most = super::extremes::extreme::<T, true>(row);
        for (out, &x) in out.iter_mut().zip(row) {
            *out = x.less(most).exp();
        }
        let mut lanes = [0.0; 16];
        let (runs, rest) = out.as_chunks::<16>();
        for run in runs {
            for (lane, x) in lanes.iter_mut().zip(run) {
                *lane += x.widen();
            }
        }
        let sum = rest.iter().fold(lanes.iter().sum::<f64>(), |sum, x| sum + x.widen());
        if LOG {
            let logarithm = T::ln_of(sum);
            for (out, &x) in out.iter_mut().zip(row) {
                *out = x.less(most).less(logarithm);
            }
        } else {
            out.iter_mut().for_each(|out| *out = out.over(sum));
        }
    }
}
