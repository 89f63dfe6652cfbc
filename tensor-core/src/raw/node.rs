//! Nodes of the graph that leads back from results to the tensors they were made of, and the tensors that nodes keep.
//!
//! A node is made when a call is recorded and never changes, but for what it keeps, which goes when it has run. Graphs are dropped without
//! recursion, however long they are.

use std::any::Any;
use std::backtrace::Backtrace;
use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use smallvec::SmallVec;

use super::history::{Extent, GradientHook, History};
use super::mode::{AnomalyMode, anomalies, mode};
use super::{RawTensor, type_name};
use crate::error::{Error, Result};
use crate::process::locked;
use crate::warning::warn;

/// Gradients, one a place; there may be none for a place.
pub(crate) type Gradients = SmallVec<[Option<RawTensor>; 2]>;

/// For each tensor that a call read, where its gradient goes; `None` where it wants none.
pub(crate) type Edges = SmallVec<[Option<Edge>; 2]>;

/// Where a gradient goes: to an output of a node, or to a leaf.
#[derive(Clone, Debug)]
pub(crate) enum Edge {
    /// The gradient of that output of a node.
    Node(Arc<GraphNode>, usize),
    /// The gradient of a leaf.
    Leaf(Arc<History>),
    /// Nowhere, though one is required: the tensor is a view that was made while nothing was recorded.
    Nowhere(Box<Extent>),
}

impl Edge {
    /// Calls `look` with what the tensor is like whose gradient goes there.
    pub(crate) fn with_extent<R>(&self, look: impl FnOnce(&Extent) -> R) -> R {
        match self {
            Self::Node(node, output) => look(&node.outputs[*output]),
            Self::Leaf(history) => look(&history.state().extent),
            Self::Nowhere(extent) => look(extent),
        }
    }

