//! Short rows in order: for each element those are counted that come before it, many at a time.

use super::order::{Keyed, Order, key};
use crate::kernels::level::{Job, vectorised};

/// The most elements of a short row.
pub(super) const SHORT: usize = 32;
/// Of shorter ones half as many are compared at a time.
const HALF: usize = SHORT / 2;

/// Rows of at most [`SHORT`] elements, and where the first of them go in order, with their places.
pub(super) struct RankedRows<'a, T> {
    pub(super) elements: &'a [T],
    /// Of a row, and how many of them are wanted.
    pub(super) sizes: [usize; 2],
    pub(super) order: Order,
    pub(super) values: &'a mut [T],
    pub(super) places: &'a mut [i64],
}

impl<T: Keyed> RankedRows<'_, T> {
    /// Puts them in order.
    pub(super) fn sort(self) {
        if self.sizes[0] > HALF { vectorised(Sorted::<T, SHORT>(self)) } else { vectorised(Sorted::<T, HALF>(self)) }
    }
}

struct Sorted<'a, T, const LANES: usize>(RankedRows<'a, T>);

impl<T: Keyed, const LANES: usize> Job for Sorted<'_, T, LANES> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let RankedRows { elements, sizes: [size, count], order, values, places } = self.0;
        let lanes: [i64; LANES] = std::array::from_fn(|lane| lane.cast_signed() as i64);
        let rows = elements.chunks_exact(size).zip(values.chunks_exact_mut(count)).zip(places.chunks_exact_mut(count));
        for ((row, values), places) in rows {
            let (mut keys, mut ranks) = ([i64::MAX; LANES], [0_i64; LANES]);
            for (to, &x) in keys.iter_mut().zip(row) {
                *to = (key(x, order) ^ 1 << 63).cast_signed();
            }
            for (one, &own) in keys.iter().enumerate().take(size) {
                let own_place = one.cast_signed() as i64;
                for at in 0..LANES {
                    // Equal ones stay in their order. No branches: these are vectors.
                    ranks[at] += i64::from((own < keys[at]) | ((own == keys[at]) & (own_place < lanes[at])));
                }
            }
            let mut found = [0_i64; LANES];
            for (at, &rank) in ranks.iter().enumerate().take(size) {
                found[super::usize_of(rank) % LANES] = at.cast_signed() as i64;
            }
            for ((to, place), &at) in values.iter_mut().zip(places).zip(&found) {
                (*to, *place) = (row[super::usize_of(at)], at);
            }
        }
    }
}
