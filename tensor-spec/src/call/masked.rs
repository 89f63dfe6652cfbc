//! `masked`: calls that know only those elements that a mask names.

use super::{Declared, declared};

pub(super) static ROWS: &[Declared] = declared! {
    MaskedSum "masked.sum(Tensor self, int[1]? dim=None, *, bool keepdim=False, ScalarType? dtype=None, Tensor? mask=None) -> Tensor" [function]
        => new Masked { dims: dim, keep: keepdim, dtype, mask }.total(input, Reduction::Sum), of bool | numbers | unsigned, grad parts as SumBackward1;
    MaskedProd "masked.prod(Tensor self, int[1]? dim=None, *, bool keepdim=False, ScalarType? dtype=None, Tensor? mask=None) -> Tensor" [function]
        => new Masked { dims: dim, keep: keepdim, dtype, mask }.total(input, Reduction::Prod), of bool | numbers | unsigned, grad parts { name: if input.rank() == 0 && dim.is_none_or(<[isize]>::is_empty) { "" } else { "ProdBackward1" } };
    MaskedMean "masked.mean(Tensor self, int[1]? dim=None, *, bool keepdim=False, ScalarType? dtype=None, Tensor? mask=None) -> Tensor" [function]
        => new Masked { dims: dim, keep: keepdim, dtype, mask }.mean(input), of floats | complex, grad parts as DivBackward0;
    MaskedAmax "masked.amax(Tensor self, int[1]? dim=None, *, bool keepdim=False, ScalarType? dtype=None, Tensor? mask=None) -> Tensor" [function]
        => new Masked { dims: dim, keep: keepdim, dtype, mask }.extreme("amax", input, Reduction::Amax, Unseen::Least), of reals, grad parts as AmaxBackward0;
    MaskedAmin "masked.amin(Tensor self, int[1]? dim=None, *, bool keepdim=False, ScalarType? dtype=None, Tensor? mask=None) -> Tensor" [function]
        => new Masked { dims: dim, keep: keepdim, dtype, mask }.extreme("amin", input, Reduction::Amin, Unseen::Most), of reals, grad parts as AminBackward0;
    MaskedLogsumexp "masked.logsumexp(Tensor self, int[1]? dim=None, *, bool keepdim=False, ScalarType? dtype=None, Tensor? mask=None) -> Tensor" [function]
        => new Masked { dims: dim, keep: keepdim, dtype, mask }.joined("logsumexp", input, Reduction::Logsumexp, Unseen::Lowest), of bool | numbers, grad parts as LogsumexpBackward0;
    MaskedVar "masked.var(Tensor self, int[1]? dim=None, bool? unbiased=None, *, float? correction=None, bool keepdim=False, ScalarType? dtype=None, Tensor? mask=None) -> Tensor" [function]
        => new Masked { dims: dim, keep: keepdim, dtype, mask }.spread(input, unbiased, correction, false), of numbers | unsigned, grad parts;
    MaskedStd "masked.std(Tensor self, int[1]? dim=None, bool? unbiased=None, *, float? correction=None, bool keepdim=False, ScalarType? dtype=None, Tensor? mask=None) -> Tensor" [function]
        => new Masked { dims: dim, keep: keepdim, dtype, mask }.spread(input, unbiased, correction, true), of numbers | unsigned, grad parts;
    MaskedNorm "masked.norm(Tensor self, float? ord=2.0, int[1]? dim=None, *, bool keepdim=False, ScalarType? dtype=None, Tensor? mask=None) -> Tensor" [function]
        => new Masked { dims: dim, keep: keepdim, dtype, mask }.norm(input, ord.unwrap_or(2.0)), of floats | complex, grad parts;
    MaskedArgmax "masked.argmax(Tensor self, int? dim=None, *, bool keepdim=False, ScalarType? dtype=None, Tensor? mask=None) -> Tensor" [function]
        => new Masked { dims: dim.as_ref().map(std::slice::from_ref), keep: keepdim, dtype, mask }.place("argmax", input, Reduction::Argmax, Unseen::Least), of integers | floats, grad none;
    MaskedArgmin "masked.argmin(Tensor self, int? dim=None, *, bool keepdim=False, ScalarType? dtype=None, Tensor? mask=None) -> Tensor" [function]
        => new Masked { dims: dim.as_ref().map(std::slice::from_ref), keep: keepdim, dtype, mask }.place("argmin", input, Reduction::Argmin, Unseen::Most), of integers | floats, grad none;
    MaskedSoftmax "masked.softmax(Tensor self, int dim, *, ScalarType? dtype=None, Tensor? mask=None) -> Tensor" [function]
        => new masked::along(Function::Softmax, ("amax", Unseen::Least), input, dim, dtype, mask), of floats, grad parts;
    MaskedLogSoftmax "masked.log_softmax(Tensor self, int dim, *, ScalarType? dtype=None, Tensor? mask=None) -> Tensor" [function]
        => new masked::along(Function::LogSoftmax, ("amax", Unseen::Least), input, dim, dtype, mask), of floats, grad parts;
    MaskedSoftmin "masked.softmin(Tensor self, int dim, *, ScalarType? dtype=None, Tensor? mask=None) -> Tensor" [function]
        => new masked::along(Function::Softmin, ("amin", Unseen::Most), input, dim, dtype, mask), of floats, grad parts;
    MaskedCumsum "masked.cumsum(Tensor self, int dim, *, ScalarType? dtype=None, Tensor? mask=None) -> Tensor" [function]
        => new masked::along(Function::Cumsum, ("sum", Unseen::Zero), input, dim, dtype, mask), of numbers, grad parts;
    MaskedCumprod "masked.cumprod(Tensor self, int dim, *, ScalarType? dtype=None, Tensor? mask=None) -> Tensor" [function]
        => new masked::along(Function::Cumprod, ("prod", Unseen::One), input, dim, dtype, mask), of numbers, grad parts;
    MaskedNormalize "masked.normalize(Tensor self, float ord, int dim, *, float eps=1e-12, ScalarType? dtype=None, Tensor? mask=None) -> Tensor" [function]
        => new masked::normalize(input, ord, dim, eps, dtype, mask), of floats | complex, grad parts as DivBackward0;
    MaskedMedian "masked.median(Tensor self, int dim=-1, *, bool keepdim=False, ScalarType? dtype=None, Tensor? mask=None) -> Tensor" [function]
        => new masked::median(input, dim, keepdim, dtype, mask), of reals | complex | unsigned, grad parts as NanmedianBackward1;
    MaskedLogaddexp "masked.logaddexp(Tensor self, Tensor other, *, ScalarType? dtype=None, Tensor? input_mask=None, Tensor? other_mask=None) -> Tensor" [function]
        => new masked::logaddexp([input, other], dtype, [input_mask, other_mask]), of floats | complex, grad parts as LogaddexpBackward0;
};
