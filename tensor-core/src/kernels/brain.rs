//! Sums of products of `bf16`, by the instruction of some processors for pairs of them: several times as fast as conversions to `f32`.
//! Sums are of `f32`; like every processor's instruction of this kind, it takes denormal numbers for zeros.
#![cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "the instruction is only to be had as a function on vectors, which only some processors have")
)]

use half::bf16;

/// Rows of a tile.
pub(crate) const ROWS: usize = 8;
/// Columns of a tile.
pub(crate) const COLUMNS: usize = 32;

/// Two steps of all columns.
#[cfg(target_arch = "x86_64")]
type Pairs = [[bf16; 2]; COLUMNS];

/// That the processor at hand has the instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Brain(#[cfg(not(target_arch = "x86_64"))] std::convert::Infallible);

impl Brain {
    /// That it has, where it has and the environment allows it.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn detect() -> Option<Self> {
        use super::level::Level;
        (Level::detect() == Level::Avx512 && is_x86_feature_detected!("avx512bf16")).then_some(Self())
    }

    /// Nobody has it here.
    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn detect() -> Option<Self> {
        None
    }

    /// The sums of the products of rows, which are equally long, and of the columns of a panel: two steps of each column, then the next two,
    /// and a zero after the last where they are odd. They go into rows that lie so far apart, or are added where those aren't the `first`
    /// sums; after an odd last step they have to be.
    pub(crate) fn tile(self, rows: &[&[bf16]; ROWS], panel: &[bf16], (out, stride): (&mut [f32], usize), first: bool) {
        #[cfg(target_arch = "x86_64")]
        {
            let (pairs, _) = panel.as_chunks::<2>();
            let (panel, _) = pairs.as_chunks::<COLUMNS>();
            let steps = rows[0].len();
            // SAFETY: the processor was asked when `self` was made.
            unsafe { dots(rows, &panel[..steps / 2], (out, stride), first) };
            if !steps.is_multiple_of(2) {
                debug_assert!(first, "the last product belongs to the sum of the others");
                for (sums, row) in out.chunks_mut(stride).zip(rows) {
                    let x = row[steps - 1].to_f32();
                    sums.iter_mut().zip(&panel[steps / 2]).for_each(|(sum, y)| *sum += x * y[0].to_f32());
                }
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let _ = (rows, panel, out, stride, first);
            match self.0 {}
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bf16")]
fn dots(rows: &[&[bf16]; ROWS], panel: &[Pairs], (out, stride): (&mut [f32], usize), first: bool) {
    use std::arch::x86_64::{__m512, __m512bh, __m512i, _mm512_add_ps, _mm512_dpbf16_ps, _mm512_set1_epi32, _mm512_setzero_ps};
    use std::mem::transmute;

    let mut lines: [&[[bf16; 2]]; ROWS] = [&[]; ROWS];
    for (line, row) in lines.iter_mut().zip(rows) {
        *line = &row.as_chunks::<2>().0[..panel.len()];
    }
    let mut sums = [[_mm512_setzero_ps(); 2]; ROWS];
    for (at, columns) in panel.iter().enumerate() {
        // SAFETY: any bytes are elements of a vector; both types are as long.
        let columns: [__m512bh; 2] = unsafe { transmute::<Pairs, [__m512bh; 2]>(*columns) };
        for row in 0..ROWS {
            let [x, y] = lines[row][at];
            let pair = _mm512_set1_epi32((u32::from(x.to_bits()) | u32::from(y.to_bits()) << 16).cast_signed());
            // SAFETY: as above.
            let pair = unsafe { transmute::<__m512i, __m512bh>(pair) };
            for half in 0..2 {
                sums[row][half] = _mm512_dpbf16_ps(sums[row][half], pair, columns[half]);
            }
        }
    }
    for (row, sums) in sums.iter().enumerate() {
        let (places, _) = out[row * stride..][..COLUMNS].as_chunks_mut::<{ COLUMNS / 2 }>();
        for (place, &sum) in places.iter_mut().zip(sums) {
            // SAFETY: any bytes are numbers; both types are as long.
            let before = unsafe { transmute::<[f32; COLUMNS / 2], __m512>(*place) };
            let sum = if first { sum } else { _mm512_add_ps(before, sum) };
            // SAFETY: as above.
            *place = unsafe { transmute::<__m512, [f32; COLUMNS / 2]>(sum) };
        }
    }
}
