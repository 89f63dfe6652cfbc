//! Elements chosen, placed and ordered by other tensors; and sparse tensors, whose calls share names with those of dense ones.

use super::{Declared, declared};

pub(super) const ROWS: &[Declared] = declared! {
    Gather "gather(Tensor self, int dim, Tensor index) -> Tensor"
        => to indexing::gather(input, dim, index, to);
    Take "take(Tensor self, Tensor index) -> Tensor" => to indexing::take(input, index, to);
    IndexSelect "index_select(Tensor self, int dim, Tensor index) -> Tensor" => to indexing::index_select(input, dim, index, to);
    Embedding "embedding(Tensor input, Tensor weight, int? padding_idx=None) -> Tensor" => new indexing::embedding(input, weight, padding_idx);
    RepeatInterleaveBy "repeat_interleave(Tensor self, Tensor repeats, int? dim=None) -> Tensor" => new indexing::repeat_interleave_by(input, repeats, dim);
    RepeatInterleave "repeat_interleave(Tensor self, int repeats, int? dim=None) -> Tensor" => new indexing::repeat_interleave(input, repeats, dim);
    MaskedSelect "masked_select(Tensor self, Tensor mask) -> Tensor" => to indexing::masked_select(input, mask, to);
    MaskedFill "masked_fill(Tensor self, Tensor mask, Tensor|Scalar value) -> Tensor" => new indexing::masked_fill(input, mask, value),
        in_place indexing::masked_fill_in_place(input, mask, value);
    Nonzero "nonzero(Tensor self) -> Tensor" => to indexing::nonzero(input, to);
    Argwhere "argwhere(Tensor self) -> Tensor" => new indexing::nonzero(input, To::New);
    Index "index(Tensor self, Tensor?[] indices) -> Tensor" => new indexing::index(input, indices);
    IndexPut "index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor"
        => new on_copy(input, |copy| indexing::index_put_in_place(copy, indices, values, accumulate)),
        in_place indexing::index_put_in_place(input, indices, values, accumulate);
    IndexAdd "index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor"
        => new on_copy(input, |copy| index_add_in_place(copy, dim, index, source, alpha)), in_place index_add_in_place(input, dim, index, source, alpha);
    IndexFill "index_fill(Tensor self, int dim, Tensor index, Tensor|Scalar value) -> Tensor"
        => new on_copy(input, |copy| index_fill_in_place(copy, dim, index, value)), in_place index_fill_in_place(input, dim, index, value);
    Scatter "scatter(Tensor self, int dim, Tensor index, Tensor src) -> Tensor"
        => any indexing::scatter(input, dim, index, src.into(), (Combine::Replace, Own::Counts), to);
    ScatterValue "scatter(Tensor self, int dim, Tensor index, Scalar value) -> Tensor"
        => any indexing::scatter(input, dim, index, Operand::Scalar(value), (Combine::Replace, Own::Counts), to);
    ScatterAdd "scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor"
        => any indexing::scatter(input, dim, index, src.into(), (Combine::Sum, Own::Counts), to);
    ScatterReduce "scatter_reduce(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor"
        => any indexing::scatter(input, dim, index, src.into(), (Combine::parse(reduce)?, include_self), to);
    SortStable "sort(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)" [stable Sort]
        => both indexing::sort(input, dim, descending, to);
    Sort "sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)" => both indexing::sort(input, dim, descending, to);
    ArgsortStable "argsort(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor" [stable]
        => to indexing::argsort(input, dim, descending, to);
    Argsort "argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor" => new indexing::argsort(input, dim, descending, To::New);
    Topk "topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)" [sorted]
        => both indexing::topk(input, k, dim, largest, to);
    Unique "unique(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)" [sorted]
        => new distinct(unique(input, dim)?, return_inverse, return_counts);
    UniqueConsecutive "unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)"
        => new distinct(indexing::unique_consecutive(input)?, return_inverse, return_counts);
    Tril "tril(Tensor self, int diagonal=0) -> Tensor" => any indexing::triangle(input, Half::Lower, diagonal, to);
    Triu "triu(Tensor self, int diagonal=0) -> Tensor" => any indexing::triangle(input, Half::Upper, diagonal, to);
    Diag "diag(Tensor self, int diagonal=0) -> Tensor" => to indexing::diag(input, diagonal, to);
    Pad "pad(Tensor self, int[] pad, str mode='constant', Scalar? value=None) -> Tensor" [function]
        => new indexing::pad(input, pad, Padding::parse(mode, value)?);
    OneHot "one_hot(Tensor self, int num_classes=-1) -> Tensor" [function]
        => new indexing::one_hot(input, Some(num_classes).filter(|&classes| classes != -1));

    SparseCooTensor "sparse_coo_tensor(Tensor indices, Tensor values, int[]? size=None, *, bool? check_invariants=None, bool? is_coalesced=None) -> SparseTensor" [check_invariants]
        => new RawSparse::new(indices, values, size, if is_coalesced == Some(true) { Coalesced::Yes } else { Coalesced::Unknown });
    ToSparse "to_sparse(Tensor self, int? sparse_dim=None) -> SparseTensor" [method] => new RawSparse::from_dense(input, sparse_dim);
    ToDense "to_dense(SparseTensor self) -> Tensor" [method] => new input.to_dense();
    Coalesce "coalesce(SparseTensor self) -> SparseTensor" [method] => new input.coalesce();
    IsCoalesced "is_coalesced(SparseTensor self) -> bool" [method] => new input.is_coalesced();
    Indices "indices(SparseTensor self) -> Tensor" [method] => new input.indices().cloned();
    Values "values(SparseTensor self) -> Tensor" [method] => new input.values().cloned();
    CoalesceDense "coalesce(Tensor self) -> SparseTensor" [method] => new expected_sparse(input, "coalesce expected sparse coordinate");
    IsCoalescedDense "is_coalesced(Tensor self) -> bool" [method] => new expected_sparse(input, "is_coalesced expected sparse coordinate");
    IndicesDense "indices(Tensor self) -> Tensor" [method] => new expected_sparse(input, "indices expected sparse coordinate");
    ValuesDense "values(Tensor self) -> Tensor" [method] => new expected_sparse(input, "values expected sparse");
    RawIndices "_indices(SparseTensor self) -> Tensor" [method] => new input.raw_indices().clone();
    RawValues "_values(SparseTensor self) -> Tensor" [method] => new input.raw_values().clone();
    Nnz "_nnz(SparseTensor self) -> int" [method] => new input.nnz();
    SparseDim "sparse_dim(SparseTensor self) -> int" [method] => new input.sparse_dim();
    SparseDimOfDense "sparse_dim(Tensor self) -> int" [method] => new none_sparse(input);
    DenseDim "dense_dim(SparseTensor self) -> int" [method] => new input.dense_dim();
    DenseDimOfDense "dense_dim(Tensor self) -> int" [method] => new input.rank();
    SparseSize "size(SparseTensor self) -> int[]" [method] => new Outcome::ints(input.sizes());
    SparseRank "dim(SparseTensor self) -> int" [method] => new input.sizes().len();
    SparseNumel "numel(SparseTensor self) -> int" => new input.sizes().iter().product::<usize>();
    SparseTo "to(SparseTensor self, ScalarType dtype) -> SparseTensor" [method] => new input.to_dtype(dtype);
    SparseClone "clone(SparseTensor self) -> SparseTensor" => new input.copied();
    SparseNeg "neg(SparseTensor self) -> SparseTensor" => new input.neg();
    SparseAbs "abs(SparseTensor self) -> SparseTensor" => new input.abs();
    SparseSum "sum(SparseTensor self) -> Tensor" => new input.sum();
    SparseT "t(SparseTensor self) -> SparseTensor" => new input.t();
    SparseTranspose "transpose(SparseTensor self, int dim0, int dim1) -> SparseTensor" => new input.transpose(dim0, dim1);
    SparseMm "mm(SparseTensor self, Tensor mat2) -> Tensor" => new input.mm(mat2);
    SparseMv "mv(SparseTensor self, Tensor vec) -> Tensor" => new input.mv(vec);
    SparseMatmul "matmul(SparseTensor self, Tensor other) -> Tensor" => new if other.rank() == 2 { input.mm(other) } else { input.mv(other) };
    SparseAdd "add(SparseTensor self, SparseTensor other, *, Scalar alpha=1) -> SparseTensor" => new input.add(other, alpha);
    DenseAddSparse "add(Tensor self, SparseTensor other, *, Scalar alpha=1) -> Tensor" => new other.add_to_dense(input, alpha),
        in_place other.add_to_dense_in_place(input, alpha);
    SparseSub "sub(SparseTensor self, SparseTensor other, *, Scalar alpha=1) -> SparseTensor" => new input.add(other, negative(alpha)?);
    SparseMul "mul(SparseTensor self, SparseTensor other) -> SparseTensor" => new input.mul(other);
    SparseScale "mul(SparseTensor self, Scalar other) -> SparseTensor" => new input.scale(Op::Mul, Operand::Scalar(other));
    SparseMulDense "mul(SparseTensor self, Tensor other) -> SparseTensor" => new sparse_times(input, other);
    DenseMulSparse "mul(Tensor self, SparseTensor other) -> SparseTensor" => new sparse_times(other, input);
    SparseDiv "div(SparseTensor self, Tensor|Scalar other) -> SparseTensor" => new input.scale(Op::Div, other);
};
