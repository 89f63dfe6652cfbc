//! What the rows of calls say of gradients, as functions: the expressions of their column `grad` are in scope of these imports alone, so that
//! they can name only what makes calls through `run`.

use super::super::argument::take;
use super::super::backward::{Back, Backward, Derivation, Gradient, Missing, Names};
use super::super::norms::MatrixOrder;
use super::super::pools::{Divisor, Pooling, of_avg_pool};
use super::super::{Function, conj};
use super::curves::{of_angle, of_length};
use super::joins::{
    layers, moved, of_column_stack, of_dstack, of_hstack, of_interleaved, of_interleaved_alike, of_repeats, of_tiles, of_vstack, parts,
    rolled, rotated,
};
use super::matrices::{
    of_cholesky, of_determinant, of_eig, of_eigenvalues, of_eigh, of_inverse, of_polar, of_pseudoinverse, of_qr, of_right_side, of_root,
    of_sign_and_logarithm, of_singular_values, of_svd, of_system, of_triangles,
};
use super::nodes::{
    adaptive_node, attention_node, batch_node, cdist_node, class_node, convolved_node, interpolated_node, is_of_matrices, norm_node,
    power_node,
};
use super::places::{
    Reduced, added_at, added_by, added_flat, added_rows, but_along, but_at, but_flat, but_rows, conj_times, diag_node, filled_rows,
    flipped, gathered, half, inside, masked, number_or_tensor, of_diag, of_dropped, of_embedding, of_pad, of_selected, pad_node, read,
    rows_at, taken, unmasked,
};
use super::products::{
    adjoint, bmm, einsum_node, factor, linear_node, matmul_node, mm, mv, of_einsum, of_left, of_linear_input, of_linear_weight, of_right,
    outer, scaled, t, times,
};
use super::reductions::{both_extremes, log_share, of_logarithms, picked, running_product, share, summed_from_behind};
use super::specials::{
    bell, by_numbers, no_derivative, of_alignments, of_bessel_0, of_bessel_1, of_chances, of_entr, of_erfcx, of_gamma_share, of_log_ndtr,
    of_logaddexp2, of_logarithm, of_neighbour, of_neighbours, of_polygamma, of_probabilities, of_scaled_bessel_0, of_xlog1py, of_zeta,
};
use super::spectra::{of_half, of_whole, turned_back};
use super::systems::{
    Triangle, of_coefficients, of_inverted_root, of_measured, of_right_of_triangle, of_solved_root, of_triangle, solved_by_root,
};
use super::views::{
    added, as_complex, as_real, as_sized, but_strided, flatten_node, index_node, permuted, permuted_back, placed, rejoined, reshape_node,
    resliced, restacked, restrided, slice_node, strided, transposed, turned,
};
use super::windows::{Convolved, evenly, of_bias, of_columns, of_max_pool, to_columns};
use super::{AsGradient, AsGradients, Gathered, known, nothing, zeros};
use crate::elementwise::RawOperand;
use crate::error::Result;
use crate::raw::RawTensor;
use crate::raw::node::Gradients;
use crate::scalar::Scalar;
use crate::views::{Entry as IndexEntry, signed};
use latten_spec::schema::Fallback;

latten_macros::call_gradients!();
