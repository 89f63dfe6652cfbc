//! Rows that lie one after the other through a transform, some at a time, on all threads: how complex, real and halved rows become what the
//! steps go over, and what becomes of the results.

use std::marker::PhantomData;
use std::mem::swap;
use std::sync::Arc;

use num_complex::Complex;

use super::numbers::{Digits, Parts, Planes, Room, WIDE, roots};
use super::split::Split;
use super::transform::{Tables, Transform};
use crate::device::Device;
use crate::element::Native;
use crate::error::Result;
use crate::kernels::level::{Job, vectorised};
use crate::kernels::parts::hand_out;
use crate::kernels::turn::panel;
use crate::room::Refused;
use crate::storage::{TypedStorage, UntypedStorage};

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

    /// A row as what is transformed: the numbers from one place on.
    fn load(&self, row: &[I], start: usize, to: Parts<'_, R>);

    /// What came of it as a row, from one place on, each number times the factor.
    fn store(&self, numbers: [&[R]; 2], start: usize, row: &mut [O], factor: R);

    /// What of a row follows from what was stored.
    fn finish(&self, _row: &mut [O]) {}
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
    fn load(&self, row: &[Complex<T>], start: usize, [re, im]: Parts<'_, R>) {
        let (re, im) = if self.turning == Turning::Forward { (re, im) } else { (im, re) };
        for ((number, re), im) in row[start..].iter().zip(re).zip(im) {
            (*re, *im) = (computed(number.re), computed(number.im));
        }
    }

    #[inline(always)]
    fn store(&self, [re, im]: [&[R]; 2], start: usize, row: &mut [Complex<T>], factor: R) {
        let (re, im) = if self.turning == Turning::Forward { (re, im) } else { (im, re) };
        let (re, im) = (&re[start..], &im[start..]);
        for ((number, &re), &im) in row.iter_mut().zip(re).zip(im) {
            *number = Complex { re: given(re * factor), im: given(im * factor) };
        }
    }
}

/// Real rows and the first half of their transforms, which tells the other one: one becomes the other. Rows of even size are complex ones of
/// half of it, pair by pair; what that comes to is put right with the roots of the whole size.
pub(super) struct RealRows<R: Digits> {
    size: usize,
    roots: Option<Arc<Planes<R>>>,
}

impl<R: Tables> RealRows<R> {
    /// # Errors
    /// Where there is no memory.
    pub(super) fn new(size: usize) -> Result<Self> {
        let even = size.is_multiple_of(2);
        Ok(Self { size, roots: if even { Some(R::halves().of(size, |size| roots(size / 2 + 1, size))?) } else { None } })
    }
}

/// The size of the transform that rows of real numbers go through.
pub(super) fn inner(size: usize) -> usize {
    if size.is_multiple_of(2) { size / 2 } else { size }
}

/// To halves, or to all of it.
pub(super) struct FromReal<R: Digits> {
    pub(super) rows: RealRows<R>,
    pub(super) is_whole: bool,
}

impl<T: Digits, R: Digits> RowKind<T, Complex<T>, R> for FromReal<R> {
    fn widths(&self) -> [usize; 2] {
        let size = self.rows.size;
        [size, if self.is_whole { size } else { size / 2 + 1 }]
    }

    #[inline(always)]
    fn load(&self, row: &[T], start: usize, [re, im]: Parts<'_, R>) {
        if self.rows.roots.is_none() {
            im.fill(R::default());
            for (&number, re) in row[start..].iter().zip(re) {
                *re = computed(number);
            }
            return;
        }
        for ((pair, re), im) in row.as_chunks::<2>().0[start..].iter().zip(re).zip(im) {
            (*re, *im) = (computed(pair[0]), computed(pair[1]));
        }
    }

