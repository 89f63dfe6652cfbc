//! Accumulators that look for the largest or the smallest element, or for where it is. NaN counts as more extreme than any number; of
//! equal elements the first is found.

use std::marker::PhantomData;

use num_complex::Complex;

use super::fold::{Accumulator, FoldTerm, Rule, Tile};
use crate::element::Native;

/// A number that is compared.
pub(crate) trait Ordered: Native + Default + PartialOrd {
    /// As many bits as a number has.
    type Bits: Copy + Default + PartialEq + std::ops::BitOr<Output = Self::Bits>;

    const LEAST: Self;
    const MOST: Self;

    fn is_nan(self) -> bool;

    /// All bits where it is NaN, else none.
    fn nan_bits(self) -> Self::Bits;
}

macro_rules! ordered {
    ($($T:ident $Bits:ident: $least:expr, $most:expr, |$x:ident| $is_nan:expr;)*) => { $(
        impl Ordered for $T {
            type Bits = $Bits;

            const LEAST: Self = $least;
            const MOST: Self = $most;

            #[inline(always)]
            fn is_nan(self) -> bool {
                let $x = self;
                $is_nan
            }

            #[inline(always)]
            fn nan_bits(self) -> $Bits {
                if self.is_nan() { $Bits::MAX } else { 0 }
            }
        }
    )* };
}

ordered! {
    i64 u64: Self::MIN, Self::MAX, |_x| false;
    f32 u32: Self::NEG_INFINITY, Self::INFINITY, |x| x.is_nan();
    f64 u64: Self::NEG_INFINITY, Self::INFINITY, |x| x.is_nan();
}

/// The type that elements of a dtype are compared in. Complex numbers have no order, and are refused before.
pub(crate) trait CompareIn: Native {
    type In: Ordered;
}

macro_rules! compare_in {
    ($($In:ty: $($T:ty)*;)*) => { $($( impl CompareIn for $T { type In = $In; } )*)* };
}

compare_in! {
    i64: bool u8 i8 i16 i32 i64;
    f32: half::f16 half::bf16 f32 Complex<half::f16> Complex<f32>;
    f64: f64 Complex<f64>;
}

/// Whether `x` takes the place of `best`, which came before it.
#[inline(always)]
pub(super) fn beats<T: Ordered, const LARGEST: bool>(x: T, best: T) -> bool {
    (if LARGEST { x > best } else { x < best }) | x.is_nan()
}

/// Of a number and its place the ones that count once another was looked at: a NaN stays, and so does what came first.
#[inline(always)]
fn later<T: Ordered, const LARGEST: bool>(best: (T, u32), other: (T, u32)) -> (T, u32) {
    if beats::<T, LARGEST>(other.0, best.0) & !best.0.is_nan() { other } else { best }
}

/// What no elements make: any element beats it or equals it.
#[inline(always)]
fn worst<T: Ordered, const LARGEST: bool>() -> T {
    if LARGEST { T::LEAST } else { T::MOST }
}

#[inline(always)]
fn better<T: Ordered, const LARGEST: bool>(a: T, b: T) -> T {
    if beats::<T, LARGEST>(b, a) { b } else { a }
}

/// The more extreme of two numbers that aren't NaN: one instruction, where [`better`] is several.
#[inline(always)]
pub(super) fn beyond<T: Ordered, const LARGEST: bool>(a: T, b: T) -> T {
    if (LARGEST && b > a) || (!LARGEST && b < a) { b } else { a }
}

