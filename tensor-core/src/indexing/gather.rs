//! Elements by their indices along a dimension: `gather`, `take`, `index_select`, `embedding`, `repeat_interleave`.

use latten_spec::DType;

#[cfg(feature = "cuda")]
use super::on_device;
use super::table::Table;
use super::{Indices, OffsetStep, Offsets, Outside, is_index, out_of_bounds, output, pick, reader, size_of_dim, strides_around, usize_of};
use crate::element::unsupported;
use crate::error::{Error, Result};
use crate::geometry::overlap::check_output_overlap;
use crate::geometry::{Dims, Geometry, wrap_dim};
use crate::layout::MemoryFormat;
use crate::outputs::{apart, check_dtype, held};
use crate::plan::Target;
use crate::raw::{RawTensor, type_name};
use crate::room::room;
use crate::storage::Access;
use crate::views::signed;

/// PyTorch's `gather`: along a dimension, the elements that the indices name; the result has their shape.
///
/// # Errors
/// Where the dimension isn't there, an index is out of range, or the indices aren't integers of a shape that fits.
pub fn gather(input: &RawTensor, dim: isize, indices: &RawTensor, target: Target<'_>) -> Result<RawTensor> {
    let dim = wrap_dim(dim, input.rank())?;
    let count = indices.numel();
    if count > 0 {
        if !is_index(indices.dtype()) {
            return Err(Error::runtime("gather(): Expected dtype int32/int64 for index"));
        }
        check_gather_shape(input, dim, indices)?;
    }
    check_dtype(target, input.dtype())?;
    let out = output(target, indices.sizes(), input.dtype(), input)?;
    let (input, indices) = (&apart(input, &out)?, &apart(indices, &out)?);
    if out.is_meta() || indices.is_meta() || count == 0 {
        return out.grown();
    }
    #[cfg(feature = "cuda")]
    if input.is_on_cuda() {
        let on_host = || gather(&on_device::host(input)?, dim.cast_signed(), &on_device::host(indices)?, Target::New);
        return on_device::into(target, out, |out| on_device::checked(on_device::gather(input, dim, indices, &out)?, out, on_host));
    }
    let size = size_of_dim(input, dim);
    let (strides, stride) = strides_around(input, dim, indices);
    let walk =
        Offsets::new(input.storage_offset(), indices.sizes().iter().zip(strides).map(|(&size, stride)| (size, OffsetStep::By(stride))));
    let refused = |index| Error::runtime(out_of_bounds(index, dim, usize_of(size)));
    let along = AlongOneDimension { inside: 0..size, stride, walk: &walk, last: &|_| (), run: 1, rows: None };
    along.pick(input, indices, target, &out, &refused)
}

/// Elements that indices along one dimension name.
struct AlongOneDimension<'a> {
    inside: std::ops::Range<i64>,
    stride: usize,
    /// The places without the indices.
    walk: &'a Offsets,
    /// What becomes of the places with them.
    last: &'a (dyn Fn(&mut [usize]) + Sync),
    /// Neighbours that each index brings.
    run: usize,
    /// Sizes and strides of rows, each of which has the elements at the same places.
    rows: Option<[&'a [usize]; 2]>,
}

impl AlongOneDimension<'_> {
    fn named<'a>(&self, access: &'a Access<'_>, indices: &RawTensor) -> Result<Indices<'a>> {
        Ok(Indices { reader: reader(access, indices)?, inside: self.inside.clone(), stride: self.stride, number: 0 })
    }

    /// Fills the output, a piece for each index, or says which is outside.
    fn pick(
        &self,
        input: &RawTensor,
        indices: &RawTensor,
        target: Target<'_>,
        out: &RawTensor,
        refused: &dyn Fn(i64) -> Error,
    ) -> Result<RawTensor> {
        let count = indices.numel();
        let inside = |outside: Outside| outside.first().map_or(Ok(()), |(_, index)| Err(refused(index)));
        // Where nothing can be inside, the loop isn't begun; and what others see is written when all are.
        let before = !target.is_new() || self.inside.is_empty() || self.run == 0;
        let check = |access: &Access<'_>| {
            let outside = Outside::default();
            if before {
                self.named(access, indices)?.check(count, &outside);
            }
            inside(outside)
        };
        held(&[out], &[input, indices], check, |access| {
            let (named, outside) = (self.named(access, indices)?, Outside::default());
            if let Some(rows) = self.rows {
                let table = Table::new(&named, count, input.storage_offset(), rows, &outside)?;
                inside(outside)?;
                return table.pick(access, input, out);
            }
            pick(access, input, out, self.run, &|first, places| {
                named.lead(self.walk, first, places, &outside);
                (self.last)(places);
            })?;
            inside(outside)
        })?;
        Ok(out.clone())
    }
}

