//! What the order of elements says: the k-th of them, the most frequent, quantiles, medians without NaNs; and places among numbers in order.
//! All of it is declared in terms of `sort` and other calls.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::curves::chosen;
use super::value::{Value, binary, unary};
use super::{Call, CallArgument, Function, named, one, run};
use crate::device::DeviceType;
use crate::element::unsupported;
use crate::elementwise::{self, RawOperand, Target};
use crate::error::{Error, Result};
use crate::geometry::overlap::Relation;
use crate::geometry::wrap_dim;
use crate::indexing;
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep};
use crate::scalar::Scalar;
use crate::views::signed;

/// Values, and where they are.
type Pair = (RawTensor, RawTensor);

fn sorted(input: &RawTensor, dim: isize) -> Result<Pair> {
    sorted_to(Target::New, input, dim)
}

/// The same as the last of several calls, whose values the target takes.
fn sorted_to(to: Target<'_>, input: &RawTensor, dim: isize) -> Result<Pair> {
    run(Call::row(Function::Sort, &[input.into(), dim.into()], to.destination()))?.pair()
}

/// PyTorch's `msort`: in order along the first dimension.
pub(super) fn msort(to: Target<'_>, input: &RawTensor) -> Result<RawTensor> {
    sorted_to(to, input, 0).map(|(values, _)| values)
}

/// The place of a dimension that has elements.
fn along(name: &str, input: &RawTensor, dim: isize) -> Result<usize> {
    let place = wrap_dim(dim, input.rank())?;
    match input.sizes().get(place) {
        Some(0) => Err(Error::index(format!("{name}(): Expected reduction dim {place} to have non-zero size."))),
        _ => Ok(place),
    }
}

/// Two outputs that are offered to what makes parts of two tensors, where either both fit or none does: else one would be written before what is
/// wrong with the other is seen.
fn together<'t>([first, second]: [Target<'t>; 2], (values, places): &Pair) -> [Target<'t>; 2] {
    let fit = |one: &RawTensor, other: &RawTensor| {
        (one.dtype(), other.dtype()) == (values.dtype(), places.dtype())
            && one.geometry().sizes == other.geometry().sizes
            && one.geometry().strides == other.geometry().strides
            && one.device() == other.device()
            && one.relation_to(other) == Relation::Disjoint
    };
    match (first.tensor(), second.tensor()) {
        (Some(one), Some(other)) if fit(one, other) => [first, second],
        _ => [Target::New; 2],
    }
}

/// One place along a dimension of two tensors, which stays where it is kept.
fn at(to: [Target<'_>; 2], pair: &Pair, place: usize, index: isize, keep: Keep) -> Result<Pair> {
    let to = together(to, pair);
    let part = |to: Target<'_>, tensor: &RawTensor| {
        if tensor.rank() == 0 {
            return Ok(tensor.clone());
        }
        let dim = CallArgument::Int(place.cast_signed());
        // A copy, which doesn't hold all the others.
        let part = match keep {
            Keep::Yes => one(Function::Narrow, &[tensor.into(), dim, index.into(), 1.into()])?,
            Keep::No => one(Function::Select, &[tensor.into(), dim, index.into()])?,
        };
        to.last(Function::Clone, &[(&part).into()])
    };
    Ok((part(to[0], &pair.0)?, part(to[1], &pair.1)?))
}

