//! Windows that go over the last dimensions of a tensor: where they lie, their elements as the columns of matrices, and the way back. What is
//! computed from windows is in `convolutions` and `pools`.

use latten_spec::DType;
use latten_spec::operation::Op;
use smallvec::SmallVec;

use crate::create::Options;
use crate::elementwise::{Params, apply_in_place};
use crate::error::{Error, Result};
use crate::geometry::{Geometry, count, dense_nbytes, numel, times};
use crate::indexing::{Padding, pad};
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::room::room;
use crate::scalar::Scalar;
use crate::views::signed;

/// Numbers of dimensions over which windows go.
pub(super) type Dims = SmallVec<[usize; 4]>;

/// Windows over dimensions: all of these have a number for each.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    pub(super) kernel: Dims,
    pub(super) stride: Dims,
    pub(super) padding: Dims,
    pub(super) dilation: Dims,
}

/// That there may be memory for a tensor of those sizes, before lists are made that are as long as one of them.
pub(super) fn check_room(sizes: &[usize], dtype: DType) -> Result<()> {
    room::<u8>(dense_nbytes(sizes, dtype.itemsize())?).map(drop)
}

/// A number for each of so many dimensions: one number is that for all.
pub(super) fn each(numbers: &[isize], count: usize) -> Option<SmallVec<[isize; 6]>> {
    match numbers {
        [only] => Some(std::iter::repeat_n(*only, count).collect()),
        numbers if numbers.len() == count => Some(numbers.into()),
        _ => None,
    }
}

/// A number for each of two dimensions.
pub(super) fn both(numbers: &[isize]) -> Vec<isize> {
    each(numbers, 2).map_or_else(|| numbers.to_vec(), |both| both.to_vec())
}

/// Numbers that aren't negative.
pub(super) fn unsigned(numbers: &[isize]) -> Option<Dims> {
    numbers.iter().map(|&number| usize::try_from(number).ok()).collect()
}

impl Windows {
    /// How far a window reaches along a dimension.
    pub(super) fn extent(&self, dim: usize) -> usize {
        self.dilation[dim].saturating_mul(self.kernel[dim].saturating_sub(1)).saturating_add(1)
    }

    /// How many windows there are along a dimension of that size, or how many are missing to one.
    pub(super) fn count(&self, dim: usize, size: usize) -> isize {
        let wide = size.saturating_add(self.padding[dim].saturating_mul(2)).min(isize::MAX.unsigned_abs()).cast_signed();
        let room = wide.saturating_sub(self.extent(dim).min(isize::MAX.unsigned_abs()).cast_signed());
        room.div_euclid(self.stride[dim].cast_signed()).saturating_add(1)
    }

    /// The numbers of windows along all dimensions.
    pub(super) fn counts(&self, sizes: &[usize]) -> Option<Dims> {
        sizes.iter().enumerate().map(|(dim, &size)| usize::try_from(self.count(dim, size)).ok()).collect()
    }

    /// The places of a window, each as a number along every dimension.
    pub(super) fn places(&self) -> Result<Vec<Dims>> {
        let all = numel(&self.kernel)?;
        let place = |mut number: usize| {
            let mut place: Dims = SmallVec::from_elem(0, self.kernel.len());
            for (at, &size) in place.iter_mut().zip(&self.kernel).rev() {
                (*at, number) = (number % size, number / size);
            }
            place
        };
        let mut places = room(all)?;
        places.extend((0..all).map(place));
        Ok(places)
    }

    /// A padded tensor by the places of windows, and behind those by the windows.
    pub(super) fn over(&self, padded: &RawTensor, counts: &[usize]) -> RawTensor {
        let outer = padded.rank() - counts.len();
        let mut geometry: Geometry = padded.geometry().clone();
        for (dim, &count) in counts.iter().enumerate() {
            let stride = geometry.strides[outer + dim];
            geometry.sizes[outer + dim] = self.kernel[dim];
            geometry.strides[outer + dim] = times(stride, self.dilation[dim]);
            geometry.sizes.push(count);
            geometry.strides.push(times(stride, self.stride[dim]));
        }
        padded.with_geometry(geometry)
    }

    /// The same with the channels of each group, of which there are so many, in a dimension of their own.
    pub(super) fn grouped(&self, padded: &RawTensor, counts: &[usize], groups: usize) -> RawTensor {
        let all = self.over(padded, counts);
        let mut geometry: Geometry = all.geometry().clone();
        let (channels, stride) = (geometry.sizes[1] / groups, geometry.strides[1]);
        geometry.sizes[1] = channels;
        geometry.sizes.insert(1, groups);
        geometry.strides.insert(1, channels * stride);
        all.with_geometry(geometry)
    }

    /// Whether each element is a window, so that elements are columns as they lie.
    pub(super) fn are_elements(&self) -> bool {
        let is = |numbers: &[usize], number| numbers.iter().all(|&own| own == number);
        is(&self.kernel, 1) && is(&self.stride, 1) && is(&self.padding, 0)
    }

    /// Of a padded tensor the elements that all windows have at one place.
    pub(super) fn at(&self, padded: &RawTensor, place: &[usize], counts: &[usize]) -> Result<RawTensor> {
        let outer = padded.rank() - counts.len();
        let mut geometry: Geometry = padded.geometry().clone();
        for (dim, &count) in counts.iter().enumerate() {
            geometry.offset += geometry.strides[outer + dim] * place[dim] * self.dilation[dim];
            geometry.sizes[outer + dim] = count;
            geometry.strides[outer + dim] = times(geometry.strides[outer + dim], self.stride[dim]);
        }
        Ok(padded.with_geometry(geometry))
    }
}

