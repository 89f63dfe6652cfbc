//! Parts of matrices and matrices of parts: `tril`, `triu`, `diag`, `one_hot`.

use latten_spec::DType;
#[cfg(feature = "cuda")]
use latten_spec::operation::Op;

#[cfg(feature = "cuda")]
use super::on_device;
use super::{BLOCK, Offsets, PART, check_data, dense, each_block, first_outside, output, reader, usize_of};
use crate::element::Native;
use crate::error::{Error, Result};
use crate::kernels::block::{Pieces, Writer};
use crate::kernels::parts::hand_out;
use crate::kernels::places::{PlacesMut, by_size};
use crate::outputs::{check_dtype, copied_apart, held};
use crate::plan::Target;
use crate::raw::RawTensor;
use crate::storage::Access;

/// Which part of a matrix stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// On and below the diagonal: `tril`.
    Lower,
    /// On and above the diagonal: `triu`.
    Upper,
}

impl Half {
    fn name(self) -> &'static str {
        match self {
            Self::Lower => "tril",
            Self::Upper => "triu",
        }
    }

    /// The columns of a row that become zero.
    fn outside(self, row: usize, columns: usize, diagonal: isize) -> std::ops::Range<usize> {
        let clamp = |column: isize| usize::try_from(column).unwrap_or(0).min(columns);
        let at = row.cast_signed().saturating_add(diagonal);
        match self {
            Self::Lower => clamp(at.saturating_add(1))..columns,
            Self::Upper => 0..clamp(at),
        }
    }
}

fn check_matrix(input: &RawTensor, half: Half) -> Result<()> {
    if input.rank() < 2 {
        return Err(Error::runtime(format!("{}: input tensor must have at least 2 dimensions", half.name())));
    }
    Ok(())
}

/// PyTorch's `tril` and `triu`: matrices with zeros on one side of a diagonal.
///
/// # Errors
/// For fewer than two dimensions, and where an output has another dtype.
pub fn triangle(input: &RawTensor, half: Half, diagonal: isize, target: Target<'_>) -> Result<RawTensor> {
    check_matrix(input, half)?;
    check_dtype(target, input.dtype())?;
    let out = output(target, input.sizes(), input.dtype(), input)?;
    let input = if input.is_set_to(&out) { input.clone() } else { copied_apart(input, &out)? };
    if out.is_meta() || out.numel() == 0 {
        return out.grown();
    }
    #[cfg(feature = "cuda")]
    if out.is_on_cuda() {
        let out = out.grown()?;
        out.copy_(&input)?;
        return clear_on_device(&out, half, diagonal).map(|()| out);
    }
    let (from, to) = (input.as_bits(), out.as_bits());
    held(
        &[&out],
        &[&input],
        |_| Ok(()),
        |access| {
            by_size!(out.dtype(), T => match from.is_set_to(&to) {
                true => clear::<T>(access, &to, half, diagonal),
                false => cut::<T>(access, &from, &to, half, diagonal),
            })
        },
    )?;
    Ok(out)
}

#[cfg(feature = "cuda")]
fn clear_on_device(tensor: &RawTensor, half: Half, diagonal: isize) -> Result<()> {
    let (rows, columns) = (tensor.sizes()[tensor.rank() - 2], tensor.sizes()[tensor.rank() - 1]);
    let op = if half == Half::Lower { Op::Gt } else { Op::Lt };
    let outside = on_device::compared(op, rows, columns, diagonal, tensor.device())?;
    super::masked_fill_in_place(tensor, &outside, crate::scalar::Scalar::Int(0).into())
}

/// Rows with zeros in them.
fn cut<T: Native + Default>(access: &Access<'_>, input: &RawTensor, out: &RawTensor, half: Half, diagonal: isize) -> Result<()> {
    let (height, columns) = (out.sizes()[out.rank() - 2], out.sizes()[out.rank() - 1]);
    let elements = reader::<T>(access, input)?;
    let mut writer = Writer::<T>::new(access, out, T::DTYPE, &[input])?;
    let each = (PART / columns).max(1);
    hand_out(&mut writer.pieces(Pieces::of(each * columns)), &|_, mut piece| {
        let first = piece.first() / columns;
        for row in 0..piece.len() / columns {
            let outside = half.outside((first + row) % height, columns, diagonal);
            let kept = if outside.start == 0 { outside.end..columns } else { 0..outside.start };
            let room = piece.room(row * columns, columns);
            elements.copy((first + row) * columns + kept.start, &mut room[kept]);
            room[outside].fill(T::default());
            piece.put(row * columns, columns);
        }
    });
    Ok(())
}

