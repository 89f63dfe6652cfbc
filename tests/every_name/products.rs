//! Products of matrices and vectors, distances.

use latten::prelude::*;

#[test]
fn products() -> Result<()> {
    let (x, y) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]]);
    let (v, w, a) = (tensor![1.0, 2.0, 3.0], tensor![4.0, 5.0, 6.0], tensor![[4.0, 2.0], [2.0, 5.0]]);
    let mut square = Tensor::<f32, shape![3, 3]>::ones();
    let (mut c, batch) = (tensor![[1.0, 0.0], [0.0, 1.0]], Tensor::<f32, shape![3, 2, 2]>::ones());

    _ = x.matmul(&y.t()); // matmul
    _ = x.mm(&y.t()); // mm
    _ = x.mv(&v); // mv
    _ = v.dot(&w); // dot
    _ = v.vdot(&w); // vdot
    _ = v.outer(&w); // outer
    _ = v.inner(&w); // inner
    _ = batch.bmm(&batch); // bmm
    _ = c.addmm(&a, &a); // addmm
    _ = c.addmm_with(&a, &a, 0.5, 2)?; // addmm
    c.addmm_(&a, &a)?; // addmm
    c.addmm_with_(&a, &a, 0.5, 2)?; // addmm
    _ = batch.baddbmm(&batch, &batch); // baddbmm
    _ = batch.baddbmm_with(&batch, &batch, 0.5, 2)?; // baddbmm
    _ = c.addbmm(&batch, &batch); // addbmm
    _ = c.addbmm_with(&batch, &batch, 0.5, 2)?; // addbmm
    c.addbmm_(&batch, &batch)?; // addbmm
    _ = tensor![1.0, 2.0].addmv(&x, &v); // addmv
    _ = tensor![1.0, 2.0].addmv_with(&x, &v, 0.5, 2)?; // addmv
    v.clone().addmv_(&square, &v)?; // addmv
    _ = square.addr(&v, &w); // addr
    square.addr_(&v, &w)?; // addr
    _ = x.linear(&y); // linear
    _ = Tensor::<f32, shape![3, 3]>::ones().addr_with(&v, &w, 0.5, 2)?; // addr
    _ = x.linear(&y); // linear
    _ = x.linear_with(&y, &tensor![0.5, 1.0]); // linear
    _ = x.bilinear(&y, &Tensor::<f32, shape![4, 3, 3]>::ones()); // bilinear
    _ = x.bilinear_with(&y, &Tensor::<f32, shape![4, 3, 3]>::ones(), Some(&tensor![1.0, 2.0, 3.0, 4.0]))?; // bilinear
    _ = latten::einsum!("ij,kj->ik", x, y); // einsum
    _ = einsum("ij,kj->ik", (&x, &y))?; // einsum
    _ = x.tensordot(&y); // tensordot
    _ = x.tensordot_with(&y.t(), 1)?; // tensordot
    _ = x.tensordot_with(&y, [[1], [1]])?; // tensordot
    _ = x.kron(&y); // kron
    _ = v.cross(&w); // cross
    _ = v.cross_with(&w, -1)?; // cross
    _ = a.trace(); // trace
    _ = a.matrix_power(3)?; // matrix_power, linalg.matrix_power
    _ = a.matrix_exp()?; // matrix_exp, linalg.matrix_exp
    Ok(())
}

#[test]
fn distances() -> Result<()> {
    let (x, y) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]]);

    _ = x.dist(&y); // dist
    _ = x.dist_with(&y, 1)?; // dist
    _ = x.cdist(&y); // cdist
    _ = x.cdist_with(&y, 1)?; // cdist
    _ = x.pdist(); // pdist
    _ = x.pdist_with(1)?; // pdist
    _ = x.pairwise_distance(&y); // pairwise_distance
    _ = x.pairwise_distance_with(&y, 1, 1e-6, true)?; // pairwise_distance
    _ = x.cosine_similarity(&y); // cosine_similarity
    _ = x.cosine_similarity_with(&y, axis::<1>(), 1e-8); // cosine_similarity
    _ = x.cosine_similarity_with(&y, 1, 1e-8)?; // cosine_similarity
    _ = x.normalize(); // normalize
    _ = x.normalize_with(2, axis::<1>(), 1e-12); // normalize
    _ = x.normalize_with(1, 1, 1e-12)?; // normalize
    _ = x.renorm(2, 0, 1.0)?; // renorm
    x.clone().renorm_(2, 0, 1.0)?; // renorm
    Ok(())
}
