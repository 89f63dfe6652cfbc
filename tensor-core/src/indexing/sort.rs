//! Order along a dimension: `sort`, `argsort`, `topk`. A NaN is larger than any number, and equal elements stay in their order.

use std::cmp::Ordering;
use std::marker::PhantomData;

use latten_spec::DType;
use latten_spec::reduction::Reduction;

use super::dense;
#[cfg(feature = "cuda")]
use super::on_device;
use crate::error::{Error, Result};
use crate::geometry::wrap_dim;
use crate::layout::MemoryFormat;
use crate::match_dtype;
use crate::raw::RawTensor;
use crate::reduce::extremes::{CompareIn, Ordered};
use crate::reduce::result_dtype;
use crate::reduce::rows::{RowMap, new_rows};

/// Which elements come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The smallest.
    #[default]
    Ascending,
    /// The largest: PyTorch's `descending=True`.
    Descending,
}

/// Which elements `topk` looks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// The largest.
    #[default]
    Largest,
    /// The smallest: PyTorch's `largest=False`.
    Smallest,
}

/// The order of two elements, by which NaN comes last.
#[inline(always)]
pub(super) fn ordering<T: Ordered>(a: T, b: T) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// The first so many elements of each row, in order, and their places.
struct Sorted<T> {
    order: Order,
    count: Option<usize>,
    element: PhantomData<fn() -> T>,
}

impl<T: Ordered> Sorted<T> {
    #[inline(always)]
    fn compare(&self, a: &(T, i64), b: &(T, i64)) -> Ordering {
        match self.order {
            Order::Ascending => ordering(a.0, b.0),
            Order::Descending => ordering(b.0, a.0),
        }
    }
}

impl<T: Ordered> RowMap for Sorted<T> {
    type In = T;
    type Out = T;
    const PLACES: bool = true;

    fn results(&self, count: usize) -> usize {
        self.count.unwrap_or(count)
    }

    fn run(&self, row: &[T], out: &mut [T], places: &mut [i64]) {
        let mut all: Vec<(T, i64)> = row.iter().copied().zip(0..).collect();
        if out.len() < all.len() {
            // Places tell equal elements apart.
            all.select_nth_unstable_by(out.len(), |a, b| self.compare(a, b).then(a.1.cmp(&b.1)));
            all.truncate(out.len());
            all.sort_unstable_by(|a, b| self.compare(a, b).then(a.1.cmp(&b.1)));
        } else {
            all.sort_by(|a, b| self.compare(a, b));
        }
        for ((value, place), (to, at)) in all.into_iter().zip(out.iter_mut().zip(places)) {
            (*to, *at) = (value, place);
        }
    }
}

/// The sorted elements in the dtype that they are compared in, and their places; both contiguous.
fn ordered(input: &RawTensor, dim: usize, order: Order, count: Option<usize>) -> Result<(RawTensor, RawTensor)> {
    fn run<T: Ordered>(input: &RawTensor, dim: usize, order: Order, count: Option<usize>) -> Result<(RawTensor, RawTensor)> {
        let (values, places) = new_rows(input, dim, &Sorted::<T> { order, count, element: PhantomData })?;
        places.map(|places| (values, places)).ok_or_else(|| Error::runtime("a sorted row has places"))
    }
    match_dtype!(input.dtype(), T => run::<<T as CompareIn>::In>(input, dim, order, count), else result_dtype(Reduction::Sort, input.dtype()).and_then(|_| {
        Err(Error::not_implemented(format!("\"sort\" not implemented for '{}'", input.dtype().message_name())))
    }))
}

/// PyTorch's `sort(stable=True)`: the elements along a dimension in order, and where they were.
///
/// # Errors
/// Where the dimension isn't there, and for complex numbers.
pub fn sort(input: &RawTensor, dim: isize, order: Order) -> Result<(RawTensor, RawTensor)> {
    let dim = wrap_dim(dim, input.rank())?;
    let dtype = result_dtype(Reduction::Sort, input.dtype())?;
    #[cfg(feature = "cuda")]
    if input.is_on_cuda() {
        let (values, places) = sort(&on_device::host(input)?, dim.cast_signed(), order)?;
        return Ok((values.to_device(input.device())?, places.to_device(input.device())?));
    }
    let (values, places) = ordered(input, dim, order, None)?;
    // PyTorch keeps the input's strides.
    let like_input = |sorted: RawTensor, dtype: DType| -> Result<RawTensor> {
        let out = input.empty_like(dtype, MemoryFormat::Preserve)?;
        if dtype == sorted.dtype() && out.strides() == sorted.strides() {
            return Ok(sorted);
        }
        out.copy_(&sorted)?;
        Ok(out)
    };
    Ok((like_input(values, dtype)?, like_input(places, DType::I64)?))
}

/// PyTorch's `argsort(stable=True)`: where the elements along a dimension are, in order.
///
/// # Errors
/// As [`sort`].
pub fn argsort(input: &RawTensor, dim: isize, order: Order) -> Result<RawTensor> {
    Ok(sort(input, dim, order)?.1)
}

/// PyTorch's `topk`: the largest or smallest elements along a dimension in order, and where they are.
///
/// # Errors
/// Where the dimension isn't there or has fewer elements, and for bool and complex numbers.
pub fn topk(input: &RawTensor, count: isize, dim: isize, end: End) -> Result<(RawTensor, RawTensor)> {
    let dim = wrap_dim(dim, input.rank())?;
    let size = input.sizes().get(dim).copied().unwrap_or(1);
    let Some(count) = usize::try_from(count).ok().filter(|&count| count <= size) else {
        return Err(Error::runtime("selected index k out of range"));
    };
    let dtype = input.dtype();
    if dtype.is_complex() {
        return Err(Error::type_error(" topk does not support complex dtypes on CPU"));
    }
    if dtype == DType::Bool {
        return Err(Error::not_implemented("topk does not support bool dtypes on CPU"));
    }
    if !dtype.is_computing() {
        return Err(Error::not_implemented(format!("\"topk_impl_loop\" not implemented for '{}'", dtype.message_name())));
    }
    if input.rank() == 0 {
        let place = dense(&[], DType::I64, input)?;
        place.zero_()?;
        return Ok((input.clone_as(MemoryFormat::Contiguous)?, place));
    }
    #[cfg(feature = "cuda")]
    if input.is_on_cuda() {
        let (values, places) = topk(&on_device::host(input)?, count.cast_signed(), dim.cast_signed(), end)?;
        return Ok((values.to_device(input.device())?, places.to_device(input.device())?));
    }
    let order = if end == End::Largest { Order::Descending } else { Order::Ascending };
    let (values, places) = ordered(input, dim, order, Some(count))?;
    Ok((values.to_dtype(dtype)?, places))
}
