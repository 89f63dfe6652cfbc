//! Where the gradient of a tensor goes: to a leaf, to the node that made it, or to the tensor that it is a view of, when that was changed.

use std::sync::Arc;

use super::part::renewed;
use crate::error::{Error, Result};
use crate::geometry::strides::is_non_overlapping_and_dense;
use crate::raw::RawTensor;
use crate::raw::history::{Base, History, HistoryState, ViewMaking, ViewOf};
use crate::raw::mode::mode;
use crate::raw::node::Edge;

/// A version that no memory reaches: views that have never been looked at are behind any change.
const NEVER: u64 = u64::MAX;

/// The history of a tensor, if gradients may concern it.
///
/// # Errors
/// Where it began without a history in memory that has got one since, through a tensor that is gone.
pub(crate) fn history(tensor: &RawTensor) -> Result<Option<Arc<History>>> {
    if let Some(history) = &tensor.history {
        return Ok(Some(history.clone()));
    }
    let Some(common) = tensor.storage().lineage().common() else { return Ok(None) };
    let (base, made) = match common.downcast_ref::<Base>() {
        Some(Base::Held(base)) => (base.upgrade().ok_or_else(gone)?, ViewMaking::Recorded),
        Some(Base::Whole(base, part)) => {
            // Of what it was changed through, no more is known than that it is a part.
            let whole = is_whole(tensor) || tensor.numel() > *part && is_non_overlapping_and_dense(tensor.sizes(), tensor.strides());
            (base.clone(), if whole { ViewMaking::Whole } else { ViewMaking::Recorded })
        }
        None => return Ok(None),
    };
    if base.state().extent.is(tensor) {
        return Ok(Some(base));
    }
    let history = History::plain(tensor);
    history.state().view = Some(ViewOf { base, made, seen: NEVER });
    Ok(Some(history))
}

#[cold]
fn gone() -> Error {
    Error::runtime(
        "a tensor without a history shares the memory of one that an in-place operation gave a history, and that one is gone: what the gradient \
         of this one would be can't be told. Keep the changed tensor, or use `detach()` of it.",
    )
}

/// Where the gradient of a tensor goes; nowhere, where it requires none.
///
/// # Errors
/// Where it is a view whose base was changed since, of a kind that doesn't follow.
pub(crate) fn edge(tensor: &RawTensor) -> Result<Option<Edge>> {
    if !is_differentiable(tensor) {
        return Ok(None);
    }
    if let Some(history) = &tensor.history {
        return edge_of(history, tensor.version());
    }
    history(tensor)?.map_or(Ok(None), |history| edge_of(&history, tensor.version()))
}

/// The same of a history, at a version of its memory.
///
/// # Errors
/// As [`edge`].
pub(crate) fn edge_of(history: &Arc<History>, version: u64) -> Result<Option<Edge>> {
    let there = |state: &HistoryState| state.edge.clone().or_else(|| state.requires.then(|| Edge::Leaf(history.clone())));
    let view = {
        let state = history.state();
        let Some(view) = &state.view else { return Ok(there(&state)) };
        view.clone()
    };
    if view.base.requires() {
        if view.seen == version {
            let state = history.state();
            let nowhere = || Edge::Nowhere(Box::new(state.extent.clone()));
            return Ok(Some(state.edge.clone().unwrap_or_else(nowhere)));
        }
        check_view(history, BASE_CHANGED)?;
        let fresh = match edge_of(&view.base, version)? {
            Some(base) => {
                let (base_extent, extent) = (view.base.state().extent.clone(), history.state().extent.clone());
                renewed(base, base_extent, extent, if view.made == ViewMaking::Whole { "CopySlices" } else { "AsStridedBackward0" })
            }
            None => return Ok(None),
        };
        let mut state = history.state();
        state.edge = Some(fresh.clone());
        if let Some(view) = &mut state.view {
            view.seen = version;
        }
        return Ok(Some(fresh));
    }
    Ok(there(&history.state()))
}

