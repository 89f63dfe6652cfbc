//! Factors of matrices and what is solved with them, special functions, elements that a mask names, and other names of operators.

use latten::prelude::*;
use latten::{args, call};

use super::pieces::{positive, regular};
use super::{Example, Function, all, places, sizes};

/// Triangular factors in one matrix, with the changes of places in front.
fn factored(x: &DynTensor) -> Result<[DynTensor; 2], Error> {
    let found = call("linalg.lu_factor", args![&regular(x)?])?.tensors()?;
    Ok([found[0].clone(), found[1].clone()])
}

/// The first results of a call, the others being integers.
fn some(name: &'static str, count: usize, x: &DynTensor) -> Result<Vec<DynTensor>, Error> {
    let mut found = call(name, args![&regular(x)?])?.tensors()?;
    found.truncate(count);
    Ok(found)
}

/// A square less its own part along a row and a column: signs of vectors don't show.
fn squares(x: &DynTensor) -> Result<DynTensor, Error> {
    call("mul", args![x, &call("conj", args![x])?.tensor()?])?.tensor()
}

/// A row of truths.
fn mask() -> Result<DynTensor, Error> {
    call("gt", args![&places(&[1, 0, 1]), 0])?.tensor()
}

pub(super) fn examples() -> Vec<Example> {
    let mut all = factors();
    all.extend(specials());
    all.extend(masked());
    all.extend(names());
    all
}

