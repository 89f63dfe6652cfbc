//! Histograms, running sums of exponentials, and norms that are held down: declared in terms of other calls.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::curves::chosen;
use super::value::{Value, binary, unary};
use super::{CallArgument, Function, one};
use crate::convert::rounded_to;
use crate::create::Options;
use crate::dtype::cpp_name;
use crate::element::{check_float, unsupported};
use crate::elementwise::{self, Target};
use crate::error::{Error, Result};
use crate::geometry::broadcast::broadcast_shapes;
use crate::geometry::wrap_dim;
use crate::outputs::check_dtype_as;
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep, scan};
use crate::scalar::Scalar;

/// A range as it is printed, a NaN in small letters.
fn printed_range(low: f64, high: f64) -> String {
    format!("[{low}, {high}]").to_lowercase()
}

/// PyTorch's `histc`: how many elements lie in each of so many parts of a range.
fn histc(input: &RawTensor, bins: isize, low: f64, high: f64) -> Result<RawTensor> {
    let Some(count) = usize::try_from(bins).ok().filter(|&count| count > 0) else {
        return Err(Error::runtime(format!("torch.histogram(): bins must be > 0, but got {bins} for dimension 0")));
    };
    let dtype = input.dtype();
    let (mut low, mut high) = (low, high);
    if low == high && input.numel() > 0 {
        if dtype.is_complex() {
            return Err(Error::type_error(format!("aminmax not implemented for {}", dtype.message_name())));
        }
        let extreme = |reduction| Ok::<_, Error>(Value::from(input).reduced(reduction, &Along::all())?.item()?.to_f64());
        (low, high) = (extreme(Reduction::Min)?, extreme(Reduction::Max)?);
    }
    if low == high {
        (low, high) = (low - 1.0, high + 1.0);
    }
    if !low.is_finite() || !high.is_finite() {
        return Err(Error::runtime(format!("torch.histc: range of {} is not finite", printed_range(low, high))));
    }
    if low > high {
        return Err(Error::runtime("torch.histc: max must be larger than min"));
    }
    check_float("histogram_cpu", dtype)?;
    // Bounds are numbers of the dtype.
    let own = |number: f64| Ok::<_, Error>(RawTensor::from_scalar(Scalar::Float(number), dtype)?.item()?.to_f64());
    let (low, high) = (own(low)?, own(high)?);
    let flat = Value::from(one(Function::Reshape, &[input.into(), CallArgument::Ints(&[-1])])?);
    let inside = binary(Op::LogicalAnd, &binary(Op::Ge, &flat, low), binary(Op::Le, &flat, high)).tensor()?;
    // Each step is rounded to the dtype, and so are its numbers.
    let parts = binary(Op::Mul, &binary(Op::Sub, &flat, low), own(count as f64)?);
    let place = unary(Op::Floor, &binary(Op::Div, &parts, own(high - low)?));
    let last = Scalar::Int(count as i64 - 1);
    // What lies outside counts nowhere; it is put to the first part as nothing.
    let place = binary(Op::ClampMin, &binary(Op::ClampMax, &place, last), 0);
    let place = chosen(inside.clone().into(), place, 0.0).cast(DType::I64).tensor()?;
    let options = Options { dtype: Some(DType::F64), device: Some(input.device()), format: None };
    let counts = RawTensor::zeros(&[count], &options)?;
    let ones = Value::from(inside).cast(DType::F64).tensor()?;
    let counts = one(Function::ScatterAdd, &[(&counts).into(), 0.into(), (&place).into(), (&ones).into()])?;
    Value::from(counts).cast(dtype).tensor()
}

/// The same where a target says.
pub(super) fn histc_to(to: Target<'_>, input: &RawTensor, bins: isize, [low, high]: [f64; 2]) -> Result<RawTensor> {
    let counts = histc(input, bins, low, high)?;
    match to.tensor().filter(|out| out.dtype() != counts.dtype()) {
        Some(out) => {
            let (own, found) = (cpp_name(counts.dtype()), cpp_name(out.dtype()));
            Err(Error::runtime(format!(
                "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {own} and hist {found}"
            )))
        }
        None => to.take(counts),
    }
}

