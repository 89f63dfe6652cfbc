//! Elements put where indices and masks say, and the indices of parts of matrices: declared in terms of other calls.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::composites::rows_at;
use super::curves::chosen;
use super::value::{Value, binary, unary};
use super::windows::tuple;
use super::{CallArgument, Function, named, one};
use crate::create::Options;
use crate::element::unsupported;
use crate::elementwise::{RawOperand, Target};
use crate::error::{Error, Result};
use crate::geometry::broadcast::broadcast_shapes;
use crate::geometry::{numel, wrap_dim};
use crate::indexing::{self, Accumulate, Half, IncludeSelf, ScatterReduce};
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::reduce::Along;
use crate::room::room;
use crate::scalar::Scalar;
use crate::views::signed;

fn flat(tensor: &RawTensor) -> Result<RawTensor> {
    one(Function::Reshape, &[tensor.into(), CallArgument::Ints(&[-1])])
}

/// PyTorch's `masked_scatter`: the first elements of a tensor, in the places where a mask is true.
pub(super) fn masked_scatter(input: &RawTensor, mask: &RawTensor, source: &RawTensor) -> Result<RawTensor> {
    let sizes = signed(&broadcast_shapes(&[mask.sizes(), input.sizes()])?);
    if mask.dtype() != DType::Bool {
        return Err(Error::runtime(format!("masked_scatter_ only supports boolean masks, but got mask with dtype {}", named(mask))));
    }
    if input.dtype() != source.dtype() {
        let (own, there) = (named(input), named(source));
        return Err(Error::runtime(format!("masked_scatter: expected self and source to have same dtypes but got{own} and {there}")));
    }
    let wide = |tensor: &RawTensor| one(Function::Expand, &[tensor.into(), CallArgument::Ints(&sizes)]);
    let (input, mask) = (wide(input)?, wide(mask)?);
    let wanted = Value::from(&mask).reduced(Reduction::Sum, &Along::all())?;
    if wanted.known()?.is_some_and(|wanted| wanted.to_f64() > source.numel() as f64) {
        return Err(Error::runtime("Number of elements of source < number of ones in mask"));
    }
    if source.numel() == 0 || mask.numel() == 0 {
        return one(Function::Clone, &[(&input).into()]);
    }
    let number = Value::from(flat(&mask)?).then(Function::Cumsum, &[0.into()])?;
    let place = binary(Op::ClampMin, &binary(Op::Sub, &number, 1), 0).tensor()?;
    let source = one(Function::Take, &[source.into(), (&place).into()])?;
    let source = one(Function::View, &[(&source).into(), CallArgument::Ints(&sizes)])?;
    chosen(mask.into(), source, input).tensor()
}

/// PyTorch's `put_`: elements at places, which count all elements of a tensor in row-major order.
pub(super) fn put_in_place(input: &RawTensor, index: &RawTensor, source: &RawTensor, accumulate: Accumulate) -> Result<()> {
    if index.dtype() != DType::I64 {
        return Err(Error::runtime(format!("put_(): Expected a long tensor for index, but got {}", named(index))));
    }
    if input.dtype() != source.dtype() {
        let (own, there) = (named(input), named(source));
        return Err(Error::runtime(format!(
            "put_(): self and source expected to have the same dtype, but got self.dtype = {own} and source.dtype = {there}"
        )));
    }
    let (count, places) = (source.numel(), index.numel());
    if count != places {
        return Err(Error::index(format!(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = {count}, index.numel() = {places}"
        )));
    }
    let all = input.numel();
    if all == 0 && places > 0 {
        return Err(Error::index("put_(): Tried to put elements into an empty tensor"));
    }
    if places == 0 {
        return Ok(());
    }
    let lowest = |reduction| Value::from(index).reduced(reduction, &Along::all())?.item();
    if !index.is_meta() {
        for found in [lowest(Reduction::Min)?, lowest(Reduction::Max)?] {
            let Scalar::Int(found) = found else { continue };
            if found >= all as i64 || found < -(all as i64) {
                return Err(Error::index(format!("out of range: tried to access index {found} on a tensor of {all} elements.")));
            }
        }
    }
    let (index, source) = (flat(index)?, flat(source)?);
    if let Ok(row) = input.view(&[-1]) {
        return indexing::index_put_in_place(&row, &[Some(&index)], &source, accumulate);
    }
    let places = unravel_index(&index, &signed(input.sizes()))?;
    let places: Vec<Option<&RawTensor>> = places.iter().map(Some).collect();
    indexing::index_put_in_place(input, &places, &source, accumulate)
}

