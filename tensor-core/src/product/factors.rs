//! The numbers that products are computed in, and the tiles that fit the registers.

use half::{bf16, f16};
use num_complex::Complex;

use crate::element::Native;
use crate::kernels::brain::{self, Brain};
use crate::kernels::stream::ask;
use crate::kernels::tiles::{ROWS, TileLoop};

/// Bytes of the columns of a tile above which two steps are a turn: those of two 256-bit vectors, beside whose registers there are none for a
/// second step.
const PAIRED: usize = 64;

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

/// The sums of a tile.
type Sums<T, const ROWS: usize, const COLUMNS: usize> = [[T; COLUMNS]; ROWS];

/// A tile by multiplications and additions, which `add` makes. The slices are cut so that the compiler sees all bounds before the loop.
#[inline(always)]
fn tile<'a, T: Factor, const ROWS: usize, const COLUMNS: usize>(
    (left, far): (&'a [T], usize),
    steps: usize,
    to: Corner<'_, T>,
    add: impl FnOnce(&mut Sums<T, ROWS, COLUMNS>, &[&'a [T]; ROWS]),
) {
    let mut sums = [[T::default(); COLUMNS]; ROWS];
    let mut rows = [&left[..0]; ROWS];
    for (row, place) in rows.iter_mut().enumerate() {
        *place = &left[to.row(row) * far..][..steps];
    }
    to.ask::<COLUMNS>();
    add(&mut sums, &rows);
    to.put(&sums);
}

/// Adds the products of one step.
#[inline(always)]
fn step<T: Factor, const ROWS: usize, const COLUMNS: usize>(
    sums: &mut Sums<T, ROWS, COLUMNS>,
    rows: &[&[T]; ROWS],
    at: usize,
    columns: &[T; COLUMNS],
) {
    // Loaded once, not once for each row.
    let columns = *columns;
    for row in 0..ROWS {
        let a = rows[row][at];
        for column in 0..COLUMNS {
            sums[row][column] = sums[row][column].plus_product(a, columns[column]);
        }
    }
}

/// Adds the products of one step after the other.
#[inline(always)]
fn each_step<'a, T: Factor, const ROWS: usize, const COLUMNS: usize>(
    sums: &mut Sums<T, ROWS, COLUMNS>,
    rows: &[&[T]; ROWS],
    lines: impl Iterator<Item = &'a [T; COLUMNS]>,
) {
    for (at, columns) in (0..rows[0].len()).zip(lines) {
        step(sums, rows, at, columns);
    }
}

/// The same, two steps a turn: with 512-bit vectors, what a turn takes beside its products counts.
#[inline(always)]
fn pairs_of_steps<T: Factor, const ROWS: usize, const COLUMNS: usize>(
    sums: &mut Sums<T, ROWS, COLUMNS>,
    rows: &[&[T]; ROWS],
    lines: &[[T; COLUMNS]],
) {
    let steps = rows[0].len();
    let mut at = 0;
    for [one, other] in lines.as_chunks::<2>().0 {
        if at + 1 >= steps {
            break;
        }
        step(sums, rows, at, one);
        step(sums, rows, at + 1, other);
        at += 2;
    }
    if let (true, Some(last)) = (at < steps, lines.get(at)) {
        step(sums, rows, at, last);
    }
}

/// A tile of a panel, wherever its lines are: one after the other, where nothing is compared in the loop but how many there are; with gaps; or
/// elsewhere.
#[inline(always)]
pub(super) fn panel_tile<T: Factor, const ROWS: usize, const COLUMNS: usize>(
    rows: (&[T], usize),
    steps: usize,
    panel: Panel<'_, T>,
    to: Corner<'_, T>,
) {
    let Panel { elements, steps: places } = panel;
    match places {
        StepPlaces::Apart(apart) if apart == COLUMNS => {
            let (lines, _) = elements.as_chunks();
            if const { size_of::<[T; COLUMNS]>() > PAIRED } {
                tile::<T, ROWS, COLUMNS>(rows, steps, to, |sums, rows| pairs_of_steps(sums, rows, lines));
            } else {
                tile::<T, ROWS, COLUMNS>(rows, steps, to, |sums, rows| each_step(sums, rows, lines.iter()));
            }
        }
        StepPlaces::Apart(apart) if apart > COLUMNS => {
            let lines = elements.chunks(apart).map_while(|line| line.first_chunk());
            tile::<T, ROWS, COLUMNS>(rows, steps, to, |sums, rows| each_step(sums, rows, lines));
        }
        _ => {
            let place = |step: usize| match places {
                StepPlaces::Apart(apart) => step * apart,
                StepPlaces::Listed(places) => places[step],
            };
            let lines = (0..steps).map_while(|step| elements.get(place(step)..)?.first_chunk());
            tile::<T, ROWS, COLUMNS>(rows, steps, to, |sums, rows| each_step(sums, rows, lines));
        }
    }
}

/// A tile of whole rows by the processor's own loop, where there is one; if not, its corner is given back.
#[inline(always)]
fn whole_tile<'a, T: Factor + TileLoop, const WIDE: bool, const ROWS: usize, const COLUMNS: usize>(
    rows: (&[T], usize),
    steps: usize,
    panel: Panel<'_, T>,
    to: Corner<'a, T>,
) -> Option<Corner<'a, T>> {
    let StepPlaces::Apart(apart) = panel.steps else { return Some(to) };
    let lines = (panel.elements, apart);
    if to.rows != ROWS {
        return Some(to);
    }
    if to.first && to.columns == COLUMNS {
        return if T::sums::<WIDE>(rows, steps, lines, (&mut *to.out, to.stride)) { None } else { Some(to) };
    }
    to.ask::<COLUMNS>();
    let mut sums = [[T::default(); COLUMNS]; ROWS];
    if !T::sums::<WIDE>(rows, steps, lines, (sums.as_flattened_mut(), COLUMNS)) {
        return Some(to);
    }
    to.put(&sums);
    None
}