fn factors() -> Vec<Example> {
    vec![
        ("linalg.inv_ex", vec![sizes(&[2, 2])], |x| some("linalg.inv_ex", 1, &x[0])),
        ("linalg.cholesky_ex", vec![sizes(&[2, 2])], |x| {
            Ok(vec![call("linalg.cholesky_ex", args![&positive(&x[0])?])?.tensors()?.swap_remove(0)])
        }),
        ("linalg.solve_ex", vec![sizes(&[2, 2]), sizes(&[2, 3])], |x| {
            Ok(vec![call("linalg.solve_ex", args![&regular(&x[0])?, &x[1]])?.tensors()?.swap_remove(0)])
        }),
        ("linalg.lu_factor_ex", vec![sizes(&[2, 2])], |x| some("linalg.lu_factor_ex", 1, &x[0])),
        ("linalg.lu_factor_ex", vec![sizes(&[2, 3])], |x| Ok(vec![call("linalg.lu_factor_ex", args![&x[0]])?.tensors()?.swap_remove(0)])),
        ("linalg.lu_factor_ex", vec![sizes(&[2, 3, 2])], |x| {
            Ok(vec![call("linalg.lu_factor_ex", args![&x[0]])?.tensors()?.swap_remove(0)])
        }),
        ("linalg.lu_factor", vec![sizes(&[2, 2])], |x| some("linalg.lu_factor", 1, &x[0])),
        ("lu", vec![sizes(&[2, 2])], |x| some("lu", 1, &x[0])),
        ("linalg.lu", vec![sizes(&[2, 3])], |x| Ok(call("linalg.lu", args![&x[0]])?.tensors()?.split_off(1))),
        ("lu_unpack", vec![sizes(&[2, 2])], |x| {
            let [both, pivots] = factored(&x[0])?;
            Ok(call("lu_unpack", args![&both, &pivots])?.tensors()?.split_off(1))
        }),
        ("linalg.lu_solve", vec![sizes(&[2, 2]), sizes(&[2, 3])], |x| {
            let [both, pivots] = factored(&x[0])?;
            all(call("linalg.lu_solve", args![&both, &pivots, &x[1], adjoint = true]))
        }),
        ("linalg.lu_solve", vec![sizes(&[2, 2]), sizes(&[3, 2])], |x| {
            let [both, pivots] = factored(&x[0])?;
            all(call("linalg.lu_solve", args![&both, &pivots, &x[1], left = false]))
        }),
        ("lu_solve", vec![sizes(&[2, 2]), sizes(&[2, 3])], |x| {
            let [both, pivots] = factored(&x[0])?;
            all(call("lu_solve", args![&x[1], &both, &pivots]))
        }),
        // Of triangles, because the gradient is that of a whole matrix, as in PyTorch, though only one half is read.
        example!("cholesky_solve", [[2, 3], [2, 2]], |x| &x[0], &call("tril", args![&regular(&x[1])?])?.tensor()?),
        example!("cholesky_solve", [[2, 3], [2, 2]], |x| &x[0], &call("triu", args![&regular(&x[1])?])?.tensor()?, true),
        example!("cholesky_inverse", [[2, 2]], |x| &call("tril", args![&regular(&x[0])?])?.tensor()?),
        example!("cholesky_inverse", [[2, 2, 2]], |x| &call("triu", args![&regular(&x[0])?])?.tensor()?, true),
        ("triangular_solve", vec![sizes(&[2, 3]), sizes(&[2, 2])], |x| {
            Ok(vec![call("triangular_solve", args![&x[0], &regular(&x[1])?, transpose = true])?.tensors()?.swap_remove(0)])
        }),
        example!("linalg.householder_product", [[3, 2], [2]], |x| &x[0], &x[1]),
        example!("linalg.householder_product", [[3, 2], [0]], |x| &x[0], &x[1]),
        example!("orgqr", [[3, 2], [1]], |x| &x[0], &x[1]),
        ("linalg.lstsq", vec![sizes(&[3, 2]), sizes(&[3, 2])], |x| {
            Ok(vec![call("linalg.lstsq", args![&x[0], &x[1]])?.tensors()?.swap_remove(0)])
        }),
        ("linalg.lstsq", vec![sizes(&[2, 3, 2]), sizes(&[2, 3])], |x| {
            let mut found = call("linalg.lstsq", args![&x[0], &x[1], driver = "gelsd"])?.tensors()?;
            found.truncate(2);
            Ok(found)
        }),
        ("linalg.lstsq", vec![sizes(&[3, 2]), sizes(&[3, 2])], |x| {
            Ok(vec![call("linalg.lstsq", args![&x[0], &x[1], driver = "gels"])?.tensors()?.swap_remove(1)])
        }),
        example!("linalg.matrix_exp", [[2, 2]], |x| &x[0]),
        example!("matrix_exp", [[2, 3, 3]], |x| &x[0]),
        ("svd", vec![sizes(&[3, 2])], |x| {
            let found = call("svd", args![&x[0]])?.tensors()?;
            Ok(vec![squares(&found[0])?, found[1].clone(), squares(&found[2])?])
        }),
        ("linalg.eig", vec![sizes(&[3, 3])], |x| {
            let found = call("linalg.eig", args![&x[0]])?.tensors()?;
            Ok(vec![
                call("sum", args![&call("square", args![&found[0]])?.tensor()?])?.tensor()?,
                squares(&call("abs", args![&found[1]])?.tensor()?)?,
            ])
        }),
        example!("linalg.eigvals", [[2, 3, 3]], |x| &x[0]),
        example!("linalg.eigvalsh", [[2, 2]], |x| &positive(&x[0])?),
        example!("linalg.cond", [[2, 2]], |x| &regular(&x[0])?),
        example!("linalg.cond", [[2, 2]], |x| &regular(&x[0])?, "fro"),
        example!("ormqr", [[4, 3], [3], [4, 2]], |x| &x[0], &x[1], &x[2]),
        example!("ormqr", [[3, 2], [2], [2, 3]], |x| &x[0], &x[1], &x[2], false, true),
        example!("linalg.polar", [[2, 3, 2]], |x| &x[0]),
        example!("linalg.polar", [[2, 2]], |x| &regular(&x[0])?),
        example!("linalg.matrix_sqrth", [[2, 2]], |x| &positive(&x[0])?),
    ]
}

