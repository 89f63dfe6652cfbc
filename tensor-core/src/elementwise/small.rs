//! Arithmetic on two small tensors of one dtype and one shape, where everything that a plan decides is known beforehand: what it would
//! give, at the price of the allocation, the locks and the loop.

use latten_spec::operation::{Op, Trait};
use smallvec::SmallVec;

use super::Params;
use crate::device::DeviceType;
use crate::dtype::promotion_default;
use crate::error::Result;
use crate::geometry::count;
use crate::kernels::block::{Row, at_once, fits_at_once};
use crate::kernels::kernel;
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::storage::Access;

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
    let sizes = x.sizes();
    let len = count(sizes);
    if !fits_at_once(kernel, len) {
        return Ok(None);
    }
    let result = RawTensor::empty(sizes, x.strides(), dtype, x.device())?;
    let access = Access::lock(&[&result.storage], &[&x.storage, &y.storage])?;
    let elements = |tensor: &RawTensor| Row::new(&access, &tensor.storage, dtype, len, tensor.geometry.offset);
    let (Some(x), Some(y), Some(out)) = (elements(x)?, elements(y)?, elements(&result)?) else { return Ok(None) };
    let numbers = params.numbers(row, dtype)?;
    let numbers: SmallVec<[Scalar; 3]> = numbers.into_iter().flatten().collect();
    at_once(kernel, [&x, &y], &numbers, &out);
    drop(access);
    Ok(Some(result))
}

/// Whether a tensor has elements, and they are row-major.
fn is_flat(tensor: &RawTensor) -> bool {
    let mut step = 1;
    tensor.sizes().iter().zip(tensor.strides()).rev().all(|(&size, &stride)| {
        let fits = stride == step && size > 0;
        step *= size;
        fits
    })
}
