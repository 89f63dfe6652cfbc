//! Numbers of a range of reals: uniform, normal, exponential, Cauchy's, log-normal. Normal numbers for tensors are in `normal.rs`.

use half::{bf16, f16};
use latten_spec::DType;
use latten_spec::operation::Op;

use super::counted;
use super::fill::{each, fill};
use super::generator::{Generator, GeneratorState};
use super::normal::normal_;
use crate::convert::CastFrom;
use crate::dtype::{cpp_name, finfo, six_digits};
use crate::element::unsupported;
use crate::error::{Error, Result};
use crate::kernels::level::{Job, vectorised};
use crate::kernels::parts::hand_out;
use crate::raw::RawTensor;

/// Elements for one thread at a time.
const PART: usize = 1 << 13;

/// PyTorch's `uniform_`: numbers from `low` up to `high`, and without it. Of complex tensors both parts.
///
/// # Errors
/// For bounds that the dtype can't hold or in the wrong order, and for tensors of integers.
pub fn uniform_(tensor: &RawTensor, low: f64, high: f64, generator: Option<&Generator>) -> Result<()> {
    if tensor.dtype().is_complex() {
        // PyTorch doesn't look at the bounds of nothing.
        if tensor.numel() == 0 {
            return Ok(());
        }
        return uniform_(&tensor.view_as_real()?, low, high, generator);
    }
    check_bounds(tensor.dtype(), low, high)?;
    if counted::fill(tensor, generator, &|draw| draw.uniform_between(tensor.dtype(), low, high))? {
        return Ok(());
    }
    #[expect(clippy::cast_possible_truncation, reason = "the dtype of the computation")]
    let narrow = Range { low: low as f32, high: high as f32 };
    match tensor.dtype() {
        DType::F64 => fill(tensor, generator, &mut |state: &mut GeneratorState, to: &mut [f64]| {
            state.uniform_f64(to);
            vectorised(Stretch { to, range: Range { low, high }, multiply_add: f64::mul_add, round: |x: f64| x });
        }),
        DType::F16 => fill(tensor, generator, &mut |state, to| narrow.fill(state, to, |x| f32::cast_from(f16::cast_from(x)))),
        DType::BF16 => fill(tensor, generator, &mut |state, to| narrow.fill(state, to, |x| f32::cast_from(bf16::cast_from(x)))),
        // others: single precision; dtypes without a loop were refused by the check of bounds.
        _ => fill(tensor, generator, &mut |state, to| narrow.fill(state, to, |x| x)),
    }
}

fn check_bounds(dtype: DType, low: f64, high: f64) -> Result<()> {
    if !dtype.is_floating_point() || dtype.is_float8() {
        return Err(unsupported("check_uniform_bounds", dtype));
    }
    let limits = finfo(dtype)?;
    for (name, bound) in [("from", low), ("to", high)] {
        if !(limits.min..=limits.max).contains(&bound) {
            return Err(Error::runtime(format!("{name} is out of bounds for {}", cpp_name(dtype))));
        }
    }
    if low > high {
        let (low, high) = (six_digits(low), six_digits(high));
        return Err(Error::runtime(format!("uniform_ expects to return a [from, to) range, but found from={low} > to={high}")));
    }
    if high - low > limits.max {
        let (low, high, name) = (six_digits(low), six_digits(high), dtype.message_name());
        return Err(Error::runtime(format!(
            "uniform_ expects to-from <= std::numeric_limits<{name}>::max(), but found to={high} and from={low} which result in to-from to \
             exceed the limit"
        )));
    }
    Ok(())
}

#[derive(Clone, Copy)]
struct Range<T> {
    low: T,
    high: T,
}

impl Range<f32> {
    fn fill(self, state: &mut GeneratorState, to: &mut [f32], round: impl Fn(f32) -> f32) {
        state.uniform_f32(to);
        vectorised(Stretch { to, range: self, multiply_add: f32::mul_add, round });
    }
}

/// Numbers below 1 as numbers of a range. What rounds to the upper end becomes the lower one.
struct Stretch<'a, T, M, R> {
    to: &'a mut [T],
    range: Range<T>,
    multiply_add: M,
    round: R,
}

