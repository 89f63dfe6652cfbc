//! Sparse tensors.

use super::prelude::*;

use super::ty;

pub(super) fn sparse() -> Result<()> {
    let (places, values) = (tensor![[0, 1], [2, 0]], tensor![3.0, 4.0]);
    let (x, v) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![1.0, 2.0, 3.0]);
    let s = SparseTensor::new(&places, &values, [2, 3])?.coalesce();
    erase!(places, values, x, v, s);

    ty(SparseTensor::new(&places, &values, [2, 3])?); // sparse_coo_tensor
    ty(SparseTensor::new_with(&places, &values, [2, 3], latten::Coalesced::Unknown)?); // sparse_coo_tensor
    ty(SparseTensor::inferred(&places, &values)?); // sparse_coo_tensor
    ty(x.to_sparse()); // to_sparse
    ty(x.to_sparse_dims(1)?); // to_sparse
    ty(s.to_dense()); // to_dense
    ty(s.coalesce()); // coalesce
    ty(s.is_coalesced()); // is_coalesced
    ty(s.indices()); // indices
    ty(s.values()); // values
    ty(s.raw_indices()); // _indices
    ty(s.raw_values()); // _values
    ty(s.nnz()); // _nnz
    ty(s.sparse_dim()); // sparse_dim
    ty(s.dense_dim()); // dense_dim
    ty(s.mm(&x.t())); // mm
    ty(s.mv(&v)); // mv
    ty(s.add(&s)?); // add
    ty(x.add_sparse(&s, 1)?); // add
    ty(s.mul(&s)?); // mul
    ty(s.scale(2)?); // mul
    ty(s.div(2)?); // div
    Ok(())
}
