//! The loop of reductions. A [`Fold`] says what neighbouring elements make together; here is how all elements of a tensor reach it:
//! as rows, where what is reduced lies dense, else as columns of tiles.
//!
//! The parts that threads work on depend on the sizes alone, and their results are joined in order: every number of threads gives
//! the same bits.

use crate::element::Native;
use crate::error::Result;
use crate::geometry::Dims;
use crate::geometry::merge::merge_dims;
use crate::kernels::block::Reader;
use crate::kernels::level::{Job, vectorised};
use crate::kernels::parts::collect;
use crate::raw::RawTensor;
use crate::storage::Access;

/// Elements that a fold sees at a time.
pub(super) const BLOCK: usize = 1024;
/// Elements of one part of the work.
const PART: usize = 64 * BLOCK;
/// Results that one tile computes side by side.
const WIDTH: usize = 512;

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
}

impl Steps {
    /// Dimensions of a tensor in their order, joined where they can be.
    pub(crate) fn in_order(tensor: &RawTensor, dims: impl DoubleEndedIterator<Item = usize>) -> Self {
        let mut steps = Self::default();
        for dim in dims.rev() {
            let (size, stride) = (tensor.sizes()[dim], tensor.strides()[dim]);
            match (steps.sizes.last_mut(), steps.strides.last()) {
                _ if size == 1 => {}
                (Some(inner), Some(&step)) if step.checked_mul(*inner) == Some(stride) => *inner *= size,
                _ => {
                    steps.sizes.push(size);
                    steps.strides.push(stride);
                }
            }
        }
        steps
    }

    /// Dimensions of a tensor in the order of its memory.
    fn any_order(tensor: &RawTensor, dims: impl Iterator<Item = usize> + Clone) -> Self {
        let sizes: Dims = dims.clone().map(|dim| tensor.sizes()[dim]).collect();
        let strides: Dims = dims.map(|dim| tensor.strides()[dim]).collect();
        let mut merged = merge_dims(&sizes, &[strides]);
        merged.sizes.reverse();
        let mut strides = merged.strides.remove(0);
        strides.reverse();
        Self { sizes: merged.sizes, strides }
    }

    pub(super) fn count(&self) -> usize {
        self.sizes.iter().product()
    }

    /// One walk after another, `self` the innermost.
    pub(super) fn then(mut self, outer: &Self) -> Self {
        self.sizes.extend_from_slice(&outer.sizes);
        self.strides.extend_from_slice(&outer.strides);
        self
    }
}

/// What the elements of each result make, in row-major order of the dimensions that are kept. No size is 0.
pub(super) fn fold<F: Fold>(input: &RawTensor, reduced: &[bool], fold: &F) -> Result<Vec<F::Acc>> {
    let dims = |is_reduced: bool| (0..input.rank()).filter(move |&dim| reduced[dim] == is_reduced);
    let inner = if F::ORDERED { Steps::in_order(input, dims(true)) } else { Steps::any_order(input, dims(true)) };
    let kept = Steps::in_order(input, dims(false));
    let access = Access::lock(&[], &[input.storage()])?;
    let columns = match (kept.strides.first(), inner.strides.first()) {
        (Some(&kept), Some(&inner)) => kept < inner,
        _ => false,
    };
    if columns {
        let width = kept.sizes[0];
        let outer = Steps { sizes: kept.sizes[1..].into(), strides: kept.strides[1..].into() };
        let count = inner.count();
        let neighbours = Steps { sizes: kept.sizes[..1].into(), strides: kept.strides[..1].into() };
        let steps = neighbours.then(&inner).then(&outer);
        let reader = Reader::new(&access, input, &steps.sizes, &steps.strides)?;
        return Ok(Columns { fold, reader: &reader, width, count }.all(outer.count()));
    }
    let (count, results) = (inner.count(), kept.count());
    let steps = inner.then(&kept);
    let reader = Reader::new(&access, input, &steps.sizes, &steps.strides)?;
    Ok(Rows { fold, reader: &reader, count }.all(results))
}

/// Does all parts, by threads where there is more than one, and gives their results in order.
pub(super) fn parts<R: Send>(count: usize, part: impl Fn(usize) -> R + Sync + Send) -> Vec<R> {
    if count <= 1 { (0..count).map(part).collect() } else { collect(count, part) }
}

/// The reduced elements of each result are neighbours in the walk.
struct Rows<'a, F: Fold> {
    fold: &'a F,
    reader: &'a Reader<'a, F::Item>,
    count: usize,
}

