//! The loop of reductions: how all elements of a tensor reach a fold, as rows where what is reduced lies dense, else as columns of tiles.
//!
//! The parts that threads work on depend on the sizes alone, and their results are joined in order: every number of threads gives
//! the same bits.

use std::marker::PhantomData;
use std::ops::Range;

use latten_spec::DType;
use smallvec::SmallVec;

use super::fold::{Accumulator, BLOCK, Folding, ROWS, Rule, Ruled, Tile, abreast};
use super::results::{Both, Results, Single, Writers};
use super::walk::{ReducedInput, Walk};
use crate::element::Native;
use crate::error::Result;
use crate::geometry::overlap::Relation;
use crate::kernels::block::{Feed, Neighbours, Open, Pieces};
use crate::kernels::parts::hand_out;
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::room::filled;
use crate::storage::{Access, Glance, UntypedStorage};

/// Elements of one part of the work, where there are few.
const PART: usize = 64 * BLOCK;
/// Rows that are read at a time where they lie dense.
const TOGETHER: usize = 256;
/// Results that one tile computes side by side: so many that rows are read as they lie, so few that what is known of them stays in
/// the first cache.
const WIDTH: usize = 2048;

/// So many tiles are shared as they are.
const SEVERAL: usize = 8;

/// Elements of one part of the work: where there are many, few parts, because each result is joined from all of its parts.
pub(super) fn part(elements: usize) -> usize {
    if elements >= 64 * PART { 4 * PART } else { PART }
}

/// Writes what the elements of each result make, with the parameter of the row.
///
/// # Errors
/// Where there is no memory for what is known of parts, and where a storage can't be held.
pub(super) fn fold<R: Rule<T>, T: Native + Default>(
    input: ReducedInput<'_>,
    reduced: &[bool],
    (count, given): (f64, f64),
    to: &Results<'_>,
) -> Result<()> {
    let fold: Ruled<R, T> = Ruled { count, given, rule: PhantomData };
    run(input, reduced, &fold, (R::Accumulators::ORDERED, R::BESIDE), to)
}

fn run<I: Native + Default, A: Partial, O: Native + Default, P: Native + Default>(
    input: ReducedInput<'_>,
    reduced: &[bool],
    fold: &dyn Folding<I, A, O, P>,
    (ordered, has_beside): (bool, bool),
    to: &Results<'_>,
) -> Result<()> {
    // A single place is for nothing but that.
    if all_at_once(input, reduced, fold, has_beside, to)? || to.single.is_some() {
        return Ok(());
    }
    let read = input.tensors();
    let access = to.access(&read)?;
    let mut output = FoldOutput { fold, to: to.writers(&access, &read, has_beside)? };
    if input.tensor().numel() == 0 {
        output.share(Pieces::of(PART), &|slots| slots.put_start());
        return Ok(());
    }
    let Walk { steps, width, count, outer } = Walk::new(input.tensor(), reduced, ordered);
    let feed = &input.feed(&access, &steps)?;
    match width {
        Some(width) => FoldedColumns { fold, feed, width, count }.all(outer, &mut output),
        None => FoldedRows { fold, feed, count }.all(&mut output),
    }
}

