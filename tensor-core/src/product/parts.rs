//! Products of complex matrices, as one product of real ones. No multiplication is more than the four of the definition.
//!
//! Rows of the left factor stay as they are, real and imaginary parts in turn. Each row of the right factor is followed by itself times i,
//! once it is packed: then the rows of the product are real and imaginary parts in turn, too. One row alone takes less work the other way around.

use latten_spec::DType;
use latten_spec::operation::Op;
use smallvec::SmallVec;

use super::sums::{multiply_parts, multiply_real};
use crate::device::Device;
use crate::elementwise::{Params, apply};
use crate::error::Result;
use crate::geometry::strides::contiguous_strides;
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;

type SignedParts = SmallVec<[isize; 6]>;

fn signed(sizes: &[usize]) -> SignedParts {
    sizes.iter().map(|size| size.cast_signed()).collect()
}

/// Writes the product of [.., m, k] and [.., k, n], none of which is empty, into a complex tensor.
pub(super) fn multiply(left: &RawTensor, right: &RawTensor, out: &RawTensor) -> Result<()> {
    let (rank, wide) = (left.rank(), left.dtype().to_real().computing());
    let wide = wide.to_complex().unwrap_or(left.dtype());
    let (m, k, n) = (left.sizes()[rank - 2], left.sizes()[rank - 1], right.sizes()[rank - 1]);
    let batch = &left.sizes()[..rank - 2];
    let shape = |last: &[usize]| -> SmallVec<[usize; 4]> { batch.iter().chain(last).copied().collect() };
    let (left, right, parts) = (left.to_dtype(wide)?, right.to_dtype(wide)?, out.view_as_real()?);
    if m == 1 {
        // [.., part of the product, k, part of the left factor]
        let rows = with_turned(&left)?.view(&signed(&shape(&[2, 2 * k])))?;
        // [.., k, part, n]
        let last = rank.cast_signed();
        let order: SignedParts = (0..last - 1).chain([last, last - 1]).collect();
        let columns = right.view_as_real()?.permute(&order)?.contiguous(MemoryFormat::Contiguous)?.view(&signed(&shape(&[2 * k, n])))?;
        return multiply_real(&rows, &columns, &parts.select(-3, 0)?.transpose(-1, -2)?);
    }
    // Where the parts of a row don't lie side by side, or the rows of the right factor in one place.
    let side_by_side = |factor: RawTensor, columns: usize, again: bool| {
        if again || columns > 1 && factor.strides()[rank - 1] != 1 { factor.contiguous(MemoryFormat::Contiguous) } else { Ok(factor) }
    };
    let one_row = k > 1 && right.strides()[rank - 2] == 0;
    let rows = lines(&side_by_side(left, k, false)?.view_as_real()?);
    let columns = lines(&side_by_side(right, n, one_row)?.view_as_real()?);
    if n == 1 || parts.strides()[rank - 1] == 2 {
        return multiply_parts(&rows, &columns, &lines(&parts));
    }
    let together = empty(parts.sizes(), parts.dtype(), parts.device())?;
    multiply_parts(&rows, &columns, &lines(&together))?;
    parts.copy_(&together)
}

/// Complex numbers as their parts, side by side: [.., rows, columns, part] as [.., rows, both].
fn lines(parts: &RawTensor) -> RawTensor {
    let (mut geometry, columns) = (parts.geometry().clone(), parts.rank() - 2);
    geometry.sizes.truncate(columns + 1);
    geometry.strides.truncate(columns + 1);
    geometry.sizes[columns] *= 2;
    geometry.strides[columns] = 1;
    parts.with_geometry(geometry)
}

/// Each row as two, of parts in turn, [.., rows, 2, columns, part]: what gives the real and the imaginary part of a product.
fn with_turned(matrix: &RawTensor) -> Result<RawTensor> {
    let parts = matrix.view_as_real()?;
    let mut sizes = parts.sizes().to_vec();
    sizes.insert(sizes.len() - 2, 2);
    let both = empty(&sizes, parts.dtype(), parts.device())?;
    let (re, im) = (parts.select(-1, 0)?, parts.select(-1, 1)?);
    let minus = apply(Op::Neg, &[(&im).into()], &Params::none())?;
    let put = |row: isize, part: isize, from: &RawTensor| both.select(-3, row)?.select(-1, part)?.copy_(from);
    [(0, 0, &re), (0, 1, &minus), (1, 0, &im), (1, 1, &re)].iter().try_for_each(|&(row, part, from)| put(row, part, from))?;
    Ok(both)
}

fn empty(sizes: &[usize], dtype: DType, device: Device) -> Result<RawTensor> {
    RawTensor::empty(sizes, &contiguous_strides(sizes), dtype, device)
}
