//! Gradients that are bounded: by the norm of all of them together, or element by element.

use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::Parameter;
use crate::call::{Call, CallArgument, Function, Value, run};
use crate::elementwise::Params;
use crate::error::{Error, Result};
use crate::grad::{self, no_grad};
use crate::raw::RawTensor;
use crate::reduce::Along;
use crate::relations::RealNumber;
use crate::tensor::DynTensor;

/// PyTorch's `clip_grad_norm_`: scales all gradients down where their norm together is larger than that, and gives the norm that they had.
///
/// # Errors
/// Where the gradients are of dtypes that don't go together.
pub fn clip_grad_norm_(parameters: &mut [&mut dyn Parameter], max_norm: impl RealNumber) -> Result<DynTensor> {
    clip_grad_norm_with_(parameters, max_norm, 2, false)
}

/// [`clip_grad_norm_`] by another norm, as `f64::INFINITY` for the largest element; with `error_if_nonfinite` a norm that is no finite number
/// is refused.
///
/// # Errors
/// As [`clip_grad_norm_`], and for such a norm. Then nothing was changed.
pub fn clip_grad_norm_with_(
    parameters: &mut [&mut dyn Parameter],
    max_norm: impl RealNumber,
    norm_type: impl RealNumber,
    error_if_nonfinite: bool,
) -> Result<DynTensor> {
    let (max_norm, norm_type) = (max_norm.real(), norm_type.real());
    let _unrecorded = no_grad();
    let gradients = gradients(parameters);
    let along = Along::all().parameter(norm_type);
    let norms = gradients.iter().map(|gradient| Value::from(gradient).reduced(Reduction::Norm, &along)?.tensor());
    let norms = norms.collect::<Result<Vec<_>>>()?;
    let all: Vec<&RawTensor> = norms.iter().collect();
    if all.is_empty() {
        return RawTensor::from_scalar(0.0.into(), latten_spec::DType::F32).map(DynTensor::from);
    }
    let stacked = run(Call::new(Function::Stack, &[CallArgument::Tensors(&all)]))?.one()?;
    let total = Value::from(stacked).reduced(Reduction::Norm, &along)?.tensor()?;
    if error_if_nonfinite && !total.item()?.to_f64().is_finite() {
        return Err(Error::runtime(format!(
            "The total norm of order {norm_type:?} for gradients from `parameters` is non-finite, so it cannot be clipped. To disable this error \
             and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
        )));
    }
    let apply = |op: Op, operands: &[Value]| Value::apply(op.into(), &Params::none(), operands);
    let scale = apply(Op::Div, &[max_norm.into(), apply(Op::Add, &[Value::from(&total), 1e-6.into()])?])?;
    let scale = Value::from(apply(Op::ClampMax, &[scale, 1.0.into()])?.tensor()?);
    for mut gradient in gradients {
        apply(Op::Mul, &[Value::from(&gradient), scale.clone()])?.write_to(&mut gradient)?;
    }
    Ok(DynTensor::from(total))
}

/// PyTorch's `clip_grad_value_`: no element of a gradient is further from zero than that.
///
/// # Errors
/// For complex gradients, which have no order.
pub fn clip_grad_value_(parameters: &mut [&mut dyn Parameter], clip_value: impl RealNumber) -> Result<()> {
    let clip_value = clip_value.real();
    let _unrecorded = no_grad();
    for mut gradient in gradients(parameters) {
        let bounded = [Value::from(&gradient), (-clip_value).into(), clip_value.into()];
        Value::apply(Op::Clamp.into(), &Params::none(), &bounded)?.write_to(&mut gradient)?;
    }
    Ok(())
}

fn gradients(parameters: &mut [&mut dyn Parameter]) -> Vec<RawTensor> {
    parameters.iter_mut().filter_map(|parameter| grad::grad(parameter.erased_parameter())).collect()
}
