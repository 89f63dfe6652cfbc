//! The order of the elements of a row. Elements become keys, whole numbers that compare as they do, and each key gets the place of its element
//! below it: so all are different, and any way to sort them keeps equal elements in their order.
//!
//! Long rows are first dealt out by the highest bits in which keys differ; then what lies together is sorted, by threads.

use super::sort::Order;
use crate::error::Result;
use crate::kernels::parts::{collect, hand_out};
use crate::reduce::extremes::Ordered;
use crate::room::{filled, listed, room};

/// Elements from which on a row is dealt out.
const LONG: usize = 1 << 13;
/// Bits that it is dealt out by: as many heaps as the processor can write to side by side.
const DEALT: u32 = 10;
/// Elements of one thread's part.
const PART: usize = 1 << 16;

/// A number that is sorted.
pub(super) trait Keyed: Ordered {
    /// A whole number that compares with others as the element does: NaN is the largest, and the two zeros are one.
    fn key(self) -> u64;
}

impl Keyed for i64 {
    #[inline(always)]
    fn key(self) -> u64 {
        self.cast_unsigned() ^ (1 << 63)
    }
}

macro_rules! keyed_floats {
    ($($T:ident $bits:literal;)*) => { $(
        impl Keyed for $T {
            #[inline(always)]
            fn key(self) -> u64 {
                // The sum makes one zero of both.
                let bits = (self + 0.0).to_bits();
                let sign = bits >> ($bits - 1);
                // Negative numbers turned around, the others above them.
                let key = bits ^ (sign.wrapping_neg() | 1 << ($bits - 1));
                (if self.is_nan() { !0 } else { key }).into()
            }
        }
    )* };
}

keyed_floats! { f32 32; f64 64; }

/// The key of an element, so that keys ascend in the order.
#[inline(always)]
fn key<T: Keyed>(element: T, order: Order) -> u64 {
    match order {
        Order::Ascending => element.key(),
        Order::Descending => !element.key(),
    }
}

/// A key above a place.
trait Packed: Copy + Ord + Send + Sync {
    fn pack(key: u64, place: usize, shift: u32) -> Self;
    /// The place, and what is left of the key.
    fn unpack(self, shift: u32) -> (u64, usize);
}

macro_rules! packed {
    ($($T:ident)*) => { $(
        #[expect(clippy::cast_possible_truncation, reason = "places have fewer bits than `shift`, and keys fit above them")]
        impl Packed for $T {
            #[inline(always)]
            fn pack(key: u64, place: usize, shift: u32) -> Self {
                (key as Self) << shift | place as Self
            }

            #[inline(always)]
            fn unpack(self, shift: u32) -> (u64, usize) {
                ((self >> shift) as u64, (self & ((1 << shift) - 1)) as usize)
            }
        }
    )* };
}

packed! { u64 u128 }

/// How many low bits of the keys of a row differ between elements.
fn differing<T: Keyed>(row: &[T]) -> u32 {
    let Some(first) = row.first().map(|x| x.key()) else { return 0 };
    let of = |some: &[T]| some.iter().fold(0, |differing, x| differing | (x.key() ^ first));
    let all = collect(row.len().div_ceil(PART), &|part| of(&row[part * PART..row.len().min((part + 1) * PART)]));
    u64::BITS - all.into_iter().fold(0, |all, some| all | some).leading_zeros()
}

/// The bits that places of that many elements have.
fn bits_of(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

/// Writes the places of a row's elements in their order; equal elements stay in theirs.
///
/// # Errors
/// Where there is no memory for the keys.
pub(super) fn sorted_places<T: Keyed>(row: &[T], order: Order, places: &mut [i64]) -> Result<()> {
    let (bits, shift) = (differing(row), bits_of(row.len()));
    if bits == 0 {
        places.iter_mut().zip(0..).for_each(|(to, place)| *to = place);
        return Ok(());
    }
    if bits + shift <= u64::BITS { by_keys::<u64, T>(row, order, bits, places) } else { by_keys::<u128, T>(row, order, bits, places) }
}

fn by_keys<P: Packed, T: Keyed>(row: &[T], order: Order, bits: u32, places: &mut [i64]) -> Result<()> {
    let (shift, kept) = (bits_of(row.len()), u64::MAX >> (u64::BITS - bits));
    let packed = |(place, &x): (usize, &T)| P::pack(key(x, order) & kept, place, shift);
    let mut all: Vec<P>;
    if row.len() < LONG {
        all = listed(row.iter().enumerate().map(packed))?;
        all.sort_unstable();
    } else {
        let below = bits.saturating_sub(DEALT);
        let heap = |x: &T| usize::try_from((key(*x, order) & kept) >> below).unwrap_or(0);
        let mut next = vec![0; 1 << DEALT];
        row.iter().for_each(|x| next[heap(x)] += 1);
        let mut sum = 0;
        for next in &mut next {
            (*next, sum) = (sum, sum + *next);
        }
        all = filled(row.len(), P::pack(0, 0, shift))?;
        for (place, x) in row.iter().enumerate() {
            let next = &mut next[heap(x)];
            all[*next] = packed((place, x));
            *next += 1;
        }
        // Each heap ends where the next one began.
        let (mut rest, mut start, mut heaps) = (&mut all[..], 0, Vec::with_capacity(1 << DEALT));
        for end in next {
            let (heap, others) = rest.split_at_mut(end - start);
            heaps.push(heap);
            (rest, start) = (others, end);
        }
        if below > 0 {
            hand_out(&mut heaps.into_iter().filter(|heap| heap.len() > 1), &|_, heap| heap.sort_unstable());
        }
    }
    hand_out(&mut places.chunks_mut(PART).zip(all.chunks(PART)), &|_, (places, packed)| {
        places.iter_mut().zip(packed).for_each(|(to, packed)| *to = packed.unpack(shift).1.cast_signed() as i64);
    });
    Ok(())
}

/// Writes the places of the first elements of a row in its order, as many as there is room for.
///
/// # Errors
/// Where there is no memory for them.
pub(super) fn first_places<T: Keyed>(row: &[T], order: Order, places: &mut [i64]) -> Result<()> {
    const RUN: usize = 64;
    let count = places.len();
    if count == 0 {
        return Ok(());
    }
    let most = count.saturating_mul(2).max(1024).min(row.len());
    let mut best: Vec<(u64, usize)> = room(most)?;
    // The key that others must be below; an equal one comes too late.
    let mut limit = u64::MAX;
    let mut full = false;
    for (run, first) in row.chunks(RUN).zip((0..).step_by(RUN)) {
        // The whole run first: that loop is vector code.
        if full && !run.iter().fold(false, |any, &x| any | (key(x, order) < limit)) {
            continue;
        }
        for (&x, place) in run.iter().zip(first..) {
            let key = key(x, order);
            if full && key >= limit {
                continue;
            }
            if best.len() == most && most > count {
                best.select_nth_unstable(count - 1);
                best.truncate(count);
                (full, limit) = (true, best[count - 1].0);
                if key >= limit {
                    continue;
                }
            }
            best.push((key, place));
        }
    }
    if best.len() > count {
        best.select_nth_unstable(count - 1);
        best.truncate(count);
    }
    best.sort_unstable();
    places.iter_mut().zip(best).for_each(|(to, (_, place))| *to = place.cast_signed() as i64);
    Ok(())
}