fn specials() -> Vec<Example> {
    vec![
        example!("i0", [[2, 3]], |x| &x[0]),
        example!("special.i0", [[2, 3]], |x| &(&x[0] * 30.0)),
        example!("special.i0e", [[2, 3]], |x| &(&x[0] * 30.0)),
        example!("special.i1", [[2, 3]], |x| &x[0]),
        example!("special.i1e", [[2, 3]], |x| &(&x[0] * -30.0)),
        example!("special.erfcx", [[2, 3]], |x| &(&x[0] * 4.0)),
        example!("special.ndtr", [[2, 3]], |x| &x[0]),
        example!("special.log_ndtr", [[2, 3]], |x| &(&x[0] * -4.0)),
        example!("special.ndtri", [[2, 3]], |x| &x[0]),
        example!("special.zeta", [[2, 3]], |x| 2.5, &x[0]),
        example!("stft", [[2, 12], [4]], |x| &x[0], 4, window = &x[1], return_complex = true),
        example!("stft", [[12]], |x| &x[0], 6, 2, 4, center = false, normalized = true, return_complex = false, align_to_window = true),
        ("istft", vec![sizes(&[3, 5])], |x| {
            let wave = call("complex", args![&x[0], &call("zeros_like", args![&x[0]])?.tensor()?])?.tensor()?;
            all(call("istft", args![&wave, 4, 2]))
        }),
        example!(
            "_unsafe_masked_index",
            [[4, 3]],
            |x| &x[0],
            &call("gt", args![&places(&[1, 0, 1]), 0])?.tensor()?,
            [&places(&[0, 3, 9])],
            0.5
        ),
        ("_unsafe_masked_index_put_accumulate", vec![sizes(&[4]), sizes(&[3])], |x| {
            let mask = call("gt", args![&places(&[1, 0, 1]), 0])?.tensor()?;
            all(call("_unsafe_masked_index_put_accumulate", args![&x[0], &mask, [&places(&[0, 3, 9])], &x[1]]))
        }),
        example!("native_dropout_backward", [[2, 3]], |x| &x[0], &call("gt", args![&x[0].detach(), 0])?.tensor()?, 2.0),
        example!("special.bessel_j0", [[2, 3]], |x| &(&x[0] * 9.0)),
        example!("special.bessel_j1", [[2, 3]], |x| &(&x[0] * -9.0)),
        example!("special.bessel_y0", [[2, 3]], |x| &(&(&x[0] * &x[0]) + 0.5)),
        example!("special.bessel_y1", [[2, 3]], |x| &(&(&x[0] * &x[0]) + 0.5)),
        example!("special.modified_bessel_i0", [[2, 3]], |x| &x[0]),
        example!("special.modified_bessel_i1", [[2, 3]], |x| &x[0]),
        example!("special.modified_bessel_k0", [[2, 3]], |x| &(&(&x[0] * &x[0]) + 0.5)),
        example!("special.modified_bessel_k1", [[2, 3]], |x| &(&(&x[0] * &x[0]) + 0.5)),
        example!("igamma", [[2, 3]], |x| &call("full_like", args![&x[0], 1.5])?.tensor()?, &(&(&x[0] * &x[0]) + 0.5)),
        example!("igammac", [[2, 3]], |x| &call("full_like", args![&x[0], 1.5])?.tensor()?, &(&(&x[0] * &x[0]) + 0.5)),
        example!("special.gammainc", [[2, 3]], |x| &call("full_like", args![&x[0], 1.5])?.tensor()?, &(&(&x[0] * &x[0]) + 0.5)),
        example!("special.gammaincc", [[2, 3]], |x| &call("full_like", args![&x[0], 1.5])?.tensor()?, &(&(&x[0] * &x[0]) + 0.5)),
        example!("polygamma", [[2, 3]], |x| 1, &(&x[0] + 1.0)),
        example!("special.polygamma", [[2, 3]], |x| 2, &(&x[0] - 1.0)),
        example!("grid_sample", [[1, 2, 3, 2], [1, 2, 2, 2]], |x| &x[0], &x[1], align_corners = true),
        example!("grid_sample", [[1, 1, 2, 3], [1, 2, 1, 2]], |x| &x[0], &(&x[1] * 1.5), mode = "bicubic", padding_mode = "reflection"),
        example!("grid_sample", [[1, 1, 2, 3, 2], [1, 2, 1, 1, 3]], |x| &x[0], &x[1], padding_mode = "border"),
        example!("grid_sample", [[1, 2, 3, 2], [1, 2, 2, 2]], |x| &x[0], &x[1], "nearest"),
        example!("affine_grid", [[2, 2, 3]], |x| &x[0], [2, 1, 3, 2]),
        example!("affine_grid", [[1, 3, 4]], |x| &x[0], [1, 2, 2, 1, 3], align_corners = true),
        example!("grid_sampler_3d", [[1, 1, 2, 3, 2], [1, 2, 1, 1, 3]], |x| &x[0], &x[1], 0, 1, true),
        example!("_softmax_backward_data", [[2, 3], [2, 3]], |x| &x[0], &x[1], 1, DType::F64),
        example!("_log_softmax_backward_data", [[2, 3], [2, 3]], |x| &x[0], &x[1], 0, DType::F64),
        example!("segment_reduce", [[5]], |x| &x[0], "mean", lengths = &places(&[2, 3])),
        example!("segment_reduce", [[5, 2]], |x| &x[0], "prod", lengths = &places(&[2, 3]), initial = 1.5),
        example!("_segment_reduce", [[5, 2]], |x| &x[0], "max", offsets = &places(&[1, 3, 5])),
        example!("ctc_loss", [[4, 2, 3]], |x| &call("log_softmax", args![&x[0], 2])?.tensor()?, &places(&[1, 1, 2]), [4, 3], [2, 1]),
        ("_ctc_loss", vec![sizes(&[4, 2, 3])], |x| {
            let steps = call("log_softmax", args![&x[0], 2])?.tensor()?;
            first("_ctc_loss", args![&steps, &places(&[1, 1, 2]), [4, 4], [2, 1]])
        }),
        example!("grid_sampler_2d", [[1, 1, 2, 3], [1, 2, 1, 2]], |x| &x[0], &x[1], 0, 0, false),
        example!("mvlgamma", [[2, 3]], |x| &(&x[0] + 4.0), 3),
        example!("special.multigammaln", [[2, 3]], |x| &(&x[0] + 4.0), 2),
        ("frexp", vec![sizes(&[2, 3])], |x| Ok(vec![call("frexp", args![&x[0]])?.tensors()?.swap_remove(0)])),
        example!("gradient", [[3, 4]], |x| &x[0], spacing = [0.5, 2.0], edge_order = 2),
        example!("gradient", [[4], [4]], |x| &x[0], spacing = [&call("cumsum", args![&x[1], 0])?.tensor()?]),
        example!("gradient", [[4], [4]], |x| &x[0], spacing = [&call("cumsum", args![&x[1], 0])?.tensor()?], edge_order = 2),
        ("max_unpool1d", vec![sizes(&[1, 2, 3])], |x| {
            let at = call("reshape", args![&places(&[0, 3, 4, 1, 2, 5]), [1, 2, 3]])?.tensor()?;
            all(call("max_unpool1d", args![&x[0], &at, 2]))
        }),
        ("max_unpool2d", vec![sizes(&[1, 1, 2])], |x| {
            let at = call("reshape", args![&places(&[3, 6]), [1, 1, 2]])?.tensor()?;
            all(call("max_unpool2d", args![&x[0], &at, 2]))
        }),
        ("max_unpool3d", vec![sizes(&[1, 1, 1, 2])], |x| {
            let at = call("reshape", args![&places(&[3, 6]), [1, 1, 1, 2]])?.tensor()?;
            all(call("max_unpool3d", args![&x[0], &at, 2]))
        }),
    ]
}

