//! The gradients of elementwise operations, by the formulas of their rows, and what a node keeps of such a call. A gradient that is one
//! operation of what is there needs no values; of few elements others don't either.

use std::borrow::Cow;

use latten_spec::DType;
use latten_spec::operation::{Op, ResultRule, Trait};
use latten_spec::step::MOST;
use num_complex::Complex;
use smallvec::SmallVec;

use super::super::argument::CallArgument;
use super::super::backward::Remembered;
use super::super::operation;
use super::super::value::Value;
use crate::create::Options;
use crate::elementwise::{Params, RawOperand};
use crate::error::{Error, Result};
use crate::kernels::derivative::{Formulas, Part, derivative};
use crate::program::AnyOperation;
use crate::raw::RawTensor;
use crate::raw::history::Extent;
use crate::raw::mode::mode;
use crate::raw::node::{Edge, Gradients, GraphNode, Held, NodeBack, NodeTensor, NodeWork, OwnGradient, There};
use crate::scalar::Scalar;

/// Of so many elements each step of a formula is computed by itself: a pass over all steps takes longer to begin.
const FEW: usize = 1024;

/// What is said where a formula names what a node doesn't keep.
fn unknown() -> Error {
    Error::runtime("a formula of gradients names what isn't there")
}

/// The formulas of one operation, on values.
pub(super) struct RowFormulas<'v> {
    formulas: &'static Formulas,
    gradient: &'v Value,
    /// Those that are there.
    operands: &'v [Option<Value>],
    result: Option<&'v Value>,
    params: SmallVec<[Scalar; 3]>,
    /// Whether no step waits.
    at_once: bool,
    /// The dtype of the gradients, where what they are made of is wider.
    halves: Option<DType>,
    /// Parts that have been computed.
    known: Vec<Option<Value>>,
}

impl<'v> RowFormulas<'v> {
    pub(super) fn new(
        operation: AnyOperation,
        is_complex: bool,
        gradient: &'v Value,
        operands: &'v [Option<Value>],
        (result, dtype): (Option<&'v Value>, DType),
        params: &Params,
    ) -> Result<Self> {
        let halves = (operation.row().is(Trait::WideGradient) && dtype.computing() != dtype).then_some(dtype);
        let derivative = operation.derivative();
        let beside_numbers = operands.len() > 1 && operands[1..].iter().all(|operand| matches!(operand, Some(Value::Number(_))));
        let formulas = derivative.formulas(is_complex, beside_numbers);
        let params = params.numbers(operation.row(), DType::F64)?.into_iter().flatten().collect();
        Ok(Self { formulas, gradient, operands, result, params, at_once: false, halves, known: vec![None; formulas.parts.len()] })
    }

    /// The gradient of an operand; none where it is zero.
    pub(super) fn of(&mut self, operand: usize) -> Result<Option<Value>> {
        let gradient = self.formulas.gradient(operand).map(|place| self.part(place)).transpose()?;
        Ok(match (gradient, self.halves) {
            (Some(gradient @ (Value::Tensor(_) | Value::Waiting(_))), Some(halves)) => Some(gradient.cast(halves)),
            (gradient, _) => gradient,
        })
    }

    /// What a formula computes with in place of a value that is given.
    fn wide(&self, value: &Value) -> Value {
        match (value, self.halves) {
            (Value::Tensor(_) | Value::Waiting(_), Some(halves)) => value.cast(halves.computing()),
            _ => value.clone(),
        }
    }

    fn part(&mut self, place: usize) -> Result<Value> {
        if let Some(known) = &self.known[place] {
            return Ok(known.clone());
        }
        let value = match self.formulas.parts[place] {
            Part::Gradient => self.wide(self.gradient),
            Part::Operand(at) => self.wide(self.operands.get(at).and_then(Option::as_ref).ok_or_else(unknown)?),
            Part::Result => self.wide(self.result.ok_or_else(unknown)?),
            Part::Parameter(at) => Value::Number(*self.params.get(at).ok_or_else(unknown)?),
            Part::Number(number) => Value::from(number),
            Part::Imaginary => Value::from(Complex::new(0.0, 1.0)),
            Part::Index => Value::Index,
            Part::Step(op, arguments) => {
                // Of a choice that numbers decide, only what is chosen is computed.
                if let (Op::Where, [Some(condition), Some(then), Some(other)]) = (op, arguments)
                    && let Value::Number(number) = self.part(condition)?
                {
                    return self.part(if number == 0.0 { other } else { then });
                }
                let arguments = arguments.into_iter().flatten().map(|argument| self.part(argument));
                let arguments = arguments.collect::<Result<SmallVec<[Value; 3]>>>()?;
                if self.at_once { Value::now(op, &arguments)? } else { Value::apply(op.into(), &Params::none(), &arguments)? }
            }
        };
        self.known[place] = Some(value.clone());
        Ok(value)
    }
}

/// Formulas where what they name is there. A gradient that is itself there, or one operation of what is, needs no values.
struct Direct<'b> {
    formulas: &'static Formulas,
    gradient: &'b RawTensor,
    operands: &'b [Option<RawOperand<'b>>],
    result: Option<&'b RawTensor>,
    params: &'b [Option<Scalar>],
}

