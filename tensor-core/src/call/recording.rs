//! What becomes of histories when a call is made that gradients concern: PyTorch's rules are checked, the call is made, and its results get a node
//! that leads back to its operands. Calls that no gradient concerns never come here.

use std::sync::Arc;

use latten_spec::reduction::Reduction;
use smallvec::{SmallVec, smallvec};

use super::backward::{Gradient, KeptArgument, Missing, Names, NoWork, Rare, Recorded, Remembered, Unmade};
use super::derivatives::{of_expression, of_op, of_reduction};
use super::origin::{base_of, check_changed, check_inference, check_saved, edge, edge_of, history, is_differentiable, is_whole};
use super::slices::CopySlices;
use super::{Call, CallArgument, Destination, Function, Outcome, Work, compute};
use crate::elementwise::Params;
use crate::error::{Error, Result};
use crate::geometry::Geometry;
use crate::geometry::strides::is_contiguous;
use crate::layout::MemoryFormat;
use crate::program::Program;
use crate::raw::RawTensor;
use crate::raw::history::{Base, Extent, History, ViewMaking, ViewOf};
use crate::raw::mode::{HistoryMode, InMode, mode};
use crate::raw::node::{Edge, Edges, GraphNode, NodeTensor, Tap};
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
    /// What the expression gives, where that is only reduced.
    pub(super) unmade: Option<&'a Unmade>,
}

/// Calls `look` with every tensor of an argument.
fn each<'a>(argument: &CallArgument<'a>, mut look: impl FnMut(&'a RawTensor)) {
    match *argument {
        CallArgument::Tensor(tensor) => look(tensor),
        CallArgument::Tensors(tensors) => tensors.iter().for_each(|tensor| look(tensor)),
        CallArgument::Indices(tensors) => tensors.iter().flatten().for_each(|tensor| look(tensor)),
        CallArgument::Sparse(tensor) => look(tensor.raw_values()),
        _ => {}
    }
}

