//! Sums, extremes and products of what lies between places along a dimension; and the gradients of `softmax`, which have names of their own.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::curves::chosen;
use super::derivatives::{log_share, share};
use super::value::{Value, binary};
use super::{CallArgument, Function, named, one};
use crate::create::Options;
use crate::element::{check_float, unsupported};
use crate::error::{Error, Result};
use crate::geometry::wrap_dim;
use crate::raw::RawTensor;
use crate::reduce::Along;
use crate::scalar::Scalar;
use crate::views::signed;

/// Where segments begin and end, and what they begin with.
#[derive(Clone, Copy)]
pub(super) struct Segments<'a> {
    pub(super) lengths: Option<&'a RawTensor>,
    pub(super) indices: Option<&'a RawTensor>,
    pub(super) offsets: Option<&'a RawTensor>,
    pub(super) axis: isize,
    /// Whether lengths needn't be looked at.
    pub(super) is_unsafe: bool,
    pub(super) initial: Option<Scalar>,
}

fn refused<T>(text: impl std::fmt::Display) -> Result<T> {
    Err(Error::runtime(format!("segment_reduce(): {text}")))
}

impl Segments<'_> {
    /// The tensor that says where segments are, and whether it has their lengths, in PyTorch's order.
    fn given(&self, data: &RawTensor, axis: usize) -> Result<(&RawTensor, bool)> {
        let (given, is_length) = match (self.lengths, self.offsets) {
            (_, Some(offsets)) => (offsets, false),
            (Some(lengths), None) => (lengths, true),
            (None, None) => return refused("Either lengths or offsets must be defined."),
        };
        let which = if is_length { "lengths" } else { "offsets" };
        if data.rank() < given.rank() {
            return Err(Error::runtime(format!(
                "Expected data.dim() >= {which}_value.dim() to be true, but got false.  (Could this error message be improved?  If so, please \
                 report an enhancement request to PyTorch.)"
            )));
        }
        if given.rank() != axis + 1 {
            return refused(format!("Expected axis to be the last dimension of {which} but got {axis}."));
        }
        Ok((given, is_length))
    }

    /// Where segments begin, and where the last one ends, by a tensor of integers.
    fn offsets(&self, data: &RawTensor, axis: usize, (given, is_length): (&RawTensor, bool)) -> Result<RawTensor> {
        let which = if is_length { "lengths" } else { "offsets" };
        let outer = &given.sizes()[..axis];
        if outer != &data.sizes()[..axis] {
            let found = &data.sizes()[..axis];
            return refused(format!("Expected {which} to have data's sizes {found:?} before axis {axis}, but got {outer:?}"));
        }
        if !is_length && given.sizes()[axis] == 0 {
            return refused("Expected offsets to have at least one element along axis");
        }
        let whole = Value::from(given).cast(DType::I64);
        if !is_length {
            let steps = whole.then(Function::Diff, &[])?;
            if !binary(Op::Ge, &steps, 0).everywhere()? {
                return refused("Expected offsets to be in order along axis, but a segment has a negative length");
            }
            return whole.tensor();
        }
        if !self.is_unsafe && !binary(Op::Ge, &whole, 0).everywhere()? {
            return Err(Error::runtime("lengths contains negative value!"));
        }
        let last = CallArgument::Int(-1);
        let sums = whole.reduced(Reduction::Sum, &Along::dims(&[-1]))?;
        if !self.is_unsafe && !binary(Op::Eq, &sums, data.sizes()[axis] as i64).everywhere()? {
            return refused("Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when !unsafe.");
        }
        let ends = whole.then(Function::Cumsum, &[last])?;
        ends.then(Function::ConstantPadNd, &[CallArgument::Ints(&[1, 0])])?.tensor()
    }
}

