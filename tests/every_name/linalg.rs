//! `torch.linalg`, and what else is taken apart, solved and measured.

use latten::linalg;
use latten::prelude::*;

#[test]
fn decompositions() -> Result<()> {
    let (a, x) = (tensor![[4.0, 2.0], [2.0, 5.0]], tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);

    _ = linalg::cholesky(&a)?; // linalg.cholesky
    _ = linalg::cholesky_with(&a, true)?; // linalg.cholesky
    _ = linalg::cholesky_ex(&a)?; // linalg.cholesky_ex
    _ = linalg::qr(&x)?; // linalg.qr
    _ = linalg::qr_with(&x, "complete")?; // linalg.qr
    _ = linalg::svd(&x)?; // linalg.svd
    _ = linalg::svd_with(&x, false)?; // linalg.svd
    _ = call("svd", args![&x])?.tensors()?; // svd
    _ = linalg::svdvals(&x)?; // linalg.svdvals
    _ = linalg::eig(&a)?; // linalg.eig
    _ = linalg::eigvals(&a)?; // linalg.eigvals
    _ = linalg::eigh(&a)?; // linalg.eigh
    _ = linalg::eigh_with(&a, "U")?; // linalg.eigh
    _ = linalg::eigvalsh(&a)?; // linalg.eigvalsh
    _ = linalg::eigvalsh_with(&a, "U")?; // linalg.eigvalsh
    _ = linalg::lu(&x)?; // linalg.lu
    _ = linalg::lu_factor(&a)?; // linalg.lu_factor, lu
    _ = linalg::lu_factor_ex(&a)?; // linalg.lu_factor_ex
    _ = linalg::ldl_factor(&a)?; // linalg.ldl_factor
    _ = linalg::ldl_factor_ex(&a)?; // linalg.ldl_factor_ex
    _ = linalg::polar(&a)?; // linalg.polar
    _ = call("geqrf", args![&a])?.tensors()?; // geqrf
    Ok(())
}

#[test]
fn solutions() -> Result<()> {
    let (a, b) = (tensor![[4.0, 2.0], [2.0, 5.0]], tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let (lower, (lu, pivots), (ld, blocks)) = (linalg::cholesky(&a)?, linalg::lu_factor(&a)?, linalg::ldl_factor(&a)?);
    let (tau, deep) = (tensor![1.0, 0.5], Tensor::<f32, shape![4, 4]>::eye().view(shape![2, 2, 2, 2]));

    _ = linalg::solve(&a, &b)?; // linalg.solve
    _ = linalg::solve_with(&a, &b.t(), false)?; // linalg.solve
    _ = linalg::solve_ex(&a, &b)?; // linalg.solve_ex
    _ = call("_solve", args![&a, &b])?.tensor()?; // _solve
    _ = linalg::solve_triangular(&lower, &b, false)?; // linalg.solve_triangular, triangular_solve
    _ = linalg::lu_solve(&lu, &pivots, &b)?; // linalg.lu_solve, lu_solve
    _ = linalg::ldl_solve(&ld, &blocks, &b)?; // linalg.ldl_solve
    _ = linalg::cholesky_solve(&b, &lower)?; // cholesky_solve
    _ = linalg::cholesky_solve_with(&b, &lower.t(), true)?; // cholesky_solve
    _ = b.cholesky_solve(&lower)?; // cholesky_solve
    _ = lower.cholesky_inverse()?; // cholesky_inverse
    _ = linalg::lstsq(&b.t(), &b.t())?.solution; // linalg.lstsq
    _ = linalg::lstsq_with(&b.t(), &b.t(), None, "gelsd")?.rank; // linalg.lstsq
    _ = linalg::tensorsolve(&deep, &a)?; // linalg.tensorsolve
    _ = linalg::tensorsolve_with(&deep, &a, [0, 1])?; // linalg.tensorsolve
    _ = linalg::tensorinv(&deep)?; // linalg.tensorinv
    _ = linalg::tensorinv_with(&deep, 2)?; // linalg.tensorinv
    _ = linalg::inv(&a)?; // linalg.inv
    _ = a.inverse()?; // inverse
    _ = linalg::inv_ex(&a)?; // linalg.inv_ex
    _ = linalg::pinv(&b)?; // linalg.pinv
    _ = linalg::pinv_with(&a, 1e-6, None, true)?; // linalg.pinv
    _ = b.pinverse()?; // pinverse
    _ = linalg::householder_product(&a, &tau)?; // linalg.householder_product, orgqr
    _ = call("ormqr", args![&a, &tau, &b])?.tensor()?; // ormqr
    _ = call("lu_unpack", args![&lu, &pivots])?.tensors()?; // lu_unpack
    Ok(())
}

#[test]
fn numbers_of_matrices() -> Result<()> {
    let (a, x) = (tensor![[4.0, 2.0], [2.0, 5.0]], tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let v = tensor![1.0, 2.0, 3.0];

    _ = linalg::det(&a)?; // linalg.det
    _ = a.det()?; // det
    _ = a.logdet()?; // logdet
    _ = linalg::slogdet(&a)?; // linalg.slogdet
    _ = linalg::matrix_rank(&x)?; // linalg.matrix_rank
    _ = linalg::matrix_rank_with(&x, None, 1e-6, false)?; // linalg.matrix_rank
    _ = linalg::cond(&a)?; // linalg.cond
    _ = linalg::cond_with(&a, "fro")?; // linalg.cond
    _ = linalg::norm(&x); // linalg.norm
    _ = linalg::norm_with(&x, "fro", ..)?; // linalg.norm
    _ = linalg::vector_norm(&x); // linalg.vector_norm
    _ = linalg::vector_norm_with(&x, 1, axis::<1>())?; // linalg.vector_norm
    _ = linalg::matrix_norm(&x)?; // linalg.matrix_norm
    _ = linalg::matrix_norm_with(&x, "nuc")?; // linalg.matrix_norm
    _ = linalg::diagonal(&x)?; // linalg.diagonal
    _ = linalg::cross(&v, &v)?; // linalg.cross
    _ = linalg::vecdot(&x, &x)?; // linalg.vecdot
    _ = linalg::vecdot_with(&x, &x, 0)?; // linalg.vecdot
    _ = linalg::multi_dot(&[&a, &a, &a])?; // linalg.multi_dot
    _ = linalg::vander(&v)?; // linalg.vander
    _ = linalg::vander_with(&v, 4)?; // linalg.vander
    _ = linalg::matrix_power(&a, -2)?; // linalg.matrix_power
    _ = linalg::matrix_exp(&a)?; // linalg.matrix_exp
    _ = linalg::matrix_sqrth(&a)?; // linalg.matrix_sqrth
    Ok(())
}
