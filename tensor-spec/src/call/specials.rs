//! Special functions that are computed number by number, in double precision: Bessel's and Airy's, orthogonal polynomials, shares of the gamma function.

use super::{Declared, declared};

pub(super) const ROWS: &[Declared] = declared! {
    SpecialAiryAi "special.airy_ai(Tensor self) -> Tensor" [function] => to cast_to(to, bessels::of_one("airy_ai_cpu", input, bessels::airy)?), grad none;
    SpecialBesselJ0 "special.bessel_j0(Tensor self) -> Tensor" [function] => to cast_to(to, bessels::of_one("bessel_j0_cpu", input, bessels::j0)?), grad SpecialBesselJ0Backward0 { input: of_neighbours(g, input, (-1.0, Function::SpecialBesselJ1), None) };
    SpecialBesselJ1 "special.bessel_j1(Tensor self) -> Tensor" [function] => to cast_to(to, bessels::of_one("bessel_j1_cpu", input, bessels::j1)?), grad SpecialBesselJ1Backward0 { input: of_neighbours(g, input, (1.0, Function::SpecialBesselJ0), Some(result)) };
    SpecialBesselY0 "special.bessel_y0(Tensor self) -> Tensor" [function] => to cast_to(to, bessels::of_one("bessel_y0_cpu", input, bessels::y0)?), grad SpecialBesselY0Backward0 { input: of_neighbours(g, input, (-1.0, Function::SpecialBesselY1), None) };
    SpecialBesselY1 "special.bessel_y1(Tensor self) -> Tensor" [function] => to cast_to(to, bessels::of_one("bessel_y1_cpu", input, bessels::y1)?), grad SpecialBesselY1Backward0 { input: of_neighbours(g, input, (1.0, Function::SpecialBesselY0), Some(result)) };
    SpecialModifiedBesselI0 "special.modified_bessel_i0(Tensor self) -> Tensor" [function] => to cast_to(to, bessels::modified("modified_bessel_i0_cpu", input, 0.0)?), grad SpecialModifiedBesselI0Backward0 { input: of_neighbours(g, input, (1.0, Function::SpecialModifiedBesselI1), None) };
    SpecialModifiedBesselI1 "special.modified_bessel_i1(Tensor self) -> Tensor" [function] => to cast_to(to, bessels::modified("modified_bessel_i1_cpu", input, 1.0)?), grad SpecialModifiedBesselI1Backward0 { input: of_neighbours(g, input, (1.0, Function::SpecialModifiedBesselI0), Some(result)) };
    SpecialModifiedBesselK0 "special.modified_bessel_k0(Tensor self) -> Tensor" [function] => to cast_to(to, bessels::of_one("modified_bessel_k0_cpu", input, |x| bessels::modified_k(x, 0.0))?), grad SpecialModifiedBesselK0Backward0 { input: of_neighbours(g, input, (-1.0, Function::SpecialModifiedBesselK1), None) };
    SpecialModifiedBesselK1 "special.modified_bessel_k1(Tensor self) -> Tensor" [function] => to cast_to(to, bessels::of_one("modified_bessel_k1_cpu", input, |x| bessels::modified_k(x, 1.0))?), grad SpecialModifiedBesselK1Backward0 { input: of_neighbours(g, input, (-1.0, Function::SpecialModifiedBesselK0), Some(result)) };
    SpecialScaledModifiedBesselK0 "special.scaled_modified_bessel_k0(Tensor self) -> Tensor" [function] => to cast_to(to, bessels::of_one("scaled_modified_bessel_k0_cpu", input, |x| bessels::scaled_k(x, 0.0))?), grad none;
    SpecialScaledModifiedBesselK1 "special.scaled_modified_bessel_k1(Tensor self) -> Tensor" [function] => to cast_to(to, bessels::of_one("scaled_modified_bessel_k1_cpu", input, |x| bessels::scaled_k(x, 1.0))?), grad none;
    SpecialSphericalBesselJ0 "special.spherical_bessel_j0(Tensor self) -> Tensor" [function] => to cast_to(to, bessels::of_one("spherical_bessel_j0_cpu", input, bessels::spherical_j0)?), grad none;
    SpecialChebyshevPolynomialT "special.chebyshev_polynomial_t(Tensor|Scalar x, Tensor|Scalar n) -> Tensor" [function] => to cast_to(to, bessels::of_two("chebyshev_polynomial_t_cpu", [x, n], |x, n| polynomials::chebyshev(Kind::First, x, n))?), grad none;
    SpecialChebyshevPolynomialU "special.chebyshev_polynomial_u(Tensor|Scalar x, Tensor|Scalar n) -> Tensor" [function] => to cast_to(to, bessels::of_two("chebyshev_polynomial_u_cpu", [x, n], |x, n| polynomials::chebyshev(Kind::Second, x, n))?), grad none;
    SpecialChebyshevPolynomialV "special.chebyshev_polynomial_v(Tensor|Scalar x, Tensor|Scalar n) -> Tensor" [function] => to cast_to(to, bessels::of_two("chebyshev_polynomial_v_cpu", [x, n], |x, n| polynomials::chebyshev(Kind::Third, x, n))?), grad none;
    SpecialChebyshevPolynomialW "special.chebyshev_polynomial_w(Tensor|Scalar x, Tensor|Scalar n) -> Tensor" [function] => to cast_to(to, bessels::of_two("chebyshev_polynomial_w_cpu", [x, n], |x, n| polynomials::chebyshev(Kind::Fourth, x, n))?), grad none;
    SpecialShiftedChebyshevPolynomialT "special.shifted_chebyshev_polynomial_t(Tensor|Scalar x, Tensor|Scalar n) -> Tensor" [function] => to cast_to(to, bessels::of_two("shifted_chebyshev_polynomial_t_cpu", [x, n], |x, n| polynomials::chebyshev(Kind::First, 2.0 * x - 1.0, n))?), grad none;
    SpecialShiftedChebyshevPolynomialU "special.shifted_chebyshev_polynomial_u(Tensor|Scalar x, Tensor|Scalar n) -> Tensor" [function] => to cast_to(to, bessels::of_two("shifted_chebyshev_polynomial_u_cpu", [x, n], |x, n| polynomials::chebyshev(Kind::Second, 2.0 * x - 1.0, n))?), grad none;
    SpecialShiftedChebyshevPolynomialV "special.shifted_chebyshev_polynomial_v(Tensor|Scalar x, Tensor|Scalar n) -> Tensor" [function] => to cast_to(to, bessels::of_two("shifted_chebyshev_polynomial_v_cpu", [x, n], |x, n| polynomials::chebyshev(Kind::Third, 2.0 * x - 1.0, n))?), grad none;
    SpecialShiftedChebyshevPolynomialW "special.shifted_chebyshev_polynomial_w(Tensor|Scalar x, Tensor|Scalar n) -> Tensor" [function] => to cast_to(to, bessels::of_two("shifted_chebyshev_polynomial_w_cpu", [x, n], |x, n| polynomials::chebyshev(Kind::Fourth, 2.0 * x - 1.0, n))?), grad none;
    SpecialHermitePolynomialH "special.hermite_polynomial_h(Tensor|Scalar x, Tensor|Scalar n) -> Tensor" [function] => to cast_to(to, bessels::of_two("hermite_polynomial_h_cpu", [x, n], polynomials::hermite)?), grad none;
    SpecialHermitePolynomialHe "special.hermite_polynomial_he(Tensor|Scalar x, Tensor|Scalar n) -> Tensor" [function] => to cast_to(to, bessels::of_two("hermite_polynomial_he_cpu", [x, n], polynomials::hermite_of_chances)?), grad none;
    SpecialLaguerrePolynomialL "special.laguerre_polynomial_l(Tensor|Scalar x, Tensor|Scalar n) -> Tensor" [function] => to cast_to(to, bessels::of_two("laguerre_polynomial_l_cpu", [x, n], polynomials::laguerre)?), grad none;
    SpecialLegendrePolynomialP "special.legendre_polynomial_p(Tensor|Scalar x, Tensor|Scalar n) -> Tensor" [function] => to cast_to(to, bessels::of_two("legendre_polynomial_p_cpu", [x, n], polynomials::legendre)?), grad none;
    Igamma "igamma(Tensor self, Tensor other) -> Tensor" => any cast_to(to, bessels::gamma_share("igamma_cpu", [input, other], false)?),
        grad IgammaBackward0 { input: no_derivative(g, "igamma: input"), other: of_gamma_share(g, input, other, false) };
    Igammac "igammac(Tensor self, Tensor other) -> Tensor" => any cast_to(to, bessels::gamma_share("igammac_cpu", [input, other], true)?),
        grad IgammacBackward0 { input: no_derivative(g, "igammac: input"), other: of_gamma_share(g, input, other, true) };
    SpecialGammainc "special.gammainc(Tensor self, Tensor other) -> Tensor" [function] => to cast_to(to, bessels::gamma_share("igamma_cpu", [input, other], false)?),
        grad IgammaBackward0 { input: no_derivative(g, "igamma: input"), other: of_gamma_share(g, input, other, false) };
    SpecialGammaincc "special.gammaincc(Tensor self, Tensor other) -> Tensor" [function] => to cast_to(to, bessels::gamma_share("igammac_cpu", [input, other], true)?),
        grad IgammacBackward0 { input: no_derivative(g, "igammac: input"), other: of_gamma_share(g, input, other, true) };
};
