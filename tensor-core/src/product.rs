//! Products of vectors and matrices on erased tensors, with PyTorch's checks and words. The dtypes must be equal: nothing is promoted.
//!
//! `gemm`, `vector` and `small` compute, the first two on what `pack` reads through any strides; `sums` writes what they make, `into` says where; `addition` the
//! products that are added to a tensor, `einsum` the general one. New results are contiguous; given outputs are written where they lie.

mod addition;
mod distances;
mod einsum;
mod factors;
mod gemm;
mod into;
mod pack;
mod packed;
mod panels;
mod parts;
mod small;
mod sums;
mod vector;

use std::ops::Range;

use latten_spec::DType;
use latten_spec::operation::Op;

pub(crate) use addition::adds_rows;
pub use addition::{addmm, addmm_in_place, baddbmm, baddbmm_in_place, linear};
pub(crate) use distances::distances;
pub use einsum::einsum;

use crate::dtype::cpp_name;
use crate::element::unsupported;
use crate::elementwise::{self, Params, Target, apply};
use crate::error::{Error, Result};
use crate::geometry::broadcast::{broadcast_shapes, broadcast_strides};
use crate::geometry::{Dims, Geometry, count};
use crate::raw::{RawTensor, check_devices};
pub(crate) use factors::{Factor, Tiles};
use into::multiply;
pub(crate) use into::{multiply_windows, reads_windows};
pub(crate) use packed::Panels;

fn check_supported(kernel: &str, dtype: DType) -> Result<()> {
    if dtype == DType::Bool || !dtype.is_computing() { Err(unsupported(kernel, dtype)) } else { Ok(()) }
}

/// The same for the factors of a product: where one has no elements, nothing is multiplied, and any dtype will do.
fn check_factors(kernel: &str, left: &RawTensor, right: &RawTensor) -> Result<()> {
    if left.numel() == 0 || right.numel() == 0 { Ok(()) } else { check_supported(kernel, left.dtype()) }
}

/// The last two dimensions exchanged.
fn transposed(tensor: &RawTensor) -> RawTensor {
    let (mut geometry, rank) = (tensor.geometry().clone(), tensor.rank());
    geometry.sizes.swap(rank - 2, rank - 1);
    geometry.strides.swap(rank - 2, rank - 1);
    tensor.with_geometry(geometry)
}

/// The same elements with a dimension of size 1 more.
fn with_one(tensor: &RawTensor, dim: usize) -> RawTensor {
    let mut geometry = tensor.geometry().clone();
    geometry.sizes.insert(dim, 1);
    geometry.strides.insert(dim, 0);
    tensor.with_geometry(geometry)
}

/// The same elements without some dimensions, which have size 1.
fn without(tensor: &RawTensor, dims: Range<usize>) -> RawTensor {
    let mut geometry = tensor.geometry().clone();
    geometry.sizes.drain(dims.clone());
    geometry.strides.drain(dims);
    tensor.with_geometry(geometry)
}

/// The same elements as a batch of that shape.
fn broadcast_batch(tensor: &RawTensor, batch: &[usize]) -> RawTensor {
    let (old, rank) = (tensor.geometry(), tensor.rank());
    let mut strides = broadcast_strides(&old.sizes[..rank - 2], &old.strides[..rank - 2], batch);
    strides.extend_from_slice(&old.strides[rank - 2..]);
    let sizes = batch.iter().chain(&old.sizes[rank - 2..]).copied().collect();
    tensor.with_geometry(Geometry { sizes, strides, offset: old.offset })
}

fn same_device(left: &RawTensor, right: &RawTensor) -> Result<()> {
    if left.device() == right.device() {
        return Ok(());
    }
    let (left, right) = (left.device(), right.device());
    Err(Error::runtime(format!("Expected all tensors to be on the same device, but found at least two devices, {left} and {right}!")))
}

