//! The checks that PyTorch makes for single operations, before and after those that all share, and what it computes by another operation.

use latten_spec::operation::{Op, RefusalKind, RefusalRow, Trait, When};
use latten_spec::{Category, DType};
use smallvec::SmallVec;

use super::{Params, result_dtype};
use crate::convert::Written;
use crate::dtype::{cpp_name, integer_limits};
use crate::error::{Error, ErrorKind, Result};
use crate::plan::{Operand, Plan, Target, common_dtype};
use crate::raw::RawTensor;
use crate::scalar::Scalar;

/// What the table refuses.
pub(super) fn refuse(op: Op, operands: &[Operand<'_>], target: Target<'_>) -> Result<()> {
    let category = |operand: &Operand<'_>| operand.promoting().1.category();
    let meets = |row: &&RefusalRow| match row.when {
        When::All => operands.iter().all(|operand| row.categories.contains(category(operand))),
        When::Any => operands.iter().any(|operand| row.categories.contains(category(operand))),
        When::InPlace => matches!(target, Target::InPlace(_)) && operands.iter().any(|operand| row.categories.contains(category(operand))),
    };
    match op.row().refusals.iter().find(meets) {
        None => Ok(()),
        Some(row) => {
            let kind = match row.kind {
                RefusalKind::NotImplemented => ErrorKind::NotImplemented,
                RefusalKind::Type => ErrorKind::Type,
                RefusalKind::Runtime => ErrorKind::Runtime,
            };
            Err(Error::new(kind, row.text))
        }
    }
}

/// Checks that PyTorch makes before it looks at shapes.
pub(super) fn before(op: Op, operands: &[Operand<'_>], target: Target<'_>) -> Result<()> {
    let dtypes: SmallVec<[Option<DType>; 4]> = operands.iter().map(|o| o.tensor().map(RawTensor::dtype)).collect();
    if op == Op::Where
        && let Some(output) = target.tensor().map(RawTensor::dtype)
    {
        let result = result_dtype(op, operands)?;
        if output != result {
            let (result, output) = (result.message_name(), output.message_name());
            return Err(Error::runtime(format!("Expected out type to be {result} but got {output}")));
        }
    }
    match (op, dtypes.as_slice()) {
        (Op::Where, [Some(condition), ..]) if !matches!(condition, DType::Bool | DType::U8) => Err(Error::runtime(format!(
            "where expected condition to be a boolean tensor, but got a tensor with dtype {}",
            condition.message_name()
        ))),
        (Op::Lerp, [Some(start), rest @ ..]) => {
            let other = ["end", "weight"].into_iter().zip(rest).zip(&operands[1..]).find(|((name, dtype), operand)| {
                // A weight without dimensions may have any dtype, as a number has.
                dtype.is_some_and(|dtype| dtype != *start) && (*name == "end" || operand.tensor().is_some_and(|tensor| tensor.rank() > 0))
            });
            match other {
                Some(((name, Some(dtype)), _)) => {
                    Err(Error::runtime(format!("expected dtype {} for `{name}` but got dtype {}", cpp_name(*start), cpp_name(*dtype))))
                }
                _ => Ok(()),
            }
        }
        (Op::Addcdiv, [_, Some(numerator), Some(denominator)]) if numerator.is_integral() && denominator.is_integral() => {
            Err(Error::runtime(
                "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true division of \
                 tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * torch.trunc(tensor1 / \
                 tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future \
                 addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all dtypes.",
            ))
        }
        (Op::Signbit, _) if target.tensor().is_some_and(|output| output.dtype() != DType::Bool) => {
            Err(Error::runtime("signbit does not support non-boolean outputs."))
        }
        (Op::FloatPower, _) => float_power_output(operands, target),
        (Op::NanToNum, [Some(input)]) => match target.tensor().map(RawTensor::dtype) {
            Some(output) if output != *input => {
                let (output, input) = (output.message_name(), input.message_name());
                Err(Error::runtime(format!("nan_to_num: dtype of out: {output} should be same as input: {input}")))
            }
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

/// The numbers that bound an operation as its kernel takes them, where they all are numbers: those beyond the dtype's range on the far side
/// bound nothing, those on the near side are refused.
pub(super) fn bounds<'a>(op: Op, operands: &[Operand<'a>], target: Target<'_>) -> Result<Option<SmallVec<[Operand<'a>; 4]>>> {
    let [Operand::Tensor(tensor), numbers @ ..] = operands else { return Ok(None) };
    if !op.row().is(Trait::Bounds) || numbers.iter().any(|number| number.tensor().is_some()) {
        return Ok(None);
    }
    let unsupported = || Error::not_implemented("clamp is not supported for complex types");
    let complex = |operand: &Operand<'_>| matches!(operand, Operand::Scalar(Scalar::Complex(_)));
    let floating = tensor.dtype().is_floating_point();
    if tensor.dtype().is_complex() || op != Op::Clamp && numbers.iter().any(complex) {
        return Err(unsupported());
    }
    let dtype = if floating { tensor.dtype() } else { common_dtype(op, operands)? };
    if matches!(target, Target::InPlace(_)) && dtype != tensor.dtype() {
        let (result, output) = (dtype.message_name(), cpp_name(tensor.dtype()));
        return Err(Error::runtime(format!("result type {result} can't be cast to the desired output type {output}")));
    }
    if dtype.is_complex() {
        return Err(unsupported());
    }
    if dtype == DType::Bool {
        return Err(Error::not_implemented(op.unsupported(dtype, true)));
    }
    let mut bounded: SmallVec<[Operand<'a>; 4]> = SmallVec::from_iter([operands[0]]);
    for (number, &name) in numbers.iter().zip(&op.row().operands[1..]) {
        if let Operand::Scalar(scalar) = *number {
            bounded.push(Operand::Scalar(bound(scalar, name, dtype)?));
        }
    }
    Ok(Some(bounded))
}

/// A number as a bound of a dtype's elements.
fn bound(number: Scalar, name: &str, dtype: DType) -> Result<Scalar> {
    match (number, dtype.category()) {
        (Scalar::Complex(z), _) if z.im != 0.0 => Err(Error::runtime("value cannot be converted to type double without overflow")),
        (Scalar::Complex(z), _) => bound(Scalar::Float(z.re), name, dtype),
        (Scalar::Int(at), Category::Integral) => {
            let (least, greatest) = integer_limits(dtype);
            let outside = if name == "low" { i128::from(at) > greatest } else { i128::from(at) < least };
            let side = if name == "low" { "min" } else { "max" };
            if outside {
                let dtype = dtype.message_name();
                return Err(Error::runtime(format!("Clamp {side} value {at} is outside the representable range of {dtype}")));
            }
            let inside = i128::from(at).clamp(least, greatest);
            Ok(Scalar::Int(i64::try_from(inside).unwrap_or(at)))
        }
        (_, Category::Floating) => number.check(dtype, Written::Many).map(|()| number),
        _ => Ok(number),
    }
}

fn float_power_output(operands: &[Operand<'_>], target: Target<'_>) -> Result<()> {
    let result = result_dtype(Op::FloatPower, operands)?;
    let (what, output) = match target {
        Target::InPlace(base) if base.dtype() != result => ("base given to float_power_", base.dtype()),
        Target::Out(output, _) if output.dtype() != result => ("output given to float_power", output.dtype()),
        _ => return Ok(()),
    };
    let (output, result) = (output.message_name(), result.message_name());
    Err(Error::runtime(format!("the {what} has dtype {output} but the operation's result requires dtype {result}")))
}

/// Checks that PyTorch makes when shape and dtype are known.
pub(super) fn after(op: Op, operands: &[Operand<'_>], plan: &Plan<'_>, params: &Params) -> Result<()> {
    let (common, number) = (plan.common, params.get(0));
    if op.row().is(Trait::Alpha)
        && let Some(alpha) = number
    {
        return check_alpha(alpha, common);
    }
    match (op, number, operands) {
        (Op::RoundDecimals, None | Some(Scalar::Int(0)), _) if !op.computes(common) => {
            Err(Error::not_implemented(Op::Round.unsupported(common, false)))
        }
        (Op::Addcmul | Op::Addcdiv, Some(value), _) if op.computes(common) => value.check(common.computing(), Written::Many),
        (Op::Lerp, _, [_, _, Operand::Scalar(weight)]) if op.computes(common) => weight.check(common.computing(), Written::Many),
        (Op::Pow, _, [_, Operand::Scalar(exponent)]) if op.computes(common) && (common.is_integral() || common == DType::F16) => {
            exponent.check(common, Written::Many)
        }
        _ => Ok(()),
    }
}

fn check_alpha(alpha: Scalar, common: DType) -> Result<()> {
    let refusal = match (alpha.category(), common.category()) {
        (Category::Boolean, category) if category != Category::Boolean => "Boolean alpha only supported for Boolean results.",
        (Category::Floating, category) if category < Category::Floating => {
            "For integral input tensors, argument alpha must not be a floating point number."
        }
        (Category::Complex, category) if category < Category::Floating => {
            "For integral input tensors, argument alpha must not be a floating point number."
        }
        (Category::Complex, Category::Floating) => "For non-complex input tensors, argument alpha must not be a complex number.",
        _ => return Ok(()),
    };
    Err(Error::runtime(refusal))
}

/// A power that another operation computes, more exactly or where `pow` has no kernel.
pub(super) enum Simpler {
    /// All ones.
    One,
    /// The base.
    Same,
    /// An operation on the base.
    Unary(Op),
}

/// What a number as exponent, or one as base, makes of a power.
pub(super) fn power(operands: &[Operand<'_>]) -> Result<Option<Simpler>> {
    let [base, exponent] = operands else { return Ok(None) };
    let common = common_dtype(Op::Pow, operands)?;
    let real = |scalar: &Scalar| match *scalar {
        Scalar::Bool(x) => Some(f64::from(u8::from(x))),
        #[expect(clippy::cast_precision_loss, reason = "only small numbers matter")]
        Scalar::Int(x) => Some(x as f64),
        Scalar::Float(x) => Some(x),
        Scalar::Complex(z) => (z.im == 0.0).then_some(z.re),
    };
    Ok(match (base, exponent) {
        (Operand::Tensor(base), Operand::Scalar(exponent)) => {
            if base.dtype().is_integral() && matches!(exponent, Scalar::Int(..0)) && common.is_integral() {
                return Err(Error::runtime("Integers to negative integer powers are not allowed."));
            }
            match real(exponent) {
                Some(0.0) => Some(Simpler::One),
                Some(1.0) => Some(Simpler::Same),
                Some(2.0) if Op::Square.computes(common) && common != DType::Bool => Some(Simpler::Unary(Op::Square)),
                // PyTorch takes no roots of f16 here: of -inf they would be NaN.
                Some(0.5) if Op::Sqrt.computes(common) && common != DType::F16 => Some(Simpler::Unary(Op::Sqrt)),
                Some(-0.5) if Op::Rsqrt.computes(common) && common != DType::F16 => Some(Simpler::Unary(Op::Rsqrt)),
                Some(-1.0) if Op::Reciprocal.computes(common) => Some(Simpler::Unary(Op::Reciprocal)),
                _ => None,
            }
        }
        (Operand::Scalar(base), Operand::Tensor(_)) if base.category() != Category::Boolean && real(base) == Some(1.0) => {
            Some(Simpler::One)
        }
        _ => None,
    })
}
