//! The sums of a product of real matrices, written where an output lies, or a part at a time where it doesn't take them as they are.

use std::ops::Neg;

use half::bf16;
use latten_spec::DType;

use super::factors::{Factor, ProductIn, Tiles};
use super::pack::{Factors, Turn};
use super::{gemm, transposed, unsupported, vector};
use crate::element::Native;
use crate::error::Result;
use crate::kernels::block::{Pieces, Writer};
use crate::kernels::brain::Brain;
use crate::kernels::parts::hand_out;
use crate::match_dtype;
use crate::raw::RawTensor;
use crate::storage::{Access, Workspace};

/// The sums of a product that wait for their places at a time, where an output doesn't take them as they are.
const WAITING: usize = 1 << 18;
/// How many of them a thread stores at a turn.
const TURN: usize = 1 << 12;
/// Columns are cut at multiples of that many, which every tile divides.
const ACROSS: usize = 64;

/// Writes the product of [.., m, k] and [.., k, n], none of which is empty, into a tensor of its sizes, whatever its strides and dtype, which
/// shares no memory with the factors. They are real, on the host, and fit.
pub(super) fn multiply_real(left: &RawTensor, right: &RawTensor, out: &RawTensor) -> Result<()> {
    fn multiply_in<T: Factor + Tiles<Sum = T, Means = ()>>(left: &RawTensor, right: &RawTensor, out: &RawTensor) -> Result<()> {
        let one_column = right.sizes()[right.rank() - 1] == 1;
        written::<T>([left, right], out, (), if one_column { (never, vector::multiply, None) } else { blocked() })
    }
    let (rank, dtype) = (left.rank(), left.dtype());
    // One row times a matrix is the transposed matrix times a column.
    let row = out.sizes()[rank - 2] == 1 && out.sizes()[rank - 1] != 1;
    let (left, right, out) = if row { (&transposed(right), &transposed(left), &transposed(out)) } else { (left, right, out) };
    if let Some(brain) = Brain::detect().filter(|_| dtype == DType::BF16 && right.sizes()[rank - 1] > 1) {
        return written::<bf16>([left, right], out, brain, blocked());
    }
    match_dtype!(dtype, T => multiply_in::<<T as ProductIn>::In>(left, right, out), else Err(unsupported("addmm_impl_cpu_", dtype)))
}

/// The same of windows, as [`Factors`] takes them, where no side of the result is 1. It is contiguous, of `f32` or of `f64`.
pub(super) fn multiply_windows(left: &RawTensor, right: &RawTensor, out: &RawTensor) -> Result<()> {
    match left.dtype() {
        DType::F32 => written::<f32>([left, right], out, (), blocked()),
        DType::F64 => written::<f64>([left, right], out, (), blocked()),
        // others: `reads_windows` said that there is no such way.
        dtype => Err(unsupported("addmm_impl_cpu_", dtype)),
    }
}

/// The same of complex numbers as their parts, side by side: [.., m, 2k], [.., k, 2n] and [.., m, 2n]. Each row of the right factor, whose parts
/// are neighbours, stands for itself and for itself times i.
pub(super) fn multiply_parts(left: &RawTensor, right: &RawTensor, out: &RawTensor) -> Result<()> {
    fn times_i<T: Neg<Output = T> + Copy>(row: &[T], to: &mut [T]) {
        for (to, &[re, im]) in to.as_chunks_mut().0.iter_mut().zip(row.as_chunks().0) {
            *to = [-im, re];
        }
    }
    match left.dtype() {
        DType::F32 => written::<f32>([left, right], out, (), (gemm::multiply_each, gemm::multiply, Some(times_i))),
        DType::F64 => written::<f64>([left, right], out, (), (gemm::multiply_each, gemm::multiply, Some(times_i))),
        // others: complex numbers are computed in one of these.
        dtype => Err(unsupported("addmm_impl_cpu_", dtype)),
    }
}

/// How products are computed: many of them, each stored by the thread that computes it; or all sums into a slice; and what makes every second
/// row of right factors.
type Ways<T> = (
    fn(&Factors<'_, T>, &mut Writer<'_, <T as Tiles>::Sum>) -> Result<bool>,
    fn(&Factors<'_, T>, &mut [<T as Tiles>::Sum]) -> Result<()>,
    Option<Turn<T>>,
);

/// By tiles and blocks.
fn blocked<T: Tiles>() -> Ways<T> {
    (gemm::multiply_each, gemm::multiply, None)
}

/// Leaves products to the other way.
fn never<T: Tiles>(_: &Factors<'_, T>, _: &mut Writer<'_, T::Sum>) -> Result<bool> {
    Ok(false)
}

/// Gives a function the elements of an output, which is held with the factors: its own memory, or room for some sums at a time.
fn written<T: Tiles>(
    [left, right]: [&RawTensor; 2],
    out: &RawTensor,
    means: T::Means,
    (multiply_each, multiply, turn): Ways<T>,
) -> Result<()> {
    let access = Access::lock(&[out.storage()], &[left.storage(), right.storage()])?;
    let read = [left, right];
    let mut writer = Writer::<T::Sum>::new(&access, out, T::Sum::DTYPE, &read)?;
    let (rank, dense) = (out.rank(), writer.is_dense());
    if dense || out.sizes()[rank - 2] * out.sizes()[rank - 1] <= WAITING {
        let factors = Factors::<T>::new(&access, left, right, means, turn)?;
        if multiply_each(&factors, &mut writer)? {
            return Ok(());
        }
    }
    if dense {
        let factors = Factors::<T>::new(&access, left, right, means, turn)?;
        return writer.pieces(Pieces::of(out.numel())).next().map_or(Ok(()), |mut whole| multiply(&factors, whole.room(0, out.numel())));
    }
    let mut sums = Workspace::<T::Sum>::new(out.numel().min(WAITING))?;
    let mut waiting = vec![[left.clone(), right.clone(), out.clone()]];
    while let Some(part) = waiting.pop() {
        let [left, right, out] = &part;
        let len = out.numel();
        if len > WAITING {
            waiting.extend(halves(&part));
            continue;
        }
        multiply(&Factors::<T>::new(&access, left, right, means, turn)?, &mut sums[..len])?;
        let sums = &sums[..len];
        let mut writer = Writer::<T::Sum>::new(&access, out, T::Sum::DTYPE, &read)?;
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