/// PyTorch's `kthvalue`: the k-th smallest.
pub(super) fn kthvalue(to: [Target<'_>; 2], input: &RawTensor, k: isize, dim: isize, keep: Keep) -> Result<Pair> {
    let place = along("kthvalue", input, dim)?;
    let size = input.sizes().get(place).copied().unwrap_or(1);
    if !(1..=size.cast_signed()).contains(&k) {
        return Err(Error::runtime(format!("kthvalue(): selected number k out of range for dimension {place}")));
    }
    if !input.dtype().is_computing() || input.dtype() == DType::Bool || input.dtype().is_complex() {
        return Err(unsupported("kthvalue_cpu", input.dtype()));
    }
    if input.rank() == 0 {
        return sorted(input, dim);
    }
    let first = [input.into(), k.into(), dim.into(), CallArgument::Flag(false)];
    at(to, &run(Call::new(Function::Topk, &first))?.pair()?, place, k - 1, keep)
}

/// PyTorch's `mode`: the most frequent, of several the smallest.
pub(super) fn mode(to: [Target<'_>; 2], input: &RawTensor, dim: isize, keep: Keep) -> Result<Pair> {
    let place = along("mode", input, dim)?;
    if input.dtype().is_complex() {
        return Err(unsupported("mode_cpu", input.dtype()));
    }
    let (values, places) = sorted(input, dim)?;
    if input.rank() == 0 || input.numel() == 0 {
        return at(to, &(values, places), place, 0, keep);
    }
    let (size, dim) = (input.sizes()[place].cast_signed(), CallArgument::Int(place.cast_signed()));
    let part = |start: isize| Value::from(&values).then(Function::Narrow, &[dim, start.into(), (size - 1).into()]);
    let new = binary(Op::Ne, &part(1)?, part(0)?).tensor()?;
    // How far each one is behind the first of its equals.
    let first = Value::from(&values).then(Function::Narrow, &[dim, 0.into(), 1.into()])?;
    let first = one(Function::OnesLike, &[(&first.tensor()?).into(), DType::Bool.into()])?;
    let new = one(Function::Cat, &[CallArgument::Tensors(&[&first, &new]), dim])?;
    let ones = one(Function::OnesLike, &[(&new).into(), DType::I64.into()])?;
    let numbers = Value::from(one(Function::Cumsum, &[(&ones).into(), dim])?);
    let starts = chosen(new.into(), &numbers, 0).tensor()?;
    let starts = run(Call::new(Function::Cummax, &[(&starts).into(), dim]))?.pair()?.0;
    let behind = binary(Op::Sub, &numbers, starts);
    let found = behind.reduced(Reduction::Argmax, &Along::dims(&[place.cast_signed()]).keep(Keep::Yes))?.tensor()?;
    let picked = |tensor: &RawTensor| one(Function::Gather, &[tensor.into(), dim, (&found).into()]);
    at(to, &(picked(&values)?, picked(&places)?), place, 0, keep)
}

/// PyTorch's `nanmedian` along a dimension: of the numbers that aren't NaN, the lower one in the middle.
pub(super) fn nanmedian_along(to: [Target<'_>; 2], input: &RawTensor, dim: isize, keep: Keep) -> Result<Pair> {
    let place = along("median", input, dim)?;
    if input.dtype().is_complex() || input.dtype() == DType::Bool {
        return Err(unsupported("median_cpu", input.dtype()));
    }
    let (values, places) = sorted(input, dim)?;
    if input.rank() == 0 || input.numel() == 0 {
        return at(to, &(values, places), place, 0, keep);
    }
    let numbers = unary(Op::LogicalNot, &unary(Op::Isnan, &input.into()));
    let count = numbers.reduced(Reduction::Sum, &Along::dims(&[place.cast_signed()]).keep(Keep::Yes))?;
    let middle = binary(Op::DivFloor, &binary(Op::ClampMin, &binary(Op::Sub, &count, 1), 0), 2).tensor()?;
    let picked = |tensor: &RawTensor| one(Function::Gather, &[tensor.into(), place.cast_signed().into(), (&middle).into()]);
    at(to, &(picked(&values)?, picked(&places)?), place, 0, keep)
}

/// The same of all elements.
pub(super) fn nanmedian(input: &RawTensor) -> Result<RawTensor> {
    if input.numel() == 0 {
        return Value::from(input).reduced(Reduction::Median, &Along::all())?.tensor();
    }
    let flat = one(Function::Reshape, &[input.into(), CallArgument::Ints(&[-1])])?;
    nanmedian_along([Target::New; 2], &flat, 0, Keep::No).map(|(value, _)| value)
}

/// Both in outputs.
pub(super) fn both([first, second]: [Target<'_>; 2], (values, places): Pair) -> Result<Pair> {
    crate::outputs::check_dtype(first, values.dtype())?;
    crate::outputs::check_dtype(second, places.dtype())?;
    // All checks of both come before one is written.
    for (target, result) in [(first, &values), (second, &places)] {
        if !target.is_new() {
            target.output(result.sizes(), result.strides(), result.dtype(), result)?;
        }
    }
    Ok((first.take(values)?, second.take(places)?))
}

/// How a quantile lies between two elements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Between {
    Linear,
    Lower,
    Higher,
    Midpoint,
    Nearest,
}

/// What a quantile is asked for.
#[derive(Clone, Copy)]
pub(super) struct Quantile<'a> {
    pub(super) ignores_nans: bool,
    pub(super) dim: Option<isize>,
    pub(super) keep: Keep,
    pub(super) interpolation: &'a str,
}

impl Quantile<'_> {
    fn between(&self) -> Result<Between> {
        Ok(match self.interpolation {
            "linear" => Between::Linear,
            "lower" => Between::Lower,
            "higher" => Between::Higher,
            "midpoint" => Between::Midpoint,
            "nearest" => Between::Nearest,
            other => {
                return Err(Self::refused(&format!(
                    "interpolation must be one of linear, lower, higher, midpoint or nearest, but got {other}"
                )));
            }
        })
    }

    /// PyTorch has one text for both.
    fn refused(what: &str) -> Error {
        Error::runtime(format!("quantile() {what}"))
    }

    /// PyTorch's `quantile` and `nanquantile` of one share.
    pub(super) fn of_number(self, to: Target<'_>, input: &RawTensor, q: f64) -> Result<RawTensor> {
        if !(0.0..=1.0).contains(&q) {
            return Err(Self::refused(&format!("q must be in the range [0, 1] but got {q}")));
        }
        let share = RawTensor::from_scalar(Scalar::Float(q), input.dtype())?.to_device(input.device())?;
        self.of(to, input, &share)
    }

    /// The same of several.
    pub(super) fn of(self, to: Target<'_>, input: &RawTensor, q: &RawTensor) -> Result<RawTensor> {
        if input.numel() == 0 {
            return Err(Self::refused("input tensor must be non-empty"));
        }
        if q.rank() > 1 {
            return Err(Self::refused("q must be a scalar or 1D tensor"));
        }
        if !matches!(input.dtype(), DType::F32 | DType::F64) {
            return Err(Self::refused("input tensor must be either float or double dtype"));
        }
        if q.dtype() != input.dtype() {
            return Err(Self::refused("q tensor must be same dtype as the input tensor"));
        }
        let between = self.between()?;
        if to.tensor().is_some_and(|out| out.dtype() != input.dtype()) {
            return Err(Self::refused("out tensor must be same dtype as the input tensor"));
        }
        let inside = binary(Op::LogicalAnd, &binary(Op::Ge, &q.into(), 0), binary(Op::Le, &q.into(), 1));
        if !inside.everywhere()? {
            return Err(Self::refused("q values must be in the range [0, 1]"));
        }
        to.take(self.computed(to, input, q, between)?)
    }

    fn computed(&self, to: Target<'_>, input: &RawTensor, q: &RawTensor, between: Between) -> Result<RawTensor> {
        let place = self.dim.map(|dim| wrap_dim(dim, input.rank())).transpose()?;
        // Rows that are looked at, in the last dimension.
        let rows = match place {
            Some(place) if input.rank() > 0 => {
                let behind = one(Function::Unsqueeze, &[input.into(), CallArgument::Int(-1)])?;
                one(Function::Transpose, &[(&behind).into(), place.cast_signed().into(), CallArgument::Int(-1)])?
            }
            _ => one(Function::Reshape, &[input.into(), CallArgument::Ints(&[-1])])?,
        };
        let rows = sorted(&rows, -1)?.0;
        let outer: Vec<isize> = match (place, self.keep) {
            (None, Keep::Yes) => vec![1; input.rank()],
            (None, Keep::No) => Vec::new(),
            (Some(place), keep) => {
                let sizes = signed(input.sizes()).into_iter().enumerate();
                sizes.filter(|&(at, _)| keep == Keep::Yes || at != place).map(|(at, size)| if at == place { 1 } else { size }).collect()
            }
        };
        let count = if q.rank() == 0 { Vec::new() } else { vec![q.numel().cast_signed()] };
        let sizes = [count, outer].concat();
        // One place for each share at the end, which lies there as in the result where there is one share; the dimension is there with size 1,
        // where it was given.
        let whole: Vec<usize> = sizes.iter().map(|size| size.unsigned_abs()).collect();
        let (_, before) = rows.sizes().split_last().ok_or_else(|| Error::runtime("rows have a dimension"))?;
        let room = to.seen_as(&whole, |out| out.view(&signed(&[before, &[q.numel()]].concat())));
        let found = Value::from(self.picked(Target::offering(room.as_ref()), &rows, q, between)?);
        let shares = found.then(Function::Movedim, &[CallArgument::Ints(&[-1]), CallArgument::Ints(&[0])])?;
        shares.then(Function::Reshape, &[CallArgument::Ints(&sizes)])?.tensor()
    }

    /// The quantiles of sorted rows, a place for each share.
    fn picked(&self, to: Target<'_>, rows: &RawTensor, q: &RawTensor, between: Between) -> Result<RawTensor> {
        let size = rows.sizes()[rows.rank() - 1];
        let q = Value::from(one(Function::Reshape, &[q.into(), CallArgument::Ints(&[-1])])?);
        let rank = if self.ignores_nans {
            let numbers = unary(Op::LogicalNot, &unary(Op::Isnan, &rows.into()));
            let count = numbers.reduced(Reduction::Sum, &Along::dims(&[-1]).keep(Keep::Yes))?;
            binary(Op::ClampMin, &binary(Op::Mul, &q, binary(Op::Sub, &count, 1)), 0)
        } else {
            let last = Scalar::Int(size as i64 - 1);
            let end = Value::from(rows).then(Function::Narrow, &[CallArgument::Int(-1), (size.cast_signed() - 1).into(), 1.into()])?;
            chosen(unary(Op::Isnan, &end), Value::from(last), binary(Op::Mul, &q, last))
        };
        let rank = match between {
            Between::Lower => unary(Op::Floor, &rank),
            Between::Higher => unary(Op::Ceil, &rank),
            Between::Nearest => unary(Op::Round, &rank),
            Between::Linear | Between::Midpoint => rank,
        };
        let rank = Value::from(rank.tensor()?);
        let gathered = |to: Target<'_>, place: Value| {
            let place = place.cast(DType::I64).tensor()?;
            to.last(Function::Gather, &[rows.into(), CallArgument::Int(-1), (&place).into()])
        };
        if !matches!(between, Between::Linear | Between::Midpoint) {
            return gathered(to, unary(Op::Floor, &rank));
        }
        let (below, above) = (gathered(Target::New, unary(Op::Floor, &rank))?, gathered(Target::New, unary(Op::Ceil, &rank))?);
        let weight = if between == Between::Midpoint { Value::from(0.5) } else { binary(Op::Sub, &rank, unary(Op::Floor, &rank)) };
        let weight = match weight {
            Value::Number(number) => Value::from(one(Function::FullLike, &[(&below).into(), number.into()])?),
            weight => Value::from(weight.cast(below.dtype()).tensor()?),
        };
        let operands = [Value::from(below), Value::from(above), weight];
        Value::waiting(crate::program::Action::Apply(Op::Lerp.into(), elementwise::Params::none()), operands).tensor_to(to)
    }
}

