//! Elements chosen, placed and ordered by other tensors.

use latten::elementwise::Target;
use latten::indexing::{self, Accumulate, Combine, End, Half, Order, Own, Padding, Unique};
use latten::{DynTensor, RawTensor};

use super::unknown;
use crate::arguments::{Arguments, Outcome};
use crate::errors::Failure;
use crate::value::Value;

pub(super) fn call(op: &str, args: &mut Arguments) -> Outcome {
    if op.ends_with('_') {
        return in_place(op, args);
    }
    let Ok(x) = args.tensor() else { return Err(unknown(op)) };
    let x = x.raw();
    let tensor = |at: usize, name: &str| Ok::<_, Failure>(args.at(at, name).tensor()?.raw());
    let int = |at: usize, name: &str| args.at(at, name).int();
    let dim = || args.named("dim").given().map(|dim| dim.int()).transpose();
    Ok(match op {
        "gather" => one(indexing::gather(x, int(1, "dim")?, tensor(2, "index")?, Target::New)?),
        "take" => one(indexing::take(x, tensor(1, "index")?, Target::New)?),
        "index_select" => one(indexing::index_select(x, int(1, "dim")?, tensor(2, "index")?, Target::New)?),
        "embedding" => one(indexing::embedding(x, tensor(1, "weight")?, None)?),
        "repeat_interleave" => match args.at(1, "repeats").value()? {
            Value::Tensor(repeats) => one(indexing::repeat_interleave_by(x, repeats.raw(), dim()?)?),
            _ => one(indexing::repeat_interleave(x, int(1, "repeats")?, dim()?)?),
        },
        "masked_select" => one(indexing::masked_select(x, tensor(1, "mask")?, Target::New)?),
        "masked_fill" => one(indexing::masked_fill(x, tensor(1, "mask")?, args.at(2, "value").operand()?)?),
        "nonzero" | "argwhere" => one(indexing::nonzero(x, Target::New)?),
        "index" => one(indexing::index(x, &indices(args)?)?),
        "scatter" | "scatter_add" => {
            let (source, combine) = (args.at(3, "src").operand()?, combine(op));
            one(indexing::scatter(x, int(1, "dim")?, tensor(2, "index")?, source, (combine, Own::Counts), Target::New)?)
        }
        "sort" | "argsort" => {
            let (values, places) = indexing::sort(x, args.named("dim").int_or(-1)?, order(args)?, [Target::New; 2])?;
            if op == "sort" { several([values, places]) } else { one(places) }
        }
        "topk" => {
            let end = if args.named("largest").flag_or(true)? { End::Largest } else { End::Smallest };
            let (values, places) = indexing::topk(x, int(1, "k")?, args.named("dim").int_or(-1)?, end, [Target::New; 2])?;
            several([values, places])
        }
        "unique" => unique(x, args)?,
        "tril" => one(indexing::triangle(x, Half::Lower, args.at(1, "diagonal").int_or(0)?, Target::New)?),
        "triu" => one(indexing::triangle(x, Half::Upper, args.at(1, "diagonal").int_or(0)?, Target::New)?),
        "diag" => one(indexing::diag(x, args.at(1, "diagonal").int_or(0)?, Target::New)?),
        "pad" => {
            let value = args.named("value").given().map(|value| value.number()).transpose()?;
            let mode = args.named("mode").given().map_or(Ok("constant"), |mode| mode.text())?;
            one(indexing::pad(x, &args.at(1, "pad").ints()?, Padding::parse(mode, value)?)?)
        }
        "one_hot" => one(indexing::one_hot(x, args.at(1, "num_classes").given().map(|count| count.int()).transpose()?)?),
        _ => return Err(unknown(op)),
    })
}

fn in_place(op: &str, args: &mut Arguments) -> Outcome {
    if !matches!(op, "masked_fill_" | "index_put_" | "scatter_" | "scatter_add_" | "tril_" | "triu_") {
        return Err(unknown(op));
    }
    args.in_place(|x, args| {
        let x = x.raw();
        let tensor = |at: usize, name: &str| Ok::<_, Failure>(args.at(at, name).tensor()?.raw());
        match op {
            "masked_fill_" => indexing::masked_fill_in_place(x, tensor(1, "mask")?, args.at(2, "value").operand()?)?,
            "index_put_" => {
                let accumulate = if args.named("accumulate").flag_or(false)? { Accumulate::Yes } else { Accumulate::No };
                indexing::index_put_in_place(x, &indices(args)?, tensor(2, "values")?, accumulate)?;
            }
            "tril_" => drop(indexing::triangle(x, Half::Lower, args.at(1, "diagonal").int_or(0)?, Target::InPlace(x))?),
            "triu_" => drop(indexing::triangle(x, Half::Upper, args.at(1, "diagonal").int_or(0)?, Target::InPlace(x))?),
            _ => {
                let (dim, source) = (args.at(1, "dim").int()?, args.at(3, "src").operand()?);
                indexing::scatter(x, dim, tensor(2, "index")?, source, (combine(op), Own::Counts), Target::InPlace(x))?;
            }
        }
        Ok(())
    })
}

fn combine(op: &str) -> Combine {
    if op.starts_with("scatter_add") { Combine::Sum } else { Combine::Replace }
}

/// Sorts here are always stable.
fn order(args: &Arguments) -> Outcome<Order> {
    args.named("stable").flag_or(false)?;
    Ok(if args.named("descending").flag_or(false)? { Order::Descending } else { Order::Ascending })
}

/// The list of an index, where `null` is all of a dimension.
fn indices(args: &Arguments) -> Outcome<Vec<Option<&RawTensor>>> {
    let one = |value| match value {
        &Value::None => Ok(None),
        Value::Tensor(index) => Ok(Some(index.raw())),
        other => Err(Failure::Unsupported(format!("{other:?} as an index"))),
    };
    args.at(1, "indices").list()?.iter().map(one).collect()
}

/// Distinct elements are always sorted here.
fn unique(x: &RawTensor, args: &Arguments) -> Outcome {
    args.named("sorted").flag_or(true)?;
    let Unique { values, inverse, counts } = match args.named("dim").given() {
        None => indexing::unique(x)?,
        Some(dim) => indexing::unique_dim(x, dim.int()?)?,
    };
    let with = |name: &str, part: RawTensor| Ok::<_, Failure>(args.named(name).flag_or(false)?.then_some(part));
    let parts = [with("return_inverse", inverse)?, with("return_counts", counts)?];
    let rest: Vec<RawTensor> = parts.into_iter().flatten().collect();
    Ok(if rest.is_empty() { one(values) } else { several([values].into_iter().chain(rest)) })
}

fn one(tensor: RawTensor) -> Value {
    DynTensor::from(tensor).into()
}

fn several(tensors: impl IntoIterator<Item = RawTensor>) -> Value {
    tensors.into_iter().map(DynTensor::from).collect::<Vec<_>>().into()
}
