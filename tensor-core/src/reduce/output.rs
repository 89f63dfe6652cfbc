//! Tensors that results go into: new ones, and a caller's. All checks of all outputs come before anything is written; what shares memory with
//! the input, or with another output, gets its results when all are computed.

use latten_spec::DType;

use crate::device::{Device, DeviceType};
use crate::error::{Error, Result};
use crate::geometry::overlap::check_output_overlap;
use crate::geometry::strides::contiguous_strides;
use crate::kernels::block::is_free;
use crate::plan::Target;
use crate::raw::{RawTensor, check_out_device};

/// New tensors of those sizes and dtypes on a device, or those that are offered, which `write` gives their elements.
pub(super) fn new<const N: usize>(
    targets: [Target<'_>; N],
    results: [(&[usize], DType); N],
    device: Device,
    write: impl FnOnce([&RawTensor; N]) -> Result<()>,
) -> Result<[RawTensor; N]> {
    let fresh =
        |(target, (sizes, dtype)): (&Target<'_>, (&[usize], DType))| target.as_it_lies(sizes, &contiguous_strides(sizes), dtype, device);
    let made: Vec<RawTensor> = targets.iter().zip(results).map(fresh).collect::<Result<_>>()?;
    let made = <[RawTensor; N]>::try_from(made).map_err(|_| Error::runtime("each result has a tensor"))?;
    if device.kind() != DeviceType::Meta {
        write(made.each_ref())?;
    }
    Ok(made)
}

/// The same of one tensor.
pub(super) fn new_one(sizes: &[usize], dtype: DType, device: Device, write: impl FnOnce(&RawTensor) -> Result<()>) -> Result<RawTensor> {
    let made = RawTensor::empty(sizes, &contiguous_strides(sizes), dtype, device)?;
    if device.kind() != DeviceType::Meta {
        write(&made)?;
    }
    Ok(made)
}

/// Gives targets their results: new tensors, or those of the caller, resized where they must and may.
///
/// # Errors
/// Where an output may not have those sizes, is elsewhere, has elements that share memory, or can't grow; then all are unchanged.
pub(super) fn write<const N: usize>(
    targets: [Target<'_>; N],
    results: [(&[usize], DType); N],
    input: &RawTensor,
    write: impl FnOnce([&RawTensor; N]) -> Result<()>,
) -> Result<[RawTensor; N]> {
    let given = targets.map(Target::tensor);
    if given.iter().any(Option::is_none) {
        return new(targets, results, input.device(), write);
    }
    for (target, (sizes, _)) in targets.iter().zip(results) {
        target.admits(sizes)?;
    }
    let fitted: [RawTensor; N] = std::array::from_fn(|at| fitted(given[at].unwrap_or(input), results[at].0));
    for fitted in &fitted {
        check_out_device(input, fitted)?;
        if !fitted.is_meta() {
            check_output_overlap(&fitted.geometry)?;
        }
    }
    for fitted in &fitted {
        fitted.fit_storage()?;
    }
    let mut apart = vec![input];
    let mut is_direct = !input.is_meta();
    for fitted in &fitted {
        is_direct &= fitted.device() == input.device() && is_free(fitted, &apart);
        apart.push(fitted);
    }
    if is_direct {
        write(fitted.each_ref())?;
    } else {
        let computed = new([Target::New; N], results, input.device(), write)?;
        for (fitted, computed) in fitted.iter().zip(&computed) {
            fitted.copy_(computed)?;
        }
    }
    Ok(fitted)
}

/// A tensor with those sizes, contiguous where it has others; its storage may have to grow.
fn fitted(tensor: &RawTensor, sizes: &[usize]) -> RawTensor {
    let mut fitted = tensor.clone();
    if tensor.sizes() != sizes {
        fitted.geometry.sizes = sizes.into();
        fitted.geometry.strides = contiguous_strides(sizes);
    }
    fitted
}

impl Target<'_> {
    /// A result that was made before, where it goes, unless it lies there.
    ///
    /// # Errors
    /// As [`write`].
    pub(crate) fn take(self, result: RawTensor) -> Result<RawTensor> {
        match self {
            Self::New | Self::Offered(_) => Ok(result),
            Self::InPlace(given) | Self::Out(given, _) if result.dtype() == given.dtype() && result.is_set_to(given) => Ok(given.clone()),
            _ => write([self], [(result.sizes(), result.dtype())], &result, |[to]| to.copy_(&result)).map(|[taken]| taken),
        }
    }

    /// The same of matrices: in an output without elements their columns lie one behind the other, as LAPACK leaves them.
    ///
    /// # Errors
    /// As [`write`].
    pub(crate) fn take_columns(self, result: RawTensor) -> Result<RawTensor> {
        match self.tensor() {
            Some(given) if given.numel() == 0 && result.numel() > 0 && result.rank() > 1 => {
                self.take(result.transpose(-1, -2)?)?.transpose(-1, -2)
            }
            _ => self.take(result),
        }
    }
}
