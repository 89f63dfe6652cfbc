//! Operations of the table, found by name, so that a new row needs no line here; and what PyTorch calls otherwise.

use latten::Op;
use latten::elementwise::{Params, apply, apply_in_place, apply_out, division, gelu};
use latten::prelude::DynTensor;

use super::unknown;
use crate::arguments::{Arguments, Outcome};

pub(super) fn call(op: &str, args: &mut Arguments) -> Outcome {
    let (name, in_place) = op.strip_suffix('_').map_or((op, false), |name| (name, true));
    let op = row(name, args)?.ok_or_else(|| unknown(op))?;
    let params = params(op, args)?;
    if in_place {
        args.in_place(|tensor, args| {
            let rest = (1..op.row().operands.len()).map(|at| args.at(at, "").operand()).collect::<Outcome<Vec<_>>>()?;
            Ok(apply_in_place(op, tensor.raw(), &rest, &params)?)
        })
    } else if args.named("out").is_none() {
        Ok(DynTensor::from(apply(op, &operands(op, args)?, &params)?).into())
    } else {
        args.into_raw_out(|out, args| Ok(apply_out(op, &operands(op, args)?, out, &params)?))
    }
}

fn operands(op: Op, args: &Arguments) -> Outcome<Vec<latten::elementwise::Operand<'_>>> {
    (0..op.row().operands.len()).map(|at| args.at(at, "").operand()).collect()
}

/// The row that PyTorch's name stands for, which an argument may decide.
fn row(name: &str, args: &Arguments) -> Outcome<Option<Op>> {
    Ok(Some(match name {
        "div" | "true_divide" => division(args.named("rounding_mode").given().map(|mode| mode.text()).transpose()?)?,
        "round" if !args.named("decimals").is_none() => Op::RoundDecimals,
        "gelu" => gelu(args.named("approximate").given().map_or(Ok("none"), |x| x.text())?)?,
        // Of two tensors; of one they are reductions.
        "max" => Op::Maximum,
        "min" => Op::Minimum,
        // Views, not copies.
        "real" | "imag" => return Ok(None),
        _ => return Ok(Op::parse(name)),
    }))
}

fn params(op: Op, args: &Arguments) -> Outcome<Params> {
    let (row, mut numbers) = (op.row(), Vec::new());
    for (at, (name, _)) in row.params.iter().enumerate() {
        let argument = args.at(row.operands.len() + at, name);
        numbers.push(argument.given().map(|number| number.scalar()).transpose()?);
    }
    Ok(Params::all(&numbers))
}
