//! Elements put at indices along a dimension: `scatter`, `scatter_add`, `scatter_reduce`. One element after the other, in the order of the
//! indices, so that the last of several wins whatever the number of threads: `put`. What two numbers make is in `numbers`.

mod numbers;
mod put;

#[cfg(feature = "cuda")]
use latten_kernel::kernels::meets::MeetKind;
use latten_spec::DType;

pub(super) use numbers::Combined;

use super::mask::as_element;
#[cfg(feature = "cuda")]
use super::on_device;
use super::{apart, is_index, out_of_bounds, output, size_of_dim, usize_of};
use crate::copy::copy_held;
#[cfg(feature = "cuda")]
use crate::device::Device;
use crate::elementwise::RawOperand;
use crate::error::{Error, Result};
use crate::geometry::overlap::check_output_overlap;
use crate::geometry::{Dims, Geometry, wrap_dim};
use crate::kernels::places::by_size;
#[cfg(feature = "cuda")]
use crate::launch::Meeting;
#[cfg(feature = "cuda")]
use crate::layout::MemoryFormat;
use crate::match_dtype;
use crate::outputs::{check_dtype, held};
use crate::plan::Target;
use crate::raw::RawTensor;
use crate::storage::Access;
use put::{Combining, Put};

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
            "amax" | "max" => Self::Amax,
            "amin" | "min" => Self::Amin,
            "mean" => Self::Mean,
            _ => return Err(Error::runtime(format!("reduce argument must be either sum, prod, mean, amax or amin, got {name}"))),
        })
    }

    /// By the words that `scatter` itself has.
    ///
    /// # Errors
    /// For any other.
    pub fn of_scatter(name: &str) -> Result<Self> {
        match name {
            "add" => Ok(Self::Sum),
            "multiply" => Ok(Self::Prod),
            _ => Err(Error::runtime("reduce argument must be either add or multiply.")),
        }
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

/// PyTorch's name.
impl AsRef<str> for ScatterReduce {
    fn as_ref(&self) -> &str {
        self.name()
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

/// PyTorch's `include_self`.
impl From<bool> for IncludeSelf {
    fn from(include: bool) -> Self {
        if include { Self::Yes } else { Self::No }
    }
}

/// PyTorch's `scatter`, `scatter_add` and `scatter_reduce`: elements put at indices along a dimension, of a copy or in place.
///
/// # Errors
/// Where the dimension isn't there, an index is out of range, dtypes or shapes don't fit, or memory overlaps; then nothing was changed.
pub fn scatter(
    input: &RawTensor,
    dim: isize,
    indices: &RawTensor,
    source: RawOperand<'_>,
    (combine, own): (ScatterReduce, IncludeSelf),
    target: Target<'_>,
) -> Result<RawTensor> {
    check_scatter(input, dim, indices, source)?;
    check_dtype(target, input.dtype())?;
    let out = output(target, input.sizes(), input.dtype(), input)?;
    let input = if input.is_set_to(&out) { input.clone() } else { apart(input, &out)? };
    put(&input, &out, dim, indices, source, (combine, own), target)?;
    Ok(out)
}

/// The checks that need no data.
pub(crate) fn check_scatter(tensor: &RawTensor, dim: isize, indices: &RawTensor, source: RawOperand<'_>) -> Result<()> {
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

/// Of a tensor of the source's, the elements that have an index; or a number as often as there are indices.
fn spread(tensor: &RawTensor, indices: &RawTensor, source: RawOperand<'_>) -> Result<RawTensor> {
    match source {
        RawOperand::Tensor(source) => {
            let source = apart(source, tensor)?;
            let strides = if source.rank() == indices.rank() { source.strides().clone() } else { Dims::from_elem(0, indices.rank()) };
            Ok(source.with_geometry(Geometry { sizes: indices.sizes().into(), strides, offset: source.storage_offset() }))
        }
        RawOperand::Scalar(number) => as_element(number, tensor.dtype())?.expand(&crate::views::signed(indices.sizes())),
    }
}

/// Gives the output the input's elements, where it isn't the input, and puts others at the indices.
fn put(
    input: &RawTensor,
    out: &RawTensor,
    dim: isize,
    indices: &RawTensor,
    source: RawOperand<'_>,
    how: (ScatterReduce, IncludeSelf),
    target: Target<'_>,
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
        return put_on_device((input, out, target.is_new()), dim, &indices, &source, how);
    }
    let (bits, combine, source) = bits_of(out, combine, source);
    let put = Put::new(&bits, dim, &indices, &source, size_of_dim(out, dim))?;
    let refused = |index| Error::runtime(out_of_bounds(index, dim, usize_of(put.size)));
    // By tables nothing is written before all indices were looked at; and nobody sees a new result where one is outside.
    let tables = put.tables(combine).filter(|_| out.check_inside().is_ok());
    let looks = tables.is_some() || target.is_new();
    let check = |access: &Access<'_>| if looks { Ok(()) } else { put.outside(access)?.map_or(Ok(()), |index| Err(refused(index))) };
    held(&[out], &[input, &indices, &source], check, |access| {
        let copied = || if input.is_set_to(out) { Ok(()) } else { copy_held(access, input, out) };
        let combined = match (tables, combine) {
            _ if put.count == 0 => return copied(),
            (Some(parts), _) => {
                match_dtype!(bits.dtype(), T => put.by_tables::<T>(access, combine, own, parts, &copied), else Err(unsupported(&bits, combine)))
            }
            (None, ScatterReduce::Replace) => {
                copied()?;
                by_size!(bits.dtype(), T => put.replace::<T>(access))
            }
            (None, _) => {
                copied()?;
                match_dtype!(bits.dtype(), T => put.combine::<T>(access, combine, own), else Err(unsupported(&bits, combine)))
            }
        }?;
        if let Combining::Outside(index) = combined { Err(refused(index)) } else { Ok(()) }
    })
}

/// Truths are bytes: their sum is the larger one, their product the smaller one.
fn bits_of(out: &RawTensor, combine: ScatterReduce, source: RawTensor) -> (RawTensor, ScatterReduce, RawTensor) {
    match (out.dtype(), combine) {
        (DType::Bool, ScatterReduce::Sum | ScatterReduce::Mean) => (out.as_bits(), ScatterReduce::Amax, source.as_bits()),
        (DType::Bool, ScatterReduce::Prod) => (out.as_bits(), ScatterReduce::Amin, source.as_bits()),
        (DType::Bool, _) => (out.as_bits(), combine, source.as_bits()),
        // others: numbers are summed and multiplied as they are.
        _ => (out.clone(), combine, source),
    }
}

/// How a kernel combines them.
#[cfg(feature = "cuda")]
fn meeting(combine: ScatterReduce, own: IncludeSelf, parts: Option<usize>) -> Option<Meeting> {
    let kind = match combine {
        ScatterReduce::Replace => return None,
        ScatterReduce::Sum | ScatterReduce::Mean => MeetKind::Sum,
        ScatterReduce::Prod => MeetKind::Product,
        ScatterReduce::Amax => MeetKind::Greatest,
        ScatterReduce::Amin => MeetKind::Least,
    };
    let (with_own, is_mean) = (own == IncludeSelf::Yes, combine == ScatterReduce::Mean);
    Some(Meeting { kind, with_own, is_mean, parts: parts.unwrap_or(0) })
}

#[cfg(feature = "cuda")]
fn put_on_device(
    (input, out, is_new): (&RawTensor, &RawTensor, bool),
    dim: usize,
    indices: &RawTensor,
    source: &RawTensor,
    (combine, own): (ScatterReduce, IncludeSelf),
) -> Result<()> {
    on_device::together(&[out, indices, source])?;
    let in_place = input.is_set_to(out);
    // Nobody sees a new tensor where an index is outside; in place nothing is written before all were looked at.
    let room = match (in_place, is_new) {
        (true, _) => out.clone(),
        (false, true) => {
            out.fit_storage()?;
            out.copy_(input)?;
            out.clone()
        }
        (false, false) => input.clone_as(MemoryFormat::Contiguous)?,
    };
    if indices.numel() > 0 {
        let parts = {
            let (bits, combine, source) = bits_of(out, combine, source.clone());
            Put::new(&bits, dim, indices, &source, size_of_dim(out, dim))?.tables(combine)
        };
        let (bits, combine, bytes) = bits_of(&room, combine, source.clone());
        let inside = on_device::scatter(&bits, dim, indices, &bytes, meeting(combine, own, parts))?;
        let replace = (ScatterReduce::Replace, IncludeSelf::Yes);
        let on_host = || {
            let source = on_device::host(source)?;
            scatter(&on_device::host(out)?, dim.cast_signed(), &on_device::host(indices)?, (&source).into(), replace, Target::New)
        };
        on_device::checked(inside, (), on_host)?;
    }
    if in_place || is_new {
        return Ok(());
    }
    out.fit_storage()?;
    out.copy_(&room)
}

fn unsupported(tensor: &RawTensor, combine: ScatterReduce) -> Error {
    let name = match combine {
        ScatterReduce::Replace => "",
        ScatterReduce::Sum | ScatterReduce::Mean => "_add",
        ScatterReduce::Prod => "_multiply",
        ScatterReduce::Amax => "_reduce_amax",
        ScatterReduce::Amin => "_reduce_amin",
    };
    crate::element::unsupported(&format!("scatter_gather_tensor_cpu{name}"), tensor.dtype())
}

fn check_combine(tensor: &RawTensor, combine: ScatterReduce) -> Result<()> {
    let ordered = matches!(combine, ScatterReduce::Amax | ScatterReduce::Amin);
    if combine != ScatterReduce::Replace && !tensor.dtype().is_computing() || ordered && tensor.dtype().is_complex() {
        return Err(unsupported(tensor, combine));
    }
    Ok(())
}