/// A number of steps that isn't negative.
pub(super) fn steps_of(steps: isize) -> Result<usize> {
    usize::try_from(steps).map_err(|_| Error::runtime("number of steps must be non-negative"))
}

/// The edges of the parts that a histogram counts in, along each coordinate of its points.
#[derive(Clone, Copy)]
pub(super) enum Edges<'a> {
    Given(&'a [&'a RawTensor]),
    Even(&'a [isize], Option<&'a [f64]>),
}

/// An error of histograms in any number of dimensions.
fn refused<T>(text: impl std::fmt::Display) -> Result<T> {
    Err(Error::runtime(format!("torch.histogramdd: {text}")))
}

impl Edges<'_> {
    /// The edges along each coordinate of the points, which are the rows of a matrix.
    fn of(self, points: &RawTensor) -> Result<Vec<RawTensor>> {
        let count = points.sizes()[1];
        match self {
            Self::Given(edges) if edges.len() != count => {
                let given = edges.len();
                refused(format!("expected {count} sequences of bin edges for a {count}-dimensional histogram but got {given}"))
            }
            Self::Given(edges) => edges.iter().map(|edges| one(Function::Clone, &[(*edges).into()])).collect(),
            Self::Even(bins, _) if bins.len() != count => {
                Err(Error::runtime("histogramdd: The size of bins must be equal to the innermost dimension of the input."))
            }
            Self::Even(bins, range) => {
                if let Some(given) = range.map(<[f64]>::len).filter(|&given| given != 2 * count) {
                    let elements = 2 * count;
                    return refused(format!("for a {count}-dimensional histogram range should have {elements} elements, but got {given}"));
                }
                let range = |dim: usize| range.map(|range| [range[2 * dim], range[2 * dim + 1]]);
                let ends = (0..count).map(|dim| outermost(points, dim, range(dim))).collect::<Result<Vec<_>>>()?;
                let options = Options { dtype: Some(points.dtype()), device: Some(points.device()), format: None };
                let along =
                    |(&bins, [low, high]): (&isize, [f64; 2])| RawTensor::linspace(low, high, steps_of(bins.saturating_add(1))?, &options);
                bins.iter().zip(ends).map(along).collect()
            }
        }
    }
}

/// That there are edges along one coordinate, in a row and of the points' dtype.
fn check_edges(edges: &RawTensor, dim: usize, dtype: DType) -> Result<()> {
    if edges.dtype() != dtype {
        let (own, there) = (cpp_name(dtype), cpp_name(edges.dtype()));
        return refused(format!(
            "input tensor and bins tensors should have the same dtype, but got input with dtype {own} and bins for dimension {dim} with dtype {there}"
        ));
    }
    if edges.rank() != 1 {
        let rank = edges.rank();
        return refused(format!("bins tensor should have one dimension, but got {rank} dimensions in the bins tensor for dimension {dim}"));
    }
    if edges.numel() == 0 {
        return refused(format!("bins tensor should have at least 1 element, but got 0 elements in the bins tensor for dimension {dim}"));
    }
    Ok(())
}

/// That there are parts along one coordinate.
fn check_bins(bins: isize, dim: usize) -> Result<usize> {
    usize::try_from(bins)
        .ok()
        .filter(|&bins| bins > 0)
        .ok_or_else(|| Error::runtime(format!("torch.histogram(): bins must be > 0, but got {bins} for dimension {dim}")))
}

/// The first edge and the last along one coordinate, where parts are of one length: a range, or the least number and the largest.
fn outermost(points: &RawTensor, dim: usize, range: Option<[f64; 2]>) -> Result<[f64; 2]> {
    let column = one(Function::Select, &[points.into(), 1.into(), dim.cast_signed().into()])?;
    let extreme = |reduction| Ok::<_, Error>(Value::from(&column).reduced(reduction, &Along::all())?.item()?.to_f64());
    let [low, high] = match range {
        Some(range) => range,
        None if column.numel() == 0 => [0.0, 1.0],
        None => [extreme(Reduction::Min)?, extreme(Reduction::Max)?],
    };
    if !low.is_finite() || !high.is_finite() {
        return refused(format!("dimension {dim}'s range {} is not finite", printed_range(low, high)));
    }
    if low > high {
        return refused(format!("min should not exceed max, but got min {low} max {high} for dimension {dim}"));
    }
    let half = if low == high { 0.5 } else { 0.0 };
    Ok([low - half, high + half])
}