/// A tensor with so many numbers before and behind its last dimensions.
pub(super) fn padded(input: &RawTensor, before: &[usize], behind: &[usize], number: Scalar) -> Result<RawTensor> {
    if before.iter().chain(behind).all(|&amount| amount == 0) {
        return Ok(input.clone());
    }
    let amounts: Vec<isize> =
        before.iter().zip(behind).rev().flat_map(|(before, behind)| [before.cast_signed(), behind.cast_signed()]).collect();
    pad(input, &amounts, Padding::parse("constant", Some(number))?)
}

/// The windows that a call is given.
pub(super) fn windows(count: usize, [kernel, dilation, padding, stride]: [&[isize]; 4]) -> Result<Windows> {
    let of = |name: &str, numbers: &[isize], least: isize| {
        let all = each(numbers, count).filter(|numbers| numbers.iter().all(|&number| number >= least));
        all.and_then(|numbers| unsigned(&numbers))
            .ok_or_else(|| Error::runtime(format!("{name} should be greater than {}, but got {name} {numbers:?}", least - 1)))
    };
    Ok(Windows {
        kernel: of("kernel_size", kernel, 1)?,
        stride: of("stride", stride, 1)?,
        padding: of("padding", padding, 0)?,
        dilation: of("dilation", dilation, 1)?,
    })
}

/// PyTorch's `im2col`, over any number of dimensions behind samples and channels: a row for each channel and place, a column for each window.
pub(super) fn columns(input: &RawTensor, windows: &Windows) -> Result<RawTensor> {
    let over = windows.kernel.len();
    if over == 0 || input.rank() != 2 + over {
        return Err(Error::runtime(format!(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: {:?}",
            input.sizes()
        )));
    }
    let counts = windows.counts(&input.sizes()[2..]).filter(|counts| !counts.contains(&0));
    let Some(counts) = counts else {
        return Err(Error::runtime(format!(
            "Given input with spatial size {:?}, kernel_size={:?}, dilation={:?}, padding={:?}, calculated shape of the array of sliding \
             blocks is too small (non-positive)",
            &input.sizes()[2..],
            &windows.kernel[..],
            &windows.dilation[..],
            &windows.padding[..]
        )));
    };
    let all = windows.over(&padded(input, &windows.padding, &windows.padding, Scalar::Int(0))?, &counts);
    debug_assert_eq!(all.rank(), 2 + 2 * over);
    let (samples, channels) = (input.sizes()[0], input.sizes()[1]);
    let rows = numel(&[&[channels], &windows.kernel[..]].concat())?;
    all.clone_as(MemoryFormat::Contiguous)?.view(&signed(&[samples, rows, counts.iter().product()]))
}

/// PyTorch's `col2im`, the other way: what several windows have at one place is added. There may be fewer windows than there is room for.
pub(super) fn from_columns(columns: &RawTensor, sizes: &[usize], windows: &Windows, counts: Option<&[usize]>) -> Result<RawTensor> {
    let places = windows.places()?;
    let counts = counts.map_or_else(|| windows.counts(sizes).unwrap_or_default(), Into::into);
    let (&[samples, rows, blocks], true) = (columns.sizes(), !counts.is_empty()) else {
        return Err(Error::runtime(format!("Expected columns of 3 dimensions, but got {:?}", columns.sizes())));
    };
    let wanted = count(&counts);
    if rows % places.len() != 0 || blocks != wanted {
        return Err(Error::runtime(format!(
            "Given output_size={sizes:?}, kernel_size={:?}, dilation={:?}, padding={:?}, stride={:?}, expected size of input's dimension 2 to \
             match the calculated number of sliding blocks {wanted}, but got input.size(2)={blocks}.",
            &windows.kernel[..],
            &windows.dilation[..],
            &windows.padding[..],
            &windows.stride[..]
        )));
    }
    let channels = rows / places.len();
    let wide: Dims = sizes.iter().zip(&windows.padding).map(|(&size, padding)| padding.saturating_mul(2).saturating_add(size)).collect();
    let options = Options { dtype: Some(columns.dtype()), device: Some(columns.device()), format: None };
    let whole = RawTensor::zeros(&[&[samples, channels], &wide[..]].concat(), &options)?;
    let own = [&[samples, channels, places.len()], &counts[..]].concat();
    let columns = columns.reshape(&signed(&[samples, channels, places.len(), blocks]))?;
    for (number, place) in places.iter().enumerate() {
        let from = columns.select(2, number.cast_signed())?.reshape(&signed(&[&own[..2], &own[3..]].concat()))?;
        apply_in_place(Op::Add, &windows.at(&whole, place, &counts)?, &[(&from).into()], &Params::none())?;
    }
    let mut inner = whole;
    for (dim, (&size, &padding)) in sizes.iter().zip(&windows.padding).enumerate() {
        inner = inner.narrow(2 + dim.cast_signed(), padding.cast_signed(), size.cast_signed())?;
    }
    inner.contiguous(MemoryFormat::Contiguous)
}

/// PyTorch's `unfold` and `fold` of images: those with one sample less have no dimension for it.
pub(super) fn folded(
    name: &str,
    input: &RawTensor,
    batched: usize,
    make: impl FnOnce(&RawTensor) -> Result<RawTensor>,
) -> Result<RawTensor> {
    let rank = input.rank();
    if rank == batched {
        return make(input);
    }
    if rank + 1 != batched {
        let (less, sizes) = (batched - 1, input.sizes());
        return Err(Error::runtime(format!("{name}: Expected {less}D or {batched}D (batch mode) tensor, but got input of size {sizes:?}")));
    }
    let single = super::one(super::Function::Unsqueeze, &[input.into(), 0.into()])?;
    super::one(super::Function::Select, &[(&make(&single)?).into(), 0.into(), 0.into()])
}
