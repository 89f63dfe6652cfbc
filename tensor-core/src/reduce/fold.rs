//! What a reduction makes of elements: accumulators, which the rows of the table name, and a last formula. The loop over all elements
//! (`folded`) is compiled for each kind of number, not for each row: it sees a [`Folding`], whose functions take many elements at a time
//! and are compiled for each level of the processor.

use std::marker::PhantomData;

use crate::element::Native;
use crate::kernels::level::{Job, vectorised, widest};

/// Elements that a fold sees at a time.
pub(super) const BLOCK: usize = 1024;
/// How many rows tiles add before they add the sum to what is known: all tiles but the last have a multiple of it, times [`abreast`].
pub(super) const ROWS: usize = 8;
/// Numbers that are added side by side.
pub(super) const LANES: usize = 32;

/// How many rows of few numbers are one row beside each other.
pub(super) const fn abreast(width: usize) -> usize {
    if width < LANES { LANES / width } else { 1 }
}

/// What an element adds to accumulator number `AT` of a row, with the row's parameter.
pub(super) trait FoldTerm<T, const AT: usize>: 'static {
    type Out;

    fn of(x: T, given: f64) -> Self::Out;
}

/// What is known of elements. The parameter of the row goes to terms.
pub(super) trait Accumulator: 'static {
    /// What elements are read as.
    type Item: Native + Default;
    /// What is known of the elements seen so far.
    type Known: Copy + Send + Sync;
    /// Whether elements must come in the order of their indices.
    const ORDERED: bool = false;
    /// Whether it computes so much of each element that loops with the widest vectors are worth their code.
    const WIDEST: bool = false;

    /// What no elements make.
    fn start() -> Self::Known;
    /// What at most [`BLOCK`] neighbours make, the first of which is number `first` of its result.
    fn row(given: f64, first: usize, row: &[Self::Item]) -> Self::Known;
    /// What short rows of that many elements make, several at a time: the same as [`row`](Self::row) says of each. Says how many of the rows
    /// it was for.
    fn short_rows(_given: f64, _count: usize, _elements: &[Self::Item], _known: &mut [Self::Known]) -> usize {
        0
    }
    /// Adds the rows of a tile, of which the first holds the elements number `first`, to as many results.
    fn tile(given: f64, known: &mut [Self::Known], first: usize, tile: Tile<'_, Self::Item>);
    /// What two runs of elements make, of which `a` comes first.
    fn join(a: Self::Known, b: Self::Known) -> Self::Known;
    /// Where it was found.
    fn place(_: Self::Known) -> i64 {
        0
    }
}

/// Two accumulators of the same elements: each goes over a block of them, which is near.
impl<A: Accumulator, B: Accumulator<Item = A::Item>> Accumulator for (A, B) {
    type Item = A::Item;
    type Known = (A::Known, B::Known);
    const ORDERED: bool = A::ORDERED || B::ORDERED;

    fn start() -> Self::Known {
        (A::start(), B::start())
    }

    #[inline(always)]
    fn row(given: f64, first: usize, row: &[Self::Item]) -> Self::Known {
        (A::row(given, first, row), B::row(given, first, row))
    }

    #[inline(always)]
    fn tile(given: f64, known: &mut [Self::Known], first: usize, tile: Tile<'_, Self::Item>) {
        let (mut left, mut right): (Vec<_>, Vec<_>) = known.iter().copied().unzip();
        A::tile(given, &mut left, first, tile);
        B::tile(given, &mut right, first, tile);
        for (known, both) in known.iter_mut().zip(left.into_iter().zip(right)) {
            *known = both;
        }
    }

    #[inline(always)]
    fn join(a: Self::Known, b: Self::Known) -> Self::Known {
        (A::join(a.0, b.0), B::join(a.1, b.1))
    }
}