/// PyTorch's `histogramdd`: how many points, or how much weight, lies between edges along each of their coordinates; and these.
pub(super) fn histogramdd(input: &RawTensor, edges: Edges<'_>, weight: Option<&RawTensor>, density: bool) -> Result<Vec<RawTensor>> {
    let Some((&coordinates, points)) = input.sizes().split_last().filter(|_| input.rank() > 1) else {
        return refused("input tensor should have at least 2 dimensions");
    };
    let dtype = input.dtype();
    let check_dtype = || if matches!(dtype, DType::F32 | DType::F64) { Ok(()) } else { Err(unsupported("histogramdd", dtype)) };
    if matches!(edges, Edges::Even(..)) {
        check_dtype()?;
    }
    let reshaped = |tensor: &RawTensor, sizes: &[isize]| one(Function::Reshape, &[tensor.into(), CallArgument::Ints(sizes)]);
    let count: usize = points.iter().product();
    let input_sizes = input.sizes();
    let input = reshaped(input, &[count.cast_signed(), coordinates.cast_signed()])?;
    let edges = edges.of(&input)?;
    edges.iter().enumerate().try_for_each(|(dim, edges)| check_edges(edges, dim, dtype))?;
    if let Some(weight) = weight.filter(|weight| weight.sizes() != points) {
        return refused(format!(
            "if weight tensor is provided it should have the same shape as the input tensor excluding its innermost \
             dimension, but got input with shape {input_sizes:?} and weight with shape {:?}",
            weight.sizes()
        ));
    }
    if let Some(weight) = weight.filter(|weight| weight.dtype() != dtype) {
        let (own, there) = (cpp_name(dtype), cpp_name(weight.dtype()));
        return refused(format!(
            "if weight tensor is provided, input tensor and weight tensor should have the same dtype, but got input({own}), \
             and weight({there})"
        ));
    }
    check_dtype()?;
    let part = |edges: &RawTensor, start: usize, length: usize| {
        one(Function::Narrow, &[edges.into(), 0.into(), start.cast_signed().into(), length.cast_signed().into()])
    };
    let bins: Vec<usize> =
        edges.iter().enumerate().map(|(dim, edges)| check_bins(edges.numel().cast_signed() - 1, dim)).collect::<Result<_>>()?;
    let options = Options { dtype: Some(dtype), device: Some(input.device()), format: None };
    let mut counts = RawTensor::zeros(&bins, &options)?;
    if counts.numel() > 0 {
        let truth = |truth: bool, dtype| RawTensor::full(&[count], Scalar::from(truth), &Options { dtype: Some(dtype), ..options });
        let (mut inside, mut cell) = (Value::from(truth(true, DType::Bool)?), Value::from(truth(false, DType::I64)?));
        for (dim, (edges, &bins)) in edges.iter().zip(&bins).enumerate() {
            let column = one(Function::Select, &[(&input).into(), 1.into(), dim.cast_signed().into()])?;
            let column = one(Function::Contiguous, &[(&column).into()])?;
            for (op, end) in [(Op::Ge, 0), (Op::Le, bins)] {
                inside = binary(Op::LogicalAnd, &inside, binary(op, &(&column).into(), part(edges, end, 1)?));
            }
            let after = one(Function::Searchsorted, &[edges.into(), (&column).into(), false.into(), true.into()])?;
            let last = Scalar::Int(bins as i64 - 1);
            let place = binary(Op::ClampMax, &binary(Op::ClampMin, &binary(Op::Sub, &after.into(), 1), 0), last);
            cell = binary(Op::Add, &binary(Op::Mul, &cell, Scalar::Int(bins as i64)), place);
        }
        let weights = weight.map_or_else(|| Ok::<_, Error>(Value::from(1.0)), |weight| Ok(reshaped(weight, &[-1])?.into()))?;
        let weights = chosen(inside, weights, 0.0).cast(dtype).tensor()?;
        let none = reshaped(&counts, &[-1])?;
        let flat = one(Function::ScatterAdd, &[(&none).into(), 0.into(), (&cell.tensor()?).into(), (&weights).into()])?;
        counts = one(Function::ReshapeAs, &[(&flat).into(), (&counts).into()])?;
    }
    if density {
        let total = Value::from(&counts).reduced(Reduction::Sum, &Along::all())?;
        for (dim, (edges, &bins)) in edges.iter().zip(&bins).enumerate() {
            let widths = binary(Op::Sub, &part(edges, 1, bins)?.into(), part(edges, 0, bins)?).tensor()?;
            let mut sizes = vec![1; coordinates];
            sizes[dim] = bins.cast_signed();
            counts = binary(Op::Div, &counts.into(), reshaped(&widths, &sizes)?).tensor()?;
        }
        counts = binary(Op::Div, &counts.into(), total).tensor()?;
    }
    Ok(std::iter::once(counts).chain(edges).collect())
}

