//! The numbers that products are computed in, and the tiles that fit the registers.

use half::{bf16, f16};
use num_complex::Complex;

use crate::element::Native;
use crate::kernels::brain::{self, Brain};
use crate::kernels::stream::ask;

/// A number that products are computed in.
pub(crate) trait Factor: Native + Default {
    fn plus(self, other: Self) -> Self;
    /// `self + a * b`, rounded once where the processor can.
    fn plus_product(self, a: Self, b: Self) -> Self;
}

/// A panel of columns: its elements from the first on, and where its groups of steps begin there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Panel<'a, T> {
    pub(super) elements: &'a [T],
    pub(super) steps: StepPlaces<'a>,
}

/// Where steps begin.
#[derive(Clone, Copy, Debug)]
pub(super) enum StepPlaces<'a> {
    /// So far apart.
    Apart(usize),
    /// One place for each.
    Listed(&'a [usize]),
}

/// An element of matrices that are multiplied tile by tile.
pub(crate) trait Tiles: Native + Default {
    /// What sums are computed in.
    type Sum: Factor;
    /// What a tile needs to know.
    type Means: Copy + Send + Sync;
    /// Steps that are taken at once.
    const GROUP: usize;
    /// Rows and columns of a tile for 512-bit vectors.
    const WIDE: (usize, usize);
    /// Rows and columns of a tile for others.
    const NARROW: (usize, usize);

    /// Multiplies rows, which lie so far apart, with a panel; the tile is [`Tiles::WIDE`] for `WIDE`, else [`Tiles::NARROW`].
    fn tile<const WIDE: bool>(means: Self::Means, rows: (&[Self], usize), steps: usize, panel: Panel<'_, Self>, to: Corner<'_, Self::Sum>);
}

/// The type that products of a dtype are computed in. `f16` and `bf16` are rounded once, at the end; narrow integers keep the low
/// bits of wider ones; complex numbers are multiplied by their parts.
pub(super) trait ProductIn: Native {
    type In: Factor + Tiles<Sum = Self::In, Means = ()>;
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

/// Where the sums of a tile go: that many rows and columns of a result, whose rows lie so far apart.
pub(crate) struct Corner<'a, S> {
    pub(super) out: &'a mut [S],
    pub(super) stride: usize,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Whether they are the first ones; later ones are added.
    pub(super) first: bool,
}

impl<S: Factor> Corner<'_, S> {
    #[inline(always)]
    fn put<const ROWS: usize, const COLUMNS: usize>(self, sums: &[[S; COLUMNS]; ROWS]) {
        let Self { out, stride, rows, columns, first } = self;
        if (rows, columns) != (ROWS, COLUMNS) {
            // A copy: the sums themselves stay in registers only where all indices are known.
            let sums = *sums;
            for (row, sums) in sums.iter().enumerate().take(rows) {
                let to = out[row * stride..][..columns].iter_mut().zip(sums);
                to.for_each(|(to, &sum)| *to = if first { sum } else { to.plus(sum) });
            }
        } else if first {
            for row in 0..ROWS {
                if let Some(to) = out[row * stride..].first_chunk_mut() {
                    *to = sums[row];
                }
            }
        } else {
            for row in 0..ROWS {
                let to = &mut out[row * stride..][..COLUMNS];
                for column in 0..COLUMNS {
                    to[column] = to[column].plus(sums[row][column]);
                }
            }
        }
    }

    /// Asks for the sums that are added to: they are there when the tile is.
    #[inline(always)]
    fn ask<const COLUMNS: usize>(&self) {
        if self.first {
            return;
        }
        for row in 0..self.rows {
            ask(self.out[row * self.stride..].as_ptr().cast(), COLUMNS * size_of::<S>());
        }
    }

    /// The rows, `0..ROWS`, or the last one for those that there aren't.
    #[inline(always)]
    fn row(&self, row: usize) -> usize {
        row.min(self.rows - 1)
    }
}

/// A tile by multiplications and additions, one step at a time. The slices are cut so that the compiler sees all bounds before the loop, and where
/// lines of a panel follow each other, nothing is compared in it but how many there are.
#[inline(always)]
fn tile<'a, T: Factor, const ROWS: usize, const COLUMNS: usize>(
    (left, far): (&[T], usize),
    steps: usize,
    lines: impl Iterator<Item = &'a [T; COLUMNS]>,
    to: Corner<'_, T>,
) {
    let mut sums = [[T::default(); COLUMNS]; ROWS];
    let mut rows = [&left[..0]; ROWS];
    for (row, place) in rows.iter_mut().enumerate() {
        *place = &left[to.row(row) * far..][..steps];
    }
    to.ask::<COLUMNS>();
    for (step, columns) in (0..steps).zip(lines) {
        // Loaded once, not once for each row.
        let columns = *columns;
        for row in 0..ROWS {
            let a = rows[row][step];
            for column in 0..COLUMNS {
                sums[row][column] = sums[row][column].plus_product(a, columns[column]);
            }
        }
    }
    to.put(&sums);
}

