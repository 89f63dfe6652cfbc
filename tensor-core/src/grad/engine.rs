//! The way back through a graph: nodes run when all gradients of their outputs are there, the last made first. An edge leads to a node that
//! was made earlier, so the order is that of their numbers, and nothing recurses.
//!
//! Nothing is added to a leaf before all has been computed.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;
use smallvec::SmallVec;

use super::gathering::{keep, sum};
use super::run::{Before, PendingRun, is_large};
use crate::call::{self, Call, CallArgument, Destination, Function, result, run};
use crate::elementwise::Params;
use crate::error::{Error, Result};
use crate::raw::RawTensor;
use crate::raw::history::{Extent, GradientHook, History};
use crate::raw::mode::{AnomalyMode, HistoryMode, InMode, anomalies};
use crate::raw::node::{Edge, Gradients, GraphNode, Tap};
use crate::reduce::{Along, Keep};
use crate::views::signed;

/// What becomes of the graph, and of what is computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// Whether nodes keep what they have kept.
    pub(super) retain: bool,
    /// Whether the gradients have gradients.
    pub(super) create: bool,
}

/// Leaves, each with its gradient. Small graphs have one.
pub(super) type Leaves = SmallVec<[(Arc<History>, RawTensor); 1]>;

/// Where the way back begins, and with which gradients.
pub(super) type Roots = SmallVec<[(Edge, RawTensor); 1]>;

/// What the way back has come to.
#[derive(Default)]
pub(super) struct Arrived {
    /// The gradients of leaves.
    pub(super) leaves: Leaves,
    /// The gradients of results that keep theirs.
    kept: Vec<(Arc<History>, RawTensor)>,
    /// The gradients at the edges that were asked for, in their order.
    pub(super) captured: Vec<Option<RawTensor>>,
}

/// A node whose gradients are arriving.
struct Arriving {
    /// Nothing, when it runs.
    node: Option<Arc<GraphNode>>,
    gradients: SmallVec<[Option<RawTensor>; 1]>,
}

/// Which nodes are run: all, or those that lead to edges that were asked for.
struct EnginePath<'a> {
    asked: &'a [Edge],
    leads: Option<HashSet<u64>>,
}

impl<'a> EnginePath<'a> {
    fn new(roots: &[(Edge, RawTensor)], asked: Option<&'a [Edge]>) -> Self {
        let Some(asked) = asked else { return EnginePath { asked: &[], leads: None } };
        let mut found: BTreeMap<u64, &GraphNode> = BTreeMap::new();
        let mut open: Vec<&GraphNode> = Vec::new();
        for (edge, _) in roots {
            if let Edge::Node(node, _) = edge {
                open.push(node);
            }
        }
        while let Some(node) = open.pop() {
            if found.insert(node.sequence, node).is_some() {
                continue;
            }
            for edge in node.edges.iter().flatten() {
                if let Edge::Node(next, _) = edge {
                    open.push(next);
                }
            }
        }
        let mut leads = HashSet::new();
        for (sequence, node) in found {
            let leads_on = node.edges.iter().flatten().any(|edge| {
                asked.iter().any(|other| edge.is_same(other)) || matches!(edge, Edge::Node(next, _) if leads.contains(&next.sequence))
            });
            if leads_on {
                leads.insert(sequence);
            }
        }
        EnginePath { asked, leads: Some(leads) }
    }

    /// Whether a node is run.
    fn runs(&self, node: &GraphNode) -> bool {
        self.leads.as_ref().is_none_or(|leads| leads.contains(&node.sequence))
    }

    /// Whether the gradients that a node gives can wait: nothing looks at it.
    fn can_wait(&self, node: &Arc<GraphNode>) -> bool {
        self.runs(node)
            && !self.asked.iter().any(|edge| matches!(edge, Edge::Node(other, _) if Arc::ptr_eq(other, node)))
            && !node.has_taps()
    }

