//! The loop of reductions. A [`Fold`] says what neighbouring elements make together; here is how all elements of a tensor reach it:
//! as rows, where what is reduced lies dense, else as columns of tiles.
//!
//! The parts that threads work on depend on the sizes alone, and their results are joined in order: every number of threads gives
//! the same bits.

use super::results::{Both, Results, Writers};
use super::walk::{Input, Walk};
use crate::element::Native;
use crate::error::{Error, Result};
use crate::kernels::block::{Feed, Open, Pieces};
use crate::kernels::level::{Job, vectorised};
use crate::kernels::parts::hand_out;
use smallvec::SmallVec;

/// Elements that a fold sees at a time.
pub(super) const BLOCK: usize = 1024;
/// Elements of one part of the work, where there are few.
const PART: usize = 64 * BLOCK;
/// Results that one tile computes side by side: so many that rows are read as they lie, so few that what is known of them stays in
/// the first cache.
const WIDTH: usize = 2048;
/// Rows that tiles add before they add the sum to what is known: all tiles but the last have a multiple of it.
pub(super) const ROWS: usize = 8;

/// Elements of one part of the work: where there are many, few parts, because each result is joined from all of its parts.
pub(super) fn part(elements: usize) -> usize {
    if elements >= 64 * PART { 4 * PART } else { PART }
}

/// What elements make together.
pub(super) trait Fold: Sync {
    /// What elements are read as.
    type Item: Native + Default;
    /// What is known of the elements seen so far.
    type Acc: Copy + Send + Sync;
    /// What a result is, before it is rounded to a dtype.
    type Out: Native + Default;
    /// Whether elements must come in the order of their indices.
    const ORDERED: bool = false;
    /// Whether results have places beside them.
    const PLACES: bool = false;

    /// What no elements make.
    fn start(&self) -> Self::Acc;
    /// What at most [`BLOCK`] neighbours make, the first of which is number `first` of its result.
    fn row(&self, first: usize, row: &[Self::Item]) -> Self::Acc;
    /// Adds the rows of a tile, of which the first holds the elements number `first`, to as many results.
    fn tile(&self, accs: &mut [Self::Acc], first: usize, tile: Tile<'_, Self::Item>);
    /// What two runs of elements make, of which `a` comes first.
    fn join(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc;
    /// The result, when all elements were seen.
    fn finish(&self, acc: Self::Acc) -> Self::Out;
    /// Where it was found.
    fn place(&self, _: Self::Acc) -> i64 {
        0
    }
}

/// Rows of elements that belong to neighbouring results.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tile<'a, T: Copy> {
    elements: &'a [T],
    width: usize,
    /// Between the beginnings of rows.
    step: usize,
}

impl<'a, T: Copy> Tile<'a, T> {
    /// How many rows there are.
    #[inline(always)]
    pub(super) fn len(self) -> usize {
        self.elements.len().div_ceil(self.step)
    }

    /// How many results there are.
    #[inline(always)]
    pub(super) fn width(self) -> usize {
        self.width
    }

    /// A row: one element for each result.
    #[inline(always)]
    pub(super) fn row(self, index: usize) -> &'a [T] {
        &self.elements[index * self.step..][..self.width]
    }

    /// All rows.
    #[inline(always)]
    pub(super) fn rows(self) -> impl Iterator<Item = &'a [T]> {
        (0..self.len()).map(move |index| self.row(index))
    }
}

/// Writes what the elements of each result make.
///
/// # Errors
/// Where there is no memory for what is known of parts, and where a storage can't be held.
pub(super) fn fold<F: Fold>(input: Input<'_>, reduced: &[bool], fold: &F, to: &Results<'_>) -> Result<()> {
    let read = input.tensors();
    let access = to.access(&read)?;
    let mut output = Output { fold, to: to.writers(&access, &read, F::PLACES)? };
    if input.tensor().numel() == 0 {
        output.share(Pieces::of(PART), &|slots| slots.put_start());
        return Ok(());
    }
    let Walk { steps, width, count, outer } = Walk::new(input.tensor(), reduced, F::ORDERED);
    let feed = &input.feed(&access, &steps)?;
    match width {
        Some(width) => Columns { fold, feed, width, count }.all(outer, &mut output),
        None => Rows { fold, feed, count }.all(&mut output),
    }
}

/// Where the results of a fold go.
struct Output<'a, F: Fold> {
    fold: &'a F,
    to: Writers<'a, F::Out>,
}

impl<F: Fold> Output<'_, F> {
    fn share(&mut self, pieces: Pieces, work: &(dyn Fn(Slots<'_, F>) + Sync)) {
        let fold = self.fold;
        self.to.share(pieces, &|to| work(Slots { fold, to }));
    }
}

/// Some neighbouring results, for one thread to write.
struct Slots<'a, F: Fold> {
    fold: &'a F,
    to: Both<'a, F::Out>,
}

