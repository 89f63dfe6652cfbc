//! Integers, permutations, and what is true by chance.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::continuous::of_uniform;
use super::counted;
use super::fill::{drawing_order, fill, has_data, put};
use super::generator::{Generator, GeneratorState};
use super::words::ROOM;
use crate::create::Options;
use crate::dtype::{cpp_name, finfo, integer_limits, six_digits};
use crate::element::unsupported;
use crate::elementwise::Params;
use crate::error::{Error, Result};
use crate::geometry::overlap::check_output_overlap;
use crate::layout::MemoryFormat;
use crate::program::{Argument, Program};
use crate::raw::RawTensor;
use crate::raw::type_name;
use crate::reduce::{Along, reduce};
use crate::views::signed;

/// From that many values on each takes a word of 64 bits.
const WIDE: u64 = 1 << 28;
/// From that many elements on a permutation is made from the inside out.
const LONG: usize = u32::MAX as usize / 20;

/// Which integers `random_` draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integers {
    /// All that the dtype holds from 0 on; for floats up to the last before which none is left out.
    All,
    /// From the first up to the second, and without it.
    Between(i64, i64),
    /// From that one up to the greatest of the dtype.
    From(i64),
}

impl Integers {
    /// Those from one up to another, or to the greatest of the dtype.
    #[must_use]
    pub fn from_to(from: isize, to: Option<isize>) -> Self {
        to.map_or(Self::From(from as i64), |to| Self::Between(from as i64, to as i64))
    }
}

/// PyTorch's `randint` into a tensor that is new: integers from `low` up to `high`, and without it.
///
/// # Errors
/// As [`random_`].
pub fn randint(new: RawTensor, low: isize, high: isize, generator: Option<&Generator>) -> Result<RawTensor> {
    random_(&new, Integers::from_to(low, Some(high)), generator)?;
    Ok(new)
}

/// PyTorch's `bernoulli`: at each place 1 with the probability that stands there.
///
/// # Errors
/// As [`bernoulli_by_`].
pub fn bernoulli(probabilities: &RawTensor, generator: Option<&Generator>) -> Result<RawTensor> {
    let new = contiguous_like(probabilities)?;
    bernoulli_by_(&new, probabilities, generator)?;
    Ok(new)
}

/// PyTorch's `bernoulli` of a number: a tensor like another one, 1 with that probability.
///
/// # Errors
/// As [`bernoulli_`].
pub fn bernoulli_like(tensor: &RawTensor, probability: f64, generator: Option<&Generator>) -> Result<RawTensor> {
    let new = contiguous_like(tensor)?;
    bernoulli_(&new, probability, generator)?;
    Ok(new)
}

fn contiguous_like(tensor: &RawTensor) -> Result<RawTensor> {
    RawTensor::new(tensor.sizes(), &Options::new().dtype(tensor.dtype()).device(tensor.device())?)
}

/// PyTorch's `random_`: integers, each as likely as another.
///
/// # Errors
/// For bounds that the dtype can't hold or that have nothing between them, and for complex tensors.
pub fn random_(tensor: &RawTensor, integers: Integers, generator: Option<&Generator>) -> Result<()> {
    let dtype = tensor.dtype();
    let values = values(dtype, integers)?;
    let counted = counted::fill(tensor, generator, &|draw| match values {
        Some((first, count)) => draw.integer(first, count),
        None => draw.whole(),
    });
    if counted? {
        return Ok(());
    }
    let Some((first, count)) = values else {
        return fill(tensor, generator, &mut |state: &mut GeneratorState, to: &mut [i64]| {
            state.wide_words(to.len(), |at, words| to[at..].iter_mut().zip(words).for_each(|(to, word)| *to = word.cast_signed()));
        });
    };
    let wide = if integers == Integers::All { matches!(dtype, DType::I64 | DType::F64) } else { count >= WIDE };
    fill(tensor, generator, &mut |state: &mut GeneratorState, to: &mut [i64]| {
        let number = |word: u64| (word % count).cast_signed().wrapping_add(first);
        if wide {
            return state.wide_words(to.len(), |at, words| to[at..].iter_mut().zip(words).for_each(|(to, word)| *to = number(*word)));
        }
        // A division of 32 bits takes a third of the time.
        match u32::try_from(count) {
            Ok(count) => state.words(to.len(), |at, words| {
                to[at..].iter_mut().zip(words).for_each(|(to, word)| *to = i64::from(word % count).wrapping_add(first));
            }),
            Err(_) => {
                state.words(to.len(), |at, words| to[at..].iter_mut().zip(words).for_each(|(to, word)| *to = number(u64::from(*word))))
            }
        }
    })
}

