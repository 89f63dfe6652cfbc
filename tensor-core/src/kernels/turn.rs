//! Moving a rectangle whose columns are contiguous into one whose rows are: four by four elements at a time, so that every load and
//! every store is of four neighbours, and each line of the cache is read once.
#![expect(unsafe_code, reason = "reads and writes elements at any alignment, through pointers whose ranges the block module proves")]

use super::transfer::{MovedRows, Transfer};
use crate::element::Native;

/// The side of the squares.
const SIDE: usize = 4;

/// How elements of that many bytes get from contiguous columns into contiguous rows, as they are.
pub(super) fn turn(itemsize: usize) -> Transfer {
    match itemsize {
        1 => turned::<u8>,
        2 => turned::<u16>,
        4 => turned::<u32>,
        8 => turned::<u64>,
        _ => turned::<u128>,
    }
}

/// Moves groups of that many neighbours: group `i` of line `j` of a matrix, whose lines begin `apart` elements from each other, becomes
/// group `i * across + j` of a panel. `counts` are lines and whole groups.
///
/// # Panics
/// Where the matrix or the panel is smaller.
pub(crate) fn panel<T: Native>((matrix, apart): (&[T], usize), counts: [usize; 2], group: usize, (to, across): (&mut [T], usize)) {
    let [lines, groups] = counts;
    if lines == 0 || groups == 0 {
        return;
    }
    assert!(lines <= across && (lines - 1) * apart + groups * group <= matrix.len() && ((groups - 1) * across + lines) * group <= to.len());
    let size = size_of::<T>();
    let (from, to) = (matrix.as_ptr().cast(), to.as_mut_ptr().cast());
    let rows = MovedRows { from, to, from_steps: [apart * size, group * size], to_steps: [group * size, across * group * size], counts };
    // SAFETY: all groups lie in the two slices, as was looked at, and elements of the same type stay what they are.
    unsafe { turn(group * size)(rows) }
}

/// # Safety
/// The invariant of [`Rows`]; the neighbours of a column lie next to each other in `from`, those of a row in `to`.
unsafe fn turned<T: Copy>(rows: MovedRows) {
    let MovedRows { from_steps: [across, _], to_steps: [_, down], counts: [columns, lines], .. } = rows;
    let (whole_columns, whole_lines) = (columns / SIDE * SIDE, lines / SIDE * SIDE);
    let from = |x: usize, y: usize| rows.from.wrapping_add(x.wrapping_mul(across)).cast::<T>().wrapping_add(y);
    let to = |x: usize, y: usize| rows.to.wrapping_add(y * down).cast::<T>().wrapping_add(x);
    // Bands of whole lines of the cache, so that what is written of a band stays in the first one until its rows are complete.
    let band = (64 / size_of::<T>()).max(SIDE);
    for first in (0..whole_lines).step_by(band) {
        let squares = band.min(whole_lines - first) / SIDE;
        for x in (0..whole_columns).step_by(SIDE) {
            let columns = [from(x, first), from(x + 1, first), from(x + 2, first), from(x + 3, first)];
            let corner = to(x, first);
            for y in (0..squares).map(|square| SIDE * square) {
                let [a, b, c, d] = columns;
                let below = [a.wrapping_add(y), b.wrapping_add(y), c.wrapping_add(y), d.wrapping_add(y)];
                // SAFETY: four neighbours of four columns and of four rows of the rectangle, by the invariant.
                unsafe { square(below, corner.wrapping_byte_add(y * down), down) };
            }
        }
    }
    let one = |x: usize, y: usize| {
        // SAFETY: an element of the rectangle, by the invariant.
        let element = unsafe { from(x, y).read_unaligned() };
        // SAFETY: as above.
        unsafe { to(x, y).write_unaligned(element) };
    };
    (whole_columns..columns).for_each(|x| (0..lines).for_each(|y| one(x, y)));
    (0..whole_columns).for_each(|x| (whole_lines..lines).for_each(|y| one(x, y)));
}

