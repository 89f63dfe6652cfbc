//! Whether a program that goes otherwise than recorded does so as the list says; what single elements say is in `rules`.

use latten::elementwise::{Params, apply};
use latten::prelude::*;
use latten::{DType, Op, Result};
use serde_json::Value as Json;

use super::call::Call;
use super::rules;
use crate::case::{Case, Expected, Names};
use crate::compare;
use crate::run::{self, Failed, Reason};
use crate::value::Value;

/// What an operation of the table gives.
pub(super) fn computed(op: Op, operands: &[&DynTensor]) -> Result<DynTensor> {
    let operands: Vec<_> = operands.iter().map(|operand| operand.raw().into()).collect();
    apply(op, &operands, &Params::none()).map(DynTensor::from)
}

/// The step that raises is an operation of the table; its result is that of complex64, rounded.
pub(super) fn computes_in_complex32(case: &Case, failed: &Failed) -> bool {
    let Some(error) = &case.error else { return false };
    let refused = error.message.ends_with("not implemented for 'ComplexHalf'") && matches!(failed.reason, Reason::NotRaised);
    let (true, Some(step), Some(before)) = (refused, case.steps.get(error.step), run::after(case, error.step)) else { return false };
    let name = |arg: &Json| arg.as_str().map(|name| name.trim_start_matches('$').to_owned());
    let target = match &step.names {
        Some(Names::One(one)) => Some(one.clone()),
        _ => step.kw.get("out").or(step.args.first()).and_then(name),
    };
    let op = Op::parse(step.op.trim_end_matches('_')).or((step.op == "true_divide").then_some(Op::Div));
    let (Some(op), Some(Value::Tensor(got))) = (op, target.and_then(|target| failed.names.get(&target))) else { return false };
    let wide = |arg: &Json| match before.get(&name(arg)?) {
        Some(Value::Tensor(tensor)) => tensor.to_dtype(DType::C64).ok(),
        _ => None,
    };
    let operands: Option<Vec<DynTensor>> = step.args.iter().map(wide).collect();
    // With numbers among the operands, or parameters, the dtype alone tells.
    let Some(operands) = operands.filter(|_| step.kw.keys().all(|name| name == "out")) else { return got.dtype() == DType::C32 };
    let Ok(result) = computed(op, &operands.iter().collect::<Vec<_>>()) else { return false };
    result.to_dtype(got.dtype()).is_ok_and(|result| compare::elements(&result) == compare::elements(got))
}

/// The elements are the same, but lie elsewhere.
pub(super) fn conjugates_at_once(case: &Case, failed: &Failed) -> bool {
    let Reason::Different(found) = &failed.reason else { return false };
    let by_conj = |name: &str| {
        case.steps
            .iter()
            .any(|step| ["conj", "H", "mH"].contains(&step.op.as_str()) && matches!(&step.names, Some(Names::One(one)) if one == name))
    };
    found.iter().all(|difference| match (failed.names.get(&difference.of), case.expect.names.get(&difference.of)) {
        (Some(Value::Tensor(got)), Some(Expected::Tensor(expected))) => {
            let elsewhere = matches!(difference.what.as_str(), "offset" | "strides");
            elsewhere
                && got.dtype().is_complex()
                && by_conj(&difference.of)
                && compare::elements(got).is_ok_and(|got| got == expected.data.0)
        }
        _ => false,
    })
}

/// The last step writes a tensor over memory that its operand reads, too, and gives what it gives where both are copies.
pub(super) fn copies_what_overlaps(case: &Case, failed: &Failed) -> bool {
    let (Reason::Different(found), Some((step, before))) = (&failed.reason, case.steps.split_last()) else { return false };
    let Some(state) = run::after(case, before.len()) else { return false };
    let name = |arg: &Json| arg.as_str().map(|name| name.trim_start_matches('$').to_owned());
    let tensor = |name: &String| if let Some(Value::Tensor(tensor)) = state.get(name) { Some(tensor) } else { None };
    let (op, written) = match step.op.strip_suffix('_') {
        Some(op) => (op, step.args.first().and_then(name)),
        None => (step.op.as_str(), step.kw.get("out").and_then(name)),
    };
    let operands: Option<Vec<&DynTensor>> = step.args.iter().map(|arg| tensor(&name(arg)?)).collect();
    let (Some(op), Some(written), Some(operands)) = (Op::parse(op), written, operands) else { return false };
    let (Some(Value::Tensor(got)), Some(before)) = (failed.names.get(&written), tensor(&written)) else { return false };
    let shares =
        operands.iter().any(|operand| operand.untyped_storage().shares_memory(before.untyped_storage()) && !operand.is_set_to(before));
    let copies: Vec<DynTensor> = operands.iter().copied().map(DynTensor::clone).collect();
    let Ok(result) = computed(op, &copies.iter().collect::<Vec<_>>()) else { return false };
    let reads = Call::of(case, failed, &written).is_some_and(|call| call.unlike.iter().all(|&at| rules::reads_what_is_written(&call, at)));
    let same = |one: &DynTensor, other: &DynTensor| {
        compare::elements(one).is_ok_and(|one| compare::elements(other).is_ok_and(|other| one == other))
    };
    let is_result = result.to_dtype(got.dtype()).is_ok_and(|result| same(&result, got) && before.alias().copy_(&result).is_ok());
    // What else has another number now has it by the same memory.
    let follows = |difference: &compare::Difference| match (state.get(&difference.of), failed.names.get(&difference.of)) {
        (Some(Value::Tensor(after)), Some(Value::Tensor(got))) => same(after, got),
        (after, _) => after.is_none(),
    };
    shares && reads && is_result && found.iter().all(|difference| difference.what == "elements" && follows(difference))
}

/// The same message but for the order of its two numbers.
pub(super) fn swaps_numbers(case: &Case, failed: &Failed) -> bool {
    fn parts(message: &str) -> Option<(&str, &str)> {
        message.strip_prefix("offset must be non-negative and no greater than buffer length (")?.split_once(") , but got ")
    }
    let (Some(recorded), Reason::OtherError(_, error, _)) = (&case.error, &failed.reason) else { return false };
    let (recorded, got) = (parts(&recorded.message), parts(error.message()));
    recorded.zip(got).is_some_and(|((length, offset), got)| got == (offset, length))
}

/// An output that PyTorch leaves as it was.
pub(super) fn writes_what_stays(case: &Case, failed: &Failed) -> bool {
    let (Some(step), Reason::Different(_)) = (case.steps.last(), &failed.reason) else { return false };
    let ours = ["fft.ihfft2", "fft.ihfftn"].contains(&step.op.as_str()) && case.steps.len() == 1;
    let output = step.kw.get("out").and_then(Json::as_str).map(|name| name.trim_start_matches('$'));
    let (true, Some(name), Some(before)) = (ours, output, run::after(case, 0)) else { return false };
    match (before.get(name), case.expect.names.get(name)) {
        (Some(Value::Tensor(before)), Some(Expected::Tensor(expected))) => {
            before.sizes() == expected.shape && compare::elements(before).is_ok_and(|bytes| bytes == expected.data.0)
        }
        _ => false,
    }
}
