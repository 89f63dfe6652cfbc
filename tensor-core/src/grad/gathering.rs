//! Where gradients stay: leaves, to which they are added, and results that keep theirs.

use std::sync::Arc;

use latten_spec::operation::Op;

use crate::call::{self, Call, CallArgument, Destination, Function, result, run};
use crate::elementwise::Params;
use crate::error::Result;
use crate::geometry::overlap::check_output_overlap;
use crate::geometry::strides::{contiguous_strides, is_non_overlapping_and_dense};
use crate::layout::MemoryFormat;
use crate::process::locked;
use crate::raw::RawTensor;
use crate::raw::history::{Extent, History};
use crate::raw::mode::InMode;

/// The sum of gradients that go to one place.
pub(super) fn sum(one: &RawTensor, other: &RawTensor) -> Result<RawTensor> {
    result(Call::elementwise(Op::Add, &[one.into(), other.into()], &Params::none(), Destination::New))
}

/// Adds a gradient to what a result has kept, in a new tensor.
pub(super) fn keep(history: &Arc<History>, gradient: &RawTensor, create: bool) -> Result<()> {
    let _turn = locked(&history.turn);
    let before = history.state().grad.clone();
    let total = match before {
        None if create => gradient.clone(),
        None => gradient.clone_as(MemoryFormat::Preserve)?,
        Some(before) => sum(&before, gradient)?,
    };
    let before = history.state().grad.replace(total);
    drop(before);
    Ok(())
}

/// That the gradient which a leaf has can be added to, where it is.
///
/// # Errors
/// Where several of its elements are one, and where its memory was made too small.
pub(super) fn check_room(history: &History, create: bool) -> Result<()> {
    let state = history.state();
    match &state.grad {
        Some(grad) if !create => check_output_overlap(&grad.geometry).and_then(|()| grad.check_inside()),
        _ => Ok(()),
    }
}

/// Adds a gradient to that of a leaf.
pub(super) fn accumulate(history: &Arc<History>, gradient: RawTensor, create: bool) -> Result<()> {
    let mut state = history.state();
    if !state.requires {
        return Ok(());
    }
    if !create && !state.adding && state.grad.is_none() && is_taken(&state.extent, &gradient) {
        // What nobody else has needs no copy, and nothing is computed.
        state.grad = Some(gradient);
    } else {
        drop(state);
        add(history, gradient, create)?;
        state = history.state();
    }
    if state.after.is_empty() {
        return Ok(());
    }
    let after = state.after.clone();
    drop(state);
    let _mode = InMode::way_back(create);
    after.iter().try_for_each(|(leaf, hook)| {
        let leaf = RawTensor { history: Some(history.clone()), ..leaf.clone() };
        (hook.function)(&leaf).map(drop)
    })
}

/// Computes the gradient that a leaf has then, in turn with others that do.
fn add(history: &History, gradient: RawTensor, create: bool) -> Result<()> {
    let turn = locked(&history.turn);
    let (extent, before) = {
        let mut state = history.state();
        state.adding = true;
        (state.extent.clone(), state.grad.clone())
    };
    let total = total(&extent, before, gradient, create);
    let mut state = history.state();
    state.adding = false;
    let before = state.grad.replace(total?);
    drop((state, turn));
    drop(before);
    Ok(())
}

/// The gradient that a leaf has then.
fn total(extent: &Extent, before: Option<RawTensor>, gradient: RawTensor, create: bool) -> Result<RawTensor> {
    let _mode = InMode::way_back(create);
    match before {
        Some(mut before) if !create => {
            run(Call::elementwise(Op::Add, &[(&gradient).into()], &Params::none(), Destination::InPlace(&mut before)))?;
            Ok(before)
        }
        Some(before) => sum(&before, &gradient),
        None => own(extent, gradient, create),
    }
}

/// Whether nobody else has the memory of a gradient.
fn is_own(gradient: &RawTensor) -> bool {
    gradient.storage_offset() == 0 && gradient.history.is_none() && gradient.storage().is_held_once()
}

/// Whether a gradient has memory of its own, and lies as a leaf does whose elements lie in their order.
fn is_taken(extent: &Extent, gradient: &RawTensor) -> bool {
    is_own(gradient) && gradient.geometry.strides == extent.geometry.strides && gradient.row_len().is_some()
}

/// A gradient in memory of its own, laid out as the leaf is, where that is dense.
fn own(extent: &Extent, gradient: RawTensor, create: bool) -> Result<RawTensor> {
    let (sizes, strides) = (&extent.geometry.sizes, &extent.geometry.strides);
    let is_own = !create && is_own(&gradient);
    let dense = is_non_overlapping_and_dense(sizes, strides);
    let wanted = if dense { strides.clone() } else { contiguous_strides(sizes) };
    // As in PyTorch, what is taken may have any stride but 0 where a dimension has one element; a copy has the leaf's.
    let alike = |dim: usize| if sizes[dim] == 1 { gradient.strides()[dim] != 0 } else { gradient.strides()[dim] == wanted[dim] };
    if is_own && (0..sizes.len()).all(alike) {
        return Ok(gradient);
    }
    if !dense {
        return call::one(Function::Clone, &[CallArgument::Tensor(&gradient), CallArgument::Format(MemoryFormat::Contiguous)]);
    }
    // A copy into the leaf's order is a change, as in PyTorch.
    let mut copy = RawTensor::empty(sizes, strides, extent.dtype, extent.device)?;
    run(Call::in_place(Function::Copy, &mut copy, &[CallArgument::Tensor(&gradient)]))?;
    Ok(copy)
}