impl<T, M, R> Job for Stretch<'_, T, M, R>
where
    T: Copy + PartialEq + std::ops::Sub<Output = T> + From<u8>,
    M: Fn(T, T, T) -> T,
    R: Fn(T) -> T,
{
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (low, span) = (self.range.low, self.range.high - self.range.low);
        let (top, bottom) = ((self.round)(self.range.high), (self.round)(low));
        // Processors without the instruction take a hundred times as long to add nothing.
        let plain = low == T::from(0) && span == T::from(1);
        for to in self.to {
            let x = (self.round)(if plain { *to } else { (self.multiply_add)(*to, span, low) });
            *to = if x == top { bottom } else { x };
        }
    }
}

/// PyTorch's `exponential_`: numbers whose logarithm of the share above them falls with `rate`.
///
/// # Errors
/// For a rate that isn't above zero, and for dtypes that aren't real floats.
pub fn exponential_(tensor: &RawTensor, rate: f64, generator: Option<&Generator>) -> Result<()> {
    check_above_zero("exponential_", "lambda", rate)?;
    if !tensor.dtype().is_floating_point() {
        return Err(only_continuous("Exponential", tensor.dtype().message_name()));
    }
    if counted::fill(tensor, generator, &|draw| draw.exponential(rate))? {
        return Ok(());
    }
    of_uniform(tensor, generator, &|u| -1.0 / rate * (-u).ln_1p())
}

/// PyTorch's `cauchy_`.
///
/// # Errors
/// For a `sigma` that isn't above zero, and for dtypes that aren't real floats.
pub fn cauchy_(tensor: &RawTensor, median: f64, sigma: f64, generator: Option<&Generator>) -> Result<()> {
    check_above_zero("cauchy_", "sigma", sigma)?;
    if !tensor.dtype().is_floating_point() {
        return Err(only_continuous("Cauchy", &cpp_name(tensor.dtype())));
    }
    if counted::fill(tensor, generator, &|draw| draw.cauchy(median, sigma))? {
        return Ok(());
    }
    of_uniform(tensor, generator, &|u| sigma.mul_add((std::f64::consts::PI * (u - 0.5)).tan(), median))
}

/// PyTorch's `log_normal_`: the exponential of normal numbers.
///
/// # Errors
/// For a deviation that isn't above zero, and for dtypes that aren't real floats.
pub fn log_normal_(tensor: &RawTensor, mean: f64, deviation: f64, generator: Option<&Generator>) -> Result<()> {
    check_above_zero("log_normal_", "std", deviation)?;
    if !tensor.dtype().is_floating_point() {
        return Err(unsupported("log_normal_cpu", tensor.dtype()));
    }
    let counted = counted::fill(tensor, generator, &|draw| {
        let normal = draw.normal(DType::F64, mean, deviation);
        draw.apply(Op::Exp, &[normal])
    });
    if counted? {
        return Ok(());
    }
    each(tensor, generator, |state| state.normal().mul_add(deviation, mean).exp())
}

fn check_above_zero(op: &str, name: &str, value: f64) -> Result<()> {
    if value > 0.0 {
        return Ok(());
    }
    Err(Error::runtime(format!("{op} expects {name} > 0.0, but found {name}={}", six_digits(value))))
}

fn only_continuous(name: &str, dtype: &str) -> Error {
    Error::runtime(format!(
        "{name} distribution is a continuous probability distribution. dtype must be a floating point but you specified {dtype}"
    ))
}

/// Numbers that are computed in `f64` from a uniform one each, and rounded to the dtype. Threads share the computation, not the draws.
pub(super) fn of_uniform(tensor: &RawTensor, generator: Option<&Generator>, number: &(dyn Fn(f64) -> f64 + Sync)) -> Result<()> {
    fill(tensor, generator, &mut |state: &mut GeneratorState, to: &mut [f64]| {
        state.uniform_f64(to);
        hand_out(&mut to.chunks_mut(PART), &|_, to| to.iter_mut().for_each(|to| *to = number(*to)));
    })
}

/// PyTorch's `rand` into a tensor that is new: numbers from 0 to 1.
///
/// # Errors
/// As [`uniform_`].
pub fn rand(new: RawTensor, generator: Option<&Generator>) -> Result<RawTensor> {
    uniform_(&new, 0.0, 1.0, generator)?;
    Ok(new)
}

/// PyTorch's `randn` into a tensor that is new: normal numbers of mean 0 and deviation 1.
///
/// # Errors
/// As [`normal_`].
pub fn randn(new: RawTensor, generator: Option<&Generator>) -> Result<RawTensor> {
    normal_(&new, 0.0, 1.0, generator)?;
    Ok(new)
}
