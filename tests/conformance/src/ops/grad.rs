//! Gradients: what tensors say of theirs, the way back, and the scopes in which nothing is recorded.

use std::cell::RefCell;

use latten::DynTensor;
use latten::grad::{self, AnyTensor, GradOptions, Guard};

use super::unknown;
use crate::arguments::{Argument, Arguments, Outcome};
use crate::value::Value;

thread_local! {
    /// The scopes that are open in the case that runs.
    static SCOPES: RefCell<Vec<Guard>> = const { RefCell::new(Vec::new()) };
}

/// Ends the scopes that a case has left open, the innermost first.
pub(crate) fn end_scopes() {
    SCOPES.with_borrow_mut(|scopes| while scopes.pop().is_some() {});
}

pub(super) fn call(op: &str, args: &mut Arguments) -> Outcome {
    match op {
        "no_grad" => Ok(opened(grad::no_grad())),
        "enable_grad" => Ok(opened(grad::enable_grad())),
        "inference_mode" => Ok(opened(grad::inference_mode())),
        "set_grad_enabled" => Ok(opened(grad::set_grad_enabled(args.at(0, "mode").flag()?))),
        "end_no_grad" | "end_enable_grad" | "end_inference_mode" | "end_set_grad_enabled" => {
            drop(SCOPES.with_borrow_mut(Vec::pop));
            Ok(Value::None)
        }
        "is_grad_enabled" => Ok(grad::is_grad_enabled().into()),
        "autograd.backward" => backward(args),
        "autograd.grad" => gradients(args),
        "requires_grad_" => {
            let flag = args.at(1, "requires_grad").given().map_or(Ok(true), Argument::flag)?;
            args.in_place(|tensor, _| Ok(tensor.set_requires_grad(flag).map(drop)?))
        }
        "detach_" => args.in_place(|tensor, _| Ok(tensor.detach_().map(drop)?)),
        "grad.set" => {
            let gradient = args.at(1, "").given().map(Argument::tensor).transpose()?.map(DynTensor::alias);
            args.in_place(|tensor, _| {
                match &gradient {
                    Some(gradient) => tensor.set_grad(gradient).map(drop)?,
                    None => drop(tensor.zero_grad()),
                }
                Ok(())
            })
        }
        _ => of_tensor(op, args),
    }
}

fn opened(scope: Guard) -> Value {
    SCOPES.with_borrow_mut(|scopes| scopes.push(scope));
    Value::None
}

fn of_tensor(op: &str, args: &Arguments) -> Outcome {
    let Ok(Value::Tensor(x)) = args.at(0, "input").value() else { return Err(unknown(op)) };
    Ok(match op {
        "requires_grad" => x.requires_grad().into(),
        "is_leaf" => x.is_leaf().into(),
        "retains_grad" => x.retains_grad().into(),
        "is_inference" => x.is_inference().into(),
        "grad_fn.name" => x.grad_fn().map_or(Value::None, Value::Text),
        "version" => usize::try_from(x.version()?).map_err(|_| unknown(op))?.into(),
        "data" => x.data().into(),
        "detach" => x.detach().into(),
        "grad" => x.grad().map_or(Value::None, Value::Tensor),
        "retain_grad" => x.retain_grad().map(|_| Value::None)?,
        "backward" => {
            let gradient = args.at(1, "gradient").given().map(Argument::tensor).transpose()?;
            let inputs = args.at(usize::MAX, "inputs").given().map(tensors).transpose()?;
            let given = gradient.map(|gradient| vec![Some(gradient as &dyn AnyTensor)]).unwrap_or_default();
            grad::backward(&[x], &given, inputs.as_deref(), options(args)?)?;
            Value::None
        }
        _ => return Err(unknown(op)),
    })
}

fn tensors(argument: Argument<'_>) -> Outcome<Vec<&dyn AnyTensor>> {
    argument.list()?.iter().map(tensor).collect()
}

fn tensor(value: &Value) -> Outcome<&dyn AnyTensor> {
    match value {
        Value::Tensor(tensor) => Ok(tensor),
        other => Err(unknown(&format!("{other:?}"))),
    }
}

fn given(argument: Argument<'_>) -> Outcome<Vec<Option<&dyn AnyTensor>>> {
    let Some(argument) = argument.given() else { return Ok(Vec::new()) };
    argument.list()?.iter().map(|value| if matches!(value, Value::None) { Ok(None) } else { tensor(value).map(Some) }).collect()
}

fn options(args: &Arguments) -> Outcome<GradOptions> {
    let flag = |name: &str| args.named(name).given().map(Argument::flag).transpose();
    Ok(GradOptions {
        retain_graph: flag("retain_graph")?,
        create_graph: flag("create_graph")?.unwrap_or(false),
        allow_unused: flag("allow_unused")?,
        materialize_grads: flag("materialize_grads")?.unwrap_or(false),
    })
}

fn backward(args: &Arguments) -> Outcome {
    let inputs = args.named("inputs").given().map(tensors).transpose()?;
    grad::backward(&tensors(args.at(0, "tensors"))?, &given(args.at(1, "grad_tensors"))?, inputs.as_deref(), options(args)?)?;
    Ok(Value::None)
}

fn gradients(args: &Arguments) -> Outcome {
    let (outputs, inputs) = (tensors(args.at(0, "outputs"))?, tensors(args.at(1, "inputs"))?);
    let found = grad::grad(&outputs, &inputs, &given(args.at(2, "grad_outputs"))?, options(args)?)?;
    Ok(Value::List(found.into_iter().map(|gradient| gradient.map_or(Value::None, Value::Tensor)).collect()))
}