fn same_dtype(left: &RawTensor, right: &RawTensor) -> Result<()> {
    if left.dtype() == right.dtype() {
        return Ok(());
    }
    let (left, right) = (cpp_name(left.dtype()), cpp_name(right.dtype()));
    Err(Error::runtime(format!("expected m1 and m2 to have the same dtype, but got: {left} != {right}")))
}

fn check_sizes(name: &str, left: &RawTensor, right: &RawTensor) -> Result<()> {
    let ([m, k], [l, n]) = (left.sizes(), right.sizes()) else { return Ok(()) };
    if k == l {
        return Ok(());
    }
    Err(Error::runtime(format!("{name}: mat1 and mat2 shapes cannot be multiplied ({m}x{k} and {l}x{n})")))
}

/// PyTorch's `mm`: a matrix times a matrix.
///
/// # Errors
/// Where one isn't a matrix, the inner sizes or the dtypes differ, and for bool.
pub fn mm(left: &RawTensor, right: &RawTensor, to: Target<'_>) -> Result<RawTensor> {
    check_mm(left, right)?;
    multiply(left, right, 0..0, to)
}

fn check_mm(left: &RawTensor, right: &RawTensor) -> Result<()> {
    check_devices("mm", &[("self", left), ("mat2", right)])?;
    for (name, tensor) in [("self", left), ("mat2", right)] {
        if tensor.rank() != 2 {
            return Err(Error::runtime(format!("mm: {name} must be a matrix, got {}-D tensor", tensor.rank())));
        }
    }
    check_sizes("mm", left, right)?;
    same_dtype(left, right)?;
    same_device(left, right)?;
    check_factors("addmm_impl_cpu_", left, right)
}

/// The result is made where the vector is, and looked at first.
fn check_devices_of_mv(matrix: &RawTensor, vector: &RawTensor) -> Result<()> {
    check_devices("addmv_out_out", &[("out", vector), ("mat", matrix)])
}

/// PyTorch's `mv`: a matrix times a vector.
///
/// # Errors
/// As [`mm`].
pub fn mv(matrix: &RawTensor, vector: &RawTensor, to: Target<'_>) -> Result<RawTensor> {
    check_devices_of_mv(matrix, vector)?;
    matrix.size(0)?;
    if matrix.rank() != 2 || vector.rank() != 1 {
        return Err(Error::runtime(format!("vector + matrix @ vector expected, got 1, {}, {}", matrix.rank(), vector.rank())));
    }
    // Where an output can be taken for what the product is added to, PyTorch looks at it as that.
    let added = to.tensor().filter(|out| out.rank() <= 1 && [1, matrix.sizes()[0]].contains(&out.numel()));
    check_as_mv(matrix, vector, added)?;
    same_device(matrix, vector)?;
    multiply(matrix, &with_one(vector, 1), 1..2, to)
}

fn check_dot(left: &RawTensor, right: &RawTensor) -> Result<()> {
    if left.rank() != 1 || right.rank() != 1 {
        return Err(Error::runtime(format!("1D tensors expected, but got {}D and {}D tensors", left.rank(), right.rank())));
    }
    if left.dtype() != right.dtype() {
        let (left, right) = (left.dtype().message_name(), right.dtype().message_name());
        return Err(Error::runtime(format!("dot : expected both vectors to have same dtype, but found {left} and {right}")));
    }
    let (l, r) = (left.numel(), right.numel());
    if l != r {
        return Err(Error::runtime(format!(
            "inconsistent tensor size, expected tensor [{l}] and src [{r}] to have the same number of elements, but got {l} and {r} \
             elements respectively"
        )));
    }
    same_device(left, right)?;
    check_supported("dot", left.dtype())
}

/// PyTorch's `dot`: the sum of the products of the elements of two vectors.
///
/// # Errors
/// Where one isn't a vector, the sizes or the dtypes differ, and for bool.
pub fn dot(left: &RawTensor, right: &RawTensor, to: Target<'_>) -> Result<RawTensor> {
    check_devices("_dot", &[("self", left), ("tensor", right)])?;
    check_dot(left, right)?;
    multiply_vectors(left, right, to)
}

