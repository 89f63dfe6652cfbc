//! Sizes, strides and offsets as pure arithmetic: no tensor, no storage, no unsafe.

use smallvec::SmallVec;

/// Sizes or strides, in elements; rarely more than six.
pub type Dims = SmallVec<[usize; 6]>;

/// Where a tensor's elements lie in its storage: element (i, j, …) at `offset + strides[0] * i + strides[1] * j + …`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Geometry {
    /// The number of elements along each dimension.
    pub sizes: Dims,
    /// How far apart neighbours along each dimension lie.
    pub strides: Dims,
    /// Where the first element lies.
    pub offset: usize,
}
