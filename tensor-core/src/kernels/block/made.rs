//! Elements for reductions, from memory or computed where they are read: an expression that ends with a reduction needs no tensor.
//!
//! Results go to slices of the one that reads them, which no operand overlaps, a block at a time.

use latten_spec::DType;
use smallvec::SmallVec;

use super::reader::Reader;
use super::{BLOCK, BlockWork, Blocks, Compute, Input, LOADED_BYTES, Load, conversion, convert, load};
use crate::element::Native;
use crate::error::Result;
use crate::geometry::Dims;
use crate::kernels::cut::{Cut, Section};
use crate::kernels::run::OPERANDS;
use crate::kernels::transfer::Transfer;
use crate::scalar::Scalar;

/// A computation along a walk whose results no tensor holds.
#[derive(Debug)]
pub(crate) struct Made<'a> {
    /// Innermost dimension first.
    sizes: Dims,
    inputs: Vec<Input<'a>>,
    loads: SmallVec<[Load; OPERANDS]>,
    params: &'a [Scalar],
    compute: Compute<'a>,
    gives: DType,
}

/// Elements that are computed at a time. A kernel's loop is worth more of them, as long as all of them stay in the first cache; between steps there
/// are many lists.
fn block_of(compute: Compute<'_>, gives: DType) -> usize {
    match compute {
        Compute::Kernel(_) => (LOADED_BYTES / gives.itemsize()).clamp(BLOCK, 2 * BLOCK),
        Compute::Steps(_) => BLOCK,
    }
}

impl<'a> Made<'a> {
    /// A computation of results of dtype `gives`; the lanes of its inputs are made for `sizes`.
    ///
    /// # Errors
    /// Where no conversion between two dtypes exists.
    pub(crate) fn new(sizes: Dims, inputs: Vec<Input<'a>>, params: &'a [Scalar], compute: Compute<'a>, gives: DType) -> Result<Self> {
        let cut = Cut::Runs(block_of(compute, gives));
        let loads = inputs.iter().map(|input| load(input, &sizes, cut)).collect::<Result<_>>()?;
        Ok(Self { sizes, inputs, loads, params, compute, gives })
    }

    fn block(&self) -> usize {
        block_of(self.compute, self.gives)
    }

    fn blocks(&self, in_memory: bool) -> Blocks<'_, 'a> {
        let Self { sizes, inputs, loads, params, compute, gives } = self;
        let work = BlockWork { sizes, inputs, params, compute: *compute, gives: *gives, alone: None, changes: false };
        Blocks::new(work, loads, self.block(), in_memory)
    }

    /// Computes the elements from number `first` of the walk on; where their dtype isn't that of `to`, a conversion is named.
    fn fill<T: Native>(&self, blocks: &mut Blocks<'_, '_>, first: usize, conversion: Option<Transfer>, to: &mut [T]) {
        let each = self.block();
        for (at, to) in to.chunks_mut(each).enumerate() {
            let block = Section::Run { first: first + at * each, len: to.len() };
            let start = to.as_mut_ptr().cast();
            let Some(conversion) = conversion else {
                blocks.compute(block, start);
                continue;
            };
            let results = blocks.results();
            blocks.compute(block, results);
            convert(conversion, [self.gives, T::DTYPE], results, start, to.len());
        }
    }
}

/// Elements of a walk as numbers of one Rust type.
#[derive(Debug)]
pub(crate) enum Feed<'a, T> {
    /// They lie in memory.
    Memory(Reader<'a, T>),
    /// They are computed, and then converted where a conversion is named.
    Made(Made<'a>, Option<Transfer>),
}

impl<'a, T: Native + Default> Feed<'a, T> {
    /// Elements that are computed.
    ///
    /// # Errors
    /// Where their dtype isn't one that converts.
    pub(crate) fn made(made: Made<'a>) -> Result<Self> {
        let conversion = if made.gives == T::DTYPE { None } else { Some(conversion(made.gives, T::DTYPE)?) };
        Ok(Self::Made(made, conversion))
    }

    /// Whether reading copies nothing.
    pub(crate) fn is_dense(&self) -> bool {
        matches!(self, Self::Memory(reader) if reader.is_dense())
    }

    /// How many neighbours are read without being copied.
    pub(crate) fn run(&self) -> usize {
        if let Self::Memory(reader) = self { reader.run() } else { 1 }
    }

    /// How many elements are computed at a time, where reading computes.
    pub(crate) fn block(&self) -> Option<usize> {
        if let Self::Made(made, _) = self { Some(made.block()) } else { None }
    }

    /// Makes ready to read at most that many elements at a time.
    pub(crate) fn open(&self, most: usize) -> Open<'_, T> {
        let scratch = vec![T::default(); if self.is_dense() { 0 } else { most }];
        match self {
            Self::Memory(reader) => Open::Memory(reader, scratch),
            Self::Made(made, conversion) => Open::Made(made, Box::new(made.blocks(conversion.is_none())), *conversion, scratch),
        }
    }
}

/// One thread's way to elements.
pub(crate) enum Open<'f, T> {
    /// Elements in memory, and room for some of them.
    Memory(&'f Reader<'f, T>, Vec<T>),
    /// Elements that are computed, and room for some of them.
    Made(&'f Made<'f>, Box<Blocks<'f, 'f>>, Option<Transfer>, Vec<T>),
}

impl<T: Native + Default> Open<'_, T> {
    /// The elements from number `first` of the walk on.
    ///
    /// # Panics
    /// Where the walk has no such elements, or there is no room for that many.
    pub(crate) fn read(&mut self, first: usize, len: usize) -> &[T] {
        match self {
            Self::Memory(reader, scratch) => reader.read(first, len, scratch),
            Self::Made(made, blocks, conversion, scratch) => {
                let to = &mut scratch[..len];
                made.fill(blocks, first, *conversion, to);
                to
            }
        }
    }

    /// The first `width` elements of some rows, which begin `step` elements apart in the walk, and how far apart they begin in the result.
    ///
    /// # Panics
    /// As [`read`](Self::read).
    pub(crate) fn read_rows(&mut self, first: usize, [width, rows]: [usize; 2], step: usize) -> (&[T], usize) {
        let dense = matches!(self, Self::Memory(reader, _) if reader.is_dense());
        if dense || step == width || rows == 1 {
            return (self.read(first, (rows - 1) * step + width), step);
        }
        for row in 0..rows {
            let first = first + row * step;
            match self {
                Self::Memory(reader, scratch) => {
                    reader.copy(first, &mut scratch[row * width..][..width]);
                }
                Self::Made(made, blocks, conversion, scratch) => {
                    made.fill(blocks, first, *conversion, &mut scratch[row * width..][..width]);
                }
            }
        }
        let (Self::Memory(_, scratch) | Self::Made(.., scratch)) = self;
        (&scratch[..rows * width], width)
    }
}
