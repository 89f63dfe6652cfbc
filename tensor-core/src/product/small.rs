//! The product of two small matrices: a tile at a time, read through their strides, without blocks, walks and threads. Each element is the
//! sum that `gemm` makes, in the same order.

use super::factors::{Corner, Factor, Panel, ProductIn, StepPlaces, Tiles, panel_tile};
use crate::device::DeviceType;
use crate::error::Result;
use crate::geometry::{Dims, Geometry};
use crate::kernels::block::{Neighbours, fresh_slice};
use crate::kernels::level::{Job, vectorised};
use crate::match_dtype;
use crate::raw::RawTensor;
use crate::storage::{Access, Fresh};

/// Rows, steps and columns that are few.
const FEW: usize = 32;
/// Rows of a tile.
const ROWS: usize = 4;
/// Columns of a tile.
const COLUMNS: usize = 8;

/// The product in a new tensor, where it is one of two small matrices whose dtype is computed in. All was checked.
pub(super) fn multiply(left: &RawTensor, right: &RawTensor) -> Result<Option<RawTensor>> {
    let (&[m, k], &[_, n]) = (left.sizes(), right.sizes()) else { return Ok(None) };
    // A row or a column is summed in lanes: `vector`.
    let (several, few) = (2..=FEW, 1..=FEW);
    if !several.contains(&m) || !several.contains(&n) || !few.contains(&k) || left.device().kind() != DeviceType::Cpu {
        return Ok(None);
    }
    match_dtype!(left.dtype(), T => multiply_in::<<T as ProductIn>::In>(left, right, [m, k, n]), else Ok(None))
}

fn multiply_in<T: Factor + Tiles>(left: &RawTensor, right: &RawTensor, sizes: [usize; 3]) -> Result<Option<RawTensor>> {
    if left.dtype != T::DTYPE {
        return Ok(None);
    }
    let [m, _, n] = sizes;
    let mut memory = Fresh::new(m * n * size_of::<T>())?;
    let access = Access::lock_briefly(&[], &[&left.storage, &right.storage])?;
    let (Some(lhs), Some(rhs)) = (row(&access, left)?, row(&access, right)?) else { return Ok(None) };
    let (Some(lhs), Some(rhs), Some(out)) = (Matrix::<T>::of(&lhs, left), Matrix::of(&rhs, right), fresh_slice(&mut memory, m * n)) else {
        return Ok(None);
    };
    vectorised(SmallProduct { sizes, left: lhs, right: rhs, out });
    drop(access);
    let geometry = Geometry { sizes: Dims::from_slice(&[m, n]), strides: Dims::from_slice(&[n, 1]), offset: 0 };
    Ok(Some(RawTensor { storage: memory.into_storage(), dtype: T::DTYPE, geometry, history: None }))
}

/// All that lies between the first and the last element of a matrix.
fn row<'a>(access: &'a Access<'_>, matrix: &RawTensor) -> Result<Option<Neighbours<'a>>> {
    let dims = matrix.sizes().iter().zip(matrix.strides());
    let last = dims.fold(0_usize, |last, (&size, &stride)| last.saturating_add((size - 1).saturating_mul(stride)));
    Neighbours::new(access, &matrix.storage, matrix.dtype, last.saturating_add(1), matrix.geometry.offset)
}

/// A matrix where it lies.
struct Matrix<'a, T> {
    elements: &'a [T],
    /// How far apart its rows and its columns are.
    strides: [usize; 2],
}

impl<'a, T: Factor> Matrix<'a, T> {
    fn of(row: &'a Neighbours<'_>, matrix: &RawTensor) -> Option<Self> {
        let &[down, across] = matrix.strides().as_slice() else { return None };
        Some(Self { elements: row.slice()?, strides: [down, across] })
    }

    #[inline(always)]
    fn at(&self, row: usize, column: usize) -> T {
        self.elements[row * self.strides[0] + column * self.strides[1]]
    }
}

/// Two matrices, and where their product goes.
struct SmallProduct<'a, T> {
    sizes: [usize; 3],
    left: Matrix<'a, T>,
    right: Matrix<'a, T>,
    out: &'a mut [T],
}

impl<T: Factor> Job for SmallProduct<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { sizes: [m, k, n], left, right, out } = self;
        let mut column = 0;
        while column < n {
            let columns = COLUMNS.min(n - column);
            let mut packed;
            let panel = if right.strides[1] == 1 && columns == COLUMNS {
                (&right.elements[column..], right.strides[0])
            } else {
                packed = [T::default(); FEW * COLUMNS];
                for (step, to) in packed.as_chunks_mut::<COLUMNS>().0.iter_mut().enumerate().take(k) {
                    to.iter_mut().enumerate().take(columns).for_each(|(at, to)| *to = right.at(step, column + at));
                }
                (&packed[..], COLUMNS)
            };
            let mut row = 0;
            while row < m {
                let rows = ROWS.min(m - row);
                let mut packed;
                let lines = if left.strides[1] == 1 {
                    (&left.elements[row * left.strides[0]..], left.strides[0])
                } else {
                    packed = [T::default(); ROWS * FEW];
                    for (line, to) in packed.chunks_exact_mut(FEW).enumerate().take(rows) {
                        to.iter_mut().enumerate().take(k).for_each(|(step, to)| *to = left.at(row + line, step));
                    }
                    (&packed[..], FEW)
                };
                let corner = Corner { out: &mut out[row * n + column..], stride: n, rows, columns, first: true };
                let (elements, apart) = panel;
                panel_tile::<T, ROWS, COLUMNS>(lines, k, Panel { elements, steps: StepPlaces::Apart(apart) }, corner);
                row += ROWS;
            }
            column += COLUMNS;
        }
    }
}
