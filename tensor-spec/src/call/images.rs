//! Images of other sizes, layers that go by what channels are like, attention and distances between all rows.

use super::{Declared, declared};

pub(super) static ROWS: &[Declared] = declared! {
    AdaptiveAvgPool1d "adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor" [function] => new resampling::adaptive_avg_pool(1, input, output_size), of floats, grad parts as SqueezeBackward1;
    AdaptiveAvgPool2d "adaptive_avg_pool2d(Tensor self, int?[1] output_size) -> Tensor" [function] => new resampling::adaptive_avg_pool(2, input, output_size), of floats, grad parts { name: adaptive_node(2, output_size) };
    AdaptiveAvgPool3d "adaptive_avg_pool3d(Tensor self, int?[1] output_size) -> Tensor" [function] => new resampling::adaptive_avg_pool(3, input, output_size), of floats, grad parts { name: adaptive_node(3, output_size) };
    AdaptiveMaxPool1d "adaptive_max_pool1d(Tensor self, int[1] output_size, bool return_indices=False) -> (Tensor, Tensor)" [function]
        => new resampling::adaptive_max_pool(1, input, output_size, return_indices), of floats, grad parts as SqueezeBackward1;
    AdaptiveMaxPool2d "adaptive_max_pool2d(Tensor self, int?[1] output_size, bool return_indices=False) -> (Tensor, Tensor)" [function]
        => new resampling::adaptive_max_pool(2, input, output_size, return_indices), of floats, grad parts as AdaptiveMaxPool2DBackward0;
    AdaptiveMaxPool3d "adaptive_max_pool3d(Tensor self, int?[1] output_size, bool return_indices=False) -> (Tensor, Tensor)" [function]
        => new resampling::adaptive_max_pool(3, input, output_size, return_indices), of floats, grad parts as AdaptiveMaxPool3DBackward0;
    Interpolate "interpolate(Tensor self, int[1]? size=None, float[1]? scale_factor=None, str mode='nearest', bool? align_corners=None, bool? recompute_scale_factor=None, bool antialias=False) -> Tensor" [function]
        => new resampling::interpolate(input, Resampling { size, scale: scale_factor, mode, align_corners, recompute: recompute_scale_factor, antialias }), of floats | eighths | U8, grad parts { name: interpolated_node(input, mode, antialias) };
    UpsampleNearest "upsample_nearest(Tensor self, int[1]? size=None, float[1]? scale_factor=None) -> Tensor" [function]
        => new resampling::interpolate(input, Resampling { size, scale: scale_factor, mode: "nearest", align_corners: None, recompute: None, antialias: false }), of floats | eighths | U8, grad parts { name: interpolated_node(input, "nearest", false) };
    UpsampleBilinear "upsample_bilinear(Tensor self, int[1]? size=None, float[1]? scale_factor=None) -> Tensor" [function]
        => new resampling::interpolate(input, Resampling { size, scale: scale_factor, mode: "bilinear", align_corners: Some(true), recompute: None, antialias: false }), of floats | U8, grad parts as UpsampleBilinear2DBackward0;
    UpsampleBilinearSmooth "_upsample_bilinear2d_aa(Tensor self, int[] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor" [function]
        => to as_computed(to, resampling::smooth_bilinear(input, Some(output_size), align_corners, &[scales_h, scales_w])?), of U8 | F32 | F64, kernel "compute_index_ranges_weights", grad parts as UpsampleBilinear2DAaBackward0;
    UpsampleBilinearSmoothBy "_upsample_bilinear2d_aa(Tensor self, int[]? output_size, bool align_corners, float[1]? scale_factors) -> Tensor" [function]
        => new resampling::smooth_bilinear_by(input, output_size, align_corners, scale_factors), of U8 | F32 | F64, kernel "compute_index_ranges_weights", grad parts as UpsampleBilinear2DAaBackward0;

    BatchNorm "batch_norm(Tensor input, Tensor? running_mean, Tensor? running_var, Tensor? weight=None, Tensor? bias=None, bool training=False, float momentum=0.1, Scalar eps=1e-05) -> Tensor" [function]
        => new statistics::batch_norm(input, Channels { mean: running_mean, variance: running_var, weight, bias, training, momentum, eps }), of floats, grad parts { name: batch_node(input, weight, bias) };
    InstanceNorm "instance_norm(Tensor input, Tensor? running_mean=None, Tensor? running_var=None, Tensor? weight=None, Tensor? bias=None, bool use_input_stats=True, float momentum=0.1, float eps=1e-05) -> Tensor" [function]
        => new statistics::instance_norm(input, Channels { mean: running_mean, variance: running_var, weight, bias, training: use_input_stats, momentum, eps: eps.into() }), of floats, grad parts as ViewBackward0;
    LocalResponseNorm "local_response_norm(Tensor input, int size, float alpha=0.0001, float beta=0.75, float k=1.0) -> Tensor" [function]
        => new statistics::local_response_norm(input, size, alpha, beta, k), of floats | I64, grad parts as DivBackward0;

    Cdist "cdist(Tensor x1, Tensor x2, float p=2.0, str compute_mode='use_mm_for_euclid_dist_if_necessary') -> Tensor" => new distances::cdist(x1, x2, p, compute_mode), of floats | eighths,
        grad parts { name: cdist_node(x1, x2, p, compute_mode) };
    Pdist "pdist(Tensor self, float p=2) -> Tensor" [function] => new distances::pdist(input, p), of F32 | F64, grad parts as PdistBackward0;
    Bilinear "bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor" [function] => new distances::bilinear(input1, input2, weight, bias), of numbers, grad parts;
    ScaledDotProductAttention "scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor" [function]
        => new attention::attention([query, key, value], attn_mask, Attention { dropout: dropout_p, causal: is_causal, scale, grouped: enable_gqa }), of floats, grad parts { name: attention_node([query, key, value], attn_mask, dropout_p) };
    FlashAttention "_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, float dropout_p=0.0, bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor, Tensor)" [function]
        => new attention::flash([query, key, value], attn_mask, Attention { dropout: dropout_p, causal: is_causal, scale, grouped: true }), of floats, grad parts as ScaledDotProductFlashAttentionForCpuBackward0;
    MultiHeadAttention "multi_head_attention_forward(Tensor query, Tensor key, Tensor value, int embed_dim_to_check, int num_heads, Tensor? in_proj_weight, Tensor? in_proj_bias, Tensor? bias_k, Tensor? bias_v, bool add_zero_attn, float dropout_p, Tensor out_proj_weight, Tensor? out_proj_bias, bool training=True, Tensor? key_padding_mask=None, bool need_weights=True, Tensor? attn_mask=None, bool use_separate_proj_weight=False, Tensor? q_proj_weight=None, Tensor? k_proj_weight=None, Tensor? v_proj_weight=None, Tensor? static_k=None, Tensor? static_v=None, bool average_attn_weights=True, bool is_causal=False) -> (Tensor, Tensor)" [function]
        => new heads::multi_head_attention([query, key, value], Heads {
            size: embed_dim_to_check, count: num_heads, weight: in_proj_weight, weights: if use_separate_proj_weight { Some([q_proj_weight, k_proj_weight, v_proj_weight]) } else { None },
            bias: in_proj_bias, more: [bias_k, bias_v], zeros: add_zero_attn, dropout: if training { dropout_p } else { 0.0 }, out: (out_proj_weight, out_proj_bias),
            padding: key_padding_mask, mask: attn_mask, shares: need_weights, mean: average_attn_weights, known: [static_k, static_v], causal: is_causal,
        }), of floats, grad parts { name: if query.rank() == 2 { "SqueezeBackward1" } else { "" } };
    GridSample "grid_sample(Tensor self, Tensor grid, str mode='bilinear', str padding_mode='zeros', bool? align_corners=None) -> Tensor" [function]
        => new samples::grid_sample(input, grid, Sampling { mode, outside: padding_mode, aligned: align_corners.unwrap_or(false) }), of floats,
        grad parts { name: if input.rank() == 4 { "GridSampler2DBackward0" } else { "GridSampler3DBackward0" } };
    AffineGrid "affine_grid(Tensor self, int[] size, bool? align_corners=None) -> Tensor" [function]
        => new samples::affine_grid(input, size, align_corners.unwrap_or(false)), of floats, grad parts as AffineGridGeneratorBackward0;
    GridSampler2d "grid_sampler_2d(Tensor self, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor" [function]
        => new samples::grid_sampler(2, input, grid, Sampling::numbered(interpolation_mode, padding_mode, align_corners)), of floats, grad parts as GridSampler2DBackward0;
    GridSampler3d "grid_sampler_3d(Tensor self, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor" [function]
        => new samples::grid_sampler(3, input, grid, Sampling::numbered(interpolation_mode, padding_mode, align_corners)), of floats, grad parts as GridSampler3DBackward0;
    NativeBatchNorm "native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)"
        => new statistics::native_batch_norm(input, Channels { mean: running_mean, variance: running_var, weight, bias, training, momentum, eps: eps.into() }), of floats, grad parts as NativeBatchNormBackward0;
    NativeBatchNormLegit "_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)"
        => new statistics::native_batch_norm(input, Channels { mean: Some(running_mean), variance: Some(running_var), weight, bias, training, momentum, eps: eps.into() }), of floats, grad parts as NativeBatchNormLegitBackward0;
    NativeBatchNormLegitAlone "_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)"
        => new statistics::native_batch_norm(input, Channels { mean: None, variance: None, weight, bias, training, momentum, eps: eps.into() }), of floats, grad parts as NativeBatchNormLegitBackward1;
    NativeBatchNormLegitNoTraining "_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)"
        => new statistics::native_batch_norm(input, Channels { mean: Some(running_mean), variance: Some(running_var), weight, bias, training: false, momentum, eps: eps.into() }), of floats, grad parts as NativeBatchNormLegitNoTrainingBackward0;
    BatchNormWithUpdate "_batch_norm_with_update(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)" [function]
        => new statistics::batch_norm_and_reserve(input, Channels { mean: Some(running_mean), variance: Some(running_var), weight, bias, training: true, momentum, eps: eps.into() }), of floats, grad parts as BatchNormWithUpdateBackward0;
    BatchNormNoUpdate "_batch_norm_no_update(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)" [function]
        => new statistics::batch_norm_and_reserve(input, Channels { mean: running_mean, variance: running_var, weight, bias, training: false, momentum, eps: eps.into() }), of floats, grad parts as BatchNormNoUpdateBackward0;
};
