//! Scans, softmax and medians of tensors of a CUDA device: which thread or block does which row, and how long rows are cut. That follows
//! from the shape alone.

use latten_kernel::kernels::rows::RowKernel;
use latten_spec::DType;
use latten_spec::reduction::Reduction;

use super::walk::{Dimensions, GivenBytes, THREADS, WARPS, address, blocks, check_count, written};
use crate::cuda::Context;
use crate::cuda::library::{Key, kernel};
use crate::error::{Error, Result};
use crate::geometry::strides::contiguous_strides;
use crate::geometry::{Dims, Geometry};
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::storage::{Access, LockMode, UntypedStorage};

/// What a thread does alone in any case.
const FEW: usize = 32;
/// Elements of a row of softmax that a warp does, as the kernels know.
const SHORT: usize = 256;
/// Rows that keep a device busy, a thread each.
const MANY: usize = 1 << 13;
/// Rows that keep a device busy, a block each.
const ENOUGH: usize = 256;
/// Elements of a part of a row, and the parts that there are at most.
const PART: usize = 16 * 1024;
const PARTS: usize = 1024;

/// Writes what a scan or softmax makes of the elements along a dimension, of whose dtype it is.
///
/// # Errors
/// Where the device refuses.
pub(crate) fn scan(op: Reduction, input: &RawTensor, dim: usize, to: &RawTensor) -> Result<()> {
    written((to, None), input.dtype(), input, |out, places| run(op, input, dim, out, places))
}

/// The same for what has places.
///
/// # Errors
/// As [`scan`].
pub(crate) fn scan_places(op: Reduction, input: &RawTensor, dim: usize, [values, places]: [&RawTensor; 2]) -> Result<()> {
    written((values, Some(places)), input.dtype(), input, |out, places| run(op, input, dim, out, places))
}

/// The median along a dimension, and its place.
pub(super) fn median(input: &RawTensor, dim: usize, [values, places]: [&RawTensor; 2]) -> Result<()> {
    scan_places(Reduction::Median, input, dim, [values, places])
}

/// The medians of the elements along some dimensions, in a shape of as many; NaN where there are none.
pub(super) fn medians(input: &RawTensor, reduced: &[bool], result: DType, sizes: &[usize]) -> Result<RawTensor> {
    if input.numel() == 0 {
        return RawTensor::from_scalar(Scalar::Float(f64::NAN), DType::F64)?.to_dtype(result)?.to_device(input.device());
    }
    let dims = |wanted: bool| (0..input.rank()).filter(move |&dim| reduced[dim] == wanted);
    let order: Vec<isize> = dims(false).chain(dims(true)).map(usize::cast_signed).collect();
    let dense = input.permute(&order)?.contiguous(MemoryFormat::Contiguous)?;
    let kept: Dims = dims(false).map(|dim| input.sizes()[dim]).collect();
    let count = dims(true).map(|dim| input.sizes()[dim]).product();
    let seen = |tensor: &RawTensor, sizes: &[usize]| {
        tensor.with_geometry(Geometry { offset: tensor.storage_offset(), ..Geometry::contiguous(sizes) })
    };
    let rows: Dims = kept.iter().copied().chain([count]).collect();
    let new = |dtype| RawTensor::empty(&kept, &contiguous_strides(&kept), dtype, input.device());
    let (medians, places) = (new(input.dtype())?, new(DType::I64)?);
    median(&seen(&dense, &rows), kept.len(), [&medians, &places])?;
    Ok(seen(&medians, sizes))
}

/// How many elements there are along a dimension; a tensor without dimensions is a row of one.
pub(super) fn size_along(tensor: &RawTensor, dim: usize) -> usize {
    tensor.sizes().get(dim).copied().unwrap_or(1)
}

/// The rows of a tensor along a dimension, and where their results go.
pub(super) struct RowsShape {
    pub(super) rows: Dimensions<2>,
    pub(super) count: usize,
    steps: [usize; 2],
}

impl RowsShape {
    /// Those of a tensor, or of a copy where a kernel has no room for its dimensions.
    pub(super) fn of(input: &RawTensor, dim: usize, results: usize) -> Result<(RawTensor, Self)> {
        let shape = Self::new(input, dim, results);
        if shape.rows.fits() {
            return Ok((input.clone(), shape));
        }
        let input = input.clone_as(MemoryFormat::Contiguous)?;
        let shape = Self::new(&input, dim, results);
        Ok((input, shape))
    }

