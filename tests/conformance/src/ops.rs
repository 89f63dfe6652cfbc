//! The calls of programs. Operations are called by name; what else programs do is in `properties` (what dtypes, devices and tensors say of
//! themselves, what is printed, what is set for all), in `storage`, in `random` (generators, and the parameters of modules) and in `grad`.

pub(crate) mod grad;
mod properties;
mod random;
mod storage;

use latten::{DynTensor, by_name};

use crate::arguments::{Arguments, Outcome};
use crate::errors::Failure;
use crate::value::Value;

/// Makes a call by PyTorch's name of the operation.
///
/// # Errors
/// latten's, and [`Failure::Unsupported`] where nothing knows the call with these arguments.
pub(crate) fn call(op: &str, args: &mut Arguments) -> Outcome {
    // Functions of this module are recorded by both names; one that has a method's name has its own.
    let own = latten::operations().any(|operation| operation.name() == op);
    let op = if own { op } else { op.strip_prefix("nn.functional.").unwrap_or(op) };
    for other in [properties::call, storage::call, random::call, grad::call] {
        args.reset();
        match other(op, args) {
            Err(Failure::Unsupported(reason)) if reason.is_empty() => {}
            Ok(value) => {
                return match args.unused() {
                    Some(argument) => Err(Failure::Unsupported(format!("{op} with {argument}"))),
                    None => Ok(value),
                };
            }
            failed => return failed,
        }
    }
    if !latten::operations().any(|operation| operation.name().trim_end_matches('_') == op.trim_end_matches('_')) {
        return Err(Failure::Unsupported(op.to_owned()));
    }
    if op.ends_with('_') {
        return args.in_place(|tensor, args| by_name(op, args, Some(tensor), &mut []));
    }
    if args.named("out").is_none() {
        return by_name(op, args, None, &mut []);
    }
    args.into_outs(|outs, args| by_name(op, args, None, outs))
}

/// The call, of which the first argument or the outputs may be tensors that it changes.
fn by_name<'a>(op: &str, args: &'a Arguments, changed: Option<&'a mut DynTensor>, outs: &'a mut [DynTensor]) -> Outcome {
    let skipped = usize::from(changed.is_some());
    let mut given = by_name::Arguments::new();
    if let Some(tensor) = changed {
        given = given.with(tensor);
    }
    for value in &args.positional()[skipped..] {
        given = given.with(argument(value)?);
    }
    for (name, value) in args.names().iter().filter(|(name, _)| name != "out") {
        given = given.with_named(name, argument(value)?);
    }
    given = match outs {
        [] => given,
        [out] => given.with_named("out", out),
        outs => given.with_named("out", outs.iter_mut().map(Into::into).collect::<Vec<by_name::NamedArgument<'_>>>()),
    };
    latten::call(op, given)?.try_into()
}

/// A value of a program as an argument.
fn argument(value: &Value) -> Outcome<by_name::NamedArgument<'_>> {
    Ok(match value {
        Value::None => ().into(),
        Value::Bool(x) => (*x).into(),
        Value::Int(x) => (*x).into(),
        Value::Float(x) => (*x).into(),
        Value::Number(x) => (*x).into(),
        Value::Text(x) => x.as_str().into(),
        Value::DType(x) => (*x).into(),
        Value::Format(x) => (*x).into(),
        Value::Device(x) => (*x).into(),
        Value::Tensor(x) => x.into(),
        Value::Sparse(x) => (&**x).into(),
        Value::Generator(x) => x.into(),
        Value::List(list) => list.iter().map(argument).collect::<Outcome<Vec<_>>>()?.into(),
        Value::Untyped(_) | Value::Typed(_) | Value::Fork(_) => return Err(Failure::Unsupported(format!("{value:?} as an argument"))),
    })
}

/// What a theme says to an operation of another theme.
fn unknown(_: &str) -> Failure {
    Failure::Unsupported(String::new())
}
