//! Failures as a person needs them: the program as calls that can be read, what was expected, and what came.

use std::fmt::Write as _;

use latten::{DType, DynTensor};
use serde_json::Value as Json;

use crate::bytes::{Number, numbers};
use crate::case::{Case, Expected, ExpectedTensor, Input, Names, Step};
use crate::compare::{as_json, elements, places_unlike};
use crate::run::{Failed, Layer, Reason};
use crate::value::Value;

/// More elements than these are not shown.
const SHOWN: usize = 32;

/// A failure in some lines.
#[must_use]
pub fn failure(case: &Case, failed: &Failed) -> String {
    let mut text = format!("{}\n", case.id);
    for (name, input) in &case.inputs {
        let _ = writeln!(text, "    {name} = {}", input_text(input));
    }
    for step in &case.steps {
        let _ = writeln!(text, "    {}", call_text(step));
    }
    if let Some(error) = &case.error {
        let _ = writeln!(text, "  expected: step {} raises {}: {}", error.step, error.kind, error.message);
    }
    if failed.layer == Layer::Typed {
        text.push_str("  in the typed layer:\n");
    }
    let _ = match &failed.reason {
        Reason::Unsupported(what) => writeln!(text, "  unsupported: {what}"),
        Reason::Unreadable(why) => writeln!(text, "  the case can't be used: {why}"),
        Reason::Raised(at, error) => writeln!(text, "  got: step {at} fails: {error:?}"),
        Reason::OperatorPanicked(at, message) => writeln!(text, "  got: the operator of step {at} panics: {message}"),
        Reason::Uncompilable(at) => writeln!(text, "  got: step {at} doesn't compile"),
        Reason::NotRaised => writeln!(text, "  got: no error"),
        Reason::OtherError(at, error, what) => writeln!(text, "  got {what}: step {at} fails: {error:?}"),
        Reason::Panicked(message) => writeln!(text, "  got a panic: {message}"),
        Reason::Different(found) => {
            for difference in found {
                let _ = writeln!(text, "  different: {} ({})", difference.of, difference.what);
                if let Some(expected) = case.expect.names.get(&difference.of) {
                    let _ = writeln!(text, "    expected {}", expected_text(expected));
                }
                if let Some(value) = failed.names.get(&difference.of) {
                    let _ = writeln!(text, "    got      {}", value_text(value));
                }
                if let (Some(Expected::Tensor(expected)), Some(Value::Tensor(got)), "elements") =
                    (case.expect.names.get(&difference.of), failed.names.get(&difference.of), difference.what.as_str())
                {
                    text += &unlike_text(case, expected, got);
                }
            }
            Ok(())
        }
    };
    text
}

fn input_text(input: &Input) -> String {
    let base = input.view_of.as_ref().map(|base| format!(" over {base}")).unwrap_or_default();
    let head = format!("{}{base}", head(&input.dtype, &input.shape, Some(&input.strides), Some(input.offset)));
    let data = if input.view_of.is_some() { String::new() } else { format!(", storage {}", data(&input.dtype, &input.storage.0)) };
    format!("{head}{data}")
}

fn expected_text(expected: &Expected) -> String {
    match expected {
        Expected::Value { value } => value.to_string(),
        Expected::Tensor(ExpectedTensor { dtype, shape, strides, offset, data: bytes }) => {
            format!("{} {}", head(dtype, shape, strides.as_deref(), *offset), data(dtype, &bytes.0))
        }
    }
}

fn value_text(value: &Value) -> String {
    let Value::Tensor(tensor) = value else { return as_json(value).to_string() };
    let (dtype, geometry) = (tensor.dtype(), tensor.raw().geometry());
    let head = head(dtype.name(), &geometry.sizes, Some(&geometry.strides), Some(geometry.offset));
    match elements(tensor) {
        Ok(bytes) => format!("{head} {}", data(dtype.name(), &bytes)),
        Err(why) => format!("{head} ({why})"),
    }
}

/// The elements that aren't as recorded, each with those of the inputs of the same shape.
fn unlike_text(case: &Case, expected: &ExpectedTensor, got: &DynTensor) -> String {
    let Ok(bytes) = elements(got) else { return String::new() };
    let dtype = got.dtype();
    let contiguous = |input: &&Input| input.shape == expected.shape && input.offset == 0 && input.strides == [1];
    let inputs: Vec<_> = case.inputs.values().filter(contiguous).filter_map(|x| Some((DType::parse(&x.dtype)?, &x.storage.0))).collect();
    let at = |dtype: DType, bytes: &[u8], place: usize| {
        let item = dtype.itemsize();
        bytes.get(place * item..(place + 1) * item).map(|bytes| element(&numbers(dtype, bytes))).unwrap_or_default()
    };
    let mut text = String::new();
    for place in places_unlike(dtype, &bytes, &expected.data.0, case.tol).take(SHOWN) {
        let of: Vec<String> = inputs.iter().map(|(dtype, bytes)| at(*dtype, bytes, place)).collect();
        let (recorded, got) = (at(dtype, &expected.data.0, place), at(dtype, &bytes, place));
        let _ = writeln!(text, "    at {place}, of {}: expected {recorded}, got {got}", of.join(" and "));
    }
    text
}

fn head(dtype: &str, shape: &[usize], strides: Option<&[usize]>, offset: Option<usize>) -> String {
    let strides = strides.map(|strides| format!(" strides {strides:?}")).unwrap_or_default();
    let offset = offset.filter(|&offset| offset != 0).map(|offset| format!(" offset {offset}")).unwrap_or_default();
    format!("{dtype}{shape:?}{strides}{offset}")
}

fn data(dtype: &str, bytes: &[u8]) -> String {
    let Some(dtype) = DType::parse(dtype) else { return format!("{bytes:?}") };
    let numbers = numbers(dtype, bytes);
    let parts = if dtype.is_complex() { 2 } else { 1 };
    let shown: Vec<String> = numbers.chunks(parts).take(SHOWN).map(element).collect();
    let more = if numbers.len() > parts * SHOWN { ", …" } else { "" };
    format!("[{}{more}]", shown.join(", "))
}

fn element(parts: &[Number]) -> String {
    match parts {
        [re, im] => format!("({re}, {im})"),
        parts => parts.iter().map(ToString::to_string).collect(),
    }
}

/// `c = add(a, 2.5, alpha=2)`.
fn call_text(step: &Step) -> String {
    let names = match &step.names {
        None => String::new(),
        Some(Names::One(name)) => format!("{name} = "),
        Some(Names::Several(names)) => format!("{} = ", names.join(", ")),
    };
    let positional = step.args.iter().map(argument_text);
    let named = step.kw.iter().map(|(name, value)| format!("{name}={}", argument_text(value)));
    format!("{names}{}({})", step.op, positional.chain(named).collect::<Vec<_>>().join(", "))
}

fn argument_text(json: &Json) -> String {
    match json {
        Json::Null => "None".to_owned(),
        Json::String(name) => name.trim_start_matches('$').to_owned(),
        Json::Array(items) => format!("[{}]", items.iter().map(argument_text).collect::<Vec<_>>().join(", ")),
        Json::Object(object) => match object.iter().next() {
            Some((kind, value)) if matches!(kind.as_str(), "int" | "float" | "bool" | "str") => value.to_string(),
            Some((kind, value)) if kind == "complex" => format!("complex{value}"),
            Some((_, value)) => value.as_str().map_or_else(|| value.to_string(), |name| format!("torch.{name}")),
            None => "{}".to_owned(),
        },
        other => other.to_string(),
    }
}
