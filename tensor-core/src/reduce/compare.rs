//! Whether tensors are equal, or nearly so.

use latten_spec::DType;
use latten_spec::operation::Op;
use latten_spec::reduction::Reduction;

use super::{Along, reduce};
use crate::elementwise::{Params, RawOperand, apply};
use crate::error::{Error, Result};
use crate::raw::{RawTensor, check_devices};
use crate::scalar::Scalar;

/// How far apart numbers may be that count as close: `|a - b| <= absolute + relative * |b|`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// PyTorch's `rtol`.
    pub relative: f64,
    /// PyTorch's `atol`.
    pub absolute: f64,
    /// Whether a NaN is close to another.
    pub nans: NansAre,
}

/// What two NaNs are to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NansAre {
    /// Different, as everywhere.
    #[default]
    Different,
    /// Close: PyTorch's `equal_nan=True`.
    Equal,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self { relative: 1e-5, absolute: 1e-8, nans: NansAre::Different }
    }
}

fn binary<'a>(op: Op, lhs: impl Into<RawOperand<'a>>, rhs: impl Into<RawOperand<'a>>) -> Result<RawTensor> {
    apply(op, &[lhs.into(), rhs.into()], &Params::none())
}

fn all_true(tensor: &RawTensor) -> Result<bool> {
    Ok(reduce(Reduction::All, tensor, &Along::all())?.item()? == Scalar::Bool(true))
}

/// Whether two tensors have the same sizes and equal elements, whatever their dtypes.
///
/// # Errors
/// For meta tensors, and where the devices differ.
pub fn equal(lhs: &RawTensor, rhs: &RawTensor) -> Result<bool> {
    check_devices("_equal", &[("self", lhs), ("other", rhs)])?;
    if lhs.is_meta() || rhs.is_meta() {
        return Err(Error::not_implemented("equal: a meta tensor has no elements to compare"));
    }
    if lhs.sizes() != rhs.sizes() {
        return Ok(false);
    }
    let same = lhs.dtype() == rhs.dtype()
        && lhs.is_set_to(rhs)
        && !matches!(lhs.dtype(), DType::F16 | DType::BF16 | DType::F32 | DType::F64)
        && !lhs.dtype().is_complex();
    if same || lhs.numel() == 0 { Ok(true) } else { all_true(&binary(Op::Eq, lhs, rhs)?) }
}
