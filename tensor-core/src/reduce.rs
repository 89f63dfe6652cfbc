//! Reductions, scans and softmax on erased tensors: which dimensions, which dtypes, in PyTorch's order of checks and in its words.
//!
//! `fold` and `rows` are the two loops; `sums`, `extremes`, `spread`, `scan` and `softmax` say what is computed in them; `compare` holds
//! `isclose` and its like. A new result is contiguous; into an output (`output`) results go where they are computed, unless it shares memory
//! with the input.

mod compare;
mod computed;
pub(crate) mod extremes;
mod finish;
pub(crate) mod fold;
mod output;
pub(crate) mod results;
pub(crate) mod rows;
mod scan;
mod softmax;
mod spread;
mod sums;

use latten_spec::operation::RefusalKind;
use latten_spec::reduction::Reduction;
use latten_spec::{DType, can_cast};
use smallvec::SmallVec;

pub use computed::reduce_program;
pub(crate) use computed::{pick_call, reduce_call};

pub use compare::{NansAre, Tolerance, allclose, equal, isclose};

use crate::dtype::{cpp_name, promotion_default};
use crate::elementwise::Resized;
use crate::error::{Error, ErrorKind, Result};
use crate::geometry::{Dims, wrap_dim, wrap_distinct_dims};
use crate::launch;
use crate::layout::MemoryFormat;
use crate::raw::{RawTensor, check_out_device};
use crate::views::type_name;
use fold::Input;
use results::Results;

/// Whether an output's type admits sizes.
pub(crate) type Admitted = fn(&[usize]) -> Result<()>;

/// Whether a dimension that is reduced stays, with size 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// It goes.
    #[default]
    No,
    /// It stays: PyTorch's `keepdim=True`.
    Yes,
}

/// What a reduction goes along, and into which dtype.
#[derive(Clone, Debug, Default)]
pub struct Along {
    dims: Option<SmallVec<[isize; 6]>>,
    keep: Keep,
    dtype: Option<DType>,
    parameter: Option<f64>,
}

impl Along {
    /// All dimensions.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Some dimensions, counted from the front or, below 0, from the back.
    #[must_use]
    pub fn dims(dims: &[isize]) -> Self {
        Self { dims: Some(dims.into()), ..Self::default() }
    }

    /// The same, and whether the dimensions stay.
    #[must_use]
    pub fn keep(mut self, keep: Keep) -> Self {
        self.keep = keep;
        self
    }

    /// The same, of the elements converted to a dtype: PyTorch's `dtype=`.
    #[must_use]
    pub fn dtype(mut self, dtype: DType) -> Self {
        self.dtype = Some(dtype);
        self
    }

    /// The same with what a variance takes off the count (`correction`, by default 1), or the order of a norm (`p`, by default 2).
    #[must_use]
    pub fn parameter(mut self, parameter: f64) -> Self {
        self.parameter = Some(parameter);
        self
    }
}

/// A reduction of a tensor, in a new one.
///
/// # Errors
/// PyTorch's, in its words: for a dtype that the reduction doesn't take, for dimensions that aren't there or come twice, and for
/// none to choose from. Scans and what gives two results are not for this function.
pub fn reduce(op: Reduction, input: &RawTensor, along: &Along) -> Result<RawTensor> {
    Plan::new(op, Input::Tensor(input), along, None)?.run()
}

/// The same, into an output that is resized to the result.
///
/// # Errors
/// As [`reduce`], and where PyTorch doesn't take an output of that dtype; then it is unchanged.
pub fn reduce_out(op: Reduction, input: &RawTensor, along: &Along, out: &mut RawTensor) -> Result<Resized> {
    reduce_out_where(op, input, along, out, |_| Ok(()))
}

/// As [`reduce_out`], where the output may not take all sizes.
pub(crate) fn reduce_out_where(
    op: Reduction,
    input: &RawTensor,
    along: &Along,
    out: &mut RawTensor,
    admitted: Admitted,
) -> Result<Resized> {
    let plan = Plan::new(op, Input::Tensor(input), along, Some(out.dtype()))?;
    let sizes = plan.sizes();
    admitted(&sizes)?;
    output::write([out], [(&sizes, plan.result)], input, |[to]| plan.write(to))
}

