//! Discrete Fourier transforms of tensors on the host: along which dimensions, in which dtype, and where the results lie. Rows go through
//! transforms in `rows`; what PyTorch's `fft` asks for is in `call::spectra`.

mod numbers;
mod rows;
mod split;
mod steps;
mod transform;

use latten_spec::DType;
use num_complex::Complex;

use crate::device::Device;
use crate::element::Native;
use crate::error::{Error, Result};
use crate::geometry::strides::contiguous_strides;
use crate::layout::MemoryFormat;
use crate::outputs::{elements, is_all};
use crate::plan::Target;
use crate::raw::RawTensor;
use crate::storage::TypedStorage;
use crate::views::signed;

use numbers::Digits;
pub(crate) use rows::Turning;
use rows::{ComplexRows, FromHalf, FromReal, RealRows, RowKind, columns, inner, mirrored};
use transform::{Tables, has_steps};

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

/// Whether rows of single precision are computed in it. Few numbers cost little in double precision, and are rounded once; a convolution's parts
/// are larger than what they come to, so that single precision would lose too much.
fn in_single(size: usize) -> bool {
    const FEW: usize = 64;
    size > FEW && has_steps(size)
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

/// The tensor that is offered, its dimensions in an order, where it lies so that its numbers are a slice.
fn room<O: Native>(to: Target<'_>, order: &[usize]) -> Option<RawTensor> {
    let Target::Offered(out) = to else { return None };
    let laid = out.permute(&signed(order)).ok()?;
    let lends = || TypedStorage::<O>::of(laid.storage().clone()).slice_mut().is_ok();
    (is_all::<O>(&laid) && lends()).then_some(laid)
}

/// What becomes of the elements in an order of the dimensions: as many as the sizes say, in the same order.
fn made<I: Native, O: Native>(
    to: Target<'_>,
    input: &RawTensor,
    order: &[usize],
    sizes: &[usize],
    work: impl FnOnce(&[I], &mut [O]) -> Result<()>,
) -> Result<RawTensor> {
    let room = room::<O>(to, order);
    let result = Target::offering(room.as_ref()).fresh(sizes, &contiguous_strides(sizes), O::DTYPE, input.device())?;
    if !result.is_meta() && result.numel() > 0 {
        let host = result.to_device(Device::CPU)?;
        {
            let (from, to) = (elements::<I>(&input.permute(&signed(order))?)?, TypedStorage::<O>::of(host.storage().clone()));
            work(&from[..input.numel()], &mut to.slice_mut()?)?;
        }
        if !result.is_set_to(&host) {
            result.copy_(&host)?;
        }
    }
    result.permute(&inverse(order))
}

fn sizes(input: &RawTensor, order: &[usize]) -> Vec<usize> {
    order.iter().map(|&dim| input.sizes()[dim]).collect()
}

/// The rows of a tensor along the last dimension of an order, through a transform of `size` that gives so many numbers.
fn along<I: Native, O: Native, R: Tables, K: RowKind<I, O, R>>(
    to: Target<'_>,
    input: &RawTensor,
    order: &[usize],
    size: usize,
    factor: f64,
    kind: &K,
) -> Result<RawTensor> {
    let mut sizes = sizes(input, order);
    if let Some(last) = sizes.last_mut() {
        *last = kind.widths()[1];
    }
    made::<I, O>(to, input, order, &sizes, |from, to| rows::all::<_, _, R, _>(kind, size, factor, from, to))
}

/// Complex numbers along one dimension of an order, in which the results lie.
fn complex_along<T: Digits, R: Tables>(
    to: Target<'_>,
    input: &RawTensor,
    order: &[usize],
    dim: usize,
    factor: f64,
    kind: &ComplexRows,
) -> Result<RawTensor>
where
    Complex<T>: Native,
{
    /// So few columns are sooner turned on their side.
    const FEW: usize = 4;
    let sizes = sizes(input, order);
    let behind = order.iter().rev().take_while(|&&other| other != dim).count();
    let width: usize = sizes[sizes.len() - behind..].iter().product();
    if width >= FEW && has_steps(kind.size) {
        return made::<Complex<T>, Complex<T>>(to, input, order, &sizes, |from, to| columns::<T, R>(kind, width, factor, from, to));
    }
    let last: Vec<usize> = order.iter().copied().filter(|&other| other != dim).chain([dim]).collect();
    let to = if last == order { to } else { Target::New };
    laid(&along::<Complex<T>, Complex<T>, R, _>(to, input, &last, kind.size, factor, kind)?, order)
}

/// Complex numbers along dimensions, whose last one lies innermost in the result; each number times a factor.
///
/// # Errors
/// For other dtypes than complex ones of single and double precision, and where there is no memory.
pub(crate) fn complex(to: Target<'_>, input: &RawTensor, dims: &[usize], turning: Turning, factor: f64) -> Result<RawTensor> {
    along_all(to, input, dims, &order(input, dims), turning, factor)
}

/// The same of what [`of_real`] gives, along the other dimensions: the dimension that it went along stays the innermost one.
///
/// # Errors
/// As [`complex`].
pub(crate) fn complex_but_last(to: Target<'_>, input: &RawTensor, outer: &[usize], last: usize) -> Result<RawTensor> {
    along_all(to, input, outer, &order(input, &[outer, &[last]].concat()), Turning::Forward, 1.0)
}

fn along_all(to: Target<'_>, input: &RawTensor, dims: &[usize], order: &[usize], turning: Turning, factor: f64) -> Result<RawTensor> {
    check(input.dtype())?;
    let mut tensor = input.clone();
    // From the last one on, all lie in the order.
    for (at, &dim) in dims.iter().rev().enumerate() {
        let (size, factor) = (input.sizes()[dim], if at == 0 { factor } else { 1.0 });
        let kind = ComplexRows { size, turning };
        let to = if at + 1 == dims.len() { to } else { Target::New };
        tensor = match (input.dtype(), in_single(size)) {
            (DType::C128, _) => complex_along::<f64, f64>(to, &tensor, order, dim, factor, &kind)?,
            (_, true) => complex_along::<f32, f32>(to, &tensor, order, dim, factor, &kind)?,
            (_, false) => complex_along::<f32, f64>(to, &tensor, order, dim, factor, &kind)?,
        };
    }
    if dims.is_empty() { laid(&tensor, order) } else { Ok(tensor) }
}

/// All of what real numbers come to along dimensions, of the first half along the last one of them, whose size is this: the others are conjugates.
///
/// # Errors
/// As [`complex`].
pub(crate) fn whole(to: Target<'_>, half: &RawTensor, outer: &[usize], last: usize, size: usize) -> Result<RawTensor> {
    let order = order(half, &[outer, &[last]].concat());
    let mut sizes = sizes(half, &order);
    sizes[order.len() - 1] = size;
    let lists = &sizes[order.len() - 1 - outer.len()..order.len() - 1];
    fn of<T: Digits>(to: Target<'_>, half: &RawTensor, order: &[usize], sizes: &[usize], lists: &[usize]) -> Result<RawTensor>
    where
        Complex<T>: Native,
    {
        made::<Complex<T>, _>(to, half, order, sizes, |from, all| {
            mirrored(lists, sizes[sizes.len() - 1], from, all);
            Ok(())
        })
    }
    if half.dtype() == DType::C128 { of::<f64>(to, half, &order, &sizes, lists) } else { of::<f32>(to, half, &order, &sizes, lists) }
}

/// Real numbers along a dimension: the first half of what comes out, with the one in the middle, or all of it.
///
/// # Errors
/// As [`complex`], for real dtypes.
pub(crate) fn of_real(to: Target<'_>, input: &RawTensor, dim: usize, factor: f64, is_whole: bool) -> Result<RawTensor> {
    fn rows<R: Tables>(size: usize, is_whole: bool) -> Result<FromReal<R>> {
        Ok(FromReal { rows: RealRows::new(size)?, is_whole })
    }
    check(input.dtype())?;
    let (order, size) = (order(input, &[dim]), input.sizes()[dim]);
    let inner = inner(size);
    match (input.dtype(), in_single(inner)) {
        (DType::F64, _) => along::<f64, Complex<f64>, f64, _>(to, input, &order, inner, factor, &rows(size, is_whole)?),
        (_, true) => along::<f32, Complex<f32>, f32, _>(to, input, &order, inner, factor, &rows(size, is_whole)?),
        (_, false) => along::<f32, Complex<f32>, f64, _>(to, input, &order, inner, factor, &rows(size, is_whole)?),
    }
}

/// The way back, to so many real numbers.
///
/// # Errors
/// As [`complex`].
pub(crate) fn from_half(to: Target<'_>, input: &RawTensor, dim: usize, size: usize, factor: f64) -> Result<RawTensor> {
    check(input.dtype())?;
    let order = order(input, &[dim]);
    let inner = inner(size);
    match (input.dtype(), in_single(inner)) {
        (DType::C128, _) => along::<Complex<f64>, f64, f64, _>(to, input, &order, inner, factor, &FromHalf(RealRows::new(size)?)),
        (_, true) => along::<Complex<f32>, f32, f32, _>(to, input, &order, inner, factor, &FromHalf(RealRows::new(size)?)),
        (_, false) => along::<Complex<f32>, f32, f64, _>(to, input, &order, inner, factor, &FromHalf(RealRows::new(size)?)),
    }
}
