//! The loop over whole rows along one dimension: scans, softmax, medians. Each row becomes another one.

use super::fold::Steps;
use crate::element::Native;
use crate::error::Result;
use crate::geometry::strides::contiguous_strides;
use crate::geometry::{Dims, Geometry};
use crate::kernels::block::Reader;
use crate::kernels::level::{Job, vectorised};
use crate::kernels::parts::hand_out;
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::storage::{Access, TypedStorage};

/// Elements of one part of the work.
const PART: usize = 64 * 1024;

/// What a row becomes.
pub(super) trait RowMap: Sync {
    /// What elements are read as.
    type In: Native + Default;
    /// What the results are.
    type Out: Native + Default;
    /// Whether results have places beside them.
    const PLACES: bool = false;

    /// How many results a row of that many elements has.
    fn results(&self, count: usize) -> usize;
    /// Computes one row; the places are as many as the results, or none.
    fn run(&self, row: &[Self::In], out: &mut [Self::Out], places: &mut [i64]);
}

/// The results of all rows along a dimension, which a tensor without dimensions has, too; and their places.
pub(super) fn map_rows<M: RowMap>(input: &RawTensor, dim: usize, map: &M) -> Result<(RawTensor, Option<RawTensor>)> {
    let others: Dims = (0..input.rank()).filter(|&other| other != dim).collect();
    let count = input.sizes().get(dim).copied().unwrap_or(1);
    let results = map.results(count);
    let mut sizes: Dims = others.iter().map(|&other| input.sizes()[other]).collect();
    sizes.push(results);
    let out = RawTensor::empty(&sizes, &contiguous_strides(&sizes), M::Out::NATIVE, input.device())?;
    let places = M::PLACES.then(|| RawTensor::empty(&sizes, &contiguous_strides(&sizes), tensor_spec::DType::I64, input.device()));
    let places = places.transpose()?;
    if !out.is_meta() && out.numel() > 0 {
        let inner = Steps::in_order(input, (0..input.rank()).filter(|&other| other == dim));
        let steps = inner.then(&Steps::in_order(input, others.iter().copied()));
        let access = Access::lock(&[], &[input.storage()])?;
        let reader = Reader::<M::In>::new(&access, input, &steps.sizes, &steps.strides)?;
        let mut to = numbers::<M::Out>(&out)?.slice_mut()?;
        let mut places = places.as_ref().map(|places| numbers::<i64>(places)?.slice_mut()).transpose()?;
        let each = (PART / count.max(1)).max(1);
        let job = |part: usize, out: &mut [M::Out], places: &mut [i64]| {
            vectorised(SomeRows { map, reader: &reader, first: part * each, count, results, out, places });
        };
        let to = to.chunks_mut(each * results);
        match places.as_deref_mut() {
            Some(places) => hand_out(to.zip(places.chunks_mut(each * results)), |part, (out, places)| job(part, out, places)),
            None => hand_out(to, |part, out| job(part, out, &mut [])),
        }
    }
    if input.rank() == 0 && results == 1 {
        let one = |tensor: RawTensor| tensor.with_geometry(Geometry::default());
        return Ok((one(out), places.map(one)));
    }
    let back = |tensor: RawTensor| last_moved_to(&tensor, dim).contiguous(MemoryFormat::Contiguous);
    Ok((back(out)?, places.map(back).transpose()?))
}

/// The storage of a new tensor, as numbers.
fn numbers<T: Native>(tensor: &RawTensor) -> Result<TypedStorage<T>> {
    TypedStorage::wrap(tensor.storage().clone(), tensor.dtype()).typed()
}

/// The last dimension in another place.
fn last_moved_to(tensor: &RawTensor, dim: usize) -> RawTensor {
    let mut geometry = tensor.geometry().clone();
    if let (Some(size), Some(stride)) = (geometry.sizes.pop(), geometry.strides.pop()) {
        geometry.sizes.insert(dim, size);
        geometry.strides.insert(dim, stride);
    }
    tensor.with_geometry(geometry)
}

/// Neighbouring rows.
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
