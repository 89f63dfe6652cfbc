//! The order of the elements of a row. Elements become keys, whole numbers that compare as they do, and each key gets the place of its element
//! below it: so all are different, and any way to sort them keeps equal elements in their order.
//!
//! Long rows are first dealt out by the highest bits in which keys differ; then what lies together is sorted, by digits or by comparisons. Threads share both.

use super::usize_of;
use crate::error::Result;
use crate::kernels::level::{Job, vectorised};
use crate::kernels::parts::{collect, hand_out};
use crate::reduce::extremes::Ordered;
use crate::room::{filled, listed, room};
use crate::storage::Workspace;

/// Which elements come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The smallest.
    #[default]
    Ascending,
    /// The largest: PyTorch's `descending=True`.
    Descending,
}

/// PyTorch's `descending`.
impl From<bool> for Order {
    fn from(descending: bool) -> Self {
        if descending { Self::Descending } else { Self::Ascending }
    }
}

/// Elements from which on a row is dealt out.
const LONG: usize = 1 << 13;
/// Bits that it is dealt out by: as many heaps as the processor can write to side by side.
const DEALT: u32 = 10;
/// Elements that are looked at together when the first ones of a row are sought.
const LOOKED_AT: usize = 32;
/// Elements of one thread's part.
const PART: usize = 1 << 16;
/// The most parts in which a row is dealt out.
const PARTS: usize = 8;
/// Bits of a digit, by which heaps of that many elements and more are sorted.
const DIGIT: u32 = 8;
const DIGITS: u64 = (1 << DIGIT) - 1;
const MANY: usize = 64;

/// A number that is sorted.
pub(super) trait Keyed: Ordered {
    /// A whole number that compares with others as the element does: NaN is the largest, and the two zeros are one.
    fn key(self) -> u64;

    /// The element with a key, where there is only one: that of a float doesn't say which zero or NaN it was.
    #[inline(always)]
    fn of_key(_: u64) -> Option<Self> {
        None
    }
}

impl Keyed for i64 {
    #[inline(always)]
    fn key(self) -> u64 {
        self.cast_unsigned() ^ (1 << 63)
    }

    #[inline(always)]
    fn of_key(key: u64) -> Option<Self> {
        Some((key ^ (1 << 63)).cast_signed())
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
pub(super) fn key<T: Keyed>(element: T, order: Order) -> u64 {
    match order {
        Order::Ascending => element.key(),
        Order::Descending => !element.key(),
    }
}

/// A key and a place, where the order of the keys comes first.
trait PlacedKey: Copy + Send + Sync + 'static {
    /// Words of memory that one takes.
    const WORDS: usize;
    type Ordered: Ord;

    fn of(words: &mut [i64]) -> &mut [Self];
    fn pack(key: u64, place: usize, shift: u32) -> Self;
    fn key(self, shift: u32) -> u64;
    fn place(self, shift: u32) -> usize;
    /// What compares as both do.
    fn ordered(self) -> Self::Ordered;
}

/// The key above the place, of which both together have fewer bits than a word.
impl PlacedKey for i64 {
    const WORDS: usize = 1;
    type Ordered = Self;

    fn of(words: &mut [i64]) -> &mut [Self] {
        words
    }

    #[inline(always)]
    fn pack(key: u64, place: usize, shift: u32) -> Self {
        (key << shift | place as u64).cast_signed()
    }

    #[inline(always)]
    fn key(self, shift: u32) -> u64 {
        self.cast_unsigned() >> shift
    }

    #[inline(always)]
    fn place(self, shift: u32) -> usize {
        usize_of(self & ((1 << shift) - 1))
    }

    #[inline(always)]
    fn ordered(self) -> Self {
        self
    }
}

/// The key before the place.
impl PlacedKey for [i64; 2] {
    const WORDS: usize = 2;
    type Ordered = (u64, i64);

