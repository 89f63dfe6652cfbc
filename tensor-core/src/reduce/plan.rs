//! One call of a reduction: which dimensions, which dtypes, what is refused, in PyTorch's order of checks and in its words.

use latten_spec::reduction::{OutputRule, Reduction, ReductionResult, ReductionTrait};
use latten_spec::{DType, can_cast};
use smallvec::SmallVec;

use super::results::{Results, Single};
use super::walk::ReducedInput;
use super::{Along, Keep, check_out_dtype, finish, output, refused, result_dtype};
use crate::dtype::{default_dtype, promotion_default};
use crate::element::unsupported;
use crate::error::{Error, Result};
use crate::geometry::{Dims, Geometry, wrap_dim, wrap_distinct_dims};
use crate::kernels::block::Neighbours;
use crate::launch;
use crate::raw::RawTensor;
use crate::storage::Fresh;

/// So many elements are folded at once.
const FEW: usize = 4096;

/// One call of a reduction, checked.
pub(super) struct Plan<'a> {
    pub(super) op: Reduction,
    pub(super) input: ReducedInput<'a>,
    /// Of each dimension, whether it is reduced.
    pub(super) reduced: SmallVec<[bool; 16]>,
    pub(super) keep: Keep,
    /// What the elements are converted to before anything is computed.
    pub(super) through: DType,
    pub(super) result: DType,
    pub(super) parameter: Option<f64>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(op: Reduction, of: ReducedInput<'a>, along: &Along, out: Option<DType>) -> Result<Self> {
        let (input, dims, row) = (of.tensor(), along.dims.as_deref(), op.row());
        if let (OutputRule::AsInput, Some(out)) = (row.output, out)
            && out != input.dtype()
        {
            let (input, out) = (input.dtype().message_name(), out.message_name());
            return Err(Error::runtime(format!(
                "Expected the dtype for input and out to match, but got {input} for input's dtype and {out} for out's dtype."
            )));
        }
        if row.output == OutputRule::Computed && dims.is_none() {
            check_cast(op, input.dtype(), out)?;
        }
        let through = through(op, input.dtype(), along, out)?;
        // A dtype that is asked for takes the place of the input's in `mean`.
        let counts = along.dtype.filter(|_| op == Reduction::Mean).unwrap_or(input.dtype());
        if row.is(ReductionTrait::DtypeFirst) {
            check_taken(op, counts, dims, along)?;
        }
        if row.is(ReductionTrait::NeedsElements) {
            check_not_empty(op, input, dims)?;
        }
        let reduced = reduced_dims(op, input, dims)?;
        if row.is(ReductionTrait::NeedsPlaces) {
            check_something_to_find(op, input, dims)?;
        }
        if op == Reduction::Norm {
            check_norm(input, dims, along)?;
        }
        // The median of nothing compares nothing, whatever the dtype.
        let nothing = op == Reduction::Median && input.numel() == 0 && out.is_none();
        let result = if nothing { input.dtype() } else { check_output(op, counts, through, along.dtype, out)? };
        if row.is(ReductionTrait::HalvesStay) {
            check_halves(input, &reduced, out)?;
        }
        Ok(Self { op, input: of, reduced, keep: along.keep, through, result, parameter: along.parameter })
    }

    /// The result's sizes.
    pub(super) fn sizes(&self) -> Dims {
        let dims = self.input.tensor().sizes().iter().zip(&self.reduced);
        dims.filter_map(|(&size, &reduced)| match (reduced, self.keep) {
            (false, _) => Some(size),
            (true, Keep::Yes) => Some(1),
            (true, Keep::No) => None,
        })
        .collect()
    }

    /// A new tensor with the results.
    pub(super) fn run(&self) -> Result<RawTensor> {
        if let Some(result) = self.at_once()? {
            return Ok(result);
        }
        output::new_one(&self.sizes(), self.result, self.input.device(), |to| self.write(to))
    }

    /// The only result of few elements of the dtype that is computed in, which lie in their order.
    fn at_once(&self) -> Result<Option<RawTensor>> {
        let ReducedInput::Tensor(input) = self.input else { return Ok(None) };
        let folds = self.op != Reduction::Median && self.through == input.dtype() && self.reduced.iter().all(|&reduced| reduced);
        let few = input.row_len().is_some_and(|len| len <= FEW);
        if !folds || !few {
            return Ok(None);
        }
        let mut memory = Fresh::new(self.result.itemsize())?;
        let Some(row) = Neighbours::fresh(&mut memory, self.result, 1) else { return Ok(None) };
        let single = Single::new(row);
        let to = Results { single: Some(&single), ..Results::plain(input, self.result) };
        finish::DecidedReduction { op: self.op, input: self.input, reduced: &self.reduced, parameter: self.parameter, to }
            .run(self.through)?;
        if !single.is_done() {
            return Ok(None);
        }
        let rank = if self.keep == Keep::Yes { self.reduced.len() } else { 0 };
        let ones = || Dims::from_elem(1, rank);
        let geometry = Geometry { sizes: ones(), strides: ones(), offset: 0 };
        Ok(Some(RawTensor { storage: memory.into_storage(), dtype: self.result, geometry, history: None }))
    }

    /// Writes the results into a tensor of their sizes that shares no memory with the input.
    pub(super) fn write(&self, to: &RawTensor) -> Result<()> {
        let (reduced, parameter) = (&self.reduced[..], self.parameter);
        let call = |input| {
            finish::DecidedReduction { op: self.op, input, reduced, parameter, to: Results::plain(to, self.result) }.run(self.through)
        };
        match self.input {
            ReducedInput::Tensor(input) if input.is_on_cuda() => {
                launch::fold(self.op, input, reduced, (self.through, self.result), parameter, to)
            }
            ReducedInput::Tensor(input) if !self.is_direct() => call(ReducedInput::Tensor(&input.to_dtype(self.through)?)),
            input => call(input),
        }
    }

    /// Whether elements are read as the dtype that is computed in: they need no conversion before.
    pub(super) fn is_direct(&self) -> bool {
        self.through == self.input.tensor().dtype()
            || matches!(self.through, DType::I64 | DType::F32 | DType::F64 | DType::C64 | DType::C128)
    }

    /// Writes the picked elements and their places.
    pub(super) fn write_both(&self, values: &RawTensor, places: &RawTensor) -> Result<()> {
        let to = Results { beside: Some(places), ..Results::plain(values, self.result) };
        match self.input {
            ReducedInput::Tensor(input) if input.is_on_cuda() => launch::pick(self.op, input, &self.reduced, [values, places]),
            input => finish::DecidedReduction { op: self.op, input, reduced: &self.reduced, parameter: None, to }.pick(),
        }
    }
}

