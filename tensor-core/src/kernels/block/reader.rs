//! The elements of a tensor as plain slices of a Rust type, for loops that are no block operation: reductions, scans, products.
//!
//! Invariant: `lane` was made for `sizes`, so every element of the walk lies in readable bytes while the access that it borrows is held.
#![expect(unsafe_code, reason = "slices of elements that lie dense, and calls of transfers")]

use super::super::moves::conversion;
use super::Lane;
use crate::element::Native;
use crate::error::Result;
use crate::geometry::{Dims, count};
use crate::kernels::cut::{Rectangle, walk};
use crate::kernels::stream;
use crate::kernels::transfer::{MovedRows, Transfer};
use crate::raw::RawTensor;
use crate::storage::Access;

/// A walk over the elements of a tensor, to be read as numbers of one Rust type.
#[derive(Debug)]
pub(crate) struct Reader<'a, T> {
    lane: Lane<'a>,
    /// Innermost dimension first.
    sizes: Dims,
    len: usize,
    /// Whether the elements lie in memory as the slice that the walk is.
    dense: bool,
    transfer: Transfer,
    element: std::marker::PhantomData<fn() -> T>,
}

/// The elements of a walk where they lie, and those between them.
#[derive(Debug)]
pub(crate) struct Grid<'a, T> {
    pub(crate) elements: &'a [T],
    /// Innermost dimension first.
    pub(crate) sizes: &'a [usize],
    pub(crate) strides: Dims,
}

impl<'a, T: Native> Reader<'a, T> {
    /// A walk along `sizes` and `strides` (innermost dimension first) from the first element of a tensor whose storage is held.
    ///
    /// # Errors
    /// Where the walk leaves the storage, and for quantised dtypes.
    pub(crate) fn new(access: &'a Access<'_>, tensor: &RawTensor, sizes: &[usize], strides: &[usize]) -> Result<Self> {
        let lane = Lane::new(access, tensor.storage(), tensor.dtype(), sizes, strides, tensor.storage_offset())?;
        Ok(Self {
            dense: tensor.dtype() == T::DTYPE && lane.is_slice(sizes),
            transfer: conversion(tensor.dtype(), T::DTYPE)?,
            len: count(sizes),
            sizes: sizes.into(),
            lane,
            element: std::marker::PhantomData,
        })
    }

    /// Whether reading copies nothing.
    pub(crate) fn is_dense(&self) -> bool {
        self.dense
    }

    /// Asks memory for elements that are read soon, where no cache holds all of them: what is computed between two blocks lets it
    /// forget the next.
    pub(crate) fn ask(&self, first: usize, len: usize) {
        if self.dense && stream::is_far(self.len * size_of::<T>()) && first + len <= self.len {
            stream::ask(self.lane.start.wrapping_add(first * size_of::<T>()).cast_const(), len * size_of::<T>());
        }
    }

    /// The elements from number `first` of the walk on: where they lie, or converted into the first ones of `scratch`.
    ///
    /// # Panics
    /// Where the walk has no such elements, or the scratch no such room.
    pub(crate) fn read<'s>(&'s self, first: usize, len: usize, scratch: &'s mut [T]) -> &'s [T] {
        assert!(first <= self.len && len <= self.len - first, "{first} + {len} of {} elements", self.len);
        if self.dense {
            let start = self.lane.start.wrapping_add(first * size_of::<T>()).cast::<T>().cast_const();
            // SAFETY: the invariant; `is_slice` says that the elements lie in the order of the walk, aligned and valid.
            return unsafe { std::slice::from_raw_parts(start, len) };
        }
        let run = self.run();
        if run > 1 && first % run + len <= run {
            let start = self.lane.part(&self.sizes, 1, first / run).wrapping_add(first % run * size_of::<T>());
            // SAFETY: the invariant; the lane is plain, and these are elements of one run of neighbours.
            return unsafe { std::slice::from_raw_parts(start.cast::<T>().cast_const(), len) };
        }
        let scratch = &mut scratch[..len];
        self.load(first, scratch);
        scratch
    }

    /// How many neighbours of the walk are a slice of memory, wherever that begins: 1, where they have to be converted.
    pub(crate) fn run(&self) -> usize {
        let lies = self.lane.dtype == T::DTYPE && self.lane.is_plain() && self.lane.steps.first() == Some(&size_of::<T>());
        if lies { self.sizes[0] } else { 1 }
    }

    /// The elements from number `first` of the walk on, converted into all of that room.
    fn load(&self, first: usize, to: &mut [T]) {
        let (len, size) = (to.len(), size_of::<T>());
        assert!(first <= self.len && len <= self.len - first, "{first} + {len} of {} elements", self.len);
        let to = to.as_mut_ptr().cast::<u8>();
        let from_steps = self.lane.row_steps();
        walk(&self.sizes, first, len, |Rectangle { at, counts, done }| {
            let to = to.wrapping_add(done * size);
            let rows = MovedRows { from: self.lane.address(at), to, from_steps, to_steps: [size, size * counts[0]], counts };
            // SAFETY: the invariant; there is room for `len` numbers of the type that the transfer writes.
            unsafe { (self.transfer)(rows) }
        });
    }

    /// Copies the elements from number `first` of the walk on, converted.
    pub(crate) fn copy(&self, first: usize, to: &mut [T]) {
        if self.dense {
            return to.copy_from_slice(self.read(first, to.len(), &mut []));
        }
        self.load(first, to);
    }

    /// The elements of the two inner dimensions from number `first` of the walk on, where they lie, and how far apart the inner rows are;
    /// `None` where they must be converted, or neighbours lie apart.
    pub(crate) fn plane(&self, first: usize) -> Option<(&[T], usize)> {
        let (&[columns, rows, ..], &[next, apart, ..]) = (self.sizes.as_slice(), self.lane.steps.as_slice()) else { return None };
        let size = size_of::<T>();
        if self.lane.dtype != T::DTYPE || !self.lane.is_plain() || (next != size && columns != 1) || first >= self.len {
            return None;
        }
        let stride = if rows == 1 { columns } else { apart / size };
        // Of the outer dimensions alone: the plane begins where its first element lies.
        let start = self.lane.part(&self.sizes, 2, first / (columns * rows)).cast::<T>().cast_const();
        // SAFETY: the invariant: the first and the last of these elements are of the walk, so that all bytes between are of the storage;
        // plain lanes are aligned, and their elements valid whatever the bytes.
        let elements = unsafe { std::slice::from_raw_parts(start, (rows - 1) * stride + columns) };
        Some((elements, stride))
    }

    /// All elements where they lie; `None` where they must be converted, and where there are none.
    pub(crate) fn grid(&self) -> Option<Grid<'_, T>> {
        if self.lane.dtype != T::DTYPE || !self.lane.is_plain() || self.len == 0 {
            return None;
        }
        let strides: Dims = self.lane.steps.iter().map(|&step| step / size_of::<T>()).collect();
        let last: usize = self.sizes.iter().zip(&strides).map(|(&size, &stride)| (size - 1) * stride).sum();
        // SAFETY: the invariant: the first and the last of these elements are of the walk, so that all bytes between are of the storage;
        // plain lanes are aligned, and their elements valid whatever the bytes.
        let elements = unsafe { std::slice::from_raw_parts(self.lane.start.cast::<T>().cast_const(), last + 1) };
        Some(Grid { elements, sizes: &self.sizes, strides })
    }
}
