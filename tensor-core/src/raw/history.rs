//! The history of a tensor: whether it requires a gradient, the gradient that it has got, what it was made by, and what it is a view of.
//! Tensors that no gradient concerns have none. It is written by `call/recording.rs`, and read by it and by `grad`.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};

use latten_spec::DType;

use super::RawTensor;
use super::node::Edge;
use crate::device::Device;
use crate::error::Result;
use crate::geometry::{Geometry, LARGEST};
use crate::process::locked;
use crate::storage::UntypedStorage;

/// What a tensor is like, without its elements.
#[derive(Clone, Debug)]
pub(crate) struct Extent {
    pub(crate) dtype: DType,
    pub(crate) device: Device,
    pub(crate) geometry: Geometry,
}

impl Extent {
    /// What that tensor is like.
    pub(crate) fn of(tensor: &RawTensor) -> Self {
        Self { dtype: tensor.dtype, device: tensor.device(), geometry: tensor.geometry.clone() }
    }

    /// A tensor without elements that is like it: it has sizes, strides and a dtype. All of them are over one memory, which has no bytes.
    pub(crate) fn outline(&self) -> Result<RawTensor> {
        static MEMORY: OnceLock<UntypedStorage> = OnceLock::new();
        let storage = match MEMORY.get() {
            Some(memory) => memory.clone(),
            None => {
                let memory = UntypedStorage::new(LARGEST, Device::META)?;
                MEMORY.get_or_init(|| memory).clone()
            }
        };
        Ok(RawTensor { storage, dtype: self.dtype, geometry: self.geometry.clone(), history: None })
    }

    /// Whether a tensor has the same sizes and dtype.
    pub(crate) fn is_like(&self, tensor: &RawTensor) -> bool {
        self.dtype == tensor.dtype && self.geometry.sizes == tensor.geometry.sizes
    }

    /// Whether a tensor is the same part of its storage.
    pub(crate) fn is(&self, tensor: &RawTensor) -> bool {
        let (own, other) = (&self.geometry, &tensor.geometry);
        self.dtype == tensor.dtype && own.offset == other.offset && own.sizes == other.sizes && own.strides == other.strides
    }
}

/// A function that sees gradients, and may replace them.
pub(crate) type Function = dyn Fn(&RawTensor) -> Result<Option<RawTensor>> + Send + Sync;

/// A function of the user's that sees a gradient before it goes on.
#[derive(Clone)]
pub(crate) struct GradientHook {
    /// By this it can be taken away again.
    pub(crate) number: u64,
    pub(crate) function: Arc<Function>,
}

impl fmt::Debug for GradientHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GradientHook({})", self.number)
    }
}

/// How a view was made, as far as it matters to whoever changes its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ViewMaking {
    /// While gradients were recorded.
    Recorded,
    /// While they weren't.
    NoGrad,
    /// In inference mode.
    Inference,
    /// By an operation that gives several views.
    Several,
    /// It is all of a memory that nobody holds as a tensor, and counts as what others are views of.
    Whole,
}

/// What a view is a view of.
#[derive(Clone, Debug)]
pub(crate) struct ViewOf {
    /// The history of the tensor that isn't a view itself.
    pub(crate) base: Arc<History>,
    pub(crate) made: ViewMaking,
    /// The version of the memory for which its edge holds.
    pub(crate) seen: u64,
}

/// What there is to know of a tensor's history.
#[derive(Debug)]
pub(crate) struct HistoryState {
    pub(crate) extent: Extent,
    /// Of a leaf: whether it requires a gradient.
    pub(crate) requires: bool,
    /// Of a result: where its gradient goes.
    pub(crate) edge: Option<Edge>,
    pub(crate) view: Option<ViewOf>,
    pub(crate) grad: Option<RawTensor>,
    /// Whether a gradient is being added to that, under no lock of the state. It is set in turn.
    pub(crate) adding: bool,
    /// Of a result: whether it keeps its gradient.
    pub(crate) retains: bool,
    /// Whether it was made in inference mode.
    pub(crate) inference: bool,
    /// Of a leaf: what sees its gradient before it is added.
    hooks: Vec<GradientHook>,
    /// Of a leaf: what is called with it when it has been; without its history, which holds this.
    pub(crate) after: Vec<(RawTensor, GradientHook)>,
}

/// The history of a tensor, shared by all that are that tensor.
pub(crate) struct History {
    state: Mutex<HistoryState>,
    /// Held while something is added to the gradient.
    pub(crate) turn: Mutex<()>,
    /// Whether there have been hooks: few leaves have any.
    hooked: AtomicBool,
}

