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
use crate::kernels::level::{Job, vectorised};
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
        assert!(T::NATIVE != DType::Bool, "bytes aren't bools");
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

    /// Copies the elements at some places.
    ///
    /// # Panics
    /// Where the storage hasn't got one of them.
    pub(crate) fn gather(&self, places: &[usize], to: &mut [T]) {
        // All of them first, by vectors.
        let (first, last) = (0, self.count.cast_signed() - 1);
        assert!(vectorised(Inside { numbers: places, first, last }), "a place beyond the {} elements", self.count);
        for (to, &place) in to.iter_mut().zip(places) {
            // SAFETY: the invariant, and the places were looked at; any bytes are a value of `T`, which isn't bool.
            *to = unsafe { self.start.wrapping_add(place * size_of::<T>()).cast::<T>().read_unaligned() };
        }
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
        assert!(T::NATIVE != DType::Bool, "bytes aren't bools");
        let at = self.address(place, 1).cast::<T>();
        // SAFETY: the invariant; any bytes are a value of `T`, which isn't bool.
        let element = unsafe { at.read_unaligned() };
        // SAFETY: the invariant.
        unsafe { at.write_unaligned(change(element)) };
    }

    /// Makes neighbours from a place on what a function makes of each and another element.
    ///
    /// # Panics
    /// Where the storage hasn't got that many, and for `bool`, which not every byte is.
    #[inline(always)]
    pub(crate) fn change_with(&mut self, place: usize, others: &[T], change: impl Fn(T, T) -> T) {
        assert!(T::NATIVE != DType::Bool, "bytes aren't bools");
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
