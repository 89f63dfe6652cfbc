//! Products of matrices and vectors.

use latten::DynTensor;
use latten::product::{Scale, addmm, addmm_in_place, baddbmm, bmm, dot, into_out, matmul, mm, mv, outer, vdot};
use latten::tensor::einsum;

use super::unknown;
use crate::arguments::{Arguments, Outcome};

pub(super) fn call(op: &str, args: &mut Arguments) -> Outcome {
    let product = match op {
        "einsum" => {
            let tensors = args.at(1, "operands").tensors()?;
            let tensors: Vec<_> = tensors.iter().map(|tensor| tensor.raw()).collect();
            return Ok(einsum(args.at(0, "equation").text()?, &tensors)?.into());
        }
        "addmm" | "baddbmm" | "addmm_" => return added(op, args),
        "mm" => mm,
        "mv" => mv,
        "dot" => dot,
        "vdot" => vdot,
        "outer" => outer,
        "bmm" => bmm,
        "matmul" => matmul,
        _ => return Err(unknown(op)),
    };
    let result = product(args.tensor()?.raw(), args.at(1, "other").tensor()?.raw())?;
    if args.named("out").is_none() {
        return Ok(DynTensor::from(result).into());
    }
    args.into_raw_out(|out, _| Ok(into_out(&result, out).map(drop)?))
}

fn added(op: &str, args: &mut Arguments) -> Outcome {
    let number = |name: &str, default| args.named(name).given().map_or(Ok(default), |number| number.scalar());
    let default = Scale::default();
    let scale = Scale { beta: number("beta", default.beta)?, alpha: number("alpha", default.alpha)? };
    if op == "addmm_" {
        return args.in_place(|tensor, args| {
            Ok(addmm_in_place(tensor.raw(), args.at(1, "mat1").tensor()?.raw(), args.at(2, "mat2").tensor()?.raw(), scale)?)
        });
    }
    let (x, left, right) = (args.tensor()?.raw(), args.at(1, "mat1").tensor()?.raw(), args.at(2, "mat2").tensor()?.raw());
    let sum = if op == "addmm" { addmm(x, left, right, scale)? } else { baddbmm(x, left, right, scale)? };
    Ok(DynTensor::from(sum).into())
}
