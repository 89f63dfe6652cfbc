//! The loop over whole rows along one dimension: scans, softmax, medians. Each row becomes another one.

use super::fold::Steps;
use crate::element::Native;
use crate::error::Result;
use crate::geometry::Dims;
use crate::geometry::strides::contiguous_strides;
use crate::kernels::block::Reader;
use crate::kernels::level::{Job, vectorised, widest};
use crate::kernels::parts::hand_out;
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::storage::{Access, TypedStorage};

/// Elements of one part of the work.
const PART: usize = 64 * 1024;

/// What a row becomes.
pub(crate) trait RowMap: Sync {
    /// What elements are read as.
    type In: Native + Default;
    /// What the results are.
    type Out: Native + Default;
    /// Whether results have places beside them.
    const PLACES: bool = false;
    /// Whether 512-bit vectors make it faster.
    const WIDE: bool = false;

    /// How many results a row of that many elements has.
    fn results(&self, count: usize) -> usize;
    /// Computes one row; the places are as many as the results, or none.
    fn run(&self, row: &[Self::In], out: &mut [Self::Out], places: &mut [i64]);
}

/// The results of all rows along a dimension, which a tensor without dimensions has, too; and their places. Both are contiguous.
pub(crate) fn map_rows<M: RowMap>(input: &RawTensor, dim: usize, map: &M) -> Result<(RawTensor, Option<RawTensor>)> {
    let rank = input.rank();
    if dim + 1 < rank && input.sizes()[dim + 1..].iter().product::<usize>() > 1 {
        return map_columns(input, dim, map);
    }
    let count = input.sizes().get(dim).copied().unwrap_or(1);
    let results = map.results(count);
    let mut sizes: Dims = input.sizes().into();
    sizes.iter_mut().skip(dim).take(1).for_each(|size| *size = results);
    let empty = |dtype| RawTensor::empty(&sizes, &contiguous_strides(&sizes), dtype, input.device());
    let (out, places) = (empty(M::Out::NATIVE)?, M::PLACES.then(|| empty(latten_spec::DType::I64)).transpose()?);
    if out.is_meta() || out.numel() == 0 {
        return Ok((out, places));
    }
    let steps = |dims: std::ops::Range<usize>| Steps::in_order(input, dims);
    let (outer, row) = (steps(0..dim.min(rank)), steps(dim.min(rank)..rank.min(dim + 1)));
    let access = Access::lock(&[], &[input.storage()])?;
    let mut to = numbers::<M::Out>(&out)?.slice_mut()?;
    let mut places_to = places.as_ref().map(|places| numbers::<i64>(places)?.slice_mut()).transpose()?;
    let places_to = places_to.as_deref_mut().unwrap_or_default();
    let steps = row.then(&outer);
    let reader = Reader::<M::In>::new(&access, input, &steps.sizes, &steps.strides)?;
    let each = (PART / count.max(1)).max(1);
    in_pairs(&mut to, places_to, each * results, &|part, out, places| {
        let rows = SomeRows { map, reader: &reader, first: part * each, count, results, out, places };
        if M::WIDE { widest(rows) } else { vectorised(rows) }
    });
    Ok((out, places))
}

/// The same where neighbours in memory belong to different rows: these are turned, before and after.
fn map_columns<M: RowMap>(input: &RawTensor, dim: usize, map: &M) -> Result<(RawTensor, Option<RawTensor>)> {
    let (dim, last) = (dim.cast_signed(), input.rank().cast_signed() - 1);
    let turned = input.movedim(&[dim], &[last])?.clone_as(MemoryFormat::Contiguous)?;
    let back = |tensor: RawTensor| tensor.movedim(&[last], &[dim])?.clone_as(MemoryFormat::Contiguous);
    let (out, places) = map_rows(&turned, turned.rank() - 1, map)?;
    Ok((back(out)?, places.map(back).transpose()?))
}

/// What computes some results and, where there are any, as many places.
type Part<'a, O> = dyn Fn(usize, &mut [O], &mut [i64]) + Sync + 'a;

/// Calls a function with parts of both slices, by threads; the places are as many as the results, or none.
fn in_pairs<O: Send>(out: &mut [O], places: &mut [i64], each: usize, part: &Part<'_, O>) {
    if places.is_empty() {
        hand_out(out.chunks_mut(each), |at, out| part(at, out, &mut []));
    } else {
        hand_out(out.chunks_mut(each).zip(places.chunks_mut(each)), |at, (out, places)| part(at, out, places));
    }
}

/// The storage of a new tensor, as numbers.
pub(super) fn numbers<T: Native>(tensor: &RawTensor) -> Result<TypedStorage<T>> {
    TypedStorage::wrap(tensor.storage().clone(), tensor.dtype()).typed()
}

/// Neighbouring rows, each dense in the walk.
struct SomeRows<'a, M: RowMap> {
    map: &'a M,
    reader: &'a Reader<'a, M::In>,
    first: usize,
    count: usize,
    results: usize,
    out: &'a mut [M::Out],
    places: &'a mut [i64],
}

impl<M: RowMap> Job for SomeRows<'_, M> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { map, reader, first, count, results, out, places } = self;
        let mut scratch = vec![M::In::default(); if reader.is_dense() { 0 } else { count }];
        for (row, out) in out.chunks_exact_mut(results).enumerate() {
            let elements = reader.read((first + row) * count, count, &mut scratch);
            let places = if M::PLACES { &mut places[row * results..][..results] } else { &mut [] };
            map.run(elements, out, places);
        }
    }
}