    /// Whether two edges go to one place.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Node(node, output), Self::Node(other, place)) => Arc::ptr_eq(node, other) && output == place,
            (Self::Leaf(one), Self::Leaf(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

/// What a node does when the gradients of its outputs are there.
pub(crate) trait NodeWork: Any + Send + Sync {
    /// Puts into `given` the gradients for the edges of the node whose work it is, from those of its outputs: for the edges that want one.
    /// Without `keep` it forgets what it has kept.
    ///
    /// # Errors
    /// Where it has been forgotten, and those of the calls that are made.
    fn back(&self, way: &NodeBack<'_>, given: &mut Gradients) -> Result<()>;

    /// Gives away all edges of what is kept, before it is dropped.
    fn let_go(&mut self, to: &mut dyn FnMut(Edge));
}

/// A node that runs, and what it is given.
pub(crate) struct NodeBack<'a> {
    pub(crate) node: &'a GraphNode,
    /// Where the gradients of its own outputs go.
    pub(crate) own: OwnGradient<'a>,
    /// The gradients of its outputs.
    pub(crate) gradients: &'a [Option<RawTensor>],
    /// For each edge whether a gradient is wanted there.
    pub(crate) wanted: &'a [bool],
    /// Whether what is kept stays.
    pub(crate) keep: bool,
}

/// Where the gradient of an output of the node that runs goes.
pub(crate) type OwnGradient<'a> = &'a dyn Fn(usize) -> Edge;

/// What a node keeps.
pub(crate) enum Held<T> {
    /// It leads to no tensor's elements, and stays.
    Always(T),
    /// Until the node has run; nothing afterwards.
    Once(Mutex<Option<T>>),
}

impl<T: Clone> Held<T> {
    /// What stays, or is there once.
    pub(crate) fn new(held: T, once: bool) -> Self {
        if once { Self::Once(Mutex::new(Some(held))) } else { Self::Always(held) }
    }

    /// What is kept by a node that nobody has yet.
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        match self {
            Self::Always(held) => Some(held),
            Self::Once(held) => held.get_mut().unwrap_or_else(PoisonError::into_inner).as_mut(),
        }
    }

    /// What a function makes of it, under no lock. Without `keep` it is gone then.
    ///
    /// # Errors
    /// Where it is gone already, and the function's.
    #[inline]
    pub(crate) fn lend<R>(&self, keep: bool, look: impl FnOnce(&T) -> Result<R>) -> Result<R> {
        let held = match self {
            Self::Always(held) => return look(held),
            Self::Once(held) => held,
        };
        let lent = {
            let mut held = locked(held);
            if keep { held.clone() } else { held.take() }
        };
        match &lent {
            Some(held) => look(held),
            None => Err(forgotten()),
        }
    }
}

/// A call that was recorded, with its work in the same memory.
pub(crate) struct GraphNode<W: NodeWork + ?Sized = dyn NodeWork> {
    /// As it is printed.
    pub(crate) name: Cow<'static, str>,
    /// Nodes that were made later run earlier.
    pub(crate) sequence: u64,
    pub(crate) edges: Edges,
    /// What its outputs were like.
    pub(crate) outputs: SmallVec<[Extent; 1]>,
    /// What looks at the gradients of its outputs before it runs; few nodes have anything there.
    taps: OnceLock<Mutex<Vec<(usize, Tap)>>>,
    /// Where it was made, in anomaly mode.
    trace: Option<Box<ForwardTrace>>,
    pub(crate) work: W,
}

/// What looks at a gradient of a result.
#[derive(Clone)]
pub(crate) enum Tap {
    /// A function of the user's.
    Hook(GradientHook),
    /// A result that keeps its gradient.
    Keep(Weak<History>),
}

/// How many nodes there have been.
static NODES: AtomicU64 = AtomicU64::new(0);

/// The number that a node would get that is made now.
pub(crate) fn next_sequence() -> u64 {
    NODES.load(Ordering::Relaxed)
}

impl<W: NodeWork> GraphNode<W> {
    /// A node that leads from outputs to where their gradients go.
    #[inline]
    pub(crate) fn new(name: impl Into<Cow<'static, str>>, edges: Edges, outputs: SmallVec<[Extent; 1]>, work: W) -> Arc<Self> {
        let sequence = NODES.fetch_add(1, Ordering::Relaxed);
        let trace = if anomalies() == AnomalyMode::Off { None } else { Some(ForwardTrace::here()) };
        Arc::new(Self { name: name.into(), sequence, edges, outputs, taps: OnceLock::new(), trace, work })
    }
}

impl GraphNode {
    /// What looks at the gradients of its outputs.
    pub(crate) fn taps(&self) -> &Mutex<Vec<(usize, Tap)>> {
        self.taps.get_or_init(Mutex::default)
    }

    /// Whether something has ever looked at them.
    pub(crate) fn has_taps(&self) -> bool {
        self.taps.get().is_some()
    }

    /// The same as it is now.
    #[inline]
    pub(crate) fn taps_now(&self) -> Vec<(usize, Tap)> {
        self.taps.get().map_or_else(Vec::new, |taps| locked(taps).clone())
    }

    /// Its name in messages.
    pub(crate) fn short_name(&self) -> String {
        match (&*self.name, self.name.rsplit_once("Backward")) {
            (name @ ("CopySlices" | "CopyBackwards"), _) => format!("torch::autograd::{name}"),
            (_, Some((name, "0"))) => name.to_owned(),
            (_, Some((name, number))) => format!("{name}{number}"),
            (name, None) => name.to_owned(),
        }
    }

    /// Puts into `given` the gradients for its edges, from those of its outputs.
    pub(crate) fn back(
        self: &Arc<Self>,
        gradients: &[Option<RawTensor>],
        wanted: &[bool],
        keep: bool,
        given: &mut Gradients,
    ) -> Result<()> {
        let own = |output| Edge::Node(self.clone(), output);
        self.work.back(&NodeBack { node: self, own: &own, gradients, wanted, keep }, given)
    }
}

/// Where a node was made.
struct ForwardTrace {
    calls: Backtrace,
    /// The node that ran then, where it was made on the way back.
    by: Option<Arc<GraphNode>>,
}

thread_local! {
    /// The node that runs, in anomaly mode.
    static RUNNING: RefCell<Option<Arc<GraphNode>>> = const { RefCell::new(None) };
}

impl ForwardTrace {
    #[cold]
    fn here() -> Box<Self> {
        Box::new(Self { calls: Backtrace::force_capture(), by: RUNNING.with_borrow(Option::clone) })
    }
}

impl GraphNode {
    /// What a function gives that runs this node, in anomaly mode.
    pub(crate) fn watched<R>(self: &Arc<Self>, run: impl FnOnce() -> Result<R>) -> Result<R> {
        let before = RUNNING.replace(Some(self.clone()));
        let outcome = run();
        drop(RUNNING.replace(before));
        outcome.inspect_err(|_| self.tell_trace())
    }

    /// Warns of where it was made, and the node that ran then, and so on, in PyTorch's words.
    fn tell_trace(&self) {
        const NONE: &str = "No forward pass information available. Enable detect anomaly during forward pass for more information.";
        let name = &self.name;
        match &self.trace {
            Some(trace) => warn(&format!("Error detected in {name}. Traceback of forward call that caused the error:\n{}", trace.calls)),
            None => warn(&format!("Error detected in {name}. {NONE}")),
        }
        let mut next = self.trace.as_ref().and_then(|trace| trace.by.as_ref());
        while let Some(node) = next {
            let calls = node
                .trace
                .as_ref()
                .map(|trace| format!("Traceback of forward call that induced the previous calculation:\n{}", trace.calls));
            let name = &node.name;
            warn(&format!("\n\nPrevious calculation was induced by {name}. {}", calls.as_deref().unwrap_or(NONE)));
            next = node.trace.as_ref().and_then(|trace| trace.by.as_ref());
        }
    }
}

/// That a graph runs again whose kept tensors are gone.
#[cold]
fn forgotten() -> Error {
    Error::runtime(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). Saved \
         intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to \
         backward through the graph a second time or if you need to access saved tensors after calling backward.",
    )
}

impl fmt::Debug for GraphNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.name)
    }
}

