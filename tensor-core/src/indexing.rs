//! Elements chosen, placed and ordered by other tensors: `gather`, `index`, `scatter_`, `masked_select`, `sort`, `unique` and their kin, on
//! erased tensors. Where elements go is one question, asked here and answered as places in a storage; what moves are bytes of a
//! size, whatever the dtype. Checks come first, in PyTorch's order: when one fails, nothing has been written.

mod gather;
mod mask;
#[cfg(feature = "cuda")]
mod on_device;
mod order;
mod pad;
mod pieces;
mod scatter;
mod search;
mod select;
mod short;
mod sort;
mod table;
mod triangle;
mod unique;

use std::sync::{Mutex, PoisonError};

use latten_spec::DType;
use num_complex::Complex;

pub(crate) use gather::{check_places, not_among};
pub use gather::{embedding, gather, index_select, repeat_interleave, repeat_interleave_by, take};
pub(crate) use mask::filling;
pub use mask::{masked_fill, masked_fill_in_place, masked_select, nonzero};
pub use order::Order;
pub use pad::{Padding, pad};
pub(crate) use scatter::check_scatter;
pub use scatter::{IncludeSelf, ScatterReduce, scatter};
pub(crate) use search::{TOO_MANY_BOUNDS, count_before};
pub(crate) use select::index_put_over;
pub use select::{Accumulate, index, index_put_in_place};
pub use sort::{Extreme, argsort, sort, topk};
pub use triangle::{Half, diag, one_hot, triangle};
pub use unique::{RawUnique, unique, unique_consecutive, unique_consecutive_dim, unique_consecutive_values, unique_dim, unique_values};

use crate::element::Native;
use crate::error::{Error, Result};
use crate::geometry::Dims;
use crate::geometry::strides::contiguous_strides;
use crate::kernels::block::{Pieces, Reader, Writer};
use crate::kernels::level::{Job, widest};
use crate::kernels::parts::{collect, hand_out};
use crate::kernels::places::{Inside, Places, by_size};
use crate::kernels::stream;
use crate::kernels::workers::share;
use crate::outputs::apart;
use crate::plan::Target;
use crate::process::locked;
use crate::raw::RawTensor;
use crate::reduce::walk::Steps;
use crate::storage::Access;

/// Elements whose places are computed at a time.
const BLOCK: usize = 1024;
/// The same where elements are read one by one and indices come from memory: so few that the next of these come meanwhile.
const SHORT_BLOCK: usize = 256;
/// As many as a small tensor has.
const FEW: usize = 32;
/// Elements of one thread's part of the work.
const PART: usize = 64 * BLOCK;

/// What is large enough for every element.
const _: () = assert!(size_of::<Complex<f64>>() == 16);

/// How far each index along a dimension leads, in elements.
#[derive(Debug)]
enum OffsetStep {
    By(usize),
    To(Vec<usize>),
}

impl OffsetStep {
    fn at(&self, index: usize) -> usize {
        match self {
            Self::By(stride) => index * stride,
            Self::To(places) => places[index],
        }
    }
}

/// Places in a storage, one for each element of some dimensions in row-major order.
#[derive(Debug)]
struct Offsets {
    start: usize,
    /// Outermost first. No size is 0.
    dims: Vec<(usize, OffsetStep)>,
}

impl Offsets {
    /// Dimensions that step alike become one. Strides of a tensor without elements may be any numbers: nobody walks there.
    fn new(start: usize, dims: impl IntoIterator<Item = (usize, OffsetStep)>) -> Self {
        let mut walk = Self { start, dims: Vec::new() };
        for (size, step) in dims {
            match (walk.dims.last_mut(), &step) {
                (_, OffsetStep::By(_)) if size == 1 => continue,
                (Some((outer, OffsetStep::By(far))), &OffsetStep::By(near)) if near.checked_mul(size) == Some(*far) => {
                    (*outer, *far) = (outer.saturating_mul(size), near);
                    continue;
                }
                _ => walk.dims.push((size, step)),
            }
        }
        walk
    }

    /// The elements of a tensor.
    fn of(tensor: &RawTensor) -> Self {
        let dims = tensor.sizes().iter().zip(tensor.strides()).map(|(&size, &stride)| (size, OffsetStep::By(stride)));
        Self::new(tensor.storage_offset(), dims)
    }

    /// Takes the innermost neighbours out, which lie next to each other, and says how many they are.
    fn take_run(&mut self) -> usize {
        match self.dims.last() {
            Some(&(size, OffsetStep::By(1))) => {
                self.dims.pop();
                size
            }
            _ => 1,
        }
    }

