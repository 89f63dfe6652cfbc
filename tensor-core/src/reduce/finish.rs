//! From a reduction and the dtype of its elements to the fold that computes it, and from what the fold found to a tensor.

use std::marker::PhantomData;

use latten_spec::DType;
use latten_spec::reduction::Reduction;

use super::extremes::{CompareIn, Extreme, Found, Ordered, Place};
use super::fold::{Fold, Input, fold};
use super::rows::map_rows;
use super::scan::{Median, Running, RunningExtreme};
use super::softmax::{self, Exponential};
use super::spread::{Exponentials, LogSumExp, Norm, Order, SpreadIn, Variance, Wide};
use super::sums::{Count, Numbers, Prod, Sum, SumIn, Summed, Truth};
use crate::element::Native;
use crate::error::{Error, Result};
use crate::geometry::Geometry;
use crate::layout::MemoryFormat;
use crate::match_dtype;
use crate::raw::RawTensor;
use crate::storage::UntypedStorage;

/// A contiguous tensor of these numbers.
fn tensor<T: Native>(numbers: Vec<T>, sizes: &[usize]) -> RawTensor {
    RawTensor { storage: UntypedStorage::from_vec(numbers), dtype: T::NATIVE, geometry: Geometry::contiguous(sizes) }
}

fn unsupported(op: Reduction, dtype: DType) -> Error {
    Error::not_implemented(format!("\"{}\" not implemented for '{}'", op.row().kernel, dtype.message_name()))
}

/// What the elements of each result made, also where there are none.
fn folded<F: Fold>(input: Input<'_>, reduced: &[bool], by: &F) -> Result<Vec<F::Acc>> {
    if input.tensor().numel() > 0 {
        return fold(input, reduced, by);
    }
    let results = input.tensor().sizes().iter().zip(reduced).filter(|(_, reduced)| !**reduced).map(|(&size, _)| size).product();
    Ok(vec![by.start(); results])
}

/// How many elements go into each result.
#[expect(clippy::cast_precision_loss, reason = "a count that large is no divisor that anyone can check")]
fn count(input: Input<'_>, reduced: &[bool]) -> f64 {
    input.tensor().sizes().iter().zip(reduced).filter(|(_, reduced)| **reduced).map(|(&size, _)| size).product::<usize>() as f64
}

/// The result of a reduction of elements that are read as `through`, in the dtype that it is computed in.
pub(super) fn compute(
    op: Reduction,
    input: Input<'_>,
    through: DType,
    reduced: &[bool],
    parameter: Option<f64>,
    sizes: &[usize],
) -> Result<RawTensor> {
    match op {
        Reduction::Sum | Reduction::Prod | Reduction::Mean | Reduction::Nansum | Reduction::Nanmean => {
            match_dtype!(through, T => sums::<<T as SumIn>::In>(op, input, reduced, sizes), else Err(unsupported(op, through)))
        }
        Reduction::Amax | Reduction::Max | Reduction::Amin | Reduction::Min | Reduction::Argmax | Reduction::Argmin => {
            match_dtype!(through, T => extremes::<<T as CompareIn>::In>(op, input, reduced, sizes), else Err(unsupported(op, through)))
        }
        Reduction::Var | Reduction::Std | Reduction::Norm | Reduction::Logsumexp => {
            match_dtype!(through, T => spreads::<<T as SpreadIn>::In>(op, input, reduced, parameter, sizes), else Err(unsupported(op, through)))
        }
        Reduction::Any | Reduction::All => {
            let truths = folded(input, reduced, &Truth { decides: op == Reduction::Any })?;
            Ok(tensor(truths, sizes))
        }
        Reduction::CountNonzero => Ok(tensor(folded(input, reduced, &Count)?, sizes)),
        Reduction::Median => median_of_all(input.tensor()),
        _ => Err(Error::type_error(format!("{} isn't a reduction to one tensor", op.row().name))),
    }
}

fn sums<T: Summed>(op: Reduction, input: Input<'_>, reduced: &[bool], sizes: &[usize]) -> Result<RawTensor> {
    let plain = || folded(input, reduced, &Sum::<T, false>(PhantomData));
    let without_nans = || folded(input, reduced, &Sum::<T, true>(PhantomData));
    let wide = match op {
        Reduction::Sum => plain()?,
        Reduction::Nansum => without_nans()?,
        Reduction::Prod => folded(input, reduced, &Prod::<T>(PhantomData))?,
        Reduction::Mean => {
            let count = count(input, reduced);
            plain()?.into_iter().map(|sum| T::over(sum, count)).collect()
        }
        _ => {
            let counts = folded(input, reduced, &Numbers::<T>(PhantomData))?;
            without_nans()?.into_iter().zip(counts).map(|(sum, count)| T::over(sum, count)).collect()
        }
    };
    Ok(tensor(wide.into_iter().map(T::narrow).collect(), sizes))
}

fn extremes<T: Ordered>(op: Reduction, input: Input<'_>, reduced: &[bool], sizes: &[usize]) -> Result<RawTensor> {
    Ok(match op {
        Reduction::Amax | Reduction::Max => tensor(folded(input, reduced, &Extreme::<T, true>(PhantomData))?, sizes),
        Reduction::Amin | Reduction::Min => tensor(folded(input, reduced, &Extreme::<T, false>(PhantomData))?, sizes),
        Reduction::Argmax => found(&folded(input, reduced, &Place::<T, true>(PhantomData))?, sizes).1,
        _ => found(&folded(input, reduced, &Place::<T, false>(PhantomData))?, sizes).1,
    })
}

