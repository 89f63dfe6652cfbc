//! The loop of reductions. A [`Fold`] says what neighbouring elements make together; here is how all elements of a tensor reach it:
//! as rows, where what is reduced lies dense, else as columns of tiles.
//!
//! The parts that threads work on depend on the sizes alone, and their results are joined in order: every number of threads gives
//! the same bits.

use crate::element::Native;
use crate::error::Result;
use crate::geometry::Dims;
use crate::geometry::order::fastest_first;
use crate::kernels::block::{Feed, Open, Reader};
use crate::kernels::level::{Job, vectorised};
use crate::kernels::parts::hand_out;
use crate::program::Computed;
use crate::raw::RawTensor;
use crate::storage::{Access, UntypedStorage};
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
    /// Whether elements must come in the order of their indices.
    const ORDERED: bool = false;

    /// What no elements make.
    fn start(&self) -> Self::Acc;
    /// What at most [`BLOCK`] neighbours make, the first of which is number `first` of its result.
    fn row(&self, first: usize, row: &[Self::Item]) -> Self::Acc;
    /// Adds the rows of a tile, of which the first holds the elements number `first`, to as many results.
    fn tile(&self, accs: &mut [Self::Acc], first: usize, tile: Tile<'_, Self::Item>);
    /// What two runs of elements make, of which `a` comes first.
    fn join(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc;
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

/// Sizes and strides of a walk, innermost dimension first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps {
    pub(crate) sizes: Dims,
    pub(crate) strides: Dims,
    /// Of each step, the dimensions of the tensor that it joins, innermost first.
    dims: SmallVec<[Dims; 4]>,
}

impl Steps {
    /// Dimensions of a tensor in their order, joined where they can be.
    pub(crate) fn in_order(tensor: &RawTensor, dims: impl DoubleEndedIterator<Item = usize>) -> Self {
        Self::along(tensor, dims.rev())
    }

    /// Dimensions of a tensor in the order of its memory.
    fn any_order(tensor: &RawTensor, dims: impl Iterator<Item = usize>) -> Self {
        let dims: Dims = dims.filter(|&dim| tensor.sizes()[dim] != 1).collect();
        let pick = |of: &[usize]| -> Dims { dims.iter().map(|&dim| of[dim]).collect() };
        let order = fastest_first(&pick(tensor.sizes()), &[pick(tensor.strides())]);
        Self::along(tensor, order.into_iter().map(|at| dims[at]))
    }

    /// Dimensions of a tensor, the innermost first.
    fn along(tensor: &RawTensor, dims: impl Iterator<Item = usize>) -> Self {
        let mut steps = Self::default();
        for dim in dims {
            let (size, stride) = (tensor.sizes()[dim], tensor.strides()[dim]);
            match (steps.sizes.last_mut(), steps.strides.last(), steps.dims.last_mut()) {
                _ if size == 1 => {}
                (Some(inner), Some(&step), Some(joined)) if step.checked_mul(*inner) == Some(stride) => {
                    *inner *= size;
                    joined.push(dim);
                }
                _ => {
                    steps.sizes.push(size);
                    steps.strides.push(stride);
                    steps.dims.push(Dims::from_elem(dim, 1));
                }
            }
        }
        steps
    }

    pub(super) fn count(&self) -> usize {
        self.sizes.iter().product()
    }

    /// The steps from number `first` up to number `end`.
    fn some(&self, first: usize, end: usize) -> Self {
        Self { sizes: self.sizes[first..end].into(), strides: self.strides[first..end].into(), dims: self.dims[first..end].into() }
    }

    /// One walk after another, `self` the innermost.
    pub(super) fn then(mut self, outer: &Self) -> Self {
        self.sizes.extend_from_slice(&outer.sizes);
        self.strides.extend_from_slice(&outer.strides);
        self.dims.extend(outer.dims.iter().cloned());
        self
    }
}

/// What is reduced.
#[derive(Clone, Copy)]
pub(crate) enum Input<'a> {
    /// The elements of a tensor.
    Tensor(&'a RawTensor),
    /// What an expression gives, computed where it is read.
    Computed(&'a Computed<'a>),
}

impl<'a> Input<'a> {
    /// The tensor, or one without data of the same dtype and geometry.
    pub(super) fn tensor(self) -> &'a RawTensor {
        match self {
            Self::Tensor(tensor) => tensor,
            Self::Computed(computed) => computed.result(),
        }
    }

    /// What must be held while elements are read.
    fn storages(self) -> SmallVec<[&'a UntypedStorage; 8]> {
        match self {
            Self::Tensor(tensor) => SmallVec::from_iter([tensor.storage()]),
            Self::Computed(computed) => computed.storages(),
        }
    }

    fn feed<T: Native + Default>(self, access: &'a Access<'_>, steps: &Steps) -> Result<Feed<'a, T>> {
        match self {
            Self::Tensor(tensor) => Reader::new(access, tensor, &steps.sizes, &steps.strides).map(Feed::Memory),
            Self::Computed(computed) => computed.feed(access, &steps.dims.concat()),
        }
    }
}

/// In which order elements are read.
struct Walk {
    steps: Steps,
    /// Whether neighbours belong to different results; then how many results are neighbours.
    width: Option<usize>,
    /// How many elements each result has.
    count: usize,
    /// How many results there are, or how many groups of neighbours.
    outer: usize,
}

