//! The same for tensors of a CUDA device. The checks are those of the host, and so are results and errors: where an index is outside, the
//! host says which. What has no kernel (distinct elements) the host computes, and the result goes back.

use latten_kernel::kernels::meets::MeetKind;
use latten_spec::DType;
use latten_spec::operation::Op;

use super::order::Order;
use super::{dense, size_of_dim, strides_around};
use crate::device::Device;
use crate::elementwise::{Params, apply};
use crate::error::{Error, Result};
use crate::geometry::Dims;
use crate::launch::{Far, GridPlaces, Meeting, NamedPlaces as Named, coordinates};
use crate::layout::MemoryFormat;
use crate::outputs::check_dtype;
use crate::plan::Target;
use crate::raw::RawTensor;
use crate::scalar::Scalar;

/// The tensor on the host.
pub(super) fn host(tensor: &RawTensor) -> Result<RawTensor> {
    tensor.to_device(Device::CPU)
}

/// Runs what fills a new tensor. What is a caller's gets the elements when all is known to be right.
pub(super) fn into(target: Target<'_>, out: RawTensor, run: impl FnOnce(RawTensor) -> Result<RawTensor>) -> Result<RawTensor> {
    if target.is_new() {
        return run(out);
    }
    let result = run(dense(out.sizes(), out.dtype(), &out)?)?;
    let out = out.grown()?;
    out.copy_(&result)?;
    Ok(out)
}

/// A result, put where it is to go.
pub(super) fn finished(result: RawTensor, target: Target<'_>) -> Result<RawTensor> {
    if target.is_new() {
        return Ok(result);
    }
    let out = target.output(result.sizes(), result.strides(), result.dtype(), &result)?.grown()?;
    out.copy_(&result)?;
    Ok(out)
}

/// The first elements in an order along a dimension, and their places: as many as the sizes have.
pub(super) fn sort(
    input: &RawTensor,
    dim: usize,
    order: Order,
    (sizes, strides): (&[usize], &Dims),
    targets: [Target<'_>; 2],
) -> Result<(RawTensor, RawTensor)> {
    check_dtype(targets[0], input.dtype())?;
    check_dtype(targets[1], DType::I64)?;
    let new = |dtype| RawTensor::empty(sizes, strides, dtype, input.device());
    let (values, places) = (new(input.dtype())?, new(DType::I64)?);
    if values.numel() > 0 {
        crate::launch::sort(input, dim, order == Order::Descending, [&values, &places])?;
    }
    Ok((finished(values, targets[0])?, finished(places, targets[1])?))
}

/// A result whose indices were inside. Else the host makes the same call, and its error says which wasn't.
pub(super) fn checked<R>(inside: bool, result: R, on_host: impl FnOnce() -> Result<RawTensor>) -> Result<R> {
    if inside {
        return Ok(result);
    }
    // Without elements nothing has looked at the indices.
    if on_host()?.numel() == 0 { Ok(result) } else { Err(Error::index("an index is out of range")) }
}

/// That all are on one device.
pub(super) fn together(tensors: &[&RawTensor]) -> Result<()> {
    let first = tensors[0].device();
    match tensors.iter().map(|tensor| tensor.device()).find(|&device| device != first) {
        Some(other) => Err(Error::runtime(format!(
            "Expected all tensors to be on the same device, but found at least two devices, {first} and {other}!"
        ))),
        None => Ok(()),
    }
}

fn far<'a>(tensor: &'a RawTensor, strides: &[usize]) -> Far<'a> {
    Far { tensor, start: tensor.storage_offset(), strides: strides.iter().map(|stride| stride.cast_signed()).collect() }
}

/// Whether all indices were inside, as for what follows.
pub(super) fn gather(input: &RawTensor, dim: usize, indices: &RawTensor, out: &RawTensor) -> Result<bool> {
    together(&[input, indices])?;
    let index = indices.to_dtype(DType::I64)?;
    let (strides, step) = strides_around(input, dim, &index);
    let named = [Named { index: &index, strides: index.strides().clone(), inside: 0..size_of_dim(input, dim), step }];
    GridPlaces { sizes: index.sizes(), near: (out, out.strides()), far: far(input, &strides), named: &named }.pick()
}

