//! How a grid of elements is cut into blocks: tiles of its two innermost dimensions, or where those are tiny, runs across them.

use smallvec::SmallVec;

use super::lane::{Lane, innermost};
use crate::geometry::{Dims, count};

/// From here on a row is worth a block of its own.
const LONG: usize = 128;
/// The columns and rows of a tile where some operand's columns are contiguous: whole lines of the cache on both sides, and so many that
/// the processor sees where the next come from.
const TURNED: [usize; 2] = [32, 64];

/// The shape of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut {
    /// That many columns and rows of the two innermost dimensions, at most.
    Tiles([usize; 2]),
    /// That many elements in the order of the walk, at most.
    Runs(usize),
}

/// Some elements of a grid.
#[derive(Clone, Copy, Debug)]
pub(super) enum Section<'a> {
    /// Columns and rows from a place on.
    Tile { at: &'a [usize], counts: [usize; 2] },
    /// Elements of the walk.
    Run { first: usize, len: usize },
}

/// A rectangle of the two innermost dimensions.
pub(super) struct Rectangle<'a> {
    pub(super) at: &'a [usize],
    pub(super) counts: [usize; 2],
    /// How many elements of the block come before it.
    pub(super) done: usize,
}

/// The two innermost sizes.
fn inner(sizes: &[usize]) -> [usize; 2] {
    innermost(sizes, 1)
}

impl Cut {
    /// Blocks of at most that many elements that suit the lanes.
    pub(super) fn new<'a>(sizes: &[usize], lanes: impl Iterator<Item = &'a Lane<'a>>, block: usize) -> Self {
        let [columns, rows] = inner(sizes);
        let mut lanes = lanes;
        let tile = if lanes.any(|lane| is_transposed(lane)) && columns.min(rows) > 1 {
            [columns.min(TURNED[0]), rows.min(TURNED[1])]
        } else if columns >= LONG.min(block) {
            [columns.min(block), 1]
        } else {
            [columns, (block / columns).clamp(1, rows)]
        };
        let tiny = sizes.len() > 2 && columns * rows < LONG;
        if tiny { Self::Runs(block) } else { Self::Tiles(tile) }
    }

    /// Whether a lane's columns are contiguous and the tiles have several rows: then it is turned.
    pub(super) fn turns(self, lane: &Lane<'_>) -> bool {
        matches!(self, Self::Tiles([columns, rows]) if columns > 1 && rows > 1) && is_transposed(lane) && !lane.is_places()
    }

    /// How many blocks there are.
    pub(super) fn count(self, sizes: &[usize]) -> usize {
        match self {
            Self::Tiles(tile) => {
                let [columns, rows] = inner(sizes);
                columns.div_ceil(tile[0]) * rows.div_ceil(tile[1]) * sizes.iter().skip(2).product::<usize>()
            }
            Self::Runs(len) => count(sizes).div_ceil(len),
        }
    }

    /// The most elements of a block.
    pub(super) fn len(self) -> usize {
        match self {
            Self::Tiles([columns, rows]) => columns * rows,
            Self::Runs(len) => len,
        }
    }

    /// Whether a lane's elements of each block lie next to each other, in the order of the block.
    pub(super) fn keeps_dense(self, sizes: &[usize], lane: &Lane<'_>) -> bool {
        let item = lane.dtype.itemsize();
        match self {
            _ if sizes.is_empty() => true,
            Self::Tiles([columns, rows]) => {
                lane.steps[0] == item && (rows == 1 || (columns == sizes[0] && lane.steps[1] == columns * item))
            }
            Self::Runs(_) => lane.is_dense(sizes),
        }
    }

    /// Visits the blocks from number `first` up to number `end`.
    pub(super) fn visit(self, sizes: &[usize], first: usize, end: usize, mut visit: impl FnMut(Section<'_>)) {
        match self {
            Self::Runs(most) => {
                let numel = count(sizes);
                (first..end).for_each(|block| visit(Section::Run { first: block * most, len: most.min(numel - block * most) }));
            }
            Self::Tiles([columns, rows]) => {
                // How far each coordinate goes at a time.
                let stride = |dim: usize| [columns, rows].get(dim).copied().unwrap_or(1);
                let mut at: Dims = SmallVec::from_elem(0, sizes.len());
                let mut rest = first;
                for (dim, (at, &size)) in at.iter_mut().zip(sizes).enumerate() {
                    let steps = size.div_ceil(stride(dim));
                    *at = rest % steps * stride(dim);
                    rest /= steps;
                }
                let [width, height] = inner(sizes);
                for _ in first..end {
                    let [x, y] = innermost(&at, 0);
                    visit(Section::Tile { at: &at, counts: [columns.min(width - x), rows.min(height - y)] });
                    for (dim, (at, &size)) in at.iter_mut().zip(sizes).enumerate() {
                        *at += stride(dim);
                        if *at < size {
                            break;
                        }
                        *at = 0;
                    }
                }
            }
        }
    }
}

