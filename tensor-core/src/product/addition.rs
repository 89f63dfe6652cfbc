//! Products that are added to a tensor: `addmm`, `baddbmm`, `linear`.

use latten_spec::DType;
use latten_spec::operation::Op;

use super::into::{destination, multiply, multiply_into, wide_dtype};
use super::{check_bmm, check_sizes, check_supported, matmul, same_device, transposed, with_one, without};
use crate::convert::{CastFrom, Written};
use crate::dtype::cpp_name;
use crate::elementwise::{Params, Target, apply_in_place, run};
use crate::error::{Error, Result};
use crate::geometry::overlap::{Relation, partial_overlap_error};
use crate::geometry::strides::contiguous_strides;
use crate::geometry::{Dims, Geometry, count};
use crate::layout::MemoryFormat;
use crate::outputs::{aside, check_dtype};
use crate::raw::{RawTensor, check_devices};
use crate::scalar::Scalar;
use crate::views::signed;

/// PyTorch's `beta` and `alpha` where nothing else is said.
const ONES: [Scalar; 2] = [Scalar::Int(1); 2];

/// That a tensor expands to the shape of a product.
fn expanded(tensor: &RawTensor, sizes: &[usize]) -> Result<RawTensor> {
    tensor.expand(&sizes.iter().map(|size| size.cast_signed()).collect::<Vec<_>>())
}

/// The elements of an expanded tensor in another dtype, each converted once.
fn widened(tensor: &RawTensor, dtype: DType) -> Result<RawTensor> {
    let mut once = tensor.geometry().clone();
    once.sizes.iter_mut().zip(&once.strides).filter(|(_, stride)| **stride == 0).for_each(|(size, _)| *size = 1);
    expanded(&tensor.with_geometry(once).to_dtype(dtype)?, tensor.sizes())
}

/// The scaled sum of an expanded tensor and the product of two factors, which have steps.
fn add(tensor: &RawTensor, [left, right]: [&RawTensor; 2], [beta, alpha]: [Scalar; 2], to: Target<'_>) -> Result<RawTensor> {
    let (dtype, wide) = (left.dtype(), wide_dtype(left));
    if to.tensor().is_some_and(|out| !out.is_meta() && tensor.relation_to(out) == Relation::PartialDense) {
        return Err(partial_overlap_error());
    }
    let (sizes, tensor) = (Dims::from(tensor.sizes()), aside(tensor, to)?);
    let one = |scalar: Scalar| matches!(scalar, Scalar::Int(1) | Scalar::Float(1.0) | Scalar::Bool(true));
    let factor = |by: Scalar| -> Result<Option<RawTensor>> {
        if one(by) {
            return Ok(None);
        }
        // The number is 0.5 in the precision of the sums, not in that of bf16; for integers it is 0.
        let by = if dtype.is_integral() { RawTensor::from_scalar(by, dtype)?.to_dtype(wide)? } else { RawTensor::from_scalar(by, wide)? };
        Ok(Some(by))
    };
    let zero = RawTensor::from_scalar(beta, dtype)?.to_dtype(DType::Bool)?.item()? == Scalar::Bool(false);
    let (alpha, beta) = (factor(alpha)?, factor(beta)?);
    let tensor = if zero { None } else { Some(widened(&tensor, wide)?) };
    let beta = beta.map(|beta| beta.item()).transpose()?.map_or_else(Params::none, Params::one);
    // Where sums have the output's dtype they are made there.
    let (out, sums) = if wide == dtype {
        let out = multiply(left, right, 0..0, to)?;
        (out.clone(), out)
    } else {
        let (out, [left, right]) = destination(to, &sizes, dtype, [left, right])?;
        let sums = RawTensor::empty(out.sizes(), &contiguous_strides(out.sizes()), wide, out.device())?;
        multiply_into(&left, &right, &sums)?;
        (out, sums)
    };
    if let Some(alpha) = alpha {
        apply_in_place(Op::Mul, &sums, &[(&alpha).into()], &Params::none())?;
    }
    if let Some(tensor) = tensor {
        if wide != dtype {
            // Added as it is rounded.
            return run(Op::Add.into(), &[(&sums).into(), (&tensor).into()], Target::Out(&out, |_| Ok(())), &beta);
        }
        apply_in_place(Op::Add, &sums, &[(&tensor).into()], &beta)?;
    }
    if wide != dtype {
        out.copy_(&sums)?;
    }
    Ok(out)
}

