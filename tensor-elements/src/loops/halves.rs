//! `f16` to and from `f32` by the instructions that processors with AVX2 have for it: the numbers are those of [`crate::convert`].
#![expect(unsafe_code, reason = "vectors are read and written at any alignment, by functions that only some processors have")]

use std::arch::x86_64::{
    __m128i, __m256, __m256i, __m512, _MM_FROUND_TO_NEAREST_INT, _mm256_cvtph_ps, _mm256_cvtps_ph, _mm512_cvtph_ps, _mm512_cvtps_ph,
};
use std::array::from_fn;
use std::marker::PhantomData;
use std::mem::transmute_copy;

use half::f16;

use super::formula::Formula;
use super::run::{Body, Run};
use super::vocabulary::constant;

/// Elements of a vector of processors with AVX2.
pub(super) const NARROW: usize = 8;
/// Elements of a vector of those with AVX-512.
pub(super) const WIDE: usize = 16;
const NUMBER: u32 = 0x7fff_ffff;
const INFINITY: u32 = 0x7f80_0000;
const QUIET: u32 = 0x7fc0_0000;

/// # Safety
/// The processor has vectors of so many elements.
#[inline(always)]
pub(super) unsafe fn widened<const LANES: usize>(halves: [f16; LANES]) -> [f32; LANES] {
    const { assert!(LANES == NARROW || LANES == WIDE) };
    if LANES == WIDE {
        // SAFETY: any bytes are elements of a vector; there are as many.
        let halves = unsafe { transmute_copy::<_, __m256i>(&halves) };
        // SAFETY: passed on.
        let numbers = unsafe { _mm512_cvtph_ps(halves) };
        // SAFETY: any bytes are numbers; there are as many.
        return unsafe { transmute_copy::<__m512, _>(&numbers) };
    }
    // SAFETY: as above.
    let halves = unsafe { transmute_copy::<_, __m128i>(&halves) };
    // SAFETY: passed on.
    let numbers = unsafe { _mm256_cvtph_ps(halves) };
    // SAFETY: as above.
    unsafe { transmute_copy::<__m256, _>(&numbers) }
}

/// # Safety
/// The processor has vectors of so many elements.
#[inline(always)]
pub(super) unsafe fn narrowed<const LANES: usize>(mut numbers: [f32; LANES]) -> [f16; LANES] {
    const { assert!(LANES == NARROW || LANES == WIDE) };
    for lane in 0..LANES {
        let bits = numbers[lane].to_bits();
        // The instruction would keep what it can of a NaN.
        numbers[lane] = f32::from_bits(if bits & NUMBER > INFINITY { bits & !NUMBER | QUIET } else { bits });
    }
    if LANES == WIDE {
        // SAFETY: any bytes are numbers; there are as many.
        let numbers = unsafe { transmute_copy::<_, __m512>(&numbers) };
        // SAFETY: passed on.
        let halves = unsafe { _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(numbers) };
        // SAFETY: any bytes are elements of a vector; there are as many.
        return unsafe { transmute_copy::<__m256i, _>(&halves) };
    }
    // SAFETY: as above.
    let numbers = unsafe { transmute_copy::<_, __m256>(&numbers) };
    // SAFETY: passed on.
    let halves = unsafe { _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(numbers) };
    // SAFETY: as above.
    unsafe { transmute_copy::<__m128i, _>(&halves) }
}

/// The loop of a formula with that many parameters over two operands of `f16`, with a result of it. Invariant: it is compiled for processors
/// that have vectors of so many elements only, by [`super::run::LoopForms::of_vectors`].
pub(super) struct HalfPair<F, const PARAMS: usize, const LANES: usize>(PhantomData<F>);

impl<F: Formula<In = f32, Out = f32>, const PARAMS: usize, const LANES: usize> Body for HalfPair<F, PARAMS, LANES> {
    const WEIGHT: usize = 1;

    #[inline(always)]
    fn body(run: Run<'_>) {
        let (out, inputs) = run.open::<f16>();
        let params = from_fn(|i| if i < PARAMS { inputs.param(i) } else { constant(0.0) });
        let (xs, last_xs) = inputs.operand::<f16>(0).as_chunks::<LANES>();
        let (ys, last_ys) = inputs.operand::<f16>(1).as_chunks::<LANES>();
        let (results, last) = out.as_chunks_mut::<LANES>();
        for at in 0..results.len().min(xs.len()).min(ys.len()) {
            // SAFETY: a processor with such vectors, by the invariant.
            results[at] = unsafe { lanes::<F, LANES>(xs[at], ys[at], params) };
        }
        let some = |last: &[f16]| from_fn(|lane| last.get(lane).copied().unwrap_or_default());
        // SAFETY: as above.
        let rest = unsafe { lanes::<F, LANES>(some(last_xs), some(last_ys), params) };
        last.copy_from_slice(&rest[..last.len()]);
    }
}

/// # Safety
/// The processor has vectors of so many elements.
#[inline(always)]
unsafe fn lanes<F, const LANES: usize>(x: [f16; LANES], y: [f16; LANES], params: [f32; 3]) -> [f16; LANES]
where
    F: Formula<In = f32, Out = f32>,
{
    // SAFETY: passed on.
    let x = unsafe { widened(x) };
    // SAFETY: passed on.
    let y = unsafe { widened(y) };
    let mut results = [0.0; LANES];
    for lane in 0..LANES {
        results[lane] = F::at([x[lane], y[lane], x[lane]], params);
    }
    // SAFETY: passed on.
    unsafe { narrowed(results) }
}