fn check_gather_shape(input: &RawTensor, dim: usize, indices: &RawTensor) -> Result<()> {
    if input.rank().max(1) != indices.rank().max(1) {
        return Err(Error::runtime("Index tensor must have the same number of dimensions as input tensor"));
    }
    let larger = |&(d, (index, size)): &(usize, (&usize, &usize))| d != dim && index > size;
    match indices.sizes().iter().zip(input.sizes()).enumerate().find(larger) {
        None => Ok(()),
        Some((d, _)) => Err(Error::runtime(format!(
            "Size does not match at dimension {d} expected index {:?} to be no larger than self {:?} apart from dimension {dim}",
            indices.sizes(),
            input.sizes()
        ))),
    }
}

/// PyTorch's `take`: the elements that the indices name in row-major order, whatever the shape.
///
/// # Errors
/// Where an index is out of range, or the indices aren't int64.
pub fn take(input: &RawTensor, indices: &RawTensor, target: Target<'_>) -> Result<RawTensor> {
    if indices.dtype() != DType::I64 {
        return Err(Error::runtime(format!("take(): Expected a long tensor for index, but got {}", indices.dtype().message_name())));
    }
    if let Some(out) = target.tensor().filter(|out| out.dtype() != input.dtype()) {
        let (own, other) = (input.dtype().message_name(), out.dtype().message_name());
        return Err(Error::runtime(format!(
            "take(): self and out expected to have the same dtype, but got self.dtype = {own} and out.dtype = {other}"
        )));
    }
    let (numel, count) = (input.numel(), indices.numel());
    if numel == 0 && count > 0 {
        return Err(Error::index("take(): tried to take from an empty tensor"));
    }
    let out = output(target, indices.sizes(), input.dtype(), input)?;
    let (input, indices) = (&apart(input, &out)?, &apart(indices, &out)?);
    if out.is_meta() || indices.is_meta() || count == 0 {
        return out.grown();
    }
    #[cfg(feature = "cuda")]
    if input.is_on_cuda() {
        let on_host = || take(&on_device::host(input)?, &on_device::host(indices)?, Target::New);
        return on_device::into(target, out, |out| on_device::checked(on_device::take(input, indices, &out)?, out, on_host));
    }
    let size = numel.cast_signed() as i64;
    let walk = Offsets::of(input);
    let refused = |index| Error::index(format!("out of range: tried to access index {index} on a tensor of {numel} elements."));
    let last = |places: &mut [usize]| places.iter_mut().for_each(|place| *place = walk.place(*place));
    let numbers = Offsets::new(0, []);
    let along = AlongOneDimension { inside: -size..size, stride: 1, walk: &numbers, last: &last, run: 1, rows: None };
    along.pick(input, indices, target, &out, &refused)
}