/// Whether tensors of its dtype have gradients.
pub(crate) fn is_differentiable(tensor: &RawTensor) -> bool {
    tensor.dtype().is_floating_point() || tensor.dtype().is_complex()
}

/// That a view may be changed, or follow a change of its base.
///
/// # Errors
/// Where it was made in a way in which it may not.
pub(super) fn check_view(history: &History, change: &str) -> Result<()> {
    let (made, edge) = {
        let state = history.state();
        let Some(view) = &state.view else { return Ok(()) };
        (view.made, state.edge.clone())
    };
    let block = match made {
        ViewMaking::Recorded | ViewMaking::Whole => return Ok(()),
        ViewMaking::NoGrad | ViewMaking::Several => "no_grad",
        ViewMaking::Inference => "inference_mode",
    };
    let what = match edge {
        Some(Edge::Node(node, output)) => format!("Output {output} of {} is a view and {change} modified inplace.", node.short_name()),
        _ if made == ViewMaking::Inference => format!("A view was created in inference mode and {change} modified inplace in normal mode."),
        _ => format!("A view was created in no_grad mode and {change} modified inplace with grad mode enabled."),
    };
    let why = if made == ViewMaking::Several {
        "This view is the output of a function that returns multiple views. Such functions do not allow the output views to be modified inplace. \
         You should replace the inplace operation by an out-of-place one."
            .to_owned()
    } else {
        format!(
            "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the \
             inplace either both inside the {block} block (if you don't want the inplace to be tracked) or both outside (if you want the inplace \
             to be tracked)."
        )
    };
    Err(Error::runtime(format!("{what} {why}")))
}

/// What the change of a base is called.
const BASE_CHANGED: &str = "its base or another view of its base has been";

/// What a tensor that is a view would be a view of: the base of its base.
pub(super) fn base_of(history: &Arc<History>) -> Arc<History> {
    history.state().view.as_ref().map_or_else(|| history.clone(), |view| view.base.clone())
}

/// Whether a tensor is all of its memory, each element once: then it is nobody's view.
pub(super) fn is_whole(tensor: &RawTensor) -> bool {
    let nbytes = tensor.numel() * tensor.dtype().itemsize();
    tensor.storage_offset() == 0 && nbytes == tensor.storage().nbytes() && is_non_overlapping_and_dense(tensor.sizes(), tensor.strides())
}

/// That a tensor may be changed.
pub(super) fn check_changed(history: &Arc<History>) -> Result<()> {
    let (view, is_leaf) = {
        let state = history.state();
        (state.view.clone(), state.edge.is_none())
    };
    let (requires_own, is_view) = (history.requires(), view.is_some());
    if let Some(view) = view {
        check_view(history, "is being")?;
        if requires_own && view.base.state().edge.is_none() {
            return Err(Error::runtime("a view of a leaf Variable that requires grad is being used in an in-place operation."));
        }
    }
    // The edge of a view is made when it is asked for.
    if requires_own && is_leaf && !is_view {
        return Err(Error::runtime("a leaf Variable that requires grad is being used in an in-place operation."));
    }
    Ok(())
}

/// That a tensor wasn't made in inference mode, or that this is one.
pub(super) fn check_inference(tensor: &RawTensor) -> Result<()> {
    if mode().infers() || !is_inference(tensor) {
        return Ok(());
    }
    Err(Error::runtime(
        "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal tensor before doing \
         inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.",
    ))
}

/// Whether a tensor was made in inference mode.
pub(crate) fn is_inference(tensor: &RawTensor) -> bool {
    tensor.history.as_ref().is_some_and(|history| history.state().inference)
}

/// That a node may keep a tensor.
pub(super) fn check_saved(tensor: &RawTensor) -> Result<()> {
    if !is_inference(tensor) {
        return Ok(());
    }
    Err(Error::runtime(
        "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation tracked by \
         autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of \
         `torch.inference_mode()`.",
    ))
}