/// Zeros in the place of elements, a row after the other.
fn clear<T: Native + Default>(access: &Access<'_>, tensor: &RawTensor, half: Half, diagonal: isize) -> Result<()> {
    let (rank, strides) = (tensor.rank(), tensor.strides());
    let (height, columns) = (tensor.sizes()[rank - 2], tensor.sizes()[rank - 1]);
    // The places of the rows' first elements.
    let firsts = Offsets::of(&tensor.narrow(-1, 0, 1)?);
    let mut to = PlacesMut::<T>::new(access, tensor.storage())?;
    let (rows, mut places) = (tensor.numel() / columns, [0; BLOCK]);
    for first in (0..rows).step_by(BLOCK) {
        let places = &mut places[..BLOCK.min(rows - first)];
        firsts.places(first, places);
        for (row, &place) in (first..).zip(&*places) {
            let outside = half.outside(row % height, columns, diagonal);
            if strides[rank - 1] == 1 {
                to.fill(place + outside.start, outside.len(), T::default());
            } else {
                outside.for_each(|column| to.set(place + column * strides[rank - 1], T::default()));
            }
        }
    }
    Ok(())
}

/// PyTorch's `diag`: a diagonal of a matrix, or a square matrix with a row on a diagonal.
///
/// # Errors
/// For other numbers of dimensions, and where an output has another dtype.
pub fn diag(input: &RawTensor, diagonal: isize, target: Target<'_>) -> Result<RawTensor> {
    let (from, sizes) = match input.sizes() {
        [_, _] => (input.diagonal(diagonal, 0, 1)?, None),
        &[size] => (input.clone(), Some([diagonal.unsigned_abs().saturating_add(size); 2])),
        _ => return Err(Error::runtime(format!("diag(): Supports 1D or 2D tensors. Got {}D", input.rank()))),
    };
    check_dtype(target, input.dtype())?;
    let out = output(target, sizes.as_ref().map_or(from.sizes(), |sizes| sizes), input.dtype(), input)?;
    let (from, out) = (copied_apart(&from, &out)?, out.grown()?);
    if sizes.is_some() {
        out.zero_()?;
        out.diagonal(diagonal, 0, 1)?.copy_(&from)?;
    } else {
        out.copy_(&from)?;
    }
    Ok(out)
}

/// PyTorch's `one_hot`: for each number a row that is 1 at that place and 0 elsewhere; without a count the largest number says how many
/// classes there are.
///
/// # Errors
/// Where the numbers aren't int64, are negative or too large, or there are none to count by.
pub fn one_hot(classes: &RawTensor, count: Option<isize>) -> Result<RawTensor> {
    if classes.dtype() != DType::I64 {
        return Err(Error::runtime("one_hot is only applicable to index tensor of type LongTensor."));
    }
    if let (true, Some(columns)) = (classes.is_meta(), count.and_then(|count| usize::try_from(count).ok())) {
        return dense(&[classes.sizes(), &[columns]].concat(), DType::I64, classes);
    }
    check_data(classes, "one_hot")?;
    let numel = classes.numel();
    if numel == 0 && count.unwrap_or(-1) <= 0 {
        return Err(Error::runtime("Can not infer total number of classes from empty tensor."));
    }
    #[cfg(feature = "cuda")]
    if classes.is_on_cuda() {
        // How many columns there are, and whether all classes are there, the host says.
        let columns = one_hot(&on_device::host(classes)?, count)?.sizes().last().copied().unwrap_or(0);
        return on_device::equal_to_columns(classes, columns)?.to_dtype(DType::I64);
    }
    let access = Access::lock(&[], &[classes.storage()])?;
    let numbers = reader::<i64>(&access, classes)?;
    if first_outside(&numbers, numel, 0..i64::MAX).is_some_and(|(_, class)| class < 0) {
        return Err(Error::runtime("Class values must be non-negative."));
    }
    let mut most = -1;
    each_block(&numbers, 0..numel, &mut |_, block| most = block.iter().fold(most, |most, &class| most.max(class)));
    let size = match count {
        None | Some(-1) => most.saturating_add(1),
        Some(count) if count as i64 <= most => return Err(Error::runtime("Class values must be smaller than num_classes.")),
        Some(count) => count as i64,
    };
    let sizes: Vec<usize> = classes.sizes().iter().copied().chain([usize_of(size)]).collect();
    let out = dense(&sizes, DType::I64, classes)?;
    out.zero_()?;
    // Nobody else has it: its lock waits for nothing.
    let own = Access::lock(&[out.storage()], &[])?;
    let mut ones = PlacesMut::<i64>::new(&own, out.storage())?;
    each_block(&numbers, 0..numel, &mut |first, block| {
        block.iter().zip(first..).for_each(|(&class, row)| ones.set(row * usize_of(size) + usize_of(class), 1));
    });
    drop(own);
    Ok(out)
}