/// A fold of a row on elements that are read as `T`.
pub(super) trait Rule<T>: 'static {
    /// What is known: rows whose terms are the same have the same.
    type Accumulators: Accumulator<Item = T>;
    /// What a result is, before it is rounded to a dtype.
    type Out: Native + Default;
    /// What stands beside a result: its place, or another one.
    type Beside: Native + Default;
    /// Whether something does.
    const BESIDE: bool = false;

    /// The result, when all `count` elements were seen.
    fn finish(known: <Self::Accumulators as Accumulator>::Known, count: f64, given: f64) -> Self::Out;
    /// What stands beside it.
    fn beside(known: <Self::Accumulators as Accumulator>::Known) -> Self::Beside;
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

    /// So many elements from a row on, where rows lie without gaps and so many are left.
    #[inline(always)]
    pub(super) fn together(self, index: usize, count: usize) -> Option<&'a [T]> {
        let from = if self.step == self.width { self.elements.get(index * self.step..)? } else { return None };
        from.get(..count)
    }

    /// All rows.
    #[inline(always)]
    pub(super) fn rows(self) -> impl Iterator<Item = &'a [T]> {
        (0..self.len()).map(move |index| self.row(index))
    }
}

/// A fold as the loop sees it: of many elements or results at a time, whatever is done with them.
pub(super) trait Folding<I: Copy, A, O, P>: Sync {
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
    /// What stands beside them.
    fn beside(&self, accs: &[A], to: &mut [P]);
}

/// A fold of a row, compiled.
pub(super) struct Ruled<R, T> {
    /// How many elements each result has.
    pub(super) count: f64,
    /// The row's parameter.
    pub(super) given: f64,
    pub(super) rule: PhantomData<fn(T) -> R>,
}

/// What a row knows of elements.
pub(super) type Known<R, T> = <<R as Rule<T>>::Accumulators as Accumulator>::Known;

impl<T: Copy, R: Rule<T>> Folding<T, Known<R, T>, R::Out, R::Beside> for Ruled<R, T> {
    fn start(&self) -> Known<R, T> {
        R::Accumulators::start()
    }

    fn rows(&self, first: usize, seen: bool, count: usize, elements: &[T], accs: &mut [Known<R, T>]) {
        let job = ShortRows::<R::Accumulators> { given: self.given, first, seen, count, elements, accs };
        if const { R::Accumulators::WIDEST } { widest(job) } else { vectorised(job) }
    }

    fn tile(&self, accs: &mut [Known<R, T>], first: usize, tile: Tile<'_, T>) {
        let job = OneTile::<R::Accumulators> { given: self.given, accs, first, tile };
        if const { R::Accumulators::WIDEST } { widest(job) } else { vectorised(job) }
    }

    fn join(&self, accs: &mut [Known<R, T>], later: &[Known<R, T>]) {
        for (acc, &later) in accs.iter_mut().zip(later) {
            *acc = R::Accumulators::join(*acc, later);
        }
    }

    fn finish(&self, accs: &[Known<R, T>], to: &mut [R::Out]) {
        for (to, &acc) in to.iter_mut().zip(accs) {
            *to = R::finish(acc, self.count, self.given);
        }
    }

    fn beside(&self, accs: &[Known<R, T>], to: &mut [R::Beside]) {
        for (to, &acc) in to.iter_mut().zip(accs) {
            *to = R::beside(acc);
        }
    }
}

struct ShortRows<'a, A: Accumulator> {
    given: f64,
    first: usize,
    seen: bool,
    count: usize,
    elements: &'a [A::Item],
    accs: &'a mut [A::Known],
}

impl<A: Accumulator> Job for ShortRows<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { given, first, seen, count, elements, accs } = self;
        let done = if seen { 0 } else { A::short_rows(given, count, elements, accs) };
        // No closure: it might be compiled for other instructions than what it stands in.
        for number in done..accs.len() {
            let row = &elements[number * count..][..count];
            let (mut known, mut seen) = (accs[number], seen);
            for (at, block) in row.chunks(BLOCK).enumerate() {
                let block = A::row(given, first + at * BLOCK, block);
                known = if seen { A::join(known, block) } else { block };
                seen = true;
            }
            accs[number] = known;
        }
    }
}

struct OneTile<'a, A: Accumulator> {
    given: f64,
    accs: &'a mut [A::Known],
    first: usize,
    tile: Tile<'a, A::Item>,
}

impl<A: Accumulator> Job for OneTile<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        A::tile(self.given, self.accs, self.first, self.tile);
    }
}
