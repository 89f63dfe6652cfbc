//! Where `split`, `chunk` and `tensor_split` cut a dimension.

use super::index::clamp_index;
use super::{Geometry, wrap_dim};
use crate::error::{Error, Result};

/// What `tensor_split` cuts by.
#[derive(Clone, Copy, Debug)]
pub enum Cuts<'a> {
    /// Into that many pieces of nearly one size.
    Sections(isize),
    /// Before each of these indices, which mean what they mean in Python's slices.
    Indices(&'a [isize]),
}

/// A piece of a dimension: its first index and its length.
type IndexPiece = (usize, usize);

/// Pieces of those lengths, each after the one before.
fn consecutive(lengths: impl Iterator<Item = usize>) -> impl Iterator<Item = IndexPiece> {
    lengths.scan(0, |start, len| {
        let piece = (*start, len);
        *start += len;
        Some(piece)
    })
}

impl Geometry {
    /// The views of that many pieces of a dimension.
    fn pieces(&self, dim: usize, count: usize, pieces: impl Iterator<Item = IndexPiece>) -> Result<Vec<Self>> {
        let mut views = Vec::new();
        views.try_reserve_exact(count).map_err(|_| Error::runtime(format!("there is no memory for {count} tensors")))?;
        for (start, len) in pieces {
            views.push(self.piece(dim, start, len)?);
        }
        Ok(views)
    }

    /// Pieces of one size; the last one may be shorter. A dimension without elements is one piece.
    fn pieces_of_size(&self, dim: usize, each: usize) -> Result<Vec<Self>> {
        let size = self.sizes[dim];
        if size == 0 {
            return self.pieces(dim, 1, [(0, 0)].into_iter());
        }
        self.pieces(dim, size.div_ceil(each), (0..size).step_by(each).map(|start| (start, each.min(size - start))))
    }

    fn needs_a_dimension(&self, op: &str) -> Result<()> {
        if self.rank() == 0 { Err(Error::runtime(format!("{op} expects at least a 1-dimensional tensor"))) } else { Ok(()) }
    }

    /// `split(split_size, dim)`: pieces of that size; the last one may be shorter.
    pub fn split(&self, split_size: isize, dim: isize) -> Result<Vec<Self>> {
        self.needs_a_dimension("split")?;
        if split_size < 0 {
            return Err(Error::runtime(format!("split expects split_size be non-negative, but got split_size={split_size}")));
        }
        let dim = wrap_dim(dim, self.rank())?;
        let size = self.sizes[dim];
        if split_size == 0 && size > 0 {
            return Err(Error::runtime(format!("split_size can only be 0 if dimension size is 0, but got dimension size of {size}")));
        }
        self.pieces_of_size(dim, split_size.cast_unsigned())
    }

    /// `split(split_sizes, dim)`: pieces of those sizes, which must add up to the dimension's.
    pub fn split_with_sizes(&self, split_sizes: &[isize], dim: isize) -> Result<Vec<Self>> {
        self.needs_a_dimension("split")?;
        let given = dim;
        let dim = wrap_dim(dim, self.rank())?;
        if split_sizes.iter().any(|&size| size < 0) {
            return Err(Error::runtime(format!(
                "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={split_sizes:?}"
            )));
        }
        let size = self.sizes[dim];
        let total = split_sizes.iter().try_fold(0, |total: usize, size| total.checked_add(size.cast_unsigned()));
        if total != Some(size) {
            return Err(Error::runtime(format!(
                "split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at dimension {given}), but got \
                 split_sizes={split_sizes:?}"
            )));
        }
        self.pieces(dim, split_sizes.len(), consecutive(split_sizes.iter().map(|size| size.cast_unsigned())))
    }

    /// `chunk(chunks, dim)`: at most that many pieces of one size; the last one may be shorter.
    pub fn chunk(&self, chunks: isize, dim: isize) -> Result<Vec<Self>> {
        self.needs_a_dimension("chunk")?;
        if chunks <= 0 {
            return Err(Error::runtime(format!("chunk expects `chunks` to be greater than 0, got: {chunks}")));
        }
        let dim = wrap_dim(dim, self.rank())?;
        let (size, chunks) = (self.sizes[dim], chunks.cast_unsigned());
        if size == 0 {
            return self.pieces(dim, chunks, (0..chunks).map(|_| (0, 0)));
        }
        self.pieces_of_size(dim, size.div_ceil(chunks))
    }

    /// `tensor_split(cuts, dim)`: as many pieces as asked for, be some of them empty.
    pub fn tensor_split(&self, cuts: Cuts<'_>, dim: isize) -> Result<Vec<Self>> {
        if self.rank() == 0 {
            return Err(Error::runtime("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"));
        }
        let dim = wrap_dim(dim, self.rank())?;
        let size = self.sizes[dim];
        match cuts {
            Cuts::Sections(sections) if sections <= 0 => {
                Err(Error::runtime(format!("number of sections must be larger than 0, got {sections}")))
            }
            Cuts::Sections(sections) => {
                let sections = sections.cast_unsigned();
                let (each, longer) = (size / sections, size % sections);
                self.pieces(dim, sections, consecutive((0..sections).map(|piece| each + usize::from(piece < longer))))
            }
            Cuts::Indices(indices) => {
                let cuts = || indices.iter().map(|&index| clamp_index(index, size));
                let pieces = [0].into_iter().chain(cuts()).zip(cuts().chain([size]));
                self.pieces(dim, indices.len() + 1, pieces.map(|(start, end)| (start, end.saturating_sub(start))))
            }
        }
    }

    /// `hsplit`: along the second dimension, or the only one.
    pub fn hsplit(&self, cuts: Cuts<'_>) -> Result<Vec<Self>> {
        self.split_evenly("hsplit", 1, if self.rank() == 1 { 0 } else { 1 }, cuts)
    }

    /// `vsplit`: along the first dimension.
    pub fn vsplit(&self, cuts: Cuts<'_>) -> Result<Vec<Self>> {
        self.split_evenly("vsplit", 2, 0, cuts)
    }

    /// `dsplit`: along the third dimension.
    pub fn dsplit(&self, cuts: Cuts<'_>) -> Result<Vec<Self>> {
        self.split_evenly("dsplit", 3, 2, cuts)
    }

    fn split_evenly(&self, op: &str, least_rank: usize, dim: usize, cuts: Cuts<'_>) -> Result<Vec<Self>> {
        let rank = self.rank();
        if rank < least_rank {
            return Err(Error::runtime(format!(
                "torch.{op} requires a tensor with at least {least_rank} dimension, but got a tensor with {rank} dimensions!"
            )));
        }
        let size = self.sizes[dim];
        match cuts {
            Cuts::Sections(sections) if sections == 0 || !size.is_multiple_of(sections.unsigned_abs()) => Err(Error::runtime(format!(
                "torch.{op} attempted to split along dimension {dim}, but the size of the dimension {size} is not divisible by the \
                 split_size {sections}!"
            ))),
            cuts => self.tensor_split(cuts, dim.cast_signed()),
        }
    }
}
