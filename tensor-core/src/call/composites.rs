//! Composite operations: declared once, in terms of other calls and without loops. So they work on every device and on meta tensors, and refuse
//! what their parts refuse.
//!
//! A [`Value`] is what they compute with: elementwise operations on values wait, and run in one pass when another call needs their elements.

use super::value::{FEW_ELEMENTS, Value, binary, unary};
use super::{Call, CallArgument, Destination, Function, operation, run};
use crate::elementwise::{Params, RawOperand, Target};
use crate::error::{Error, Result};
use crate::geometry::wrap_dim;
use crate::indexing::{self, Accumulate, IncludeSelf, ScatterReduce, nonzero};
use crate::random::{self, Dropped, Mode};
use crate::raw::RawTensor;
use crate::reduce::{Along, NansAre, Tolerance};
use crate::scalar::Scalar;
use crate::views::signed;
use crate::{dtype, warning};
use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;
use smallvec::SmallVec;

/// PyTorch's `softsign`, which rounds after each step.
pub(super) fn softsign(x: &RawTensor) -> Result<RawTensor> {
    let x = Value::from(x);
    binary(Op::Div, &x, binary(Op::Add, &unary(Op::Abs, &x), 1)).tensor()
}

/// PyTorch's `__rdiv__`: the reciprocal, times another one.
pub(super) fn reflected_division(x: &RawTensor, y: RawOperand<'_>) -> Result<RawTensor> {
    if x.numel() <= FEW_ELEMENTS {
        let reciprocal = operation(Op::Reciprocal, &[x.into()], &Params::none())?;
        return operation(Op::Mul, &[(&reciprocal).into(), y], &Params::none());
    }
    let y = match y {
        RawOperand::Tensor(tensor) => Value::from(tensor),
        RawOperand::Scalar(number) => Value::from(number),
    };
    binary(Op::Mul, &unary(Op::Reciprocal, &x.into()), y).tensor()
}

/// PyTorch's `dropout` and its kin. Where a gradient is concerned, what is drawn is a factor and a term.
pub(super) fn dropout(dropped: Dropped, input: &RawTensor, probability: f64, mode: Mode) -> Result<RawTensor> {
    if !input.is_concerned() {
        return random::dropout(dropped, input, probability, mode);
    }
    let Some((factor, term)) = random::drawn(dropped, input, probability, mode)? else { return Ok(input.clone()) };
    let product = binary(Op::Mul, &input.into(), Value::from(factor));
    term.map_or(product.clone(), |term| binary(Op::Add, &product, Value::from(term))).tensor()
}

/// The same in the tensor's place.
pub(super) fn dropout_in_place(dropped: Dropped, input: &mut RawTensor, probability: f64, mode: Mode) -> Result<()> {
    if !input.is_concerned() {
        return random::dropout_(dropped, input, probability, mode);
    }
    let Some((factor, term)) = random::drawn(dropped, input, probability, mode)? else { return Ok(()) };
    let mut by = |op: Op, tensor: &RawTensor| {
        run(Call::elementwise(op, &[tensor.into()], &Params::none(), Destination::InPlace(&mut *input))).map(drop)
    };
    by(Op::Mul, &factor)?;
    term.map_or(Ok(()), |term| by(Op::Add, &term))
}

/// PyTorch's `dist`: the norm of a difference.
pub(super) fn dist(x: &RawTensor, y: &RawTensor, p: f64) -> Result<RawTensor> {
    let difference = binary(Op::Sub, &x.into(), y).tensor()?;
    if difference.dtype().is_integral() {
        let dtype = difference.dtype().message_name();
        return Err(Error::not_implemented(format!(
            "norm(): input dtype should be either floating point or complex. Got {dtype} instead."
        )));
    }
    Value::from(difference).reduced(Reduction::Norm, &Along::all().parameter(p))?.tensor()
}

