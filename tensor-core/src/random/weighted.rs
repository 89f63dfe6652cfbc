//! Draws whose chances stand in tensors: Poisson's numbers, samples by weight, and normal numbers of many means and deviations.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::continuous::exponential_;
use super::fill::has_data;
use super::generator::{Generator, GeneratorState};
use super::normal::normal_;
use crate::create::Options;
use crate::element::unsupported;
use crate::elementwise::{Params, RawOperand, apply, apply_in_place};
use crate::error::{Error, Result};
use crate::geometry::broadcast::broadcast_shapes;
use crate::geometry::strides::contiguous_strides;
use crate::geometry::{dense_nbytes, numel};
use crate::indexing::{Extreme, topk};
use crate::kernels::parts::hand_out;
use crate::kernels::vocabulary::Floating;
use crate::layout::MemoryFormat;
use crate::plan::Target;
use crate::program::{Argument, Program};
use crate::raw::RawTensor;
use crate::reduce::{Along, Keep, reduce};
use crate::room::{filled, room};
use crate::storage::TypedStorage;

/// PyTorch's `poisson`: at each place a number of events, of which that many are to be expected.
///
/// # Errors
/// For a rate below 0, and for tensors that aren't of real floats.
pub fn poisson(rates: &RawTensor, generator: Option<&Generator>) -> Result<RawTensor> {
    let dtype = rates.dtype();
    if !dtype.is_floating_point() || dtype.is_float8() {
        return Err(unsupported("poisson_cpu", dtype));
    }
    let result = RawTensor::new(rates.sizes(), &Options::new().dtype(dtype).device(rates.device())?)?;
    if !has_data(rates) {
        return Ok(result);
    }
    let mut numbers: Vec<f64> = rates.contiguous(MemoryFormat::Contiguous)?.to_dtype(DType::F64)?.numbers()?;
    if !numbers.iter().all(|rate| *rate >= 0.0) {
        return Err(Error::runtime("invalid Poisson rate, expected rate to be non-negative"));
    }
    let mut state = Generator::held(generator, rates.device())?;
    numbers.iter_mut().for_each(|rate| *rate = state.events(*rate));
    drop(state);
    result.copy_(&RawTensor::from_vec(numbers, rates.sizes())?)?;
    Ok(result)
}

impl GeneratorState {
    fn events(&mut self, rate: f64) -> f64 {
        if rate == 0.0 {
            return 0.0;
        }
        if rate < 10.0 { self.few_events(rate) } else { self.many_events(rate) }
    }

    /// Uniform numbers are multiplied until they are as small as the chance of no event.
    fn few_events(&mut self, rate: f64) -> f64 {
        let (least, mut product, mut events) = ((-rate).exp(), 1.0, 0.0);
        loop {
            product *= self.uniform();
            if product <= least {
                return events;
            }
            events += 1.0;
        }
    }

    /// Hörmann's rejection with a squeeze (PTRS).
    fn many_events(&mut self, rate: f64) -> f64 {
        let (root, log) = (rate.sqrt(), rate.ln());
        let b = 0.931 + 2.53 * root;
        let a = -0.059 + 0.024_83 * b;
        let inverse = 1.1239 + 1.1328 / (b - 3.4);
        let squeeze = 0.9277 - 3.6224 / (b - 2.0);
        loop {
            let (u, v) = (self.uniform() - 0.5, self.uniform());
            let side = 0.5 - u.abs();
            let events = ((2.0 * a / side + b) * u + rate + 0.43).floor();
            if side >= 0.07 && v <= squeeze {
                return events;
            }
            if events < 0.0 || side < 0.013 && v > side {
                continue;
            }
            let height = v.ln() + inverse.ln() - (a / (side * side) + b).ln();
            if height <= -rate + events * log - libm::lgamma(events + 1.0) {
                return events;
            }
        }
    }
}

/// Whether a place that was drawn can be drawn again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// It can't.
    No,
    /// It can.
    Yes,
}

/// PyTorch's `replacement`.
impl From<bool> for Replacement {
    fn from(replacement: bool) -> Self {
        if replacement { Self::Yes } else { Self::No }
    }
}

/// PyTorch's `multinomial`: places of a row of weights, each as often as its weight says.
///
/// # Errors
/// For weights that are no row or matrix of floats, or not all finite and at least 0 with something above, and for more samples than there are places.
pub fn multinomial(
    weights: &RawTensor,
    samples: isize,
    replacement: Replacement,
    generator: Option<&Generator>,
    to: Target<'_>,
) -> Result<RawTensor> {
    let places = check_samples(weights, samples, replacement)?;
    let rows = if weights.rank() == 2 { weights.sizes()[0] } else { 1 };
    let count = samples.unsigned_abs();
    let sizes: &[usize] = if weights.rank() == 2 { &[rows, count] } else { &[count] };
    let result = || RawTensor::new(sizes, &Options::new().dtype(DType::I64).device(weights.device())?);
    if weights.is_meta() || rows == 0 {
        return result();
    }
    if replacement == Replacement::Yes && count > 1 {
        let drawn = RawTensor::from_vec(with_replacement(weights, (places, count), generator)?, sizes)?;
        return drawn.to_device(weights.device());
    }
    check_weights(weights)?;
    let spread = weights.new_like(&Options::new())?;
    exponential_(&spread, 1.0, generator)?;
    apply_into(Op::Div, &spread, weights)?;
    if count == 1 {
        return reduce(Reduction::Argmax, &spread, &Along::dims(&[-1]).keep(Keep::Yes));
    }
    topk(&spread, samples, -1, Extreme::Largest, [Target::New, to.offer()]).map(|(_, places)| places)
}

