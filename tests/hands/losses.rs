//! Losses with PyTorch's other arguments: what is made of them says the shape.

use latten::prelude::*;

use super::declared::same;

#[test]
fn losses_are_those_of_their_names() -> Result<()> {
    let x = tensor![[0.5, -1.5, 2.0], [0.25, 3.0, -0.5]];
    let y = tensor![[1.0, 0.0, 0.5], [0.0, 1.0, 0.75]];
    let (chances, signs) = (x.sigmoid(), y.where_(&y.gt(0.6), -1.0).sign());
    let (classes, rows) = (tensor![2, 0], tensor![1.0, -1.0]);
    let weight = tensor![0.5, 1.0, 2.0];

    same::<f32, shape![]>("mse_loss", x.mse_loss_with(&y, Reduction::Sum), args![&x, &y, reduction = "sum"])?;
    same::<f32, shape![2, 3]>("mse_loss", x.mse_loss_with(&y, Reduction::None), args![&x, &y, reduction = "none"])?;
    same::<f32, Any>("mse_loss", x.mse_loss_with(&y, "none"), args![&x, &y, reduction = "none"])?;
    same("l1_loss", x.l1_loss_with(&y, Reduction::None), args![&x, &y, reduction = "none"])?;
    same("smooth_l1_loss", x.smooth_l1_loss_with(&y, Reduction::Sum, 0.5), args![&x, &y, reduction = "sum", beta = 0.5])?;
    same("huber_loss", x.huber_loss_with(&y, Reduction::Mean, 0.5), args![&x, &y, delta = 0.5])?;
    same("kl_div", x.kl_div_with(&y, Reduction::Sum, true), args![&x, &y, reduction = "sum", log_target = true])?;
    same(
        "binary_cross_entropy",
        chances.binary_cross_entropy_with(&y, &weight, Reduction::Sum),
        args![&chances, &y, &weight, reduction = "sum"],
    )?;
    same(
        "binary_cross_entropy_with_logits",
        x.binary_cross_entropy_with_logits_with(&y, None, Reduction::None, &weight),
        args![&x, &y, reduction = "none", pos_weight = &weight],
    )?;
    same(
        "poisson_nll_loss",
        chances.poisson_nll_loss_with(&y, false, true, 1e-3, Reduction::Sum),
        args![&chances, &y, false, true, eps = 1e-3, reduction = "sum"],
    )?;
    same("soft_margin_loss", x.soft_margin_loss_with(&signs, Reduction::Sum), args![&x, &signs, reduction = "sum"])?;
    same("hinge_embedding_loss", x.hinge_embedding_loss_with(&signs, 0.5, Reduction::None), args![&x, &signs, 0.5, reduction = "none"])?;
    same::<f32, shape![]>(
        "cross_entropy",
        x.cross_entropy_with(&classes, &weight, 2, Reduction::Sum, 0.1),
        args![&x, &classes, &weight, ignore_index = 2, reduction = "sum", label_smoothing = 0.1],
    )?;
    same::<f32, Rank<1>>(
        "cross_entropy",
        x.cross_entropy_with(&classes, None, -100, Reduction::None, 0.0),
        args![&x, &classes, reduction = "none"],
    )?;
    same("nll_loss", x.nll_loss_with(&classes, &weight, -100, Reduction::None), args![&x, &classes, &weight, reduction = "none"])?;

    same("gaussian_nll_loss", x.gaussian_nll_loss(&y, &chances), args![&x, &y, &chances])?;
    same("margin_ranking_loss", x.margin_ranking_loss(&y, &signs), args![&x, &y, &signs])?;
    same("cosine_embedding_loss", x.cosine_embedding_loss(&y, &rows), args![&x, &y, &rows])?;
    same("triplet_margin_loss", x.triplet_margin_loss(&y, &signs), args![&x, &y, &signs])?;
    same("multi_margin_loss", x.multi_margin_loss(&classes), args![&x, &classes])?;
    let several = tensor![[2, 0, -1], [1, -1, 0]];
    same("multilabel_margin_loss", x.multilabel_margin_loss(&several), args![&x, &several])?;
    same("multilabel_soft_margin_loss", x.multilabel_soft_margin_loss(&y), args![&x, &y])?;

    let none = Reduction::None;
    same(
        "gaussian_nll_loss",
        x.gaussian_nll_loss_with(&y, &chances, true, 0.5, none),
        args![&x, &y, &chances, true, 0.5, reduction = "none"],
    )?;
    same("margin_ranking_loss", x.margin_ranking_loss_with(&y, &signs, 0.5, none), args![&x, &y, &signs, 0.5, reduction = "none"])?;
    same("cosine_embedding_loss", x.cosine_embedding_loss_with(&y, &rows, 0.25, none), args![&x, &y, &rows, 0.25, reduction = "none"])?;
    same(
        "triplet_margin_loss",
        x.triplet_margin_loss_with(&y, &signs, 0.5, 1.0, 1e-3, true, none),
        args![&x, &y, &signs, 0.5, 1.0, 1e-3, true, reduction = "none"],
    )?;
    same(
        "multi_margin_loss",
        x.multi_margin_loss_with(&classes, 2.0, 0.5, &weight, none),
        args![&x, &classes, 2, 0.5, &weight, reduction = "none"],
    )?;
    same("multilabel_margin_loss", x.multilabel_margin_loss_with(&several, none), args![&x, &several, reduction = "none"])?;
    same("multilabel_soft_margin_loss", x.multilabel_soft_margin_loss_with(&y, &weight, none), args![&x, &y, &weight, reduction = "none"])
}

/// A target that stretches this tensor makes more losses than it has elements.
#[test]
fn single_losses_have_the_shape_of_the_tensor() -> Result<()> {
    let (x, y) = (tensor![[1.0], [2.0]], tensor![[1.0, 2.0]]);
    let error = x.mse_loss_with(&y, Reduction::None).expect_err("two rows of two");
    assert_eq!(error.message(), "mse_loss: the losses have shape [2, 2], not [2, 1]");
    assert_eq!(x.mse_loss_with(&y, "none")?.sizes(), [2, 2]);
    Ok(())
}

#[test]
fn what_is_left_out_by_chance_is_a_value() {
    let x = Tensor::<f32, shape![8]>::ones();
    assert_eq!(x.dropout(0.5, false).to_vec(), [1.0; 8]);
    assert_eq!(
        x.try_dropout(1.5, true).expect_err("no probability").message(),
        "dropout probability has to be between 0 and 1, but got 1.5"
    );
}

#[test]
fn sizes_that_only_the_run_knows_are_squeezed_along_axes() -> Result<()> {
    let x = Tensor::<f32>::ones([1, 3])?;
    let row: Tensor<f32, Rank<1>> = x.squeeze(axis::<0>());
    assert_eq!(row.sizes(), [3]);
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| x.squeeze(axis::<1>()))).expect_err("three");
    let text = panic.downcast_ref::<String>().expect("a text");
    assert!(text.contains("squeeze"), "{text}");
    let order = Tensor::<i64, shape![16]>::randperm();
    assert_eq!(order.sort(axis::<0>()).0.to_vec(), (0..16).collect::<Vec<i64>>());
    Ok(())
}