    /// For each edge of a node whether a gradient that goes there is wanted.
    #[inline(always)]
    fn wanted(&self, node: &GraphNode, wanted: &mut SmallVec<[bool; 16]>) {
        for edge in &node.edges {
            wanted.push(matches!(edge, Some(edge) if self.wants(edge)));
        }
    }

    /// Whether a gradient that goes there is wanted.
    fn wants(&self, edge: &Edge) -> bool {
        match (edge, &self.leads) {
            (Edge::Nowhere(_), _) => false,
            (_, None) => true,
            (Edge::Node(node, _), Some(leads)) => leads.contains(&node.sequence) || self.asked.iter().any(|other| edge.is_same(other)),
            (Edge::Leaf(_), Some(_)) => self.asked.iter().any(|other| edge.is_same(other)),
        }
    }
}

/// Goes back from roots, each with its gradient. With edges that are asked for, only on the way to those.
pub(super) fn go_back(roots: &mut Roots, manner: Manner, asked: Option<&[Edge]>, arrived: &mut Arrived) -> Result<()> {
    let _mode = InMode::way_back(manner.create);
    let path = EnginePath::new(roots, asked);
    let mut way = EnginePass::default();
    if !path.asked.is_empty() {
        arrived.captured.resize(path.asked.len(), None);
    }
    for (edge, gradient) in roots.drain(..) {
        way.arrive(Cow::Owned(edge), gradient, &mut arrived.leaves)?;
    }
    let mut wanted: SmallVec<[bool; 16]> = SmallVec::new();
    let anomalies = anomalies();
    let waits = !manner.create && anomalies == AnomalyMode::Off;
    loop {
        if waits && way.large && way.goes_on(&path, &mut wanted, manner.retain, &mut arrived.leaves)? {
            continue;
        }
        let Some((place, node)) = way.last_made() else { break };
        let gradients = &mut way.places[place].gradients;
        let mut given = Gradients::new();
        wanted.clear();
        let mut run = |given: &mut Gradients| run_node(&node, gradients, &path, manner, &mut wanted, arrived, given);
        match anomalies {
            AnomalyMode::Off => run(&mut given)?,
            AnomalyMode::Traced => node.watched(|| run(&mut given))?,
            AnomalyMode::Checked => node.watched(|| {
                run(&mut given)?;
                check_numbers(&node.name, &given)
            })?,
        }
        // A gradient that goes on as it is belongs to whom it reaches.
        gradients.clear();
        way.free.push(place);
        for (edge, gradient) in node.edges.iter().zip(given) {
            if let (Some(edge), Some(gradient)) = (edge, gradient) {
                way.arrive(Cow::Borrowed(edge), gradient, &mut arrived.leaves)?;
            }
        }
    }
    for (history, gradient) in &mut arrived.leaves {
        if history.is_hooked() {
            history.hooks_now().iter().try_for_each(|hook| replace(hook, gradient))?;
        }
        for (place, edge) in path.asked.iter().enumerate() {
            if matches!(edge, Edge::Leaf(other) if Arc::ptr_eq(other, history)) {
                arrived.captured[place] = Some(gradient.clone());
            }
        }
    }
    for (history, gradient) in std::mem::take(&mut arrived.kept) {
        keep(&history, &gradient, manner.create)?;
    }
    Ok(())
}

/// Runs a node: what looks at the gradients of its outputs does, and those for its edges that are wanted go into `given`, as their tensors are.
fn run_node(
    node: &Arc<GraphNode>,
    gradients: &mut [Option<RawTensor>],
    path: &EnginePath<'_>,
    manner: Manner,
    wanted: &mut SmallVec<[bool; 16]>,
    arrived: &mut Arrived,
    given: &mut Gradients,
) -> Result<()> {
    if node.has_taps() {
        look(node, gradients, arrived)?;
    }
    for (place, edge) in path.asked.iter().enumerate() {
        if let Edge::Node(other, output) = edge
            && Arc::ptr_eq(other, node)
        {
            arrived.captured[place].clone_from(&gradients[*output]);
        }
    }
    if !path.runs(node) {
        return Ok(());
    }
    path.wanted(node, wanted);
    node.back(gradients, wanted, manner.retain, given)?;
    for (place, (edge, gradient)) in node.edges.iter().zip(given).enumerate() {
        match (edge, &mut *gradient) {
            (Some(edge), Some(gradient)) if wanted[place] => fit(edge, gradient, &node.name, place)?,
            (_, Some(_)) => *gradient = None,
            (_, None) => {}
        }
    }
    Ok(())
}