thread_local! {
    /// The edges of nodes that are dropped while another one is. It has no destructor, so that threads that end can still drop nodes.
    static REMAINS: ManuallyDrop<RefCell<Option<Vec<Edge>>>> = const { ManuallyDrop::new(RefCell::new(None)) };
}

impl<W: NodeWork + ?Sized> Drop for GraphNode<W> {
    fn drop(&mut self) {
        // What it keeps leads nowhere else.
        if !self.edges.iter().any(|edge| matches!(edge, Some(Edge::Node(..)))) {
            return;
        }
        // Nodes that go because this one goes leave their edges to it, so that nothing recurses.
        let first = REMAINS.with(|remains| {
            let mut remains = remains.borrow_mut();
            if let Some(remains) = &mut *remains {
                remains.extend(self.edges.drain(..).flatten());
                self.work.let_go(&mut |edge| remains.push(edge));
                return false;
            }
            *remains = Some(Vec::new());
            true
        });
        if !first {
            return;
        }
        self.edges.clear();
        self.work.let_go(&mut drop);
        while let Some(next) = REMAINS.with(|remains| remains.borrow_mut().as_mut().and_then(Vec::pop)) {
            drop(next);
        }
        REMAINS.with(|remains| *remains.borrow_mut() = None);
    }
}

/// A tensor that a node keeps: without its history, which would lead back to the node, but with what is needed to have it again.
#[derive(Clone, Debug)]
pub(crate) struct NodeTensor {
    tensor: RawTensor,
    version: u64,
    origin: SavedOrigin,
    /// The history of the tensor that was kept, to say later what became of it.
    of: Weak<History>,
}

/// A kept tensor that is there again.
pub(crate) enum There<'a> {
    /// As it was kept.
    Kept(&'a RawTensor),
    /// With its history; or without elements, where only what it was like was kept.
    Again(RawTensor),
}

impl Deref for There<'_> {
    type Target = RawTensor;

    fn deref(&self) -> &RawTensor {
        match self {
            Self::Kept(tensor) => tensor,
            Self::Again(tensor) => tensor,
        }
    }
}

