//! The product of matrices, blocked after K. Goto and R. van de Geijn: panels of both factors are packed so that a tile of the result
//! stays in registers while it reads them from cache. Threads share rows of the result; no sum is split, so their number changes no bit.

use parking_lot::Mutex;

use super::factors::Factor;
use super::pack::{Factors, Packed};
use crate::kernels::level::{Job, Level, vectorised, vectorised_wide};
use crate::kernels::parts::hand_out;
use crate::kernels::workers::num_threads;

/// The steps of a sum that are packed at a time.
const DEPTH: usize = 384;
/// Columns of the right factor that are packed at a time.
const WIDTH: usize = 2048;
/// Rows of the left factor that are packed at a time.
const ROWS: usize = 96;
/// Multiplications that are worth a second thread.
const WORTH_A_THREAD: usize = 1 << 17;

/// Computes one product after another into contiguous results, which are zero before.
pub(super) fn multiply<T: Factor>(factors: &Factors<'_, T>, out: &mut [T]) {
    let [m, k, n] = factors.sizes;
    let alone = num_threads() == 1;
    let each = m * n;
    if m * k * n < WORTH_A_THREAD || alone {
        let mut room = Room::default();
        // Small products: several are one task.
        let together = (WORTH_A_THREAD / (m * k * n)).max(1);
        if alone || out.len() <= each * together {
            out.chunks_exact_mut(each).enumerate().for_each(|(at, out)| one(factors, at, out, &mut room, Split::No));
        } else {
            hand_out(out.chunks_mut(each * together), |part, out| {
                let mut room = Room::default();
                let products = out.chunks_exact_mut(each).enumerate();
                products.for_each(|(at, out)| one(factors, part * together + at, out, &mut room, Split::No));
            });
        }
        return;
    }
    if out.len() / each >= 2 * num_threads() {
        // Memory for the packed factors of each thread.
        let spare = Mutex::new(Vec::new());
        hand_out(out.chunks_exact_mut(each), |at, out| {
            let mut room = spare.lock().pop().unwrap_or_default();
            one(factors, at, out, &mut room, Split::No);
            spare.lock().push(room);
        });
    } else {
        let mut room = Room::default();
        out.chunks_exact_mut(each).enumerate().for_each(|(at, out)| one(factors, at, out, &mut room, Split::Rows));
    }
}

/// Whether threads share the rows of a product.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Split {
    No,
    Rows,
}

/// Memory for packed panels.
struct Room<T> {
    left: Packed<T>,
    right: Packed<T>,
}

impl<T> Default for Room<T> {
    fn default() -> Self {
        Self { left: Packed::default(), right: Packed::default() }
    }
}

/// One product of the batch.
fn one<T: Factor>(factors: &Factors<'_, T>, at: usize, out: &mut [T], room: &mut Room<T>, split: Split) {
    let [m, k, n] = factors.sizes;
    let wide = Level::detect() == Level::Avx512;
    let (high, across) = if wide { T::WIDE } else { T::NARROW };
    // As many rows as are packed at a time, or fewer where threads would otherwise have nothing to do.
    let rows = if split == Split::Rows { (m.div_ceil(2 * num_threads())).next_multiple_of(high).min(ROWS) } else { ROWS };
    let Room { left, right } = room;
    // Memory for the packed rows of each thread.
    let spare = Mutex::new(Vec::new());
    for first_column in (0..n).step_by(WIDTH) {
        let columns = first_column..n.min(first_column + WIDTH);
        for first_step in (0..k).step_by(DEPTH) {
            let steps = first_step..k.min(first_step + DEPTH);
            factors.pack_right(at, steps.clone(), columns.clone(), across, right);
            let right = &*right;
            let block = |part: usize, out: &mut [T], left: &mut Packed<T>| {
                let rows = part * rows..m.min((part + 1) * rows);
                factors.pack_left(at, rows.clone(), steps.clone(), high, left);
                let block = Block { left, right, steps: steps.len(), rows: rows.len(), columns: columns.clone(), n, out };
                if wide { vectorised_wide(Wide(block)) } else { vectorised(Narrow(block)) }
            };
            match split {
                Split::No => out.chunks_mut(rows * n).enumerate().for_each(|(part, out)| block(part, out, left)),
                Split::Rows => hand_out(out.chunks_mut(rows * n), |part, out| {
                    let mut own = spare.lock().pop().unwrap_or_default();
                    block(part, out, &mut own);
                    spare.lock().push(own);
                }),
            }
        }
    }
}

/// The rows of one packed block, times the columns of another, added to the result.
struct Block<'a, T> {
    left: &'a Packed<T>,
    right: &'a Packed<T>,
    steps: usize,
    rows: usize,
    /// Where in the rows of the result the columns lie, and how long these rows are.
    columns: std::ops::Range<usize>,
    n: usize,
    out: &'a mut [T],
}

impl<T: Factor> Block<'_, T> {
    #[inline(always)]
    fn run<const WIDE: bool>(self) {
        let (high, across) = if WIDE { T::WIDE } else { T::NARROW };
        let mut tile = [T::default(); 12 * 32];
        for (panel, left) in self.columns.clone().step_by(across).zip(self.right.panels(self.steps * across)) {
            let columns = across.min(self.columns.end - panel);
            for (row, right) in (0..self.rows).step_by(high).zip(self.left.panels(self.steps * high)) {
                let rows = high.min(self.rows - row);
                T::tile::<WIDE>(right, left, &mut tile[..high * across]);
                for (row, tile) in (row..row + rows).zip(tile.chunks_exact(across)) {
                    let to = &mut self.out[row * self.n + panel..][..columns];
                    to.iter_mut().zip(tile).for_each(|(to, &sum)| *to = to.plus(sum));
                }
            }
        }
    }
}

struct Wide<'a, T>(Block<'a, T>);

impl<T: Factor> Job for Wide<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.0.run::<true>();
    }
}

struct Narrow<'a, T>(Block<'a, T>);

impl<T: Factor> Job for Narrow<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.0.run::<false>();
    }
}
