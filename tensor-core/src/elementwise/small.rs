//! Operations on small tensors of one dtype and one shape, and a number or a row beside one, where everything that a plan decides is known
//! beforehand: what it would give, at the price of the allocation, the locks and the loop.

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
    let Simple { kernel, len, whole, result, .. } = simple;
    let numbers = Params::defaults(op.row(), whole.dtype)?;
    let mut memory = Fresh::new(len * result.itemsize())?;
    let mut glances = [const { None }; OPERANDS];
    for (glance, operand) in glances.iter_mut().zip(operands) {
        *glance = operand.tensor().and_then(|tensor| Glance::new(&tensor.storage));
    }
    let mut room = None;
    let rows = simple.rows(operands, &mut room, |at, tensor, len| {
        Ok(glances[at].as_ref().and_then(|glance| Neighbours::glanced(glance, tensor.dtype, len, tensor.geometry.offset)))
    })?;
    let (Some(rows), Some(out)) = (rows, Neighbours::fresh(&mut memory, result, len)) else {
        // Who waits for them is told there.
        drop(glances);
        return otherwise();
    };
    for (start, len) in simple.parts() {
        out.part(start, len).compute(kernel, &simple.of_part(&rows, start, len), &numbers[..op.row().params.len()]);
    }
    drop(glances);
    let geometry = Geometry { offset: 0, ..whole.geometry.clone() };
    Ok(RawTensor { storage: memory.into_storage(), dtype: result, geometry, history: None })
}

/// The result in the first of the operands, where it is as simple as that; says whether it is.
pub(super) fn change<const OPERANDS: usize>(op: Op, operands: &[RawOperand<'_>; OPERANDS], params: &Params) -> Result<bool> {
    let (Some(simple), RawOperand::Tensor(changed)) = (Simple::of(op, operands, params)?, operands[0]) else { return Ok(false) };
    let Simple { kernel, len, whole, result, .. } = simple;
    let mut others = operands[1..].iter().filter_map(RawOperand::tensor);
    let apart = |other: &RawTensor| !changed.storage.shares_memory(&other.storage) && !other.storage.follows(&changed.storage);
    if result != changed.dtype || !std::ptr::eq(whole, changed) || !others.all(apart) {
        return Ok(false);
    }
    let numbers = Params::defaults(op.row(), changed.dtype)?;
    let read = operands.each_ref().map(|operand| &operand.tensor().unwrap_or(changed).storage);
    let access = Access::lock_briefly(&[&changed.storage], &read[1..])?;
    let mut room = None;
    let out = Neighbours::writable(&access, &changed.storage, changed.dtype, len, changed.geometry.offset)?;
    let rows = simple
        .rows(operands, &mut room, |_, tensor, len| Neighbours::new(&access, &tensor.storage, tensor.dtype, len, tensor.geometry.offset))?;
    let (Some(rows), Some(out)) = (rows, out) else { return Ok(false) };
    let mut done = true;
    for (start, len) in simple.parts() {
        done &= out.part(start, len).change(kernel, &simple.of_part(&rows, start, len), &numbers[..op.row().params.len()]);
    }
    Ok(done)
}

/// What is known of a call whose result has the sizes and the strides of a tensor among its operands.
struct Simple<'a> {
    kernel: Kernel,
    len: usize,
    /// The tensor of these sizes. All tensors have its dtype, and but for a row its sizes and strides.
    whole: &'a RawTensor,
    result: DType,
    /// The place of the operand that is used again and again, where there is one.
    repeated: Option<usize>,
    /// How many elements are computed at once: those that are used again, as often as there is room for them.
    each: usize,
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
        let second = tensors.next();
        let whole = second.filter(|second| second.rank() >= first.rank() && second.numel() > first.numel()).unwrap_or(first);
        let (Some(kernel), Some(len)) = (kernel(op, dtype), whole.row_len()) else { return Ok(None) };
        if !fits_at_once(kernel, len) {
            return Ok(None);
        }
        let (mut repeated, mut each) = (None, len.max(1));
        let room = size_of::<Room>() / dtype.itemsize().max(result.itemsize());
        for (at, operand) in operands.iter().enumerate() {
            let again = match operand {
                RawOperand::Tensor(tensor) if tensor.dtype != dtype => return Ok(None),
                RawOperand::Tensor(tensor) if std::ptr::eq(*tensor, whole) => continue,
                RawOperand::Tensor(tensor) if is_alike(whole, tensor) => continue,
                RawOperand::Tensor(tensor) => rows_of(tensor, whole),
                RawOperand::Scalar(number) => facts.takes_plainly(number.category(), dtype).then_some(1),
            };
            let (Some(again), None) = (again, repeated) else { return Ok(None) };
            (repeated, each) = (Some(at), again * (room.min(len) / again).max(1));
        }
        if repeated.is_some() {
            check_numbers(facts, operands, params, dtype)?;
        }
        Ok(Some(Self { kernel, len, whole, result, repeated, each }))
    }

    /// The elements of all operands, where they are neighbours: those of a tensor as `of` finds so many, what is used again in a room that is made
    /// for it.
    #[inline]
    fn rows<'r, const OPERANDS: usize>(
        &self,
        operands: &[RawOperand<'_>; OPERANDS],
        room: &'r mut Option<Room>,
        of: impl Fn(usize, &RawTensor, usize) -> Result<Option<Neighbours<'r>>>,
    ) -> Result<Option<[Neighbours<'r>; OPERANDS]>> {
        let mut rows = [Neighbours::EMPTY; OPERANDS];
        for (at, operand) in operands.iter().enumerate() {
            if self.repeated == Some(at) {
                continue;
            }
            let RawOperand::Tensor(tensor) = operand else { return Ok(None) };
            let Some(row) = of(at, tensor, self.len)? else { return Ok(None) };
            rows[at] = row;
        }
        if let Some(at) = self.repeated {
            let row = match operands[at] {
                RawOperand::Scalar(number) => Neighbours::repeated(room.insert(ROOM), number, self.whole.dtype, self.each),
                RawOperand::Tensor(tensor) => match of(at, tensor, tensor.numel())? {
                    Some(row) if tensor.numel() < self.each => row.tiled(room.insert(ROOM), self.each),
                    row => row,
                },
            };
            let Some(row) = row else { return Ok(None) };
            rows[at] = row;
        }
        Ok(Some(rows))
    }

    /// What is computed at once, by starts and lengths.
    #[inline]
    fn parts(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (len, each) = (self.len, self.each);
        (0..len).step_by(each).map(move |start| (start, each.min(len - start)))
    }

    /// The elements for such a part.
    #[inline]
    fn of_part<'r, const OPERANDS: usize>(
        &self,
        rows: &[Neighbours<'r>; OPERANDS],
        start: usize,
        len: usize,
    ) -> [Neighbours<'r>; OPERANDS] {
        let mut parts = *rows;
        for at in 0..OPERANDS {
            parts[at] = rows[at].part(if self.repeated == Some(at) { 0 } else { start }, len);
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

/// How many elements a tensor has that is broadcast to another along that one's first dimensions only.
#[inline]
fn rows_of(row: &RawTensor, whole: &RawTensor) -> Option<usize> {
    let sizes = row.sizes();
    let own = &sizes[sizes.iter().take_while(|&&size| size == 1).count()..];
    (sizes.len() <= whole.rank() && whole.sizes().ends_with(own)).then(|| row.row_len()).flatten()
}
