//! Reductions, scans and softmax whose arguments aren't those of `sum`; products, which reduce, too; and comparisons of whole tensors.

use super::{Declared, declared};

pub(super) static ROWS: &[Declared] = declared! {
    Amax "amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor" => fold Reduction::Amax(input, along(Some(dim), keepdim, None, None));
    Amin "amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor" => fold Reduction::Amin(input, along(Some(dim), keepdim, None, None));
    Sum "sum(Tensor self, *, ScalarType? dtype=None) -> Tensor" [new] => fold Reduction::Sum(input, along(None, Keep::No, dtype, None));
    SumDims "sum(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"
        => fold Reduction::Sum(input, along(dim, keepdim, dtype, None));
    Mean "mean(Tensor self, *, ScalarType? dtype=None) -> Tensor" => fold Reduction::Mean(input, along(None, Keep::No, dtype, None));
    MeanDims "mean(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"
        => fold Reduction::Mean(input, along(dim, keepdim, dtype, None));
    Prod "prod(Tensor self, *, ScalarType? dtype=None) -> Tensor" [new] => fold Reduction::Prod(input, along(None, Keep::No, dtype, None));
    ProdDim "prod(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"
        => fold Reduction::Prod(input, along(Some(&[dim]), keepdim, dtype, None));
    Any "any(Tensor self) -> Tensor" => fold Reduction::Any(input, Along::all());
    AnyDims "any(Tensor self, int[1]? dim=None, bool keepdim=False) -> Tensor" => fold Reduction::Any(input, along(dim, keepdim, None, None));
    AnyDim "any(Tensor self, int dim, bool keepdim=False) -> Tensor" => fold Reduction::Any(input, along(Some(&[dim]), keepdim, None, None));
    All "all(Tensor self) -> Tensor" => fold Reduction::All(input, Along::all());
    AllDims "all(Tensor self, int[1]? dim=None, bool keepdim=False) -> Tensor" => fold Reduction::All(input, along(dim, keepdim, None, None));
    AllDim "all(Tensor self, int dim, bool keepdim=False) -> Tensor" => fold Reduction::All(input, along(Some(&[dim]), keepdim, None, None));
    Argmax "argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor" => fold Reduction::Argmax(input, along_one(dim, keepdim));
    Argmin "argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor" => fold Reduction::Argmin(input, along_one(dim, keepdim));
    StdUnbiased "std(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor"
        => fold Reduction::Std(input, along(dim, keepdim, None, Some(corrected(unbiased))));
    Std "std(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor"
        => fold Reduction::Std(input, along(dim, keepdim, None, correction));
    StdAll "std(Tensor self, bool unbiased=True) -> Tensor" [new] => fold Reduction::Std(input, along(None, Keep::No, None, Some(corrected(unbiased))));
    VarUnbiased "var(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor"
        => fold Reduction::Var(input, along(dim, keepdim, None, Some(corrected(unbiased))));
    Var "var(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor"
        => fold Reduction::Var(input, along(dim, keepdim, None, correction));
    VarAll "var(Tensor self, bool unbiased=True) -> Tensor" [new] => fold Reduction::Var(input, along(None, Keep::No, None, Some(corrected(unbiased))));
    CountNonzero "count_nonzero(Tensor self, int? dim=None) -> Tensor" [new] => fold Reduction::CountNonzero(input, along_one(dim, Keep::No));
    CountNonzeroDims "count_nonzero(Tensor self, int[1] dim) -> Tensor" [new]
        => fold Reduction::CountNonzero(input, along(Some(dim), Keep::No, None, None));
    Norm "norm(Tensor self, Scalar? p=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"
        => fold Reduction::Norm(input, along(dim, keepdim, dtype, p.map(|p| norms::order("vector", p)).transpose()?));
    NormNamed "norm(Tensor self, str p, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"
        => to computed_as(to, norms::named(to, input, p, dim, keepdim, dtype)?, |out, own| format!("linalg.matrix_norm expected out tensor dtype {own} but got: {out}")), of floats | complex, grad parts;
    LinalgVectorNorm "linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor" [function]
        => fold Reduction::Norm(input, along(dim, keepdim, dtype, Some(norms::order("vector", ord)?)));
    Logsumexp "logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor" => fold Reduction::Logsumexp(input, along(Some(dim), keepdim, None, None));

    Max "max(Tensor self) -> Tensor" => fold Reduction::Max(input, Along::all());
    Min "min(Tensor self) -> Tensor" => fold Reduction::Min(input, Along::all());
    Median "median(Tensor self) -> Tensor" => fold Reduction::Median(input, Along::all());
    MaxOfTwo "max(Tensor self, Tensor other) -> Tensor" => op Op::Maximum(input, other);
    MaxDim "max(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"
        => both pick(Reduction::Max, input, dim, keepdim, to), of reals,
        grad MaxBackward0 { input: picked(g, known(input), dim, keepdim, second) };
    MinOfTwo "min(Tensor self, Tensor other) -> Tensor" => op Op::Minimum(input, other);
    MinDim "min(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"
        => both pick(Reduction::Min, input, dim, keepdim, to), of reals,
        grad MinBackward0 { input: picked(g, known(input), dim, keepdim, second) };
    MedianDim "median(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"
        => both pick(Reduction::Median, input, dim, keepdim, to), of integers | floats,
        grad MedianBackward1 { input: picked(g, known(input), dim, keepdim, second) };
    Aminmax "aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)" [Aminmax]
        => both aminmax(input, dim, keepdim, to), of reals,
        grad AminmaxBackward0 { input: both_extremes(backward, [input, result, second], dim, keepdim) };

    Cumsum "cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor" [Cumsum] => any scan(Reduction::Cumsum, input, dim, dtype, to), of bool | numbers,
        grad CumsumBackward0 { input: summed_from_behind(g, dim) };
    Cumprod "cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor" [Cumprod] => any scan(Reduction::Cumprod, input, dim, dtype, to), of bool | numbers,
        grad CumprodBackward0 { input: running_product(g, input, result, dim) };
    Cummax "cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)" [Cummax]
        => both scan_places(Reduction::Cummax, input, dim, to), of reals,
        grad CummaxBackward0 { input: picked(g, known(input), dim, true, second) };
    Cummin "cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)" [Cummin]
        => both scan_places(Reduction::Cummin, input, dim, to), of reals,
        grad CumminBackward0 { input: picked(g, known(input), dim, true, second) };
    Softmax "softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor" [Softmax] => to softmax(Reduction::Softmax, input, dim, dtype, to), of floats,
        grad SoftmaxBackward0 { input: share(g, result, dim) };
    LogSoftmax "log_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor" [LogSoftmax] => to softmax(Reduction::LogSoftmax, input, dim, dtype, to), of floats,
        grad LogSoftmaxBackward0 { input: log_share(g, result, dim) };

    Dist "dist(Tensor self, Tensor other, float p=2) -> Tensor" => new dist(input, other, p), of floats | complex,
        grad parts as DistBackward0;
    Diff "diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor"
        => to diff_to(to, n, composites::diff(to, input, n, dim, prepend, append)?), of bool | numbers,
        grad parts { name: if n == 0 { "CopyBackwards" } else { "" } };
    Cov "cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor"
        => new cov(input, correction, Weights { frequencies: fweights, importances: aweights }), of numbers,
        grad parts;

    Trace "trace(Tensor self) -> Tensor" => new trace(input), of numbers,
        grad parts as TraceBackward0;
    Inner "inner(Tensor self, Tensor other) -> Tensor" => to inner_to(to, input, other), of numbers,
        grad parts { name: if input.rank() == 0 || other.rank() == 0 { "" } else { "ViewBackward0" } };
    VarMean "var_mean(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)" [function]
        => new spread_and_mean(Reduction::Var, input, &along(dim, keepdim, None, correction)), of floats | complex,
        grad parts as VarMeanBackward0;
    VarMeanUnbiased "var_mean(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)" [function]
        => new spread_and_mean(Reduction::Var, input, &along(dim, keepdim, None, Some(corrected(unbiased)))), of floats | complex,
        grad parts as VarMeanBackward0;
    VarMeanAll "var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)" [function]
        => new spread_and_mean(Reduction::Var, input, &along(None, Keep::No, None, Some(corrected(unbiased)))), of floats | complex,
        grad parts as VarMeanBackward0;
    StdMean "std_mean(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)" [function]
        => new spread_and_mean(Reduction::Std, input, &along(dim, keepdim, None, correction)), of floats | complex,
        grad parts as StdMeanBackward0;
    StdMeanUnbiased "std_mean(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)" [function]
        => new spread_and_mean(Reduction::Std, input, &along(dim, keepdim, None, Some(corrected(unbiased)))), of floats | complex,
        grad parts as StdMeanBackward0;
    StdMeanAll "std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)" [function]
        => new spread_and_mean(Reduction::Std, input, &along(None, Keep::No, None, Some(corrected(unbiased)))), of floats | complex,
        grad parts as StdMeanBackward0;
    TrapezoidAt "trapezoid(Tensor y, Tensor x, *, int dim=-1) -> Tensor" [function] => new trapezoid_at(y, x, dim), of numbers,
        grad parts as DivBackward1;
    Trapezoid "trapezoid(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor" [function] => new trapezoid(y, dx, dim), of numbers,
        grad parts as MulBackward1;
    TrapzAt "trapz(Tensor y, Tensor x, *, int dim=-1) -> Tensor" [function] => new trapezoid_at(y, x, dim), of numbers,
        grad parts as DivBackward1;
    Trapz "trapz(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor" [function] => new trapezoid(y, dx, dim), of numbers,
        grad parts as MulBackward1;
    Bincount "bincount(Tensor self, Tensor? weights=None, int minlength=0) -> Tensor" => new bincount(input, weights, minlength), of integers, on cpu | cuda,
        grad Reached("derivative for aten::bincount is not implemented");
    MseLoss "mse_loss(Tensor self, Tensor target, *, str reduction='mean') -> Tensor" [function MseLoss] => new mse_loss(input, target, reduction), of floats,
        grad parts as MseLossBackward0;
    L1Loss "l1_loss(Tensor self, Tensor target, *, str reduction='mean') -> Tensor" [function L1Loss] => new l1_loss(input, target, reduction), of floats | complex,
        grad parts;
    SmoothL1Loss "smooth_l1_loss(Tensor self, Tensor target, *, str reduction='mean', float beta=1.0) -> Tensor" [function SmoothL1Loss]
        => new smooth_l1_loss(input, target, reduction, beta), of floats,
        grad parts { name: if beta == 0.0 { "" } else { "SmoothL1LossBackward0" } };
    HuberLoss "huber_loss(Tensor self, Tensor target, str reduction='mean', float delta=1.0) -> Tensor" [function HuberLoss]
        => new huber_loss(input, target, reduction, delta), of floats,
        grad parts as HuberLossBackward0;
    Mish "mish(Tensor self) -> Tensor" [function Mish]
        => new curves::mish(input)?.tensor(),
        in_place curves::mish(input)?.write_to(input), of floats,
        grad parts as MishBackward0;
    Tanhshrink "tanhshrink(Tensor self) -> Tensor" [function] => new curves::tanhshrink(input), of numbers | unsigned,
        grad parts as SubBackward0;
    Logsigmoid "logsigmoid(Tensor self) -> Tensor" [function Logsigmoid]
        => to computed_as(to, curves::logsigmoid(to, input)?, |out, own| format!("expected scalar type {own} but found {out}")), of floats,
        grad parts as LogSigmoidBackward0;
    SafeSoftmax "_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor" [function] => new curves::safe_softmax(input, dim, dtype), of floats, grad SafeSoftmaxBackward0 { input: share(g, result, dim) };
    Softmin "softmin(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor" [function] => new curves::softmin(input, dim, dtype), of floats,
        grad parts;
    Glu "glu(Tensor self, int dim=-1) -> Tensor" [function] => new curves::glu(input, dim), of floats,
        grad parts as GluBackward0;
    Normalize "normalize(Tensor self, float p=2.0, int dim=1, float eps=1e-12) -> Tensor" [function]
        => to distances::normalize(input, p, dim, eps, to), of floats | complex,
        grad parts as DivBackward0;
    CosineSimilarity "cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor" [function]
        => new distances::cosine_similarity(x1, x2, dim, eps), of floats,
        grad parts;
    PairwiseDistance "pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor" [function]
        => new distances::pairwise_distance(x1, x2, p, eps, keepdim), of numbers,
        grad parts as NormBackward1;
    Addmv "addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor"
        => to as_computed(to, addmv(to, input, mat, vec, [beta, alpha])?), in_place in_place_of(input, &addmv(Target::New, input, mat, vec, [beta, alpha])?), of numbers,
        grad parts as AddmvBackward0;
    Addbmm "addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor"
        => to computed_as(to, addbmm(to, input, batch1, batch2, [beta, alpha])?, |out, own| format!("self and mat2 must have the same dtype, but got {out} and {own}")), in_place in_place_of(input, &addbmm(Target::New, input, batch1, batch2, [beta, alpha])?), of numbers,
        grad parts as AddbmmBackward0;
    Addr "addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor"
        => to cast_to(to, addr(input, vec1, vec2, [beta, alpha])?), in_place in_place_of(input, &addr(input, vec1, vec2, [beta, alpha])?.tensor()?), of bool | numbers,
        grad AddrBackward0 { input: scaled(g, beta), vec1: scaled(&mv(g, &factor(vec2, g)?)?, alpha), vec2: scaled(&mv(&transposed(g, 0, 1)?, &factor(vec1, g)?)?, alpha) };
    Atleast1d "atleast_1d(Tensor self) -> Tensor" [function] => new at_least(input, 1),
        grad parts;
    Atleast1dOfAll "atleast_1d(Tensor[] tensors) -> Tensor[]" [function] => new all_at_least(tensors, 1),
        grad parts;
    Atleast2d "atleast_2d(Tensor self) -> Tensor" [function] => new at_least(input, 2),
        grad parts;
    Atleast2dOfAll "atleast_2d(Tensor[] tensors) -> Tensor[]" [function] => new all_at_least(tensors, 2),
        grad parts;
    Atleast3d "atleast_3d(Tensor self) -> Tensor" [function] => new at_least(input, 3),
        grad parts;
    Atleast3dOfAll "atleast_3d(Tensor[] tensors) -> Tensor[]" [function] => new all_at_least(tensors, 3),
        grad parts;
    BceWithLogits "binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, *, str reduction='mean', Tensor? pos_weight=None) -> Tensor" [function BceWithLogits]
        => new binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction), of floats,
        grad parts as BinaryCrossEntropyWithLogitsBackward0;
    NllLoss "nll_loss(Tensor self, Tensor target, Tensor? weight=None, *, int ignore_index=-100, str reduction='mean') -> Tensor" [function NllLoss]
        => new nll_loss(input, target, Classes { weight, ignore_index }, reduction), of floats,
        grad parts { name: class_node(target, reduction, 0.0) };
    CrossEntropy "cross_entropy(Tensor self, Tensor target, Tensor? weight=None, *, int ignore_index=-100, str reduction='mean', float label_smoothing=0.0) -> Tensor" [function CrossEntropy]
        => new cross_entropy(input, target, Classes { weight, ignore_index }, reduction, label_smoothing), of floats,
        grad parts { name: class_node(target, reduction, label_smoothing) };
    LinearCrossEntropy "linear_cross_entropy(Tensor self, Tensor linear_weight, Tensor target, *, Tensor? linear_bias=None, Tensor? weight=None, str reduction='mean', int? ignore_index=None, float label_smoothing=0.0) -> Tensor" [function]
        => new linear_cross_entropy(input, ClassLayer { weight: linear_weight, bias: linear_bias }, target, (weight, ignore_index), reduction, label_smoothing), of floats,
        grad parts { name: class_node(target, reduction, label_smoothing) };
    Hardtanh "hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor" [function Hardtanh]
        => any hardtanh(input, min_val, max_val, to), of integers | floats,
        grad HardtanhBackward0 { input: inside(g, input, min_val, max_val) };
    Relu6 "relu6(Tensor self) -> Tensor" [function no_out Relu6] => any hardtanh(input, Scalar::Int(0), Scalar::Int(6), to), of integers | floats,
        grad HardtanhBackward0 { input: inside(g, input, Scalar::Int(0), Scalar::Int(6)) };

    Isclose "isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor"
        => new isclose(input, other, Tolerance { relative: rtol, absolute: atol, nans: equal_nan }), of bool | numbers,
        grad none;
    Allclose "allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> bool"
        => new allclose(input, other, Tolerance { relative: rtol, absolute: atol, nans: equal_nan }), of bool | numbers, on cpu | cuda;
    Equal "equal(Tensor self, Tensor other) -> bool" => new equal(input, other), on cpu | cuda;

    Mm "mm(Tensor self, Tensor mat2) -> Tensor" => to mm(input, mat2, to), of numbers,
        grad MmBackward0 { input: mm(g, &adjoint(mat2)?), mat2: mm(&adjoint(input)?, g) };
    Mv "mv(Tensor self, Tensor vec) -> Tensor" => to mv(input, vec, to), of numbers,
        grad MvBackward0 { input: outer(g, &conj(vec)?), vec: mv(&adjoint(input)?, g) };
    Dot "dot(Tensor self, Tensor tensor) -> Tensor" => to dot(input, tensor, to), of numbers,
        grad DotBackward0 { input: times(g, &conj(tensor)?), tensor: times(g, &conj(input)?) };
    Vdot "vdot(Tensor self, Tensor other) -> Tensor" => to vdot(input, other, to), of numbers,
        grad VdotBackward0 { input: conj_times(g, other), other: times(g, input) };
    Outer "outer(Tensor self, Tensor vec2) -> Tensor" => to outer(input, vec2, to), of bool | numbers,
        grad MulBackward0 { input: mv(g, &factor(vec2, g)?), vec2: mv(&transposed(g, 0, 1)?, &factor(input, g)?) };
    Bmm "bmm(Tensor self, Tensor mat2) -> Tensor" => to bmm(input, mat2, to), of numbers,
        grad BmmBackward0 { input: bmm(g, &adjoint(mat2)?), mat2: bmm(&adjoint(input)?, g) };
    Matmul "matmul(Tensor self, Tensor other) -> Tensor" => to matmul(input, other, to), of numbers,
        grad MmBackward0 { name: matmul_node(input, other), input: of_left(g, known(input), other), other: of_right(g, input, known(other)) };
    Addmm "addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor"
        => to addmm(input, mat1, mat2, [beta, alpha], to),
        in_place addmm_in_place(input, mat1, mat2, [beta, alpha]), of numbers,
        grad AddmmBackward0 { input: scaled(g, beta), mat1: scaled(&mm(g, &adjoint(mat2)?)?, alpha), mat2: scaled(&mm(&adjoint(mat1)?, g)?, alpha) };
    Baddbmm "baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor"
        => to baddbmm(input, batch1, batch2, [beta, alpha], to),
        in_place baddbmm_in_place(input, batch1, batch2, [beta, alpha]), of numbers,
        grad BaddbmmBackward0 { input: scaled(g, beta), batch1: scaled(&bmm(g, &adjoint(batch2)?)?, alpha), batch2: scaled(&bmm(&adjoint(batch1)?, g)?, alpha) };
    Linear "linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor" => to linear(input, weight, bias, to), of numbers,
        grad AddmmBackward0 { name: linear_node(input, weight, bias), input: of_linear_input(g, weight), weight: of_linear_weight(g, input, known(weight)), bias: g };
    Einsum "einsum(str equation, Tensor... operands) -> Tensor" => new einsum(equation, operands), of bool | numbers,
        grad ViewBackward0 { name: einsum_node(equation, operands), operands: of_einsum(g, equation, operands, |place| backward.wants(place)) };
};