/// PyTorch's `segment_reduce`.
pub(super) fn segment_reduce(data: &RawTensor, how: &str, of: Segments<'_>) -> Result<RawTensor> {
    let axis = wrap_dim(of.axis, data.rank())?;
    if of.indices.is_some() {
        return refused("indices based reduction is not supported yet.");
    }
    if of.lengths.is_none() && of.offsets.is_none() {
        return refused("Either lengths or offsets must be defined.");
    }
    let (fold, start) = match how {
        "sum" | "mean" => ("sum", 0.0),
        "prod" => ("prod", 1.0),
        "max" | "amax" => ("amax", f64::NEG_INFINITY),
        "min" | "amin" => ("amin", f64::INFINITY),
        other => return Err(Error::runtime(format!("reduce argument must be either sum, prod, mean, amax or amin, got {other}"))),
    };
    let given = of.given(data, axis)?;
    if !given.0.dtype().is_integral() || given.0.dtype() == DType::Bool {
        let which = if given.1 { "lengths" } else { "offsets" };
        return Err(unsupported(&format!("_segment_reduce_{which}_cpu_kernel1"), given.0.dtype()));
    }
    check_float("_segment_reduce_cpu", data.dtype())?;
    let offsets = of.offsets(data, axis, given)?;
    let (count, length) = (offsets.sizes()[axis].cast_signed() - 1, data.sizes()[axis]);
    // The segment of each place; what lies in none goes to one more, which is left out.
    let options = Options { dtype: Some(DType::I64), device: Some(data.device()), format: None };
    let places = RawTensor::arange(Scalar::Int(0), Scalar::from(length), Scalar::Int(1), &options)?;
    let outer = signed(&data.sizes()[..axis]);
    let places = places.expand(&[&outer[..], &[length.cast_signed()]].concat())?.clone_as(crate::layout::MemoryFormat::Contiguous)?;
    let after = one(Function::Searchsorted, &[(&offsets).into(), (&places).into(), false.into(), true.into()])?;
    let own = binary(Op::Sub, &after.into(), 1);
    let own = chosen(binary(Op::Lt, &own, 0), count as i64, own);
    let inner = vec![1; data.rank() - axis - 1];
    let beside = |of: &Value| of.then(Function::Reshape, &[CallArgument::Ints(&[&signed(of.tensor()?.sizes())[..], &inner].concat())]);
    let own = beside(&own.tensor()?.into())?.then(Function::Expand, &[CallArgument::Ints(&signed(data.sizes()))])?.tensor()?;
    let mut sizes = data.sizes().to_vec();
    sizes[axis] = offsets.sizes()[axis];
    let is_extreme = fold.starts_with('a');
    let initial = of.initial.map(Scalar::to_f64);
    let first = if is_extreme { start } else { initial.unwrap_or(start) };
    let start = RawTensor::full(&sizes, first.into(), &Options { dtype: Some(data.dtype()), ..options })?;
    let axis = axis.cast_signed();
    let found = one(Function::ScatterReduce, &[(&start).into(), axis.into(), (&own).into(), data.into(), fold.into(), true.into()])?;
    let found = Value::from(one(Function::Narrow, &[(&found).into(), axis.into(), 0.into(), count.into()])?);
    let found = found.then(Function::Contiguous, &[])?;
    match (how, initial) {
        ("mean", _) => {
            let counts = beside(&Value::from(&offsets).then(Function::Diff, &[])?)?;
            let mean = binary(Op::Div, &found, &counts);
            if initial.is_none() { mean.tensor() } else { chosen(binary(Op::Eq, &counts, 0), &found, mean).tensor() }
        }
        (_, Some(initial)) if is_extreme => {
            // A NaN stays, and a number that is the first one, too, has the gradient.
            let beyond = binary(if fold == "amax" { Op::Lt } else { Op::Gt }, &found, initial);
            chosen(beyond, initial, found).tensor()
        }
        _ => found.tensor(),
    }
}

/// PyTorch's `_softmax_backward_data` and `_log_softmax_backward_data`.
pub(super) fn softmax_backward(g: &RawTensor, output: &RawTensor, dim: isize, dtype: DType, of_logarithm: bool) -> Result<Value> {
    wrap_dim(dim, g.rank())?;
    if g.sizes() != output.sizes() {
        let (own, there) = (g.sizes(), output.sizes());
        let name = if of_logarithm { "log_softmax_backward" } else { "softmax_backward" };
        return Err(Error::runtime(format!(
            "Expected tensor for argument #1 'grad' to have same size as tensor for argument #2 'output'; but {own:?} does not equal {there:?} \
             (while checking arguments for {name})"
        )));
    }
    if g.dtype() != output.dtype() {
        return Err(Error::runtime(format!("expected scalar type {} but found {}", named(g), named(output))));
    }
    let kernel = if of_logarithm { "log_softmax_backward_lastdim_kernel_impl" } else { "softmax_backward_lastdim_kernel_impl" };
    check_float(kernel, g.dtype())?;
    if g.dtype() == DType::F32 && dtype == DType::F16 {
        return Err(Error::runtime("expected scalar type Float but found Half"));
    }
    if of_logarithm { log_share(g, output, dim) } else { share(g, output, dim) }
}