/// The most extreme of what a function makes of whole runs of neighbours, and whether one of these is NaN; and what is left of them.
#[inline(always)]
fn of_runs<T: Copy, R: Ordered, const LARGEST: bool, const RUN: usize>(row: &[T], of: impl Fn(T) -> R) -> (R, bool, &[T]) {
    let (runs, rest) = row.as_chunks::<RUN>();
    let (mut lanes, mut nans) = ([worst::<R, LARGEST>(); RUN], [R::Bits::default(); RUN]);
    for run in runs {
        for at in 0..RUN {
            let x = of(run[at]);
            lanes[at] = beyond::<R, LARGEST>(lanes[at], x);
            nans[at] = nans[at] | x.nan_bits();
        }
    }
    if !runs.is_empty() {
        // What is seen of the lanes from here on isn't mixed into the loop, where it would take the vectors apart.
        (lanes, nans) = std::hint::black_box((lanes, nans));
        let mut halve = |width: usize| {
            for at in 0..width {
                lanes[at] = beyond::<R, LARGEST>(lanes[at], lanes[at + width]);
                nans[at] = nans[at] | nans[at + width];
            }
        };
        // One after the other, so that lanes stay in registers.
        halve(RUN / 2);
        halve(RUN / 4);
        halve(RUN / 8);
        halve(RUN / 16);
    }
    (lanes[0], nans[0] != R::Bits::default(), rest)
}

/// The most extreme of what a function makes of a few neighbours.
#[inline(always)]
pub(super) fn most_extreme<T: Copy, R: Ordered, const LARGEST: bool>(row: &[T], of: impl Fn(T) -> R) -> R {
    let (many, nan_of_many, rest) = of_runs::<T, R, LARGEST, 16>(row, &of);
    let (few, nan_of_few, rest) = of_runs::<T, R, LARGEST, 8>(rest, &of);
    if nan_of_many | nan_of_few {
        return row.iter().map(|&x| of(x)).find(|x| x.is_nan()).unwrap_or_default();
    }
    rest.iter().fold(beyond::<R, LARGEST>(many, few), |best, &x| better::<R, LARGEST>(best, of(x)))
}

/// Results that are computed side by side.
const LANES: usize = 16;

/// The greatest or the least.
pub(super) struct ExtremeOf<R, T, const AT: usize, const LARGEST: bool>(PhantomData<fn(T) -> R>);

pub(super) type Greatest<R, T, const AT: usize> = ExtremeOf<R, T, AT, true>;
pub(super) type Least<R, T, const AT: usize> = ExtremeOf<R, T, AT, false>;

impl<R: FoldTerm<T, AT, Out: Ordered>, T: Native + Default, const AT: usize, const LARGEST: bool> Accumulator
    for ExtremeOf<R, T, AT, LARGEST>
{
    type Item = T;
    type Known = R::Out;

    fn start() -> R::Out {
        worst::<R::Out, LARGEST>()
    }

    #[inline(always)]
    fn row(given: f64, _: usize, row: &[T]) -> R::Out {
        most_extreme::<T, R::Out, LARGEST>(row, |x| R::of(x, given))
    }

    #[inline(always)]
    fn tile(given: f64, known: &mut [R::Out], _: usize, tile: Tile<'_, T>) {
        let take = |known: &mut [R::Out], from: usize| {
            for row in tile.rows() {
                for (best, &x) in known.iter_mut().zip(&row[from..]) {
                    *best = better::<R::Out, LARGEST>(*best, R::of(x, given));
                }
            }
        };
        let (runs, rest) = known[..tile.width()].as_chunks_mut::<LANES>();
        let done = runs.len() * LANES;
        for (run, known) in runs.iter_mut().enumerate() {
            let (mut lanes, mut nans) = (*known, [<R::Out as Ordered>::Bits::default(); LANES]);
            for index in 0..tile.len() {
                let row = &tile.row(index).as_chunks::<LANES>().0[run];
                for at in 0..LANES {
                    let x = R::of(row[at], given);
                    lanes[at] = beyond::<R::Out, LARGEST>(lanes[at], x);
                    nans[at] = x.nan_bits() | nans[at];
                }
            }
            // What is seen of the lanes from here on isn't mixed into the loop.
            nans = std::hint::black_box(nans);
            match nans.iter().any(|&nan| nan != Default::default()) {
                true => take(known, run * LANES),
                false => *known = lanes,
            }
        }
        take(rest, done);
    }

    #[inline(always)]
    fn join(a: R::Out, b: R::Out) -> R::Out {
        better::<R::Out, LARGEST>(a, b)
    }
}

