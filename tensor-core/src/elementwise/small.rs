//! Operations on small tensors of one dtype and one shape, and numbers, where everything that a plan decides is known beforehand: what it
//! would give, at the price of the allocation, the locks and the loop.

use latten_spec::DType;
use latten_spec::operation::Op;

use super::{Params, RawOperand};
use crate::device::DeviceType;
use crate::error::Result;
use crate::geometry::Geometry;
use crate::kernels::block::{Neighbours, ROOM, Room, fits_at_once};
use crate::kernels::kernel;
use crate::kernels::run::Kernel;
use crate::plan::check_numbers;
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::storage::{Access, Fresh, Glance};

/// The result in a new tensor, where it is as simple as that; else what `otherwise` makes, where the result goes at once.
#[inline]
pub(super) fn compute<const OPERANDS: usize>(
    op: Op,
    operands: &[RawOperand<'_>; OPERANDS],
    params: &Params,
    otherwise: impl FnOnce() -> Result<RawTensor>,
) -> Result<RawTensor> {
    let Some(simple) = Simple::of(op, operands, params)? else { return otherwise() };
    let Simple { kernel, len, first, result, .. } = simple;
    let numbers = Params::defaults(op.row(), first.dtype)?;
    let mut memory = Fresh::new(len * result.itemsize())?;
    let mut glances = [const { None }; OPERANDS];
    for (glance, operand) in glances.iter_mut().zip(operands) {
        *glance = operand.tensor().and_then(|tensor| Glance::new(&tensor.storage));
    }
    let mut room = None;
    let repeated = simple.repeated(&mut room);
    let mut rows = [Neighbours::EMPTY; OPERANDS];
    for ((to, operand), glance) in rows.iter_mut().zip(operands).zip(&glances) {
        let row = match (operand, glance) {
            (RawOperand::Tensor(tensor), Some(glance)) => Neighbours::glanced(glance, tensor.dtype, len, tensor.geometry.offset),
            (RawOperand::Scalar(_), _) => repeated,
            (RawOperand::Tensor(_), None) => None,
        };
        let Some(row) = row else {
            // Who waits for them is told there.
            drop(glances);
            return otherwise();
        };
        *to = row;
    }
    let Some(out) = Neighbours::fresh(&mut memory, result, len) else { return otherwise() };
    for (start, len) in simple.parts() {
        out.part(start, len).compute(kernel, &simple.of_part(&rows, operands, start, len), &numbers[..op.row().params.len()]);
    }
    drop(glances);
    let geometry = Geometry { offset: 0, ..first.geometry.clone() };
    Ok(RawTensor { storage: memory.into_storage(), dtype: result, geometry, history: None })
}

/// The result in the first of the operands, where it is as simple as that; says whether it is.
pub(super) fn change<const OPERANDS: usize>(op: Op, operands: &[RawOperand<'_>; OPERANDS], params: &Params) -> Result<bool> {
    let (Some(simple), RawOperand::Tensor(changed)) = (Simple::of(op, operands, params)?, operands[0]) else { return Ok(false) };
    let Simple { kernel, len, result, .. } = simple;
    let mut others = operands[1..].iter().filter_map(RawOperand::tensor);
    let apart = |other: &RawTensor| !changed.storage.shares_memory(&other.storage) && !other.storage.follows(&changed.storage);
    if result != changed.dtype || !others.all(apart) {
        return Ok(false);
    }
    let numbers = Params::defaults(op.row(), changed.dtype)?;
    let read = operands.each_ref().map(|operand| &operand.tensor().unwrap_or(changed).storage);
    let access = Access::lock_briefly(&[&changed.storage], &read[1..])?;
    let mut room = None;
    let repeated = simple.repeated(&mut room);
    let out = Neighbours::writable(&access, &changed.storage, changed.dtype, len, changed.geometry.offset)?;
    let (Some(rows), Some(out)) = (rows(&access, operands, repeated, len)?, out) else { return Ok(false) };
    let mut done = true;
    for (start, len) in simple.parts() {
        done &= out.part(start, len).change(kernel, &simple.of_part(&rows, operands, start, len), &numbers[..op.row().params.len()]);
    }
    Ok(done)
}

/// The elements of all operands.
#[inline]
fn rows<'a, const OPERANDS: usize>(
    access: &'a Access<'_>,
    operands: &[RawOperand<'_>; OPERANDS],
    repeated: Option<Neighbours<'a>>,
    len: usize,
) -> Result<Option<[Neighbours<'a>; OPERANDS]>> {
    let mut rows = [Neighbours::EMPTY; OPERANDS];
    for (to, operand) in rows.iter_mut().zip(operands) {
        let row = match operand {
            RawOperand::Tensor(tensor) => Neighbours::new(access, &tensor.storage, tensor.dtype, len, tensor.geometry.offset)?,
            RawOperand::Scalar(_) => repeated,
        };
        let Some(row) = row else { return Ok(None) };
        *to = row;
    }
    Ok(Some(rows))
}

/// What is known of a call whose result has the sizes and the strides of the tensors among its operands.
struct Simple<'a> {
    kernel: Kernel,
    len: usize,
    /// The first tensor: all have its dtype.
    first: &'a RawTensor,
    /// The operand that is a number.
    number: Option<Scalar>,
    result: DType,
}

impl<'a> Simple<'a> {
    #[inline]
    fn of(op: Op, operands: &[RawOperand<'a>], params: &Params) -> Result<Option<Self>> {
        let mut tensors = operands.iter().filter_map(RawOperand::tensor);
        let Some(first) = tensors.next() else { return Ok(None) };
        let (facts, dtype) = (op.row(), first.dtype);
        let (Some(result), true) = (op.plain(dtype), params.is_none() && operands.len() == facts.operands.len()) else {
            return Ok(None);
        };
        let (Some(kernel), Some(len)) = (kernel(op, dtype), first.row_len()) else { return Ok(None) };
        let alike = |tensor: &RawTensor| tensor.dtype == dtype && is_alike(first, tensor);
        if !fits_at_once(kernel, len) || !tensors.all(alike) {
            return Ok(None);
        }
        let mut numbers = operands.iter().filter_map(|operand| if let RawOperand::Scalar(number) = operand { Some(*number) } else { None });
        let number = numbers.next();
        if let Some(number) = number {
            if !facts.takes_plainly(number.category(), dtype) || numbers.next().is_some() {
                return Ok(None);
            }
            check_numbers(facts, operands, params, dtype)?;
        }
        Ok(Some(Self { kernel, len, first, number, result }))
    }

    /// The number among the operands, in a room that is made where there is one.
    #[inline]
    fn repeated<'r>(&self, room: &'r mut Option<Room>) -> Option<Neighbours<'r>> {
        let number = self.number?;
        Neighbours::repeated(room.insert(ROOM), number, self.first.dtype, self.len.min(self.room()))
    }

    /// How many elements there is room for.
    #[inline]
    fn room(&self) -> usize {
        size_of::<Room>() / self.first.dtype.itemsize().max(self.result.itemsize())
    }

    /// The parts for which there is room, by their start and length: all at once, where no number has to be repeated.
    #[inline]
    fn parts(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (len, each) = (self.len, if self.number.is_some() { self.room() } else { self.len.max(1) });
        (0..len).step_by(each).map(move |start| (start, each.min(len - start)))
    }

    /// That part of operands; a number is as long as it has to be.
    #[inline]
    fn of_part<'r, const OPERANDS: usize>(
        &self,
        rows: &[Neighbours<'r>; OPERANDS],
        operands: &[RawOperand<'_>; OPERANDS],
        start: usize,
        len: usize,
    ) -> [Neighbours<'r>; OPERANDS] {
        let mut parts = *rows;
        for at in 0..OPERANDS {
            parts[at] = rows[at].part(if operands[at].tensor().is_some() { start } else { 0 }, len);
        }
        parts
    }
}

/// Whether two tensors on the host have as many elements along each dimension, in the same order.
#[inline]
fn is_alike(x: &RawTensor, y: &RawTensor) -> bool {
    let same = |a: &[usize], b: &[usize]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b);
    y.device().kind() == DeviceType::Cpu && same(x.sizes(), y.sizes()) && same(x.strides(), y.strides())
}
