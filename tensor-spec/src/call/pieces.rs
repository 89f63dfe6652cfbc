//! Views that are copied, tensors that are put into parts of others or by masks and places, and grids and products of several tensors.

use super::{Declared, declared};

pub(super) static ROWS: &[Declared] = declared! {
    UpperT "T(Tensor self) -> Tensor" [method] => new input.reverse_dims(),
        grad PermuteBackward0 { input: permuted(g, &(0..g.rank()).rev().collect::<Vec<_>>()) };
    UpperH "H(Tensor self) -> Tensor" [method] => new copies::conjugate_transpose(input, "H"), grad parts;
    MH "mH(Tensor self) -> Tensor" [method] => new copies::conjugate_transpose(input, "mH"), grad parts;
    Adjoint "adjoint(Tensor self) -> Tensor" => new copies::conjugate_transpose(input, "adjoint()"), grad parts;
    LinalgDiagonal "linalg.diagonal(Tensor self, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor" [function] => new input.diagonal(offset, dim1, dim2),
        grad DiagonalBackward0 { input: placed(g, known(input), |whole| whole.diagonal(offset, dim1, dim2)) };
    SumToSize "sum_to_size(Tensor self, int[] size) -> Tensor" [method] => new copies::sum_to_size(input, size), of bool | numbers, grad parts;
    UnsafeChunk "unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]" => new input.chunk(chunks, dim),
        grad UnsafeSplitBackward0 { input: rejoined(backward, dim) };
    UnsafeSplit "unsafe_split(Tensor self, int split_size, int dim=0) -> Tensor[]" => new input.split(split_size, dim),
        grad UnsafeSplitBackward0 { input: rejoined(backward, dim) };
    ResolveConj "resolve_conj(Tensor self) -> Tensor" => new input.clone(), grad AliasBackward0 { input: g };
    ResolveNeg "resolve_neg(Tensor self) -> Tensor" => new input.clone(), grad AliasBackward0 { input: g };
    Chalf "chalf(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor" [method] => new converted(input, (Some(DType::C32), None), Copying::default(), memory_format),
        grad ToCopyBackward0 { input: g };

    AliasCopy "alias_copy(Tensor self) -> Tensor" [function] => to as_computed(to, copies::cloned(to, input)?), grad parts as AliasBackward0_copy;
    DetachCopy "detach_copy(Tensor self) -> Tensor" [function] => to as_computed(to, copies::cloned(to, input)?), grad none;
    AsStridedCopy "as_strided_copy(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> Tensor" [function]
        => to as_computed(to, copies::of(to, input, Function::AsStrided, &[size.into(), stride.into(), storage_offset.into()])?), grad parts as AsStridedBackward0_copy;
    DiagonalCopy "diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor" [function]
        => to as_computed(to, copies::of(to, input, Function::Diagonal, &[offset.into(), dim1.into(), dim2.into()])?), grad parts as DiagonalBackward0_copy;
    ExpandCopy "expand_copy(Tensor self, int[] size) -> Tensor" [function] => to as_computed(to, copies::of(to, input, Function::Expand, &[size.into()])?), grad parts as ExpandBackward0_copy;
    NarrowCopy "narrow_copy(Tensor self, int dim, int start, int length) -> Tensor" => to copies::narrowed(to, input, dim, start, length), grad parts as NarrowCopyBackward0;
    PermuteCopy "permute_copy(Tensor self, int[] dims) -> Tensor" [function] => to as_computed(to, copies::of(to, input, Function::Permute, &[dims.into()])?), grad parts as PermuteBackward0_copy;
    SelectCopy "select_copy(Tensor self, int dim, int index) -> Tensor" [function]
        => to as_computed(to, copies::of(to, input, Function::Select, &[dim.into(), index.into()])?), grad parts as SelectBackward0_copy;
    SliceCopy "slice_copy(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor" [function]
        => to as_computed(to, copies::of(to, input, Function::Slice, &copies::slice(input, dim, [start, end], step)?)?), grad parts as SliceBackward0_copy;
    SqueezeCopy "squeeze_copy(Tensor self) -> Tensor" [function] => to as_computed(to, copies::of(to, input, Function::Squeeze, &[])?), grad parts as SqueezeBackward0_copy;
    SqueezeDimCopy "squeeze_copy(Tensor self, int dim) -> Tensor" [function] => to as_computed(to, copies::of(to, input, Function::SqueezeDim, &[dim.into()])?), grad parts as SqueezeBackward1_copy;
    SqueezeDimsCopy "squeeze_copy(Tensor self, int[] dim) -> Tensor" [function] => to as_computed(to, copies::of(to, input, Function::SqueezeDims, &[dim.into()])?), grad parts as SqueezeBackward2_copy;
    TCopy "t_copy(Tensor self) -> Tensor" [function] => to as_computed(to, copies::of(to, input, Function::T, &[])?), grad parts as TBackward0_copy;
    TransposeCopy "transpose_copy(Tensor self, int dim0, int dim1) -> Tensor" [function]
        => to as_computed(to, copies::of(to, input, Function::Transpose, &[dim0.into(), dim1.into()])?), grad parts as TransposeBackward0_copy;
    UnfoldCopy "unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor" [function]
        => to as_computed(to, copies::of(to, input, Function::Unfold, &[dimension.into(), size.into(), step.into()])?), grad parts as UnfoldBackward0_copy;
    UnsqueezeCopy "unsqueeze_copy(Tensor self, int dim) -> Tensor" [function] => to as_computed(to, copies::of(to, input, Function::Unsqueeze, &[dim.into()])?), grad parts as UnsqueezeBackward0_copy;
    ViewCopy "view_copy(Tensor self, int[] size) -> Tensor" [function] => to as_computed(to, copies::of(to, input, Function::Reshape, &[size.into()])?), grad parts as ViewBackward0_copy;
    ViewDTypeCopy "view_copy(Tensor self, ScalarType dtype) -> Tensor" [function] => to as_computed(to, copies::of(to, input, Function::ViewDType, &[dtype.into()])?), of precise | I32 | I64 | C32 | U32 | U64, grad none;
    SplitWithSizesCopy "split_with_sizes_copy(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]" [function]
        => new copies::each_of(input, Function::SplitWithSizes, &[split_sizes.into(), dim.into()]), grad parts as SplitWithSizesBackward0_copy;
    SplitCopy "split_copy(Tensor self, int split_size, int dim=0) -> Tensor[]" [function]
        => new copies::each_of(input, Function::Split, &[split_size.into(), dim.into()]), grad parts as SplitBackward0_copy;
    UnbindCopy "unbind_copy(Tensor self, int dim=0) -> Tensor[]" [function] => new copies::each_of(input, Function::Unbind, &[dim.into()]), grad parts as UnbindBackward0_copy;

    SelectScatter "select_scatter(Tensor self, Tensor src, int dim, int index) -> Tensor"
        => new copies::with_part(input, src, Function::Select, &[dim.into(), index.into()]), grad parts;
    SliceScatter "slice_scatter(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor"
        => new copies::with_part(input, src, Function::Slice, &copies::slice(input, dim, [start, end], step)?), grad parts;
    DiagonalScatter "diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor"
        => new copies::with_part(input, src, Function::Diagonal, &[offset.into(), dim1.into(), dim2.into()]), grad parts;
    DiagEmbed "diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor" => new copies::diag_embed(input, offset, dim1, dim2), grad parts;
    FillDiagonal "fill_diagonal_(Tensor self, Scalar fill_value, bool wrap=False) -> Tensor" [method] => in_place copies::fill_diagonal(input, fill_value, wrap), grad parts;
    Diagflat "diagflat(Tensor self, int offset=0) -> Tensor" => new copies::diagflat(input, offset), grad parts;
    ConstantPadNd "constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor" [function]
        => new copies::constant_pad_nd(input, pad, value),
        grad ConstantPadNdBackward0 { input: of_pad(g, known(input), pad, "constant") };

    ChunkCat "_chunk_cat(Tensor[] tensors, int dim, int num_chunks) -> Tensor" [function]
        => to copies::chunk_cat_to(to, copies::chunk_cat(to, tensors, dim, num_chunks)?), grad Reached("derivative for aten::_chunk_cat is not implemented");
    UnsafeMaskedIndex "_unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor" [function]
        => new placing::masked_index(input, mask, indices, fill), grad parts as UnsafeMaskedIndexBackward0;
    UnsafeMaskedIndexPutAccumulate "_unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> Tensor" [function]
        => new placing::masked_index_put(input, mask, indices, values), of bool | numbers, grad parts as UnsafeMaskedIndexPutAccumulateBackward0;
    NativeDropoutBackward "native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor" [function]
        => new placing::kept_gradient(grad_output, mask, scale), of bool | numbers | unsigned, grad parts;
    MaskedScatter "masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor"
        => new placing::masked_scatter(input, mask, source), in_place in_place_of(input, &placing::masked_scatter(input, &mask.expand_as(input)?, source)?), of bool | numbers,
        grad parts as MaskedScatterBackward0;
    Put "put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor"
        => new on_copy(input, |copy| placing::put_in_place(copy, index, source, accumulate)), in_place placing::put_in_place(input, index, source, accumulate),
        grad PutBackward0 { input: but_flat(g, index, accumulate), source: taken(g, index, known(source)) };
    IndexCopy "index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor"
        => to as_computed(to, placing::index_copy(to, input, dim, index, source)?), in_place placing::index_copy_in_place(input, dim, index, source),
        grad IndexCopyBackward0 { input: but_rows(g, dim, index), source: rows_at(g, dim, index) };
    IndexReduce "index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor"
        => to as_computed(to, placing::index_reduce(to, input, dim, index, source, (reduce, include_self))?),
        in_place in_place_of(input, &placing::index_reduce(Target::New, input, dim, index, source, (reduce, include_self))?), of bool | numbers,
        grad parts as IndexReduceBackward0;
    TrilIndices "tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new placing::triangle_indices(Half::Lower, [row, col], offset, &options(dtype, device, None)), of I32 | I64;
    TriuIndices "triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new placing::triangle_indices(Half::Upper, [row, col], offset, &options(dtype, device, None)), of I32 | I64;
    UnravelIndex "unravel_index(Tensor indices, int[1] shape) -> Tensor[]" => new placing::unravel_index(indices, shape),
        grad none;
    ScalarTensor "scalar_tensor(Scalar s, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => new RawTensor::full(&[], s, &options(Some(dtype.unwrap_or(crate::dtype::promotion_default())), device, None));

    Meshgrid "meshgrid(Tensor... tensors, *, str? indexing=None) -> Tensor[]" => new grids::meshgrid(tensors, indexing), grad parts;
    CartesianProd "cartesian_prod(Tensor... tensors) -> Tensor" => new grids::cartesian_prod(tensors), grad parts;
    Combinations "combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor" [function] => new grids::combinations(input, r, with_replacement), on cpu | cuda, grad parts as IndexBackward0;
    BlockDiag "block_diag(Tensor... tensors) -> Tensor" => new grids::block_diag(tensors), grad parts as BlockDiagBackward0;
    Kron "kron(Tensor self, Tensor other) -> Tensor" => to cast_to(to, grids::kron(to, input, other)?), of bool | numbers, grad parts as UnsafeViewBackward0;
    LinalgVander "linalg.vander(Tensor x, *, int? N=None) -> Tensor" => new grids::vander(x, n), of integers | F32 | F64 | complex | unsigned, grad parts;
};
