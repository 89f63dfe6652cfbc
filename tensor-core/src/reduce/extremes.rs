//! Folds that look for the largest or the smallest element, or for where it is. NaN counts as more extreme than any number; of
//! equal elements the first is found.

use num_complex::Complex;

use super::fold::{Fold, Tile};
use crate::element::Native;

/// A number that is compared.
pub(crate) trait Ordered: Native + Default + PartialOrd {
    const LEAST: Self;
    const MOST: Self;

    fn is_nan(self) -> bool;
}

macro_rules! ordered {
    ($($T:ident: $least:expr, $most:expr, |$x:ident| $is_nan:expr;)*) => { $(
        impl Ordered for $T {
            const LEAST: Self = $least;
            const MOST: Self = $most;

            #[inline(always)]
            fn is_nan(self) -> bool {
                let $x = self;
                $is_nan
            }
        }
    )* };
}

ordered! {
    i64: Self::MIN, Self::MAX, |_x| false;
    f32: Self::NEG_INFINITY, Self::INFINITY, |x| x.is_nan();
    f64: Self::NEG_INFINITY, Self::INFINITY, |x| x.is_nan();
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

/// What no elements make: any element beats it or equals it.
#[inline(always)]
fn worst<T: Ordered, const LARGEST: bool>() -> T {
    if LARGEST { T::LEAST } else { T::MOST }
}

#[inline(always)]
pub(super) fn better<T: Ordered, const LARGEST: bool>(a: T, b: T) -> T {
    if beats::<T, LARGEST>(b, a) { b } else { a }
}

/// The most extreme of a few neighbours.
#[inline(always)]
pub(super) fn extreme<T: Ordered, const LARGEST: bool>(row: &[T]) -> T {
    let mut lanes = [worst::<T, LARGEST>(); 32];
    let (runs, rest) = row.as_chunks::<32>();
    for run in runs {
        for (lane, &x) in lanes.iter_mut().zip(run) {
            *lane = better::<T, LARGEST>(*lane, x);
        }
    }
    let best = rest.iter().fold(worst::<T, LARGEST>(), |best, &x| better::<T, LARGEST>(best, x));
    if runs.is_empty() { best } else { lanes.iter().fold(best, |best, &lane| better::<T, LARGEST>(best, lane)) }
}

/// `amax` and `amin`.
pub(super) struct Extreme<T, const LARGEST: bool>(pub(super) std::marker::PhantomData<fn() -> T>);

impl<T: Ordered, const LARGEST: bool> Fold for Extreme<T, LARGEST> {
    type Item = T;
    type Acc = T;
    type Out = T;

    fn start(&self) -> T {
        worst::<T, LARGEST>()
    }

    #[inline(always)]
    fn row(&self, _: usize, row: &[T]) -> T {
        extreme::<T, LARGEST>(row)
    }

    #[inline(always)]
    fn tile(&self, accs: &mut [T], _: usize, tile: Tile<'_, T>) {
        for row in tile.rows() {
            for (acc, &x) in accs.iter_mut().zip(row) {
                *acc = better::<T, LARGEST>(*acc, x);
            }
        }
    }

    #[inline(always)]
    fn join(&self, a: T, b: T) -> T {
        better::<T, LARGEST>(a, b)
    }

    #[inline(always)]
    fn finish(&self, best: T) -> T {
        best
    }
}

/// An element and its number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<T> {
    pub(super) value: T,
    pub(super) index: usize,
}

/// `max` and `min` along a dimension.
pub(super) struct Place<T, const LARGEST: bool>(pub(super) std::marker::PhantomData<fn() -> T>);

impl<T: Ordered, const LARGEST: bool> Fold for Place<T, LARGEST> {
    type Item = T;
    type Acc = Found<T>;
    type Out = T;
    const ORDERED: bool = true;
    const PLACES: bool = true;

    fn start(&self) -> Found<T> {
        Found { value: worst::<T, LARGEST>(), index: usize::MAX }
    }

    #[inline(always)]
    fn row(&self, first: usize, row: &[T]) -> Found<T> {
        let value = extreme::<T, LARGEST>(row);
        let is_it = |x: &T| if value.is_nan() { x.is_nan() } else { *x == value };
        Found { value, index: first + row.iter().position(is_it).unwrap_or(0) }
    }

    #[inline(always)]
    fn tile(&self, accs: &mut [Found<T>], first: usize, tile: Tile<'_, T>) {
        for (at, row) in tile.rows().enumerate() {
            for (acc, &value) in accs.iter_mut().zip(row) {
                *acc = self.join(*acc, Found { value, index: first + at });
            }
        }
    }

    #[inline(always)]
    fn join(&self, a: Found<T>, b: Found<T>) -> Found<T> {
        let unseen = a.index == usize::MAX;
        if unseen || (beats::<T, LARGEST>(b.value, a.value) && !a.value.is_nan()) { b } else { a }
    }
    #[inline(always)]
    fn finish(&self, found: Found<T>) -> T {
        found.value
    }

    #[inline(always)]
    fn place(&self, found: Found<T>) -> i64 {
        found.index.cast_signed() as i64
    }
}