/// Writes the one result of few elements that lie dense, without a walk and pieces; says whether it is as simple as that.
fn all_at_once<I: Native + Default, A: Partial, O: Native + Default, P: Native + Default>(
    input: ReducedInput<'_>,
    reduced: &[bool],
    fold: &dyn Folding<I, A, O, P>,
    has_beside: bool,
    to: &Results<'_>,
) -> Result<bool> {
    let (ReducedInput::Tensor(tensor), values) = (input, to.values) else { return Ok(false) };
    if let Some(single) = to.single {
        alone(tensor, fold, to.through, single);
        return Ok(single.is_done());
    }
    let len = tensor.numel();
    let fits = (1..=PART).contains(&len) && reduced.iter().all(|&reduced| reduced) && values.numel() == 1;
    let beside = to.beside.filter(|_| has_beside);
    let as_it_is = tensor.dtype() == I::DTYPE && [to.through, values.dtype()] == [O::DTYPE; 2];
    let as_it_is = as_it_is && beside.is_none_or(|beside| beside.dtype() == P::DTYPE && beside.relation_to(values) == Relation::Disjoint);
    let apart = |to: &RawTensor| tensor.relation_to(to) == Relation::Disjoint;
    if !fits || !as_it_is || !tensor.is_contiguous(MemoryFormat::Contiguous) || !apart(values) || !beside.is_none_or(apart) {
        return Ok(false);
    }
    let written: SmallVec<[&UntypedStorage; 2]> = [values].into_iter().chain(beside).map(RawTensor::storage).collect();
    let access = Access::lock_briefly(&written, &[tensor.storage()])?;
    let elements = Neighbours::new(&access, tensor.storage(), tensor.dtype(), len, tensor.storage_offset())?;
    let writable = |to: &RawTensor| Neighbours::writable(&access, to.storage(), to.dtype(), 1, to.storage_offset());
    let (result, other) = (writable(values)?, beside.map(writable).transpose()?.flatten());
    if other.is_none() && beside.is_some() {
        return Ok(false);
    }
    let (Some(elements), Some(result)) = (elements.as_ref().and_then(Neighbours::slice), result) else { return Ok(false) };
    let (mut known, mut value) = ([fold.start()], [O::default()]);
    fold.rows(0, false, len, elements, &mut known);
    fold.finish(&known, &mut value);
    result.set(value[0]);
    if let Some(other) = other {
        let mut value = [P::default()];
        fold.beside(&known, &mut value);
        other.set(value[0]);
    }
    Ok(true)
}

/// The same where the result is alone, and the elements lie in their order.
fn alone<I: Native + Default, A: Partial, O: Native + Default, P>(
    tensor: &RawTensor,
    fold: &dyn Folding<I, A, O, P>,
    result: DType,
    single: &Single<'_>,
) {
    let (len, Some(glance)) = (tensor.numel(), Glance::new(tensor.storage())) else { return };
    if tensor.dtype() != I::DTYPE || result != O::DTYPE {
        return;
    }
    let elements = Neighbours::glanced(&glance, tensor.dtype(), len, tensor.storage_offset());
    if let Some(elements) = elements.as_ref().and_then(Neighbours::slice) {
        let (mut known, mut value) = ([fold.start()], [O::default()]);
        fold.rows(0, false, len, elements, &mut known);
        fold.finish(&known, &mut value);
        single.set(value[0]);
    }
}

/// What is known of elements.
trait Partial: Copy + Send + Sync {}

impl<A: Copy + Send + Sync> Partial for A {}

/// What a thread does with some results.
type SlotWork<'w, I, A, O, P> = dyn Fn(Slots<'_, I, A, O, P>) + Sync + 'w;

/// Where the results of a fold go.
struct FoldOutput<'a, I, A, O, P> {
    fold: &'a dyn Folding<I, A, O, P>,
    to: Writers<'a, O, P>,
}

impl<I: Copy, A: Partial, O: Native + Default, P: Native + Default> FoldOutput<'_, I, A, O, P> {
    fn share(&mut self, pieces: Pieces, work: &SlotWork<'_, I, A, O, P>) {
        let fold = self.fold;
        self.to.share(pieces, &|to| work(Slots { fold, to }));
    }
}

/// Some neighbouring results, for one thread to write.
struct Slots<'a, I, A, O, P> {
    fold: &'a dyn Folding<I, A, O, P>,
    to: Both<'a, O, P>,
}

impl<I: Copy, A: Partial, O: Native + Default, P: Native + Default> Slots<'_, I, A, O, P> {
    /// Writes the results from number `at` of these on, of which everything is known.
    fn put(&mut self, at: usize, accs: &[A]) {
        self.fold.finish(accs, self.to.values.room(at, accs.len()));
        self.to.values.put(at, accs.len());
        if let Some(beside) = &mut self.to.beside {
            self.fold.beside(accs, beside.room(at, accs.len()));
            beside.put(at, accs.len());
        }
    }

    /// Writes what no elements make.
    fn put_start(mut self) {
        let start = [self.fold.start()];
        let mut value = [O::default()];
        self.fold.finish(&start, &mut value);
        self.to.values.fill(value[0], BLOCK);
        if let Some(beside) = &mut self.to.beside {
            let mut other = [P::default()];
            self.fold.beside(&start, &mut other);
            beside.fill(other[0], BLOCK);
        }
    }
}

