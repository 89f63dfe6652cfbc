//! The product of matrices, blocked after K. Goto and R. van de Geijn: a tile of the result stays in registers while it reads rows of the
//! left factor and a panel of columns of the right one from cache. Factors are read where they lie if they lie well, else packed first.
//! Threads share rows or columns of the result; no sum is split but at fixed steps, so their number changes no bit.

use std::ops::Range;
use std::sync::Mutex;

use super::factors::{Corner, Tiles};
use super::pack::{Factors, Plane};
use super::panels::Right;
use crate::element::Native;
use crate::error::Result;
use crate::kernels::block::{Piece, Pieces, Writer};
use crate::kernels::level::{Job, Level, by_width};
use crate::kernels::parts::hand_out;
use crate::kernels::workers::num_threads;
use crate::process::locked;
use crate::room::{Refused, listed};
use crate::storage::Workspace;

/// The groups of steps of a sum that are taken at a time, at most: a panel of so many stays in the first cache. Panels for 512-bit vectors are
/// twice as wide, but the processors that have those have larger caches, too.
const DEPTH: [usize; 2] = [512, 384];
/// Columns of the right factor that are packed at a time.
const WIDTH: usize = 2048;
/// Rows of the left factor that are multiplied with a panel while it is in the first cache; the rows stay in the second. Whole tiles, of six
/// rows, of eight and of twelve.
const fn rows_together<T>() -> usize {
    if size_of::<T>() > 4 { 48 } else { 96 }
}

/// Panels that a thread packs at a time.
const TOGETHER: usize = 8;
/// Sums that are stored at a time where they are converted.
const BAND: usize = 1 << 12;
/// Bytes of the right factor that are multiplied before threads meet: so few that they stay in the second cache.
const NEAR: usize = 1 << 19;
/// Multiplications that are worth a turn of a thread.
const GRAIN: usize = 1 << 16;

/// Computes one product after another into contiguous results.
pub(super) fn multiply<T: Tiles>(factors: &Factors<'_, T>, out: &mut [T::Sum]) -> Result<()> {
    let ([m, k, n], threads) = (factors.sizes, num_threads());
    let (each, work) = (m * n, m * k * n);
    let blocks = ProductCuts::new::<T>(factors.sizes);
    let (high, across) = blocks.tile;
    let batch = out.len() / each;
    let one = |at: usize, out: &mut [T::Sum], room: &mut [T]| rectangle(factors, &blocks, at, 0..n, (out, n), room);
    if threads == 1 || batch * work < 2 * GRAIN {
        let rooms = Rooms::new(1, blocks.room(factors, n))?;
        rooms.lend(|room| out.chunks_exact_mut(each).enumerate().for_each(|(at, out)| one(at, out, room)));
    } else if blocks.few(factors, threads) {
        let width = (n / (4 * threads)).max(GRAIN / (m * k)).max(1).next_multiple_of(across).min(WIDTH);
        let (rooms, sums) = (Rooms::new(threads, blocks.room(factors, width))?, Rooms::<T::Sum>::new(threads, m * width)?);
        for (at, out) in out.chunks_exact_mut(each).enumerate() {
            // Of each row, what is not yet a part of anybody.
            let mut rows = listed(out.chunks_exact_mut(n))?;
            let mut parts = (0..n).step_by(width).map(|first| {
                let columns = first..n.min(first + width);
                let part = rows.iter_mut().filter_map(|row| row.split_off_mut(..columns.len()));
                (columns.clone(), part.collect::<Vec<_>>())
            });
            hand_out(&mut parts, &|_, (columns, mut part)| {
                let width = columns.len();
                // Sums lie together while they are added, so that no two threads write to one line of the cache.
                sums.lend(|sums| {
                    rooms.lend(|room| rectangle(factors, &blocks, at, columns, (&mut *sums, width), room));
                    part.iter_mut().zip(sums.chunks_exact(width)).for_each(|(row, sums)| row.copy_from_slice(sums));
                });
            });
        }
    } else {
        let rows = Turns::new::<T>(factors.sizes, high, threads);
        let right_room = Rooms::new(1, blocks.right_room(factors, n) * blocks.together::<T>(n))?;
        let left_rooms = Rooms::new(threads, blocks.left_room(factors, rows.tiles.div_ceil(rows.count) * high))?;
        out.chunks_exact_mut(each).enumerate().for_each(|(at, out)| shared(factors, &blocks, at, &rows, out, [&right_room, &left_rooms]));
    }
    Ok(())
}

