//! Elements around a tensor: `pad`, with a number or with elements of the tensor.

use latten_spec::DType;

use super::mask::as_element;
use super::{OffsetStep, Offsets, PART, dense, pick, reader};
use crate::element::{Native, unsupported};
use crate::error::{Error, Result};
use crate::geometry::strides::suggest_memory_format;
use crate::geometry::{Dims, LARGEST};
use crate::kernels::block::{Pieces, Writer};
use crate::kernels::parts::hand_out;
use crate::kernels::places::{Places, by_size};
use crate::layout::MemoryFormat;
use crate::outputs::held;
use crate::raw::RawTensor;
use crate::scalar::Scalar;
use crate::storage::Access;

/// What stands around the elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Padding {
    /// A number.
    Constant(Scalar),
    /// The elements beside the first and the last one, mirrored: "reflect".
    Reflect,
    /// The first and the last element: "replicate".
    Replicate,
    /// The elements of the other end: "circular".
    Circular,
}

/// That number around.
impl<N: Into<Scalar>> From<N> for Padding {
    fn from(number: N) -> Self {
        Self::Constant(number.into())
    }
}

impl Padding {
    /// By PyTorch's name of the mode, and the number that is given with it.
    ///
    /// # Errors
    /// For any other name, and for a number where none is used.
    pub fn parse(mode: &str, value: Option<Scalar>) -> Result<Self> {
        let padding = match mode {
            "constant" => return Ok(Self::Constant(value.unwrap_or(Scalar::Int(0)))),
            "reflect" => Self::Reflect,
            "replicate" => Self::Replicate,
            "circular" => Self::Circular,
            _ => return Err(Error::not_implemented(format!("Unrecognised padding mode {mode}"))),
        };
        if value.is_some_and(|value| !matches!(value, Scalar::Int(0) | Scalar::Bool(false)) && value != Scalar::Float(0.0)) {
            return Err(Error::runtime(format!("Padding mode \"{mode}\" doesn't take in value argument")));
        }
        Ok(padding)
    }

    /// PyTorch's name of the mode, and the number.
    pub(crate) fn named(self) -> (&'static str, Option<Scalar>) {
        match self {
            Self::Constant(value) => ("constant", Some(value)),
            Self::Reflect => ("reflect", None),
            Self::Replicate => ("replicate", None),
            Self::Circular => ("circular", None),
        }
    }
}

/// PyTorch's `pad`: two amounts a dimension, before and after, the last dimension first. Negative amounts take elements away.
///
/// # Errors
/// Where the amounts don't fit the tensor.
pub fn pad(input: &RawTensor, amounts: &[isize], padding: Padding) -> Result<RawTensor> {
    if !amounts.len().is_multiple_of(2) {
        return Err(Error::runtime("Padding length must be divisible by 2"));
    }
    if amounts.len() > 2 * input.rank() {
        return Err(Error::runtime(format!(
            "Padding length should be less than or equal to two times the input dimension but got padding length {} and input of \
             dimension {}",
            amounts.len(),
            input.rank()
        )));
    }
    // Sums of two of these and a size are numbers.
    if let Some(amount) = amounts.iter().find(|amount| amount.unsigned_abs() > LARGEST / 4) {
        return Err(Error::runtime(format!("Padding amounts are at most {} either way, but got {amount}", LARGEST / 4)));
    }
    match padding {
        Padding::Constant(number) => constant(input, amounts, number),
        _ => repeated(input, amounts, padding),
    }
}

/// The dimensions that have amounts, with those before and after.
fn by_dim(rank: usize, amounts: &[isize]) -> impl Iterator<Item = (usize, isize, isize)> {
    let pairs = amounts.chunks_exact(2).enumerate().map(move |(from_last, pair)| (rank - 1 - from_last, pair[0], pair[1]));
    pairs.collect::<Vec<_>>().into_iter().rev()
}