pub(super) fn take(input: &RawTensor, indices: &RawTensor, out: &RawTensor) -> Result<bool> {
    together(&[input, indices])?;
    let row = input.contiguous(MemoryFormat::Contiguous)?;
    let size = row.numel().cast_signed() as i64;
    let named = [Named { index: indices, strides: indices.strides().clone(), inside: -size..size, step: 1 }];
    let strides = Dims::from_elem(0, indices.rank());
    GridPlaces { sizes: indices.sizes(), near: (out, out.strides()), far: far(&row, &strides), named: &named }.pick()
}

pub(super) fn index_select(input: &RawTensor, dim: usize, indices: &RawTensor, out: &RawTensor) -> Result<bool> {
    together(&[input, indices])?;
    let index = indices.to_dtype(DType::I64)?;
    if index.numel() == 0 || out.numel() == 0 {
        return Ok(index.numel() == 0);
    }
    let mut strides: Dims = input.strides().clone();
    let step = strides.get(dim).copied().unwrap_or(0);
    let mut along = Dims::from_elem(0, strides.len());
    strides.iter_mut().skip(dim).take(1).for_each(|stride| *stride = 0);
    along.iter_mut().skip(dim).take(1).for_each(|stride| *stride = index.strides().first().copied().unwrap_or(0));
    let inside = 0..size_of_dim(input, dim);
    let named = [Named { index: &index, strides: along, inside, step }];
    GridPlaces { sizes: out.sizes(), near: (out, out.strides()), far: far(input, &strides), named: &named }.pick()
}

/// Indices along dimensions of a tensor, as `index` and `index_put_` have them.
pub(super) struct IndexedDims<'a> {
    pub(super) named: &'a [(usize, RawTensor)],
    pub(super) others: &'a [usize],
    pub(super) before: usize,
    pub(super) sizes: &'a [usize],
}

impl IndexedDims<'_> {
    /// Calls a function with the walk; whether all indices were inside.
    fn walk(&self, tensor: &RawTensor, near: &RawTensor, run: impl FnOnce(GridPlaces<'_>) -> Result<bool>) -> Result<bool> {
        let indices: Vec<RawTensor> = self.named.iter().map(|(_, index)| index.to_dtype(DType::I64)).collect::<Result<_>>()?;
        let (before, behind) = self.others.split_at(self.before);
        let stride = |dim: &usize| tensor.strides()[*dim];
        let count = self.named[0].1.rank();
        let strides: Dims = before.iter().map(stride).chain(std::iter::repeat_n(0, count)).chain(behind.iter().map(stride)).collect();
        let named: Vec<Named<'_>> = self
            .named
            .iter()
            .zip(&indices)
            .map(|((dim, broadcast), index)| {
                // A conversion has strides of its own.
                let own = crate::geometry::broadcast::broadcast_strides(index.sizes(), index.strides(), broadcast.sizes());
                let strides = before.iter().map(|_| 0).chain(own).chain(behind.iter().map(|_| 0)).collect();
                let size = tensor.sizes()[*dim].cast_signed() as i64;
                Named { index, strides, inside: -size..size, step: tensor.strides()[*dim] }
            })
            .collect();
        run(GridPlaces { sizes: self.sizes, near: (near, near.strides()), far: far(tensor, &strides), named: &named })
    }

    pub(super) fn pick(&self, input: &RawTensor, out: &RawTensor) -> Result<bool> {
        self.walk(input, out, |places| places.pick())
    }

    pub(super) fn put(&self, tensor: &RawTensor, values: &RawTensor) -> Result<bool> {
        self.walk(tensor, values, |places| places.put())
    }

    /// Adds values to what is there.
    pub(super) fn add(&self, tensor: &RawTensor, values: &RawTensor) -> Result<bool> {
        let is_truth = tensor.dtype() == DType::Bool;
        let (tensor, values) = (met(tensor), met(values).contiguous(MemoryFormat::Contiguous)?);
        // Of truths the sum is the larger byte.
        let kind = if is_truth { MeetKind::Greatest } else { MeetKind::Sum };
        self.walk(&tensor, &values, |places| places.meet(Meeting { kind, with_own: true, is_mean: false, parts: 0 }))
    }
}

