//! New tensors: filled, counted, and like others.

use latten::{DynTensor, Options};

use super::unknown;
use crate::arguments::{Arguments, Outcome, real};

pub(super) fn call(op: &str, args: &mut Arguments) -> Outcome {
    let at = |at: usize, name: &str| args.at(at, name);
    let numbers = || Outcome::Ok((at(0, "start").scalar()?, at(1, "end").scalar()?));
    Ok(match op {
        "zeros" => DynTensor::zeros(at(0, "size").ints()?, options(args)?)?,
        "ones" => DynTensor::ones(at(0, "size").ints()?, options(args)?)?,
        "empty" => DynTensor::empty(at(0, "size").ints()?, options(args)?)?,
        "full" => DynTensor::full(at(0, "size").ints()?, at(1, "fill_value").scalar()?, options(args)?)?,
        "eye" => DynTensor::eye(at(0, "n").count()?, at(1, "m").given().unwrap_or(at(0, "n")).count()?, options(args)?)?,
        "arange" => {
            // With one number alone that is the end.
            let (start, end) = if at(1, "end").given().is_some() { numbers()? } else { (0.into(), at(0, "end").scalar()?) };
            DynTensor::arange(start, end, at(2, "step").given().map_or(Ok(1.into()), |step| step.scalar())?, options(args)?)?
        }
        "linspace" => {
            let (start, end) = numbers()?;
            DynTensor::linspace(real(start), real(end), at(2, "steps").count()?, options(args)?)?
        }
        "empty_like" | "zeros_like" | "ones_like" => like(op, args)?,
        _ => return Err(unknown(op)),
    }
    .into())
}

fn options(args: &Arguments) -> Outcome<Options> {
    Ok(Options {
        dtype: args.named("dtype").given().map(|dtype| dtype.dtype()).transpose()?,
        device: args.named("device").given().map(|device| device.device()).transpose()?,
        format: args.named("memory_format").given().map(|format| format.format()).transpose()?,
    })
}

fn like(op: &str, args: &Arguments) -> Outcome<DynTensor> {
    let (x, options) = (args.tensor()?, options(args)?);
    let mut tensor = x.empty_like_with(options)?;
    match op {
        "zeros_like" => drop(tensor.zero_()?),
        "ones_like" => drop(tensor.fill_(1)?),
        _ => {}
    }
    Ok(tensor)
}
