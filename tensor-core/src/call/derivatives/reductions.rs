//! The gradients of reductions, scans and softmax. In the functions of a reduction the gradient and the result have the reduced dimensions
//! again, with size 1, so that they broadcast against the input.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;
use smallvec::SmallVec;

use super::super::Function;
use super::super::argument::CallArgument;
use super::super::backward::Backward;
use super::super::curves::chosen;
use super::super::value::{Value, binary, unary};
use super::places::{added_at, flipped};
use super::views::{expanded, permuted, permuted_back, reshaped, unsqueezed};
use super::{missing, one, zeros};
use crate::dtype::finfo;
use crate::elementwise::Params;
use crate::error::Result;
use crate::geometry::wrap_dim;
use crate::raw::RawTensor;
use crate::raw::mode::mode;
use crate::raw::node::Gradients;
use crate::reduce::{Along, Keep};
use crate::views::signed;

/// A reduction on its way back.
pub(super) struct Over {
    /// The gradient, and what else is kept, with all dimensions.
    g: Value,
    x: Value,
    r: Value,
    dims: SmallVec<[usize; 4]>,
    /// How many elements each result is of.
    count: f64,
    parameter: Option<f64>,
    /// Whether dimensions were named, of a tensor that has some.
    by_dims: bool,
}

/// The gradient of a reduction's input.
pub(super) fn gradients(backward: &Backward<'_>, function: fn(&Over) -> Result<Option<Value>>) -> Result<Gradients> {
    let Some(CallArgument::Tensor(input)) = backward.arguments.first() else { return Err(missing("a reduction of no tensor")) };
    let Some(result) = backward.results.first() else { return Err(missing("a reduction without a result")) };
    let gradient = of(input, [backward.gradient()?, result], backward.along, function)?;
    Ok([gradient].into_iter().collect())
}

fn of(
    input: &RawTensor,
    [gradient, result]: [&RawTensor; 2],
    along: &Along,
    function: fn(&Over) -> Result<Option<Value>>,
) -> Result<Option<RawTensor>> {
    let dims = along.reduced(input.rank())?;
    let mut kept = signed(input.sizes());
    dims.iter().for_each(|&dim| kept[dim] = 1);
    // What isn't kept has no elements to look at, and isn't looked at.
    let restored = |tensor: &RawTensor| {
        let whole = tensor.rank() == 0 || tensor.rank() == kept.len() || tensor.is_meta();
        if whole { Ok(tensor.clone()) } else { reshaped(tensor, &kept) }
    };
    let x = match along.converting_to() {
        Some(dtype) if dtype != input.dtype() && !input.is_meta() => Value::from(input).cast(dtype),
        _ => Value::from(input),
    };
    let count = dims.iter().map(|&dim| input.sizes()[dim]).product::<usize>() as f64;
    let (g, r) = (restored(gradient)?.into(), restored(result)?.into());
    let over = Over { g, x, r, dims, count, parameter: along.given_parameter(), by_dims: input.rank() > 0 && along.given_dims().is_some() };
    let Some(found) = function(&over)? else { return Ok(None) };
    let found = found.tensor()?;
    if found.sizes() == input.sizes() { Ok(Some(found)) } else { expanded(&found, input.sizes()).map(Some) }
}

impl Over {
    fn along(&self) -> Along {
        let dims: SmallVec<[isize; 6]> = self.dims.iter().map(|&dim| dim.cast_signed()).collect();
        Along::dims(&dims).keep(Keep::Yes)
    }

    /// A share of the gradient where a mask is true, the same for all in it.
    fn shared(&self, mask: Value) -> Result<Value> {
        let mask = Value::Tensor(mask.tensor()?);
        let ties = mask.reduced(Reduction::Sum, &self.along())?;
        Ok(binary(Op::Div, &binary(Op::Mul, &self.g, &mask), ties))
    }

