//! Where gradients differ from PyTorch's on purpose: rules that match what a recording shows, by operation and condition.

use super::Failed;
use crate::bytes::{Number, numbers};
use crate::case::{Case, Expected, Names, Step};
use crate::compare::{elements, same_elements};
use crate::run::Reason;
use crate::value::Value;
use serde_json::Value as Json;

/// The steps whose answers differ, each with what was recorded and what came; nothing, where anything else is wrong.
fn answers<'c>(case: &'c Case, failed: &'c Failed) -> Option<Vec<(&'c Step, &'c Json, &'c str)>> {
    let Reason::Different(found) = &failed.reason else { return None };
    let answer = |of: &str| {
        let named = |step: &&Step| matches!(&step.names, Some(Names::One(one)) if one == of);
        let (step, got) = (case.steps.iter().find(named)?, failed.names.get(of)?);
        match (case.expect.names.get(of)?, got) {
            (Expected::Value { value }, Value::Text(got)) => Some((step, value, got.as_str())),
            _ => None,
        }
    };
    found.iter().map(|difference| answer(&difference.of)).collect()
}

/// Names of nodes alone.
pub(super) fn names_nodes(case: &Case, failed: &Failed) -> bool {
    const PLAIN: [&str; 3] = ["AsStridedBackward0", "CopySlices", "CopyBackwards"];
    const CLAMPS: [&str; 4] = ["ClampMinBackward0", "ClampMinBackward1", "ClampMaxBackward0", "ClampMaxBackward1"];
    let known = |(step, recorded, got): &(&Step, &Json, &str)| {
        let clamped = recorded.as_str().is_some_and(|name| name.starts_with("ClampBackward")) && CLAMPS.contains(got);
        // A plain view of everything isn't known to be one at all: its node, and that of what it is a view of, is that of the change.
        let changes = |step: &Step| step.op.ends_with('_') && got.to_lowercase() == format!("{}backward0", step.op.trim_end_matches('_'));
        let whole =
            recorded.as_str().is_some_and(|name| ["AsStridedBackward0", "CopySlices"].contains(&name)) && case.steps.iter().any(changes);
        step.op == "grad_fn.name" && (PLAIN.contains(got) || clamped || whole)
    };
    answers(case, failed).is_some_and(|all| !all.is_empty() && all.iter().all(known))
}

/// Whether a gradient has the elements that were recorded, whatever its strides.
fn has_the_elements(case: &Case, failed: &Failed, of: &str) -> bool {
    let taken = case.steps.iter().any(|step| step.op == "grad" && matches!(&step.names, Some(Names::One(one)) if one == of));
    let (Some(Expected::Tensor(expected)), Some(Value::Tensor(got))) = (case.expect.names.get(of), failed.names.get(of)) else {
        return false;
    };
    let same = |bytes: Vec<u8>| same_elements(got.dtype(), &bytes, &expected.data.0, case.tol);
    taken && got.sizes()[..] == expected.shape[..] && elements(got).is_ok_and(same)
}

/// The layout of a gradient alone, or its strides, where PyTorch's began as a sparse one; and only after an embedding that asks for one.
pub(super) fn gives_dense_gradients(case: &Case, failed: &Failed) -> bool {
    let asks = case.steps.iter().any(|step| step.op == "embedding" && step.kw.get("sparse") == Some(&Json::Bool(true)));
    let layout =
        |(step, recorded, got): &(&Step, &Json, &str)| step.op == "layout" && recorded.as_str() == Some("sparse_coo") && *got == "strided";
    let refused = |step: usize, message: &str| {
        let asked = case.steps.get(step).is_some_and(|step| ["coalesce", "indices", "values"].contains(&step.op.as_str()));
        asked && message.contains(" expected sparse ") && message.ends_with(" tensor layout but got Strided")
    };
    if let Reason::Raised(step, error) = &failed.reason {
        return asks && refused(*step, error.message());
    }
    if let Reason::Different(found) = &failed.reason
        && found.iter().all(|difference| difference.what == "strides")
    {
        return asks && found.iter().all(|difference| has_the_elements(case, failed, &difference.of));
    }
    asks && answers(case, failed).is_some_and(|all| !all.is_empty() && all.iter().all(layout))
}

/// The gradient of what `as_strided_scatter` writes over: each part of a number is that of the result's gradient in one of both, and 0 in the other.
pub(super) fn goes_past_what_was_written(case: &Case, failed: &Failed) -> bool {
    let Some(scatter) = case.steps.iter().find(|step| step.op == "as_strided_scatter") else { return false };
    let Reason::Different(found) = &failed.reason else { return false };
    let [only] = &found[..] else { return false };
    let of_it = |step: &Step| {
        step.op == "grad" && step.args == scatter.args[..1] && matches!(&step.names, Some(Names::One(one)) if *one == only.of)
    };
    let (Some(Expected::Tensor(expected)), Some(Value::Tensor(got))) = (case.expect.names.get(&only.of), failed.names.get(&only.of)) else {
        return false;
    };
    let (Some(gradient), Ok(bytes)) = (case.inputs.get("gradient"), elements(got)) else { return false };
    let [given, recorded, got] = [&gradient.storage.0, &expected.data.0, &bytes].map(|bytes| numbers(got.dtype(), bytes));
    let one_has_it = |((given, recorded), got): ((&Number, &Number), &Number)| {
        let zero = |number: &Number| matches!(number, Number::Float(number) if *number == 0.0);
        recorded == given && zero(got) || got == given && zero(recorded)
    };
    let all = given.iter().zip(&recorded).zip(&got).all(one_has_it) && [recorded.len(), got.len()] == [given.len(); 2];
    only.what == "elements" && all && case.steps.iter().any(of_it)
}

/// A complex tensor that PyTorch refuses.
pub(super) fn derives_complex_numbers(case: &Case, failed: &Failed) -> bool {
    let refused = |message: &str| message.ends_with("does not support automatic differentiation for outputs with complex dtype.");
    case.error.as_ref().is_some_and(|error| refused(&error.message)) && matches!(failed.reason, Reason::NotRaised)
}

/// The name of the node of a piece whose base was changed.
pub(super) fn names_stale_pieces(case: &Case, failed: &Failed) -> bool {
    let Some(error) = &case.error else { return false };
    let named = case.steps.get(error.step).is_some_and(|step| step.op == "grad_fn.name");
    let stale = error.message.contains("is a view and its base or another view of its base has been modified inplace.");
    named && stale && matches!(failed.reason, Reason::NotRaised)
}

/// `floor_divide` on the way back, or the name of its node.
pub(super) fn derives_floors(case: &Case, failed: &Failed) -> bool {
    let refused = |message: &str| message == "derivative for aten::floor_divide is not implemented";
    let name = |(step, recorded, got): &(&Step, &Json, &str)| {
        step.op == "grad_fn.name" && recorded.as_str() == Some("NotImplemented") && got.starts_with("DivBackward")
    };
    case.error.as_ref().is_some_and(|error| refused(&error.message)) && matches!(failed.reason, Reason::NotRaised)
        || answers(case, failed).is_some_and(|all| !all.is_empty() && all.iter().all(name))
}
