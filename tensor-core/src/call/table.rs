//! The table of calls as functions: which arguments each has, and what each of its forms does. The rows are in `latten_spec::call`; what
//! stands in their expressions is in scope here, with the few functions that only they use.

use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;
use latten_spec::schema::{ArgumentKind, DTypeSet, Fallback, PlaceSet, Taken};
use latten_spec::{DType, can_cast, promote_levels, promote_types};
use smallvec::SmallVec;

use super::algebra;
use super::alignments::{self, Alignment};
use super::argument::{CallArgument, take};
use super::attention::{self, Attention};
use super::backward::Gradient;
use super::bags::{self, Bags};
use super::bessels;
use super::bits;
use super::classes::{ClassLayer, Classes, cross_entropy, linear_cross_entropy, nll_loss};
use super::composed;
use super::composites::{self, Weights, allclose, cov, dist, dropout, dropout_in_place, index_add, index_fill_in_place, isclose};
use super::convolutions::{self, ConvolutionWalk};
use super::copies;
use super::counts::{self, Edges};
use super::curves::{self, SELU, hardtanh};
use super::decompositions::{self, columns_as_computed, columns_computed_as};
use super::derivatives::GRADIENTS;
use super::distances;
use super::frames::{self, Frames};
use super::function::Function;
use super::grids;
use super::heads::{self, Heads};
use super::layers;
use super::losses::{self, LossReduction, binary_cross_entropy_with_logits, huber_loss, l1_loss, mse_loss, smooth_l1_loss};
use super::made::{count, drawn, eye, full, full_like, laid_out, linspace, logspace, made, made_row, sizes, strided_memory, zeros_sizes};
use super::margins;
use super::masked::{self, Masked, Unseen};
use super::mirrors;
use super::norms::{self, MatrixOrder};
use super::orders::{self, Quantile, SearchSide};
use super::outcome::{Answer, OneAnswer, Outcome};
use super::placing;
use super::polynomials::{self, Kind};
use super::pools::{self, Divisor, Pooling};
use super::resampling::{self, Resampling};
use super::samples::{self, Sampling};
use super::segments::{self, Segments};
use super::slopes::{self, Spacing};
use super::solving::{self, Least};
use super::sparse::of_parts;
use super::specials;
use super::spectra::{self, Spectrum};
use super::statistics::{self, Channels};
use super::sums::{
    addbmm, addmv, addr, all_at_least, at_least, bincount, in_place_of, inner_to, spread_and_mean, take_along_dim, trace, trapezoid,
    trapezoid_at,
};
use super::symmetric;
use super::tapers::{self, Envelope, Taper};
use super::triangles;
use super::turned::{self, turned_into, two_at_most};
use super::unpools::{self, Unpooling};
use super::value::Value;
use super::windows;
use super::{Call, Destination, into_out, one, run};
use crate::create::Options;
use crate::device::Device;
use crate::element::unsupported;
use crate::elementwise::{Params, RawOperand, Target, clamp, division, gelu};
use crate::error::{Error, Result};
use crate::geometry::broadcast::check_output_shape;
use crate::geometry::split::Cuts;
use crate::geometry::strides::{is_contiguous, strides_of_copy};
use crate::geometry::wrap_existing_dim;
use crate::indexing::{self, Half, IncludeSelf, Padding, RawUnique, ScatterReduce};
use crate::joins::{cat, column_stack, dstack, hstack, stack, vstack};
use crate::layout::MemoryFormat;
use crate::plan::Admitted;
use crate::product::{addmm, addmm_in_place, baddbmm, baddbmm_in_place, bmm, dot, einsum, linear, matmul, mm, mv, outer, vdot};
use crate::random::init::{self, Nonlinearity, Truncated};
use crate::random::{self, Dropped, Generator, Integers, Many};
use crate::raw::{RawTensor, Source};
use crate::reduce::{Along, Keep, Tolerance, aminmax, equal, pick, scan, scan_places, softmax};
use crate::scalar::Scalar;
use crate::sparse::{Coalesced, RawSparse};
use crate::views::{Entry as IndexEntry, broadcast_tensors, signed};

