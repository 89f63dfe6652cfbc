//! The node of a call that is recorded: where its gradients go, and what it keeps. It is one piece of memory, in which all that it keeps is
//! written where it stays.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::CallArgument;
use super::backward::{Back, Derivation, Gradient, KeptArgument, Names, NoWork, Rare, Recorded, Remembered, Unmade};
use super::derivatives::{KeptOperand, RecordedOperation};
use super::origin::{check_saved, edge};
use crate::elementwise::Params;
use crate::error::Result;
use crate::program::Program;
use crate::raw::RawTensor;
use crate::raw::history::Extent;
use crate::raw::node::{Edge, Edges, GraphNode, Held, NodeTensor};
use crate::reduce::Along;

/// What is recorded of a call.
pub(super) struct RecordedCall<'a> {
    /// PyTorch's name of the operation.
    pub(super) name: &'static str,
    pub(super) gradient: &'a Gradient,
    /// All arguments but the changed tensor.
    pub(super) arguments: &'a [CallArgument<'a>],
    pub(super) params: &'a Params,
    pub(super) along: &'a Along,
    /// The expression, where it is one.
    pub(super) program: Option<&'a Program>,
    /// The name of the node, where the arguments don't say it.
    pub(super) node: Option<&'static str>,
    /// What the expression gives, where that is only reduced.
    pub(super) unmade: Option<&'a Unmade>,
    /// Whether results may be views of operands.
    pub(super) gives_views: bool,
}

/// Calls `look` with every tensor of an argument.
pub(super) fn each<'a>(argument: &CallArgument<'a>, mut look: impl FnMut(&'a RawTensor)) {
    match *argument {
        CallArgument::Tensor(tensor) => look(tensor),
        CallArgument::Tensors(tensors) => tensors.iter().for_each(|tensor| look(tensor)),
        CallArgument::Indices(tensors) => tensors.iter().flatten().for_each(|tensor| look(tensor)),
        CallArgument::Sparse(tensor) => look(tensor.raw_values()),
        _ => {}
    }
}

