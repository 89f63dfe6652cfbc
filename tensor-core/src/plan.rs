//! What an elementwise call takes: operands and a target, with data, and what decisions see of them, without. What a call will do is decided
//! in `decision`; the checks that rows of the table ask for are in `rules`; what is decided is done in `pass`.

mod decision;
mod params;
mod pass;
mod rules;

use latten_spec::{DType, Level};
use smallvec::SmallVec;

use crate::device::Device;
use crate::dtype::promotion_default;
use crate::error::Result;
use crate::geometry::order::Strided;
use crate::geometry::overlap::{Relation, SelfOverlap, check_output_overlap, partial_overlap_error, self_overlap};
use crate::raw::RawTensor;
use crate::scalar::Scalar;

pub(crate) use decision::{Decision, check_cast, check_numbers, decide};
pub use params::Params;
pub(crate) use pass::Pass;
pub(crate) use rules::common_dtype;

/// What an operation computes with.
#[derive(Clone, Copy, Debug)]
pub enum RawOperand<'a> {
    /// A tensor.
    Tensor(&'a RawTensor),
    /// A number without dtype.
    Scalar(Scalar),
}

impl<'a> RawOperand<'a> {
    /// The tensor, where it is one.
    #[must_use]
    pub fn tensor(&self) -> Option<&'a RawTensor> {
        match self {
            Self::Tensor(tensor) => Some(tensor),
            Self::Scalar(_) => None,
        }
    }

    /// What promotion sees of it.
    #[must_use]
    pub fn promoting(&self) -> (Level, DType) {
        self.seen().promoting()
    }

    /// What a decision sees of it.
    pub(crate) fn seen(&self) -> Seen<'a> {
        match self {
            Self::Tensor(tensor) => Seen::Tensor(Outline::of(tensor)),
            Self::Scalar(scalar) => Seen::Number(*scalar),
        }
    }
}

impl<'a> From<&'a RawTensor> for RawOperand<'a> {
    fn from(tensor: &'a RawTensor) -> Self {
        Self::Tensor(tensor)
    }
}

impl<S: Into<Scalar>> From<S> for RawOperand<'_> {
    fn from(scalar: S) -> Self {
        Self::Scalar(scalar.into())
    }
}

/// Whether an output may have sizes.
pub(crate) type Admitted = fn(&[usize]) -> Result<()>;

/// Whether a result can be written to an output as it lies, by several threads too: no two of its elements are one.
pub(crate) fn lacks_nothing(out: &RawTensor, sizes: &[usize], dtype: DType, device: Device) -> bool {
    (out.sizes(), out.dtype(), out.device()) == (sizes, dtype, device)
        && self_overlap(out.geometry()) == SelfOverlap::None
        && out.check_inside().is_ok()
}