/// Rows in which places are looked for side by side, where they are shorter than that.
const SIDE: usize = 8;
const SHORT: usize = 32;

/// An element and its number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<T> {
    pub(super) value: T,
    pub(super) index: usize,
}

impl<T> Found<T> {
    pub(super) fn place(&self) -> i64 {
        self.index.cast_signed() as i64
    }
}

/// The first of the greatest or of the least, and its place.
pub(super) struct First<R, T, const AT: usize, const LARGEST: bool>(PhantomData<fn(T) -> R>);

pub(super) type FirstGreatest<R, T, const AT: usize> = First<R, T, AT, true>;
pub(super) type FirstLeast<R, T, const AT: usize> = First<R, T, AT, false>;

impl<R: FoldTerm<T, AT, Out: Ordered>, T: Native + Default, const AT: usize, const LARGEST: bool> Accumulator for First<R, T, AT, LARGEST> {
    type Item = T;
    type Known = Found<R::Out>;
    const ORDERED: bool = true;

    fn start() -> Found<R::Out> {
        Found { value: worst::<R::Out, LARGEST>(), index: usize::MAX }
    }

    #[inline(always)]
    fn row(given: f64, first: usize, row: &[T]) -> Found<R::Out> {
        let value = most_extreme::<T, R::Out, LARGEST>(row, |x| R::of(x, given));
        // A NaN is more extreme than any number: where there is one, it was found.
        let is_it = |x: T| {
            let x = R::of(x, given);
            (x == value) | x.is_nan()
        };
        let (runs, _) = row.as_chunks::<32>();
        let before = runs.iter().take_while(|run| !run.iter().fold(false, |found, &x| found | is_it(x))).count() * 32;
        let at = row[before..].iter().position(|&x| is_it(x)).map_or(0, |at| before + at);
        Found { value, index: first + at }
    }

    #[inline(always)]
    fn short_rows(given: f64, count: usize, elements: &[T], known: &mut [Found<R::Out>]) -> usize {
        if !(2..SHORT).contains(&count) {
            return 0;
        }
        // The elements of the same number of some rows, then the next: side by side, so that nobody has to foresee which is it.
        let (groups, _) = known.as_chunks_mut::<SIDE>();
        for (group, found) in groups.iter_mut().enumerate() {
            let mut rows = [&elements[..0]; SIDE];
            for line in 0..SIDE {
                rows[line] = &elements[(group * SIDE + line) * count..][..count];
            }
            let (mut values, mut places) = ([R::Out::default(); SIDE], [0; SIDE]);
            for line in 0..SIDE {
                values[line] = R::of(rows[line][0], given);
            }
            for place in 1..count {
                let mut xs = values;
                for line in 0..SIDE {
                    xs[line] = R::of(rows[line][place], given);
                }
                for line in 0..SIDE {
                    (values[line], places[line]) = later::<R::Out, LARGEST>((values[line], places[line]), (xs[line], place as u32));
                }
            }
            for line in 0..SIDE {
                found[line] = Found { value: values[line], index: places[line] as usize };
            }
        }
        groups.len() * SIDE
    }