    /// The same where numbers are the result; where it is a NaN, where they are.
    fn shared_with(&self, x: &Value) -> Result<Value> {
        let nans = binary(Op::LogicalAnd, &unary(Op::Isnan, x), unary(Op::Isnan, &self.r));
        self.shared(binary(Op::LogicalOr, &binary(Op::Eq, x, &self.r), nans))
    }

    fn centred(&self) -> Result<Value> {
        let mean = self.x.reduced(Reduction::Mean, &self.along())?;
        Ok(binary(Op::Sub, &self.x, mean))
    }

    /// What a gradient of the variance is for the input.
    fn spread(&self, g: &Value) -> Result<Value> {
        let freedom = self.count - self.parameter.unwrap_or(1.0);
        // Over dimensions PyTorch has no other formula where there is no freedom.
        if freedom > 0.0 || self.by_dims {
            return Ok(binary(Op::Mul, &binary(Op::Mul, g, 2.0 / freedom), self.centred()?));
        }
        let centre = binary(Op::Eq, &self.centred()?, 0.0);
        let limit = Value::apply(Op::Where.into(), &Params::none(), &[centre, f64::NAN.into(), f64::INFINITY.into()])?;
        Ok(binary(Op::Mul, g, limit))
    }
}

/// A value where a condition doesn't hold, and zero elsewhere.
fn zero_where(condition: Value, value: Value) -> Result<Value> {
    Value::apply(Op::Where.into(), &Params::none(), &[condition, 0.0.into(), value])
}

pub(super) fn sum(over: &Over) -> Result<Option<Value>> {
    Ok(Some(over.g.clone()))
}

pub(super) fn mean(over: &Over) -> Result<Option<Value>> {
    Ok(Some(binary(Op::Div, &over.g, over.count)))
}

pub(super) fn nansum(over: &Over) -> Result<Option<Value>> {
    zero_where(unary(Op::Isnan, &over.x), over.g.clone()).map(Some)
}

pub(super) fn nanmean(over: &Over) -> Result<Option<Value>> {
    let there = unary(Op::LogicalNot, &unary(Op::Isnan, &over.x)).reduced(Reduction::Sum, &over.along())?;
    Ok(nansum(over)?.map(|sum| binary(Op::Div, &sum, there)))
}

pub(super) fn var(over: &Over) -> Result<Option<Value>> {
    over.spread(&over.g).map(Some)
}

pub(super) fn std(over: &Over) -> Result<Option<Value>> {
    let half = binary(Op::Div, &over.g, binary(Op::Mul, &over.r, 2.0));
    let half = zero_where(binary(Op::Eq, &over.r, 0.0), half)?;
    over.spread(&half).map(Some)
}

/// Elements that are the result share its gradient.
pub(super) fn extreme(over: &Over) -> Result<Option<Value>> {
    over.shared(binary(Op::Eq, &over.x, &over.r)).map(Some)
}

/// The same, and of a NaN the NaNs do.
pub(super) fn extreme_or_nan(over: &Over) -> Result<Option<Value>> {
    over.shared_with(&over.x).map(Some)
}

pub(super) fn logsumexp(over: &Over) -> Result<Option<Value>> {
    let share = unary(Op::Exp, &binary(Op::Sub, &over.x, &over.r));
    Ok(Some(binary(Op::Mul, &over.g, unary(Op::Conj, &share))))
}