impl RecordedCall<'_> {
    /// Where the gradients of the tensors go, in their order: of the arguments from a place of the row on.
    pub(super) fn edges(&self, first: usize) -> Result<Edges> {
        let mut edges: Edges = SmallVec::new();
        let mut failed = None;
        let takes = if let Gradient::Back(back) = self.gradient { back.takes } else { u32::MAX };
        for (place, argument) in self.arguments.iter().enumerate() {
            if takes & 1 << (place + first).min(31) == 0 {
                each(argument, |_| edges.push(None));
                continue;
            }
            if let CallArgument::Tensor(tensor) = argument {
                edges.push(edge(tensor)?);
                continue;
            }
            each(argument, |tensor| match edge(tensor) {
                Ok(edge) => edges.push(edge),
                Err(error) => failed = failed.take().or(Some(error)),
            });
            if let Some(error) = failed {
                return Err(error);
            }
        }
        Ok(edges)
    }

    /// What of the call is kept, for the gradients of the arguments that want one; in place, also for that of the changed tensor, which is the
    /// first argument then.
    pub(super) fn needed(&self, edges: &[Option<Edge>], changed: Option<bool>) -> Names {
        let Gradient::Back(back) = self.gradient else { return Names::default() };
        let (mut needed, first) = (back.keeps, usize::from(changed.is_some()));
        if let (Some(true), Some(names)) = (changed, back.each.first()) {
            needed = needed.and(*names);
        }
        let mut at = 0;
        for (argument, names) in self.arguments.iter().zip(back.each.iter().skip(first)) {
            let mut wants = false;
            each(argument, |_| {
                wants |= edges.get(at).is_some_and(Option::is_some);
                at += 1;
            });
            if wants {
                needed = needed.and(*names);
            }
        }
        needed
    }

    /// Adds the arguments to what a node keeps; the first of them has the place that comes next.
    fn hold(&self, needed: Names, edges: &[Option<Edge>], held: &mut SmallVec<[KeptArgument; 2]>) -> Result<()> {
        // In place, the first edge is that of the changed tensor.
        let first = held.len();
        let mut at = first;
        for (place, argument) in self.arguments.iter().enumerate() {
            let is_needed = needed.has_argument(place + first);
            held.push(KeptArgument::of(argument, |tensor: &RawTensor| {
                at += 1;
                if !is_needed {
                    return Ok(Remembered::Like(Extent::of(tensor)));
                }
                check_saved(tensor)?;
                Ok(Remembered::Saved(NodeTensor::operand(tensor, edges.get(at - 1).cloned().flatten())))
            })?);
        }
        Ok(())
    }

    /// The same of an elementwise operation.
    fn hold_operands(&self, needed: Names, edges: &[Option<Edge>], held: &mut SmallVec<[KeptOperand; 2]>) -> Result<()> {
        let first = held.len();
        let mut edges = edges[first..].iter();
        for (place, argument) in self.arguments.iter().enumerate() {
            match *argument {
                CallArgument::Tensor(tensor) => {
                    let edge = edges.next();
                    if needed.has_argument(place + first) {
                        check_saved(tensor)?;
                        held.push(KeptOperand::Saved(NodeTensor::operand(tensor, edge.cloned().flatten())));
                    } else {
                        held.push(KeptOperand::Unnamed);
                    }
                }
                CallArgument::Number(number) => held.push(KeptOperand::Number(number)),
                // others: no operands.
                _ => {}
            }
        }
        Ok(())
    }

    /// The node of a call, with what it keeps. In place it is made before the call is, with what the changed tensor was, and without results.
    pub(super) fn draft(
        &self,
        needed: Names,
        edges: Edges,
        changed: Option<(&RawTensor, Remembered)>,
        results: &[&mut RawTensor],
    ) -> Result<NodeDraft> {
        let mut outputs = SmallVec::new();
        results.iter().for_each(|result| outputs.push(Extent::of(result)));
        let back = match self.gradient {
            Gradient::Back(back) => back,
            Gradient::Missing(_, text) => return Ok(NodeDraft::Missing(GraphNode::new("NotImplemented", edges, outputs, NoWork(text)))),
            _ => return Ok(NodeDraft::Missing(GraphNode::new("None", edges, outputs, NoWork("")))),
        };
        let (name, keeps) = (if results.is_empty() { "" } else { self.node_name(back, None) }, needed != Names::default());
        // Nobody else has a node yet. What is kept has hundreds of bytes: it is written where it stays.
        match back.derivation {
            Derivation::Formulas(op) => {
                let work = RecordedOperation::new(op, self.arguments, changed.as_ref().map(|(tensor, _)| *tensor), self.params, keeps);
                let mut node = GraphNode::new(name, edges, outputs, work);
                if let Some(GraphNode { edges, work, .. }) = Arc::get_mut(&mut node)
                    && let Some(held) = work.held_mut()
                {
                    held.extend(changed.map(|(_, old)| KeptOperand::from(old)));
                    self.hold_operands(needed, edges, held)?;
                    hold_results(results, needed, |result| held.push(KeptOperand::Saved(result)));
                }
                Ok(NodeDraft::Operation(node))
            }
            Derivation::Function(function) => {
                let arguments = self.arguments.len() + usize::from(changed.is_some());
                let work = Recorded { function, held: Held::new(SmallVec::new(), keeps), arguments, needed, rare: self.rare() };
                let mut node = GraphNode::new(name, edges, outputs, work);
                if let Some(GraphNode { edges, work, .. }) = Arc::get_mut(&mut node)
                    && let Some(held) = work.held.get_mut()
                {
                    held.extend(changed.map(|(_, old)| KeptArgument::Tensor(old)));
                    self.hold(needed, edges, held)?;
                    hold_results(results, needed, |result| held.push(KeptArgument::Tensor(Remembered::Saved(result))));
                }
                Ok(NodeDraft::Call(node))
            }
        }
    }

    /// The node of a call that has changed a tensor.
    pub(super) fn changed_node(&self, draft: NodeDraft, needed: Names, changed: &mut RawTensor) -> Arc<GraphNode> {
        let (extent, name) =
            (Extent::of(changed), if let Gradient::Back(back) = self.gradient { self.node_name(back, Some(changed)) } else { "" });
        let results = [changed];
        match draft {
            NodeDraft::Operation(mut node) => {
                if let Some(own) = Arc::get_mut(&mut node) {
                    (own.name, own.outputs) = (name.into(), smallvec![extent]);
                    if let Some(held) = own.work.held_mut() {
                        hold_results(&results, needed, |result| held.push(KeptOperand::Saved(result)));
                    }
                }
                node
            }
            NodeDraft::Call(mut node) => {
                if let Some(own) = Arc::get_mut(&mut node) {
                    (own.name, own.outputs) = (name.into(), smallvec![extent]);
                    if let Some(held) = own.work.held.get_mut() {
                        hold_results(&results, needed, |result| held.push(KeptArgument::Tensor(Remembered::Saved(result))));
                    }
                }
                node
            }
            NodeDraft::Missing(mut node) => {
                if let Some(own) = Arc::get_mut(&mut node) {
                    own.outputs = smallvec![extent];
                }
                node
            }
        }
    }

    /// What the node is called; in place, the changed tensor is the first argument.
    fn node_name(&self, back: &Back, changed: Option<&RawTensor>) -> &'static str {
        if let Some(node) = self.node {
            return node;
        }
        match (self.unmade, changed) {
            (Some(unmade), _) => unmade.node(self.along.given_dims()),
            (None, None) => (back.name)(self.arguments),
            (None, Some(changed)) => {
                let changed = CallArgument::Tensor(changed);
                let named: SmallVec<[CallArgument<'_>; 4]> = [changed].into_iter().chain(self.arguments.iter().copied()).collect();
                (back.name)(&named)
            }
        }
    }

    /// What of the call few others have.
    fn rare(&self) -> Option<Box<Rare>> {
        let plain = self.along.is_all() && self.program.is_none() && self.unmade.is_none();
        let rare = || Rare { along: self.along.clone(), program: self.program.cloned(), unmade: self.unmade.cloned() };
        (!plain).then(|| Box::new(rare()))
    }
}

/// The node of a call, which nobody has yet.
pub(super) enum NodeDraft {
    Operation(Arc<GraphNode<RecordedOperation>>),
    Call(Arc<GraphNode<Recorded>>),
    /// There is no gradient.
    Missing(Arc<GraphNode<NoWork>>),
}

impl NodeDraft {
    /// The node, as it is.
    pub(super) fn done(self) -> Arc<GraphNode> {
        match self {
            Self::Operation(node) => node,
            Self::Call(node) => node,
            Self::Missing(node) => node,
        }
    }
}

/// Calls `hold` with the results that are kept.
fn hold_results(results: &[&mut RawTensor], needed: Names, mut hold: impl FnMut(NodeTensor)) {
    if needed.results != 0 {
        let kept = results.iter().enumerate().filter(|(output, _)| needed.has_result(*output));
        kept.for_each(|(output, result)| hold(NodeTensor::result(result, output)));
    }
}
