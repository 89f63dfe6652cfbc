//! Tensors from nothing, as calls: new ones with options, or outputs, which become them in their own dtype where they lie.

use super::counts;
use super::turned;
use crate::create::Options;
use crate::elementwise::{RawOperand, Target};
use crate::error::{Error, Result};
use crate::geometry::strides::contiguous_strides;
use crate::geometry::{Dims, dense_nbytes};
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::views::signed;

/// Sizes, none of them negative.
pub(super) fn sizes(signed: &[isize]) -> Result<Dims> {
    match signed.iter().find(|&&size| size < 0) {
        Some(size) => Err(Error::runtime(format!("Trying to create tensor with negative dimension {size}: {signed:?}"))),
        None => Ok(signed.iter().map(|size| size.unsigned_abs()).collect()),
    }
}

/// A tensor of those sizes that is drawn: a new one with these options, or an output, which keeps its own where it can't be drawn.
pub(super) fn drawn(to: Target<'_>, size: &[isize], options: &Options, draw: impl FnOnce(&RawTensor) -> Result<()>) -> Result<RawTensor> {
    let sizes = sizes(size)?;
    let drawn = match to {
        Target::New | Target::Offered(_) => RawTensor::new(&sizes, options)?,
        Target::InPlace(tensor) => tensor.clone(),
        Target::Out(out, admitted) => {
            check_options(out, options)?;
            let mut fitted = out.clone();
            if fitted.sizes() != &*sizes {
                fitted.resize_(size, None, admitted)?;
            }
            fitted
        }
    };
    draw(&drawn)?;
    Ok(drawn)
}

/// That an output is what is asked for.
fn check_options(out: &RawTensor, options: &Options) -> Result<()> {
    if let Some(dtype) = options.dtype.filter(|&dtype| dtype != out.dtype()) {
        let (asked, found) = (dtype.message_name(), out.dtype().message_name());
        return Err(Error::runtime(format!("dtype {asked} does not match dtype of out parameter ({found})")));
    }
    if let Some(device) = options.device.filter(|device| device.kind() != out.device().kind()) {
        let (asked, found) = (device.kind(), out.device().kind());
        return Err(Error::runtime(format!("device type {asked} does not match device type of out parameter ({found})")));
    }
    Ok(())
}

/// A tensor from nothing, or an output that becomes it in its own dtype.
pub(super) fn made(
    to: Target<'_>,
    sizes: impl FnOnce() -> Result<Dims>,
    options: &Options,
    new: impl FnOnce(&[usize]) -> Result<RawTensor>,
    fill: impl FnOnce(&RawTensor) -> Result<()>,
) -> Result<RawTensor> {
    let Some(out) = to.tensor() else { return new(&sizes()?) };
    check_options(out, options)?;
    let sizes = sizes()?;
    dense_nbytes(&sizes, out.dtype().itemsize())?;
    let made = to.output(&sizes, &contiguous_strides(&sizes), out.dtype(), out)?;
    made.fit_storage()?;
    fill(&made)?;
    Ok(made)
}

/// The same number everywhere.
pub(super) fn full(to: Target<'_>, size: &[isize], number: Scalar, options: &Options) -> Result<RawTensor> {
    made(to, || sizes(size), options, |sizes| RawTensor::full(sizes, number, options), |made| made.fill_(number))
}

/// Ones on the diagonal of a matrix of zeros.
pub(super) fn eye(to: Target<'_>, [rows, columns]: [isize; 2], options: &Options) -> Result<RawTensor> {
    let sizes = || Ok(Dims::from_slice(&[count("n", rows)?, count("m", columns)?]));
    let fill = |made: &RawTensor| {
        made.zero_()?;
        made.diagonal(0, 0, 1)?.fill_elements(Scalar::Int(1))
    };
    made(to, sizes, options, |sizes| RawTensor::eye(sizes[0], sizes[1], options), fill)
}