pub(super) fn norm(over: &Over) -> Result<Option<Value>> {
    let order = over.parameter.unwrap_or(2.0);
    let (g, x, r) = (&over.g, &over.x, &over.r);
    let vanishes = binary(Op::Eq, r, 0.0);
    Ok(Some(match order {
        0.0 => return Ok(None),
        1.0 => binary(Op::Mul, &unary(Op::Sgn, x), g),
        2.0 => binary(Op::Mul, g, zero_where(vanishes, binary(Op::Div, x, r))?),
        f64::INFINITY | f64::NEG_INFINITY => {
            let share = over.shared_with(&unary(Op::Abs, x))?;
            binary(Op::Mul, &unary(Op::Sgn, x), share)
        }
        _ => {
            let power = |order| binary(Op::Pow, &unary(Op::Abs, x), order);
            // Of an infinite number less than the square, whose power may be none, the sign counts.
            let weighted = if order < 2.0 {
                zero_where(binary(Op::Eq, x, 0.0), binary(Op::Mul, &unary(Op::Sgn, x), power(order - 1.0)))?
            } else {
                binary(Op::Mul, x, power(order - 2.0))
            };
            let scale = zero_where(vanishes, binary(Op::Div, g, binary(Op::Pow, r, order - 1.0)))?;
            binary(Op::Mul, &weighted, scale)
        }
    }))
}

pub(super) fn prod(over: &Over) -> Result<Option<Value>> {
    let zeros = zeros_in(&over.x)?;
    if zeros == 0.0 {
        return Ok(Some(binary(Op::Mul, &over.g, unary(Op::Conj, &binary(Op::Div, &over.r, &over.x)))));
    }
    let input = over.x.tensor()?;
    if input.rank() == 0 {
        return Ok(Some(over.g.clone()));
    }
    if zeros > 1.0 && over.dims.len() == input.rank() {
        return self::zeros(&input, input.sizes()).map(|zeros| Some(zeros.into()));
    }
    let others = others(&input, &over.dims)?;
    Ok(Some(binary(Op::Mul, &over.g, unary(Op::Conj, &others.into()))))
}

fn zeros_in(x: &Value) -> Result<f64> {
    Ok(binary(Op::Eq, x, 0.0).reduced(Reduction::Sum, &Along::all())?.item()?.to_f64())
}

/// For each element the product of all others along dimensions.
pub(super) fn others(input: &RawTensor, dims: &[usize]) -> Result<RawTensor> {
    let order: Vec<usize> = (0..input.rank()).filter(|dim| !dims.contains(dim)).chain(dims.iter().copied()).collect();
    let turned = permuted(input, &order)?;
    let count = dims.iter().map(|&dim| input.sizes()[dim]).product::<usize>().cast_signed();
    let rows = reshaped(&turned, &[(input.numel().cast_signed()) / count.max(1), count])?;
    let before = before(&rows)?;
    let after = flipped(&before_of_flipped(&rows)?, &[1])?;
    let product = binary(Op::Mul, &before.into(), Value::from(after)).tensor()?;
    let back = reshaped(&product, &signed(turned.sizes()))?;
    permuted_back(&back, &signed(&order))
}

fn before_of_flipped(rows: &RawTensor) -> Result<RawTensor> {
    before(&flipped(rows, &[1])?)
}

/// For each element of a row the product of those before it.
fn before(rows: &RawTensor) -> Result<RawTensor> {
    let ones = zeros(rows, &[rows.sizes()[0], 1])?;
    ones.fill_(1.0)?;
    let rest = one(Function::Narrow, &[rows.into(), 1_isize.into(), 0_isize.into(), (rows.sizes()[1].cast_signed() - 1).into()])?;
    let shifted = one(Function::Cat, &[CallArgument::Tensors(&[&ones, &rest]), 1_isize.into()])?;
    one(Function::Cumprod, &[(&shifted).into(), 1_isize.into()])
}

/// Elements along a dimension that were picked, and their places: the gradient goes there.
pub(super) fn picked(g: &RawTensor, sizes: &[usize], dim: isize, keepdim: bool, places: &RawTensor) -> Result<RawTensor> {
    if sizes.is_empty() {
        return reshaped(g, &[]);
    }
    if keepdim {
        return added_at(g, sizes, dim, places);
    }
    added_at(&unsqueezed(g, dim)?, sizes, dim, &unsqueezed(places, dim)?)
}