    /// The place of one element.
    #[inline]
    fn place(&self, index: usize) -> usize {
        match &self.dims[..] {
            [] => self.start,
            [(_, step)] => self.start + step.at(index),
            dims => base(dims, self.start, index),
        }
    }

    /// The place of all elements, where it is one.
    fn only(&self) -> Option<usize> {
        self.dims.iter().all(|(_, step)| matches!(step, OffsetStep::By(0))).then_some(self.start)
    }

    /// The place of the first element, where all lie next to each other.
    fn only_run(&self) -> Option<usize> {
        matches!(self.dims[..], [] | [(_, OffsetStep::By(1))]).then_some(self.start)
    }

    /// Calls a function with the place of the first of some neighbours, how far each is from the next, and which they are among `len` from number
    /// `first` on; says whether that pays.
    fn runs(&self, first: usize, len: usize, mut run: impl FnMut(usize, usize, std::ops::Range<usize>)) -> bool {
        /// So many neighbours are worth a call.
        const LONG: usize = 32;
        let Some(((size, last), outer)) = self.dims.split_last() else {
            run(self.start, 0, 0..len);
            return true;
        };
        let &OffsetStep::By(step) = last else { return false };
        if *size < LONG {
            return false;
        }
        let mut done = 0;
        while done < len {
            let (row, at) = ((first + done) / size, (first + done) % size);
            let some = (size - at).min(len - done);
            run(base(outer, self.start, row).wrapping_add(at.wrapping_mul(step)), step, done..done + some);
            done += some;
        }
        true
    }

    /// The places of elements from number `first` on.
    fn places(&self, first: usize, to: &mut [usize]) {
        let Some(((size, last), outer)) = self.dims.split_last() else { return to.fill(self.start) };
        let (mut row, mut at, mut rest) = (first / size, first % size, to);
        while !rest.is_empty() {
            let base = base(outer, self.start, row);
            let (now, later) = rest.split_at_mut((size - at).min(rest.len()));
            match last {
                OffsetStep::By(stride) => now.iter_mut().zip(at..).for_each(|(to, index)| *to = base + index * stride),
                OffsetStep::To(places) => now.iter_mut().zip(&places[at..]).for_each(|(to, place)| *to = base + place),
            }
            (rest, row, at) = (later, row + 1, 0);
        }
    }
}

/// The place of an element of some dimensions, by its number.
fn base(dims: &[(usize, OffsetStep)], start: usize, index: usize) -> usize {
    dims.iter().rev().fold((start, index), |(base, rest), (size, step)| (base + step.at(rest % size), rest / size)).0
}

/// Computes the places of pieces from a first one on.
type Whence<'a> = &'a (dyn Fn(usize, &mut [usize]) + Sync);

/// Fills a tensor, in row-major order, with pieces of `run` neighbours of another one; both are held.
fn pick(access: &Access<'_>, input: &RawTensor, out: &RawTensor, run: usize, whence: Whence<'_>) -> Result<()> {
    if out.numel() == 0 {
        return Ok(());
    }
    by_size!(input.dtype(), T => pick_as::<T>(access, &input.as_bits(), &out.as_bits(), run, whence))
}

fn pick_as<T: Native + Default>(access: &Access<'_>, input: &RawTensor, out: &RawTensor, run: usize, whence: Whence<'_>) -> Result<()> {
    let from = Places::<T>::new(access, input.storage())?;
    let mut writer = Writer::<T>::new(access, out, T::DTYPE, &[input])?;
    let pieces = (PART / run).max(1);
    // Long pieces are copied in parts, short ones come together.
    let together = (BLOCK / run).max(1);
    let far = run == 1 && stream::is_far(out.numel() * size_of::<i64>());
    let block = if far { SHORT_BLOCK } else { BLOCK };
    hand_out(&mut writer.pieces(Pieces::of(pieces * run)), &|_, mut piece| {
        let (first, count) = (piece.first() / run, piece.len() / run);
        let (mut few, mut many);
        let places: &mut [usize] = if count <= FEW {
            few = [0; FEW];
            &mut few
        } else {
            many = [0; BLOCK];
            &mut many
        };
        for at in (0..count).step_by(block) {
            let places = &mut places[..block.min(count - at)];
            whence(first + at, places);
            for (some, at) in places.chunks(together).zip((at..).step_by(together)) {
                if run > BLOCK {
                    for part in (0..run).step_by(PART) {
                        let (start, len) = (at * run + part, PART.min(run - part));
                        from.copy_to(some[0] + part, piece.room(start, len));
                        piece.put(start, len);
                    }
                    continue;
                }
                let (start, len) = (at * run, some.len() * run);
                let to = piece.room(start, len);
                if run == 1 {
                    from.gather(0, some, to);
                } else {
                    to.chunks_exact_mut(run).zip(some).for_each(|(to, &place)| from.copy_to(place, to));
                }
                piece.put(start, len);
            }
        }
    });
    Ok(())
}

