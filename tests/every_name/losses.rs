//! Losses. What they make of the losses of single elements, those say whose names end in `_with`.

use super::prelude::*;

use super::ty;

pub(super) fn of_numbers() -> Result<()> {
    let (x, y) = (tensor![[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], tensor![[0.5, 1.0, 0.25], [0.0, 0.25, 1.0]]);
    let (w, signs) = (tensor![0.5, 1.0, 2.0], tensor![[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]]);
    erase!(x, y, w, signs);

    ty(x.mse_loss(&y)?); // mse_loss
    ty(x.mse_loss_with(&y, Reduction::Sum)?); // mse_loss
    ty(x.l1_loss(&y)?); // l1_loss
    ty(x.l1_loss_with(&y, Reduction::None)?); // l1_loss
    ty(x.smooth_l1_loss(&y)?); // smooth_l1_loss
    ty(x.smooth_l1_loss_with(&y, Reduction::Mean, 0.5)?); // smooth_l1_loss
    ty(x.huber_loss(&y)?); // huber_loss
    ty(x.huber_loss_with(&y, Reduction::Mean, 0.5)?); // huber_loss
    ty(x.log().kl_div(&y)?); // kl_div
    ty(x.log().kl_div_with(&y.log(), Reduction::Sum, true)?); // kl_div
    ty(x.binary_cross_entropy(&y)?); // binary_cross_entropy
    ty(x.binary_cross_entropy_with(&y, &w, Reduction::Mean)?); // binary_cross_entropy
    ty(x.binary_cross_entropy_with_logits(&y)?); // binary_cross_entropy_with_logits
    ty(x.binary_cross_entropy_with_logits_with(&y, None, Reduction::Mean, &w)?); // binary_cross_entropy_with_logits
    ty(x.poisson_nll_loss(&y)?); // poisson_nll_loss
    ty(x.poisson_nll_loss_with(&y, false, true, 1e-8, Reduction::Mean)?); // poisson_nll_loss
    ty(x.gaussian_nll_loss(&y, &x)?); // gaussian_nll_loss
    ty(x.gaussian_nll_loss_with(&y, &x, true, 1e-6, Reduction::Sum)?); // gaussian_nll_loss
    ty(x.soft_margin_loss(&signs)?); // soft_margin_loss
    ty(x.soft_margin_loss_with(&signs, Reduction::Sum)?); // soft_margin_loss
    ty(x.hinge_embedding_loss(&signs)?); // hinge_embedding_loss
    ty(x.hinge_embedding_loss_with(&signs, 0.5, Reduction::None)?); // hinge_embedding_loss
    ty(x.margin_ranking_loss(&y, &signs)?); // margin_ranking_loss
    ty(x.margin_ranking_loss_with(&y, &signs, 0.5, Reduction::Sum)?); // margin_ranking_loss
    Ok(())
}

pub(super) fn of_rows() -> Result<()> {
    let (x, y) = (tensor![[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], tensor![[0.5, 1.0, 0.25], [0.0, 0.25, 1.0]]);
    let (w, classes, signs) = (tensor![0.5, 1.0, 2.0], tensor![2, 0], tensor![1.0, -1.0]);
    let several = tensor![[2, 0, -1], [1, -1, 0]];
    erase!(x, y, w, classes, signs, several);

    ty(x.cross_entropy(&classes)?); // cross_entropy
    ty(x.cross_entropy_with(&classes, &w, -100, Reduction::Sum, 0.1)?); // cross_entropy
    ty(x.nll_loss(&classes)?); // nll_loss
    ty(x.nll_loss_with(&classes, &w, -100, Reduction::None)?); // nll_loss
    ty(call("linear_cross_entropy", args![&x, &Tensor::<f32, shape![4, 3]>::ones(), &classes])?.tensor()?); // linear_cross_entropy
    ty(x.multi_margin_loss(&classes)?); // multi_margin_loss
    ty(x.multi_margin_loss_with(&classes, 1.0, 0.5, &w, Reduction::Sum)?); // multi_margin_loss
    ty(x.multilabel_margin_loss(&several)?); // multilabel_margin_loss
    ty(x.multilabel_margin_loss_with(&several, Reduction::None)?); // multilabel_margin_loss
    ty(x.multilabel_soft_margin_loss(&y)?); // multilabel_soft_margin_loss
    ty(x.multilabel_soft_margin_loss_with(&y, &w, Reduction::Sum)?); // multilabel_soft_margin_loss
    ty(x.cosine_embedding_loss(&y, &signs)?); // cosine_embedding_loss
    ty(x.cosine_embedding_loss_with(&y, &signs, 0.5, Reduction::None)?); // cosine_embedding_loss
    ty(x.triplet_margin_loss(&y, &x)?); // triplet_margin_loss
    ty(x.triplet_margin_loss_with(&y, &x, 1.0, 2.0, 1e-6, true, Reduction::Sum)?); // triplet_margin_loss
    ty(call("triplet_margin_with_distance_loss", args![&x, &y, &x])?.tensor()?); // triplet_margin_with_distance_loss
    Ok(())
}

pub(super) fn of_texts() -> Result<()> {
    let logs = Tensor::<f32, shape![6, 2, 4]>::ones() * -1.386_294_4;
    let (targets, steps, signs) = (tensor![[1, 2], [3, 3]], tensor![6, 5], tensor![2, 2]);
    let (found, ones) = (call("_ctc_loss", args![&logs, &targets, [6, 5], [2, 2]])?.tensors()?, tensor![1.0, 1.0]);
    erase!(logs, targets, steps, signs, ones);

    ty(logs.ctc_loss(&targets, &steps, &signs)?); // ctc_loss
    ty(logs.ctc_loss_with(&targets, &steps, &signs, 0, Reduction::Sum, true)?); // ctc_loss
    ty(call("_ctc_loss", args![&logs, &targets, [6, 5], [2, 2]])?.tensors()?); // _ctc_loss
    ty(call("_ctc_loss_backward", args![&ones, &logs, &targets, [6, 5], [2, 2], &found[0], &found[1], 0])?.tensor()?); // _ctc_loss_backward
    Ok(())
}

pub(super) fn backwards() -> Result<()> {
    let (x, y) = (tensor![[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], tensor![[0.5, 1.0, 0.25], [0.0, 0.25, 1.0]]);
    let lengths = tensor![1, 1];
    erase!(x, y, lengths);

    ty(call("_softmax_backward_data", args![&x, &y, 1, DType::F32])?.tensor()?); // _softmax_backward_data
    ty(call("_log_softmax_backward_data", args![&x, &y, 1, DType::F32])?.tensor()?); // _log_softmax_backward_data
    ty(call("segment_reduce", args![&x, "sum", lengths = &lengths])?.tensor()?); // segment_reduce
    ty(call("_segment_reduce", args![&x, "sum", lengths = &lengths])?.tensor()?); // _segment_reduce
    Ok(())
}
