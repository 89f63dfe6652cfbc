//! Nodes of the graph that leads back from results to the tensors they were made of, and the tensors that nodes keep.
//!
//! A node is made when a call is recorded and never changes, but for what it keeps, which goes when it has run. Graphs are dropped without
//! recursion, however long they are.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use smallvec::SmallVec;

use super::history::{Extent, GradientHook, History};
use super::mode::mode;
use super::{RawTensor, type_name};
use crate::error::{Error, Result};
use crate::process::locked;

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
}

/// What a node does when the gradients of its outputs are there.
pub(crate) trait NodeWork: Send + Sync {
    /// The gradients for the edges of the node whose work it is, from those of its outputs: for the edges that want one. Without `keep` nodes
    /// that it consists of forget what they have kept.
    fn back(
        &self,
        node: &GraphNode,
        own: OwnGradient<'_>,
        gradients: &[Option<RawTensor>],
        wanted: &[bool],
        keep: bool,
    ) -> Result<Gradients>;

    /// Whether any tensor or operand is kept, so that the node forgets the work when it has run, and can't run again.
    fn keeps(&self) -> bool;
}

/// Where the gradient of an output of the node that runs goes.
pub(crate) type OwnGradient<'a> = &'a dyn Fn(usize) -> Edge;

/// A call that was recorded.
pub(crate) struct GraphNode {
    /// As it is printed.
    pub(crate) name: Cow<'static, str>,
    /// Nodes that were made later run earlier.
    pub(crate) sequence: u64,
    pub(crate) edges: Edges,
    /// What its outputs were like.
    pub(crate) outputs: SmallVec<[Extent; 1]>,
    /// What looks at the gradients of its outputs before it runs.
    pub(crate) taps: Mutex<Vec<(usize, Tap)>>,
    /// Nothing, when it has been forgotten.
    work: Mutex<Option<Arc<dyn NodeWork>>>,
}

/// What looks at a gradient of a result.
#[derive(Clone)]
pub(crate) enum Tap {
    /// A function of the user's.
    Hook(GradientHook),
    /// A result that keeps its gradient.
    Keep(Weak<History>),
}

impl GraphNode {
    /// A node that leads from outputs to where their gradients go.
    #[inline]
    pub(crate) fn new(
        name: impl Into<Cow<'static, str>>,
        edges: Edges,
        outputs: SmallVec<[Extent; 1]>,
        work: Arc<dyn NodeWork>,
    ) -> Arc<Self> {
        static NODES: AtomicU64 = AtomicU64::new(0);
        let sequence = NODES.fetch_add(1, Ordering::Relaxed);
        Arc::new(Self { name: name.into(), sequence, edges, outputs, taps: Mutex::default(), work: Mutex::new(Some(work)) })
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

    /// The gradients for its edges, from those of its outputs.
    pub(crate) fn back(self: &Arc<Self>, gradients: &[Option<RawTensor>], wanted: &[bool], keep: bool) -> Result<Gradients> {
        self.back_as(&|output| Edge::Node(self.clone(), output), gradients, wanted, keep)
    }

    /// The same of a node that is a part of another one.
    pub(crate) fn back_as(&self, own: OwnGradient<'_>, gradients: &[Option<RawTensor>], wanted: &[bool], keep: bool) -> Result<Gradients> {
        let work = {
            let mut work = locked(&self.work);
            let forgets = !keep && work.as_ref().is_some_and(|work| work.keeps());
            if forgets { work.take() } else { work.clone() }
        };
        work.ok_or_else(forgotten)?.back(self, own, gradients, wanted, keep)
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

/// What is left of a node when it is dropped.
type Remains = (Edges, Option<Arc<dyn NodeWork>>);

thread_local! {
    /// What is left of nodes, while one is being dropped. It has no destructor, so that threads that end can still drop nodes.
    static REMAINS: ManuallyDrop<RefCell<Option<Vec<Remains>>>> = const { ManuallyDrop::new(RefCell::new(None)) };
}

impl Drop for GraphNode {
    fn drop(&mut self) {
        // What it keeps leads nowhere else.
        if !self.edges.iter().any(|edge| matches!(edge, Some(Edge::Node(..)))) {
            return;
        }
        let mut own = Some((std::mem::take(&mut self.edges), locked(&self.work).take()));
        // Nodes that go because this one goes leave what they have to it, so that nothing recurses.
        let first = REMAINS.with(|remains| match &mut *remains.borrow_mut() {
            Some(remains) => {
                remains.extend(own.take());
                false
            }
            none => {
                *none = Some(Vec::new());
                true
            }
        });
        if !first {
            return;
        }
        drop(own);
        while let Some(next) = REMAINS.with(|remains| remains.borrow_mut().as_mut().and_then(Vec::pop)) {
            drop(next);
        }
        REMAINS.with(|remains| *remains.borrow_mut() = None);
    }
}

/// A tensor that a node keeps: without its history, which would lead back to the node, but with what is needed to have it again.
#[derive(Debug)]
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
#[derive(Debug)]
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

    /// The tensor, if nothing has changed its memory; with its history, where that is recorded which is computed with it.
    pub(crate) fn unpack(&self, own: OwnGradient<'_>) -> Result<There<'_>> {
        let found = self.tensor.storage.lineage().version();
        if found != self.version {
            return Err(self.changed(found, own));
        }
        let history = match &self.origin {
            _ if !mode().records() => return Ok(There::Kept(&self.tensor)),
            SavedOrigin::Nowhere => return Ok(There::Kept(&self.tensor)),
            SavedOrigin::There(Edge::Leaf(history)) => history.clone(),
            SavedOrigin::There(edge) => History::result(&self.tensor, edge.clone()),
            SavedOrigin::OwnGradient(output) => History::result(&self.tensor, own(*output)),
        };
        Ok(There::Again(RawTensor { history: Some(history), ..self.tensor.without_history() }))
    }

    #[cold]
    fn changed(&self, found: u64, own: OwnGradient<'_>) -> Error {
        let (kind, sizes, expected) = (type_name(&self.tensor), self.tensor.sizes(), self.version);
        let edge = match self.origin {
            SavedOrigin::OwnGradient(output) => Some(own(output)),
            SavedOrigin::Nowhere | SavedOrigin::There(_) => self.of.upgrade().and_then(|history| history.state().edge.clone()),
        };
        let which = match edge {
            Some(Edge::Node(node, output)) => {
                format!("which is output {output} of {}, ", node.short_name())
            }
            _ => String::new(),
        };
        Error::runtime(format!(
            "one of the variables needed for gradient computation has been modified by an inplace operation: [{kind} {sizes:?}]{comma} {which}is \
             at version {found}; expected version {expected} instead. Hint: enable anomaly detection to find the operation that failed to \
             compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).",
            comma = if which.is_empty() { "" } else { "," },
        ))
    }
}
