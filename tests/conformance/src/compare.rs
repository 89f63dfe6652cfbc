//! Whether what latten gave is what PyTorch gave: bits, tolerances, strides where they mean something, and shared storages.
//! Elements are read from the bytes of the storage, not by the library's own copies.

use std::collections::BTreeMap;

use latten::DType;
use latten::Scalar;
use latten::geometry::Geometry;
use latten::prelude::DynTensor;
use serde_json::{Value as Json, json};

use crate::bytes::{Number, numbers};
use crate::case::{Case, Expected, ExpectedTensor, Tolerance};
use crate::value::Value;

/// One thing that isn't as recorded.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The name, or the names.
    pub of: String,
    /// What is different about it: `dtype`, `strides`, `elements`.
    pub what: String,
}

impl Difference {
    fn new(of: &str, what: impl Into<String>) -> Self {
        Self { of: of.to_owned(), what: what.into() }
    }
}

/// All that isn't as recorded of what the names hold.
#[must_use]
pub fn differences(case: &Case, names: &BTreeMap<String, Value>) -> Vec<Difference> {
    let mut found = Vec::new();
    for (name, expected) in &case.expect.names {
        let Some(value) = names.get(name) else {
            found.push(Difference::new(name, "missing"));
            continue;
        };
        let what = match (expected, value) {
            (Expected::Tensor(expected), Value::Tensor(tensor)) => of_tensor(expected, tensor, case.tol).err(),
            (Expected::Tensor(_), _) => Some("no tensor".to_owned()),
            (Expected::Value { value: expected }, value) => (!same(value, expected, case.tol)).then(|| "another value".to_owned()),
        };
        found.extend(what.map(|what| Difference::new(name, what)));
    }
    found.extend(changed_inputs(case, names));
    found.extend(of_storages(case, names));
    found
}

/// Inputs that a program without an error changed, though PyTorch didn't: it lists those that it changed.
fn changed_inputs(case: &Case, names: &BTreeMap<String, Value>) -> Vec<Difference> {
    let unlisted = case.inputs.iter().filter(|(name, _)| case.error.is_none() && !case.expect.names.contains_key(*name));
    let changed = unlisted.filter(|(name, input)| {
        let storage = input.view_of.as_ref().and_then(|base| case.inputs.get(base)).map_or(&input.storage, |base| &base.storage);
        let Some(Value::Tensor(tensor)) = names.get(*name) else { return true };
        let geometry = tensor.raw().geometry();
        (&geometry.sizes[..], &geometry.strides[..], geometry.offset) != (&input.shape[..], &input.strides[..], input.offset)
            || tensor.untyped_storage().tolist().is_ok_and(|bytes| bytes != storage.0)
    });
    changed.map(|(name, _)| Difference::new(name, "an input that should be as before")).collect()
}

fn of_storages(case: &Case, names: &BTreeMap<String, Value>) -> Vec<Difference> {
    let all_pairs = |of: &[String], same: bool, what: &str| {
        let storages: Vec<_> = of.iter().map(|name| names.get(name).and_then(Value::storage)).collect();
        let wrong = storages
            .iter()
            .enumerate()
            .any(|(i, one)| storages[..i].iter().any(|other| one.zip(*other).is_none_or(|(one, other)| one.is_same(other) != same)));
        wrong.then(|| Difference::new(&of.join(", "), what))
    };
    let same = all_pairs(&case.expect.same_storage, true, "not one storage");
    same.into_iter().chain(all_pairs(&case.expect.different_storage, false, "a shared storage")).collect()
}

