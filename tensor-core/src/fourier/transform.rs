//! The discrete Fourier transform of one size: the steps that it consists of, and the convolution that a size with a large
//! prime factor becomes.

use std::sync::{Arc, Mutex};

use super::numbers::{Digits, Parts, Planes, Room, WIDE, root};
use super::steps::{FactorStep, FactorSteps, LastStep};
use crate::error::Result;
use crate::kernels::level::{Job, vectorised, widest};
use crate::kernels::turn::panel;
use crate::room::room;

/// The largest factor that has a step.
const LARGEST: usize = 31;

/// The transform of a size.
#[derive(Debug)]
pub(super) struct Transform<R> {
    size: usize,
    by: By<R>,
}

/// How a size is transformed.
#[derive(Debug)]
enum By<R> {
    /// Step by step.
    Steps(Vec<FactorStep<R>>),
    /// A row by itself as eight rows beside each other, and one more step.
    Eight(Eight<R>),
    /// A row by itself as a convolution.
    Chirp(Box<Chirp<R>>),
}

/// By what the eight rows that a row is are turned before the last step, and the steps before that.
#[derive(Debug)]
struct Eight<R> {
    turns: Planes<R>,
    steps: Vec<FactorStep<R>>,
}

/// A transform as a convolution: with what the elements are multiplied, before and after, and the other factor's transform.
#[derive(Debug)]
struct Chirp<R> {
    turned: Planes<R>,
    filter: Planes<R>,
    inner: Transform<R>,
}

/// A size as a product of factors that have a step, if it is one: of as few of its powers of two as can be.
fn factors(size: usize) -> Option<Vec<usize>> {
    if size == 0 {
        return None;
    }
    let (twos, mut rest) = (size.trailing_zeros() as usize, size >> size.trailing_zeros());
    let mut found = match (twos / 3, twos % 3) {
        (eights, 0) => vec![8; eights],
        (0, 1) => vec![2],
        (eights, 1) => [vec![8; eights - 1], vec![4; 2]].concat(),
        (eights, _) => [vec![8; eights], vec![4]].concat(),
    };
    for factor in (3..=LARGEST).step_by(2) {
        while rest.is_multiple_of(factor) {
            found.push(factor);
            rest /= factor;
        }
    }
    (rest == 1).then_some(found)
}

/// Whether a size is transformed step by step.
pub(super) fn has_steps(size: usize) -> bool {
    factors(size).is_some()
}

fn steps<R: Digits>(factors: &[usize]) -> Result<Vec<FactorStep<R>>> {
    let mut rest = factors.iter().product();
    let mut steps = room(factors.len())?;
    for &factor in factors {
        steps.push(FactorStep::new(factor, rest)?);
        rest /= factor;
    }
    Ok(steps)
}

impl<R: Digits> Eight<R> {
    fn new(size: usize) -> Result<Option<Self>> {
        let count = size / WIDE;
        let is_wide = size.is_multiple_of(WIDE) && count >= WIDE;
        let Some(factors) = is_wide.then(|| factors(count)).flatten() else { return Ok(None) };
        let turn = |at: usize| root((at / count + 1) * (at % count), size);
        Ok(Some(Self { turns: Planes::listed((0..(WIDE - 1) * count).map(turn))?, steps: steps(&factors)? }))
    }

    fn run<'r>(&self, rows: &mut Parts<'r, R>, other: &mut Parts<'r, R>) {
        widest(FactorSteps { steps: &self.steps, rows, other, lanes: WIDE });
        let turns = self.turns.parts();
        let count = turns[0].len() / (WIDE - 1);
        for (from, to) in rows.iter().zip(&mut *other) {
            panel((from, WIDE), [count, WIDE], 1, (to, count));
        }
        let ([re, im], [to_re, to_im]) = (&*other, rows);
        widest(LastStep { turns, from: [re, im], to: [to_re, to_im] });
    }
}

