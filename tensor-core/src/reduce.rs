//! Reductions, scans and softmax on erased tensors: which dimensions, which dtypes, in PyTorch's order of checks and in its words.
//!
//! `fold` and `rows` are the two loops; `sums`, `extremes`, `spread`, `scan` and `softmax` say what is computed in them; `compare` holds
//! `isclose` and its like. A new result is contiguous; into an output (`output`) results go where they are computed, unless it shares memory
//! with the input.

mod compare;
mod computed;
pub(crate) mod extremes;
mod finish;
mod fold;
mod folded;
mod output;
mod pairs;
mod plan;
pub(crate) mod results;
pub(crate) mod rows;
mod scan;
mod softmax;
mod spread;
mod sums;
pub(crate) mod walk;

use latten_spec::DType;
use latten_spec::operation::RefusalKind;
use latten_spec::reduction::Reduction;
use smallvec::SmallVec;

pub use computed::reduce_program;
pub(crate) use computed::{pick_call, reduce_call};

pub use compare::{NansAre, Tolerance, equal};
pub use pairs::{aminmax, aminmax_out, pick, pick_out, scan_places, scan_places_out};
pub(crate) use pairs::{aminmax_out_where, pick_out_where, scan_places_out_where};

use crate::dtype::{cpp_name, promotion_default};
use crate::elementwise::Resized;
use crate::error::{Error, ErrorKind, Result};
use crate::geometry::wrap_dim;
use crate::launch;
use crate::layout::MemoryFormat;
use crate::plan::Admitted;
use crate::raw::RawTensor;
use plan::Plan;
use results::Results;
use walk::Input;

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

    /// Whether nothing is said but that.
    pub(crate) fn is_all(&self) -> bool {
        let Self { dims: None, dtype: None, parameter: None, keep } = self else { return false };
        *keep == Keep::default()
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

    /// The dimensions of a tensor of that rank that are reduced.
    pub(crate) fn reduced(&self, rank: usize) -> Result<SmallVec<[usize; 6]>> {
        match self.dims.as_deref() {
            None | Some([]) => Ok((0..rank).collect()),
            Some(_) if rank == 0 => Ok(SmallVec::new()),
            Some(dims) => dims.iter().map(|&dim| wrap_dim(dim, rank)).collect(),
        }
    }

    /// The dimensions, where some are given.
    pub(crate) fn given_dims(&self) -> Option<&[isize]> {
        self.dims.as_deref()
    }

    /// The dtype to which elements are converted first.
    pub(crate) fn converting_to(&self) -> Option<DType> {
        self.dtype
    }

    /// What a variance takes off the count, or the order of a norm.
    pub(crate) fn given_parameter(&self) -> Option<f64> {
        self.parameter
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

/// The one dimension of what goes along a single one, and the dtype of its result.
fn single(op: Reduction, input: &RawTensor, dim: isize) -> Result<(usize, DType)> {
    let dim = wrap_dim(dim, input.rank())?;
    Ok((dim, result_dtype(op, input.dtype())?))
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
pub fn scan_out(
    op: Reduction,
    input: &RawTensor,
    dim: isize,
    dtype: Option<DType>,
    out: &mut RawTensor,
    admitted: Admitted,
) -> Result<Resized> {
    if let Some(dtype) = dtype {
        check_out_dtype(dtype, out.dtype())?;
    }
    let (dim, through) = scan_plan(op, input, dim, Some(out.dtype()))?;
    admitted(input.sizes())?;
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
        softmax::softmax(op, &input, wrapped, &Results::plain(to, through))
    })
    .map(|[result]| result)
}
