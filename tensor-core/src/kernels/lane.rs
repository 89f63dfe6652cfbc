//! What a loop walks over: the elements of tensors along a grid, and numbers that are the same everywhere.
//!
//! Invariant: a [`Lane`] reaches only the bytes it was made for, checked when it is made, and what guards them outlives it. One of places reaches
//! none: nothing but the transfer `places` gathers it.
#![expect(unsafe_code, reason = "lanes are pointers that threads share")]

use std::marker::PhantomData;

use latten_spec::{Category, DType};
use num_complex::Complex;
use smallvec::SmallVec;

use super::moves::moved;
use super::transfer::{MovedRows, Transfer};
use crate::error::{Error, Result};
use crate::geometry::Dims;
use crate::scalar::Scalar;
use crate::storage::{Access, UntypedStorage};

/// The elements of one tensor, as a loop visits them.
#[derive(Clone, Debug)]
pub(crate) struct Lane<'a> {
    pub(super) start: *mut u8,
    pub(super) dtype: DType,
    /// In bytes, innermost dimension first.
    pub(super) steps: Dims,
    source: LaneSource,
    guarded: PhantomData<&'a u8>,
}

/// Where the elements of a lane come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LaneSource {
    /// From memory.
    Memory,
    /// Each is its own place in an array of `i64` that begins at address 0, and isn't there.
    Places,
}

// SAFETY: a lane is a pointer to guarded bytes, and threads write different elements.
unsafe impl Send for Lane<'_> {}
// SAFETY: as above.
unsafe impl Sync for Lane<'_> {}

/// Whether elements from there on are a slice of their Rust type: aligned, and valid whatever the bytes.
pub(super) fn is_plain(start: *mut u8, dtype: DType) -> bool {
    // All items have a power of two of bytes.
    dtype != DType::Bool && start.addr() & (dtype.itemsize().min(8) - 1) == 0
}

/// A number in memory, to be loaded like an element.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(crate) struct Literal {
    pub(super) bytes: [u8; 16],
    pub(super) dtype: DType,
}

impl From<Scalar> for Literal {
    fn from(scalar: Scalar) -> Self {
        let mut bytes = [0; 16];
        let dtype = match scalar {
            Scalar::Bool(x) => {
                bytes[0] = x.into();
                DType::Bool
            }
            Scalar::Int(x) => {
                bytes[..8].copy_from_slice(&x.to_ne_bytes());
                DType::I64
            }
            Scalar::Float(x) => {
                bytes[..8].copy_from_slice(&x.to_ne_bytes());
                DType::F64
            }
            Scalar::Complex(z) => {
                bytes[..8].copy_from_slice(&z.re.to_ne_bytes());
                bytes[8..].copy_from_slice(&z.im.to_ne_bytes());
                DType::C128
            }
        };
        Self { bytes, dtype }
    }
}

impl Literal {
    pub(super) fn dtype(&self) -> DType {
        self.dtype
    }

    pub(super) fn scalar(&self) -> Scalar {
        let part = |at: usize| std::array::from_fn(|i| self.bytes[at + i]);
        match self.dtype.category() {
            Category::Boolean => Scalar::Bool(self.bytes[0] != 0),
            Category::Integral => Scalar::Int(i64::from_ne_bytes(part(0))),
            Category::Floating => Scalar::Float(f64::from_ne_bytes(part(0))),
            Category::Complex => Scalar::Complex(Complex::new(f64::from_ne_bytes(part(0)), f64::from_ne_bytes(part(8)))),
        }
    }
}

impl<'a> Lane<'a> {
    /// The elements at `offset` and `strides` (in elements, innermost dimension first) of a storage whose guard is held.
    ///
    /// # Errors
    /// Where they reach beyond the storage, which may have shrunk.
    pub(crate) fn new(
        access: &'a Access<'_>,
        storage: &UntypedStorage,
        dtype: DType,
        sizes: &[usize],
        strides: &[usize],
        offset: usize,
    ) -> Result<Self> {
        let bytes = access.bytes(storage)?;
        let item = dtype.itemsize();
        let reach =
            sizes.iter().zip(strides).try_fold(offset, |reach, (&size, &stride)| reach.checked_add((size.max(1) - 1).checked_mul(stride)?));
        let needed = reach.and_then(|last| last.checked_add(1)?.checked_mul(item)).unwrap_or(usize::MAX);
        if needed > bytes.len && !sizes.contains(&0) {
            let len = bytes.len;
            return Err(Error::runtime(format!("the tensor reads {needed} bytes of a storage that has been resized to {len}")));
        }
        // Of a dimension with one element the stride leads nowhere, and without elements all of them do: such a product may wrap around.
        let mut steps = Dims::from_slice(strides);
        steps.iter_mut().for_each(|step| *step = step.wrapping_mul(item));
        Ok(Self {
            start: bytes.start.wrapping_add(offset.wrapping_mul(item)),
            dtype,
            steps,
            source: LaneSource::Memory,
            guarded: PhantomData,
        })
    }