/// The dtype of a result and the kind of error that the table has for others.
pub(crate) fn result_dtype(op: Reduction, input: DType) -> Result<DType> {
    op.result(input, promotion_default()).map_err(refused)
}

fn refused((kind, text): (RefusalKind, String)) -> Error {
    let kind = match kind {
        RefusalKind::NotImplemented => ErrorKind::NotImplemented,
        RefusalKind::Type => ErrorKind::Type,
        RefusalKind::Runtime => ErrorKind::Runtime,
    };
    Error::new(kind, text)
}

pub(crate) fn check_out_dtype(expected: DType, out: DType) -> Result<()> {
    if expected == out {
        return Ok(());
    }
    let (expected, out) = (cpp_name(expected), cpp_name(out));
    Err(Error::runtime(format!("Expected out tensor to have dtype {expected}, but got {out} instead")))
}

/// One call of a reduction, checked.
struct Plan<'a> {
    op: Reduction,
    input: Input<'a>,
    /// Of each dimension, whether it is reduced.
    reduced: SmallVec<[bool; 6]>,
    keep: Keep,
    /// What the elements are converted to before anything is computed.
    through: DType,
    result: DType,
    parameter: Option<f64>,
}

impl<'a> Plan<'a> {
    fn new(op: Reduction, of: Input<'a>, along: &Along, out: Option<DType>) -> Result<Self> {
        let (input, dims) = (of.tensor(), along.dims.as_deref());
        let through = through(op, input.dtype(), along, out)?;
        let early = matches!(
            op,
            Reduction::Mean
                | Reduction::Var
                | Reduction::Std
                | Reduction::Argmax
                | Reduction::Argmin
                | Reduction::Norm
                | Reduction::Nanmean
        );
        // A dtype that is asked for takes the place of the input's in `mean`.
        let counts = if op == Reduction::Mean { through } else { input.dtype() };
        if early {
            check_taken(op, counts, dims, along)?;
        }
        let reduced = match op {
            Reduction::Amax | Reduction::Amin | Reduction::Max | Reduction::Min => {
                check_not_empty(op, input, dims)?;
                reduced_dims(op, input, dims)?
            }
            Reduction::Argmax | Reduction::Argmin => {
                let reduced = reduced_dims(op, input, dims)?;
                check_something_to_find(op, input, dims)?;
                reduced
            }
            _ => reduced_dims(op, input, dims)?,
        };
        if op == Reduction::Norm {
            check_norm(input, dims, along)?;
        }
        // The median of nothing compares nothing, whatever the dtype.
        let nothing = op == Reduction::Median && input.numel() == 0 && out.is_none();
        let result = if nothing { input.dtype() } else { check_output(op, counts, through, along.dtype, out)? };
        Ok(Self { op, input: of, reduced, keep: along.keep, through, result, parameter: along.parameter })
    }

    /// The result's sizes.
    fn sizes(&self) -> Dims {
        let dims = self.input.tensor().sizes().iter().zip(&self.reduced);
        dims.filter_map(|(&size, &reduced)| match (reduced, self.keep) {
            (false, _) => Some(size),
            (true, Keep::Yes) => Some(1),
            (true, Keep::No) => None,
        })
        .collect()
    }

    /// A new tensor with the results.
    fn run(&self) -> Result<RawTensor> {
        output::new([(&self.sizes(), self.result)], self.input.device(), |[to]| self.write(to)).map(|[result]| result)
    }

    /// Writes the results into a tensor of their sizes that shares no memory with the input.
    fn write(&self, to: &RawTensor) -> Result<()> {
        let (reduced, parameter) = (&self.reduced[..], self.parameter);
        let call = |input| finish::Call { op: self.op, input, reduced, parameter, to: Results::plain(to, self.result) }.run(self.through);
        match self.input {
            Input::Tensor(input) if input.is_on_cuda() => launch::fold(self.op, input, reduced, (self.through, self.result), parameter, to),
            Input::Tensor(input) if !self.is_direct() => call(Input::Tensor(&input.to_dtype(self.through)?)),
            input => call(input),
        }
    }

    /// Whether elements are read as the dtype that is computed in: they need no conversion before.
    fn is_direct(&self) -> bool {
        self.through == self.input.tensor().dtype()
            || matches!(self.through, DType::I64 | DType::F32 | DType::F64 | DType::C64 | DType::C128)
    }

