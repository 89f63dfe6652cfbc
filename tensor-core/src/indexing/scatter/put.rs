//! Where elements are put, and in what order: those of one place one after the other, those of different rows by several threads. Many
//! numbers for few places are combined in tables first, one for each part of the indices; how many parts depends on sizes alone.

use std::ops::Range;

use super::super::{BLOCK, Indices, OffsetStep, Offsets, Outside, each_block, first_outside, reader, usize_of};
use super::numbers::Combined;
use super::{IncludeSelf, ScatterReduce};
use crate::element::Native;
use crate::error::Result;
use crate::geometry::overlap::{SelfOverlap, self_overlap};
use crate::geometry::{Dims, Geometry};
use crate::kernels::block::Reader;
use crate::kernels::level::{Job, vectorised};
use crate::kernels::parts::{collect, hand_out};
use crate::kernels::places::{Places, PlacesMut};
use crate::kernels::workers::num_threads;
use crate::raw::RawTensor;
use crate::room::{filled, room};
use crate::storage::Access;

/// Elements of one thread's part of the rows.
const PART: usize = 1 << 15;
/// Pieces that are so long are looked at by all parts of the rows that they may go to, of which each thread has one.
const LONG: usize = 64;
/// Elements that are combined in a table of their own.
const TABLE: usize = 1 << 16;
/// The most tables.
const TABLES: usize = 8;
/// How many times the elements are the places, at least, where tables pay.
const SHARE: usize = 4;

/// What became of a call.
pub(super) enum Combining {
    Done,
    /// That index is outside. Whatever others may see wasn't changed.
    Outside(i64),
}

impl Combining {
    fn new(outside: Outside) -> Self {
        outside.first().map_or(Self::Done, |(_, index)| Self::Outside(index))
    }
}

/// A call whose shapes and dtypes fit.
pub(super) struct Put<'a> {
    tensor: &'a RawTensor,
    /// One for each piece: without the dimensions behind, along which they would be the same.
    indices: RawTensor,
    /// Where pieces would lie if all indices were 0, and how far an index leads.
    walk: Offsets,
    along: usize,
    dim: usize,
    /// The size of the dimension.
    pub(super) size: i64,
    /// Of the shape of all indices.
    source: &'a RawTensor,
    /// Neighbours that come together.
    run: usize,
    /// Pieces.
    pub(super) count: usize,
}

/// Some pieces: where each goes, the elements of all, and which of these places a thread has.
#[derive(Clone, Copy)]
struct SomePieces<'a, T> {
    places: &'a [usize],
    elements: &'a [T],
    own: (usize, usize),
}

impl<'a, T> SomePieces<'a, T> {
    /// Each of those that the thread has, and its place.
    #[inline(always)]
    fn each(self) -> impl Iterator<Item = (usize, &'a [T])> {
        let (run, (from, to)) = (self.elements.len() / self.places.len(), self.own);
        let pieces = self.places.iter().copied().zip(self.elements.chunks_exact(run));
        pieces.filter(move |&(place, _)| (from..to).contains(&place))
    }
}

/// Every place.
const ALL: (usize, usize) = (0, usize::MAX);

/// Puts pieces, one after the other.
type Putting<'p, T> = &'p (dyn Fn(&mut PlacesMut<'_, T>, SomePieces<'_, T>) + Sync);

/// Where pieces go.
struct PutPlan<'a> {
    indices: Indices<'a>,
    walk: &'a Offsets,
    run: usize,
    /// Of the indices that are met on the way.
    outside: &'a Outside,
}

impl<'a> Put<'a> {
    pub(super) fn new(tensor: &'a RawTensor, dim: usize, indices: &RawTensor, source: &'a RawTensor, size: i64) -> Result<Self> {
        let (sizes, mut strides) = (indices.sizes(), tensor.strides().clone());
        strides.resize(sizes.len(), 0);
        let along = strides.get(dim).copied().unwrap_or(0);
        strides.iter_mut().skip(dim).take(1).for_each(|stride| *stride = 0);
        // Behind the dimension, what has one index and lies together comes together.
        let (mut kept, mut run) = (sizes.len(), 1);
        while kept > dim + 1 && indices.strides()[kept - 1] == 0 && strides[kept - 1] == run && indices.numel() > 0 {
            kept -= 1;
            run *= sizes[kept];
        }
        let walk = Offsets::new(
            tensor.storage_offset(),
            sizes[..kept].iter().zip(&strides).map(|(&size, &stride)| (size, OffsetStep::By(stride))),
        );
        let geometry =
            Geometry { sizes: sizes[..kept].into(), strides: indices.strides()[..kept].into(), offset: indices.storage_offset() };
        let indices = indices.with_geometry(geometry);
        Ok(Self { tensor, count: indices.numel(), indices, walk, along, dim, size, source, run })
    }

