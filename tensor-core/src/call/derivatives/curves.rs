//! The gradients of numbers made of parts, where PyTorch computes them otherwise than from what they are made of.

use latten_spec::operation::Op;

use super::super::value::{Value, binary, unary};
use crate::raw::RawTensor;

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
