//! What a tensor is told and asked about gradients: whether it requires one, the one that it has, what made it, and what looks at its gradient.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use crate::call::{edge, history, is_differentiable, is_inference};
use crate::dtype::cpp_name;
use crate::error::{Error, Result};
use crate::process::locked;
use crate::raw::RawTensor;
use crate::raw::history::{Function, GradientHook, History};
use crate::raw::mode::mode;
use crate::raw::node::{Edge, GraphNode, Tap};

/// Whether a tensor requires a gradient.
pub(crate) fn requires_grad(tensor: &RawTensor) -> bool {
    is_differentiable(tensor) && history(tensor).is_ok_and(|history| history.is_some_and(|history| history.requires()))
}

/// Whether nothing that is recorded has made a tensor.
pub(crate) fn is_leaf(tensor: &RawTensor) -> bool {
    !matches!(edge(tensor), Ok(Some(Edge::Node(..))) | Err(_))
}

/// What a tensor was made by, as it is printed.
pub(crate) fn grad_fn(tensor: &RawTensor) -> Option<String> {
    match edge(tensor) {
        Ok(Some(Edge::Node(node, _))) => Some(node.name.clone().into_owned()),
        Ok(_) => None,
        Err(_) => Some("Invalid".to_owned()),
    }
}

/// Says whether a leaf requires a gradient.
///
/// # Errors
/// For dtypes that have none, for tensors of inference mode, and where a result is to require none.
pub(crate) fn set_requires_grad(tensor: &mut RawTensor, flag: bool, refused: &str) -> Result<()> {
    if flag && is_inference(tensor) && !mode().infers() {
        return Err(Error::runtime("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."));
    }
    if let Ok(Some(Edge::Node(..))) = edge(tensor) {
        if flag {
            return Ok(());
        }
        return Err(Error::runtime(
            "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that doesn't \
             require differentiation use var_no_grad = var.detach().",
        ));
    }
    if flag && !is_differentiable(tensor) {
        return Err(Error::runtime(refused));
    }
    if flag || tensor.history.is_some() {
        own(tensor).state().requires = flag;
    }
    Ok(())
}

/// What `requires_grad_()` says of dtypes that have no gradients.
pub(crate) const ONLY_FLOATING: &str = "only Tensors of floating point dtype can require gradients";

/// The history of a tensor, which has one from now on.
fn own(tensor: &mut RawTensor) -> Arc<History> {
    let found = history(tensor).ok().flatten().unwrap_or_else(|| History::plain(tensor));
    tensor.history.get_or_insert(found).clone()
}

/// The gradient that a tensor has got.
pub(crate) fn grad(tensor: &RawTensor) -> Option<RawTensor> {
    tensor.history.as_ref().and_then(|history| history.state().grad.clone())
}

/// Sets the gradient of a tensor.
///
/// # Errors
/// Where it doesn't fit the tensor, in PyTorch's words.
pub(crate) fn set_grad(tensor: &mut RawTensor, gradient: Option<&RawTensor>) -> Result<()> {
    let Some(gradient) = gradient else {
        if let Some(history) = &tensor.history {
            let before = history.state().grad.take();
            drop(before);
        }
        return Ok(());
    };
    let same = gradient.history.as_ref().zip(tensor.history.as_ref()).is_some_and(|(one, other)| Arc::ptr_eq(one, other));
    if same || gradient.history.is_none() && tensor.history.is_none() && gradient.is_set_to(tensor) {
        return Err(Error::runtime("can't assign Variable as its own grad"));
    }
    let (theirs, ours) = (gradient.dtype(), tensor.dtype());
    if theirs != ours {
        let (theirs, ours) = (cpp_name(theirs), ours.message_name());
        return Err(Error::runtime(format!(
            "attempting to assign a gradient with dtype '{theirs}' to a tensor with grad_dtype '{ours}'. The gradient must match the tensor's \
             grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow \
             any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break downstream systems that assume \
             they match."
        )));
    }
    let kind = |tensor: &RawTensor| tensor.device().kind();
    if kind(gradient) != kind(tensor) {
        let name = |tensor: &RawTensor| tensor.device().to_string().split(':').next().unwrap_or_default().to_owned();
        return Err(Error::runtime(format!(
            "attempting to assign a gradient with device type '{}' to a tensor with device type '{}'. Please ensure that the gradient and the \
             tensor are on the same device",
            name(gradient),
            name(tensor)
        )));
    }
    if gradient.sizes() != tensor.sizes() {
        return Err(Error::runtime(format!(
            "attempting to assign a gradient of size '{:?}' to a tensor of size '{:?}'. Please ensure that the gradient and the tensor are the \
             same size",
            gradient.sizes(),
            tensor.sizes()
        )));
    }
    let before = own(tensor).state().grad.replace(gradient.clone());
    drop(before);
    Ok(())
}

