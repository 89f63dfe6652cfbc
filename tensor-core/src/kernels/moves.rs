//! Conversions one after the other, by which the elements of a block get from one dtype to another.
#![expect(unsafe_code, reason = "calls transfers on regions of scratch")]

use latten_spec::DType;
use smallvec::SmallVec;

use super::transfer::{MovedRows, Transfer, transfer};
use crate::element::unsupported;
use crate::error::Result;

/// The conversions between dtypes that elements pass through.
pub(super) type Moves = SmallVec<[(Transfer, DType); 3]>;

pub(super) fn conversion(from: DType, to: DType) -> Result<Transfer> {
    transfer(from, to).ok_or_else(|| unsupported("copy_kernel", from))
}

/// The conversions along a list of dtypes; neighbours that are equal need none.
pub(super) fn moves(dtypes: &[DType]) -> Result<Moves> {
    if dtypes.iter().all(|dtype| *dtype == dtypes[0]) {
        return Ok(Moves::new());
    }
    dtypes.windows(2).filter(|two| two[0] != two[1]).map(|two| Ok((conversion(two[0], two[1])?, two[1]))).collect()
}

/// Converts a block, whose elements lie next to each other in a region or in a lane, into a region.
pub(super) fn convert(transfer: Transfer, [before, after]: [DType; 2], from: *mut u8, to: *mut u8, len: usize) {
    let rows = MovedRows { from, to, from_steps: [before.itemsize(), 0], to_steps: [after.itemsize(), 0], counts: [len, 1] };
    // SAFETY: a block of a lane or of a region, and another region, with room for one.
    unsafe { transfer(rows) }
}

/// Bytes that are copied at a time of what is already filled: as many as stay in the nearest cache.
const FILLED: usize = 8 << 10;

/// Elements of a row that are converted one by one, before the rest is filled with them: fewer cost less than calls that copy some bytes.
const FIRST: usize = 64;

/// Moves rows whose converted elements have that size. Of a long row that is one element again and again the first ones are converted, and
/// the others are copies of those.
///
/// # Safety
/// The invariant of [`MovedRows`].
pub(super) unsafe fn moved(transfer: Transfer, size: usize, rows: MovedRows) {
    let [len, count] = rows.counts;
    if rows.from_steps[0] != 0 || rows.to_steps[0] != size || len < 4 * FIRST {
        // SAFETY: passed on.
        return unsafe { transfer(rows) };
    }
    // SAFETY: the first elements of the rows are some of them.
    unsafe { transfer(MovedRows { counts: [FIRST, count], ..rows }) };
    for row in 0..count {
        let (to, bytes) = (rows.to.wrapping_add(row * rows.to_steps[1]), len * size);
        let mut filled = FIRST * size;
        while filled < bytes {
            let some = filled.min(bytes - filled).min(FILLED);
            // SAFETY: bytes of one row, of which so many are filled and so many aren't.
            unsafe { std::ptr::copy_nonoverlapping(to.cast_const(), to.wrapping_add(filled), some) };
            filled += some;
        }
    }
}
