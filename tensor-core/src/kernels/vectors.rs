//! Numbers beside each other in a register of the processor, for loops in which the compiler doesn't see them by itself: what it makes of arrays
//! is many times as long. A vector exists only where the processor has its instructions.
#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "the instructions are only to be had as functions, of processors that have them")
)]

use std::array::from_fn;
use std::ops::{Add, Mul, Sub};

/// That the processor at hand has vectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HasVectors(());

impl HasVectors {
    /// That it has, where it has and the environment allows them.
    #[inline]
    pub(crate) fn detect() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if super::level::Level::detect() < super::level::Level::Avx2 {
            return None;
        }
        Some(Self(()))
    }
}

/// Numbers, computed with at once; some of them hold `W`.
pub(crate) trait Vector<R, const W: usize>: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// What there has to be.
    type Means: Copy + From<HasVectors>;
    /// How many hold `W` numbers.
    const PARTS: usize;

    fn load(means: Self::Means, from: &[R; W], part: usize) -> Self;
    fn store(self, to: &mut [R; W], part: usize);
    /// The same number everywhere.
    fn all(means: Self::Means, number: R) -> Self;
    /// `self + a * b`, rounded once where the processor can.
    fn plus_product(self, a: Self, b: Self) -> Self;
    /// `self - a * b`, as well.
    fn minus_product(self, a: Self, b: Self) -> Self;
}

impl From<HasVectors> for () {
    fn from(_: HasVectors) -> Self {}
}

/// Numbers that any processor computes with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainVector<R, const W: usize>([R; W]);

macro_rules! beside {
    ($($Op:ident $op:ident,)*) => { $(
        impl<R: Copy + $Op<Output = R>, const W: usize> $Op for PlainVector<R, W> {
            type Output = Self;

            #[inline(always)]
            fn $op(self, other: Self) -> Self {
                Self(from_fn(|at| self.0[at].$op(other.0[at])))
            }
        }
    )* };
}

beside! {
    Add add,
    Sub sub,
    Mul mul,
}

impl<R: Copy + Add<Output = R> + Sub<Output = R> + Mul<Output = R>, const W: usize> Vector<R, W> for PlainVector<R, W> {
    type Means = ();
    const PARTS: usize = 1;

    #[inline(always)]
    fn load((): (), from: &[R; W], _: usize) -> Self {
        Self(*from)
    }

    #[inline(always)]
    fn store(self, to: &mut [R; W], _: usize) {
        *to = self.0;
    }

    #[inline(always)]
    fn all((): (), number: R) -> Self {
        Self([number; W])
    }

    #[inline(always)]
    fn plus_product(self, a: Self, b: Self) -> Self {
        self + a * b
    }

    #[inline(always)]
    fn minus_product(self, a: Self, b: Self) -> Self {
        self - a * b
    }
}

/// Eight of single precision.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type Singles = PlainVector<f32, 8>;
/// Eight of double precision.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type Doubles = PlainVector<f64, 8>;

#[cfg(target_arch = "x86_64")]
pub(crate) use registers::{Doubles, Singles};

#[cfg(target_arch = "x86_64")]
mod registers {
    use std::arch::x86_64::{
        __m256, __m256d, _mm256_add_pd, _mm256_add_ps, _mm256_fmadd_pd, _mm256_fmadd_ps, _mm256_fnmadd_pd, _mm256_fnmadd_ps,
        _mm256_loadu_pd, _mm256_loadu_ps, _mm256_mul_pd, _mm256_mul_ps, _mm256_set1_pd, _mm256_set1_ps, _mm256_storeu_pd, _mm256_storeu_ps,
        _mm256_sub_pd, _mm256_sub_ps,
    };
    use std::ops::{Add, Mul, Sub};

    use super::{HasVectors, Vector};

    macro_rules! registers {
        ($($(#[$doc:meta])* $Name:ident $R:ty, $Register:ty, $count:literal of $wide:literal:
            $load:ident $store:ident $all:ident $add:ident $sub:ident $mul:ident $plus:ident $minus:ident;)*) => { $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub(crate) struct $Name($Register);

            registers!($Name: Add add $add, Sub sub $sub, Mul mul $mul);

            impl Vector<$R, $wide> for $Name {
                type Means = HasVectors;
                const PARTS: usize = $wide / $count;

                #[inline(always)]
                fn load(_: HasVectors, from: &[$R; $wide], part: usize) -> Self {
                    let from = &from.as_chunks::<$count>().0[part];
                    // SAFETY: as many numbers as are loaded, at any alignment, by an instruction that the processor has.
                    Self(unsafe { $load(from.as_ptr()) })
                }

                #[inline(always)]
                fn store(self, to: &mut [$R; $wide], part: usize) {
                    let to = &mut to.as_chunks_mut::<$count>().0[part];
                    // SAFETY: room for as many numbers as are stored, at any alignment; there are vectors only where the processor has them.
                    unsafe { $store(to.as_mut_ptr(), self.0) }
                }

                #[inline(always)]
                fn all(_: HasVectors, number: $R) -> Self {
                    // SAFETY: the processor has vectors.
                    Self(unsafe { $all(number) })
                }

                #[inline(always)]
                fn plus_product(self, a: Self, b: Self) -> Self {
                    // SAFETY: there are vectors only where the processor has them.
                    Self(unsafe { $plus(a.0, b.0, self.0) })
                }

                #[inline(always)]
                fn minus_product(self, a: Self, b: Self) -> Self {
                    // SAFETY: as above.
                    Self(unsafe { $minus(a.0, b.0, self.0) })
                }
            }
        )* };
        ($Name:ident: $($Op:ident $op:ident $instruction:ident),*) => { $(
            impl $Op for $Name {
                type Output = Self;

                #[inline(always)]
                fn $op(self, other: Self) -> Self {
                    // SAFETY: there are vectors only where the processor has them.
                    Self(unsafe { $instruction(self.0, other.0) })
                }
            }
        )* };
    }

    registers! {
        /// Eight of single precision.
        Singles f32, __m256, 8 of 8: _mm256_loadu_ps _mm256_storeu_ps _mm256_set1_ps
            _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_fmadd_ps _mm256_fnmadd_ps;
        /// Four of double precision.
        Doubles f64, __m256d, 4 of 8: _mm256_loadu_pd _mm256_storeu_pd _mm256_set1_pd
            _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_fmadd_pd _mm256_fnmadd_pd;
    }
}
