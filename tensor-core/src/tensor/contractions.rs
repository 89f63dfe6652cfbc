//! Sums of products along several dimensions of two tensors: `tensordot`.

use super::{Tensor, made};
use crate::call::{CallArgument, Function};
use crate::element::Element;
use crate::error::{Result, proved};
use crate::raw::RawTensor;
use crate::shape::{AnyShape, IntegerList, Shape, SizeInteger};

/// Along which dimensions [`tensordot_with`](Tensor::tensordot_with) sums: as many of the last of one tensor and the first of the other, or
/// a list for each.
#[diagnostic::on_unimplemented(
    message = "`{Self}` says no dimensions of two tensors",
    label = "no number, and no two lists",
    note = "write how many, `x.tensordot_with(&y, 1)?`, or which of both, `x.tensordot_with(&y, [[0, 1], [1, 0]])?`"
)]
pub trait PairedDims {
    /// Makes the call.
    #[doc(hidden)]
    fn contracted<E: Element>(&self, operands: [&RawTensor; 2]) -> Result<Tensor<E, AnyShape>>;
}

#[diagnostic::do_not_recommend]
impl<N: SizeInteger> PairedDims for N {
    fn contracted<E: Element>(&self, [lhs, rhs]: [&RawTensor; 2]) -> Result<Tensor<E, AnyShape>> {
        made(Function::TensordotOver, &[lhs.into(), rhs.into(), self.to_isize().into()])
    }
}

#[diagnostic::do_not_recommend]
impl<L: IntegerList> PairedDims for [L; 2] {
    fn contracted<E: Element>(&self, [lhs, rhs]: [&RawTensor; 2]) -> Result<Tensor<E, AnyShape>> {
        let dims = self.each_ref().map(|list| list.integers().to_vec());
        made(Function::Tensordot, &[lhs.into(), rhs.into(), CallArgument::IntLists(&dims)])
    }
}

impl<E: Element, S: Shape> Tensor<E, S> {
    as_written! {
        /// PyTorch's `tensordot(other)`: the sums of products along the last two dimensions of one tensor and the first two of another.
        ///
        /// ```
        /// # use latten_core::tensor::Tensor;
        /// let x = Tensor::from([[1, 2, 3], [4, 5, 6]]);
        /// assert_eq!(x.tensordot(&x).to_vec(), [91]);
        /// assert_eq!(x.tensordot_with(&x, [[1], [1]])?.to_vec(), [14, 32, 32, 77]);
        /// assert_eq!(x.tensordot_with(&x.t(), 1)?.to_vec(), [14, 32, 32, 77]);
        /// # Ok::<(), latten_core::error::Error>(())
        /// ```
        ///
        /// # Panics
        /// Where [`try_tensordot`](Self::try_tensordot) is an error.
        #[must_use]
        #[track_caller]
        pub fn tensordot<R: Shape>( // or x.tensordot_with(&y.t(), 1)?
            &self,
            other: &Tensor<E, R>,
        ) -> Tensor<E, AnyShape> {
            proved(self.try_tensordot(other))
        }
    }

    /// What [`tensordot`](Self::tensordot) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where the sizes differ, or aren't there.
    pub fn try_tensordot<R: Shape>(&self, other: &Tensor<E, R>) -> Result<Tensor<E, AnyShape>> {
        self.tensordot_with(other, 2)
    }

    /// PyTorch's `tensordot(other, dims)`: along as many dimensions, or along those of two lists, `[[0, 1], [1, 0]]`.
    ///
    /// # Errors
    /// As [`try_tensordot`](Self::try_tensordot).
    pub fn tensordot_with<R: Shape>(&self, other: &Tensor<E, R>, dims: impl PairedDims) -> Result<Tensor<E, AnyShape>> {
        dims.contracted([self.raw(), other.raw()])
    }
}
