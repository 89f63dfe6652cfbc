//! The gradients of the operations of the table: what the rows name is here, in terms of other calls, so that gradients have gradients.

use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;
use smallvec::smallvec;

use super::backward::{Back, Backward, Gradient, Missing, Names};
use super::{Argument, Call, Function, Target, run};
use crate::elementwise::{Operand, Params};
use crate::error::Result;
use crate::raw::RawTensor;
use crate::raw::node::Gradients;
use crate::views::signed;

/// What an elementwise operation says of its gradients.
pub(super) fn of_op(op: Op) -> &'static Gradient {
    static NOT_YET: Gradient = Gradient::Missing(Missing::Called, "");
    static ADD: Gradient =
        Gradient::Back(Back { name: |_| "AddBackward0", keeps: Names { arguments: 0, results: 0 }, each: &[], function: add });
    static MUL: Gradient = Gradient::Back(Back {
        name: |_| "MulBackward0",
        keeps: Names { arguments: 0, results: 0 },
        each: &[Names { arguments: 2, results: 0 }, Names { arguments: 1, results: 0 }],
        function: mul,
    });
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others have none yet")]
    match op {
        Op::Add => &ADD,
        Op::Mul => &MUL,
        _ => &NOT_YET,
    }
}

/// What a reduction says of its gradients.
pub(super) fn of_reduction(op: Reduction) -> &'static Gradient {
    static NOT_YET: Gradient = Gradient::Missing(Missing::Called, "");
    static SUM: Gradient =
        Gradient::Back(Back { name: |_| "SumBackward0", keeps: Names { arguments: 0, results: 0 }, each: &[], function: sum });
    if op == Reduction::Sum { &SUM } else { &NOT_YET }
}

fn add(call: &Backward<'_>) -> Result<Gradients> {
    let g = call.gradient()?;
    Ok(call.wanted.iter().map(|wanted| wanted.then(|| g.clone())).collect())
}

fn times(x: &RawTensor, y: Operand<'_>) -> Result<RawTensor> {
    run(Call::elementwise(Op::Mul, &[x.into(), y], &Params::none(), Target::New))?.one()
}

fn mul(call: &Backward<'_>) -> Result<Gradients> {
    let g = call.gradient()?;
    let operand = |at: usize| match call.arguments[at] {
        Argument::Tensor(tensor) => Some(Operand::Tensor(tensor)),
        Argument::Number(number) => Some(Operand::Scalar(number)),
        _ => None,
    };
    let mut gradients = Gradients::new();
    for (at, argument) in call.arguments.iter().enumerate() {
        if !matches!(argument, Argument::Tensor(_)) {
            continue;
        }
        let other = operand(1 - at).filter(|_| call.wants(gradients.len()));
        gradients.push(other.map(|other| times(g, other)).transpose()?);
    }
    Ok(gradients)
}

fn sum(call: &Backward<'_>) -> Result<Gradients> {
    let Some(Argument::Tensor(input)) = call.arguments.first() else { return Ok(smallvec![None]) };
    let sizes = signed(input.sizes());
    Ok(smallvec![Some(run(Call::new(Function::Expand, &[Argument::Tensor(call.gradient()?), Argument::Ints(&sizes)]))?.one()?)])
}
