//! Products that are added to a tensor: `addmm`, `baddbmm`, `linear`.

use latten_spec::DType;
use latten_spec::operation::Op;

use super::{batches, check_bmm, check_sizes, check_supported, matmul, multiply_wide, same_device, transposed, with_one, without};
use crate::convert::{CastFrom, Written};
use crate::create::Options;
use crate::dtype::cpp_name;
use crate::elementwise::{Operand, Params, apply, apply_out};
use crate::error::{Error, Result};
use crate::geometry::{Geometry, count};
use crate::layout::MemoryFormat;
use crate::raw::{RawTensor, check_devices};
use crate::scalar::Scalar;

/// What the two terms are multiplied with: `beta * tensor + alpha * product`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Of the tensor; with 0 its elements don't matter, be they NaN.
    pub beta: Scalar,
    /// Of the product.
    pub alpha: Scalar,
}

impl Default for Scale {
    fn default() -> Self {
        Self { beta: Scalar::Int(1), alpha: Scalar::Int(1) }
    }
}

/// That a tensor expands to the shape of a product.
fn expanded(tensor: &RawTensor, sizes: &[usize]) -> Result<RawTensor> {
    tensor.expand(&sizes.iter().map(|size| size.cast_signed()).collect::<Vec<_>>())
}

/// The scaled sum. `product` is still of the dtype that products are computed in.
fn add(tensor: &RawTensor, product: &RawTensor, dtype: DType, scale: Scale) -> Result<RawTensor> {
    let wide = product.dtype();
    let one = |scalar: Scalar| matches!(scalar, Scalar::Int(1) | Scalar::Float(1.0) | Scalar::Bool(true));
    let scaled = |operand: &RawTensor, by: Scalar| -> Result<RawTensor> {
        if one(by) {
            return Ok(operand.clone());
        }
        // The number is 0.5 in the precision of the sums, not in that of bf16; for integers it is 0.
        let by = if dtype.is_integral() { RawTensor::from_scalar(by, dtype)?.to_dtype(wide)? } else { RawTensor::from_scalar(by, wide)? };
        apply(Op::Mul, &[operand.into(), (&by).into()], &Params::none())
    };
    let product = scaled(product, scale.alpha)?;
    let zero = RawTensor::from_scalar(scale.beta, dtype)?.to_dtype(DType::Bool)?.item()? == Scalar::Bool(false);
    if zero {
        return product.to_dtype(dtype);
    }
    let tensor = scaled(&tensor.to_dtype(wide)?, scale.beta)?;
    apply(Op::Add, &[Operand::Tensor(&product), Operand::Tensor(&tensor)], &Params::none())?.to_dtype(dtype)
}

/// The tensor without a product, whose sums have no steps: PyTorch multiplies it by the number into the result, by the dtype rules of `mul`.
fn alone(tensor: &RawTensor, beta: Scalar) -> Result<RawTensor> {
    let dtype = tensor.dtype();
    let mut result = RawTensor::zeros(tensor.sizes(), &Options::new().dtype(dtype).device(tensor.device())?)?;
    if !bool::cast_from(beta) {
        return Ok(result);
    }
    let exact = dtype.is_integral() || matches!(beta, Scalar::Complex(_)) && !dtype.is_complex();
    let beta = if exact { beta } else { RawTensor::from_scalar(beta, dtype)?.item()? };
    apply_out(Op::Mul, &[tensor.into(), beta.into()], &mut result, &Params::none())?;
    Ok(result)
}

fn check_scale(scale: Scale, dtype: DType) -> Result<()> {
    scale.beta.check(dtype, Written::Many)?;
    scale.alpha.check(dtype, Written::Many)
}

fn check_addmm(tensor: &RawTensor, left: &RawTensor, right: &RawTensor) -> Result<()> {
    check_devices("addmm", &[("self", tensor), ("mat1", left), ("mat2", right)])?;
    for (name, matrix) in [("self", left), ("mat2", right)] {
        if matrix.rank() != 2 {
            return Err(Error::runtime(format!("addmm: {name} must be a matrix, got {}-D tensor", matrix.rank())));
        }
    }
    check_sizes("addmm", left, right)?;
    for (name, one) in [("self", tensor), ("mat1", left)] {
        if one.dtype() != right.dtype() {
            let (one, other) = (one.dtype().message_name(), right.dtype().message_name());
            return Err(Error::runtime(format!("{name} and mat2 must have the same dtype, but got {one} and {other}")));
        }
    }
    same_device(left, right)?;
    same_device(tensor, left)
}

