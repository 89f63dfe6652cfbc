//! `gradient`: how fast numbers change along dimensions, from one place to the next.

use latten_spec::DType;
use latten_spec::operation::Op;

use super::value::{Value, binary};
use super::{CallArgument, Function, one};
use crate::error::{Error, Result};
use crate::geometry::wrap_dim;
use crate::raw::RawTensor;

/// How far the places along each dimension are from each other.
#[derive(Clone, Copy)]
pub(super) enum Spacing<'a> {
    /// One distance for all dimensions.
    Number(f64),
    /// One distance for each dimension.
    Numbers(&'a [f64]),
    /// Where the places are.
    Places(&'a [&'a RawTensor]),
}

/// PyTorch's `gradient`.
pub(super) fn gradient(input: &RawTensor, spacing: Spacing<'_>, dims: Option<&[isize]>, order: isize) -> Result<Vec<RawTensor>> {
    let refused = |text: String| Err(Error::runtime(format!("torch.gradient {text}")));
    if input.dtype() == DType::U8 {
        return Err(Error::not_implemented("torch.gradient does not support uint8 input."));
    }
    let rank = input.rank();
    let all: Vec<isize> = (0..rank.cast_signed()).collect();
    let given = dims.unwrap_or(&all);
    let count = match spacing {
        Spacing::Number(_) => None,
        Spacing::Numbers(numbers) => Some(numbers.len()),
        Spacing::Places(tensors) => Some(tensors.len()),
    };
    match (count, dims) {
        (Some(count), Some(dims)) if count != dims.len() => {
            let length = dims.len();
            return refused(format!(
                "expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the same length, but got a spacing \
                 argument of length {count} and a dim argument of length {length}."
            ));
        }
        (Some(count), None) if count != rank => {
            return refused(format!(
                "expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = {rank}', since dim argument was not \
                 given, but got a list of length {count}"
            ));
        }
        _ => {}
    }
    if !matches!(order, 1 | 2) {
        return refused("only supports edge_order=1 and edge_order=2.".to_owned());
    }
    let mut places: Vec<usize> = Vec::new();
    for &dim in given {
        let place = wrap_dim(dim, rank)?;
        if places.contains(&place) {
            return Err(Error::runtime(format!("dim {place} appears multiple times in the list of dims")));
        }
        places.push(place);
    }
    for &place in &places {
        if input.sizes().get(place).is_none_or(|&size| size < order.unsigned_abs() + 1) {
            return refused("expected each dimension size to be at least edge_order+1".to_owned());
        }
    }
    if let Spacing::Places(tensors) = spacing
        && let Some(other) = tensors.iter().find(|tensor| tensor.rank() != 1)
    {
        let found = other.rank();
        return refused(format!("expected each element of spacing to have one dimension, but got an element with {found} dimensions!"));
    }
    let slope = |(at, &place): (usize, &usize)| match spacing {
        Spacing::Number(number) => evenly(input, place, number, order),
        Spacing::Numbers(numbers) => evenly(input, place, numbers[at], order),
        Spacing::Places(tensors) => unevenly(input, place, tensors[at], order),
    };
    places.iter().enumerate().map(slope).collect()
}

/// Some places along a dimension.
fn part(of: &RawTensor, place: usize, start: isize, length: isize) -> Result<Value> {
    let start = if start < 0 { of.sizes()[place].cast_signed() + start } else { start };
    Value::from(of).then(Function::Narrow, &[place.cast_signed().into(), start.into(), length.into()])
}

fn joined(parts: [Value; 3], place: usize) -> Result<RawTensor> {
    let parts = [parts[0].tensor()?, parts[1].tensor()?, parts[2].tensor()?];
    one(Function::Cat, &[CallArgument::Tensors(&parts.each_ref()), place.cast_signed().into()])
}