/// The dtype that elements are converted to first.
fn through(op: Reduction, input: DType, along: &Along, out: Option<DType>) -> Result<DType> {
    let row = op.row();
    if let Some(wanted) = along.dtype {
        let (of, to) = (input.category(), wanted.category());
        return match row.unwanted.iter().find(|(inputs, dtypes, ..)| inputs.contains(of) && dtypes.contains(to)) {
            Some(&(.., kind, text)) => Err(refused((kind, text.replace("{}", wanted.message_name())))),
            None => Ok(wanted),
        };
    }
    match out.filter(|_| row.is(ReductionTrait::InOutput)) {
        Some(out) if row.output == OutputRule::Computed => Ok(computed_for(op, input, out)),
        Some(out) if row.is(ReductionTrait::StaysFloating) && input.is_floating_point() && !out.is_floating_point() => {
            Err(unsupported(row.kernel, out))
        }
        Some(out) => Ok(out),
        None if row.is(ReductionTrait::InResult) => Ok(op.result(input, promotion_default()).unwrap_or(input)),
        None => Ok(input),
    }
}

/// The dtype that is computed in for an output that it can be computed in; halves are sums of float, rounded once.
fn computed_for(op: Reduction, input: DType, out: DType) -> DType {
    let half = matches!(out, DType::F16 | DType::BF16);
    match out {
        _ if out == input || !out.is_computing() || !op.row().takes.contains(out.category()) => input,
        _ if half => DType::F32,
        _ => out,
    }
}