    /// Writes the picked elements and their places.
    fn write_both(&self, values: &RawTensor, places: &RawTensor) -> Result<()> {
        let to = Results { values, through: self.result, places: Some(places) };
        match self.input {
            Input::Tensor(input) if input.is_on_cuda() => launch::pick(self.op, input, &self.reduced, [values, places]),
            input => finish::Call { op: self.op, input, reduced: &self.reduced, parameter: None, to }.pick(),
        }
    }
}

/// The dtype that elements are converted to first.
fn through(op: Reduction, input: DType, along: &Along, out: Option<DType>) -> Result<DType> {
    let Some(wanted) = along.dtype else {
        return Ok(match op {
            Reduction::Sum | Reduction::Prod | Reduction::Nansum => out.unwrap_or(op.result(input, promotion_default()).unwrap_or(input)),
            Reduction::Logsumexp => op.result(input, promotion_default()).unwrap_or(input),
            _ => input,
        });
    };
    match op {
        Reduction::Mean if wanted.is_integral() => Err(Error::not_implemented(format!(
            "mean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. Got: {}",
            wanted.message_name()
        ))),
        Reduction::Nansum | Reduction::Nanmean if wanted.is_complex() && input.is_floating_point() => {
            Err(Error::not_implemented(format!("\"nansum_cpu\" not implemented for '{}'", wanted.message_name())))
        }
        Reduction::Nanmean if wanted.is_integral() && !input.is_integral() => Err(Error::runtime(format!(
            "nanmean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. Got: {}",
            wanted.message_name()
        ))),
        _ => Ok(wanted),
    }
}

/// That the reduction takes the dtype. Without an order a norm over more than two dimensions is a matrix norm, and says so.
fn check_taken(op: Reduction, dtype: DType, dims: Option<&[isize]>, along: &Along) -> Result<()> {
    let matrix = op == Reduction::Norm && along.parameter.is_none() && dims.is_some_and(|dims| dims.len() > 2);
    match result_dtype(op, dtype) {
        Ok(_) if matrix => {
            let dims: Vec<_> = dims.unwrap_or_default().iter().map(isize::to_string).collect();
            Err(Error::runtime(format!("linalg.matrix_norm: dim must be a 2-tuple. Got {}", dims.join(" "))))
        }
        Err(error) if matrix => Err(Error::new(error.kind(), error.message().replace("vector_norm", "matrix_norm"))),
        outcome => outcome.map(drop),
    }
}

/// Which dimensions are reduced. None named are all, but for `any` and `all`, which take an empty list at its word.
fn reduced_dims(op: Reduction, input: &RawTensor, dims: Option<&[isize]>) -> Result<SmallVec<[bool; 6]>> {
    let rank = input.rank();
    let dims = match dims {
        None => return Ok(SmallVec::from_elem(true, rank)),
        Some([]) => return Ok(SmallVec::from_elem(!matches!(op, Reduction::Any | Reduction::All), rank)),
        Some(dims) => wrap_distinct_dims(dims, rank)?,
    };
    Ok((0..rank).map(|dim| dims.contains(&dim)).collect())
}

/// `amax` and its like have nothing to give where there is nothing to choose from.
fn check_not_empty(op: Reduction, input: &RawTensor, dims: Option<&[isize]>) -> Result<()> {
    if input.numel() > 0 {
        return Ok(());
    }
    let name = op.row().name;
    let Some(dims) = dims.filter(|dims| !dims.is_empty()) else {
        return Err(Error::runtime(format!(
            "{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument."
        )));
    };
    for &dim in dims {
        if input.sizes()[wrap_dim(dim, input.rank())?] == 0 {
            return Err(Error::index(format!("{name}(): Expected reduction dim {dim} to have non-zero size.")));
        }
    }
    Ok(())
}

fn check_something_to_find(op: Reduction, input: &RawTensor, dims: Option<&[isize]>) -> Result<()> {
    let name = op.row().name;
    match dims {
        None if input.numel() == 0 => {
            Err(Error::index(format!("{name}(): Expected reduction dim to be specified for input.numel() == 0.")))
        }
        Some(&[dim]) => check_size(name, input, wrap_dim(dim, input.rank())?),
        _ => Ok(()),
    }
}

/// That a dimension to choose from has elements.
fn check_size(name: &str, input: &RawTensor, dim: usize) -> Result<()> {
    match input.sizes().get(dim) {
        Some(0) => Err(Error::index(format!("{name}(): Expected reduction dim {dim} to have non-zero size."))),
        _ => Ok(()),
    }
}

