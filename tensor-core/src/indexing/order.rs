//! The order of the elements of a row. Elements become keys, whole numbers that compare as they do, and each key gets the place of its element
//! below it: so all are different, and any way to sort them keeps equal elements in their order.
//!
//! Long rows are first dealt out by the highest bits in which keys differ; then what lies together is sorted, by threads.

use crate::error::Result;
use crate::kernels::level::{Job, vectorised};
use crate::kernels::parts::{collect, hand_out};
use crate::reduce::extremes::Ordered;
use crate::room::{filled, listed, room};

/// Which elements come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The smallest.
    #[default]
    Ascending,
    /// The largest: PyTorch's `descending=True`.
    Descending,
}

/// Elements from which on a row is dealt out.
const LONG: usize = 1 << 13;
/// Bits that it is dealt out by: as many heaps as the processor can write to side by side.
const DEALT: u32 = 10;
/// Elements that are looked at together when the first ones of a row are sought.
const LOOKED_AT: usize = 32;
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
trait PlacedKey: Copy + Ord + Send + Sync {
    fn pack(key: u64, place: usize, shift: u32) -> Self;
    /// The place, and what is left of the key.
    fn unpack(self, shift: u32) -> (u64, usize);
}

macro_rules! packed {
    ($($T:ident)*) => { $(
        #[expect(clippy::cast_possible_truncation, reason = "places have fewer bits than `shift`, and keys fit above them")]
        impl PlacedKey for $T {
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

fn by_keys<P: PlacedKey, T: Keyed>(row: &[T], order: Order, bits: u32, places: &mut [i64]) -> Result<()> {
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

/// Looks for the first elements of rows in an order; what it needs for one row serves the next.
pub(super) struct FirstInOrder {
    /// Keys and places of those that came first so far, and of some that may.
    best: Vec<(u64, usize)>,
    /// When it has that many, all but the first are thrown away.
    most: usize,
    count: usize,
}

impl FirstInOrder {
    /// For that many elements of rows of that size.
    ///
    /// # Errors
    /// Where there is no memory for them.
    pub(super) fn new(count: usize, size: usize) -> Result<Self> {
        let most = count.saturating_mul(4).max(64).min(size);
        Ok(Self { best: room(most)?, most, count })
    }

    /// Writes the places of the first elements of a row.
    pub(super) fn places<T: Keyed>(&mut self, row: &[T], order: Order, places: &mut [i64]) {
        if self.count == 0 {
            return;
        }
        self.best.clear();
        // The last of the first ones so far: an element with its key comes too late.
        let mut last: Option<(u64, T)> = None;
        let mut at = 0;
        while at < row.len() {
            if let Some((_, last)) = last {
                at += vectorised(Passed { row: &row[at..], last, order });
            }
            let run = &row[at..row.len().min(at + LOOKED_AT)];
            for (&x, place) in run.iter().zip(at..) {
                if last.is_some_and(|(_, last)| is_behind(x, last, order)) {
                    continue;
                }
                let key = key(x, order);
                if last.is_some_and(|(last, _)| key >= last) {
                    continue;
                }
                self.best.push((key, place));
                if self.best.len() == self.most && self.most > self.count {
                    self.cut();
                    last = self.best.last().map(|&(key, place)| (key, row[place]));
                }
            }
            at += run.len();
        }
        self.cut();
        self.best.sort_unstable();
        places.iter_mut().zip(&self.best).for_each(|(to, (_, place))| *to = place.cast_signed() as i64);
    }

    /// Keeps the first ones, of which the last stands last.
    fn cut(&mut self) {
        if self.best.len() > self.count {
            self.best.select_nth_unstable(self.count - 1);
            self.best.truncate(self.count);
        }
    }
}

/// Whether an element, or one that is equal to it, comes after another one. Of a NaN only its key says it.
#[inline(always)]
fn is_behind<T: Keyed>(x: T, last: T, order: Order) -> bool {
    match order {
        Order::Ascending => x >= last,
        Order::Descending => x <= last,
    }
}

/// How many elements at the beginning of a row, in whole runs, come after another element: none of these need be looked at one by one.
struct Passed<'a, T> {
    row: &'a [T],
    last: T,
    order: Order,
}

impl<T: Keyed> Job for Passed<'_, T> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let Self { row, last, order } = self;
        let (runs, _) = row.as_chunks::<LOOKED_AT>();
        for (number, run) in runs.iter().enumerate() {
            let mut all = true;
            for &x in run {
                all &= is_behind(x, last, order);
            }
            if !all {
                return number * LOOKED_AT;
            }
        }
        runs.len() * LOOKED_AT
    }
}
