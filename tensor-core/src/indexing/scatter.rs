//! Elements put at indices along a dimension: `scatter`, `scatter_add`, `scatter_reduce`. One element after the other, in the order of the
//! indices, so that the last of several wins whatever the number of threads.

use half::{bf16, f16};
use latten_spec::DType;
use num_complex::Complex;

use super::gather::{is_index, strides_around};
use super::mask::as_element;
#[cfg(feature = "cuda")]
use super::on_device;
use super::{BLOCK, Step, Walk, apart, each_block, first_outside, out_of_bounds, output, reader, size_of_dim, usize_of};
use crate::copy::copy_held;
#[cfg(feature = "cuda")]
use crate::device::Device;
use crate::element::Native;
use crate::elementwise::Operand;
use crate::error::{Error, Result};
use crate::geometry::overlap::check_output_overlap;
use crate::geometry::{Dims, Geometry, wrap_dim};
use crate::kernels::block::Reader;
use crate::kernels::places::{Places, PlacesMut, by_size};
#[cfg(feature = "cuda")]
use crate::layout::MemoryFormat;
use crate::match_dtype;
use crate::outputs::{check_dtype, held};
use crate::plan::Target;
use crate::raw::RawTensor;
use crate::room::room;
use crate::storage::Access;

/// What becomes of an element and the one that is put there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScatterReduce {
    /// The new one: `scatter`.
    Replace,
    /// Their sum: `scatter_add`, and `scatter_reduce` with "sum".
    Sum,
    /// Their product: "prod".
    Prod,
    /// The larger one, a NaN if there is one: "amax".
    Amax,
    /// The smaller one, a NaN if there is one: "amin".
    Amin,
    /// The mean of all that is put there: "mean".
    Mean,
}

impl ScatterReduce {
    /// By PyTorch's name.
    ///
    /// # Errors
    /// For any other.
    pub fn parse(name: &str) -> Result<Self> {
        Ok(match name {
            "sum" => Self::Sum,
            "prod" => Self::Prod,
            "amax" => Self::Amax,
            "amin" => Self::Amin,
            "mean" => Self::Mean,
            _ => return Err(Error::runtime(format!("reduce argument must be either sum, prod, mean, amax or amin, got {name}"))),
        })
    }

    /// PyTorch's name. To replace is `scatter`, which has no word for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::Sum => "sum",
            Self::Prod => "prod",
            Self::Amax => "amax",
            Self::Amin => "amin",
            Self::Mean => "mean",
        }
    }
}

/// Whether the elements that were there count, too: PyTorch's `include_self`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IncludeSelf {
    /// They do.
    #[default]
    Yes,
    /// They are only kept where nothing is put.
    No,
}

/// PyTorch's `scatter`, `scatter_add` and `scatter_reduce`: elements put at indices along a dimension, of a copy or in place.
///
/// # Errors
/// Where the dimension isn't there, an index is out of range, dtypes or shapes don't fit, or memory overlaps; then nothing was changed.
pub fn scatter(
    input: &RawTensor,
    dim: isize,
    indices: &RawTensor,
    source: Operand<'_>,
    (combine, own): (ScatterReduce, IncludeSelf),
    target: Target<'_>,
) -> Result<RawTensor> {
    check(input, dim, indices, source)?;
    check_dtype(target, input.dtype())?;
    let out = output(target, input.sizes(), input.dtype(), input)?;
    let input = if input.is_set_to(&out) { input.clone() } else { apart(input, &out)? };
    put(&input, &out, dim, indices, source, (combine, own))?;
    Ok(out)
}

