//! The nodes of tensors that were changed through a view: a part of a tensor's memory, and the rest of it.

use std::sync::Arc;

use super::origin::history;
use super::part::{renewed, strided};
use super::{Call, CallArgument, Function, one, run};
use crate::error::Result;
use crate::geometry::Geometry;
use crate::raw::RawTensor;
use crate::raw::history::Extent;
use crate::raw::node::{Edge, Gradients, GraphNode, NodeBack, NodeWork};

/// The node of a tensor that an operation has changed a part of: the part's gradient goes through the operation, the rest past it.
pub(super) struct CopySlices {
    pub(super) whole: Extent,
    pub(super) part: Extent,
    /// What the operation does, whose first edge is that of the part.
    pub(super) operation: Arc<GraphNode>,
}

impl NodeWork for CopySlices {
    fn back(&self, way: &NodeBack<'_>, given: &mut Gradients) -> Result<()> {
        let NodeBack { own, gradients, wanted, keep, .. } = *way;
        let Some(Some(gradient)) = gradients.first() else {
            given.extend(wanted.iter().map(|_| None));
            return Ok(());
        };
        let mut rest = copied(&self.whole, gradient)?;
        let part = at_place(&rest, &self.whole, &self.part)?;
        let part = one(Function::Clone, &[CallArgument::Tensor(&part)])?;
        let own = |output| renewed(own(output), self.whole.clone(), self.part.clone(), self.operation.name.clone());
        let node = &*self.operation;
        node.work.back(&NodeBack { node, own: &own, gradients: &[Some(part)], wanted, keep }, given)?;
        if wanted.first() == Some(&true) {
            let mut part = at_place(&rest, &self.whole, &self.part)?;
            match given.first_mut().and_then(Option::take) {
                Some(old) => run(Call::in_place(Function::Copy, &mut part, &[CallArgument::Tensor(&old)]))?,
                None => run(Call::in_place(Function::Zero, &mut part, &[]))?,
            };
            rest.history = history(&rest)?;
            if let Some(first) = given.first_mut() {
                *first = Some(rest);
            }
        }
        Ok(())
    }

    /// What is kept the operation has, which is dropped with this one and leads nowhere else.
    fn let_go(&mut self, _: &mut dyn FnMut(Edge)) {}
}

/// A gradient in memory of its own, laid out as its tensor is.
fn copied(extent: &Extent, gradient: &RawTensor) -> Result<RawTensor> {
    let Geometry { sizes, strides, .. } = &extent.geometry;
    let mut copy = RawTensor::empty(sizes, strides, extent.dtype, gradient.device())?;
    run(Call::in_place(Function::Copy, &mut copy, &[CallArgument::Tensor(gradient)]))?;
    Ok(copy)
}

/// The place of a part in a copy of the whole.
fn at_place(copy: &RawTensor, whole: &Extent, part: &Extent) -> Result<RawTensor> {
    let offset = part.geometry.offset.saturating_sub(whole.geometry.offset);
    strided(copy, part, offset)
}
