//! Arithmetic on two small tensors of one dtype and one shape, where everything that a plan decides is known beforehand: what it would
//! give, at the price of the allocation, the locks and the loop.

use latten_spec::operation::{Op, Trait};

use super::Params;
use crate::device::DeviceType;
use crate::dtype::promotion_default;
use crate::error::Result;
use crate::kernels::block::{Row, at_once, fits_at_once};
use crate::kernels::kernel;
use crate::plan::{Operand, Target, flat};
use crate::raw::RawTensor;
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
    let Some(sizes) = flat(&[Operand::Tensor(x), Operand::Tensor(y)], Target::New) else { return Ok(None) };
    let len = sizes.iter().product();
    if !fits_at_once(kernel, len) {
        return Ok(None);
    }
    let result = RawTensor::empty(sizes, x.strides(), dtype, x.device())?;
    let access = Access::lock(&[&result.storage], &[&x.storage, &y.storage])?;
    let row = |tensor: &RawTensor| Row::new(&access, &tensor.storage, dtype, len, tensor.geometry.offset);
    let (Some(x), Some(y), Some(out)) = (row(x)?, row(y)?, row(&result)?) else { return Ok(None) };
    at_once(kernel, [&x, &y], &params.numbers(op, dtype)?, &out);
    drop(access);
    Ok(Some(result))
}
