//! What is done to many columns alike: to some of them at once, and by all threads where there is much to do. What comes out doesn't depend on
//! who did it: each column is computed by itself.

use super::number::MatrixNumber;
use crate::kernels::parts::hand_out;

/// Columns that are changed at once: whole tiles of products, whose rows they are.
pub(super) const GROUP: usize = 24;

/// A change of columns, of each like of any other.
pub(super) trait Change<N>: Sync {
    /// How many operations it takes for a number.
    fn effort(&self) -> usize;
    /// Changes some columns of so many rows. The first of them has that number.
    fn change(&self, first: usize, columns: &mut [N], rows: usize);
}

/// From so many operations on, threads share them.
const SHARED: usize = 1 << 20;

/// Changes columns of so many rows, one behind the other.
pub(super) fn change_all<N: MatrixNumber>(numbers: &mut [N], rows: usize, change: &impl Change<N>) {
    if rows == 0 {
        return;
    }
    let shared = numbers.len() * change.effort() >= SHARED;
    let mut groups = numbers.chunks_mut(GROUP * rows);
    if shared {
        hand_out(&mut groups, &|at, group| change.change(at * GROUP, group, rows));
    } else {
        groups.enumerate().for_each(|(at, group)| change.change(at * GROUP, group, rows));
    }
}
