//! Tensors by functions of Rust, one call for each element, on the host.

use super::Tensor;
use crate::element::Native;
use crate::error::{Error, Result, proved};
use crate::raw::RawTensor;
use crate::room::listed;
use crate::shape::{KnownShape, PlaceOf, Shape};

impl<E: Native, S: KnownShape> Tensor<E, S> {
    as_written! {
        /// What a function gives for each place.
        ///
        /// ```
        /// # use latten_core::{shape::D, tensor::Tensor};
        /// let x = Tensor::<i32, (D<2>, D<3>)>::from_fn(|[i, j]| 10 * i as i32 + j as i32);
        /// assert_eq!(x.to_vec(), [0, 1, 2, 10, 11, 12]);
        /// ```
        ///
        /// # Panics
        /// Where there is no memory for it, and where the function does.
        #[must_use]
        #[track_caller]
        pub fn from_fn<const RANK: usize>( // of sizes of the run: Tensor::<f32>::from_fn([n, 3], |[i, j]| …)?
            mut number: impl FnMut([usize; RANK]) -> E,
        ) -> Self
        where
            S: PlaceOf<RANK>,
        {
            let mut new = Self::zeros();
            proved(new.number_by(|at| number(S::place(at))));
            new
        }
    }
}

impl<E: Native, S: Shape> Tensor<E, S> {
    /// Puts what a function gives for each place there, into elements that are numbers already: not every byte is a `bool`.
    pub(super) fn number_by(&mut self, mut number: impl for<'a> FnMut(S::Sizes<'a>) -> E) -> Result<()> {
        let sizes = self.sizes().to_vec();
        let mut place = vec![0; sizes.len()];
        for to in &mut *self.slice_mut()? {
            *to = number(S::sizes_of(&place));
            // The next place: the last dimension runs fastest.
            for (at, &size) in place.iter_mut().zip(&sizes).rev() {
                *at += 1;
                if *at < size {
                    break;
                }
                *at = 0;
            }
        }
        Ok(())
    }

    /// A function of each element, on the host, as PyTorch's `apply_`, but into a new tensor. It is slow beside operations, and not recorded.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let x = Tensor::from([[1.5_f32, -2.0], [0.0, 4.0]]);
    /// assert_eq!(x.map(|x| x.to_bits() % 2 == 0).to_vec(), [true; 4]);
    /// ```
    ///
    /// # Panics
    /// Where [`try_map`](Self::try_map) is an error, and where the function does.
    #[must_use]
    #[track_caller]
    pub fn map<F: Native>(&self, function: impl FnMut(E) -> F) -> Tensor<F, S> {
        proved(self.try_map(function))
    }

    /// What [`map`](Self::map) gives, or the error that it panics with.
    ///
    /// # Errors
    /// For tensors that require gradients, meta tensors, and where there is no memory for it.
    pub fn try_map<F: Native>(&self, function: impl FnMut(E) -> F) -> Result<Tensor<F, S>> {
        if self.requires_grad() {
            return Err(Error::runtime("Can't call map() on Tensor that requires grad. Use tensor.detach().map() instead."));
        }
        let numbers = listed(self.raw().numbers::<E>()?.into_iter().map(function))?;
        Tensor::<F, S>::proved(RawTensor::from_vec(numbers, self.sizes())?).to_device(self.device())
    }
}
