//! Complex numbers with their parts apart, room for them, and the roots of unity of a size.

use std::ops::{Add, Mul, Neg, Range, Sub};

use crate::element::Native;
use crate::error::Result;
use crate::kernels::vectors::{Doubles, Singles, Vector};
use crate::room::room;
use crate::storage::Workspace;

/// So many numbers fill the vectors of every processor.
pub(super) const WIDE: usize = 8;

/// The real and the imaginary parts of numbers.
pub(super) type Parts<'a, R> = [&'a mut [R]; 2];

/// The real numbers that are read, computed with and written.
pub(super) trait Digits:
    Native + Default + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// Some of them in registers.
    type Vector: Vector<Self, WIDE>;

    fn wide(self) -> f64;
    /// The nearest one.
    fn rounded(number: f64) -> Self;
}

impl Digits for f32 {
    type Vector = Singles;

    #[inline(always)]
    fn wide(self) -> f64 {
        self.into()
    }

    #[expect(clippy::cast_possible_truncation, reason = "it is rounded")]
    #[inline(always)]
    fn rounded(number: f64) -> Self {
        number as Self
    }
}

impl Digits for f64 {
    type Vector = Doubles;

    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }

    #[inline(always)]
    fn rounded(number: f64) -> Self {
        number
    }
}

/// Complex numbers, their real and imaginary parts apart.
#[derive(Debug)]
pub(super) struct Planes<R>([Vec<R>; 2]);

impl<R: Digits> Planes<R> {
    /// Numbers that were computed in double precision.
    pub(super) fn listed(numbers: impl ExactSizeIterator<Item = [f64; 2]>) -> Result<Self> {
        let mut planes = [room(numbers.len())?, room(numbers.len())?];
        for [re, im] in numbers {
            planes[0].push(R::rounded(re));
            planes[1].push(R::rounded(im));
        }
        Ok(Self(planes))
    }

    pub(super) fn parts(&self) -> [&[R]; 2] {
        [&self.0[0], &self.0[1]]
    }

    /// The numbers of some places.
    #[inline(always)]
    pub(super) fn at(&self, places: Range<usize>) -> impl Iterator<Item = (&R, &R)> {
        self.0[0][places.clone()].iter().zip(&self.0[1][places])
    }
}

/// Room for the numbers of a transform, twice.
pub(super) struct Room<R: Digits> {
    numbers: Workspace<R>,
    count: usize,
    apart: usize,
}

impl<R: Digits> Room<R> {
    pub(super) fn new(count: usize) -> Result<Self> {
        // Numbers of the same place in the four lists are loaded and stored together: not at addresses that a cache takes for the same.
        let apart = count.next_multiple_of(1024) + 16 * 17;
        Ok(Self { numbers: Workspace::new(4 * apart)?, count, apart })
    }

    /// Two times the numbers.
    pub(super) fn halves(&mut self) -> [Parts<'_, R>; 2] {
        let mut parts = self.numbers.chunks_exact_mut(self.apart);
        let mut part = || parts.next().unwrap_or_default().split_at_mut(self.count).0;
        [[part(), part()], [part(), part()]]
    }
}

/// `exp(-2πi k / size)`, from an angle of at most an eighth of a turn.
pub(super) fn root(k: usize, size: usize) -> [f64; 2] {
    // In units of an eighth of what the size divides a turn into, so that nothing is rounded before the angle.
    let (mut units, turn) = (8 * (k as u128), 8 * (size as u128));
    let mirrored = units > turn / 2;
    if mirrored {
        units = turn - units;
    }
    let behind = units > turn / 4;
    if behind {
        units = turn / 2 - units;
    }
    let steep = units > turn / 8;
    if steep {
        units = turn / 4 - units;
    }
    #[expect(clippy::cast_precision_loss, reason = "sizes of tensors are far below 2^50")]
    let (sin, cos) = (std::f64::consts::TAU * (units as f64 / turn as f64)).sin_cos();
    let (cos, sin) = if steep { (sin, cos) } else { (cos, sin) };
    [if behind { -cos } else { cos }, if mirrored { sin } else { -sin }]
}

/// The roots of unity of a size, of which many are asked for.
pub(super) struct Roots {
    fine: Vec<[f64; 2]>,
    coarse: Vec<[f64; 2]>,
}

impl Roots {
    /// So many are products of one of each of two lists, which is one rounding in double precision.
    const FINE: usize = 1024;

    /// # Errors
    /// Where there is no memory.
    pub(super) fn new(size: usize) -> Result<Self> {
        let (count, mut fine, mut coarse) = (size.div_ceil(Self::FINE), room(Self::FINE)?, room(size.div_ceil(Self::FINE))?);
        fine.extend((0..Self::FINE).map(|k| root(k, size)));
        coarse.extend((0..count).map(|k| root(k * Self::FINE, size)));
        Ok(Self { fine, coarse })
    }

    #[inline(always)]
    pub(super) fn at(&self, k: usize) -> [f64; 2] {
        let ([a, b], [c, d]) = (self.coarse[k / Self::FINE], self.fine[k % Self::FINE]);
        [a * c - b * d, a * d + b * c]
    }
}

/// The first roots of unity of a size.
pub(super) fn roots<R: Digits>(count: usize, size: usize) -> Result<Planes<R>> {
    if count <= 4 * Roots::FINE {
        return Planes::listed((0..count).map(|k| root(k, size)));
    }
    let roots = Roots::new(size)?;
    Planes::listed((0..count).map(|k| roots.at(k)))
}