    /// The first index that is outside.
    pub(super) fn outside(&self, access: &Access<'_>) -> Result<Option<i64>> {
        if self.count == 0 {
            return Ok(None);
        }
        Ok(first_outside(&reader(access, &self.indices)?, self.count, 0..self.size).map(|(_, index)| index))
    }

    fn way<'w>(&'w self, access: &'w Access<'_>, outside: &'w Outside) -> Result<PutPlan<'w>> {
        let indices = Indices { reader: reader(access, &self.indices)?, inside: 0..self.size, stride: self.along, number: 0 };
        Ok(PutPlan { indices, walk: &self.walk, run: self.run, outside })
    }

    /// How many pieces the parts have that threads may share, and where these begin and end in the storage.
    fn parts(&self) -> (usize, Dims) {
        let whole = || (self.count, Dims::from_slice(&[0, usize::MAX]));
        let (Some(&rows), Some((far, reach)), 1..) = (self.indices.sizes().first(), self.rows_apart(), self.dim) else { return whole() };
        let each = (PART / (self.count / rows * self.run).max(1)).max(1);
        let start = self.tensor.storage_offset();
        let bounds = (0..rows).step_by(each).map(|row| start + row * far).chain([start + (rows - 1) * far + reach + 1]).collect();
        (each * (self.count / rows), bounds)
    }

    /// How far rows along the first dimension are from each other, and how far their elements reach, where that is less.
    fn rows_apart(&self) -> Option<(usize, usize)> {
        let (sizes, strides) = (self.tensor.sizes(), self.tensor.strides());
        let far = *strides.first()?;
        let reach: usize = sizes.iter().zip(strides).skip(1).map(|(&size, &stride)| size.saturating_sub(1) * stride).sum();
        (reach < far && self_overlap(self.tensor.geometry()) == SelfOverlap::None).then_some((far, reach))
    }

    /// Where parts of the rows begin and end that indices choose among, if pieces are long enough to be looked at for each of them.
    fn chosen_rows(&self) -> Option<Dims> {
        let (far, reach) = self.rows_apart().filter(|_| self.dim == 0 && self.run >= LONG && self.count * self.run >= 2 * PART)?;
        let (rows, start) = (self.tensor.sizes()[0], self.tensor.storage_offset());
        let parts = num_threads().min(rows);
        // Without rows all indices are outside.
        (rows > 0).then(|| (0..parts).map(|part| start + rows * part / parts * far).chain([start + (rows - 1) * far + reach + 1]).collect())
    }

    /// Calls a function with the places of pieces, in the order of the indices, and the elements for them.
    fn each<T: Native + Default>(&self, access: &Access<'_>, source: &RawTensor, outside: &Outside, put: Putting<'_, T>) -> Result<()> {
        let (elements, way, count) = (reader::<T>(access, source)?, self.way(access, outside)?, self.count);
        let mut to = PlacesMut::<T>::new(access, self.tensor.storage())?;
        if let Some(bounds) = self.chosen_rows() {
            hand_out(&mut to.between(&bounds), &|part, mut to| {
                way.some(0..count, &elements, (&mut to, (bounds[part], bounds[part + 1])), put);
            });
            return Ok(());
        }
        let (each, bounds) = self.parts();
        hand_out(&mut to.between(&bounds), &|part, mut to| {
            way.some(part * each..count.min((part + 1) * each), &elements, (&mut to, ALL), put);
        });
        Ok(())
    }

