//! What layers of networks are made of, and more losses: declared in terms of other calls.

use super::{Declared, declared};

pub(super) static ROWS: &[Declared] = declared! {
    LayerNorm "layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> Tensor" [function]
        => new layers::layer_norm(input, normalized_shape, weight, bias, eps), of floats,
        grad parts as NativeLayerNormBackward0;
    NativeLayerNorm "native_layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)"
        => new layers::native_layer_norm(input, normalized_shape, weight, bias, eps), of floats, grad parts as NativeLayerNormBackward0;
    NativeGroupNorm "native_group_norm(Tensor input, Tensor? weight, Tensor? bias, int N, int C, int HxW, int group, float eps) -> (Tensor, Tensor, Tensor)"
        => new layers::native_group_norm(input, [weight, bias], [n, c, hxw], group, eps), of floats, grad parts as NativeGroupNormBackward0;
    RmsNorm "rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor" [function]
        => new layers::rms_norm(input, normalized_shape, weight, eps), of floats | complex,
        grad parts as MulBackward0;
    GroupNorm "group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05) -> Tensor" [function]
        => new layers::group_norm(input, num_groups, weight, bias, eps), of floats,
        grad parts as NativeGroupNormBackward0;
    Prelu "prelu(Tensor self, Tensor weight) -> Tensor" => new layers::prelu(input, weight), of floats,
        grad parts as PreluKernelBackward0;
    PixelShuffle "pixel_shuffle(Tensor self, int upscale_factor) -> Tensor" [function] => new layers::pixel_shuffle(input, upscale_factor),
        grad parts as PixelShuffleBackward0;
    PixelUnshuffle "pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor" [function] => new layers::pixel_unshuffle(input, downscale_factor),
        grad parts as PixelUnshuffleBackward0;
    ChannelShuffle "channel_shuffle(Tensor self, int groups) -> Tensor" [function] => new layers::channel_shuffle(input, groups),
        grad parts as ChannelShuffleBackward0;
    KlDiv "kl_div(Tensor self, Tensor target, *, str reduction='mean', bool log_target=False) -> Tensor" [function]
        => new losses::kl_div(input, target, reduction, log_target), of floats,
        grad parts;
    BinaryCrossEntropy "binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, *, str reduction='mean') -> Tensor" [function]
        => new losses::binary_cross_entropy(input, target, weight, reduction), of floats,
        grad BinaryCrossEntropyBackward0 { input: of_probabilities(g, [input, target], weight, reduction), target: of_chances(g, input, weight, reduction), weight: no_derivative(g, "binary_cross_entropy") };
    SoftMarginLoss "soft_margin_loss(Tensor self, Tensor target, *, str reduction='mean') -> Tensor" [function]
        => new margins::soft_margin_loss(input, target, reduction), of floats | complex,
        grad parts as SoftMarginLossBackward0;
    MarginRankingLoss "margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0, *, str reduction='mean') -> Tensor" [function]
        => new margins::margin_ranking_loss([input1, input2, target], margin, reduction), of integers | floats,
        grad parts;
    HingeEmbeddingLoss "hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, *, str reduction='mean') -> Tensor" [function]
        => new margins::hinge_embedding_loss(input, target, margin, reduction), of floats,
        grad parts;
    CosineEmbeddingLoss "cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0, *, str reduction='mean') -> Tensor" [function]
        => new margins::cosine_embedding_loss([input1, input2, target], margin, reduction), of reals,
        grad parts;
    TripletMarginLoss "triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, float eps=1e-06, bool swap=False, *, str reduction='mean') -> Tensor" [function]
        => new margins::triplet_margin_loss([anchor, positive, negative], margin, (p, eps), swap, reduction), of numbers,
        grad parts;
    TripletMarginWithDistanceLoss "triplet_margin_with_distance_loss(Tensor anchor, Tensor positive, Tensor negative, *, float margin=1.0, bool swap=False, str reduction='mean') -> Tensor" [function]
        => new margins::triplet_margin_loss([anchor, positive, negative], margin, (2.0, 1e-6), swap, reduction), of numbers,
        grad parts;
    MultiMarginLoss "multi_margin_loss(Tensor self, Tensor target, float p=1, float margin=1.0, Tensor? weight=None, *, str reduction='mean') -> Tensor" [function]
        => new margins::multi_margin_loss(input, target, (p, margin), weight, reduction), of F32 | F64,
        grad parts as MultiMarginLossBackward0;
    MultilabelMarginLoss "multilabel_margin_loss(Tensor self, Tensor target, *, str reduction='mean') -> Tensor" [function]
        => new margins::multilabel_margin_loss(input, target, reduction), of F32 | F64,
        grad parts as MultilabelMarginLossBackward0;
    MultilabelSoftMarginLoss "multilabel_soft_margin_loss(Tensor self, Tensor target, Tensor? weight=None, *, str reduction='mean') -> Tensor" [function]
        => new margins::multilabel_soft_margin_loss(input, target, weight, reduction), of floats,
        grad parts;
    PoissonNllLoss "poisson_nll_loss(Tensor input, Tensor target, bool log_input=True, bool full=False, *, float eps=1e-08, str reduction='mean') -> Tensor" [function]
        => new losses::poisson_nll_loss(input, target, (log_input, full), eps, reduction), of numbers,
        grad parts;
    GaussianNllLoss "gaussian_nll_loss(Tensor input, Tensor target, Tensor var, bool full=False, float eps=1e-06, str reduction='mean') -> Tensor" [function]
        => new losses::gaussian_nll_loss(input, target, &var.into(), full, eps, reduction), of floats,
        grad parts;
    GaussianNllLossOfNumber "gaussian_nll_loss(Tensor input, Tensor target, float var, bool full=False, float eps=1e-06, str reduction='mean') -> Tensor" [function]
        => new losses::gaussian_nll_loss(input, target, &var.into(), full, eps, reduction), of integers | floats,
        grad parts;
    CtcLosses "_ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)"
        => new alignments::losses(log_probs, Alignment { targets, steps: input_lengths, labels: target_lengths, blank, zero: zero_infinity }), of F32 | F64, on cpu | cuda,
        grad CtcLossBackward0 { log_probs: of_alignments(g, log_probs, [targets, result, second], [input_lengths, target_lengths], blank, zero_infinity) };
    CtcLossesByTensors "_ctc_loss(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)"
        => new alignments::losses_by(log_probs, targets, [input_lengths, target_lengths], blank, zero_infinity), of F32 | F64, on cpu | cuda, grad parts;
    CtcLossesBackward "_ctc_loss_backward(Tensor grad, Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, Tensor neg_log_likelihood, Tensor log_alpha, int blank, bool zero_infinity=False) -> Tensor" [function]
        => new alignments::gradients(grad, log_probs, Alignment { targets, steps: input_lengths, labels: target_lengths, blank, zero: zero_infinity }, [neg_log_likelihood, log_alpha]), of F32 | F64, on cpu | cuda,
        grad Reached("derivative for aten::_ctc_loss_backward is not implemented");
    CtcLoss "ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, str reduction='mean', bool zero_infinity=False) -> Tensor" [function]
        => new alignments::ctc_loss(log_probs, Alignment { targets, steps: input_lengths, labels: target_lengths, blank, zero: zero_infinity }, LossReduction::parse(reduction)?), of F32 | F64, on cpu | cuda, grad parts;
    CtcLossNumbered "ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor" [function]
        => new alignments::ctc_loss(log_probs, Alignment { targets, steps: input_lengths, labels: target_lengths, blank, zero: zero_infinity }, LossReduction::numbered(reduction)), of F32 | F64, on cpu | cuda, grad parts;
    CtcLossByTensors "ctc_loss(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, str reduction='mean', bool zero_infinity=False) -> Tensor" [function]
        => new alignments::ctc_loss(log_probs, Alignment { targets, steps: &alignments::lengths("input_lengths", input_lengths)?, labels: &alignments::lengths("target_lengths", target_lengths)?, blank, zero: zero_infinity }, LossReduction::parse(reduction)?), of F32 | F64, on cpu | cuda, grad parts;
    CtcLossByTensorsNumbered "ctc_loss(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank=0, int reduction=1, bool zero_infinity=False) -> Tensor" [function]
        => new alignments::ctc_loss(log_probs, Alignment { targets, steps: &alignments::lengths("input_lengths", input_lengths)?, labels: &alignments::lengths("target_lengths", target_lengths)?, blank, zero: zero_infinity }, LossReduction::numbered(reduction)), of F32 | F64, on cpu | cuda, grad parts;
    SoftmaxBackwardData "_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor" [function]
        => to as_computed(to, segments::softmax_backward(grad_output, output, dim, input_dtype, false)?), of floats, grad parts as SoftmaxBackwardDataBackward0;
    LogSoftmaxBackwardData "_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor" [function]
        => to as_computed(to, segments::softmax_backward(grad_output, output, dim, input_dtype, true)?), of floats, grad parts as LogSoftmaxBackwardDataBackward0;
    SegmentReduce "segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor" [function]
        => new segments::segment_reduce(data, reduce, Segments { lengths, indices, offsets, axis, is_unsafe, initial }), of floats, grad parts as SegmentReduceBackward0;
    SegmentReduceUnderlined "_segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor" [function]
        => new segments::segment_reduce(data, reduce, Segments { lengths, indices, offsets, axis, is_unsafe, initial }), of floats, grad parts as SegmentReduceBackward0;
};
