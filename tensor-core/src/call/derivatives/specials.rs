//! The gradients of special functions that are calls of their own.

use latten_spec::operation::Op;

use super::super::Function;
use super::super::curves::chosen;
use super::super::value::{Value, binary, unary};
use super::one;
use crate::elementwise::RawOperand;
use crate::error::{Error, Result};
use crate::raw::RawTensor;

fn of(function: Function, x: &RawTensor) -> Result<RawTensor> {
    one(function, &[x.into()])
}

/// A gradient times a number and the exponential of half a square, or of its negative.
pub(super) fn bell(g: &RawTensor, x: &RawTensor, sign: f64, factor: f64) -> Value {
    let square = binary(Op::Mul, &x.into(), x);
    binary(Op::Mul, &g.into(), binary(Op::Mul, &unary(Op::Exp, &binary(Op::Mul, &square, sign * 0.5)), factor))
}

/// Of `i0`.
pub(super) fn of_bessel_0(g: &RawTensor, x: &RawTensor) -> Result<Value> {
    Ok(binary(Op::Mul, &g.into(), of(Function::SpecialI1, x)?))
}

/// Of `i0e`.
pub(super) fn of_scaled_bessel_0(g: &RawTensor, x: &RawTensor, result: &RawTensor) -> Result<Value> {
    let less = binary(Op::Mul, &unary(Op::Sgn, &x.into()), result);
    Ok(binary(Op::Mul, &g.into(), binary(Op::Sub, &of(Function::SpecialI1e, x)?.into(), less)))
}

/// Of `i1`, and of `i1e`: with what the other factor has.
pub(super) fn of_bessel_1(g: &RawTensor, x: &RawTensor, result: &RawTensor, scaled: bool) -> Result<Value> {
    let x_value = Value::from(x);
    let other = of(if scaled { Function::SpecialI0e } else { Function::SpecialI0 }, x)?;
    let zero = binary(Op::Eq, &x_value, 0);
    let over = unary(Op::Reciprocal, &chosen(zero.clone(), 1.0, &x_value));
    let over = if scaled { binary(Op::Add, &unary(Op::Sgn, &x_value), over) } else { over };
    let slope = binary(Op::Sub, &other.into(), binary(Op::Mul, &result.into(), over));
    Ok(binary(Op::Mul, &g.into(), chosen(zero, 0.5, slope)))
}

/// Of `erfcx`.
pub(super) fn of_erfcx(g: &RawTensor, x: &RawTensor, result: &RawTensor) -> Value {
    let slope = binary(Op::Sub, &binary(Op::Mul, &binary(Op::Mul, &x.into(), result), 2.0), std::f64::consts::FRAC_2_SQRT_PI);
    binary(Op::Mul, &g.into(), slope)
}

/// Of `log_ndtr`.
pub(super) fn of_log_ndtr(g: &RawTensor, x: &RawTensor) -> Result<Value> {
    let turned = binary(Op::Mul, &x.into(), -std::f64::consts::FRAC_1_SQRT_2).tensor()?;
    let share = of(Function::SpecialErfcx, &turned)?;
    Ok(binary(Op::Mul, &binary(Op::Div, &g.into(), share), (2.0 / std::f64::consts::PI).sqrt()))
}

/// Of `polygamma`: the next one.
pub(super) fn of_polygamma(g: &RawTensor, n: isize, x: &RawTensor) -> Result<Value> {
    Ok(binary(Op::Mul, &g.into(), one(Function::Polygamma, &[(n + 1).into(), x.into()])?))
}

/// Of the second argument of `zeta`.
pub(super) fn of_zeta(g: &RawTensor, x: RawOperand<'_>, q: RawOperand<'_>) -> Result<Value> {
    let value = match x {
        RawOperand::Tensor(tensor) => Value::from(tensor),
        RawOperand::Scalar(number) => Value::from(number),
    };
    let more = binary(Op::Add, &value, 1).tensor()?;
    let slope = one(Function::SpecialZeta, &[(&more).into(), q.into()])?;
    Ok(unary(Op::Neg, &binary(Op::Mul, &g.into(), binary(Op::Mul, &value, slope))))
}

/// Of what PyTorch has no derivative for.
pub(super) fn no_derivative(_: &RawTensor, name: &str) -> Result<RawTensor> {
    Err(Error::not_implemented(format!("the derivative for '{name}' is not implemented.")))
}