fn constant(input: &RawTensor, amounts: &[isize], number: Scalar) -> Result<RawTensor> {
    let mut inside = input.clone();
    let mut sizes: Vec<isize> = crate::views::signed(input.sizes());
    for (dim, before, behind) in by_dim(input.rank(), amounts) {
        let dim_of_view = dim.cast_signed();
        let size = |view: &RawTensor| view.sizes()[dim].cast_signed();
        if before < 0 {
            inside = inside.narrow(dim_of_view, -before, size(&inside).saturating_add(before))?;
        }
        if behind < 0 {
            inside = inside.narrow(dim_of_view, 0, size(&inside).saturating_add(behind))?;
        }
        sizes[dim] = sizes[dim].saturating_add(before).saturating_add(behind);
    }
    if amounts.iter().all(|&amount| amount <= 0) {
        return inside.clone_as(MemoryFormat::Preserve);
    }
    if let Some((dim, before, behind)) = by_dim(input.rank(), amounts).find(|(dim, ..)| sizes[*dim] < 0) {
        return Err(Error::runtime(format!(
            "The input size {}, plus negative padding {before} and {behind}, resulted in a negative output size, which is invalid. Check \
             dimension {dim} of your input.",
            input.sizes()[dim]
        )));
    }
    let sizes: Dims = sizes.iter().map(|size| size.cast_unsigned()).collect();
    let format = suggest_memory_format(input.sizes(), input.strides());
    let out = dense(&sizes, input.dtype(), &input.with_geometry(crate::geometry::Geometry::default()))?;
    let out = if format == MemoryFormat::Contiguous { out } else { out.empty_like(input.dtype(), format)? };
    if format == MemoryFormat::Contiguous && !out.is_meta() && !out.is_on_cuda() && out.numel() > 0 {
        let first: Dims = by_dim_or_none(input.rank(), amounts).map(|before| before.max(0).cast_unsigned()).collect();
        let number = as_element(number, input.dtype())?;
        held(
            &[&out],
            &[&inside, &number],
            |_| Ok(()),
            |access| by_size!(out.dtype(), T => surround::<T>(access, &inside.as_bits(), &first, &number, &out.as_bits())),
        )?;
        return Ok(out);
    }
    out.fill_(number)?;
    let mut middle = out.clone();
    for (dim, before, _) in by_dim(input.rank(), amounts) {
        middle = middle.narrow(dim.cast_signed(), before.max(0), inside.sizes()[dim].cast_signed())?;
    }
    middle.copy_(&inside)?;
    Ok(out)
}

/// The amounts before each dimension; none for those that have no amounts.
fn by_dim_or_none(rank: usize, amounts: &[isize]) -> impl Iterator<Item = isize> {
    (0..rank).map(move |dim| amounts.get(2 * (rank - 1 - dim)).copied().unwrap_or(0))
}

/// Writes the elements of a tensor, whose first lies there in the output, and a number around them: each element of the output once.
fn surround<T: Native + Default>(
    access: &Access<'_>,
    inside: &RawTensor,
    first: &[usize],
    number: &RawTensor,
    out: &RawTensor,
) -> Result<()> {
    let number = Places::<T>::new(access, number.storage())?.get(0);
    let elements = reader::<T>(access, inside)?;
    let mut writer = Writer::<T>::new(access, out, T::DTYPE, &[inside])?;
    let (outer, columns) = out.sizes().split_at(out.rank() - 1);
    let (columns, width, before) = (columns[0], inside.sizes()[outer.len()], first[outer.len()]);
    hand_out(&mut writer.pieces(Pieces::of((PART / columns).max(1) * columns)), &|_, mut piece| {
        for row in 0..piece.len() / columns {
            // The row of the tensor that this one has in it.
            let (mut rest, mut own, mut step) = (piece.first() / columns + row, Some(0), 1);
            for ((&size, &from), &has) in outer.iter().zip(first).zip(inside.sizes()).rev() {
                let at = (rest % size).checked_sub(from).filter(|&at| at < has);
                own = own.zip(at).map(|(own, at)| own + at * step);
                (rest, step) = (rest / size, step * has);
            }
            let room = piece.room(row * columns, columns);
            match own.filter(|_| width > 0) {
                None => room.fill(number),
                Some(own) => {
                    room[..before].fill(number);
                    elements.copy(own * width, &mut room[before..before + width]);
                    room[before + width..].fill(number);
                }
            }
            piece.put(row * columns, columns);
        }
    });
    Ok(())
}

/// Elements of a row from which on it is written run by run.
const LONG: usize = 64;

/// Where each element along a padded dimension comes from.
fn sources(size: usize, before: isize, behind: isize, padding: Padding) -> Vec<usize> {
    let last = size.cast_signed() - 1;
    // What negative amounts take away doesn't come back from the other end.
    let (start, kept) = (-before.min(0), last + 1 + before.min(0) + behind.min(0));
    (-before..size.cast_signed() + behind)
        .map(|at| match padding {
            Padding::Reflect if at < 0 => -at,
            Padding::Reflect if at > last => 2 * last - at,
            Padding::Circular => start + (at - start).rem_euclid(kept.max(1)),
            _ => at,
        })
        .map(|at| at.clamp(0, last).cast_unsigned())
        .collect()
}

