//! The gradients of special functions that are calls of their own.

use latten_spec::operation::Op;

use super::super::Function;
use super::super::argument::CallArgument;
use super::super::composed::xlog1py;
use super::super::curves::chosen;
use super::super::value::{Value, binary, unary};
use super::one;
use crate::elementwise::RawOperand;
use crate::error::{Error, Result};
use crate::raw::RawTensor;
use crate::scalar::Scalar;

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

/// Of `log_ndtr`: the density over the share.
pub(super) fn of_log_ndtr(g: &RawTensor, x: &RawTensor, result: &RawTensor) -> Value {
    let rest = binary(Op::Add, &binary(Op::Mul, &binary(Op::Mul, &x.into(), x), 0.5), result);
    let share = binary(Op::Mul, &unary(Op::Exp, &unary(Op::Neg, &rest)), 1.0 / std::f64::consts::TAU.sqrt());
    binary(Op::Mul, &g.into(), share)
}

/// Of `entr`.
pub(super) fn of_entr(g: &RawTensor, x: &RawTensor) -> Value {
    binary(Op::Mul, &g.into(), binary(Op::Rsub, &unary(Op::Log, &x.into()), -1.0))
}

fn value(operand: RawOperand<'_>) -> Value {
    match operand {
        RawOperand::Tensor(tensor) => Value::from(tensor),
        RawOperand::Scalar(number) => Value::from(number),
    }
}

/// The name of a node that PyTorch numbers by which of two operands is a number.
pub(super) fn by_numbers(x: RawOperand<'_>, y: RawOperand<'_>, [tensors, first, last]: [&'static str; 3]) -> &'static str {
    match (x, y) {
        (RawOperand::Scalar(_), _) => first,
        (_, RawOperand::Scalar(_)) => last,
        (RawOperand::Tensor(_), RawOperand::Tensor(_)) => tensors,
    }
}

/// Of the first argument of `xlog1py`.
pub(super) fn of_xlog1py(g: &RawTensor, x: RawOperand<'_>, y: RawOperand<'_>) -> Result<Value> {
    let nothing = binary(Op::LogicalAnd, &binary(Op::Eq, &value(x), 0), binary(Op::Le, &value(y), -1));
    Ok(chosen(nothing, 0.0, xlog1py(g.into(), y)?))
}

/// Of the second one.
pub(super) fn of_logarithm(g: &RawTensor, x: RawOperand<'_>, y: RawOperand<'_>) -> Value {
    binary(Op::Div, &binary(Op::Mul, &g.into(), value(x)), binary(Op::Add, &value(y), 1))
}

/// Of one argument of `logaddexp2`, beside the other.
pub(super) fn of_logaddexp2(g: &RawTensor, own: &RawTensor, other: &RawTensor) -> Value {
    let power = unary(Op::Exp2, &binary(Op::Sub, &other.into(), own));
    binary(Op::Div, &g.into(), binary(Op::Add, &power, 1))
}

/// Of `polygamma`: the next one.
pub(super) fn of_polygamma(g: &RawTensor, n: isize, x: &RawTensor) -> Result<Value> {
    Ok(binary(Op::Mul, &g.into(), one(Function::Polygamma, &[(n + 1).into(), x.into()])?))
}

/// Of the second argument of `zeta`.
pub(super) fn of_zeta(g: &RawTensor, x: RawOperand<'_>, q: RawOperand<'_>) -> Result<Value> {
    let value = value(x);
    let more = binary(Op::Add, &value, 1).tensor()?;
    let slope = one(Function::SpecialZeta, &[(&more).into(), q.into()])?;
    Ok(unary(Op::Neg, &binary(Op::Mul, &g.into(), binary(Op::Mul, &value, slope))))
}

/// Of what PyTorch has no derivative for.
pub(super) fn no_derivative(_: &RawTensor, name: &str) -> Result<RawTensor> {
    Err(Error::not_implemented(format!("the derivative for '{name}' is not implemented.")))
}

/// A gradient of losses as each element has its share in it, by its weight.
fn shared(g: &RawTensor, input: &RawTensor, weight: Option<&RawTensor>, reduction: &str) -> Value {
    let g = if reduction == "mean" { binary(Op::Div, &g.into(), Scalar::from(input.numel())) } else { g.into() };
    weight.map_or(g.clone(), |weight| binary(Op::Mul, &g, weight))
}

/// Of the probabilities of `binary_cross_entropy`. At 0 and 1 it isn't infinite.
pub(super) fn of_probabilities(g: &RawTensor, [x, y]: [&RawTensor; 2], weight: Option<&RawTensor>, reduction: &str) -> Value {
    let spread = binary(Op::ClampMin, &binary(Op::Mul, &binary(Op::Rsub, &x.into(), 1), x), 1e-12);
    binary(Op::Div, &binary(Op::Mul, &shared(g, x, weight, reduction), binary(Op::Sub, &x.into(), y)), spread)
}

/// Of what they should be.
pub(super) fn of_chances(g: &RawTensor, x: &RawTensor, weight: Option<&RawTensor>, reduction: &str) -> Value {
    let odds = binary(Op::Sub, &unary(Op::Log1p, &unary(Op::Neg, &x.into())), unary(Op::Log, &x.into()));
    binary(Op::Mul, &shared(g, x, weight, reduction), odds)
}

/// Of the first argument of `nextafter`.
pub(super) fn of_neighbour(g: &RawTensor, x: &RawTensor, y: &RawTensor) -> Value {
    chosen(binary(Op::Eq, &x.into(), y), 0.0, g)
}

/// Of Bessel's functions: of order 0 the one of order 1, of that the one of order 0, less itself over the number.
pub(super) fn of_neighbours(g: &RawTensor, x: &RawTensor, (sign, other): (f64, Function), own: Option<&RawTensor>) -> Result<Value> {
    let mut slope = binary(Op::Mul, &of(other, x)?.into(), sign);
    if let Some(own) = own {
        // At 0 the quotient is half of the other one.
        let zero = binary(Op::Eq, &x.into(), 0);
        let quotient = binary(Op::Div, &own.into(), chosen(zero.clone(), 1.0, x));
        slope = chosen(zero, binary(Op::Mul, &slope, 0.5), binary(Op::Sub, &slope, quotient));
    }
    Ok(binary(Op::Mul, &g.into(), slope))
}

/// Of the second argument of `igamma`, and of what that leaves of 1.
pub(super) fn of_gamma_share(g: &RawTensor, a: &RawTensor, x: &RawTensor, is_rest: bool) -> Value {
    let power = binary(Op::Mul, &binary(Op::Sub, &a.into(), 1), unary(Op::Log, &x.into()));
    let density = unary(Op::Exp, &binary(Op::Sub, &binary(Op::Sub, &power, x), unary(Op::Lgamma, &a.into())));
    binary(Op::Mul, &g.into(), if is_rest { unary(Op::Neg, &density) } else { density })
}

/// Of the logarithms that `ctc_loss` was given.
pub(super) fn of_alignments(
    g: &RawTensor,
    input: &RawTensor,
    [targets, losses, found]: [&RawTensor; 3],
    [steps, labels]: [&[isize]; 2],
    blank: isize,
    zero: bool,
) -> Result<RawTensor> {
    let [steps, labels] = [CallArgument::Ints(steps), CallArgument::Ints(labels)];
    let given = [g.into(), input.into(), targets.into(), steps, labels, losses.into(), found.into(), blank.into(), zero.into()];
    one(Function::CtcLossesBackward, &given)
}
