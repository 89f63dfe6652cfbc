//! Elements repeated one after the other, a number of times or as often as a tensor says for each.

use super::{DimArgument, Tensor, made};
use crate::call::Function;
use crate::element::Element;
use crate::error::Result;
use crate::raw::RawTensor;
use crate::shape::{Certain, Certainty, Checked, Rank, Shape, SizeInteger};

/// What is known of how often and along what together.
type Both<S, N, A> = <<N as RepeatsArgument>::Certainty as Certainty>::And<<A as DimArgument<S>>::Certainty>;
/// The places along a dimension, repeated.
type Repeated<E, S, N, A> = <Both<S, N, A> as Certainty>::Given<Tensor<E, <A as DimArgument<S>>::Cut>>;

impl<E: Element, S: Shape> Tensor<E, S> {
    as_written! {
        /// PyTorch's `repeat_interleave(repeats)`: each element a number of times, one after the other; or as often as a tensor of integers says for it.
        ///
        /// ```
        /// # use latten_core::tensor::Tensor;
        /// let x = Tensor::from([5, 6]);
        /// assert_eq!(x.repeat_interleave(2)?.to_vec(), [5, 5, 6, 6]);
        /// assert_eq!(x.repeat_interleave(&Tensor::from([1, 3])).to_vec(), [5, 6, 6, 6]);
        /// # Ok::<(), latten_core::error::Error>(())
        /// ```
        ///
        /// # Errors
        /// For a negative number. A tensor gives a value, and panics where it hasn't as many numbers as there are elements, all of them integers.
        #[track_caller]
        pub fn repeat_interleave<N: RepeatsArgument>( // along a dimension: x.repeat_interleave_with(2, 0)?
            &self,
            repeats: N,
        ) -> <N::Certainty as Certainty>::Given<Tensor<E, Rank<1>>> {
            N::Certainty::give(self.try_repeat_interleave(repeats))
        }
    }

    /// What [`repeat_interleave`](Self::repeat_interleave) gives, or the error that it panics with.
    ///
    /// # Errors
    /// For a negative number, and where there aren't as many numbers as elements, all of them integers.
    pub fn try_repeat_interleave(&self, repeats: impl RepeatsArgument) -> Result<Tensor<E, Rank<1>>> {
        repeats.repeated(self.raw(), None)
    }

    /// PyTorch's `repeat_interleave(repeats, dim)`: each place along a dimension.
    ///
    /// # Errors
    /// As [`Tensor::repeat_interleave`], where the numbers aren't as many as there are places, and where the dimension isn't there.
    #[track_caller]
    pub fn repeat_interleave_with<N: RepeatsArgument, A: DimArgument<S>>(&self, repeats: N, dim: A) -> Repeated<E, S, N, A> {
        Both::<S, N, A>::give(self.try_repeat_interleave_with(repeats, dim))
    }

    /// What [`repeat_interleave_with`](Self::repeat_interleave_with) gives, or the error that it panics with.
    ///
    /// # Errors
    /// As there.
    pub fn try_repeat_interleave_with<A: DimArgument<S>>(&self, repeats: impl RepeatsArgument, dim: A) -> Result<Tensor<E, A::Cut>> {
        repeats.repeated(self.raw(), Some(dim.dim()))
    }
}

/// How often something is repeated: a number for all, or a tensor with one for each.
#[diagnostic::on_unimplemented(
    message = "`{Self}` doesn't say how often something is repeated",
    label = "neither an integer nor a tensor of integers",
    note = "write `repeat_interleave(2)`, or `repeat_interleave(&counts)` with a tensor of `i64`"
)]
pub trait RepeatsArgument {
    /// Whether it is a tensor, so that the result is a value.
    type Certainty: Certainty;
    /// Makes the call.
    #[doc(hidden)]
    fn repeated<E: Element, S: Shape>(&self, of: &RawTensor, dim: Option<isize>) -> Result<Tensor<E, S>>;
}

impl<T: SizeInteger> RepeatsArgument for T {
    type Certainty = Checked;

    fn repeated<E: Element, S: Shape>(&self, of: &RawTensor, dim: Option<isize>) -> Result<Tensor<E, S>> {
        made(Function::RepeatInterleave, &[of.into(), self.to_isize().into(), dim.into()])
    }
}

impl<I: Element, R: Shape> RepeatsArgument for &Tensor<I, R> {
    type Certainty = Certain;

    fn repeated<E: Element, S: Shape>(&self, of: &RawTensor, dim: Option<isize>) -> Result<Tensor<E, S>> {
        made(Function::RepeatInterleaveBy, &[of.into(), self.raw().into(), dim.into()])
    }
}