/// PyTorch's `diff`: the differences of neighbours along a dimension, taken as often as the order says; of truths, where they change.
pub(super) fn diff(
    to: Target<'_>,
    input: &RawTensor,
    order: isize,
    dim: isize,
    prepend: Option<&RawTensor>,
    append: Option<&RawTensor>,
) -> Result<RawTensor> {
    if input.rank() == 0 {
        return Err(Error::runtime("diff expects input to be at least one-dimensional"));
    }
    let order = usize::try_from(order).map_err(|_| Error::runtime(format!("order must be non-negative but got {order}")))?;
    for ends in [prepend, append].into_iter().flatten() {
        check_ends(input, dim, ends)?;
    }
    if order == 0 {
        return Value::from(input).last(to, Function::Clone, &[CallArgument::None]);
    }
    let place = wrap_dim(dim, input.rank())?;
    let mut rows = match (prepend, append) {
        (None, None) => input.clone(),
        ends => {
            let joined: SmallVec<[&RawTensor; 8]> = [ends.0, Some(input), ends.1].into_iter().flatten().collect();
            run(Call::new(Function::Cat, &[CallArgument::Tensors(&joined), dim.into()]))?.one()?
        }
    };
    let op = if rows.dtype() == DType::Bool { Op::LogicalXor } else { Op::Sub };
    let order = order.min(rows.sizes()[place]);
    for number in 1..=order {
        let length = rows.sizes()[place].cast_signed() - 1;
        let from = |start: isize| Value::from(&rows).then(Function::Narrow, &[dim.into(), start.into(), length.into()]);
        rows = binary(op, &from(1)?, &from(0)?).tensor_to(if number == order { to } else { Target::New })?;
    }
    Ok(rows)
}

/// What is put before or behind a tensor has its sizes in all dimensions but one.
fn check_ends(input: &RawTensor, dim: isize, ends: &RawTensor) -> Result<()> {
    if ends.rank() != input.rank() {
        return Err(Error::runtime("diff expects prepend or append to be the same dimension as input"));
    }
    let along = wrap_dim(dim, input.rank())?;
    match (0..input.rank()).find(|&at| at != along && ends.sizes()[at] != input.sizes()[at]) {
        None => Ok(()),
        Some(at) => Err(Error::runtime(format!(
            "diff expects the shape of tensor to prepend or append to match that of input except along the differencing dimension; \
             input.size({at}) = {}, but got tensor.size({at}) = {}",
            input.sizes()[at],
            ends.sizes()[at]
        ))),
    }
}

/// PyTorch's `flipud` and `fliplr`: the first dimension, or the second, in the opposite order.
pub(super) fn flipped_at(input: &RawTensor, place: usize) -> Result<RawTensor> {
    if input.rank() <= place {
        return Err(Error::runtime(format!("Input must be >= {}-d.", place + 1)));
    }
    Value::from(input).then(Function::Flip, &[CallArgument::Ints(&[place.cast_signed()])])?.tensor()
}

/// How often each observation counts, and how heavy it is.
#[derive(Clone, Copy)]
pub(super) struct Weights<'a> {
    pub(super) frequencies: Option<&'a RawTensor>,
    pub(super) importances: Option<&'a RawTensor>,
}