    fn new(input: &RawTensor, dim: usize, results: usize) -> Self {
        let mut sizes: Dims = input.sizes().into();
        sizes.iter_mut().skip(dim).take(1).for_each(|size| *size = results);
        let to = contiguous_strides(&sizes);
        let along = |dim: usize| (input.sizes()[dim], [input.strides()[dim], to[dim]]);
        let rows = Dimensions::new((0..input.rank()).filter(|&other| other != dim).map(along).collect::<Vec<_>>().into_iter());
        let (count, steps) = if input.rank() == 0 { (1, [0, 0]) } else { along(dim) };
        Self { rows, count, steps }
    }

    /// `RowArguments` of the kernels: how many rows and parts there are, and where the results, their places, the elements and the totals are.
    pub(super) fn given(&self, [rows, parts, chunk]: [usize; 3], addresses: [u64; 4]) -> GivenBytes {
        let mut given = GivenBytes::default();
        given.counts(&[rows, self.count, parts, chunk, self.rows.sizes.len()]);
        given.addresses(&addresses);
        given.steps(&self.steps);
        given.strides(&self.rows.strides[0]);
        given.strides(&self.rows.strides[1]);
        given.axes(self.rows.sizes.iter().copied());
        given
    }

    /// Whether a block does a row, or a thread: neighbours in memory should belong to neighbouring threads.
    fn is_together(&self, rows: usize) -> bool {
        let across = self.rows.strides[0].first().is_some_and(|&stride| stride < self.steps[0]);
        self.count > FEW && (!across || rows < MANY)
    }
}

/// Writes contiguous results of the input's dtype, and their places.
fn run(op: Reduction, input: &RawTensor, dim: usize, out: &RawTensor, places: Option<&RawTensor>) -> Result<()> {
    let (dtype, device) = (input.dtype(), input.device());
    let rows = RowKernel::new(op, dtype).ok_or_else(|| Error::type_error(format!("{} doesn't go along rows", op.row().name)))?;
    if out.numel() == 0 {
        return Ok(());
    }
    let results = if rows.is_scan() { size_along(input, dim) } else { 1 };
    check_count(op.row().name, Some(size_along(input, dim)))?;
    let (input, shape) = RowsShape::of(input, dim, results)?;
    let count: usize = shape.rows.sizes.iter().product();
    let together = shape.is_together(count);
    let long = shape.count.div_ceil(PARTS).next_multiple_of(THREADS).max(PART);
    let known = rows.known_bytes().filter(|_| together && count < ENOUGH && shape.count > long);
    let chunk = if known.is_some() { long } else { shape.count };
    let parts = shape.count.div_ceil(chunk);
    check_count(op.row().name, count.checked_mul(parts))?;
    let totals = match known {
        None => None,
        Some(bytes) => {
            let bytes = count * parts * bytes;
            Some(RawTensor::over(UntypedStorage::new(bytes, device)?, DType::U8, Geometry::contiguous(&[bytes]))?)
        }
    };
    let launch = RowsLaunch { rows, input: &input, out, places, totals: totals.as_ref(), shape: &shape };
    if totals.is_some() {
        launch.walk(2, [count, parts, chunk])?;
    }
    launch.walk(together.into(), [count, parts, chunk])
}

/// What a kernel of rows is given.
struct RowsLaunch<'a> {
    rows: RowKernel,
    input: &'a RawTensor,
    out: &'a RawTensor,
    places: Option<&'a RawTensor>,
    totals: Option<&'a RawTensor>,
    shape: &'a RowsShape,
}

impl RowsLaunch<'_> {
    /// Launches one walk: a thread for each row, a block for each part, or a block for the total of each part.
    fn walk(&self, walk: usize, [rows, parts, chunk]: [usize; 3]) -> Result<()> {
        let context = Context::of(self.out.device())?;
        let kernel = kernel(context, &Key::Rows(self.rows))?;
        let written = [self.out, self.places.unwrap_or(self.out), self.totals.unwrap_or(self.out)];
        let access = Access::lock(&written.map(RawTensor::storage), &[self.input.storage()])?;
        let queue = context.queue();
        let to = |tensor: Option<&RawTensor>| tensor.map_or(Ok(0), |tensor| address(&access, tensor, LockMode::Write, &queue));
        let (out, places, totals) = (to(Some(self.out))?, to(self.places)?, to(self.totals)?);
        let from = address(&access, self.input, LockMode::Read, &queue)?;
        let mut given = self.shape.given([rows, parts, chunk], [out, places, from, totals]);
        let tasks = match walk {
            0 => rows.div_ceil(THREADS),
            1 if self.rows.is_softmax() && self.shape.count <= SHORT => rows.div_ceil(WARPS),
            _ => rows * parts,
        };
        queue.launch(kernel.numbered(walk), blocks(tasks), THREADS as u32, &mut given.0)
    }
}
