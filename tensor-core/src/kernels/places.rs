//! Elements by their places in a storage: what gathering reads and scattering writes. A place is a number of elements from the storage's
//! start; an element is that many bytes here, whatever its dtype.
//!
//! Invariant: from `start` on, `count` elements of `T` are bytes of a storage that the borrowed access holds, for writing where they are
//! written. Every place is compared with `count`, so that no caller can leave the storage.
#![expect(unsafe_code, reason = "reads and writes elements of any alignment, at places that are checked here")]

use std::marker::PhantomData;

use latten_spec::DType;

use crate::element::Native;
use crate::error::Result;
#[cfg(all(target_arch = "x86_64", not(miri)))]
use crate::kernels::level::Level;
use crate::kernels::level::{Job, widest};
use crate::storage::{Access, UntypedStorage};

/// Runs the same code for a type as large as the elements of a dtype; any bytes are a value of it.
macro_rules! by_size {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype.itemsize() {
            1 => {
                type $T = u8;
                $body
            }
            2 => {
                type $T = i16;
                $body
            }
            4 => {
                type $T = i32;
                $body
            }
            8 => {
                type $T = i64;
                $body
            }
            _ => {
                type $T = num_complex::Complex<f64>;
                $body
            }
        }
    };
}
pub(crate) use by_size;

/// Numbers that are asked whether they are in a range, which ends with its last one.
pub(crate) struct Inside<'a, N, L> {
    pub(crate) numbers: &'a [N],
    pub(crate) first: L,
    pub(crate) last: L,
}

macro_rules! inside {
    ($($N:ty, $L:ty: |$number:ident| $signed:expr;)*) => { $(
        impl Job for Inside<'_, $N, $L> {
            type Output = bool;

            /// The sign of a difference says it, for which every processor has vector code.
            #[inline(always)]
            fn run(self) -> bool {
                let mut signs = 0;
                for &$number in self.numbers {
                    let number: $L = $signed;
                    signs |= number.wrapping_sub(self.first) | self.last.wrapping_sub(number);
                }
                signs >= 0
            }
        }
    )* };
}

inside! {
    i64, i64: |number| number;
    usize, isize: |number| number.cast_signed();
}

/// Panics where one of the places isn't among so many elements from a first one on. All of them at once, by vectors: a question for each
/// takes longer than to read or to write the element.
#[inline]
fn check(places: &[usize], first: usize, count: usize) {
    let (first, last) = (first.cast_signed(), (first + count).cast_signed() - 1);
    assert!(widest(Inside { numbers: places, first, last }), "a place beyond the {count} elements from {first}");
}

/// Elements to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places<'a, T> {
    start: *const u8,
    count: usize,
    guarded: PhantomData<&'a T>,
}

// SAFETY: reading guarded bytes from several threads.
unsafe impl<T> Send for Places<'_, T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Places<'_, T> {}

impl<'a, T: Native> Places<'a, T> {
    /// All elements of a storage that is held.
    ///
    /// # Errors
    /// For a storage on a device.
    ///
    /// # Panics
    /// For `bool`, which not every byte is: its elements are read as `u8`.
    pub(crate) fn new(access: &'a Access<'_>, storage: &UntypedStorage) -> Result<Self> {
        assert!(T::DTYPE != DType::Bool, "bytes aren't bools");
        let bytes = access.bytes(storage)?;
        Ok(Self { start: bytes.start, count: bytes.len / size_of::<T>(), guarded: PhantomData })
    }

    /// The element at a place.
    ///
    /// # Panics
    /// Where the storage has none.
    #[inline(always)]
    pub(crate) fn get(&self, place: usize) -> T {
        assert!(place < self.count, "element {place} of {}", self.count);
        // SAFETY: the invariant; any bytes are a value of `T`, which isn't bool.
        unsafe { self.start.wrapping_add(place * size_of::<T>()).cast::<T>().read_unaligned() }
    }

    /// Copies the elements at some places, counted from one of them.
    ///
    /// # Panics
    /// Where the storage hasn't got one of them.
    pub(crate) fn gather(&self, from: usize, places: &[usize], to: &mut [T]) {
        assert!(from <= self.count, "element {from} of {}", self.count);
        // All of them first, by vectors.
        check(places, 0, self.count - from);
        let start = self.start.wrapping_add(from * size_of::<T>());
        for (to, &place) in to.iter_mut().zip(places) {
            // SAFETY: the invariant, and the places were looked at; any bytes are a value of `T`, which isn't bool.
            *to = unsafe { start.wrapping_add(place * size_of::<T>()).cast::<T>().read_unaligned() };
        }
    }

