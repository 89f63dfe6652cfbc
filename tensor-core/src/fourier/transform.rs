//! The discrete Fourier transform of one size, of several rows beside each other: its roots of unity, and the steps over real and imaginary parts
//! that lie apart. Each step takes a factor of the size and leaves the results in their order; a size with a large prime factor becomes a
//! convolution of a size that has none.

use std::mem::swap;
use std::ops::{Add, Mul, Sub};

use crate::element::Native;
use crate::error::Result;
use crate::room::{filled, room};

/// Rows that go through the steps together: as many fill the vectors of every processor.
pub(super) const LANES: usize = 8;

/// The largest factor that has a step.
const LARGEST: usize = 31;

/// The real numbers that are read, computed with and written.
pub(super) trait Digits: Native + Default + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// Whether a convolution is computed with them. Its parts are larger than what they come to, so that single precision would lose too much.
    const CONVOLVES: bool;

    fn wide(self) -> f64;
    /// The nearest one.
    fn rounded(number: f64) -> Self;
}

impl Digits for f32 {
    const CONVOLVES: bool = false;

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
    const CONVOLVES: bool = true;

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
pub(super) struct Planes<R> {
    pub(super) re: Vec<R>,
    pub(super) im: Vec<R>,
}

impl<R: Digits> Planes<R> {
    pub(super) fn zeros(count: usize) -> Result<Self> {
        Ok(Self { re: filled(count, R::default())?, im: filled(count, R::default())? })
    }

    /// Numbers that were computed in double precision.
    fn listed(numbers: impl ExactSizeIterator<Item = [f64; 2]>) -> Result<Self> {
        let mut planes = Self { re: room(numbers.len())?, im: room(numbers.len())? };
        for [re, im] in numbers {
            planes.re.push(R::rounded(re));
            planes.im.push(R::rounded(im));
        }
        Ok(planes)
    }

    #[inline(always)]
    fn at(&self, place: usize) -> [R; 2] {
        [self.re[place], self.im[place]]
    }

    /// `W` numbers that follow each other.
    #[inline(always)]
    fn some<const W: usize>(&self, place: usize) -> [[R; W]; 2] {
        let (re, im) = (&self.re[place..place + W], &self.im[place..place + W]);
        [std::array::from_fn(|at| re[at]), std::array::from_fn(|at| im[at])]
    }