/// Elements and their places as tensors.
fn found<T: Ordered>(found: &[Found<T>], sizes: &[usize]) -> (RawTensor, RawTensor) {
    let places = found.iter().map(|found| found.index.cast_signed() as i64).collect();
    (tensor(found.iter().map(|found| found.value).collect(), sizes), tensor(places, sizes))
}

fn spreads<T: Wide>(op: Reduction, input: Input<'_>, reduced: &[bool], parameter: Option<f64>, sizes: &[usize]) -> Result<RawTensor> {
    match op {
        Reduction::Norm => {
            let norm = Norm::<T> { order: Order::from(parameter.unwrap_or(2.0)), element: PhantomData };
            let norms = folded(input, reduced, &norm)?;
            Ok(tensor(norms.into_iter().map(|acc| norm.finish(acc)).collect(), sizes))
        }
        Reduction::Logsumexp => {
            let sums = folded(input, reduced, &LogSumExp::<T>(PhantomData))?;
            Ok(tensor(sums.into_iter().map(Exponentials::ln).collect(), sizes))
        }
        _ => {
            let correction = parameter.unwrap_or(1.0);
            let moments = folded(input, reduced, &Variance::<T>(PhantomData))?;
            let variances = moments.into_iter().map(|moments| moments.variance(correction));
            let root = |variance: f64| if op == Reduction::Std { variance.sqrt() } else { variance };
            Ok(tensor(variances.map(root).collect(), sizes))
        }
    }
}

/// The median of all elements; NaN where there are none.
fn median_of_all(input: &RawTensor) -> Result<RawTensor> {
    if input.numel() == 0 {
        return Ok(tensor(vec![f64::NAN], &[]));
    }
    let mut flat = input.contiguous(MemoryFormat::Contiguous)?;
    let mut geometry = Geometry::contiguous(&[flat.numel()]);
    geometry.offset = flat.storage_offset();
    flat = flat.with_geometry(geometry);
    Ok(pick(Reduction::Median, Input::Tensor(&flat), &[true], &[])?.0)
}

/// One element along the only reduced dimension, and its place.
pub(super) fn pick(op: Reduction, input: Input<'_>, reduced: &[bool], sizes: &[usize]) -> Result<(RawTensor, RawTensor)> {
    let dtype = input.tensor().dtype();
    match_dtype!(dtype, T => pick_in::<<T as CompareIn>::In>(op, input, reduced, sizes), else Err(unsupported(op, dtype)))
}

fn pick_in<T: Ordered>(op: Reduction, input: Input<'_>, reduced: &[bool], sizes: &[usize]) -> Result<(RawTensor, RawTensor)> {
    match op {
        Reduction::Max => Ok(found(&folded(input, reduced, &Place::<T, true>(PhantomData))?, sizes)),
        Reduction::Min => Ok(found(&folded(input, reduced, &Place::<T, false>(PhantomData))?, sizes)),
        _ => {
            let dim = reduced.iter().position(|&reduced| reduced).unwrap_or(0);
            let (values, places) = with_places(map_rows(input.tensor(), dim, &Median::<T>(PhantomData))?)?;
            // The reduced dimension has size 1 there.
            let resized =
                |found: RawTensor| found.with_geometry(Geometry { offset: found.storage_offset(), ..Geometry::contiguous(sizes) });
            Ok((resized(values), resized(places)))
        }
    }
}

fn with_places((values, places): (RawTensor, Option<RawTensor>)) -> Result<(RawTensor, RawTensor)> {
    places.map(|places| (values, places)).ok_or_else(|| Error::runtime("the operation has no places"))
}

/// Running sums and products.
pub(super) fn scan(op: Reduction, input: &RawTensor, dim: usize) -> Result<RawTensor> {
    fn run<T: Summed>(op: Reduction, input: &RawTensor, dim: usize) -> Result<RawTensor> {
        let both = match op {
            Reduction::Cumprod => map_rows(input, dim, &Running::<T, true>(PhantomData)),
            _ => map_rows(input, dim, &Running::<T, false>(PhantomData)),
        };
        Ok(both?.0)
    }
    match_dtype!(input.dtype(), T => run::<<T as SumIn>::In>(op, input, dim), else Err(unsupported(op, input.dtype())))
}

/// Running extremes.
pub(super) fn scan_places(op: Reduction, input: &RawTensor, dim: usize) -> Result<(RawTensor, RawTensor)> {
    fn run<T: Ordered>(op: Reduction, input: &RawTensor, dim: usize) -> Result<(RawTensor, RawTensor)> {
        with_places(match op {
            Reduction::Cummax => map_rows(input, dim, &RunningExtreme::<T, true>(PhantomData)),
            _ => map_rows(input, dim, &RunningExtreme::<T, false>(PhantomData)),
        }?)
    }
    match_dtype!(input.dtype(), T => run::<<T as CompareIn>::In>(op, input, dim), else Err(unsupported(op, input.dtype())))
}

/// Softmax of real floats.
pub(super) fn softmax(op: Reduction, input: &RawTensor, dim: usize) -> Result<RawTensor> {
    fn run<T: Exponential>(op: Reduction, input: &RawTensor, dim: usize) -> Result<RawTensor> {
        if op == Reduction::LogSoftmax { softmax::of::<T, true>(input, dim) } else { softmax::of::<T, false>(input, dim) }
    }
    if input.dtype() == DType::F64 { run::<f64>(op, input, dim) } else { run::<f32>(op, input, dim) }
}