impl<R: Digits> Transform<R> {
    /// Of rows by themselves, unless steps are all that it takes.
    ///
    /// # Errors
    /// Where there is no memory.
    pub(super) fn new(size: usize) -> Result<Self> {
        let by = match (factors(size), Eight::new(size)?) {
            (_, Some(eight)) => By::Eight(eight),
            (Some(factors), None) => By::Steps(steps(&factors)?),
            (None, None) => By::Chirp(Box::new(Chirp::new(size)?)),
        };
        Ok(Self { size, by })
    }

    /// Of rows beside each other, where the size [has steps](has_steps).
    ///
    /// # Errors
    /// Where there is no memory.
    pub(super) fn of_steps(size: usize) -> Result<Self> {
        Ok(Self { size, by: By::Steps(steps(&factors(size).unwrap_or_default())?) })
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Whether rows go through it by themselves.
    pub(super) fn takes_one(&self) -> bool {
        !matches!(self.by, By::Steps(_))
    }

    /// How many numbers of a row the steps need room for.
    pub(super) fn reach(&self) -> usize {
        match &self.by {
            By::Steps(_) | By::Eight(_) => self.size,
            By::Chirp(chirp) => chirp.inner.size,
        }
    }

    /// Transforms rows that lie beside each other: the numbers of one place after those of the one before; only one where it
    /// [takes one](Self::takes_one). `other` is room for as many.
    pub(super) fn run<'r>(&self, rows: &mut Parts<'r, R>, other: &mut Parts<'r, R>, lanes: usize) {
        match &self.by {
            By::Steps(steps) => widest(FactorSteps { steps, rows, other, lanes }),
            By::Eight(eight) => eight.run(rows, other),
            By::Chirp(chirp) => chirp.run(rows, other),
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
        let mut room = Room::new(inner.size)?;
        let [mut rows, mut other] = room.halves();
        rows.iter_mut().for_each(|part| part.fill(R::default()));
        #[expect(clippy::cast_precision_loss, reason = "sizes of tensors are far below 2^50")]
        let share = 1.0 / inner.size as f64;
        for (k, &[re, im]) in angles.iter().enumerate() {
            for place in [k, (inner.size - k) % inner.size] {
                (rows[0][place], rows[1][place]) = (R::rounded(re * share), R::rounded(-im * share));
            }
        }
        inner.run(&mut rows, &mut other, 1);
        let filter = Planes::listed(rows[0].iter().zip(&*rows[1]).map(|(re, im)| [re.wide(), im.wide()]))?;
        Ok(Self { turned: Planes::listed(angles.into_iter())?, filter, inner })
    }

    fn run<'r>(&self, rows: &mut Parts<'r, R>, other: &mut Parts<'r, R>) {
        let scale = |rows: &mut Parts<'r, R>, by: &Planes<R>| {
            let [re, im] = rows;
            vectorised(TurnedPlaces { row: [re, im], by: by.parts() });
        };
        scale(rows, &self.turned);
        rows.iter_mut().for_each(|part| part[self.turned.parts()[0].len()..self.inner.size].fill(R::default()));
        self.inner.run(rows, other, 1);
        scale(rows, &self.filter);
        // The way back is the way there with the two parts in each other's place.
        rows.swap(0, 1);
        self.inner.run(rows, other, 1);
        rows.swap(0, 1);
        scale(rows, &self.turned);
    }
}

/// The number of each place times another one.
struct TurnedPlaces<'a, R> {
    row: Parts<'a, R>,
    by: [&'a [R]; 2],
}

impl<R: Digits> Job for TurnedPlaces<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let ([re, im], [c, s]) = (self.row, self.by);
        for (((re, im), &c), &s) in re.iter_mut().zip(im).zip(c).zip(s) {
            (*re, *im) = (*re * c - *im * s, *re * s + *im * c);
        }
    }
}

/// What was made of the sizes that were asked for last: to make it takes longer than to transform a row.
pub(super) struct Recent<T>(Mutex<Sizes<T>>);

type Sizes<T> = [Option<(usize, Arc<T>)>; 8];

impl<T> Recent<T> {
    const fn new() -> Self {
        Self(Mutex::new([const { None }; 8]))
    }