impl<'b> Direct<'b> {
    fn there(&self, place: usize) -> Option<RawOperand<'b>> {
        Some(match self.formulas.parts[place] {
            Part::Gradient => RawOperand::Tensor(self.gradient),
            Part::Operand(at) => (*self.operands.get(at)?)?,
            Part::Result => RawOperand::Tensor(self.result?),
            Part::Parameter(at) => RawOperand::Scalar((*self.params.get(at)?)?),
            Part::Number(number) => RawOperand::Scalar(number.into()),
            Part::Imaginary | Part::Index | Part::Step(..) => return None,
        })
    }

    /// Of a choice by a parameter, what is chosen.
    fn chosen(&self, place: usize) -> usize {
        let Part::Step(Op::Where, [Some(condition), Some(then), Some(other)]) = self.formulas.parts[place] else { return place };
        let Part::Step(Op::Eq, [Some(one), Some(number), None]) = self.formulas.parts[condition] else { return place };
        match (self.there(one), self.formulas.parts[number]) {
            (Some(RawOperand::Scalar(one)), Part::Number(number)) => self.chosen(if one == number { then } else { other }),
            _ => place,
        }
    }

    /// The gradient of an operand, written once, where its caller wants it; none where more than one operation is to be computed.
    fn near(&self, operand: usize) -> Result<Option<RawTensor>> {
        let Some(place) = self.formulas.gradient(operand) else { return Ok(None) };
        let (op, arguments) = match self.formulas.parts[self.chosen(place)] {
            Part::Gradient => return Ok(Some(self.gradient.clone())),
            Part::Step(op, arguments) => (op, arguments),
            _ => return Ok(None),
        };
        let mut operands = [RawOperand::Tensor(self.gradient); 3];
        let (mut count, mut tensors) = (0, false);
        for argument in arguments.into_iter().flatten() {
            let Some(there) = self.there(argument) else { return Ok(None) };
            tensors |= there.tensor().is_some();
            operands[count] = there;
            count += 1;
        }
        if tensors { operation(op, &operands[..count], &Params::none()).map(Some) } else { Ok(None) }
    }
}

/// An operand of an elementwise operation, as a node keeps it.
#[derive(Clone)]
pub(crate) enum KeptOperand {
    /// A tensor that formulas name.
    Saved(NodeTensor),
    /// A tensor whose elements aren't needed.
    Unnamed,
    Number(Scalar),
}

impl From<Remembered> for KeptOperand {
    fn from(tensor: Remembered) -> Self {
        match tensor {
            Remembered::Saved(tensor) => Self::Saved(tensor),
            Remembered::Like(_) => Self::Unnamed,
        }
    }
}

/// So many operands and results a node keeps at most.
const MOST_KEPT: usize = MOST + 1;

/// What is kept, as far as it is there: operands, and after them the result. What comes after that is none of them.
type KeptOperands<'k> = [Option<RawOperand<'k>>; MOST_KEPT];

