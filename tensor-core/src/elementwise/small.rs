//! Arithmetic on two small tensors of one dtype and one shape, where everything that a plan decides is known beforehand: what it would
//! give, at the price of the allocation, the locks and the loop.

use latten_spec::operation::{Op, Trait};

use super::Params;
use crate::device::DeviceType;
use crate::dtype::promotion_default;
use crate::error::Result;
use crate::geometry::{Dims, Geometry, count, times};
use crate::kernels::block::{Row, at_once, fits_at_once};
use crate::kernels::kernel;
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::step::MOST;
use crate::storage::{Access, Fresh};

/// The result, where it is as simple as that.
pub(super) fn compute(op: Op, x: &RawTensor, y: &RawTensor, params: &Params) -> Result<Option<RawTensor>> {
    let (row, dtype) = (op.row(), x.dtype);
    let on_host = |tensor: &RawTensor| tensor.device().kind() == DeviceType::Cpu;
    let plain = y.dtype == dtype && dtype.computing() == dtype && row.is(Trait::Paired) && row.common(dtype, promotion_default()) == dtype;
    if !plain || !params.is_none() || !on_host(x) || !on_host(y) {
        return Ok(None);
    }
    let Some(kernel) = kernel(op, dtype) else { return Ok(None) };
    if x.sizes() != y.sizes() || x.strides() != y.strides() || !is_flat(x) {
        return Ok(None);
    }
    let len = count(x.sizes());
    if !fits_at_once(kernel, len) {
        return Ok(None);
    }
    let geometry = Geometry { sizes: Dims::from_slice(x.sizes()), strides: Dims::from_slice(x.strides()), offset: 0 };
    let numbers = params.numbers(row, dtype)?;
    let mut parameters = [Scalar::Bool(false); MOST];
    let mut given = 0;
    for (parameter, number) in parameters.iter_mut().zip(numbers.into_iter().flatten()) {
        (*parameter, given) = (number, given + 1);
    }
    let mut memory = Fresh::new(len * dtype.itemsize())?;
    let access = Access::lock(&[], &[&x.storage, &y.storage])?;
    let elements = |tensor: &RawTensor| Row::new(&access, &tensor.storage, dtype, len, tensor.geometry.offset);
    let (Some(x), Some(y), Some(out)) = (elements(x)?, elements(y)?, Row::fresh(&mut memory, dtype, len)) else { return Ok(None) };
    at_once(kernel, [&x, &y], &parameters[..given], &out);
    drop(access);
    Ok(Some(RawTensor { storage: memory.into_storage(), dtype, geometry, history: None }))
}

/// Whether a tensor has elements, and they are row-major.
fn is_flat(tensor: &RawTensor) -> bool {
    let mut step = 1;
    tensor.sizes().iter().zip(tensor.strides()).rev().all(|(&size, &stride)| {
        let fits = stride == step && size > 0;
        step = times(step, size);
        fits
    })
}
