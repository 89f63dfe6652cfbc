//! The same numbers elsewhere: other dtypes, orders and devices; copies; and numbers written into tensors.

use latten::{DynTensor, MemoryFormat};

use super::unknown;
use crate::arguments::{Arguments, Outcome};
use crate::value::Value;

pub(super) fn call(op: &str, args: &mut Arguments) -> Outcome {
    match op {
        "copy_" => return args.in_place(|tensor, args| Ok(tensor.raw().copy_(args.at(1, "src").tensor()?.raw()).map(drop)?)),
        "fill_" => return args.in_place(|tensor, args| Ok(tensor.raw().fill_(args.at(1, "value").number()?).map(drop)?)),
        "zero_" => return args.in_place(|tensor, _| Ok(tensor.raw().zero_().map(drop)?)),
        _ => {}
    }
    let Ok(x) = args.tensor() else { return Err(unknown(op)) };
    let format = || args.named("memory_format").given().map(|format| format.format()).transpose();
    Ok(match op {
        "to" => to(x, args)?,
        "type_as" => DynTensor::from(x.raw().to_dtype(args.at(1, "other").tensor()?.raw().dtype())?),
        "cpu" => x.alias(),
        "clone" => DynTensor::from(x.raw().clone_as(format()?.unwrap_or(MemoryFormat::Preserve))?),
        "contiguous" => DynTensor::from(x.raw().contiguous(format()?.unwrap_or(MemoryFormat::Contiguous))?),
        "item" => return Ok(x.raw().item()?.into()),
        _ => return Err(unknown(op)),
    }
    .into())
}

/// To a dtype or to a device, in a memory format; a copy even where there is nothing to do, if that is asked for.
fn to(x: &DynTensor, args: &Arguments) -> Outcome<DynTensor> {
    let format = args.named("memory_format").given().map(|format| format.format()).transpose()?.unwrap_or(MemoryFormat::Preserve);
    let copy = args.named("copy").flag_or(false)?;
    let target = args.at(1, "dtype");
    let result = match target.given().map(|target| target.value()).transpose()? {
        Some(Value::Device(device)) => {
            let _ = device;
            x.alias()
        }
        Some(_) => x.raw().to(target.dtype()?, format)?.into(),
        None => x.raw().to(x.raw().dtype(), format)?.into(),
    };
    Ok(if copy && result.untyped_storage().is_same(x.untyped_storage()) { DynTensor::from(x.raw().clone_as(format)?) } else { result })
}
