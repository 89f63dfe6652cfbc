//! Calls on parts of tensors, on their order, on grids, and on vectors and matrices.

use latten::prelude::*;
use latten::{args, call};

use super::{Example, Function, all, beside, places, sizes};

/// A matrix with a large diagonal, which is its own adjoint.
pub(super) fn positive(x: &DynTensor) -> Result<DynTensor, Error> {
    let turned = call("mH", args![x])?.tensor()?;
    let both = call("matmul", args![x, &turned])?.tensor()?;
    let ones = call("eye", args![2, dtype = x.dtype(), device = x.device()])?.tensor()?;
    call("add", args![&both, &ones])?.tensor()
}

/// A matrix with an inverse.
pub(super) fn regular(x: &DynTensor) -> Result<DynTensor, Error> {
    let ones = call("eye", args![2, dtype = x.dtype(), device = x.device()])?.tensor()?;
    call("add", args![x, &ones, alpha = 2])?.tensor()
}

pub(super) fn examples() -> Vec<Example> {
    let mut all = parts();
    all.extend(orders());
    all.extend(matrices());
    all
}

fn parts() -> Vec<Example> {
    vec![
        example!("T", [[2, 3]], |x| &x[0]),
        example!("H", [[2, 3]], |x| &x[0]),
        example!("mH", [[2, 2, 3]], |x| &x[0]),
        example!("adjoint", [[2, 2, 3]], |x| &x[0]),
        example!("linalg.diagonal", [[2, 3, 2]], |x| &x[0], offset = 1),
        example!("sum_to_size", [[2, 3, 2]], |x| &x[0], [3, 1]),
        example!("unsafe_chunk", [[2, 5]], |x| &x[0], 2, 1),
        example!("unsafe_split", [[2, 5]], |x| &x[0], 2, 1),
        example!("resolve_conj", [[2, 3]], |x| &x[0]),
        example!("resolve_neg", [[2, 3]], |x| &x[0]),
        example!("conj_physical", [[2, 3]], |x| &x[0]),
        example!("alias_copy", [[2, 3]], |x| &x[0]),
        example!("as_strided_copy", [[2, 3]], |x| &x[0], [2, 2], [1, 2]),
        example!("diagonal_copy", [[2, 3]], |x| &x[0], 1),
        example!("expand_copy", [[2, 1]], |x| &x[0], [2, 3]),
        example!("narrow_copy", [[2, 3]], |x| &x[0], 1, 1, 2),
        example!("permute_copy", [[2, 3]], |x| &x[0], [1, 0]),
        example!("select_copy", [[2, 3]], |x| &x[0], 1, 1),
        example!("slice_copy", [[2, 3]], |x| &x[0], 1, 0, 3, 2),
        example!("squeeze_copy", [[2, 1, 3]], |x| &x[0], 1),
        example!("t_copy", [[2, 3]], |x| &x[0]),
        example!("transpose_copy", [[2, 3]], |x| &x[0], 0, 1),
        example!("unfold_copy", [[2, 5]], |x| &x[0], 1, 3, 2),
        example!("unsqueeze_copy", [[2, 3]], |x| &x[0], 1),
        example!("view_copy", [[2, 3]], |x| &x[0], [3, 2]),
        example!("split_with_sizes_copy", [[2, 3]], |x| &x[0], [1, 2], 1),
        example!("split_copy", [[2, 3]], |x| &x[0], 2, 1),
        example!("unbind_copy", [[2, 3]], |x| &x[0], 1),
        example!("select_scatter", [[2, 3], [2]], |x| &x[0], &x[1], 1, 1),
        example!("slice_scatter", [[2, 3], [2, 2]], |x| &x[0], &x[1], 1, 0, 3, 2),
        example!("diagonal_scatter", [[2, 3], [2]], |x| &x[0], &x[1], 1),
        example!("diag_embed", [[2, 3]], |x| &x[0], 1),
        example!("diagflat", [[2, 2]], |x| &x[0]),
        example!("constant_pad_nd", [[2, 3]], |x| &x[0], [1, 2], 0.5),
        example!(
            "masked_scatter",
            [[2, 3], [6]],
            |x| &x[0],
            &call("gt", args![&call("real", args![&x[0].detach()])?.tensor()?, 0.5])?.tensor()?,
            &x[1]
        ),
        example!("put", [[2, 3], [2]], |x| &x[0], &places(&[4, -6]), &x[1]),
        example!("put", [[2, 3], [2]], |x| &x[0], &places(&[4, 4]), &x[1], true),
        example!("index_copy", [[2, 3], [2, 2]], |x| &x[0], 1, &places(&[2, 0]), &x[1]),
        example!("index_reduce", [[2, 3], [2, 2]], |x| &x[0], 1, &places(&[2, 0]), &x[1], "prod"),
        example!("meshgrid", [[2], [3]], |x| &x[0], &x[1], indexing = "xy"),
        example!("cartesian_prod", [[2], [3]], |x| &x[0], &x[1]),
        example!("combinations", [[4]], |x| &x[0], 2),
        example!("block_diag", [[2, 1], [3], []], |x| &x[0], &x[1], &x[2]),
        example!("kron", [[2, 3], [2]], |x| &x[0], &x[1]),
        example!("linalg.vander", [[3]], |x| &x[0], N = 4),
    ]
}

