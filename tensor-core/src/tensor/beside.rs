//! What stands beside a tensor where PyTorch takes more than tensors: a tensor or a number, a tensor or nothing.

use super::{AnyTensor, Operand, Tensor};
use crate::element::Element;
use crate::raw::RawTensor;
use crate::relations::RealNumber;
use crate::shape::Shape;

/// A tensor of the dtype `E`, or a real number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a tensor of `{E}` nor a real number",
    label = "no tensor of `{E}`, and no number",
    note = "write `&y` of a tensor of the same dtype, `&y.to::<{E}>()` of another, or a number, `0.5`"
)]
pub trait TensorOrNumber<E: Element>: Operand {}

#[diagnostic::do_not_recommend]
impl<E: Element, N: RealNumber + Operand> TensorOrNumber<E> for N {}

#[diagnostic::do_not_recommend]
impl<E: Element, S: Shape> TensorOrNumber<E> for &Tensor<E, S> {}

/// A tensor that may be left out: `&bias`, `None`, or the `&Option<Tensor<…>>` of a field.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a tensor nor `None`",
    label = "no tensor that may be left out",
    note = "write `&bias` without `Some`, or `None`; of a field that is an `Option` of a tensor `&self.bias`"
)]
pub trait MaybeTensor {
    /// The tensor, where there is one.
    #[doc(hidden)]
    fn given(&self) -> Option<&RawTensor>;
}

#[diagnostic::do_not_recommend]
impl<E: Element, S: Shape> MaybeTensor for &Tensor<E, S> {
    fn given(&self) -> Option<&RawTensor> {
        Some(self.raw())
    }
}

#[diagnostic::do_not_recommend]
impl<E: Element, S: Shape> MaybeTensor for &Option<Tensor<E, S>> {
    fn given(&self) -> Option<&RawTensor> {
        self.as_ref().map(Tensor::raw)
    }
}

// One impl for all options: with several `None` would have no type.
#[diagnostic::do_not_recommend]
impl MaybeTensor for Option<&dyn AnyTensor> {
    fn given(&self) -> Option<&RawTensor> {
        self.map(AnyTensor::erased_tensor)
    }
}
