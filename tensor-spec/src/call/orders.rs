//! What the order of elements says, and elementwise functions that are declared in terms of others.

use super::{Declared, declared};

pub(super) const ROWS: &[Declared] = declared! {
    Msort "msort(Tensor self) -> Tensor" => to as_computed(to, orders::msort(input)?), grad parts;
    Kthvalue "kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)"
        => both orders::both(to, orders::kthvalue(input, k, dim, keepdim)?), grad parts;
    Mode "mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)"
        => both orders::both(to, orders::mode(input, dim, keepdim)?), grad parts;
    Nanmedian "nanmedian(Tensor self) -> Tensor" => new orders::nanmedian(input), grad NanmedianBackward0 { input: evenly(g, input, result) };
    NanmedianDim "nanmedian(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"
        => both orders::both(to, orders::nanmedian_along(input, dim, keepdim)?), grad parts;
    Quantile "quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor"
        => to Quantile { name: "quantile", dim, keep: keepdim, interpolation }.of(to, input, q), grad parts;
    QuantileOfNumber "quantile(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor"
        => to Quantile { name: "quantile", dim, keep: keepdim, interpolation }.of_number(to, input, q), grad parts;
    Nanquantile "nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor"
        => to Quantile { name: "nanquantile", dim, keep: keepdim, interpolation }.of(to, input, q), grad parts;
    NanquantileOfNumber "nanquantile(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor"
        => to Quantile { name: "nanquantile", dim, keep: keepdim, interpolation }.of_number(to, input, q), grad parts;
    Searchsorted "searchsorted(Tensor sorted_sequence, Tensor|Scalar input, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor"
        => to orders::searchsorted(to, sorted_sequence, input, SearchSide { right, side, as_i32: out_int32 }, sorter), grad none;
    Bucketize "bucketize(Tensor|Scalar input, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor" [function]
        => to orders::bucketize(to, input, boundaries, right, out_int32), grad none;
    Isin "isin(Tensor|Scalar elements, Tensor|Scalar test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor" [assume_unique]
        => to orders::isin(to, elements, test_elements, invert), grad none;
    Histc "histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor"
        => to counts::histc_to(to, input, bins, [min.real(), max.real()]),
        grad Called("the derivative for 'histc' is not implemented.");
    Logcumsumexp "logcumsumexp(Tensor self, int dim) -> Tensor"
        => to computed_as(to, counts::logcumsumexp(input, dim)?, |out, own| format!("expected scalar_type {own} but found {out}")), grad parts;
    Renorm "renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor"
        => to as_computed(to, counts::renorm(input, p.real(), dim, maxnorm)?), in_place in_place_of(input, &counts::renorm(input, p.real(), dim, maxnorm)?), grad parts;
    Logaddexp2 "logaddexp2(Tensor self, Tensor other) -> Tensor" => to cast_to(to, counts::logaddexp2(input, other)?), grad parts;
    Logspace "logspace(float start, float end, int steps, float base=10.0, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to made(to, &options(dtype, device, None), |options| counts::logspace([start, end], steps_of(steps)?, base, options));
    EmbeddingBag "embedding_bag(Tensor input, Tensor weight, Tensor? offsets=None, float? max_norm=None, float norm_type=2.0, bool scale_grad_by_freq=False, str mode='mean', bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int? padding_idx=None) -> Tensor" [function scale_grad_by_freq sparse]
        => new bags::embedding_bag(input, weight, Bags { offsets, mode, weights: per_sample_weights, closed: include_last_offset, padding: padding_idx, most: max_norm.map(|most| (most, norm_type)) }),
        grad parts;

    SpecialExpit "special.expit(Tensor self) -> Tensor" [function] => op Op::Sigmoid(input);
    SpecialLogit "special.logit(Tensor self, float? eps=None) -> Tensor" [function] => op Op::Logit(input, [eps]);
    SpecialErf "special.erf(Tensor self) -> Tensor" [function] => op Op::Erf(input);
    SpecialErfc "special.erfc(Tensor self) -> Tensor" [function] => op Op::Erfc(input);
    SpecialErfinv "special.erfinv(Tensor self) -> Tensor" [function] => op Op::Erfinv(input);
    SpecialGammaln "special.gammaln(Tensor self) -> Tensor" [function] => op Op::Lgamma(input);
    SpecialDigamma "special.digamma(Tensor self) -> Tensor" [function] => op Op::Digamma(input);
    SpecialPsi "special.psi(Tensor self) -> Tensor" [function] => op Op::Digamma(input);
    SpecialExp2 "special.exp2(Tensor self) -> Tensor" [function] => op Op::Exp2(input);
    SpecialExpm1 "special.expm1(Tensor self) -> Tensor" [function] => op Op::Expm1(input);
    SpecialLog1p "special.log1p(Tensor self) -> Tensor" [function] => op Op::Log1p(input);
    SpecialSinc "special.sinc(Tensor self) -> Tensor" [function] => op Op::Sinc(input);
    SpecialXlogy "special.xlogy(Tensor|Scalar self, Tensor|Scalar other) -> Tensor" [function] => op Op::Xlogy(input, other);
    SpecialSoftmax "special.softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor" [function] => new softmax(Reduction::Softmax, input, dim, dtype, Target::New),
        grad SoftmaxBackward0 { input: share(g, result, dim) };
    SpecialLogSoftmax "special.log_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor" [function] => new softmax(Reduction::LogSoftmax, input, dim, dtype, Target::New),
        grad LogSoftmaxBackward0 { input: log_share(g, result, dim) };
};