/// That gradients are numbers, as anomaly mode asks for.
///
/// # Errors
/// Where an element isn't.
fn check_numbers(name: &str, given: &[Option<RawTensor>]) -> Result<()> {
    let _mode = InMode::new(HistoryMode::NoGrad);
    for (place, gradient) in given.iter().enumerate() {
        let Some(gradient) = gradient.as_ref().filter(|gradient| !gradient.is_meta()) else { continue };
        let nan = result(Call::elementwise(Op::Isnan, &[gradient.into()], &Params::none(), Destination::New))?;
        if result(Call::reduction(Reduction::Any, &nan, &Along::all(), Destination::New))?.item()? == 1.0 {
            return Err(Error::runtime(format!("Function '{name}' returned nan values in its {place}th output.")));
        }
    }
    Ok(())
}

/// More leaves are looked up by their address.
const FEW: usize = 8;

/// What is under way.
#[derive(Default)]
struct EnginePass {
    /// Where nodes wait. They are hundreds of bytes each, and stay in their places.
    places: SmallVec<[Arriving; 2]>,
    /// The places in which none waits.
    free: SmallVec<[usize; 4]>,
    /// The node that was made last of all that wait, by its number, and its place: in a chain, the only one.
    last: Option<(u64, usize)>,
    /// What only graphs have that aren't chains of few leaves.
    wide: Option<Box<WidePass>>,
    /// Whether a node came whose gradients may wait; those that do.
    large: bool,
    run: PendingRun,
}

/// What is under way where several nodes wait, or many leaves have gradients.
#[derive(Default)]
struct WidePass {
    /// The nodes that wait but for the last, by their numbers.
    others: BTreeMap<u64, usize>,
    /// Where a leaf is among the leaves that isn't one of the first few, by its address.
    known: BTreeMap<usize, usize>,
}

impl EnginePass {
    /// The node that was made last of those that wait, and its place, which it keeps.
    fn last_made(&mut self) -> Option<(usize, Arc<GraphNode>)> {
        let (_, place) = self.last.take().or_else(|| self.wide.as_mut()?.others.pop_last())?;
        Some((place, self.places[place].node.take()?))
    }

    /// The same node, which goes on waiting.
    fn next(&self) -> Option<&Arc<GraphNode>> {
        let place = self.last.map(|(_, place)| place).or_else(|| self.wide.as_ref()?.others.values().next_back().copied())?;
        self.places[place].node.as_ref()
    }

    /// Runs the next node, if its gradients can wait. If not, those that wait are made.
    #[inline(never)]
    fn goes_on(&mut self, path: &EnginePath<'_>, wanted: &mut SmallVec<[bool; 16]>, keep: bool, leaves: &mut Leaves) -> Result<bool> {
        let waits = |way: &Self| way.next().is_some_and(|node| way.run.goes_on(node) && path.can_wait(node));
        if !self.run.is_empty() && !waits(self) {
            self.settle(leaves)?;
        }
        if !waits(self) {
            return Ok(false);
        }
        let Some((place, node)) = self.last_made() else { return Ok(false) };
        wanted.clear();
        path.wanted(&node, wanted);
        self.follow(place, &node, wanted, keep, leaves)?;
        Ok(true)
    }