/// Where the gradient of a kept tensor goes.
#[derive(Clone, Debug)]
enum SavedOrigin {
    Nowhere,
    There(Edge),
    /// It is a result of the node itself.
    OwnGradient(usize),
}

impl NodeTensor {
    /// An operand, as it is now.
    pub(crate) fn operand(tensor: &RawTensor, edge: Option<Edge>) -> Self {
        Self::of(tensor, edge.map_or(SavedOrigin::Nowhere, SavedOrigin::There))
    }

    /// That output of the node that keeps it.
    pub(crate) fn result(tensor: &RawTensor, output: usize) -> Self {
        Self::of(tensor, SavedOrigin::OwnGradient(output))
    }

    fn of(tensor: &RawTensor, origin: SavedOrigin) -> Self {
        let of = tensor.history.as_ref().map_or_else(Weak::new, Arc::downgrade);
        let version = tensor.storage.lineage().version();
        Self { tensor: tensor.without_history(), version, origin, of }
    }

    /// The tensor without its history, if nothing has changed its memory.
    #[inline]
    pub(crate) fn kept(&self, own: OwnGradient<'_>) -> Result<&RawTensor> {
        let found = self.tensor.storage.lineage().version();
        if found == self.version { Ok(&self.tensor) } else { Err(self.changed(found, own)) }
    }

    /// The same with its history, where that is recorded which is computed with it.
    pub(crate) fn unpack(&self, own: OwnGradient<'_>) -> Result<There<'_>> {
        let kept = self.kept(own)?;
        let history = match &self.origin {
            _ if !mode().records() => return Ok(There::Kept(kept)),
            SavedOrigin::Nowhere => return Ok(There::Kept(kept)),
            SavedOrigin::There(Edge::Leaf(history)) => history.clone(),
            SavedOrigin::There(edge) => History::result(&self.tensor, edge.clone()),
            SavedOrigin::OwnGradient(output) => History::result(&self.tensor, own(*output)),
        };
        Ok(There::Again(RawTensor { history: Some(history), ..self.tensor.without_history() }))
    }

    /// Gives away where its gradient goes, before it is dropped.
    pub(crate) fn let_go(&mut self) -> Option<Edge> {
        match std::mem::replace(&mut self.origin, SavedOrigin::Nowhere) {
            SavedOrigin::There(edge) => Some(edge),
            SavedOrigin::Nowhere | SavedOrigin::OwnGradient(_) => None,
        }
    }

    #[cold]
    fn changed(&self, found: u64, own: OwnGradient<'_>) -> Error {
        let (kind, sizes, expected) = (type_name(&self.tensor), self.tensor.sizes(), self.version);
        let now = self.of.upgrade().and_then(|history| {
            let state = history.state();
            // A result that was written to a view is named as the view is, until the view's history is made anew.
            let names =
                !matches!(self.origin, SavedOrigin::OwnGradient(_)) || state.view.as_ref().is_some_and(|view| view.seen == expected);
            state.edge.clone().filter(|_| names)
        });
        let edge = match self.origin {
            SavedOrigin::OwnGradient(output) => now.or_else(|| Some(own(output))),
            SavedOrigin::Nowhere | SavedOrigin::There(_) => now,
        };
        let which = match edge {
            Some(Edge::Node(node, output)) => {
                format!("which is output {output} of {}, ", node.short_name())
            }
            _ => String::new(),
        };
        let hint = if anomalies() == AnomalyMode::Off {
            "enable anomaly detection to find the operation that failed to compute its gradient, with \
             torch.autograd.set_detect_anomaly(True, check_nan=False)."
        } else {
            "the backtrace further above shows the operation that failed to compute its gradient. The variable in question was changed in there \
             or anywhere later. Good luck!"
        };
        Error::runtime(format!(
            "one of the variables needed for gradient computation has been modified by an inplace operation: [{kind} {sizes:?}]{comma} {which}is \
             at version {found}; expected version {expected} instead. Hint: {hint}",
            comma = if which.is_empty() { "" } else { "," },
        ))
    }
}
