//! Where numbers stand among others in order, on the host: by halves, for several numbers at a time, so that no look waits for the one before it.

use latten_spec::{DType, promote_types};

use super::{BLOCK, PART, dense, each_block, reader};
use crate::element::unsupported;
use crate::error::Result;
use crate::kernels::block::{Pieces, Writer};
use crate::kernels::parts::hand_out;
use crate::match_dtype;
use crate::raw::RawTensor;
use crate::reduce::extremes::{CompareIn, Ordered};
use crate::room::filled;
use crate::storage::Access;

/// A row of bounds is shorter.
pub(crate) const TOO_MANY_BOUNDS: usize = 1 << 31;
/// Numbers that are looked for side by side.
const TOGETHER: usize = 8;

/// How many of the bounds in a row come before each number; those that are equal, too, where `right` says so. The bounds are one row for all
/// numbers, or one for each row of these, and fewer than [`TOO_MANY_BOUNDS`]. A NaN comes after all numbers.
///
/// # Errors
/// For dtypes that nothing is computed in, and where there is no memory.
pub(crate) fn count_before(bounds: &RawTensor, values: &RawTensor, right: bool) -> Result<RawTensor> {
    let common = promote_types(bounds.dtype(), values.dtype())?;
    let (bounds, values) = (bounds.to_dtype(common)?, values.to_dtype(common)?);
    match_dtype!(common, T => search::<<T as CompareIn>::In>(&bounds, &values, right), else Err(unsupported("searchsorted_out_cpu", common)))
}

fn search<T: Ordered>(bounds: &RawTensor, values: &RawTensor, right: bool) -> Result<RawTensor> {
    let out = dense(values.sizes(), DType::I64, values)?;
    let size = bounds.sizes().last().copied().unwrap_or(1);
    if out.numel() == 0 || size == 0 {
        return out.zero_().map(|()| out);
    }
    let each = if bounds.rank() > 1 { values.sizes().last().copied().unwrap_or(1) } else { usize::MAX };
    let access = Access::lock(&[out.storage()], &[bounds.storage(), values.storage()])?;
    let mut known = filled(bounds.numel(), T::default())?;
    each_block(&reader::<T>(&access, bounds)?, 0..bounds.numel(), &mut |first, block| known[first..][..block.len()].copy_from_slice(block));
    let values = &reader::<T>(&access, values)?;
    let mut writer = Writer::<i64>::new(&access, &out, DType::I64, &[])?;
    hand_out(&mut writer.pieces(Pieces { group: each, each: PART / 8 }), &|_, mut piece| {
        let (first, len) = (piece.first(), piece.len());
        let row = &known[first / each * size..][..size];
        for at in (0..len).step_by(BLOCK) {
            let some = BLOCK.min(len - at);
            let mut scratch = [T::default(); BLOCK];
            let (numbers, places) = (values.read(first + at, some, &mut scratch), piece.room(at, some));
            for (numbers, places) in numbers.chunks(TOGETHER).zip(places.chunks_mut(TOGETHER)) {
                let mut looked = [T::default(); TOGETHER];
                looked[..numbers.len()].copy_from_slice(numbers);
                places.copy_from_slice(&counted(row, looked, right)[..places.len()]);
            }
            piece.put(at, some);
        }
    });
    drop(access);
    Ok(out)
}

/// The looks of PyTorch's search, which decide where a row isn't in order: first all bounds are fetched, then all are compared, without a branch.
#[inline(always)]
fn counted<T: Ordered>(row: &[T], numbers: [T; TOGETHER], right: bool) -> [i64; TOGETHER] {
    // As narrow as elements are, so that all of it is vectors; `TOO_MANY_BOUNDS` says that sums don't overflow.
    let (mut start, mut end) = ([0; TOGETHER], [row.len() as u32; TOGETHER]);
    for _ in 0..=row.len().ilog2() {
        let mut bounds = [T::default(); TOGETHER];
        for at in 0..TOGETHER {
            bounds[at] = row[((start[at] + end[at]) as usize / 2).min(row.len() - 1)];
        }
        for at in 0..TOGETHER {
            let middle = (start[at] + end[at]) / 2;
            let reached = if right { bounds[at] > numbers[at] } else { bounds[at] >= numbers[at] };
            let before = if !reached & (start[at] < end[at]) { u32::MAX } else { 0 };
            start[at] = ((middle + 1) & before) | (start[at] & !before);
            end[at] = (end[at] & before) | (middle & !before);
        }
    }
    start.map(i64::from)
}