/// PyTorch's `index_select`: the places along a dimension that a row of indices names.
///
/// # Errors
/// Where the dimension isn't there, an index is out of range, or the indices aren't integers in one dimension.
pub fn index_select(input: &RawTensor, dim: isize, indices: &RawTensor, target: Target<'_>) -> Result<RawTensor> {
    let dim = wrap_dim(dim, input.rank())?;
    if indices.rank() > 1 {
        return Err(Error::index("index_select(): Index is supposed to be a vector"));
    }
    let count = indices.numel();
    if input.rank() == 0 && count != 1 {
        return Err(Error::runtime(format!("index_select(): Index to scalar can have only 1 value, got {count} value(s)")));
    }
    if !is_index(indices.dtype()) {
        return Err(Error::runtime("index_select(): Expected dtype int32 or int64 for index"));
    }
    if target.tensor().is_some_and(|out| out.dtype() != input.dtype()) {
        return Err(Error::runtime("index_select(): self and result must have the same scalar type"));
    }
    // Looked at as it is given, before it has the sizes of the result, as in PyTorch.
    if let Some(out) = target.tensor().filter(|out| !out.is_meta()) {
        check_output_overlap(out.geometry())?;
    }
    let out = output(target, &with_size(input, dim, count), input.dtype(), input)?;
    let (input, indices) = (&apart(input, &out)?, &apart(indices, &out)?);
    if out.is_meta() || indices.is_meta() {
        return out.grown();
    }
    #[cfg(feature = "cuda")]
    if input.is_on_cuda() {
        let on_host = || index_select(&on_device::host(input)?, dim.cast_signed(), &on_device::host(indices)?, Target::New);
        return on_device::into(target, out, |out| on_device::checked(on_device::index_select(input, dim, indices, &out)?, out, on_host));
    }
    let size = size_of_dim(input, dim);
    let refused = |index| select_error(input, dim, index);
    // Behind the dimension, what lies together comes together. The sizes beside a zero may be any numbers.
    let (mut left, mut run) = (out.rank().max(dim + 1), 1);
    while left > dim + 1 && out.numel() > 0 && (input.strides()[left - 1] == run || input.sizes()[left - 1] == 1) {
        left -= 1;
        run *= input.sizes()[left];
    }
    let sizes: Dims = out.sizes().iter().copied().take(left).collect();
    let (mut strides, mut named) = (Dims::from_slice(&input.strides()[..sizes.len()]), Dims::from_elem(0, sizes.len()));
    strides.iter_mut().skip(dim).take(1).for_each(|stride| *stride = 0);
    named.iter_mut().skip(dim).take(1).for_each(|stride| *stride = indices.strides().first().copied().unwrap_or(0));
    let walk = Offsets::new(input.storage_offset(), sizes.iter().zip(strides).map(|(&size, stride)| (size, OffsetStep::By(stride))));
    let stride = input.strides().get(dim).copied().unwrap_or(0);
    let along = AlongOneDimension { inside: 0..size, stride, walk: &walk, last: &|_| (), run, rows: None };
    if out.numel() == 0 {
        // Nothing is picked, but the indices are looked at.
        return AlongOneDimension { run: 0, ..along }.pick(input, indices, target, &out, &refused);
    }
    if run == 1 && sizes.len() == dim + 1 && out.numel() > count {
        // The indices are innermost: each row has the elements at the same places.
        let rows = Some([&input.sizes()[..dim], &input.strides()[..dim]]);
        return AlongOneDimension { rows, ..along }.pick(input, indices, target, &out, &refused);
    }
    let spread = indices.with_geometry(Geometry { sizes, strides: named, offset: indices.storage_offset() });
    along.pick(input, &spread, target, &out, &refused)
}

/// The sizes of a tensor with another one along a dimension.
fn with_size(input: &RawTensor, dim: usize, size: usize) -> Dims {
    let mut sizes: Dims = input.sizes().into();
    sizes.iter_mut().skip(dim).take(1).for_each(|old| *old = size);
    sizes
}

/// PyTorch has two loops for it, which don't say the same.
fn select_error(input: &RawTensor, dim: usize, index: i64) -> Error {
    let size = size_of_dim(input, dim);
    match input.rank() {
        2.. if size == 0 => Error::runtime("index_select(): self indexing axis dim should be positive"),
        2.. if dim == 1 || input.numel() == 0 => {
            Error::runtime(format!("INDICES element is out of DATA bounds, id={index} axis_dim={size}"))
        }
        _ => Error::index("index out of range in self"),
    }
}

/// Those places along a dimension, all of which are there.
pub(super) fn select_places(input: &RawTensor, dim: usize, places: Vec<i64>) -> Result<RawTensor> {
    let count = places.len();
    index_select(input, dim.cast_signed(), &RawTensor::from_vec(places, &[count])?.to_device(input.device())?, Target::New)
}

/// That the indices that are an argument of a function on tables have a dtype that indices have.
pub(crate) fn check_places(indices: &RawTensor, argument: usize, function: &str) -> Result<()> {
    if is_index(indices.dtype()) {
        return Ok(());
    }
    Err(not_among(&format!("#{argument} 'indices'"), "Long, Int", indices, function))
}

/// What PyTorch says of an argument of a function that has another dtype than one of these.
pub(crate) fn not_among(argument: &str, dtypes: &str, found: &RawTensor, function: &str) -> Error {
    let found = type_name(found);
    Error::runtime(format!(
        "Expected tensor for argument {argument} to have one of the following scalar types: {dtypes}; but got {found} instead (while checking \
         arguments for {function})"
    ))
}

