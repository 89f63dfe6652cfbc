//! The numbers that products are computed in, and the sizes of the tiles that fit the registers.

use half::{bf16, f16};
use num_complex::Complex;

use crate::element::Native;

/// A number that products are computed in.
pub(super) trait Factor: Native + Default {
    /// Rows and columns of a tile for 512-bit vectors.
    const WIDE: (usize, usize);
    /// Rows and columns of a tile for others.
    const NARROW: (usize, usize);

    fn plus(self, other: Self) -> Self;
    /// `self + a * b`, rounded once where the processor can.
    fn plus_product(self, a: Self, b: Self) -> Self;
    /// Multiplies a panel of rows with a panel of columns; the tile is [`Factor::WIDE`] for `WIDE`, else [`Factor::NARROW`].
    fn tile<const WIDE: bool>(rows: &[Self], columns: &[Self], to: &mut [Self]);
}

/// The type that products of a dtype are computed in. `f16` and `bf16` are rounded once, at the end; narrow integers keep the low
/// bits of wider ones; complex numbers are multiplied by their parts.
pub(super) trait ProductIn: Native {
    type In: Factor;
}

macro_rules! product_in {
    ($($In:ty: $($T:ty)*;)*) => { $($( impl ProductIn for $T { type In = $In; } )*)* };
}

product_in! {
    i32: bool u8 i8 i16 i32;
    i64: i64;
    f32: f16 bf16 f32 Complex<f16> Complex<f32>;
    f64: f64 Complex<f64>;
}

/// The sum of products of a column of `rows` and a row of `columns`, for each of the steps between them.
#[inline(always)]
fn tile<T: Factor, const ROWS: usize, const COLUMNS: usize>(rows: &[T], columns: &[T], to: &mut [T]) {
    let mut sums = [[T::default(); COLUMNS]; ROWS];
    let (rows, _) = rows.as_chunks::<ROWS>();
    let (columns, _) = columns.as_chunks::<COLUMNS>();
    for (row, column) in rows.iter().zip(columns) {
        for (sums, &a) in sums.iter_mut().zip(row) {
            for (sum, &b) in sums.iter_mut().zip(column) {
                *sum = sum.plus_product(a, b);
            }
        }
    }
    for (to, sums) in to.chunks_exact_mut(COLUMNS).zip(&sums) {
        to.copy_from_slice(sums);
    }
}

macro_rules! factors {
    ($($T:ty: $wide_rows:literal x $wide:literal, $narrow_rows:literal x $narrow:literal, |$a:ident, $b:ident| $plus:expr, |$sum:ident| $plus_product:expr;)*) => { $(
        impl Factor for $T {
            const WIDE: (usize, usize) = ($wide_rows, $wide);
            const NARROW: (usize, usize) = ($narrow_rows, $narrow);

            #[inline(always)]
            fn plus(self, $b: Self) -> Self {
                let $a = self;
                $plus
            }
            #[inline(always)]
            fn plus_product(self, $a: Self, $b: Self) -> Self {
                let $sum = self;
                $plus_product
            }
            #[inline(always)]
            fn tile<const WIDE: bool>(rows: &[Self], columns: &[Self], to: &mut [Self]) {
                if WIDE {
                    tile::<Self, $wide_rows, $wide>(rows, columns, to);
                } else {
                    tile::<Self, $narrow_rows, $narrow>(rows, columns, to);
                }
            }
        }
    )* };
}

#[rustfmt::skip]
mod rows {
    use super::{Factor, tile};

    // Chosen by what the compiler makes of them: with 5 rows integers stay in registers, with 4 or 6 they don't.

    factors! {
        f32: 12 x 32, 6 x 16, |a, b| a + b, |sum| a.mul_add(b, sum);
        f64: 12 x 16, 6 x 8,  |a, b| a + b, |sum| a.mul_add(b, sum);
        i32: 5 x 64,  6 x 16, |a, b| a.wrapping_add(b), |sum| sum.wrapping_add(a.wrapping_mul(b));
        i64: 5 x 32,  4 x 8,  |a, b| a.wrapping_add(b), |sum| sum.wrapping_add(a.wrapping_mul(b));
    }
}