type New = fn(&[CallArgument<'_>]) -> Result<Outcome>;
type InPlace = fn(&mut RawTensor, &[CallArgument<'_>], Admitted) -> Result<Outcome>;
type Out = fn(&[CallArgument<'_>], &mut RawTensor, Admitted) -> Result<Outcome>;
type Both = fn(&[CallArgument<'_>], [Target<'_>; 2]) -> Result<(RawTensor, RawTensor)>;

/// What makes a call in one form.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form<F> {
    /// An elementwise operation, whose operands and parameters the arguments are, in their order.
    Operation(Op),
    /// A function of the row's own.
    Function(F),
    /// The same where it makes one tensor, which isn't moved through an [`Outcome`].
    One(fn(&[CallArgument<'_>]) -> Result<RawTensor>),
    /// A function that makes one tensor for any target: a new one, an output, or the first argument itself.
    To(fn(&[CallArgument<'_>], Target<'_>) -> Result<RawTensor>),
    /// One that makes two tensors for any two targets.
    Both(Both),
    /// One that makes the call of another table, as a new tensor or into an output.
    At(fn(&[CallArgument<'_>], Destination<'_>) -> Result<Outcome>),
}

/// A row of the table.
#[derive(Debug)]
pub(crate) struct CallEntry {
    /// PyTorch's name.
    pub(crate) name: &'static str,
    /// The arguments.
    pub(crate) parameters: &'static [Parameter],
    /// Whether tensors have it as a method.
    pub(crate) method: bool,
    /// Whether it is a function.
    pub(crate) function: bool,
    /// Gives new tensors or views.
    pub(crate) new: Option<Form<New>>,
    /// Changes a tensor by the arguments after the first.
    pub(crate) in_place: Option<Form<InPlace>>,
    /// Writes into an output.
    pub(crate) out: Option<Form<Out>>,
    /// Writes into two outputs.
    pub(crate) outs: Option<Form<Both>>,
    /// The dtypes that its tensors may have.
    pub(crate) taken: Taken,
    /// The devices that they may be on.
    pub(crate) devices: PlaceSet,
    /// What there is to say of its gradients.
    pub(crate) gradient: Gradient,
}

impl CallEntry {
    /// Whether it writes into outputs.
    pub(crate) fn has_out(&self) -> bool {
        self.out.is_some() || self.outs.is_some()
    }

    /// Makes a call of an elementwise operation by its arguments; in place, the tensor is the first of them.
    pub(super) fn operation(&self, op: Op, arguments: &[CallArgument<'_>], target: Destination<'_>) -> Result<Outcome> {
        let given = usize::from(matches!(target, Destination::InPlace(_) | Destination::Changed(..)));
        let fallbacks = self.parameters.iter().map(|parameter| &parameter.fallback).enumerate().skip(given);
        let (mut operands, mut params) = (SmallVec::<[RawOperand<'_>; 3]>::new(), SmallVec::<[Option<Scalar>; 3]>::new());
        for (at, fallback) in fallbacks {
            if at < op.row().operands.len() {
                operands.push(take(arguments, at - given, fallback));
            } else {
                params.push(take(arguments, at - given, &Fallback::None));
            }
        }
        run(Call::elementwise(op, &operands, &Params::all(&params), target))
    }
}

/// Refuses a dtype that a row doesn't take, in PyTorch's words.
fn admit(dtype: DType, taken: DTypeSet, kernel: &'static str) -> Result<()> {
    if taken.contains(dtype) { Ok(()) } else { Err(unsupported(kernel, dtype)) }
}

pub(crate) use latten_spec::schema::Parameter;

latten_macros::calls!();

impl Function {
    /// The row.
    pub(super) fn entry(self) -> &'static CallEntry {
        &ENTRIES[self as usize]
    }
}

/// What a reduction goes along.
fn along(dims: Option<&[isize]>, keep: Keep, dtype: Option<DType>, parameter: Option<Scalar>) -> Along {
    let mut along = dims.map_or_else(Along::all, Along::dims).keep(keep);
    if let Some(dtype) = dtype {
        along = along.dtype(dtype);
    }
    match parameter {
        Some(parameter) => along.parameter(parameter.to_f64()),
        None => along,
    }
}

/// What `unbiased` takes off the count.
fn corrected(unbiased: bool) -> Scalar {
    Scalar::Int(unbiased.into())
}

fn along_one(dim: Option<isize>, keep: Keep) -> Along {
    dim.map_or_else(Along::all, |dim| Along::dims(&[dim])).keep(keep)
}

fn options(dtype: Option<DType>, device: Option<Device>, format: Option<MemoryFormat>) -> Options {
    Options { dtype, device, format }
}

/// The options of a new tensor for another one.
fn options_of(input: &RawTensor, dtype: Option<DType>, device: Option<Device>) -> Options {
    Options { dtype: Some(dtype.unwrap_or(input.dtype())), device: Some(device.unwrap_or(input.device())), format: None }
}

/// A difference in an output; what is no difference yet isn't cast.
fn diff_to(to: Target<'_>, order: isize, result: RawTensor) -> Result<RawTensor> {
    if order != 0 {
        return cast_to(to, result);
    }
    computed_as(to, result, |found, own| format!("expected scalar_type {own} but found {found}"))
}

/// A copy in a memory format.
#[inline]
fn cloned(to: Target<'_>, input: &RawTensor, format: MemoryFormat) -> Result<RawTensor> {
    if to.is_new() {
        return input.clone_as(format);
    }
    let copy = to.as_it_lies(input.sizes(), &strides_of_copy(format, input.sizes(), input.strides())?, input.dtype(), input.device())?;
    copy.copy_(input)?;
    Ok(copy)
}

/// What was computed, in an output of its dtype.
fn as_computed(to: Target<'_>, result: impl Into<Value>) -> Result<RawTensor> {
    let result = result.into().tensor_to(to)?;
    crate::outputs::check_dtype(to, result.dtype())?;
    to.take(result)
}

/// The same, where another dtype is refused in these words: what it has, and what it should have.
fn computed_as(to: Target<'_>, result: impl Into<Value>, refused: impl FnOnce(&str, &str) -> String) -> Result<RawTensor> {
    let result = result.into().tensor_to(to)?;
    crate::outputs::check_dtype_as(to, result.dtype(), refused)?;
    to.take(result)
}

/// What was computed, in an output of a dtype that it can be cast to.
fn cast_to(to: Target<'_>, result: impl Into<Value>) -> Result<RawTensor> {
    let result = result.into().tensor_to(to)?;
    if let Target::InPlace(own) = to {
        check_output_shape(own.sizes(), result.sizes())?;
    }
    match to.tensor().map(RawTensor::dtype).filter(|&found| !can_cast(result.dtype(), found)) {
        Some(found) => {
            let (own, found) = (result.dtype().message_name(), found.message_name());
            Err(Error::runtime(format!("result type {own} can't be cast to the desired output type {found}")))
        }
        None => to.take(result),
    }
}

/// How a tensor is copied.
#[derive(Clone, Copy, Default)]
struct Copying {
    /// Also where it is already what is asked for.
    copy: bool,
    /// Without waiting for a device.
    non_blocking: bool,
}

/// To a dtype, then to a device: itself, where both are what they are and no copy is asked for.
fn converted(
    input: &RawTensor,
    (dtype, device): (Option<DType>, Option<Device>),
    Copying { copy, non_blocking }: Copying,
    format: Option<MemoryFormat>,
) -> Result<RawTensor> {
    let format = format.unwrap_or(MemoryFormat::Preserve);
    let mut result = input.to(dtype.unwrap_or(input.dtype()), format)?;
    if let Some(device) = device {
        result = if non_blocking { result.to_device_later(device)? } else { result.to_device(device)? };
    }
    if copy && result.storage().is_same(input.storage()) { result.clone_as(format) } else { Ok(result) }
}

/// Copies elements, on request without waiting for a device.
fn copied(to: &RawTensor, from: &RawTensor, non_blocking: bool) -> Result<()> {
    if non_blocking { to.copy_later_(from) } else { to.copy_(from) }
}

/// Sets every element to a number, or to what a tensor without dimensions holds.
fn fill(to: &RawTensor, value: RawOperand<'_>) -> Result<()> {
    let tensor = match value {
        RawOperand::Scalar(number) => return to.fill_(number),
        RawOperand::Tensor(tensor) => tensor,
    };
    if tensor.rank() > 0 {
        return Err(Error::runtime(format!(
            "fill_ only supports 0-dimension value tensor but got tensor with {} dimensions.",
            tensor.rank()
        )));
    }
    // What it holds may be one of the elements that are set.
    let apart = tensor.storage().shares_memory(to.storage()).then(|| tensor.clone_as(MemoryFormat::Preserve)).transpose()?;
    to.copy_(apart.as_ref().unwrap_or(tensor))
}

fn ordinal(tensor: &RawTensor) -> i64 {
    tensor.device().index().map_or(-1, i64::from)
}

fn promoting(operand: RawOperand<'_>) -> (latten_spec::Level, DType) {
    operand.promoting()
}

/// What a copy of a tensor becomes.
fn on_copy(input: &RawTensor, change: impl FnOnce(&RawTensor) -> Result<()>) -> Result<RawTensor> {
    let copy = input.clone_as(MemoryFormat::Preserve)?;
    change(&copy)?;
    Ok(copy)
}

/// Whether a tensor may have other sizes, in words that name the call.
fn named(call: &'static str, admitted: Admitted) -> impl FnOnce(&[usize]) -> Result<()> {
    move |sizes| admitted(sizes).map_err(|error| Error::new(error.kind(), format!("{call}: {error}")))
}

/// A copy in page-locked memory.
fn pinned(input: &RawTensor) -> Result<RawTensor> {
    if input.is_meta() {
        let dtype = input.dtype().message_name();
        return Err(Error::runtime(format!("cannot pin 'Meta{dtype}Type' only dense CPU tensors can be pinned")));
    }
    Ok(RawTensor { storage: input.storage().pin_memory()?, ..input.clone() })
}

/// The distinct elements, or places along a dimension, and what is asked for of them.
fn distinct(input: &RawTensor, dim: Option<isize>, inverses: bool, often: bool) -> Result<Outcome> {
    match dim {
        None if !inverses && !often => Ok(Outcome::Tensor(indexing::unique_values(input)?)),
        None => Ok(known_of(indexing::unique(input)?, inverses, often)),
        Some(dim) => Ok(known_of(indexing::unique_dim(input, dim)?, inverses, often)),
    }
}

/// The same of neighbours.
fn distinct_neighbours(input: &RawTensor, dim: Option<isize>, inverses: bool, often: bool) -> Result<Outcome> {
    if let Some(dim) = dim {
        return Ok(known_of(indexing::unique_consecutive_dim(input, dim)?, inverses, often));
    }
    if !inverses && !often {
        return Ok(Outcome::Tensor(indexing::unique_consecutive_values(input)?));
    }
    Ok(known_of(indexing::unique_consecutive(input)?, inverses, often))
}

fn known_of(RawUnique { values, inverse, counts }: RawUnique, inverses: bool, often: bool) -> Outcome {
    if !inverses && !often {
        return Outcome::Tensor(values);
    }
    let parts = [Some(values), inverses.then_some(inverse), often.then_some(counts)];
    Outcome::Tensors(parts.into_iter().flatten().collect())
}

/// How many dimensions of a dense tensor are sparse.
fn none_sparse(_: &RawTensor) -> usize {
    0
}

/// What dense tensors say where sparse ones have an answer.
fn expected_sparse(_: &RawTensor, expected: &str) -> Result<Outcome> {
    Err(Error::runtime(format!("{expected} tensor layout but got Strided")))
}

fn sparse_times(sparse: &RawSparse, dense: &RawTensor) -> Result<RawSparse> {
    sparse.mul_dense(dense)
}

fn negative(alpha: Scalar) -> Result<Scalar> {
    Ok(match alpha {
        Scalar::Bool(_) => return Err(Error::runtime("Boolean alpha only supported for Boolean results.")),
        Scalar::Int(x) => Scalar::Int(x.wrapping_neg()),
        Scalar::Float(x) => Scalar::Float(-x),
        Scalar::Complex(z) => Scalar::Complex(-z),
    })
}
