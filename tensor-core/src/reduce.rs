//! Reductions, scans and softmax on erased tensors: which dimensions, which dtypes, in PyTorch's order of checks and in its words.
//!
//! `fold` and `rows` are the two loops; `sums`, `extremes`, `spread`, `scan` and `softmax` say what is computed in them; `compare` holds
//! `isclose` and its like. Every result is new and contiguous; an output is written when all is computed, so that it may overlap
//! the input.

mod compare;
mod computed;
pub(crate) mod extremes;
mod finish;
pub(crate) mod fold;
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

pub use compare::{NansAre, Tolerance, equal};

use crate::dtype::{cpp_name, promotion_default};
use crate::elementwise::Resized;
use crate::error::{Error, ErrorKind, Result};
use crate::geometry::strides::contiguous_strides;
use crate::geometry::{Dims, wrap_dim, wrap_distinct_dims};
use crate::launch;
use crate::layout::MemoryFormat;
use crate::raw::{RawTensor, check_out_device};
use crate::views::type_name;
use fold::Input;

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
    let result = reduce_for(op, input, along, out.dtype())?;
    out.take_result(&result)
}

/// What goes into an output of that dtype.
pub(crate) fn reduce_for(op: Reduction, input: &RawTensor, along: &Along, out: DType) -> Result<RawTensor> {
    Plan::new(op, Input::Tensor(input), along, Some(out))?.run()
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

impl RawTensor {
    /// Becomes a result, resized where it must, and says whether it was.
    pub(crate) fn take_result(&mut self, result: &Self) -> Result<Resized> {
        check_out_device(result, self)?;
        let resized = self.fitted(result.sizes())?;
        resized.copy_(result)?;
        Ok(Resized::put(self, resized))
    }

    /// Itself with those sizes, resized where it must.
    fn fitted(&self, sizes: &[usize]) -> Result<Self> {
        let mut fitted = self.clone();
        if self.sizes() != sizes {
            fitted.geometry.sizes = sizes.into();
            fitted.geometry.strides = contiguous_strides(sizes);
            fitted.fit_storage()?;
        }
        Ok(fitted)
    }
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

    fn run(&self) -> Result<RawTensor> {
        let sizes = self.sizes();
        let computed = match self.input {
            Input::Tensor(input) if input.is_meta() => {
                return RawTensor::empty(&sizes, &contiguous_strides(&sizes), self.result, input.device());
            }
            Input::Tensor(input) if input.is_on_cuda() => {
                return launch::fold(self.op, input, &self.reduced, &sizes, (self.through, self.result), self.parameter);
            }
            Input::Tensor(input) if !self.is_direct() => self.compute(Input::Tensor(&input.to_dtype(self.through)?), &sizes),
            input => self.compute(input, &sizes),
        };
        computed?.to_dtype(self.result)
    }

    /// Whether elements are read as the dtype that is computed in: they need no conversion before.
    fn is_direct(&self) -> bool {
        self.through == self.input.tensor().dtype()
            || matches!(self.through, DType::I64 | DType::F32 | DType::F64 | DType::C64 | DType::C128)
    }

    fn compute(&self, input: Input<'_>, sizes: &[usize]) -> Result<RawTensor> {
        finish::compute(self.op, input, self.through, &self.reduced, self.parameter, sizes)
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

fn pick_input(op: Reduction, of: Input<'_>, dim: isize, keep: Keep) -> Result<(RawTensor, RawTensor)> {
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
    let plan =
        Plan { op, input: of, reduced: (0..input.rank()).map(|d| d == wrapped).collect(), keep, through: dtype, result, parameter: None };
    let sizes = plan.sizes();
    if matches!(of, Input::Tensor(input) if input.is_meta()) {
        let empty = |dtype| RawTensor::empty(&sizes, &contiguous_strides(&sizes), dtype, input.device());
        return Ok((empty(result)?, empty(DType::I64)?));
    }
    if let Input::Tensor(input) = of
        && input.is_on_cuda()
    {
        return launch::pick(op, input, &plan.reduced, &sizes);
    }
    let (values, places) = finish::pick(op, of, &plan.reduced, &sizes)?;
    Ok((values.to_dtype(result)?, places))
}

/// The least and the largest element, of all or along a dimension.
///
/// # Errors
/// Where there are none, and for complex numbers.
pub fn aminmax(input: &RawTensor, dim: Option<isize>, keep: Keep) -> Result<(RawTensor, RawTensor)> {
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
    Ok((reduce(Reduction::Amin, input, &along)?, reduce(Reduction::Amax, input, &along)?))
}

/// `cumsum` and `cumprod` along a dimension, of the elements converted to a dtype.
///
/// # Errors
/// Where the dimension isn't there, and for bool as that dtype.
pub fn scan(op: Reduction, input: &RawTensor, dim: isize, dtype: Option<DType>) -> Result<RawTensor> {
    let (dim, own) = single(op, input, dim)?;
    let through = dtype.unwrap_or(own);
    if through == DType::Bool && (input.rank() == 0 || input.numel() == 0) {
        // Nothing is added to anything.
        return input.clone_as(MemoryFormat::Contiguous)?.to_dtype(through);
    }
    if through == DType::Bool || !through.is_computing() {
        let name = op.row().name;
        return Err(Error::not_implemented(format!("\"{name}_out_cpu\" not implemented for '{}'", through.message_name())));
    }
    let input = input.to_dtype(through)?;
    if input.is_on_cuda() {
        return launch::scan(op, &input, dim);
    }
    finish::scan(op, &input, dim)?.to_dtype(through)
}

/// The same into an output, whose dtype is that of the computation where none is given.
///
/// # Errors
/// As [`scan`].
pub fn scan_out(op: Reduction, input: &RawTensor, dim: isize, dtype: Option<DType>, out: &mut RawTensor) -> Result<Resized> {
    if let Some(dtype) = dtype {
        check_out_dtype(dtype, out.dtype())?;
    }
    let result = scan(op, input, dim, Some(out.dtype()))?;
    out.take_result(&result)
}

/// `cumsum_` and `cumprod_`.
///
/// # Errors
/// As [`scan`].
pub fn scan_in_place(op: Reduction, tensor: &RawTensor, dim: isize) -> Result<()> {
    tensor.copy_(&scan(op, tensor, dim, Some(tensor.dtype()))?)
}

/// `cummax` and `cummin`: the most extreme element so far, and where it is.
///
/// # Errors
/// Where the dimension isn't there, and for complex numbers.
pub fn scan_places(op: Reduction, input: &RawTensor, dim: isize) -> Result<(RawTensor, RawTensor)> {
    if input.rank() == 0 && !(-1..=0).contains(&dim) {
        let name = op.row().name;
        return Err(Error::index(format!("{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")));
    }
    let (dim, result) = single(op, input, dim)?;
    if input.is_on_cuda() {
        return launch::scan_places(op, input, dim);
    }
    let (values, places) = finish::scan_places(op, input, dim)?;
    Ok((values.to_dtype(result)?, places))
}

/// Puts the two results of `max`, `min`, `median`, `cummax`, `cummin` or `aminmax` into outputs, which are resized where they must.
///
/// # Errors
/// Where one has another dtype, in each operation's words, or can't be resized; then both are unchanged.
pub fn pair_into(op: Reduction, results: &(RawTensor, RawTensor), outputs: [&mut RawTensor; 2]) -> Result<()> {
    let [first, second] = outputs;
    for (at, (result, output)) in [(&results.0, &*first), (&results.1, &*second)].into_iter().enumerate() {
        check_out_device(result, output)?;
        check_pair_dtype(op, at, result, output)?;
    }
    let fitted = [first.fitted(results.0.sizes())?, second.fitted(results.1.sizes())?];
    fitted[0].copy_(&results.0)?;
    fitted[1].copy_(&results.1)?;
    let [one, other] = fitted;
    Resized::put(first, one);
    Resized::put(second, other);
    Ok(())
}

fn check_pair_dtype(op: Reduction, at: usize, result: &RawTensor, output: &RawTensor) -> Result<()> {
    let (expected, found) = (result.dtype(), output.dtype());
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
            type_name(result)
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
    if input.is_on_cuda() {
        return launch::scan(op, &input, wrapped);
    }
    finish::softmax(op, &input, wrapped)?.to_dtype(through)
}
