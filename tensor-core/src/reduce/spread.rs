//! Accumulators that keep more than a number, in `f64` whatever the dtype: squared distances from a mean, and sums of exponentials, which are
//! computed in `f32` where elements are.

use std::marker::PhantomData;

use num_complex::Complex;

use super::extremes::{Ordered, beyond, most_extreme};
use super::fold::{Accumulator, FoldTerm, Tile};
use super::sums::Summed;
use crate::element::Native;
use crate::kernels::vocabulary::Analytic;

/// A number that these folds compute with: a real one, or a complex one.
pub(super) trait Wide: Native + Default {
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, factor: f64) -> Self;
    /// The squares of its parts.
    fn squares(self) -> Self;
}

impl Wide for f64 {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self - other
    }
    #[inline(always)]
    fn times(self, factor: f64) -> Self {
        self * factor
    }
    #[inline(always)]
    fn squares(self) -> Self {
        self * self
    }
}

impl Wide for Complex<f64> {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self - other
    }
    #[inline(always)]
    fn times(self, factor: f64) -> Self {
        Self::new(self.re * factor, self.im * factor)
    }
    #[inline(always)]
    fn squares(self) -> Self {
        Self::new(self.re * self.re, self.im * self.im)
    }
}

/// What exponentials are made of, and computed in; their sums are wide.
pub(super) trait Exponent: Summed<Wide: Wide> {
    /// A real part.
    type Part: Summed<Wide = f64> + Ordered;
    /// Whether they are computed in vectors.
    const IS_REAL: bool = true;

    fn real(self) -> Self::Part;
    /// The exponential of the number less `shift`.
    fn exp_less(self, shift: Self::Part) -> Self;
}

impl Exponent for f64 {
    type Part = Self;

    #[inline(always)]
    fn real(self) -> Self {
        self
    }
    #[inline(always)]
    fn exp_less(self, shift: Self) -> Self {
        Analytic::exp(self - shift)
    }
}

impl Exponent for f32 {
    type Part = Self;

    #[inline(always)]
    fn real(self) -> Self {
        self
    }
    #[inline(always)]
    fn exp_less(self, shift: Self) -> Self {
        // The shift is an element. What the difference loses is a part of the exponential, too; of infinities it is no number.
        let less = self - shift;
        let own = less + shift;
        let lost = (self - own) - (shift - (own - less));
        Analytic::exp(less) * (1.0 + if lost.abs() < 1.0 { lost } else { 0.0 })
    }
}

impl Exponent for Complex<f64> {
    type Part = f64;
    const IS_REAL: bool = false;

    #[inline(always)]
    fn real(self) -> f64 {
        self.re
    }
    #[inline(always)]
    fn exp_less(self, shift: f64) -> Self {
        Self::from_polar((self.re - shift).exp(), self.im)
    }
}

/// The sum of what a function makes of each, in several runs side by side.
#[inline(always)]
fn sum_of<T: Copy, R: Wide>(row: &[T], of: impl Fn(T) -> R) -> R {
    let mut lanes = [R::default(); 16];
    let (runs, rest) = row.as_chunks::<16>();
    for run in runs {
        for at in 0..16 {
            lanes[at] = lanes[at].plus(of(run[at]));
        }
    }
    let sum = rest.iter().fold(R::default(), |sum, &x| sum.plus(of(x)));
    lanes.iter().fold(sum, |sum, &lane| sum.plus(lane))
}

/// The mean of some elements, and the sum of their squared distances from it, for each part of a complex number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread<T> {
    count: f64,
    mean: T,
    pub(super) squares: T,
}

/// For each block the mean and then the squares, and these joined by T. Chan's formula.
pub(super) struct Moments<R, T, const AT: usize>(PhantomData<fn(T) -> R>);

impl<R: FoldTerm<T, AT, Out: Wide>, T: Native + Default, const AT: usize> Accumulator for Moments<R, T, AT> {
    type Item = T;
    type Known = Spread<R::Out>;
    const WIDEST: bool = true;