/// Computes products of which threads take several each, and stores each where it is computed. Says whether they are as many; of few,
/// threads share each.
pub(super) fn multiply_each<T: Tiles>(factors: &Factors<'_, T>, writer: &mut Writer<'_, T::Sum>) -> Result<bool> {
    let ([m, k, n], threads) = (factors.sizes, num_threads());
    let (each, work) = (m * n, m * k * n);
    let batch = writer.len() / each;
    if batch * work < 2 * GRAIN {
        return Ok(false);
    }
    let blocks = ProductCuts::new::<T>(factors.sizes);
    if 1 < threads && batch < 2 * threads && work >= 2 * GRAIN {
        let by_rows = !writer.is_dense() && blocks.at_once(k, n) && !blocks.few(factors, threads);
        return if by_rows { multiply_rows(factors, &blocks, writer).map(|()| true) } else { Ok(false) };
    }
    // Several small ones are a turn.
    let together = (GRAIN / work).max(1);
    let (rooms, refused) = (Rooms::new(threads.min(batch), blocks.room(factors, n))?, Refused::default());
    hand_out(&mut writer.pieces(Pieces::of(each * together)), &|part, mut piece| {
        let len = piece.len();
        rooms.lend(|room| {
            for at in 0..len / each {
                refused.note(bands(factors, &blocks, part * together + at, (&mut piece, at * each), room));
            }
        });
    });
    refused.answer().map(|()| true)
}

/// Computes products of which threads share the rows, and stores each row where it is computed: right factors that are packed at once.
fn multiply_rows<T: Tiles>(factors: &Factors<'_, T>, blocks: &ProductCuts, writer: &mut Writer<'_, T::Sum>) -> Result<()> {
    let ([m, k, n], threads) = (factors.sizes, num_threads());
    let turns = Turns::new::<T>(factors.sizes, blocks.tile.0, threads);
    let mut room = Workspace::new(blocks.right_room(factors, n))?;
    let (rooms, refused) = (Rooms::new(threads, blocks.left_room(factors, rows_together::<T>()))?, Refused::default());
    for at in 0..writer.len() / (m * n) {
        let right = [(0..k, Right::new(factors, blocks.tile.1, at, &(0..k), &(0..n)))];
        pack_together(factors, at, blocks.tile.1, &right, &mut room);
        let packed = (&right[0].1, &room[..right[0].1.room()]);
        let mut bounds = listed((0..turns.count).map(|turn| (at * m + turns.rows(turn).start) * n))?;
        bounds.push((at + 1) * m * n);
        hand_out(&mut writer.pieces_between(&bounds), &|turn, mut piece| {
            rooms.lend(|left| refused.note(store_rows(factors, blocks, at, turns.rows(turn), packed, (&mut piece, 0), left)));
        });
    }
    refused.answer()
}

