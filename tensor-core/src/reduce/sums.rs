//! Accumulators that add, multiply or count. Integers wrap in 64 bits; `f32` and narrower floats are added in short runs and these in `f64`,
//! so that the only rounding that shows is the last.

use std::marker::PhantomData;

use num_complex::Complex;

use super::extremes::Ordered;
use super::fold::{Accumulator, FoldTerm, LANES, ROWS, Tile, abreast};
use crate::element::Native;
use crate::kernels::vocabulary::{Analytic, Arithmetic};

/// A number that sums and products are computed with.
pub(super) trait Summed: Arithmetic + Default {
    /// What partial results are kept in.
    type Wide: Arithmetic + Default;
    const ONE: Self;

    fn widen(self) -> Self::Wide;
    fn narrow(wide: Self::Wide) -> Self;
}

macro_rules! summed {
    ($($T:ty => $Wide:ty: $one:expr, |$w:ident| $narrow:expr;)*) => { $(
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
        }
    )* };
}

#[rustfmt::skip]
mod rows {
    use super::{Complex, Summed};

    summed! {
        i64 => i64: 1, |w| w;
        f32 => f64: 1.0, |w| w as Self;
        f64 => f64: 1.0, |w| w;
        Complex<f64> => Complex<f64>: Complex { re: 1.0, im: 0.0 }, |w| w;
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
}

/// A float whose exponentials are added.
pub(super) trait Exponential: Ordered + Analytic + Summed<Wide = f64> {}

impl Exponential for f64 {}
impl Exponential for f32 {}

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

/// The same of products, which are wide: so many that none waits for the one before it, so few that they stay in registers.
const FACTORS: usize = 16;
/// Rows that are added side by side where they are shorter than that.
const SIDE: usize = 4;

/// A sum: narrow numbers in short runs, and these in wide ones.
pub(super) struct Sum<R, T, const AT: usize>(PhantomData<fn(T) -> R>);

impl<R: FoldTerm<T, AT, Out: Summed>, T: Native + Default, const AT: usize> Accumulator for Sum<R, T, AT> {
    type Item = T;
    type Known = <R::Out as Summed>::Wide;
    // Narrow integers are added in 64 bits, which takes four times as long in the widest vectors.
    const WIDEST: bool = size_of::<R::Out>() == size_of::<f32>();

    fn start() -> Self::Known {
        Self::Known::default()
    }

    #[inline(always)]
    fn row(given: f64, _: usize, row: &[T]) -> Self::Known {
        let mut lanes = [R::Out::default(); LANES];
        let (runs, rest) = row.as_chunks::<LANES>();
        for run in runs {
            for at in 0..LANES {
                lanes[at] = lanes[at].add(R::of(run[at], given));
            }
        }
        let mut sum = Self::start();
        if !runs.is_empty() {
            sum = lanes.iter().fold(sum, |sum, &lane| sum.add(lane.widen()));
        }
        rest.iter().fold(sum, |sum, &x| sum.add(R::of(x, given).widen()))
    }

    #[inline(always)]
    fn short_rows(given: f64, count: usize, elements: &[T], known: &mut [Self::Known]) -> usize {
        if !(SIDE..LANES).contains(&count) {
            return 0;
        }
        let (groups, _) = known.as_chunks_mut::<SIDE>();
        for (group, sums) in groups.iter_mut().enumerate() {
            let row = |line: usize| &elements[(group * SIDE + line) * count..][..count];
            let rows = [row(0), row(1), row(2), row(3)];
            *sums = [Self::start(); SIDE];
            let mut at = 0;
            // Squares of elements, whose columns are added one after the other.
            while at + SIDE <= count {
                let mut square = [[T::default(); SIDE]; SIDE];
                for line in 0..SIDE {
                    if let Option::Some(from) = rows[line][at..].first_chunk() {
                        square[line] = *from;
                    }
                }
                for column in 0..SIDE {
                    for line in 0..SIDE {
                        sums[line] = sums[line].add(R::of(square[line][column], given).widen());
                    }
                }
                at += SIDE;
            }
            for line in 0..SIDE {
                for &x in &rows[line][at..] {
                    sums[line] = sums[line].add(R::of(x, given).widen());
                }
            }
        }
        groups.len() * SIDE
    }

