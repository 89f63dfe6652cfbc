//! A long row on all threads: as a matrix, whose columns are transformed first, turned by a root for each number, and whose rows are transformed
//! then; what comes of them is a matrix on its side.

use super::numbers::{Digits, Parts, Room, Roots, WIDE};
use super::transform::{Transform, has_steps};
use crate::error::Result;
use crate::kernels::level::{Job, vectorised};
use crate::kernels::parts::hand_out;
use crate::kernels::turn::panel;
use crate::room::Refused;

/// Rows from so many numbers on are as a matrix in a cache again.
const LONG: usize = 1 << 16;

/// Work on a part: its number, all numbers, room, and where the part's results go.
type Work<'a, R> = dyn Fn(usize, [&[R]; 2], &mut [Parts<'_, R>; 2], Parts<'_, R>) + Sync + 'a;

/// The transform of a size that is a product of two.
pub(super) struct Split<R> {
    /// Of the columns, whose size is how many rows there are.
    down: Transform<R>,
    /// Of the rows.
    across: Transform<R>,
    roots: Roots,
}

impl<R: Digits> Split<R> {
    /// Of a size that is long enough, and has factors for it.
    ///
    /// # Errors
    /// Where there is no memory.
    pub(super) fn new(size: usize) -> Result<Option<Self>> {
        if size < LONG || !has_steps(size) {
            return Ok(None);
        }
        let fits = |down: &usize| size.is_multiple_of(*down) && (size / down).is_multiple_of(WIDE);
        let Some(down) = (WIDE..=size.isqrt()).rev().filter(|down| down.is_multiple_of(WIDE)).find(fits) else { return Ok(None) };
        Ok(Some(Self { down: Transform::of_steps(down)?, across: Transform::of_steps(size / down)?, roots: Roots::new(size)? }))
    }

    /// # Errors
    /// Where there is no memory.
    pub(super) fn run<'r>(&self, numbers: &mut Parts<'r, R>, other: &mut Parts<'r, R>) -> Result<()> {
        let (down, across) = (self.down.size(), self.across.size());
        let refused = Refused::default();
        // Some columns each, which lie in a part by themselves then.
        self.each(numbers, other, down, &refused, &|group, from, [rows, other], to| {
            for (row, to) in rows.iter_mut().zip(from) {
                for at in 0..down {
                    row[at * WIDE..][..WIDE].copy_from_slice(&to[at * across + group * WIDE..][..WIDE]);
                }
            }
            self.down.run(rows, other, WIDE);
            let [re, im] = &*rows;
            vectorised(TurnedColumns { roots: &self.roots, first: group * WIDE, from: [re, im], to });
        });
        // Some rows each: of each part of columns a square.
        self.each(other, numbers, across, &refused, &|group, from, [rows, other], to| {
            for (row, from) in rows.iter_mut().zip(from) {
                for part in 0..across / WIDE {
                    let square = &from[part * down * WIDE + group * WIDE * WIDE..][..WIDE * WIDE];
                    panel((square, WIDE), [WIDE; 2], 1, (&mut row[part * WIDE * WIDE..][..WIDE * WIDE], WIDE));
                }
            }
            self.across.run(rows, other, WIDE);
            for (to, row) in to.into_iter().zip(rows) {
                to.copy_from_slice(&row[..across * WIDE]);
            }
        });
        // And all in their order.
        let ([re, im], [to_re, to_im]) = (&*numbers, &mut *other);
        hand_out(&mut to_re.chunks_mut(down).zip(to_im.chunks_mut(down)), &|place, (to_re, to_im)| {
            for (to, from) in [(to_re, re), (to_im, im)] {
                for (group, to) in to.chunks_exact_mut(WIDE).enumerate() {
                    to.copy_from_slice(&from[(group * across + place) * WIDE..][..WIDE]);
                }
            }
        });
        std::mem::swap(numbers, other);
        refused.answer()
    }

    /// Work on parts of `size` times as many numbers as lie beside each other, with room for it.
    fn each<'r>(&self, from: &Parts<'r, R>, to: &mut Parts<'r, R>, size: usize, refused: &Refused, work: &Work<'_, R>) {
        let ([re, im], [to_re, to_im]) = (from, to);
        let size = size * WIDE;
        hand_out(&mut to_re.chunks_mut(size).zip(to_im.chunks_mut(size)), &|group, (to_re, to_im)| {
            refused.note(Room::new(size).map(|mut room| work(group, [re, im], &mut room.halves(), [to_re, to_im])));
        });
    }
}

/// What came of some columns, each number turned by a root.
struct TurnedColumns<'a, R> {
    roots: &'a Roots,
    first: usize,
    from: [&'a [R]; 2],
    to: Parts<'a, R>,
}

impl<R: Digits> Job for TurnedColumns<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        /// A root is a product of one for so many numbers and one for each of them.
        const TOGETHER: usize = 32;
        let root = |place: usize| -> [[f64; WIDE]; 2] {
            let roots: [[f64; 2]; WIDE] = std::array::from_fn(|lane| self.roots.at(place * (self.first + lane)));
            [roots.map(|[c, _]| c), roots.map(|[_, s]| s)]
        };
        let mut fine = [[[0.0; WIDE]; 2]; TOGETHER];
        for (place, fine) in fine.iter_mut().enumerate() {
            *fine = root(place);
        }
        let [from_re, from_im] = self.from.map(|part| part.as_chunks::<WIDE>().0.chunks(TOGETHER));
        let [to_re, to_im] = self.to.map(|part| part.as_chunks_mut::<WIDE>().0.chunks_mut(TOGETHER));
        for (some, ((from_re, from_im), (to_re, to_im))) in from_re.zip(from_im).zip(to_re.zip(to_im)).enumerate() {
            let [a, b] = if some == 0 { [[1.0; WIDE], [0.0; WIDE]] } else { root(some * TOGETHER) };
            for ((((to_re, to_im), re), im), [c, d]) in to_re.iter_mut().zip(to_im).zip(from_re).zip(from_im).zip(&fine) {
                for lane in 0..WIDE {
                    let (c, s) = (R::rounded(a[lane] * c[lane] - b[lane] * d[lane]), R::rounded(a[lane] * d[lane] + b[lane] * c[lane]));
                    (to_re[lane], to_im[lane]) = (re[lane] * c - im[lane] * s, re[lane] * s + im[lane] * c);
                }
            }
        }
    }
}
