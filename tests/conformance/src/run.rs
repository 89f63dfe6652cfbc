//! The machine that runs a program: names hold values, steps change them, and globals are put back afterwards.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use latten::Device;
use latten::Error;
use latten::MemoryFormat;
use latten::RawTensor;
use latten::Scalar;
use latten::geometry::{Dims, Geometry};
use latten::prelude::*;
use latten::print::{PrintOptions, set_print_options};
use latten::set_default_dtype;
use latten::storage::UntypedStorage;
use serde_json::Value as Json;

use crate::arguments::{Arguments, Outcome};
use crate::case::{Case, Input, Names, Step};
use crate::compare::{self, Difference};
use crate::errors::{self, Failure};
use crate::ops;
use crate::typed;
use crate::value::Value;

/// Which of latten's layers runs a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Tensors of which only the run knows dtype and shape.
    Dynamic,
    /// Operators between tensors of known types, where there are such; else as above.
    Typed,
    /// As the first, but what a program is given, and what its steps make of no tensor, lies on a device.
    On(Device),
}

impl Layer {
    fn device(self) -> Device {
        match self {
            Self::On(device) => device,
            Self::Dynamic | Self::Typed => Device::CPU,
        }
    }
}

/// The areas whose programs run in the typed layer, too.
const TYPED_AREAS: [&str; 3] = ["promotion", "inplace", "broadcast"];

/// What became of a case.
#[derive(Debug)]
pub enum Verdict {
    /// All is as recorded.
    Pass,
    /// Something isn't.
    Fail(Failed),
}

/// A case that isn't as recorded.
#[derive(Debug)]
pub struct Failed {
    /// Which layer ran.
    pub layer: Layer,
    /// Why.
    pub reason: Reason,
    /// What the names held in the end.
    pub names: BTreeMap<String, Value>,
}

/// Why a case fails.
#[derive(Debug)]
pub enum Reason {
    /// The replayer doesn't know the call.
    Unsupported(String),
    /// The case itself can't be used.
    Unreadable(String),
    /// A step failed that shouldn't have.
    Raised(usize, Error),
    /// An operator failed that shouldn't have, or in other words.
    OperatorPanicked(usize, String),
    /// A step that gives something doesn't compile.
    Uncompilable(usize),
    /// No step failed, but one should have.
    NotRaised,
    /// A step failed as it should, but says something else.
    OtherError(usize, Error, String),
    /// Answers are different.
    Different(Vec<Difference>),
    /// The library panicked.
    Panicked(String),
}

/// Runs a case on a device, which is the host or another, and compares, whatever happens.
#[must_use]
pub fn judge(case: &Case, device: Device) -> Verdict {
    if device != Device::CPU {
        return judge_in(Layer::On(device), case);
    }
    match judge_in(Layer::Dynamic, case) {
        Verdict::Pass if TYPED_AREAS.contains(&case.area.as_str()) => judge_in(Layer::Typed, case),
        verdict => verdict,
    }
}

fn judge_in(layer: Layer, case: &Case) -> Verdict {
    let mut names = BTreeMap::new();
    let outcome = caught(|| run(layer, case, &mut names));
    reset_globals();
    let reason = match outcome {
        Err(message) => Some(Reason::Panicked(message)),
        Ok(Err(reason)) => Some(reason),
        Ok(Ok(())) => match caught(|| compare::differences(case, &names)) {
            Err(message) => Some(Reason::Panicked(message)),
            Ok(found) => (!found.is_empty()).then_some(Reason::Different(found)),
        },
    };
    reason.map_or(Verdict::Pass, |reason| Verdict::Fail(Failed { layer, reason, names }))
}

/// What the default dtype, the print options and the scopes of gradients are when a program begins.
fn reset_globals() {
    ops::grad::end_scopes();
    set_print_options(PrintOptions::DEFAULT);
    set_default_dtype(DType::F32).expect("f32 can be the default dtype");
}

thread_local! {
    /// Where a case is running: the last panic, which isn't printed then.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// # Errors
/// The message and the place of a panic.
fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let caught = PANIC.with_borrow_mut(|panic| panic.as_mut().map(|panic| *panic = info.to_string()).is_some());
            if !caught {
                usual(info);
            }
        }));
    });
    PANIC.set(Some(String::new()));
    let outcome = panic::catch_unwind(AssertUnwindSafe(run));
    let message = PANIC.take().unwrap_or_default();
    outcome.map_err(|_| message)
}