    /// Puts the elements themselves.
    pub(super) fn replace<T: Native + Default>(&self, access: &Access<'_>) -> Result<Combining> {
        let outside = Outside::default();
        self.each::<T>(access, &self.source.as_bits(), &outside, &|to, some| {
            if some.places.len() == some.elements.len() {
                to.set_each(some.places, some.elements);
            } else {
                some.each().for_each(|(place, piece)| to.copy_from(place, piece));
            }
        })?;
        Ok(Combining::new(outside))
    }

    /// Makes one of the elements and what is there.
    pub(super) fn combine<T: Combined>(&self, access: &Access<'_>, combine: ScatterReduce, own: IncludeSelf) -> Result<Combining> {
        let outside = Outside::default();
        self.begin::<T>(access, combine, own, &outside)?;
        self.each::<T>(access, self.source, &outside, &|to, some| meet(combine, to, some))?;
        if combine == ScatterReduce::Mean {
            self.divide::<T>(access, own, &outside)?;
        }
        Ok(Combining::new(outside))
    }

    /// Where what was there doesn't count, puts what changes nothing.
    fn begin<T: Combined>(&self, access: &Access<'_>, combine: ScatterReduce, own: IncludeSelf, outside: &Outside) -> Result<()> {
        if own == IncludeSelf::No {
            let (start, mut to) = (T::start(combine), PlacesMut::<T>::new(access, self.tensor.storage())?);
            let way = self.way(access, outside)?;
            way.places(0..self.count, &mut |_, places| places.iter().for_each(|&place| to.fill(place, self.run, start)));
        }
        Ok(())
    }

    /// Divides each sum by how many elements went into it.
    fn divide<T: Combined>(&self, access: &Access<'_>, own: IncludeSelf, outside: &Outside) -> Result<()> {
        let from = Places::<T>::new(access, self.tensor.storage())?;
        let mut to = PlacesMut::<T>::new(access, self.tensor.storage())?;
        for same in self.sorted(access, outside)?.chunk_by(|a, b| a == b) {
            let count = same.len() + usize::from(own == IncludeSelf::Yes);
            (same[0]..same[0] + self.run).for_each(|place| to.set(place, from.get(place).over(count)));
        }
        Ok(())
    }

    /// The places of all pieces in their order.
    fn sorted(&self, access: &Access<'_>, outside: &Outside) -> Result<Vec<usize>> {
        let mut all = room(self.count)?;
        self.way(access, outside)?.places(0..self.count, &mut |_, places| all.extend_from_slice(places));
        all.sort_unstable();
        Ok(all)
    }

    /// Into how many parts the indices go where each is combined in a table of its own: many numbers for few places of one dimension.
    pub(super) fn tables(&self, combine: ScatterReduce) -> Option<usize> {
        let parts = (self.count / TABLE).min(TABLES);
        let suits = matches!(combine, ScatterReduce::Sum | ScatterReduce::Mean | ScatterReduce::Amax | ScatterReduce::Amin);
        let few = usize::try_from(self.size).is_ok_and(|size| size.saturating_mul(parts * SHARE) <= self.count);
        (suits && parts > 1 && few && self.run == 1 && self.walk.only().is_some()).then_some(parts)
    }

    /// The same as [`combine`](Self::combine), where what the tensor is to hold before is written when all indices are known.
    pub(super) fn by_tables<T: Combined>(
        &self,
        access: &Access<'_>,
        combine: ScatterReduce,
        own: IncludeSelf,
        parts: usize,
        before: &dyn Fn() -> Result<()>,
    ) -> Result<Combining> {
        let (elements, indices, outside) = (reader::<T>(access, self.source)?, reader::<i64>(access, &self.indices)?, Outside::default());
        let (size, bound) = (usize_of(self.size), |part: usize| self.count * part / parts);
        let tables = collect(parts, &|part| -> Result<Vec<T>> {
            let (mut table, mut scratch) = (filled(size, T::neutral(combine))?, [T::default(); BLOCK]);
            each_block(&indices, bound(part)..bound(part + 1), &mut |first, indices| {
                let elements = elements.read(first, indices.len(), &mut scratch);
                if let Err(at) = tabulate(combine, &mut table, indices, elements) {
                    outside.note((first + at, 0, indices[at]));
                }
            });
            Ok(table)
        });
        if let Some((_, index)) = outside.first() {
            return Ok(Combining::Outside(index));
        }
        before()?;
        let outside = Outside::default();
        self.begin::<T>(access, combine, own, &outside)?;
        let mut to = PlacesMut::<T>::new(access, self.tensor.storage())?;
        for table in tables {
            for (place, element) in table?.into_iter().enumerate() {
                to.change(self.tensor.storage_offset() + place * self.along, |there| there.combine(combine, element));
            }
        }
        if combine == ScatterReduce::Mean {
            self.divide::<T>(access, own, &outside)?;
        }
        Ok(Combining::new(outside))
    }
}