fn orders() -> Vec<Example> {
    vec![
        example!("msort", [[3, 2]], |x| &x[0]),
        example!("kthvalue", [[3, 4]], |x| &x[0], 2, 1),
        example!("mode", [[3, 4]], |x| &x[0]),
        example!("nanmedian", [[3, 4]], |x| &x[0]),
        example!("nanmedian", [[3, 4]], |x| &x[0], 1),
        example!("quantile", [[3, 4]], |x| &x[0], 0.3),
        example!("quantile", [[3, 4]], |x| &x[0], 0.7, 1, keepdim = true, interpolation = "midpoint"),
        example!("nanquantile", [[3, 4]], |x| &x[0], 0.3, 0),
        example!("logcumsumexp", [[2, 5]], |x| &x[0], 1),
        example!("renorm", [[2, 3]], |x| &x[0], 2, 0, 0.7),
        example!("logaddexp2", [[2, 3], [3]], |x| &x[0], &x[1]),
        example!("special.expit", [[2, 3]], |x| &x[0]),
        example!("special.logit", [[2, 3]], |x| &x[0]),
        example!("special.erf", [[2, 3]], |x| &x[0]),
        example!("special.erfc", [[2, 3]], |x| &x[0]),
        example!("special.erfinv", [[2, 3]], |x| &(&x[0] * 0.25)),
        example!("special.gammaln", [[2, 3]], |x| &(&x[0] + 4.0)),
        example!("special.digamma", [[2, 3]], |x| &(&x[0] + 4.0)),
        example!("special.psi", [[2, 3]], |x| &(&x[0] + 4.0)),
        example!("special.exp2", [[2, 3]], |x| &x[0]),
        example!("special.expm1", [[2, 3]], |x| &x[0]),
        example!("special.log1p", [[2, 3]], |x| &x[0]),
        example!("special.sinc", [[2, 3]], |x| &x[0]),
        example!("special.xlogy", [[2, 3], [3]], |x| &x[0], &x[1]),
        example!("special.softmax", [[2, 3]], |x| &x[0], 1),
        example!("special.log_softmax", [[2, 3]], |x| &x[0], 1),
        example!("special.entr", [[2, 3]], |x| &x[0]),
        example!("special.xlog1py", [[2, 3], [3]], |x| &x[0], &x[1]),
        example!("special.xlog1py", [[2, 3]], |x| 0.5, &x[0]),
        example!("ldexp", [[2, 3], [3]], |x| &x[0], &x[1]),
        example!("complex", [[2, 3], [2, 3]], |x| &x[0], &x[1]),
        example!("polar", [[2, 3], [3]], |x| &x[0], &x[1]),
        example!("nextafter", [[2, 3]], |x| &x[0], &beside(Tensor::<f64>::zeros([2, 3])?.erase())),
    ]
}