/// What only norms check, in `linalg.vector_norm`'s words.
fn check_norm(input: &RawTensor, dims: Option<&[isize]>, along: &Along) -> Result<()> {
    let order = along.parameter.unwrap_or(2.0);
    if input.numel() == 0 && (order < 0.0 || order.is_infinite()) {
        let identity = "because the operation does not have an identity";
        let Some(dims) = dims.filter(|dims| !dims.is_empty()) else {
            return Err(Error::runtime(format!("linalg.vector_norm cannot compute the {order} norm on an empty tensor {identity}")));
        };
        for dim in wrap_distinct_dims(dims, input.rank())? {
            if input.sizes()[dim] == 0 {
                // PyTorch forgets the space, too.
                return Err(Error::runtime(format!(
                    "linalg.vector_norm cannot compute the {order} norm on the dimension {dim}because this dimension is empty and the \
                     operation does not have an identity"
                )));
            }
        }
    }
    let Some(wanted) = along.dtype else { return Ok(()) };
    let (have, name) = (input.dtype(), wanted.message_name());
    let refusal = if !wanted.is_floating_point() && !wanted.is_complex() {
        format!("dtype should be floating point or complex, but got {name}")
    } else if have.is_complex() && !wanted.is_complex() {
        format!("dtype should be complex for complex inputs, but got {name}")
    } else if !have.is_complex() && wanted.is_complex() {
        format!("dtype should be real for real inputs, but got {name}")
    } else if latten_spec::promote_types(have, wanted)? != wanted {
        let have = have.message_name();
        format!("the dtype of the input ({have}) should be convertible without narrowing to the specified dtype ({name})")
    } else {
        return Ok(());
    };
    Err(Error::runtime(format!("linalg.vector_norm: {refusal}")))
}

/// The dtype of the result, where the output may have it.
fn check_output(op: Reduction, input: DType, through: DType, wanted: Option<DType>, out: Option<DType>) -> Result<DType> {
    let own = result_dtype(op, input)?;
    let result = match op {
        Reduction::Sum | Reduction::Prod | Reduction::Nansum | Reduction::Mean | Reduction::Nanmean => {
            if wanted.is_some() || matches!(op, Reduction::Sum | Reduction::Prod | Reduction::Nansum) { through } else { own }
        }
        Reduction::Norm => through.to_real(),
        _ => own,
    };
    let Some(out) = out else { return Ok(result) };
    let (name, out_name) = (op.row().name, out.message_name());
    match op {
        Reduction::Amax | Reduction::Amin if out != result => Err(Error::runtime(format!(
            "Expected the dtype for input and out to match, but got {} for input's dtype and {out_name} for out's dtype.",
            input.message_name()
        ))),
        Reduction::Any | Reduction::All if !matches!(out, DType::Bool | DType::U8) => {
            Err(Error::runtime(format!("{name} only supports bool tensor for result, got: {out_name}")))
        }
        Reduction::Logsumexp if out.is_integral() => {
            Err(Error::runtime(format!("logsumexp(): Expected floating point type for result tensor, but got: {out_name}")))
        }
        Reduction::Argmax | Reduction::Argmin | Reduction::Norm | Reduction::CountNonzero => check_out_dtype(result, out).map(|()| result),
        Reduction::Mean | Reduction::Nanmean if wanted.is_some() => check_out_dtype(result, out).map(|()| result),
        Reduction::Mean | Reduction::Nanmean | Reduction::Var | Reduction::Std if !can_cast(result, out) => {
            Err(Error::runtime(format!("result type {} can't be cast to the desired output type {out_name}", result.message_name())))
        }
        Reduction::Sum | Reduction::Prod | Reduction::Nansum => check_out_dtype(result, out).map(|()| result),
        _ => Ok(result),
    }
}

/// The one dimension of what goes along a single one, and the dtype of its result.
fn single(op: Reduction, input: &RawTensor, dim: isize) -> Result<(usize, DType)> {
    let dim = wrap_dim(dim, input.rank())?;
    Ok((dim, result_dtype(op, input.dtype())?))
}

