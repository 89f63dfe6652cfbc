//! What is said of transposed convolutions whose weight has no numbers.

use crate::error::Error;
use crate::raw::RawTensor;

/// What a kernel says, or of no samples what sees to it that there are none.
pub(super) fn in_kernels(weight: &RawTensor, groups: usize, has_samples: bool) -> Error {
    let of = weight.sizes();
    if !has_samples {
        return Error::index("select(): index 0 out of range for tensor of size [0] at dimension 0");
    }
    // Rows are images of one row.
    let row: &[usize] = if of.len() == 3 { &[1] } else { &[] };
    let kernel = [row, &of[2..]].concat();
    let shape = [&[of[0] / groups, of[1]], &kernel[..]].concat();
    Error::runtime(match kernel[..] {
        [height, width] if height == 0 || width == 0 => {
            format!("kernel size should be greater than zero, but got kernel_height: {height} kernel_width: {width}")
        }
        [_, _] => format!("non-empty 2D or 4D weight tensor expected, but got: {shape:?}"),
        _ => format!(
            "non-empty 5D (n_output_plane x n_input_plane x kernel_depth x kernel_height x kernel_width) tensor expected for weight, but got: \
             {shape:?}"
        ),
    })
}

/// What a library says, when it has seen all sizes.
pub(super) fn in_library() -> Error {
    Error::runtime(
        "could not create a primitive descriptor for the deconvolution forward propagation primitive. Run workload with environment variable \
         ONEDNN_VERBOSE=all to get additional diagnostic information.",
    )
}