impl Walk {
    fn new(tensor: &RawTensor, reduced: &[bool], ordered: bool) -> Self {
        let dims = |is_reduced: bool| (0..tensor.rank()).filter(move |&dim| reduced[dim] == is_reduced);
        let inner = if ordered { Steps::in_order(tensor, dims(true)) } else { Steps::any_order(tensor, dims(true)) };
        let kept = Steps::in_order(tensor, dims(false));
        let count = inner.count();
        match (kept.strides.first(), inner.strides.first()) {
            (Some(near), Some(far)) if near < far => {
                let (width, outer) = (kept.sizes[0], kept.some(1, kept.sizes.len()));
                Self { steps: kept.some(0, 1).then(&inner).then(&outer), width: Some(width), count, outer: outer.count() }
            }
            _ => Self { outer: kept.count(), steps: inner.then(&kept), width: None, count },
        }
    }
}

/// What the elements of each result make, in row-major order of the dimensions that are kept. No size is 0.
pub(super) fn fold<F: Fold>(input: Input<'_>, reduced: &[bool], fold: &F) -> Result<Vec<F::Acc>> {
    let Walk { steps, width, count, outer } = Walk::new(input.tensor(), reduced, F::ORDERED);
    let access = Access::lock(&[], &input.storages())?;
    let feed = &input.feed(&access, &steps)?;
    Ok(match width {
        Some(width) => Columns { fold, feed, width, count }.all(outer),
        None => Rows { fold, feed, count }.all(outer),
    })
}

/// The reduced elements of each result are neighbours in the walk.
struct Rows<'a, F: Fold> {
    fold: &'a F,
    feed: &'a Feed<'a, F::Item>,
    count: usize,
}

impl<F: Fold> Rows<'_, F> {
    fn all(&self, results: usize) -> Vec<F::Acc> {
        if self.count <= PART {
            let mut accs = vec![self.fold.start(); results];
            let each = (PART / self.count).max(1);
            hand_out(accs.chunks_mut(each), |at, accs| vectorised(SomeRows { rows: self, first: at * each, accs }));
            return accs;
        }
        let pieces = self.count.div_ceil(PART);
        let mut accs = vec![self.fold.start(); results * pieces];
        hand_out(accs.chunks_mut(1), |at, acc| {
            let (row, piece) = (at / pieces, at % pieces);
            let last = self.count.min((piece + 1) * PART);
            acc[0] = vectorised(OneRow { rows: self, row, first: piece * PART, last });
        });
        accs.chunks(pieces).map(|row| row[1..].iter().fold(row[0], |a, &b| self.fold.join(a, b))).collect()
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
    first: usize,
    accs: &'a mut [F::Acc],
}

impl<F: Fold> Job for SomeRows<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { rows: rows @ &Rows { fold, feed, count }, first, accs } = self;
        let mut open = feed.open(BLOCK.min(accs.len() * count));
        if count > BLOCK {
            for (at, acc) in accs.iter_mut().enumerate() {
                *acc = rows.read_run(first + at, 0, count, &mut open);
            }
            return;
        }
        let each = BLOCK / count;
        for (at, accs) in accs.chunks_mut(each).enumerate() {
            let elements = open.read((first + at * each) * count, accs.len() * count);
            for (acc, row) in accs.iter_mut().zip(elements.chunks_exact(count)) {
                *acc = fold.row(0, row);
            }
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
    fn all(&self, outer: usize) -> Vec<F::Acc> {
        let (wide, tiles) = (self.width.min(WIDTH), self.width.div_ceil(WIDTH));
        let all = part(outer * self.width * self.count);
        let rows = (all / wide / ROWS * ROWS).max(ROWS).min(self.count);
        let pieces = self.count.div_ceil(rows);
        // Few rows of few results: several tiles are one part.
        let each = (all / (wide * rows)).max(1);
        let mut accs = vec![self.fold.start(); outer * tiles * pieces * wide];
        hand_out(accs.chunks_mut(each * wide), |part, accs| {
            let mut open = self.feed.open(self.together() * wide);
            for (at, accs) in accs.chunks_mut(wide).enumerate() {
                let (tile, piece) = ((part * each + at) / pieces, (part * each + at) % pieces);
                let left = tile % tiles * WIDTH;
                let accs = &mut accs[..wide.min(self.width - left)];
                let rows = piece * rows..self.count.min((piece + 1) * rows);
                vectorised(OneTile { columns: self, outer: tile / tiles, left, accs, rows, open: &mut open });
            }
        });
        if pieces == 1 && tiles == 1 {
            return accs;
        }
        let mut results = Vec::with_capacity(outer * self.width);
        for (tile, pieces) in accs.chunks(pieces * wide).enumerate() {
            let (width, at) = (wide.min(self.width - tile % tiles * WIDTH), results.len());
            let mut pieces = pieces.chunks(wide).map(|piece| &piece[..width]);
            results.extend_from_slice(pieces.next().unwrap_or_default());
            for piece in pieces {
                results[at..].iter_mut().zip(piece).for_each(|(acc, &other)| *acc = self.fold.join(*acc, other));
            }
        }
        results
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