/// # Errors
/// What is different.
fn of_tensor(expected: &ExpectedTensor, tensor: &DynTensor, tol: Tolerance) -> Result<(), String> {
    let Geometry { sizes, strides, offset } = tensor.raw().geometry();
    if tensor.dtype().name() != expected.dtype {
        return Err("dtype".into());
    }
    if sizes[..] != expected.shape[..] {
        return Err("shape".into());
    }
    if expected.offset.is_some_and(|expected| expected != *offset) {
        return Err("offset".into());
    }
    if let Some(expected) = &expected.strides
        && !sizes.contains(&0)
        && (0..sizes.len()).any(|dim| sizes[dim] != 1 && strides[dim] != expected[dim])
    {
        return Err("strides".into());
    }
    let bytes = elements(tensor)?;
    let dtype = tensor.dtype();
    if same_elements(dtype, &bytes, &expected.data.0, tol) { Ok(()) } else { Err("elements".into()) }
}

/// The bytes of the elements in row-major order.
///
/// # Errors
/// Where the storage can't be read, or ends before the tensor does.
pub fn elements(tensor: &DynTensor) -> Result<Vec<u8>, String> {
    let Geometry { sizes, strides, offset } = tensor.raw().geometry();
    if sizes.contains(&0) {
        return Ok(Vec::new());
    }
    let itemsize = tensor.dtype().itemsize();
    let storage = tensor.untyped_storage().tolist().map_err(|error| error.to_string())?;
    let mut places = vec![*offset];
    for (&size, &stride) in sizes.iter().zip(strides) {
        places = places.iter().flat_map(|place| (0..size).map(move |i| place + i * stride)).collect();
    }
    let mut bytes = Vec::with_capacity(places.len() * itemsize);
    for place in places {
        let element = storage.get(place * itemsize..(place + 1) * itemsize);
        bytes.extend_from_slice(element.ok_or("elements beyond the storage")?);
    }
    Ok(bytes)
}

/// Whether elements are as recorded.
pub fn same_elements(dtype: DType, got: &[u8], expected: &[u8], tol: Tolerance) -> bool {
    got.len() == expected.len() && places_unlike(dtype, got, expected, tol).next().is_none()
}

/// Which elements aren't as recorded, in row-major order.
pub fn places_unlike(dtype: DType, got: &[u8], expected: &[u8], tol: Tolerance) -> impl Iterator<Item = usize> {
    let parts = if dtype.is_complex() { 2 } else { 1 };
    let pairs = numbers(dtype, got).into_iter().zip(numbers(dtype, expected)).enumerate();
    let unlike = pairs.filter(move |(_, pair)| match pair {
        (Number::Float(x), Number::Float(y)) => !same_float(*x, *y, tol),
        (x, y) => x != y,
    });
    let mut last = None;
    unlike.map(move |(at, _)| at / parts).filter(move |at| last.replace(*at) != Some(*at))
}

/// Whether `x` is the recorded `y`.
fn same_float(x: f64, y: f64, tol: Tolerance) -> bool {
    if x.is_nan() || y.is_nan() {
        return x.is_nan() && y.is_nan();
    }
    if tol.exact {
        return x.to_bits() == y.to_bits();
    }
    x == y || x.is_finite() && y.is_finite() && (x - y).abs() <= tol.abs + tol.rel * y.abs()
}

/// Whether a value is the recorded one.
fn same(value: &Value, expected: &Json, tol: Tolerance) -> bool {
    let json = as_json(value);
    match (&json, expected) {
        (Json::Array(got), Json::Array(expected)) => {
            got.len() == expected.len() && got.iter().zip(expected).all(|(got, expected)| same_json(got, expected, tol))
        }
        _ => same_json(&json, expected, tol),
    }
}

fn same_json(got: &Json, expected: &Json, tol: Tolerance) -> bool {
    match (got, expected) {
        (Json::Number(x), Json::Number(y)) if x.is_f64() && y.is_f64() => {
            x.as_f64().zip(y.as_f64()).is_some_and(|(x, y)| same_float(x, y, tol))
        }
        (Json::Array(x), Json::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same_json(x, y, tol)),
        (Json::Object(x), Json::Object(y)) => match (x.get("complex"), y.get("complex")) {
            (Some(x), Some(y)) => same_json(x, y, tol),
            _ => false,
        },
        _ => got == expected,
    }
}

