//! Sparse tensors.

use latten::prelude::*;

#[test]
fn sparse() -> Result<()> {
    let (places, values) = (tensor![[0, 1], [2, 0]], tensor![3.0, 4.0]);
    let (x, v) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![1.0, 2.0, 3.0]);
    let s = SparseTensor::new(&places, &values, [2, 3])?.coalesce();

    _ = SparseTensor::new(&places, &values, [2, 3])?; // sparse_coo_tensor
    _ = SparseTensor::new_with(&places, &values, [2, 3], latten::Coalesced::Unknown)?; // sparse_coo_tensor
    _ = SparseTensor::inferred(&places, &values)?; // sparse_coo_tensor
    _ = x.to_sparse(); // to_sparse
    _ = x.to_sparse_dims(1)?; // to_sparse
    _ = s.to_dense(); // to_dense
    _ = s.coalesce(); // coalesce
    _ = s.is_coalesced(); // is_coalesced
    _ = s.indices(); // indices
    _ = s.values(); // values
    _ = s.raw_indices(); // _indices
    _ = s.raw_values(); // _values
    _ = s.nnz(); // _nnz
    _ = s.sparse_dim(); // sparse_dim
    _ = s.dense_dim(); // dense_dim
    _ = s.mm(&x.t()); // mm
    _ = s.mv(&v); // mv
    _ = s.add(&s)?; // add
    _ = x.add_sparse(&s, 1)?; // add
    _ = s.mul(&s)?; // mul
    _ = s.scale(2)?; // mul
    _ = s.div(2)?; // div
    Ok(())
}