/// A new tensor, in row-major order.
fn dense(sizes: &[usize], dtype: DType, like: &RawTensor) -> Result<RawTensor> {
    output(Target::New, sizes, dtype, like)
}

/// The tensor that a result in row-major order goes into.
fn output(target: Target<'_>, sizes: &[usize], dtype: DType, like: &RawTensor) -> Result<RawTensor> {
    target.output(sizes, &contiguous_strides(sizes), dtype, like)
}

/// The elements of a tensor in row-major order, read as numbers of a type; its storage is held.
fn reader<'a, T: Native>(access: &'a Access<'_>, tensor: &RawTensor) -> Result<Reader<'a, T>> {
    let steps = Steps::in_order(tensor, 0..tensor.rank());
    Reader::new(access, tensor, &steps.sizes, &steps.strides)
}

/// Calls a function with blocks of elements, read as numbers of a type, and the number of the first of each.
fn each_block<T: Native + Default>(reader: &Reader<'_, T>, elements: std::ops::Range<usize>, block: &mut dyn FnMut(usize, &[T])) {
    let mut scratch = [T::default(); BLOCK];
    for first in elements.clone().step_by(BLOCK) {
        let len = BLOCK.min(elements.end - first);
        block(first, reader.read(first, len, &mut scratch));
    }
}

/// The first of the indices that is outside, in row-major order, and its number.
fn first_outside(indices: &Reader<'_, i64>, count: usize, inside: std::ops::Range<i64>) -> Option<(usize, i64)> {
    let found = collect(count.div_ceil(PART), &|part| {
        let mut found = None;
        each_block(indices, part * PART..count.min((part + 1) * PART), &mut |first, block| {
            if found.is_none() && !all_inside(block, &inside) {
                found = (first..).zip(block.iter().copied()).find(|(_, index)| !inside.contains(index));
            }
        });
        found
    });
    found.into_iter().flatten().next()
}

/// Whether all indices are inside.
fn all_inside(block: &[i64], inside: &std::ops::Range<i64>) -> bool {
    widest(Inside { numbers: block, first: inside.start, last: inside.end - 1 })
}

/// An index that is outside: where it stands, the number of the tensor that it stands in, itself.
#[derive(Debug, Default)]
struct Outside(Mutex<Option<(usize, usize, i64)>>);

impl Outside {
    /// The first one counts, whatever thread finds it.
    fn note(&self, found: (usize, usize, i64)) {
        let mut first = locked(&self.0);
        *first = Some(first.map_or(found, |first| first.min(found)));
    }

    /// The index, and the number of its tensor.
    fn first(self) -> Option<(usize, i64)> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner).map(|(_, number, index)| (number, index))
    }
}

/// Indices along a dimension of that size and stride, read while the places are computed.
struct Indices<'a> {
    reader: Reader<'a, i64>,
    inside: std::ops::Range<i64>,
    stride: usize,
    number: usize,
}

impl Indices<'_> {
    /// Notes the first index outside among that many.
    fn check(&self, count: usize, outside: &Outside) {
        share(count.div_ceil(PART), &|part| {
            let (mut scratch, end) = ([0; BLOCK], count.min((part + 1) * PART));
            for first in (part * PART..end).step_by(BLOCK) {
                self.check_block(first, self.reader.read(first, BLOCK.min(end - first), &mut scratch), outside);
            }
        });
    }

    /// The indices of a block; those of the block after the next are asked for.
    fn read<'s>(&'s self, first: usize, len: usize, scratch: &'s mut [i64]) -> &'s [i64] {
        self.reader.ask(first + 2 * len, len);
        self.reader.read(first, len, scratch)
    }

    /// Whether the indices of a block are inside.
    fn check_block(&self, first: usize, block: &[i64], outside: &Outside) -> bool {
        if all_inside(block, &self.inside) {
            return true;
        }
        let found = (first..).zip(block).find(|(_, index)| !self.inside.contains(index));
        found.into_iter().for_each(|(at, &index)| outside.note((at, self.number, index)));
        false
    }

    /// Adds how far the indices lead to the places of elements from a first one on. Those of a block with an index outside stay as they are.
    fn add_to(&self, first: usize, places: &mut [usize], outside: &Outside) {
        let mut scratch = [0; BLOCK];
        let block = self.read(first, places.len(), &mut scratch);
        if self.check_block(first, block, outside) {
            widest(Led { indices: block, places, size: self.inside.end, stride: self.stride });
        }
    }

    /// The places of elements from a first one on, from where they would be if all indices were 0. Says whether all indices are inside; else
    /// they count as 0.
    fn lead(&self, walk: &Offsets, first: usize, places: &mut [usize], outside: &Outside) -> bool {
        let mut room;
        let scratch: &mut [i64] = if self.reader.is_dense() {
            &mut []
        } else {
            room = [0; BLOCK];
            &mut room
        };
        let block = self.read(first, places.len(), scratch);
        let mut inside = true;
        let found = walk.runs(first, places.len(), |start, step, run| {
            let led =
                LedRun { indices: &block[run.clone()], places: &mut places[run], start, step, inside: &self.inside, stride: self.stride };
            inside &= widest(led);
        });
        if found && inside {
            return true;
        }
        walk.places(first, places);
        let inside = self.check_block(first, block, outside);
        if inside {
            widest(Led { indices: block, places, size: self.inside.end, stride: self.stride });
        }
        inside
    }
}