/// A value as the recordings write it.
#[must_use]
pub fn as_json(value: &Value) -> Json {
    match value {
        Value::None => Json::Null,
        Value::Bool(x) | Value::Number(Scalar::Bool(x)) => json!(x),
        Value::Int(x) => i64::try_from(*x).map_or_else(|_| json!(u64::try_from(*x).unwrap_or(u64::MAX)), |x| json!(x)),
        Value::Number(Scalar::Int(x)) => json!(x),
        Value::Float(x) | Value::Number(Scalar::Float(x)) => float(*x),
        Value::Number(Scalar::Complex(z)) => json!({ "complex": [float(z.re), float(z.im)] }),
        Value::Text(x) => json!(x),
        Value::DType(x) => json!(x.name()),
        Value::Format(x) => json!(x.to_string()),
        Value::Device(x) => json!(x.to_string()),
        Value::List(x) => x.iter().map(as_json).collect(),
        Value::Untyped(x) => x.tolist().map_or_else(|error| json!(error.to_string()), |bytes| json!(bytes)),
        Value::Typed(x) => x.tolist().map_or_else(
            |error| json!(error.to_string()),
            |numbers| numbers.into_iter().map(|number| as_json(&Value::Number(number))).collect(),
        ),
        Value::Tensor(_) => json!("a tensor"),
        Value::Sparse(_) => json!("a sparse tensor"),
        Value::Generator(_) => json!("a generator"),
        Value::Fork(_) => json!("a fork"),
    }
}

fn float(x: f64) -> Json {
    match x {
        _ if x.is_finite() => json!(x),
        _ if x.is_nan() => json!("nan"),
        _ => json!(if x > 0.0 { "inf" } else { "-inf" }),
    }
}

#[cfg(test)]
mod tests {
    use super::{DType, Tolerance, Value, same, same_elements};
    use serde_json::json;

    const EXACT: Tolerance = Tolerance { exact: true, rel: 0.0, abs: 0.0 };

    #[test]
    fn exact_means_the_same_bits_but_one_nan() {
        let f32s = |numbers: &[f32]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>();
        let same = |x: f32, y: f32, tol| same_elements(DType::F32, &f32s(&[1.0, x]), &f32s(&[1.0, y]), tol);
        assert!(same(f32::NAN, -f32::NAN, EXACT));
        assert!(!same(0.0, -0.0, EXACT) && !same(1.0, 1.000_000_1, EXACT));
        let close = Tolerance { exact: false, rel: 1e-6, abs: 0.0 };
        assert!(same(0.0, -0.0, close) && same(1.0, 1.000_000_1, close) && !same(1.0, 1.000_01, close));
        assert!(!same(f32::INFINITY, f32::MAX, close) && same(f32::INFINITY, f32::INFINITY, close));
        assert!(!same(f32::NAN, 1.0, Tolerance { exact: false, rel: 1.0, abs: 1e9 }));
        assert!(!same_elements(DType::I32, &[1, 0, 0, 0], &[2, 0, 0, 0], Tolerance { exact: false, rel: 1.0, abs: 9.0 }));
        assert!(!same_elements(DType::U8, &[1], &[1, 2], EXACT));
    }

    #[test]
    fn an_integer_is_no_float_and_no_bool() {
        assert!(same(&Value::Int(1), &json!(1), EXACT) && same(&Value::Float(1.0), &json!(1.0), EXACT));
        assert!(!same(&Value::Int(1), &json!(1.0), EXACT) && !same(&Value::Float(1.0), &json!(1), EXACT));
        assert!(!same(&Value::Bool(true), &json!(1), EXACT) && !same(&Value::None, &json!(0), EXACT));
        assert!(same(&Value::Float(f64::NAN), &json!("nan"), EXACT) && same(&vec![1_usize, 2].into(), &json!([1, 2]), EXACT));
        assert!(!same(&vec![1_usize].into(), &json!([1, 2]), EXACT));
    }
}