/// Whether neighbours of a column lie next to each other, and those of a row far apart.
fn is_transposed(lane: &Lane<'_>) -> bool {
    matches!(lane.steps.as_slice(), [row, column, ..] if *column == lane.dtype.itemsize() && *row > *column)
}

impl Section<'_> {
    pub(super) fn len(self) -> usize {
        match self {
            Self::Tile { counts: [columns, rows], .. } => columns * rows,
            Self::Run { len, .. } => len,
        }
    }

    /// Its first element.
    pub(super) fn first(self) -> Self {
        match self {
            Self::Tile { at, .. } => Self::Tile { at, counts: [1, 1] },
            Self::Run { first, .. } => Self::Run { first, len: 1 },
        }
    }

    /// Whether it is a part of a row.
    pub(super) fn is_row(self) -> bool {
        matches!(self, Self::Tile { counts: [_, 1], .. })
    }

    /// Where a lane that is dense in it has its elements.
    pub(super) fn address(self, lane: &Lane<'_>) -> *mut u8 {
        match self {
            Self::Tile { at, .. } => lane.address(at),
            Self::Run { first, .. } => lane.start.wrapping_add(first * lane.dtype.itemsize()),
        }
    }

    /// Visits its elements on as few rectangles.
    pub(super) fn rectangles(self, sizes: &[usize], mut visit: impl FnMut(Rectangle<'_>)) {
        match self {
            Self::Tile { at, counts } => visit(Rectangle { at, counts, done: 0 }),
            Self::Run { first, len } => walk(sizes, first, len, visit),
        }
    }
}

/// Visits `len` elements from number `first` on as few rectangles.
pub(super) fn walk(sizes: &[usize], first: usize, len: usize, mut visit: impl FnMut(Rectangle<'_>)) {
    let [inner, outer] = inner(sizes);
    let mut at: Dims = SmallVec::from_elem(0, sizes.len().max(2));
    let mut done = 0;
    while done < len {
        let mut rest = first + done;
        for (at, &size) in at.iter_mut().zip(sizes) {
            *at = rest % size;
            rest /= size;
        }
        let counts = if at[0] == 0 && len - done >= inner {
            [inner, ((len - done) / inner).min(outer - at[1])]
        } else {
            [(inner - at[0]).min(len - done), 1]
        };
        visit(Rectangle { at: &at[..sizes.len()], counts, done });
        done += counts[0] * counts[1];
    }
}

#[cfg(test)]
mod tests {
    use super::{Cut, Section};

    /// Every element of the grid, as often as the blocks visit it.
    fn visits(sizes: &[usize], cut: Cut, parts: usize) -> Vec<u32> {
        let mut seen = vec![0; sizes.iter().product()];
        let blocks = cut.count(sizes);
        for part in 0..parts {
            cut.visit(sizes, blocks * part / parts, blocks * (part + 1) / parts, |block| {
                let mut total = 0;
                block.rectangles(sizes, |rectangle| {
                    assert_eq!(rectangle.done, total);
                    total += rectangle.counts[0] * rectangle.counts[1];
                    for y in 0..rectangle.counts[1] {
                        for x in 0..rectangle.counts[0] {
                            let mut place = 0;
                            for (dim, &size) in sizes.iter().enumerate().rev() {
                                let at = rectangle.at[dim] + [x, y].get(dim).copied().unwrap_or(0);
                                assert!(at < size, "{at} of {size} in {block:?}");
                                place = place * size + at;
                            }
                            seen[place] += 1;
                        }
                    }
                });
                assert_eq!(total, block.len());
                assert!(total <= cut.len(), "{block:?} of {cut:?}");
            });
        }
        seen
    }

    #[test]
    fn blocks_cover_a_grid_once() {
        let grids: [&[usize]; 8] = [&[], &[1], &[1000], &[7, 5], &[100, 3], &[2, 3, 50], &[33, 65, 2], &[2, 2, 2, 2, 2]];
        for sizes in grids {
            for cut in [Cut::Tiles([1, 1]), Cut::Tiles([32, 32]), Cut::Tiles([64, 1]), Cut::Tiles([1000, 4]), Cut::Runs(17), Cut::Runs(1)] {
                for parts in [1, 3] {
                    let seen = visits(sizes, cut, parts);
                    assert!(seen.iter().all(|&visits| visits == 1), "{sizes:?} {cut:?} in {parts} parts: {seen:?}");
                }
            }
        }
    }

    #[test]
    fn a_block_of_a_scalar_is_one_element() {
        Cut::Tiles([1, 1]).visit(&[], 0, 1, |block| assert!(matches!(block, Section::Tile { at: &[], counts: [1, 1] })));
    }
}