    /// Runs a node whose gradients wait.
    fn follow(&mut self, place: usize, node: &Arc<GraphNode>, wanted: &[bool], keep: bool, leaves: &Leaves) -> Result<()> {
        let gradient = self.places[place].gradients.pop().flatten();
        self.free.push(place);
        let found = self.run.follow(node, gradient, wanted, keep)?;
        for (at, (value, edge)) in found.into_iter().zip(&node.edges).enumerate() {
            let (Some(value), Some(edge)) = (value, edge) else { continue };
            let before = match edge {
                Edge::Node(next, output) => Some((self.waiting(Cow::Borrowed(next)), *output)),
                _ => None,
            };
            let stays = matches!(edge, Edge::Leaf(leaf) if self.leaf(leaf, leaves).is_some());
            let places = &mut self.places;
            self.run.add(node, at, value, |fits| {
                let arrived = before.map(|(next, output)| &mut places[next].gradients[output]);
                match arrived {
                    Some(arrived) if fits => arrived.take().map_or(Before::None, Before::Taken),
                    Some(Some(_)) => Before::Stays,
                    _ if stays => Before::Stays,
                    _ => Before::None,
                }
            });
        }
        Ok(())
    }

    /// Makes the gradients that wait; they arrive.
    fn settle(&mut self, leaves: &mut Leaves) -> Result<()> {
        for (node, place, mut gradient) in self.run.computed()? {
            let Some(edge) = &node.edges[place] else { continue };
            fit(edge, &mut gradient, &node.name, place)?;
            self.arrive(Cow::Borrowed(edge), gradient, leaves)?;
        }
        Ok(())
    }

    /// The place of a node, which waits from now on.
    #[inline(always)]
    fn waiting(&mut self, node: Cow<'_, Arc<GraphNode>>) -> usize {
        let number = node.sequence;
        match self.last {
            Some((last, place)) if last == number => return place,
            _ => {}
        }
        if let Some(place) = self.wide.as_ref().and_then(|wide| wide.others.get(&number)) {
            return *place;
        }
        let place = self.free.pop().unwrap_or_else(|| {
            self.places.push(Arriving { node: None, gradients: SmallVec::new() });
            self.places.len() - 1
        });
        let Arriving { node: own, gradients } = &mut self.places[place];
        self.large |= is_large(&node);
        node.outputs.iter().for_each(|_| gradients.push(None));
        *own = Some(node.into_owned());
        self.order(number, place);
        place
    }

    /// Puts a node that waits among the others.
    #[inline]
    fn order(&mut self, number: u64, place: usize) {
        let newest = match (self.last, &self.wide) {
            (None, None) => None,
            (Some((last, _)), _) => Some(last),
            (None, Some(wide)) => wide.others.keys().next_back().copied(),
        };
        if newest.is_some_and(|newest| newest > number) {
            self.wide.get_or_insert_default().others.insert(number, place);
        } else if let Some((before, at)) = self.last.replace((number, place)) {
            self.wide.get_or_insert_default().others.insert(before, at);
        }
    }

    /// Where a leaf is among those that have a gradient.
    fn leaf(&self, leaf: &Arc<History>, leaves: &Leaves) -> Option<usize> {
        let first = leaves.iter().take(FEW).position(|(known, _)| Arc::ptr_eq(known, leaf));
        first.or_else(|| self.wide.as_ref()?.known.get(&Arc::as_ptr(leaf).addr()).copied())
    }

    /// Adds a gradient to those that go to the same place.
    fn arrive(&mut self, edge: Cow<'_, Edge>, gradient: RawTensor, leaves: &mut Leaves) -> Result<()> {
        let (node, output) = match edge {
            Cow::Borrowed(Edge::Node(node, output)) => (Cow::Borrowed(node), *output),
            Cow::Owned(Edge::Node(node, output)) => (Cow::Owned(node), output),
            edge => return self.arrive_leaf(&edge, gradient, leaves),
        };
        let place = self.waiting(node);
        let place = &mut self.places[place].gradients[output];
        match place {
            None => *place = Some(gradient),
            Some(before) => *before = sum(before, &gradient)?,
        }
        Ok(())
    }

