//! What dtypes, devices and tensors say of themselves, and the globals that a program may set.

use latten::geometry::broadcast::torch_broadcast_shapes;
use latten::print::{PrintOptions, print_options, set_print_options};
use latten::{DType, Device, Error, IntoDevice, finfo, iinfo, set_default_dtype, to_complex};

use super::unknown;
use crate::arguments::{Arguments, Outcome};
use crate::value::Value;

pub(super) fn call(op: &str, args: &mut Arguments) -> Outcome {
    let (family, member) = op.split_once('.').unwrap_or(("", op));
    match family {
        "dtype" => of_dtype(member, args.at(0, "").dtype()?),
        "finfo" => of_floats(member, args.at(0, "").dtype()?),
        "iinfo" => of_integers(member, args.at(0, "").dtype()?),
        "device" => of_device(member, args),
        "" => match op {
            "dtype" | "device" if !matches!(args.at(0, "").value()?, Value::Tensor(_) | Value::Sparse(_)) => named(op, args),
            "repr" => repr(args.at(0, "").value()?),
            "broadcast_shapes" => broadcast_shapes(args),
            "set_default_dtype" | "set_printoptions" => set(op, args),
            _ => of_tensor(op, args),
        },
        _ => Err(unknown(op)),
    }
}

fn of_dtype(member: &str, dtype: DType) -> Outcome {
    Ok(match member {
        "is_floating_point" => dtype.is_floating_point().into(),
        "is_complex" => dtype.is_complex().into(),
        "is_signed" => dtype.is_signed().into(),
        "itemsize" => dtype.itemsize().into(),
        "name" => format!("{dtype:?}").into(),
        "to_complex" => to_complex(dtype)?.into(),
        "to_real" => dtype.to_real().into(),
        _ => return Err(unknown(member)),
    })
}

fn of_floats(member: &str, dtype: DType) -> Outcome {
    let info = finfo(dtype)?;
    Ok(match member {
        "bits" => info.bits.into(),
        "eps" => info.eps.into(),
        "max" => info.max.into(),
        "min" => info.min.into(),
        "tiny" => info.tiny.into(),
        "smallest_normal" => info.smallest_normal.into(),
        "resolution" => info.resolution.into(),
        "dtype" => info.dtype.into(),
        _ => return Err(unknown(member)),
    })
}

fn of_integers(member: &str, dtype: DType) -> Outcome {
    let info = iinfo(dtype)?;
    Ok(match member {
        "bits" => info.bits.into(),
        "max" => info.max.into(),
        "min" => info.min.into(),
        "dtype" => info.dtype.into(),
        _ => return Err(unknown(member)),
    })
}

/// A device from a string and an ordinal, from one of them, or as it is.
fn device(args: &Arguments) -> Outcome<Device> {
    let (first, index) = (args.at(0, "type"), args.at(1, "index"));
    Ok(match (first.value()?, index.given()) {
        (Value::Text(text), None) => text.as_str().into_device()?,
        (Value::Text(text), Some(index)) => (text.as_str(), index.int()? as i64).into_device()?,
        (Value::Int(_), None) => (first.int()? as i64).into_device()?,
        _ => first.device()?,
    })
}

fn of_device(member: &str, args: &Arguments) -> Outcome {
    Ok(match member {
        "type" => device(args)?.kind().name().into(),
        "index" => device(args)?.index().into(),
        "eq" => (args.at(0, "").text()?.into_device()? == args.at(1, "").text()?.into_device()?).into(),
        _ => return Err(unknown(member)),
    })
}

/// `torch.half` and `torch.device(...)`.
fn named(op: &str, args: &Arguments) -> Outcome {
    if op == "device" {
        return Ok(device(args)?.into());
    }
    let name = args.at(0, "").text()?;
    let dtype = DType::parse(name).ok_or_else(|| Error::new(latten::ErrorKind::Type, format!("no dtype is called {name}")))?;
    Ok(dtype.into())
}

fn repr(value: &Value) -> Outcome {
    Ok(match value {
        Value::DType(x) => format!("{x:?}"),
        Value::Device(x) => format!("{x:?}"),
        Value::Format(x) => x.to_string(),
        Value::Untyped(x) => x.to_string(),
        Value::Typed(x) => x.to_string(),
        Value::Tensor(x) => x.to_string(),
        Value::Sparse(x) => x.to_string(),
        _ => return Err(unknown("repr")),
    }
    .into())
}

fn broadcast_shapes(args: &Arguments) -> Outcome {
    let shapes = (0..args.positional().len()).map(|at| args.at(at, "").ints()).collect::<Outcome<Vec<_>>>()?;
    let shapes: Vec<&[isize]> = shapes.iter().map(Vec::as_slice).collect();
    Ok(torch_broadcast_shapes(&shapes)?.as_slice().into())
}

fn set(op: &str, args: &Arguments) -> Outcome {
    if op == "set_default_dtype" {
        set_default_dtype(args.at(0, "").dtype()?)?;
        return Ok(Value::None);
    }
    // PyTorch forgets the mode whenever another option is set.
    let mut options = PrintOptions { sci_mode: None, ..print_options() };
    for (name, option) in [
        ("precision", &mut options.precision),
        ("threshold", &mut options.threshold),
        ("edgeitems", &mut options.edgeitems),
        ("linewidth", &mut options.linewidth),
    ] {
        if let Some(given) = args.named(name).given() {
            *option = given.int()?.unsigned_abs();
        }
    }
    options.sci_mode = args.named("sci_mode").given().map(|mode| mode.flag()).transpose()?;
    set_print_options(options);
    Ok(Value::None)
}

/// What Python writes without parentheses, and what sparse tensors are asked as dense ones are.
fn of_tensor(op: &str, args: &Arguments) -> Outcome {
    match args.at(0, "input").value() {
        Ok(Value::Tensor(x)) => Ok(match op {
            "dtype" => x.dtype().into(),
            "device" => x.device().into(),
            "layout" => x.layout().to_string().trim_start_matches("torch.").into(),
            "shape" => x.sizes().into(),
            "nbytes" => x.nbytes().into(),
            "itemsize" => x.element_size().into(),
            _ => return Err(unknown(op)),
        }),
        Ok(Value::Sparse(x)) => Ok(match op {
            "dtype" => x.dtype().into(),
            "layout" => latten::Layout::SparseCoo.to_string().trim_start_matches("torch.").into(),
            "shape" => x.sizes().into(),
            "stride" => x.strides().into(),
            "storage_offset" => x.storage_offset().into(),
            _ => return Err(unknown(op)),
        }),
        _ => Err(unknown(op)),
    }
}