/// How many bits a float has for integers without a gap.
fn digits(dtype: DType) -> Option<u32> {
    match dtype {
        DType::F64 => Some(53),
        DType::F32 => Some(24),
        DType::F16 => Some(11),
        DType::BF16 => Some(8),
        // others: integers have no gaps; PyTorch draws no 8-bit floats.
        _ => None,
    }
}

/// The greatest integer that is drawn for a dtype.
fn greatest(dtype: DType) -> Option<i128> {
    match (digits(dtype), dtype) {
        (Some(digits), _) => Some(1 << digits),
        (None, DType::Bool) => Some(1),
        (None, _) if dtype.is_integral() && !dtype.is_quantized() => Some(integer_limits(dtype).1),
        // others: nothing is drawn for them.
        _ => None,
    }
}

/// The first value, and how many there are; `None` for all of 64 bits.
fn values(dtype: DType, integers: Integers) -> Result<Option<(i64, u64)>> {
    let bounded = || Error::runtime("check_random_bounds handles only integral, floating-point and boolean types");
    let unsigned = matches!(dtype, DType::U16 | DType::U32 | DType::U64);
    let (first, end) = match integers {
        Integers::All => {
            let Some(last) = greatest(dtype).filter(|_| !unsigned) else { return Err(unsupported("random_kernel_cpu", dtype)) };
            (0, last + 1)
        }
        Integers::From(i64::MIN) if matches!(dtype, DType::I64 | DType::F64 | DType::F32 | DType::BF16) => return Ok(None),
        Integers::From(first) => {
            let last = greatest(dtype).ok_or_else(bounded)?;
            let from = if digits(dtype).is_some() { above(first, dtype) } else { first.into() };
            if digits(dtype).is_some() && from > last {
                return Err(Error::runtime(format!(
                    "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but got from={from} > \
                     to_inc={last}"
                )));
            }
            check_inside(dtype, from, last)?;
            (from, last + 1)
        }
        Integers::Between(first, end) => {
            if first >= end {
                return Err(Error::runtime(format!("random_ expects 'from' to be less than 'to', but got from={first} >= to={end}")));
            }
            greatest(dtype).ok_or_else(bounded)?;
            let (from, to) = if digits(dtype).is_some() { (above(first, dtype), below(end, dtype)) } else { (first.into(), end.into()) };
            if from >= to {
                return Err(Error::runtime(format!(
                    "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got from={from} >= to={to}"
                )));
            }
            check_inside(dtype, from, to - 1)?;
            (from, to)
        }
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two numbers of 64 bits")]
    Ok(Some((first as i64, (end - first) as u64)))
}

/// That a dtype holds the first and the last value.
fn check_inside(dtype: DType, first: i128, last: i128) -> Result<()> {
    #[expect(clippy::cast_precision_loss, reason = "PyTorch compares them as doubles, too")]
    let holds = |x: i128| {
        if dtype == DType::Bool {
            return (0..=1).contains(&x);
        }
        if digits(dtype).is_some() {
            return finfo(dtype).is_ok_and(|limits| (limits.min..=limits.max).contains(&(x as f64)));
        }
        let (least, greatest) = integer_limits(dtype);
        (least..=greatest).contains(&x)
    };
    for (name, x) in [("from", first), ("to - 1", last)] {
        if !holds(x) {
            return Err(Error::runtime(format!("{name} is out of bounds for {}", cpp_name(dtype))));
        }
    }
    Ok(())
}

/// The integer that one becomes in a float dtype.
fn rounded(x: i128, dtype: DType) -> i128 {
    let Some(digits) = digits(dtype) else { return x };
    // To f16 and bf16 by way of f32, as everywhere.
    let x = if digits < 24 { to_digits(x, 24) } else { x };
    to_digits(x, digits)
}

/// The nearest integer of that many binary digits, the even one of two.
fn to_digits(x: i128, digits: u32) -> i128 {
    let magnitude = x.unsigned_abs();
    let excess = (128 - magnitude.leading_zeros()).saturating_sub(digits);
    if excess == 0 {
        return x;
    }
    let (kept, rest, half) = (magnitude >> excess, magnitude & ((1 << excess) - 1), 1_u128 << (excess - 1));
    let up = rest > half || rest == half && kept & 1 == 1;
    let magnitude = ((kept + u128::from(up)) << excess).cast_signed();
    if x < 0 { -magnitude } else { magnitude }
}

/// How far apart the floats of a dtype are at an integer: of its digits the last.
fn gap(x: i128, digits: u32) -> i128 {
    1 << (128 - x.unsigned_abs().leading_zeros()).saturating_sub(digits)
}

/// The first value, or the next float where the dtype rounds what follows it to less.
fn above(first: i64, dtype: DType) -> i128 {
    let (first, digits) = (i128::from(first), digits(dtype).unwrap_or(64));
    let next = rounded(first + 1, dtype);
    if next < first { next + gap(first + 1, digits) } else { first }
}

/// The end, or the float before it where the dtype rounds what stands before it to as much.
fn below(end: i64, dtype: DType) -> i128 {
    let (end, digits) = (i128::from(end), digits(dtype).unwrap_or(64));
    let last = rounded(end - 1, dtype);
    if last >= end { last - gap(end - 1, digits) } else { end }
}

/// PyTorch's `randperm`: the integers from 0 up to `count`, in an order by chance.
///
/// # Errors
/// For dtypes that can't hold all of them.
pub fn randperm(count: usize, options: &Options, generator: Option<&Generator>) -> Result<RawTensor> {
    let dtype = options.dtype.unwrap_or(DType::I64);
    check_permuted(count, dtype)?;
    let new = RawTensor::new(&[count], &options.dtype(dtype))?;
    randperm_(&new, generator)?;
    Ok(new)
}

/// The same into a tensor that there is, along its one dimension.
///
/// # Errors
/// As [`randperm`].
pub fn randperm_(tensor: &RawTensor, generator: Option<&Generator>) -> Result<()> {
    check_permuted(tensor.numel(), tensor.dtype())?;
    fill(tensor, generator, &mut |state: &mut GeneratorState, to: &mut [i64]| {
        let count = to.len();
        if count >= LONG {
            // The place that is written last is read before: so zeros are as good as anything.
            state.wide_words(count, |at, words| {
                for (i, word) in (at..).zip(words) {
                    #[expect(clippy::cast_possible_truncation, reason = "a place of a tensor")]
                    let place = (word % (i as u64 + 1)) as usize;
                    (to[i], to[place]) = (to[place], i.cast_signed() as i64);
                }
            });
            return;
        }
        to.iter_mut().zip(0..).for_each(|(to, i)| *to = i);
        state.words(count.saturating_sub(1), |at, words| {
            for (i, word) in (at..).zip(words) {
                to.swap(i, i + *word as usize % (count - i));
            }
        });
    })
}

fn check_permuted(count: usize, dtype: DType) -> Result<()> {
    let (most, fits) = match dtype {
        DType::F16 => ("2049", count <= 2049),
        DType::BF16 => ("257", count <= 257),
        DType::F32 => ("2^24+1", count <= (1 << 24) + 1),
        DType::F64 => ("2^53+1", count as u64 <= (1 << 53) + 1),
        DType::U8 | DType::I8 | DType::I16 | DType::I32 | DType::I64 => ("", integer_limits(dtype).1 >= count as i128),
        // others: refused, as by PyTorch.
        _ => return Err(unsupported("randperm", dtype)),
    };
    match (fits, dtype.is_floating_point()) {
        (true, _) => Ok(()),
        (false, true) => Err(Error::runtime(format!("n cannot be greater than {most} for {} type.", dtype.message_name()))),
        (false, false) => {
            let sign = if dtype.is_signed() { "" } else { "u" };
            let bits = 8 * dtype.itemsize();
            Err(Error::runtime(format!("value cannot be converted to type {sign}int{bits}_t without overflow")))
        }
    }
}

/// PyTorch's `bernoulli_` of a number: 1 with that probability, else 0.
///
/// # Errors
/// For what is no probability, and for complex tensors.
pub fn bernoulli_(tensor: &RawTensor, probability: f64, generator: Option<&Generator>) -> Result<()> {
    if !(0.0..=1.0).contains(&probability) {
        return Err(Error::runtime(format!("bernoulli_ expects p to be in [0, 1], but got p={}", six_digits(probability))));
    }
    if tensor.dtype().is_complex() || !tensor.dtype().is_computing() {
        return Err(unsupported("bernoulli_scalar_cpu_", tensor.dtype()));
    }
    if counted::fill(tensor, generator, &|draw| draw.truth(probability))? {
        return Ok(());
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 2^53")]
    let end = (probability * 9_007_199_254_740_992.0).ceil() as u64;
    fill(tensor, generator, &mut |state: &mut GeneratorState, to: &mut [bool]| {
        state.wide_words(to.len(), |at, words| {
            to[at..].iter_mut().zip(words).for_each(|(to, word)| *to = word & ((1 << 53) - 1) < end);
        });
    })
}

/// PyTorch's `bernoulli_` of a tensor: at each place 1 with the probability that stands there.
///
/// # Errors
/// For probabilities of another shape or dtype, such as aren't from 0 to 1, and for complex tensors.
pub fn bernoulli_by_(tensor: &RawTensor, probabilities: &RawTensor, generator: Option<&Generator>) -> Result<()> {
    let dtype = probabilities.dtype();
    if !dtype.is_floating_point() || dtype.is_float8() {
        return Err(unsupported("bernoulli_tensor_cpu_p_", dtype));
    }
    let spread = probabilities.expand(&signed(tensor.sizes())).map_err(|error| match probabilities.rank() > tensor.rank() {
        true => Error::runtime(format!(
            "expand({}{{{:?}}}, size={:?}): the number of sizes provided ({}) must be greater or equal to the number of dimensions in the \
             tensor ({})",
            type_name(probabilities),
            probabilities.sizes(),
            tensor.sizes(),
            tensor.rank(),
            probabilities.rank()
        )),
        false => error,
    })?;
    if tensor.dtype().is_complex() || !tensor.dtype().is_computing() {
        return Err(unsupported("bernoulli_tensor_cpu_self_", tensor.dtype()));
    }
    check_output_overlap(tensor.geometry())?;
    if !has_data(tensor) {
        return Ok(());
    }
    let wide = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
    check_chances(&spread)?;
    let counted = counted::fill_by(tensor, &[&spread], generator, &|draw| {
        let (uniform, chance) = (draw.uniform(wide), draw.cast(wide, Argument::Operand(0)));
        draw.apply(Op::Lt, &[uniform, chance])
    });
    if counted? {
        return Ok(());
    }
    let order = drawing_order(tensor, &[&spread]);
    let chances: Vec<f64> = spread.permute(&order)?.to_dtype(DType::F64)?.contiguous(MemoryFormat::Contiguous)?.numbers()?;
    put(&tensor.permute(&order)?, generator, &mut |state: &mut GeneratorState, to: &mut [bool]| {
        for (to, chances) in to.chunks_mut(ROOM).zip(chances.chunks(ROOM)) {
            let mut room = [0.0; ROOM];
            let mut narrow = [0.0; ROOM];
            let room = &mut room[..to.len()];
            if dtype == DType::F64 {
                state.uniform_f64(room);
            } else {
                state.uniform_f32(&mut narrow[..to.len()]);
                room.iter_mut().zip(narrow).for_each(|(room, x)| *room = x.into());
            }
            to.iter_mut().zip(&*room).zip(chances).for_each(|((to, x), chance)| *to = x < chance);
        }
    })
}

/// That all are probabilities.
fn check_chances(chances: &RawTensor) -> Result<()> {
    let mut program = Program::new();
    let bounds = [(Op::Ge, 0.0), (Op::Le, 1.0)].map(|(op, bound)| program.apply(op, &[Argument::Operand(0), bound.into()], Params::none()));
    program.apply(Op::LogicalAnd, &bounds, Params::none());
    let all = reduce(Reduction::All, &program.run(&[chances])?, &Along::all())?;
    if all.any_true()? {
        return Ok(());
    }
    Err(Error::runtime(
        "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If so, please report an \
         enhancement request to PyTorch.)",
    ))
}

/// PyTorch's `geometric_`: how many trials it takes until the first success.
///
/// # Errors
/// For a probability that isn't between 0 and 1, and for tensors of bools or complex numbers.
pub fn geometric_(tensor: &RawTensor, probability: f64, generator: Option<&Generator>) -> Result<()> {
    if !(probability > 0.0 && probability < 1.0) {
        return Err(Error::runtime(format!("geometric_ expects p to be in (0, 1), but got p={}", six_digits(probability))));
    }
    if tensor.dtype() == DType::Bool || tensor.dtype().is_complex() || !tensor.dtype().is_computing() {
        return Err(unsupported("geometric_cpu", tensor.dtype()));
    }
    if counted::fill(tensor, generator, &|draw| draw.trials(probability))? {
        return Ok(());
    }
    let failure = (-probability).ln_1p();
    of_uniform(tensor, generator, &|u| (u.ln() / failure).ceil())
}
