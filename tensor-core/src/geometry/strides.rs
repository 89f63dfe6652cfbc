//! Strides of dense tensors: memory formats, what counts as contiguous, the order of dimensions, and which strides a copy keeps.

use super::{Dims, LARGEST, times};
use crate::error::{Error, Result};
use crate::layout::MemoryFormat;

const CHANNELS_LAST: &[usize] = &[1, 3, 2, 0];
const CHANNELS_LAST_3D: &[usize] = &[1, 4, 3, 2, 0];

/// Row-major strides; a size of 0 counts as 1, so that they never shrink on the way out.
#[must_use]
pub fn contiguous_strides(sizes: &[usize]) -> Dims {
    let mut strides = Dims::from_elem(1, sizes.len());
    for d in (1..sizes.len()).rev() {
        strides[d - 1] = times(strides[d], sizes[d].max(1));
    }
    strides
}

/// The strides of a new tensor in that memory format.
pub fn strides_for(format: MemoryFormat, sizes: &[usize]) -> Result<Dims> {
    match format {
        MemoryFormat::Contiguous => {
            let strides = contiguous_strides(sizes);
            let exact = (1..sizes.len()).all(|d| strides[d].checked_mul(sizes[d].max(1)).is_some_and(|s| s <= LARGEST));
            exact.then_some(strides).ok_or_else(|| Error::runtime("Stride calculation overflowed"))
        }
        MemoryFormat::ChannelsLast if sizes.len() != 4 => Err(Error::runtime("required rank 4 tensor to use channels_last format")),
        MemoryFormat::ChannelsLast3d if sizes.len() != 5 => Err(Error::runtime("required rank 5 tensor to use channels_last_3d format")),
        MemoryFormat::ChannelsLast => Ok(running_products(sizes, CHANNELS_LAST)),
        MemoryFormat::ChannelsLast3d => Ok(running_products(sizes, CHANNELS_LAST_3D)),
        MemoryFormat::Preserve => Err(Error::runtime("unsupported memory format Preserve")),
    }
}

/// Dense strides where the dimensions follow each other in that order, the innermost first.
pub(super) fn running_products(sizes: &[usize], order: &[usize]) -> Dims {
    let mut strides = Dims::from_elem(0, sizes.len());
    let mut stride = 1;
    for &d in order {
        strides[d] = stride;
        stride = times(stride, sizes[d]);
    }
    strides
}

/// Whether the strides are running products in that order, not counting dimensions of size 1.
fn is_dense_in_order(sizes: &[usize], strides: &[usize], order: impl IntoIterator<Item = usize>) -> bool {
    let mut expected = 1;
    order.into_iter().filter(|&d| sizes[d] != 1).all(|d| {
        let here = strides[d] == expected;
        expected = times(expected, sizes[d]);
        here
    })
}

/// Whether the elements lie without gaps in the order of that format; `Preserve` asks for row-major order.
#[must_use]
pub fn is_contiguous(sizes: &[usize], strides: &[usize], format: MemoryFormat) -> bool {
    match format {
        MemoryFormat::Contiguous | MemoryFormat::Preserve => {
            sizes.contains(&0) || is_dense_in_order(sizes, strides, (0..sizes.len()).rev())
        }
        MemoryFormat::ChannelsLast => sizes.len() == 4 && is_dense_in_order(sizes, strides, CHANNELS_LAST.iter().copied()),
        MemoryFormat::ChannelsLast3d => sizes.len() == 5 && is_dense_in_order(sizes, strides, CHANNELS_LAST_3D.iter().copied()),
    }
}