/// The checks that need no data.
fn check(tensor: &RawTensor, dim: isize, indices: &RawTensor, source: Operand<'_>) -> Result<()> {
    let dim = wrap_dim(dim, tensor.rank())?;
    let source = source.tensor();
    if indices.numel() > 0 && !is_index(indices.dtype()) {
        return Err(Error::runtime("scatter(): Expected dtype int32/int64 for index"));
    }
    if source.is_some_and(|source| source.dtype() != tensor.dtype()) {
        return Err(Error::runtime("scatter(): Expected self.dtype to be equal to src.dtype"));
    }
    if indices.numel() == 0 {
        return Ok(());
    }
    let rank = tensor.rank().max(1);
    if rank != indices.rank().max(1) {
        return Err(Error::runtime("Index tensor must have the same number of dimensions as self tensor"));
    }
    let size = |tensor: &RawTensor, d: usize| -> Result<usize> {
        match tensor.rank() {
            0 => Ok(1),
            rank => Ok(tensor.sizes()[wrap_dim(d.cast_signed(), rank)?]),
        }
    };
    let mut fits = true;
    for d in (0..rank).filter(|&d| d != dim) {
        fits &= size(indices, d)? <= size(tensor, d)?;
    }
    let limits = format!("Expected index {:?} to be no larger than self {:?} apart from dimension {dim}", indices.sizes(), tensor.sizes());
    let Some(source) = source else { return if fits { Ok(()) } else { Err(Error::runtime(limits)) } };
    for d in 0..rank {
        if fits {
            fits = size(indices, d)? <= size(source, d)?;
        }
    }
    if source.rank().max(1) != indices.rank().max(1) {
        return Err(Error::runtime("Index tensor must have the same number of dimensions as src tensor"));
    }
    if fits { Ok(()) } else { Err(Error::runtime(format!("{limits} and to be no larger size than src {:?}", source.sizes()))) }
}

/// A call whose shapes and dtypes fit.
struct Put<'a, 'g> {
    access: &'a Access<'g>,
    tensor: &'a RawTensor,
    indices: Reader<'a, i64>,
    walk: Walk,
    along: usize,
    /// Of the shape of the indices.
    source: &'a RawTensor,
}

/// Of a tensor of the source's, the elements that have an index; or a number as often as there are indices.
fn spread(tensor: &RawTensor, indices: &RawTensor, source: Operand<'_>) -> Result<RawTensor> {
    match source {
        Operand::Tensor(source) => {
            let source = apart(source, tensor)?;
            let strides = if source.rank() == indices.rank() { source.strides().clone() } else { Dims::from_elem(0, indices.rank()) };
            Ok(source.with_geometry(Geometry { sizes: indices.sizes().into(), strides, offset: source.storage_offset() }))
        }
        Operand::Scalar(number) => as_element(number, tensor.dtype())?.expand(&crate::views::signed(indices.sizes())),
    }
}

/// Gives the output the input's elements, where it isn't the input, and puts others at the indices.
fn put(
    input: &RawTensor,
    out: &RawTensor,
    dim: isize,
    indices: &RawTensor,
    source: Operand<'_>,
    how: (ScatterReduce, IncludeSelf),
) -> Result<()> {
    let (dim, (combine, own)) = (wrap_dim(dim, out.rank())?, how);
    if !out.is_meta() {
        check_output_overlap(out.geometry())?;
    }
    let indices = apart(indices, out)?;
    #[cfg(feature = "cuda")]
    let is_number = source.tensor().is_none();
    let source = spread(out, &indices, source)?;
    check_combine(out, combine)?;
    if out.is_meta() || indices.is_meta() {
        return out.fit_storage();
    }
    #[cfg(feature = "cuda")]
    if out.is_on_cuda() {
        // A number was made on the host.
        let source = if source.device() == Device::CPU && is_number { source.to_device(out.device())? } else { source };
        return put_on_device(input, out, dim, &indices, &source, how);
    }
    // Truths are bytes: their sum is the larger one, their product the smaller one.
    let (bits, combine, source) = match (out.dtype(), combine) {
        (DType::Bool, ScatterReduce::Sum | ScatterReduce::Mean) => (out.as_bits(), ScatterReduce::Amax, source.as_bits()),
        (DType::Bool, ScatterReduce::Prod) => (out.as_bits(), ScatterReduce::Amin, source.as_bits()),
        (DType::Bool, _) => (out.as_bits(), combine, source.as_bits()),
        // others: numbers are summed and multiplied as they are.
        _ => (out.clone(), combine, source),
    };
    let (tensor, count, size) = (&bits, indices.numel(), size_of_dim(out, dim));
    let check = |access: &Access<'_>| match if count == 0 { None } else { first_outside(&reader(access, &indices)?, count, 0..size) } {
        Some((_, index)) => Err(Error::runtime(out_of_bounds(index, dim, usize_of(size)))),
        None => Ok(()),
    };
    let (strides, along) = strides_around(tensor, dim, &indices);
    held(&[out], &[input, &indices, &source], check, |access| {
        if !input.is_set_to(out) {
            copy_held(access, input, out)?;
        }
        if count == 0 {
            return Ok(());
        }
        let walk = Walk::new(tensor.storage_offset(), indices.sizes().iter().zip(strides).map(|(&size, stride)| (size, Step::By(stride))));
        let put = Put { access, tensor, indices: reader(access, &indices)?, walk, along, source: &source };
        if combine == ScatterReduce::Replace {
            return by_size!(tensor.dtype(), T => put.replace::<T>());
        }
        match_dtype!(tensor.dtype(), T => put.combine::<T>(combine, own), else Err(unsupported(tensor, combine)))
    })
}