/// PyTorch's `embedding`: for each index, that row of a matrix. The row at `padding` is one that training leaves alone; here it is only
/// checked to be there.
///
/// # Errors
/// Where the weights are no matrix, an index is out of range, or the indices aren't integers.
pub fn embedding(indices: &RawTensor, weight: &RawTensor, padding: Option<isize>) -> Result<RawTensor> {
    if let Some(padding) = padding {
        let rows = weight.sizes().first().map_or(0, |rows| rows.cast_signed());
        if padding >= rows || padding < -rows {
            return Err(Error::value("Padding_idx must be within num_embeddings"));
        }
    }
    if weight.rank() != 2 {
        return Err(Error::runtime("'weight' must be 2-D"));
    }
    check_places(indices, 1, "embedding")?;
    let rows = index_select(weight, 0, &indices.reshape(&[-1])?, Target::New)?;
    let sizes: Vec<isize> = signed(indices.sizes()).into_iter().chain([weight.sizes()[1].cast_signed()]).collect();
    rows.view(&sizes)
}

/// All elements in one row, where no dimension is named.
fn flat_unless(input: &RawTensor, dim: Option<isize>) -> Result<(RawTensor, usize)> {
    match dim {
        Some(dim) => Ok((input.clone(), wrap_dim(dim, input.rank())?)),
        None => Ok((input.contiguous(MemoryFormat::Contiguous)?.reshape(&[-1])?, 0)),
    }
}

/// PyTorch's `repeat_interleave` with a number: each place along a dimension that many times, one after the other. Without a
/// dimension the tensor counts as one row.
///
/// # Errors
/// Where the dimension isn't there, and for a negative number.
pub fn repeat_interleave(input: &RawTensor, repeats: isize, dim: Option<isize>) -> Result<RawTensor> {
    let (input, dim) = flat_unless(input, dim)?;
    let Ok(repeats) = usize::try_from(repeats) else { return Err(Error::runtime("Repeats must be non-negative")) };
    if input.rank() == 0 {
        return Err(Error::index("Dimension out of range (expected to be in range of [-1, 0], but got 1)"));
    }
    let behind = dim.cast_signed() + 1;
    let mut sizes: Vec<isize> = signed(input.sizes());
    sizes.insert(dim + 1, repeats.cast_signed());
    crate::geometry::dense_nbytes(&sizes.iter().map(|size| size.cast_unsigned()).collect::<Dims>(), input.dtype().itemsize())?;
    input.unsqueeze(behind)?.expand(&sizes)?.clone_as(MemoryFormat::Contiguous)?.flatten(dim.cast_signed(), behind)
}

/// PyTorch's `repeat_interleave` with a tensor: each place along a dimension as often as that says for it. One number is for all places.
///
/// # Errors
/// Where the dimension isn't there, and where there aren't as many numbers as places, all of them integers and none negative.
pub fn repeat_interleave_by(input: &RawTensor, repeats: &RawTensor, dim: Option<isize>) -> Result<RawTensor> {
    let (input, dim) = flat_unless(input, dim)?;
    super::check_data(repeats, "repeat_interleave")?;
    let size = usize_of(size_of_dim(&input, dim));
    let one = repeats.numel() == 1 && repeats.rank() <= 1;
    if repeats.rank() > 1 {
        return Err(Error::runtime("repeats must be 0-dim or 1-dim tensor"));
    }
    if !one && repeats.numel() != size {
        return Err(Error::runtime(format!(
            "repeats must have the same size as input along dim, but got repeats.size(0) = {} and input.size({dim}) = {size}",
            repeats.numel()
        )));
    }
    if !repeats.dtype().is_integral() || repeats.dtype() == DType::Bool {
        return Err(unsupported("repeat_interleave_cpu", repeats.dtype()));
    }
    let counts = repeats.to_dtype(DType::I64)?.numbers::<i64>()?;
    if counts.iter().any(|&count| count < 0) {
        return Err(Error::runtime("repeats can not be negative"));
    }
    let count_of = |place: usize| usize::try_from(counts[if one { 0 } else { place }]).unwrap_or(0);
    let sum = || (0..size).try_fold(0_usize, |total, place| total.checked_add(count_of(place))).unwrap_or(usize::MAX);
    let total = if one { count_of(0).saturating_mul(size) } else { sum() };
    crate::geometry::dense_nbytes(&[total], size_of::<i64>())?;
    let mut places = room(total)?;
    (0..size).for_each(|place| places.extend(std::iter::repeat_n(place.cast_signed() as i64, count_of(place))));
    select_places(&input, dim, places)
}
