//! Order along a dimension: `sort`, `argsort`, `topk`. A NaN is larger than any number, and equal elements stay in their order.

use std::cmp::Ordering;
use std::sync::{Mutex, PoisonError};

use latten_spec::DType;
use latten_spec::reduction::Reduction;

#[cfg(feature = "cuda")]
use super::on_device;
use super::order::{FirstInOrder, Keyed, Order, in_order, sorted_places};
use super::short::{RankedRows, SHORT};
use super::{BLOCK, PART, reader, usize_of};
use crate::element::unsupported;
use crate::error::{Error, Result};
use crate::geometry::overlap::{Relation, partial_overlap_error};
use crate::geometry::strides::{contiguous_strides, preserve_strides};
use crate::geometry::{Dims, wrap_dim};
use crate::kernels::block::{Piece, Pieces, Reader, Writer};
use crate::kernels::parts::hand_out;
use crate::layout::MemoryFormat;
use crate::match_dtype;
use crate::outputs::{check_dtype, copied_apart, held};
use crate::plan::Target;
use crate::process::locked;
use crate::raw::RawTensor;
use crate::reduce::extremes::{CompareIn, Ordered};
use crate::reduce::result_dtype;
use crate::room::filled;
use crate::storage::{Access, Workspace};

/// Which elements `topk` looks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extreme {
    /// The largest.
    #[default]
    Largest,
    /// The smallest: PyTorch's `largest=False`.
    Smallest,
}

/// PyTorch's `largest`.
impl From<bool> for Extreme {
    fn from(largest: bool) -> Self {
        if largest { Self::Largest } else { Self::Smallest }
    }
}

/// The order of two elements, by which NaN comes last.
#[inline(always)]
pub(super) fn ordering<T: Ordered>(a: T, b: T) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// Rows along a dimension, which become their first elements in an order.
#[derive(Clone, Copy)]
struct FirstOfRows {
    dim: usize,
    order: Order,
    count: usize,
}

