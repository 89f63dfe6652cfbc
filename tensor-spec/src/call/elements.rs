//! Elements chosen, placed and ordered by other tensors; and sparse tensors, whose calls share names with those of dense ones.

use super::{Declared, declared};

pub(super) static ROWS: &[Declared] = declared! {
    TakeAlongDim "take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor" => to as_computed(to, take_along_dim(to, input, indices, dim)?),
        grad parts;
    Gather "gather(Tensor self, int dim, Tensor index) -> Tensor"
        => to indexing::gather(input, dim, index, to),
        grad GatherBackward0 { input: added_at(g, known(input), dim, index) };
    Take "take(Tensor self, Tensor index) -> Tensor" => to indexing::take(input, index, to),
        grad TakeBackward0 { input: added_flat(g, known(input), index) };
    IndexSelect "index_select(Tensor self, int dim, Tensor index) -> Tensor" => to indexing::index_select(input, dim, index, to),
        grad IndexSelectBackward0 { input: added_rows(g, known(input), dim, index) };
    Embedding "embedding(Tensor input, Tensor weight, int? padding_idx=None, float? max_norm=None, float norm_type=2.0, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor" [scale_grad_by_freq sparse]
        => new bags::embedding(input, weight, padding_idx, max_norm.map(|most| (most, norm_type))), of I32 | I64,
        grad EmbeddingBackward0 { weight: of_embedding(g, known(weight), input, padding_idx, scale_grad_by_freq) };
    RepeatInterleaveBy "repeat_interleave(Tensor self, Tensor repeats, int? dim=None, *, int? output_size=None) -> Tensor"
        => new turned::repeated(indexing::repeat_interleave_by(input, repeats, dim)?, dim, output_size, |_, _| "allocated size does not match required size".to_owned()), on cpu | cuda,
        grad IndexSelectBackward0 { input: of_interleaved(g, known(input), repeats, dim) };
    RepeatInterleave "repeat_interleave(Tensor self, int repeats, int? dim=None, *, int? output_size=None) -> Tensor"
        => new turned::repeated(indexing::repeat_interleave(input, repeats, dim)?, dim, output_size, |own, asked| format!("repeat_interleave: Invalid output_size, expected {own} but got {asked}")),
        grad ViewBackward0 { input: of_interleaved_alike(g, known(input), repeats, dim) };
    MaskedSelect "masked_select(Tensor self, Tensor mask) -> Tensor" => to indexing::masked_select(input, mask, to), on cpu | cuda,
        grad MaskedSelectBackward0 { input: of_selected(g, known(input), mask) };
    MaskedFill "masked_fill(Tensor self, Tensor mask, Tensor|Scalar value) -> Tensor" => new indexing::masked_fill(input, mask, value),
        in_place indexing::masked_fill_in_place(input, mask, value),
        grad MaskedFillBackward0 { name: number_or_tensor(value, ["MaskedFillBackward0", "MaskedFillBackward1"]), input: unmasked(g, mask), value: masked(g, mask) };
    Nonzero "nonzero(Tensor self) -> Tensor" => to indexing::nonzero(input, to), on cpu | cuda,
        grad none;
    NonzeroAs "nonzero(Tensor self, *, bool as_tuple) -> Tensor[]" => new turned::nonzero_as(input, as_tuple), on cpu | cuda,
        grad none;
    NonzeroStatic "nonzero_static(Tensor self, *, int size, int fill_value=-1) -> Tensor" => to as_computed(to, bits::nonzero_static(input, size, fill_value)?), on cpu | cuda,
        grad none;
    Argwhere "argwhere(Tensor self) -> Tensor" => new indexing::nonzero(input, Target::New), on cpu | cuda,
        grad none;
    Index "index(Tensor self, Tensor?[] indices) -> Tensor" => new indexing::index(input, indices),
        grad IndexBackward0 { input: added_by(g, known(input), indices) };
    IndexPut "index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor"
        => new on_copy(input, |copy| indexing::index_put_in_place(copy, indices, values, accumulate)),
        in_place indexing::index_put_in_place(input, indices, values, accumulate),
        grad IndexPutBackward0 { input: if accumulate { Ok(g.clone()) } else { but_at(g, indices) }, values: read(g, indices) };
    IndexAdd "index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor"
        => any as_computed(to, index_add(to, input, dim, index, source, alpha)?), of bool | numbers,
        grad IndexAddBackward0 { input: g, source: scaled(&rows_at(g, dim, index)?, alpha) };
    IndexFill "index_fill(Tensor self, int dim, Tensor index, Tensor|Scalar value) -> Tensor"
        => new on_copy(input, |copy| index_fill_in_place(copy, dim, index, value)), in_place index_fill_in_place(input, dim, index, value),
        grad IndexFillBackward0 { name: number_or_tensor(value, ["IndexFillBackward0", "IndexFillBackward1"]), input: but_rows(g, dim, index), value: filled_rows(g, dim, index) };
    Scatter "scatter(Tensor self, int dim, Tensor index, Tensor src) -> Tensor"
        => any indexing::scatter(input, dim, index, src.into(), (ScatterReduce::Replace, IncludeSelf::Yes), to),
        grad ScatterBackward0 { input: but_along(g, dim, index), src: gathered(g, dim, index, known(src)) };
    ScatterBy "scatter(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor"
        => any placing::scatter_by(to, input, dim, index, src.into(), (ScatterReduce::of_scatter(reduce), IncludeSelf::Yes)), of bool | numbers,
        grad Reached("derivative for aten::scatter is not implemented");
    ScatterValue "scatter(Tensor self, int dim, Tensor index, Scalar value) -> Tensor"
        => any indexing::scatter(input, dim, index, RawOperand::Scalar(value), (ScatterReduce::Replace, IncludeSelf::Yes), to),
        grad ScatterBackward1 { input: but_along(g, dim, index) };
    ScatterValueBy "scatter(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor"
        => any placing::scatter_by(to, input, dim, index, RawOperand::Scalar(value), (ScatterReduce::of_scatter(reduce), IncludeSelf::Yes)), of bool | numbers,
        grad Reached("derivative for aten::scatter is not implemented");
    ScatterAdd "scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor"
        => any indexing::scatter(input, dim, index, src.into(), (ScatterReduce::Sum, IncludeSelf::Yes), to), of bool | numbers,
        grad ScatterAddBackward0 { input: g, src: gathered(g, dim, index, known(src)) };
    ScatterReduce "scatter_reduce(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor"
        => any placing::scatter_by(to, input, dim, index, src.into(), (ScatterReduce::parse(reduce), include_self)), of bool | numbers,
        grad ScatterReduceBackward0 { input: Reduced { g, input, dim, index, source: src, result, reduce, own_counts: include_self }.of_input(), src: Reduced { g, input, dim, index, source: src, result, reduce, own_counts: include_self }.of_source() };
    SortStable "sort(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)" [stable Sort]
        => both indexing::sort(input, dim, descending, to), of reals,
        grad SortBackward1 { input: picked(g, known(input), dim, true, second) };
    Sort "sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)" => both indexing::sort(input, dim, descending, to), of reals,
        grad SortBackward0 { input: picked(g, known(input), dim, true, second) };
    ArgsortStable "argsort(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor" [stable]
        => to indexing::argsort(input, dim, descending, to), of reals,
        grad none;
    Argsort "argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor" => new indexing::argsort(input, dim, descending, Target::New), of reals,
        grad none;
    Topk "topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)" [sorted]
        => both indexing::topk(input, k, dim, largest, to), of integers | floats,
        grad TopkBackward0 { input: picked(g, known(input), dim, true, second) };
    Unique "unique(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)" [sorted]
        => new distinct(input, dim, return_inverse, return_counts), of reals, on cpu | cuda,
        grad Reached("the derivative for '_unique2' is not implemented.");
    UniqueConsecutive "unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)"
        => new distinct_neighbours(input, dim, return_inverse, return_counts), of reals, on cpu | cuda,
        grad Reached("the derivative for '_unique2' is not implemented.");
    Tril "tril(Tensor self, int diagonal=0) -> Tensor" => any indexing::triangle(input, Half::Lower, diagonal, to),
        grad TrilBackward0 { input: half(Function::Tril, g, diagonal) };
    Triu "triu(Tensor self, int diagonal=0) -> Tensor" => any indexing::triangle(input, Half::Upper, diagonal, to),
        grad TriuBackward0 { input: half(Function::Triu, g, diagonal) };
    Diag "diag(Tensor self, int diagonal=0) -> Tensor" => to indexing::diag(input, diagonal, to),
        grad DiagEmbedBackward0 { name: diag_node(input), input: of_diag(g, known(input), diagonal) };
    Pad "pad(Tensor self, int[] pad, str mode='constant', Scalar? value=None) -> Tensor" [function]
        => new indexing::pad(input, pad, Padding::parse(mode, value)?),
        grad ConstantPadNdBackward0 { name: pad_node(pad, mode), input: of_pad(g, known(input), pad, mode) };
    OneHot "one_hot(Tensor self, int num_classes=-1) -> Tensor" [function]
        => new indexing::one_hot(input, Some(num_classes).filter(|&classes| classes != -1)), on cpu | cuda,
        grad none;

    SparseCooTensor "sparse_coo_tensor(Tensor indices, Tensor values, int[]? size=None, *, bool? check_invariants=None, bool? is_coalesced=None) -> SparseTensor" [check_invariants]
        => new of_parts(indices, values, size, if is_coalesced == Some(true) { Coalesced::Yes } else { Coalesced::Unknown }),
        grad parts;
    ToSparse "to_sparse(Tensor self, int? sparse_dim=None) -> SparseTensor" [method] => new RawSparse::from_dense(input, sparse_dim), on cpu | cuda,
        grad parts;
    ToDense "to_dense(SparseTensor self) -> Tensor" [method] => new input.to_dense(),
        grad parts;
    ToDenseDense "to_dense(Tensor self) -> Tensor" [method] => new input.clone(),
        grad none;
    Coalesce "coalesce(SparseTensor self) -> SparseTensor" [method] => new input.coalesce(), on cpu | cuda,
        grad parts;
    IsCoalesced "is_coalesced(SparseTensor self) -> bool" [method] => new input.is_coalesced();
    Indices "indices(SparseTensor self) -> Tensor" [method] => new input.indices().cloned(), on cpu | cuda,
        grad none;
    Values "values(SparseTensor self) -> Tensor" [method] => new input.values().cloned(), on cpu | cuda,
        grad parts;
    CoalesceDense "coalesce(Tensor self) -> SparseTensor" [method] => new expected_sparse(input, "coalesce expected sparse coordinate"), on cpu | cuda,
        grad none;
    IsCoalescedDense "is_coalesced(Tensor self) -> bool" [method] => new expected_sparse(input, "is_coalesced expected sparse coordinate"),
        grad none;
    IndicesDense "indices(Tensor self) -> Tensor" [method] => new expected_sparse(input, "indices expected sparse coordinate"), on cpu | cuda,
        grad none;
    ValuesDense "values(Tensor self) -> Tensor" [method] => new expected_sparse(input, "values expected sparse"), on cpu | cuda,
        grad none;
    RawIndices "_indices(SparseTensor self) -> Tensor" [method] => new input.raw_indices().clone(),
        grad none;
    RawValues "_values(SparseTensor self) -> Tensor" [method] => new input.raw_values().detach(),
        grad none;
    Nnz "_nnz(SparseTensor self) -> int" [method] => new input.nnz();
    SparseDim "sparse_dim(SparseTensor self) -> int" [method] => new input.sparse_dim();
    SparseDimOfDense "sparse_dim(Tensor self) -> int" [method] => new none_sparse(input);
    DenseDim "dense_dim(SparseTensor self) -> int" [method] => new input.dense_dim();
    DenseDimOfDense "dense_dim(Tensor self) -> int" [method] => new input.rank();
    SparseSize "size(SparseTensor self) -> int[]" [method] => new Outcome::ints(input.sizes());
    SparseRank "dim(SparseTensor self) -> int" [method] => new input.sizes().len();
    SparseNumel "numel(SparseTensor self) -> int" => new input.sizes().iter().product::<usize>();
    SparseTo "to(SparseTensor self, ScalarType dtype) -> SparseTensor" [method] => new input.to_dtype(dtype),
        grad parts;
    SparseClone "clone(SparseTensor self) -> SparseTensor" => new input.copied(),
        grad parts;
    SparseNeg "neg(SparseTensor self) -> SparseTensor" => new input.neg(), of numbers,
        grad parts;
    SparseAbs "abs(SparseTensor self) -> SparseTensor" => new input.abs(), of numbers,
        grad parts;
    SparseSum "sum(SparseTensor self) -> Tensor" => new input.sum(), of bool | numbers,
        grad parts;
    SparseT "t(SparseTensor self) -> SparseTensor" => new input.t(),
        grad parts;
    SparseTranspose "transpose(SparseTensor self, int dim0, int dim1) -> SparseTensor" => new input.transpose(dim0, dim1),
        grad parts;
    SparseMm "mm(SparseTensor self, Tensor mat2) -> Tensor" => new input.mm(mat2), of numbers,
        grad parts;
    SparseMv "mv(SparseTensor self, Tensor vec) -> Tensor" => new input.mv(vec), of numbers,
        grad parts;
    SparseMatmul "matmul(SparseTensor self, Tensor other) -> Tensor" => new if other.rank() == 2 { input.mm(other) } else { input.mv(other) }, of numbers,
        grad parts;
    SparseAdd "add(SparseTensor self, SparseTensor other, *, Scalar alpha=1) -> SparseTensor" => new input.add(other, alpha), of bool | numbers,
        grad parts;
    DenseAddSparse "add(Tensor self, SparseTensor other, *, Scalar alpha=1) -> Tensor" => new other.add_to_dense(input, alpha),
        in_place other.add_to_dense_in_place(input, alpha), of bool | numbers,
        grad parts;
    SparseSub "sub(SparseTensor self, SparseTensor other, *, Scalar alpha=1) -> SparseTensor" => new input.add(other, negative(alpha)?), of numbers,
        grad parts;
    SparseMul "mul(SparseTensor self, SparseTensor other) -> SparseTensor" => new input.mul(other), of bool | numbers,
        grad parts;
    SparseScale "mul(SparseTensor self, Scalar other) -> SparseTensor" => new input.scale(Op::Mul, RawOperand::Scalar(other)), of bool | numbers,
        grad parts;
    SparseMulDense "mul(SparseTensor self, Tensor other) -> SparseTensor" => new sparse_times(input, other), of bool | numbers,
        grad parts;
    DenseMulSparse "mul(Tensor self, SparseTensor other) -> SparseTensor" => new sparse_times(other, input), of bool | numbers,
        grad parts;
    SparseDiv "div(SparseTensor self, Tensor|Scalar other) -> SparseTensor" => new input.scale(Op::Div, other), of bool | numbers | unsigned,
        grad parts;
};
