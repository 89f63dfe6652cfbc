//! `torch.linalg`, and what else is taken apart, solved and measured.

use super::prelude::*;
use latten::linalg;

use super::ty;

pub(super) fn decompositions() -> Result<()> {
    let (a, x) = (tensor![[4.0, 2.0], [2.0, 5.0]], tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    erase!(a, x);

    ty(linalg::cholesky(&a)?); // linalg.cholesky
    ty(linalg::cholesky_with(&a, true)?); // linalg.cholesky
    ty(linalg::cholesky_ex(&a)?); // linalg.cholesky_ex
    ty(linalg::qr(&x)?); // linalg.qr
    ty(linalg::qr_with(&x, "complete")?); // linalg.qr
    ty(linalg::svd(&x)?); // linalg.svd
    ty(linalg::svd_with(&x, false)?); // linalg.svd
    ty(call("svd", args![&x])?.tensors()?); // svd
    ty(linalg::svdvals(&x)?); // linalg.svdvals
    ty(linalg::eig(&a)?); // linalg.eig
    ty(linalg::eigvals(&a)?); // linalg.eigvals
    ty(linalg::eigh(&a)?); // linalg.eigh
    ty(linalg::eigh_with(&a, "U")?); // linalg.eigh
    ty(linalg::eigvalsh(&a)?); // linalg.eigvalsh
    ty(linalg::eigvalsh_with(&a, "U")?); // linalg.eigvalsh
    ty(linalg::lu(&x)?); // linalg.lu
    ty(linalg::lu_factor(&a)?); // linalg.lu_factor, lu
    ty(linalg::lu_factor_ex(&a)?); // linalg.lu_factor_ex
    ty(linalg::ldl_factor(&a)?); // linalg.ldl_factor
    ty(linalg::ldl_factor_ex(&a)?); // linalg.ldl_factor_ex
    ty(linalg::polar(&a)?); // linalg.polar
    ty(call("geqrf", args![&a])?.tensors()?); // geqrf
    Ok(())
}

pub(super) fn solutions() -> Result<()> {
    let (a, b) = (tensor![[4.0, 2.0], [2.0, 5.0]], tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let (lower, (lu, pivots), (ld, blocks)) = (linalg::cholesky(&a)?, linalg::lu_factor(&a)?, linalg::ldl_factor(&a)?);
    let (tau, deep) = (tensor![1.0, 0.5], Tensor::<f32, shape![4, 4]>::eye().view(shape![2, 2, 2, 2]));
    erase!(a, b, lower, lu, pivots, ld, blocks, tau, deep);

    ty(linalg::solve(&a, &b)?); // linalg.solve
    ty(linalg::solve_with(&a, &b.t(), false)?); // linalg.solve
    ty(linalg::solve_ex(&a, &b)?); // linalg.solve_ex
    ty(call("_solve", args![&a, &b])?.tensor()?); // _solve
    ty(linalg::solve_triangular(&lower, &b, false)?); // linalg.solve_triangular, triangular_solve
    ty(linalg::lu_solve(&lu, &pivots, &b)?); // linalg.lu_solve, lu_solve
    ty(linalg::ldl_solve(&ld, &blocks, &b)?); // linalg.ldl_solve
    ty(linalg::cholesky_solve(&b, &lower)?); // cholesky_solve
    ty(linalg::cholesky_solve_with(&b, &lower.t(), true)?); // cholesky_solve
    ty(b.cholesky_solve(&lower)?); // cholesky_solve
    ty(lower.cholesky_inverse()?); // cholesky_inverse
    ty(linalg::lstsq(&b.t(), &b.t())?.solution); // linalg.lstsq
    ty(linalg::lstsq_with(&b.t(), &b.t(), None, "gelsd")?.rank); // linalg.lstsq
    ty(linalg::tensorsolve(&deep, &a)?); // linalg.tensorsolve
    ty(linalg::tensorsolve_with(&deep, &a, [0, 1])?); // linalg.tensorsolve
    ty(linalg::tensorinv(&deep)?); // linalg.tensorinv
    ty(linalg::tensorinv_with(&deep, 2)?); // linalg.tensorinv
    ty(linalg::inv(&a)?); // linalg.inv
    ty(a.inverse()?); // inverse
    ty(linalg::inv_ex(&a)?); // linalg.inv_ex
    ty(linalg::pinv(&b)?); // linalg.pinv
    ty(linalg::pinv_with(&a, 1e-6, None, true)?); // linalg.pinv
    ty(b.pinverse()?); // pinverse
    ty(linalg::householder_product(&a, &tau)?); // linalg.householder_product, orgqr
    ty(call("ormqr", args![&a, &tau, &b])?.tensor()?); // ormqr
    ty(call("lu_unpack", args![&lu, &pivots])?.tensors()?); // lu_unpack
    Ok(())
}

pub(super) fn numbers_of_matrices() -> Result<()> {
    let (a, x) = (tensor![[4.0, 2.0], [2.0, 5.0]], tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let v = tensor![1.0, 2.0, 3.0];
    erase!(a, x, v);

    ty(linalg::det(&a)?); // linalg.det
    ty(a.det()?); // det
    ty(a.logdet()?); // logdet
    ty(linalg::slogdet(&a)?); // linalg.slogdet
    ty(linalg::matrix_rank(&x)?); // linalg.matrix_rank
    ty(linalg::matrix_rank_with(&x, None, 1e-6, false)?); // linalg.matrix_rank
    ty(linalg::cond(&a)?); // linalg.cond
    ty(linalg::cond_with(&a, "fro")?); // linalg.cond
    ty(linalg::norm(&x)); // linalg.norm
    ty(linalg::norm_with(&x, "fro", ..)?); // linalg.norm
    ty(linalg::vector_norm(&x)); // linalg.vector_norm
    ty(linalg::vector_norm_with(&x, 1, axis::<1>())?); // linalg.vector_norm
    ty(linalg::matrix_norm(&x)?); // linalg.matrix_norm
    ty(linalg::matrix_norm_with(&x, "nuc")?); // linalg.matrix_norm
    ty(linalg::diagonal(&x)?); // linalg.diagonal
    ty(linalg::cross(&v, &v)?); // linalg.cross
    ty(linalg::vecdot(&x, &x)?); // linalg.vecdot
    ty(linalg::vecdot_with(&x, &x, 0)?); // linalg.vecdot
    ty(linalg::multi_dot(&[&a, &a, &a])?); // linalg.multi_dot
    ty(linalg::vander(&v)?); // linalg.vander
    ty(linalg::vander_with(&v, 4)?); // linalg.vander
    ty(linalg::matrix_power(&a, -2)?); // linalg.matrix_power
    ty(linalg::matrix_exp(&a)?); // linalg.matrix_exp
    ty(linalg::matrix_sqrth(&a)?); // linalg.matrix_sqrth
    Ok(())
}
