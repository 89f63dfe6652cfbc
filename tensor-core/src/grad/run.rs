//! Elementwise nodes that follow each other on the way back: their gradients wait, and are one pass over the elements when another node comes.

use std::any::Any;
use std::sync::Arc;

use latten_spec::operation::Op;
use smallvec::SmallVec;

use crate::call::{RecordedOperation, Value, binary};
use crate::error::Result;
use crate::raw::RawTensor;
use crate::raw::node::{Edge, GraphNode, NodeBack};

/// Of fewer elements each operation is made by itself: they lie in caches, and a pass over several takes longer to begin.
const FEWEST: usize = 1 << 13;
/// Where so many steps wait for one gradient, or so many gradients, all of them are computed: no program is long.
const LONGEST: usize = 12;
const MOST: usize = 16;

/// A gradient that waits.
struct WaitingGradient {
    /// The node that gives it, and for which of its edges.
    node: Arc<GraphNode>,
    place: usize,
    value: Value,
    /// Whether it is as the tensor it belongs to is, so that it need be neither summed nor converted.
    fits: bool,
}

impl WaitingGradient {
    fn goes_to(&self, edge: &Edge) -> bool {
        self.node.edges[self.place].as_ref().is_some_and(|own| own.is_same(edge))
    }
}

/// What has arrived where a gradient goes.
pub(super) enum Before {
    None,
    /// A gradient, which is there no longer.
    Taken(RawTensor),
    /// One that nothing waits with.
    Stays,
}

/// The gradients that wait, in the order in which they came.
#[derive(Default)]
pub(super) struct PendingRun {
    waiting: Vec<WaitingGradient>,
}

/// Whether a node has so many elements that its gradients may wait.
#[inline]
pub(super) fn is_large(node: &GraphNode) -> bool {
    node.outputs[0].geometry.numel() >= FEWEST
}

/// The work of a node whose gradients can wait.
fn operation(node: &GraphNode) -> Option<&RecordedOperation> {
    if !is_large(node) {
        return None;
    }
    let work: &dyn Any = &node.work;
    work.downcast_ref::<RecordedOperation>().filter(|operation| operation.can_wait())
}

impl PendingRun {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether that node comes next in the run.
    pub(super) fn goes_on(&self, node: &Arc<GraphNode>) -> bool {
        if self.waiting.len() >= MOST || operation(node).is_none() {
            return false;
        }
        let edge = Edge::Node(node.clone(), 0);
        let mut own = self.waiting.iter().filter(|waiting| waiting.goes_to(&edge));
        let fits = own.next().is_none_or(|own| own.fits && own.value.length() <= LONGEST);
        fits && own.next().is_none()
    }

    /// The gradient that waits for a node.
    fn take(&mut self, edge: &Edge) -> Option<Value> {
        let place = self.waiting.iter().position(|waiting| waiting.goes_to(edge))?;
        Some(self.waiting.remove(place).value)
    }

    /// The gradients that a node gives, which may wait; what has come to it already is `arrived`.
    ///
    /// # Errors
    /// Where what it keeps was changed or is gone.
    pub(super) fn follow(
        &mut self,
        node: &Arc<GraphNode>,
        arrived: Option<RawTensor>,
        wanted: &[bool],
        keep: bool,
    ) -> Result<SmallVec<[Option<Value>; 2]>> {
        let own = |output| Edge::Node(node.clone(), output);
        let gradient = match (arrived.map(Value::from), self.take(&own(0))) {
            (Some(before), Some(gradient)) => Some(binary(Op::Add, &before, gradient)),
            (before, gradient) => before.or(gradient),
        };
        let (Some(operation), Some(gradient)) = (operation(node), gradient) else { return Ok(SmallVec::new()) };
        operation.waiting(&NodeBack { node, own: &own, gradients: &[], wanted, keep }, &gradient)
    }

    /// Lets a gradient wait that a node gives for one of its edges, and says where it goes. Sums are made in the order in which gradients come:
    /// `before` takes what has arrived there, or says that it stays there.
    pub(super) fn add(&mut self, node: &Arc<GraphNode>, place: usize, value: Value, before: impl FnOnce(bool) -> Before) {
        let Some(edge) = &node.edges[place] else { return };
        let like = &node.outputs[0];
        let fits = edge.with_extent(|extent| extent.dtype == like.dtype && extent.geometry.sizes == like.geometry.sizes);
        let mut entry = WaitingGradient { node: node.clone(), place, value, fits };
        match before(fits) {
            Before::Taken(before) => entry.value = binary(Op::Add, &before.into(), entry.value),
            Before::Stays => {}
            Before::None => {
                let last = self.waiting.iter_mut().rev().find(|waiting| waiting.goes_to(edge));
                if let Some(last) = last.filter(|last| fits && last.fits) {
                    last.value = binary(Op::Add, &last.value, entry.value);
                    return;
                }
            }
        }
        self.waiting.push(entry);
    }

    /// All gradients that wait, computed: those of the same sizes in one pass. Each comes with the node that gives it, and for which of its edges.
    pub(super) fn computed(&mut self) -> Result<Vec<(Arc<GraphNode>, usize, RawTensor)>> {
        let waiting = std::mem::take(&mut self.waiting);
        let sizes = |waiting: &WaitingGradient| waiting.node.outputs[0].geometry.sizes.clone();
        let mut tensors: Vec<Option<RawTensor>> = vec![None; waiting.len()];
        for first in 0..waiting.len() {
            if tensors[first].is_some() {
                continue;
            }
            let of = sizes(&waiting[first]);
            let places: SmallVec<[usize; 4]> = (first..waiting.len()).filter(|&place| sizes(&waiting[place]) == of).collect();
            let values: SmallVec<[Value; 3]> = places.iter().map(|&place| waiting[place].value.clone()).collect();
            for (place, tensor) in places.into_iter().zip(Value::tensors(&values)?) {
                tensors[place] = Some(tensor);
            }
        }
        Ok(waiting.into_iter().zip(tensors).filter_map(|(waiting, tensor)| Some((waiting.node, waiting.place, tensor?))).collect())
    }
}
