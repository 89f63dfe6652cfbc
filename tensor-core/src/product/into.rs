//! Where products go: into a new tensor or a given one, where it lies. Which of `small`, `parts`, `sums` and the device makes them, and in which
//! numbers.

use std::ops::Range;

use latten_spec::DType;

use super::factors::ProductIn;
use super::{parts, small, sums};
use crate::element::Native;
use crate::elementwise::Target;
use crate::error::Result;
use crate::geometry::Dims;
use crate::geometry::strides::contiguous_strides;
use crate::launch;
use crate::match_dtype;
use crate::outputs::{check_dtype, copied_apart};
use crate::raw::{RawTensor, check_out_device};

/// The product of [.., m, k] and [.., k, n] without some of its dimensions of size 1, where the target says. All was checked but the output;
/// the batches are equal.
pub(super) fn multiply(left: &RawTensor, right: &RawTensor, ones: Range<usize>, to: Target<'_>) -> Result<RawTensor> {
    if to.is_new()
        && ones.is_empty()
        && let Some(product) = small::multiply(left, right)?
    {
        return Ok(product);
    }
    let mut sizes: Dims = left.sizes().into();
    sizes[left.rank() - 1] = right.sizes()[right.rank() - 1];
    sizes.drain(ones.clone());
    let (out, [left, right]) = destination(to, &sizes, left.dtype(), [left, right])?;
    let mut whole = out.geometry().clone();
    for dim in ones {
        whole.sizes.insert(dim, 1);
        whole.strides.insert(dim, 0);
    }
    multiply_into(&left, &right, &out.with_geometry(whole))?;
    Ok(out)
}

/// Writes the product of [.., m, k] and [.., k, n] into a tensor of its sizes, whatever its strides and dtype, which shares no memory with the
/// factors. All was checked; the batches are equal.
pub(super) fn multiply_into(left: &RawTensor, right: &RawTensor, out: &RawTensor) -> Result<()> {
    if out.is_meta() || out.numel() == 0 {
        return Ok(());
    }
    if left.sizes()[left.rank() - 1] == 0 {
        return out.zero_();
    }
    // Pointers, as the calls of operations are (`call::COMPUTE` says why).
    let multiply: fn(&RawTensor, &RawTensor, &RawTensor) -> Result<()> = match left.dtype() {
        _ if left.is_on_cuda() => launch::product,
        dtype if dtype.is_complex() => parts::multiply,
        _ => sums::multiply_real,
    };
    multiply(left, right, out)
}

/// Whether [`multiply_windows`] reads the elements of a tensor: on the host, and of the dtypes that are asked for.
pub(crate) fn reads_windows(input: &RawTensor) -> bool {
    !input.is_on_cuda() && !input.is_meta() && matches!(input.dtype(), DType::F32 | DType::F64)
}

/// Writes the products of [.., m, k] and of windows, whose k and n are dimensions of their places and of their numbers, into a contiguous [.., m, n].
pub(crate) fn multiply_windows(left: &RawTensor, right: &RawTensor, out: &RawTensor) -> Result<()> {
    match (out.numel(), left.numel()) {
        (0, _) => Ok(()),
        (_, 0) => out.zero_(),
        _ => sums::multiply_windows(left, right, out),
    }
}

/// The dtype that products are computed in, or the complex one of it.
pub(super) fn wide_dtype(factor: &RawTensor) -> DType {
    let dtype = factor.dtype();
    if factor.is_on_cuda() {
        return launch::product_dtype(dtype);
    }
    match dtype.to_real().computing().to_complex().filter(|_| dtype.is_complex()) {
        Some(complex) => complex,
        None => match_dtype!(dtype, T => <<T as ProductIn>::In as Native>::DTYPE, else dtype),
    }
}

/// The tensor that a product goes into, and the operands: copies of those that writing it would change.
pub(super) fn destination<const N: usize>(
    to: Target<'_>,
    sizes: &[usize],
    dtype: DType,
    operands: [&RawTensor; N],
) -> Result<(RawTensor, [RawTensor; N])> {
    check_dtype(to, dtype)?;
    if let (Some(given), Some(operand)) = (to.tensor(), operands.first()) {
        check_out_device(operand, given)?;
    }
    let out = to.output(sizes, &contiguous_strides(sizes), dtype, operands[0])?;
    let mut apart = operands.map(Clone::clone);
    if !to.is_new() {
        for operand in &mut apart {
            *operand = copied_apart(operand, &out)?;
        }
        out.fit_storage()?;
    }
    Ok((out, apart))
}