impl History {
    /// The history of a tensor that nothing has happened to yet.
    pub(crate) fn plain(tensor: &RawTensor) -> Arc<Self> {
        Self::with(tensor, None)
    }

    /// The history of a result.
    pub(crate) fn result(tensor: &RawTensor, edge: Edge) -> Arc<Self> {
        Self::with(tensor, Some(edge))
    }

    fn with(tensor: &RawTensor, edge: Option<Edge>) -> Arc<Self> {
        let state = HistoryState {
            extent: Extent::of(tensor),
            requires: false,
            edge,
            view: None,
            grad: None,
            adding: false,
            retains: false,
            inference: false,
            hooks: Vec::new(),
            after: Vec::new(),
        };
        Arc::new(Self { state: Mutex::new(state), turn: Mutex::default(), hooked: AtomicBool::new(false) })
    }

    /// Whether a gradient is required of its tensor, or of what that is a view of.
    pub(crate) fn requires(&self) -> bool {
        let (own, base) = {
            let state = self.state();
            (state.requires || state.edge.is_some(), state.view.as_ref().map(|view| view.base.clone()))
        };
        own || base.is_some_and(|base| base.requires())
    }

    /// Whether gradients of tensors with these histories go the same way.
    pub(crate) fn lead_the_same_way(one: Option<&Arc<Self>>, other: Option<&Arc<Self>>) -> bool {
        let (one, other) = match (one, other) {
            (None, None) => return true,
            (Some(one), Some(other)) => (one, other),
            _ => return false,
        };
        // What a node kept of one tensor twice comes back with two histories.
        let node_of = |history: &Self| match &history.state().edge {
            Some(Edge::Node(node, output)) => Some((Arc::as_ptr(node).cast::<()>(), *output)),
            _ => None,
        };
        Arc::ptr_eq(one, other) || node_of(one).is_some_and(|node| node_of(other) == Some(node))
    }

    /// Whether anything has ever seen the gradient of a leaf before it is added.
    #[inline]
    pub(crate) fn is_hooked(&self) -> bool {
        self.hooked.load(Ordering::Acquire)
    }

    /// What sees the gradient of a leaf before it is added, as it is now.
    pub(crate) fn hooks_now(&self) -> Vec<GradientHook> {
        self.state().hooks.clone()
    }

    /// Has a function see the gradient of a leaf.
    pub(crate) fn hook(&self, hook: GradientHook) {
        self.state().hooks.push(hook);
        self.hooked.store(true, Ordering::Release);
    }

    /// The hook of that number, which is no longer called.
    pub(crate) fn unhook(&self, number: u64) -> Vec<GradientHook> {
        let mut state = self.state();
        let mut taken: Vec<GradientHook> = state.hooks.extract_if(.., |hook| hook.number == number).collect();
        taken.extend(state.after.extract_if(.., |(_, hook)| hook.number == number).map(|(_, hook)| hook));
        taken
    }

    /// What there is to know.
    pub(crate) fn state(&self) -> MutexGuard<'_, HistoryState> {
        locked(&self.state)
    }
}

impl fmt::Debug for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("History").field("requires", &state.requires).field("edge", &state.edge).finish_non_exhaustive()
    }
}

/// What the tensors of a memory have in common that began without a history: the tensor of which they are views.
pub(crate) enum Base {
    /// A tensor that somebody holds.
    Held(Weak<History>),
    /// All of the memory, which nobody holds as a tensor, and how many elements were changed first.
    Whole(Arc<History>, usize),
}

impl RawTensor {
    /// Whether there may be anything to know of its history.
    #[inline]
    pub(crate) fn is_concerned(&self) -> bool {
        self.history.is_some() || self.storage.lineage().has_common()
    }

    /// The same without what gradients need to know, and without a look at that.
    pub(crate) fn without_history(&self) -> Self {
        self.with_geometry(self.geometry.clone())
    }

    /// The same elements without a history: changes are still counted together.
    #[must_use]
    pub fn detach(&self) -> Self {
        Self { history: Some(History::plain(self)), ..self.without_history() }
    }

    /// The same elements without a history, whose changes go unnoticed: PyTorch's `data`.
    #[must_use]
    pub fn data(&self) -> Self {
        Self { storage: self.storage.counted_apart(), ..self.without_history() }
    }

    /// How often its memory was changed.
    pub(crate) fn version(&self) -> u64 {
        self.storage.lineage().version()
    }
}
