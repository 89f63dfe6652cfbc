//! The counterpart of the reader: results as plain slices of a Rust type, which go into a tensor. Where the tensor's memory is such a slice,
//! nothing is copied; elsewhere they are converted and stored a piece at a time.
//!
//! Invariants: (1) `lane` was made for `sizes`, of bytes that the access holds for writing; (2) no two elements of the walk share bytes, and
//! none is read through the same access; (3) each element is in one piece only, because pieces borrow the writer alone.
#![expect(unsafe_code, reason = "slices of elements that lie dense, and calls of transfers")]

use latten_spec::DType;

use super::super::moves::{Moves, conversion, convert, moves};
use super::Lane;
use crate::element::Native;
use crate::error::{Error, Result};
use crate::geometry::overlap::{Relation, SelfOverlap, self_overlap};
use crate::geometry::{Dims, count};
use crate::kernels::cut::{Rectangle, walk};
use crate::kernels::scratch::Scratch;
use crate::kernels::transfer::MovedRows;
use crate::raw::RawTensor;
use crate::room::filled;
use crate::storage::Access;

/// Elements of a tensor in row-major order, to be written as numbers of one Rust type.
#[derive(Debug)]
pub(crate) struct Writer<'a, T> {
    lane: Lane<'a>,
    /// Innermost dimension first.
    sizes: Dims,
    len: usize,
    /// Whether the elements lie in memory as the slice that the walk is.
    dense: bool,
    /// The conversions on the way; at least one where elements don't lie dense.
    moves: Moves,
    element: std::marker::PhantomData<fn(T)>,
}

/// How the elements of a walk are handed out: groups of `group` elements, each cut into pieces of at most `each`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pieces {
    pub(crate) group: usize,
    pub(crate) each: usize,
}

impl Pieces {
    /// Pieces of that many elements.
    pub(crate) fn of(each: usize) -> Self {
        Self { group: usize::MAX, each: each.max(1) }
    }

    /// How many there are of that many elements.
    fn count(self, len: usize) -> usize {
        let (whole, rest) = (len / self.group, len % self.group);
        whole * self.group.div_ceil(self.each) + rest.div_ceil(self.each)
    }

    /// Where piece number `at` of that many elements begins, and how many it has.
    fn bounds(self, at: usize, len: usize) -> (usize, usize) {
        let each_group = self.group.div_ceil(self.each);
        let (group, piece) = (at / each_group, at % each_group);
        let (begin, inside) = (group * self.group, piece * self.each);
        let end = (inside + self.each).min(self.group).min(len - begin);
        (begin + inside, end - inside)
    }
}

impl<'a, T: Native + Default> Writer<'a, T> {
    /// All elements of a tensor whose storage is held for writing, rounded to `through` on their way; `read` are the tensors that the same
    /// access is read through.
    ///
    /// # Errors
    /// Where the tensor leaves its storage, for quantised dtypes, and where elements share memory among themselves or with what is read.
    pub(crate) fn new(access: &'a Access<'_>, tensor: &RawTensor, through: DType, read: &[&RawTensor]) -> Result<Self> {
        access.writable(tensor.storage())?;
        if !is_free(tensor, read) {
            return Err(Error::runtime("results can't be written where elements share memory"));
        }
        let (mut sizes, mut strides) = (tensor.geometry().sizes.clone(), tensor.strides().clone());
        sizes.reverse();
        strides.reverse();
        let lane = Lane::new(access, tensor.storage(), tensor.dtype(), &sizes, &strides, tensor.storage_offset())?;
        let mut moves = moves(&[T::DTYPE, through, tensor.dtype()])?;
        let dense = moves.is_empty() && lane.is_slice(&sizes);
        if moves.is_empty() && !dense {
            moves.push((conversion(T::DTYPE, T::DTYPE)?, T::DTYPE));
        }
        Ok(Self { lane, len: count(&sizes), sizes, dense, moves, element: std::marker::PhantomData })
    }

    /// How many elements there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether room is the tensor's own memory, so that it holds what was put there before.
    pub(crate) fn is_dense(&self) -> bool {
        self.dense
    }

