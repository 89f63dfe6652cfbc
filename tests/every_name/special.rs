//! `torch.special`: what tensors have as methods, too, is beside these.

use latten::prelude::*;
use latten::special;

#[test]
fn functions() -> Result<()> {
    let (x, y) = (tensor![[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], tensor![[1.5, 4.0, 1.5], [2.0, 1.25, 8.0]]);

    _ = special::airy_ai(&x); // special.airy_ai
    _ = special::bessel_j0(&x); // special.bessel_j0
    _ = special::bessel_j1(&x); // special.bessel_j1
    _ = special::bessel_y0(&x); // special.bessel_y0
    _ = special::bessel_y1(&x); // special.bessel_y1
    _ = special::entr(&x); // special.entr
    _ = special::erfcx(&x); // special.erfcx
    _ = special::i0(&x); // special.i0
    _ = special::i0e(&x); // special.i0e
    _ = special::i1(&x); // special.i1
    _ = special::i1e(&x); // special.i1e
    _ = special::log_ndtr(&x); // special.log_ndtr
    _ = special::modified_bessel_i0(&x); // special.modified_bessel_i0
    _ = special::modified_bessel_i1(&x); // special.modified_bessel_i1
    _ = special::modified_bessel_k0(&x); // special.modified_bessel_k0
    _ = special::modified_bessel_k1(&x); // special.modified_bessel_k1
    _ = special::ndtr(&x); // special.ndtr
    _ = special::ndtri(&x); // special.ndtri
    _ = special::scaled_modified_bessel_k0(&x); // special.scaled_modified_bessel_k0
    _ = special::scaled_modified_bessel_k1(&x); // special.scaled_modified_bessel_k1
    _ = special::spherical_bessel_j0(&x); // special.spherical_bessel_j0
    _ = special::xlog1py(&x, &y); // special.xlog1py
    _ = special::zeta(&y, &x); // special.zeta
    _ = special::gammainc(&x, &y); // special.gammainc
    _ = special::gammaincc(&x, &y); // special.gammaincc
    _ = special::multigammaln(&y, 2)?; // special.multigammaln
    Ok(())
}

#[test]
fn polynomials() {
    let x = tensor![[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]];

    _ = special::chebyshev_polynomial_t(&x, 3); // special.chebyshev_polynomial_t
    _ = special::chebyshev_polynomial_u(&x, 3); // special.chebyshev_polynomial_u
    _ = special::chebyshev_polynomial_v(&x, 3); // special.chebyshev_polynomial_v
    _ = special::chebyshev_polynomial_w(&x, 3); // special.chebyshev_polynomial_w
    _ = special::hermite_polynomial_h(&x, 3); // special.hermite_polynomial_h
    _ = special::hermite_polynomial_he(&x, 3); // special.hermite_polynomial_he
    _ = special::laguerre_polynomial_l(&x, 3); // special.laguerre_polynomial_l
    _ = special::legendre_polynomial_p(&x, 3); // special.legendre_polynomial_p
    _ = special::shifted_chebyshev_polynomial_t(&x, 3); // special.shifted_chebyshev_polynomial_t
    _ = special::shifted_chebyshev_polynomial_u(&x, 3); // special.shifted_chebyshev_polynomial_u
    _ = special::shifted_chebyshev_polynomial_v(&x, 3); // special.shifted_chebyshev_polynomial_v
    _ = special::shifted_chebyshev_polynomial_w(&x, 3); // special.shifted_chebyshev_polynomial_w
}