/// Where a result goes.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// Into a new tensor.
    New,
    /// Into a new tensor, too; or into this one, where the new one would be no other: the last call of several, which have an output.
    Offered(&'a RawTensor),
    /// Into the first operand.
    InPlace(&'a RawTensor),
    /// Into a tensor that is resized if it must, where it may have those sizes.
    Out(&'a RawTensor, fn(&[usize]) -> Result<()>),
}

impl<'a> Target<'a> {
    pub(crate) fn tensor(self) -> Option<&'a RawTensor> {
        match self {
            Self::New | Self::Offered(_) => None,
            Self::InPlace(tensor) | Self::Out(tensor, _) => Some(tensor),
        }
    }

    /// The same for the last of several calls, whose result this takes afterwards.
    pub(crate) fn offer(self) -> Self {
        match self {
            Self::Out(tensor, _) | Self::Offered(tensor) => Self::Offered(tensor),
            Self::New | Self::InPlace(_) => Self::New,
        }
    }

    /// The same beside tensors that are still read: what shares memory with one of them isn't offered.
    pub(crate) fn beside<'r>(self, read: impl IntoIterator<Item = &'r RawTensor>) -> Self {
        match self {
            Self::Offered(out) if read.into_iter().any(|tensor| tensor.relation_to(out) != Relation::Disjoint) => Self::New,
            other => other,
        }
    }

    /// Of an output that has the sizes of the result a view, which may be offered to what makes the result in another shape.
    pub(crate) fn seen_as(self, sizes: &[usize], view: impl FnOnce(&RawTensor) -> Result<RawTensor>) -> Option<RawTensor> {
        match self.offer() {
            Self::Offered(out) if *out.sizes() == *sizes => view(out).ok(),
            _ => None,
        }
    }

    /// A tensor that is offered, where there is one.
    pub(crate) fn offering(tensor: Option<&'a RawTensor>) -> Self {
        tensor.map_or(Self::New, Self::Offered)
    }

    /// The tensor of a result that is to be new: one that is offered, where it is of that dtype and those sizes and strides.
    pub(crate) fn fresh(self, sizes: &[usize], strides: &[usize], dtype: DType, device: Device) -> Result<RawTensor> {
        match self {
            Self::Offered(tensor)
                if (tensor.dtype(), tensor.device()) == (dtype, device) && *tensor.sizes() == *sizes && **tensor.strides() == *strides =>
            {
                Ok(tensor.with_geometry(tensor.geometry().clone()))
            }
            _ => RawTensor::empty(sizes, strides, dtype, device),
        }
    }

    /// The same of what writes to any strides: what is offered may lie otherwise.
    pub(crate) fn as_it_lies(self, sizes: &[usize], strides: &[usize], dtype: DType, device: Device) -> Result<RawTensor> {
        match self.lying(sizes, dtype, device) {
            Some(out) => Ok(out.with_geometry(out.geometry().clone())),
            None => RawTensor::empty(sizes, strides, dtype, device),
        }
    }

    /// The tensor that is offered, where a result can be written to it, however it lies.
    pub(crate) fn lying(self, sizes: &[usize], dtype: DType, device: Device) -> Option<&'a RawTensor> {
        match self {
            Self::Offered(out) if lacks_nothing(out, sizes, dtype, device) => Some(out),
            Self::New | Self::Offered(_) | Self::InPlace(_) | Self::Out(..) => None,
        }
    }

    /// That it may have those sizes.
    pub(crate) fn admits(self, sizes: &[usize]) -> Result<()> {
        match self {
            Self::New | Self::Offered(_) | Self::InPlace(_) => Ok(()),
            Self::Out(_, admitted) => admitted(sizes),
        }
    }

    /// What a decision sees of it. An output that is one of the operands keeps its shape.
    pub(crate) fn seen(self, operands: &[RawOperand<'_>]) -> Goal<'a> {
        match self {
            Self::New | Self::Offered(_) => Goal::New,
            Self::InPlace(tensor) => Goal::InPlace(Outline::of(tensor)),
            Self::Out(output, _) => {
                let fixed = operands.iter().any(|operand| operand.tensor().is_some_and(|tensor| tensor.is_set_to(output)));
                Goal::Out(Outline::of(output), if fixed { Sizes::Fixed } else { Sizes::Free })
            }
        }
    }

    /// How the operands' memory relates to the output's; PyTorch refuses some of that.
    pub(crate) fn relations(self, operands: &[RawOperand<'_>]) -> Result<SmallVec<[Relation; 4]>> {
        let Some(output) = self.tensor().filter(|output| !output.is_meta()) else { return Ok(SmallVec::new()) };
        check_output_overlap(output.geometry())?;
        let relation = |operand: &RawOperand<'_>| match operand.tensor().map_or(Relation::Disjoint, |input| input.relation_to(output)) {
            Relation::PartialDense => Err(partial_overlap_error()),
            other => Ok(other),
        };
        operands.iter().map(relation).collect()
    }
}

/// A tensor without its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outline<'a> {
    /// The dtype of its elements.
    pub(crate) dtype: DType,
    /// The number of elements along each dimension.
    pub(crate) sizes: &'a [usize],
    /// How far apart neighbours lie.
    pub(crate) strides: &'a [usize],
    /// Where it is.
    pub(crate) device: Device,
}

impl<'a> Outline<'a> {
    /// What there is to see of a tensor.
    #[inline]
    pub(crate) fn of(tensor: &'a RawTensor) -> Self {
        Self { dtype: tensor.dtype, sizes: tensor.sizes(), strides: tensor.strides(), device: tensor.device() }
    }
}

/// What a decision sees of an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Seen<'a> {
    /// A tensor.
    Tensor(Outline<'a>),
    /// A number without dtype.
    Number(Scalar),
}

impl<'a> Seen<'a> {
    /// The tensor, where it is one.
    pub(crate) fn tensor(&self) -> Option<&Outline<'a>> {
        match self {
            Self::Tensor(outline) => Some(outline),
            Self::Number(_) => None,
        }
    }

    /// The number, where it is one.
    pub(crate) fn number(&self) -> Option<Scalar> {
        match self {
            Self::Tensor(_) => None,
            Self::Number(number) => Some(*number),
        }
    }

    /// What promotion sees of it.
    fn promoting(&self) -> (Level, DType) {
        match self {
            Self::Tensor(outline) if outline.sizes.is_empty() => (Level::ZeroDim, outline.dtype),
            Self::Tensor(outline) => (Level::Dimensioned, outline.dtype),
            Self::Number(scalar) => (Level::Wrapped, scalar.dtype(promotion_default())),
        }
    }

    /// Sizes and strides; a number has no dimensions.
    fn strided(&self) -> Strided<'a> {
        self.tensor().map_or((&[], &[]), |outline| (outline.sizes, outline.strides))
    }
}

/// What a decision sees of a target.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal<'a> {
    /// A new tensor.
    New,
    /// The first operand.
    InPlace(Outline<'a>),
    /// Another tensor.
    Out(Outline<'a>, Sizes),
}

/// Whether an output may be resized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sizes {
    /// It is one of the operands, too.
    Fixed,
    /// It may.
    Free,
}

impl<'a> Goal<'a> {
    fn output(&self) -> Option<&Outline<'a>> {
        match self {
            Self::New => None,
            Self::InPlace(output) | Self::Out(output, _) => Some(output),
        }
    }
}
