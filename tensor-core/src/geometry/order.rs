//! The order in which dimensions lie in memory, and the strides of an elementwise result that follow from it.

use smallvec::SmallVec;

use super::Dims;
use super::broadcast::{broadcast_shapes, broadcast_strides};
use super::strides::{contiguous_strides, fastest_first, is_contiguous, is_non_overlapping_and_dense, running_products};
use crate::error::Result;
use crate::layout::MemoryFormat;

/// The sizes and the strides of an operand.
pub type Strided<'a> = (&'a [usize], &'a [usize]);

/// The dimensions from the outermost to the innermost, as `dim_order` lists them.
#[must_use]
pub fn dim_order(sizes: &[usize], strides: &[usize]) -> Dims {
    if is_contiguous(sizes, strides, MemoryFormat::Contiguous) {
        return (0..sizes.len()).collect();
    }
    let mut order = fastest_first(sizes, &[strides]);
    order.reverse();
    order
}

/// The shape and the strides of a new tensor that holds an elementwise result. An operand that is converted first counts with
/// the strides of its copy ([`preserve_strides`](super::strides::preserve_strides)).
pub fn elementwise_output(operands: &[Strided<'_>]) -> Result<(Dims, Dims)> {
    let shapes: SmallVec<[&[usize]; 4]> = operands.iter().map(|(sizes, _)| *sizes).collect();
    let shape = broadcast_shapes(&shapes)?;
    let strides = elementwise_strides(&shape, operands);
    Ok((shape, strides))
}

/// The strides of the same, where the shape is known.
pub(crate) fn elementwise_strides(shape: &[usize], operands: &[Strided<'_>]) -> Dims {
    if is_led_in_order(shape, operands) {
        return contiguous_strides(shape);
    }
    strides_of_equal_shapes(operands).unwrap_or_else(|| {
        let aligned: SmallVec<[Dims; 4]> = operands.iter().map(|(sizes, strides)| broadcast_strides(sizes, strides, shape)).collect();
        strides_in_order(shape, &fastest_first(shape, &aligned))
    })
}

/// Whether the first operand that has dimensions has all of them, and lies in row-major order, so that the others aren't asked.
fn is_led_in_order(shape: &[usize], operands: &[Strided<'_>]) -> bool {
    let Some((sizes, strides)) = operands.iter().find(|(sizes, _)| !sizes.is_empty()) else { return false };
    *sizes == shape && strides.last() != Some(&0) && strides.windows(2).all(|two| two[0] > two[1])
}

/// Dense strides in an order of the dimensions, the innermost first.
pub(crate) fn strides_in_order(shape: &[usize], order: &[usize]) -> Dims {
    if order.iter().rev().copied().eq(0..shape.len()) { contiguous_strides(shape) } else { running_products(shape, order) }
}

/// The strides that all operands agree on, where they have one shape and one dense order.
fn strides_of_equal_shapes(operands: &[Strided<'_>]) -> Option<Dims> {
    let (&(shape, first), others) = operands.split_first()?;
    if others.iter().any(|(sizes, _)| *sizes != shape) {
        return None;
    }
    let all = |format| operands.iter().all(|(sizes, strides)| is_contiguous(sizes, strides, format));
    if all(MemoryFormat::Contiguous) {
        return Some(contiguous_strides(shape));
    }
    if all(MemoryFormat::ChannelsLast) {
        return Some(running_products(shape, &[1, 3, 2, 0]));
    }
    let alike = others.iter().all(|(_, strides)| *strides == first) && is_non_overlapping_and_dense(shape, first);
    alike.then(|| first.into())
}