fn masked() -> Vec<Example> {
    vec![
        example!("masked.sum", [[2, 3]], |x| &x[0], 1, mask = &mask()?),
        example!("masked.prod", [[2, 3]], |x| &x[0], 1, mask = &mask()?),
        example!("masked.mean", [[2, 3]], |x| &x[0], 0, mask = &call("gt", args![&places(&[1, 1, 1]), 0])?.tensor()?),
        example!("masked.amax", [[2, 3]], |x| &x[0], 1, mask = &mask()?),
        example!("masked.amin", [[2, 3]], |x| &x[0], mask = &mask()?),
        example!("masked.logsumexp", [[2, 3]], |x| &x[0], 1, mask = &mask()?),
        example!("masked.var", [[2, 3]], |x| &x[0], 1, mask = &mask()?),
        example!("masked.std", [[2, 3]], |x| &x[0], 1, mask = &mask()?),
        example!("masked.norm", [[2, 3]], |x| &x[0], 3.0, 1, mask = &mask()?),
        example!("masked.softmax", [[2, 3]], |x| &x[0], 1, mask = &mask()?),
        ("masked.log_softmax", vec![sizes(&[2, 3])], |x| {
            // What doesn't count has no logarithm.
            let found = call("masked.log_softmax", args![&x[0], 1, mask = &mask()?])?.tensor()?;
            all(call("masked_select", args![&found, &mask()?]))
        }),
        example!("masked.softmin", [[2, 3]], |x| &x[0], 1, mask = &mask()?),
        example!("masked.cumsum", [[2, 3]], |x| &x[0], 1, mask = &mask()?),
        example!("masked.cumprod", [[2, 3]], |x| &x[0], 1, mask = &mask()?),
        example!("masked.normalize", [[2, 3]], |x| &x[0], 2.0, 1, mask = &mask()?),
        example!("masked.median", [[2, 3]], |x| &x[0], 1, mask = &mask()?),
        // What doesn't count is -inf there, of which no second derivative is a number, in PyTorch neither.
        example!(
            "masked.logaddexp",
            [[2, 3], [2, 3]],
            |x| &x[0],
            &x[1],
            input_mask = &call("gt", args![&places(&[1, 1, 1]), 0])?.tensor()?
        ),
    ]
}