/// That what is reduced whole can be cast to the output.
fn check_cast(op: Reduction, input: DType, out: Option<DType>) -> Result<()> {
    match out.filter(|&out| !can_cast(input, out)) {
        Some(out) => {
            let (name, out) = (op.row().name, out.message_name());
            Err(Error::runtime(format!("{name}.dtype_out(): input types can't be cast to the desired output type {out}")))
        }
        None => Ok(()),
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
fn reduced_dims(op: Reduction, input: &RawTensor, dims: Option<&[isize]>) -> Result<SmallVec<[bool; 16]>> {
    let rank = input.rank();
    let dims = match dims {
        None => return Ok(SmallVec::from_elem(true, rank)),
        Some([]) => return Ok(SmallVec::from_elem(!op.row().is(ReductionTrait::EmptyIsNone), rank)),
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
pub(super) fn check_size(name: &str, input: &RawTensor, dim: usize) -> Result<()> {
    match input.sizes().get(dim) {
        Some(0) => Err(Error::index(format!("{name}(): Expected reduction dim {dim} to have non-zero size."))),
        _ => Ok(()),
    }
}

/// That the output of all elements of a half is of halves.
fn check_halves(input: &RawTensor, reduced: &[bool], out: Option<DType>) -> Result<()> {
    let is_half = |dtype| matches!(dtype, DType::F16 | DType::BF16);
    let refused =
        is_half(input.dtype()) && out.is_some_and(|out| !is_half(out)) && input.numel() > 0 && reduced.iter().all(|&reduced| reduced);
    if refused {
        return Err(Error::runtime(format!("std_var_all: Unsupported dtype {}", input.dtype().message_name())));
    }
    Ok(())
}

/// What only norms check, in `linalg.vector_norm`'s words.
fn check_norm(input: &RawTensor, dims: Option<&[isize]>, along: &Along) -> Result<()> {
    let order = along.parameter.unwrap_or(2.0);
    if input.numel() == 0 && (order < 0.0 || order.is_infinite()) {
        let identity = "because the operation does not have an identity";
        let Some(dims) = dims.filter(|dims| !dims.is_empty()) else {
            return Err(Error::runtime(format!("linalg.vector_norm cannot compute the {order} norm on an empty tensor {identity}")));
        };
        for (at, dim) in std::iter::zip(wrap_distinct_dims(dims, input.rank())?, dims) {
            if input.sizes()[at] == 0 {
                // PyTorch forgets the space, too.
                return Err(Error::runtime(format!(
                    "linalg.vector_norm cannot compute the {order} norm on the dimension {dim}because this dimension is empty and the \
                     operation does not have an identity"
                )));
            }
        }
    }
    along.dtype.map_or(Ok(()), |wanted| check_norm_dtype("linalg.vector_norm", input.dtype(), wanted))
}

/// That a norm may be computed in a dtype, in the words of a call.
pub(crate) fn check_norm_dtype(call: &str, have: DType, wanted: DType) -> Result<()> {
    let name = wanted.message_name();
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
    Err(Error::runtime(format!("{call}: {refusal}")))
}

/// The dtype of the result, where the output may have it.
fn check_output(op: Reduction, input: DType, through: DType, wanted: Option<DType>, out: Option<DType>) -> Result<DType> {
    let (own, row) = (result_dtype(op, input)?, op.row());
    let converted = wanted.is_some() && row.is(ReductionTrait::Converts) || row.is(ReductionTrait::InOutput);
    let result = match row.result {
        _ if !converted => own,
        ReductionResult::Real => through.to_real(),
        _ => through,
    };
    let Some(out) = out else { return Ok(result) };
    let (name, out_name) = (row.name, out.message_name());
    let refusal = match row.output {
        OutputRule::Exact => return check_out_dtype(result, out).map(|()| result),
        OutputRule::Cast | OutputRule::Computed if wanted.is_some() => return check_out_dtype(result, out).map(|()| result),
        OutputRule::Cast if !can_cast(result, out) => {
            format!("result type {} can't be cast to the desired output type {out_name}", result.message_name())
        }
        OutputRule::Computed if !row.takes.contains(out.category()) => {
            format!("result type {} can't be cast to the desired output type {out_name}", default_dtype().message_name())
        }
        OutputRule::Truth if !matches!(out, DType::Bool | DType::U8) => {
            format!("{name} only supports bool tensor for result, got: {out_name}")
        }
        OutputRule::Float if out.is_integral() => {
            format!("{name}(): Expected floating point type for result tensor, but got: {out_name}")
        }
        OutputRule::Any | OutputRule::Cast | OutputRule::Computed | OutputRule::AsInput | OutputRule::Truth | OutputRule::Float => {
            return Ok(result);
        }
    };
    Err(Error::runtime(refusal))
}