/// The same of as many parts along each coordinate.
pub(super) fn histogramdd_of(
    input: &RawTensor,
    bins: isize,
    range: Option<&[f64]>,
    weight: Option<&RawTensor>,
    density: bool,
) -> Result<Vec<RawTensor>> {
    let coordinates = input.size(-1)?;
    histogramdd(input, Edges::Even(&vec![bins; coordinates], range), weight, density)
}

/// PyTorch's `histogram`: the same of elements, which are points of one coordinate.
pub(super) fn histogram(input: &RawTensor, edges: Edges<'_>, weight: Option<&RawTensor>, density: bool) -> Result<(RawTensor, RawTensor)> {
    if let Edges::Even(bins, _) = edges {
        bins.iter().try_for_each(|&bins| check_bins(bins, 0).map(drop))?;
    }
    let column = one(Function::Reshape, &[input.into(), CallArgument::Ints(&[-1, 1])])?;
    let weight = weight.map(|weight| one(Function::Reshape, &[weight.into(), CallArgument::Ints(&[-1])])).transpose()?;
    let mut found = histogramdd(&column, edges, weight.as_ref(), density)?.into_iter();
    found.next().zip(found.next()).ok_or_else(|| Error::runtime("torch.histogram: no counts"))
}

/// Sums of complex exponentials, one after the other: their angles say how they came about.
fn one_by_one(to: Target<'_>, input: &RawTensor, place: usize, size: usize) -> Result<RawTensor> {
    let along = CallArgument::Int(place.cast_signed());
    let part = |at: usize| one(Function::Narrow, &[input.into(), along, at.cast_signed().into(), 1.into()]);
    let mut sums: Vec<RawTensor> = Vec::with_capacity(size);
    for at in 0..size {
        let next = part(at)?;
        sums.push(match sums.last() {
            Some(last) => binary(Op::Logaddexp, &next.into(), last).tensor()?,
            None => next,
        });
    }
    to.last(Function::Cat, &[CallArgument::Tensors(&sums.iter().collect::<Vec<_>>()), along])
}

/// PyTorch's `logcumsumexp`, into an output of the same dtype.
pub(super) fn logcumsumexp(to: Target<'_>, input: &RawTensor, dim: isize) -> Result<RawTensor> {
    let place = wrap_dim(dim, input.rank())?;
    let dtype = input.dtype();
    if dtype.is_integral() || !dtype.is_computing() {
        return Err(unsupported("logcumsumexp_out_cpu", dtype));
    }
    check_dtype_as(to, dtype, |out, own| format!("expected scalar_type {own} but found {out}"))?;
    let size = input.sizes().get(place).copied().unwrap_or(1);
    if dtype.is_complex() {
        return if size > 1 { one_by_one(to, input, place, size) } else { to.last(Function::Clone, &[input.into()]) };
    }
    scan(Reduction::Logcumsumexp, input, dim, None, to)
}

