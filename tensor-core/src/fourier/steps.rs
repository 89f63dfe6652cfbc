//! The steps of a transform over real and imaginary parts that lie apart. Each takes a factor of the size and leaves the results in their order;
//! numbers of as many rows as fill a vector lie beside each other.

use std::array::from_fn;
use std::hint::black_box;
use std::mem::swap;
use std::ops::{Add, Mul, Sub};

use super::numbers::{Digits, Parts, WIDE, root};
use crate::error::Result;
use crate::kernels::level::Job;
use crate::kernels::vectors::{HasVectors, PlainVector, Vector};
use crate::room::room;

/// Complex numbers beside each other. What computes with them is in functions that are `#[inline(always)]`, in no closure: instructions are part of
/// a loop only where all between them is.
type Pair<V> = [V; 2];

/// Places of a list of real parts and one of imaginary ones.
type Lines<'a, R, const W: usize> = [&'a [[R; W]]; 2];

#[inline(always)]
fn loaded<R, V: Vector<R, W>, const W: usize>(means: V::Means, [re, im]: Lines<'_, R, W>, at: usize, part: usize) -> Pair<V> {
    [V::load(means, &re[at], part), V::load(means, &im[at], part)]
}

#[inline(always)]
fn everywhere<R, V: Vector<R, W>, const W: usize>(means: V::Means, [re, im]: [R; 2]) -> Pair<V> {
    [V::all(means, re), V::all(means, im)]
}

#[inline(always)]
fn sum<V: Add<Output = V> + Copy>(x: Pair<V>, y: Pair<V>) -> Pair<V> {
    [x[0] + y[0], x[1] + y[1]]
}

#[inline(always)]
fn difference<V: Sub<Output = V> + Copy>(x: Pair<V>, y: Pair<V>) -> Pair<V> {
    [x[0] - y[0], x[1] - y[1]]
}

/// `x` and a quarter of a turn of `y`, their sum and their difference: what is turned is an exchange of the two parts.
#[inline(always)]
fn quarter<V: Add<Output = V> + Sub<Output = V> + Copy>(x: Pair<V>, y: Pair<V>) -> [Pair<V>; 2] {
    [[x[0] + y[1], x[1] - y[0]], [x[0] - y[1], x[1] + y[0]]]
}

/// Numbers times a number for each.
#[inline(always)]
fn turned<R, V: Vector<R, W>, const W: usize>([re, im]: Pair<V>, [c, s]: Pair<V>) -> Pair<V> {
    [(re * c).minus_product(im, s), (re * s).plus_product(im, c)]
}

#[inline(always)]
fn scaled<V: Mul<Output = V> + Copy>([re, im]: Pair<V>, by: V) -> Pair<V> {
    [re * by, im * by]
}

/// The transform of so many numbers in registers.
trait Butterfly<V, const F: usize> {
    fn of(&self, numbers: [Pair<V>; F]) -> [Pair<V>; F];
}