/// Which end of equal numbers is meant.
#[derive(Clone, Copy)]
pub(super) struct SearchSide<'a> {
    pub(super) right: bool,
    pub(super) side: Option<&'a str>,
    pub(super) as_i32: bool,
}

impl SearchSide<'_> {
    fn check(&self, to: Target<'_>) -> Result<bool> {
        let refused = |text: String| Err(Error::runtime(format!("torch.searchsorted(): {text}")));
        match self.side {
            Some(other) if other != "left" && other != "right" => {
                return refused(format!("side can only be 'left' or 'right' but got {other}"));
            }
            Some("left") if self.right => {
                return refused("side and right can't be set to opposites, got side of left while right was True".to_owned());
            }
            _ => {}
        }
        if let Some(out) = to.tensor().filter(|out| out.dtype() != self.dtype()) {
            let (found, flag) = (named(out), if self.as_i32 { "True" } else { "False" });
            return refused(format!(
                "output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on whether out_int32 flag is True, but \
                 we got output tensor's dtype {found} and out_int32 flag is {flag}"
            ));
        }
        Ok(self.right || self.side == Some("right"))
    }

    fn dtype(&self) -> DType {
        if self.as_i32 { DType::I32 } else { DType::I64 }
    }
}

/// PyTorch's `searchsorted`: how many of the numbers in order come before others.
pub(super) fn searchsorted(
    to: Target<'_>,
    bounds: &RawTensor,
    values: RawOperand<'_>,
    side: SearchSide<'_>,
    sorter: Option<&RawTensor>,
) -> Result<RawTensor> {
    let right = side.check(to)?;
    let refused = |text: String| Err(Error::runtime(format!("torch.searchsorted(): {text}")));
    let number;
    let values = match values {
        RawOperand::Tensor(tensor) => tensor,
        RawOperand::Scalar(scalar) => {
            number = RawTensor::from_scalar(scalar, scalar.dtype(crate::dtype::promotion_default()))?.to_device(bounds.device())?;
            &number
        }
    };
    if let Some(sorter) = sorter {
        check_sorter(bounds, sorter)?;
    }
    if values.rank() == 0 && bounds.rank() != 1 {
        let rank = bounds.rank();
        return refused(format!(
            "input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries tensor dim({rank}) and input \
             value's dim(0) numel(1)"
        ));
    }
    if bounds.rank() == 0 {
        return refused("boundaries tensor should have positive dimension, but got 0 dimension".to_owned());
    }
    let outer = |tensor: &RawTensor| tensor.sizes().split_last().map_or_else(Vec::new, |(_, outer)| outer.to_vec());
    if bounds.rank() != 1 && (bounds.rank() != values.rank() || outer(bounds) != outer(values)) {
        let (own, there) = (bounds.sizes(), values.sizes());
        return refused(format!(
            "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value tensor must match, but \
             we got boundaries tensor {own:?} and input value tensor {there:?}"
        ));
    }
    if [bounds, values].iter().all(|tensor| tensor.dtype() == DType::Bool) && values.numel() > 0 {
        return Err(unsupported("searchsorted_out_cpu", DType::Bool));
    }
    if bounds.dtype().is_complex() || values.dtype().is_complex() {
        let found = if bounds.dtype().is_complex() { bounds } else { values };
        return Err(unsupported("searchsorted_out_cpu", found.dtype()));
    }
    // Numbers in the order of their places.
    let in_order = |sorter: &RawTensor| one(Function::Gather, &[bounds.into(), CallArgument::Int(-1), sorter.into()]);
    let ordered = sorter.map(in_order).transpose()?;
    let bounds = ordered.as_ref().unwrap_or(bounds);
    to.take(Value::from(found(bounds, values, right)?).cast(side.dtype()).tensor_to(to)?)
}