/// What the names hold after some steps of a program that don't fail; nothing, where one does.
#[must_use]
pub fn after(case: &Case, steps: usize) -> Option<BTreeMap<String, Value>> {
    after_change(case, steps, |_| ())
}

/// The same of a program whose inputs are changed before it begins.
pub(crate) fn after_change(
    case: &Case,
    steps: usize,
    change: impl FnOnce(&mut BTreeMap<String, Value>),
) -> Option<BTreeMap<String, Value>> {
    let mut names = BTreeMap::new();
    let outcome = caught(|| {
        inputs(Layer::Dynamic, case, &mut names).ok()?;
        change(&mut names);
        case.steps[..steps].iter().try_for_each(|step| run_step(Layer::Dynamic, step, &mut names).ok())
    });
    reset_globals();
    outcome.ok().flatten().map(|()| names)
}

fn inputs(layer: Layer, case: &Case, names: &mut BTreeMap<String, Value>) -> Result<(), Reason> {
    for with_storage in [true, false] {
        for (name, input) in case.inputs.iter().filter(|(_, input)| input.view_of.is_none() == with_storage) {
            let tensor = input_tensor(layer, input, names).map_err(|why| Reason::Unreadable(format!("input {name}: {why}")))?;
            names.insert(name.clone(), tensor.into());
        }
    }
    Ok(())
}

fn run(layer: Layer, case: &Case, names: &mut BTreeMap<String, Value>) -> Result<(), Reason> {
    inputs(layer, case, names)?;
    for (at, step) in case.steps.iter().enumerate() {
        let recorded = case.error.as_ref().filter(|error| error.step == at);
        match (run_step(layer, step, names), recorded) {
            (Ok(()), None) => {}
            (Ok(()), Some(_)) => return Err(Reason::NotRaised),
            (Err(Failure::Unsupported(what)), _) => return Err(Reason::Unsupported(what)),
            (Err(Failure::Raised(error)), None) => return Err(Reason::Raised(at, error)),
            (Err(Failure::Uncompilable), None) => return Err(Reason::Uncompilable(at)),
            (Err(Failure::Raised(error)), Some(recorded)) => {
                return match errors::difference(&error, recorded) {
                    Some(what) => Err(Reason::OtherError(at, error, what)),
                    None => Ok(()),
                };
            }
            (Err(Failure::Uncompilable), Some(_)) => return Ok(()),
            (Err(Failure::Panicked(message)), recorded) => {
                let as_recorded = recorded.is_some_and(|recorded| errors::says(&message, recorded));
                return if as_recorded { Ok(()) } else { Err(Reason::OperatorPanicked(at, message)) };
            }
        }
    }
    Ok(())
}

fn input_tensor(layer: Layer, input: &Input, names: &BTreeMap<String, Value>) -> Result<DynTensor, String> {
    let dtype = DType::parse(&input.dtype).ok_or_else(|| format!("no dtype {}", input.dtype))?;
    let storage = match &input.view_of {
        None => {
            UntypedStorage::from_bytes(&input.storage.0).and_then(|bytes| bytes.to(layer.device())).map_err(|error| error.to_string())?
        }
        Some(base) => names.get(base).and_then(Value::storage).ok_or_else(|| format!("no input {base}"))?.clone(),
    };
    let geometry = Geometry { sizes: Dims::from_slice(&input.shape), strides: Dims::from_slice(&input.strides), offset: input.offset };
    RawTensor::over(storage, dtype, geometry).map(DynTensor::from).map_err(|error| error.to_string())
}