/// The tensor without a product, whose sums have no steps: PyTorch multiplies it by the number into the result, by the dtype rules of `mul`.
fn alone(tensor: &RawTensor, beta: Scalar, to: Target<'_>) -> Result<RawTensor> {
    let dtype = tensor.dtype();
    let (out, [tensor]) = destination(to, tensor.sizes(), dtype, [tensor])?;
    if out.is_meta() || !bool::cast_from(beta) {
        out.zero_()?;
        return Ok(out);
    }
    let exact = dtype.is_integral() || matches!(beta, Scalar::Complex(_)) && !dtype.is_complex();
    let beta = if exact { beta } else { RawTensor::from_scalar(beta, dtype)?.item()? };
    run(Op::Mul.into(), &[(&tensor).into(), beta.into()], Target::Out(&out, |_| Ok(())), &Params::none())
}

fn check_factors(factors: [Scalar; 2], dtype: DType) -> Result<()> {
    factors.into_iter().try_for_each(|factor| factor.check(dtype, Written::Many))
}

fn check_addmm(tensor: &RawTensor, left: &RawTensor, right: &RawTensor) -> Result<()> {
    check_devices("addmm", &[("self", tensor), ("mat1", left), ("mat2", right)])?;
    for (name, one) in [("self", tensor), ("mat1", left)] {
        if one.dtype() != right.dtype() {
            let (one, other) = (one.dtype().message_name(), right.dtype().message_name());
            return Err(Error::runtime(format!("{name} and mat2 must have the same dtype, but got {one} and {other}")));
        }
    }
    for (name, matrix) in [("self", left), ("mat2", right)] {
        if matrix.rank() != 2 {
            return Err(Error::runtime(format!("addmm: {name} must be a matrix, got {}-D tensor", matrix.rank())));
        }
    }
    check_sizes("addmm", left, right)?;
    same_device(left, right)?;
    same_device(tensor, left)
}

/// PyTorch's `addmm`: the product of two matrices, added to a tensor that expands to it; `beta` times the tensor, whose elements don't matter where
/// that is 0, be they NaN, and `alpha` times the product.
///
/// # Errors
/// Where the sizes don't fit, the dtypes differ, a factor doesn't fit the dtype, and for bool.
pub fn addmm(tensor: &RawTensor, left: &RawTensor, right: &RawTensor, factors: [Scalar; 2], to: Target<'_>) -> Result<RawTensor> {
    check_addmm(tensor, left, right)?;
    let tensor = expanded(tensor, &[left.sizes()[0], right.sizes()[1]])?;
    if tensor.numel() == 0 {
        return destination(to, tensor.sizes(), left.dtype(), [left]).map(|(out, _)| out);
    }
    if left.sizes()[1] == 0 {
        return alone(&tensor, factors[0], to);
    }
    check_supported("addmm_impl_cpu_", left.dtype())?;
    check_factors(factors, left.dtype())?;
    add(&tensor, [left, right], factors, to)
}

/// PyTorch's `addmm_`.
///
/// # Errors
/// As [`addmm`], and where the product has other sizes than the tensor.
pub fn addmm_in_place(tensor: &RawTensor, left: &RawTensor, right: &RawTensor, factors: [Scalar; 2]) -> Result<()> {
    check_addmm(tensor, left, right)?;
    let sizes = [left.sizes()[0], right.sizes()[1]];
    if tensor.sizes() != sizes {
        let found = tensor.sizes();
        return Err(Error::runtime(format!(
            "Bad in-place call: input tensor size {found:?} and output tensor size {sizes:?} should match"
        )));
    }
    addmm(tensor, left, right, factors, Target::InPlace(tensor)).map(drop)
}

/// The sizes of a batch of products, which are asked for before it is clear that both are batches.
fn sizes_of_products(left: &RawTensor, right: &RawTensor) -> Result<[usize; 3]> {
    Ok([left.size(0)?, left.size(1)?, right.size(2)?])
}

fn check_batches(left: &RawTensor, right: &RawTensor) -> Result<()> {
    match [("batch1", left), ("batch2", right)].into_iter().find(|(_, batch)| batch.rank() != 3) {
        Some((name, _)) => Err(Error::runtime(format!("{name} must be a 3D tensor"))),
        None => Ok(()),
    }
}

