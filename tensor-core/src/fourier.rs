//! Discrete Fourier transforms of tensors on the host: along which dimensions, in which dtype, and where the results lie. Rows go through
//! transforms in `rows`; what PyTorch's `fft` asks for is in `call::spectra`.

mod rows;
mod transform;

use latten_spec::DType;
use num_complex::Complex;

use crate::element::Native;
use crate::error::{Error, Result};
use crate::geometry::strides::contiguous_strides;
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::storage::TypedStorage;
use crate::views::signed;

pub(crate) use rows::Turning;
use rows::{ComplexRows, FromHalf, RealRows, RowKind, ToHalf};
use transform::Transform;

/// That a dtype is transformed.
///
/// # Errors
/// If it isn't of single or double precision.
fn check(dtype: DType) -> Result<()> {
    match dtype {
        DType::F32 | DType::F64 | DType::C64 | DType::C128 => Ok(()),
        // others: PyTorch transforms none of them on a CPU.
        _ => Err(Error::not_implemented(format!("MKL FFT doesn't support tensors of type: {}", dtype.to_real().message_name()))),
    }
}

/// The dimensions in the order in which results lie: those that aren't transformed by their strides, then the others as they are given.
fn order(input: &RawTensor, dims: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..input.rank()).filter(|dim| !dims.contains(dim)).collect();
    order.sort_by_key(|&dim| std::cmp::Reverse(input.strides()[dim]));
    order.extend(dims);
    order
}

fn inverse(order: &[usize]) -> Vec<isize> {
    let mut places = vec![0; order.len()];
    for (place, &dim) in order.iter().enumerate() {
        places[dim] = place.cast_signed();
    }
    places
}

/// A tensor whose dimensions lie in this order.
fn laid(tensor: &RawTensor, order: &[usize]) -> Result<RawTensor> {
    tensor.permute(&signed(order))?.contiguous(MemoryFormat::Contiguous)?.permute(&inverse(order))
}

/// The rows of a tensor along the last dimension of an order, through a transform of `size` that gives so many numbers.
fn along<I: Native, O: Native, K: RowKind<I, O>>(
    input: &RawTensor,
    order: &[usize],
    size: usize,
    factor: f64,
    kind: &K,
) -> Result<RawTensor> {
    let mut sizes: Vec<usize> = order.iter().map(|&dim| input.sizes()[dim]).collect();
    if let Some(last) = sizes.last_mut() {
        *last = kind.widths()[1];
    }
    let result = RawTensor::empty(&sizes, &contiguous_strides(&sizes), O::NATIVE, input.device())?;
    if !result.is_meta() && result.numel() > 0 {
        let from = input.permute(&signed(order))?.contiguous(MemoryFormat::Contiguous)?.to_device(crate::device::Device::CPU)?;
        let (start, count) = (from.storage_offset(), from.numel());
        let host = result.to_device(crate::device::Device::CPU)?;
        {
            let (from, to) = (TypedStorage::<I>::of(from.storage), TypedStorage::<O>::of(host.storage.clone()));
            rows::all(kind, &Transform::new(size)?, factor, &from.slice()?[start..][..count], &mut to.slice_mut()?)?;
        }
        if !result.is_set_to(&host) {
            result.copy_(&host)?;
        }
    }
    result.permute(&inverse(order))
}

/// Complex numbers along dimensions, whose last one lies innermost in the result; each number times a factor.
///
/// # Errors
/// For other dtypes than complex ones of single and double precision, and where there is no memory.
pub(crate) fn complex(input: &RawTensor, dims: &[usize], turning: Turning, factor: f64) -> Result<RawTensor> {
    along_all(input, dims, &order(input, dims), turning, factor)
}

/// The same of what [`to_half`] gives, along the other dimensions: the dimension that was halved stays the innermost one.
///
/// # Errors
/// As [`complex`].
pub(crate) fn complex_but_last(input: &RawTensor, outer: &[usize], last: usize) -> Result<RawTensor> {
    along_all(input, outer, &order(input, &[outer, &[last]].concat()), Turning::Forward, 1.0)
}

fn along_all(input: &RawTensor, dims: &[usize], last: &[usize], turning: Turning, factor: f64) -> Result<RawTensor> {
    check(input.dtype())?;
    let mut tensor = input.clone();
    for (at, &dim) in dims.iter().enumerate() {
        let mut order: Vec<usize> = last.iter().copied().filter(|&other| other != dim).collect();
        order.push(dim);
        let (size, factor) = (input.sizes()[dim], if at == 0 { factor } else { 1.0 });
        let kind = ComplexRows { size, turning };
        tensor = if input.dtype() == DType::C128 {
            along::<Complex<f64>, Complex<f64>, _>(&tensor, &order, size, factor, &kind)?
        } else {
            along::<Complex<f32>, Complex<f32>, _>(&tensor, &order, size, factor, &kind)?
        };
    }
    laid(&tensor, last)
}

/// Real numbers along a dimension: the first half of what comes out, with the one in the middle.
///
/// # Errors
/// As [`complex`], for real dtypes.
pub(crate) fn to_half(input: &RawTensor, dim: usize, factor: f64) -> Result<RawTensor> {
    check(input.dtype())?;
    let (order, size) = (order(input, &[dim]), input.sizes()[dim]);
    let rows = RealRows::new(size)?;
    if input.dtype() == DType::F64 {
        along::<f64, Complex<f64>, _>(input, &order, rows.inner(), factor, &ToHalf(rows))
    } else {
        along::<f32, Complex<f32>, _>(input, &order, rows.inner(), factor, &ToHalf(rows))
    }
}

/// The way back, to so many real numbers.
///
/// # Errors
/// As [`complex`].
pub(crate) fn from_half(input: &RawTensor, dim: usize, size: usize, factor: f64) -> Result<RawTensor> {
    check(input.dtype())?;
    let order = order(input, &[dim]);
    let rows = RealRows::new(size)?;
    if input.dtype() == DType::C128 {
        along::<Complex<f64>, f64, _>(input, &order, rows.inner(), factor, &FromHalf(rows))
    } else {
        along::<Complex<f32>, f32, _>(input, &order, rows.inner(), factor, &FromHalf(rows))
    }
}
