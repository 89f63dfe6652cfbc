//! Windows that go over the last dimensions of a tensor: where they lie, their elements as the columns of matrices, and the way back. What is
//! computed from windows is in `convolutions` and `pools`.

use latten_spec::DType;
use latten_spec::operation::Op;
use smallvec::SmallVec;

use super::{CallArgument, Function, one};
use crate::create::Options;
use crate::element::unsupported;
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

/// What is written in Python's parentheses.
pub(super) fn tuple<T: std::fmt::Debug>(numbers: &[T]) -> String {
    let all: Vec<String> = numbers.iter().map(|number| format!("{number:?}")).collect();
    if all.len() == 1 { format!("({},)", all[0]) } else { format!("({})", all.join(", ")) }
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
    pub(super) fn count(&self, dim: usize, size: isize) -> isize {
        let number = |number: usize| number.min(isize::MAX.unsigned_abs()).cast_signed();
        let room = size.saturating_add(number(self.padding[dim].saturating_mul(2))).saturating_sub(number(self.extent(dim)));
        room.div_euclid(self.stride[dim].cast_signed()).saturating_add(1)
    }

    /// The numbers of windows along all dimensions.
    pub(super) fn counts(&self, sizes: &[usize]) -> Option<Dims> {
        sizes.iter().enumerate().map(|(dim, &size)| usize::try_from(self.count(dim, size.cast_signed())).ok()).collect()
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

/// That a tensor is an image or a batch of such, where PyTorch counts dimensions before it looks at anything else.
pub(super) fn check_rank(name: &str, input: &RawTensor, least: usize) -> Result<()> {
    let (rank, most) = (input.rank(), least + 1);
    if (least..=most).contains(&rank) {
        return Ok(());
    }
    Err(Error::runtime(format!(
        "Expected {least} to {most} dimensions, but got {rank}-dimensional tensor for argument #1 'self' (while checking arguments for {name})"
    )))
}

/// Rows without the dimension that they had as images.
pub(super) fn rows(images: &RawTensor) -> Result<RawTensor> {
    one(Function::SqueezeDim, &[images.into(), CallArgument::Int(-2)])
}

/// The windows that a call is given, of PyTorch's arguments in its order.
pub(super) fn windows(count: usize, [kernel, dilation, padding, stride]: [&[isize]; 4]) -> Result<Windows> {
    let all = [("kernel_size", kernel), ("dilation", dilation), ("padding", padding), ("stride", stride)];
    let [kernel, dilation, padding, stride] = all.map(|(name, numbers)| {
        let found = numbers.len();
        each(numbers, count).ok_or_else(|| Error::runtime(format!("It is expected {name} equals to {count}, but got size {found}")))
    });
    let (kernel, dilation, padding, stride) = (kernel?, dilation?, padding?, stride?);
    let of = |what: &str, name: &str, numbers: &[isize], least: isize| {
        let refused = || {
            let must = if least == 0 { "be non-negative" } else { "be greater than zero" };
            let named = ["height", "width"].iter().zip(numbers).map(|(dim, number)| format!("{name}_{dim}: {number}"));
            Error::runtime(format!("{what} should {must}, but got {}", named.collect::<Vec<_>>().join(" ")))
        };
        unsigned(numbers).filter(|_| numbers.iter().all(|&number| number >= least)).ok_or_else(refused)
    };
    Ok(Windows {
        kernel: of("kernel size", "kernel", &kernel, 1)?,
        dilation: of("dilation", "dilation", &dilation, 1)?,
        padding: of("padding", "pad", &padding, 0)?,
        stride: of("stride", "stride", &stride, 1)?,
    })
}

/// PyTorch's `im2col`, over any number of dimensions behind samples and channels: a row for each channel and place, a column for each window.
pub(super) fn columns(input: &RawTensor, windows: &Windows) -> Result<RawTensor> {
    let over = windows.kernel.len();
    if over == 0 || input.rank() != 2 + over {
        return Err(no_images(input));
    }
    let inner = signed(&input.sizes()[2..]);
    let counts: Vec<isize> = inner.iter().enumerate().map(|(dim, &size)| windows.count(dim, size)).collect();
    let Some(known) = unsigned(&counts).filter(|counts| !counts.contains(&0)) else {
        return Err(Error::runtime(format!(
            "Given input with spatial size {}, kernel_size={}, dilation={}, padding={}, calculated shape of the array of sliding blocks as {}, \
             but its components must be at least one.",
            tuple(&inner),
            tuple(&windows.kernel),
            tuple(&windows.dilation),
            tuple(&windows.padding),
            tuple(&counts)
        )));
    };
    check_copied("im2col_out_cpu", input.dtype())?;
    let all = windows.over(&padded(input, &windows.padding, &windows.padding, Scalar::Int(0))?, &known);
    debug_assert_eq!(all.rank(), 2 + 2 * over);
    let (samples, channels) = (input.sizes()[0], input.sizes()[1]);
    let rows = numel(&[&[channels], &windows.kernel[..]].concat())?;
    all.clone_as(MemoryFormat::Contiguous)?.view(&signed(&[samples, rows, known.iter().product()]))
}

/// That PyTorch copies a dtype's elements to columns or from there.
fn check_copied(kernel: &str, dtype: DType) -> Result<()> {
    let is_float = dtype.is_computing() && dtype.is_floating_point();
    if is_float || matches!(dtype, DType::Bool | DType::C64 | DType::C128) { Ok(()) } else { Err(unsupported(kernel, dtype)) }
}

fn no_images(input: &RawTensor) -> Error {
    Error::runtime(format!(
        "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: {:?}",
        input.sizes()
    ))
}

/// PyTorch's `unfold` of images: those with one sample less have no dimension for it.
pub(super) fn unfold(input: &RawTensor, numbers: [&[isize]; 4]) -> Result<RawTensor> {
    windows(2, numbers)?;
    let (second, third) = (input.size(1)?, input.size(2)?);
    // Of a batch all but the number of images.
    let other = input.size(if input.rank() == 3 { 0 } else { -1 })?;
    if !matches!(input.rank(), 3 | 4) || [second, third, other].contains(&0) {
        return Err(no_images(input));
    }
    batched(input, 4, |images| one(Function::Im2col, &[&[images.into()], &numbers.map(CallArgument::from)[..]].concat()))
}

/// PyTorch's `fold`, the other way; it knows which sizes the image has.
pub(super) fn fold(input: &RawTensor, output: &[isize], numbers: [&[isize]; 4]) -> Result<RawTensor> {
    let Some(output) = each(output, 2) else {
        return Err(Error::runtime(format!("It is expected output_size equals to 2, but got size {}", output.len())));
    };
    windows(2, numbers)?;
    let sizes = input.sizes();
    if !matches!(sizes, [rows, blocks] | [_, rows, blocks] if *rows > 0 && *blocks > 0) {
        return Err(Error::runtime(format!(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, but got: {sizes:?}"
        )));
    }
    let image = CallArgument::from(&output[..]);
    batched(input, 3, |columns| one(Function::Col2im, &[&[columns.into(), image], &numbers.map(CallArgument::from)[..]].concat()))
}

/// What is made of a batch, also of one sample without the dimension for it.
fn batched(input: &RawTensor, rank: usize, make: impl FnOnce(&RawTensor) -> Result<RawTensor>) -> Result<RawTensor> {
    if input.rank() == rank {
        return make(input);
    }
    let single = one(Function::Unsqueeze, &[input.into(), 0.into()])?;
    one(Function::Select, &[(&make(&single)?).into(), 0.into(), 0.into()])
}

/// PyTorch's `col2im`: what several windows have at one place is added.
pub(super) fn image(input: &RawTensor, output: &[isize], numbers: [&[isize]; 4]) -> Result<RawTensor> {
    let windows = windows(output.len(), numbers)?;
    let [_, rows, blocks] = *input.sizes() else {
        return Err(Error::runtime(format!("Expected columns of 3 dimensions, but got {:?}", input.sizes())));
    };
    if output.is_empty() || rows % count(&windows.kernel) != 0 {
        return Err(Error::runtime(format!(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got input.size(1)={rows} and \
             kernel_size={}.",
            tuple(&windows.kernel)
        )));
    }
    let counts: Vec<isize> = output.iter().enumerate().map(|(dim, &size)| windows.count(dim, size)).collect();
    let all = counts.iter().try_fold(1_isize, |all, &count| all.checked_mul(count));
    if all != Some(blocks.cast_signed()) {
        let product = counts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" * ");
        return Err(Error::runtime(format!(
            "Given output_size={}, kernel_size={}, dilation={}, padding={}, stride={}, expected size of input's dimension 2 to match the \
             calculated number of sliding blocks {product} = {}, but got input.size(2)={blocks}.",
            tuple(output),
            tuple(&windows.kernel),
            tuple(&windows.dilation),
            tuple(&windows.padding),
            tuple(&windows.stride),
            all.unwrap_or(isize::MAX)
        )));
    }
    let (Some(sizes), Some(counts)) = (unsigned(output), unsigned(&counts)) else {
        return Err(Error::runtime(format!("Expected output spatial size to be positive, but got: output_size={}.", tuple(output))));
    };
    check_copied("col2im_out_cpu", input.dtype())?;
    from_columns(input, &sizes, &windows, &counts)
}

/// The same for so many windows, of which there may be fewer than there is room for.
pub(super) fn from_columns(columns: &RawTensor, sizes: &[usize], windows: &Windows, counts: &[usize]) -> Result<RawTensor> {
    let places = windows.places()?;
    let &[samples, rows, blocks] = columns.sizes() else {
        return Err(Error::runtime(format!("Expected columns of 3 dimensions, but got {:?}", columns.sizes())));
    };
    let channels = rows / places.len();
    let wide: Dims = sizes.iter().zip(&windows.padding).map(|(&size, padding)| padding.saturating_mul(2).saturating_add(size)).collect();
    let options = Options { dtype: Some(columns.dtype()), device: Some(columns.device()), format: None };
    let whole = RawTensor::zeros(&[&[samples, channels], &wide[..]].concat(), &options)?;
    let own = [&[samples, channels, places.len()], counts].concat();
    let columns = columns.reshape(&signed(&[samples, channels, places.len(), blocks]))?;
    for (number, place) in places.iter().enumerate() {
        let from = columns.select(2, number.cast_signed())?.reshape(&signed(&[&own[..2], &own[3..]].concat()))?;
        apply_in_place(Op::Add, &windows.at(&whole, place, counts)?, &[(&from).into()], &Params::none())?;
    }
    let mut inner = whole;
    for (dim, (&size, &padding)) in sizes.iter().zip(&windows.padding).enumerate() {
        inner = inner.narrow(2 + dim.cast_signed(), padding.cast_signed(), size.cast_signed())?;
    }
    inner.contiguous(MemoryFormat::Contiguous)
}
