//! Convolutions, pools, pictures, norms, attention.

use super::prelude::*;

use super::ty;

pub(super) fn convolutions() -> Result<()> {
    let (row, picture) = (Tensor::<f32, shape![1, 2, 8]>::ones(), Tensor::<f32, shape![1, 4, 4, 4]>::ones());
    let (film, bias) = (Tensor::<f32, shape![1, 2, 4, 4, 4]>::ones(), tensor![0.5, 1.0]);
    let (row_w, picture_w, film_w) = (Tensor::<f32, shape![2, 2, 3]>::ones(), Tensor::<f32, shape![2, 4, 3, 3]>::ones(), film.clone());
    let halves = picture_w.i(i![.., ..2]);
    let (spread, columns) = (Tensor::<f32, shape![4, 2, 3, 3]>::ones(), Tensor::<f32, shape![1, 4, 9]>::ones());
    erase!(row, picture, film, bias, row_w, picture_w, film_w, halves, spread, columns);

    ty(row.conv1d(&row_w)); // conv1d
    ty(row.conv1d_with(&row_w, &bias, 1, 1, 1)?); // conv1d
    ty(row.conv1d_grouped(&row_w.i(i![.., ..1]), &bias, 1, 1, 1, 2)?); // conv1d
    ty(picture.conv2d(&picture_w)); // conv2d
    ty(picture.conv2d_with(&picture_w, &bias, [2, 1], 1, 1)?); // conv2d
    ty(picture.conv2d_grouped(&halves, &bias, 1, 1, 1, 2)?); // conv2d
    ty(film.conv3d(&film_w)); // conv3d
    ty(film.conv3d_with(&film_w, None, 1, 1, 1)?); // conv3d
    ty(film.conv3d_grouped(&film_w.reshape(shape![2, 1, 4, 4, 4]), None, 1, 1, 1, 2)?); // conv3d
    ty(row.conv_transpose1d(&row_w)); // conv_transpose1d
    ty(row.conv_transpose1d_with(&row_w, &bias, 2, 1, 1)?); // conv_transpose1d
    ty(row.conv_transpose1d_grouped(&row_w, None, 2, 1, 1, 2, 1)?); // conv_transpose1d
    ty(picture.conv_transpose2d(&spread)); // conv_transpose2d
    ty(picture.conv_transpose2d_with(&spread, &bias, 2, 1, 1)?); // conv_transpose2d
    ty(picture.conv_transpose2d_grouped(&spread, None, 2, 1, 1, 2, 1)?); // conv_transpose2d
    ty(film.conv_transpose3d(&film.transpose(0, 1)?)); // conv_transpose3d
    ty(film.conv_transpose3d_with(&film.transpose(0, 1)?, None, 2, 1, 1)?); // conv_transpose3d
    ty(film.conv_transpose3d_grouped(&film.transpose(0, 1)?, None, 2, 1, 1, 2, 1)?); // conv_transpose3d
    ty(call("convolution", args![&row, &row_w, &bias, [1], [0], [1], false, [0], 1])?.tensor()?); // convolution
    ty(picture.im2col([2, 2], [1, 1], [0, 0], [1, 1])?); // im2col, nn.functional.unfold
    ty(columns.col2im([4, 4], [2, 2], [1, 1], [0, 0], [1, 1])?); // col2im
    ty(columns.fold([4, 4], [2, 2])?); // fold
    ty(columns.fold_with([4, 4], [2, 2], 1, 0, 1)?); // fold
    Ok(())
}