/// The reduced elements of each result are neighbours in the walk.
struct FoldedRows<'a, I, A, O, P> {
    fold: &'a dyn Folding<I, A, O, P>,
    feed: &'a Feed<'a, I>,
    count: usize,
}

impl<I: Native + Default, A: Partial, O: Native + Default, P: Native + Default> FoldedRows<'_, I, A, O, P> {
    /// Elements that are read at a time where they don't lie dense: from one block to eight, so that 16 KB are enough.
    const READ: usize = match size_of::<I>() {
        1 => 8 * BLOCK,
        2 | 4 => 4 * BLOCK,
        8 => 2 * BLOCK,
        _ => BLOCK,
    };

    /// The same here: what is computed stays in the first cache, beside what it is computed from.
    fn read(&self) -> usize {
        self.feed.block().unwrap_or(Self::READ)
    }

    fn all(&self, output: &mut FoldOutput<'_, I, A, O, P>) -> Result<()> {
        if self.count <= PART {
            let each = (PART / self.count).max(1);
            output.share(Pieces::of(each), &|slots| self.some(slots));
            return Ok(());
        }
        let pieces = self.count.div_ceil(PART);
        let mut accs = filled(output.to.len().saturating_mul(pieces), self.fold.start())?;
        hand_out(&mut accs.chunks_mut(1), &|at, acc| {
            let (row, piece) = (at / pieces, at % pieces);
            let last = self.count.min((piece + 1) * PART);
            acc[0] = self.run(row, piece * PART, last, &mut self.feed.open(self.read()));
        });
        output.share(Pieces::of(BLOCK), &|mut slots| {
            let first = slots.to.first();
            for at in 0..slots.to.len() {
                let row = &accs[(first + at) * pieces..][..pieces];
                let mut acc = [row[0]];
                row[1..].chunks(1).for_each(|later| self.fold.join(&mut acc, later));
                slots.put(at, &acc);
            }
        });
        Ok(())
    }

    /// Several whole rows.
    fn some(&self, mut slots: Slots<'_, I, A, O, P>) {
        let (first, results, count) = (slots.to.first(), slots.to.len(), self.count);
        let mut open = self.feed.open(self.read().min(results * count));
        let is_dense = self.feed.is_dense();
        if count > self.read() && !is_dense {
            for at in 0..results {
                slots.put(at, &[self.run(first + at, 0, count, &mut open)]);
            }
            return;
        }
        let each = if is_dense { TOGETHER } else { self.read() / count }.min(results);
        let mut accs: SmallVec<[A; 4]> = SmallVec::from_elem(self.fold.start(), each);
        for at in (0..results).step_by(each) {
            let accs = &mut accs[..each.min(results - at)];
            self.fold.rows(0, false, count, open.read((first + at) * count, accs.len() * count), accs);
            slots.put(at, accs);
        }
    }

    /// What the elements of one row from number `first` up to number `last` make: read at once where they lie dense, else in long runs of
    /// neighbours, else in blocks.
    fn run(&self, row: usize, first: usize, last: usize, open: &mut Open<'_, I>) -> A {
        let (at, run, is_dense) = (row * self.count, self.feed.run(), self.feed.is_dense());
        let (mut acc, mut start) = ([self.fold.start()], first);
        while start < last {
            let together = match run {
                _ if is_dense => last - first,
                BLOCK.. => run - (at + start) % run,
                _ => self.read(),
            };
            let len = together.min(last - start);
            self.fold.rows(start, start > first, len, open.read(at + start, len), &mut acc);
            start += len;
        }
        acc[0]
    }
}

