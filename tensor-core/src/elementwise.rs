//! Operations of the table on tensors and numbers: into a new tensor, in place, or into an output. What a call does is decided by
//! [`plan`](crate::plan); here that is done.

mod small;

use latten_spec::DType;
use latten_spec::operation::Op;
use smallvec::SmallVec;

use crate::copy::threads;
use crate::error::{Error, Result};
use crate::geometry::overlap::Relation;
use crate::kernels::block::Threads;
use crate::kernels::operation::{AnyOperation, Argument};
use crate::plan::{Decision, Pass, Seen, common_dtype, decide};
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::warning;

pub use crate::plan::{Params, RawOperand, Target};

/// The dtype of an operation's result.
///
/// # Errors
/// Where the operands' dtypes have no promotion.
pub fn result_dtype(op: Op, operands: &[RawOperand<'_>]) -> Result<DType> {
    let seen: SmallVec<[Seen<'_>; 4]> = operands.iter().map(RawOperand::seen).collect();
    Ok(op.result(common_dtype(op.row(), &seen)?))
}

/// The result of an operation, in a new tensor.
///
/// # Errors
/// PyTorch's, in its words and its order; then nothing was changed.
#[inline]
pub fn apply(op: Op, operands: &[RawOperand<'_>], params: &Params) -> Result<RawTensor> {
    run(op.into(), operands, Target::New, params)
}

/// The result of an operation, in the place of its first operand.
///
/// # Errors
/// As [`apply`], and where the result doesn't fit the tensor's shape or dtype.
pub fn apply_in_place(op: Op, tensor: &RawTensor, rest: &[RawOperand<'_>], params: &Params) -> Result<()> {
    let changed = match rest {
        [] => small::change(op, &[tensor.into()], params)?,
        [other] => small::change(op, &[tensor.into(), *other], params)?,
        _ => false,
    };
    if changed {
        return Ok(());
    }
    let operands: SmallVec<[RawOperand<'_>; 3]> = [RawOperand::Tensor(tensor)].into_iter().chain(rest.iter().copied()).collect();
    run(op.into(), &operands, Target::InPlace(tensor), params).map(drop)
}

/// The result of an operation, in a tensor that is resized to it. Returns whether a tensor with elements had to be, which PyTorch warns of.
///
/// # Errors
/// As [`apply`], and where the result doesn't fit the output's dtype.
pub fn apply_out(op: Op, operands: &[RawOperand<'_>], out: &mut RawTensor, params: &Params) -> Result<Resized> {
    let result = run(op.into(), operands, Target::Out(out, |_| Ok(())), params)?;
    Ok(Resized::put(out, result))
}

/// What became of the sizes of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resized {
    /// They fitted.
    No,
    /// It had no elements, and got the sizes of the result.
    Empty,
    /// It lost its elements' shape: deprecated in PyTorch, which warns.
    WithElements,
}

impl Resized {
    /// Makes an output what an operation has made of it, and warns where PyTorch does.
    pub(crate) fn put(out: &mut RawTensor, result: RawTensor) -> Self {
        let resized = match (result.sizes() == out.sizes(), out.numel()) {
            (true, _) => Self::No,
            (false, 0) => Self::Empty,
            (false, _) => Self::WithElements,
        };
        if resized == Self::WithElements {
            warning::output_resized(out.sizes(), result.sizes());
        }
        *out = result;
        resized
    }
}

/// The operation that PyTorch's `div` with a rounding mode is.
///
/// # Errors
/// For a mode other than `trunc` and `floor`.
pub fn division(rounding_mode: Option<&str>) -> Result<Op> {
    match rounding_mode {
        None => Ok(Op::Div),
        Some("trunc") => Ok(Op::DivTrunc),
        Some("floor") => Ok(Op::DivFloor),
        Some(other) => {
            Err(Error::runtime(format!("div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{other}'")))
        }
    }
}

/// The operation that PyTorch's `gelu` with an approximation is.
///
/// # Errors
/// For an approximation other than `none` and `tanh`.
pub fn gelu(approximate: &str) -> Result<Op> {
    match approximate {
        "none" => Ok(Op::Gelu),
        "tanh" => Ok(Op::GeluTanh),
        _ => Err(Error::runtime("approximate argument must be either none or tanh.")),
    }
}

/// The operation that PyTorch's `clamp` with these bounds is, and its operands.
///
/// # Errors
/// Where there is no bound, and for complex tensors.
pub fn clamp<'a>(
    tensor: RawOperand<'a>,
    low: Option<RawOperand<'a>>,
    high: Option<RawOperand<'a>>,
) -> Result<(Op, SmallVec<[RawOperand<'a>; 3]>)> {
    let op = match (&low, &high) {
        (Some(_), Some(_)) => Op::Clamp,
        (Some(_), None) => Op::ClampMin,
        (None, Some(_)) => Op::ClampMax,
        (None, None) => return Err(Error::runtime("torch.clamp: At least one of 'min' or 'max' must not be None")),
    };
    if tensor.promoting().1.is_complex() {
        return Err(Error::not_implemented("clamp is not supported for complex types"));
    }
    let is_complex = |bound: &RawOperand<'_>| matches!(bound, RawOperand::Scalar(Scalar::Complex(z)) if z.im != 0.0);
    if tensor.promoting().1.is_floating_point() && [&low, &high].into_iter().flatten().any(is_complex) {
        return Err(Error::runtime("value cannot be converted to type double without overflow"));
    }
    Ok((op, [Some(tensor), low, high].into_iter().flatten().collect()))
}

/// [`decided`] as a pointer, as the calls of operations are (`call::COMPUTE` says why).
const DECIDED: fn(AnyOperation, &[RawOperand<'_>], Target<'_>, &Params) -> Result<RawTensor> = decided;

/// Runs an operation: the one way from operands, parameters and a target to a result. The tensor that holds it is new, or the target's.
#[inline]
pub(crate) fn run(operation: AnyOperation, operands: &[RawOperand<'_>], target: Target<'_>, params: &Params) -> Result<RawTensor> {
    let otherwise = || DECIDED(operation, operands, target, params);
    match (&target, operation, operands, operands.as_array::<2>()) {
        (Target::New, AnyOperation::Table(op), _, Some(both)) => small::compute(op, both, params, otherwise),
        (Target::New, AnyOperation::Table(op), [x], _) => small::compute(op, std::array::from_ref(x), params, otherwise),
        _ => otherwise(),
    }
}

/// Decides a call, and does what was decided.
#[inline(never)]
fn decided(operation: AnyOperation, operands: &[RawOperand<'_>], target: Target<'_>, params: &Params) -> Result<RawTensor> {
    let seen: SmallVec<[Seen<'_>; 4]> = operands.iter().map(RawOperand::seen).collect();
    let mut relations = SmallVec::new();
    let overlaps = &mut || target.relations(operands).map(|related| relations = related);
    let decision = decide(operation, &seen, &target.seen(operands), params, overlaps)?;
    if let Some(out) = target.lying(&decision.sizes, decision.step.result, decision.device)
        && !decision.itself
        && **out.strides() != *decision.strides
    {
        // It lies otherwise than a new tensor does, which is a decision of its own.
        let out = out.with_geometry(out.geometry().clone());
        return decided(operation, operands, Target::Out(&out, |_| Ok(())), params);
    }
    finish(&decision, operands, &relations, target)
}

/// Does what was decided.
fn finish(decision: &Decision, operands: &[RawOperand<'_>], relations: &[Relation], target: Target<'_>) -> Result<RawTensor> {
    if let ([RawOperand::Tensor(tensor), ..], true) = (operands, decision.itself) {
        return Ok((*tensor).clone());
    }
    let tensors: SmallVec<[Option<&RawTensor>; 8]> = operands.iter().map(RawOperand::tensor).collect();
    let output = output(decision, &tensors, target)?;
    if output.is_meta() || output.sizes().contains(&0) {
        return Ok(output);
    }
    let step = &decision.step;
    if step.task.is_some() {
        let threads = if matches!(target, Target::New) { Threads::Many } else { threads(&output) };
        let (steps, flat) = (std::slice::from_ref(step), decision.flat);
        Pass { steps, whole: None, operands: &tensors, relations, output: &output, more: &[], flat, threads }.run()?;
        return Ok(output);
    }
    match step.arguments().next() {
        Some((Argument::Number(number), _)) => output.fill_elements(number)?,
        Some((Argument::Operand(index), [through, _])) => {
            if let Some(tensor) = tensors.get(index).copied().flatten() {
                output.copy_(&tensor.to_dtype(through)?)?;
            }
        }
        Some((Argument::Step(_) | Argument::Index, _)) | None => {}
    }
    Ok(output)
}

/// The output: given, given and resized, or new.
fn output(decision: &Decision, operands: &[Option<&RawTensor>], target: Target<'_>) -> Result<RawTensor> {
    match target {
        Target::InPlace(tensor) => Ok(tensor.clone()),
        Target::Out(tensor, _) if *tensor.sizes() == *decision.sizes => Ok(tensor.clone()),
        Target::Out(tensor, admitted) => {
            decision.check_divisors(operands)?;
            admitted(&decision.sizes)?;
            let mut resized = tensor.clone();
            resized.geometry.strides.clone_from(&decision.strides);
            resized.geometry.sizes.clone_from(&decision.sizes);
            resized.fit_storage()?;
            Ok(resized)
        }
        Target::New | Target::Offered(_) => target.fresh(&decision.sizes, &decision.strides, decision.step.result, decision.device),
    }
}