#[cfg(feature = "cuda")]
fn put_on_device(
    input: &RawTensor,
    out: &RawTensor,
    dim: usize,
    indices: &RawTensor,
    source: &RawTensor,
    (combine, own): (ScatterReduce, IncludeSelf),
) -> Result<()> {
    on_device::together(&[out, indices, source])?;
    if combine == ScatterReduce::Replace && input.is_set_to(out) && indices.numel() > 0 {
        return on_device::scatter(out, dim, indices, source);
    }
    let combined = on_device::host(input)?.clone_as(MemoryFormat::Contiguous)?;
    put(&combined, &combined, dim.cast_signed(), &on_device::host(indices)?, (&on_device::host(source)?).into(), (combine, own))?;
    out.fit_storage()?;
    out.copy_(&combined)
}

fn unsupported(tensor: &RawTensor, combine: ScatterReduce) -> Error {
    let name = match combine {
        ScatterReduce::Replace => "",
        ScatterReduce::Sum | ScatterReduce::Mean => "_add",
        ScatterReduce::Prod => "_multiply",
        ScatterReduce::Amax => "_reduce_amax",
        ScatterReduce::Amin => "_reduce_amin",
    };
    Error::not_implemented(format!("\"scatter_gather_tensor_cpu{name}\" not implemented for '{}'", tensor.dtype().message_name()))
}

fn check_combine(tensor: &RawTensor, combine: ScatterReduce) -> Result<()> {
    let ordered = matches!(combine, ScatterReduce::Amax | ScatterReduce::Amin);
    if combine != ScatterReduce::Replace && !tensor.dtype().is_computing() || ordered && tensor.dtype().is_complex() {
        return Err(unsupported(tensor, combine));
    }
    Ok(())
}

impl Put<'_, '_> {
    /// Calls a function with all places, in the order of the indices, and the elements for them.
    fn each<T: Native + Default>(&self, source: &RawTensor, put: &mut dyn FnMut(&[usize], &[T])) -> Result<()> {
        let elements = reader::<T>(self.access, source)?;
        let (mut scratch, mut first) = ([T::default(); BLOCK], 0);
        self.places(&mut |places| {
            put(places, elements.read(first, places.len(), &mut scratch));
            first += places.len();
        });
        Ok(())
    }

    fn replace<T: Native + Default>(&self) -> Result<()> {
        let mut to = PlacesMut::<T>::new(self.access, self.tensor.storage())?;
        self.each::<T>(&self.source.as_bits(), &mut |places, elements| {
            for (&place, &element) in places.iter().zip(elements) {
                to.set(place, element);
            }
        })
    }

