//! What a reduction makes of elements: a [`Fold`]. The loop over all elements (`folded`) is compiled for each kind of number, not for each
//! fold: it sees a [`Folding`], whose functions take many elements at a time and are compiled for each level of the processor.

use crate::element::Native;
use crate::kernels::level::{Job, vectorised};

/// Elements that a fold sees at a time.
pub(super) const BLOCK: usize = 1024;
/// How many rows tiles add before they add the sum to what is known: all tiles but the last have a multiple of it.
pub(super) const ROWS: usize = 8;

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
    pub(super) elements: &'a [T],
    pub(super) width: usize,
    /// Between the beginnings of rows.
    pub(super) step: usize,
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

/// A fold as the loop sees it: of many elements or results at a time, whatever is done with them.
pub(super) trait Folding<I: Copy, A, O>: Sync {
    /// What no elements make.
    fn start(&self) -> A;
    /// Adds to each what a row of `count` neighbours makes, the first of which is number `first` of its result. Blocks are joined in order,
    /// the first one only where something is `seen` already.
    fn rows(&self, first: usize, seen: bool, count: usize, elements: &[I], accs: &mut [A]);
    /// Adds a tile.
    fn tile(&self, accs: &mut [A], first: usize, tile: Tile<'_, I>);
    /// Adds to each what later elements make.
    fn join(&self, accs: &mut [A], later: &[A]);
    /// The results, when all elements were seen.
    fn finish(&self, accs: &[A], to: &mut [O]);
    /// Where they were found.
    fn places(&self, accs: &[A], to: &mut [i64]);
}

/// A fold, compiled.
pub(super) struct Each<'a, F>(pub(super) &'a F);

impl<F: Fold> Folding<F::Item, F::Acc, F::Out> for Each<'_, F> {
    fn start(&self) -> F::Acc {
        self.0.start()
    }

    fn rows(&self, first: usize, seen: bool, count: usize, elements: &[F::Item], accs: &mut [F::Acc]) {
        vectorised(SomeRows { fold: self.0, first, seen, count, elements, accs });
    }

    fn tile(&self, accs: &mut [F::Acc], first: usize, tile: Tile<'_, F::Item>) {
        vectorised(OneTile { fold: self.0, accs, first, tile });
    }

    fn join(&self, accs: &mut [F::Acc], later: &[F::Acc]) {
        for (acc, &later) in accs.iter_mut().zip(later) {
            *acc = self.0.join(*acc, later);
        }
    }

    fn finish(&self, accs: &[F::Acc], to: &mut [F::Out]) {
        for (to, &acc) in to.iter_mut().zip(accs) {
            *to = self.0.finish(acc);
        }
    }

    fn places(&self, accs: &[F::Acc], to: &mut [i64]) {
        for (to, &acc) in to.iter_mut().zip(accs) {
            *to = self.0.place(acc);
        }
    }
}

struct SomeRows<'a, F: Fold> {
    fold: &'a F,
    first: usize,
    seen: bool,
    count: usize,
    elements: &'a [F::Item],
    accs: &'a mut [F::Acc],
}

impl<F: Fold> Job for SomeRows<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { fold, first, seen, count, elements, accs } = self;
        // No closure: it might be compiled for other instructions than what it stands in.
        for (acc, row) in accs.iter_mut().zip(elements.chunks_exact(count)) {
            let (mut known, mut seen) = (*acc, seen);
            for (at, block) in row.chunks(BLOCK).enumerate() {
                let block = fold.row(first + at * BLOCK, block);
                known = if seen { fold.join(known, block) } else { block };
                seen = true;
            }
            *acc = known;
        }
    }
}

struct OneTile<'a, F: Fold> {
    fold: &'a F,
    accs: &'a mut [F::Acc],
    first: usize,
    tile: Tile<'a, F::Item>,
}

impl<F: Fold> Job for OneTile<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.fold.tile(self.accs, self.first, self.tile);
    }
}

/// The same elements, of which only the places are results.
pub(super) struct PlacesAlone<'a, I, A, O>(pub(super) &'a dyn Folding<I, A, O>);

impl<I: Copy, A, O> Folding<I, A, i64> for PlacesAlone<'_, I, A, O> {
    fn start(&self) -> A {
        self.0.start()
    }

    fn rows(&self, first: usize, seen: bool, count: usize, elements: &[I], accs: &mut [A]) {
        self.0.rows(first, seen, count, elements, accs);
    }

    fn tile(&self, accs: &mut [A], first: usize, tile: Tile<'_, I>) {
        self.0.tile(accs, first, tile);
    }

    fn join(&self, accs: &mut [A], later: &[A]) {
        self.0.join(accs, later);
    }

    fn finish(&self, accs: &[A], to: &mut [i64]) {
        self.0.places(accs, to);
    }

    fn places(&self, accs: &[A], to: &mut [i64]) {
        self.0.places(accs, to);
    }
}
