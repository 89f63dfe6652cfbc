//! Folds in `f64` whatever the dtype: variances, norms, and the logarithm of a sum of exponentials.

use num_complex::Complex;

use super::fold::{Fold, Tile};
use crate::element::Native;
use crate::kernels::vocabulary::Floating;

/// A number as these folds read it: a real one, or a complex one.
pub(super) trait Wide: Native + Default {
    fn zero() -> Self;
    fn real(self) -> f64;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, factor: f64) -> Self;
    fn modulus(self) -> f64;
    fn modulus_squared(self) -> f64;
    /// The squares of its parts.
    fn squares(self) -> Self;
    /// The sum of its parts, each divided by a count.
    fn parts_over(self, count: f64) -> f64;
    /// The exponential of the number less `shift`.
    fn exp_less(self, shift: f64) -> Self;
    /// The logarithm, plus `shift`.
    fn ln_plus(self, shift: f64) -> Self;
}

impl Wide for f64 {
    #[inline(always)]
    fn zero() -> Self {
        0.0
    }
    #[inline(always)]
    fn real(self) -> f64 {
        self
    }
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
    fn modulus(self) -> f64 {
        self.abs()
    }
    #[inline(always)]
    fn modulus_squared(self) -> f64 {
        self * self
    }
    #[inline(always)]
    fn squares(self) -> Self {
        self * self
    }
    fn parts_over(self, count: f64) -> f64 {
        self / count
    }
    #[inline(always)]
    fn exp_less(self, shift: f64) -> Self {
        (self - shift).exp()
    }
    fn ln_plus(self, shift: f64) -> Self {
        self.ln() + shift
    }
}

impl Wide for Complex<f64> {
    #[inline(always)]
    fn zero() -> Self {
        Self::new(0.0, 0.0)
    }
    #[inline(always)]
    fn real(self) -> f64 {
        self.re
    }
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
    fn modulus(self) -> f64 {
        Floating::hypot(self.re, self.im)
    }
    #[inline(always)]
    fn modulus_squared(self) -> f64 {
        self.re * self.re + self.im * self.im
    }
    #[inline(always)]
    fn squares(self) -> Self {
        Self::new(self.re * self.re, self.im * self.im)
    }
    fn parts_over(self, count: f64) -> f64 {
        self.re / count + self.im / count
    }
    #[inline(always)]
    fn exp_less(self, shift: f64) -> Self {
        Self::from_polar((self.re - shift).exp(), self.im)
    }
    fn ln_plus(self, shift: f64) -> Self {
        Self::new(self.modulus().ln() + shift, self.im.atan2(self.re))
    }
}

/// The type that elements of a dtype are read as.
pub(super) trait SpreadIn: Native {
    type In: Wide;
}

macro_rules! spread_in {
    ($($In:ty: $($T:ty)*;)*) => { $($( impl SpreadIn for $T { type In = $In; } )*)* };
}

spread_in! {
    f64: bool u8 i8 i16 i32 i64 half::f16 half::bf16 f32 f64;
    Complex<f64>: Complex<half::f16> Complex<f32> Complex<f64>;
}

/// The sum of what a function makes of each, in several runs side by side.
#[inline(always)]
fn sum_of<T: Copy, R: Wide>(row: &[T], of: impl Fn(T) -> R) -> R {
    let mut lanes = [R::zero(); 16];
    let (runs, rest) = row.as_chunks::<16>();
    for run in runs {
        for (lane, &x) in lanes.iter_mut().zip(run) {
            *lane = lane.plus(of(x));
        }
    }
    let sum = rest.iter().fold(R::zero(), |sum, &x| sum.plus(of(x)));
    lanes.iter().fold(sum, |sum, &lane| sum.plus(lane))
}

/// The mean of some elements, and the sum of their squared distances from it, for each part of a complex number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments<T> {
    count: f64,
    mean: T,
    squares: T,
}

impl<T: Wide> Moments<T> {
    /// The variance, where `correction` is taken off the count.
    fn variance(self, correction: f64) -> f64 {
        self.squares.parts_over((self.count - correction).max(0.0))
    }
}

/// `var`, or its root for `std`: for each block the mean and then the squares, and these joined by T. Chan's formula.
pub(super) struct Variance<T> {
    pub(super) correction: f64,
    pub(super) root: bool,
    pub(super) element: std::marker::PhantomData<fn() -> T>,
}

impl<T: Wide> Fold for Variance<T> {
    type Item = T;
    type Acc = Moments<T>;
    type Out = f64;

    fn start(&self) -> Moments<T> {
        Moments { count: 0.0, mean: T::zero(), squares: T::zero() }
    }

    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "a block is short")]
    fn row(&self, _: usize, row: &[T]) -> Moments<T> {
        let sum = sum_of(row, |x| x);
        let mean = sum.times((row.len() as f64).recip());
        Moments { count: row.len() as f64, mean, squares: sum_of(row, |x| x.minus(mean).squares()) }
    }

    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "a tile is low")]
    fn tile(&self, accs: &mut [Moments<T>], _: usize, tile: Tile<'_, T>) {
        let count = tile.len() as f64;
        let mut means = vec![T::zero(); accs.len()];
        for row in tile.rows() {
            for (mean, &x) in means.iter_mut().zip(row) {
                *mean = mean.plus(x);
            }
        }
        means.iter_mut().for_each(|mean| *mean = mean.times(count.recip()));
        let mut squares = vec![T::zero(); accs.len()];
        for row in tile.rows() {
            for ((squares, &mean), &x) in squares.iter_mut().zip(&means).zip(row) {
                *squares = squares.plus(x.minus(mean).squares());
            }
        }
        for ((acc, mean), squares) in accs.iter_mut().zip(means).zip(squares) {
            *acc = self.join(*acc, Moments { count, mean, squares });
        }
    }

    #[inline(always)]
    fn join(&self, a: Moments<T>, b: Moments<T>) -> Moments<T> {
        if a.count == 0.0 {
            return b;
        }
        let count = a.count + b.count;
        let apart = b.mean.minus(a.mean);
        let mean = a.mean.plus(apart.times(b.count / count));
        Moments { count, mean, squares: a.squares.plus(b.squares).plus(apart.squares().times(a.count * b.count / count)) }
    }

    #[inline(always)]
    fn finish(&self, moments: Moments<T>) -> f64 {
        let variance = moments.variance(self.correction);
        if self.root { variance.sqrt() } else { variance }
    }
}

