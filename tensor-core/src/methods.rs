//! The named methods of the operations: `exp`, `maximum`, `add_`, `lt_out`. All of them are rows of the table of operations.

use tensor_spec::operation::Op;

use crate::element::Element;
use crate::elementwise::{self, Operand as Erased, Params};
use crate::error::Result;
use crate::op;
use crate::operators::{Common, Together, proved};
use crate::relations::{CastInto, PromoteWith, SubtractWith};
use crate::shape::{Broadcast, BroadcastInto, Shape};
use crate::tensor::{Operand, Tensor};

impl<E: Element, S: Shape> Tensor<E, S> {
    /// Runs an operation into `out`, which is resized where its type lets it be.
    fn into_out<F: Element, R: Shape>(&self, op: Op, rest: &[Erased<'_>], out: &mut Tensor<F, R>) -> Result<()> {
        let mut operands = smallvec::SmallVec::<[Erased<'_>; 3]>::new();
        operands.push(self.erased());
        operands.extend_from_slice(rest);
        elementwise::apply_out(op, &operands, out.raw_mut(), &Params::none()).map(drop)
    }
}

tensor_macros::operation_methods!();