    #[inline(always)]
    fn store(&self, [re, im]: [&[R]; 2], start: usize, row: &mut [Complex<T>], factor: R) {
        let stored = (self.rows.size / 2 + 1).saturating_sub(start).min(row.len());
        if stored == 0 {
            return;
        }
        let row = &mut row[..stored];
        let Some(roots) = &self.rows.roots else {
            for ((to, &re), &im) in row.iter_mut().zip(&re[start..]).zip(&im[start..]) {
                *to = Complex { re: given(re * factor), im: given(im * factor) };
            }
            return;
        };
        // The first and the last number are of the first one alone.
        let (half, end) = (self.rows.size / 2, start + row.len());
        for (place, total) in [(0, re[0] + im[0]), (half, re[0] - im[0])] {
            if (start..end).contains(&place) {
                row[place - start] = Complex { re: given(total * factor), im: T::default() };
            }
        }
        let own = start.max(1)..end.min(half);
        let (other, share) = (half + 1 - own.end..half + 1 - own.start, factor * R::rounded(0.5));
        let row = row[own.start - start..].iter_mut().zip(re[own.clone()].iter().zip(&im[own.clone()]));
        let with = row.zip(re[other.clone()].iter().zip(&im[other]).rev()).zip(roots.at(own));
        for (((to, (&re, &im)), (&other_re, &other_im)), (&c, &s)) in with {
            // What the numbers at even places come to, and those at odd ones.
            let (even_re, even_im) = (re + other_re, im - other_im);
            let (odd_re, odd_im) = (im + other_im, other_re - re);
            let (re, im) = (even_re + (odd_re * c - odd_im * s), even_im + (odd_re * s + odd_im * c));
            *to = Complex { re: given(re * share), im: given(im * share) };
        }
    }

    /// The second half has the conjugates of the first one.
    #[inline(always)]
    fn finish(&self, row: &mut [Complex<T>]) {
        if self.is_whole {
            let (first, second) = row.split_at_mut(self.rows.size / 2 + 1);
            for (to, number) in second.iter_mut().rev().zip(&first[1..]) {
                *to = Complex { re: number.re, im: -number.im };
            }
        }
    }
}

/// From halves. The imaginary parts of the first number, and of the middle one of an even size, count for nothing.
pub(super) struct FromHalf<R: Digits>(pub(super) RealRows<R>);

impl<T: Digits, R: Digits> RowKind<Complex<T>, T, R> for FromHalf<R> {
    fn widths(&self) -> [usize; 2] {
        [self.0.size / 2 + 1, self.0.size]
    }

    // The parts are in each other's place: the way there is the way back.
    #[inline(always)]
    fn load(&self, row: &[Complex<T>], start: usize, [re, im]: Parts<'_, R>) {
        let (size, half, end) = (self.0.size, self.0.size / 2, start + re.len());
        let (first, last) = (computed::<T, R>(row[0].re), computed::<T, R>(row[half].re));
        let Some(roots) = &self.0.roots else {
            for ((at, re), im) in (start..).zip(re).zip(im) {
                let own = row[at.min(size - at)];
                let sine = if at == 0 { R::default() } else { computed(own.im) };
                (*re, *im) = (if 2 * at > size { -sine } else { sine }, computed(own.re));
            }
            return;
        };
        if start == 0 {
            (re[0], im[0]) = (first - last, first + last);
        }
        let own = start.max(1)..end.max(1);
        let (re, im, other) = (&mut re[own.start - start..], &mut im[own.start - start..], half + 1 - own.end..half + 1 - own.start);
        let with = row[own.clone()].iter().zip(row[other].iter().rev()).zip(roots.at(own));
        for ((re, im), ((own, other), (&c, &s))) in re.iter_mut().zip(im).zip(with) {
            let [own, other] = [own, other].map(|number| Complex { re: computed::<T, R>(number.re), im: computed::<T, R>(number.im) });
            let (even_re, even_im) = (own.re + other.re, own.im - other.im);
            let (odd_re, odd_im) = (own.re - other.re, own.im + other.im);
            // Of the odd ones, turned back, i times.
            let (turned_re, turned_im) = (odd_re * c + odd_im * s, odd_im * c - odd_re * s);
            (*re, *im) = (even_im + turned_re, even_re - turned_im);
        }
    }

    #[inline(always)]
    fn store(&self, [re, im]: [&[R]; 2], start: usize, row: &mut [T], factor: R) {
        if self.0.roots.is_none() {
            for (to, &im) in row.iter_mut().zip(&im[start..]) {
                *to = given(im * factor);
            }
            return;
        }
        for ((pair, &re), &im) in row.as_chunks_mut::<2>().0.iter_mut().zip(&re[start / 2..]).zip(&im[start / 2..]) {
            *pair = [given(im * factor), given(re * factor)];
        }
    }
}

/// Rows before the steps, from one place on.
struct LoadRows<'a, I, O, R, K> {
    kind: &'a K,
    rows: &'a [I],
    start: usize,
    to: Parts<'a, R>,
    /// How many numbers each row has there.
    size: usize,
    of: PhantomData<O>,
}