    #[inline(always)]
    fn put<const W: usize>(&mut self, place: usize, [re, im]: [[R; W]; 2]) {
        self.re[place..place + W].copy_from_slice(&re);
        self.im[place..place + W].copy_from_slice(&im);
    }
}

/// `exp(-2πi k / size)`, from an angle of at most an eighth of a turn.
fn root(k: usize, size: usize) -> [f64; 2] {
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

fn product([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
    [a * c - b * d, a * d + b * c]
}

/// The first roots of unity of a size.
pub(super) fn roots<R: Digits>(count: usize, size: usize) -> Result<Planes<R>> {
    /// So many are products of one of each of two lists, which is one rounding in double precision.
    const FINE: usize = 1024;
    if count <= 4 * FINE {
        return Planes::listed((0..count).map(|k| root(k, size)));
    }
    let mut fine = room(FINE)?;
    fine.extend((0..FINE).map(|k| root(k, size)));
    let mut coarse = room(count.div_ceil(FINE))?;
    coarse.extend((0..count.div_ceil(FINE)).map(|k| root(k * FINE, size)));
    Planes::listed((0..count).map(|k| product(coarse[k / FINE], fine[k % FINE])))
}

/// The transform of a size.
#[derive(Debug)]
pub(super) struct Transform<R> {
    size: usize,
    factors: Vec<usize>,
    roots: Planes<R>,
    chirp: Option<Box<Chirp<R>>>,
}

/// A transform as a convolution: with what the elements are multiplied, before and after, and the other factor's transform.
#[derive(Debug)]
struct Chirp<R> {
    turned: Planes<R>,
    filter: Planes<R>,
    inner: Transform<R>,
}

/// A size as a product of factors that have a step, if it is one.
fn factors(mut size: usize) -> Option<Vec<usize>> {
    let mut found = Vec::new();
    for factor in std::iter::once(4).chain(2..=LARGEST) {
        while size.is_multiple_of(factor) {
            found.push(factor);
            size /= factor;
        }
    }
    (size == 1).then_some(found)
}

/// Whether a size is transformed step by step, so that it can be in single precision.
pub(super) fn has_steps(size: usize) -> bool {
    factors(size).is_some()
}

impl<R: Digits> Transform<R> {
    /// # Errors
    /// Where there is no memory.
    pub(super) fn new(size: usize) -> Result<Self> {
        match factors(size) {
            Some(factors) => Ok(Self { size, factors, roots: roots(size, size)?, chirp: None }),
            None => Ok(Self { size, factors: Vec::new(), roots: Planes::zeros(0)?, chirp: Some(Box::new(Chirp::new(size)?)) }),
        }
    }

    /// How many numbers of a row the steps need room for.
    pub(super) fn reach(&self) -> usize {
        self.chirp.as_ref().map_or(self.size, |chirp| chirp.inner.size)
    }

    /// Transforms rows that lie beside each other: the numbers of one place after those of the one before. `other` is room for as many.
    #[inline(always)]
    pub(super) fn run(&self, rows: &mut Planes<R>, other: &mut Planes<R>, lanes: usize) {
        match &self.chirp {
            Some(chirp) if R::CONVOLVES => chirp.run(rows, other, lanes),
            Some(_) | None => self.step_by_step(rows, other, lanes),
        }
    }

    #[inline(always)]
    fn step_by_step(&self, rows: &mut Planes<R>, other: &mut Planes<R>, lanes: usize) {
        let (mut rest, mut together) = (self.size, lanes);
        for &factor in &self.factors {
            let step = FactorStep { count: rest / factor, together, roots: &self.roots, apart: self.size / rest };
            match (factor, together.is_multiple_of(LANES)) {
                (2, true) => step.two::<LANES>(rows, other),
                (2, false) => step.two::<1>(rows, other),
                (4, true) => step.four::<LANES>(rows, other),
                (4, false) => step.four::<1>(rows, other),
                // others: each factor has this step.
                (_, true) => step.any::<LANES>(rows, other, factor),
                // others: as above, number by number.
                (_, false) => step.any::<1>(rows, other, factor),
            }
            swap(rows, other);
            rest /= factor;
            together *= factor;
        }
    }
}

impl<R: Digits> Chirp<R> {
    fn new(size: usize) -> Result<Self> {
        let inner = Transform::new((2 * size - 1).next_power_of_two())?;
        let (mut square, double) = (0, 2 * size);
        let mut angles = room(size)?;
        for k in 0..size {
            angles.push(root(square, double));
            square = (square + 2 * k + 1) % double;
        }
        let mut filter = Planes::<R>::zeros(inner.size)?;
        #[expect(clippy::cast_precision_loss, reason = "sizes of tensors are far below 2^50")]
        let share = 1.0 / inner.size as f64;
        for (k, &[re, im]) in angles.iter().enumerate() {
            for place in [k, (inner.size - k) % inner.size] {
                (filter.re[place], filter.im[place]) = (R::rounded(re * share), R::rounded(-im * share));
            }
        }
        inner.run(&mut filter, &mut Planes::zeros(inner.size)?, 1);
        Ok(Self { turned: Planes::listed(angles.into_iter())?, filter, inner })
    }

    #[inline(always)]
    fn run(&self, rows: &mut Planes<R>, other: &mut Planes<R>, lanes: usize) {
        let size = self.turned.re.len();
        scale(rows, other, &self.turned, lanes);
        other.re[size * lanes..self.inner.size * lanes].fill(R::default());
        other.im[size * lanes..self.inner.size * lanes].fill(R::default());
        self.inner.step_by_step(other, rows, lanes);
        scale(other, rows, &self.filter, lanes);
        // The way back is the way there with the two parts in each other's place.
        swap(&mut rows.re, &mut rows.im);
        self.inner.step_by_step(rows, other, lanes);
        swap(&mut rows.re, &mut rows.im);
        scale(rows, other, &self.turned, lanes);
        swap(rows, other);
    }
}

/// The numbers of each place times one number.
#[inline(always)]
fn scale<R: Digits>(from: &Planes<R>, to: &mut Planes<R>, by: &Planes<R>, lanes: usize) {
    for place in 0..by.re.len() {
        let turn = by.at(place);
        for lane in place * lanes..(place + 1) * lanes {
            to.put(lane, times(from.some::<1>(lane), turn));
        }
    }
}

#[inline(always)]
fn each<R: Copy, const W: usize>(x: [R; W], y: [R; W], of: impl Fn(R, R) -> R) -> [R; W] {
    std::array::from_fn(|at| of(x[at], y[at]))
}

#[inline(always)]
fn sum<R: Digits, const W: usize>(x: [[R; W]; 2], y: [[R; W]; 2]) -> [[R; W]; 2] {
    [each(x[0], y[0], R::add), each(x[1], y[1], R::add)]
}

#[inline(always)]
fn difference<R: Digits, const W: usize>(x: [[R; W]; 2], y: [[R; W]; 2]) -> [[R; W]; 2] {
    [each(x[0], y[0], R::sub), each(x[1], y[1], R::sub)]
}

#[inline(always)]
fn times<R: Digits, const W: usize>([re, im]: [[R; W]; 2], [c, s]: [R; 2]) -> [[R; W]; 2] {
    [std::array::from_fn(|at| re[at] * c - im[at] * s), std::array::from_fn(|at| re[at] * s + im[at] * c)]
}

/// A step over all numbers: transforms of a factor's size, of numbers `count * together` apart, each result turned by a root.
struct FactorStep<'a, R> {
    count: usize,
    together: usize,
    roots: &'a Planes<R>,
    /// How many roots of the whole size one of this step's is.
    apart: usize,
}

impl<R: Digits> FactorStep<'_, R> {
    /// The numbers that one transform takes.
    #[inline(always)]
    fn taken<const W: usize, const F: usize>(&self, from: &Planes<R>, part: usize, at: usize) -> [[[R; W]; 2]; F] {
        std::array::from_fn(|k| from.some::<W>((part + k * self.count) * self.together + at))
    }

    #[inline(always)]
    fn turn(&self, part: usize, result: usize) -> [R; 2] {
        self.roots.at(part * result * self.apart)
    }

    #[inline(always)]
    fn two<const W: usize>(&self, from: &Planes<R>, to: &mut Planes<R>) {
        for part in 0..self.count {
            let turn = self.turn(part, 1);
            for at in (0..self.together).step_by(W) {
                let [a, b] = self.taken::<W, 2>(from, part, at);
                let place = 2 * part * self.together + at;
                to.put(place, sum(a, b));
                to.put(place + self.together, times(difference(a, b), turn));
            }
        }
    }

    #[inline(always)]
    fn four<const W: usize>(&self, from: &Planes<R>, to: &mut Planes<R>) {
        for part in 0..self.count {
            let turns = [self.turn(part, 1), self.turn(part, 2), self.turn(part, 3)];
            for at in (0..self.together).step_by(W) {
                let [a, b, c, d] = self.taken::<W, 4>(from, part, at);
                let ([even, odd], [plus, minus]) = ([sum(a, c), sum(b, d)], [difference(a, c), difference(b, d)]);
                // A quarter of a turn is an exchange of the two parts.
                let quarter = [minus[1], minus[0]];
                let first = [each(plus[0], quarter[0], R::add), each(plus[1], quarter[1], R::sub)];
                let last = [each(plus[0], quarter[0], R::sub), each(plus[1], quarter[1], R::add)];
                let place = 4 * part * self.together + at;
                to.put(place, sum(even, odd));
                to.put(place + self.together, times(first, turns[0]));
                to.put(place + 2 * self.together, times(difference(even, odd), turns[1]));
                to.put(place + 3 * self.together, times(last, turns[2]));
            }
        }
    }

    #[inline(always)]
    fn any<const W: usize>(&self, from: &Planes<R>, to: &mut Planes<R>, factor: usize) {
        let own = self.roots.re.len() / factor;
        for part in 0..self.count {
            for at in (0..self.together).step_by(W) {
                for result in 0..factor {
                    let mut total = from.some::<W>(part * self.together + at);
                    for k in 1..factor {
                        let number = from.some::<W>((part + k * self.count) * self.together + at);
                        total = sum(total, times(number, self.roots.at(k * result % factor * own)));
                    }
                    to.put((factor * part + result) * self.together + at, times(total, self.turn(part, result)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LANES, Planes, Transform, root};

    /// The definition.
    fn slowly(numbers: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let size = numbers.len();
        let one = |k: usize| {
            numbers.iter().enumerate().fold([0.0, 0.0], |total, (at, number)| {
                let [re, im] = super::product(*number, root(at * k % size, size));
                [total[0] + re, total[1] + im]
            })
        };
        (0..size).map(one).collect()
    }

    fn compare(size: usize, lanes: usize) {
        let row = |lane: usize| -> Vec<[f64; 2]> {
            (0..size).map(|at| root((at * at * (lane + 2) + 3 * lane + at / 2) % 97, 97)).map(|[re, im]| [re + 0.5, im]).collect()
        };
        let transform = Transform::<f64>::new(size).expect("there is memory");
        let count = transform.reach() * lanes;
        let (mut rows, mut other) = (Planes::zeros(count).expect("memory"), Planes::zeros(count).expect("memory"));
        for lane in 0..lanes {
            for (at, [re, im]) in row(lane).into_iter().enumerate() {
                (rows.re[at * lanes + lane], rows.im[at * lanes + lane]) = (re, im);
            }
        }
        transform.run(&mut rows, &mut other, lanes);
        for lane in 0..lanes {
            for (at, [re, im]) in slowly(&row(lane)).into_iter().enumerate() {
                let found: [f64; 2] = [rows.re[at * lanes + lane], rows.im[at * lanes + lane]];
                let off = (found[0] - re).hypot(found[1] - im);
                assert!(off <= 1e-14 * (size as f64), "size {size}, lane {lane}, place {at}: {found:?}, not {re} and {im}");
            }
        }
    }

    #[test]
    fn every_size_gives_what_the_definition_says() {
        for size in (1..=130).chain([143, 210, 256, 257, 331, 480, 509, 512, 625, 961, 1009]) {
            compare(size, 1);
            compare(size, LANES);
        }
    }

    #[test]
    fn roots_are_symmetric() {
        for size in 1..=64 {
            for k in 0..size {
                let ([re, im], [other_re, other_im]) = (root(k, size), root((size - k) % size, size));
                assert_eq!((re, im.abs()), (other_re, other_im.abs()), "{k} of {size}");
            }
        }
        for (k, size, expected) in [(1, 4, [0.0, -1.0]), (2, 4, [-1.0, 0.0]), (3, 4, [0.0, 1.0]), (6, 12, [-1.0, 0.0])] {
            assert_eq!(root(k, size), expected, "{k} of {size}");
        }
    }
}
