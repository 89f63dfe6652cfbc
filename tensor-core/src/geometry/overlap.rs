//! Which elements share memory, decided exactly: within one tensor, and between an input and an output of one storage.
//!
//! Where PyTorch raises an error the answer says so; where it gives up and computes garbage, the answer says what to copy first.

use smallvec::SmallVec;

use super::Geometry;
use super::strides::is_non_overlapping_and_dense;
use super::sums::{Progression, is_sum};
use crate::error::{Error, Result};

/// Whether two elements of a tensor are one place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelfOverlap {
    /// Every element has a place of its own.
    None,
    /// A dimension is repeated by stride 0: PyTorch refuses to write to it.
    Repeated,
    /// Elements coincide in another way, as windows of `unfold` do: PyTorch writes to it in whatever order.
    Hidden,
}

/// How the memory of an input relates to that of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// No byte is shared.
    Disjoint,
    /// The same elements in the same order: each is read before it is written.
    Identical,
    /// Both fill ranges of memory that intersect: PyTorch's error.
    PartialDense,
    /// Bytes are shared in another order: the input must be copied first.
    Mixed,
}

/// Whether elements of one tensor coincide. Where that would take too long to tell, they count as coinciding.
#[must_use]
pub fn self_overlap(geometry: &Geometry) -> SelfOverlap {
    if is_non_overlapping_and_dense(&geometry.sizes, &geometry.strides) {
        return SelfOverlap::None;
    }
    let mut dims: SmallVec<[Progression; 8]> = terms(geometry, 1).collect();
    if dims.iter().any(|dim| dim.step == 0) {
        return SelfOverlap::Repeated;
    }
    dims.sort_by_key(|dim| dim.step);
    // Two coinciding elements differ by some d with steps · d = 0, of which one entry is the last that isn't 0, and positive.
    let mut below = 0_i128;
    for (last, dim) in dims.iter().enumerate() {
        if below >= dim.step {
            let smaller = dims[..last].iter().map(|dim| Progression { step: dim.step, most: 2 * dim.most });
            let differences = smaller.chain([Progression { step: dim.step, most: dim.most - 1 }]);
            if is_sum(differences, below - dim.step) != Some(false) {
                return SelfOverlap::Hidden;
            }
        }
        below = below.saturating_add(dim.step.saturating_mul(dim.most));
    }
    SelfOverlap::None
}

/// PyTorch's refusal to write to a tensor of which elements coincide by stride 0.
pub fn check_output_overlap(output: &Geometry) -> Result<()> {
    let repeated = output.sizes.iter().zip(&output.strides).any(|(&size, &stride)| size > 1 && stride == 0);
    if repeated && !is_non_overlapping_and_dense(&output.sizes, &output.strides) {
        return Err(Error::runtime(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the \
             tensor before performing the operation.",
        ));
    }
    Ok(())
}

/// PyTorch's refusal to write to a tensor that an input intersects ([`Relation::PartialDense`]).
#[must_use]
pub fn partial_overlap_error() -> Error {
    Error::runtime(
        "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please \
         clone() the tensor before performing the operation.",
    )
}

/// How an input, as it is before broadcasting, relates to an output of the same storage. Where that would take too long to tell,
/// the answer is [`Relation::Mixed`].
#[must_use]
pub fn relation(input: &Geometry, input_itemsize: usize, output: &Geometry, output_itemsize: usize) -> Relation {
    let (Some(read), Some(written)) = (byte_range(input, input_itemsize), byte_range(output, output_itemsize)) else {
        return Relation::Disjoint;
    };
    if read.1 <= written.0 || written.1 <= read.0 {
        return Relation::Disjoint;
    }
    let identical = input_itemsize == output_itemsize && is_same_walk(input, output);
    let dense = |g: &Geometry| is_non_overlapping_and_dense(&g.sizes, &g.strides);
    if dense(input) && dense(output) {
        // PyTorch takes equal strides over one range for the same tensor, even where the sizes of the elements differ.
        return match () {
            () if identical && input.rank() == output.rank() => Relation::Identical,
            () if read == written && input.strides == output.strides => Relation::Mixed,
            () => Relation::PartialDense,
        };
    }
    if identical {
        return Relation::Identical;
    }
    // An input element at r and an output element at w share a byte where -input_itemsize < r - w < output_itemsize. With the
    // output's indices counted from its end, and the slack between those limits as one more term, that is a sum.
    let (read_size, written_size) = (input_itemsize as i128, output_itemsize as i128);
    let slack = Progression { step: 1, most: read_size + written_size - 2 };
    let all = terms(input, read_size).chain(terms(output, written_size)).chain([slack]);
    match is_sum(all, written.1 - 1 - read.0) {
        Some(false) => Relation::Disjoint,
        Some(true) | None => Relation::Mixed,
    }
}

/// Steps in bytes and the last index of each dimension with more than one element.
fn terms(geometry: &Geometry, itemsize: i128) -> impl Iterator<Item = Progression> {
    let dims = geometry.sizes.iter().zip(&geometry.strides).filter(|(size, _)| **size > 1);
    dims.map(move |(&size, &stride)| Progression { step: (stride as i128).saturating_mul(itemsize), most: size as i128 - 1 })
}

/// The first byte and the one after the last; `None` without elements.
fn byte_range(geometry: &Geometry, itemsize: usize) -> Option<(i128, i128)> {
    if geometry.sizes.contains(&0) {
        return None;
    }
    let itemsize = itemsize as i128;
    let start = geometry.offset as i128 * itemsize;
    let last = terms(geometry, itemsize).fold(start, |last, dim| last.saturating_add(dim.step.saturating_mul(dim.most)));
    Some((start, last.saturating_add(itemsize)))
}

/// Whether the input, broadcast, visits the places of the output in the output's order.
fn is_same_walk(input: &Geometry, output: &Geometry) -> bool {
    let Some(lead) = output.rank().checked_sub(input.rank()) else {
        return false;
    };
    let steps = |g: &Geometry, d: usize| if g.sizes[d] > 1 { g.strides[d] } else { 0 };
    input.offset == output.offset
        && output.sizes[..lead].iter().all(|&size| size == 1)
        && (0..input.rank()).all(|d| input.sizes[d] == output.sizes[lead + d] && steps(input, d) == steps(output, lead + d))
}
