//! `torch.fft`: Fourier transforms. `latten::fft::rfft(&x)?` is along the last dimension; `rfft_with(&x, n)?` is of `n` numbers, and
//! `rfft_with(&x, FftOptions::new().dim(0).norm(Norm::Ortho))?` says more.

use super::{argument, functions, kind};
use crate::call::{CallArgument, Function};
use crate::element::Native;
use crate::error::{Error, Result};
use crate::kinds::{FftElement, RealFftElement, RealFloat};
use crate::relations::RealNumber;
use crate::shape::{IntegerList, Rank, Shape, SignedDims, SizeInteger, TypeAxis};
use crate::tensor::{SomeDims, Tensor, made};

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

/// What a transform is told beside its numbers: how many of them, along which dimension, by what they are divided. An integer says how many,
/// `axis::<0>()` the dimension, a [`Norm`] the last; lists say it of several dimensions.
///
/// ```
/// # use latten_core::{shape::axis, spaces::fft::{self, Norm, FftOptions}, tensor::Tensor};
/// let x = Tensor::from([[1.0_f32, 2.0, 3.0, 2.0]]);
/// assert_eq!(fft::rfft_with(&x, 2)?.to_string(), "tensor([[ 3.+0.j, -1.+0.j]])");
/// assert_eq!(fft::rfft_with(&x, axis::<0>())?.sizes(), [1, 4]);
/// assert!(fft::fft_with(&x, Norm::Ortho)?.equal(&fft::fft_with(&x, FftOptions::new().size(4).dim(-1).norm(Norm::Ortho))?));
/// # Ok::<(), latten_core::error::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct FftOptions {
    sizes: Option<SignedDims>,
    dims: Option<SignedDims>,
    norm: Norm,
}

impl FftOptions {
    /// As PyTorch's defaults are.
    pub fn new() -> Self {
        Self::default()
    }

    /// Of that many numbers: zeros are put behind those that there are, or what is too much is left out.
    pub fn size(self, size: impl IntegerList) -> Self {
        Self { sizes: Some(size.integers()), ..self }
    }

    /// Along that dimension.
    pub fn dim(self, dim: impl SomeDims) -> Self {
        Self { dims: Some(dim.dims()), ..self }
    }

    /// By what the numbers are divided.
    pub fn norm(self, norm: Norm) -> Self {
        Self { norm, ..self }
    }

    /// Of how many numbers, along which dimension.
    fn one(&self) -> Result<[CallArgument<'_>; 2]> {
        let only = |list: &Option<SignedDims>, none: CallArgument<'static>| match list.as_deref() {
            None => Ok(none),
            Some(&[one]) => Ok(CallArgument::Int(one)),
            Some(several) => {
                Err(Error::type_error(format!("a transform along one dimension takes one number, not {several:?}; fftn takes several")))
            }
        };
        Ok([only(&self.sizes, CallArgument::None)?, only(&self.dims, CallArgument::Int(-1))?])
    }

    /// The same of several dimensions.
    fn several(&self) -> Result<[CallArgument<'_>; 2]> {
        Ok([self.sizes.as_deref().into(), self.dims.as_deref().into()])
    }
}

/// How many numbers.
impl<L: IntegerList> From<L> for FftOptions {
    fn from(size: L) -> Self {
        Self::new().size(size)
    }
}

impl From<Norm> for FftOptions {
    fn from(norm: Norm) -> Self {
        Self::new().norm(norm)
    }
}

/// The dimension.
impl<const AXIS: isize> From<TypeAxis<AXIS>> for FftOptions {
    fn from(axis: TypeAxis<AXIS>) -> Self {
        Self::new().dim(axis)
    }
}

impl<const A: isize, const B: isize> From<(TypeAxis<A>, TypeAxis<B>)> for FftOptions {
    fn from(axes: (TypeAxis<A>, TypeAxis<B>)) -> Self {
        Self::new().dim(axes)
    }
}