/// That places are those of numbers.
fn check_sorter(bounds: &RawTensor, sorter: &RawTensor) -> Result<()> {
    let refused = |text: String| Err(Error::runtime(format!("torch.searchsorted(): {text}")));
    if sorter.sizes() != bounds.sizes() {
        let (own, there) = (bounds.sizes(), sorter.sizes());
        return refused(format!(
            "boundary and sorter must have the same size, but got boundary tensor {own:?}and got sorter tensor {there:?}"
        ));
    }
    if sorter.dtype() != DType::I64 {
        return refused(format!("sorter must be a tensor of long dtype but got dtype {}", named(sorter)));
    }
    if sorter.numel() > 0 && !sorter.is_meta() {
        let extreme = |reduction| Ok::<_, Error>(Value::from(sorter).reduced(reduction, &Along::all())?.item()?.to_f64());
        let size = bounds.sizes().last().copied().unwrap_or(1) as f64;
        if extreme(Reduction::Min)? < 0.0 || extreme(Reduction::Max)? >= size {
            return refused("sorter index out of range".to_owned());
        }
    }
    Ok(())
}

/// By halves: how many numbers of each row come before others. A NaN comes after all of them. On the host it is one loop, elsewhere a few operations.
pub(super) fn found(bounds: &RawTensor, values: &RawTensor, right: bool) -> Result<RawTensor> {
    let here = |tensor: &RawTensor| tensor.device().kind() == DeviceType::Cpu && DType::COMPUTING.contains(&tensor.dtype());
    if here(bounds) && here(values) && bounds.numel() < indexing::TOO_MANY_BOUNDS {
        return indexing::count_before(bounds, values, right);
    }
    let size = bounds.sizes().last().copied().unwrap_or(1);
    let mut place = Value::from(one(Function::ZerosLike, &[values.into(), DType::I64.into()])?);
    let mut step = (size + 1).next_power_of_two() / 2;
    let op = if right { Op::Gt } else { Op::Ge };
    while step > 0 && size > 0 {
        let last = binary(Op::Add, &place, Scalar::Int(step as i64 - 1));
        let there = binary(Op::ClampMax, &last, Scalar::Int(size as i64 - 1)).tensor()?;
        let bound = if bounds.rank() == 1 {
            one(Function::Take, &[bounds.into(), (&there).into()])?
        } else {
            one(Function::Gather, &[bounds.into(), CallArgument::Int(-1), (&there).into()])?
        };
        let before = unary(Op::LogicalNot, &binary(op, &bound.into(), values));
        let further = binary(Op::LogicalAnd, &binary(Op::Lt, &last, Scalar::Int(size as i64)), before);
        place = Value::from(chosen(further, binary(Op::Add, &place, Scalar::Int(step as i64)), &place).tensor()?);
        step /= 2;
    }
    place.tensor()
}

