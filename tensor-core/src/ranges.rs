//! Ranges: numbers that are counted, computed from the places of the elements in one pass, on the device where they go.

use latten_spec::operation::Op;
use latten_spec::{Category, DType};

use crate::convert::{CastFrom, Written, rounded_to};
use crate::create::Options;
use crate::device::Device;
use crate::dtype::default_dtype;
use crate::element::unsupported;
use crate::elementwise::Params;
use crate::error::{Error, Result};
use crate::geometry::dense_nbytes;
use crate::plan::Target;
use crate::program::{Argument, Program};
use crate::raw::RawTensor;
use crate::scalar::Scalar;

impl RawTensor {
    /// `start`, `start + step` and so on, up to `end` and without it. Without a dtype it is `int64` where all are integers, and
    /// else the default dtype.
    ///
    /// # Errors
    /// Where the numbers make no range.
    pub fn arange(start: Scalar, end: Scalar, step: Scalar, options: &Options) -> Result<Self> {
        Self::arange_to(Target::New, start, end, step, options)
    }

    /// The same, or the tensor that is offered.
    pub(crate) fn arange_to(to: Target<'_>, start: Scalar, end: Scalar, step: Scalar, options: &Options) -> Result<Self> {
        let whole = [start, end, step].iter().all(|number| number.category() <= Category::Integral);
        let dtype = options.dtype.unwrap_or_else(|| if whole { DType::I64 } else { default_dtype() });
        let real = |number: Scalar| number.check(DType::F64, Written::Many).map(|()| f64::cast_from(number));
        let (first, last, by) = (real(start)?, real(end)?, real(step)?);
        if by == 0.0 {
            return Err(Error::runtime("step must be nonzero"));
        }
        if !first.is_finite() || !last.is_finite() {
            let shown = |end: f64| if end.is_nan() { "nan".to_owned() } else { end.to_string() };
            return Err(Error::runtime(format!("unsupported range: {} -> {}", shown(first), shown(last))));
        }
        if (by > 0.0) != (last >= first) && last != first {
            return Err(Error::runtime("upper bound and lower bound inconsistent with step sign"));
        }
        let count = if whole { integer_count(start, end, step) } else { ((last - first) / by).ceil() };
        if matches!(dtype.category(), Category::Boolean | Category::Complex) || !dtype.is_computing() {
            return Err(unsupported("arange_cpu", dtype));
        }
        let mut program = Program::new();
        let (place, first, by) = if dtype.is_integral() {
            let [first, by] = [start, step].map(|number| Scalar::Int(i64::cast_from(number)));
            (Argument::Index, first, by)
        } else {
            (program.cast(DType::F64, Argument::Index), first.into(), by.into())
        };
        let number = program.apply(Op::Add, &[Argument::Number(first), place], Params::all(&[Some(by)]));
        program.cast(dtype, number);
        counted(to, &program, to_count(count)?, dtype, options)
    }

    /// That many numbers, evenly from `start` to `end`, both included. Without a dtype it is the default dtype.
    ///
    /// # Errors
    /// Where the memory would be larger than can be.
    pub fn linspace(start: f64, end: f64, steps: usize, options: &Options) -> Result<Self> {
        Self::linspace_to(Target::New, start, end, steps, options)
    }

    /// The same, or the tensor that is offered.
    pub(crate) fn linspace_to(to: Target<'_>, start: f64, end: f64, steps: usize, options: &Options) -> Result<Self> {
        let dtype = options.dtype.unwrap_or_else(default_dtype);
        if dtype == DType::Bool || !dtype.is_computing() {
            return Err(unsupported("linspace_cpu", dtype));
        }
        // Both ends are numbers of the dtype first: 4.3 is 4 for integers.
        let [start, end] = [start, end].map(|end| if dtype.is_integral() { end.trunc() } else { rounded_to(end, dtype.to_real()) });
        #[expect(clippy::cast_precision_loss, reason = "places of elements that fit memory")]
        let (last, half) = (steps.max(2) as f64 - 1.0, if steps == 1 { 1.0 } else { (steps / 2) as f64 });
        let step = Params::all(&[Some(Scalar::Float((end - start) / last))]);
        // From both ends to the middle, so that both ends are exact.
        let mut program = Program::new();
        let place = program.cast(DType::F64, Argument::Index);
        let from_start = program.apply(Op::Add, &[start.into(), place], step.clone());
        let back = program.apply(Op::Sub, &[last.into(), place], Params::none());
        let from_end = program.apply(Op::Sub, &[end.into(), back], step);
        let near_start = program.apply(Op::Lt, &[place, half.into()], Params::none());
        let number = program.apply(Op::Where, &[near_start, from_start, from_end], Params::none());
        program.cast(dtype, number);
        counted(to, &program, steps, dtype, options)
    }
}

/// One dimension, each element computed from its place.
fn counted(to: Target<'_>, program: &Program, count: usize, dtype: DType, options: &Options) -> Result<RawTensor> {
    dense_nbytes(&[count], dtype.itemsize())?;
    let tensor = to.as_it_lies(&[count], &[1], dtype, options.device.unwrap_or(Device::CPU))?;
    if !tensor.is_meta() {
        program.run_into(&[], &tensor)?;
    }
    Ok(tensor)
}

/// How many steps there are between integers, without rounding.
#[expect(clippy::cast_precision_loss, reason = "a count that isn't exact as f64 doesn't fit memory")]
fn integer_count(start: Scalar, end: Scalar, step: Scalar) -> f64 {
    let [start, end, step] = [start, end, step].map(|number| i128::from(i64::cast_from(number)));
    let (span, step) = if step < 0 { (start - end, -step) } else { (end - start, step) };
    ((span + step - 1) / step) as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
fn to_count(count: f64) -> Result<usize> {
    if (0.0..9e18).contains(&count) { Ok(count as usize) } else { Err(Error::runtime("invalid size, possible overflow?")) }
}
