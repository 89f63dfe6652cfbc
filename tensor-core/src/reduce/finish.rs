//! From a reduction and the dtype of its elements to the fold that computes it, into the tensors that are named.

mod rules;

use std::marker::PhantomData;

use latten_spec::DType;
use latten_spec::reduction::Reduction;
use smallvec::SmallVec;

use super::extremes::{CompareIn, Extremes, Ordered};
use super::fold::Rule;
use super::folded::fold;
use super::results::Results;
use super::rows::map_rows;
use super::scan::{Median, Running, RunningExtreme, RunningLogarithm};
use super::sums::{SumIn, Summed};
use super::walk::ReducedInput;
use crate::element::Native;
use crate::error::{Error, Result};
use crate::geometry::strides::contiguous_strides;
use crate::geometry::{Dims, Geometry};
use crate::layout::MemoryFormat;
use crate::match_dtype;
use crate::raw::RawTensor;
use crate::scalar::Scalar;

fn unsupported(op: Reduction, dtype: DType) -> Error {
    crate::element::unsupported(op.row().kernel, dtype)
}

/// A reduction that is decided: of which elements, along which dimensions, into what.
#[derive(Clone, Copy)]
pub(super) struct DecidedReduction<'a> {
    pub(super) op: Reduction,
    pub(super) input: ReducedInput<'a>,
    pub(super) reduced: &'a [bool],
    pub(super) parameter: Option<f64>,
    pub(super) to: Results<'a>,
}

impl DecidedReduction<'_> {
    /// Computes the reduction of elements that are read as `through`.
    pub(super) fn run(&self, through: DType) -> Result<()> {
        let Self { op, input, ref to, .. } = *self;
        match op {
            Reduction::Median if input.tensor().numel() == 0 => {
                // PyTorch's NaN becomes what the dtype makes of it.
                to.values.copy_(&RawTensor::from_scalar(Scalar::Float(f64::NAN), DType::F64)?.to_dtype(to.through)?)
            }
            Reduction::Median => self.pick(),
            // others: folds, in the formulas of their rows.
            _ => self.folded(through, false),
        }
    }

    /// Picks one element along the only reduced dimension, and its place.
    pub(super) fn pick(&self) -> Result<()> {
        let Self { op, input, reduced, ref to, .. } = *self;
        let dtype = input.tensor().dtype();
        if op != Reduction::Median {
            return self.folded(dtype, true);
        }
        fn run<T: Ordered>(input: ReducedInput<'_>, reduced: &[bool], to: &Results<'_>) -> Result<()> {
            median(input.tensor(), reduced, to, |rows, dim, to| map_rows(rows, dim, &Median::<T>(PhantomData), to))
        }
        match_dtype!(dtype, T => run::<<T as CompareIn>::In>(input, reduced, to), else Err(unsupported(op, dtype)))
    }

    /// Computes the least and the greatest, which stand beside each other.
    pub(super) fn extremes(&self) -> Result<()> {
        let dtype = self.input.tensor().dtype();
        match_dtype!(dtype, T => self.fold::<Extremes, <T as CompareIn>::In>(), else Err(unsupported(self.op, dtype)))
    }

    /// Computes the fold of the row that is meant.
    fn folded(&self, through: DType, picks: bool) -> Result<()> {
        let row = self.op.row();
        let (count, parameter) = self.given();
        let Some(fold) = row.fold(parameter, count == 1.0, picks) else {
            return Err(Error::type_error(format!("{} isn't a reduction to one tensor", row.name)));
        };
        rules::run(self, fold, row.folds[fold].host_number(through)).unwrap_or_else(|| Err(unsupported(self.op, through)))
    }

    /// Computes a fold on elements that are read as `T`.
    pub(super) fn fold<R: Rule<T>, T: Native + Default>(&self) -> Result<()> {
        // A pointer, as the calls of operations are (`call::COMPUTE` says why).
        let fold = fold::<R, T> as fn(ReducedInput<'_>, &_, _, &Results<'_>) -> _;
        fold(self.input, self.reduced, self.given(), &self.to)
    }

    /// How many elements each result has, and the row's parameter.
    #[expect(clippy::cast_precision_loss, reason = "a count that large is no divisor that anyone can check")]
    fn given(&self) -> (f64, f64) {
        let sizes = self.input.tensor().sizes().iter().zip(self.reduced);
        let count = sizes.filter(|(_, reduced)| **reduced).map(|(&size, _)| size as f64).product::<f64>();
        (count, self.op.row().parameter(self.parameter))
    }
}

