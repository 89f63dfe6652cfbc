//! Fewer dimensions for the same walk: what a plan does to a shape before it chooses a kernel.

use smallvec::SmallVec;

use super::strides::sort_fastest;
use super::{Dims, times};

/// The sizes of a walk and the steps of each operand in it; the first dimension is the innermost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// No size is 1; empty where there is one element.
    pub sizes: Dims,
    /// For each operand, as many as there are sizes.
    pub strides: SmallVec<[Dims; 4]>,
}

/// Drops dimensions of size 1, puts the others in the order of memory (the first operand decides where it can), and joins
/// neighbours that every operand steps through as one. All strides must be aligned to the shape, 0 where an operand is repeated.
///
/// The walk meets the same elements together as before, in another order.
#[must_use]
pub fn merge_dims<S: AsRef<[usize]>>(shape: &[usize], operands: &[S]) -> Merged {
    if shape.contains(&0) {
        return Merged { sizes: Dims::from_elem(0, 1), strides: SmallVec::from_elem(Dims::from_elem(0, 1), operands.len()) };
    }
    let mut order = Dims::new();
    for d in (0..shape.len()).rev() {
        if shape[d] != 1 {
            order.push(d);
        }
    }
    sort_fastest(&mut order, shape, operands);
    let mut merged = Merged { sizes: Dims::new(), strides: SmallVec::from_elem(Dims::new(), operands.len()) };
    for &d in &order {
        let outer = merged.sizes.len().checked_sub(1);
        let goes_on = |outer: usize| {
            let mut both = operands.iter().zip(&merged.strides);
            both.all(|(own, merged_so_far)| own.as_ref()[d] == times(merged_so_far[outer], merged.sizes[outer]))
        };
        match outer.filter(|&outer| goes_on(outer)) {
            Some(outer) => merged.sizes[outer] = times(merged.sizes[outer], shape[d]),
            None => {
                merged.sizes.push(shape[d]);
                merged.strides.iter_mut().zip(operands).for_each(|(merged, own)| merged.push(own.as_ref()[d]));
            }
        }
    }
    merged
}
