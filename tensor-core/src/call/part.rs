//! The nodes of views: a part of a tensor's memory, whose gradient is that of the whole, with zeros around it.

use std::borrow::Cow;

use smallvec::smallvec;

use super::derivatives::add_strided;
use super::{Call, CallArgument, Function, one, run};
use crate::create::Options;
use crate::error::Result;
use crate::geometry::overlap::{SelfOverlap, self_overlap};
use crate::raw::RawTensor;
use crate::raw::history::Extent;
use crate::raw::node::{Edge, Gradients, GraphNode, NodeBack, NodeWork};
use crate::views::signed;

/// The edge of a view whose base was changed since it was made.
pub(super) fn renewed(base: Edge, whole: Extent, part: Extent, name: impl Into<Cow<'static, str>>) -> Edge {
    let work = StorageWindow { whole, part: part.clone() };
    Edge::Node(GraphNode::new(name, smallvec![Some(base)], smallvec![part], work), 0)
}

/// A part of a tensor, by its memory.
struct StorageWindow {
    whole: Extent,
    part: Extent,
}

impl NodeWork for StorageWindow {
    fn back(&self, way: &NodeBack<'_>, given: &mut Gradients) -> Result<()> {
        given.push(match way.gradients.first() {
            Some(Some(gradient)) => Some(spread(&self.whole, &self.part, gradient)?),
            _ => None,
        });
        Ok(())
    }

    fn let_go(&mut self, _: &mut dyn FnMut(Edge)) {}
}

/// A tensor in the memory of another one, so many elements from its start.
pub(super) fn strided(tensor: &RawTensor, part: &Extent, offset: usize) -> Result<RawTensor> {
    let (sizes, strides) = (signed(&part.geometry.sizes), signed(&part.geometry.strides));
    let arguments =
        [CallArgument::Tensor(tensor), CallArgument::Ints(&sizes), CallArgument::Ints(&strides), CallArgument::Int(offset.cast_signed())];
    one(Function::AsStrided, &arguments)
}

/// The gradient of a whole tensor from that of a part: zeros, and the gradient in its place, added where elements of the part coincide.
pub(super) fn spread(whole: &Extent, part: &Extent, gradient: &RawTensor) -> Result<RawTensor> {
    let (from, to) = (&part.geometry, &whole.geometry);
    if from.sizes == to.sizes && from.strides == to.strides && from.offset == to.offset && part.dtype == whole.dtype {
        return Ok(gradient.clone());
    }
    if part.dtype != whole.dtype {
        return spread_over_complex(whole, part, gradient);
    }
    let itemsize = part.dtype.itemsize();
    let start = from.offset.min(to.offset);
    let elements = (from.needed_bytes(itemsize)?.max(to.needed_bytes(itemsize)?) / itemsize).saturating_sub(start);
    let options = Options { dtype: Some(part.dtype), device: Some(gradient.device()), format: None };
    let mut memory = RawTensor::zeros(&[elements], &options)?;
    let mut place = strided(&memory, part, from.offset - start)?;
    if self_overlap(from) == SelfOverlap::None {
        run(Call::in_place(Function::Copy, &mut place, &[CallArgument::Tensor(gradient)]))?;
    } else {
        memory = add_strided(&memory, gradient, &place)?;
    }
    strided(&memory, whole, to.offset - start)
}

/// The same where the part is real numbers of a complex tensor.
fn spread_over_complex(whole: &Extent, part: &Extent, gradient: &RawTensor) -> Result<RawTensor> {
    let mut real = whole.clone();
    real.dtype = part.dtype;
    real.geometry.offset *= 2;
    real.geometry.strides.iter_mut().for_each(|stride| *stride *= 2);
    real.geometry.sizes.push(2);
    real.geometry.strides.push(1);
    let pairs = spread(&real, part, gradient)?;
    one(Function::ViewAsComplex, &[CallArgument::Tensor(&pairs)])
}
