//! The names of nodes that depend on the arguments of a call.

use super::super::distances::are_by_products;
use super::super::norms::MatrixOrder;
use crate::raw::RawTensor;

/// Whether there is a way back to a tensor.
pub(super) fn requires_grad(tensor: &RawTensor) -> bool {
    tensor.history.as_ref().is_some_and(|history| history.requires())
}

/// Of a mean over parts of images: where there is one part, it is that of a mean.
pub(super) fn adaptive_node(over: usize, sizes: &[isize]) -> &'static str {
    match over {
        _ if sizes.iter().all(|&size| size == 1) => "MeanBackward1",
        2 => "AdaptiveAvgPool2DBackward0",
        // others: three dimensions.
        _ => "AdaptiveAvgPool3DBackward0",
    }
}

/// Of a power of a matrix: the one that it doesn't play a part in is copied.
pub(super) fn power_node(power: isize) -> &'static str {
    if power == 0 { "CopyBackwards" } else { "" }
}

/// Of images in other sizes.
pub(super) fn interpolated_node(input: &RawTensor, mode: &str, antialias: bool) -> &'static str {
    match (mode, input.rank(), antialias) {
        ("nearest", 3, _) => "UpsampleNearest1DBackward0",
        ("nearest", 4, _) => "UpsampleNearest2DBackward0",
        ("nearest", 5, _) => "UpsampleNearest3DBackward0",
        ("nearest-exact", 3, _) => "UpsampleNearestExact1DBackward0",
        ("nearest-exact", 4, _) => "UpsampleNearestExact2DBackward0",
        ("nearest-exact", 5, _) => "UpsampleNearestExact3DBackward0",
        ("linear", ..) => "UpsampleLinear1DBackward0",
        ("bilinear", _, false) => "UpsampleBilinear2DBackward0",
        ("bilinear", _, true) => "UpsampleBilinear2DAaBackward0",
        ("bicubic", _, false) => "UpsampleBicubic2DBackward0",
        ("bicubic", _, true) => "UpsampleBicubic2DAaBackward0",
        ("trilinear", ..) => "UpsampleTrilinear3DBackward0",
        // others: a mean over parts, or nothing.
        _ => "",
    }
}

/// Of the loss of classes: images have a node of their own.
pub(super) fn class_node(target: &RawTensor, reduction: &str, smoothing: f64) -> &'static str {
    if !target.dtype().is_integral() {
        // Of probabilities.
        return if reduction == "mean" { "DivBackward1" } else { "" };
    }
    match (target.rank(), reduction) {
        _ if smoothing != 0.0 => "",
        (0..=1, _) => "NllLossBackward0",
        (3, _) | (_, "mean" | "sum") => "NllLoss2DBackward0",
        // others: the losses come as they were given.
        _ => "ViewBackward0",
    }
}

/// Of a normalization by channels: what has no elements is copied.
pub(super) fn batch_node(input: &RawTensor, weight: Option<&RawTensor>, bias: Option<&RawTensor>) -> &'static str {
    match (weight, bias) {
        _ if input.numel() > 0 => "NativeBatchNormBackward0",
        (_, Some(_)) => "AddBackward0",
        (Some(_), None) => "MulBackward0",
        (None, None) => "CloneBackward0",
    }
}

/// Of a convolution: complex numbers are convolved by their parts.
pub(super) fn convolved_node(input: &RawTensor, weight: &RawTensor) -> &'static str {
    if input.rank() == weight.rank() && input.dtype().is_complex() { "AddBackward0" } else { "" }
}

/// Of `cdist`: distances by products of matrices are what these give.
pub(super) fn cdist_node(x1: &RawTensor, x2: &RawTensor, p: f64, mode: &str) -> &'static str {
    let by_products = p == 2.0 && are_by_products(x1, x2, mode) && x1.numel() > 0 && x2.numel() > 0;
    if by_products { "ViewBackward0" } else { "CdistBackward0" }
}

/// Of attention: what PyTorch has a kernel for is one node.
pub(super) fn attention_node([query, key, value]: [&RawTensor; 3], mask: Option<&RawTensor>, dropout: f64) -> &'static str {
    let all = |rank| [query, key, value].iter().all(|tensor| tensor.rank() == rank);
    let kernel = query.sizes().last() == value.sizes().last() && dropout == 0.0 && !mask.is_some_and(requires_grad);
    match query.rank() {
        4 if all(4) && kernel => "ScaledDotProductFlashAttentionForCpuBackward0",
        3 if all(3) => "SqueezeBackward1",
        2 if all(2) => "MmBackward0",
        // others: a product of batches.
        _ => "UnsafeViewBackward0",
    }
}

/// Whether `linalg.norm` is one of matrices.
pub(super) fn is_of_matrices(input: &RawTensor, dims: Option<&[isize]>) -> bool {
    dims.map_or(input.rank(), <[isize]>::len) == 2
}

/// Of a norm of matrices.
pub(super) fn norm_node(order: MatrixOrder<'_>, keepdim: bool) -> &'static str {
    match order {
        MatrixOrder::Named("nuc") if !keepdim => "SumBackward1",
        MatrixOrder::Named("nuc") => "PermuteBackward0",
        MatrixOrder::Named(_) => "LinalgVectorNormBackward0",
        MatrixOrder::Number(number) if number.abs() == 2.0 && keepdim => "PermuteBackward0",
        MatrixOrder::Number(number) => {
            if number > 0.0 {
                "AmaxBackward0"
            } else {
                "AminBackward0"
            }
        }
    }
}