pub(super) fn pools() -> Result<()> {
    let (row, picture) = (Tensor::<f32, shape![1, 2, 8]>::ones(), Tensor::<f32, shape![1, 4, 4, 4]>::ones());
    let film = Tensor::<f32, shape![1, 2, 4, 4, 4]>::ones();
    let (row_at, picture_at) = (row.max_pool1d_with_indices(2)?.1, picture.max_pool2d_with_indices(2)?.1);
    let film_at = film.max_pool3d_with_indices(2)?.1;
    let (few, small, short) = (row.max_pool1d(2)?, picture.max_pool2d(2)?, film.max_pool3d(2)?);
    erase!(row, picture, film, row_at, picture_at, film_at, few, small, short);

    ty(row.max_pool1d(2)?); // max_pool1d
    ty(row.max_pool1d_with(3, 2, 1)?); // max_pool1d
    ty(picture.max_pool2d(2)?); // max_pool2d
    ty(picture.max_pool2d_with(3, 2, 1)?); // max_pool2d
    ty(film.max_pool3d(2)?); // max_pool3d
    ty(film.max_pool3d_with(3, 2, 1)?); // max_pool3d
    ty(row.max_pool1d_with_indices(2)?); // max_pool1d_with_indices
    ty(row.max_pool1d_with_indices_with(3, 2, 1)?); // max_pool1d_with_indices
    ty(picture.max_pool2d_with_indices(2)?); // max_pool2d_with_indices
    ty(picture.max_pool2d_with_indices_with(3, 2, 1)?); // max_pool2d_with_indices
    ty(film.max_pool3d_with_indices(2)?); // max_pool3d_with_indices
    ty(film.max_pool3d_with_indices_with(3, 2, 1)?); // max_pool3d_with_indices
    ty(few.max_unpool1d(&row_at, 2)?); // max_unpool1d
    ty(few.max_unpool1d_with(&row_at, 2, 2, 0)?); // max_unpool1d
    ty(small.max_unpool2d(&picture_at, 2)?); // max_unpool2d
    ty(small.max_unpool2d_with(&picture_at, 2, 2, 0)?); // max_unpool2d
    ty(short.max_unpool3d(&film_at, 2)?); // max_unpool3d
    ty(short.max_unpool3d_with(&film_at, 2, 2, 0)?); // max_unpool3d
    ty(row.avg_pool1d(2)?); // avg_pool1d
    ty(row.avg_pool1d_with(3, 2, 1)?); // avg_pool1d
    ty(picture.avg_pool2d(2)?); // avg_pool2d
    ty(picture.avg_pool2d_with(3, 2, 1)?); // avg_pool2d
    ty(film.avg_pool3d(2)?); // avg_pool3d
    ty(film.avg_pool3d_with(3, 2, 1)?); // avg_pool3d
    ty(row.adaptive_avg_pool1d(2)?); // adaptive_avg_pool1d
    ty(picture.adaptive_avg_pool2d([2, 3])?); // adaptive_avg_pool2d
    ty(film.adaptive_avg_pool3d(2)?); // adaptive_avg_pool3d
    ty(row.adaptive_max_pool1d(2)?); // adaptive_max_pool1d
    ty(picture.adaptive_max_pool2d([2, 3])?); // adaptive_max_pool2d
    ty(film.adaptive_max_pool3d(2)?); // adaptive_max_pool3d
    Ok(())
}

pub(super) fn pictures() -> Result<()> {
    let (picture, film) = (Tensor::<f32, shape![1, 4, 4, 4]>::ones(), Tensor::<f32, shape![1, 2, 4, 4, 4]>::ones());
    let (grid, places) = (Tensor::<f32, shape![1, 3, 5, 2]>::zeros(), Tensor::<f32, shape![1, 3, 3, 3, 3]>::zeros());
    let theta = tensor![[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]];
    erase!(picture, film, grid, places, theta);

    ty(picture.interpolate([8, 8])?); // interpolate, upsample_nearest
    ty(picture.interpolate_by(2)?); // interpolate, upsample_nearest
    ty(picture.interpolate_with([8, 8], "bilinear", true)?); // interpolate, upsample_bilinear
    ty(picture.interpolate_by_with(1.5, "bicubic", None)?); // interpolate
    ty(call("_upsample_bilinear2d_aa", args![&picture, [2, 2], false])?.tensor()?); // _upsample_bilinear2d_aa
    ty(picture.grid_sample(&grid)); // grid_sample
    ty(picture.grid_sample_with(&grid, "nearest", "border", true)?); // grid_sample
    ty(call("grid_sampler_2d", args![&picture, &grid, 0, 0, false])?.tensor()?); // grid_sampler_2d
    ty(call("grid_sampler_3d", args![&film, &places, 0, 0, false])?.tensor()?); // grid_sampler_3d
    ty(theta.affine_grid([1, 1, 3, 2])?); // affine_grid
    ty(theta.affine_grid_with([1, 1, 3, 2], true)?); // affine_grid
    ty(picture.pixel_shuffle(2)?); // pixel_shuffle
    ty(picture.pixel_unshuffle(2)?); // pixel_unshuffle
    ty(picture.channel_shuffle(2)?); // channel_shuffle
    Ok(())
}