    /// Nobody waits for another thread, which a forked process doesn't have.
    ///
    /// # Errors
    /// Where there is no memory.
    pub(super) fn of(&self, size: usize, make: impl FnOnce(usize) -> Result<T>) -> Result<Arc<T>> {
        /// Tables of more numbers are used by as many rows as take longer.
        const LARGEST: usize = 1 << 13;
        if let Ok(mut recent) = self.0.try_lock() {
            let place = recent.iter().position(|one| one.as_ref().is_some_and(|&(own, _)| own == size));
            if let Some(place) = place {
                recent[..=place].rotate_right(1);
            }
            if let (Some(_), Some((_, found))) = (place, &recent[0]) {
                return Ok(found.clone());
            }
        }
        let made = Arc::new(make(size)?);
        if let (true, Ok(mut recent)) = (size <= LARGEST, self.0.try_lock()) {
            recent.rotate_right(1);
            recent[0] = Some((size, made.clone()));
        }
        Ok(made)
    }
}

/// Numbers whose tables are kept.
pub(super) trait Tables: Digits {
    /// Of [rows](Transform::new).
    fn transforms() -> &'static Recent<Transform<Self>>;
    /// Of [rows beside each other](Transform::of_steps).
    fn steps() -> &'static Recent<Transform<Self>>;
    /// The first half of the roots, and the one in the middle.
    fn halves() -> &'static Recent<Planes<Self>>;
}

macro_rules! tables {
    ($($number:ty)*) => {$(
        impl Tables for $number {
            fn transforms() -> &'static Recent<Transform<Self>> {
                static RECENT: Recent<Transform<$number>> = Recent::new();
                &RECENT
            }

            fn steps() -> &'static Recent<Transform<Self>> {
                static RECENT: Recent<Transform<$number>> = Recent::new();
                &RECENT
            }

            fn halves() -> &'static Recent<Planes<Self>> {
                static RECENT: Recent<Planes<$number>> = Recent::new();
                &RECENT
            }
        }
    )*};
}

tables!(f32 f64);

#[cfg(test)]
mod tests {
    use super::super::numbers::WIDE;
    use super::{Room, Transform, has_steps, root};

    fn product([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
        [a * c - b * d, a * d + b * c]
    }

    /// The definition.
    fn slowly(numbers: &[[f64; 2]]) -> Vec<[f64; 2]> {
        let size = numbers.len();
        let one = |k: usize| {
            numbers.iter().enumerate().fold([0.0, 0.0], |total, (at, number)| {
                let [re, im] = product(*number, root(at * k % size, size));
                [total[0] + re, total[1] + im]
            })
        };
        (0..size).map(one).collect()
    }

    fn compare(size: usize, lanes: usize) {
        let row = |lane: usize| -> Vec<[f64; 2]> {
            (0..size).map(|at| root((at * at * (lane + 2) + 3 * lane + at / 2) % 97, 97)).map(|[re, im]| [re + 0.5, im]).collect()
        };
        let transform = if lanes == 1 { Transform::<f64>::new(size) } else { Transform::of_steps(size) }.expect("there is memory");
        let count = transform.reach() * lanes;
        let mut room = Room::new(count).expect("memory");
        let [mut rows, mut other] = room.halves();
        for lane in 0..lanes {
            for (at, [re, im]) in row(lane).into_iter().enumerate() {
                (rows[0][at * lanes + lane], rows[1][at * lanes + lane]) = (re, im);
            }
        }
        transform.run(&mut rows, &mut other, lanes);
        for lane in 0..lanes {
            for (at, [re, im]) in slowly(&row(lane)).into_iter().enumerate() {
                let found: [f64; 2] = [rows[0][at * lanes + lane], rows[1][at * lanes + lane]];
                let off = (found[0] - re).hypot(found[1] - im);
                assert!(off <= 1e-14 * (size as f64), "size {size}, lane {lane}, place {at}: {found:?}, not {re} and {im}");
            }
        }
    }

    #[test]
    fn every_size_gives_what_the_definition_says() {
        for size in (1..=130).chain([143, 210, 256, 257, 331, 480, 509, 512, 625, 961, 1009]) {
            compare(size, 1);
            if has_steps(size) {
                compare(size, WIDE);
            }
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
