//! Layers that give rows, groups or channels mean 0 and variance 1. With a weight and a bias, their names end in `_with`.

use super::declared::{argument, certain, declared, kind};
use super::{Tensor, made};
use crate::call::Function;
use crate::element::Element;
use crate::error::{Result, proved};
use crate::kinds::RealFloat;
use crate::shape::Shape;

declared! {
    /// PyTorch's `layer_norm`: rows of those last sizes with mean 0 and variance 1.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let x = Tensor::from([[1.0_f32, 2.0, 3.0], [0.0, 0.0, 3.0]]);
    /// let normal = x.layer_norm([3])?;
    /// assert!((normal.mean().item()).abs() < 1e-6);
    /// let scaled = x.layer_norm_with([3], &Tensor::from([2.0_f32; 3]), &Tensor::from([1.0_f32; 3]), 1e-5)?;
    /// assert!((scaled.mean().item() - 1.0).abs() < 1e-6);
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    LayerNorm layer_norm(sizes sizes) // or x.layer_norm_with([3], &w, &bias, 1e-5)?
        [E: RealFloat] -> Tensor<E, S>, "Where the last sizes aren't these.";
    /// The same, times a weight, plus a bias; `eps` is added to the variance.
    LayerNorm layer_norm_with(sizes sizes, maybe weight, maybe bias, float eps) [E: RealFloat] -> Tensor<E, S>,
        "Where the last sizes aren't these.";
    /// PyTorch's `rms_norm`: rows of those last sizes divided by the root of their mean square.
    RmsNorm rms_norm(sizes sizes) // or x.rms_norm_with([3], &w, 1e-5)?
        [E: RealFloat] -> Tensor<E, S>, "Where the last sizes aren't these.";
    /// The same, times a weight; `eps` is added to the mean square.
    RmsNorm rms_norm_with(sizes sizes, maybe weight, float eps) [E: RealFloat] -> Tensor<E, S>, "Where the last sizes aren't these.";
    /// PyTorch's `group_norm`: groups of channels (the second dimension) with mean 0 and variance 1.
    GroupNorm group_norm(count groups) // or picture.group_norm_with(2, &weight, None, 1e-5)?
        [E: RealFloat] -> Tensor<E, S>, "Where the groups don't divide the channels.";
    /// The same, times a weight, plus a bias; `eps` is added to the variance.
    GroupNorm group_norm_with(count groups, maybe weight, maybe bias, float eps) [E: RealFloat] -> Tensor<E, S>, "Where the groups don't divide the channels.";
    /// [`batch_norm`](Self::batch_norm) times a weight, plus a bias. Of a network that learns, `training`, channels get mean 0 and variance 1, and the share `momentum`
    /// of what they were goes into the tensors that keep them. `eps` is added to the variance.
    BatchNorm batch_norm_with(maybe running_mean, maybe running_var, maybe weight, maybe bias, flag training, float momentum, float eps) [E: RealFloat] -> Tensor<E, S>,
        "Where there isn't one of each for each channel.";
    /// [`instance_norm`](Self::instance_norm) times a weight, plus a bias. Means and variances are those of each sample, or, without `use_input_stats`, those that were kept;
    /// the share `momentum` goes into the tensors that keep them. `eps` is added to the variance.
    InstanceNorm instance_norm_with(maybe running_mean, maybe running_var, maybe weight, maybe bias, flag use_input_stats, float momentum, float eps) [E: RealFloat] -> Tensor<E, S>,
        "Where there isn't one of each for each channel.";
}

certain! {
    /// PyTorch's `batch_norm` of a network that has learnt: channels (the second dimension) by means and variances that were kept.
    ///
    /// ```
    /// # use latten_core::tensor::Tensor;
    /// let x = Tensor::from([[1.0_f32, 2.0], [3.0, 6.0]]);
    /// let (mean, variance) = (Tensor::from([0.0_f32; 2]), Tensor::from([1.0_f32; 2]));
    /// let learning = x.batch_norm_with(&mean, &variance, None, None, true, 0.1, 1e-5)?;
    /// assert!(learning.mean().item().abs() < 1e-6);
    /// assert!((mean.get([1])? - 0.4).abs() < 1e-6); // a tenth of the mean of this batch
    /// let learnt = x.batch_norm(&mean, &variance);
    /// # let _ = learnt;
    /// # Ok::<(), latten_core::error::Error>(())
    /// ```
    BatchNorm batch_norm // or picture.batch_norm_with(&mean, &variance, None, None, true, 0.1, 1e-5)?
        try_batch_norm(same running_mean, same running_var)
        [E: RealFloat] -> Tensor<E, S>, "Where there isn't one of each for each channel.";
    /// PyTorch's `instance_norm`: each channel of each sample with mean 0 and variance 1.
    InstanceNorm instance_norm try_instance_norm() // or picture.instance_norm_with(None, None, &weight, None, true, 0.1, 1e-5)?
        [E: RealFloat] -> Tensor<E, S>, "Where there are fewer than three dimensions.";
}
