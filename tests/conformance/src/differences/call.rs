//! A call whose elements aren't the recorded ones, with all that is needed to compute each element again: the operands as they were
//! before it, expanded to the shape of the result. Numbers are read from bytes, not by the library's conversions.

use std::collections::BTreeMap;

use latten::DType;
use latten::prelude::*;
use serde_json::Value as Json;

use crate::bytes::{Number, numbers};
use crate::case::{Case, Expected, Names, Step};
use crate::compare;
use crate::run::{self, Failed, Reason};
use crate::value::Value;

/// A call and its elements; a real number is one with no imaginary part.
#[derive(Debug)]
pub struct Call<'a> {
    /// PyTorch's name, without the underscore of an operation in place.
    pub(super) op: &'a str,
    pub(super) step: &'a Step,
    pub(super) dtype: DType,
    pub(super) sizes: Vec<usize>,
    pub(super) operands: Vec<Operand>,
    pub(super) got: Vec<Complex<f64>>,
    pub(super) expected: Vec<Complex<f64>>,
    /// Where in memory each element is written, in bytes from the beginning of a storage.
    pub(super) written: Vec<usize>,
    /// The elements that aren't as recorded.
    pub(super) unlike: Vec<usize>,
}

/// What a call was given.
#[derive(Debug)]
pub(super) struct Operand {
    /// A number has none.
    pub(super) dtype: Option<DType>,
    pub(super) sizes: Vec<usize>,
    pub(super) values: Vec<Complex<f64>>,
    /// Where each element lies, where the operand shares the memory of the result.
    pub(super) places: Option<Vec<usize>>,
}

impl<'a> Call<'a> {
    /// The calls that made all that is different, where only elements are.
    pub(super) fn all(case: &'a Case, failed: &'a Failed) -> Option<Vec<Self>> {
        let Reason::Different(found) = &failed.reason else { return None };
        found.iter().map(|difference| if difference.what == "elements" { Self::of(case, failed, &difference.of) } else { None }).collect()
    }

    /// The last call that writes the tensor of a name.
    pub(super) fn of(case: &'a Case, failed: &'a Failed, name: &str) -> Option<Self> {
        let (at, step) = case.steps.iter().enumerate().rev().find(|(_, step)| writes(step, name))?;
        let before = run::after(case, at)?;
        let Some(Value::Tensor(got)) = failed.names.get(name) else { return None };
        let Some(Expected::Tensor(expected)) = case.expect.names.get(name) else { return None };
        let (dtype, sizes, bytes) = (got.dtype(), got.sizes().to_vec(), compare::elements(got).ok()?);
        let target = if let Some(Value::Tensor(target)) = before.get(name) { Some(target) } else { None };
        let operands = step.args.iter().map_while(|arg| operand(arg, &before, &sizes, target)).collect();
        Some(Self {
            op: step.op.strip_suffix('_').unwrap_or(&step.op),
            step,
            dtype,
            operands,
            unlike: compare::places_unlike(dtype, &bytes, &expected.data.0, case.tol).collect(),
            got: complex(dtype, &bytes),
            expected: complex(dtype, &expected.data.0),
            written: target.map(places).unwrap_or_default(),
            sizes,
        })
    }

    /// A number that is given by name.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.step.kw.get(name).and_then(scalar).map(|number| number.re)
    }

    /// A string that is given by name.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.step.kw.get(name)?.get("str")?.as_str()
    }

    /// The elements of the operands at a place.
    pub(super) fn at<const N: usize>(&self, place: usize) -> Option<[Complex<f64>; N]> {
        let values: Vec<_> = self.operands.iter().map(|operand| operand.values.get(place).copied()).collect::<Option<_>>()?;
        values.try_into().ok()
    }
}

/// Whether a step gives the tensor of a name.
fn writes(step: &Step, name: &str) -> bool {
    let is = |arg: Option<&Json>| arg.and_then(Json::as_str).is_some_and(|arg| arg.trim_start_matches('$') == name);
    let gives = match &step.names {
        Some(Names::One(one)) => one == name,
        Some(Names::Several(several)) => several.iter().any(|one| one == name),
        None => false,
    };
    gives || step.op.ends_with('_') && is(step.args.first()) || is(step.kw.get("out"))
}

fn operand(arg: &Json, names: &BTreeMap<String, Value>, sizes: &[usize], target: Option<&DynTensor>) -> Option<Operand> {
    if let Some(number) = scalar(arg) {
        return Some(Operand { dtype: None, sizes: sizes.to_vec(), values: vec![number; sizes.iter().product()], places: None });
    }
    let Some(Value::Tensor(tensor)) = names.get(arg.as_str()?.trim_start_matches('$')) else { return None };
    let shape: Vec<isize> = sizes.iter().map(|size| size.cast_signed()).collect();
    // A reduction reads more than it gives, and is asked for its input as it is.
    let expanded = tensor.expand(&shape[..]).unwrap_or_else(|_| tensor.alias());
    let shares = target.is_some_and(|target| target.untyped_storage().shares_memory(tensor.untyped_storage()));
    Some(Operand {
        dtype: Some(tensor.dtype()),
        sizes: expanded.sizes().to_vec(),
        values: numbers_of(&expanded)?,
        places: shares.then(|| places(&expanded)),
    })
}

/// Where the elements of a tensor lie, in row-major order.
fn places(tensor: &DynTensor) -> Vec<usize> {
    let geometry = tensor.raw().geometry();
    let mut places = vec![geometry.offset];
    for (&size, &stride) in geometry.sizes.iter().zip(&geometry.strides) {
        places = places.iter().flat_map(|place| (0..size).map(move |i| place + i * stride)).collect();
    }
    places.iter().map(|place| place * tensor.dtype().itemsize()).collect()
}

fn scalar(json: &Json) -> Option<Complex<f64>> {
    let float = |json: &Json| json.as_f64().or_else(|| json.as_str()?.parse().ok());
    let object = json.as_object()?;
    if let Some(parts) = object.get("complex") {
        return Some(Complex::new(float(parts.get(0)?)?, float(parts.get(1)?)?));
    }
    let number = object.get("int").or_else(|| object.get("float"))?;
    Some(Complex::new(float(number)?, 0.0))
}

/// The elements of a tensor in row-major order.
pub(super) fn numbers_of(tensor: &DynTensor) -> Option<Vec<Complex<f64>>> {
    Some(complex(tensor.dtype(), &compare::elements(tensor).ok()?))
}

/// Numbers of bytes; a real one has no imaginary part.
pub(super) fn complex(dtype: DType, bytes: &[u8]) -> Vec<Complex<f64>> {
    let real = |number: &Number| match *number {
        Number::Bool(x) => f64::from(x != 0),
        Number::Int(x) => x as f64,
        Number::Float(x) => x,
    };
    let all: Vec<f64> = numbers(dtype, bytes).iter().map(real).collect();
    if dtype.is_complex() {
        all.chunks_exact(2).map(|parts| Complex::new(parts[0], parts[1])).collect()
    } else {
        all.into_iter().map(|x| Complex::new(x, 0.0)).collect()
    }
}
