//! Arithmetic on two small tensors of one dtype and one shape, where everything that a plan decides is known beforehand: what it would
//! give, at the price of the allocation, the locks and the loop.

use latten_spec::operation::{Op, Trait};

use super::Params;
use crate::device::DeviceType;
use crate::dtype::promotion_default;
use crate::error::Result;
use crate::geometry::{Geometry, times};
use crate::kernels::block::{Row, fits_at_once};
use crate::kernels::kernel;
use crate::kernels::run::Kernel;
use crate::raw::RawTensor;
use crate::storage::{Access, Fresh};

/// The result in a new tensor, where it is as simple as that.
pub(super) fn compute(op: Op, x: &RawTensor, y: &RawTensor, params: &Params) -> Result<Option<RawTensor>> {
    let Some(simple) = Simple::of(op, x, y, params) else { return Ok(None) };
    let numbers = Params::defaults(op.row(), x.dtype)?;
    let len = simple.len;
    let mut memory = Fresh::new(len * x.dtype.itemsize())?;
    let access = Access::lock_briefly(&[], &[&x.storage, &y.storage])?;
    let (Some(lhs), Some(rhs), Some(out)) = (row(&access, x, len)?, row(&access, y, len)?, Row::fresh(&mut memory, x.dtype, len)) else {
        return Ok(None);
    };
    out.compute(simple.kernel, [&lhs, &rhs], &numbers[..op.row().params.len()]);
    drop(access);
    let geometry = Geometry { offset: 0, ..x.geometry.clone() };
    Ok(Some(RawTensor { storage: memory.into_storage(), dtype: x.dtype, geometry, history: None }))
}

/// The result in the first of the tensors, where it is as simple as that; says whether it is.
pub(super) fn change(op: Op, x: &RawTensor, y: &RawTensor, params: &Params) -> Result<bool> {
    let Some(simple) = Simple::of(op, x, y, params) else { return Ok(false) };
    if x.storage.shares_memory(&y.storage) || y.storage.follows(&x.storage) {
        return Ok(false);
    }
    let numbers = Params::defaults(op.row(), x.dtype)?;
    let access = Access::lock_briefly(&[&x.storage], &[&y.storage])?;
    let out = Row::writable(&access, &x.storage, x.dtype, simple.len, x.geometry.offset)?;
    let (Some(out), Some(rhs)) = (out, row(&access, y, simple.len)?) else { return Ok(false) };
    Ok(out.change(simple.kernel, &rhs, &numbers[..op.row().params.len()]))
}

#[inline]
fn row<'a>(access: &'a Access<'_>, tensor: &RawTensor, len: usize) -> Result<Option<Row<'a>>> {
    Row::new(access, &tensor.storage, tensor.dtype, len, tensor.geometry.offset)
}

/// What is known of a call whose result has the dtype, the sizes and the strides of its operands.
struct Simple {
    kernel: Kernel,
    len: usize,
}

impl Simple {
    #[inline]
    fn of(op: Op, x: &RawTensor, y: &RawTensor, params: &Params) -> Option<Self> {
        let (row, dtype) = (op.row(), x.dtype);
        let on_host = |tensor: &RawTensor| tensor.device().kind() == DeviceType::Cpu;
        let plain =
            y.dtype == dtype && dtype.computing() == dtype && row.is(Trait::Paired) && row.common(dtype, promotion_default()) == dtype;
        if !plain || !params.is_none() || !on_host(x) || !on_host(y) {
            return None;
        }
        let kernel = kernel(op, dtype)?;
        let len = elements(x, y)?;
        fits_at_once(kernel, len).then_some(Self { kernel, len })
    }
}

/// How many elements two tensors have, where they have some, as many along each dimension, and both are row-major.
#[inline]
fn elements(x: &RawTensor, y: &RawTensor) -> Option<usize> {
    let (sizes, strides) = (x.sizes(), x.strides());
    let (other_sizes, other_strides) = (y.sizes(), y.strides());
    let rank = sizes.len();
    if other_sizes.len() != rank || strides.len() != rank || other_strides.len() != rank {
        return None;
    }
    let mut step = 1;
    for dim in (0..rank).rev() {
        let size = sizes[dim];
        if size == 0 || other_sizes[dim] != size || strides[dim] != step || other_strides[dim] != step {
            return None;
        }
        step = times(step, size);
    }
    Some(step)
}
