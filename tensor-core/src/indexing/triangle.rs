//! Parts of matrices and matrices of parts: `tril`, `triu`, `diag`, `one_hot`.

use latten_spec::DType;

#[cfg(feature = "cuda")]
use super::on_device;
use super::{BLOCK, by_size, check_data, dense, each_block, first_outside, reader, usize_of};
use crate::element::Native;
use crate::error::{Error, Result};
use crate::kernels::parts::hand_out;
use crate::kernels::places::PlacesMut;
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;
use crate::storage::{Access, TypedStorage};

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

/// PyTorch's `tril` and `triu`: copies of matrices with zeros on one side of a diagonal.
///
/// # Errors
/// For fewer than two dimensions.
pub fn triangle(input: &RawTensor, half: Half, diagonal: isize) -> Result<RawTensor> {
    check_matrix(input, half)?;
    let out = input.clone_as(MemoryFormat::Contiguous)?;
    if out.is_meta() || out.numel() == 0 {
        return Ok(out);
    }
    #[cfg(feature = "cuda")]
    if out.is_on_cuda() {
        return clear_on_device(&out, half, diagonal).map(|()| out);
    }
    by_size!(out.dtype(), T => clear::<T>(&out, half, diagonal))?;
    Ok(out)
}

/// Zeros in a new tensor.
fn clear<T: Native + Default>(out: &RawTensor, half: Half, diagonal: isize) -> Result<()> {
    let (rows, columns) = (out.sizes()[out.rank() - 2], out.sizes()[out.rank() - 1]);
    let numbers = TypedStorage::<T>::of(out.storage().clone());
    let mut numbers = numbers.slice_mut()?;
    let each = (super::PART / columns).max(1);
    hand_out(numbers[..out.numel()].chunks_mut(each * columns), |part, some| {
        for (row, numbers) in some.chunks_exact_mut(columns).enumerate() {
            numbers[half.outside((part * each + row) % rows, columns, diagonal)].fill(T::default());
        }
    });
    Ok(())
}

/// PyTorch's `tril_` and `triu_`.
///
/// # Errors
/// As [`triangle`].
pub fn triangle_in_place(tensor: &RawTensor, half: Half, diagonal: isize) -> Result<()> {
    check_matrix(tensor, half)?;
    if tensor.is_meta() || tensor.numel() == 0 {
        return Ok(());
    }
    #[cfg(feature = "cuda")]
    if tensor.is_on_cuda() {
        return clear_on_device(tensor, half, diagonal);
    }
    by_size!(tensor.dtype(), T => clear_in_place::<T>(tensor, half, diagonal))
}

#[cfg(feature = "cuda")]
fn clear_on_device(tensor: &RawTensor, half: Half, diagonal: isize) -> Result<()> {
    let (rows, columns) = (tensor.sizes()[tensor.rank() - 2], tensor.sizes()[tensor.rank() - 1]);
    let outside = on_device::outside(half, rows, columns, diagonal, tensor.device())?;
    super::masked_fill_in_place(tensor, &outside, crate::scalar::Scalar::Int(0).into())
}

fn clear_in_place<T: Native + Default>(tensor: &RawTensor, half: Half, diagonal: isize) -> Result<()> {
    let rank = tensor.rank();
    let (columns, strides) = (tensor.sizes()[rank - 1], tensor.strides());
    // The places of the rows' first elements.
    let firsts = super::Walk::of(&tensor.narrow(-1, 0, 1)?);
    let access = Access::lock(&[tensor.storage()], &[])?;
    tensor.check_inside()?;
    let mut to = PlacesMut::<T>::new(&access, tensor.storage())?;
    let (rows, mut places) = (tensor.numel() / columns, [0; BLOCK]);
    for first in (0..rows).step_by(BLOCK) {
        let places = &mut places[..BLOCK.min(rows - first)];
        firsts.places(first, places);
        for (row, &place) in (first..).zip(&*places) {
            for column in half.outside(row % tensor.sizes()[rank - 2], columns, diagonal) {
                to.set(place + column * strides[rank - 1], T::default());
            }
        }
    }
    Ok(())
}

/// PyTorch's `diag`: a copy of a diagonal of a matrix, or a square matrix with a row on a diagonal.
///
/// # Errors
/// For other numbers of dimensions.
pub fn diag(input: &RawTensor, diagonal: isize) -> Result<RawTensor> {
    match input.sizes() {
        [_, _] => input.diagonal(diagonal, 0, 1)?.clone_as(MemoryFormat::Contiguous),
        &[size] => {
            let size = diagonal.unsigned_abs().saturating_add(size);
            let out = dense(&[size, size], input.dtype(), input)?;
            out.zero_()?;
            out.diagonal(diagonal, 0, 1)?.copy_(input)?;
            Ok(out)
        }
        _ => Err(Error::runtime(format!("diag(): Supports 1D or 2D tensors. Got {}D", input.rank()))),
    }
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
    each_block(&numbers, 0..numel, |_, block| most = block.iter().fold(most, |most, &class| most.max(class)));
    let size = match count {
        None | Some(-1) => most.saturating_add(1),
        Some(count) if count as i64 <= most => return Err(Error::runtime("Class values must be smaller than num_classes.")),
        Some(count) => count as i64,
    };
    let sizes: Vec<usize> = classes.sizes().iter().copied().chain([usize_of(size)]).collect();
    let out = dense(&sizes, DType::I64, classes)?;
    out.zero_()?;
    let ones = TypedStorage::<i64>::of(out.storage().clone());
    let mut ones = ones.slice_mut()?;
    each_block(&numbers, 0..numel, |first, block| {
        block.iter().zip(first..).for_each(|(&class, row)| ones[row * usize_of(size) + usize_of(class)] = 1);
    });
    drop(ones);
    Ok(out)
}
