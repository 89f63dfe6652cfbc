//! Where the sums of products go: into a new tensor or a given one, where it lies. Which of `gemm`, `vector`, `small` and `parts` makes them, and
//! in which numbers.

use std::ops::Range;

use half::bf16;
use latten_spec::DType;

use super::factors::{Factor, ProductIn, Tiles};
use super::pack::Factors;
use super::{gemm, parts, small, transposed, unsupported, vector};
use crate::element::Native;
use crate::elementwise::Target;
use crate::error::Result;
use crate::geometry::Dims;
use crate::geometry::strides::contiguous_strides;
use crate::kernels::block::{Pieces, Writer};
use crate::kernels::brain::Brain;
use crate::kernels::parts::hand_out;
use crate::launch;
use crate::match_dtype;
use crate::outputs::{check_dtype, copied_apart};
use crate::raw::{RawTensor, check_out_device};
use crate::room::filled;
use crate::storage::Access;

/// The sums of a product that wait for their places at a time, where an output doesn't take them as they are.
const WAITING: usize = 1 << 18;
/// How many of them a thread stores at a turn.
const TURN: usize = 1 << 12;
/// Columns are cut at multiples of that many, which every tile divides.
const ACROSS: usize = 64;

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

/// The dtype that products are computed in, or the complex one of it.
pub(super) fn wide_dtype(factor: &RawTensor) -> DType {
    let dtype = factor.dtype();
    if factor.is_on_cuda() {
        return launch::product_dtype(dtype);
    }
    match dtype.to_real().computing().to_complex().filter(|_| dtype.is_complex()) {
        Some(complex) => complex,
        None => match_dtype!(dtype, T => <<T as ProductIn>::In as Native>::NATIVE, else dtype),
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

/// Writes the product of [.., m, k] and [.., k, n] into a tensor of its sizes, whatever its strides and dtype, which shares no memory with the
/// factors. All was checked; the batches are equal.
pub(super) fn multiply_into(left: &RawTensor, right: &RawTensor, out: &RawTensor) -> Result<()> {
    if out.is_meta() || out.numel() == 0 {
        return Ok(());
    }
    if left.sizes()[left.rank() - 1] == 0 {
        return out.zero_();
    }
    match left.dtype() {
        _ if left.is_on_cuda() => launch::product(left, right, out),
        dtype if dtype.is_complex() => parts::multiply(left, right, out),
        _ => multiply_real(left, right, out),
    }
}

pub(super) fn multiply_real(left: &RawTensor, right: &RawTensor, out: &RawTensor) -> Result<()> {
    fn multiply_in<T: Factor + Tiles<Sum = T, Means = ()>>(left: &RawTensor, right: &RawTensor, out: &RawTensor) -> Result<()> {
        let one_column = right.sizes()[right.rank() - 1] == 1;
        written::<T>([left, right], out, (), if one_column { vector::multiply } else { gemm::multiply })
    }
    let (rank, dtype) = (left.rank(), left.dtype());
    // One row times a matrix is the transposed matrix times a column.
    let row = out.sizes()[rank - 2] == 1 && out.sizes()[rank - 1] != 1;
    let (left, right, out) = if row { (&transposed(right), &transposed(left), &transposed(out)) } else { (left, right, out) };
    if let Some(brain) = Brain::detect().filter(|_| dtype == DType::BF16 && right.sizes()[rank - 1] > 1) {
        return written::<bf16>([left, right], out, brain, gemm::multiply);
    }
    match_dtype!(dtype, T => multiply_in::<<T as ProductIn>::In>(left, right, out), else Err(unsupported("addmm_impl_cpu_", dtype)))
}

/// Gives a function the elements of an output, which is held with the factors: its own memory, or room for some sums at a time.
fn written<T: Tiles>(
    [left, right]: [&RawTensor; 2],
    out: &RawTensor,
    means: T::Means,
    multiply: fn(&Factors<'_, T>, &mut [T::Sum]) -> Result<()>,
) -> Result<()> {
    let access = Access::lock(&[out.storage()], &[left.storage(), right.storage()])?;
    let read = [left, right];
    let mut writer = Writer::<T::Sum>::new(&access, out, T::Sum::NATIVE, &read)?;
    if writer.is_dense() {
        let factors = Factors::<T>::new(&access, left, right, means)?;
        return writer.pieces(Pieces::of(out.numel())).next().map_or(Ok(()), |mut whole| multiply(&factors, whole.room(0, out.numel())));
    }
    let mut sums = filled(out.numel().min(WAITING), T::Sum::default())?;
    let mut waiting = vec![[left.clone(), right.clone(), out.clone()]];
    while let Some(part) = waiting.pop() {
        let [left, right, out] = &part;
        let len = out.numel();
        if len > WAITING {
            waiting.extend(halves(&part));
            continue;
        }
        multiply(&Factors::<T>::new(&access, left, right, means)?, &mut sums[..len])?;
        let sums = &sums[..len];
        let mut writer = Writer::<T::Sum>::new(&access, out, T::Sum::NATIVE, &read)?;
        hand_out(&mut writer.pieces(Pieces::of(TURN)), &|_, mut piece| {
            let (first, len) = (piece.first(), piece.len());
            piece.room(0, len).copy_from_slice(&sums[first..first + len]);
            piece.put(0, len);
        });
    }
    Ok(())
}

/// Two products that are one: of half of the batch, or of half of the rows or columns. No sum is cut.
fn halves([left, right, out]: &[RawTensor; 3]) -> [[RawTensor; 3]; 2] {
    let (rank, sizes) = (out.rank(), out.sizes());
    let (rows, columns) = (rank - 2, rank - 1);
    let dim = sizes[..rows].iter().position(|&size| size > 1).unwrap_or(if sizes[rows] >= sizes[columns] { rows } else { columns });
    let half = sizes[dim].div_ceil(2).next_multiple_of(if dim == columns { ACROSS } else { 1 });
    [half..sizes[dim], 0..half].map(|part| {
        let some = |tensor: &RawTensor| {
            let mut geometry = tensor.geometry().clone();
            geometry.sizes[dim] = part.len();
            geometry.offset += part.start * geometry.strides[dim];
            tensor.with_geometry(geometry)
        };
        [if dim == columns { left.clone() } else { some(left) }, if dim == rows { right.clone() } else { some(right) }, some(out)]
    })
}