/// That a row of indices has as many as another tensor has places along a dimension.
fn check_rows(input: &RawTensor, dim: isize, index: &RawTensor, source: &RawTensor) -> Result<usize> {
    let place = wrap_dim(dim, input.rank())?;
    let (rank, own, there) = (index.rank(), input.rank(), source.rank());
    if rank > 1 {
        return Err(Error::index(format!("index_copy_(): Index should have dimension 1 or 0 (got {rank})")));
    }
    let count = index.numel();
    if there == 0 && count != 1 {
        return Err(Error::index(format!("index_copy_(): When source is scalar, index should have one element (got {count})")));
    }
    if own != there && own != 0 && there != 0 {
        return Err(Error::index(format!(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source dimensionality ({there}), \
             destination dimensionality ({own})"
        )));
    }
    if index.dtype() != DType::I64 {
        return Err(Error::runtime(format!("index_copy_(): Expected a long tensor for index, but got {}", named(index))));
    }
    if input.dtype() != source.dtype() {
        let (own, there) = (named(input), named(source));
        return Err(Error::runtime(format!(
            "index_copy_(): self and source expected to have the same dtype, but got (self) {own} and (source) {there}"
        )));
    }
    let slice = |tensor: &RawTensor| {
        let sizes = tensor.sizes().iter().enumerate().filter(|(at, _)| *at != place).map(|(_, size)| size.to_string());
        sizes.collect::<Vec<_>>().join(" ")
    };
    if there > 0 && own > 0 && slice(input) != slice(source) {
        let (own, there) = (slice(input), slice(source));
        return Err(Error::runtime(format!(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: {own} at dimension {place} and \
             source slice shape: {there} at dimension 0."
        )));
    }
    let rows = source.sizes().get(place).copied().unwrap_or(1);
    if there > 0 && count != rows {
        return Err(Error::index(format!("index_copy_(): Number of indices ({count}) should be equal to source.size(dim) ({rows})")));
    }
    Ok(place)
}

/// PyTorch's `index_copy`: places of another tensor, at the places along a dimension that a row of indices names, in a copy.
pub(super) fn index_copy(to: Target<'_>, input: &RawTensor, dim: isize, index: &RawTensor, source: &RawTensor) -> Result<RawTensor> {
    let (rows, place) = checked_rows(input, dim, index, source)?;
    // On a device elements are put in steps, of which a later one may be refused.
    let out = match to.admitting(input, &[input, index, source]).filter(|out| !out.is_on_cuda()) {
        Some(out) => out.clone(),
        None => input.empty_like(input.dtype(), MemoryFormat::Preserve)?,
    };
    let [input, index, source] = rows;
    let mut indices = vec![None; place];
    indices.push(Some(&index));
    indexing::index_put_over(&input, &as_row(&out)?, &indices, &source)?;
    Ok(out)
}

/// PyTorch's `index_copy_`.
pub(super) fn index_copy_in_place(input: &RawTensor, dim: isize, index: &RawTensor, source: &RawTensor) -> Result<()> {
    let ([input, index, source], place) = checked_rows(input, dim, index, source)?;
    let mut indices = vec![None; place];
    indices.push(Some(&index));
    indexing::index_put_in_place(&input, &indices, &source, Accumulate::No)
}

/// The tensor, or a row of its only element.
fn as_row(tensor: &RawTensor) -> Result<RawTensor> {
    if tensor.rank() == 0 { tensor.view(&[1]) } else { Ok(tensor.clone()) }
}

/// The tensors as rows, and which dimension the indices go along, where all fit.
fn checked_rows(input: &RawTensor, dim: isize, index: &RawTensor, source: &RawTensor) -> Result<([RawTensor; 3], usize)> {
    let place = check_rows(input, dim, index, source)?;
    let size = input.sizes().get(place).copied().unwrap_or(1);
    if !index.is_meta() && index.numel() > 0 {
        for reduction in [Reduction::Min, Reduction::Max] {
            let found = Value::from(index).reduced(reduction, &Along::all())?.item()?;
            if let Scalar::Int(found) = found
                && !(0..size as i64).contains(&found)
            {
                return Err(Error::index(format!("index_copy_(): index {found} is out of bounds for dimension {place} with size {size}")));
            }
        }
    }
    Ok(([as_row(input)?, as_row(index)?, as_row(source)?], place))
}