/// A row from nothing, which goes into an output of as many elements whatever sizes that has.
pub(super) fn made_row(
    to: Target<'_>,
    options: &Options,
    make: impl FnOnce(Target<'_>, &Options) -> Result<RawTensor>,
) -> Result<RawTensor> {
    let Some(out) = to.tensor() else { return make(Target::New, options) };
    check_options(out, options)?;
    let room = out.view(&[-1]).ok();
    let options = Options { dtype: Some(out.dtype()), device: Some(out.device()), format: None };
    let row = make(Target::offering(room.as_ref()), &options)?;
    to.take(if out.numel() == row.numel() { row.view(&signed(out.sizes()))? } else { row })
}

pub(super) fn linspace(to: Target<'_>, ends: [RawOperand<'_>; 2], steps: isize, options: &Options) -> Result<RawTensor> {
    let [start, end] = turned::ends("linspace", ends)?;
    made_row(to, options, |to, options| RawTensor::linspace_to(to, start, end, counts::steps_of(steps)?, options))
}

pub(super) fn logspace(to: Target<'_>, ends: [RawOperand<'_>; 2], steps: isize, base: f64, options: &Options) -> Result<RawTensor> {
    let ends = turned::ends("logspace", ends)?;
    made_row(to, options, |to, options| counts::logspace(to, ends, counts::steps_of(steps)?, base, options))
}

pub(super) fn zeros_sizes(signed: &[isize]) -> Result<Dims> {
    sizes(signed).map_err(|_| Error::runtime("zeros: Dimension size must be non-negative."))
}

/// A tensor of those strides, over memory of its own.
pub(super) fn strided_memory(size: &[isize], stride: &[isize], options: &Options) -> Result<RawTensor> {
    let own = sizes(size)?;
    if size.len() != stride.len() {
        let (own, there) = (size.len(), stride.len());
        return Err(Error::runtime(format!("dimensionality of sizes ({own}) must match dimensionality of strides ({there})")));
    }
    let mut steps = own.iter().zip(stride);
    let count = steps.try_fold(1_isize, |count, (&size, &stride)| count.checked_add(stride.checked_mul(size.cast_signed() - 1)?));
    let count = if own.contains(&0) { Some(0) } else { count };
    let Some(count) = count.filter(|_| stride.iter().all(|&stride| stride >= 0)) else {
        return Err(Error::runtime(format!("Storage size calculation overflowed with sizes={size:?} and strides={stride:?}")));
    };
    RawTensor::new(&[count.unsigned_abs()], options)?.as_strided(size, stride, None)
}

/// A tensor whose dimensions lie in memory in this order.
pub(super) fn laid_out(size: &[isize], order: &[isize], options: &Options) -> Result<RawTensor> {
    let own = sizes(size)?;
    if size.len() != order.len() {
        let (own, there) = (size.len(), order.len());
        return Err(Error::runtime(format!(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = {own} is not equal to \
             len(physical_layout) = {there}"
        )));
    }
    let mut back = vec![0; order.len()];
    let mut dims = Dims::new();
    for (at, &dim) in order.iter().enumerate() {
        let Some(&size) = usize::try_from(dim).ok().and_then(|dim| own.get(dim)) else {
            let last = own.len().cast_signed() - 1;
            return Err(Error::runtime(format!(
                "Dimension out of range (expected to be between 0 and {last}, but got {dim} at index {at}).  NB: negative dims not currently \
                 supported; file an issue if you want it."
            )));
        };
        if order[..at].contains(&dim) {
            return Err(Error::runtime("Duplicate dim not allowed"));
        }
        dims.push(size);
        back[dim.unsigned_abs()] = at.cast_signed();
    }
    RawTensor::new(&dims, options)?.permute(&back)
}

pub(super) fn count(name: &str, number: isize) -> Result<usize> {
    usize::try_from(number).map_err(|_| Error::runtime(format!("{name} must be greater or equal to 0, got {number}")))
}

pub(super) fn full_like(input: &RawTensor, number: Scalar, options: &Options) -> Result<RawTensor> {
    let tensor = input.new_like(options)?;
    tensor.fill_(number)?;
    Ok(tensor)
}