    fn of(words: &mut [i64]) -> &mut [Self] {
        words.as_chunks_mut().0
    }

    #[inline(always)]
    fn pack(key: u64, place: usize, _: u32) -> Self {
        [key.cast_signed(), place.cast_signed() as i64]
    }

    #[inline(always)]
    fn key(self, _: u32) -> u64 {
        self[0].cast_unsigned()
    }

    #[inline(always)]
    fn place(self, _: u32) -> usize {
        usize_of(self[1])
    }

    #[inline(always)]
    fn ordered(self) -> (u64, i64) {
        (self[0].cast_unsigned(), self[1])
    }
}

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

/// Writes the places of elements from a number on, where they are numbered in their order, and some of these elements.
pub(super) type Ranks<'a, T> = &'a (dyn Fn(usize, &mut [i64], &mut [T]) + Sync);

/// Writes the places of a row's elements in their order; equal elements stay in theirs.
///
/// # Errors
/// Where there is no memory for the keys.
pub(super) fn sorted_places<T: Keyed>(row: &[T], order: Order, places: &mut [i64]) -> Result<()> {
    in_order(row, order, &mut |ranks| hand_out(&mut places.chunks_mut(PART), &|part, places| ranks(part * PART, places, &mut [])))
}

/// Puts a row's elements in order, equal ones in theirs, and gives a function what says which they are, and where.
///
/// # Errors
/// Where there is no memory for the keys.
pub(super) fn in_order<T: Keyed>(row: &[T], order: Order, then: &mut dyn FnMut(Ranks<'_, T>)) -> Result<()> {
    let (bits, shift) = (differing(row), bits_of(row.len()));
    if bits == 0 {
        then(&|first, places, elements| {
            places.iter_mut().zip(first..).for_each(|(to, place)| *to = place.cast_signed() as i64);
            elements.copy_from_slice(&row[first..][..elements.len()]);
        });
        return Ok(());
    }
    let keys = Keys { row, order, bits, shift };
    if bits + shift < u64::BITS { keys.sort::<i64>(then) } else { keys.sort::<[i64; 2]>(then) }
}

/// The keys of a row, of which so many low bits differ, and so many bits for places.
struct Keys<'a, T> {
    row: &'a [T],
    order: Order,
    bits: u32,
    shift: u32,
}

impl<T: Keyed> Keys<'_, T> {
    fn sort<P: PlacedKey>(&self, then: &mut dyn FnMut(Ranks<'_, T>)) -> Result<()> {
        let (len, shift) = (self.row.len(), self.shift);
        let ranks = |all: &[P], first: usize, places: &mut [i64], elements: &mut [T]| {
            places.iter_mut().zip(&all[first..]).for_each(|(to, packed)| *to = packed.place(shift).cast_signed() as i64);
            self.unpack(&all[first..], elements);
        };
        if len < LONG {
            let mut all: Vec<P> = listed((0..len).map(|place| self.packed(place)))?;
            all.sort_unstable_by_key(|one| one.ordered());
            then(&|first, places, elements| ranks(&all, first, places, elements));
            return Ok(());
        }
        let mut words = Workspace::<i64>::new(len * P::WORDS)?;
        let all = P::of(&mut words);
        self.deal(all);
        then(&|first, places, elements| ranks(all, first, places, elements));
        Ok(())
    }

    #[inline(always)]
    fn kept(&self, place: usize) -> u64 {
        key(self.row[place], self.order) & self.mask()
    }

    #[inline(always)]
    fn packed<P: PlacedKey>(&self, place: usize) -> P {
        P::pack(self.kept(place), place, self.shift)
    }

    /// The first of some elements: those of which a key tells all are not looked for in the row, where they lie far apart.
    fn unpack<P: PlacedKey>(&self, all: &[P], elements: &mut [T]) {
        let common = self.row.first().map_or(0, |&x| key(x, Order::Ascending)) & !self.mask();
        for (to, packed) in elements.iter_mut().zip(all) {
            let kept = packed.key(self.shift);
            let kept = if self.order == Order::Ascending { kept } else { !kept & self.mask() };
            *to = T::of_key(common | kept).unwrap_or_else(|| self.row[packed.place(self.shift)]);
        }
    }

    /// The bits in which keys differ.
    #[inline(always)]
    fn mask(&self) -> u64 {
        u64::MAX >> (u64::BITS - self.bits)
    }

    /// Deals the elements out by the highest bits in which they differ, and sorts each heap. Threads share the row, and then the heaps; a heap
    /// has the elements of each part of the row after those of the parts before.
    fn deal<P: PlacedKey>(&self, all: &mut [P]) {
        let (len, below) = (self.row.len(), self.bits.saturating_sub(DEALT));
        let parts = (len / PART).clamp(1, PARTS);
        let bounds = |part: usize| len * part / parts..len * (part + 1) / parts;
        #[expect(clippy::cast_possible_truncation, reason = "it has as many bits as there are heaps")]
        let heap = |place: usize| (self.kept(place) >> below) as usize;
        let counts = collect(parts, &|part| {
            let mut counts = vec![0_usize; 1 << DEALT];
            bounds(part).for_each(|place| counts[heap(place)] += 1);
            counts
        });
        let heaps = || (0..1 << DEALT).map(|heap| counts.iter().map(|counts| counts[heap]).sum::<usize>());
        let (mut rest, mut own) = (&mut *all, Vec::new());
        own.resize_with(parts, || Vec::with_capacity(1 << DEALT));
        for heap in 0..1 << DEALT {
            for (counts, own) in counts.iter().zip(&mut own) {
                let (now, later) = rest.split_at_mut(counts[heap]);
                own.push(now.iter_mut());
                rest = later;
            }
        }
        hand_out(&mut own.into_iter(), &|part, mut own| {
            for place in bounds(part) {
                if let Some(to) = own[heap(place)].next() {
                    *to = self.packed(place);
                }
            }
        });
        if below > 0 {
            let mut rest = all;
            let mut each = heaps().map(|len| rest.split_off_mut(..len).unwrap_or_default()).filter(|heap| heap.len() > 1);
            hand_out(&mut each, &|_, heap| settle(heap, self.shift));
        }
    }
}

/// Sorts the elements of a heap, which lie in the order of their places: by the digits in which keys differ, the lowest first, where these are
/// fewer than what comparisons take.
fn settle<P: PlacedKey>(heap: &mut [P], shift: u32) {
    let first = heap.first().map_or(0, |first| first.key(shift));
    let mut mask = 0;
    for one in &*heap {
        mask |= one.key(shift) ^ first;
    }
    let digits = (0..u64::BITS).step_by(DIGIT as usize).filter(|digit| mask >> digit & DIGITS != 0).count();
    let worth = heap.len() >= MANY && digits * 2 <= bits_of(heap.len()) as usize;
    let scratch = if worth { filled(heap.len(), P::pack(0, 0, 0)).ok() } else { None };
    let Some(mut scratch) = scratch else { return heap.sort_unstable_by_key(|one| one.ordered()) };
    let (mut from, mut to) = (&mut *heap, &mut scratch[..]);
    for digit in (0..u64::BITS).step_by(DIGIT as usize).filter(|digit| mask >> digit & DIGITS != 0) {
        let of = |one: P| (one.key(shift) >> digit & DIGITS) as usize;
        let (mut next, mut sum) = ([0_usize; 1 << DIGIT], 0);
        from.iter().for_each(|&one| next[of(one)] += 1);
        for next in &mut next {
            (*next, sum) = (sum, sum + *next);
        }
        for &mut one in from.iter_mut() {
            let next = &mut next[of(one)];
            to[*next] = one;
            *next += 1;
        }
        (from, to) = (to, from);
    }
    if digits % 2 == 1 {
        to.copy_from_slice(from);
    }
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