/// The least and the greatest element.
pub(super) fn both_extremes(
    backward: &Backward<'_>,
    [input, least, greatest]: [&RawTensor; 3],
    dim: Option<isize>,
    keepdim: bool,
) -> Result<RawTensor> {
    let keep = if keepdim { Keep::Yes } else { Keep::No };
    let along = dim.map_or_else(Along::all, |dim| Along::dims(&[dim])).keep(keep);
    let mut sum: Option<Value> = None;
    for (gradient, result) in backward.gradients.iter().zip([least, greatest]) {
        let Some(gradient) = gradient else { continue };
        if let Some(found) = of(input, [gradient, result], &along, extreme)? {
            sum = Some(match sum {
                Some(before) => binary(Op::Add, &before, Value::from(found)),
                None => found.into(),
            });
        }
    }
    sum.ok_or_else(|| missing("a gradient is missing"))?.tensor()
}

/// Sums from each element to the end.
pub(super) fn summed_from_behind(g: &RawTensor, dim: isize) -> Result<RawTensor> {
    if g.rank() == 0 {
        return Ok(g.clone());
    }
    let summed = one(Function::Cumsum, &[(&flipped(g, &[dim])?).into(), dim.into()])?;
    flipped(&summed, &[dim])
}

/// The gradient of running products.
pub(super) fn running_product(g: &RawTensor, input: &RawTensor, result: &RawTensor, dim: isize) -> Result<RawTensor> {
    if input.numel() <= 1 || input.sizes()[wrap_dim(dim, input.rank())?] == 1 {
        return Ok(g.clone());
    }
    let x: Value = if input.dtype() == result.dtype() { input.into() } else { Value::from(input).cast(result.dtype()) };
    let x = Value::from(unary(Op::Conj, &x).tensor()?);
    let weighted = binary(Op::Mul, &g.into(), unary(Op::Conj, &result.into()));
    if zeros_in(&x)? == 0.0 {
        return binary(Op::Div, &summed_from_behind(&weighted.tensor()?, dim)?.into(), &x).tensor();
    }
    if mode().records() { step_by_step(g, &x.tensor()?, dim) } else { around_zeros(g, &x, &weighted, dim) }
}

/// The same with zeros among the elements, where the gradient has none: before the first zero as if the products ended there, at it by what
/// follows up to the next one, and nothing behind.
fn around_zeros(g: &RawTensor, x: &Value, weighted: &Value, dim: isize) -> Result<RawTensor> {
    let zero = binary(Op::Eq, x, 0.0);
    let count = Value::from(one(Function::Cumsum, &[(&zero.tensor()?).into(), dim.into()])?);
    let (before, behind) = (binary(Op::Eq, &count, 0), binary(Op::Eq, &count, 1));
    let sums = summed_from_behind(&chosen(before.clone(), weighted, 0.0).tensor()?, dim)?;
    let along = Along::dims(&[dim]).keep(Keep::Yes);
    let first = binary(Op::LogicalAnd, &zero, &behind);
    let rest = binary(Op::LogicalAnd, &behind, unary(Op::LogicalNot, &zero));
    let products = one(Function::Cumprod, &[(&chosen(rest, x, 1.0).tensor()?).into(), dim.into()])?;
    let total = chosen(behind, binary(Op::Mul, &g.into(), products), 0.0).reduced(Reduction::Sum, &along)?;
    let ahead = chosen(before.clone(), x, 1.0).reduced(Reduction::Prod, &along)?;
    let at_first = chosen(first, binary(Op::Mul, &total, ahead), 0.0);
    chosen(before, binary(Op::Div, &sums.into(), x), at_first).tensor()
}