fn multiply_vectors(left: &RawTensor, right: &RawTensor, to: Target<'_>) -> Result<RawTensor> {
    if let Some(found) = to.tensor().map(RawTensor::dtype).filter(|&found| found != left.dtype()) {
        let (found, expected) = (found.message_name(), left.dtype().message_name());
        return Err(Error::runtime(format!("result dtype {found} does not match input dtype {expected}")));
    }
    multiply(&with_one(left, 0), &with_one(right, 1), 0..2, to)
}

/// PyTorch's `vdot`: [`dot`] of the conjugate of the first.
///
/// # Errors
/// As [`dot`].
pub fn vdot(left: &RawTensor, right: &RawTensor, to: Target<'_>) -> Result<RawTensor> {
    check_devices(if left.dtype().is_complex() { "_vdot" } else { "_dot" }, &[("self", left), ("other", right)])?;
    check_dot(left, right)?;
    let conjugate = if left.dtype().is_complex() { apply(Op::Conj, &[left.into()], &Params::none())? } else { left.clone() };
    multiply_vectors(&conjugate, right, to)
}

/// PyTorch's `outer`: the product of each element of a vector with each of another. The one product that promotes.
///
/// # Errors
/// Where one isn't a vector.
pub fn outer(left: &RawTensor, right: &RawTensor, to: Target<'_>) -> Result<RawTensor> {
    for (name, tensor) in [("self", left), ("vec2", right)] {
        if tensor.rank() != 1 {
            return Err(Error::runtime(format!("outer: Expected 1-D argument {name}, but got {}-D", tensor.rank())));
        }
    }
    elementwise::run(Op::Mul.into(), &[(&with_one(left, 1)).into(), right.into()], to, &Params::none())
}

/// PyTorch's `bmm`: one matrix times another, for each of a batch.
///
/// # Errors
/// As [`mm`], and where the batches differ.
pub fn bmm(left: &RawTensor, right: &RawTensor, to: Target<'_>) -> Result<RawTensor> {
    check_devices("bmm", &[("self", left), ("mat2", right)])?;
    check_bmm(left, right)?;
    // The dtypes can differ only where nothing is multiplied.
    multiply(&left.to_dtype(right.dtype())?, right, 0..0, to)
}

fn check_bmm(left: &RawTensor, right: &RawTensor) -> Result<()> {
    for (name, tensor) in [("batch1", left), ("batch2", right)] {
        if tensor.rank() != 3 {
            return Err(Error::runtime(format!("{name} must be a 3D tensor")));
        }
    }
    let (expected, found) = ([left.sizes()[0], left.sizes()[2]], [right.sizes()[0], right.sizes()[1]]);
    if expected != found {
        return Err(Error::runtime(format!(
            "Expected size for first two dimensions of batch2 tensor to be: {expected:?} but got: {found:?}."
        )));
    }
    check_factors("bmm", left, right)?;
    if left.numel() > 0 && right.numel() > 0 && left.dtype() != right.dtype() {
        let (left, right) = (left.dtype().message_name(), right.dtype().message_name());
        return Err(Error::runtime(format!("expected scalar type {left} but found {right}")));
    }
    same_device(left, right)
}

/// PyTorch's `matmul`: vectors and matrices as they are; more dimensions are batches, which broadcast.
///
/// # Errors
/// Where one has no dimensions, the inner sizes or the dtypes differ, the batches don't broadcast, and for bool.
pub fn matmul(left: &RawTensor, right: &RawTensor, to: Target<'_>) -> Result<RawTensor> {
    let (l, r) = (left.rank(), right.rank());
    match (l, r) {
        (0, _) | (_, 0) => Err(Error::runtime(format!("both arguments to matmul need to be at least 1D, but they are {l}D and {r}D"))),
        (1, 1) => dot(left, right, to),
        (2, 1) => mv(left, right, to),
        (1, 2) => {
            let row = with_one(left, 0);
            check_mm(&row, right)?;
            multiply(&row, right, 0..1, to)
        }
        (2, 2) => mm(left, right, to),
        _ => batches(left, right, to),
    }
}