/// A tile of a panel, wherever its lines are: one after the other, with gaps, or elsewhere.
#[inline(always)]
pub(super) fn panel_tile<T: Factor, const ROWS: usize, const COLUMNS: usize>(
    rows: (&[T], usize),
    steps: usize,
    panel: Panel<'_, T>,
    to: Corner<'_, T>,
) {
    let Panel { elements, steps: places } = panel;
    match places {
        StepPlaces::Apart(apart) if apart == COLUMNS => tile::<T, ROWS, COLUMNS>(rows, steps, elements.as_chunks().0.iter(), to),
        StepPlaces::Apart(apart) if apart > COLUMNS => {
            tile::<T, ROWS, COLUMNS>(rows, steps, elements.chunks(apart).map_while(|line| line.first_chunk()), to);
        }
        _ => {
            let place = |step: usize| match places {
                StepPlaces::Apart(apart) => step * apart,
                StepPlaces::Listed(places) => places[step],
            };
            tile::<T, ROWS, COLUMNS>(rows, steps, (0..steps).map_while(|step| elements.get(place(step)..)?.first_chunk()), to);
        }
    }
}

macro_rules! factors {
    ($($T:ty, $wide:literal, $narrow:literal: |$a:ident, $b:ident| $plus:expr, |$sum:ident| $plus_product:expr;)*) => { $(
        impl Factor for $T {
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
        }

        impl Tiles for $T {
            type Sum = Self;
            type Means = ();
            const GROUP: usize = 1;
            const WIDE: (usize, usize) = (8, $wide);
            const NARROW: (usize, usize) = (6, $narrow);

            #[inline(always)]
            fn tile<const WIDE: bool>((): (), rows: (&[Self], usize), steps: usize, panel: Panel<'_, Self>, to: Corner<'_, Self>) {
                if WIDE {
                    panel_tile::<Self, 8, $wide>(rows, steps, panel, to);
                } else {
                    panel_tile::<Self, 6, $narrow>(rows, steps, panel, to);
                }
            }
        }
    )* };
}

// Columns fill two vectors; that many rows leave registers for those and for an element of a row.
factors! {
    f32, 32, 16: |a, b| a + b, |sum| a.mul_add(b, sum);
    f64, 16, 8: |a, b| a + b, |sum| a.mul_add(b, sum);
    Complex<f64>, 4, 4: |a, b| a + b, |sum| {
        Self::new(a.re.mul_add(b.re, (-a.im).mul_add(b.im, sum.re)), a.re.mul_add(b.im, a.im.mul_add(b.re, sum.im)))
    };
    i32, 32, 16: |a, b| a.wrapping_add(b), |sum| sum.wrapping_add(a.wrapping_mul(b));
    i64, 16, 8: |a, b| a.wrapping_add(b), |sum| sum.wrapping_add(a.wrapping_mul(b));
}

/// By the instruction for pairs of them, where the processor has it.
impl Tiles for bf16 {
    type Sum = f32;
    type Means = Brain;
    const GROUP: usize = 2;
    const WIDE: (usize, usize) = (brain::ROWS, brain::COLUMNS);
    const NARROW: (usize, usize) = Self::WIDE;

    #[inline(always)]
    fn tile<const WIDE: bool>(means: Brain, (left, far): (&[Self], usize), steps: usize, panel: Panel<'_, Self>, to: Corner<'_, f32>) {
        let mut rows = [&left[..0]; brain::ROWS];
        for (row, place) in rows.iter_mut().enumerate() {
            *place = &left[to.row(row) * far..][..steps];
        }
        if (to.rows, to.columns) == Self::WIDE && (to.first || steps.is_multiple_of(2)) {
            return means.tile(&rows, panel.elements, (to.out, to.stride), to.first);
        }
        let mut sums = [[0.0; brain::COLUMNS]; brain::ROWS];
        means.tile(&rows, panel.elements, (sums.as_flattened_mut(), brain::COLUMNS), true);
        to.put(&sums);
    }
}
