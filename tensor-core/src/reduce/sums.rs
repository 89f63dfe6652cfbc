//! Folds that add or multiply. Integers wrap in 64 bits; `f32` and narrower floats are added in short runs and these in `f64`,
//! so that the only rounding that shows is the last.

use num_complex::Complex;

use super::fold::{Fold, ROWS, Tile};
use crate::element::Native;
use crate::kernels::vocabulary::Arithmetic;

/// A number that sums and products are computed with.
pub(super) trait Summed: Arithmetic + Default {
    /// What partial results are kept in.
    type Wide: Arithmetic + Default;
    const ONE: Self;

    fn widen(self) -> Self::Wide;
    fn narrow(wide: Self::Wide) -> Self;
    /// Whether it is NaN.
    fn is_nan(self) -> bool;
    /// The result divided by a count.
    fn over(wide: Self::Wide, count: f64) -> Self::Wide;
}

macro_rules! summed {
    ($($T:ty => $Wide:ty: $one:expr, |$x:ident| $is_nan:expr, |$wide:ident, $count:ident| $over:expr, |$w:ident| $narrow:expr;)*) => { $(
        impl Summed for $T {
            type Wide = $Wide;
            const ONE: Self = $one;

            #[inline(always)]
            fn widen(self) -> $Wide {
                self.into()
            }
            #[inline(always)]
            fn narrow($w: $Wide) -> Self {
                $narrow
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                let $x = self;
                $is_nan
            }
            #[inline(always)]
            fn over($wide: $Wide, $count: f64) -> $Wide {
                $over
            }
        }
    )* };
}

#[rustfmt::skip]
mod rows {
    use super::{Complex, Summed};

    summed! {
        i64 => i64: 1, |_x| false, |wide, count| (wide as f64 / count) as Self, |w| w;
        f32 => f64: 1.0, |x| x.is_nan(), |wide, count| wide / count, |w| w as Self;
        f64 => f64: 1.0, |x| x.is_nan(), |wide, count| wide / count, |w| w;
        Complex<f64> => Complex<f64>: Complex { re: 1.0, im: 0.0 }, |x| x.re.is_nan() || x.im.is_nan(), |wide, count| wide / count, |w| w;
    }
}

impl Summed for Complex<f32> {
    type Wide = Complex<f64>;
    const ONE: Self = Self { re: 1.0, im: 0.0 };

    #[inline(always)]
    fn widen(self) -> Complex<f64> {
        Complex::new(self.re.into(), self.im.into())
    }
    #[inline(always)]
    fn narrow(wide: Complex<f64>) -> Self {
        Self::new(f32::narrow(wide.re), f32::narrow(wide.im))
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.re.is_nan() || self.im.is_nan()
    }
    #[inline(always)]
    fn over(wide: Complex<f64>, count: f64) -> Complex<f64> {
        wide / count
    }
}

/// The type that sums of a dtype are computed in.
pub(super) trait SumIn: Native {
    type In: Summed;
}

macro_rules! sum_in {
    ($($In:ty: $($T:ty)*;)*) => { $($( impl SumIn for $T { type In = $In; } )*)* };
}

sum_in! {
    i64: bool u8 i8 i16 i32 i64;
    f32: half::f16 half::bf16 f32;
    f64: f64;
    Complex<f32>: Complex<half::f16> Complex<f32>;
    Complex<f64>: Complex<f64>;
}

/// Runs side by side, one lane each.
const LANES: usize = 32;

/// `sum`, or `nansum` where NaNs count as zeros; divided by a count, `mean`.
pub(super) struct Sum<T, const NANS_ARE_ZERO: bool> {
    pub(super) divisor: Option<f64>,
    pub(super) element: std::marker::PhantomData<fn() -> T>,
}

impl<T: Summed, const NANS_ARE_ZERO: bool> Sum<T, NANS_ARE_ZERO> {
    #[inline(always)]
    fn term(x: T) -> T {
        if NANS_ARE_ZERO && x.is_nan() { T::default() } else { x }
    }
}

impl<T: Summed, const NANS_ARE_ZERO: bool> Fold for Sum<T, NANS_ARE_ZERO> {
    type Item = T;
    type Acc = T::Wide;
    type Out = T;

    fn start(&self) -> T::Wide {
        T::Wide::default()
    }

    #[inline(always)]
    fn row(&self, _: usize, row: &[T]) -> T::Wide {
        let mut lanes = [T::default(); LANES];
        let (runs, rest) = row.as_chunks::<LANES>();
        for run in runs {
            for (lane, &x) in lanes.iter_mut().zip(run) {
                *lane = lane.add(Self::term(x));
            }
        }
        let mut sum = T::Wide::default();
        if !runs.is_empty() {
            sum = lanes.iter().fold(sum, |sum, &lane| sum.add(lane.widen()));
        }
        rest.iter().fold(sum, |sum, &x| sum.add(Self::term(x).widen()))
    }

    #[inline(always)]
    fn tile(&self, accs: &mut [T::Wide], _: usize, tile: Tile<'_, T>) {
        let accs = &mut accs[..tile.width()];
        let whole = tile.len() / ROWS * ROWS;
        for i in (0..whole).step_by(ROWS) {
            let rows: [&[T]; ROWS] = std::array::from_fn(|k| tile.row(i + k));
            for (j, acc) in accs.iter_mut().enumerate() {
                let two = |k: usize| Self::term(rows[k][j]).add(Self::term(rows[k + 1][j]));
                *acc = acc.add(two(0).add(two(2)).add(two(4).add(two(6))).widen());
            }
        }
        for i in whole..tile.len() {
            for (acc, &x) in accs.iter_mut().zip(tile.row(i)) {
                *acc = acc.add(Self::term(x).widen());
            }
        }
    }