functions! {
    over FftElement:
    /// The transform along the last dimension.
    ///
    /// ```
    /// # use latten_core::{spaces::fft, tensor::Tensor};
    /// let x = Tensor::from([1.0_f32, 2.0, 3.0, 2.0]);
    /// assert_eq!(fft::fft(&x)?.to_string(), "tensor([ 8.+0.j, -2.+0.j,  0.+0.j, -2.-0.j])");
    /// assert_eq!(fft::irfft(&fft::rfft(&x)?)?.to_vec(), [1.0, 2.0, 3.0, 2.0]);
    /// assert_eq!(fft::rfft_with(&x, 2)?.to_string(), "tensor([ 3.+0.j, -1.+0.j])");
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    Fft fft() -> Tensor<E::Complex, S>, "Where there is no dimension.";
    /// Its inverse along the last dimension.
    Ifft ifft() -> Tensor<E::Complex, S>, "Where there is no dimension.";
    /// Real numbers from the half that [`rfft`] gives, an even number of them.
    Irfft irfft() -> Tensor<E::Real, S::SameRank>, "Where there is no dimension.";
    /// The transform of numbers whose spectrum is real.
    Hfft hfft() -> Tensor<E::Real, S::SameRank>, "Where there is no dimension.";
    /// The transform along the last two dimensions.
    Fft2 fft2() -> Tensor<E::Complex, S>, "Where there are less than two dimensions.";
    /// Its inverse.
    Ifft2 ifft2() -> Tensor<E::Complex, S>, "Where there are less than two dimensions.";
    /// Real numbers from the half that [`rfft2`] gives.
    Irfft2 irfft2() -> Tensor<E::Real, S::SameRank>, "Where there are less than two dimensions.";
    /// The transform along all dimensions.
    Fftn fftn() -> Tensor<E::Complex, S>, "Where a size is 0.";
    /// The inverse along all dimensions.
    Ifftn ifftn() -> Tensor<E::Complex, S>, "Where a size is 0.";
    /// Real numbers from the half that [`rfftn`] gives.
    Irfftn irfftn() -> Tensor<E::Real, S::SameRank>, "Where there is no dimension.";
    /// The transform along the last two dimensions of numbers whose spectrum is real.
    Hfft2 hfft2() -> Tensor<E::Real, S::SameRank>, "Where there are less than two dimensions.";
    /// The transform along all dimensions of numbers whose spectrum is real.
    Hfftn hfftn() -> Tensor<E::Real, S::SameRank>, "Where there is no dimension.";
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
    /// The half of numbers that [`hfft`] takes.
    Ihfft ihfft() -> Tensor<E::Complex, S::SameRank>, "Where there is no dimension.";
    /// The transform of real numbers along the last two dimensions.
    Rfft2 rfft2() -> Tensor<E::Complex, S::SameRank>, "Where there are less than two dimensions.";
    /// The transform of real numbers along all dimensions.
    Rfftn rfftn() -> Tensor<E::Complex, S::SameRank>, "Where there is no dimension.";
    /// The half of numbers that [`hfft2`] takes.
    Ihfft2 ihfft2() -> Tensor<E::Complex, S::SameRank>, "Where there are less than two dimensions.";
    /// The half of numbers that [`hfftn`] takes.
    Ihfftn ihfftn() -> Tensor<E::Complex, S::SameRank>, "Where there is no dimension.";
}

