//! Views: other sizes and strides over the same storage; and the joins, which copy.

use latten::geometry::broadcast::torch_broadcast_shapes;
use latten::{Span, broadcast_tensors, cat, hstack, stack, vstack};

use super::unknown;
use crate::arguments::{Arguments, Outcome};
use crate::value::Value;

pub(super) fn call(op: &str, args: &mut Arguments) -> Outcome {
    match op {
        "broadcast_shapes" => {
            let shapes = (0..args.positions()).map(|at| args.at(at, "").ints()).collect::<Outcome<Vec<_>>>()?;
            let shapes: Vec<&[isize]> = shapes.iter().map(Vec::as_slice).collect();
            Ok(torch_broadcast_shapes(&shapes)?.as_slice().into())
        }
        "broadcast_tensors" => {
            let tensors = (0..args.positions()).map(|at| args.at(at, "").tensor()).collect::<Outcome<Vec<_>>>()?;
            Ok(broadcast_tensors(&tensors)?.into())
        }
        "cat" | "concat" | "stack" | "hstack" | "vstack" => joined(op, args),
        _ => shaped(op, args).or_else(|failure| failure.or_if_unknown(|| placed(op, args))),
    }
}

fn joined(op: &str, args: &Arguments) -> Outcome {
    let tensors = args.at(0, "tensors").tensors()?;
    Ok(match op {
        "hstack" => hstack(&tensors)?,
        "vstack" => vstack(&tensors)?,
        "stack" => stack(&tensors, args.at(1, "dim").int_or(0)?)?,
        _ => cat(&tensors, args.at(1, "dim").int_or(0)?)?,
    }
    .into())
}

/// Other sizes for the same elements.
fn shaped(op: &str, args: &Arguments) -> Outcome {
    let Ok(x) = args.tensor() else { return Err(unknown(op)) };
    let dim = |at: usize, name: &str| args.at(at, name);
    Ok(match op {
        "view" => match dim(1, "size").value()? {
            Value::DType(dtype) => x.view_dtype(*dtype)?,
            _ => x.view(dim(1, "size").ints()?)?,
        },
        "reshape" => x.reshape(dim(1, "shape").ints()?)?,
        "flatten" => x.flatten(dim(1, "start_dim").int_or(0)?, dim(2, "end_dim").int_or(-1)?)?,
        "unflatten" => x.unflatten(dim(1, "dim").int()?, dim(2, "sizes").ints()?)?,
        "squeeze" => match dim(1, "dim").given() {
            None => x.squeeze(),
            Some(dims) => x.squeeze_dims(dims.ints()?)?,
        },
        "unsqueeze" => x.unsqueeze(dim(1, "dim").int()?)?,
        "expand" => x.expand(dim(1, "size").ints()?)?,
        "expand_as" => x.expand_as(dim(1, "other").tensor()?)?,
        "broadcast_to" => x.broadcast_to(dim(1, "size").ints()?)?,
        "transpose" => x.transpose(dim(1, "dim0").int()?, dim(2, "dim1").int()?)?,
        "swapaxes" => x.swapaxes(dim(1, "axis0").int()?, dim(2, "axis1").int()?)?,
        "permute" => x.permute(dim(1, "dims").ints()?)?,
        "movedim" => x.movedim(dim(1, "source").ints()?, dim(2, "destination").ints()?)?,
        "t" => x.t()?,
        "detach" => x.alias(),
        "view_as_real" => x.view_as_real()?,
        "view_as_complex" => x.view_as_complex()?,
        "real" => x.real(),
        "imag" => x.try_imag()?,
        "repeat" => x.repeat(dim(1, "repeats").ints()?)?,
        "tile" => x.tile(dim(1, "dims").ints()?)?,
        "flip" => x.flip(dim(1, "dims").ints()?)?,
        "roll" => x.roll(dim(1, "shifts").ints()?, dim(2, "dims").given().map_or(Ok(Vec::new()), |dims| dims.ints())?)?,
        _ => return Err(unknown(op)),
    }
    .into())
}

/// Some of the elements, or all in parts.
fn placed(op: &str, args: &Arguments) -> Outcome {
    let Ok(x) = args.tensor() else { return Err(unknown(op)) };
    let int = |at: usize, name: &str| args.at(at, name).int();
    let dim = |at: usize| args.at(at, "dim").int_or(0);
    Ok(match op {
        "narrow" => x.narrow(int(1, "dim")?, int(2, "start")?, int(3, "length")?)?.into(),
        "select" => x.select(int(1, "dim")?, int(2, "index")?)?.into(),
        "slice" => {
            let end = |at: usize, name: &str| args.at(at, name).given().map(|end| end.int()).transpose();
            x.slice_dim(int(1, "dim")?, Span { start: end(2, "start")?, end: end(3, "end")?, step: args.at(4, "step").int_or(1)? })?.into()
        }
        "unfold" => x.unfold(int(1, "dimension")?, int(2, "size")?, int(3, "step")?)?.into(),
        "diagonal" => x.diagonal(args.at(1, "offset").int_or(0)?, dim(2)?, args.at(3, "dim2").int_or(1)?)?.into(),
        "as_strided" => {
            let offset = args.at(3, "storage_offset").given().map(|offset| offset.int()).transpose()?;
            x.as_strided(args.at(1, "size").ints()?, args.at(2, "stride").ints()?, offset)?.into()
        }
        "split" => match args.at(1, "split_size").value()? {
            Value::List(_) => x.split_with_sizes(args.at(1, "split_size").ints()?, dim(2)?)?.into(),
            _ => x.split(int(1, "split_size")?, dim(2)?)?.into(),
        },
        "chunk" => x.chunk(int(1, "chunks")?, dim(2)?)?.into(),
        "tensor_split" => match args.at(1, "indices").value()? {
            Value::List(_) => x.tensor_split(&args.at(1, "indices").ints()?[..], dim(2)?)?.into(),
            _ => x.tensor_split(int(1, "sections")?, dim(2)?)?.into(),
        },
        "unbind" => x.unbind(dim(1)?)?.into(),
        _ => return Err(unknown(op)),
    })
}