impl PutPlan<'_> {
    /// Calls a function with the places of pieces, and the number of the first of them. Before a call in place all indices were looked at; a new
    /// result is dropped when one is outside.
    fn places(&self, pieces: Range<usize>, some: &mut dyn FnMut(usize, &[usize])) {
        let mut places = [0; BLOCK];
        for first in pieces.clone().step_by(BLOCK) {
            let places = &mut places[..BLOCK.min(pieces.end - first)];
            if self.indices.lead(self.walk, first, places, self.outside) {
                some(first, places);
            }
        }
    }

    /// Puts some pieces.
    fn some<T: Native + Default>(
        &self,
        pieces: Range<usize>,
        elements: &Reader<'_, T>,
        (to, own): (&mut PlacesMut<'_, T>, (usize, usize)),
        put: Putting<'_, T>,
    ) {
        let (mut scratch, run) = ([T::default(); BLOCK], self.run);
        // Long pieces come in parts, short ones together.
        let together = (BLOCK / run).max(1);
        self.places(pieces, &mut |first, places| {
            for (some, first) in places.chunks(together).zip((first..).step_by(together)) {
                for part in (0..run).step_by(BLOCK) {
                    let len = if run > BLOCK { BLOCK.min(run - part) } else { some.len() * run };
                    let elements = elements.read(first * run + part, len, &mut scratch);
                    let place = [some[0] + part];
                    put(to, SomePieces { places: if run > BLOCK { &place } else { some }, elements, own });
                }
            }
        });
    }
}

// Each loop knows what it does: to ask for every element takes longer than to do it.
macro_rules! for_each_kind {
    ($combine:expr, $each:ident) => {
        match $combine {
            ScatterReduce::Replace => {}
            ScatterReduce::Sum | ScatterReduce::Mean => $each!(ScatterReduce::Sum),
            ScatterReduce::Prod => $each!(ScatterReduce::Prod),
            ScatterReduce::Amax => $each!(ScatterReduce::Amax),
            ScatterReduce::Amin => $each!(ScatterReduce::Amin),
        }
    };
}

/// Makes one of each element and what is put there.
fn meet<T: Combined>(combine: ScatterReduce, to: &mut PlacesMut<'_, T>, some: SomePieces<'_, T>) {
    if some.places.len() < some.elements.len() {
        return vectorised(MeetPieces { combine, to, some });
    }
    macro_rules! each {
        ($combine:expr) => {
            to.change_each(some.places, some.elements, |there, element| there.combine($combine, element))
        };
    }
    for_each_kind!(combine, each);
}

/// The same of pieces of several elements.
struct MeetPieces<'a, 't, T> {
    combine: ScatterReduce,
    to: &'a mut PlacesMut<'t, T>,
    some: SomePieces<'a, T>,
}

impl<T: Combined> Job for MeetPieces<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { combine, to, some } = self;
        macro_rules! each {
            ($combine:expr) => {
                for (place, piece) in some.each() {
                    to.change_with(place, piece, |there, element| there.combine($combine, element));
                }
            };
        }
        for_each_kind!(combine, each);
    }
}

/// The same in a table; the error is the first place of an index that the table hasn't got.
fn tabulate<T: Combined>(combine: ScatterReduce, table: &mut [T], indices: &[i64], elements: &[T]) -> std::result::Result<(), usize> {
    macro_rules! each {
        ($combine:expr) => {
            for ((at, &index), &element) in indices.iter().enumerate().zip(elements) {
                // A negative index is too large a number.
                let Some(there) = table.get_mut(usize_of(index)) else { return Err(at) };
                *there = there.combine($combine, element);
            }
        };
    }
    for_each_kind!(combine, each);
    Ok(())
}
