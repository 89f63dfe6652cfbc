//! Slices of the user's as tensors, without a copy, for as long as a call lasts.

use super::Tensor;
use crate::element::Native;
use crate::error::Result;
use crate::geometry::reshape::infer_sizes;
use crate::raw::RawTensor;
use crate::shape::ShapeArgument;
use crate::storage::UntypedStorage;

impl<E: Native> Tensor<E> {
    /// Lets `work` compute with the numbers of a slice, which aren't copied. One of the sizes may be -1, or `_`.
    ///
    /// The tensor and its views can only be read. What `work` hands out of them is empty when it is done; what it computes stays.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let samples = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    /// let means = Tensor::with_slice(&samples, [-1, 2], |x| x.mean_along([1])?.try_to_vec())?;
    /// assert_eq!(means, [1.5, 3.5, 5.5]);
    ///
    /// let refused = Tensor::with_slice(&samples, [6], |x| Ok(x.alias().add_(1.0).map(drop)))?;
    /// assert_eq!(
    ///     refused.unwrap_err().message(),
    ///     "the tensor's numbers are those of a slice that can only be read: write to a `clone`, or use `with_slice_mut`"
    /// );
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where the length isn't that of the shape, and those of `work`.
    pub fn with_slice<A: ShapeArgument, R>(numbers: &[E], shape: A, work: impl FnOnce(&Tensor<E, A::Shape>) -> Result<R>) -> Result<R> {
        let sizes = infer_sizes(&shape.signed_sizes(), numbers.len())?;
        UntypedStorage::with_slice(numbers, |storage| work(&Tensor::proved(RawTensor::of_all(storage, E::DTYPE, &sizes)?)))
    }

    /// Lets `work` compute with the numbers of a slice in place: what it writes to the tensor is in the slice afterwards.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let mut samples = [3.0_f32, 4.0, 6.0, 8.0];
    /// Tensor::with_slice_mut(&mut samples, [2, 2], |x| x.select(0, 1)?.div_(2.0).map(drop))?;
    /// assert_eq!(samples, [3.0, 4.0, 3.0, 4.0]);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where the length isn't that of the shape, and those of `work`.
    pub fn with_slice_mut<A: ShapeArgument, R>(
        numbers: &mut [E],
        shape: A,
        work: impl FnOnce(&mut Tensor<E, A::Shape>) -> Result<R>,
    ) -> Result<R> {
        let sizes = infer_sizes(&shape.signed_sizes(), numbers.len())?;
        UntypedStorage::with_slice_mut(numbers, |storage| work(&mut Tensor::proved(RawTensor::of_all(storage, E::DTYPE, &sizes)?)))
    }
}