    fn start() -> Spread<R::Out> {
        Spread { count: 0.0, mean: R::Out::default(), squares: R::Out::default() }
    }

    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "a block is short")]
    fn row(given: f64, _: usize, row: &[T]) -> Spread<R::Out> {
        let sum = sum_of(row, |x| R::of(x, given));
        let mean = sum.times((row.len() as f64).recip());
        Spread { count: row.len() as f64, mean, squares: sum_of(row, |x| R::of(x, given).minus(mean).squares()) }
    }

    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "a tile is low")]
    fn tile(given: f64, known: &mut [Spread<R::Out>], _: usize, tile: Tile<'_, T>) {
        let count = tile.len() as f64;
        let mut means = vec![R::Out::default(); known.len()];
        for row in tile.rows() {
            for (mean, &x) in means.iter_mut().zip(row) {
                *mean = mean.plus(R::of(x, given));
            }
        }
        means.iter_mut().for_each(|mean| *mean = mean.times(count.recip()));
        let mut squares = vec![R::Out::default(); known.len()];
        for row in tile.rows() {
            for ((squares, &mean), &x) in squares.iter_mut().zip(&means).zip(row) {
                *squares = squares.plus(R::of(x, given).minus(mean).squares());
            }
        }
        for ((known, mean), squares) in known.iter_mut().zip(means).zip(squares) {
            *known = Self::join(*known, Spread { count, mean, squares });
        }
    }

    #[inline(always)]
    fn join(a: Spread<R::Out>, b: Spread<R::Out>) -> Spread<R::Out> {
        if a.count == 0.0 {
            return b;
        }
        let count = a.count + b.count;
        let apart = b.mean.minus(a.mean);
        let mean = a.mean.plus(apart.times(b.count / count));
        Spread { count, mean, squares: a.squares.plus(b.squares).plus(apart.squares().times(a.count * b.count / count)) }
    }
}

/// A sum of exponentials, all divided by that of the largest real part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shifted<T> {
    pub(super) most: f64,
    pub(super) sum: T,
}

impl<T: Wide> Shifted<T> {
    /// What everything was divided by, if there is anything: one side of a join may be of infinities only, or empty, and has no shift.
    #[inline(always)]
    fn shift(self) -> f64 {
        if self.sum == T::default() { f64::NEG_INFINITY } else { self.most }
    }
}

/// Infinities are no shift, as in PyTorch.
#[inline(always)]
fn shift<P: Ordered>(most: P) -> P {
    if most == P::LEAST || most == P::MOST { P::default() } else { most }
}

/// A real part of a term.
type PartOf<R, T, const AT: usize> = <<R as FoldTerm<T, AT>>::Out as Exponent>::Part;

/// What the sum of a term's exponentials is computed in.
type Total<R, T, const AT: usize> = <<R as FoldTerm<T, AT>>::Out as Summed>::Wide;

/// The sums of a reduction's term.
pub(super) struct Exponentials<R, T, const AT: usize>(PhantomData<fn(T) -> R>);

impl<R: FoldTerm<T, AT, Out: Exponent>, T: Native + Default, const AT: usize> Accumulator for Exponentials<R, T, AT> {
    type Item = T;
    type Known = Shifted<Total<R, T, AT>>;
    const WIDEST: bool = R::Out::IS_REAL;

    fn start() -> Shifted<Total<R, T, AT>> {
        Shifted { most: f64::NEG_INFINITY, sum: Total::<R, T, AT>::default() }
    }

    #[inline(always)]
    fn row(given: f64, _: usize, row: &[T]) -> Shifted<Total<R, T, AT>> {
        const LANES: usize = 8;
        let shift = shift(most_extreme::<T, PartOf<R, T, AT>, true>(row, |x| R::of(x, given).real()));
        // A loop of its own for the exponentials, as vectors.
        let (mut powers, mut sums) = ([R::Out::default(); 16 * LANES], [Total::<R, T, AT>::default(); LANES]);
        for block in row.chunks(powers.len()) {
            let powers = &mut powers[..block.len()];
            for (power, &x) in powers.iter_mut().zip(block) {
                *power = R::of(x, given).exp_less(shift);
            }
            let (chunks, rest) = powers.as_chunks::<LANES>();
            for chunk in chunks {
                for at in 0..LANES {
                    sums[at] = sums[at].plus(chunk[at].widen());
                }
            }
            for (at, &power) in rest.iter().enumerate() {
                sums[at] = sums[at].plus(power.widen());
            }
        }
        Shifted { most: shift.widen(), sum: sums.iter().fold(Total::<R, T, AT>::default(), |sum, &own| sum.plus(own)) }
    }