    #[inline(always)]
    fn tile(given: f64, known: &mut [Found<R::Out>], first: usize, tile: Tile<'_, T>) {
        // A few results at a time, all values and all places side by side: so they are vectors.
        for (part, known) in known.chunks_mut(LANES).enumerate() {
            let (mut values, mut rows) = ([R::Out::default(); LANES], [u32::MAX; LANES]);
            let of_row = |index: usize| &tile.row(index)[part * LANES..];
            for (at, known) in known.iter().enumerate() {
                (values[at], rows[at]) = if known.index == usize::MAX { (R::of(of_row(0)[at], given), 0) } else { (known.value, u32::MAX) };
            }
            let mut take = |at: usize, x: T, number: u32| {
                (values[at], rows[at]) = later::<R::Out, LARGEST>((values[at], rows[at]), (R::of(x, given), number));
            };
            for (number, index) in (0..).zip(0..tile.len()) {
                match of_row(index).first_chunk::<LANES>() {
                    Some(row) => {
                        for at in 0..LANES {
                            take(at, row[at], number);
                        }
                    }
                    None => (0..known.len()).for_each(|at| take(at, of_row(index)[at], number)),
                }
            }
            for (known, (value, row)) in known.iter_mut().zip(values.into_iter().zip(rows)) {
                if row != u32::MAX {
                    *known = Found { value, index: first + row as usize };
                }
            }
        }
    }

    #[inline(always)]
    fn join(a: Found<R::Out>, b: Found<R::Out>) -> Found<R::Out> {
        let unseen = a.index == usize::MAX;
        if unseen || (beats::<R::Out, LARGEST>(b.value, a.value) && !a.value.is_nan()) { b } else { a }
    }

    fn place(found: Found<R::Out>) -> i64 {
        found.place()
    }
}

/// The least and the greatest in one pass.
pub(super) struct LeastAndGreatest<T>(PhantomData<fn(T)>);

impl<T: Ordered> LeastAndGreatest<T> {
    #[inline(always)]
    fn both((least, greatest): (T, T), x: (T, T)) -> (T, T) {
        (better::<T, false>(least, x.0), better::<T, true>(greatest, x.1))
    }
}

impl<T: Ordered> Accumulator for LeastAndGreatest<T> {
    type Item = T;
    type Known = (T, T);

    fn start() -> (T, T) {
        (worst::<T, false>(), worst::<T, true>())
    }

    #[inline(always)]
    fn row(_: f64, _: usize, row: &[T]) -> (T, T) {
        let (mut least, mut greatest) = ([worst::<T, false>(); 32], [worst::<T, true>(); 32]);
        let (runs, rest) = row.as_chunks::<32>();
        for run in runs {
            for at in 0..32 {
                (least[at], greatest[at]) = Self::both((least[at], greatest[at]), (run[at], run[at]));
            }
        }
        let best = rest.iter().fold(Self::start(), |best, &x| Self::both(best, (x, x)));
        if runs.is_empty() { best } else { least.into_iter().zip(greatest).fold(best, Self::both) }
    }

    #[inline(always)]
    fn tile(_: f64, known: &mut [(T, T)], _: usize, tile: Tile<'_, T>) {
        // A few results at a time, all least ones and all greatest ones side by side: so they are vectors.
        for (at, known) in known.chunks_mut(32).enumerate() {
            let (mut least, mut greatest) = ([worst::<T, false>(); 32], [worst::<T, true>(); 32]);
            for row in tile.rows() {
                let row = &row[at * 32..][..known.len()];
                for ((least, greatest), &x) in least.iter_mut().zip(&mut greatest).zip(row) {
                    (*least, *greatest) = Self::both((*least, *greatest), (x, x));
                }
            }
            for (best, new) in known.iter_mut().zip(least.into_iter().zip(greatest)) {
                *best = Self::both(*best, new);
            }
        }
    }

    #[inline(always)]
    fn join(a: (T, T), b: (T, T)) -> (T, T) {
        Self::both(a, b)
    }
}

/// The fold of these.
pub(super) enum Extremes {}

impl<T: Ordered> Rule<T> for Extremes {
    type Accumulators = LeastAndGreatest<T>;
    type Out = T;
    type Beside = T;
    const BESIDE: bool = true;

    fn finish((least, _): (T, T), _: f64, _: f64) -> T {
        least
    }

    fn beside((_, greatest): (T, T)) -> T {
        greatest
    }
}