/// Indices on the device of what they index: PyTorch moves those of the host there, and no others.
pub(super) fn beside(input: &RawTensor, index: &RawTensor) -> Result<RawTensor> {
    if index.device() == input.device() || index.is_meta() || index.device() == Device::CPU {
        return if input.is_on_cuda() && index.device() == Device::CPU { index.to_device(input.device()) } else { Ok(index.clone()) };
    }
    let device = input.device();
    Err(Error::runtime(format!("indices should be either on cpu or on the same device as the indexed tensor ({device})")))
}

/// A tensor as it meets others: truths are bytes.
fn met(tensor: &RawTensor) -> RawTensor {
    if tensor.dtype() == DType::Bool { tensor.as_bits() } else { tensor.clone() }
}

/// Elements at indices along a dimension, in the place of what is there or together with it.
pub(super) fn scatter(tensor: &RawTensor, dim: usize, indices: &RawTensor, source: &RawTensor, meeting: Option<Meeting>) -> Result<bool> {
    let source = if meeting.is_some() { source.contiguous(MemoryFormat::Contiguous)? } else { source.clone() };
    let index = indices.to_dtype(DType::I64)?;
    let (strides, step) = strides_around(tensor, dim, &index);
    let named = [Named { index: &index, strides: index.strides().clone(), inside: 0..size_of_dim(tensor, dim), step }];
    let places = GridPlaces { sizes: index.sizes(), near: (&source, source.strides()), far: far(tensor, &strides), named: &named };
    match meeting {
        Some(meeting) => places.meet(meeting),
        None => places.put(),
    }
}

/// The coordinates of the elements that aren't zero.
pub(super) fn nonzero(input: &RawTensor) -> Result<RawTensor> {
    coordinates(&input.to_dtype(DType::Bool)?.contiguous(MemoryFormat::Contiguous)?, input.sizes())
}

/// The elements for which a mask of the same sizes holds.
pub(super) fn masked_select(input: &RawTensor, mask: &RawTensor) -> Result<RawTensor> {
    together(&[input, mask])?;
    let row = input.contiguous(MemoryFormat::Contiguous)?;
    let mask = mask.contiguous(MemoryFormat::Contiguous)?;
    let found = coordinates(&mask, &[mask.numel()])?;
    let count = found.sizes()[0];
    let out = dense(&[count], input.dtype(), input)?;
    let size = row.numel().cast_signed() as i64;
    let named = [Named { index: &found, strides: Dims::from_slice(&[1]), inside: 0..size, step: 1 }];
    let places = GridPlaces { sizes: &[count], near: (&out, out.strides()), far: far(&row, &[0]), named: &named };
    places.pick().map(|_| out)
}

/// For each element of a matrix, how its distance from the diagonal compares with a number.
pub(super) fn compared(op: Op, rows: usize, columns: usize, diagonal: isize, device: Device) -> Result<RawTensor> {
    let count = |size: usize| RawTensor::from_vec((0..size.cast_signed() as i64).collect(), &[size])?.to_device(device);
    let (row, column) = (count(rows)?.unsqueeze(1)?, count(columns)?);
    let distance = apply(Op::Sub, &[(&column).into(), (&row).into()], &Params::none())?;
    apply(op, &[(&distance).into(), Scalar::Int(diagonal as i64).into()], &Params::none())
}

/// For each number of a class, truths: whether it is that of the column.
pub(super) fn equal_to_columns(classes: &RawTensor, count: usize) -> Result<RawTensor> {
    let columns = RawTensor::from_vec((0..count.cast_signed() as i64).collect(), &[count])?.to_device(classes.device())?;
    apply(Op::Eq, &[(&classes.unsqueeze(-1)?).into(), (&columns).into()], &Params::none())
}
