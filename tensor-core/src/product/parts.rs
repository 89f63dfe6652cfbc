//! Products of complex matrices, as one product of real ones: with the parts of the left factor as [[re, -im], [im, re]] and those of
//! the right one as [re; im], the rows of the product are its real and its imaginary parts. No multiplication is more than the four.

use smallvec::SmallVec;
use tensor_spec::DType;
use tensor_spec::operation::Op;

use super::multiply_real;
use crate::device::Device;
use crate::elementwise::{Params, apply};
use crate::error::Result;
use crate::geometry::strides::contiguous_strides;
use crate::layout::MemoryFormat;
use crate::raw::RawTensor;

type Signed = SmallVec<[isize; 8]>;

fn signed(sizes: &[usize]) -> Signed {
    sizes.iter().map(|size| size.cast_signed()).collect()
}

/// The product of [.., m, k] and [.., k, n], contiguous, in complex64 or complex128.
pub(super) fn multiply(left: &RawTensor, right: &RawTensor) -> Result<RawTensor> {
    let (rank, wide) = (left.rank(), left.dtype().to_real().computing());
    let wide = wide.to_complex().unwrap_or(left.dtype());
    let (m, k, n) = (left.sizes()[rank - 2], left.sizes()[rank - 1], right.sizes()[rank - 1]);
    let batch = &left.sizes()[..rank - 2];
    let shape = |last: &[usize]| -> SmallVec<[usize; 8]> { batch.iter().chain(last).copied().collect() };
    if left.is_meta() || left.numel() == 0 || right.numel() == 0 {
        return zeros(&shape(&[m, n]), wide, left.device());
    }
    let (left, right) = (left.to_dtype(wide)?.view_as_real()?, right.to_dtype(wide)?.view_as_real()?);
    // [.., m, part of the product, k, part of the left factor]
    let four = zeros(&shape(&[m, 2, k, 2]), left.dtype(), left.device())?;
    let (re, im) = (left.select(-1, 0)?, left.select(-1, 1)?);
    let minus = apply(Op::Neg, &[(&im).into()], &Params::none())?;
    for (product, factor, part) in [(0, 0, &re), (0, 1, &minus), (1, 0, &im), (1, 1, &re)] {
        four.select(-1, factor)?.select(-2, product)?.copy_(part)?;
    }
    let rows = four.view(&signed(&shape(&[2 * m, 2 * k])))?;
    // [.., k, part, n]
    let last = right.rank().cast_signed() - 1;
    let order: Signed = (0..last - 1).chain([last, last - 1]).collect();
    let columns = right.permute(&order)?.contiguous(MemoryFormat::Contiguous)?.view(&signed(&shape(&[2 * k, n])))?;
    let product = multiply_real(&rows, &columns)?.view(&signed(&shape(&[m, 2, n])))?;
    product.permute(&order)?.contiguous(MemoryFormat::Contiguous)?.view_as_complex()
}

/// Zeros; on the meta device none.
fn zeros(sizes: &[usize], dtype: DType, device: Device) -> Result<RawTensor> {
    let zeros = RawTensor::empty(sizes, &contiguous_strides(sizes), dtype, device)?;
    zeros.zero_()?;
    Ok(zeros)
}