/// The first result of a call, the others being numbers without gradients.
fn first(name: &'static str, arguments: latten::by_name::Arguments<'_>) -> Result<Vec<DynTensor>, Error> {
    let mut found = call(name, arguments)?.tensors()?;
    found.truncate(1);
    Ok(found)
}

/// A one for each channel.
fn channels(x: &DynTensor) -> Result<DynTensor, Error> {
    call("ones", args![2, dtype = x.dtype(), device = x.device()])?.tensor()
}

fn names() -> Vec<Example> {
    vec![
        example!("__radd__", [[2, 3], [3]], |x| &x[0], &x[1]),
        example!("__rsub__", [[2, 3], [3]], |x| &x[0], &x[1]),
        example!("__rmul__", [[2, 3]], |x| &x[0], 2.5),
        example!("__rdiv__", [[2, 3], [3]], |x| &x[0], &x[1]),
        example!("__rtruediv__", [[2, 3]], |x| &x[0], 2.5),
        example!("__rmod__", [[2, 3], [3]], |x| &(&x[0] * 0.1), &x[1]),
        example!("__rpow__", [[2, 3], [3]], |x| &x[0], &x[1]),
        example!("__rmatmul__", [[2, 3], [2, 2]], |x| &x[0], &x[1]),
        example!("fill", [[2, 3], []], |x| &x[0], &x[1]),
        ("native_layer_norm", vec![sizes(&[2, 3]), sizes(&[3])], |x| {
            call("native_layer_norm", args![&x[0], [3], &x[1], (), 1e-5])?.tensors()
        }),
        ("native_batch_norm", vec![sizes(&[4, 2]), sizes(&[2]), sizes(&[2])], |x| {
            first("native_batch_norm", args![&x[0], &x[1], &x[2], (), (), true, 0.1, 1e-5])
        }),
        ("_native_batch_norm_legit", vec![sizes(&[4, 2])], |x| first("_native_batch_norm_legit", args![&x[0], (), (), true, 0.1, 1e-5])),
        ("_scaled_dot_product_flash_attention_for_cpu", vec![sizes(&[1, 2, 3, 2]), sizes(&[1, 1, 4, 2]), sizes(&[1, 1, 4, 2])], |x| {
            first("_scaled_dot_product_flash_attention_for_cpu", args![&x[0], &x[1], &x[2]])
        }),
        ("_native_batch_norm_legit_no_training", vec![sizes(&[4, 2]), sizes(&[2])], |x| {
            let ones = channels(&x[0])?;
            first("_native_batch_norm_legit_no_training", args![&x[0], &x[1], (), &ones, &ones, 0.1, 1e-5])
        }),
        ("_batch_norm_with_update", vec![sizes(&[4, 2])], |x| {
            let (mean, variance) = (channels(&x[0])?, channels(&x[0])?);
            first("_batch_norm_with_update", args![&x[0], (), (), &mean, &variance, 0.1, 1e-5])
        }),
        ("_batch_norm_no_update", vec![sizes(&[4, 2]), sizes(&[2])], |x| {
            let ones = channels(&x[0])?;
            first("_batch_norm_no_update", args![&x[0], &x[1], (), &ones, &ones, 0.1, 1e-5])
        }),
        ("native_group_norm", vec![sizes(&[2, 4, 3]), sizes(&[4])], |x| {
            call("native_group_norm", args![&x[0], &x[1], (), 2, 4, 3, 2, 1e-5])?.tensors()
        }),
    ]
}