impl<F: Fold> Slots<'_, F> {
    /// Writes the results from number `at` of these on, of which everything is known.
    #[inline(always)]
    fn put(&mut self, at: usize, accs: &[F::Acc]) {
        for (to, &acc) in self.to.values.room(at, accs.len()).iter_mut().zip(accs) {
            *to = self.fold.finish(acc);
        }
        self.to.values.put(at, accs.len());
        if let Some(places) = &mut self.to.places {
            for (to, &acc) in places.room(at, accs.len()).iter_mut().zip(accs) {
                *to = self.fold.place(acc);
            }
            places.put(at, accs.len());
        }
    }

    /// Writes what no elements make.
    fn put_start(mut self) {
        let start = self.fold.start();
        self.to.values.fill(self.fold.finish(start), BLOCK);
        if let Some(places) = &mut self.to.places {
            places.fill(self.fold.place(start), BLOCK);
        }
    }
}

/// Room for what is known of parts.
fn starts<F: Fold>(fold: &F, count: usize) -> Result<Vec<F::Acc>> {
    reserved(fold.start(), count)
}

/// A number of equal values.
///
/// # Errors
/// Where there is no memory for them.
pub(super) fn reserved<T: Clone>(value: T, count: usize) -> Result<Vec<T>> {
    let mut values = Vec::new();
    let bytes = count.saturating_mul(size_of::<T>());
    values.try_reserve_exact(count).map_err(|_| Error::runtime(format!("there is no memory for {bytes} bytes of partial results")))?;
    values.resize(count, value);
    Ok(values)
}

/// The reduced elements of each result are neighbours in the walk.
struct Rows<'a, F: Fold> {
    fold: &'a F,
    feed: &'a Feed<'a, F::Item>,
    count: usize,
}

impl<F: Fold> Rows<'_, F> {
    fn all(&self, output: &mut Output<'_, F>) -> Result<()> {
        if self.count <= PART {
            let each = (PART / self.count).max(1);
            output.share(Pieces::of(each), &|slots| vectorised(SomeRows { rows: self, slots }));
            return Ok(());
        }
        let pieces = self.count.div_ceil(PART);
        let mut accs = starts(self.fold, output.to.len().saturating_mul(pieces))?;
        hand_out(&mut accs.chunks_mut(1), &|at, acc| {
            let (row, piece) = (at / pieces, at % pieces);
            let last = self.count.min((piece + 1) * PART);
            acc[0] = vectorised(OneRow { rows: self, row, first: piece * PART, last });
        });
        output.share(Pieces::of(BLOCK), &|mut slots| {
            let first = slots.to.first();
            for at in 0..slots.to.len() {
                let row = &accs[(first + at) * pieces..][..pieces];
                slots.put(at, &[row[1..].iter().fold(row[0], |a, &b| self.fold.join(a, b))]);
            }
        });
        Ok(())
    }

    /// What the elements of one row from `first` on make, read already.
    #[inline(always)]
    fn run(&self, first: usize, elements: &[F::Item]) -> F::Acc {
        let mut acc = self.fold.start();
        // No closure: it might be compiled for other instructions than what it stands in.
        for (at, block) in elements.chunks(BLOCK).enumerate() {
            let block = self.fold.row(first + at * BLOCK, block);
            acc = if at == 0 { block } else { self.fold.join(acc, block) };
        }
        acc
    }

    /// The same for elements that are yet to be read, in blocks.
    #[inline(always)]
    fn read_run(&self, row: usize, first: usize, last: usize, open: &mut Open<'_, F::Item>) -> F::Acc {
        let at = row * self.count;
        if self.feed.is_dense() {
            return self.run(first, open.read(at + first, last - first));
        }
        let mut acc = self.fold.start();
        for start in (first..last).step_by(BLOCK) {
            let len = BLOCK.min(last - start);
            let block = self.fold.row(start, open.read(at + start, len));
            acc = if start == first { block } else { self.fold.join(acc, block) };
        }
        acc
    }
}

/// Several whole rows.
struct SomeRows<'a, F: Fold> {
    rows: &'a Rows<'a, F>,
    slots: Slots<'a, F>,
}

impl<F: Fold> Job for SomeRows<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { rows: rows @ &Rows { fold, feed, count }, mut slots } = self;
        let (first, results) = (slots.to.first(), slots.to.len());
        let mut open = feed.open(BLOCK.min(results * count));
        if count > BLOCK {
            for at in 0..results {
                slots.put(at, &[rows.read_run(first + at, 0, count, &mut open)]);
            }
            return;
        }
        let each = (BLOCK / count).min(results);
        let mut accs: SmallVec<[F::Acc; 4]> = SmallVec::from_elem(fold.start(), each);
        for at in (0..results).step_by(each) {
            let accs = &mut accs[..each.min(results - at)];
            let elements = open.read((first + at) * count, accs.len() * count);
            for (acc, row) in accs.iter_mut().zip(elements.chunks_exact(count)) {
                *acc = fold.row(0, row);
            }
            slots.put(at, accs);
        }
    }
}