/// The medians along some dimensions, as rows of their own, which a function takes with the dimension that these have.
fn median(input: &RawTensor, reduced: &[bool], to: &Results<'_>, of_rows: fn(&RawTensor, usize, &Results<'_>) -> Result<()>) -> Result<()> {
    let dims = |wanted: bool| (0..input.rank()).filter(move |&dim| reduced[dim] == wanted);
    let kept: Dims = dims(false).collect();
    let pick = |of: &[usize], last: usize| -> Dims { kept.iter().map(|&dim| of[dim]).chain([last]).collect() };
    let count = dims(true).map(|dim| input.sizes()[dim]).product();
    let order: SmallVec<[isize; 6]> = dims(false).chain(dims(true)).map(usize::cast_signed).collect();
    let rows = input.permute(&order)?.contiguous(MemoryFormat::Contiguous)?;
    let offset = rows.storage_offset();
    let rows = rows.with_geometry(Geometry { offset, ..Geometry::contiguous(&pick(input.sizes(), count)) });
    // Dimensions that are reduced may stay, with size 1.
    let single = |tensor: &RawTensor| {
        let strides =
            if tensor.rank() == input.rank() { pick(tensor.strides(), 1) } else { tensor.strides().iter().copied().chain([1]).collect() };
        tensor.with_geometry(Geometry { sizes: pick(input.sizes(), 1), strides, offset: tensor.storage_offset() })
    };
    let places = to.beside.map_or_else(
        || RawTensor::empty(to.values.sizes(), &contiguous_strides(to.values.sizes()), DType::I64, input.device()),
        |places| Ok(places.clone()),
    )?;
    let (values, places) = (single(to.values), single(&places));
    of_rows(&rows, kept.len(), &Results { beside: Some(&places), ..Results::plain(&values, to.through) })
}

/// Running sums and products, and logarithms of sums.
pub(super) fn scan(op: Reduction, input: &RawTensor, dim: usize, to: &Results<'_>) -> Result<()> {
    fn run<T: Summed>(op: Reduction, input: &RawTensor, dim: usize, to: &Results<'_>) -> Result<()> {
        if op == Reduction::Cumprod {
            map_rows(input, dim, &Running::<T, true>(PhantomData), to)
        } else {
            map_rows(input, dim, &Running::<T, false>(PhantomData), to)
        }
    }
    let dtype = input.dtype();
    if op != Reduction::Logcumsumexp {
        return match_dtype!(dtype, T => run::<<T as SumIn>::In>(op, input, dim, to), else Err(unsupported(op, dtype)));
    }
    if dtype == DType::F64 {
        map_rows(input, dim, &RunningLogarithm::<f64>(PhantomData), to)
    } else {
        map_rows(input, dim, &RunningLogarithm::<f32>(PhantomData), to)
    }
}

/// Running extremes.
pub(super) fn scan_places(op: Reduction, input: &RawTensor, dim: usize, to: &Results<'_>) -> Result<()> {
    fn run<T: Ordered>(op: Reduction, input: &RawTensor, dim: usize, to: &Results<'_>) -> Result<()> {
        if op == Reduction::Cummax {
            map_rows(input, dim, &RunningExtreme::<T, true>(PhantomData), to)
        } else {
            map_rows(input, dim, &RunningExtreme::<T, false>(PhantomData), to)
        }
    }
    match_dtype!(input.dtype(), T => run::<<T as CompareIn>::In>(op, input, dim, to), else Err(unsupported(op, input.dtype())))
}