impl Weights<'_> {
    fn check(self, observations: usize) -> Result<()> {
        let integral = |tensor: &RawTensor| tensor.dtype().is_integral() && tensor.dtype() != DType::Bool;
        let floating = |tensor: &RawTensor| tensor.dtype().is_floating_point();
        let one = |name: &str, kind: &str, tensor: Option<&RawTensor>, is_kind: &dyn Fn(&RawTensor) -> bool| {
            let Some(tensor) = tensor else { return Ok(()) };
            let (rank, count, dtype) = (tensor.rank(), tensor.numel(), tensor.dtype().message_name());
            if rank > 1 {
                return Err(format!("expected {name} to have one or fewer dimensions but got {name} with {rank} dimensions"));
            }
            if !is_kind(tensor) {
                return Err(format!("expected {name} to have {kind} dtype but got {name} with {dtype} dtype"));
            }
            if count != observations {
                return Err(format!(
                    "expected {name} to have the same numel as there are observations in the input but got {count} != {observations}"
                ));
            }
            Ok(())
        };
        let refused = |text: String| Error::runtime(format!("cov(): {text}"));
        one("fweights", "integral", self.frequencies, &integral).map_err(refused)?;
        one("aweights", "floating point", self.importances, &floating).map_err(refused)?;
        for (name, weights) in [("fweights", self.frequencies), ("aweights", self.importances)] {
            if let Some(weights) = weights.filter(|weights| weights.numel() > 0)
                && Value::from(weights).reduced(Reduction::Min, &Along::all())?.known()?.is_some_and(|least| least.to_f64() < 0.0)
            {
                return Err(refused(format!("{name} cannot be negative")));
            }
        }
        Ok(())
    }
}

/// PyTorch's `cov`: how the rows of a matrix of observations vary together.
pub(super) fn cov(input: &RawTensor, correction: isize, weights: Weights<'_>) -> Result<RawTensor> {
    if input.rank() > 2 {
        let rank = input.rank();
        return Err(Error::runtime(format!(
            "cov(): expected input to have two or fewer dimensions but got an input with {rank} dimensions"
        )));
    }
    if input.dtype() == DType::Bool {
        return Err(Error::not_implemented("cov(): bool dtype is not supported for input"));
    }
    let rows = if input.rank() < 2 { Value::from(input).then(Function::View, &[CallArgument::Ints(&[1, -1])])? } else { input.into() };
    let observations = rows.tensor()?.sizes()[1];
    weights.check(observations)?;
    let weighted = match (weights.frequencies, weights.importances) {
        (Some(often), Some(heavy)) => Some(binary(Op::Mul, &often.into(), heavy)),
        (Some(only), None) | (None, Some(only)) => Some(only.into()),
        (None, None) => None,
    };
    let across = Along::dims(&[1]);
    let total = match &weighted {
        None => Value::from(Scalar::from(observations)),
        Some(weighted) => weighted.reduced(Reduction::Sum, &Along::all())?,
    };
    if weighted.is_some() && total.known()?.is_some_and(|total| total.to_f64() == 0.0) {
        return Err(Error::runtime("cov(): weights sum to zero, can't be normalized"));
    }
    let sums =
        weighted.as_ref().map_or_else(|| rows.clone(), |weighted| binary(Op::Mul, &rows, weighted)).reduced(Reduction::Sum, &across)?;
    let average = binary(Op::Div, &sums, &total);
    let correction = Scalar::from(correction);
    let mut freedom = match (&weighted, weights.importances) {
        (Some(weighted), Some(heavy)) if correction != 0.0 => {
            let share = binary(Op::Mul, weighted, heavy).reduced(Reduction::Sum, &Along::all())?;
            binary(Op::Sub, &total, binary(Op::Div, &binary(Op::Mul, &share, correction), &total))
        }
        (Some(_), _) => binary(Op::Sub, &total, correction),
        (None, _) => Scalar::from(observations.cast_signed().saturating_sub(correction.to_f64() as isize)).into(),
    };
    if freedom.known()?.is_some_and(|freedom| freedom.to_f64() <= 0.0) {
        warning::warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.");
        freedom = 0.0.into();
    }
    let centred = binary(Op::Sub, &rows, &average.then(Function::Unsqueeze, &[CallArgument::Int(1)])?);
    let centred = Value::from(centred.tensor()?);
    let right = weighted.map_or_else(|| centred.clone(), |weighted| binary(Op::Mul, &centred, weighted));
    let right = unary(Op::Conj, &right.then(Function::T, &[])?).tensor()?;
    let products = centred.then(Function::Matmul, &[CallArgument::Tensor(&right)])?;
    binary(Op::Div, &products, freedom).then(Function::Squeeze, &[])?.tensor()
}