    /// Copies those of neighbours from a place on for which a truth stands, and says how many they are.
    ///
    /// # Panics
    /// Where the storage hasn't got that many neighbours, or `to` has no room for all of them and [`SPARE`] more.
    pub(crate) fn choose(&self, place: usize, truths: &[bool], to: &mut [T]) -> usize {
        let len = truths.len();
        assert!(place <= self.count && len <= self.count - place, "{len} elements from {place} of {}", self.count);
        assert!(len + SPARE <= to.len(), "room for {} of {len} elements", to.len());
        let (from, size) = (self.start.wrapping_add(place * size_of::<T>()), size_of::<T>());
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if Level::detect() == Level::Avx512 && is_x86_feature_detected!("popcnt") && matches!(size, 4 | 8) {
            // SAFETY: the invariant; there is room for as many elements and a vector more, and the processor was asked.
            return unsafe { chosen(from, truths, to.as_mut_ptr().cast(), size) };
        }
        let mut found = 0;
        // Without a branch, so that it doesn't matter how the truths are mixed.
        for (at, &truth) in truths.iter().enumerate() {
            // SAFETY: the invariant, and the neighbours were looked at; any bytes are a value of `T`, which isn't bool.
            to[found] = unsafe { from.wrapping_add(at * size).cast::<T>().read_unaligned() };
            found += usize::from(truth);
        }
        found
    }

    /// Copies neighbours, from a place on.
    ///
    /// # Panics
    /// Where the storage hasn't got that many.
    #[inline(always)]
    pub(crate) fn copy_to(&self, place: usize, to: &mut [T]) {
        assert!(place <= self.count && to.len() <= self.count - place, "{} elements from {place} of {}", to.len(), self.count);
        let from = self.start.wrapping_add(place * size_of::<T>());
        // SAFETY: the invariant; a slice that can be written isn't part of a storage that is held for reading.
        unsafe { std::ptr::copy_nonoverlapping(from, to.as_mut_ptr().cast(), size_of_val(to)) };
    }
}

/// Room that [`Places::choose`] needs behind what it copies.
pub(crate) const SPARE: usize = 16;

/// Copies those of some elements of 4 or 8 bytes for which a truth stands, and says how many they are.
///
/// # Safety
/// As many elements are readable at `from` as there are truths, and as many and [`SPARE`] more can be written at `to`; the processor has 512-bit
/// vectors.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,popcnt")]
unsafe fn chosen(from: *const u8, truths: &[bool], to: *mut u8, size: usize) -> usize {
    use std::arch::x86_64::{
        __m128i, _mm_loadu_si128, _mm_test_epi8_mask, _mm512_loadu_si512, _mm512_maskz_compress_epi32, _mm512_maskz_compress_epi64,
        _mm512_storeu_si512,
    };
    let (runs, rest) = truths.as_chunks::<16>();
    let mut found = 0;
    for (number, run) in runs.iter().enumerate() {
        // SAFETY: a truth is a byte.
        let run: __m128i = unsafe { _mm_loadu_si128(run.as_ptr().cast()) };
        let all = _mm_test_epi8_mask(run, run);
        let vectors = if size == 4 { [(all, 0), (0, 0)] } else { [(all & 0xff, 0), (all >> 8, 64)] };
        for (mask, at) in vectors.into_iter().take(size / 4) {
            // SAFETY: 64 bytes of the 16 elements that belong to the run.
            let vector = unsafe { _mm512_loadu_si512(from.wrapping_add(number * 16 * size + at).cast()) };
            #[expect(clippy::cast_possible_truncation, reason = "eight elements have eight bits")]
            let vector =
                if size == 4 { _mm512_maskz_compress_epi32(mask, vector) } else { _mm512_maskz_compress_epi64(mask as u8, vector) };
            // SAFETY: no more elements were found than there were before these; behind them is room for a vector.
            unsafe { _mm512_storeu_si512(to.wrapping_add(found * size).cast(), vector) };
            found += mask.count_ones() as usize;
        }
    }
    for (at, &truth) in rest.iter().enumerate() {
        let from = from.wrapping_add((runs.len() * 16 + at) * size);
        // SAFETY: one of the last elements, and room behind those that were found.
        unsafe { std::ptr::copy_nonoverlapping(from, to.wrapping_add(found * size), size) };
        found += usize::from(truth);
    }
    found
}

/// Elements to read and write: those from a first place on.
#[derive(Debug)]
pub(crate) struct PlacesMut<'a, T> {
    start: *mut u8,
    first: usize,
    count: usize,
    guarded: PhantomData<&'a mut T>,
}

// SAFETY: writing guarded bytes from several threads, each of which has other elements.
unsafe impl<T: Send> Send for PlacesMut<'_, T> {}

impl<'a, T: Native> PlacesMut<'a, T> {
    /// All elements of a storage that is held for writing. Whoever reads other elements of it meanwhile has seen that they are others.
    ///
    /// # Errors
    /// For a storage on a device.
    pub(crate) fn new(access: &'a Access<'_>, storage: &UntypedStorage) -> Result<Self> {
        let bytes = access.writable(storage)?;
        Ok(Self { start: bytes.start, first: 0, count: bytes.len / size_of::<T>(), guarded: PhantomData })
    }