/// Has a result keep its gradient, as leaves do.
///
/// # Errors
/// Where it requires none.
pub(crate) fn retain_grad(tensor: &RawTensor) -> Result<()> {
    let Some(edge) = edge(tensor)? else {
        return Err(Error::runtime("can't retain_grad on Tensor that has requires_grad=False"));
    };
    let (Edge::Node(node, output), Some(history)) = (edge, &tensor.history) else { return Ok(()) };
    if !std::mem::replace(&mut history.state().retains, true) {
        locked(node.taps()).push((output, Tap::Keep(Arc::downgrade(history))));
    }
    Ok(())
}

/// Whether a result keeps its gradient.
pub(crate) fn retains_grad(tensor: &RawTensor) -> bool {
    tensor.history.as_ref().is_some_and(|history| history.state().retains)
}

/// How often the memory of a tensor was changed through tensors that share the count.
///
/// # Errors
/// For tensors of inference mode.
pub(crate) fn version(tensor: &RawTensor) -> Result<u64> {
    if is_inference(tensor) {
        return Err(Error::runtime("Inference tensors do not track version counter."));
    }
    Ok(tensor.version())
}

/// Takes its history from a tensor.
///
/// # Errors
/// For views.
pub(crate) fn detach_in_place(tensor: &mut RawTensor) -> Result<()> {
    let Some(history) = history(tensor)? else { return Ok(()) };
    let mut state = history.state();
    if state.view.is_some() {
        return Err(Error::runtime(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, and \
             gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be called on these \
             gradients. To fix this error, please refer to the Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution.",
        ));
    }
    state.requires = false;
    let before = state.edge.take();
    drop(state);
    drop(before);
    Ok(())
}

/// A hook that was registered; it stays when this is dropped.
#[derive(Debug)]
pub struct HookHandle {
    number: u64,
    at: HookPlace,
}

#[derive(Debug)]
enum HookPlace {
    Leaf(Weak<History>),
    Node(Weak<GraphNode>),
}

impl HookHandle {
    /// Takes the hook away again.
    pub fn remove(self) {
        let Self { number, at } = self;
        // What a hook holds is dropped when nothing is locked: it may be the user's.
        match at {
            HookPlace::Leaf(history) => {
                if let Some(history) = history.upgrade() {
                    let taken = history.unhook(number);
                    drop(taken);
                }
            }
            HookPlace::Node(node) => {
                if let Some(node) = node.upgrade() {
                    let is_this = |tap: &Tap| matches!(tap, Tap::Hook(hook) if hook.number == number);
                    let taken: Vec<_> = locked(node.taps()).extract_if(.., |(_, tap)| is_this(tap)).collect();
                    drop(taken);
                }
            }
        }
    }
}

fn hook(function: Arc<Function>) -> GradientHook {
    static HOOKS: AtomicU64 = AtomicU64::new(0);
    GradientHook { number: HOOKS.fetch_add(1, Ordering::Relaxed), function }
}

/// Has a function see the gradient of a tensor before it goes on.
///
/// # Errors
/// Where the tensor requires none.
pub(crate) fn register_hook(tensor: &RawTensor, function: Arc<Function>) -> Result<HookHandle> {
    let hook = hook(function);
    let number = hook.number;
    match edge(tensor)? {
        Some(Edge::Node(node, output)) => {
            locked(node.taps()).push((output, Tap::Hook(hook)));
            Ok(HookHandle { number, at: HookPlace::Node(Arc::downgrade(&node)) })
        }
        Some(Edge::Leaf(history)) => {
            history.hook(hook);
            Ok(HookHandle { number, at: HookPlace::Leaf(Arc::downgrade(&history)) })
        }
        Some(Edge::Nowhere(_)) | None => Err(Error::runtime("cannot register a hook on a tensor that doesn't require gradient")),
    }
}

/// Has a function called with a leaf when that has got its gradient.
///
/// # Errors
/// Where the tensor is no leaf, or requires none.
pub(crate) fn register_after(tensor: &RawTensor, function: Arc<Function>) -> Result<HookHandle> {
    match edge(tensor)? {
        Some(Edge::Leaf(history)) => {
            let hook = hook(function);
            let number = hook.number;
            history.state().after.push((tensor.without_history(), hook));
            Ok(HookHandle { number, at: HookPlace::Leaf(Arc::downgrade(&history)) })
        }
        Some(Edge::Node(..)) => Err(Error::runtime("post accumulate grad hooks cannot be registered on non-leaf tensors")),
        Some(Edge::Nowhere(_)) | None => Err(Error::runtime("cannot register a hook on a tensor that doesn't require gradient")),
    }
}