    fn combine<T: Combined>(&self, combine: ScatterReduce, own: IncludeSelf) -> Result<()> {
        if own == IncludeSelf::No {
            let (start, mut to) = (T::start(combine), PlacesMut::<T>::new(self.access, self.tensor.storage())?);
            self.places(&mut |places| places.iter().for_each(|&place| to.set(place, start)));
        }
        let mut to = PlacesMut::<T>::new(self.access, self.tensor.storage())?;
        self.each::<T>(self.source, &mut |places, elements| meet(combine, &mut to, places, elements))?;
        if combine == ScatterReduce::Mean { self.divide::<T>(own) } else { Ok(()) }
    }

    /// Divides each sum by how many elements went into it.
    fn divide<T: Combined>(&self, own: IncludeSelf) -> Result<()> {
        let from = Places::<T>::new(self.access, self.tensor.storage())?;
        let mut to = PlacesMut::<T>::new(self.access, self.tensor.storage())?;
        let mut all = room(self.source.numel())?;
        self.places(&mut |places| all.extend_from_slice(places));
        all.sort_unstable();
        for same in all.chunk_by(|a, b| a == b) {
            let count = same.len() + usize::from(own == IncludeSelf::Yes);
            to.set(same[0], from.get(same[0]).over(count));
        }
        Ok(())
    }

    /// Calls a function with all places, in the order of the indices.
    fn places(&self, some: &mut dyn FnMut(&[usize])) {
        let mut places = [0; BLOCK];
        each_block(&self.indices, 0..self.source.numel(), |first, indices| {
            let places = &mut places[..indices.len()];
            match (self.walk.only(), self.along) {
                // Along the only dimension of neighbours, where nothing else leads anywhere.
                (Some(start), 1) => places.iter_mut().zip(indices).for_each(|(place, &index)| *place = start + usize_of(index)),
                _ => {
                    self.walk.places(first, places);
                    places.iter_mut().zip(indices).for_each(|(place, &index)| *place += usize_of(index) * self.along);
                }
            }
            some(places);
        });
    }
}

/// Makes one of each element and what is put there.
fn meet<T: Combined>(combine: ScatterReduce, to: &mut PlacesMut<'_, T>, places: &[usize], elements: &[T]) {
    // Each loop knows what it does: to ask for every element takes longer than to do it.
    macro_rules! each {
        ($combine:expr) => {
            for (&place, &element) in places.iter().zip(elements) {
                to.change(place, |there| there.combine($combine, element));
            }
        };
    }
    match combine {
        ScatterReduce::Replace => {}
        ScatterReduce::Sum | ScatterReduce::Mean => each!(ScatterReduce::Sum),
        ScatterReduce::Prod => each!(ScatterReduce::Prod),
        ScatterReduce::Amax => each!(ScatterReduce::Amax),
        ScatterReduce::Amin => each!(ScatterReduce::Amin),
    }
}

/// Numbers that meet at one place.
pub(super) trait Combined: Native + Default {
    /// What changes nothing.
    fn start(combine: ScatterReduce) -> Self;
    /// What two make.
    fn combine(self, combine: ScatterReduce, other: Self) -> Self;
    /// A part of a sum.
    fn over(self, count: usize) -> Self;
}

macro_rules! combined_integers {
    ($($T:ident)*) => { $(
        impl Combined for $T {
            fn start(combine: ScatterReduce) -> Self {
                match combine {
                    ScatterReduce::Prod => 1,
                    ScatterReduce::Amax => Self::MIN,
                    ScatterReduce::Amin => Self::MAX,
                    ScatterReduce::Replace | ScatterReduce::Sum | ScatterReduce::Mean => 0,
                }
            }

            #[inline(always)]
            fn combine(self, combine: ScatterReduce, other: Self) -> Self {
                match combine {
                    ScatterReduce::Replace => other,
                    ScatterReduce::Sum | ScatterReduce::Mean => self.wrapping_add(other),
                    ScatterReduce::Prod => self.wrapping_mul(other),
                    ScatterReduce::Amax => self.max(other),
                    ScatterReduce::Amin => self.min(other),
                }
            }

            fn over(self, count: usize) -> Self {
                let count = count as Self;
                if count == 0 { return 0 }
                let quotient = self.wrapping_div(count);
                // Downwards, as PyTorch divides them.
                if self.wrapping_rem(count) != 0 && (self < 0 as Self) != (count < 0 as Self) { quotient.wrapping_sub(1) } else { quotient }
            }
        }
    )* };
}

