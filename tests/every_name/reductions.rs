//! Reductions, of everything and along dimensions, and what runs along them.

use super::prelude::*;

use super::ty;

pub(super) fn sums_and_spreads() -> Result<()> {
    let (x, i) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[1, 2, 3], [4, 5, 6]]);
    erase!(x, i);

    ty(x.sum()); // sum
    ty(x.sum_along(axis::<1>())); // sum
    ty(x.sum_along(kept(1))?); // sum
    ty(x.sum_along(Along::dims(&[1]).dtype(DType::F64))?); // sum
    ty(x.nansum()); // nansum
    ty(x.nansum_along(axis::<1>())); // nansum
    ty(x.nansum_along(1)?); // nansum
    ty(x.mean()); // mean
    ty(x.mean_along(kept(axis::<1>()))); // mean
    ty(x.mean_along([0, 1])?); // mean
    ty(x.nanmean()); // nanmean
    ty(x.nanmean_along(axis::<1>())); // nanmean
    ty(x.nanmean_along(1)?); // nanmean
    ty(x.prod()); // prod
    ty(x.prod_along(axis::<1>())); // prod
    ty(x.prod_along(1)?); // prod
    ty(x.std()); // std
    ty(x.std_with(false)); // std
    ty(x.std_along(axis::<1>())); // std
    ty(x.std_along_with(1, 0)?); // std
    ty(x.var()); // var
    ty(x.var_with(0)); // var
    ty(x.var_along(1)?); // var
    ty(x.var_along_with(axis::<1>(), false)); // var
    ty(x.std_mean()); // std_mean
    ty(x.std_mean_with(false)); // std_mean
    ty(x.std_mean_along(axis::<1>())); // std_mean
    ty(x.std_mean_along_with(1, false)?); // std_mean
    ty(x.var_mean()); // var_mean
    ty(x.var_mean_with(false)); // var_mean
    ty(x.var_mean_along(axis::<1>())); // var_mean
    ty(x.var_mean_along_with(1, false)?); // var_mean
    ty(x.norm()); // norm, linalg_vector_norm
    ty(x.norm_with(1)); // norm, linalg_vector_norm
    ty(x.norm_along(axis::<1>())); // norm, linalg_vector_norm
    ty(x.norm_along_with(1, f64::INFINITY)?); // norm, linalg_vector_norm
    ty(x.logsumexp(axis::<1>())); // logsumexp
    ty(x.logsumexp(1)?); // logsumexp
    ty(x.count_nonzero()); // count_nonzero
    ty(x.count_nonzero_along(axis::<1>())); // count_nonzero
    ty(x.count_nonzero_along(1)?); // count_nonzero
    ty(x.gt(2).any()); // any
    ty(x.gt(2).any_along(axis::<1>())); // any
    ty(x.gt(2).any_along(1)?); // any
    ty(x.gt(2).all()); // all
    ty(x.gt(2).all_along(axis::<1>())); // all
    ty(x.gt(2).all_along(1)?); // all
    ty(x.sum_to_size([1, 3])?); // sum_to_size
    ty(call("hash_tensor", args![&i, 1])?.tensor()?); // hash_tensor
    Ok(())
}

pub(super) fn extremes_and_shares() -> Result<()> {
    let (x, y) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]]);
    let shares = tensor![0.25, 0.75];
    erase!(x, y, shares);

    ty(x.amax()); // amax
    ty(x.amax_along(axis::<1>())); // amax
    ty(x.amax_along(1)?); // amax
    ty(x.amin()); // amin
    ty(x.amin_along(axis::<1>())); // amin
    ty(x.amin_along(1)?); // amin
    ty(x.max()); // max
    ty(x.max_along(axis::<1>())); // max
    ty(x.max_along(1)?); // max
    ty(x.maximum(&y)); // max
    ty(x.min()); // min
    ty(x.min_along(axis::<1>())); // min
    ty(x.min_along(1)?); // min
    ty(x.minimum(&y)); // min
    ty(x.aminmax()); // aminmax
    ty(x.aminmax_along(axis::<1>())); // aminmax
    ty(x.aminmax_along(1)?); // aminmax
    ty(x.argmax()); // argmax
    ty(x.argmax_along(axis::<1>())); // argmax
    ty(x.argmax_along(1)?); // argmax
    ty(x.argmin()); // argmin
    ty(x.argmin_along(axis::<1>())); // argmin
    ty(x.argmin_along(1)?); // argmin
    ty(x.median()); // median
    ty(x.median_along(axis::<1>())); // median
    ty(x.median_along(1)?); // median
    ty(x.nanmedian()); // nanmedian
    ty(x.nanmedian_along(axis::<1>())); // nanmedian
    ty(x.nanmedian_along(kept(1))?); // nanmedian
    ty(x.mode_along(axis::<1>())); // mode
    ty(x.mode_along(kept(-1))?); // mode
    ty(x.quantile(0.5)?); // quantile
    ty(x.quantile_with(0.5, "midpoint")?); // quantile
    ty(x.quantile_along(&shares, axis::<1>())); // quantile
    ty(x.quantile_along_with(0.5, 1, "nearest")?); // quantile
    ty(x.nanquantile(0.5)?); // nanquantile
    ty(x.nanquantile_with(0.5, "lower")?); // nanquantile
    ty(x.nanquantile_along(0.5, kept(axis::<1>()))); // nanquantile
    ty(x.nanquantile_along_with(0.5, 1, "lower")?); // nanquantile
    Ok(())
}

pub(super) fn what_runs_along_a_dimension() -> Result<()> {
    let x = tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    erase!(x);

    ty(x.cumsum(axis::<1>())); // cumsum
    ty(x.cumsum(1)?); // cumsum
    ty(x.cumprod(axis::<1>())); // cumprod
    ty(x.cumprod(1)?); // cumprod
    ty(x.cummax(axis::<1>())); // cummax
    ty(x.cummax(1)?); // cummax
    ty(x.cummin(axis::<1>())); // cummin
    ty(x.cummin(1)?); // cummin
    ty(x.logcumsumexp(axis::<1>())); // logcumsumexp
    ty(x.logcumsumexp(1)?); // logcumsumexp
    ty(x.diff()); // diff
    ty(x.diff_with(1, axis::<0>())); // diff
    ty(x.diff_with(2, -1)?); // diff
    ty(x.gradient()); // gradient
    ty(x.gradient_with(0.5, [0, 1], 1)?); // gradient
    ty(x.trapezoid()); // trapezoid, trapz
    ty(x.trapezoid_with(&x, axis::<1>())); // trapezoid, trapz
    ty(x.trapezoid_with(&x, -1)?); // trapezoid, trapz
    ty(x.cumulative_trapezoid()); // cumulative_trapezoid
    ty(x.cumulative_trapezoid_with(&x, axis::<1>())); // cumulative_trapezoid
    ty(x.cumulative_trapezoid_with(&x, -1)?); // cumulative_trapezoid
    ty(x.cov()); // cov
    ty(x.cov_with(0, &tensor![1, 2, 1], None)?); // cov
    ty(x.corrcoef()); // corrcoef
    Ok(())
}
