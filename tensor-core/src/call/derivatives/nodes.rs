//! The names of nodes that depend on the arguments of a call.

use crate::raw::RawTensor;

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
pub(super) fn class_node(input: &RawTensor, reduction: &str) -> &'static str {
    match (input.rank(), reduction) {
        (0..=2, _) => "NllLossBackward0",
        (4, _) | (_, "mean" | "sum") => "NllLoss2DBackward0",
        // others: the losses come as they were given.
        _ => "ViewBackward0",
    }
}