/// Product number `at` on this thread, into a piece from an element on: some rows at a time where the right factor is packed at once.
fn bands<T: Tiles>(
    factors: &Factors<'_, T>,
    blocks: &ProductCuts,
    at: usize,
    (to, first): (&mut Piece<'_, T::Sum>, usize),
    room: &mut [T],
) -> Result<()> {
    let [m, k, n] = factors.sizes;
    if !blocks.at_once(k, n) {
        to.reserve(m * n)?;
        rectangle(factors, blocks, at, 0..n, (to.room(first, m * n), n), room);
        to.put(first, m * n);
        return Ok(());
    }
    let (room, left) = room.split_at_mut(blocks.right_room(factors, n));
    let right = Right::new(factors, blocks.tile.1, at, &(0..k), &(0..n));
    let len = right.room();
    factors.pack_right(at, 0..k, right.packed_columns(), blocks.tile.1, &mut room[..len]);
    store_rows(factors, blocks, at, 0..m, (&right, &room[..len]), (to, first), left)
}

/// Rows of product number `at` on this thread, into a piece from an element on: some at a time, so that sums are in the first cache when they
/// are stored.
fn store_rows<T: Tiles>(
    factors: &Factors<'_, T>,
    blocks: &ProductCuts,
    at: usize,
    all: Range<usize>,
    right: (&Right<'_, T>, &[T]),
    (to, first): (&mut Piece<'_, T::Sum>, usize),
    left: &mut [T],
) -> Result<()> {
    let ([_, k, n], high) = (factors.sizes, blocks.tile.0);
    let band = (BAND / n / high * high).clamp(high, rows_together::<T>());
    to.reserve(band.min(all.len()) * n)?;
    for row in all.clone().step_by(band) {
        let rows = row..all.end.min(row + band);
        let (start, sums) = (first + (row - all.start) * n, rows.len() * n);
        block(factors, at, (&rows, &(0..k)), right, (to.room(start, sums), n), left);
        to.put(start, sums);
    }
    Ok(())
}

fn is_wide() -> bool {
    Level::detect() == Level::Avx512
}

/// Rows and columns of a tile on this processor.
pub(super) fn tile_of<T: Tiles>() -> (usize, usize) {
    if is_wide() { T::WIDE } else { T::NARROW }
}

/// How a product is cut.
struct ProductCuts {
    /// Rows and columns of a tile.
    tile: (usize, usize),
    /// Steps that are taken at a time: equally many where it can be, whole groups in any case.
    depth: usize,
}

impl ProductCuts {
    fn new<T: Tiles>([_, k, _]: [usize; 3]) -> Self {
        let wide = usize::from(is_wide());
        let depth = k.div_ceil(k.div_ceil(DEPTH[wide] * T::GROUP)).next_multiple_of(T::GROUP);
        Self { tile: tile_of::<T>(), depth }
    }

    /// Whether a right factor of that many steps and columns is packed at once.
    fn at_once(&self, k: usize, n: usize) -> bool {
        n <= WIDTH && k <= self.depth
    }

    /// Elements of the panels that are packed of that many columns.
    fn right_room<T: Tiles>(&self, factors: &Factors<'_, T>, columns: usize) -> usize {
        factors.packed_columns(columns.min(WIDTH), self.tile.1) * self.depth
    }

    /// Whether the rows of the left factor are so few that each thread may take some columns of the right one for itself: that are fewer
    /// than threads could share, or no more than stay in the second cache where they lie.
    fn few<T: Tiles>(&self, factors: &Factors<'_, T>, threads: usize) -> bool {
        let [m, _, n] = factors.sizes;
        m < n && (m < 2 * self.tile.0 * threads || (factors.left_in_place() && m * self.depth * size_of::<T>() <= NEAR / 2))
    }

    /// How many times `depth` steps are multiplied, for that many columns, before threads meet.
    fn together<T: Tiles>(&self, columns: usize) -> usize {
        (NEAR / (self.depth * columns.min(WIDTH).next_multiple_of(self.tile.1) * size_of::<T>())).max(1)
    }

    /// Elements of packed rows.
    fn left_room<T: Tiles>(&self, factors: &Factors<'_, T>, rows: usize) -> usize {
        if factors.left_in_place() { 0 } else { rows.min(factors.sizes[0]) * self.depth }
    }

    /// Elements of both.
    fn room<T: Tiles>(&self, factors: &Factors<'_, T>, columns: usize) -> usize {
        self.right_room(factors, columns) + self.left_room(factors, rows_together::<T>())
    }
}

/// Rows of a result, cut where tiles end.
struct Turns {
    count: usize,
    tiles: usize,
    high: usize,
    m: usize,
}

impl Turns {
    /// As many rows for each thread, but for a tile.
    fn new<T>([m, k, n]: [usize; 3], high: usize, threads: usize) -> Self {
        let tiles = m.div_ceil(high);
        let most = tiles.div_ceil((GRAIN / (k * n)).div_ceil(high).max(1));
        Self { count: m.div_ceil(rows_together::<T>()).next_multiple_of(4 * threads).min(most), tiles, high, m }
    }

    /// The rows of a turn.
    fn rows(&self, turn: usize) -> Range<usize> {
        let cut = |turn: usize| self.m.min(self.tiles * turn / self.count * self.high);
        cut(turn)..cut(turn + 1)
    }
}

/// Memory for packed elements, of which each thread takes one and gives it back.
struct Rooms<T: Native> {
    spare: Mutex<Vec<Workspace<T>>>,
    len: usize,
}

impl<T: Native + Default> Rooms<T> {
    fn new(count: usize, len: usize) -> Result<Self> {
        let count = if len == 0 { 0 } else { count };
        Ok(Self { spare: Mutex::new((0..count).map(|_| Workspace::new(len)).collect::<Result<_>>()?), len })
    }

    fn lend(&self, work: impl FnOnce(&mut [T])) {
        let spare = if self.len == 0 { None } else { locked(&self.spare).pop() };
        let Some(mut room) = spare else {
            // Nothing is packed; or there are more threads than there were a moment ago.
            return work(&mut vec![T::default(); self.len]);
        };
        work(&mut room);
        locked(&self.spare).push(room);
    }
}

/// Some columns of product number `at`, on this thread, into rows of a result that lie so far apart.
fn rectangle<T: Tiles>(
    factors: &Factors<'_, T>,
    blocks: &ProductCuts,
    at: usize,
    columns: Range<usize>,
    (out, stride): (&mut [T::Sum], usize),
    room: &mut [T],
) {
    let [m, k, _] = factors.sizes;
    let (room, left) = room.split_at_mut(blocks.right_room(factors, columns.len()));
    for first in columns.clone().step_by(WIDTH) {
        let some = first..columns.end.min(first + WIDTH);
        for step in (0..k).step_by(blocks.depth) {
            let steps = step..k.min(step + blocks.depth);
            let right = Right::new(factors, blocks.tile.1, at, &steps, &some);
            let len = right.room();
            factors.pack_right(at, steps.clone(), right.packed_columns(), blocks.tile.1, &mut room[..len]);
            for row in (0..m).step_by(rows_together::<T>()) {
                let rows = row..m.min(row + rows_together::<T>());
                let to = &mut out[row * stride + first - columns.start..];
                block(factors, at, (&rows, &steps), (&right, &room[..len]), (to, stride), left);
            }
        }
    }
}

/// Product number `at`, on all threads, by turns.
fn shared<T: Tiles>(
    factors: &Factors<'_, T>,
    blocks: &ProductCuts,
    at: usize,
    turns: &Turns,
    out: &mut [T::Sum],
    [right_room, left_rooms]: [&Rooms<T>; 2],
) {
    let [_, k, n] = factors.sizes;
    let across = blocks.tile.1;
    right_room.lend(|room| {
        for first in (0..n).step_by(WIDTH) {
            let columns = first..n.min(first + WIDTH);
            let rights = (0..k).step_by(blocks.depth).map(|step| {
                let steps = step..k.min(step + blocks.depth);
                let right = Right::new(factors, across, at, &steps, &columns);
                (steps, right)
            });
            let rights: Vec<_> = rights.collect();
            for some in rights.chunks(blocks.together::<T>(n)) {
                pack_together(factors, at, across, some, room);
                let room = &*room;
                let mut rest = &mut *out;
                let mut parts = (0..turns.count).filter_map(|turn| {
                    let rows = turns.rows(turn);
                    Some((rows.clone(), rest.split_off_mut(..rows.len() * n)?))
                });
                hand_out(&mut parts, &|_, (rows, out)| {
                    left_rooms.lend(|left| {
                        let mut packed = room;
                        for (steps, right) in some {
                            let (now, later) = packed.split_at(right.room());
                            block(factors, at, (&rows, steps), (right, now), (&mut out[first..], n), left);
                            packed = later;
                        }
                    });
                });
            }
        }
    });
}

/// Packs right factors one after the other, on all threads.
fn pack_together<T: Tiles>(factors: &Factors<'_, T>, at: usize, across: usize, rights: &[(Range<usize>, Right<'_, T>)], room: &mut [T]) {
    let (mut rest, mut packing) = (room, Vec::new());
    for (steps, right) in rights {
        let (now, later) = rest.split_at_mut(right.room());
        let panels = TOGETHER * across;
        let parts = now.chunks_mut(panels * right.depth).zip(right.packed_columns().step_by(panels));
        packing.extend(parts.map(|(room, first)| (steps, first..right.packed_columns().end.min(first + panels), room)));
        rest = later;
    }
    hand_out(&mut packing.into_iter(), &|_, (steps, columns, room)| factors.pack_right(at, steps.clone(), columns, across, room));
}

/// Multiplies some rows of the left factor with some columns of the right one, over some steps.
fn block<T: Tiles>(
    factors: &Factors<'_, T>,
    at: usize,
    (rows, steps): (&Range<usize>, &Range<usize>),
    (right, packed): (&Right<'_, T>, &[T]),
    (out, stride): (&mut [T::Sum], usize),
    room: &mut [T],
) {
    let left = match factors.left_plane(at) {
        Some(plane) => plane.from(rows.start, steps.start),
        None => {
            let room = &mut room[..rows.len() * steps.len()];
            factors.pack_left(at, rows.clone(), steps.clone(), room);
            Plane { elements: room, stride: steps.len() }
        }
    };
    let (rows, steps, first) = (rows.len(), steps.len(), steps.start == 0);
    let block = ProductBlock { means: factors.means, left, rows, steps, right, packed, out, stride, first };
    by_width(block, WideTiles, NarrowTiles)
}

/// Rows times columns, put or added into the result.
pub(super) struct ProductBlock<'a, T: Tiles> {
    pub(super) means: T::Means,
    pub(super) left: Plane<'a, T>,
    pub(super) rows: usize,
    pub(super) steps: usize,
    pub(super) right: &'a Right<'a, T>,
    pub(super) packed: &'a [T],
    /// From the first row and column on.
    pub(super) out: &'a mut [T::Sum],
    pub(super) stride: usize,
    /// Whether the result has no sums yet.
    pub(super) first: bool,
}

impl<T: Tiles> ProductBlock<'_, T> {
    #[inline(always)]
    fn run<const WIDE: bool>(self) {
        let Self { means, left, rows, steps, right, packed, out, stride, first } = self;
        let (high, _) = if WIDE { T::WIDE } else { T::NARROW };
        let mut column = 0;
        while column < right.len() {
            let (columns, panel) = right.panel(packed, column);
            for row in (0..rows).step_by(high) {
                let out = &mut out[row * stride + column..];
                let corner = Corner { out, stride, rows: high.min(rows - row), columns, first };
                T::tile::<WIDE>(means, (&left.elements[row * left.stride..], left.stride), steps, panel, corner);
            }
            column += columns;
        }
    }
}

pub(super) struct WideTiles<'a, T: Tiles>(pub(super) ProductBlock<'a, T>);

impl<T: Tiles> Job for WideTiles<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.0.run::<true>();
    }
}

pub(super) struct NarrowTiles<'a, T: Tiles>(pub(super) ProductBlock<'a, T>);

impl<T: Tiles> Job for NarrowTiles<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.0.run::<false>();
    }
}
