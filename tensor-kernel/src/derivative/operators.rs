//! What operators are for derivatives: an operation of the table, on truths and inexact numbers, and as `words` has them of words, formulas.

use latten_spec::operation::Op;

use crate::Binary;

/// The operation, where there is one, and the derivatives by both sides.
pub(super) const fn operator(operator: Binary) -> (Option<Op>, &'static [&'static str; 2]) {
    const NONE: &[&str; 2] = &["0", "0"];
    match operator {
        Binary::Add => (Some(Op::Add), &["g", "g"]),
        Binary::Sub => (Some(Op::Sub), &["g", "-g"]),
        Binary::Mul => (Some(Op::Mul), &["g * conj(y)", "g * conj(x)"]),
        Binary::Div => (Some(Op::Div), &["g / conj(y)", "-g * conj(x / y / y)"]),
        Binary::Rem => (Some(Op::Fmod), &["g", "-g * trunc(x / y)"]),
        Binary::And | Binary::Both => (Some(Op::LogicalAnd), NONE),
        Binary::Or | Binary::Either => (Some(Op::LogicalOr), NONE),
        Binary::Xor => (Some(Op::LogicalXor), NONE),
        Binary::Shl | Binary::Shr => (None, NONE),
        Binary::Eq => (Some(Op::Eq), NONE),
        Binary::Ne => (Some(Op::Ne), NONE),
        Binary::Lt => (Some(Op::Lt), NONE),
        Binary::Le => (Some(Op::Le), NONE),
        Binary::Gt => (Some(Op::Gt), NONE),
        Binary::Ge => (Some(Op::Ge), NONE),
    }
}