/// Makes a call that gradients concern.
#[cold]
pub(super) fn run(work: Work<'_>, target: Destination<'_>) -> Result<Outcome> {
    // Results of these are no views, so that without recording there is nothing to tell of them.
    if let (HistoryMode::NoGrad | HistoryMode::Within, Destination::New, false) = (mode(), &target, matches!(work, Work::Row(..))) {
        return compute(work, target);
    }
    let (none, all) = (Params::none(), Along::all());
    let mut arguments: SmallVec<[CallArgument<'_>; 4]> = SmallVec::new();
    let (expression_gradient, mut program) = (of_expression(work), None);
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
                unmade: None,
            };
            return recorded(&subject, target, &mut |target| compute(work, target));
        }
        Work::Expression(expression) => {
            arguments.extend(expression.operands.iter().map(|tensor| tensor.map_or(CallArgument::None, CallArgument::Tensor)));
            program = Some(expression.program);
            ("fuse!", &expression_gradient, &none, &all)
        }
        Work::Reduced(op, expression, along) if mode().records() => {
            if let Some(unmade) = Unmade::of(op, expression)? {
                arguments.extend(expression.operands.iter().map(|tensor| tensor.map_or(CallArgument::None, CallArgument::Tensor)));
                let (gradient, program) = (&expression_gradient, Some(expression.program));
                let unmade = Some(&unmade);
                let subject = RecordedCall { name: "fuse!", gradient, arguments: &arguments, params: &none, along, program, unmade };
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
    let subject = RecordedCall { name, gradient, arguments: &arguments, params, along, program, unmade: None };
    recorded(&subject, target, &mut |target| compute(work, target))
}

/// Makes a call that gradients concern.
fn recorded(
    subject: &RecordedCall<'_>,
    target: Destination<'_>,
    make: &mut dyn FnMut(Destination<'_>) -> Result<Outcome>,
) -> Result<Outcome> {
    if matches!(subject.gradient, Gradient::Elsewhere | Gradient::Parts) || mode() == HistoryMode::Within {
        let mut outcome = make(target)?;
        if let (Outcome::Sparse(tensor), false) = (&mut outcome, mode().records()) {
            // Nothing was recorded, so its values lead nowhere, even if they are those of an operand.
            tensor.detach_values();
        }
        return Ok(outcome);
    }
    let edges = if mode().records() && !matches!(subject.gradient, Gradient::None) { subject.edges()? } else { SmallVec::new() };
    match target {
        Destination::New => subject.made_new(edges, make),
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

impl RecordedCall<'_> {
    /// Where the gradients of the tensors go, in their order.
    fn edges(&self) -> Result<Edges> {
        let mut edges: Edges = SmallVec::new();
        let mut failed = None;
        for argument in self.arguments {
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
    fn needed(&self, edges: &[Option<Edge>], changed: Option<bool>) -> Names {
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

    fn made_new(&self, edges: Edges, make: &mut dyn FnMut(Destination<'_>) -> Result<Outcome>) -> Result<Outcome> {
        let wanted = edges.iter().any(Option::is_some);
        if wanted {
            self.check_called()?;
        }
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
        let mut fresh: SmallVec<[bool; 2]> = SmallVec::new();
        results.iter().for_each(|result| fresh.push(result.history.is_none()));
        if !fresh.contains(&true) {
            return Ok(());
        }
        if wanted {
            let needed = self.needed(&edges, None);
            let work = self.work(needed, &edges, None)?;
            let node = self.node(edges, work, results);
            for (output, result) in results.iter_mut().enumerate() {
                if result.history.is_none() && is_differentiable(result) {
                    result.history = Some(History::result(result, Edge::Node(node.clone(), output)));
                }
            }
        }
        self.set_views(results, &fresh)
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

    /// Adds to what a node keeps the arguments; the first of them has the place that comes next.
    fn hold(&self, needed: Names, edges: &[Option<Edge>], held: &mut SmallVec<[KeptArgument; 2]>) -> Result<()> {
        let (mut at, first) = (0, held.len());
        for (place, argument) in self.arguments.iter().enumerate() {
            let is_needed = needed.has_argument(place + first);
            let keep = |tensor: &RawTensor| {
                at += 1;
                if !is_needed {
                    return Ok(Remembered::Like(Extent::of(tensor)));
                }
                check_saved(tensor)?;
                Ok(Remembered::Saved(NodeTensor::operand(tensor, edges.get(at - 1).cloned().flatten())))
            };
            match *argument {
                // Pushed as it is made: through a result it would be moved twice more.
                CallArgument::Tensor(tensor) if is_needed => {
                    check_saved(tensor)?;
                    held.push(KeptArgument::Tensor(Remembered::Saved(NodeTensor::operand(tensor, edges.get(at).cloned().flatten()))));
                    at += 1;
                }
                CallArgument::Tensor(tensor) => {
                    held.push(KeptArgument::Tensor(Remembered::Like(Extent::of(tensor))));
                    at += 1;
                }
                _ => held.push(KeptArgument::of(argument, keep)?),
            }
        }
        Ok(())
    }

    /// What a node keeps of a call before it is made, where it has a gradient; in place, with what the changed tensor was as the first argument.
    fn work(&self, needed: Names, edges: &[Option<Edge>], changed: Option<Remembered>) -> Result<Option<Arc<Recorded>>> {
        let Gradient::Back(back) = self.gradient else { return Ok(None) };
        let arguments = self.arguments.len() + usize::from(changed.is_some());
        let mut work = Arc::new(Recorded { function: back.function, held: SmallVec::new(), arguments, needed, rare: self.rare() });
        // Nobody else has it yet. What is kept has hundreds of bytes: it is written where it stays.
        if let Some(Recorded { held, .. }) = Arc::get_mut(&mut work) {
            held.extend(changed.map(KeptArgument::Tensor));
            self.hold(needed, edges, held)?;
        }
        Ok(Some(work))
    }

    /// The node of a call that has been made.
    fn node(&self, edges: Edges, work: Option<Arc<Recorded>>, results: &[&mut RawTensor]) -> Arc<GraphNode> {
        let mut outputs = SmallVec::new();
        results.iter().for_each(|result| outputs.push(Extent::of(result)));
        let (back, mut work) = match (self.gradient, work) {
            (Gradient::Back(back), Some(work)) => (back, work),
            (Gradient::Missing(_, text), _) => return GraphNode::new("NotImplemented", edges, outputs, Arc::new(NoWork(text))),
            _ => return GraphNode::new("None", edges, outputs, Arc::new(NoWork(""))),
        };
        let needed = work.needed;
        if needed.results != 0
            && let Some(Recorded { held, .. }) = Arc::get_mut(&mut work)
        {
            for (output, result) in results.iter().enumerate().filter(|(output, _)| needed.has_result(*output)) {
                held.push(KeptArgument::Tensor(Remembered::Saved(NodeTensor::result(result, output))));
            }
        }
        // In place, the changed tensor is the first argument.
        let changed = results.first().filter(|_| work.arguments > self.arguments.len()).map(|tensor| CallArgument::Tensor(tensor));
        let name = match (self.unmade, changed) {
            (Some(unmade), _) => unmade.node(self.along.given_dims()),
            (None, None) => (back.name)(self.arguments),
            (None, Some(changed)) => {
                let named: SmallVec<[CallArgument<'_>; 4]> = [changed].into_iter().chain(self.arguments.iter().copied()).collect();
                (back.name)(&named)
            }
        };
        GraphNode::new(name, edges, outputs, work)
    }

    /// What of the call few others have.
    fn rare(&self) -> Option<Box<Rare>> {
        let plain = self.params.is_none() && self.along.is_all() && self.program.is_none() && self.unmade.is_none();
        let rare = || Rare {
            params: self.params.clone(),
            along: self.along.clone(),
            program: self.program.cloned(),
            unmade: self.unmade.cloned(),
        };
        (!plain).then(|| Box::new(rare()))
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
        let work = self.work(needed, &edges, Some(old))?;
        let version = tensor.version();
        let outcome = {
            let _within = InMode::new(HistoryMode::Within);
            make(tensor)?
        };
        if tensor.version() == version {
            tensor.storage().lineage().count();
        }
        let edges = [own_edge].into_iter().chain(edges).collect();
        let node = self.node(edges, work, &[&mut *tensor]);
        rebase(tensor, before, node)?;
        Ok(outcome)
    }
}

/// Gives a changed tensor, and what it is a view of, the history of the change.
fn rebase(tensor: &mut RawTensor, before: Option<Arc<History>>, node: Arc<GraphNode>) -> Result<()> {
    let held = before.is_some();
    let before = before.unwrap_or_else(|| History::plain(tensor));
    let is_view = before.state().view.is_some();
    // A plain tensor whose elements don't lie in their order is most likely a view of one in which they do.
    let in_order = || is_contiguous(tensor.sizes(), tensor.strides(), MemoryFormat::Contiguous);
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
    let slices = GraphNode::new("CopySlices", edges, smallvec![extent], Arc::new(work));
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
            crate::process::locked(&old.taps).retain(|(_, tap)| !matches!(tap, Tap::Keep(of) if of.as_ptr() == Arc::as_ptr(history)));
        }
        crate::process::locked(&node.taps).push((0, Tap::Keep(Arc::downgrade(history))));
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