/// PyTorch's `index_reduce`: places of another tensor, joined to the places along a dimension that a row of indices names.
pub(super) fn index_reduce(
    to: Target<'_>,
    input: &RawTensor,
    dim: isize,
    index: &RawTensor,
    source: &RawTensor,
    (reduce, own): (&str, IncludeSelf),
) -> Result<RawTensor> {
    if !["prod", "mean", "amax", "amin"].contains(&reduce) {
        return Err(Error::runtime(format!("index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")));
    }
    let (_, place) = rows_at("index_reduce_", input, dim, index, source)?;
    let mut along = vec![1; source.rank()];
    if let Some(size) = along.get_mut(place) {
        *size = -1;
    }
    let indices = Value::from(index).then(Function::Reshape, &[CallArgument::Ints(&along)])?;
    let indices = indices.then(Function::Expand, &[CallArgument::Ints(&signed(source.sizes()))])?.tensor()?;
    let arguments = [input.into(), dim.into(), (&indices).into(), source.into(), reduce.into(), own.into()];
    to.last(Function::ScatterReduce, &arguments)
}

/// PyTorch's `scatter` and `scatter_reduce` with a word for how, which is looked at last.
pub(super) fn scatter_by(
    to: Target<'_>,
    input: &RawTensor,
    dim: isize,
    index: &RawTensor,
    source: RawOperand<'_>,
    (how, own): (Result<ScatterReduce>, IncludeSelf),
) -> Result<RawTensor> {
    indexing::check_scatter(input, dim, index, source)?;
    indexing::scatter(input, dim, index, source, (how?, own), to)
}

/// PyTorch's `tril_indices` and `triu_indices`: rows and columns of a part of a matrix.
pub(super) fn triangle_indices(half: Half, [rows, columns]: [isize; 2], offset: isize, options: &Options) -> Result<RawTensor> {
    for (name, count) in [("row", rows), ("col", columns)] {
        if count < 0 {
            return Err(Error::runtime(format!("{name} must be non-negative, got{count}")));
        }
    }
    let dtype = options.dtype.unwrap_or(DType::I64);
    if !matches!(dtype, DType::I32 | DType::I64) {
        let name = if half == Half::Lower { "tril_indices" } else { "triu_indices" };
        return Err(unsupported(name, dtype));
    }
    // Others have no element of the triangle, however many they are.
    let rows_in = match half {
        Half::Lower if columns == 0 => 0..0,
        Half::Lower => offset.saturating_neg().clamp(0, rows)..rows,
        Half::Upper => 0..columns.saturating_sub(offset).clamp(0, rows),
    };
    room::<[i64; 2]>(rows_in.len())?;
    let of_row = |row: isize| {
        let at = row.saturating_add(offset);
        match half {
            Half::Lower => 0..at.saturating_add(1).clamp(0, columns),
            Half::Upper => at.clamp(0, columns)..columns,
        }
    };
    let count = rows_in.clone().try_fold(0_usize, |count, row| count.checked_add(of_row(row).len())).unwrap_or(usize::MAX);
    let mut numbers = room::<i64>(numel(&[2, count])?)?;
    numbers.extend(rows_in.clone().flat_map(|row| of_row(row).map(move |_| row as i64)));
    numbers.extend(rows_in.flat_map(|row| of_row(row).map(|column| column as i64)));
    let indices = RawTensor::from_vec(numbers, &[2, count])?.to_dtype(dtype)?;
    options.device.map_or(Ok(indices.clone()), |device| indices.to_device(device))
}

