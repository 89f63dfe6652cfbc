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
pub use latten_spec::reduction::Reduction;
use smallvec::SmallVec;

pub use computed::reduce_program;
pub(crate) use computed::{pick_call, reduce_call};

pub use compare::{NansAre, Tolerance, equal};
pub use pairs::{aminmax, pick, scan_places};
pub(crate) use plan::check_norm_dtype;

use crate::dtype::{cpp_name, promotion_default};
use crate::element::unsupported;
use crate::error::{Error, ErrorKind, Result};
use crate::geometry::wrap_dim;
use crate::launch;
use crate::outputs::check_dtype;
use crate::plan::Target;
use crate::raw::RawTensor;
use plan::Plan;
use results::Results;
use walk::ReducedInput;

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
    pub(crate) fn reduced(&self, rank: usize) -> Result<SmallVec<[usize; 4]>> {
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

    /// Whether the dimensions stay.
    pub(crate) fn keeps(&self) -> bool {
        self.keep == Keep::Yes
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
    Plan::new(op, ReducedInput::Tensor(input), along, None)?.run()
}

/// The same, where the target says.
///
/// # Errors
/// As [`reduce`], and where PyTorch doesn't take an output of that dtype; then it is unchanged.
pub fn reduce_to(op: Reduction, input: &RawTensor, along: &Along, to: Target<'_>) -> Result<RawTensor> {
    let plan = Plan::new(op, ReducedInput::Tensor(input), along, to.tensor().map(RawTensor::dtype))?;
    if to.is_new() {
        return plan.run();
    }
    let sizes = plan.sizes();
    output::write([to], [(&sizes, plan.result)], input, |[to]| plan.write(to)).map(|[result]| result)
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

/// `cumsum` and `cumprod` along a dimension, of the elements converted to a dtype: where none is given, that of the target.
///
/// # Errors
/// Where the dimension isn't there, for bool as that dtype, and where the target has another one.
pub fn scan(op: Reduction, input: &RawTensor, dim: isize, dtype: Option<DType>, to: Target<'_>) -> Result<RawTensor> {
    let found = to.tensor().map(RawTensor::dtype);
    if let (Some(dtype), Some(found)) = (dtype, found) {
        check_scan_dtype(dtype, found, to)?;
    }
    let (dim, through) = scan_plan(op, input, dim, found.or(dtype))?;
    output::write([to], [(input.sizes(), through)], input, |[to]| scan_into(op, input, dim, through, to)).map(|[result]| result)
}

/// That a target has the dtype that is asked for.
fn check_scan_dtype(asked: DType, found: DType, to: Target<'_>) -> Result<()> {
    match to {
        Target::InPlace(_) if asked != found => {
            let (found, asked) = (cpp_name(found), cpp_name(asked));
            Err(Error::runtime(format!("Bad in-place call: input tensor dtype {found} and output tensor dtype {asked} should match")))
        }
        _ => check_out_dtype(asked, found),
    }
}

/// The dimension of a scan, and the dtype that it adds or multiplies in.
fn scan_plan(op: Reduction, input: &RawTensor, dim: isize, dtype: Option<DType>) -> Result<(usize, DType)> {
    let (dim, own) = single(op, input, dim)?;
    let through = dtype.unwrap_or(own);
    // Where there is no more than one element nothing is added to anything.
    let adds = input.rank() > 0 && input.numel() > 0;
    if adds && through == DType::Bool || !through.is_computing() {
        let name = op.row().name;
        return Err(unsupported(&format!("{name}_out_cpu"), through));
    }
    Ok((dim, through))
}

fn scan_into(op: Reduction, input: &RawTensor, dim: usize, through: DType, to: &RawTensor) -> Result<()> {
    if through == DType::Bool {
        return to.copy_(input);
    }
    let input = input.to_dtype(through)?;
    if input.is_on_cuda() {
        return launch::scan(op, &input, dim, to);
    }
    finish::scan(op, &input, dim, &Results::plain(to, through))
}

/// `softmax` and `log_softmax` along a dimension, of the elements converted to a dtype.
///
/// # Errors
/// Where the dimension isn't there, and for all but real floats.
pub fn softmax(op: Reduction, input: &RawTensor, dim: isize, dtype: Option<DType>, to: Target<'_>) -> Result<RawTensor> {
    let wrapped = wrap_dim(dim, input.rank())?;
    let through = dtype.unwrap_or(input.dtype());
    check_dtype(to, through)?;
    if input.numel() == 0 {
        // No element, no exponential: integers pass, too.
        return output::write([to], [(input.sizes(), through)], input, |_| Ok(())).map(|[result]| result);
    }
    if !through.is_floating_point() || !through.is_computing() {
        let last = if wrapped + 1 >= input.rank() { "_lastdim" } else { "" };
        return Err(unsupported(&format!("{}{last}_kernel_impl", op.row().name), through));
    }
    let input = input.to_dtype(through)?;
    output::write([to], [(input.sizes(), through)], &input, |[to]| {
        if input.is_on_cuda() {
            return launch::scan(op, &input, wrapped, to);
        }
        softmax::softmax(op, &input, wrapped, &Results::plain(to, through))
    })
    .map(|[result]| result)
}
