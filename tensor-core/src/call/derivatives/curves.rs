//! The gradients of activations and of numbers made of parts, where PyTorch computes them otherwise than from what they are made of.

use latten_spec::operation::Op;

use super::super::curves::chosen;
use super::super::value::{Value, binary, unary};
use crate::raw::RawTensor;

/// Of `elu` and its kin, at the numbers that they were given.
pub(super) fn of_elu(g: &RawTensor, input: &RawTensor, [alpha, scale, stretch]: [f64; 3]) -> Value {
    let wide = |tensor: &RawTensor| Value::from(tensor).cast(tensor.dtype().computing());
    let (gradient, x) = (wide(g), wide(input));
    let slope = unary(Op::Exp, &binary(Op::Mul, &x, stretch));
    let below = binary(Op::Mul, &binary(Op::Mul, &gradient, alpha * scale * stretch), slope);
    chosen(binary(Op::Le, &x, 0), below, binary(Op::Mul, &gradient, scale)).cast(g.dtype())
}

/// Of the length of a complex number.
pub(super) fn of_length(g: &RawTensor, result: &RawTensor) -> Value {
    let turned = binary(Op::Mul, &unary(Op::Conj, &g.into()), unary(Op::Sgn, &result.into()));
    unary(Op::Real, &turned)
}

/// Of its angle.
pub(super) fn of_angle(g: &RawTensor, result: &RawTensor) -> Value {
    let turned = binary(Op::Mul, &unary(Op::Conj, &g.into()), result);
    unary(Op::Neg, &unary(Op::Imag, &turned))
}