fn matrices() -> Vec<Example> {
    vec![
        example!("cross", [[2, 3], [2, 3]], |x| &x[0], &x[1]),
        example!("linalg.cross", [[2, 3], [1, 3]], |x| &x[0], &x[1]),
        example!("linalg.vecdot", [[2, 3], [2, 3]], |x| &x[0], &x[1]),
        example!("tensordot", [[2, 3], [3, 2]], |x| &x[0], &x[1], 1),
        example!("tensordot", [[2, 3, 2], [2, 2]], |x| &x[0], &x[1], [[0, 2], [1, 0]]),
        example!("linalg.vector_norm", [[2, 3]], |x| &x[0], 3, 1),
        example!("linalg.matrix_norm", [[2, 3]], |x| &x[0]),
        example!("linalg.matrix_norm", [[2, 3, 2]], |x| &x[0], 1, dim = [0, 2]),
        example!("linalg.matrix_norm", [[3, 2]], |x| &x[0], "nuc"),
        example!("linalg.norm", [[2, 3]], |x| &x[0]),
        example!("linalg.norm", [[2, 3]], |x| &x[0], "fro", keepdim = true),
        example!("linalg.multi_dot", [[2], [2, 3], [3, 2]], |x| [&x[0], &x[1], &x[2]]),
        example!("corrcoef", [[2, 4]], |x| &x[0]),
        example!("cumulative_trapezoid", [[2, 4]], |x| &x[0], dx = 2),
        example!("cumulative_trapezoid", [[2, 4], [4]], |x| &x[0], &x[1]),
        example!("linalg.svdvals", [[3, 2]], |x| &x[0]),
        ("linalg.svd", vec![sizes(&[3, 2])], |x| {
            // The signs of vectors are free: of what is left the function is smooth.
            let factors = call("linalg.svd", args![&x[0], false])?.tensors()?;
            let squares = call("mul", args![&factors[0], &call("conj", args![&factors[0]])?.tensor()?])?.tensor()?;
            let others = call("mul", args![&factors[2], &call("conj", args![&factors[2]])?.tensor()?])?.tensor()?;
            Ok(vec![squares, factors[1].clone(), others])
        }),
        example!("linalg.inv", [[2, 2]], |x| &regular(&x[0])?),
        example!("inverse", [[2, 2, 2]], |x| &regular(&x[0])?),
        example!("_solve", [[2, 2], [2, 3]], |x| &regular(&x[0])?, &x[1]),
        example!("linalg.solve", [[2, 2], [2]], |x| &regular(&x[0])?, &x[1]),
        example!("linalg.solve", [[2, 2], [3, 2]], |x| &regular(&x[0])?, &x[1], left = false),
        example!("linalg.det", [[2, 2]], |x| &regular(&x[0])?),
        example!("det", [[2, 2, 2]], |x| &regular(&x[0])?),
        example!("logdet", [[2, 2]], |x| &regular(&x[0])?),
        example!("linalg.slogdet", [[2, 2]], |x| &regular(&x[0])?),
        example!("linalg.cholesky", [[2, 2]], |x| &positive(&x[0])?),
        example!("linalg.cholesky", [[2, 2]], |x| &positive(&x[0])?, upper = true),
        example!("linalg.qr", [[3, 2]], |x| &x[0]),
        example!("linalg.qr", [[2, 2, 3]], |x| &x[0]),
        example!("linalg.qr", [[2, 3]], |x| &x[0], "complete"),
        ("linalg.eigh", vec![sizes(&[2, 2])], |x| {
            let found = call("linalg.eigh", args![&positive(&x[0])?])?.tensors()?;
            let squares = call("mul", args![&found[1], &call("conj", args![&found[1]])?.tensor()?])?.tensor()?;
            Ok(vec![found[0].clone(), squares])
        }),
        example!("linalg.pinv", [[3, 2]], |x| &x[0]),
        example!("pinverse", [[2, 3]], |x| &x[0]),
        example!("linalg.solve_triangular", [[2, 2], [2, 3]], |x| &regular(&x[0])?, &x[1], upper = true),
        example!("linalg.solve_triangular", [[2, 2], [3, 2]], |x| &x[0], &x[1], upper = false, left = false, unitriangular = true),
        example!("linalg.tensorinv", [[2, 2]], |x| &regular(&x[0])?, ind = 1),
        example!("linalg.tensorsolve", [[2, 2], [2]], |x| &regular(&x[0])?, &x[1]),
        example!("linalg.matrix_power", [[2, 2]], |x| &x[0], 3),
        example!("linalg.matrix_power", [[2, 2]], |x| &x[0], 0),
        example!("matrix_power", [[2, 2]], |x| &regular(&x[0])?, -2),
    ]
}