    /// The place of each element, which strides in elements, innermost dimension first, lead to.
    pub(crate) fn places(strides: &[usize]) -> Self {
        let steps = strides.iter().map(|stride| stride.wrapping_mul(size_of::<i64>())).collect();
        Self { start: std::ptr::null_mut(), dtype: DType::I64, steps, source: LaneSource::Places, guarded: PhantomData }
    }

    /// Whether its elements are places, which no address has.
    pub(super) fn is_places(&self) -> bool {
        self.source == LaneSource::Places
    }

    /// The same number at every element.
    pub(crate) fn number(number: &'a Literal, rank: usize) -> Self {
        let start = number.bytes.as_ptr().cast_mut();
        Self { start, dtype: number.dtype, steps: SmallVec::from_elem(0, rank), source: LaneSource::Memory, guarded: PhantomData }
    }

    /// Fills a region with conversions of the first element, as many as it has room for.
    pub(super) fn repeat(&self, transfer: Transfer, dtype: DType, to: *mut u8, len: usize) {
        let rows = MovedRows { from: self.start, to, from_steps: [0, 0], to_steps: [dtype.itemsize(), 0], counts: [len, 1] };
        // SAFETY: the invariant; the region has room for that many elements of any dtype.
        unsafe { moved(transfer, dtype.itemsize(), rows) }
    }

    /// The same elements, those along some dimensions in reverse: steps backwards are numbers that wrap around.
    pub(crate) fn reversed(mut self, sizes: &[usize], backwards: &[bool]) -> Self {
        for ((step, &size), _) in self.steps.iter_mut().zip(sizes).zip(backwards).filter(|(_, backwards)| **backwards) {
            self.start = self.start.wrapping_add(step.wrapping_mul(size.max(1) - 1));
            *step = step.wrapping_neg();
        }
        self
    }

    /// Whether elements that lie next to each other are a slice of their Rust type: aligned, and valid whatever the bytes.
    pub(super) fn is_plain(&self) -> bool {
        self.source == LaneSource::Memory && is_plain(self.start, self.dtype)
    }

    /// Whether the elements follow each other in the order of the loop, as a slice of their Rust type.
    pub(super) fn is_slice(&self, sizes: &[usize]) -> bool {
        self.is_plain() && self.is_dense(sizes)
    }

    /// Whether the elements follow each other in the order of the loop. Without elements any answer will do, and such products may wrap around.
    pub(super) fn is_dense(&self, sizes: &[usize]) -> bool {
        let mut step = self.dtype.itemsize();
        self.steps.iter().zip(sizes).all(|(&own, &size)| {
            let fits = own == step || size == 1;
            step = step.wrapping_mul(size);
            fits
        })
    }

    /// Whether it is one element over and over.
    pub(super) fn is_constant(&self) -> bool {
        self.steps.iter().all(|&step| step == 0)
    }

    pub(super) fn address(&self, at: &[usize]) -> *mut u8 {
        at.iter().zip(&self.steps).fold(self.start, |start, (&at, &step)| start.wrapping_add(at.wrapping_mul(step)))
    }

    /// Where what lies along the first `inner` dimensions of a walk begins, by its number among the others.
    pub(super) fn part(&self, sizes: &[usize], inner: usize, mut number: usize) -> *mut u8 {
        let mut start = self.start;
        for (&size, &step) in sizes.iter().zip(&self.steps).skip(inner) {
            start = start.wrapping_add((number % size).wrapping_mul(step));
            number /= size;
        }
        start
    }

    /// The steps within and between rows.
    pub(super) fn row_steps(&self) -> [usize; 2] {
        innermost(&self.steps, 0)
    }
}

/// The first two of some numbers, and another one for those that there aren't.
pub(super) fn innermost(of: &[usize], otherwise: usize) -> [usize; 2] {
    let at = |dim: usize| of.get(dim).copied().unwrap_or(otherwise);
    [at(0), at(1)]
}