/// The weights over a tensor of numbers, in the place of these.
fn apply_into(op: Op, numbers: &RawTensor, weights: &RawTensor) -> Result<()> {
    let mut out = numbers.clone();
    crate::elementwise::apply_out(op, &[RawOperand::Tensor(weights), RawOperand::Tensor(numbers)], &mut out, &Params::none()).map(drop)
}

/// The checks of the arguments, in PyTorch's order; gives the number of places in a row.
fn check_samples(weights: &RawTensor, samples: isize, replacement: Replacement) -> Result<usize> {
    let refuse = |text: String| Err(Error::runtime(text));
    if !(1..=2).contains(&weights.rank()) {
        return refuse("prob_dist must be 1 or 2 dim".into());
    }
    if !weights.dtype().is_floating_point() {
        let dtype = weights.dtype().message_name();
        return refuse(format!("multinomial only supports floating-point dtypes for input, got: {dtype}"));
    }
    if samples <= 0 {
        return refuse("cannot sample n_sample <= 0 samples".into());
    }
    let places = weights.sizes()[weights.rank() - 1];
    if replacement == Replacement::No && samples.unsigned_abs() > places {
        return refuse("cannot sample n_sample > prob_dist.size(-1) samples without replacement".into());
    }
    if places > 1 << 24 {
        return refuse("number of categories cannot exceed 2^24".into());
    }
    Ok(places)
}

/// That all weights are finite and not below 0, and that each row has one above.
fn check_weights(weights: &RawTensor) -> Result<()> {
    let mut program = Program::new();
    let bounds = [(Op::Ge, 0.0), (Op::Lt, f64::INFINITY)];
    let bounds = bounds.map(|(op, bound)| program.apply(op, &[Argument::Operand(0), bound.into()], Params::none()));
    program.apply(Op::LogicalAnd, &bounds, Params::none());
    if !reduce(Reduction::All, &program.run(&[weights])?, &Along::all())?.any_true()? {
        return Err(Error::runtime("probability tensor contains either `inf`, `nan` or element < 0"));
    }
    let some = reduce(Reduction::Any, weights, &Along::dims(&[-1]))?;
    if weights.numel() == 0 || !reduce(Reduction::All, &some, &Along::all())?.any_true()? {
        return Err(no_weight());
    }
    Ok(())
}

/// Each sample is a place in the running sum of the weights, which is kept in the precision that PyTorch keeps it in.
fn with_replacement(weights: &RawTensor, (places, count): (usize, usize), generator: Option<&Generator>) -> Result<Vec<i64>> {
    if places == 0 {
        return Err(no_weight());
    }
    if weights.dtype() == DType::F64 {
        sampled::<f64>(weights, (places, count), generator)
    } else {
        sampled::<f32>(weights, (places, count), generator)
    }
}

/// As above; weights are summed in one of two types.
fn sampled<T: Floating + Default + Into<f64>>(
    weights: &RawTensor,
    (places, count): (usize, usize),
    generator: Option<&Generator>,
) -> Result<Vec<i64>> {
    let sums = RawTensor::new(weights.sizes(), &Options::new().dtype(T::DTYPE))?;
    sums.copy_(weights)?;
    let sums = TypedStorage::<T>::of(sums.storage().clone());
    let mut sums = sums.slice_mut()?;
    check_shares(&sums)?;
    hand_out(&mut sums.chunks_mut(places * ROWS_AT_ONCE), &|_, rows| sum_up(rows, places));
    let last = |row: &[T]| row.last().copied().unwrap_or_default();
    if sums.chunks(places).any(|row| last(row) <= T::default()) {
        return Err(no_weight());
    }
    // The generator's numbers come one after the other; where they lead, threads find out.
    let samples = numel(&[sums.len() / places, count])?;
    let mut uniform = room(samples)?;
    let mut state = Generator::held(generator, weights.device())?;
    uniform.extend(std::iter::repeat_with(|| state.uniform()).take(samples));
    drop(state);
    let mut drawn = filled(samples, 0)?;
    let (together, sums) = (PART.div_ceil(places), &sums[..]);
    hand_out(&mut drawn.chunks_mut(together * count).zip(uniform.chunks(together * count)), &|part, (drawn, uniform)| {
        let rows = sums[part * together * places..].chunks(places);
        for ((row, drawn), uniform) in rows.zip(drawn.chunks_mut(count)).zip(uniform.chunks(count)) {
            let all = last(row);
            for (to, &u) in drawn.iter_mut().zip(uniform) {
                // The last place takes what rounding left below 1.
                *to = row[..places - 1].partition_point(|sum| sum.div(all).into() < u).cast_signed() as i64;
            }
        }
    });
    Ok(drawn)
}

