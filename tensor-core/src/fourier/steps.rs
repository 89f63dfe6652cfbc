//! The steps of a transform over real and imaginary parts that lie apart. Each takes a factor of the size and leaves the results in their order;
//! numbers of as many rows as fill a vector lie beside each other.

use std::array::from_fn;
use std::mem::swap;

use super::numbers::{Digits, Parts, root};
use crate::error::Result;
use crate::kernels::level::Job;
use crate::room::room;

/// So many numbers fill the vectors of every processor.
pub(super) const WIDE: usize = 8;

/// Complex numbers beside each other.
type Some<R, const W: usize> = [[R; W]; 2];

#[inline(always)]
fn each<R: Copy, const W: usize>(x: [R; W], y: [R; W], of: impl Fn(R, R) -> R) -> [R; W] {
    from_fn(|at| of(x[at], y[at]))
}

#[inline(always)]
fn sum<R: Digits, const W: usize>(x: Some<R, W>, y: Some<R, W>) -> Some<R, W> {
    [each(x[0], y[0], R::add), each(x[1], y[1], R::add)]
}

#[inline(always)]
fn difference<R: Digits, const W: usize>(x: Some<R, W>, y: Some<R, W>) -> Some<R, W> {
    [each(x[0], y[0], R::sub), each(x[1], y[1], R::sub)]
}

/// `x` and a quarter of a turn of `y`, their sum and their difference: what is turned is an exchange of the two parts.
#[inline(always)]
fn quarter<R: Digits, const W: usize>(x: Some<R, W>, y: Some<R, W>) -> [Some<R, W>; 2] {
    [[each(x[0], y[1], R::add), each(x[1], y[0], R::sub)], [each(x[0], y[1], R::sub), each(x[1], y[0], R::add)]]
}

/// Numbers times a number for each.
#[inline(always)]
pub(super) fn turned<R: Digits, const W: usize>([re, im]: Some<R, W>, [c, s]: Some<R, W>) -> Some<R, W> {
    [from_fn(|at| re[at] * c[at] - im[at] * s[at]), from_fn(|at| re[at] * s[at] + im[at] * c[at])]
}

#[inline(always)]
fn scaled<R: Digits, const W: usize>([re, im]: Some<R, W>, by: R) -> Some<R, W> {
    [re.map(|number| number * by), im.map(|number| number * by)]
}

/// The transform of so many numbers in registers.
trait Butterfly<R, const F: usize> {
    fn of<const W: usize>(&self, numbers: [Some<R, W>; F]) -> [Some<R, W>; F];
}

struct Even;

impl<R: Digits> Butterfly<R, 2> for Even {
    #[inline(always)]
    fn of<const W: usize>(&self, [a, b]: [Some<R, W>; 2]) -> [Some<R, W>; 2] {
        [sum(a, b), difference(a, b)]
    }
}

impl<R: Digits> Butterfly<R, 4> for Even {
    #[inline(always)]
    fn of<const W: usize>(&self, [a, b, c, d]: [Some<R, W>; 4]) -> [Some<R, W>; 4] {
        let ([even, odd], [plus, minus]) = ([sum(a, c), sum(b, d)], [difference(a, c), difference(b, d)]);
        let [first, last] = quarter(plus, minus);
        [sum(even, odd), first, difference(even, odd), last]
    }
}

impl<R: Digits> Butterfly<R, 8> for Even {
    #[inline(always)]
    fn of<const W: usize>(&self, [a, b, c, d, e, f, g, h]: [Some<R, W>; 8]) -> [Some<R, W>; 8] {
        let (even, odd) = (self.of([a, c, e, g]), self.of([b, d, f, h]));
        let share = R::rounded(std::f64::consts::FRAC_1_SQRT_2);
        // An eighth of a turn, and three of them, of which a quarter is for later.
        let first = scaled([each(odd[1][0], odd[1][1], R::add), each(odd[1][1], odd[1][0], R::sub)], share);
        let third = scaled([each(odd[3][0], odd[3][1], R::add), each(odd[3][1], odd[3][0], R::sub)], share);
        let ([second, sixth], [third, seventh]) = (quarter(even[2], odd[2]), quarter(even[3], third));
        let (zeroth, fourth) = (sum(even[0], odd[0]), difference(even[0], odd[0]));
        [zeroth, sum(even[1], first), second, third, fourth, difference(even[1], first), sixth, seventh]
    }
}