/// An elementwise operation, as its node keeps it: its operands, in place with what the changed tensor was as the first, and its result where
/// formulas name it.
pub(crate) struct RecordedOperation {
    op: Op,
    is_complex: bool,
    formulas: &'static Formulas,
    params: Option<Box<Params>>,
    /// How many of those that are held are operands.
    operands: usize,
    held: Held<SmallVec<[KeptOperand; 2]>>,
}

impl RecordedOperation {
    /// Of so many operands, of which some or the result are kept; they come later, to where they stay.
    pub(crate) fn new(op: Op, arguments: &[CallArgument<'_>], changed: Option<&RawTensor>, params: &Params, keeps: bool) -> Self {
        let is_complex = changed.is_some_and(|tensor| tensor.dtype().is_complex())
            || arguments.iter().any(|argument| match argument {
                CallArgument::Tensor(tensor) => tensor.dtype().is_complex(),
                CallArgument::Number(number) => matches!(number, Scalar::Complex(_)),
                _ => false,
            });
        let operands = arguments.len() + usize::from(changed.is_some());
        let others = &arguments[usize::from(changed.is_none()).min(arguments.len())..];
        let beside_numbers = !others.is_empty() && others.iter().all(|argument| matches!(argument, CallArgument::Number(_)));
        let formulas = derivative(op).formulas(is_complex, beside_numbers);
        let params = (!params.is_none()).then(|| Box::new(params.clone()));
        Self { op, is_complex, formulas, params, operands, held: Held::new(SmallVec::new(), keeps) }
    }

    fn params(&self) -> Cow<'_, Params> {
        self.params.as_deref().map_or_else(|| Cow::Owned(Params::none()), Cow::Borrowed)
    }

    /// What is kept, of a node that nobody has yet.
    pub(crate) fn held_mut(&mut self) -> Option<&mut SmallVec<[KeptOperand; 2]>> {
        self.held.get_mut()
    }

    /// What is kept: with their histories where they are there again.
    #[inline(always)]
    fn kept<'k>(&self, own: OwnGradient<'_>, held: &'k [KeptOperand], again: &'k [There<'_>]) -> Result<KeptOperands<'k>> {
        let mut again = again.iter();
        let mut there = [None; MOST_KEPT];
        for (there, kept) in there.iter_mut().zip(held) {
            *there = match kept {
                KeptOperand::Saved(saved) => Some(RawOperand::Tensor(match again.next() {
                    Some(tensor) => tensor,
                    None => saved.kept(own)?,
                })),
                KeptOperand::Unnamed => None,
                KeptOperand::Number(number) => Some(RawOperand::Scalar(*number)),
            };
        }
        Ok(there)
    }

    /// Of what is kept the operands, and the result.
    #[inline]
    fn parted<'k, 't>(&self, kept: &'t KeptOperands<'k>) -> (&'t [Option<RawOperand<'k>>], Option<&'k RawTensor>) {
        let (operands, results) = kept.split_at(self.operands);
        (operands, results.first().copied().flatten().and_then(|result| result.tensor()))
    }

    /// Whether gradients can wait here, until others are computed in the same pass.
    pub(crate) fn can_wait(&self) -> bool {
        !self.is_complex && self.op.row().result != ResultRule::Double
    }

    /// The gradients of the operands that want one, from that of the result, which may wait as they may.
    ///
    /// # Errors
    /// Where what is kept was changed or is gone.
    pub(crate) fn waiting(&self, way: &NodeBack<'_>, gradient: &Value) -> Result<SmallVec<[Option<Value>; 2]>> {
        self.held.lend(way.keep, |held| {
            let kept = self.kept(way.own, held, &[])?;
            self.values(way.node, gradient, self.parted(&kept), way.wanted, false)
        })
    }