/// Moves four neighbours of each of four columns to four rows, which lie so far apart in bytes.
///
/// # Safety
/// They can be read and written there, at any alignment.
#[inline(always)]
unsafe fn square<T: Copy>(columns: [*const T; SIDE], corner: *mut T, down: usize) {
    let row = |j: usize| corner.wrapping_byte_add(j * down);
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if size_of::<T>() == 4 {
        use std::arch::x86_64::{_mm_loadu_si128, _mm_storeu_si128};
        // The compiler takes one element at a time: four times as many instructions, so that the processor sees less far ahead.
        // SAFETY: passed on: four elements have 16 bytes.
        let load = |column: usize| unsafe { _mm_loadu_si128(columns[column].cast()) };
        let columns = [load(0), load(1), load(2), load(3)];
        // SAFETY: every x86-64 has these instructions.
        let rows = unsafe { four_by_four(columns) };
        for j in 0..SIDE {
            // SAFETY: passed on.
            unsafe { _mm_storeu_si128(row(j).cast(), rows[j]) };
        }
        return;
    }
    // SAFETY: passed on.
    let load = |column: usize| unsafe { columns[column].cast::<[T; SIDE]>().read_unaligned() };
    let square = [load(0), load(1), load(2), load(3)];
    for j in 0..SIDE {
        let turned = [square[0][j], square[1][j], square[2][j], square[3][j]];
        // SAFETY: passed on.
        unsafe { row(j).cast::<[T; SIDE]>().write_unaligned(turned) };
    }
}

/// The rows of a square of elements of four bytes, of which there are the columns.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[target_feature(enable = "sse2")]
fn four_by_four([a, b, c, d]: [std::arch::x86_64::__m128i; SIDE]) -> [std::arch::x86_64::__m128i; SIDE] {
    use std::arch::x86_64::{_mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi32, _mm_unpacklo_epi64};
    let (ab, cd) = (_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d));
    let (below_ab, below_cd) = (_mm_unpackhi_epi32(a, b), _mm_unpackhi_epi32(c, d));
    let above = [_mm_unpacklo_epi64(ab, cd), _mm_unpackhi_epi64(ab, cd)];
    [above[0], above[1], _mm_unpacklo_epi64(below_ab, below_cd), _mm_unpackhi_epi64(below_ab, below_cd)]
}

#[cfg(test)]
mod tests {
    use half::bf16;

    use super::{MovedRows, panel, turn};

    #[test]
    fn rectangles_of_any_sides_are_turned() {
        for (columns, lines) in [(1, 1), (3, 5), (4, 4), (7, 9), (32, 64), (5, 4)] {
            // Columns lie 100 elements apart, rows 70.
            let source: Vec<u16> = (0..100 * columns as u16).collect();
            let mut target = vec![u16::MAX; 70 * lines];
            let (from, to) = (source.as_ptr().cast(), target.as_mut_ptr().cast());
            let rows = MovedRows { from, to, from_steps: [200, 2], to_steps: [2, 140], counts: [columns, lines] };
            // SAFETY: both rectangles lie in their vectors.
            unsafe { turn(2)(rows) };
            for (i, &found) in target.iter().enumerate() {
                let (x, y) = (i % 70, i / 70);
                let expected = if x < columns { source[100 * x + y] } else { u16::MAX };
                assert_eq!(found, expected, "{columns} by {lines}: element {i}");
            }
        }
    }

    #[test]
    fn elements_of_four_bytes_are_turned_as_others() {
        for (columns, lines) in [(4, 4), (5, 9), (32, 64), (8, 19)] {
            let source: Vec<u32> = (0..100 * columns as u32).map(|number| number.wrapping_mul(0x9E37_79B9)).collect();
            let mut target = vec![u32::MAX; 70 * lines];
            let (from, to) = (source.as_ptr().cast(), target.as_mut_ptr().cast());
            let rows = MovedRows { from, to, from_steps: [400, 4], to_steps: [4, 280], counts: [columns, lines] };
            // SAFETY: both rectangles lie in their vectors.
            unsafe { turn(4)(rows) };
            for (i, &found) in target.iter().enumerate() {
                let (x, y) = (i % 70, i / 70);
                assert_eq!(found, if x < columns { source[100 * x + y] } else { u32::MAX }, "{columns} by {lines}: element {i}");
            }
        }
    }

    #[test]
    fn panels_hold_groups_of_each_line_side_by_side() {
        for (lines, groups, group) in [(1, 1, 2), (8, 9, 2), (5, 4, 1), (4, 7, 2)] {
            let (apart, across) = (groups * group + 3, 8);
            let matrix: Vec<bf16> = (0..lines * apart).map(|number| bf16::from_bits(number as u16)).collect();
            let mut to = vec![bf16::MAX; across * groups * group];
            panel((&matrix, apart), [lines, groups], group, (&mut to, across));
            for (i, &found) in to.iter().enumerate() {
                let (at, line, inside) = (i / group / across, i / group % across, i % group);
                let expected = if line < lines { matrix[line * apart + at * group + inside] } else { bf16::MAX };
                assert_eq!(found, expected, "{lines} lines of {groups} groups of {group}: element {i}");
            }
        }
    }
}
