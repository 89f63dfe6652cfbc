//! What becomes of histories when a call is made that gradients concern: PyTorch's rules are checked, the call is made, and its results get a node
//! that leads back to its operands. Calls that no gradient concerns never come here.

use std::sync::Arc;

use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;
use smallvec::{SmallVec, smallvec};

use super::backward::{Gradient, Missing, Remembered, Unmade};
use super::derivatives::{last_node, of_expression, of_op, of_reduction};
use super::drafts::{RecordedCall, each};
use super::origin::{base_of, check_changed, check_inference, edge, edge_of, history, is_differentiable, is_whole};
use super::slices::CopySlices;
use super::{Call, CallArgument, Destination, Function, Outcome, Work, compute};
use crate::elementwise::{self, Params, RawOperand};
use crate::error::{Error, Result};
use crate::geometry::Geometry;
use crate::geometry::strides::contiguous_strides;
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::raw::history::{Base, Extent, History, ViewMaking, ViewOf};
use crate::raw::mode::{HistoryMode, InMode, mode};
use crate::raw::node::{Edge, Edges, GraphNode, NodeTensor, Tap, next_sequence};
use crate::reduce::Along;

/// Makes a call that gradients concern.
#[cold]
pub(super) fn run(work: Work<'_>, target: Destination<'_>) -> Result<Outcome> {
    // What a gradient concerns is no part of what has an output.
    let target = if let Destination::Offered(_) = target { Destination::New } else { target };
    // Results of these are no views, so that without recording there is nothing to tell of them.
    if let (HistoryMode::NoGrad | HistoryMode::Within, Destination::New, false) = (mode(), &target, matches!(work, Work::Row(..))) {
        return compute(work, target);
    }
    if let (Work::Elementwise(op, operands, params), Destination::New) = (work, &target) {
        return operation(op, operands, params).map(Outcome::Tensor);
    }
    let (none, all) = (Params::none(), Along::all());
    let mut arguments: SmallVec<[CallArgument<'_>; 4]> = SmallVec::new();
    let (expression_gradient, mut program, mut node) = (of_expression(work), None, None);
    let (name, gradient, params, along) = match work {
        Work::Elementwise(op, operands, params) => {
            operands.iter().for_each(|operand| arguments.push((*operand).into()));
            (op.name(), of_op(op), params, &all)
        }
        Work::Reduction(op, input, along) => {
            arguments.push(CallArgument::Tensor(input));
            arguments.extend(along.given_dims().map(CallArgument::Ints));
            (op.row().name, of_reduction(op), &none, along)
        }
        Work::Row(entry, given) => {
            let subject = RecordedCall {
                name: entry.name,
                gradient: &entry.gradient,
                arguments: given,
                params: &none,
                along: &all,
                program: None,
                node: None,
                unmade: None,
                gives_views: true,
            };
            return recorded(&subject, target, &mut |target| compute(work, target));
        }
        Work::Expression(expression) => {
            node = expression.composed.then(|| last_node(expression.program));
            arguments.extend(expression.operands.iter().map(|tensor| tensor.map_or(CallArgument::None, CallArgument::Tensor)));
            program = Some(expression.program);
            ("fuse!", &expression_gradient, &none, &all)
        }
        Work::Reduced(op, expression, along) if mode().records() => {
            if let Some(unmade) = Unmade::of(op, expression)? {
                arguments.extend(expression.operands.iter().map(|tensor| tensor.map_or(CallArgument::None, CallArgument::Tensor)));
                let (gradient, program) = (&expression_gradient, Some(expression.program));
                let unmade = Some(&unmade);
                let arguments = &arguments;
                let subject = RecordedCall {
                    name: "fuse!",
                    gradient,
                    arguments,
                    params: &none,
                    along,
                    program,
                    node: None,
                    unmade,
                    gives_views: false,
                };
                return recorded(&subject, target, &mut |target| compute(work, target));
            }
            let value = super::run(Call { work: Work::Expression(expression), target: Destination::New })?.one()?;
            return super::run(Call::reduction(op, &value, along, target));
        }
        Work::Picked(op, expression, dim, keep) if mode().records() => {
            let value = super::run(Call { work: Work::Expression(expression), target: Destination::New })?.one()?;
            let row = match op {
                Reduction::Min => Function::MinDim,
                Reduction::Median => Function::MedianDim,
                // others: max; what else is asked for is refused there.
                _ => Function::MaxDim,
            };
            return super::run(Call { work: Work::Row(row.entry(), &[(&value).into(), dim.into(), keep.into()]), target });
        }
        Work::Reduced(..) | Work::Picked(..) => return compute(work, target),
    };
    let subject = RecordedCall { name, gradient, arguments: &arguments, params, along, program, node, unmade: None, gives_views: false };
    recorded(&subject, target, &mut |target| compute(work, target))
}

/// Makes an elementwise call that gradients concern, into a new tensor. Small ones take so little time that it matters how often it is moved.
#[cold]
pub(super) fn operation(op: Op, operands: &[RawOperand<'_>], params: &Params) -> Result<RawTensor> {
    let make = || elementwise::apply(op, operands, params);
    if matches!(mode(), HistoryMode::NoGrad | HistoryMode::Within) {
        return make();
    }
    let mut arguments: SmallVec<[CallArgument<'_>; 4]> = SmallVec::new();
    operands.iter().for_each(|operand| arguments.push((*operand).into()));
    let (name, gradient, arguments, along) = (op.name(), of_op(op), &arguments[..], &Along::all());
    let subject = RecordedCall { name, gradient, arguments, params, along, program: None, node: None, unmade: None, gives_views: false };
    let edges = subject.recorded_edges(0)?;
    let wanted = subject.is_wanted(&edges)?;
    let mut result = {
        let _within = InMode::new(HistoryMode::Within);
        make()?
    };
    subject.finish(&mut [&mut result], edges, wanted)?;
    Ok(result)
}

/// Makes a call that gradients concern.
fn recorded(
    subject: &RecordedCall<'_>,
    target: Destination<'_>,
    make: &mut dyn FnMut(Destination<'_>) -> Result<Outcome>,
) -> Result<Outcome> {
    if matches!(subject.gradient, Gradient::Elsewhere | Gradient::Parts(_)) || mode() == HistoryMode::Within {
        let since = next_sequence();
        let mut outcome = match target {
            Destination::InPlace(tensor) => {
                let outcome = make(Destination::InPlace(tensor))?;
                subject.name_last_part(tensor, since);
                outcome
            }
            target => make(target)?,
        };
        match &mut outcome {
            Outcome::Tensor(result) => subject.name_last_part(result, since),
            several => several.tensors_mut().into_iter().for_each(|result| subject.name_last_part(result, since)),
        }
        if let (Outcome::Sparse(tensor), false) = (&mut outcome, mode().records()) {
            // Nothing was recorded, so its values lead nowhere, even if they are those of an operand.
            tensor.detach_values();
        }
        return Ok(outcome);
    }
    // In place, the changed tensor stands before the arguments.
    let edges = subject.recorded_edges(usize::from(matches!(target, Destination::InPlace(_) | Destination::Changed(..))))?;
    match target {
        Destination::New | Destination::Offered(_) => subject.made_new(edges, make),
        Destination::InPlace(tensor) => subject.in_place(tensor, edges, &mut |tensor| make(Destination::InPlace(tensor))),
        Destination::Changed(tensor, admitted) => {
            subject.in_place(tensor, edges, &mut |tensor| make(Destination::Changed(tensor, admitted)))
        }
        Destination::Out(out, admits) => {
            subject.check_outputs(&edges, &[out])?;
            let _within = InMode::new(HistoryMode::Within);
            make(Destination::Out(out, admits))
        }
        Destination::Outs([first, second], admits) => {
            subject.check_outputs(&edges, &[first, second])?;
            let _within = InMode::new(HistoryMode::Within);
            make(Destination::Outs([first, second], admits))
        }
    }
}

/// Gives the node of a result a name, if it was made since then.
fn rename(result: &RawTensor, since: u64, name: &'static str) {
    if let (Some(history), false) = (&result.history, name.is_empty())
        && let Some(Edge::Node(node, _)) = &mut history.state().edge
        && node.sequence >= since
        && let Some(node) = Arc::get_mut(node)
        && node.name != "CopySlices"
    {
        node.name = name.into();
    }
}

impl RecordedCall<'_> {
    /// Gives the last part of a call the name that PyTorch has for all of it, where that part was recorded since then.
    fn name_last_part(&self, result: &RawTensor, since: u64) {
        if let (Gradient::Parts(name), Some(_)) = (self.gradient, &result.history) {
            rename(result, since, name(self.arguments));
        }
    }

    /// Where gradients go, if that is recorded.
    fn recorded_edges(&self, first: usize) -> Result<Edges> {
        if mode().records() && !matches!(self.gradient, Gradient::None) { self.edges(first) } else { Ok(SmallVec::new()) }
    }

    /// Whether a gradient is wanted of a call that is to be made.
    fn is_wanted(&self, edges: &[Option<Edge>]) -> Result<bool> {
        let wanted = edges.iter().any(Option::is_some);
        if wanted {
            self.check_called()?;
        }
        Ok(wanted)
    }

    fn made_new(&self, edges: Edges, make: &mut dyn FnMut(Destination<'_>) -> Result<Outcome>) -> Result<Outcome> {
        let wanted = self.is_wanted(&edges)?;
        let mut outcome = {
            let _within = InMode::new(HistoryMode::Within);
            make(Destination::New)?
        };
        match &mut outcome {
            Outcome::Tensor(result) => self.finish(&mut [result], edges, wanted)?,
            several => self.finish(&mut several.tensors_mut(), edges, wanted)?,
        }
        Ok(outcome)
    }

    /// Gives new results their histories.
    fn finish(&self, results: &mut [&mut RawTensor], edges: Edges, wanted: bool) -> Result<()> {
        // What is the operand itself has its history already.
        if results.iter().all(|result| result.history.is_some()) {
            return Ok(());
        }
        let mut fresh: SmallVec<[bool; 16]> = SmallVec::new();
        let looks = self.gives_views || mode().infers();
        if looks {
            results.iter().for_each(|result| fresh.push(result.history.is_none()));
        }
        if wanted {
            let needed = self.needed(&edges, None);
            let mut node = Some(self.draft(needed, edges, None, results)?.done());
            let last = results.len() - 1;
            for (output, result) in results.iter_mut().enumerate() {
                if result.history.is_none() && is_differentiable(result) {
                    let node = if output == last { node.take() } else { node.clone() };
                    result.history = node.map(|node| History::result(result, Edge::Node(node, output)));
                }
            }
        }
        if looks { self.set_views(results, &fresh) } else { Ok(()) }
    }

    /// Tells new results that share memory with an operand what they are views of, and in inference mode all others where they come from.
    fn set_views(&self, results: &mut [&mut RawTensor], fresh: &[bool]) -> Result<()> {
        let mode = mode();
        let several = results.len() > 1;
        for (result, _) in results.iter_mut().zip(fresh).filter(|(_, fresh)| **fresh) {
            let mut of = None;
            for argument in self.arguments {
                each(argument, |tensor| of = of.or(tensor.storage().shares_memory(result.storage()).then_some(tensor)));
            }
            let history = match of {
                Some(operand) if operand.history.is_some() => history(operand)?,
                _ => None,
            };
            if let Some(history) = history
                && !matches!(self.gradient, Gradient::None)
            {
                let made = match () {
                    () if several => ViewMaking::Several,
                    () if mode.records() => ViewMaking::Recorded,
                    () if mode.infers() => ViewMaking::Inference,
                    () => ViewMaking::NoGrad,
                };
                let (of, inference) = {
                    let state = history.state();
                    (state.view.as_ref().map_or(ViewMaking::Recorded, |view| view.made), state.inference)
                };
                // What may not be changed through a view may not be through a view of it.
                let made = if made == ViewMaking::Recorded && of != ViewMaking::Whole { of } else { made };
                let view = ViewOf { base: base_of(&history), made, seen: result.version() };
                let own = result.history.take().unwrap_or_else(|| History::plain(result));
                let own = result.history.insert(own);
                let mut own = own.state();
                (own.view, own.inference) = (Some(view), inference);
            } else if mode.infers() && of.is_none() && result.history.is_none() {
                let history = History::plain(result);
                history.state().inference = true;
                result.history = Some(history);
            }
        }
        Ok(())
    }

    /// That no gradient is required where results go into outputs.
    fn check_outputs(&self, edges: &[Option<Edge>], outputs: &[&mut RawTensor]) -> Result<()> {
        if !mode().records() || matches!(self.gradient, Gradient::None) {
            return Ok(());
        }
        let mut wanted = edges.iter().any(Option::is_some);
        for output in outputs {
            wanted |= edge(output)?.is_some();
        }
        if !wanted {
            return Ok(());
        }
        let name = self.name;
        Err(Error::runtime(format!(
            "{name}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad."
        )))
    }

    /// What is said where there is no gradient.
    fn check_called(&self) -> Result<()> {
        match self.gradient {
            Gradient::Missing(Missing::Called, text) => Err(match *text {
                "" => Error::not_implemented(format!("the derivative for '{}' is not implemented.", self.name)),
                text => Error::not_implemented(text),
            }),
            Gradient::Missing(Missing::Refused, text) => Err(Error::runtime(*text)),
            _ => Ok(()),
        }
    }

    fn in_place(&self, tensor: &mut RawTensor, edges: Edges, make: &mut dyn FnMut(&mut RawTensor) -> Result<Outcome>) -> Result<Outcome> {
        check_inference(tensor)?;
        let recording = mode().records() && !matches!(self.gradient, Gradient::None);
        let before = if recording { history(tensor)? } else { None };
        let own_edge = if recording { edge(tensor)? } else { None };
        let wanted = own_edge.is_some() || edges.iter().any(Option::is_some);
        if recording && wanted {
            self.check_called()?;
            if let Some(before) = &before {
                check_changed(before)?;
            }
        }
        if !wanted || !is_differentiable(tensor) {
            let _within = InMode::new(HistoryMode::Within);
            return make(tensor);
        }
        let needed = self.needed(&edges, Some(own_edge.is_some()));
        let old = if needed.arguments & 1 == 0 {
            Remembered::Like(Extent::of(tensor))
        } else {
            let _within = InMode::new(HistoryMode::Within);
            Remembered::Saved(NodeTensor::operand(&tensor.clone_as(MemoryFormat::Preserve)?, own_edge.clone()))
        };
        let edges = [own_edge].into_iter().chain(edges).collect();
        let draft = self.draft(needed, edges, Some((tensor, old)), &[])?;
        let (version, lay) = (tensor.version(), tensor.geometry.clone());
        let outcome = {
            let _within = InMode::new(HistoryMode::Within);
            make(tensor)?
        };
        if tensor.version() == version {
            tensor.storage().lineage().count();
        }
        if let Some(view) = before.as_ref().filter(|before| tensor.geometry != lay && before.state().view.is_some()) {
            // A view that lies otherwise: nothing has changed for what it is a view of, and its edge is made anew.
            let mut state = view.state();
            state.edge = None;
            return Ok(outcome);
        }
        let node = self.changed_node(draft, needed, tensor);
        rebase(tensor, before, node)?;
        Ok(outcome)
    }
}

/// Gives a changed tensor, and what it is a view of, the history of the change.
fn rebase(tensor: &mut RawTensor, before: Option<Arc<History>>, node: Arc<GraphNode>) -> Result<()> {
    let held = before.is_some();
    let before = before.unwrap_or_else(|| History::plain(tensor));
    let is_view = before.state().view.is_some();
    // A plain tensor with other strides than those of a new one is most likely a view of one that has these.
    let in_order = || *tensor.strides() == contiguous_strides(tensor.sizes());
    if !is_view && (held || is_whole(tensor) && in_order()) {
        set_node(&before, node);
        before.state().extent = Extent::of(tensor);
        if !held {
            tensor.storage().lineage().set_common(Arc::new(Base::Held(Arc::downgrade(&before))));
        }
        tensor.history = Some(before);
        return Ok(());
    }
    let base = if is_view { base_of(&before) } else { whole_of(tensor)? };
    let (extent, part) = (base.state().extent.clone(), Extent::of(tensor));
    let version = tensor.version();
    let base_edge = {
        let state = base.state();
        state.edge.clone()
    };
    let edges = [base_edge].into_iter().chain(node.edges.iter().skip(1).cloned()).collect();
    let work = CopySlices { whole: extent.clone(), part, operation: node };
    let slices = GraphNode::new("CopySlices", edges, smallvec![extent], work);
    set_node(&base, slices);
    if tensor.history.is_some() || !is_view {
        // Its edge is made anew when it is asked for.
        let mut state = before.state();
        state.view = Some(ViewOf { base, made: ViewMaking::Recorded, seen: version.wrapping_sub(1) });
        drop(state);
        let fresh = edge_of(&before, version)?;
        let mut state = before.state();
        state.edge = fresh;
        drop(state);
        tensor.history = Some(before);
    }
    Ok(())
}

/// Sets what a tensor was made by last. Who keeps its gradient keeps that of the new value, and no longer that of the old one.
fn set_node(history: &Arc<History>, node: Arc<GraphNode>) {
    let mut state = history.state();
    if state.retains {
        if let Some(Edge::Node(old, _)) = &state.edge {
            crate::process::locked(old.taps()).retain(|(_, tap)| !matches!(tap, Tap::Keep(of) if of.as_ptr() == Arc::as_ptr(history)));
        }
        crate::process::locked(node.taps()).push((0, Tap::Keep(Arc::downgrade(history))));
    }
    state.edge = Some(Edge::Node(node, 0));
    state.requires = false;
}

/// All of the memory of a tensor that is a part of it, as a tensor that nobody holds.
fn whole_of(tensor: &RawTensor) -> Result<Arc<History>> {
    let elements = tensor.storage().nbytes() / tensor.dtype().itemsize();
    let all = RawTensor::over(tensor.storage().clone(), tensor.dtype(), Geometry::contiguous(&[elements]))?;
    let history = History::plain(&all);
    tensor.storage().lineage().set_common(Arc::new(Base::Whole(history.clone(), tensor.numel())));
    Ok(history)
}
