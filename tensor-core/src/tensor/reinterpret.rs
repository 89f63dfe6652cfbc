//! Views of the same bytes as numbers of another dtype: `view(dtype)`, and complex numbers as their parts.

use half::f16;
use latten_spec::DType;
use num_complex::Complex;

use super::{Tensor, made};
use crate::call::Function;
use crate::element::{Any, Element, Native};
use crate::error::{Result, proved};
use crate::kinds::{FftElement, RealFloat};
use crate::op;
use crate::shape::{BroadcastWith, Shape};

/// Complex numbers of two tensors of real ones.
type Together<E, S, R> = Tensor<<E as FftElement>::Complex, <S as BroadcastWith<R>>::Common>;

/// PyTorch's `complex(real, imag)`: complex numbers from their parts.
///
/// # Panics
/// Where [`try_complex`] is an error.
#[must_use]
#[track_caller]
pub fn complex<E: FftElement + RealFloat, S: Shape + BroadcastWith<R>, R: Shape>(
    real: &Tensor<E, S>,
    imag: &Tensor<E, R>,
) -> Together<E, S, R> {
    proved(try_complex(real, imag))
}

/// What [`complex`] gives, or the error that it panics with.
///
/// # Errors
/// Where the shapes don't broadcast.
pub fn try_complex<E: FftElement + RealFloat, S: Shape + BroadcastWith<R>, R: Shape>(
    real: &Tensor<E, S>,
    imag: &Tensor<E, R>,
) -> Result<Together<E, S, R>> {
    made(Function::Complex, &[real.raw().into(), imag.raw().into()])
}

/// PyTorch's `polar(abs, angle)`: complex numbers from their absolute values and angles.
///
/// # Panics
/// Where [`try_polar`] is an error.
#[must_use]
#[track_caller]
pub fn polar<E: FftElement + RealFloat, S: Shape + BroadcastWith<R>, R: Shape>(
    abs: &Tensor<E, S>,
    angle: &Tensor<E, R>,
) -> Together<E, S, R> {
    proved(try_polar(abs, angle))
}

/// What [`polar`] gives, or the error that it panics with.
///
/// # Errors
/// Where the shapes don't broadcast, and for halves.
pub fn try_polar<E: FftElement + RealFloat, S: Shape + BroadcastWith<R>, R: Shape>(
    abs: &Tensor<E, S>,
    angle: &Tensor<E, R>,
) -> Result<Together<E, S, R>> {
    made(Function::Polar, &[abs.raw().into(), angle.raw().into()])
}

impl<E: Element, S: Shape> Tensor<E, S> {
    /// PyTorch's `view(dtype)`.
    ///
    /// # Errors
    /// Where the last dimension can't be regrouped to elements of that size.
    pub fn view_dtype(&self, dtype: DType) -> Result<Tensor<Any, S::SameRank>> {
        made(Function::ViewDType, &[(&self.raw).into(), dtype.into()])
    }

    /// [`view_dtype`](Self::view_dtype) with a dtype that the types know: `x.reinterpret::<i32>()`.
    ///
    /// # Errors
    /// As `view_dtype`.
    pub fn reinterpret<F: Native>(&self) -> Result<Tensor<F, S::SameRank>> {
        made(Function::ViewDType, &[(&self.raw).into(), F::DTYPE.into()])
    }

    // A parameter of its own makes the compiler say what is wrong with a dtype, not that there is no such method.

    /// The real parts; a real tensor is its own.
    #[must_use]
    pub fn real<F: Element>(&self) -> Tensor<F, S>
    where
        E: op::Real<Output = F>,
    {
        proved(made(Function::Real, &[(&self.raw).into()]))
    }

    /// The imaginary parts.
    ///
    /// # Panics
    /// For a dtype that turns out at run time not to be complex; [`try_imag`](Self::try_imag) returns that as an error.
    #[must_use]
    #[track_caller]
    pub fn imag<F: Element>(&self) -> Tensor<F, S>
    where
        E: op::Imag<Output = F>,
    {
        match self.try_imag() {
            Ok(parts) => parts,
            Err(error) => panic!("{error}"),
        }
    }

    /// The imaginary parts.
    ///
    /// # Errors
    /// For a dtype that turns out at run time not to be complex.
    pub fn try_imag<F: Element>(&self) -> Result<Tensor<F, S>>
    where
        E: op::Imag<Output = F>,
    {
        made(Function::Imag, &[(&self.raw).into()])
    }
}

impl<S: Shape> Tensor<Any, S> {
    /// Complex numbers as pairs of real ones, in a new last dimension.
    ///
    /// # Panics
    /// Where [`try_view_as_real`](Self::try_view_as_real) is an error.
    #[must_use]
    #[track_caller]
    pub fn view_as_real(&self) -> Tensor<Any, S::RankAbove> {
        proved(self.try_view_as_real())
    }

    /// What [`view_as_real`](Self::view_as_real) gives, or the error that it panics with.
    ///
    /// # Errors
    /// For dtypes that aren't complex.
    pub fn try_view_as_real(&self) -> Result<Tensor<Any, S::RankAbove>> {
        made(Function::ViewAsReal, &[(&self.raw).into()])
    }

    /// Pairs along the last dimension as complex numbers.
    ///
    /// # Panics
    /// Where [`try_view_as_complex`](Self::try_view_as_complex) is an error.
    #[must_use]
    #[track_caller]
    pub fn view_as_complex(&self) -> Tensor<Any, S::RankBelow> {
        proved(self.try_view_as_complex())
    }

    /// What [`view_as_complex`](Self::view_as_complex) gives, or the error that it panics with.
    ///
    /// # Errors
    /// Where the dtype has no complex one, or the last dimension isn't dense pairs.
    pub fn try_view_as_complex(&self) -> Result<Tensor<Any, S::RankBelow>> {
        made(Function::ViewAsComplex, &[(&self.raw).into()])
    }
}

macro_rules! complex {
    ($($real:ty),+) => { $(
        impl<S: Shape> Tensor<Complex<$real>, S> {
            /// Complex numbers as pairs of real ones, in a new last dimension.
            #[must_use]
            pub fn view_as_real(&self) -> Tensor<$real, S::RankAbove> {
                made(Function::ViewAsReal, &[(&self.raw).into()]).expect("complex numbers have parts")
            }
        }

        impl<S: Shape> Tensor<$real, S> {
            /// Pairs along the last dimension as complex numbers.
            ///
            /// # Panics
            /// Where [`try_view_as_complex`](Self::try_view_as_complex) is an error.
            #[must_use]
            #[track_caller]
            pub fn view_as_complex(&self) -> Tensor<Complex<$real>, S::RankBelow> {
                proved(self.try_view_as_complex())
            }

            /// What [`view_as_complex`](Self::view_as_complex) gives, or the error that it panics with.
            ///
            /// # Errors
            /// Where the last dimension isn't dense pairs.
            pub fn try_view_as_complex(&self) -> Result<Tensor<Complex<$real>, S::RankBelow>> {
                made(Function::ViewAsComplex, &[(&self.raw).into()])
            }
        }
    )+ };
}

complex!(f16, f32, f64);