impl<I, O, R: Digits, K: RowKind<I, O, R>> Job for LoadRows<'_, I, O, R, K> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let [re, im] = self.to;
        let parts = re.chunks_exact_mut(self.size).zip(im.chunks_exact_mut(self.size));
        for (row, (re, im)) in self.rows.chunks_exact(self.kind.widths()[0]).zip(parts) {
            self.kind.load(row, self.start, [re, im]);
        }
    }
}

/// What came of rows, or of a part of one.
struct StoreRows<'a, I, O, R, K> {
    kind: &'a K,
    factor: R,
    from: [&'a [R]; 2],
    size: usize,
    start: usize,
    rows: &'a mut [O],
    /// How many of what came of a row are there.
    width: usize,
    of: PhantomData<I>,
}

impl<I, O, R: Digits, K: RowKind<I, O, R>> Job for StoreRows<'_, I, O, R, K> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let parts = self.from[0].chunks_exact(self.size).zip(self.from[1].chunks_exact(self.size));
        for (row, (re, im)) in self.rows.chunks_mut(self.width).zip(parts) {
            self.kind.store([re, im], self.start, row, self.factor);
        }
    }
}

/// Of several rows the numbers that lie behind each other, beside each other, or the other way around.
fn turn<'r, R: Digits>(rows: &mut Parts<'r, R>, other: &mut Parts<'r, R>, [width, height]: [usize; 2]) {
    for (from, to) in rows.iter().zip(&mut *other) {
        panel((from, width), [height, width], 1, (to, height));
    }
    swap(rows, other);
}

/// All rows of a list, each through the transform.
///
/// # Errors
/// Where there is no memory.
pub(super) fn all<I: Sync, O: Send, R: Tables, K: RowKind<I, O, R>>(
    kind: &K,
    size: usize,
    factor: f64,
    from: &[I],
    to: &mut [O],
) -> Result<()> {
    let ([width, height], factor) = (kind.widths(), R::rounded(factor));
    if let Some(split) = Split::<R>::new(size)? {
        let mut room = Room::new(size)?;
        return from
            .chunks(width)
            .zip(to.chunks_mut(height))
            .try_for_each(|(from, to)| long(kind, &split, factor, (from, to), room.halves()));
    }
    let transform = &*R::transforms().of(size, Transform::new)?;
    let reach = transform.reach();
    let lanes = if from.len() >= WIDE * width && !transform.takes_one() && reach * WIDE <= CACHED { WIDE } else { 1 };
    let rows = lanes * (PART / (width * lanes)).max(1);
    let refused = Refused::default();
    hand_out(&mut from.chunks(rows * width).zip(to.chunks_mut(rows * height)), &|_, (from, to)| {
        refused.note(Room::new(reach * lanes).map(|mut room| {
            let [mut rows, mut other] = room.halves();
            for (from, to) in from.chunks(width * lanes).zip(to.chunks_mut(height * lanes)) {
                let [re, im] = &mut rows;
                vectorised(LoadRows { kind, rows: from, start: 0, to: [re, im], size, of: PhantomData });
                if lanes > 1 {
                    turn(&mut rows, &mut other, [size, lanes]);
                }
                transform.run(&mut rows, &mut other, lanes);
                if lanes > 1 {
                    turn(&mut rows, &mut other, [lanes, size]);
                }
                let [re, im] = &rows;
                vectorised(StoreRows { kind, factor, from: [re, im], size, start: 0, rows: to, width: height, of: PhantomData });
                to.chunks_exact_mut(height).for_each(|row| kind.finish(row));
            }
        }));
    });
    refused.answer()
}

/// Copies as many as fill vectors by a few instructions, not by a call for as many as it may be.
#[inline(always)]
fn copy<T: Copy>(to: &mut [T], from: &[T]) {
    match (to.as_chunks_mut::<WIDE>(), from.as_chunks::<WIDE>()) {
        ((&mut [ref mut to], &mut []), (&[from], &[])) => *to = from,
        _ => to.copy_from_slice(from),
    }
}

