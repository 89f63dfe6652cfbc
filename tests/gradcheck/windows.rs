//! Calls that go over images in windows, and layers that know what channels are like.

use latten::prelude::*;
use latten::{args, call};

use super::meta::beside;
use super::{Example, Function, all, places, sizes};

/// Means and variances that were found before.
fn half() -> Result<DynTensor, Error> {
    call("full", args![[2], 0.5, dtype = DType::F64]).and_then(latten::Outcome::tensor).map(beside)
}

pub(super) fn examples() -> Vec<Example> {
    vec![
        example!("im2col", [[2, 2, 4, 3]], |x| &x[0], [2, 2], [1, 1], [1, 0], [2, 1]),
        example!("col2im", [[2, 8, 6]], |x| &x[0], [4, 3], [2, 2], [1, 1], [0, 1], [1, 2]),
        example!("nn.functional.unfold", [[2, 4, 3]], |x| &x[0], 2, padding = 1, stride = 2),
        example!("fold", [[1, 8, 6]], |x| &x[0], [4, 3], 2),
        example!("convolution", [[2, 2, 5], [2, 2, 2], [2]], |x| &x[0], &x[1], &x[2], [2], [1], [1], false, [0], 1),
        example!("convolution", [[1, 2, 3], [2, 1, 2]], |x| &x[0], &x[1], (), [2], [1], [3], true, [2], 2),
        example!("conv1d", [[2, 5], [2, 2, 2], [2]], |x| &x[0], &x[1], &x[2], padding = "same"),
        example!("conv2d", [[2, 2, 4, 3], [2, 1, 2, 2], [2]], |x| &x[0], &x[1], &x[2], stride = 2, padding = [1, 0], groups = 2),
        example!("conv3d", [[1, 1, 2, 3, 2], [1, 1, 2, 2, 1]], |x| &x[0], &x[1], dilation = [1, 2, 1]),
        example!("conv_transpose1d", [[2, 2, 3], [2, 2, 2], [2]], |x| &x[0], &x[1], &x[2], stride = 2, output_padding = 1),
        example!("conv_transpose2d", [[1, 2, 2, 2], [2, 1, 2, 2]], |x| &x[0], &x[1], padding = 1, stride = [2, 1]),
        example!("conv_transpose3d", [[1, 1, 2, 1, 2], [1, 2, 1, 2, 2]], |x| &x[0], &x[1]),
        example!("max_pool1d_with_indices", [[2, 2, 5]], |x| &x[0], 2),
        example!("max_pool2d_with_indices", [[2, 4, 5]], |x| &x[0], [2, 3], [1, 2], 1),
        example!("max_pool3d_with_indices", [[1, 3, 3, 3]], |x| &x[0], 2, 1),
        example!("max_pool1d", [[2, 2, 5]], |x| &x[0], 3, stride = 2, padding = 1, ceil_mode = true),
        example!("max_pool2d", [[2, 4, 5]], |x| &x[0], 2, dilation = 2),
        example!("max_pool3d", [[1, 3, 3, 3]], |x| &x[0], 2, return_indices = true),
        example!("avg_pool1d", [[2, 2, 5]], |x| &x[0], 3, padding = 1),
        example!("avg_pool2d", [[2, 4, 5]], |x| &x[0], [2, 3], stride = 2, padding = 1, count_include_pad = false, ceil_mode = true),
        example!("avg_pool3d", [[1, 3, 2, 3]], |x| &x[0], 2, divisor_override = 3),
        example!("adaptive_avg_pool1d", [[2, 2, 5]], |x| &x[0], 3),
        example!("adaptive_avg_pool2d", [[2, 4, 5]], |x| &x[0], [2, 3]),
        example!("adaptive_avg_pool3d", [[1, 2, 3, 2]], |x| &x[0], [1, 2, 2]),
        example!("adaptive_max_pool1d", [[2, 2, 5]], |x| &x[0], 3),
        example!("adaptive_max_pool2d", [[2, 4, 5]], |x| &x[0], [2, 3], return_indices = true),
        example!("adaptive_max_pool3d", [[1, 2, 3, 2]], |x| &x[0], [1, 2, 2]),
        example!("interpolate", [[1, 2, 3]], |x| &x[0], size = 5),
        example!("interpolate", [[1, 1, 3, 2]], |x| &x[0], scale_factor = 2.5, mode = "bilinear"),
        example!("interpolate", [[1, 1, 3, 2]], |x| &x[0], size = [4, 5], mode = "bicubic", align_corners = true),
        example!("upsample_nearest", [[1, 2, 3]], |x| &x[0], 5),
        example!("upsample_bilinear", [[1, 1, 3, 2]], |x| &x[0], [4, 5]),
        example!("batch_norm", [[3, 2, 2], [2], [2]], |x| &x[0], (), (), &x[1], &x[2], true),
        example!("batch_norm", [[3, 2], [2], [2]], |x| &x[0], &half()?, &half()?, &x[1], &x[2]),
        example!("instance_norm", [[2, 2, 3], [2]], |x| &x[0], weight = &x[1]),
        example!("local_response_norm", [[2, 3, 2]], |x| &x[0], 2, alpha = 0.5),
        example!("cdist", [[3, 2], [2, 2]], |x| &x[0], &x[1]),
        example!("triplet_margin_with_distance_loss", [[3, 2], [3, 2], [3, 2]], |x| &x[0], &x[1], &x[2], swap = true),
        example!("multi_margin_loss", [[3, 4], [4]], |x| &x[0], &places(&[3, 0, 1]), 2, 0.7, &x[1]),
        example!("multilabel_margin_loss", [[3]], |x| &x[0], &places(&[2, 0, -1])),
        example!("multilabel_soft_margin_loss", [[3, 4], [3, 4], [4]], |x| &x[0], &x[1], &x[2]),
        example!("cdist", [[3, 2], [2, 2]], |x| &x[0], &x[1], 1.5),
        example!("pdist", [[4, 2]], |x| &x[0]),
        example!("bilinear", [[2, 2], [2, 3], [2, 2, 3], [2]], |x| &x[0], &x[1], &x[2], &x[3]),
        example!("scaled_dot_product_attention", [[2, 3, 2], [2, 4, 2], [2, 4, 3]], |x| &x[0], &x[1], &x[2]),
        example!("scaled_dot_product_attention", [[3, 2], [3, 2], [3, 2]], |x| &x[0], &x[1], &x[2], is_causal = true),
        example!(
            "multi_head_attention_forward",
            [[3, 2, 4], [2, 2, 4], [2, 2, 4], [12, 4], [12], [1, 1, 4], [1, 1, 4], [4, 4], [4]],
            |x| &x[0],
            &x[1],
            &x[2],
            4,
            2,
            &x[3],
            &x[4],
            &x[5],
            &x[6],
            true,
            0.0,
            &x[7],
            &x[8]
        ),
        example!(
            "multi_head_attention_forward",
            [[3, 4], [2, 4], [2, 4], [4, 4], [4, 4], [2]],
            |x| &x[0],
            &x[1],
            &x[2],
            4,
            2,
            (),
            (),
            (),
            (),
            false,
            0.0,
            &x[3],
            (),
            need_weights = false,
            key_padding_mask = &x[5],
            use_separate_proj_weight = true,
            q_proj_weight = &x[4],
            k_proj_weight = &x[4],
            v_proj_weight = &x[4]
        ),
        example!("_upsample_bilinear2d_aa", [[1, 1, 5, 4]], |x| &x[0], [2, 3], false),
        example!("interpolate", [[1, 1, 5, 3]], |x| &x[0], size = [2, 4], mode = "bicubic", antialias = true),
        example!(
            "embedding_bag",
            [[4, 3], [5]],
            |x| &places(&[3, 0, 1, 1, 2]),
            &x[0],
            &places(&[0, 2]),
            mode = "sum",
            per_sample_weights = &x[1]
        ),
        example!("embedding_bag", [[4, 3]], |x| &places(&[3, 0, 1]), &x[0], &places(&[0, 2]), padding_idx = 1),
        example!("embedding_bag", [[4, 3]], |x| &places(&[3, 0, 1]), &x[0], &places(&[0, 2]), mode = "max"),
    ]
}