/// What transforms give that are told more than their numbers.
macro_rules! told {
    (over $Kind:path: $($(#[$comment:meta])* $count:ident $function:ident $name:ident -> $Result:ty, $errors:literal;)+) => { $(
        $(#[$comment])*
        ///
        /// # Errors
        #[doc = $errors]
        pub fn $name<E: $Kind, S: Shape>(x: &Tensor<E, S>, how: impl Into<FftOptions>) -> Result<$Result> {
            let how = how.into();
            let [count, place] = how.$count()?;
            made(Function::$function, &[x.raw().into(), count, place, how.norm.name().into()])
        }
    )+ };
}

told! {
    over FftElement:
    /// [`fft`], told more: `fft_with(&x, n)?` is of `n` numbers, `fft_with(&x, axis::<0>())?` along a dimension; a [`FftOptions`] says both.
    one Fft fft_with -> Tensor<E::Complex, S::SameRank>, "Where the dimension isn't there, or `n` is 0.";
    /// [`ifft`], told more.
    one Ifft ifft_with -> Tensor<E::Complex, S::SameRank>, "Where the dimension isn't there, or `n` is 0.";
    /// [`irfft`], told more: `irfft_with(&half, n)?` gives `n` numbers.
    one Irfft irfft_with -> Tensor<E::Real, S::SameRank>, "Where the dimension isn't there, or `n` is 0.";
    /// [`hfft`], told more.
    one Hfft hfft_with -> Tensor<E::Real, S::SameRank>, "Where the dimension isn't there, or `n` is 0.";
    /// [`fft2`], told more: `fft2_with(&x, [8, 8])?`, `fft2_with(&x, axes![0, 1])?`.
    several Fft2 fft2_with -> Tensor<E::Complex, S::SameRank>, "Where a dimension isn't there, or a size is 0.";
    /// [`ifft2`], told more.
    several Ifft2 ifft2_with -> Tensor<E::Complex, S::SameRank>, "Where a dimension isn't there, or a size is 0.";
    /// [`irfft2`], told more.
    several Irfft2 irfft2_with -> Tensor<E::Real, S::SameRank>, "Where a dimension isn't there, or a size is 0.";
    /// [`hfft2`], told more.
    several Hfft2 hfft2_with -> Tensor<E::Real, S::SameRank>, "Where a dimension isn't there, or a size is 0.";
    /// [`fftn`], told more: `fftn_with(&x, [8, 8])?`, `fftn_with(&x, axes![0, 2])?`.
    several Fftn fftn_with -> Tensor<E::Complex, S::SameRank>, "Where a dimension isn't there, or a size is 0.";
    /// [`ifftn`], told more.
    several Ifftn ifftn_with -> Tensor<E::Complex, S::SameRank>, "Where a dimension isn't there, or a size is 0.";
    /// [`irfftn`], told more.
    several Irfftn irfftn_with -> Tensor<E::Real, S::SameRank>, "Where a dimension isn't there, or a size is 0.";
    /// [`hfftn`], told more.
    several Hfftn hfftn_with -> Tensor<E::Real, S::SameRank>, "Where a dimension isn't there, or a size is 0.";
}

told! {
    over RealFftElement:
    /// [`rfft`], told more: `rfft_with(&x, n)?` is of `n` numbers.
    one Rfft rfft_with -> Tensor<E::Complex, S::SameRank>, "Where the dimension isn't there, or `n` is 0.";
    /// [`ihfft`], told more.
    one Ihfft ihfft_with -> Tensor<E::Complex, S::SameRank>, "Where the dimension isn't there, or `n` is 0.";
    /// [`rfft2`], told more.
    several Rfft2 rfft2_with -> Tensor<E::Complex, S::SameRank>, "Where a dimension isn't there, or a size is 0.";
    /// [`ihfft2`], told more.
    several Ihfft2 ihfft2_with -> Tensor<E::Complex, S::SameRank>, "Where a dimension isn't there, or a size is 0.";
    /// [`rfftn`], told more.
    several Rfftn rfftn_with -> Tensor<E::Complex, S::SameRank>, "Where a dimension isn't there, or a size is 0.";
    /// [`ihfftn`], told more.
    several Ihfftn ihfftn_with -> Tensor<E::Complex, S::SameRank>, "Where a dimension isn't there, or a size is 0.";
}

macro_rules! frequencies {
    ($($function:ident $name:ident $with:ident $doc:literal;)+) => { $(
        #[doc = concat!("The frequencies that the numbers of ", $doc, " stand for, where samples are 1 apart.")]
        ///
        /// # Errors
        /// For a negative number, or where the memory would be larger than can be.
        pub fn $name(n: impl SizeInteger) -> Result<Tensor<f32, Rank<1>>> {
            $with(n, 1)
        }

        #[doc = concat!("The same where samples are `d` apart, in the dtype of the result: `", stringify!($with), "::<f64>(n, d)?`.")]
        ///
        /// # Errors
        #[doc = concat!("As [`", stringify!($name), "`].")]
        pub fn $with<E: Native + RealFloat>(n: impl SizeInteger, d: impl RealNumber) -> Result<Tensor<E, Rank<1>>> {
            made(Function::$function, &[n.to_isize().into(), CallArgument::Number(d.into()), E::DTYPE.into()])
        }
    )+ };
}

frequencies! {
    Fftfreq  fftfreq  fftfreq_with  "[`fft`]";
    Rfftfreq rfftfreq rfftfreq_with "[`rfft`]";
}