/// All columns of lists of `width` columns, whose size has steps, each through a transform.
///
/// # Errors
/// Where there is no memory.
pub(super) fn columns<T: Digits, R: Tables>(
    &ComplexRows { size, turning }: &ComplexRows,
    width: usize,
    factor: f64,
    from: &[Complex<T>],
    to: &mut [Complex<T>],
) -> Result<()>
where
    Complex<T>: Native,
{
    let (span, groups, factor) = (size * WIDE, width.div_ceil(WIDE), R::rounded(factor));
    let transform = &*R::steps().of(size, Transform::of_steps)?;
    let storage = UntypedStorage::new(from.len() / width * groups * WIDE * size_of::<Complex<T>>(), Device::CPU)?;
    // As many columns as fill vectors, those of a group behind each other.
    let mut lines = TypedStorage::<Complex<T>>::of(storage).slice_mut()?;
    let (each, refused) = ((PART / span).max(1), Refused::default());
    hand_out(&mut lines.chunks_mut(each * span), &|part, lines| {
        refused.note(Room::new(span).map(|mut room| {
            let [mut rows, mut other] = room.halves();
            for (at, lines) in lines.chunks_exact_mut(span).enumerate() {
                let (list, group) = ((part * each + at) / groups, (part * each + at) % groups);
                let from = from[list * size * width..][..size * width][group * WIDE..].chunks(width);
                let count = WIDE.min(width - group * WIDE);
                for (line, from) in lines.chunks_exact_mut(WIDE).zip(from) {
                    copy(&mut line[..count], &from[..count]);
                }
                let ([re, im], kind) = (&mut rows, &ComplexRows { size: span, turning });
                vectorised(LoadRows { kind, rows: lines, start: 0, to: [re, im], size: span, of: PhantomData::<Complex<T>> });
                transform.run(&mut rows, &mut other, WIDE);
                let [re, im] = &rows;
                let of = PhantomData::<Complex<T>>;
                vectorised(StoreRows { kind, factor, from: [re, im], size: span, start: 0, rows: lines, width: span, of });
            }
        }));
    });
    refused.answer()?;
    let (each, lines) = ((PART / width).max(1), &*lines);
    hand_out(&mut to.chunks_mut(each * width), &|part, rows| {
        for (row, to) in (part * each..).zip(rows.chunks_exact_mut(width)) {
            for (group, to) in to.chunks_mut(WIDE).enumerate() {
                let line = &lines[(row / size * groups + group) * span..][row % size * WIDE..][..to.len()];
                copy(to, line);
            }
        }
    });
    Ok(())
}

/// Whole rows of lists of so many, of the first half of each: the second one has the conjugates of the row at the other end of each list.
pub(super) fn mirrored<T: Digits>(lists: &[usize], size: usize, from: &[Complex<T>], to: &mut [Complex<T>])
where
    Complex<T>: Sync + Send,
{
    let (half, each) = (size / 2 + 1, (PART / size).max(1));
    hand_out(&mut to.chunks_mut(each * size), &|part, rows| {
        for (row, to) in (part * each..).zip(rows.chunks_exact_mut(size)) {
            let (mut other, mut left, mut step) = (row, row, 1);
            for &count in lists.iter().rev() {
                let place = left % count;
                other = other - place * step + (count - place) % count * step;
                (left, step) = (left / count, step * count);
            }
            let (first, second) = to.split_at_mut(half);
            first.copy_from_slice(&from[row * half..][..half]);
            for (to, number) in second.iter_mut().rev().zip(&from[other * half..][1..half]) {
                *to = Complex { re: number.re, im: -number.im };
            }
        }
    });
}

/// One row on all threads.
fn long<I: Sync, O: Send, R: Digits, K: RowKind<I, O, R>>(
    kind: &K,
    split: &Split<R>,
    factor: R,
    (from, to): (&[I], &mut [O]),
    [mut numbers, mut other]: [Parts<'_, R>; 2],
) -> Result<()> {
    let size = numbers[0].len();
    let [re, im] = &mut numbers;
    hand_out(&mut re.chunks_mut(PART).zip(im.chunks_mut(PART)), &|part, (re, im)| {
        let size = re.len();
        vectorised(LoadRows { kind, rows: from, start: part * PART, to: [re, im], size, of: PhantomData });
    });
    split.run(&mut numbers, &mut other)?;
    let [re, im] = &numbers;
    hand_out(&mut to.chunks_mut(PART), &|part, rows| {
        vectorised(StoreRows { kind, factor, from: [re, im], size, start: part * PART, rows, width: PART, of: PhantomData });
    });
    kind.finish(to);
    Ok(())
}