    /// Adds a gradient to those that go to the same leaf.
    fn arrive_leaf(&mut self, edge: &Edge, gradient: RawTensor, leaves: &mut Leaves) -> Result<()> {
        let Edge::Leaf(history) = edge else { return Ok(()) };
        match self.leaf(history, leaves) {
            Some(place) => leaves[place].1 = sum(&leaves[place].1, &gradient)?,
            None => {
                if leaves.len() >= FEW {
                    self.wide.get_or_insert_default().known.insert(Arc::as_ptr(history).addr(), leaves.len());
                }
                leaves.push((history.clone(), gradient));
            }
        }
        Ok(())
    }
}

/// Lets hooks see the gradients of a node's outputs, then the results that keep theirs.
fn look(node: &GraphNode, gradients: &mut [Option<RawTensor>], arrived: &mut Arrived) -> Result<()> {
    let taps = node.taps_now();
    for (output, tap) in &taps {
        if let Tap::Hook(hook) = tap
            && let Some(gradient) = &mut gradients[*output]
        {
            replace(hook, gradient)?;
        }
    }
    for (output, tap) in &taps {
        if let Tap::Keep(history) = tap
            && let (Some(history), Some(gradient)) = (history.upgrade(), &gradients[*output])
        {
            arrived.kept.push((history, gradient.clone()));
        }
    }
    Ok(())
}

/// Makes a gradient what a hook makes of it.
fn replace(hook: &GradientHook, gradient: &mut RawTensor) -> Result<()> {
    let Some(other) = (hook.function)(gradient)? else { return Ok(()) };
    let (name, number) = ("hook", hook.number);
    if other.sizes() != gradient.sizes() {
        return Err(Error::runtime(format!("{name} '{number}' has changed the size of value")));
    }
    if other.dtype() != gradient.dtype() {
        let (was, got) = (crate::raw::type_name(gradient), crate::raw::type_name(&other));
        return Err(Error::runtime(format!("{name} '{number}' has changed the type of value (was {was} got {got})")));
    }
    *gradient = other;
    Ok(())
}

/// Makes a gradient what its tensor is like: summed where that broadcast, in its dtype.
#[inline(always)]
fn fit(edge: &Edge, gradient: &mut RawTensor, name: &str, place: usize) -> Result<()> {
    let unlike = |extent: &Extent| (!extent.is_like(gradient)).then(|| extent.clone());
    let Some(extent) = edge.with_extent(unlike) else { return Ok(()) };
    if gradient.sizes() != &*extent.geometry.sizes {
        *gradient = summed(gradient, &extent.geometry.sizes)?.ok_or_else(|| {
            let (got, expected) = (gradient.sizes(), &*extent.geometry.sizes);
            Error::runtime(format!(
                "Function {name} returned an invalid gradient at index {place} - got {got:?} but expected shape compatible with {expected:?}"
            ))
        })?;
    }
    if gradient.dtype() == extent.dtype {
        return Ok(());
    }
    if gradient.dtype().is_complex() && !extent.dtype.is_complex() {
        *gradient = call::one(Function::Real, &[CallArgument::Tensor(gradient)])?;
    }
    *gradient = call::cast(gradient, extent.dtype)?;
    Ok(())
}

/// A tensor summed to sizes that broadcast to its own; `None` where they don't.
fn summed(tensor: &RawTensor, sizes: &[usize]) -> Result<Option<RawTensor>> {
    let Some(more) = tensor.rank().checked_sub(sizes.len()) else { return Ok(None) };
    if !sizes.iter().zip(&tensor.sizes()[more..]).all(|(&size, &own)| size == own || size == 1) {
        return Ok(None);
    }
    let stretched = |dim: &usize| *dim < more || sizes[dim - more] == 1 && tensor.sizes()[*dim] != 1;
    let dims: Vec<isize> = (0..tensor.rank()).filter(stretched).map(usize::cast_signed).collect();
    let total = run(Call::reduction(Reduction::Sum, tensor, &Along::dims(&dims).keep(Keep::Yes), Destination::New))?.one()?;
    if more == 0 {
        return Ok(Some(total));
    }
    call::one(Function::View, &[CallArgument::Tensor(&total), CallArgument::Ints(&signed(sizes))]).map(Some)
}
