//! What gives two tensors: elements and their places (`max`, `min`, `median`, `cummax`, `cummin`), and `aminmax`. All checks of both outputs
//! come before anything is written.

use latten_spec::DType;
use latten_spec::reduction::Reduction;

use super::plan::{Plan, check_size};
use super::results::Results;
use super::walk::ReducedInput;
use super::{Along, Keep, check_out_dtype, finish, output, result_dtype, single};
use crate::element::unsupported;
use crate::error::{Error, Result};
use crate::geometry::wrap_dim;
use crate::launch;
use crate::plan::Target;
use crate::raw::{RawTensor, check_out_device, type_name};

/// `max`, `min` and `median` along a dimension: the elements and where they are.
///
/// # Errors
/// Where the dimension isn't there or has no elements, for complex numbers, and where an output has another dtype or its elements share memory;
/// then both are unchanged.
pub fn pick(op: Reduction, input: &RawTensor, dim: isize, keep: Keep, to: [Target<'_>; 2]) -> Result<(RawTensor, RawTensor)> {
    let plan = pick_plan(op, ReducedInput::Tensor(input), dim, keep)?;
    let sizes = plan.sizes();
    let both = ResultPair { op, sizes: &sizes, dtypes: [plan.result, DType::I64] };
    both.write(input, to, |[values, places]| plan.write_both(values, places))
}

/// The same of what an expression gives, in new tensors.
pub(super) fn pick_input(op: Reduction, of: ReducedInput<'_>, dim: isize, keep: Keep) -> Result<(RawTensor, RawTensor)> {
    let plan = pick_plan(op, of, dim, keep)?;
    let sizes = plan.sizes();
    let both = output::new([Target::New; 2], [(&sizes, plan.result), (&sizes, DType::I64)], of.device(), |[values, places]| {
        plan.write_both(values, places)
    });
    both.map(|[values, places]| (values, places))
}

fn pick_plan(op: Reduction, of: ReducedInput<'_>, dim: isize, keep: Keep) -> Result<Plan<'_>> {
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
            return Err(unsupported("median_out", dtype));
        }
        Reduction::Max | Reduction::Min | Reduction::Median => {}
        // others: refused.
        _ => return Err(Error::type_error(format!("{name} doesn't pick one of the elements"))),
    }
    let result = result_dtype(op, dtype)?;
    let reduced = (0..input.rank()).map(|d| d == wrapped).collect();
    Ok(Plan { op, input: of, reduced, keep, through: dtype, result, parameter: None })
}

/// The least and the largest element, of all or along a dimension.
///
/// # Errors
/// Where there are none, for complex numbers, and where an output has another dtype or its elements share memory; then both are unchanged.
pub fn aminmax(input: &RawTensor, dim: Option<isize>, keep: Keep, to: [Target<'_>; 2]) -> Result<(RawTensor, RawTensor)> {
    let [least, most] = aminmax_plans(input, dim, keep)?;
    let sizes = least.sizes();
    let both = ResultPair { op: Reduction::Aminmax, sizes: &sizes, dtypes: [least.result, most.result] };
    both.write(input, to, |[to_least, to_most]| {
        if input.is_on_cuda() {
            least.write(to_least)?;
            return most.write(to_most);
        }
        let to = Results { beside: Some(to_most), ..Results::plain(to_least, least.result) };
        finish::DecidedReduction { op: Reduction::Aminmax, input: least.input, reduced: &least.reduced, parameter: None, to }.extremes()
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
    let one = |op| Plan::new(op, ReducedInput::Tensor(input), &along, None);
    Ok([one(Reduction::Amin)?, one(Reduction::Amax)?])
}

/// `cummax` and `cummin`: the most extreme element so far, and where it is.
///
/// # Errors
/// Where the dimension isn't there, for complex numbers, and where an output has another dtype or its elements share memory; then both are
/// unchanged.
pub fn scan_places(op: Reduction, input: &RawTensor, dim: isize, to: [Target<'_>; 2]) -> Result<(RawTensor, RawTensor)> {
    let (dim, result) = scan_places_plan(op, input, dim)?;
    let both = ResultPair { op, sizes: input.sizes(), dtypes: [result, DType::I64] };
    both.write(input, to, |to| scan_places_into(op, input, dim, to))
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
        return launch::scan_places(op, input, dim, [values, places]);
    }
    finish::scan_places(op, input, dim, &Results { beside: Some(places), ..Results::plain(values, values.dtype()) })
}

/// Two results of the same sizes.
struct ResultPair<'a> {
    op: Reduction,
    sizes: &'a [usize],
    dtypes: [DType; 2],
}

impl ResultPair<'_> {
    /// Lets `write` write both, when everything about the outputs is known to be right.
    fn write(
        &self,
        input: &RawTensor,
        to: [Target<'_>; 2],
        write: impl Fn([&RawTensor; 2]) -> Result<()>,
    ) -> Result<(RawTensor, RawTensor)> {
        for target in to {
            target.admits(self.sizes)?;
        }
        for (at, output) in to.into_iter().map(Target::tensor).enumerate() {
            let Some(output) = output else { continue };
            check_out_device(input, output)?;
            check_pair_dtype(self.op, at, self.dtypes[at], output)?;
        }
        output::write(to, self.dtypes.map(|dtype| (self.sizes, dtype)), input, write).map(|[first, second]| (first, second))
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
        // others: the words of most reductions.
        _ => check_out_dtype(expected, found),
    }
}
