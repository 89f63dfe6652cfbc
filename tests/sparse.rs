//! Sparse tensors: how they are made, what is refused, and what PyTorch gave for what is computed with them.

use latten::prelude::*;
use latten::{Coalesced, RawSparse, Result, Scalar, SparseTensor};

fn example() -> Result<SparseTensor<f32>> {
    SparseTensor::new(&Tensor::from([[1_i64, 0, 1], [0, 1, 0]]), &Tensor::from([1.0_f32, 2.0, 3.0]), [2, 3])
}

#[test]
fn coordinates_and_values_make_a_tensor() -> Result<()> {
    let sparse = example()?;
    assert_eq!((sparse.nnz(), sparse.sparse_dim(), sparse.dense_dim(), sparse.numel()), (3, 2, 0, 6));
    assert!(!sparse.is_coalesced());
    assert_eq!(sparse.to_dense().to_vec(), [0.0, 2.0, 0.0, 4.0, 0.0, 0.0]);
    let coalesced = sparse.coalesce();
    let (indices, values): (Tensor<i64, Rank<2>>, Tensor<f32>) = (coalesced.indices(), coalesced.values());
    assert_eq!((indices.to_vec(), values.to_vec()), (vec![0, 1, 1, 0], vec![2.0, 4.0]));
    assert_eq!(
        coalesced.to_string(),
        "tensor(indices=tensor([[0, 1],\n                       [1, 0]]),\n       values=tensor([2., 4.]),\n       size=(2, 3), nnz=2, \
         layout=torch.sparse_coo)"
    );
    let inferred = SparseTensor::inferred(&Tensor::from([[4_i64, 2]]), &Tensor::from([[1_u8, 2], [3, 4]]))?;
    assert_eq!((inferred.sizes(), inferred.dense_dim()), (&[5, 2][..], 1));
    let again = Tensor::from([[0, 1, 0], [2, 0, 0]]).to_sparse();
    assert_eq!((again.is_coalesced(), again.values().to_vec(), again.indices().to_vec()), (true, vec![1, 2], vec![0, 1, 1, 0]));
    let hybrid = Tensor::from([[0, 0], [3, 0], [0, 4]]).to_sparse_dims(1)?;
    assert_eq!((hybrid.raw_indices().to_vec(), hybrid.raw_values().to_vec()), (vec![1, 2], vec![3, 0, 0, 4]));
    Ok(())
}

/// Indices, how many values, sizes, and PyTorch's message.
type Refusal = (&'static [&'static [i64]], usize, &'static [isize], &'static str);

#[test]
fn parts_that_do_not_fit_are_refused() -> Result<()> {
    let rows: [Refusal; 7] = [
        (&[&[0, 1], &[0, 5]], 2, &[2, 3], "size is inconsistent with indices: for dim 1, size is 3 but found index 5"),
        (&[&[0, -1], &[0, 1]], 2, &[2, 3], "found negative index -1 for dim 0"),
        (&[&[0, 1], &[0, 1]], 3, &[2, 3], "indices and values must have same nnz, but got nnz from indices: 2, nnz from values: 3"),
        (
            &[&[0, 1], &[0, 1]],
            2,
            &[2],
            "'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = 1, sparse_dim = 2, dense_dim = 0",
        ),
        (&[&[0, 9], &[0, 1]], 3, &[2, 3], "size is inconsistent with indices: for dim 0, size is 2 but found index 9"),
        (&[&[0, 1], &[7, -1]], 2, &[2, 3], "found negative index -1 for dim 1"),
        (&[&[0, 1]], 2, &[-4], "size is inconsistent with indices: for dim 0, size is -4 but found index 1"),
    ];
    for (indices, count, sizes, message) in rows {
        let columns = indices[0].len();
        let indices = DynTensor::from_scalars(
            &indices.concat().into_iter().map(Scalar::Int).collect::<Vec<_>>(),
            [indices.len(), columns],
            DType::I64,
        )?;
        let values = DynTensor::ones([count], DType::F32)?;
        let refused = RawSparse::new(indices.raw(), values.raw(), Some(sizes), Coalesced::Unknown).map(drop).expect_err("it is refused");
        assert_eq!(refused.message(), message);
    }
    let descending = SparseTensor::new_with(&Tensor::from([[1_i64, 0]]), &Tensor::from([1, 2]), [2], Coalesced::Yes).map(drop);
    assert!(descending.is_err_and(|error| error.message().starts_with("cannot set is_coalesced to true")));
    let uncoalesced = example()?.try_values().map(drop).expect_err("it is refused");
    assert_eq!(uncoalesced.message(), "Cannot get values on an uncoalesced tensor, please call .coalesce() first");
    Ok(())
}

#[test]
fn arithmetic_gives_what_pytorch_gave() -> Result<()> {
    let (u, halves) = (example()?, example()?.coalesce().div(2)?.typed::<f32>()?);
    let whole: SparseTensor<i32> = u.to();
    let sum: SparseTensor<f32> = whole.add(&halves)?;
    assert_eq!(sum.to_dense().to_vec(), [0.0, 3.0, 0.0, 6.0, 0.0, 0.0]);
    assert_eq!(u.mul(&halves)?.raw_values().to_vec(), [2.0, 2.0, 6.0]);
    assert_eq!(whole.scale(2.5)?.to_dense().to_scalars()?[3], Scalar::Float(10.0));
    let dense = Tensor::from([[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let added: Tensor<f32, shape![2, 3]> = dense.add_sparse(&u, 1)?;
    assert_eq!(added.to_vec(), [1.0, 4.0, 3.0, 8.0, 5.0, 6.0]);
    let mut changed = dense.clone();
    changed.add_sparse_(&u, -1)?;
    assert_eq!(changed.to_vec(), [1.0, 0.0, 3.0, 0.0, 5.0, 6.0]);
    assert_eq!(u.mm(&dense.t()).to_vec(), [4.0, 10.0, 4.0, 16.0]);
    assert_eq!(u.mv(&Tensor::from([1.0_f32, 2.0, 3.0])).to_vec(), [4.0, 4.0]);
    assert_eq!(u.t().coalesce().indices().to_vec(), [0, 1, 1, 0]);
    assert_eq!((u.neg().sum().item(), u.abs().nnz()), (-6.0, 2));
    let refused = u.add(&u.t()).map(drop).expect_err("it is refused");
    assert_eq!(refused.message(), "add: expected sizes of 'self' and 'other' to match, but [2, 3] != [3, 2]");
    Ok(())
}