/// PyTorch's `baddbmm`: the products of two batches of matrices, added to a tensor that expands to them.
///
/// # Errors
/// As [`addmm`], and where the batches differ.
pub fn baddbmm(tensor: &RawTensor, left: &RawTensor, right: &RawTensor, factors: [Scalar; 2], to: Target<'_>) -> Result<RawTensor> {
    check_devices("baddbmm", &[("self", tensor), ("batch1", left), ("batch2", right)])?;
    let expanded = expanded(tensor, &sizes_of_products(left, right)?)?;
    check_batches(left, right)?;
    if tensor.dtype() != left.dtype() {
        let [tensor, left, right] = [tensor, left, right].map(|operand| cpp_name(operand.dtype()));
        return Err(Error::runtime(format!("Input dtypes must be the same, got: input {tensor}, batch1: {left}, batch2: {right}")));
    }
    check_bmm(left, right)?;
    same_device(tensor, left)?;
    if left.sizes()[2] == 0 && expanded.numel() > 0 {
        return alone(&expanded, factors[0], to);
    }
    check_factors(factors, left.dtype())?;
    add(&expanded, [left, right], factors, to)
}

/// The same into the tensor itself.
///
/// # Errors
/// As [`baddbmm`], and where the products have other sizes than the tensor.
pub fn baddbmm_in_place(tensor: &RawTensor, left: &RawTensor, right: &RawTensor, factors: [Scalar; 2]) -> Result<()> {
    let (sizes, found) = (sizes_of_products(left, right)?, tensor.sizes());
    expanded(tensor, &sizes)?;
    check_batches(left, right)?;
    if found != sizes {
        return Err(Error::runtime(format!(
            "Bad in-place call: input tensor size {found:?} and output tensor size {sizes:?} should match"
        )));
    }
    baddbmm(tensor, left, right, factors, Target::InPlace(tensor)).map(drop)
}

/// Whether a bias of `linear` is added as [`addmm`] does it, to the rows of one matrix: any to a matrix, elsewhere a row.
pub(crate) fn adds_rows(input: &RawTensor, bias: &RawTensor) -> bool {
    let is_row = bias.rank() == 1 || bias.sizes().iter().filter(|&&size| size != 1).count() == 1;
    let in_order = |tensor: &RawTensor| tensor.is_contiguous(MemoryFormat::Contiguous);
    input.rank() == 2 || is_row && in_order(input) && in_order(bias)
}

/// PyTorch's `linear`: the last dimension of a tensor times the rows of a weight, plus a bias.
///
/// # Errors
/// As [`matmul`] and [`addmm`], and where a bias doesn't fit the product.
pub fn linear(input: &RawTensor, weight: &RawTensor, bias: Option<&RawTensor>, to: Target<'_>) -> Result<RawTensor> {
    let (rank, own) = (weight.rank(), input.rank());
    if rank == 0 || own == 0 {
        return Err(Error::runtime(format!("both arguments to linear need to be at least 1D, but they are {own}D and {rank}D")));
    }
    if rank > 2 {
        return Err(Error::runtime(format!("t() expects a tensor with <= 2 dimensions, but self is {rank}D")));
    }
    let weight = if rank == 2 { transposed(weight) } else { weight.clone() };
    let Some(bias) = bias else { return matmul(input, &weight, to) };
    let result = if adds_rows(input, bias) {
        with_bias(input, &weight, bias, to)?
    } else {
        let product = matmul(input, &weight, Target::New)?;
        apply_in_place(Op::Add, &product, &[bias.into()], &Params::none())?;
        product
    };
    check_dtype(to, result.dtype())?;
    to.take(result)
}

/// The product with a matrix, plus a bias in each of its rows.
fn with_bias(input: &RawTensor, weight: &RawTensor, bias: &RawTensor, to: Target<'_>) -> Result<RawTensor> {
    let rank = input.rank();
    match rank {
        1 => return Ok(without(&addmm(bias, &with_one(input, 0), weight, ONES, Target::New)?, 0..1)),
        2 => return addmm(bias, input, weight, ONES, to.offer().beside([bias, input, weight])),
        _ => {}
    }
    let (inner, sizes) = (input.sizes()[rank - 1], &input.sizes()[..rank - 1]);
    let rows = count(sizes);
    let geometry = Geometry { offset: input.storage_offset(), ..Geometry::contiguous(&[rows, inner]) };
    let flat = input.with_geometry(geometry);
    // What is no matrix has no such number, and is refused.
    let &[_, columns] = weight.sizes() else { return addmm(bias, &flat, weight, ONES, Target::New) };
    let whole = [sizes, &[columns]].concat();
    let room = to.seen_as(&whole, |out| out.view(&signed(&[rows, columns])));
    let to = Target::offering(room.as_ref()).beside([bias, input, weight]);
    let product = addmm(bias, &flat, weight, ONES, to)?;
    product.view(&signed(&whole))
}