    /// Parts for threads: the elements from each of some places to the next, as far as there are any.
    ///
    /// # Panics
    /// Where the places descend.
    pub(crate) fn between(&mut self, places: &[usize]) -> impl Iterator<Item = PlacesMut<'_, T>> {
        assert!(places.is_sorted(), "parts of a storage overlap");
        let (start, first, end) = (self.start, self.first, self.first + self.count);
        places.windows(2).map(move |ends| {
            let (from, to) = (ends[0].clamp(first, end), ends[1].clamp(first, end));
            let start = start.wrapping_add((from - first) * size_of::<T>());
            PlacesMut { start, first: from, count: to - from, guarded: PhantomData }
        })
    }

    /// The address of neighbours.
    #[inline(always)]
    fn address(&self, place: usize, len: usize) -> *mut u8 {
        // A place before the first is too large a number.
        let at = place.wrapping_sub(self.first);
        assert!(at <= self.count && len <= self.count - at, "{len} elements from {place} of {} from {}", self.count, self.first);
        self.start.wrapping_add(at * size_of::<T>())
    }

    /// Makes one element another.
    ///
    /// # Panics
    /// Where the storage has none at that place.
    #[inline(always)]
    pub(crate) fn set(&mut self, place: usize, element: T) {
        // SAFETY: the invariant.
        unsafe { self.address(place, 1).cast::<T>().write_unaligned(element) };
    }

    /// Makes one element what a function makes of it.
    ///
    /// # Panics
    /// Where the storage has none at that place, and for `bool`, which not every byte is.
    #[inline(always)]
    pub(crate) fn change(&mut self, place: usize, change: impl FnOnce(T) -> T) {
        assert!(T::DTYPE != DType::Bool, "bytes aren't bools");
        let at = self.address(place, 1).cast::<T>();
        // SAFETY: the invariant; any bytes are a value of `T`, which isn't bool.
        let element = unsafe { at.read_unaligned() };
        // SAFETY: the invariant.
        unsafe { at.write_unaligned(change(element)) };
    }

    /// Makes each element at some places what a function makes of it and another element, one after the other.
    ///
    /// # Panics
    /// Where the storage hasn't got one of them, and for `bool`, which not every byte is.
    #[inline(always)]
    pub(crate) fn change_each(&mut self, places: &[usize], others: &[T], change: impl Fn(T, T) -> T) {
        assert!(T::DTYPE != DType::Bool, "bytes aren't bools");
        check(places, self.first, self.count);
        for (&place, &other) in places.iter().zip(others) {
            let at = self.start.wrapping_add((place - self.first) * size_of::<T>()).cast::<T>();
            // SAFETY: the invariant, and the places were looked at; any bytes are a value of `T`, which isn't bool.
            let element = unsafe { at.read_unaligned() };
            // SAFETY: as above.
            unsafe { at.write_unaligned(change(element, other)) };
        }
    }

    /// Makes each element at some places another, one after the other.
    ///
    /// # Panics
    /// Where the storage hasn't got one of them.
    pub(crate) fn set_each(&mut self, places: &[usize], others: &[T]) {
        check(places, self.first, self.count);
        for (&place, &other) in places.iter().zip(others) {
            // SAFETY: the invariant, and the places were looked at.
            unsafe { self.start.wrapping_add((place - self.first) * size_of::<T>()).cast::<T>().write_unaligned(other) };
        }
    }

    /// Makes neighbours from a place on what a function makes of each and another element.
    ///
    /// # Panics
    /// Where the storage hasn't got that many, and for `bool`, which not every byte is.
    #[inline(always)]
    pub(crate) fn change_with(&mut self, place: usize, others: &[T], change: impl Fn(T, T) -> T) {
        assert!(T::DTYPE != DType::Bool, "bytes aren't bools");
        let start = self.address(place, others.len()).cast::<T>();
        for (at, &other) in others.iter().enumerate() {
            // SAFETY: the invariant; any bytes are a value of `T`, which isn't bool.
            let element = unsafe { start.wrapping_add(at).read_unaligned() };
            // SAFETY: the invariant.
            unsafe { start.wrapping_add(at).write_unaligned(change(element, other)) };
        }
    }

    /// Makes neighbours from a place on the same.
    ///
    /// # Panics
    /// Where the storage hasn't got that many.
    pub(crate) fn fill(&mut self, place: usize, count: usize, element: T) {
        let start = self.address(place, count).cast::<T>();
        if start.is_aligned() {
            // SAFETY: the invariant, and every byte is initialised; whoever reads other elements has none of these.
            unsafe { std::slice::from_raw_parts_mut(start, count) }.fill(element);
        } else {
            (place..place + count).for_each(|place| self.set(place, element));
        }
    }

    /// Copies neighbours to a place.
    ///
    /// # Panics
    /// Where the storage hasn't got that many.
    #[inline(always)]
    pub(crate) fn copy_from(&mut self, place: usize, from: &[T]) {
        let to = self.address(place, from.len());
        // SAFETY: the invariant; `from` may be part of the same storage only where the operation has copied what overlaps.
        unsafe { std::ptr::copy(from.as_ptr().cast(), to, size_of_val(from)) };
    }
}