    #[inline(always)]
    fn join(&self, a: T::Wide, b: T::Wide) -> T::Wide {
        a.add(b)
    }

    #[inline(always)]
    fn finish(&self, sum: T::Wide) -> T {
        T::narrow(self.divisor.map_or(sum, |divisor| T::over(sum, divisor)))
    }
}

/// `prod`.
pub(super) struct Prod<T>(pub(super) std::marker::PhantomData<fn() -> T>);

impl<T: Summed> Fold for Prod<T> {
    type Item = T;
    type Acc = T::Wide;
    type Out = T;

    fn start(&self) -> T::Wide {
        T::ONE.widen()
    }

    #[inline(always)]
    fn row(&self, _: usize, row: &[T]) -> T::Wide {
        let mut lanes = [T::ONE.widen(); 8];
        let (runs, rest) = row.as_chunks::<8>();
        for run in runs {
            for (lane, &x) in lanes.iter_mut().zip(run) {
                *lane = lane.mul(x.widen());
            }
        }
        let product = rest.iter().fold(T::ONE.widen(), |product, &x| product.mul(x.widen()));
        if runs.is_empty() { product } else { lanes.iter().fold(product, |product, &lane| product.mul(lane)) }
    }

    #[inline(always)]
    fn tile(&self, accs: &mut [T::Wide], _: usize, tile: Tile<'_, T>) {
        for row in tile.rows() {
            for (acc, &x) in accs.iter_mut().zip(row) {
                *acc = acc.mul(x.widen());
            }
        }
    }

    #[inline(always)]
    fn join(&self, a: T::Wide, b: T::Wide) -> T::Wide {
        a.mul(b)
    }

    #[inline(always)]
    fn finish(&self, product: T::Wide) -> T {
        T::narrow(product)
    }
}

/// `nanmean`: the sum of what isn't NaN, and how much that is.
pub(super) struct Nanmean<T>(pub(super) std::marker::PhantomData<fn() -> T>);

impl<T: Summed> Nanmean<T> {
    const SUM: Sum<T, true> = Sum { divisor: None, element: std::marker::PhantomData };
}

impl<T: Summed> Fold for Nanmean<T> {
    type Item = T;
    type Acc = (T::Wide, f64);
    type Out = T;

    fn start(&self) -> (T::Wide, f64) {
        (T::Wide::default(), 0.0)
    }

    #[inline(always)]
    fn row(&self, first: usize, row: &[T]) -> (T::Wide, f64) {
        let count = row.iter().fold(0_u32, |count, &x| count + u32::from(!x.is_nan()));
        (Self::SUM.row(first, row), f64::from(count))
    }

    #[inline(always)]
    fn tile(&self, accs: &mut [(T::Wide, f64)], first: usize, tile: Tile<'_, T>) {
        let mut sums: Vec<T::Wide> = accs.iter().map(|acc| acc.0).collect();
        Self::SUM.tile(&mut sums, first, tile);
        for (acc, sum) in accs.iter_mut().zip(sums) {
            acc.0 = sum;
        }
        for row in tile.rows() {
            for (acc, &x) in accs.iter_mut().zip(row) {
                acc.1 += f64::from(u8::from(!x.is_nan()));
            }
        }
    }

    #[inline(always)]
    fn join(&self, a: (T::Wide, f64), b: (T::Wide, f64)) -> (T::Wide, f64) {
        (a.0.add(b.0), a.1 + b.1)
    }

    #[inline(always)]
    fn finish(&self, (sum, count): (T::Wide, f64)) -> T {
        T::narrow(T::over(sum, count))
    }
}

/// How many neighbours aren't zero; elements are read as bools.
pub(super) struct Count;

impl Fold for Count {
    type Item = bool;
    type Acc = i64;
    type Out = i64;

    fn start(&self) -> i64 {
        0
    }

    #[inline(always)]
    fn row(&self, _: usize, row: &[bool]) -> i64 {
        i64::from(row.iter().fold(0_u32, |count, &x| count + u32::from(x)))
    }

    #[inline(always)]
    fn tile(&self, accs: &mut [i64], _: usize, tile: Tile<'_, bool>) {
        for row in tile.rows() {
            for (acc, &x) in accs.iter_mut().zip(row) {
                *acc += i64::from(x);
            }
        }
    }

    #[inline(always)]
    fn join(&self, a: i64, b: i64) -> i64 {
        a + b
    }

    #[inline(always)]
    fn finish(&self, count: i64) -> i64 {
        count
    }
}

/// `any`, or `all` as "none is false".
pub(super) struct Truth {
    /// What decides: true for `any`, false for `all`.
    pub(super) decides: bool,
}

impl Fold for Truth {
    type Item = bool;
    type Acc = bool;
    type Out = bool;

    fn start(&self) -> bool {
        !self.decides
    }

    #[inline(always)]
    fn row(&self, _: usize, row: &[bool]) -> bool {
        let found = row.iter().fold(false, |found, &x| found | (x == self.decides));
        found == self.decides
    }

    #[inline(always)]
    fn tile(&self, accs: &mut [bool], _: usize, tile: Tile<'_, bool>) {
        for row in tile.rows() {
            for (acc, &x) in accs.iter_mut().zip(row) {
                *acc = if self.decides { *acc | x } else { *acc & x };
            }
        }
    }

    #[inline(always)]
    fn join(&self, a: bool, b: bool) -> bool {
        if self.decides { a | b } else { a & b }
    }

    #[inline(always)]
    fn finish(&self, truth: bool) -> bool {
        truth
    }
}
