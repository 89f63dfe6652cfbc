//! Operations of the table on tensors and numbers: into a new tensor, in place, or into an output. The checks that belong to single
//! operations are in `rules`; what all share is in [`plan`](crate::plan).

use latten_spec::DType;
use latten_spec::operation::{Op, Trait};
use smallvec::SmallVec;

use crate::dtype::finfo;
use crate::error::{Error, Result};
use crate::plan::{Plan, common_dtype};
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::warning;

pub use crate::plan::{Operand, Target};

mod rules;
mod small;

use rules::Simpler;

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

    /// Those that are given.
    pub(crate) fn given(&self) -> SmallVec<[Scalar; 3]> {
        self.0.iter().copied().flatten().collect()
    }

    /// Whether all have their defaults.
    pub(crate) fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all are the same, to the bit.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let one = |(left, right): (&Option<Scalar>, &Option<Scalar>)| match (left, right) {
            (Some(left), Some(right)) => left.is_same(*right),
            _ => left.is_none() && right.is_none(),
        };
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(one)
    }

    fn get(&self, index: usize) -> Option<Scalar> {
        self.0.get(index).copied().flatten()
    }

    /// The numbers that the kernel takes.
    fn numbers(&self, op: Op, result: DType) -> Result<SmallVec<[Scalar; 3]>> {
        let mut numbers = SmallVec::new();
        for (i, &(_, default)) in op.row().params.iter().enumerate() {
            let real = result.to_real();
            numbers.push(match self.get(i) {
                Some(number) => number,
                // The largest number of all stands for that of the dtype.
                None if default.abs() == f64::MAX && real.is_floating_point() => Scalar::Float(finfo(real)?.max.copysign(default)),
                None => Scalar::Float(default),
            });
        }
        Ok(numbers)
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
    apply_out_where(op, operands, out, params, |_| Ok(()))
}

/// As [`apply_out`], where the output may not take all sizes.
pub(crate) fn apply_out_where(
    op: Op,
    operands: &[Operand<'_>],
    out: &mut RawTensor,
    params: &Params,
    admitted: fn(&[usize]) -> Result<()>,
) -> Result<Resized> {
    let result = call(op, operands, Target::Out(out, admitted), params)?;
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

/// An operator with a number on its left, as PyTorch computes it: `number / tensor` is the reciprocal, times the number.
///
/// # Errors
/// As [`apply`].
pub fn apply_operator(op: Op, number: Scalar, tensor: &RawTensor) -> Result<RawTensor> {
    if op != Op::Div {
        return apply(op, &[Operand::Scalar(number), Operand::Tensor(tensor)], &Params::none());
    }
    let reciprocal = apply(Op::Reciprocal, &[tensor.into()], &Params::none())?;
    apply(Op::Mul, &[Operand::Tensor(&reciprocal), Operand::Scalar(number)], &Params::none())
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
pub fn clamp<'a>(tensor: Operand<'a>, low: Option<Operand<'a>>, high: Option<Operand<'a>>) -> Result<(Op, SmallVec<[Operand<'a>; 3]>)> {
    let op = match (&low, &high) {
        (Some(_), Some(_)) => Op::Clamp,
        (Some(_), None) => Op::ClampMin,
        (None, Some(_)) => Op::ClampMax,
        (None, None) => return Err(Error::runtime("torch.clamp: At least one of 'min' or 'max' must not be None")),
    };
    if tensor.promoting().1.is_complex() {
        return Err(Error::not_implemented("clamp is not supported for complex types"));
    }
    Ok((op, [Some(tensor), low, high].into_iter().flatten().collect()))
}

fn call(op: Op, operands: &[Operand<'_>], target: Target<'_>, params: &Params) -> Result<RawTensor> {
    if let (Target::New, [Operand::Tensor(x), Operand::Tensor(y)]) = (target, operands)
        && let Some(result) = small::compute(op, x, y, params)?
    {
        return Ok(result);
    }
    decide(op, operands, target, params)?.run()
}

/// What a call computes, when all that is special to operations has been looked at.
pub(crate) enum What {
    /// Nothing: the operand is the result.
    Itself,
    /// The same number everywhere.
    Number(Scalar),
    /// The first operand, in the dtype of the result.
    Copy,
    /// The operation of the plan, with these parameters.
    Formula(SmallVec<[Scalar; 3]>),
}

/// A checked call.
pub(crate) struct Decision<'a> {
    pub(crate) plan: Plan<'a>,
    pub(crate) what: What,
}

impl Decision<'_> {
    pub(crate) fn run(&self) -> Result<RawTensor> {
        match (&self.what, &*self.plan.operands) {
            (What::Itself, [Operand::Tensor(tensor), ..]) => Ok((*tensor).clone()),
            (What::Number(number), _) => self.plan.fill(*number),
            (What::Copy | What::Itself, _) => self.plan.copy(),
            (What::Formula(params), _) => self.plan.run(params),
        }
    }
}

/// Checks a call, in PyTorch's order.
pub(crate) fn decide<'a>(op: Op, operands: &[Operand<'a>], target: Target<'a>, params: &Params) -> Result<Decision<'a>> {
    if operands.len() != op.row().operands.len() {
        return Err(Error::type_error(format!("{op} takes {} operands, but got {}", op.row().operands.len(), operands.len())));
    }
    if let (Op::Rsub, [x, y]) = (op, operands) {
        return decide(Op::Sub, &[*y, *x], target, params);
    }
    let bounded = rules::bounds(op, operands, target)?;
    let operands = bounded.as_deref().unwrap_or(operands);
    rules::refuse(op, operands, target)?;
    rules::before(op, operands, target)?;
    if let ([Operand::Tensor(tensor)], Target::New) = (operands, target)
        && op.row().is(Trait::Itself)
        && op.row().formula(tensor.dtype().category()) == Some("x")
    {
        return Ok(Decision { plan: Plan::new(op, operands, target)?, what: What::Itself });
    }
    let simpler = if op == Op::Pow { rules::power(operands)? } else { None };
    let plan = Plan::new(op, operands, target)?;
    let (plan, what) = match simpler {
        Some(Simpler::One) => (plan, What::Number(Scalar::Int(1))),
        Some(Simpler::Same) => (plan, What::Copy),
        Some(Simpler::Unary(simpler)) => (plan.unary(simpler), What::Formula(SmallVec::new())),
        None => {
            rules::after(op, operands, &plan, params)?;
            let numbers = params.numbers(op, plan.result)?;
            (plan, What::Formula(numbers))
        }
    };
    Ok(Decision { plan, what })
}