/// The numbers of a place of all lines, transformed.
#[inline(always)]
fn transformed<R, V: Vector<R, W>, const W: usize, const F: usize>(
    means: V::Means,
    of: &impl Butterfly<V, F>,
    lines: &[Lines<'_, R, W>; F],
    at: usize,
    part: usize,
) -> [Pair<V>; F] {
    let mut numbers = [loaded(means, lines[0], at, part); F];
    for k in 1..F {
        numbers[k] = loaded(means, lines[k], at, part);
    }
    of.of(numbers)
}

/// Of a power of two: the cosine of an eighth of a turn.
struct Even<V>(V);

impl<V> Even<V> {
    #[inline(always)]
    fn new<R: Digits, const W: usize>(means: V::Means) -> Self
    where
        V: Vector<R, W>,
    {
        Self(V::all(means, R::rounded(std::f64::consts::FRAC_1_SQRT_2)))
    }
}

impl<V: Add<Output = V> + Sub<Output = V> + Copy> Butterfly<V, 2> for Even<V> {
    #[inline(always)]
    fn of(&self, [a, b]: [Pair<V>; 2]) -> [Pair<V>; 2] {
        [sum(a, b), difference(a, b)]
    }
}

impl<V: Add<Output = V> + Sub<Output = V> + Copy> Butterfly<V, 4> for Even<V> {
    #[inline(always)]
    fn of(&self, [a, b, c, d]: [Pair<V>; 4]) -> [Pair<V>; 4] {
        let ([even, odd], [plus, minus]) = ([sum(a, c), sum(b, d)], [difference(a, c), difference(b, d)]);
        let [first, last] = quarter(plus, minus);
        [sum(even, odd), first, difference(even, odd), last]
    }
}

impl<V: Add<Output = V> + Sub<Output = V> + Mul<Output = V> + Copy> Butterfly<V, 8> for Even<V> {
    #[inline(always)]
    fn of(&self, [a, b, c, d, e, f, g, h]: [Pair<V>; 8]) -> [Pair<V>; 8] {
        let (even, odd) = (self.of([a, c, e, g]), self.of([b, d, f, h]));
        // An eighth of a turn, and three of them, of which a quarter is for later.
        let first = scaled([odd[1][0] + odd[1][1], odd[1][1] - odd[1][0]], self.0);
        let third = scaled([odd[3][0] + odd[3][1], odd[3][1] - odd[3][0]], self.0);
        let ([second, sixth], [third, seventh]) = (quarter(even[2], odd[2]), quarter(even[3], third));
        let (zeroth, fourth) = (sum(even[0], odd[0]), difference(even[0], odd[0]));
        [zeroth, sum(even[1], first), second, third, fourth, difference(even[1], first), sixth, seventh]
    }
}

/// Of an odd size: cosines and sines of the turns by `k / F`.
struct Odd<V, const F: usize>([Pair<V>; F]);

impl<V: Add<Output = V> + Sub<Output = V> + Mul<Output = V> + Copy, const F: usize> Butterfly<V, F> for Odd<V, F> {
    // Of the numbers at k and F - k the sums are turned by cosines, the differences by sines: half of the products.
    #[inline(always)]
    fn of(&self, numbers: [Pair<V>; F]) -> [Pair<V>; F] {
        let mut found = [numbers[0]; F];
        for k in 1..=F / 2 {
            found[0] = sum(found[0], sum(numbers[k], numbers[F - k]));
        }
        for result in 1..=F / 2 {
            let [c, s] = self.0[result];
            let mut even = sum(numbers[0], scaled(sum(numbers[1], numbers[F - 1]), c));
            let mut odd = scaled(difference(numbers[F - 1], numbers[1]), s);
            for k in 2..=F / 2 {
                let [c, s] = self.0[k * result % F];
                even = sum(even, scaled(sum(numbers[k], numbers[F - k]), c));
                odd = difference(odd, scaled(difference(numbers[k], numbers[F - k]), s));
            }
            [found[result], found[F - result]] = quarter(even, odd);
        }
        found
    }
}

/// A step over all numbers: transforms of a factor's size, of numbers `count` apart, each result turned by a root.
#[derive(Debug)]
pub(super) struct FactorStep<R> {
    factor: usize,
    count: usize,
    /// The roots of the factor.
    roots: Vec<[R; 2]>,
    /// Of each part the roots of its results but the first, if there is more than one part.
    turns: Vec<[R; 2]>,
}

impl<R: Digits> FactorStep<R> {
    /// The step that takes a factor of what is left of the size.
    ///
    /// # Errors
    /// Where there is no memory.
    pub(super) fn new(factor: usize, rest: usize) -> Result<Self> {
        let (count, mut roots) = (rest / factor, room(factor)?);
        roots.extend((0..factor).map(|k| root(k, factor).map(R::rounded)));
        let mut turns = room(if count > 1 { count * (factor - 1) } else { 0 })?;
        if count > 1 {
            for part in 0..count {
                turns.extend((1..factor).map(|result| root(part * result, rest).map(R::rounded)));
            }
        }
        Ok(Self { factor, count, roots, turns })
    }

    #[inline(always)]
    fn run(&self, wide: Option<HasVectors>, from: [&[R]; 2], to: Parts<'_, R>, together: usize) {
        match wide {
            Some(wide) if together.is_multiple_of(WIDE) => self.by::<R::Vector, WIDE>(wide.into(), from, to, together),
            _ => self.run_plain(from, to, together),
        }
    }

    /// The same number by number.
    #[inline(never)]
    fn run_plain(&self, from: [&[R]; 2], to: Parts<'_, R>, together: usize) {
        self.by::<PlainVector<R, 1>, 1>((), from, to, together);
    }

    #[inline(always)]
    fn by<V: Vector<R, W>, const W: usize>(&self, means: V::Means, from: [&[R]; 2], to: Parts<'_, R>, together: usize) {
        let even = Even::new(means);
        match self.factor {
            2 => self.of::<V, W, 2>(means, &even, from, to, together),
            3 => self.of::<V, W, 3>(means, &self.odd(means), from, to, together),
            4 => self.of::<V, W, 4>(means, &even, from, to, together),
            5 => self.of::<V, W, 5>(means, &self.odd(means), from, to, together),
            8 => self.of::<V, W, 8>(means, &even, from, to, together),
            _ => self.any(from, to, together),
        }
    }

    #[inline(always)]
    fn odd<V: Vector<R, W>, const W: usize, const F: usize>(&self, means: V::Means) -> Odd<V, F> {
        let mut roots = [everywhere(means, [R::default(); 2]); F];
        for (root, &own) in roots.iter_mut().zip(&self.roots) {
            *root = everywhere(means, own);
        }
        Odd(roots)
    }

    #[inline(always)]
    fn of<V: Vector<R, W>, const W: usize, const F: usize>(
        &self,
        means: V::Means,
        of: &impl Butterfly<V, F>,
        from: [&[R]; 2],
        to: Parts<'_, R>,
        together: usize,
    ) {
        if together == W && !self.turns.is_empty() {
            self.near::<V, W, F>(means, of, from, to);
        } else {
            self.far::<V, W, F>(means, of, from, to, together);
        }
    }

    /// The numbers of a part are as many as vectors hold, and results are turned.
    #[inline(always)]
    fn near<V: Vector<R, W>, const W: usize, const F: usize>(
        &self,
        means: V::Means,
        of: &impl Butterfly<V, F>,
        from: [&[R]; 2],
        [re, im]: Parts<'_, R>,
    ) {
        let span = self.count * W;
        let lines: [Lines<'_, R, W>; F] = from_fn(|k| from.map(|all| all[k * span..][..span].as_chunks().0));
        let (re, im) = (re[..F * span].as_chunks_mut().0.as_chunks_mut::<F>().0, im[..F * span].as_chunks_mut().0.as_chunks_mut::<F>().0);
        for (place, ((re, im), turns)) in re.iter_mut().zip(im).zip(self.turns.chunks_exact(F - 1)).enumerate() {
            for part in 0..V::PARTS {
                let mut found = transformed(means, of, &lines, place, part);
                for result in 1..F {
                    found[result] = turned(found[result], everywhere(means, turns[result - 1]));
                }
                for result in 0..F {
                    found[result][0].store(&mut re[result], part);
                    found[result][1].store(&mut im[result], part);
                }
            }
        }
    }

    /// The numbers of a part are several times as many.
    #[inline(always)]
    fn far<V: Vector<R, W>, const W: usize, const F: usize>(
        &self,
        means: V::Means,
        of: &impl Butterfly<V, F>,
        from: [&[R]; 2],
        [re, im]: Parts<'_, R>,
        together: usize,
    ) {
        let mut turns = self.turns.chunks_exact(F - 1);
        let places = re.chunks_exact_mut(F * together).zip(im.chunks_exact_mut(F * together));
        for (place, (re, im)) in places.take(self.count).enumerate() {
            let lines: [Lines<'_, R, W>; F] =
                from_fn(|k| from.map(|all| all[(place + k * self.count) * together..][..together].as_chunks().0));
            let (mut re, mut im) = (re.chunks_exact_mut(together), im.chunks_exact_mut(together));
            let mut line = || [&mut re, &mut im].map(|lines| lines.next().unwrap_or_default()[..together].as_chunks_mut::<W>().0);
            let to: [[&mut [[R; W]]; 2]; F] = from_fn(|_| line());
            let turns = turns.next();
            let mut turning = [everywhere(means, [R::default(); 2]); F];
            if let Some(turns) = turns {
                for result in 1..F {
                    turning[result] = everywhere(means, turns[result - 1]);
                }
            }
            for at in 0..together / W {
                for part in 0..V::PARTS {
                    let mut found = transformed(means, of, &lines, at, part);
                    if turns.is_some() {
                        for result in 1..F {
                            found[result] = turned(found[result], turning[result]);
                        }
                    }
                    for result in 0..F {
                        found[result][0].store(&mut to[result][0][at], part);
                        found[result][1].store(&mut to[result][1][at], part);
                    }
                }
            }
        }
    }

    /// Any factor, number by number of the results.
    #[inline(always)]
    fn any(&self, from: [&[R]; 2], [re, im]: Parts<'_, R>, together: usize) {
        for (place, (re, im)) in re.chunks_exact_mut(together).zip(im.chunks_exact_mut(together)).take(self.count * self.factor).enumerate()
        {
            let (part, result) = (place / self.factor, place % self.factor);
            let turn = if result == 0 || self.count == 1 {
                [R::rounded(1.0), R::default()]
            } else {
                self.turns[part * (self.factor - 1) + result - 1]
            };
            let line = |k: usize| from.map(|all| &all[(part + k * self.count) * together..][..together]);
            let [first_re, first_im] = line(0);
            re.copy_from_slice(first_re);
            im.copy_from_slice(first_im);
            for k in 1..self.factor {
                let ([more_re, more_im], [c, s]) = (line(k), self.roots[k * result % self.factor]);
                for (((re, im), &more_re), &more_im) in re.iter_mut().zip(im.iter_mut()).zip(more_re).zip(more_im) {
                    (*re, *im) = (*re + (more_re * c - more_im * s), *im + (more_re * s + more_im * c));
                }
            }
            for (re, im) in re.iter_mut().zip(im) {
                let [c, s] = turn;
                (*re, *im) = (*re * c - *im * s, *re * s + *im * c);
            }
        }
    }
}

/// Steps one after the other, from `rows` to `other` and back; the results are in `rows` then.
pub(super) struct FactorSteps<'a, 'r, R> {
    pub(super) steps: &'a [FactorStep<R>],
    pub(super) rows: &'a mut Parts<'r, R>,
    pub(super) other: &'a mut Parts<'r, R>,
    pub(super) lanes: usize,
}

impl<R: Digits> FactorSteps<'_, '_, R> {
    #[inline(always)]
    fn go(self, wide: Option<HasVectors>) {
        let mut together = self.lanes;
        for step in self.steps {
            let ([re, im], [to_re, to_im]) = (&*self.rows, &mut *self.other);
            step.run(wide, [re, im], [to_re, to_im], together);
            swap(self.rows, self.other);
            together *= step.factor;
        }
    }
}

impl<R: Digits> Job for FactorSteps<'_, '_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.go(HasVectors::detect());
    }

    fn run_plain(self) {
        self.go(None);
    }
}

/// The last step of a row that went through the others as eight rows beside each other, of every eighth number: these lie behind each other in
/// `from` now.
pub(super) struct LastStep<'a, R> {
    /// By what the second to the last of them are turned, behind each other.
    pub(super) turns: [&'a [R]; 2],
    pub(super) from: [&'a [R]; 2],
    pub(super) to: Parts<'a, R>,
}

impl<R: Digits> LastStep<'_, R> {
    /// All places, `W` of them at a time.
    #[inline(always)]
    fn go<V: Vector<R, W>, const W: usize>(mut self, means: V::Means) {
        let (from, turns) = (self.from, self.turns);
        let count = turns[0].len() / (WIDE - 1);
        let even = Even::<V>::new(means);
        // The last ones, some of them for the second time, where vectors don't share the numbers without a rest.
        let starts = [0, count - W];
        for &start in &starts[..if count.is_multiple_of(W) { 1 } else { 2 }] {
            let lines: [Lines<'_, R, W>; WIDE] = from_fn(|k| from.map(|all| all[k * count..][..count][start..].as_chunks().0));
            let turns: [Lines<'_, R, W>; WIDE - 1] = from_fn(|k| turns.map(|all| all[k * count..][..count][start..].as_chunks().0));
            let [mut re, mut im] = self.to.each_mut().map(|part| part.chunks_exact_mut(count));
            let mut line = || [&mut re, &mut im].map(|lines| lines.next().unwrap_or_default()[..count][start..].as_chunks_mut::<W>().0);
            let to: [[&mut [[R; W]]; 2]; WIDE] = from_fn(|_| line());
            let places = (count - start) / W;
            for at in 0..places {
                // LLVM would look for the best of all ways to step through 46 lists at once, for a second: it sees no steps here.
                let at = black_box(at).min(places - 1);
                for part in 0..V::PARTS {
                    let mut numbers = [loaded(means, lines[0], at, part); WIDE];
                    for k in 1..WIDE {
                        numbers[k] = turned(loaded(means, lines[k], at, part), loaded(means, turns[k - 1], at, part));
                    }
                    let found = even.of(numbers);
                    for k in 0..WIDE {
                        found[k][0].store(&mut to[k][0][at], part);
                        found[k][1].store(&mut to[k][1][at], part);
                    }
                }
            }
        }
    }
}

impl<R: Digits> Job for LastStep<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        match HasVectors::detect() {
            Some(wide) => self.go::<R::Vector, WIDE>(wide.into()),
            None => self.run_plain(),
        }
    }

    #[inline(never)]
    fn run_plain(self) {
        self.go::<PlainVector<R, 1>, 1>(());
    }
}