/// PyTorch's `addmm`: the product of two matrices, added to a tensor that expands to it.
///
/// # Errors
/// Where the sizes don't fit, the dtypes differ, a factor doesn't fit the dtype, and for bool.
pub fn addmm(tensor: &RawTensor, left: &RawTensor, right: &RawTensor, scale: Scale) -> Result<RawTensor> {
    check_addmm(tensor, left, right)?;
    let tensor = expanded(tensor, &[left.sizes()[0], right.sizes()[1]])?;
    if tensor.numel() == 0 {
        return tensor.clone_as(MemoryFormat::Contiguous);
    }
    if left.sizes()[1] == 0 {
        return alone(&tensor, scale.beta);
    }
    check_supported("addmm_impl_cpu_", left.dtype())?;
    check_scale(scale, left.dtype())?;
    add(&tensor, &multiply_wide(left, right)?, left.dtype(), scale)
}

/// PyTorch's `addmm_`.
///
/// # Errors
/// As [`addmm`], and where the product has other sizes than the tensor.
pub fn addmm_in_place(tensor: &RawTensor, left: &RawTensor, right: &RawTensor, scale: Scale) -> Result<()> {
    check_addmm(tensor, left, right)?;
    let sizes = [left.sizes()[0], right.sizes()[1]];
    if tensor.sizes() != sizes {
        let found = tensor.sizes();
        return Err(Error::runtime(format!(
            "Bad in-place call: input tensor size {found:?} and output tensor size {sizes:?} should match"
        )));
    }
    tensor.copy_(&addmm(tensor, left, right, scale)?)
}

/// PyTorch's `baddbmm`: the products of two batches of matrices, added to a tensor that expands to them.
///
/// # Errors
/// As [`addmm`], and where the batches differ.
pub fn baddbmm(tensor: &RawTensor, left: &RawTensor, right: &RawTensor, scale: Scale) -> Result<RawTensor> {
    check_devices("baddbmm", &[("self", tensor), ("batch1", left), ("batch2", right)])?;
    for (name, batch) in [("batch1", left), ("batch2", right)] {
        if batch.rank() != 3 {
            return Err(Error::runtime(format!("{name} must be a 3D tensor")));
        }
    }
    let expanded = expanded(tensor, &[left.sizes()[0], left.sizes()[1], right.sizes()[2]])?;
    if tensor.dtype() != left.dtype() {
        let [tensor, left, right] = [tensor, left, right].map(|operand| cpp_name(operand.dtype()));
        return Err(Error::runtime(format!("Input dtypes must be the same, got: input {tensor}, batch1: {left}, batch2: {right}")));
    }
    check_bmm(left, right)?;
    same_device(tensor, left)?;
    if left.sizes()[2] == 0 && expanded.numel() > 0 {
        return alone(&expanded, scale.beta);
    }
    check_scale(scale, left.dtype())?;
    add(&expanded, &multiply_wide(left, right)?, left.dtype(), scale)
}

/// PyTorch's `linear`: the last dimension of a tensor times the rows of a weight, plus a bias.
///
/// # Errors
/// As [`matmul`] and [`addmm`].
pub fn linear(input: &RawTensor, weight: &RawTensor, bias: Option<&RawTensor>) -> Result<RawTensor> {
    let weight = if weight.rank() == 2 { transposed(weight) } else { weight.clone() };
    let Some(bias) = bias else { return matmul(input, &weight) };
    match input.rank() {
        1 if weight.rank() == 2 => Ok(without(&addmm(bias, &with_one(input, 0), &weight, Scale::default())?, 0..1)),
        2 => addmm(bias, input, &weight, Scale::default()),
        rank if rank > 2 && weight.rank() == 2 => {
            let (inner, sizes) = (input.sizes()[rank - 1], &input.sizes()[..rank - 1]);
            let rows = count(sizes);
            let flat = input.contiguous(MemoryFormat::Contiguous)?;
            let geometry = Geometry { offset: flat.storage_offset(), ..Geometry::contiguous(&[rows, inner]) };
            let product = addmm(bias, &flat.with_geometry(geometry), &weight, Scale::default())?;
            let whole: Vec<usize> = sizes.iter().chain(&product.sizes()[1..]).copied().collect();
            Ok(product.with_geometry(Geometry::contiguous(&whole)))
        }
        _ => apply(Op::Add, &[(&batches_or_matmul(input, &weight)?).into(), bias.into()], &Params::none()),
    }
}

fn batches_or_matmul(input: &RawTensor, weight: &RawTensor) -> Result<RawTensor> {
    if input.rank() > 2 && weight.rank() > 0 { batches(input, weight) } else { matmul(input, weight) }
}