/// A product of batches. PyTorch takes a batch times a matrix, or a vector, for one long matrix where it can, and says so in its messages.
fn batches(left: &RawTensor, right: &RawTensor, to: Target<'_>) -> Result<RawTensor> {
    let (l, r) = (left.rank(), right.rank());
    let (large, small) = if l >= r { (left.clone(), right.clone()) } else { (transposed(right), left.clone()) };
    let rows = count(&large.sizes()[..large.rank() - 1]);
    let shape = [rows, large.sizes()[large.rank() - 1]];
    let folded = large.geometry().view(&shape.map(usize::cast_signed)).ok().filter(|_| small.rank() <= 2 && l != 2);
    if let Some(folded) = folded {
        let folded = large.with_geometry(folded);
        // Checked as PyTorch computes it; the same elements are multiplied below.
        match small.rank() {
            1 => {
                check_devices_of_mv(&folded, &small)?;
                check_as_mv(&folded, &small, to.tensor().filter(|_| l >= r))?;
            }
            _ => {
                check_devices("mm", &[("self", &folded), ("mat2", &small)])?;
                check_sizes("mm", &folded, &small)?;
                same_dtype(&folded, &small)?;
                check_factors("addmm_impl_cpu_", &folded, &small)?;
            }
        }
    } else {
        check_devices("bmm", &[("self", left), ("mat2", right)])?;
        check_as_bmm(left, right)?;
    }
    same_device(left, right)?;
    let as_left = if l == 1 { with_one(left, 0) } else { left.clone() };
    let as_right = if r == 1 { with_one(right, 1) } else { right.clone() };
    let as_left = as_left.to_dtype(as_right.dtype())?;
    let batch = batch_of(&as_left, &as_right)?;
    let rank = batch.len() + 2;
    let ones = match (l, r) {
        (1, _) => rank - 2..rank - 1,
        (_, 1) => rank - 1..rank,
        _ => 0..0,
    };
    multiply(&broadcast_batch(&as_left, &batch), &broadcast_batch(&as_right, &batch), ones, to)
}

fn batch_of(left: &RawTensor, right: &RawTensor) -> Result<Dims> {
    broadcast_shapes(&[&left.sizes()[..left.rank() - 2], &right.sizes()[..right.rank() - 2]])
}

/// What the product is added to is made of the vector's dtype, unless it is there.
fn check_as_mv(matrix: &RawTensor, vector: &RawTensor, added: Option<&RawTensor>) -> Result<()> {
    let (m, k, n) = (matrix.sizes()[0], matrix.sizes()[1], vector.numel());
    if k != n {
        return Err(Error::runtime(format!("size mismatch, got input ({m}), mat ({m}x{k}), vec ({n})")));
    }
    let added = added.unwrap_or(vector);
    if [added, matrix].iter().any(|tensor| tensor.dtype() != vector.dtype()) {
        let [added, matrix, vector] = [added, matrix, vector].map(|tensor| tensor.dtype().message_name());
        return Err(Error::runtime(format!("addmv input tensors must have the same dtype, but got {added}, {matrix}, and {vector}")));
    }
    check_factors("addmv_impl_cpu", matrix, vector)
}

fn check_as_bmm(left: &RawTensor, right: &RawTensor) -> Result<()> {
    let as_left = if left.rank() == 1 { with_one(left, 0) } else { left.clone() };
    let as_right = if right.rank() == 1 { with_one(right, 1) } else { right.clone() };
    let batch = count(&batch_of(&as_left, &as_right)?);
    let three = |tensor: &RawTensor| {
        let mut geometry = Geometry::contiguous(&[batch]);
        geometry.sizes.extend_from_slice(&tensor.sizes()[tensor.rank() - 2..]);
        geometry.strides.extend_from_slice(&tensor.strides()[tensor.rank() - 2..]);
        tensor.with_geometry(geometry)
    };
    check_bmm(&three(&as_left), &three(&as_right))
}