/// Of places with one distance.
fn evenly(input: &RawTensor, place: usize, distance: f64, order: isize) -> Result<RawTensor> {
    let length = input.sizes()[place].cast_signed();
    let at = |start: isize, length: isize| part(input, place, start, length);
    let over = |from: Value, to: Value, by: f64| Ok::<_, Error>(Value::from(binary(Op::Div, &binary(Op::Sub, &to, from), by).tensor()?));
    let inside = over(at(0, length - 2)?, at(2, length - 2)?, 2.0 * distance)?;
    let end = |near: isize, middle: isize, far: isize, sign: f64| {
        if order == 1 {
            return if sign > 0.0 { over(at(near, 1)?, at(middle, 1)?, distance) } else { over(at(middle, 1)?, at(near, 1)?, distance) };
        }
        let times = |start: isize, factor: f64| Ok::<_, Error>(binary(Op::Mul, &at(start, 1)?, factor * sign / distance));
        Ok(binary(Op::Add, &binary(Op::Add, &times(near, -1.5)?, times(middle, 2.0)?), times(far, -0.5)?))
    };
    joined([end(0, 1, 2, 1.0)?, inside, end(-1, -2, -3, -1.0)?], place)
}

/// Of places that are given.
fn unevenly(input: &RawTensor, place: usize, places: &RawTensor, order: isize) -> Result<RawTensor> {
    let length = input.sizes()[place].cast_signed();
    let mut sizes = vec![1; input.rank()];
    sizes[place] = -1;
    let places = one(Function::Reshape, &[places.into(), CallArgument::Ints(&sizes)])?;
    let at = |start: isize, length: isize| part(input, place, start, length);
    let steps = binary(Op::Sub, &part(&places, place, 1, length - 1)?, part(&places, place, 0, length - 1)?).tensor()?;
    let step = |start: isize, length: isize| part(&steps, place, start, length);
    let over = |x: Value, y: Value| binary(Op::Div, &x, y);
    let times = |x: &Value, y: Value| binary(Op::Mul, x, y);
    let (before, behind) = (step(0, length - 2)?, step(1, length - 2)?);
    let both = binary(Op::Add, &before, &behind);
    let first = unary_neg(&over(behind.clone(), times(&before, both.clone())));
    let middle = over(binary(Op::Sub, &behind, &before), times(&before, behind.clone()));
    let last = over(before.clone(), times(&behind, both));
    let sum = binary(Op::Add, &times(&first, at(0, length - 2)?), times(&middle, at(1, length - 2)?));
    let inside = Value::from(binary(Op::Add, &sum, times(&last, at(2, length - 2)?)).tensor()?);
    let ends = if order == 1 {
        let end = |from: isize, to: isize, own: isize| {
            Ok::<_, Error>(Value::from(over(binary(Op::Sub, &at(to, 1)?, at(from, 1)?), step(own, 1)?).tensor()?))
        };
        [end(0, 1, 0)?, end(-2, -1, -1)?]
    } else {
        let end = |[near, far]: [isize; 2], [one, two, three]: [isize; 3], turned: bool| {
            let (near, far) = (step(near, 1)?, step(far, 1)?);
            let both = binary(Op::Add, &near, &far);
            let first = over(binary(Op::Add, &near, &both), times(&near, both.clone()));
            let second = over(both.clone(), times(&near, far.clone()));
            let third = over(near, times(&far, both));
            let sum = binary(Op::Sub, &times(&second, at(two, 1)?), times(&first, at(one, 1)?));
            let sum = binary(Op::Sub, &sum, times(&third, at(three, 1)?));
            Ok::<_, Error>(Value::from(if turned { unary_neg(&sum) } else { sum }.tensor()?))
        };
        [end([0, 1], [0, 1, 2], false)?, end([-1, -2], [-1, -2, -3], true)?]
    };
    let [start, end] = ends;
    joined([start, inside, end], place)
}

fn unary_neg(x: &Value) -> Value {
    super::value::unary(Op::Neg, x)
}