    #[inline(always)]
    fn tile(given: f64, known: &mut [Self::Known], _: usize, tile: Tile<'_, T>) {
        let known = &mut known[..tile.width()];
        let (whole, done) = (tile.len() / ROWS * ROWS, Self::narrow_rows(given, known, tile));
        for i in (done..whole).step_by(ROWS) {
            let mut rows = [tile.row(i); ROWS];
            for k in 1..ROWS {
                rows[k] = tile.row(i + k);
            }
            let (runs, rest) = known.as_chunks_mut::<LANES>();
            let done = runs.len() * LANES;
            // Narrow sums of some columns first: their vectors hold more numbers than wide ones do.
            for (at, known) in runs.iter_mut().enumerate() {
                let mut some = [&rows[0].as_chunks::<LANES>().0[at]; ROWS];
                for k in 1..ROWS {
                    some[k] = &rows[k].as_chunks::<LANES>().0[at];
                }
                let sums = Self::lanes(given, some);
                for j in 0..LANES {
                    known[j] = known[j].add(sums[j].widen());
                }
            }
            for (j, sum) in rest.iter_mut().enumerate() {
                let two = |k: usize| R::of(rows[k][done + j], given).add(R::of(rows[k + 1][done + j], given));
                *sum = sum.add(two(0).add(two(2)).add(two(4).add(two(6))).widen());
            }
        }
        for i in whole..tile.len() {
            for (sum, &x) in known.iter_mut().zip(tile.row(i)) {
                *sum = sum.add(R::of(x, given).widen());
            }
        }
    }

    #[inline(always)]
    fn join(a: Self::Known, b: Self::Known) -> Self::Known {
        a.add(b)
    }
}

impl<R: FoldTerm<T, AT, Out: Summed>, T: Native + Default, const AT: usize> Sum<R, T, AT> {
    /// Sums of numbers that lie below each other.
    #[inline(always)]
    fn lanes(given: f64, rows: [&[T; LANES]; ROWS]) -> [R::Out; LANES] {
        let mut sums = [R::Out::default(); LANES];
        for j in 0..LANES {
            let two = |k: usize| R::of(rows[k][j], given).add(R::of(rows[k + 1][j], given));
            sums[j] = two(0).add(two(2)).add(two(4).add(two(6)));
        }
        sums
    }

    /// Adds rows of few numbers, several beside each other as one; says how many rows.
    #[inline(always)]
    fn narrow_rows(given: f64, known: &mut [<R::Out as Summed>::Wide], tile: Tile<'_, T>) -> usize {
        let (width, abreast) = (tile.width(), abreast(tile.width()));
        let (group, many) = (ROWS * abreast, width * abreast);
        let whole = if abreast > 1 { tile.len() / group * group } else { 0 };
        let mut copies = [[T::default(); LANES]; ROWS];
        for first in (0..whole).step_by(group) {
            let near = tile.together(first, (ROWS - 1) * many + LANES);
            if near.is_none() {
                for (at, copy) in copies.iter_mut().enumerate() {
                    for (row, to) in (first + at * abreast..).zip(copy.chunks_exact_mut(width)) {
                        to.copy_from_slice(tile.row(row));
                    }
                }
            }
            let (near, apart) = near.map_or((copies.as_flattened(), LANES), |near| (near, many));
            let none = [T::default(); LANES];
            let mut rows = [&none; ROWS];
            for at in 0..ROWS {
                rows[at] = near[at * apart..].first_chunk().unwrap_or(rows[at]);
            }
            let sums = Self::lanes(given, rows);
            for sums in sums.chunks_exact(width) {
                for (known, sum) in known.iter_mut().zip(sums) {
                    *known = known.add(sum.widen());
                }
            }
        }
        whole
    }
}

/// A product of wide numbers.
pub(super) struct Product<R, T, const AT: usize>(PhantomData<fn(T) -> R>);

impl<R: FoldTerm<T, AT, Out: Summed>, T: Native + Default, const AT: usize> Accumulator for Product<R, T, AT> {
    type Item = T;
    type Known = <R::Out as Summed>::Wide;