    /// Puts the gradients of the operands that want one into `given`.
    fn gradients(&self, way: &NodeBack<'_>, held: &[KeptOperand], given: &mut Gradients) -> Result<()> {
        let gradient = way.gradients.first().and_then(Option::as_ref).ok_or_else(|| Error::runtime("a gradient is missing"))?;
        // Where the way back is recorded, what is kept has its history again.
        let mut again: Vec<There<'_>> = Vec::new();
        if mode().records() {
            for kept in held {
                if let KeptOperand::Saved(saved) = kept {
                    again.push(saved.unpack(way.own)?);
                }
            }
        }
        let kept = self.kept(way.own, held, &again)?;
        let (operands, result) = self.parted(&kept);
        let row = self.op.row();
        let numbers = if row.params.is_empty() { [None; MOST] } else { self.params().numbers(row, DType::F64)? };
        let direct = Direct { formulas: self.formulas, gradient, operands, result, params: &numbers };
        let mut all = true;
        for (at, kept) in held[..self.operands].iter().enumerate() {
            if matches!(kept, KeptOperand::Number(_)) {
                continue;
            }
            let wanted = way.wanted[given.len()];
            given.push(if wanted && row.result != ResultRule::Double { direct.near(at)? } else { None });
            all &= !wanted || given[given.len() - 1].is_some();
        }
        if all {
            return Ok(());
        }
        let missing: SmallVec<[bool; 16]> = way.wanted.iter().zip(&*given).map(|(&wanted, given)| wanted && given.is_none()).collect();
        let at_once = gradient.numel() <= FEW && !mode().records();
        let found = self.values(way.node, &gradient.into(), (operands, result), &missing, at_once)?;
        for (given, found) in given.iter_mut().zip(found) {
            if let Some(found) = found {
                *given = Some(found.tensor()?);
            }
        }
        Ok(())
    }

    /// The gradients of those operands that miss one, as values.
    #[inline(never)]
    fn values(
        &self,
        node: &GraphNode,
        gradient: &Value,
        (operands, result): (&[Option<RawOperand<'_>>], Option<&RawTensor>),
        missing: &[bool],
        at_once: bool,
    ) -> Result<SmallVec<[Option<Value>; 2]>> {
        let op = self.op;
        let double = op.row().result == ResultRule::Double;
        let mut values: SmallVec<[Option<Value>; 2]> = SmallVec::new();
        for operand in operands {
            values.push(operand.map(|operand| match operand {
                RawOperand::Tensor(tensor) if double => Value::from(tensor).cast(op.common(tensor.dtype(), tensor.dtype())),
                RawOperand::Tensor(tensor) => Value::from(tensor),
                RawOperand::Scalar(number) => Value::Number(number),
            }));
        }
        let result = result.map(Value::from);
        let result = (result.as_ref(), node.outputs[0].dtype);
        let mut formula = RowFormulas::new(op.into(), self.is_complex, gradient, &values, result, &self.params())?;
        formula.at_once = at_once && !double && formula.halves.is_none();
        let is_number = |operand: &Option<RawOperand<'_>>| matches!(operand, Some(RawOperand::Scalar(_)));
        let tensors = operands.iter().enumerate().filter(|(_, operand)| !is_number(operand));
        let mut found = SmallVec::new();
        for ((at, _), (edge, &missing)) in tensors.zip(node.edges.iter().zip(missing)) {
            let Some(edge) = edge.as_ref().filter(|_| missing) else {
                found.push(None);
                continue;
            };
            found.push(Some(match formula.of(at)? {
                Some(value @ (Value::Tensor(_) | Value::Waiting(_))) => value,
                found => settled(found, &edge.with_extent(Extent::clone).geometry.sizes, &node.outputs[0])?.into(),
            }));
        }
        Ok(found)
    }
}

impl NodeWork for RecordedOperation {
    fn back(&self, way: &NodeBack<'_>, given: &mut Gradients) -> Result<()> {
        self.held.lend(way.keep, |held| self.gradients(way, held, given))
    }

    fn let_go(&mut self, to: &mut dyn FnMut(Edge)) {
        for held in self.held.get_mut().into_iter().flatten() {
            if let KeptOperand::Saved(saved) = held {
                saved.let_go().into_iter().for_each(&mut *to);
            }
        }
    }
}

/// A gradient as a tensor: one that is a number has the sizes of its operand.
pub(super) fn settled(gradient: Option<Value>, sizes: &[usize], like: &Extent) -> Result<RawTensor> {
    let number = match gradient {
        None => Scalar::from(0),
        Some(Value::Number(number)) => number,
        Some(value) => return value.tensor(),
    };
    RawTensor::full(sizes, number, &Options::new().dtype(like.dtype).device(like.device)?)
}
