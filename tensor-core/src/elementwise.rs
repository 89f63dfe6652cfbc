//! Operations of the table on tensors and numbers: into a new tensor, in place, or into an output. Here are the checks that belong to single
//! operations; what all share is in [`plan`](crate::plan).

use smallvec::SmallVec;
use tensor_spec::operation::{Op, RefusalKind, RefusalRow, Trait, When};
use tensor_spec::{Category, DType, can_cast};

use crate::convert::Written;
use crate::dtype::finfo;
use crate::error::{Error, ErrorKind, Result};
use crate::plan::{Plan, Target, common_dtype};
use crate::raw::RawTensor;
use crate::scalar::Scalar;

pub use crate::plan::Operand;

/// Parameters of an operation, in the order of its row; what is left out has the row's default.
#[derive(Clone, Debug, Default)]
pub struct Params(SmallVec<[Option<Scalar>; 3]>);

impl Params {
    /// No parameters.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// The first parameter: `alpha`, `value`, `decimals`.
    #[must_use]
    pub fn one(number: impl Into<Scalar>) -> Self {
        Self(SmallVec::from_iter([Some(number.into())]))
    }

    /// All of them, where some may be left out.
    #[must_use]
    pub fn all(numbers: &[Option<Scalar>]) -> Self {
        Self(SmallVec::from_slice(numbers))
    }

    fn get(&self, index: usize) -> Option<Scalar> {
        self.0.get(index).copied().flatten()
    }

    /// The numbers that the kernel takes.
    fn numbers(&self, op: Op, result: DType) -> Result<SmallVec<[Scalar; 3]>> {
        let limits = |default: f64| -> Result<f64> {
            let real = result.to_real();
            if default.abs() < f64::MAX || !real.is_floating_point() {
                return Ok(default);
            }
            Ok(finfo(real)?.max.copysign(default))
        };
        op.row()
            .params
            .iter()
            .enumerate()
            .map(|(i, (_, default))| self.get(i).map_or_else(|| limits(*default).map(Scalar::Float), Ok))
            .collect()
    }
}