/// Neighbours in the walk belong to different results.
struct FoldedColumns<'a, I, A, O, P> {
    fold: &'a dyn Folding<I, A, O, P>,
    feed: &'a Feed<'a, I>,
    /// How many results are neighbours, and how many elements each has.
    width: usize,
    count: usize,
}

impl<I: Native + Default, A: Partial, O: Native + Default, P: Native + Default> FoldedColumns<'_, I, A, O, P> {
    fn all(&self, outer: usize, output: &mut FoldOutput<'_, I, A, O, P>) -> Result<()> {
        let (wide, tiles) = (self.width.min(WIDTH), self.width.div_ceil(WIDTH));
        let all = part(outer * self.width * self.count);
        let group = ROWS * abreast(wide);
        // Where there are tiles enough to share, none is cut in two.
        let whole = outer * tiles >= SEVERAL && self.count * wide <= 2 * all;
        let rows = if whole { self.count } else { (all / wide / group * group).max(group).min(self.count) };
        let pieces = self.count.div_ceil(rows);
        // Few rows of few results: several tiles are one part.
        let each = (all / (wide * rows)).max(1);
        if pieces == 1 {
            let groups = if tiles == 1 { Pieces::of(each * wide) } else { Pieces { group: self.width, each: each.min(tiles) * wide } };
            output.share(groups, &|slots| self.whole(slots));
            return Ok(());
        }
        let mut accs = filled((outer * tiles * pieces).saturating_mul(wide), self.fold.start())?;
        hand_out(&mut accs.chunks_mut(each * wide), &|part, accs| {
            let mut open = self.feed.open(self.together() * wide);
            for (at, accs) in accs.chunks_mut(wide).enumerate() {
                let (tile, piece) = ((part * each + at) / pieces, (part * each + at) % pieces);
                let left = tile % tiles * WIDTH;
                let accs = &mut accs[..wide.min(self.width - left)];
                self.tile(tile / tiles, left, accs, piece * rows..self.count.min((piece + 1) * rows), &mut open);
            }
        });
        output.share(Pieces { group: self.width, each: wide }, &|mut slots| {
            let (first, width) = (slots.to.first(), slots.to.len());
            let tile = first / self.width * tiles + first % self.width / WIDTH;
            let pieces = &accs[tile * pieces * wide..][..pieces * wide];
            let mut joined = pieces[..width].to_vec();
            for piece in pieces[wide..].chunks(wide) {
                self.fold.join(&mut joined, &piece[..width]);
            }
            slots.put(0, &joined);
        });
        Ok(())
    }

    /// Tiles of all rows.
    fn whole(&self, mut slots: Slots<'_, I, A, O, P>) {
        let wide = self.width.min(WIDTH);
        let (mut open, mut accs) = (self.feed.open(self.together() * wide), vec![self.fold.start(); wide]);
        let (first, results) = (slots.to.first(), slots.to.len());
        let mut at = 0;
        while at < results {
            let (outer, left) = ((first + at) / self.width, (first + at) % self.width);
            let accs = &mut accs[..wide.min(self.width - left)];
            accs.fill(self.fold.start());
            self.tile(outer, left, accs, 0..self.count, &mut open);
            slots.put(at, accs);
            at += accs.len();
        }
    }

    /// How many rows are read at a time: where they are read as they lie, so many that a call for them costs little.
    fn together(&self) -> usize {
        let elements = if self.feed.is_dense() { 32 * BLOCK } else { 2 * BLOCK };
        let (wide, group) = (self.width.min(WIDTH), ROWS * abreast(self.width));
        (elements / wide / group * group).max(group).min(self.count)
    }

    /// Adds some rows to neighbouring results of one tile.
    fn tile(&self, outer: usize, left: usize, accs: &mut [A], rows: Range<usize>, open: &mut Open<'_, I>) {
        let (width, together) = (accs.len(), self.together());
        for row in rows.clone().step_by(together) {
            let at = (outer * self.count + row) * self.width + left;
            let (elements, step) = open.read_rows(at, [width, together.min(rows.end - row)], self.width);
            self.fold.tile(accs, row, Tile { elements, width, step });
        }
    }
}
