//! Moving a rectangle whose columns are contiguous into one whose rows are: four by four elements at a time, so that every load and
//! every store is of four neighbours, and each line of the cache is read once.
#![expect(unsafe_code, reason = "reads and writes elements at any alignment, through pointers whose ranges the block module proves")]

use std::array::from_fn;

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
    for x in (0..whole_columns).step_by(SIDE) {
        for y in (0..whole_lines).step_by(SIDE) {
            // SAFETY: four neighbours of a column of the rectangle, by the invariant.
            let square: [[T; SIDE]; SIDE] = from_fn(|i| unsafe { from(x + i, y).cast::<[T; SIDE]>().read_unaligned() });
            let turned: [[T; SIDE]; SIDE] = from_fn(|j| from_fn(|i| square[i][j]));
            for (j, row) in turned.into_iter().enumerate() {
                // SAFETY: four neighbours of a row of the rectangle, by the invariant.
                unsafe { to(x, y + j).cast::<[T; SIDE]>().write_unaligned(row) };
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
