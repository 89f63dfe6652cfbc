//! What is reduced, and in which order its elements are read.

use smallvec::SmallVec;

use crate::device::Device;
use crate::element::Native;
use crate::error::Result;
use crate::geometry::strides::fastest_first;
use crate::geometry::{Dims, count, times};
use crate::kernels::block::{Feed, Reader};
use crate::program::Computed;
use crate::raw::RawTensor;
use crate::storage::Access;

/// Sizes and strides of a walk, innermost dimension first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps {
    pub(crate) sizes: Dims,
    pub(crate) strides: Dims,
    /// Of each step, the dimensions of the tensor that it joins, innermost first.
    dims: SmallVec<[Dims; 4]>,
}

impl Steps {
    /// Dimensions of a tensor in their order, joined where they can be.
    pub(crate) fn in_order(tensor: &RawTensor, dims: impl DoubleEndedIterator<Item = usize>) -> Self {
        Self::along(tensor, dims.rev())
    }

    /// Dimensions of a tensor in the order of its memory.
    fn any_order(tensor: &RawTensor, dims: impl Iterator<Item = usize>) -> Self {
        let dims: Dims = dims.filter(|&dim| tensor.sizes()[dim] != 1).collect();
        let pick = |of: &[usize]| -> Dims { dims.iter().map(|&dim| of[dim]).collect() };
        let order = fastest_first(&pick(tensor.sizes()), &[pick(tensor.strides())]);
        Self::along(tensor, order.into_iter().map(|at| dims[at]))
    }

    /// Dimensions of a tensor, the innermost first.
    fn along(tensor: &RawTensor, dims: impl Iterator<Item = usize>) -> Self {
        let mut steps = Self::default();
        for dim in dims {
            let (size, stride) = (tensor.sizes()[dim], tensor.strides()[dim]);
            match (steps.sizes.last_mut(), steps.strides.last(), steps.dims.last_mut()) {
                _ if size == 1 => {}
                (Some(inner), Some(&step), Some(joined)) if step.checked_mul(*inner) == Some(stride) => {
                    *inner = times(*inner, size);
                    joined.push(dim);
                }
                _ => {
                    steps.sizes.push(size);
                    steps.strides.push(stride);
                    steps.dims.push(Dims::from_elem(dim, 1));
                }
            }
        }
        steps
    }

    pub(super) fn count(&self) -> usize {
        count(&self.sizes)
    }

    /// Sizes and strides of the same walk, where what was joined to it continues it: rows that follow each other are one.
    fn joined(&self) -> (Dims, Dims) {
        let (mut sizes, mut strides) = (Dims::new(), Dims::new());
        for (&size, &stride) in self.sizes.iter().zip(&self.strides) {
            match (sizes.last_mut(), strides.last()) {
                (Some(inner), Some(step)) if usize::checked_mul(*step, *inner) == Some(stride) => *inner = times(*inner, size),
                _ => {
                    sizes.push(size);
                    strides.push(stride);
                }
            }
        }
        (sizes, strides)
    }

    /// The steps from number `first` up to number `end`.
    fn some(&self, first: usize, end: usize) -> Self {
        Self { sizes: self.sizes[first..end].into(), strides: self.strides[first..end].into(), dims: self.dims[first..end].into() }
    }

    /// One walk after another, `self` the innermost.
    pub(super) fn then(mut self, outer: &Self) -> Self {
        self.sizes.extend_from_slice(&outer.sizes);
        self.strides.extend_from_slice(&outer.strides);
        self.dims.extend(outer.dims.iter().cloned());
        self
    }
}

/// What is reduced.
#[derive(Clone, Copy)]
pub(crate) enum ReducedInput<'a> {
    /// The elements of a tensor.
    Tensor(&'a RawTensor),
    /// What an expression gives, computed where it is read.
    Computed(&'a Computed<'a>),
}

impl<'a> ReducedInput<'a> {
    /// The tensor, or one without data of the same dtype and geometry.
    pub(super) fn tensor(self) -> &'a RawTensor {
        match self {
            Self::Tensor(tensor) => tensor,
            Self::Computed(computed) => computed.result(),
        }
    }

    /// What is read.
    pub(super) fn tensors(self) -> SmallVec<[&'a RawTensor; 8]> {
        match self {
            Self::Tensor(tensor) => SmallVec::from_iter([tensor]),
            Self::Computed(computed) => computed.tensors(),
        }
    }

    /// Where it is: what is computed is on the host.
    pub(super) fn device(self) -> Device {
        match self {
            Self::Tensor(tensor) => tensor.device(),
            Self::Computed(_) => Device::CPU,
        }
    }

    pub(super) fn feed<T: Native + Default>(self, access: &'a Access<'_>, steps: &Steps) -> Result<Feed<'a, T>> {
        match self {
            Self::Tensor(tensor) => {
                let (sizes, strides) = steps.joined();
                Reader::new(access, tensor, &sizes, &strides).map(Feed::Memory)
            }
            Self::Computed(computed) => computed.feed(access, &steps.dims.concat()),
        }
    }
}

/// In which order elements are read.
pub(super) struct Walk {
    pub(super) steps: Steps,
    /// Whether neighbours belong to different results; then how many results are neighbours.
    pub(super) width: Option<usize>,
    /// How many elements each result has.
    pub(super) count: usize,
    /// How many results there are, or how many groups of neighbours.
    pub(super) outer: usize,
}

impl Walk {
    pub(super) fn new(tensor: &RawTensor, reduced: &[bool], ordered: bool) -> Self {
        let dims = |is_reduced: bool| (0..tensor.rank()).filter(move |&dim| reduced[dim] == is_reduced);
        let inner = if ordered { Steps::in_order(tensor, dims(true)) } else { Steps::any_order(tensor, dims(true)) };
        let kept = Steps::in_order(tensor, dims(false));
        let count = inner.count();
        match (kept.strides.first(), inner.strides.first()) {
            (Some(near), Some(far)) if near < far => {
                let (width, outer) = (kept.sizes[0], kept.some(1, kept.sizes.len()));
                Self { steps: kept.some(0, 1).then(&inner).then(&outer), width: Some(width), count, outer: outer.count() }
            }
            _ => Self { outer: kept.count(), steps: inner.then(&kept), width: None, count },
        }
    }
}
