//! Rows that lie one after the other through a transform, some at a time, on all threads: how complex, real and halved rows become what the
//! steps go over, and what becomes of the results.

use num_complex::Complex;

use super::transform::{Digits, LANES, Planes, Transform, roots};
use crate::error::Result;
use crate::kernels::level::{Job, vectorised};
use crate::kernels::parts::hand_out;
use crate::room::Refused;

/// So many numbers of several rows stay in a processor's own cache, with those of the steps beside them.
const CACHED: usize = 1 << 15;
/// So many numbers are worth a part of their own.
const PART: usize = 1 << 14;

/// Which way complex numbers are turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turning {
    /// With `exp(-2πi jk / n)`.
    Forward,
    /// With `exp(2πi jk / n)`.
    Backward,
}

/// How rows of `I` become rows of `O`, by transforms of `R`.
pub(super) trait RowKind<I, O, R>: Sync {
    /// How many numbers a row has, and its result.
    fn widths(&self) -> [usize; 2];

    /// A row into its lane of so many.
    fn load(&self, row: &[I], planes: &mut Planes<R>, lane: usize, lanes: usize);

    /// A lane into its row, each number times the factor.
    fn store(&self, planes: &Planes<R>, row: &mut [O], lane: usize, lanes: usize, factor: R);
}

/// A number as it is computed with.
#[inline(always)]
fn computed<T: Digits, R: Digits>(number: T) -> R {
    R::rounded(number.wide())
}

/// A number as it is written.
#[inline(always)]
fn given<T: Digits, R: Digits>(number: R) -> T {
    T::rounded(number.wide())
}

/// Complex rows.
pub(super) struct ComplexRows {
    pub(super) size: usize,
    pub(super) turning: Turning,
}

impl<T: Digits, R: Digits> RowKind<Complex<T>, Complex<T>, R> for ComplexRows {
    fn widths(&self) -> [usize; 2] {
        [self.size; 2]
    }

    // The other way around is the same with the two parts in each other's place.
    #[inline(always)]
    fn load(&self, row: &[Complex<T>], planes: &mut Planes<R>, lane: usize, lanes: usize) {
        for (at, number) in row.iter().enumerate() {
            let [re, im] = if self.turning == Turning::Forward { [number.re, number.im] } else { [number.im, number.re] }.map(computed);
            (planes.re[at * lanes + lane], planes.im[at * lanes + lane]) = (re, im);
        }
    }

    #[inline(always)]
    fn store(&self, planes: &Planes<R>, row: &mut [Complex<T>], lane: usize, lanes: usize, factor: R) {
        for (at, number) in row.iter_mut().enumerate() {
            let [re, im] = [planes.re[at * lanes + lane] * factor, planes.im[at * lanes + lane] * factor].map(given);
            *number = if self.turning == Turning::Forward { Complex { re, im } } else { Complex { re: im, im: re } };
        }
    }
}

/// Real rows and the first half of their transforms, which tells the other one: one becomes the other. Rows of even size are complex ones of
/// half of it, pair by pair; what that comes to is put right with the roots of the whole size.
pub(super) struct RealRows<R> {
    size: usize,
    roots: Option<Planes<R>>,
}

impl<R: Digits> RealRows<R> {
    /// # Errors
    /// Where there is no memory.
    pub(super) fn new(size: usize) -> Result<Self> {
        let even = size.is_multiple_of(2);
        Ok(Self { size, roots: if even { Some(roots(size / 2 + 1, size)?) } else { None } })
    }
}

/// The size of the transform that rows of real numbers go through.
pub(super) fn inner(size: usize) -> usize {
    if size.is_multiple_of(2) { size / 2 } else { size }
}

/// To halves.
pub(super) struct ToHalf<R>(pub(super) RealRows<R>);

impl<T: Digits, R: Digits> RowKind<T, Complex<T>, R> for ToHalf<R> {
    fn widths(&self) -> [usize; 2] {
        [self.0.size, self.0.size / 2 + 1]
    }

    #[inline(always)]
    fn load(&self, row: &[T], planes: &mut Planes<R>, lane: usize, lanes: usize) {
        if self.0.roots.is_none() {
            for (at, &number) in row.iter().enumerate() {
                (planes.re[at * lanes + lane], planes.im[at * lanes + lane]) = (computed(number), R::default());
            }
            return;
        }
        for (at, pair) in row.chunks_exact(2).enumerate() {
            (planes.re[at * lanes + lane], planes.im[at * lanes + lane]) = (computed(pair[0]), computed(pair[1]));
        }
    }