/// A piece of one row.
struct OneRow<'a, F: Fold> {
    rows: &'a Rows<'a, F>,
    row: usize,
    first: usize,
    last: usize,
}

impl<F: Fold> Job for OneRow<'_, F> {
    type Output = F::Acc;

    #[inline(always)]
    fn run(self) -> F::Acc {
        self.rows.read_run(self.row, self.first, self.last, &mut self.rows.feed.open(BLOCK))
    }
}

/// Neighbours in the walk belong to different results.
struct Columns<'a, F: Fold> {
    fold: &'a F,
    feed: &'a Feed<'a, F::Item>,
    /// How many results are neighbours, and how many elements each has.
    width: usize,
    count: usize,
}

impl<F: Fold> Columns<'_, F> {
    fn all(&self, outer: usize, output: &mut Output<'_, F>) -> Result<()> {
        let (wide, tiles) = (self.width.min(WIDTH), self.width.div_ceil(WIDTH));
        let all = part(outer * self.width * self.count);
        let rows = (all / wide / ROWS * ROWS).max(ROWS).min(self.count);
        let pieces = self.count.div_ceil(rows);
        // Few rows of few results: several tiles are one part.
        let each = (all / (wide * rows)).max(1);
        if pieces == 1 {
            let groups = if tiles == 1 { Pieces::of(each * wide) } else { Pieces { group: self.width, each: each.min(tiles) * wide } };
            output.share(groups, &|slots| self.whole(slots));
            return Ok(());
        }
        let mut accs = starts(self.fold, (outer * tiles * pieces).saturating_mul(wide))?;
        hand_out(&mut accs.chunks_mut(each * wide), &|part, accs| {
            let mut open = self.feed.open(self.together() * wide);
            for (at, accs) in accs.chunks_mut(wide).enumerate() {
                let (tile, piece) = ((part * each + at) / pieces, (part * each + at) % pieces);
                let left = tile % tiles * WIDTH;
                let accs = &mut accs[..wide.min(self.width - left)];
                let rows = piece * rows..self.count.min((piece + 1) * rows);
                vectorised(OneTile { columns: self, outer: tile / tiles, left, accs, rows, open: &mut open });
            }
        });
        output.share(Pieces { group: self.width, each: wide }, &|mut slots| {
            let (first, width) = (slots.to.first(), slots.to.len());
            let tile = first / self.width * tiles + first % self.width / WIDTH;
            let mut pieces = accs[tile * pieces * wide..][..pieces * wide].chunks(wide).map(|piece| &piece[..width]);
            let mut joined = pieces.next().unwrap_or_default().to_vec();
            for piece in pieces {
                joined.iter_mut().zip(piece).for_each(|(acc, &other)| *acc = self.fold.join(*acc, other));
            }
            slots.put(0, &joined);
        });
        Ok(())
    }

    /// Tiles of all rows.
    fn whole(&self, mut slots: Slots<'_, F>) {
        let wide = self.width.min(WIDTH);
        let (mut open, mut accs) = (self.feed.open(self.together() * wide), vec![self.fold.start(); wide]);
        let (first, results) = (slots.to.first(), slots.to.len());
        let mut at = 0;
        while at < results {
            let (outer, left) = ((first + at) / self.width, (first + at) % self.width);
            let accs = &mut accs[..wide.min(self.width - left)];
            accs.fill(self.fold.start());
            vectorised(OneTile { columns: self, outer, left, accs, rows: 0..self.count, open: &mut open });
            slots.put(at, accs);
            at += accs.len();
        }
    }

    /// How many rows are read at a time.
    fn together(&self) -> usize {
        (2 * BLOCK / self.width.min(WIDTH) / ROWS * ROWS).max(ROWS).min(self.count)
    }
}

/// Some neighbouring results of one tile, over some of its rows.
struct OneTile<'a, 'f, F: Fold> {
    columns: &'a Columns<'a, F>,
    outer: usize,
    left: usize,
    accs: &'a mut [F::Acc],
    rows: std::ops::Range<usize>,
    open: &'a mut Open<'f, F::Item>,
}

impl<F: Fold> Job for OneTile<'_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { columns, outer, left, accs, rows, open } = self;
        let (width, together) = (accs.len(), columns.together());
        for row in rows.clone().step_by(together) {
            let at = (outer * columns.count + row) * columns.width + left;
            let (elements, step) = open.read_rows(at, [width, together.min(rows.end - row)], columns.width);
            columns.fold.tile(accs, row, Tile { elements, width, step });
        }
    }
}