/// PyTorch's `unravel_index`: of places that count all elements of a shape, the index along each dimension.
pub(super) fn unravel_index(indices: &RawTensor, shape: &[isize]) -> Result<Vec<RawTensor>> {
    if !indices.dtype().is_integral() || indices.dtype() == DType::Bool {
        let found = format!("{:?}", indices.dtype());
        return Err(Error::type_error(format!("expected 'indices' to be integer dtype, but got {found}")));
    }
    if shape.iter().any(|&size| size < 0) {
        return Err(Error::value(format!("'shape' cannot have negative values, but got {}", tuple(shape))));
    }
    if shape.contains(&0) && indices.numel() > 0 {
        let found = tuple(shape);
        return Err(Error::value(format!("'shape' cannot have zero dimensions when 'indices' is non-empty, but got {found}")));
    }
    let mut inner: Vec<i64> = vec![1; shape.len()];
    for at in (1..shape.len()).rev() {
        inner[at - 1] = inner[at].saturating_mul(shape[at] as i64);
    }
    let along = |numbers: Vec<i64>| RawTensor::from_vec(numbers, &[shape.len()])?.to_device(indices.device());
    let (inner, sizes) = (along(inner)?, along(shape.iter().map(|&size| size as i64).collect())?);
    let rows = Value::from(indices).then(Function::Unsqueeze, &[CallArgument::Int(-1)])?;
    let places = binary(Op::Remainder, &binary(Op::DivFloor, &rows, inner), sizes).tensor()?;
    super::run(super::Call::new(Function::Unbind, &[(&places).into(), CallArgument::Int(-1)]))?.several()
}

/// That indices are integers.
fn check_indices(indices: &[Option<&RawTensor>]) -> Result<()> {
    match indices.iter().flatten().find(|index| !matches!(index.dtype(), DType::I32 | DType::I64)) {
        Some(other) => Err(Error::runtime(format!("_unsafe_masked_index found unexpected index type {}", named(other)))),
        None => Ok(()),
    }
}

/// Indices that lie inside a tensor: those beyond it are at its nearest end.
fn held_inside(input: &RawTensor, indices: &[Option<&RawTensor>]) -> Result<Vec<Option<RawTensor>>> {
    let (count, rank) = (indices.len(), input.rank());
    if count > rank {
        return Err(Error::index(format!("too many indices for tensor of dimension {rank} (got {count})")));
    }
    let each = indices.iter().zip(input.sizes()).map(|(index, &size)| {
        let Some(index) = index else { return Ok(None) };
        let low = binary(Op::ClampMin, &(*index).into(), -(size as i64));
        binary(Op::ClampMax, &low, size as i64 - 1).tensor().map(Some)
    });
    each.collect()
}

/// PyTorch's `_unsafe_masked_index`: elements by indices where a mask is true, a number elsewhere.
pub(super) fn masked_index(input: &RawTensor, mask: &RawTensor, indices: &[Option<&RawTensor>], fill: Scalar) -> Result<RawTensor> {
    check_indices(indices)?;
    let unseen = unary(Op::LogicalNot, &mask.into()).tensor()?;
    let held = held_inside(input, indices)?;
    let held: Vec<Option<&RawTensor>> = held.iter().map(Option::as_ref).collect();
    let found = one(Function::Index, &[input.into(), CallArgument::Indices(&held)])?;
    one(Function::MaskedFill, &[(&found).into(), (&unseen).into(), CallArgument::Number(fill)])
}

/// PyTorch's `_unsafe_masked_index_put_accumulate`: what stands where a mask is true is added at indices.
pub(super) fn masked_index_put(
    input: &RawTensor,
    mask: &RawTensor,
    indices: &[Option<&RawTensor>],
    values: &RawTensor,
) -> Result<RawTensor> {
    check_indices(indices)?;
    let unseen = unary(Op::LogicalNot, &mask.into()).tensor()?;
    let values = one(Function::MaskedFill, &[values.into(), (&unseen).into(), CallArgument::Number(Scalar::Int(0))])?;
    let held = held_inside(input, indices)?;
    let held: Vec<Option<&RawTensor>> = held.iter().map(Option::as_ref).collect();
    one(Function::IndexPut, &[input.into(), CallArgument::Indices(&held), (&values).into(), true.into()])
}

/// PyTorch's `native_dropout_backward`: a gradient where elements were kept, times a number.
pub(super) fn kept_gradient(g: &RawTensor, mask: &RawTensor, scale: f64) -> Result<RawTensor> {
    binary(Op::Mul, &g.into(), binary(Op::Mul, &Value::from(mask).cast(g.dtype()), scale)).tensor()
}