macro_rules! factors {
    ($($T:ty: |$a:ident, $b:ident| $plus:expr, |$sum:ident| $plus_product:expr;)*) => { $(
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
    )* };
}

factors! {
    f32: |a, b| a + b, |sum| a.mul_add(b, sum);
    f64: |a, b| a + b, |sum| a.mul_add(b, sum);
    Complex<f64>: |a, b| a + b, |sum| {
        Self::new(a.re.mul_add(b.re, (-a.im).mul_add(b.im, sum.re)), a.re.mul_add(b.im, a.im.mul_add(b.re, sum.im)))
    };
    i32: |a, b| a.wrapping_add(b), |sum| sum.wrapping_add(a.wrapping_mul(b));
    i64: |a, b| a.wrapping_add(b), |sum| sum.wrapping_add(a.wrapping_mul(b));
}

/// Rows of a tile that the compiler keeps in registers, with 512-bit vectors and with others: that many leave some for the columns, which fill
/// two vectors, and for an element of a row.
const COMPILED: [usize; 2] = [8, 6];
/// Rows of a tile for the last ones: as few as keep a processor's two multipliers at work, with two 512-bit vectors.
const FEW: usize = 4;

macro_rules! tiles {
    ($($T:ty, $wide:literal, $narrow:literal;)*) => { $(
        impl Tiles for $T {
            type Sum = Self;
            type Means = ();
            const GROUP: usize = 1;
            const WIDE: (usize, usize) = (COMPILED[0], $wide);
            const NARROW: (usize, usize) = (COMPILED[1], $narrow);

            #[inline(always)]
            fn tile<const WIDE: bool>((): (), rows: (&[Self], usize), steps: usize, panel: Panel<'_, Self>, to: Corner<'_, Self>) {
                if WIDE {
                    panel_tile::<Self, { COMPILED[0] }, $wide>(rows, steps, panel, to);
                } else {
                    panel_tile::<Self, { COMPILED[1] }, $narrow>(rows, steps, panel, to);
                }
            }
        }
    )* };
    ($($T:ty, $wide:literal, $narrow:literal by its own loop;)*) => { $(
        impl Tiles for $T {
            type Sum = Self;
            type Means = ();
            const GROUP: usize = 1;
            const WIDE: (usize, usize) = (ROWS[0], $wide);
            const NARROW: (usize, usize) = (ROWS[1], $narrow);

            #[inline(always)]
            fn tile<const WIDE: bool>((): (), rows: (&[Self], usize), steps: usize, panel: Panel<'_, Self>, to: Corner<'_, Self>) {
                if WIDE {
                    let Some(to) = whole_tile::<Self, WIDE, { ROWS[0] }, $wide>(rows, steps, panel, to) else { return };
                    let Corner { out, stride, rows: high, columns, first } = to;
                    for row in (0..high).step_by(COMPILED[0]) {
                        let to = Corner { out: &mut out[row * stride..], stride, rows: COMPILED[0].min(high - row), columns, first };
                        let rows = (&rows.0[row * rows.1..], rows.1);
                        // Rows that aren't there cost as much as others.
                        if to.rows <= FEW {
                            panel_tile::<Self, FEW, $wide>(rows, steps, panel, to);
                        } else {
                            panel_tile::<Self, { COMPILED[0] }, $wide>(rows, steps, panel, to);
                        }
                    }
                } else if let Some(to) = whole_tile::<Self, WIDE, { ROWS[1] }, $narrow>(rows, steps, panel, to) {
                    panel_tile::<Self, { ROWS[1] }, $narrow>(rows, steps, panel, to);
                }
            }
        }
    )* };
}

tiles! {
    f32, 32, 16 by its own loop;
    f64, 16, 8 by its own loop;
}

tiles! {
    Complex<f64>, 4, 4;
    i32, 32, 16;
    i64, 16, 8;
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
