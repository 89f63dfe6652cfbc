//! The same numbers elsewhere: other dtypes, orders and devices; copies; and numbers written into tensors.

use latten::{Device, DynTensor, MemoryFormat};

use super::unknown;
use crate::arguments::{Arguments, Outcome};
use crate::value::Value;

pub(super) fn call(op: &str, args: &mut Arguments) -> Outcome {
    match op {
        "copy_" => return args.in_place(|tensor, args| Ok(tensor.copy_(args.at(1, "src").tensor()?).map(drop)?)),
        "fill_" => return args.in_place(|tensor, args| Ok(tensor.fill_(args.at(1, "value").number()?).map(drop)?)),
        "zero_" => return args.in_place(|tensor, _| Ok(tensor.zero_().map(drop)?)),
        _ => {}
    }
    let Ok(x) = args.tensor() else { return Err(unknown(op)) };
    let format = || args.named("memory_format").given().map(|format| format.format()).transpose();
    Ok(match op {
        "to" => to(x, args)?,
        "type_as" => x.to_dtype(args.at(1, "other").tensor()?.dtype())?,
        "cpu" => x.to_device(Device::CPU)?,
        "bool" => x.bool().erase(),
        "byte" => x.byte().erase(),
        "char" => x.char().erase(),
        "short" => x.short().erase(),
        "int" => x.int().erase(),
        "long" => x.long().erase(),
        "half" => x.half().erase(),
        "bfloat16" => x.bfloat16().erase(),
        "float" => x.float().erase(),
        "double" => x.double().erase(),
        "cfloat" => x.cfloat().erase(),
        "cdouble" => x.cdouble().erase(),
        "clone" => x.clone_in(format()?.unwrap_or(MemoryFormat::Preserve))?,
        "contiguous" => match format()? {
            None => x.contiguous(),
            Some(format) => x.contiguous_in(format)?,
        },
        "item" => return Ok(x.item()?.into()),
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
        Some(Value::Device(device)) => x.to_device(*device)?,
        Some(_) => x.raw().to(target.dtype()?, format)?.into(),
        None => x.raw().to(x.dtype(), format)?.into(),
    };
    Ok(if copy && result.untyped_storage().is_same(x.untyped_storage()) { x.clone_in(format)? } else { result })
}