/// The dtype of an operation's result.
///
/// # Errors
/// Where the operands' dtypes have no promotion.
pub fn result_dtype(op: Op, operands: &[Operand<'_>]) -> Result<DType> {
    Ok(op.result(common_dtype(op, operands)?))
}

/// The result of an operation, in a new tensor.
///
/// # Errors
/// PyTorch's, in its words and its order; then nothing was changed.
pub fn apply(op: Op, operands: &[Operand<'_>], params: &Params) -> Result<RawTensor> {
    call(op, operands, Target::New, params)
}

/// The result of an operation, in the place of its first operand.
///
/// # Errors
/// As [`apply`], and where the result doesn't fit the tensor's shape or dtype.
pub fn apply_in_place(op: Op, tensor: &RawTensor, rest: &[Operand<'_>], params: &Params) -> Result<()> {
    let operands: SmallVec<[Operand<'_>; 4]> = [Operand::Tensor(tensor)].into_iter().chain(rest.iter().copied()).collect();
    call(op, &operands, Target::InPlace(tensor), params).map(drop)
}

/// The result of an operation, in a tensor that is resized to it. Returns whether a tensor with elements had to be, which PyTorch warns of.
///
/// # Errors
/// As [`apply`], and where the result doesn't fit the output's dtype.
pub fn apply_out(op: Op, operands: &[Operand<'_>], out: &mut RawTensor, params: &Params) -> Result<Resized> {
    let result = call(op, operands, Target::Out(out), params)?;
    let resized = result.sizes() != out.sizes();
    let had_elements = out.numel() > 0;
    *out = result;
    Ok(match (resized, had_elements) {
        (false, _) => Resized::No,
        (true, false) => Resized::Empty,
        (true, true) => Resized::WithElements,
    })
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

/// `scalar / tensor` as PyTorch's operator computes it: the reciprocal, times the number.
///
/// # Errors
/// As [`apply`].
pub fn divide_number(scalar: Scalar, tensor: &RawTensor) -> Result<RawTensor> {
    let reciprocal = apply(Op::Reciprocal, &[tensor.into()], &Params::none())?;
    apply(Op::Mul, &[Operand::Tensor(&reciprocal), Operand::Scalar(scalar)], &Params::none())
}

fn call(op: Op, operands: &[Operand<'_>], target: Target<'_>, params: &Params) -> Result<RawTensor> {
    if operands.len() != op.row().operands.len() {
        return Err(Error::type_error(format!("{op} takes {} operands, but got {}", op.row().operands.len(), operands.len())));
    }
    refuse(op, operands, target)?;
    before(op, operands, target)?;
    let simpler = if op == Op::Pow { power(operands)? } else { None };
    let plan = Plan::new(op, operands, target)?;
    match simpler {
        Some(Simpler::One) => return plan.fill(Scalar::Int(1)),
        Some(Simpler::Same) => return plan.copy(),
        Some(Simpler::Unary(simpler)) => return plan.unary(simpler).run(&[]),
        None => after(op, operands, &plan, params)?,
    }
    plan.run(&params.numbers(op, plan.result)?)
}

/// What the table refuses.
fn refuse(op: Op, operands: &[Operand<'_>], target: Target<'_>) -> Result<()> {
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
fn before(op: Op, operands: &[Operand<'_>], target: Target<'_>) -> Result<()> {
    let dtypes: SmallVec<[Option<DType>; 4]> = operands.iter().map(|o| o.tensor().map(RawTensor::dtype)).collect();
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
        (Op::Clamp | Op::ClampMin | Op::ClampMax, [_, rest @ ..]) if rest.iter().all(Option::is_none) => {
            let common = common_dtype(op, operands)?;
            match target.tensor().map(RawTensor::dtype) {
                Some(output) if !can_cast(common, output) => Err(Error::runtime(format!(
                    "result type {} can't be cast to the desired output type {}",
                    common.message_name(),
                    cpp_name(output)
                ))),
                _ => Ok(()),
            }
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

fn float_power_output(operands: &[Operand<'_>], target: Target<'_>) -> Result<()> {
    let result = result_dtype(Op::FloatPower, operands)?;
    let (what, output) = match target {
        Target::InPlace(base) if base.dtype() != result => ("base given to float_power_", base.dtype()),
        Target::Out(output) if output.dtype() != result => ("output given to float_power", output.dtype()),
        _ => return Ok(()),
    };
    let (output, result) = (output.message_name(), result.message_name());
    Err(Error::runtime(format!("the {what} has dtype {output} but the operation's result requires dtype {result}")))
}

/// Checks that PyTorch makes when shape and dtype are known.
fn after(op: Op, operands: &[Operand<'_>], plan: &Plan<'_>, params: &Params) -> Result<()> {
    let (common, number) = (plan.common, params.get(0));
    if op.row().is(Trait::Alpha)
        && let Some(alpha) = number
    {
        return check_alpha(alpha, common);
    }
    match (op, number, operands) {
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
enum Simpler {
    /// All ones.
    One,
    /// The base.
    Same,
    /// An operation on the base.
    Unary(Op),
}

/// What a number as exponent, or one as base, makes of a power.
fn power(operands: &[Operand<'_>]) -> Result<Option<Simpler>> {
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
                Some(0.5) if Op::Sqrt.computes(common) => Some(Simpler::Unary(Op::Sqrt)),
                Some(-0.5) if Op::Rsqrt.computes(common) => Some(Simpler::Unary(Op::Rsqrt)),
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

/// How C++ calls a dtype; a few of PyTorch's messages do.
fn cpp_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::U8 => "unsigned char",
        DType::I8 => "signed char",
        DType::I16 => "short",
        DType::I32 => "int",
        DType::I64 => "long",
        DType::F16 => "c10::Half",
        DType::BF16 => "c10::BFloat16",
        DType::F32 => "float",
        DType::F64 => "double",
        DType::C32 => "c10::complex<c10::Half>",
        DType::C64 => "c10::complex<float>",
        DType::C128 => "c10::complex<double>",
        other => other.name(),
    }
}