fn run_step(layer: Layer, step: &Step, names: &mut BTreeMap<String, Value>) -> Outcome<()> {
    let positional = step.args.iter().map(|arg| argument(arg, names)).collect::<Outcome<Vec<_>>>()?;
    let named = step.kw.iter().map(|(name, arg)| Ok((name.clone(), argument(arg, names)?))).collect::<Outcome<Vec<_>>>()?;
    let mut args = Arguments::new(positional, named);
    let typed = (layer == Layer::Typed).then(|| typed::call(&step.op, &args)).flatten();
    let outcome = typed.unwrap_or_else(|| ops::call(&step.op, &mut args));
    write_back(step, &args, names);
    let result = match layer {
        Layer::On(device) => as_on_host(outcome?, device, &args)?,
        Layer::Dynamic | Layer::Typed => outcome?,
    };
    match (&step.names, result) {
        (None, _) => {}
        (Some(Names::One(name)), result) => {
            names.insert(name.clone(), result);
        }
        (Some(Names::Several(several)), Value::List(results)) if several.len() == results.len() => {
            names.extend(several.iter().cloned().zip(results));
        }
        (Some(Names::Several(several)), result) => {
            let got = if let Value::List(results) = result { results.len() } else { 1 };
            return Err(Failure::Unsupported(format!("{} results of {}, which gives {got}", several.len(), step.op)));
        }
    }
    Ok(())
}

/// What a step on a device gives, as far as a recording of the host knows it: what is made of no tensor goes there, and texts don't name it.
fn as_on_host(result: Value, device: Device, args: &Arguments) -> Outcome<Value> {
    let values = || args.positional().iter().chain(args.names().iter().map(|(_, value)| value));
    Ok(match result {
        Value::Tensor(made) if !values().any(|value| matches!(value, Value::Tensor(_) | Value::List(_))) => made.to_device(device)?.into(),
        Value::Text(text) => text.replace(&format!(", device='{device}'"), "").into(),
        other => other,
    })
}

/// A method in place and `out=` may give their tensor another shape; so the names hold what the call left, even where it failed.
fn write_back(step: &Step, args: &Arguments, names: &mut BTreeMap<String, Value>) {
    let (first, out) = args.after();
    let first = first.filter(|_| step.op.ends_with('_')).zip(step.args.first());
    for (value, name) in first.into_iter().chain(out.zip(step.kw.get("out"))) {
        if let (Value::Tensor(tensor), Some(name)) = (value, name.as_str()) {
            names.insert(name.trim_start_matches('$').to_owned(), tensor.alias().into());
        }
    }
}

/// An argument as FORMAT.md writes it.
fn argument(json: &Json, names: &BTreeMap<String, Value>) -> Outcome {
    let unreadable = || Failure::Unsupported(format!("the argument {json}"));
    Ok(match json {
        Json::Null => Value::None,
        Json::Bool(x) => Value::Bool(*x),
        Json::Number(x) => Value::Int(integer(x).ok_or_else(unreadable)?),
        Json::String(name) => names.get(name.trim_start_matches('$')).ok_or_else(unreadable)?.alias(),
        Json::Array(list) => Value::List(list.iter().map(|item| argument(item, names)).collect::<Outcome<_>>()?),
        Json::Object(object) => {
            let (kind, value) = object.iter().next().ok_or_else(unreadable)?;
            literal(kind, value).ok_or_else(unreadable)?
        }
    })
}

fn integer(number: &serde_json::Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

fn literal(kind: &str, json: &Json) -> Option<Value> {
    Some(match kind {
        "bool" => Scalar::Bool(json.as_bool()?).into(),
        "int" => Scalar::from(integer(json.as_number()?)?).into(),
        "float" => Scalar::Float(float(json)?).into(),
        "complex" => Scalar::Complex(Complex::new(float(json.get(0)?)?, float(json.get(1)?)?)).into(),
        "dtype" => DType::parse(json.as_str()?)?.into(),
        "memory_format" => memory_format(json.as_str()?)?.into(),
        "device" => Device::parse(json.as_str()?).ok()?.into(),
        "str" => json.as_str()?.into(),
        _ => return None,
    })
}

fn float(json: &Json) -> Option<f64> {
    match json {
        Json::String(name) => name.parse().ok(),
        other => other.as_f64(),
    }
}

fn memory_format(name: &str) -> Option<MemoryFormat> {
    Some(match name {
        "contiguous_format" => MemoryFormat::Contiguous,
        "channels_last" => MemoryFormat::ChannelsLast,
        "channels_last_3d" => MemoryFormat::ChannelsLast3d,
        "preserve_format" => MemoryFormat::Preserve,
        _ => return None,
    })
}