/// Of an odd size: cosines and sines of the turns by `k / F`.
struct Odd<R, const F: usize>([[R; 2]; F]);

impl<R: Digits, const F: usize> Butterfly<R, F> for Odd<R, F> {
    // Of the numbers at k and F - k the sums are turned by cosines, the differences by sines: half of the products.
    #[inline(always)]
    fn of<const W: usize>(&self, numbers: [Some<R, W>; F]) -> [Some<R, W>; F] {
        let mut found = [numbers[0]; F];
        for k in 1..=F / 2 {
            found[0] = sum(found[0], sum(numbers[k], numbers[F - k]));
        }
        for result in 1..=F / 2 {
            let (mut even, mut odd) = (numbers[0], [[R::default(); W]; 2]);
            for k in 1..=F / 2 {
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
    fn run(&self, from: [&[R]; 2], to: Parts<'_, R>, together: usize) {
        if !together.is_multiple_of(WIDE) {
            return self.run_plain(from, to, together);
        }
        match self.factor {
            2 => self.of::<2>(&Even, from, to, together),
            3 => self.of::<3>(&self.odd(), from, to, together),
            4 => self.of::<4>(&Even, from, to, together),
            5 => self.of::<5>(&self.odd(), from, to, together),
            _ => self.any(from, to, together),
        }
    }

    /// The same number by number.
    #[inline(never)]
    fn run_plain(&self, from: [&[R]; 2], to: Parts<'_, R>, together: usize) {
        match self.factor {
            2 => self.far::<2, 1>(&Even, from, to, together),
            3 => self.far::<3, 1>(&self.odd(), from, to, together),
            4 => self.far::<4, 1>(&Even, from, to, together),
            5 => self.far::<5, 1>(&self.odd(), from, to, together),
            _ => self.any(from, to, together),
        }
    }

    #[inline(always)]
    fn odd<const F: usize>(&self) -> Odd<R, F> {
        Odd(from_fn(|k| self.roots[k]))
    }

    /// By vectors.
    #[inline(always)]
    fn of<const F: usize>(&self, of: &impl Butterfly<R, F>, from: [&[R]; 2], to: Parts<'_, R>, together: usize) {
        if together == WIDE && !self.turns.is_empty() {
            self.near::<F>(of, from, to);
        } else {
            self.far::<F, WIDE>(of, from, to, together);
        }
    }

    /// The numbers of a part are one vector each, and results are turned.
    #[inline(always)]
    fn near<const F: usize>(&self, of: &impl Butterfly<R, F>, from: [&[R]; 2], [re, im]: Parts<'_, R>) {
        let span = self.count * WIDE;
        let lines: [[&[[R; WIDE]]; 2]; F] = from_fn(|k| from.map(|all| all[k * span..][..span].as_chunks().0));
        let (re, im) = (re[..F * span].as_chunks_mut().0.as_chunks_mut::<F>().0, im[..F * span].as_chunks_mut().0.as_chunks_mut::<F>().0);
        for (part, ((re, im), turns)) in re.iter_mut().zip(im).zip(self.turns.chunks_exact(F - 1)).enumerate() {
            let found = of.of::<WIDE>(from_fn(|k| [lines[k][0][part], lines[k][1][part]]));
            [re[0], im[0]] = found[0];
            for result in 1..F {
                [re[result], im[result]] = turned(found[result], turns[result - 1].map(|part| [part; WIDE]));
            }
        }
    }

    /// The numbers of a part are several vectors of `W`.
    #[inline(always)]
    fn far<const F: usize, const W: usize>(&self, of: &impl Butterfly<R, F>, from: [&[R]; 2], [re, im]: Parts<'_, R>, together: usize) {
        let mut turns = self.turns.chunks_exact(F - 1);
        let parts = re.chunks_exact_mut(F * together).zip(im.chunks_exact_mut(F * together));
        for (part, (re, im)) in parts.take(self.count).enumerate() {
            let lines: [[&[[R; W]]; 2]; F] =
                from_fn(|k| from.map(|all| all[(part + k * self.count) * together..][..together].as_chunks().0));
            let (mut re, mut im) = (re.chunks_exact_mut(together), im.chunks_exact_mut(together));
            let mut line = || [&mut re, &mut im].map(|lines| lines.next().unwrap_or_default()[..together].as_chunks_mut::<W>().0);
            let to: [[&mut [[R; W]]; 2]; F] = from_fn(|_| line());
            if let Some(turns) = turns.next() {
                let turns: [[R; 2]; F] = from_fn(|result| if result == 0 { [R::default(); 2] } else { turns[result - 1] });
                for at in 0..together / W {
                    let found = of.of::<W>(from_fn(|k| [lines[k][0][at], lines[k][1][at]]));
                    [to[0][0][at], to[0][1][at]] = found[0];
                    for result in 1..F {
                        [to[result][0][at], to[result][1][at]] = turned(found[result], turns[result].map(|part| [part; W]));
                    }
                }
            } else {
                for at in 0..together / W {
                    let found = of.of::<W>(from_fn(|k| [lines[k][0][at], lines[k][1][at]]));
                    for result in 0..F {
                        [to[result][0][at], to[result][1][at]] = found[result];
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
                [[*re], [*im]] = turned([[*re], [*im]], turn.map(|part| [part]));
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
    /// By numbers or by vectors: which is no function that is passed, since a compiler needn't compile that for the processor of who calls it.
    #[inline(always)]
    fn go<const BY_NUMBERS: bool>(self) {
        let mut together = self.lanes;
        for step in self.steps {
            let ([re, im], [to_re, to_im]) = (&*self.rows, &mut *self.other);
            if BY_NUMBERS {
                step.run_plain([re, im], [to_re, to_im], together);
            } else {
                step.run([re, im], [to_re, to_im], together);
            }
            swap(self.rows, self.other);
            together *= step.factor;
        }
    }
}

impl<R: Digits> Job for FactorSteps<'_, '_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.go::<false>();
    }

    fn run_plain(self) {
        self.go::<true>();
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
    /// All places, in vectors of `W`.
    #[inline(always)]
    fn go<const W: usize>(mut self) {
        let (from, turns) = (self.from, self.turns);
        let count = turns[0].len() / (WIDE - 1);
        // The last ones, some of them for the second time, where vectors don't share the numbers without a rest.
        let starts = [0, count - W];
        for &start in &starts[..if count.is_multiple_of(W) { 1 } else { 2 }] {
            let lines: [[&[[R; W]]; 2]; WIDE] = from_fn(|k| from.map(|all| all[k * count..][..count][start..].as_chunks().0));
            let turns: [[&[[R; W]]; 2]; WIDE - 1] = from_fn(|k| turns.map(|all| all[k * count..][..count][start..].as_chunks().0));
            let [mut re, mut im] = self.to.each_mut().map(|part| part.chunks_exact_mut(count));
            let mut line = || [&mut re, &mut im].map(|lines| lines.next().unwrap_or_default()[..count][start..].as_chunks_mut::<W>().0);
            let to: [[&mut [[R; W]]; 2]; WIDE] = from_fn(|_| line());
            for at in 0..(count - start) / W {
                let mut numbers: [Some<R, W>; WIDE] = from_fn(|k| [lines[k][0][at], lines[k][1][at]]);
                for k in 1..WIDE {
                    numbers[k] = turned(numbers[k], [turns[k - 1][0][at], turns[k - 1][1][at]]);
                }
                let found: [Some<R, W>; WIDE] = Even.of(numbers);
                for k in 0..WIDE {
                    [to[k][0][at], to[k][1][at]] = found[k];
                }
            }
        }
    }
}

impl<R: Digits> Job for LastStep<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.go::<WIDE>();
    }

    fn run_plain(self) {
        self.go::<1>();
    }
}