combined_integers! { u8 i8 i16 i32 i64 }

impl Combined for bool {
    fn start(combine: ScatterReduce) -> Self {
        matches!(combine, ScatterReduce::Prod | ScatterReduce::Amin)
    }

    fn combine(self, combine: ScatterReduce, other: Self) -> Self {
        match combine {
            ScatterReduce::Replace => other,
            ScatterReduce::Sum | ScatterReduce::Mean | ScatterReduce::Amax => self | other,
            ScatterReduce::Prod | ScatterReduce::Amin => self & other,
        }
    }

    fn over(self, _: usize) -> Self {
        self
    }
}

macro_rules! combined_floats {
    ($($T:ident)*) => { $(
        impl Combined for $T {
            fn start(combine: ScatterReduce) -> Self {
                match combine {
                    ScatterReduce::Prod => 1.0,
                    ScatterReduce::Amax => Self::NEG_INFINITY,
                    ScatterReduce::Amin => Self::INFINITY,
                    ScatterReduce::Replace | ScatterReduce::Sum | ScatterReduce::Mean => 0.0,
                }
            }

            #[inline(always)]
            fn combine(self, combine: ScatterReduce, other: Self) -> Self {
                match combine {
                    ScatterReduce::Replace => other,
                    ScatterReduce::Sum | ScatterReduce::Mean => self + other,
                    ScatterReduce::Prod => self * other,
                    ScatterReduce::Amax => if other > self || other.is_nan() { other } else { self },
                    ScatterReduce::Amin => if other < self || other.is_nan() { other } else { self },
                }
            }

            #[expect(clippy::cast_precision_loss, reason = "a count that large is no divisor that anyone can check")]
            fn over(self, count: usize) -> Self {
                self / count as Self
            }
        }
    )* };
}

combined_floats! { f32 f64 }

/// Narrow floats meet as f32.
macro_rules! combined_halves {
    ($($T:ident)*) => { $(
        impl Combined for $T {
            fn start(combine: ScatterReduce) -> Self {
                Self::from_f32(f32::start(combine))
            }

            #[inline(always)]
            fn combine(self, combine: ScatterReduce, other: Self) -> Self {
                Self::from_f32(self.to_f32().combine(combine, other.to_f32()))
            }

            fn over(self, count: usize) -> Self {
                Self::from_f32(self.to_f32().over(count))
            }
        }
    )* };
}

combined_halves! { f16 bf16 }

macro_rules! combined_complex {
    ($($T:ident)*) => { $(
        impl Combined for Complex<$T> {
            fn start(combine: ScatterReduce) -> Self {
                Self::new($T::start(combine), $T::start(ScatterReduce::Sum))
            }

            #[inline(always)]
            fn combine(self, combine: ScatterReduce, other: Self) -> Self {
                let (add, mul) = (|a: $T, b: $T| a.combine(ScatterReduce::Sum, b), |a: $T, b: $T| a.combine(ScatterReduce::Prod, b));
                match combine {
                    ScatterReduce::Sum | ScatterReduce::Mean => Self::new(add(self.re, other.re), add(self.im, other.im)),
                    ScatterReduce::Prod => Self::new(
                        add(mul(self.re, other.re), -mul(self.im, other.im)),
                        add(mul(self.re, other.im), mul(self.im, other.re)),
                    ),
                    // There is no order, which was checked.
                    ScatterReduce::Replace | ScatterReduce::Amax | ScatterReduce::Amin => other,
                }
            }

            fn over(self, count: usize) -> Self {
                Self::new(self.re.over(count), self.im.over(count))
            }
        }
    )* };
}

combined_complex! { f16 f32 f64 }
