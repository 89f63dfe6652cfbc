//! Products of matrices and vectors, distances.

use super::prelude::*;

use super::ty;

pub(super) fn products() -> Result<()> {
    let (x, y) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]]);
    let (v, w, a) = (tensor![1.0, 2.0, 3.0], tensor![4.0, 5.0, 6.0], tensor![[4.0, 2.0], [2.0, 5.0]]);
    let (mut square, deep) = (Tensor::<f32, shape![3, 3]>::ones(), Tensor::<f32, shape![4, 3, 3]>::ones());
    let (pair, bias) = (tensor![0.5, 1.0], tensor![1.0, 2.0, 3.0, 4.0]);
    let (mut c, batch) = (tensor![[1.0, 0.0], [0.0, 1.0]], Tensor::<f32, shape![3, 2, 2]>::ones());
    erase!(x, y, v, w, a, square, deep, pair, bias, c, batch);

    ty(x.matmul(&y.t())); // matmul
    ty(x.mm(&y.t())); // mm
    ty(x.mv(&v)); // mv
    ty(v.dot(&w)); // dot
    ty(v.vdot(&w)); // vdot
    ty(v.outer(&w)); // outer
    ty(v.inner(&w)); // inner
    ty(batch.bmm(&batch)); // bmm
    ty(c.addmm(&a, &a)); // addmm
    ty(c.addmm_with(&a, &a, 0.5, 2)?); // addmm
    c.addmm_(&a, &a)?; // addmm
    c.addmm_with_(&a, &a, 0.5, 2)?; // addmm
    ty(batch.baddbmm(&batch, &batch)); // baddbmm
    ty(batch.baddbmm_with(&batch, &batch, 0.5, 2)?); // baddbmm
    ty(c.addbmm(&batch, &batch)); // addbmm
    ty(c.addbmm_with(&batch, &batch, 0.5, 2)?); // addbmm
    c.addbmm_(&batch, &batch)?; // addbmm
    ty(pair.addmv(&x, &v)); // addmv
    ty(pair.addmv_with(&x, &v, 0.5, 2)?); // addmv
    v.clone().addmv_(&square, &v)?; // addmv
    ty(square.addr(&v, &w)); // addr
    square.addr_(&v, &w)?; // addr
    ty(square.addr_with(&v, &w, 0.5, 2)?); // addr
    ty(x.linear(&y)); // linear
    ty(x.linear_with(&y, &pair)); // linear
    ty(x.bilinear(&y, &deep)); // bilinear
    ty(x.bilinear_with(&y, &deep, &bias)?); // bilinear
    ty(latten::einsum!("ij,kj->ik", x, y)); // einsum
    ty(einsum("ij,kj->ik", (&x, &y))?); // einsum
    ty(x.tensordot(&y)); // tensordot
    ty(x.tensordot_with(&y.t(), 1)?); // tensordot
    ty(x.tensordot_with(&y, [[1], [1]])?); // tensordot
    ty(x.kron(&y)); // kron
    ty(v.cross(&w)); // cross
    ty(v.cross_with(&w, -1)?); // cross
    ty(a.trace()); // trace
    ty(a.matrix_power(3)?); // matrix_power, linalg.matrix_power
    ty(a.matrix_exp()?); // matrix_exp, linalg.matrix_exp
    Ok(())
}

pub(super) fn distances() -> Result<()> {
    let (x, y) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]]);
    erase!(x, y);

    ty(x.dist(&y)); // dist
    ty(x.dist_with(&y, 1)?); // dist
    ty(x.cdist(&y)); // cdist
    ty(x.cdist_with(&y, 1)?); // cdist
    ty(x.pdist()); // pdist
    ty(x.pdist_with(1)?); // pdist
    ty(x.pairwise_distance(&y)); // pairwise_distance
    ty(x.pairwise_distance_with(&y, 1, 1e-6, true)?); // pairwise_distance
    ty(x.cosine_similarity(&y)); // cosine_similarity
    ty(x.cosine_similarity_with(&y, axis::<1>(), 1e-8)); // cosine_similarity
    ty(x.cosine_similarity_with(&y, 1, 1e-8)?); // cosine_similarity
    ty(x.normalize()); // normalize
    ty(x.normalize_with(2, axis::<1>(), 1e-12)); // normalize
    ty(x.normalize_with(1, 1, 1e-12)?); // normalize
    ty(x.renorm(2, 0, 1.0)?); // renorm
    x.clone().renorm_(2, 0, 1.0)?; // renorm
    Ok(())
}