/// `max`, `min` and `median` along a dimension: the elements and where they are.
///
/// # Errors
/// Where the dimension isn't there or has no elements, and for complex numbers.
pub fn pick(op: Reduction, input: &RawTensor, dim: isize, keep: Keep) -> Result<(RawTensor, RawTensor)> {
    pick_input(op, Input::Tensor(input), dim, keep)
}

/// The same into two outputs, which are resized where they must.
///
/// # Errors
/// As [`pick`], and where an output has another dtype or its elements share memory; then both are unchanged.
pub fn pick_out(op: Reduction, input: &RawTensor, dim: isize, keep: Keep, outputs: [&mut RawTensor; 2]) -> Result<()> {
    pick_out_where(op, input, dim, keep, outputs, [|_| Ok(()); 2])
}

/// As [`pick_out`], where outputs may not take all sizes.
pub(crate) fn pick_out_where(
    op: Reduction,
    input: &RawTensor,
    dim: isize,
    keep: Keep,
    outputs: [&mut RawTensor; 2],
    admitted: [Admitted; 2],
) -> Result<()> {
    let plan = pick_plan(op, Input::Tensor(input), dim, keep)?;
    let sizes = plan.sizes();
    let both = Pair { op, sizes: &sizes, dtypes: [plan.result, DType::I64] };
    both.write(input, outputs, admitted, |[values, places]| plan.write_both(values, places))
}

fn pick_input(op: Reduction, of: Input<'_>, dim: isize, keep: Keep) -> Result<(RawTensor, RawTensor)> {
    let plan = pick_plan(op, of, dim, keep)?;
    let sizes = plan.sizes();
    let both = output::new([(&sizes, plan.result), (&sizes, DType::I64)], of.device(), |[values, places]| plan.write_both(values, places));
    both.map(|[values, places]| (values, places))
}

