//! From a tree to a program: the steps as nodes write them down, the operands, and what is drawn before it runs.

use smallvec::SmallVec;

use latten_spec::DType;
use latten_spec::operation::Op;

use super::Mark;
use crate::call::{self, Function, run};
use crate::elementwise::Params;
use crate::error::{Error, Result};
use crate::program::{Argument, Program, ProgramCall};
use crate::random::{KeptShare, Mode};
use crate::raw::RawTensor;
use crate::scalar::Scalar;

/// A program while it is made from a tree.
#[derive(Debug, Default)]
pub struct Builder {
    pub(super) program: Program,
    pub(super) operands: SmallVec<[Option<RawTensor>; 2]>,
    /// What is drawn before it runs, in this order.
    thinnings: Vec<Thinning>,
    /// What is wrong with a number that a tree has.
    refused: Option<Error>,
}

/// Elements that are left out of an argument, by a mask that is the operand `mask`.
#[derive(Clone, Copy, Debug)]
struct Thinning {
    of: Argument,
    mask: usize,
    /// The step that makes numbers of the mask, whose dtype the argument has.
    numbers: usize,
    probability: f64,
}

impl Builder {
    pub(super) fn operand(&mut self, index: usize, tensor: &RawTensor) -> Argument {
        if self.operands.len() <= index {
            self.operands.resize(index + 1, None);
        }
        self.operands[index] = Some(tensor.clone());
        Argument::Operand(index)
    }

    /// An argument without elements that are left out by chance; no other node has the operand `mask`.
    pub(super) fn thin(&mut self, of: Argument, mask: usize, probability: f64, mode: Mode) -> Argument {
        match KeptShare::of(probability, mode) {
            Ok(KeptShare::All) => of,
            Ok(KeptShare::None) => self.program.apply(Op::Mul, &[of, 0.0.into()], Params::none()),
            Ok(KeptShare::Some) => {
                self.operands.resize(self.operands.len().max(mask + 1), None);
                let (numbers, thinned) = KeptShare::by_mask(&mut self.program, [of, Argument::Operand(mask)], DType::F32, probability);
                self.thinnings.push(Thinning { of, mask, numbers, probability });
                thinned
            }
            Err(error) => {
                self.refused.get_or_insert(error);
                of
            }
        }
    }

    pub(super) fn lent(&self) -> SmallVec<[Option<&RawTensor>; 8]> {
        self.operands.iter().map(Option::as_ref).collect()
    }

    /// Draws what is left out, when all that is known without it has been checked.
    pub(super) fn draw(&mut self) -> Result<()> {
        if let Some(error) = self.refused.take() {
            return Err(error);
        }
        for Thinning { of, mask, numbers, .. } in self.thinnings.clone() {
            let (new, dtype) = {
                let operands = self.lent();
                ProgramCall { program: &self.program, operands: &operands, kernel: None, composed: true }.mask(of)?
            };
            self.program.cast_to(numbers, dtype);
            self.operands[mask] = Some(new);
        }
        if self.thinnings.is_empty() {
            return Ok(());
        }
        let operands = self.lent();
        ProgramCall { program: &self.program, operands: &operands, kernel: None, composed: true }.check()?;
        for Thinning { mask, probability, .. } in &self.thinnings {
            if let Some(mask) = &self.operands[*mask] {
                run(call::Call::in_place(Function::Bernoulli, &mut mask.clone(), &[Scalar::Float(1.0 - probability).into()]))?;
            }
        }
        Ok(())
    }

    pub(super) fn apply<O: Mark>(&mut self, arguments: &[Argument], params: &[Option<Scalar>; 3]) -> Argument {
        let params = if O::DEFAULTS.is_some() { Params::none() } else { Params::all(&params[..O::PARAMS]) };
        self.program.apply(O::OPERATION, arguments, params)
    }
}
