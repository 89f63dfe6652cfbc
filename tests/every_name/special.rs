//! `torch.special`: what tensors have as methods, too, is beside these.

use super::prelude::*;
use latten::special;

use super::ty;

pub(super) fn functions() -> Result<()> {
    let (x, y) = (tensor![[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], tensor![[1.5, 4.0, 1.5], [2.0, 1.25, 8.0]]);
    erase!(x, y);

    ty(special::airy_ai(&x)); // special.airy_ai
    ty(special::bessel_j0(&x)); // special.bessel_j0
    ty(special::bessel_j1(&x)); // special.bessel_j1
    ty(special::bessel_y0(&x)); // special.bessel_y0
    ty(special::bessel_y1(&x)); // special.bessel_y1
    ty(special::entr(&x)); // special.entr
    ty(special::erfcx(&x)); // special.erfcx
    ty(special::i0(&x)); // special.i0
    ty(special::i0e(&x)); // special.i0e
    ty(special::i1(&x)); // special.i1
    ty(special::i1e(&x)); // special.i1e
    ty(special::log_ndtr(&x)); // special.log_ndtr
    ty(special::modified_bessel_i0(&x)); // special.modified_bessel_i0
    ty(special::modified_bessel_i1(&x)); // special.modified_bessel_i1
    ty(special::modified_bessel_k0(&x)); // special.modified_bessel_k0
    ty(special::modified_bessel_k1(&x)); // special.modified_bessel_k1
    ty(special::ndtr(&x)); // special.ndtr
    ty(special::ndtri(&x)); // special.ndtri
    ty(special::scaled_modified_bessel_k0(&x)); // special.scaled_modified_bessel_k0
    ty(special::scaled_modified_bessel_k1(&x)); // special.scaled_modified_bessel_k1
    ty(special::spherical_bessel_j0(&x)); // special.spherical_bessel_j0
    ty(special::xlog1py(&x, &y)); // special.xlog1py
    ty(special::xlog1py(&x, 2)); // special.xlog1py
    ty(special::zeta(&y, &x)); // special.zeta
    ty(special::gammainc(&x, &y)); // special.gammainc
    ty(special::gammaincc(&x, &y)); // special.gammaincc
    ty(special::multigammaln(&y, 2)?); // special.multigammaln
    Ok(())
}

pub(super) fn polynomials() {
    let x = tensor![[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]];
    erase!(x);

    ty(special::chebyshev_polynomial_t(&x, 3)); // special.chebyshev_polynomial_t
    ty(special::chebyshev_polynomial_u(&x, 3)); // special.chebyshev_polynomial_u
    ty(special::chebyshev_polynomial_v(&x, 3)); // special.chebyshev_polynomial_v
    ty(special::chebyshev_polynomial_w(&x, 3)); // special.chebyshev_polynomial_w
    ty(special::hermite_polynomial_h(&x, 3)); // special.hermite_polynomial_h
    ty(special::hermite_polynomial_he(&x, 3)); // special.hermite_polynomial_he
    ty(special::laguerre_polynomial_l(&x, 3)); // special.laguerre_polynomial_l
    ty(special::legendre_polynomial_p(&x, 3)); // special.legendre_polynomial_p
    ty(special::shifted_chebyshev_polynomial_t(&x, 3)); // special.shifted_chebyshev_polynomial_t
    ty(special::shifted_chebyshev_polynomial_u(&x, 3)); // special.shifted_chebyshev_polynomial_u
    ty(special::shifted_chebyshev_polynomial_v(&x, 3)); // special.shifted_chebyshev_polynomial_v
    ty(special::shifted_chebyshev_polynomial_w(&x, 3)); // special.shifted_chebyshev_polynomial_w
}