fn pick_plan(op: Reduction, of: Input<'_>, dim: isize, keep: Keep) -> Result<Plan<'_>> {
    let input = of.tensor();
    let (name, wrapped) = (op.row().name, wrap_dim(dim, input.rank())?);
    check_size(name, input, wrapped)?;
    let dtype = input.dtype();
    let unordered = !op.row().takes.contains(dtype.category()) || !dtype.is_computing();
    match op {
        Reduction::Max | Reduction::Min if dtype.is_complex() => {
            return Err(Error::type_error(format!("{name}(): does not support complex input")));
        }
        Reduction::Median if unordered => {
            return Err(Error::not_implemented(format!("\"median_out\" not implemented for '{}'", dtype.message_name())));
        }
        Reduction::Max | Reduction::Min | Reduction::Median => {}
        _ => return Err(Error::type_error(format!("{name} doesn't pick one of the elements"))),
    }
    let result = result_dtype(op, dtype)?;
    let reduced = (0..input.rank()).map(|d| d == wrapped).collect();
    Ok(Plan { op, input: of, reduced, keep, through: dtype, result, parameter: None })
}

/// The least and the largest element, of all or along a dimension.
///
/// # Errors
/// Where there are none, and for complex numbers.
pub fn aminmax(input: &RawTensor, dim: Option<isize>, keep: Keep) -> Result<(RawTensor, RawTensor)> {
    let [least, most] = aminmax_plans(input, dim, keep)?;
    Ok((least.run()?, most.run()?))
}

/// The same into two outputs, which are resized where they must.
///
/// # Errors
/// As [`aminmax`], and where an output has another dtype or its elements share memory; then both are unchanged.
pub fn aminmax_out(input: &RawTensor, dim: Option<isize>, keep: Keep, outputs: [&mut RawTensor; 2]) -> Result<()> {
    aminmax_out_where(input, dim, keep, outputs, [|_| Ok(()); 2])
}

/// As [`aminmax_out`], where outputs may not take all sizes.
pub(crate) fn aminmax_out_where(
    input: &RawTensor,
    dim: Option<isize>,
    keep: Keep,
    outputs: [&mut RawTensor; 2],
    admitted: [Admitted; 2],
) -> Result<()> {
    let [least, most] = aminmax_plans(input, dim, keep)?;
    let sizes = least.sizes();
    let both = Pair { op: Reduction::Aminmax, sizes: &sizes, dtypes: [least.result, most.result] };
    both.write(input, outputs, admitted, |[to_least, to_most]| {
        least.write(to_least)?;
        most.write(to_most)
    })
}

fn aminmax_plans(input: &RawTensor, dim: Option<isize>, keep: Keep) -> Result<[Plan<'_>; 2]> {
    match dim {
        Some(dim) => {
            let dim = wrap_dim(dim, input.rank())?;
            if input.sizes().get(dim) == Some(&0) {
                return Err(Error::index(format!("aminmax: Expected reduction dim {dim} to have non-zero size.")));
            }
        }
        None if input.numel() == 0 => {
            return Err(Error::runtime("aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."));
        }
        None => {}
    }
    result_dtype(Reduction::Aminmax, input.dtype())?;
    let along = dim.map_or_else(Along::all, |dim| Along::dims(&[dim])).keep(keep);
    let one = |op| Plan::new(op, Input::Tensor(input), &along, None);
    Ok([one(Reduction::Amin)?, one(Reduction::Amax)?])
}

/// `cumsum` and `cumprod` along a dimension, of the elements converted to a dtype.
///
/// # Errors
/// Where the dimension isn't there, and for bool as that dtype.
pub fn scan(op: Reduction, input: &RawTensor, dim: isize, dtype: Option<DType>) -> Result<RawTensor> {
    let (dim, through) = scan_plan(op, input, dim, dtype)?;
    output::new([(input.sizes(), through)], input.device(), |[to]| scan_into(op, input, dim, through, to)).map(|[result]| result)
}

/// The same into an output, whose dtype is that of the computation where none is given.
///
/// # Errors
/// As [`scan`].
pub fn scan_out(op: Reduction, input: &RawTensor, dim: isize, dtype: Option<DType>, out: &mut RawTensor) -> Result<Resized> {
    if let Some(dtype) = dtype {
        check_out_dtype(dtype, out.dtype())?;
    }
    let (dim, through) = scan_plan(op, input, dim, Some(out.dtype()))?;
    output::write([out], [(input.sizes(), through)], input, |[to]| scan_into(op, input, dim, through, to))
}

/// `cumsum_` and `cumprod_`.
///
/// # Errors
/// As [`scan`].
pub fn scan_in_place(op: Reduction, tensor: &RawTensor, dim: isize) -> Result<()> {
    tensor.copy_(&scan(op, tensor, dim, Some(tensor.dtype()))?)
}

/// The dimension of a scan, and the dtype that it adds or multiplies in.
fn scan_plan(op: Reduction, input: &RawTensor, dim: isize, dtype: Option<DType>) -> Result<(usize, DType)> {
    let (dim, own) = single(op, input, dim)?;
    let through = dtype.unwrap_or(own);
    // Where there is no more than one element nothing is added to anything.
    let adds = input.rank() > 0 && input.numel() > 0;
    if adds && through == DType::Bool || !through.is_computing() {
        let name = op.row().name;
        return Err(Error::not_implemented(format!("\"{name}_out_cpu\" not implemented for '{}'", through.message_name())));
    }
    Ok((dim, through))
}

fn scan_into(op: Reduction, input: &RawTensor, dim: usize, through: DType, to: &RawTensor) -> Result<()> {
    if through == DType::Bool {
        return to.copy_(input);
    }
    let input = input.to_dtype(through)?;
    if input.is_on_cuda() {
        return to.copy_(&launch::scan(op, &input, dim)?);
    }
    finish::scan(op, &input, dim, &Results::plain(to, through))
}

/// `cummax` and `cummin`: the most extreme element so far, and where it is.
///
/// # Errors
/// Where the dimension isn't there, and for complex numbers.
pub fn scan_places(op: Reduction, input: &RawTensor, dim: isize) -> Result<(RawTensor, RawTensor)> {
    let (dim, result) = scan_places_plan(op, input, dim)?;
    let (sizes, write) = (input.sizes(), |to: [&RawTensor; 2]| scan_places_into(op, input, dim, to));
    output::new([(sizes, result), (sizes, DType::I64)], input.device(), write).map(|[values, places]| (values, places))
}

/// The same into two outputs, which are resized where they must.
///
/// # Errors
/// As [`scan_places`], and where an output has another dtype or its elements share memory; then both are unchanged.
pub fn scan_places_out(op: Reduction, input: &RawTensor, dim: isize, outputs: [&mut RawTensor; 2]) -> Result<()> {
    scan_places_out_where(op, input, dim, outputs, [|_| Ok(()); 2])
}

/// As [`scan_places_out`], where outputs may not take all sizes.
pub(crate) fn scan_places_out_where(
    op: Reduction,
    input: &RawTensor,
    dim: isize,
    outputs: [&mut RawTensor; 2],
    admitted: [Admitted; 2],
) -> Result<()> {
    let (dim, result) = scan_places_plan(op, input, dim)?;
    let both = Pair { op, sizes: input.sizes(), dtypes: [result, DType::I64] };
    both.write(input, outputs, admitted, |to| scan_places_into(op, input, dim, to))
}

fn scan_places_plan(op: Reduction, input: &RawTensor, dim: isize) -> Result<(usize, DType)> {
    if input.rank() == 0 && !(-1..=0).contains(&dim) {
        let name = op.row().name;
        return Err(Error::index(format!("{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")));
    }
    single(op, input, dim)
}

fn scan_places_into(op: Reduction, input: &RawTensor, dim: usize, [values, places]: [&RawTensor; 2]) -> Result<()> {
    if input.is_on_cuda() {
        let (found, at) = launch::scan_places(op, input, dim)?;
        values.copy_(&found)?;
        return places.copy_(&at);
    }
    finish::scan_places(op, input, dim, &Results { values, through: values.dtype(), places: Some(places) })
}

/// Two results of the same sizes, which go into outputs.
struct Pair<'a> {
    op: Reduction,
    sizes: &'a [usize],
    dtypes: [DType; 2],
}

