//! `torch.special`: functions of physics and statistics. Those that tensors have as methods, too, are methods here: `x.erf()`.

use super::{argument, functions, kind};
use crate::call::Function;
use crate::error::{Result, proved};
use crate::kinds::RealFloat;
use crate::shape::{BroadcastWith, Shape};
use crate::tensor::{Tensor, TensorOrNumber, made};

/// Functions that give values, and their twins. Those of two tensors, whose shapes broadcast, say what the second is: `pair R` a tensor of
/// shape `R`, `beside Q` a tensor or a number.
macro_rules! values {
    ($($(#[$comment:meta])* $function:ident $name:ident $twin:ident($($kind:ident $argument:ident)?) $(pair $R:ident)? $(beside $Q:ident)? -> $Result:ty, $errors:literal;)+) => { $(
        $(#[$comment])*
        ///
        /// # Panics
        #[doc = concat!("Where [`", stringify!($twin), "`] is an error.")]
        #[must_use]
        #[track_caller]
        pub fn $name<E: RealFloat, S: Shape $(+ BroadcastWith<$R>, $R: Shape)? $(+ BroadcastWith<$Q::Shape>, $Q: TensorOrNumber<E>)?>(
            x: &Tensor<E, S> $(, $argument: kind!($kind))?
        ) -> $Result {
            proved($twin(x $(, $argument)?))
        }

        #[doc = concat!("What [`", stringify!($name), "`] gives, or the error that it panics with.")]
        ///
        /// # Errors
        #[doc = $errors]
        pub fn $twin<E: RealFloat, S: Shape $(+ BroadcastWith<$R>, $R: Shape)? $(+ BroadcastWith<$Q::Shape>, $Q: TensorOrNumber<E>)?>(
            x: &Tensor<E, S> $(, $argument: kind!($kind))?
        ) -> Result<$Result> {
            made(Function::$function, &[x.raw().into() $(, argument!($kind $argument))?])
        }
    )+ };
}

values! {
    /// The share of the standard normal distribution below each number.
    ///
    /// ```
    /// # use latten_core::{spaces::special, tensor::Tensor};
    /// let x = Tensor::from([0.0_f64, 1.0]);
    /// assert_eq!(special::ndtr(&x).to_string(), "tensor([0.5000, 0.8413], dtype=torch.float64)");
    /// assert!(special::ndtri(&special::ndtr(&x)).allclose(&x));
    /// ```
    SpecialNdtr ndtr try_ndtr() -> Tensor<E, S>, "For halves that have no such kernel.";
    /// Below which number a share of the standard normal distribution lies.
    SpecialNdtri ndtri try_ndtri() -> Tensor<E, S>, "For halves.";
    /// The logarithm of [`ndtr`], exact where that is almost zero.
    SpecialLogNdtr log_ndtr try_log_ndtr() -> Tensor<E, S>, "For halves.";
    /// `exp(x²)` times what `erf` lacks of 1.
    SpecialErfcx erfcx try_erfcx() -> Tensor<E, S>, "For halves.";
    /// The entropy `-x ln(x)`, and minus infinity below zero.
    SpecialEntr entr try_entr() -> Tensor<E, S>, "Never.";
    /// Hurwitz's zeta function: the sum of `1 / (k + q)` to the power of each number, over all `k` from 0 on.
    SpecialZeta zeta try_zeta(tensor_or_number q) beside Q -> Tensor<E, S::Common>, "For halves, and where the shapes don't broadcast.";
    /// The share of the gamma function's integral below `other`.
    SpecialGammainc gammainc try_gammainc(pair other) pair R -> Tensor<E, S::Common>, "Where the shapes don't broadcast.";
    /// The share of the gamma function's integral above `other`.
    SpecialGammaincc gammaincc try_gammaincc(pair other) pair R -> Tensor<E, S::Common>, "Where the shapes don't broadcast.";
    /// `x` times the logarithm of one more than `other`, a tensor or a number; zero where `x` is.
    SpecialXlog1py xlog1py try_xlog1py(tensor_or_number other) beside Q -> Tensor<E, S::Common>, "Where the shapes don't broadcast.";
}

functions! {
    over RealFloat:
    /// The logarithm of the gamma function of `p` dimensions.
    SpecialMultigammaln multigammaln(count p) -> Tensor<E, S>, "Where `p` is less than 1.";
}

values! {
    /// Airy's function Ai.
    SpecialAiryAi airy_ai try_airy_ai() -> Tensor<E, S>, "For halves.";
    /// The Bessel function of the first kind and order 0.
    SpecialBesselJ0 bessel_j0 try_bessel_j0() -> Tensor<E, S>, "For halves.";
    /// The Bessel function of the first kind and order 1.
    SpecialBesselJ1 bessel_j1 try_bessel_j1() -> Tensor<E, S>, "For halves.";
    /// The Bessel function of the second kind and order 0.
    SpecialBesselY0 bessel_y0 try_bessel_y0() -> Tensor<E, S>, "For halves.";
    /// The Bessel function of the second kind and order 1.
    SpecialBesselY1 bessel_y1 try_bessel_y1() -> Tensor<E, S>, "For halves.";
    /// The modified Bessel function of the first kind and order 0.
    SpecialI0 i0 try_i0() -> Tensor<E, S>, "Never.";
    /// The same times `exp(-|x|)`.
    SpecialI0e i0e try_i0e() -> Tensor<E, S>, "For some halves.";
    /// The modified Bessel function of the first kind and order 1.
    SpecialI1 i1 try_i1() -> Tensor<E, S>, "For some halves.";
    /// The same times `exp(-|x|)`.
    SpecialI1e i1e try_i1e() -> Tensor<E, S>, "For some halves.";
    /// The modified Bessel function of the first kind and order 0, computed as the others here.
    SpecialModifiedBesselI0 modified_bessel_i0 try_modified_bessel_i0() -> Tensor<E, S>, "For halves.";
    /// The modified Bessel function of the first kind and order 1, computed as the others here.
    SpecialModifiedBesselI1 modified_bessel_i1 try_modified_bessel_i1() -> Tensor<E, S>, "For halves.";
    /// The modified Bessel function of the second kind and order 0.
    SpecialModifiedBesselK0 modified_bessel_k0 try_modified_bessel_k0() -> Tensor<E, S>, "For halves.";
    /// The modified Bessel function of the second kind and order 1.
    SpecialModifiedBesselK1 modified_bessel_k1 try_modified_bessel_k1() -> Tensor<E, S>, "For halves.";
    /// [`modified_bessel_k0`] times `exp(x)`.
    SpecialScaledModifiedBesselK0 scaled_modified_bessel_k0 try_scaled_modified_bessel_k0() -> Tensor<E, S>, "For halves.";
    /// [`modified_bessel_k1`] times `exp(x)`.
    SpecialScaledModifiedBesselK1 scaled_modified_bessel_k1 try_scaled_modified_bessel_k1() -> Tensor<E, S>, "For halves.";
    /// The spherical Bessel function of the first kind and order 0.
    SpecialSphericalBesselJ0 spherical_bessel_j0 try_spherical_bessel_j0() -> Tensor<E, S>, "For halves.";
}

values! {
    /// The Chebyshev polynomial of the first kind and of degree `n`, a number or a tensor of them.
    SpecialChebyshevPolynomialT chebyshev_polynomial_t try_chebyshev_polynomial_t(tensor_or_number n) beside Q -> Tensor<E, S::Common>, "For halves, and where the shapes don't broadcast.";
    /// The Chebyshev polynomial of the second kind.
    SpecialChebyshevPolynomialU chebyshev_polynomial_u try_chebyshev_polynomial_u(tensor_or_number n) beside Q -> Tensor<E, S::Common>, "For halves, and where the shapes don't broadcast.";
    /// The Chebyshev polynomial of the third kind.
    SpecialChebyshevPolynomialV chebyshev_polynomial_v try_chebyshev_polynomial_v(tensor_or_number n) beside Q -> Tensor<E, S::Common>, "For halves, and where the shapes don't broadcast.";
    /// The Chebyshev polynomial of the fourth kind.
    SpecialChebyshevPolynomialW chebyshev_polynomial_w try_chebyshev_polynomial_w(tensor_or_number n) beside Q -> Tensor<E, S::Common>, "For halves, and where the shapes don't broadcast.";
    /// [`chebyshev_polynomial_t`] of `2 x - 1`.
    SpecialShiftedChebyshevPolynomialT shifted_chebyshev_polynomial_t try_shifted_chebyshev_polynomial_t(tensor_or_number n) beside Q -> Tensor<E, S::Common>, "For halves, and where the shapes don't broadcast.";
    /// [`chebyshev_polynomial_u`] of `2 x - 1`.
    SpecialShiftedChebyshevPolynomialU shifted_chebyshev_polynomial_u try_shifted_chebyshev_polynomial_u(tensor_or_number n) beside Q -> Tensor<E, S::Common>, "For halves, and where the shapes don't broadcast.";
    /// [`chebyshev_polynomial_v`] of `2 x - 1`.
    SpecialShiftedChebyshevPolynomialV shifted_chebyshev_polynomial_v try_shifted_chebyshev_polynomial_v(tensor_or_number n) beside Q -> Tensor<E, S::Common>, "For halves, and where the shapes don't broadcast.";
    /// [`chebyshev_polynomial_w`] of `2 x - 1`.
    SpecialShiftedChebyshevPolynomialW shifted_chebyshev_polynomial_w try_shifted_chebyshev_polynomial_w(tensor_or_number n) beside Q -> Tensor<E, S::Common>, "For halves, and where the shapes don't broadcast.";
    /// The physicists' Hermite polynomial.
    SpecialHermitePolynomialH hermite_polynomial_h try_hermite_polynomial_h(tensor_or_number n) beside Q -> Tensor<E, S::Common>, "For halves, and where the shapes don't broadcast.";
    /// The probabilists' Hermite polynomial.
    SpecialHermitePolynomialHe hermite_polynomial_he try_hermite_polynomial_he(tensor_or_number n) beside Q -> Tensor<E, S::Common>, "For halves, and where the shapes don't broadcast.";
    /// Laguerre's polynomial.
    SpecialLaguerrePolynomialL laguerre_polynomial_l try_laguerre_polynomial_l(tensor_or_number n) beside Q -> Tensor<E, S::Common>, "For halves, and where the shapes don't broadcast.";
    /// Legendre's polynomial.
    SpecialLegendrePolynomialP legendre_polynomial_p try_legendre_polynomial_p(tensor_or_number n) beside Q -> Tensor<E, S::Common>, "For halves, and where the shapes don't broadcast.";
}