/// PyTorch's `bucketize`.
pub(super) fn bucketize(to: Target<'_>, values: RawOperand<'_>, bounds: &RawTensor, right: bool, as_i32: bool) -> Result<RawTensor> {
    if bounds.rank() != 1 {
        return Err(Error::runtime(format!("boundaries tensor must be 1 dimension, but got dim({})", bounds.rank())));
    }
    searchsorted(to, bounds, values, SearchSide { right, side: None, as_i32 }, None)
}

/// PyTorch's `isin`: whether each element is among others.
pub(super) fn isin(to: Target<'_>, elements: RawOperand<'_>, others: RawOperand<'_>, invert: bool) -> Result<RawTensor> {
    for operand in [elements, others] {
        if let RawOperand::Tensor(tensor) = operand
            && (tensor.dtype().is_complex() || tensor.dtype() == DType::Bool)
        {
            let found = named(tensor);
            return Err(Error::not_implemented(format!("Unsupported input type encountered for isin(): {found}")));
        }
    }
    let equal = |one: RawOperand<'_>, other: RawOperand<'_>| {
        let value = |operand: RawOperand<'_>| match operand {
            RawOperand::Tensor(tensor) => Value::from(tensor),
            RawOperand::Scalar(number) => Value::from(number),
        };
        binary(if invert { Op::Ne } else { Op::Eq }, &value(one), value(other))
    };
    let (RawOperand::Tensor(there), RawOperand::Tensor(own)) = (others, elements) else {
        let same = equal(elements, others);
        let result = match (elements, others) {
            (RawOperand::Scalar(_), _) => same.reduced(if invert { Reduction::All } else { Reduction::Any }, &Along::all())?,
            _ => same,
        };
        return to.take(result.tensor_to(to)?);
    };
    let flat = one(Function::Reshape, &[there.into(), CallArgument::Ints(&[-1])])?;
    if flat.numel() == 0 {
        let none = [own.into(), Scalar::Bool(invert).into(), DType::Bool.into()];
        return to.take(one(Function::FullLike, &none)?);
    }
    let ordered = sorted(&flat, 0)?.0;
    let place = binary(Op::ClampMax, &found(&ordered, own, false)?.into(), Scalar::Int(flat.numel() as i64 - 1)).tensor()?;
    let nearest = one(Function::Take, &[(&ordered).into(), (&place).into()])?;
    to.take(equal(own.into(), (&nearest).into()).tensor_to(to)?)
}