/// The places of a run whose elements are so many steps apart, with how far indices lead; says whether these are inside.
struct LedRun<'a> {
    indices: &'a [i64],
    places: &'a mut [usize],
    start: usize,
    step: usize,
    inside: &'a std::ops::Range<i64>,
    stride: usize,
}

impl Job for LedRun<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let Self { indices, places, start, step, inside, stride } = self;
        let (first, last, size) = (inside.start, inside.end - 1, inside.end);
        let mut signs = 0;
        // What is 0 or 1 mostly is known before the loop.
        macro_rules! each {
            ($step:expr, $stride:expr) => {
                for ((at, to), &index) in places.iter_mut().enumerate().zip(indices) {
                    signs |= index.wrapping_sub(first) | last.wrapping_sub(index);
                    *to = start.wrapping_add(at.wrapping_mul($step)).wrapping_add(counted(index, size).wrapping_mul($stride));
                }
            };
        }
        match (step, stride) {
            (0, 1) => each!(0, 1),
            (0, _) => each!(0, stride),
            (1, _) => each!(1, stride),
            _ => each!(step, stride),
        }
        signs >= 0
    }
}

/// Places to which is added how far indices lead, which are inside.
struct Led<'a> {
    indices: &'a [i64],
    places: &'a mut [usize],
    size: i64,
    stride: usize,
}

impl Job for Led<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { indices, places, size, stride } = self;
        if stride == 1 {
            for (to, &index) in places.iter_mut().zip(indices) {
                *to = to.wrapping_add(counted(index, size));
            }
        } else {
            for (to, &index) in places.iter_mut().zip(indices) {
                *to = to.wrapping_add(counted(index, size).wrapping_mul(stride));
            }
        }
    }
}

/// An index that was checked: a negative one counts from the end.
#[inline(always)]
fn counted(index: i64, size: i64) -> usize {
    usize_of(index.wrapping_add(size & (index >> 63)))
}

/// An index that was checked.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "it is below the size of a dimension")]
fn usize_of(index: i64) -> usize {
    index as usize
}

fn out_of_bounds(index: i64, dim: usize, size: usize) -> String {
    format!("index {index} is out of bounds for dimension {dim} with size {size}")
}

/// Whether a dtype is one that indices have.
fn is_index(dtype: DType) -> bool {
    matches!(dtype, DType::I64 | DType::I32)
}

/// The strides of a tensor along the dimensions of its indices, where that of one dimension is left to them: its own is the second result.
fn strides_around(tensor: &RawTensor, dim: usize, indices: &RawTensor) -> (Dims, usize) {
    let along = tensor.strides().get(dim).copied().unwrap_or(0);
    let mut strides: Dims = tensor.strides().clone();
    strides.resize(indices.rank(), 0);
    strides.iter_mut().skip(dim).take(1).for_each(|stride| *stride = 0);
    (strides, along)
}

/// A size as an index compares with it.
fn size_of_dim(tensor: &RawTensor, dim: usize) -> i64 {
    tensor.sizes().get(dim).map_or(1, |size| size.cast_signed() as i64)
}

/// That a tensor has data to look at.
fn check_data(tensor: &RawTensor, op: &str) -> Result<()> {
    if tensor.is_meta() {
        return Err(Error::not_implemented(format!("{op}: a meta tensor has no data that the shape of the result could depend on")));
    }
    Ok(())
}