/// Weights of one thread's part of the rows.
const PART: usize = 1 << 16;
/// Each addition of a running sum waits for the one before; those of other rows don't.
const ROWS_AT_ONCE: usize = 8;

/// That all weights are finite and not below 0.
fn check_shares<T: Floating + Default>(weights: &[T]) -> Result<()> {
    let fits = |weight: T| weight >= T::default() && weight.is_finite();
    // Without an early end, a loop of vectors.
    if weights.iter().fold(true, |fine, weight| fine & fits(*weight)) {
        return Ok(());
    }
    let first = weights.iter().copied().find(|weight| !fits(*weight));
    // PyTorch's words: NaN isn't at least 0.
    let found = if first.is_some_and(|weight| weight > T::default()) { "= infinity or NaN" } else { "< 0" };
    Err(Error::runtime(format!("invalid multinomial distribution (encountering probability entry {found})")))
}

/// In each of a few rows, numbers become the sums of all that stand up to them.
fn sum_up<T: Floating + Default>(rows: &mut [T], places: usize) {
    let mut rows = rows.chunks_mut(places);
    let mut rows: [&mut [T]; ROWS_AT_ONCE] = std::array::from_fn(|_| rows.next().unwrap_or_default());
    let mut sums = [T::default(); ROWS_AT_ONCE];
    for place in 0..places {
        for (row, sum) in rows.iter_mut().zip(&mut sums) {
            if let Some(part) = row.get_mut(place) {
                *sum = sum.add(*part);
                *part = *sum;
            }
        }
    }
}

fn no_weight() -> Error {
    Error::runtime("invalid multinomial distribution (sum of probabilities <= 0)")
}

/// A mean or a deviation: one number for all, or a tensor of them.
#[derive(Clone, Copy, Debug)]
pub enum Many<'a> {
    /// The same everywhere.
    Number(f64),
    /// One for each place.
    Tensor(&'a RawTensor),
}

/// PyTorch's `normal` of tensors: at each place a normal number of the mean and the deviation that stand there. For two numbers
/// there is [`normal_`].
///
/// # Errors
/// For a deviation below 0 or complex, and for shapes that don't fit.
pub fn normal(mean: Many<'_>, deviation: Many<'_>, generator: Option<&Generator>, to: Target<'_>) -> Result<RawTensor> {
    let read = [mean, deviation].into_iter().filter_map(|many| if let Many::Tensor(tensor) = many { Some(tensor) } else { None });
    let to = to.offer().beside(read);
    let new = |tensor: &RawTensor, sizes: &[usize]| {
        dense_nbytes(sizes, tensor.dtype().itemsize())?;
        to.fresh(sizes, &contiguous_strides(sizes), tensor.dtype(), tensor.device())
    };
    let (result, unit) = match (mean, deviation) {
        (Many::Tensor(mean), Many::Number(deviation)) => (new(mean, mean.sizes())?, deviation),
        (Many::Tensor(mean), Many::Tensor(deviation)) => {
            check_deviations(deviation)?;
            (new(mean, &broadcast_shapes(&[mean.sizes(), deviation.sizes()])?)?, 1.0)
        }
        (Many::Number(_), Many::Tensor(deviation)) => {
            check_deviations(deviation)?;
            (new(deviation, deviation.sizes())?, 1.0)
        }
        (Many::Number(mean), Many::Number(deviation)) => {
            return Err(Error::type_error(format!("normal of the numbers {mean} and {deviation} needs a size")));
        }
    };
    normal_(&result, 0.0, unit, generator)?;
    if let Many::Tensor(deviation) = deviation {
        apply_in_place(Op::Mul, &result, &[RawOperand::Tensor(deviation)], &Params::none())?;
    }
    match mean {
        Many::Tensor(mean) => apply_in_place(Op::Add, &result, &[RawOperand::Tensor(mean)], &Params::none())?,
        Many::Number(mean) => apply_in_place(Op::Add, &result, &[RawOperand::from(mean)], &Params::none())?,
    }
    Ok(result)
}

fn check_deviations(deviations: &RawTensor) -> Result<()> {
    if deviations.dtype().is_complex() {
        return Err(Error::runtime("normal expects standard deviation to be non-complex"));
    }
    if deviations.is_meta() {
        return Ok(());
    }
    // A NaN is the least of all for PyTorch, and not at least 0.
    let fine = apply(Op::Ge, &[RawOperand::Tensor(deviations), RawOperand::from(0.0)], &Params::none())?;
    let all = reduce(Reduction::All, &fine, &Along::all())?;
    if all.any_true()? { Ok(()) } else { Err(Error::runtime("normal expects all elements of std >= 0.0")) }
}
