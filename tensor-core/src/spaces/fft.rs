//! `torch.fft`: Fourier transforms. `latten::fft::rfft(&x)?` is along the last dimension; `rfft_with(&x, n, dim, norm)?` says more.

use super::{argument, functions, kind};
use crate::call::{CallArgument, Function};
use crate::element::Native;
use crate::error::Result;
use crate::kinds::{FftElement, RealFftElement, RealFloat};
use crate::scalar::Scalar;
use crate::shape::{Rank, Shape, SizeInteger};
use crate::tensor::{Tensor, made};

/// By what numbers are divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Norm {
    /// By how many there are, on the way back.
    #[default]
    Backward,
    /// By the root of how many there are, on both ways.
    Ortho,
    /// By how many there are, on the way there.
    Forward,
}

impl Norm {
    /// PyTorch's word.
    const fn name(self) -> &'static str {
        match self {
            Self::Backward => "backward",
            Self::Ortho => "ortho",
            Self::Forward => "forward",
        }
    }
}

functions! {
    over FftElement:
    /// The transform along the last dimension.
    ///
    /// ```
    /// # use latten_core::{spaces::fft::{self, Norm}, tensor::Tensor};
    /// let x = Tensor::from([1.0_f32, 2.0, 3.0, 2.0]);
    /// assert_eq!(fft::fft(&x)?.to_string(), "tensor([ 8.+0.j, -2.+0.j,  0.+0.j, -2.-0.j])");
    /// assert_eq!(fft::irfft(&fft::rfft(&x)?)?.to_vec(), [1.0, 2.0, 3.0, 2.0]);
    /// assert_eq!(fft::rfft_with(&x, Some(2), -1, Norm::Backward)?.to_string(), "tensor([ 3.+0.j, -1.+0.j])");
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    Fft fft() -> Tensor<E::Complex, S>, "Where there is no dimension.";
    /// The same of `n` numbers along a dimension.
    Fft fft_with(some_count n, dim dim, norm norm) -> Tensor<E::Complex, S::SameRank>, "Where the dimension isn't there, or `n` is 0.";
    /// Its inverse along the last dimension.
    Ifft ifft() -> Tensor<E::Complex, S>, "Where there is no dimension.";
    /// Its inverse, of `n` numbers along a dimension.
    Ifft ifft_with(some_count n, dim dim, norm norm) -> Tensor<E::Complex, S::SameRank>, "Where the dimension isn't there, or `n` is 0.";
    /// Real numbers from the half that [`rfft`] gives, an even number of them.
    Irfft irfft() -> Tensor<E::Real, S::SameRank>, "Where there is no dimension.";
    /// The same, `n` numbers along a dimension.
    Irfft irfft_with(some_count n, dim dim, norm norm) -> Tensor<E::Real, S::SameRank>, "Where the dimension isn't there, or `n` is 0.";
    /// The transform of numbers whose spectrum is real.
    Hfft hfft() -> Tensor<E::Real, S::SameRank>, "Where there is no dimension.";
    /// The same, `n` numbers along a dimension.
    Hfft hfft_with(some_count n, dim dim, norm norm) -> Tensor<E::Real, S::SameRank>, "Where the dimension isn't there, or `n` is 0.";
    /// The transform along the last two dimensions.
    Fft2 fft2() -> Tensor<E::Complex, S>, "Where there are less than two dimensions.";
    /// Its inverse.
    Ifft2 ifft2() -> Tensor<E::Complex, S>, "Where there are less than two dimensions.";
    /// Real numbers from the half that [`rfft2`] gives.
    Irfft2 irfft2() -> Tensor<E::Real, S::SameRank>, "Where there are less than two dimensions.";
    /// The transform along all dimensions.
    Fftn fftn() -> Tensor<E::Complex, S>, "Where a size is 0.";
    /// The same of those sizes along dimensions: `fft::fftn_with(&x, None, [0, 2], Norm::Backward)?`.
    Fftn fftn_with(some_sizes sizes, sizes dims, norm norm) -> Tensor<E::Complex, S::SameRank>, "Where a dimension isn't there, or a size is 0.";
    /// The inverse along all dimensions.
    Ifftn ifftn() -> Tensor<E::Complex, S>, "Where a size is 0.";
    /// The inverse of those sizes along dimensions.
    Ifftn ifftn_with(some_sizes sizes, sizes dims, norm norm) -> Tensor<E::Complex, S::SameRank>, "Where a dimension isn't there, or a size is 0.";
    /// Real numbers from the half that [`rfftn`] gives.
    Irfftn irfftn() -> Tensor<E::Real, S::SameRank>, "Where there is no dimension.";
    /// The same of those sizes along dimensions.
    Irfftn irfftn_with(some_sizes sizes, sizes dims, norm norm) -> Tensor<E::Real, S::SameRank>, "Where a dimension isn't there, or a size is 0.";
    /// The frequency 0 in the middle of all dimensions.
    Fftshift fftshift() -> Tensor<E, S>, "Never.";
    /// The frequency 0 in the middle of dimensions.
    Fftshift fftshift_with(sizes dims) -> Tensor<E, S>, "Where a dimension isn't there.";
    /// The frequency 0 in front again.
    Ifftshift ifftshift() -> Tensor<E, S>, "Never.";
    /// The frequency 0 in front of dimensions again.
    Ifftshift ifftshift_with(sizes dims) -> Tensor<E, S>, "Where a dimension isn't there.";
}