/// The order of a norm, told apart once for all elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Order {
    /// How many aren't zero.
    Zero,
    /// The sum of the moduli.
    One,
    /// The root of the sum of their squares.
    Two,
    /// The largest modulus.
    Most,
    /// The smallest modulus.
    Least,
    /// The root of the sum of any other power.
    Other(f64),
}

impl From<f64> for Order {
    fn from(p: f64) -> Self {
        match p {
            0.0 => Self::Zero,
            1.0 => Self::One,
            2.0 => Self::Two,
            f64::INFINITY => Self::Most,
            f64::NEG_INFINITY => Self::Least,
            p => Self::Other(p),
        }
    }
}

/// `norm`.
pub(super) struct Norm<T> {
    pub(super) order: Order,
    pub(super) element: std::marker::PhantomData<fn() -> T>,
}

impl<T: Wide> Norm<T> {
    #[inline(always)]
    fn term(order: Order, x: T) -> f64 {
        match order {
            Order::Zero => f64::from(u8::from(x != T::zero())),
            Order::One | Order::Most | Order::Least => x.modulus(),
            Order::Two => x.modulus_squared(),
            Order::Other(p) => x.modulus().powf(p),
        }
    }
}

impl<T: Wide> Fold for Norm<T> {
    type Item = T;
    type Acc = f64;
    type Out = f64;

    fn start(&self) -> f64 {
        if self.order == Order::Least { f64::INFINITY } else { 0.0 }
    }

    #[inline(always)]
    fn row(&self, _: usize, row: &[T]) -> f64 {
        match self.order {
            // Told apart here, so that each loop is one of its own.
            Order::One => sum_of(row, |x| Self::term(Order::One, x)),
            Order::Two => sum_of(row, |x| Self::term(Order::Two, x)),
            Order::Zero => sum_of(row, |x| Self::term(Order::Zero, x)),
            Order::Other(p) => sum_of(row, |x| Self::term(Order::Other(p), x)),
            Order::Most | Order::Least => row.iter().fold(self.start(), |acc, x| self.join(acc, x.modulus())),
        }
    }

    #[inline(always)]
    fn tile(&self, accs: &mut [f64], _: usize, tile: Tile<'_, T>) {
        for row in tile.rows() {
            for (acc, &x) in accs.iter_mut().zip(row) {
                *acc = self.join(*acc, Self::term(self.order, x));
            }
        }
    }

    #[inline(always)]
    fn join(&self, a: f64, b: f64) -> f64 {
        match self.order {
            Order::Most => super::extremes::better::<f64, true>(a, b),
            Order::Least => super::extremes::better::<f64, false>(a, b),
            Order::Zero | Order::One | Order::Two | Order::Other(_) => a + b,
        }
    }

    fn finish(&self, acc: f64) -> f64 {
        match self.order {
            Order::Two => acc.sqrt(),
            Order::Other(p) => acc.powf(p.recip()),
            Order::Zero | Order::One | Order::Most | Order::Least => acc,
        }
    }
}

/// A sum of exponentials, all divided by that of the largest real part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exponentials<T> {
    most: f64,
    sum: T,
}

/// `logsumexp`. Infinities are no shift, as in PyTorch.
pub(super) struct LogSumExp<T>(pub(super) std::marker::PhantomData<fn() -> T>);

impl<T: Wide> Fold for LogSumExp<T> {
    type Item = T;
    type Acc = Exponentials<T>;
    type Out = T;

    fn start(&self) -> Exponentials<T> {
        Exponentials { most: f64::NEG_INFINITY, sum: T::zero() }
    }

    #[inline(always)]
    fn row(&self, _: usize, row: &[T]) -> Exponentials<T> {
        let most = row.iter().fold(f64::NEG_INFINITY, |most, x| super::extremes::better::<f64, true>(most, x.real()));
        let shift = if most.is_infinite() { 0.0 } else { most };
        Exponentials { most: shift, sum: row.iter().fold(T::zero(), |sum, x| sum.plus(x.exp_less(shift))) }
    }

    #[inline(always)]
    fn tile(&self, accs: &mut [Exponentials<T>], _: usize, tile: Tile<'_, T>) {
        for row in tile.rows() {
            for (acc, &x) in accs.iter_mut().zip(row) {
                *acc = self.join(*acc, self.row(0, &[x]));
            }
        }
    }

    #[inline(always)]
    fn join(&self, a: Exponentials<T>, b: Exponentials<T>) -> Exponentials<T> {
        // One side may be of infinities only, or empty: its shift is 0 then, and its sum 0 or infinite.
        let is_nothing = |e: Exponentials<T>| e.sum == T::zero();
        if is_nothing(a) {
            return b;
        }
        if is_nothing(b) {
            return a;
        }
        let (high, low) = if a.most >= b.most { (a, b) } else { (b, a) };
        Exponentials { most: high.most, sum: high.sum.plus(low.sum.times((low.most - high.most).exp())) }
    }
    fn finish(&self, all: Exponentials<T>) -> T {
        all.sum.ln_plus(all.most)
    }
}
