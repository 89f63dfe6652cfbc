//! Broadcasting: the shape that several shapes agree on, the strides that spread an operand over it, and `expand`.

use super::{Dims, Geometry, numel, times, unsigned};
use crate::error::{Error, Result};

/// The shape of an elementwise result. The error names the right-most conflict, where "a" is all operands so far.
pub fn broadcast_shapes(shapes: &[&[usize]]) -> Result<Dims> {
    let Some((first, others)) = shapes.split_first() else { return Ok(Dims::new()) };
    let mut agreed = Dims::from_slice(first);
    for shape in others {
        if *shape != agreed.as_slice() {
            agreed = broadcast_pair(&agreed, shape)?;
        }
    }
    Ok(agreed)
}

fn broadcast_pair(a: &[usize], b: &[usize]) -> Result<Dims> {
    let rank = a.len().max(b.len());
    let mut shape = Dims::from_elem(1, rank);
    for from_end in 1..=rank {
        let size_of = |s: &[usize]| s.len().checked_sub(from_end).map_or(1, |d| s[d]);
        let (a, b, dim) = (size_of(a), size_of(b), rank - from_end);
        shape[dim] = match (a, b) {
            (1, b) => b,
            (a, b) if a == b || b == 1 => a,
            (a, b) => {
                return Err(Error::runtime(format!(
                    "The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {dim}"
                )));
            }
        };
    }
    Ok(shape)
}

/// `torch.broadcast_shapes`: the same answer with messages of its own, which count arguments and dimensions from the end.
pub fn torch_broadcast_shapes(shapes: &[&[isize]]) -> Result<Dims> {
    let rank = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
    let mut agreed = vec![1_isize; rank];
    for (argument, shape) in shapes.iter().enumerate() {
        for from_end in 1..=shape.len() {
            let size = shape[shape.len() - from_end];
            let so_far = agreed[rank - from_end];
            if size == 1 || size == so_far {
                continue;
            }
            if so_far != 1 {
                return Err(Error::runtime(format!(
                    "Attempting to broadcast a dimension of length {size} at -{from_end}! Mismatching argument at index {argument} had \
                     {shape:?}; but expected shape should be broadcastable to {agreed:?}"
                )));
            }
            if size < 0 {
                return Err(Error::value("Attempting to broadcast a dimension with negative length!"));
            }
            agreed[rank - from_end] = size;
        }
    }
    Ok(unsigned(&agreed))
}

/// The strides that read an operand as if it had that shape: 0 wherever it is repeated. The sizes must broadcast to the shape.
#[must_use]
pub fn broadcast_strides(sizes: &[usize], strides: &[usize], shape: &[usize]) -> Dims {
    let mut spread = Dims::from_elem(0, shape.len());
    let lead = shape.len().saturating_sub(sizes.len());
    for (d, (&size, &stride)) in sizes.iter().zip(strides).enumerate() {
        if size == shape[lead + d] {
            spread[lead + d] = stride;
        }
    }
    spread
}

/// Whether a tensor that is written in place has the shape of the result.
pub fn check_output_shape(output: &[usize], broadcast: &[usize]) -> Result<()> {
    if output == broadcast {
        return Ok(());
    }
    Err(Error::runtime(format!("output with shape {output:?} doesn't match the broadcast shape {broadcast:?}")))
}

impl Geometry {
    /// `expand`: dimensions of size 1 repeated and new ones put in front; -1 keeps a size. `type_name` is what the message calls
    /// the tensor's type: `torch.FloatTensor`.
    pub fn expand(&self, target: &[isize], type_name: &str) -> Result<Self> {
        if target.len() < self.rank() {
            return Err(Error::runtime(format!(
                "expand({type_name}{{{:?}}}, size={target:?}): the number of sizes provided ({}) must be greater or equal to the number of \
                 dimensions in the tensor ({})",
                self.sizes.as_slice(),
                target.len(),
                self.rank()
            )));
        }
        let lead = target.len() - self.rank();
        let mut sizes = Dims::from_elem(0, target.len());
        let mut strides = Dims::from_elem(0, target.len());
        for (d, &wanted) in target.iter().enumerate().rev() {
            let (size, stride) = if d >= lead {
                (self.sizes[d - lead], self.strides[d - lead])
            } else if self.rank() == 0 {
                (1, 0)
            } else {
                (1, times(sizes[d + 1], strides[d + 1]))
            };
            let keeps = wanted == -1 && self.rank() > 0;
            if keeps && d < lead {
                return Err(Error::runtime(format!(
                    "The expanded size of the tensor ({wanted}) isn't allowed in a leading, non-existing dimension {d}"
                )));
            }
            if keeps || wanted == size.cast_signed() {
                (sizes[d], strides[d]) = (size, stride);
            } else if size == 1 {
                (sizes[d], strides[d]) = (wanted.cast_unsigned(), 0);
            } else {
                return Err(Error::runtime(format!(
                    "The expanded size of the tensor ({wanted}) must match the existing size ({size}) at non-singleton dimension {d}.  \
                     Target sizes: {target:?}.  Tensor sizes: {:?}",
                    self.sizes.as_slice()
                )));
            }
        }
        // A negative size is a huge one here: both are refused in the same words.
        numel(&sizes)?;
        if sizes.iter().any(|&size| size > super::LARGEST) {
            return Err(Error::runtime("numel: integer multiplication overflow"));
        }
        Ok(self.with(sizes, strides))
    }
}