/// The same without a division: step by step from the end.
fn step_by_step(g: &RawTensor, x: &RawTensor, dim: isize) -> Result<RawTensor> {
    let count = x.sizes()[wrap_dim(dim, x.rank())?];
    let at = |tensor: &RawTensor, place: usize| one(Function::Select, &[tensor.into(), dim.into(), place.cast_signed().into()]);
    // What the elements before each one make, and what the gradients from it on make of those after it.
    let mut gradients = Vec::with_capacity(count);
    let mut behind: Option<RawTensor> = None;
    let mut weights = Vec::with_capacity(count);
    for place in (0..count).rev() {
        let own = at(g, place)?;
        let sum = match &behind {
            Some(behind) => binary(Op::Add, &own.into(), binary(Op::Mul, &at(x, place + 1)?.into(), behind)).tensor()?,
            None => own,
        };
        weights.push(sum.clone());
        behind = Some(sum);
    }
    let mut before: Option<RawTensor> = None;
    for (place, weight) in weights.iter().rev().enumerate() {
        gradients.push(match &before {
            Some(before) => binary(Op::Mul, &weight.into(), before).tensor()?,
            None => weight.clone(),
        });
        let own = at(x, place)?;
        before = Some(match before {
            Some(before) => binary(Op::Mul, &Value::from(before), Value::from(own)).tensor()?,
            None => own,
        });
    }
    let gradients: Vec<&RawTensor> = gradients.iter().collect();
    one(Function::Stack, &[CallArgument::Tensors(&gradients), dim.into()])
}

/// A value as softmax computes: of half precision, in single.
fn widened(tensor: &RawTensor) -> Value {
    let value = Value::from(tensor);
    if matches!(tensor.dtype(), DType::F16 | DType::BF16) { value.cast(DType::F32) } else { value }
}

/// The same back again, rounded once.
fn narrowed(value: Value, to: &RawTensor) -> Value {
    if matches!(to.dtype(), DType::F16 | DType::BF16) { value.cast(to.dtype()) } else { value }
}

/// The gradient of logarithms of running sums of exponentials: positive and negative ones are summed apart, by their logarithms.
pub(super) fn of_logarithms(g: &RawTensor, input: &RawTensor, result: &RawTensor, dim: isize) -> Result<Value> {
    if g.rank() == 0 || g.numel() == 0 {
        return Ok(g.into());
    }
    let (g, x) = (Value::from(g), Value::from(input));
    let share = |logarithm: Value| -> Result<Value> {
        let scaled = flipped(&binary(Op::Sub, &logarithm, result).tensor()?, &[dim])?;
        let summed = flipped(&one(Function::Logcumsumexp, &[(&scaled).into(), dim.into()])?, &[dim])?;
        Ok(unary(Op::Exp, &binary(Op::Add, &summed.into(), &x)))
    };
    if input.dtype().is_complex() {
        return Ok(unary(Op::Conj, &share(unary(Op::Log, &unary(Op::Conj, &g)))?));
    }
    let (logarithm, least) = (unary(Op::Log, &unary(Op::Abs, &g)), finfo(input.dtype())?.min);
    let part = |sign: Op| share(chosen(binary(sign, &g, 0.0), &logarithm, least));
    Ok(binary(Op::Sub, &part(Op::Gt)?, part(Op::Lt)?))
}

/// The gradient of a softmax.
pub(crate) fn share(g: &RawTensor, result: &RawTensor, dim: isize) -> Result<Value> {
    let (gradient, r) = (widened(g), widened(result));
    let along = Along::dims(&[dim]).keep(Keep::Yes);
    let total = binary(Op::Mul, &gradient, &r).reduced(Reduction::Sum, &along)?;
    Ok(narrowed(binary(Op::Mul, &r, binary(Op::Sub, &gradient, total)), g))
}

/// The gradient of its logarithm.
pub(crate) fn log_share(g: &RawTensor, result: &RawTensor, dim: isize) -> Result<Value> {
    let (gradient, r) = (widened(g), widened(result));
    let total = gradient.reduced(Reduction::Sum, &Along::dims(&[dim]).keep(Keep::Yes))?;
    Ok(narrowed(binary(Op::Sub, &gradient, binary(Op::Mul, &unary(Op::Exp, &r), total)), g))
}