    #[inline(always)]
    fn tile(given: f64, known: &mut [Shifted<Total<R, T, AT>>], _: usize, tile: Tile<'_, T>) {
        const SIDE: usize = 32;
        // A few results at a time: the largest real part so far, and what was known as if it had been that all the time.
        for (part, known) in known.chunks_mut(SIDE).enumerate() {
            let (mut before, mut tops) = ([f64::NEG_INFINITY; SIDE], [PartOf::<R, T, AT>::LEAST; SIDE]);
            for (at, known) in known.iter().enumerate() {
                before[at] = known.shift();
                tops[at] = Summed::narrow(before[at]);
            }
            let mut nans = [<PartOf<R, T, AT> as Ordered>::Bits::default(); SIDE];
            for row in tile.rows() {
                // Whole vectors, wherever there are.
                match row[part * SIDE..].first_chunk::<SIDE>() {
                    Some(row) => {
                        for at in 0..SIDE {
                            let x = R::of(row[at], given).real();
                            tops[at] = beyond::<_, true>(tops[at], x);
                            nans[at] = nans[at] | x.nan_bits();
                        }
                    }
                    None => {
                        for (at, &x) in row[part * SIDE..].iter().enumerate() {
                            let x = R::of(x, given).real();
                            tops[at] = beyond::<_, true>(tops[at], x);
                            nans[at] = nans[at] | x.nan_bits();
                        }
                    }
                }
            }
            // What is seen of them from here on isn't mixed into the loop.
            nans = std::hint::black_box(nans);
            for at in 0..SIDE {
                tops[at] = if nans[at] == Default::default() { tops[at] } else { Summed::narrow(f64::NAN) };
            }
            let (mut powers, mut sums) = ([R::Out::default(); SIDE], [Total::<R, T, AT>::default(); SIDE]);
            for at in 0..SIDE {
                tops[at] = shift(tops[at]);
                before[at] = f64::exp_less(before[at], tops[at].widen());
            }
            for (at, known) in known.iter().enumerate() {
                sums[at] = known.sum.times(before[at]);
            }
            for row in tile.rows() {
                match row[part * SIDE..].first_chunk::<SIDE>() {
                    Some(row) => {
                        for at in 0..SIDE {
                            powers[at] = R::of(row[at], given).exp_less(tops[at]);
                        }
                    }
                    None => {
                        for ((power, &x), &shift) in powers.iter_mut().zip(&row[part * SIDE..]).zip(&tops) {
                            *power = R::of(x, given).exp_less(shift);
                        }
                    }
                }
                for at in 0..SIDE {
                    sums[at] = sums[at].plus(powers[at].widen());
                }
            }
            for (at, known) in known.iter_mut().enumerate() {
                *known = Shifted { most: tops[at].widen(), sum: sums[at] };
            }
        }
    }

    #[inline(always)]
    fn join(a: Shifted<Total<R, T, AT>>, b: Shifted<Total<R, T, AT>>) -> Shifted<Total<R, T, AT>> {
        // One side may be of infinities only, or empty: its shift is 0 then, and its sum 0 or infinite.
        let is_nothing = |e: Shifted<Total<R, T, AT>>| e.sum == Total::<R, T, AT>::default();
        if is_nothing(a) {
            return b;
        }
        if is_nothing(b) {
            return a;
        }
        let (high, low) = if a.most >= b.most { (a, b) } else { (b, a) };
        Shifted { most: high.most, sum: high.sum.plus(low.sum.times((low.most - high.most).exp())) }
    }
}