    #[inline(always)]
    fn store(&self, planes: &Planes<R>, row: &mut [Complex<T>], lane: usize, lanes: usize, factor: R) {
        let number = |at: usize| Complex { re: planes.re[at * lanes + lane], im: planes.im[at * lanes + lane] };
        let Some(roots) = &self.0.roots else {
            for (at, to) in row.iter_mut().enumerate() {
                let Complex { re, im } = number(at);
                *to = Complex { re: given(re * factor), im: given(im * factor) };
            }
            return;
        };
        let (half, share) = (self.0.size / 2, factor * R::rounded(0.5));
        for (at, to) in row.iter_mut().enumerate() {
            let (own, other) = (number(at % half), number((half - at) % half));
            // What the numbers at even places come to, and those at odd ones.
            let (even_re, even_im) = (own.re + other.re, own.im - other.im);
            let (odd_re, odd_im) = (own.im + other.im, other.re - own.re);
            let (c, s) = (roots.re[at], roots.im[at]);
            let (re, im) = (even_re + (odd_re * c - odd_im * s), even_im + (odd_re * s + odd_im * c));
            *to = Complex { re: given(re * share), im: given(im * share) };
        }
    }
}

/// From halves. The imaginary parts of the first number, and of the middle one of an even size, count for nothing.
pub(super) struct FromHalf<R>(pub(super) RealRows<R>);

impl<T: Digits, R: Digits> RowKind<Complex<T>, T, R> for FromHalf<R> {
    fn widths(&self) -> [usize; 2] {
        [self.0.size / 2 + 1, self.0.size]
    }

    // The parts are in each other's place: the way there is the way back.
    #[inline(always)]
    fn load(&self, row: &[Complex<T>], planes: &mut Planes<R>, lane: usize, lanes: usize) {
        let size = self.0.size;
        let number = |at: usize| {
            let im = if at == 0 || 2 * at == size { R::default() } else { computed(row[at].im) };
            Complex { re: computed::<T, R>(row[at].re), im }
        };
        let Some(roots) = &self.0.roots else {
            for at in 0..size {
                let Complex { re, im } = number(at.min(size - at));
                let im = if 2 * at > size { R::default() - im } else { im };
                (planes.re[at * lanes + lane], planes.im[at * lanes + lane]) = (im, re);
            }
            return;
        };
        for at in 0..size / 2 {
            let (own, other) = (number(at), number(size / 2 - at));
            let (even_re, even_im) = (own.re + other.re, own.im - other.im);
            let (odd_re, odd_im) = (own.re - other.re, own.im + other.im);
            let (c, s) = (roots.re[at], roots.im[at]);
            // Of the odd ones, turned back, i times.
            let (turned_re, turned_im) = (odd_re * c + odd_im * s, odd_im * c - odd_re * s);
            (planes.re[at * lanes + lane], planes.im[at * lanes + lane]) = (even_im + turned_re, even_re - turned_im);
        }
    }

    #[inline(always)]
    fn store(&self, planes: &Planes<R>, row: &mut [T], lane: usize, lanes: usize, factor: R) {
        if self.0.roots.is_none() {
            for (at, to) in row.iter_mut().enumerate() {
                *to = given(planes.im[at * lanes + lane] * factor);
            }
            return;
        }
        for (at, pair) in row.chunks_exact_mut(2).enumerate() {
            (pair[0], pair[1]) = (given(planes.im[at * lanes + lane] * factor), given(planes.re[at * lanes + lane] * factor));
        }
    }
}

/// Some rows, one after the other.
struct SomeTransforms<'a, I, O, R, K> {
    kind: &'a K,
    transform: &'a Transform<R>,
    factor: R,
    from: &'a [I],
    to: &'a mut [O],
    lanes: usize,
    planes: Planes<R>,
    other: Planes<R>,
}

impl<I, O, R: Digits, K: RowKind<I, O, R>> Job for SomeTransforms<'_, I, O, R, K> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        let ([width, height], lanes) = (self.kind.widths(), self.lanes);
        for (from, to) in self.from.chunks(width * lanes).zip(self.to.chunks_mut(height * lanes)) {
            for (lane, row) in from.chunks_exact(width).enumerate() {
                self.kind.load(row, &mut self.planes, lane, lanes);
            }
            self.transform.run(&mut self.planes, &mut self.other, lanes);
            for (lane, row) in to.chunks_exact_mut(height).enumerate() {
                self.kind.store(&self.planes, row, lane, lanes, self.factor);
            }
        }
    }
}

/// All rows of a list, each through the transform.
///
/// # Errors
/// Where there is no memory.
pub(super) fn all<I: Sync, O: Send, R: Digits, K: RowKind<I, O, R>>(
    kind: &K,
    transform: &Transform<R>,
    factor: f64,
    from: &[I],
    to: &mut [O],
) -> Result<()> {
    let [width, height] = kind.widths();
    let reach = transform.reach();
    let lanes = if from.len() >= LANES * width && reach * LANES <= CACHED { LANES } else { 1 };
    let rows = lanes * (PART / (width * lanes)).max(1);
    let (refused, factor) = (Refused::default(), R::rounded(factor));
    hand_out(&mut from.chunks(rows * width).zip(to.chunks_mut(rows * height)), &|_, (from, to)| {
        let planes = Planes::zeros(reach * lanes).and_then(|planes| Ok((planes, Planes::zeros(reach * lanes)?)));
        refused.note(planes.map(|(planes, other)| vectorised(SomeTransforms { kind, transform, factor, from, to, lanes, planes, other })));
    });
    refused.answer()
}
