//! Reductions, scans and softmax, found by name in the table of reductions; and comparisons of whole tensors.

use latten::reduce::{
    Along, Keep, NansAre, Tolerance, allclose, aminmax, equal, isclose, pick, reduce, reduce_out, scan, scan_in_place, scan_out,
    scan_places, softmax,
};
use latten::{DynTensor, RawTensor, Reduction};

use super::unknown;
use crate::arguments::{Arguments, Outcome, real};
use crate::value::Value;

pub(super) fn call(op: &str, args: &mut Arguments) -> Outcome {
    let (name, in_place) = op.strip_suffix('_').map_or((op, false), |name| (name, true));
    if matches!(name, "isclose" | "allclose" | "equal") {
        return close(name, args);
    }
    let reduction = Reduction::ALL.iter().copied().find(|reduction| reduction.row().name == name).ok_or_else(|| unknown(op))?;
    match reduction {
        Reduction::Cumsum | Reduction::Cumprod if in_place => {
            args.in_place(|tensor, args| Ok(scan_in_place(reduction, tensor.raw(), args.at(1, "dim").int()?)?))
        }
        _ if in_place => Err(unknown(op)),
        Reduction::Cumsum | Reduction::Cumprod => scanned(reduction, args),
        Reduction::Cummax | Reduction::Cummin => Ok(pair(scan_places(reduction, args.tensor()?.raw(), args.at(1, "dim").int()?)?)),
        Reduction::Softmax | Reduction::LogSoftmax => {
            let dtype = args.named("dtype").given().map(|dtype| dtype.dtype()).transpose()?;
            Ok(DynTensor::from(softmax(reduction, args.tensor()?.raw(), args.at(1, "dim").int()?, dtype)?).into())
        }
        Reduction::Aminmax => {
            let dim = args.named("dim").given().map(|dim| dim.int()).transpose()?;
            Ok(pair(aminmax(args.tensor()?.raw(), dim, keep(args)?)?))
        }
        // Two tensors: the larger elements of both, which is an operation of the table.
        Reduction::Max | Reduction::Min if matches!(args.at(1, "dim").value(), Ok(Value::Tensor(_))) => Err(unknown(op)),
        Reduction::Max | Reduction::Min | Reduction::Median if !args.at(1, "dim").is_none() => {
            Ok(pair(pick(reduction, args.tensor()?.raw(), args.at(1, "dim").int()?, keep(args)?)?))
        }
        // Sorting belongs to indexing.
        Reduction::Sort => Err(unknown(op)),
        _ => reduced(reduction, args),
    }
}

fn keep(args: &Arguments) -> Outcome<Keep> {
    Ok(if args.at(2, "keepdim").flag_or(false)? { Keep::Yes } else { Keep::No })
}

fn pair((values, places): (RawTensor, RawTensor)) -> Value {
    vec![DynTensor::from(values), DynTensor::from(places)].into()
}

fn reduced(reduction: Reduction, args: &mut Arguments) -> Outcome {
    let mut along = match args.at(1, "dim").given() {
        None => Along::all(),
        Some(dims) => Along::dims(&dims.ints()?),
    };
    along = along.keep(keep(args)?);
    if let Some(dtype) = args.named("dtype").given() {
        along = along.dtype(dtype.dtype()?);
    }
    for name in ["correction", "p"] {
        if let Some(parameter) = args.named(name).given() {
            along = along.parameter(real(parameter.scalar()?));
        }
    }
    if args.named("out").is_none() {
        return Ok(DynTensor::from(reduce(reduction, args.tensor()?.raw(), &along)?).into());
    }
    args.into_raw_out(|out, args| Ok(reduce_out(reduction, args.tensor()?.raw(), &along, out).map(drop)?))
}

fn scanned(reduction: Reduction, args: &mut Arguments) -> Outcome {
    let dim = args.at(1, "dim").int()?;
    let dtype = args.named("dtype").given().map(|dtype| dtype.dtype()).transpose()?;
    if args.named("out").is_none() {
        return Ok(DynTensor::from(scan(reduction, args.tensor()?.raw(), dim, dtype)?).into());
    }
    args.into_raw_out(|out, args| Ok(scan_out(reduction, args.tensor()?.raw(), dim, dtype, out).map(drop)?))
}

fn close(name: &str, args: &Arguments) -> Outcome {
    let (x, y) = (args.tensor()?.raw(), args.at(1, "other").tensor()?.raw());
    let default = Tolerance::default();
    let number = |name: &str, default: f64| args.named(name).given().map_or(Ok(default), |number| number.scalar().map(real));
    let tolerance = Tolerance {
        relative: number("rtol", default.relative)?,
        absolute: number("atol", default.absolute)?,
        nans: if args.named("equal_nan").flag_or(false)? { NansAre::Equal } else { NansAre::Different },
    };
    Ok(match name {
        "isclose" => DynTensor::from(isclose(x, y, tolerance)?).into(),
        "allclose" => allclose(x, y, tolerance)?.into(),
        _ => equal(x, y)?.into(),
    })
}
