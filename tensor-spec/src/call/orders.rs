//! What the order of elements says, and elementwise functions that are declared in terms of others.

use super::{Declared, declared};

pub(super) static ROWS: &[Declared] = declared! {
    Msort "msort(Tensor self) -> Tensor" => to as_computed(to, orders::msort(to, input)?), of reals, grad parts;
    Kthvalue "kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)"
        => both orders::both(to, orders::kthvalue(to, input, k, dim, keepdim)?), of integers | floats, grad parts as KthvalueBackward0;
    Mode "mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)"
        => both orders::both(to, orders::mode(to, input, dim, keepdim)?), of reals, grad parts as ModeBackward0;
    Nanmedian "nanmedian(Tensor self) -> Tensor" => new orders::nanmedian(input), of integers | floats, grad NanmedianBackward0 { input: evenly(g, input, result) };
    NanmedianDim "nanmedian(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"
        => both orders::both(to, orders::nanmedian_along(to, input, dim, keepdim)?), of integers | floats, grad parts as NanmedianBackward1;
    Quantile "quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor"
        => to Quantile { ignores_nans: false, dim, keep: keepdim, interpolation }.of(to, input, q), of F32 | F64, grad parts as SqueezeBackward4;
    QuantileOfNumber "quantile(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor"
        => to Quantile { ignores_nans: false, dim, keep: keepdim, interpolation }.of_number(to, input, q), of F32 | F64, grad parts as SqueezeBackward4;
    Nanquantile "nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor"
        => to Quantile { ignores_nans: true, dim, keep: keepdim, interpolation }.of(to, input, q), of F32 | F64, grad parts as SqueezeBackward4;
    NanquantileOfNumber "nanquantile(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor"
        => to Quantile { ignores_nans: true, dim, keep: keepdim, interpolation }.of_number(to, input, q), of F32 | F64, grad parts as SqueezeBackward4;
    Searchsorted "searchsorted(Tensor sorted_sequence, Tensor|Scalar input, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) -> Tensor"
        => to orders::searchsorted(to, sorted_sequence, input, SearchSide { right, side, as_i32: out_int32 }, sorter), of integers | floats, grad none;
    Bucketize "bucketize(Tensor|Scalar input, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor" [function]
        => to orders::bucketize(to, input, boundaries, right, out_int32), of integers | floats, grad none;
    Isin "isin(Tensor|Scalar elements, Tensor|Scalar test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor" [assume_unique]
        => to orders::isin(to, elements, test_elements, invert), of integers | floats, grad none;
    Histc "histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor"
        => to counts::histc_to(to, input, bins, [min.to_f64(), max.to_f64()]), of floats, on cpu | cuda,
        grad none;
    HistogramBy "histogram(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)"
        => both orders::both(to, counts::histogram(input, Edges::Given(&[bins]), weight, density)?), of F32 | F64, grad Reached("derivative for aten::histogram is not implemented");
    Histogram "histogram(Tensor self, int bins=100, *, float[1]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)"
        => both orders::both(to, counts::histogram(input, Edges::Even(&[bins], range), weight, density)?), of F32 | F64, grad Reached("derivative for aten::histogram is not implemented");
    HistogramddOf "histogramdd(Tensor self, int bins, float[1]? range=None, Tensor? weight=None, bool density=False) -> Tensor[]" [function]
        => new counts::histogramdd_of(input, bins, range, weight, density), of F32 | F64, on cpu | cuda, grad Reached("derivative for aten::_histogramdd_from_bin_cts is not implemented");
    Histogramdd "histogramdd(Tensor self, int[] bins, float[1]? range=None, Tensor? weight=None, bool density=False) -> Tensor[]" [function]
        => new counts::histogramdd(input, Edges::Even(bins, range), weight, density), of F32 | F64, on cpu | cuda, grad Reached("derivative for aten::_histogramdd_from_bin_cts is not implemented");
    HistogramddAt "histogramdd(Tensor self, Tensor[] bins, float[1]? range=None, Tensor? weight=None, bool density=False) -> Tensor[]" [function range]
        => new counts::histogramdd(input, Edges::Given(bins), weight, density), of F32 | F64, on cpu | cuda, grad Reached("derivative for aten::_histogramdd_from_bin_tensors is not implemented");
    Logcumsumexp "logcumsumexp(Tensor self, int dim) -> Tensor" [Logcumsumexp]
        => to counts::logcumsumexp(to, input, dim), of floats | complex,
        grad LogcumsumexpBackward0 { input: of_logarithms(g, input, result, dim) };
    Renorm "renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor"
        => to as_computed(to, counts::renorm(input, p, dim, maxnorm)?), in_place in_place_of(input, &counts::renorm(input, p, dim, maxnorm)?.tensor()?), of floats | complex, grad parts as RenormBackward0;
    Logaddexp2 "logaddexp2(Tensor self, Tensor other) -> Tensor" => to cast_to(to, counts::logaddexp2(input, other)?), of floats,
        grad Logaddexp2Backward0 { input: of_logaddexp2(g, input, other), other: of_logaddexp2(g, other, input) };
    LogspaceBetween "logspace(Tensor start, Tensor end, int steps, float base=10.0, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to logspace(to, [start.into(), end.into()], steps, base, &options(dtype, device, None)), on cpu | cuda,
        grad none;
    LogspaceTo "logspace(Scalar start, Tensor end, int steps, float base=10.0, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to logspace(to, [start.into(), end.into()], steps, base, &options(dtype, device, None)), on cpu | cuda,
        grad none;
    LogspaceFrom "logspace(Tensor start, Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to logspace(to, [start.into(), end.into()], steps, base, &options(dtype, device, None)), on cpu | cuda,
        grad none;
    Logspace "logspace(Scalar start, Scalar end, int steps, float base=10.0, *, ScalarType? dtype=None, Device? device=None) -> Tensor"
        => to logspace(to, [start.into(), end.into()], steps, base, &options(dtype, device, None));
    EmbeddingBag "embedding_bag(Tensor input, Tensor weight, Tensor? offsets=None, float? max_norm=None, float norm_type=2.0, bool scale_grad_by_freq=False, str mode='mean', bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int? padding_idx=None) -> Tensor" [function scale_grad_by_freq sparse]
        => new bags::embedding_bag(input, weight, Bags { offsets, mode, weights: per_sample_weights, closed: include_last_offset, padding: padding_idx, most: max_norm.map(|most| (most, norm_type)) }), of floats,
        grad parts as EmbeddingBagBackward0;

    Nextafter "nextafter(Tensor self, Tensor other) -> Tensor" => any cast_to(to, bits::nextafter(input, other)?), of floats,
        grad NextafterBackward0 { input: of_neighbour(g, input, other), other: nothing(g) };
    Frexp "frexp(Tensor self) -> (Tensor, Tensor)" => new bits::frexp(input), of floats | eighths, grad parts as FrexpBackward0;
    GradientOfPlaces "gradient(Tensor self, *, Tensor[] spacing, int[1]? dim=None, int edge_order=1) -> Tensor[]" [function]
        => new slopes::gradient(input, Spacing::Places(spacing), dim, edge_order), of floats | complex | I8 | I16 | I32 | I64, grad parts;
    GradientOfNumber "gradient(Tensor self, *, float? spacing=None, int[1]? dim=None, int edge_order=1) -> Tensor[]" [function]
        => new slopes::gradient(input, Spacing::Number(spacing.unwrap_or(1.0)), dim, edge_order), of floats | complex | I8 | I16 | I32 | I64, grad parts;
    Gradient "gradient(Tensor self, *, float[1] spacing, int[1]? dim=None, int edge_order=1) -> Tensor[]" [function]
        => new slopes::gradient(input, Spacing::Numbers(spacing), dim, edge_order), of floats | complex | I8 | I16 | I32 | I64, grad parts;
    HashTensor "hash_tensor(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0) -> Tensor"
        => to computed_as(to, bits::hash(to, input, dim, keepdim, mode)?, |out, _| format!("Expected result to be of dtype uint64, but got {out}")), of reals, grad none;

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
    I0 "i0(Tensor self) -> Tensor" => any cast_to(to, specials::bessel("i0_vml_cpu", input, 0.0, false)?), of reals | unsigned, grad I0Backward0 { input: of_bessel_0(g, input) };
    SpecialI0 "special.i0(Tensor self) -> Tensor" [function] => to cast_to(to, specials::bessel("i0_vml_cpu", input, 0.0, false)?), of reals | unsigned, grad I0Backward0 { input: of_bessel_0(g, input) };
    SpecialI0e "special.i0e(Tensor self) -> Tensor" [function] => to cast_to(to, specials::bessel("i0e_cpu", input, 0.0, true)?), of reals | unsigned, grad SpecialI0EBackward0 { input: of_scaled_bessel_0(g, input, result) };
    SpecialI1 "special.i1(Tensor self) -> Tensor" [function] => to cast_to(to, specials::bessel("i1_cpu", input, 1.0, false)?), of reals | unsigned, grad SpecialI1Backward0 { input: of_bessel_1(g, input, result, false) };
    SpecialI1e "special.i1e(Tensor self) -> Tensor" [function] => to cast_to(to, specials::bessel("i1e_cpu", input, 1.0, true)?), of reals | unsigned, grad SpecialI1EBackward0 { input: of_bessel_1(g, input, result, true) };
    SpecialErfcx "special.erfcx(Tensor self) -> Tensor" [function] => to cast_to(to, specials::erfcx(input)?), of bool | integers | F32 | F64 | unsigned, kernel "erfcx_cpu", grad SpecialErfcxBackward0 { input: of_erfcx(g, input, result) };
    SpecialNdtr "special.ndtr(Tensor self) -> Tensor" [function] => to cast_to(to, specials::ndtr(input)?), of reals | unsigned, grad MulBackward1 { input: bell(g, input, -1.0, 0.398_942_280_401_432_7) };
    SpecialLogNdtr "special.log_ndtr(Tensor self) -> Tensor" [function] => to cast_to(to, specials::log_ndtr(input)?), of bool | integers | F32 | F64 | unsigned, kernel "log_ndtr_cpu", grad SpecialLogNdtrBackward0 { input: of_log_ndtr(g, input, result) };
    SpecialNdtri "special.ndtri(Tensor self) -> Tensor" [function] => to cast_to(to, specials::ndtri(input)?), of bool | integers | F32 | F64 | unsigned, kernel "ndtri_cpu", grad SpecialNdtriBackward0 { input: bell(g, result, 1.0, 2.506_628_274_631_000_7) };
    Mvlgamma "mvlgamma(Tensor self, int p) -> Tensor" => any specials::mvlgamma_to(to, input, p), of integers | floats | unsigned, grad parts as MvlgammaBackward0;
    SpecialMultigammaln "special.multigammaln(Tensor self, int p) -> Tensor" [function] => to specials::mvlgamma_to(to, input, p), of integers | floats | unsigned, grad parts as MvlgammaBackward0;
    SpecialZeta "special.zeta(Tensor|Scalar self, Tensor|Scalar other) -> Tensor" [function] => to cast_to(to, specials::zeta(input, other)?), of bool | integers | F32 | F64 | unsigned,
        grad Backward {
            name: by_numbers(input, other, ["SpecialZetaBackward0", "SpecialZetaBackward1", "SpecialZetaBackward2"]),
            input: no_derivative(g, "zeta"), other: of_zeta(g, input, other)
        };
    Polygamma "polygamma(int n, Tensor self) -> Tensor" [function] => to cast_to(to, specials::polygamma(n, input)?), of reals | unsigned, grad PolygammaBackward0 { input: of_polygamma(g, n, input) };
    PolygammaOf "polygamma(Tensor self, int n) -> Tensor" [method no_out] => any cast_to(to, specials::polygamma(n, input)?), of reals | unsigned,
        grad PolygammaBackward0 { input: of_polygamma(g, n, input) };
    SpecialPolygamma "special.polygamma(int n, Tensor self) -> Tensor" [function] => to cast_to(to, specials::polygamma(n, input)?), of reals | unsigned, grad PolygammaBackward0 { input: of_polygamma(g, n, input) };
    SpecialSinc "special.sinc(Tensor self) -> Tensor" [function] => op Op::Sinc(input);
    SpecialXlogy "special.xlogy(Tensor|Scalar self, Tensor|Scalar other) -> Tensor" [function] => op Op::Xlogy(input, other);
    SpecialSoftmax "special.softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor" [function] => new softmax(Reduction::Softmax, input, dim, dtype, Target::New), of floats,
        grad SoftmaxBackward0 { input: share(g, result, dim) };
    SpecialLogSoftmax "special.log_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor" [function] => new softmax(Reduction::LogSoftmax, input, dim, dtype, Target::New), of floats,
        grad LogSoftmaxBackward0 { input: log_share(g, result, dim) };
};