fn repeated(input: &RawTensor, amounts: &[isize], padding: Padding) -> Result<RawTensor> {
    let (rank, sizes) = (input.rank(), input.sizes());
    let spatial = amounts.len() / 2;
    if !(1..=3).contains(&spatial) || !(spatial + 1..=spatial + 2).contains(&rank) {
        return Err(Error::not_implemented(format!(
            "Padding size {} is not supported for {rank}D input tensor.\nSupported combinations for non-constant padding:\n  - 2D or 3D input: \
             padding size = 2 (pads last dimension)\n  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n  - 4D or 5D input: padding \
             size = 6 (pads last 3 dimensions)",
            amounts.len()
        )));
    }
    let batched = rank == spatial + 2;
    if padding != Padding::Circular && sizes[usize::from(batched)..].contains(&0) {
        let [least, most] = [1, 2].map(|beside| spatial + beside);
        return Err(Error::runtime(format!(
            "Expected {least}D or {most}D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, but got: {sizes:?}"
        )));
    }
    check_dtype(input, padding, spatial)?;
    let mut out_sizes: Dims = sizes.into();
    for (dim, before, behind) in by_dim(rank, amounts) {
        let size = sizes[dim].cast_signed();
        if padding == Padding::Reflect && (before >= size || behind >= size) {
            return Err(Error::runtime(format!(
                "Argument #{}: Padding size should be less than the corresponding input dimension, but got: padding ({before}, {behind}) \
                 at dimension {dim} of input {sizes:?}",
                4 + 2 * (rank - 1 - dim)
            )));
        }
        let padded = size.saturating_add(before).saturating_add(behind);
        // PyTorch looks at the size before negative amounts take elements away, and then reads memory that nobody wrote.
        let kept = size.saturating_add(before.min(0)).saturating_add(behind.min(0)).max(0);
        if padding == Padding::Circular && (before > size || behind > size || padded >= 0 && before.max(behind) > kept) {
            return Err(Error::runtime("Padding value causes wrapping around more than once."));
        }
        if padded < 0 && padding == Padding::Circular {
            return Err(Error::runtime("Negative padding value is resulting in an empty dimension"));
        }
        if (padded < 1 || size == 0) && padding != Padding::Circular {
            let name = ["W", "H", "D"].get(rank - 1 - dim).copied().unwrap_or("W");
            return Err(Error::runtime(format!("input ({name}: {size}) is too small. Calculated output {name}: {padded}")));
        }
        out_sizes[dim] = padded.cast_unsigned();
    }
    let out = dense(&out_sizes, input.dtype(), input)?;
    if out.is_meta() || out.numel() == 0 {
        return Ok(out);
    }
    let padded: Vec<_> = by_dim(rank, amounts).collect();
    #[cfg(feature = "cuda")]
    if input.is_on_cuda() {
        let along = |from: RawTensor, &(dim, before, behind): &(usize, isize, isize)| {
            let places = sources(sizes[dim], before, behind, padding).into_iter().map(|at| at.cast_signed() as i64).collect();
            super::gather::select_places(&from, dim, places)
        };
        return padded.iter().try_fold(input.clone(), along);
    }
    let dim_of = |d: usize| {
        let stride = input.strides()[d];
        match padded.iter().find(|(dim, ..)| *dim == d) {
            Some(&(_, before, behind)) => {
                let places = sources(sizes[d], before, behind, padding).into_iter().map(|at| at * stride).collect();
                (out_sizes[d], OffsetStep::To(places))
            }
            None => (sizes[d], OffsetStep::By(stride)),
        }
    };
    let access = Access::lock(&[out.storage()], &[input.storage()])?;
    input.check_inside()?;
    match dim_of(rank - 1) {
        (_, OffsetStep::To(places)) if places.len() >= LONG => {
            let rows = Offsets::new(input.storage_offset(), (0..rank - 1).map(dim_of));
            by_size!(input.dtype(), T => by_rows::<T>(&access, &input.as_bits(), &out.as_bits(), &rows, &runs(&places)))?;
        }
        last => {
            let walk = Offsets::new(input.storage_offset(), (0..rank - 1).map(dim_of).chain([last]));
            pick(&access, input, &out, 1, &|first, places| walk.places(first, places))?;
        }
    }
    drop(access);
    Ok(out)
}

/// Neighbours of a row that come from neighbours: the first of those, and how many.
fn runs(places: &[usize]) -> Vec<(usize, usize)> {
    places.chunk_by(|&one, &next| next == one + 1).map(|run| (run[0], run.len())).collect()
}

/// Writes rows, each from runs of the row that it comes from.
fn by_rows<T: Native + Default>(
    access: &Access<'_>,
    input: &RawTensor,
    out: &RawTensor,
    rows: &Offsets,
    runs: &[(usize, usize)],
) -> Result<()> {
    let from = Places::<T>::new(access, input.storage())?;
    let mut writer = Writer::<T>::new(access, out, T::DTYPE, &[input])?;
    let columns = out.sizes()[out.rank() - 1];
    hand_out(&mut writer.pieces(Pieces::of((PART / columns).max(1) * columns)), &|_, mut piece| {
        for row in 0..piece.len() / columns {
            let start = rows.place(piece.first() / columns + row);
            let mut rest = piece.room(row * columns, columns);
            for &(place, len) in runs {
                let (now, later) = rest.split_at_mut(len);
                from.copy_to(start + place, now);
                rest = later;
            }
            piece.put(row * columns, columns);
        }
    });
    Ok(())
}

/// PyTorch mirrors and repeats numbers, not truths.
fn check_dtype(input: &RawTensor, padding: Padding, spatial: usize) -> Result<()> {
    let name = match padding {
        Padding::Reflect => "reflection",
        Padding::Replicate => "replication",
        Padding::Constant(_) | Padding::Circular => return Ok(()),
    };
    if input.dtype() == DType::Bool || !input.dtype().is_computing() {
        return Err(unsupported(&format!("{name}_pad{spatial}d"), input.dtype()));
    }
    Ok(())
}