pub(super) fn norms() -> Result<()> {
    let (x, picture) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], Tensor::<f32, shape![1, 4, 4, 4]>::randn());
    let (w, bias) = (tensor![1.0, 2.0, 0.5], tensor![0.0, 1.0, 0.0]);
    let (mean, variance, weight) = (Tensor::<f32, shape![4]>::zeros(), Tensor::<f32, shape![4]>::ones(), Tensor::<f32, shape![4]>::ones());
    erase!(x, picture, w, bias, mean, variance, weight);

    ty(x.layer_norm([3])?); // layer_norm
    ty(x.layer_norm_with([3], &w, &bias, 1e-5)?); // layer_norm
    ty(x.rms_norm([3])?); // rms_norm
    ty(x.rms_norm_with([3], &w, 1e-5)?); // rms_norm
    ty(picture.group_norm(2)?); // group_norm
    ty(picture.group_norm_with(2, &weight, None, 1e-5)?); // group_norm
    ty(picture.batch_norm(&mean, &variance)); // batch_norm
    ty(picture.batch_norm_with(&mean, &variance, None, None, true, 0.1, 1e-5)?); // batch_norm
    ty(picture.instance_norm()); // instance_norm
    ty(picture.instance_norm_with(None, None, &weight, None, true, 0.1, 1e-5)?); // instance_norm
    ty(picture.local_response_norm(3)?); // local_response_norm
    ty(picture.local_response_norm_with(3, 1e-4, 0.75, 1.0)?); // local_response_norm
    ty(call("native_layer_norm", args![&x, [3], &w, &bias, 1e-5])?.tensors()?); // native_layer_norm
    ty(call("native_group_norm", args![&picture, (), (), 1, 4, 16, 2, 1e-5])?.tensors()?); // native_group_norm
    ty(call("native_batch_norm", args![&picture, &weight, (), &mean, &variance, true, 0.1, 1e-5])?.tensors()?); // native_batch_norm
    ty(call("_native_batch_norm_legit", args![&picture, &weight, (), true, 0.1, 1e-5])?.tensors()?); // _native_batch_norm_legit
    ty(call("_native_batch_norm_legit_no_training", args![&picture, (), (), &mean, &variance, 0.1, 1e-5])?.tensors()?); // _native_batch_norm_legit_no_training
    ty(call("_batch_norm_with_update", args![&picture, (), (), &mean, &variance, 0.1, 1e-5])?.tensors()?); // _batch_norm_with_update
    ty(call("_batch_norm_no_update", args![&picture, (), (), &mean, &variance, 0.1, 1e-5])?.tensors()?); // _batch_norm_no_update
    Ok(())
}

pub(super) fn attention() -> Result<()> {
    let (q, k, v) =
        (Tensor::<f32, shape![1, 3, 4]>::ones(), Tensor::<f32, shape![1, 3, 4]>::ones(), Tensor::<f32, shape![1, 3, 4]>::ones());
    let (m, heads) = (Tensor::<bool, shape![3, 3]>::ones().tril(), Tensor::<f32, shape![1, 2, 3, 4]>::ones());
    let (w_in, w_out) = (Tensor::<f32, shape![12, 4]>::ones(), Tensor::<f32, shape![4, 4]>::ones());
    erase!(q, k, v, m, heads, w_in, w_out);

    ty(q.scaled_dot_product_attention(&k, &v)); // scaled_dot_product_attention
    ty(q.scaled_dot_product_attention_with(&k, &v, &m, 0.0, false)?); // scaled_dot_product_attention
    ty(q.scaled_dot_product_attention_with(&k, &v, None, 0.0, true)?); // scaled_dot_product_attention
    ty(call("_scaled_dot_product_flash_attention_for_cpu", args![&heads, &heads, &heads])?.tensors()?); // _scaled_dot_product_flash_attention_for_cpu
    ty(call("multi_head_attention_forward", args![&q, &k, &v, 4, 2, &w_in, (), (), (), false, 0.0, &w_out, ()])?.tensors()?); // multi_head_attention_forward
    Ok(())
}