functions! {
    over RealFftElement:
    /// The transform of real numbers along the last dimension: the half from which the other follows.
    Rfft rfft() -> Tensor<E::Complex, S::SameRank>, "Where there is no dimension.";
    /// The same of `n` numbers along a dimension.
    Rfft rfft_with(some_count n, dim dim, norm norm) -> Tensor<E::Complex, S::SameRank>, "Where the dimension isn't there, or `n` is 0.";
    /// The half of numbers that [`hfft`] takes.
    Ihfft ihfft() -> Tensor<E::Complex, S::SameRank>, "Where there is no dimension.";
    /// The same of `n` numbers along a dimension.
    Ihfft ihfft_with(some_count n, dim dim, norm norm) -> Tensor<E::Complex, S::SameRank>, "Where the dimension isn't there, or `n` is 0.";
    /// The transform of real numbers along the last two dimensions.
    Rfft2 rfft2() -> Tensor<E::Complex, S::SameRank>, "Where there are less than two dimensions.";
    /// The transform of real numbers along all dimensions.
    Rfftn rfftn() -> Tensor<E::Complex, S::SameRank>, "Where there is no dimension.";
    /// The same of those sizes along dimensions.
    Rfftn rfftn_with(some_sizes sizes, sizes dims, norm norm) -> Tensor<E::Complex, S::SameRank>, "Where a dimension isn't there, or a size is 0.";
}

macro_rules! frequencies {
    ($($function:ident $name:ident $with:ident $of:ident $doc:literal;)+) => { $(
        #[doc = concat!("The frequencies that the numbers of ", $doc, " stand for, where samples are 1 apart.")]
        ///
        /// # Errors
        /// For a negative number, or where the memory would be larger than can be.
        pub fn $name(n: impl SizeInteger) -> Result<Tensor<f32, Rank<1>>> {
            $of(n, 1.0)
        }

        #[doc = concat!("The same where samples are `d` apart; `", stringify!($of), "::<f64>(n, d)` gives other dtypes.")]
        ///
        /// # Errors
        #[doc = concat!("As [`", stringify!($name), "`].")]
        pub fn $with(n: impl SizeInteger, d: f64) -> Result<Tensor<f32, Rank<1>>> {
            $of(n, d)
        }

        #[doc = concat!("The same in the dtype of the result: `", stringify!($of), "::<f64>(n, d)?`.")]
        ///
        /// # Errors
        #[doc = concat!("As [`", stringify!($name), "`].")]
        pub fn $of<E: Native + RealFloat>(n: impl SizeInteger, d: f64) -> Result<Tensor<E, Rank<1>>> {
            made(Function::$function, &[n.to_isize().into(), CallArgument::Number(Scalar::Float(d)), E::NATIVE.into()])
        }
    )+ };
}

frequencies! {
    Fftfreq  fftfreq  fftfreq_with  fftfreq_as  "[`fft`]";
    Rfftfreq rfftfreq rfftfreq_with rfftfreq_as "[`rfft`]";
}
