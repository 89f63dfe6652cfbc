//! Operations of the table, found by name, so that a new row needs no line here; and what PyTorch calls otherwise.

use latten::Op;
use latten::elementwise::{Operand, Params, apply, apply_in_place, apply_out, clamp, division, gelu};
use latten::prelude::DynTensor;

use super::unknown;
use crate::arguments::{Argument, Arguments, Outcome};
use crate::value::Value;

pub(super) fn call(op: &str, args: &mut Arguments) -> Outcome {
    let (name, in_place) = op.strip_suffix('_').map_or((op, false), |name| (name, true));
    let (op, places) = row(name, args)?.ok_or_else(|| unknown(op))?;
    let params = params(op, args)?;
    if in_place {
        args.in_place(|tensor, args| Ok(apply_in_place(op, tensor.raw(), &operands(&places, args)?[1..], &params)?))
    } else if args.named("out").is_none() {
        Ok(DynTensor::from(apply(op, &operands(&places, args)?, &params)?).into())
    } else {
        args.into_raw_out(|out, args| Ok(apply_out(op, &operands(&places, args)?, out, &params)?))
    }
}

fn operands<'a>(places: &[usize], args: &'a Arguments) -> Outcome<Vec<Operand<'a>>> {
    places.iter().map(|&place| args.at(place, "").operand()).collect()
}

/// The row that PyTorch's name stands for, which an argument may decide, and where its operands are.
fn row(name: &str, args: &Arguments) -> Outcome<Option<(Op, Vec<usize>)>> {
    let op = match name {
        "div" | "true_divide" => division(args.named("rounding_mode").given().map(|mode| mode.text()).transpose()?)?,
        "round" if !args.named("decimals").is_none() => Op::RoundDecimals,
        "gelu" => gelu(args.named("approximate").given().map_or(Ok("none"), |x| x.text())?)?,
        "max" | "min" if matches!(args.at(1, "other").value(), Ok(Value::Tensor(_))) => {
            if name == "max" {
                Op::Maximum
            } else {
                Op::Minimum
            }
        }
        "clamp" => {
            let bounds = [args.at(1, "min").given(), args.at(2, "max").given()];
            let places = [0, 1, 2].into_iter().filter(|&place| place == 0 || bounds[place - 1].is_some()).collect();
            let [low, high] = bounds.map(|bound| bound.map(Argument::operand).transpose());
            return Ok(Some((clamp(args.at(0, "input").operand()?, low?, high?)?.0, places)));
        }
        // Views, not copies.
        "real" | "imag" => return Ok(None),
        _ => match Op::parse(name) {
            Some(op) => op,
            None => return Ok(None),
        },
    };
    Ok(Some((op, (0..op.row().operands.len()).collect())))
}

fn params(op: Op, args: &Arguments) -> Outcome<Params> {
    let (row, mut numbers) = (op.row(), Vec::new());
    for (at, (name, _)) in row.params.iter().enumerate() {
        let argument = args.at(row.operands.len() + at, name);
        numbers.push(argument.given().map(|number| number.scalar()).transpose()?);
    }
    Ok(Params::all(&numbers))
}