/// PyTorch's `renorm`: parts whose norm is larger than a number, with this norm.
pub(super) fn renorm(input: &RawTensor, p: Scalar, dim: isize, most: Scalar) -> Result<Value> {
    let rank = input.rank();
    if matches!(p, Scalar::Complex(_)) {
        return Err(Error::runtime("renorm: p must be real-valued"));
    }
    let p = p.to_f64();
    if p <= 0.0 {
        return Err(Error::runtime("renorm: non-positive-norm not supported"));
    }
    if matches!(most, Scalar::Complex(_)) {
        return Err(Error::runtime("renorm: maxnorm must be real-valued"));
    }
    if most.to_f64() < 0.0 {
        return Err(Error::runtime(format!("renorm: expected maxnorm to be >= 0 but got {}", most.to_f64())));
    }
    if rank < 2 {
        return Err(Error::runtime(format!("renorm: input needs at least 2 dimensions, got {rank} dimensions")));
    }
    let place = wrap_dim(dim, rank)?;
    let dtype = input.dtype();
    if dtype.is_integral() {
        let found = dtype.message_name();
        return Err(Error::not_implemented(format!(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got {found}"
        )));
    }
    let others: Vec<isize> = (0..rank).filter(|&at| at != place).map(usize::cast_signed).collect();
    let norm = Value::from(input).cast(dtype.computing()).reduced(Reduction::Norm, &Along::dims(&others).keep(Keep::Yes).parameter(p))?;
    let share = binary(Op::Div, &Value::from(most.to_f64()), binary(Op::Add, &norm, 1e-7));
    // Once for each part, not for each element of it; of halves it is rounded, too.
    let factor = chosen(binary(Op::Gt, &norm, most.to_f64()), share, 1.0).cast(dtype.to_real()).tensor()?;
    Ok(binary(Op::Mul, &Value::from(input), factor))
}

/// PyTorch's `logaddexp2`: the logarithm of a sum of powers of two.
pub(super) fn logaddexp2(x: &RawTensor, y: &RawTensor) -> Result<Value> {
    broadcast_shapes(&[x.sizes(), y.sizes()])?;
    let dtype = elementwise::result_dtype(Op::Logaddexp, &[x.into(), y.into()])?;
    if !dtype.is_floating_point() {
        return Err(unsupported("logaddexp2_cpu", dtype));
    }
    let wide = |tensor: &RawTensor| Value::from(tensor).cast(dtype).cast(dtype.computing());
    let (x, y) = (wide(x), wide(y));
    let same = binary(Op::LogicalAnd, &unary(Op::Isinf, &x), binary(Op::Eq, &x, &y));
    let apart = unary(Op::Abs, &binary(Op::Sub, &x, &y));
    let more = binary(Op::Mul, &unary(Op::Log1p, &unary(Op::Exp2, &unary(Op::Neg, &apart))), std::f64::consts::LOG2_E);
    Ok(chosen(same, &x, binary(Op::Add, &binary(Op::Maximum, &x, &y), more)).cast(dtype))
}

/// PyTorch's `logspace`: powers whose exponents have equal distances.
pub(super) fn logspace(to: Target<'_>, [start, end]: [f64; 2], steps: usize, base: f64, options: &Options) -> Result<RawTensor> {
    let dtype = options.dtype.unwrap_or(crate::dtype::promotion_default());
    let wide = if dtype.is_complex() { DType::C128 } else { DType::F64 };
    // Both ends are numbers of the dtype first, but for a single number.
    let own = |end: f64| if dtype.is_integral() { end.trunc() } else { rounded_to(end, dtype.to_real()) };
    let [start, end] = if steps == 1 { [start, end] } else { [own(start), own(end)] };
    let exponents = RawTensor::linspace(start, end, steps, &Options { dtype: Some(wide), ..*options })?;
    let powers = Value::waiting(
        crate::program::Action::Apply(Op::Pow.into(), elementwise::Params::none()),
        [Value::from(base), Value::from(exponents)],
    );
    powers.cast(dtype).tensor_to(to)
}