/// PyTorch's `isclose`: element by element, whether two tensors are close.
pub(super) fn isclose(lhs: &RawTensor, rhs: &RawTensor, tolerance: Tolerance) -> Result<RawTensor> {
    let (left, right) = (lhs.dtype(), rhs.dtype());
    if left != right {
        return Err(Error::runtime(format!("{} did not match {}", left.message_name(), right.message_name())));
    }
    for (name, value) in [("rtol", tolerance.relative), ("atol", tolerance.absolute)] {
        if value < 0.0 {
            return Err(Error::runtime(format!("{name} must be greater than or equal to zero, but got {value}")));
        }
    }
    let (x, y) = (Value::from(lhs), Value::from(rhs));
    let mut close = binary(Op::Eq, &x, &y);
    let inexact = left.is_floating_point() || left.is_complex();
    if tolerance.nans == NansAre::Equal && inexact {
        let both = binary(Op::LogicalAnd, &unary(Op::Isnan, &x), unary(Op::Isnan, &y));
        close = binary(Op::LogicalOr, &close, &both);
    }
    if tolerance.relative == 0.0 && tolerance.absolute == 0.0 {
        return close.tensor();
    }
    // Integers and bools are compared as floats of the default dtype.
    let wide = |tensor: &RawTensor| if inexact { Ok(tensor.clone()) } else { tensor.to_dtype(dtype::promotion_default()) };
    let (x, y) = (Value::from(wide(lhs)?), Value::from(wide(rhs)?));
    let scaled = unary(Op::Abs, &binary(Op::Mul, &y, Scalar::Float(tolerance.relative)));
    let allowed = binary(Op::Add, &scaled, Scalar::Float(tolerance.absolute));
    let apart = unary(Op::Abs, &binary(Op::Sub, &x, &y));
    let near = binary(Op::LogicalAnd, &unary(Op::Isfinite, &apart), binary(Op::Le, &apart, &allowed));
    binary(Op::LogicalOr, &close, &near).tensor()
}

/// PyTorch's `allclose`.
pub(super) fn allclose(lhs: &RawTensor, rhs: &RawTensor, tolerance: Tolerance) -> Result<bool> {
    let close = Value::from(isclose(lhs, rhs, tolerance)?);
    Ok(close.reduced(Reduction::All, &Along::all())?.item()? == Scalar::Bool(true))
}

/// A tensor without dimensions as a row of one element.
fn as_row(tensor: &RawTensor) -> Result<RawTensor> {
    if tensor.rank() == 0 { tensor.view(&[1]) } else { Ok(tensor.clone()) }
}

/// PyTorch's `index_add` where a target says: adds places of another tensor, times a number, to the places along a dimension that a row of indices names.
pub(super) fn index_add(
    to: Target<'_>,
    input: &RawTensor,
    dim: isize,
    index: &RawTensor,
    source: &RawTensor,
    alpha: Scalar,
) -> Result<RawTensor> {
    let ([tensor, index, source], place) = rows_at("index_add_", input, dim, index, source)?;
    let mut along = vec![1; source.rank()];
    along[place] = -1;
    let indices = index.view(&along)?.expand(&signed(source.sizes()))?;
    let scaled = match alpha {
        Scalar::Int(1) | Scalar::Bool(true) => source,
        alpha if tensor.dtype() == DType::Bool => binary(Op::Mul, &source.into(), Scalar::Bool(alpha.to_f64() != 0.0)).tensor()?,
        alpha if tensor.dtype().is_integral() => binary(Op::Mul, &source.into(), Scalar::Int(alpha.to_f64() as i64)).tensor()?,
        alpha => binary(Op::Mul, &source.into(), alpha).tensor()?,
    };
    let into = match to {
        Target::InPlace(_) => Target::InPlace(&tensor),
        to => to.offer().beside([&tensor, &index, &scaled]),
    };
    let how = (ScatterReduce::Sum, IncludeSelf::Yes);
    let sum = indexing::scatter(&tensor, place.cast_signed(), &indices, (&scaled).into(), how, into)?;
    if input.rank() == 0 { sum.view(&[]) } else { Ok(sum) }
}