/// Whether the elements fill a range of memory without gaps, in whatever order of the dimensions.
#[must_use]
pub fn is_non_overlapping_and_dense(sizes: &[usize], strides: &[usize]) -> bool {
    if [MemoryFormat::Contiguous, MemoryFormat::ChannelsLast, MemoryFormat::ChannelsLast3d]
        .iter()
        .any(|&f| is_contiguous(sizes, strides, f))
    {
        return true;
    }
    let mut order: Dims = (0..sizes.len()).filter(|&d| sizes[d] > 1).collect();
    order.sort_by_key(|&d| strides[d]);
    is_dense_in_order(sizes, strides, order)
}

/// The memory format that the strides look like: channels-last where they are, row-major for all else.
#[must_use]
pub fn suggest_memory_format(sizes: &[usize], strides: &[usize]) -> MemoryFormat {
    match sizes.len() {
        4 if resembles(sizes, strides, CHANNELS_LAST) => MemoryFormat::ChannelsLast,
        5 if resembles(sizes, strides, CHANNELS_LAST_3D) => MemoryFormat::ChannelsLast3d,
        _ => MemoryFormat::Contiguous,
    }
}

/// Whether the strides grow in that order without overlap. Where channels and batch alone could be read both ways
/// (N111, NC11), the answer is no.
fn resembles(sizes: &[usize], strides: &[usize], order: &[usize]) -> bool {
    let mut least = 0;
    strides[1] != 0
        && order.iter().all(|&d| {
            let ambiguous = d == 0 && least == strides[1];
            let fits = sizes[d] != 0 && strides[d] >= least && !ambiguous;
            least = times(strides[d], sizes[d].max(1));
            fits
        })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Compared {
    InOrder,
    Swapped,
    Undecided,
}

/// The dimensions from the innermost to the outermost, by the strides of the first operand that tells two of them apart.
/// Stride 0 tells nothing, and dimensions that nothing tells apart stay in row-major order.
///
/// The strides of every operand must be aligned to `sizes`.
#[must_use]
pub fn fastest_first<S: AsRef<[usize]>>(sizes: &[usize], operands: &[S]) -> Dims {
    let mut order = Dims::new();
    for d in (0..sizes.len()).rev() {
        order.push(d);
    }
    sort_fastest(&mut order, sizes, operands);
    order
}

/// The same of some of the dimensions, which come in row-major order from the innermost on.
pub(super) fn sort_fastest<S: AsRef<[usize]>>(order: &mut [usize], sizes: &[usize], operands: &[S]) {
    let compare = |inner: usize, outer: usize| {
        for strides in operands {
            let (a, b) = (strides.as_ref()[inner], strides.as_ref()[outer]);
            if a == 0 || b == 0 {
                continue;
            }
            if a != b {
                return if a < b { Compared::InOrder } else { Compared::Swapped };
            }
            // Of two equal strides that of the smaller size is the inner one; else the next operand decides.
            if sizes[inner] > sizes[outer] {
                return Compared::Swapped;
            }
        }
        Compared::Undecided
    };
    for sorted in 1..order.len() {
        let mut moving = sorted;
        for place in (0..sorted).rev() {
            match compare(order[place], order[moving]) {
                Compared::Swapped => {
                    order.swap(place, moving);
                    moving = place;
                }
                Compared::InOrder => break,
                Compared::Undecided => {}
            }
        }
    }
}

/// The strides of a copy that keeps the memory format: those of a dense tensor as they are; for others dense ones in the
/// same order of dimensions.
#[must_use]
pub fn preserve_strides(sizes: &[usize], strides: &[usize]) -> Dims {
    if is_non_overlapping_and_dense(sizes, strides) {
        return strides.into();
    }
    let order = fastest_first(sizes, &[strides]);
    running_products(&sizes.iter().map(|&size| size.max(1)).collect::<Dims>(), &order)
}

/// The strides of a copy in that memory format.
pub fn strides_of_copy(format: MemoryFormat, sizes: &[usize], strides: &[usize]) -> Result<Dims> {
    match format {
        MemoryFormat::Preserve => Ok(preserve_strides(sizes, strides)),
        format => strides_for(format, sizes),
    }
}