impl Pair<'_> {
    /// Lets `write` write both, when everything about the outputs is known to be right.
    fn write(
        &self,
        input: &RawTensor,
        outputs: [&mut RawTensor; 2],
        admitted: [Admitted; 2],
        write: impl Fn([&RawTensor; 2]) -> Result<()>,
    ) -> Result<()> {
        for admitted in admitted {
            admitted(self.sizes)?;
        }
        for at in [0, 1] {
            check_out_device(input, outputs[at])?;
            check_pair_dtype(self.op, at, self.dtypes[at], outputs[at])?;
        }
        output::write(outputs, self.dtypes.map(|dtype| (self.sizes, dtype)), input, write).map(drop)
    }
}

fn check_pair_dtype(op: Reduction, at: usize, expected: DType, output: &RawTensor) -> Result<()> {
    let found = output.dtype();
    if expected == found {
        return Ok(());
    }
    match (op, at) {
        (Reduction::Cummax | Reduction::Cummin, _) => {
            let (expected, found) = (expected.message_name(), found.message_name());
            Err(Error::runtime(format!("expected scalar_type {expected} but found {found}")))
        }
        (Reduction::Median, 0) => Err(Error::runtime(format!(
            "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type {} does not equal {} (while \
             checking arguments for median)",
            type_name(output),
            type_name(&RawTensor { dtype: expected, ..output.clone() })
        ))),
        (Reduction::Median, _) => Err(Error::runtime(format!(
            "Expected tensor for argument #1 'indices' to have scalar type Long; but got {} instead (while checking arguments for median)",
            type_name(output)
        ))),
        _ => check_out_dtype(expected, found),
    }
}

/// `softmax` and `log_softmax` along a dimension, of the elements converted to a dtype.
///
/// # Errors
/// Where the dimension isn't there, and for all but real floats.
pub fn softmax(op: Reduction, input: &RawTensor, dim: isize, dtype: Option<DType>) -> Result<RawTensor> {
    let wrapped = wrap_dim(dim, input.rank())?;
    let through = dtype.unwrap_or(input.dtype());
    if input.numel() == 0 {
        // No element, no exponential: integers pass, too.
        return input.empty_like(through, MemoryFormat::Contiguous);
    }
    if !through.is_floating_point() || !through.is_computing() {
        let last = if wrapped + 1 >= input.rank() { "_lastdim" } else { "" };
        let (name, dtype) = (op.row().name, through.message_name());
        return Err(Error::not_implemented(format!("\"{name}{last}_kernel_impl\" not implemented for '{dtype}'")));
    }
    let input = input.to_dtype(through)?;
    output::new([(input.sizes(), through)], input.device(), |[to]| {
        if input.is_on_cuda() {
            return to.copy_(&launch::scan(op, &input, wrapped)?);
        }
        finish::softmax(op, &input, wrapped, &Results::plain(to, through))
    })
    .map(|[result]| result)
}