impl<F: Fold> Rows<'_, F> {
    fn all(&self, results: usize) -> Vec<F::Acc> {
        if self.count <= PART {
            let each = (PART / self.count).max(1);
            let parts = parts(results.div_ceil(each), |part| {
                let (first, last) = (part * each, results.min((part + 1) * each));
                vectorised(SomeRows { rows: self, first, last })
            });
            return concat(parts);
        }
        let pieces = self.count.div_ceil(PART);
        let parts = parts(results * pieces, |part| {
            let (row, piece) = (part / pieces, part % pieces);
            vectorised(OneRow { rows: self, row, first: piece * PART, last: self.count.min((piece + 1) * PART) })
        });
        parts.chunks(pieces).map(|row| row[1..].iter().fold(row[0], |a, &b| self.fold.join(a, b))).collect()
    }

    /// What the elements of one row from `first` on make, read already.
    #[inline(always)]
    fn run(&self, first: usize, elements: &[F::Item]) -> F::Acc {
        let mut blocks = elements.chunks(BLOCK).enumerate();
        let Some((_, block)) = blocks.next() else { return self.fold.start() };
        blocks.fold(self.fold.row(first, block), |acc, (at, block)| self.fold.join(acc, self.fold.row(first + at * BLOCK, block)))
    }

    /// The same for elements that are yet to be read, in blocks.
    #[inline(always)]
    fn read_run(&self, row: usize, first: usize, last: usize, scratch: &mut [F::Item]) -> F::Acc {
        let at = row * self.count;
        if self.reader.is_dense() {
            return self.run(first, self.reader.read(at + first, last - first, scratch));
        }
        let mut acc = self.fold.start();
        for start in (first..last).step_by(BLOCK) {
            let len = BLOCK.min(last - start);
            let block = self.fold.row(start, self.reader.read(at + start, len, scratch));
            acc = if start == first { block } else { self.fold.join(acc, block) };
        }
        acc
    }
}

/// Several whole rows.
struct SomeRows<'a, F: Fold> {
    rows: &'a Rows<'a, F>,
    first: usize,
    last: usize,
}

impl<F: Fold> Job for SomeRows<'_, F> {
    type Output = Vec<F::Acc>;

    #[inline(always)]
    fn run(self) -> Vec<F::Acc> {
        let Self { rows, first, last } = self;
        let mut scratch = vec![F::Item::default(); BLOCK.min((last - first) * rows.count)];
        let mut results = Vec::with_capacity(last - first);
        if rows.count > BLOCK {
            results.extend((first..last).map(|row| rows.read_run(row, 0, rows.count, &mut scratch)));
            return results;
        }
        let each = BLOCK / rows.count;
        for row in (first..last).step_by(each) {
            let some = each.min(last - row);
            let elements = rows.reader.read(row * rows.count, some * rows.count, &mut scratch);
            results.extend(elements.chunks_exact(rows.count).map(|row| rows.fold.row(0, row)));
        }
        results
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
        let mut scratch = vec![F::Item::default(); BLOCK];
        self.rows.read_run(self.row, self.first, self.last, &mut scratch)
    }
}

/// Neighbours in the walk belong to different results.
struct Columns<'a, F: Fold> {
    fold: &'a F,
    reader: &'a Reader<'a, F::Item>,
    /// How many results are neighbours, and how many elements each has.
    width: usize,
    count: usize,
}

impl<F: Fold> Columns<'_, F> {
    fn all(&self, outer: usize) -> Vec<F::Acc> {
        let tiles = self.width.div_ceil(WIDTH);
        let wide = self.width.min(WIDTH);
        let rows = (PART / wide).min(self.count);
        let pieces = self.count.div_ceil(rows);
        // Few rows of few results: several tiles are one part.
        let total = outer * tiles * pieces;
        let each = (PART / (wide * rows)).max(1);
        let mut done = concat(parts(total.div_ceil(each), |part| {
            let tasks = part * each..total.min((part + 1) * each);
            let mut scratch = vec![F::Item::default(); BLOCK.max(wide)];
            tasks
                .map(|task| {
                    let (tile, piece) = (task / pieces, task % pieces);
                    let rows = piece * rows..self.count.min((piece + 1) * rows);
                    let left = tile % tiles * WIDTH;
                    let width = WIDTH.min(self.width - left);
                    vectorised(OneTile { columns: self, outer: tile / tiles, left, width, rows, scratch: &mut scratch })
                })
                .collect()
        }));
        if pieces == 1 {
            return done.concat();
        }
        let mut results = Vec::with_capacity(outer * self.width);
        for pieces in done.chunks_mut(pieces) {
            let (first, rest) = pieces.split_at_mut(1);
            for piece in rest {
                first[0].iter_mut().zip(piece.iter()).for_each(|(acc, &other)| *acc = self.fold.join(*acc, other));
            }
            results.append(&mut first[0]);
        }
        results
    }
}

/// Some neighbouring results of one tile, over some of its rows.
struct OneTile<'a, F: Fold> {
    columns: &'a Columns<'a, F>,
    outer: usize,
    left: usize,
    width: usize,
    rows: std::ops::Range<usize>,
    scratch: &'a mut [F::Item],
}

impl<F: Fold> Job for OneTile<'_, F> {
    type Output = Vec<F::Acc>;

    #[inline(always)]
    fn run(self) -> Vec<F::Acc> {
        let Self { columns, outer, left, width, rows, scratch } = self;
        let mut accs = vec![columns.fold.start(); width];
        let whole = columns.width == width;
        let together = if whole || columns.reader.is_dense() { (BLOCK / width).max(1) } else { 1 };
        let step = columns.width;
        for row in rows.clone().step_by(together) {
            let some = together.min(rows.end - row);
            let at = (outer * columns.count + row) * step + left;
            let elements = columns.reader.read(at, (some - 1) * step + width, scratch);
            columns.fold.tile(&mut accs, row, Tile { elements, width, step });
        }
        accs
    }
}

fn concat<T>(parts: Vec<Vec<T>>) -> Vec<T> {
    let mut all = Vec::with_capacity(parts.iter().map(Vec::len).sum());
    parts.into_iter().for_each(|part| all.extend(part));
    all
}