impl FirstOfRows {
    /// Writes the elements, in the dtype of the output, and their places.
    fn sort<T: Keyed>(self, access: &Access<'_>, input: &RawTensor, [values, places]: [&RawTensor; 2]) -> Result<()> {
        let inner = |tensor: &RawTensor| match tensor.rank() {
            0 => tensor.unsqueeze(0),
            _ => tensor.movedim(&[self.dim.cast_signed()], &[-1]),
        };
        let (input, values, places) = (inner(input)?, inner(values)?, inner(places)?);
        let size = input.sizes()[input.rank() - 1];
        let elements = reader::<T>(access, &input)?;
        let mut values = Writer::<T>::new(access, &values, values.dtype(), &[&input])?;
        let mut places = Writer::<i64>::new(access, &places, DType::I64, &[&input])?;
        if self.count == size && size > PART {
            return self.long(&elements, size, (&mut values, &mut places));
        }
        let pieces = Pieces::of((PART / size).max(1) * self.count);
        let failed = Mutex::new(Ok(()));
        hand_out(&mut values.pieces(pieces).zip(places.pieces(pieces)), &|_, (mut values, mut places)| {
            let both = (&mut values, &mut places);
            if let Err(error) = if size > SHORT { self.some(&elements, size, both) } else { self.short(&elements, size, both) } {
                *locked(&failed) = Err(error);
            }
        });
        failed.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whole rows, one after the other: threads share each.
    fn long<T: Keyed>(
        self,
        elements: &Reader<'_, T>,
        size: usize,
        (values, places): (&mut Writer<'_, T>, &mut Writer<'_, i64>),
    ) -> Result<()> {
        let (pieces, parts) = (Pieces { group: size, each: PART }, size.div_ceil(PART));
        let (mut converted, mut begin) = (Workspace::<T>::new(if elements.is_dense() { 0 } else { size })?, 0);
        let rows = values.len() / size;
        let mut both = values.pieces(pieces).zip(places.pieces(pieces));
        for _ in 0..rows {
            hand_out(&mut converted.chunks_mut(PART), &|part, to| elements.copy(begin + part * PART, to));
            let row = if elements.is_dense() { elements.read(begin, size, &mut []) } else { &converted[..] };
            in_order(row, self.order, &mut |ranks| {
                hand_out(&mut both.by_ref().take(parts), &|_, (mut values, mut places)| {
                    let first = values.first() - begin;
                    for at in (0..values.len()).step_by(BLOCK) {
                        let len = BLOCK.min(values.len() - at);
                        ranks(first + at, places.room(at, len), values.room(at, len));
                        places.put(at, len);
                        values.put(at, len);
                    }
                });
            })?;
            begin += size;
        }
        Ok(())
    }

    /// One thread's part of short rows, some at a time.
    fn short<T: Keyed>(
        self,
        elements: &Reader<'_, T>,
        size: usize,
        (values, places): (&mut Piece<'_, T>, &mut Piece<'_, i64>),
    ) -> Result<()> {
        let (begin, rows, together) = (values.first() / self.count, values.len() / self.count, BLOCK / size);
        let mut scratch = filled(if elements.is_dense() { 0 } else { together * size }, T::default())?;
        for first in (0..rows).step_by(together) {
            let some = together.min(rows - first);
            let (at, len) = (first * self.count, some * self.count);
            let elements = elements.read((begin + first) * size, some * size, &mut scratch);
            let (to, own) = (values.room(at, len), places.room(at, len));
            RankedRows { elements, sizes: [size, self.count], order: self.order, values: to, places: own }.sort();
            values.put(at, len);
            places.put(at, len);
        }
        Ok(())
    }

    /// One thread's part of the rows.
    fn some<T: Keyed>(
        self,
        elements: &Reader<'_, T>,
        size: usize,
        (values, places): (&mut Piece<'_, T>, &mut Piece<'_, i64>),
    ) -> Result<()> {
        let mut scratch = filled(if elements.is_dense() { 0 } else { size }, T::default())?;
        let mut found = filled(self.count, 0)?;
        let (begin, mut first) = (values.first() / self.count, FirstInOrder::new(self.count, size)?);
        for row in 0..values.len() / self.count {
            let elements = elements.read((begin + row) * size, size, &mut scratch);
            if self.count < size {
                first.places(elements, self.order, &mut found);
            } else {
                sorted_places(elements, self.order, &mut found)?;
            }
            for (found, at) in found.chunks(BLOCK).zip((row * self.count..).step_by(BLOCK)) {
                let room = values.room(at, found.len());
                room.iter_mut().zip(found).for_each(|(to, &place)| *to = elements[usize_of(place)]);
                values.put(at, found.len());
                places.room(at, found.len()).copy_from_slice(found);
                places.put(at, found.len());
            }
        }
        Ok(())
    }

    /// The outputs with the results.
    fn into(
        self,
        input: &RawTensor,
        dtype: DType,
        strides: &dyn Fn(&[usize]) -> Dims,
        targets: [Target<'_>; 2],
    ) -> Result<(RawTensor, RawTensor)> {
        let mut sizes: Dims = input.sizes().into();
        sizes.iter_mut().skip(self.dim).take(1).for_each(|size| *size = self.count);
        let strides = strides(&sizes);
        check_dtype(targets[0], dtype)?;
        check_dtype(targets[1], DType::I64)?;
        let output = |target: Target<'_>, dtype| target.output(&sizes, &strides, dtype, input);
        let (values, places) = (output(targets[0], dtype)?, output(targets[1], DType::I64)?);
        if !values.is_meta() && values.relation_to(&places) != Relation::Disjoint {
            return Err(partial_overlap_error());
        }
        if input.is_meta() || values.is_meta() || sizes.contains(&0) {
            return Ok((values.grown()?, places.grown()?));
        }
        let input = copied_apart(&copied_apart(input, &values)?, &places)?;
        // Rows whose elements lie apart are read faster from a copy.
        let far = input.strides().get(self.dim).is_some_and(|&stride| stride > 1) && input.sizes()[self.dim] > 1;
        let turned = |tensor: &RawTensor| -> Result<RawTensor> {
            let (dim, last) = (self.dim.cast_signed(), tensor.rank().cast_signed() - 1);
            tensor.movedim(&[dim], &[last])?.clone_as(MemoryFormat::Contiguous)?.movedim(&[last], &[dim])
        };
        let input = if far { turned(&input)? } else { input };
        let unsupported = || unsupported("sort", input.dtype());
        held(
            &[&values, &places],
            &[&input],
            |_| Ok(()),
            |access| match_dtype!(input.dtype(), T => self.sort::<<T as CompareIn>::In>(access, &input, [&values, &places]), else Err(unsupported())),
        )?;
        Ok((values, places))
    }
}

/// PyTorch's `sort(stable=True)`: the elements along a dimension in order, and where they were.
///
/// # Errors
/// Where the dimension isn't there, for complex numbers, and where an output has another dtype.
pub fn sort(input: &RawTensor, dim: isize, order: Order, targets: [Target<'_>; 2]) -> Result<(RawTensor, RawTensor)> {
    let dim = wrap_dim(dim, input.rank())?;
    let dtype = result_dtype(Reduction::Sort, input.dtype())?;
    #[cfg(feature = "cuda")]
    if input.is_on_cuda() {
        return on_device::sort(input, dim, order, (input.sizes(), &preserve_strides(input.sizes(), input.strides())), targets);
    }
    let count = input.sizes().get(dim).copied().unwrap_or(1);
    // PyTorch keeps the input's strides.
    FirstOfRows { dim, order, count }.into(input, dtype, &|_| preserve_strides(input.sizes(), input.strides()), targets)
}

/// PyTorch's `argsort(stable=True)`: where the elements along a dimension are, in order.
///
/// # Errors
/// As [`sort`].
pub fn argsort(input: &RawTensor, dim: isize, order: Order, target: Target<'_>) -> Result<RawTensor> {
    Ok(sort(input, dim, order, [Target::New, target])?.1)
}

/// PyTorch's `topk`: the largest or smallest elements along a dimension in order, and where they are.
///
/// # Errors
/// Where the dimension isn't there or has fewer elements, for bool and complex numbers, and where an output has another dtype.
pub fn topk(input: &RawTensor, count: isize, dim: isize, end: Extreme, targets: [Target<'_>; 2]) -> Result<(RawTensor, RawTensor)> {
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
        return Err(unsupported("topk_impl_loop", dtype));
    }
    let order = if end == Extreme::Largest { Order::Descending } else { Order::Ascending };
    // A tensor without dimensions is a row of one, however many are asked for.
    let count = if input.rank() == 0 { 1 } else { count };
    #[cfg(feature = "cuda")]
    if input.is_on_cuda() {
        let mut sizes: Dims = input.sizes().into();
        sizes.iter_mut().skip(dim).take(1).for_each(|size| *size = count);
        return on_device::sort(input, dim, order, (&sizes, &contiguous_strides(&sizes)), targets);
    }
    FirstOfRows { dim, order, count }.into(input, dtype, &contiguous_strides, targets)
}