    /// The elements in pieces, each of which may be another thread's.
    pub(crate) fn pieces(&mut self, pieces: Pieces) -> impl Iterator<Item = Piece<'_, T>> {
        let writer = &*self;
        (0..pieces.count(self.len)).map(move |at| {
            let (first, len) = pieces.bounds(at, writer.len);
            Piece { writer, first, len, scratch: Vec::new() }
        })
    }

    /// The elements in pieces from each of some numbers to the next.
    ///
    /// # Panics
    /// Where the numbers descend, or there are fewer elements.
    pub(crate) fn pieces_between(&mut self, bounds: &[usize]) -> impl Iterator<Item = Piece<'_, T>> {
        assert!(bounds.is_sorted() && bounds.last().is_none_or(|&last| last <= self.len), "pieces of {} elements", self.len);
        let writer = &*self;
        bounds.windows(2).map(move |ends| Piece { writer, first: ends[0], len: ends[1] - ends[0], scratch: Vec::new() })
    }
}

/// Whether no two elements of a tensor share bytes, and none shares some with what is read.
pub(crate) fn is_free(tensor: &RawTensor, read: &[&RawTensor]) -> bool {
    self_overlap(tensor.geometry()) == SelfOverlap::None && read.iter().all(|read| read.relation_to(tensor) == Relation::Disjoint)
}

/// Some neighbours of a walk, for one thread to write.
#[derive(Debug)]
pub(crate) struct Piece<'w, T> {
    writer: &'w Writer<'w, T>,
    first: usize,
    len: usize,
    scratch: Vec<T>,
}

impl<T: Native + Default> Piece<'_, T> {
    /// The number of its first element in the walk.
    pub(crate) fn first(&self) -> usize {
        self.first
    }

    /// How many elements it has.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Asks for the memory that room for many elements takes.
    ///
    /// # Errors
    /// Where there is none.
    pub(crate) fn reserve(&mut self, len: usize) -> Result<()> {
        if !self.writer.dense && self.scratch.len() < len {
            self.scratch = filled(len, T::default())?;
        }
        Ok(())
    }

    /// Room for the elements from number `at` of the piece on; what is put there counts when [`put`](Self::put) is called for them.
    ///
    /// # Panics
    /// Where the piece has no such elements.
    #[inline]
    pub(crate) fn room(&mut self, at: usize, len: usize) -> &mut [T] {
        self.check(at, len);
        if self.writer.dense {
            let start = self.writer.lane.start.wrapping_add((self.first + at) * size_of::<T>()).cast::<T>();
            // SAFETY: (1) and (3); `is_slice` says that the elements lie in the order of the walk, aligned and valid.
            return unsafe { std::slice::from_raw_parts_mut(start, len) };
        }
        if self.scratch.len() < len {
            self.scratch.resize(len, T::default());
        }
        &mut self.scratch[..len]
    }

    /// Stores what was put into the room for these elements.
    ///
    /// # Panics
    /// Where the piece has no such elements, or they were given no room.
    #[inline]
    pub(crate) fn put(&mut self, at: usize, len: usize) {
        if !self.writer.dense {
            self.store(at, len);
        }
    }

    fn store(&mut self, at: usize, len: usize) {
        self.check(at, len);
        let Some(((last, _), before)) = self.writer.moves.split_last() else { return };
        let room = self.scratch[..len].as_mut_ptr().cast::<u8>();
        let (mut from, mut dtype) = (room, T::DTYPE);
        let mut between = Scratch::new(before.len(), len);
        for (stage, &(transfer, to)) in before.iter().enumerate() {
            convert(transfer, [dtype, to], from, between.region(stage), len);
            (from, dtype) = (between.region(stage), to);
        }
        let (size, to_steps) = (dtype.itemsize(), self.writer.lane.row_steps());
        walk(&self.writer.sizes, self.first + at, len, |Rectangle { at, counts, done }| {
            let from = from.wrapping_add(done * size);
            let rows = MovedRows { from, to: self.writer.lane.address(at), from_steps: [size, size * counts[0]], to_steps, counts };
            // SAFETY: (1), (2) and (3); as many numbers lie from `from` on.
            unsafe { last(rows) }
        });
    }

    /// Puts the same into all elements.
    pub(crate) fn fill(&mut self, value: T, at_a_time: usize) {
        for at in (0..self.len).step_by(at_a_time) {
            let len = at_a_time.min(self.len - at);
            self.room(at, len).fill(value);
            self.put(at, len);
        }
    }

    #[inline]
    fn check(&self, at: usize, len: usize) {
        assert!(at <= self.len && len <= self.len - at, "{at} + {len} of {} elements", self.len);
    }
}
