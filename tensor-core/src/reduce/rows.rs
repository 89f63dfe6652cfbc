//! The loop over whole rows along one dimension: scans, softmax, medians. Each row becomes another one.

use latten_spec::DType;

use super::results::{Both, Results};
use super::walk::Steps;
use crate::element::Native;
use crate::error::Result;
use crate::geometry::count;
use crate::geometry::strides::contiguous_strides;
use crate::kernels::block::{Pieces, Reader};
use crate::kernels::level::{Job, widest};
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::room::{Refused, filled};

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
    /// Whether vectors make it faster: it has a form for each level then, else one.
    const VECTORS: bool = false;
    /// How many rows [`some`](Self::some) takes at a time.
    const TOGETHER: usize = 1;

    /// How many results a row of that many elements has.
    fn results(&self, count: usize) -> usize;
    /// Computes one row; the places are as many as the results, or none.
    ///
    /// # Errors
    /// Where there is no memory for what it needs beside them.
    fn run(&self, row: &[Self::In], out: &mut [Self::Out], places: &mut [i64]) -> Result<()>;

    /// Computes some rows of `count` elements, which lie one after the other.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    #[inline(always)]
    fn some(&self, rows: &[Self::In], _count: usize, out: &mut [Self::Out], places: &mut [i64]) -> Result<()> {
        self.run(rows, out, places)
    }
}

/// Writes the results of all rows along a dimension, and their places where there are any. The tensors have the input's sizes but along
/// the dimension, where they have as many as results.
pub(crate) fn map_rows<M: RowMap>(input: &RawTensor, dim: usize, map: &M, to: &Results<'_>) -> Result<()> {
    let rank = input.rank();
    if to.values.is_meta() || to.values.numel() == 0 {
        return Ok(());
    }
    if dim + 1 < rank && count(&input.sizes()[dim + 1..]) > 1 {
        return map_columns(input, dim, to, &|rows, to| map_rows(rows, rank - 1, map, to));
    }
    let input = &readable(input, dim, M::In::DTYPE)?;
    let count = length(input, dim);
    let (results, steps) = (map.results(count), rows_of(input, dim));
    let access = to.access(&[input])?;
    let reader = &Reader::<M::In>::new(&access, input, &steps.sizes, &steps.strides)?;
    let refused = Refused::default();
    let each = (PART / count.max(1)).max(1);
    to.writers(&access, &[input], M::PLACES)?.share(Pieces::of(each * results), &|to| {
        let rows = SomeRows { map, reader, count, results, to };
        refused.note(if M::VECTORS { widest(rows) } else { rows.run() });
    });
    refused.answer()
}

/// How many elements each row has.
fn length(input: &RawTensor, dim: usize) -> usize {
    input.sizes().get(dim).copied().unwrap_or(1)
}

/// The tensor, or a dense one of the same elements: rows are read as a whole, long ones from memory that was asked for as any tensor's.
fn readable(input: &RawTensor, dim: usize, native: DType) -> Result<RawTensor> {
    let is_dense = input.dtype() == native && input.strides().get(dim).is_none_or(|&stride| stride == 1);
    if is_dense || length(input, dim) <= PART {
        return Ok(input.clone());
    }
    input.to(native, MemoryFormat::Contiguous)?.contiguous(MemoryFormat::Contiguous)
}

/// The walk over all rows, one after the other.
fn rows_of(input: &RawTensor, dim: usize) -> Steps {
    let (rank, steps) = (input.rank(), |dims: std::ops::Range<usize>| Steps::in_order(input, dims));
    steps(dim.min(rank)..rank.min(dim + 1)).then(&steps(0..dim.min(rank)))
}

/// The same where neighbours in memory belong to different rows: these are turned, before and after.
fn map_columns(input: &RawTensor, dim: usize, to: &Results<'_>, map_rows: &dyn Fn(&RawTensor, &Results<'_>) -> Result<()>) -> Result<()> {
    let (from, last) = (dim.cast_signed(), input.rank().cast_signed() - 1);
    let turned = |tensor: &RawTensor| tensor.movedim(&[from], &[last]);
    let room = |tensor: &RawTensor, dtype| {
        let sizes = turned(tensor)?.sizes().to_vec();
        RawTensor::empty(&sizes, &contiguous_strides(&sizes), dtype, tensor.device())
    };
    let rows = turned(input)?.clone_as(MemoryFormat::Contiguous)?;
    let (values, places) = (room(to.values, to.through)?, to.beside.map(|places| room(places, DType::I64)).transpose()?);
    map_rows(&rows, &Results { beside: places.as_ref(), ..Results::plain(&values, to.through) })?;
    turned(to.values)?.copy_(&values)?;
    places.zip(to.beside).map_or(Ok(()), |(places, to)| turned(to)?.copy_(&places))
}

/// Neighbouring rows, each dense in the walk.
struct SomeRows<'a, M: RowMap> {
    map: &'a M,
    reader: &'a Reader<'a, M::In>,
    count: usize,
    results: usize,
    to: Both<'a, M::Out, i64>,
}

impl<M: RowMap> Job for SomeRows<'_, M> {
    type Output = Result<()>;

    #[inline(always)]
    fn run(self) -> Result<()> {
        let Self { map, reader, count, results, mut to } = self;
        let (first, rows) = (to.first() / results, to.len() / results);
        let mut scratch = filled(if reader.is_dense() { 0 } else { count * M::TOGETHER.min(rows) }, M::In::default())?;
        for row in (0..rows).step_by(M::TOGETHER) {
            let some = M::TOGETHER.min(rows - row);
            let elements = reader.read((first + row) * count, some * count, &mut scratch);
            let (at, len) = (row * results, some * results);
            let room = to.beside.as_mut().map(|places| places.room(at, len));
            map.some(elements, count, to.values.room(at, len), room.unwrap_or_default())?;
            to.values.put(at, len);
            if let Some(places) = &mut to.beside {
                places.put(at, len);
            }
        }
        Ok(())
    }
}