    fn start() -> Self::Known {
        R::Out::ONE.widen()
    }

    #[inline(always)]
    fn row(given: f64, _: usize, row: &[T]) -> Self::Known {
        let mut lanes = [Self::start(); FACTORS];
        let (runs, rest) = row.as_chunks::<FACTORS>();
        for run in runs {
            for at in 0..FACTORS {
                lanes[at] = lanes[at].mul(R::of(run[at], given).widen());
            }
        }
        let product = rest.iter().fold(Self::start(), |product, &x| product.mul(R::of(x, given).widen()));
        if runs.is_empty() { product } else { lanes.iter().fold(product, |product, &lane| product.mul(lane)) }
    }

    #[inline(always)]
    fn tile(given: f64, known: &mut [Self::Known], _: usize, tile: Tile<'_, T>) {
        // A few results stay in registers for all rows.
        let (some, rest) = known.as_chunks_mut::<FACTORS>();
        let last = some.len() * FACTORS;
        for (part, known) in some.iter_mut().enumerate() {
            let mut products = *known;
            for index in 0..tile.len() {
                let line = &tile.row(index)[part * FACTORS..][..FACTORS];
                for at in 0..FACTORS {
                    products[at] = products[at].mul(R::of(line[at], given).widen());
                }
            }
            *known = products;
        }
        for row in tile.rows() {
            for (product, &x) in rest.iter_mut().zip(&row[last..]) {
                *product = product.mul(R::of(x, given).widen());
            }
        }
    }

    #[inline(always)]
    fn join(a: Self::Known, b: Self::Known) -> Self::Known {
        a.mul(b)
    }
}

/// How many terms are true.
pub(super) struct Count<R, T, const AT: usize>(PhantomData<fn(T) -> R>);

impl<R: FoldTerm<T, AT, Out = bool>, T: Native + Default, const AT: usize> Accumulator for Count<R, T, AT> {
    type Item = T;
    type Known = i64;

    fn start() -> i64 {
        0
    }

    #[inline(always)]
    fn row(given: f64, _: usize, row: &[T]) -> i64 {
        i64::from(row.iter().fold(0_u32, |count, &x| count + u32::from(R::of(x, given))))
    }

    #[inline(always)]
    fn tile(given: f64, known: &mut [i64], _: usize, tile: Tile<'_, T>) {
        for row in tile.rows() {
            for (count, &x) in known.iter_mut().zip(row) {
                *count += i64::from(R::of(x, given));
            }
        }
    }

    #[inline(always)]
    fn join(a: i64, b: i64) -> i64 {
        a + b
    }
}

/// A count beside numbers.
#[expect(clippy::cast_precision_loss, reason = "a count that large is no divisor that anyone can check")]
pub(super) fn counted(count: i64) -> f64 {
    count as f64
}

/// Whether some term is true.
pub(super) struct Some<R, T, const AT: usize>(PhantomData<fn(T) -> R>);

impl<R: FoldTerm<T, AT, Out = bool>, T: Native + Default, const AT: usize> Accumulator for Some<R, T, AT> {
    type Item = T;
    type Known = bool;

    fn start() -> bool {
        false
    }

    #[inline(always)]
    fn row(given: f64, _: usize, row: &[T]) -> bool {
        row.iter().fold(false, |found, &x| found | R::of(x, given))
    }

    #[inline(always)]
    fn tile(given: f64, known: &mut [bool], _: usize, tile: Tile<'_, T>) {
        for row in tile.rows() {
            for (found, &x) in known.iter_mut().zip(row) {
                *found |= R::of(x, given);
            }
        }
    }

    #[inline(always)]
    fn join(a: bool, b: bool) -> bool {
        a | b
    }
}
