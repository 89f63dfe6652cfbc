//! Fewer dimensions for the same walk: what a plan does to a shape before it chooses a kernel.

use smallvec::SmallVec;

use super::strides::fastest_first;
use super::{Dims, times};

/// The sizes of a walk and the steps of each operand in it; the last dimension is the innermost.
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
        return Merged { sizes: Dims::from_elem(0, 1), strides: operands.iter().map(|_| Dims::from_elem(0, 1)).collect() };
    }
    let kept: Dims = (0..shape.len()).filter(|&d| shape[d] != 1).collect();
    let pick = |dims: &[usize]| -> Dims { kept.iter().map(|&d| dims[d]).collect() };
    let sizes = pick(shape);
    let steps: SmallVec<[Dims; 4]> = operands.iter().map(|strides| pick(strides.as_ref())).collect();
    let order = fastest_first(&sizes, &steps);

    let mut merged = Merged { sizes: Dims::new(), strides: operands.iter().map(|_| Dims::new()).collect() };
    for &d in &order {
        let inner = merged.sizes.len().checked_sub(1);
        let goes_on = |inner: usize| steps.iter().zip(&merged.strides).all(|(s, m)| s[d] == times(m[inner], merged.sizes[inner]));
        match inner.filter(|&inner| goes_on(inner)) {
            Some(inner) => merged.sizes[inner] = times(merged.sizes[inner], sizes[d]),
            None => {
                merged.sizes.push(sizes[d]);
                merged.strides.iter_mut().zip(&steps).for_each(|(m, s)| m.push(s[d]));
            }
        }
    }
    merged.sizes.reverse();
    merged.strides.iter_mut().for_each(|strides| strides.reverse());
    merged
}