/// A tensor, a row of indices and another tensor with a place for each of them along a dimension, none of them without dimensions; and which
/// dimension it is. The checks are those of a call, in PyTorch's order.
pub(super) fn rows_at(call: &str, input: &RawTensor, dim: isize, index: &RawTensor, source: &RawTensor) -> Result<([RawTensor; 3], usize)> {
    let (tensor, place) = (input, wrap_dim(dim, input.rank())?);
    let name = |tensor: &RawTensor| tensor.dtype().message_name();
    if index.rank() > 1 {
        let (rank, of, sizes) = (index.rank(), name(index), index.sizes());
        return Err(Error::index(format!(
            "{call}(): Index is supposed to be a vector, but got dim: {rank} with type: {of} and size: {sizes:?}"
        )));
    }
    if !matches!(index.dtype(), DType::I32 | DType::I64) {
        return Err(Error::runtime(format!("{call}(): Expected dtype int32/int64 for index but got: {}", name(index))));
    }
    if tensor.dtype() != source.dtype() {
        return Err(Error::runtime(format!(
            "{call}(): self ({}) and source ({}) must have the same scalar type",
            name(tensor),
            name(source)
        )));
    }
    let (tensor, index, source) = (as_row(tensor)?, as_row(index)?, as_row(source)?);
    if place >= source.rank() {
        let rank = source.rank();
        return Err(Error::runtime(format!("{call}(): Indexing dim {place} is out of bounds of the source tensor with dim {rank}")));
    }
    let (named, there) = (index.numel(), source.sizes()[place]);
    if named != there {
        return Err(Error::runtime(format!(
            "{call}(): Number of indices ({named}) should be equal to source.size(dim): ({there}), for dim: {place}"
        )));
    }
    let others =
        |tensor: &RawTensor| tensor.sizes().iter().enumerate().filter(|(at, _)| *at != place).map(|(_, size)| *size).collect::<Vec<_>>();
    if others(&tensor) != others(&source) {
        return Err(Error::runtime(format!(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = {:?} source.shape = {:?}",
            tensor.sizes(),
            source.sizes()
        )));
    }
    Ok(([tensor, index, source], place))
}

/// PyTorch's `index_fill_`: a number at the places along a dimension that a row of indices names.
pub(super) fn index_fill_in_place(tensor: &RawTensor, dim: isize, index: &RawTensor, value: RawOperand<'_>) -> Result<()> {
    let number = indexing::filling("index_fill_", value, tensor)?;
    let place = wrap_dim(dim, tensor.rank())?;
    if index.dtype() != DType::I64 {
        return Err(Error::index("index_fill_(): Expected dtype int64 for index."));
    }
    if matches!(number, Scalar::Complex(_)) && !tensor.dtype().is_complex() {
        return Err(Error::runtime("index_fill_(): Converting complex Scalar to non-complex type is not supported"));
    }
    if index.rank() > 1 {
        return Err(Error::runtime("Index has to be a vector/scalar"));
    }
    let (tensor, index) = (as_row(tensor)?, as_row(index)?);
    let value = RawTensor::from_scalar(number, tensor.dtype())?.to_device(tensor.device())?;
    let mut indices = vec![None; place];
    indices.push(Some(&index));
    indexing::index_put_in_place(&tensor, &indices, &value, Accumulate::No)
}

/// PyTorch's `where` of a condition alone: the places where it is true, a tensor for each dimension.
pub(super) fn places_of(condition: &RawTensor) -> Result<Vec<RawTensor>> {
    let places = if condition.rank() == 0 { nonzero(&condition.unsqueeze(0)?, Target::New)? } else { nonzero(condition, Target::New)? };
    places.unbind(1)
}
