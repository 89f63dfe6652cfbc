//! Reductions, of everything and along dimensions, and what runs along them.

use latten::prelude::*;

#[test]
fn sums_and_spreads() -> Result<()> {
    let (x, i) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[1, 2, 3], [4, 5, 6]]);

    _ = x.sum(); // sum
    _ = x.sum_along(axis::<1>()); // sum
    _ = x.sum_along(kept(1))?; // sum
    _ = x.sum_along(Along::dims(&[1]).dtype(DType::F64))?; // sum
    _ = x.nansum(); // nansum
    _ = x.nansum_along(axis::<1>()); // nansum
    _ = x.nansum_along(1)?; // nansum
    _ = x.mean(); // mean
    _ = x.mean_along(kept(axis::<1>())); // mean
    _ = x.mean_along([0, 1])?; // mean
    _ = x.nanmean(); // nanmean
    _ = x.nanmean_along(axis::<1>()); // nanmean
    _ = x.nanmean_along(1)?; // nanmean
    _ = x.prod(); // prod
    _ = x.prod_along(axis::<1>()); // prod
    _ = x.prod_along(1)?; // prod
    _ = x.std(); // std
    _ = x.std_with(false); // std
    _ = x.std_along(axis::<1>()); // std
    _ = x.std_along_with(1, 0)?; // std
    _ = x.var(); // var
    _ = x.var_with(0); // var
    _ = x.var_along(1)?; // var
    _ = x.var_along_with(axis::<1>(), false); // var
    _ = x.std_mean(); // std_mean
    _ = x.std_mean_with(false); // std_mean
    _ = x.std_mean_along(axis::<1>()); // std_mean
    _ = x.std_mean_along_with(1, false)?; // std_mean
    _ = x.var_mean(); // var_mean
    _ = x.var_mean_with(false); // var_mean
    _ = x.var_mean_along(axis::<1>()); // var_mean
    _ = x.var_mean_along_with(1, false)?; // var_mean
    _ = x.norm(); // norm, linalg_vector_norm
    _ = x.norm_with(1); // norm, linalg_vector_norm
    _ = x.norm_along(axis::<1>()); // norm, linalg_vector_norm
    _ = x.norm_along_with(1, f64::INFINITY)?; // norm, linalg_vector_norm
    _ = x.logsumexp(axis::<1>()); // logsumexp
    _ = x.logsumexp(1)?; // logsumexp
    _ = x.count_nonzero(); // count_nonzero
    _ = x.count_nonzero_along(axis::<1>()); // count_nonzero
    _ = x.count_nonzero_along(1)?; // count_nonzero
    _ = x.gt(2).any(); // any
    _ = x.gt(2).any_along(axis::<1>()); // any
    _ = x.gt(2).any_along(1)?; // any
    _ = x.gt(2).all(); // all
    _ = x.gt(2).all_along(axis::<1>()); // all
    _ = x.gt(2).all_along(1)?; // all
    _ = x.sum_to_size([1, 3])?; // sum_to_size
    _ = call("hash_tensor", args![&i, 1])?.tensor()?; // hash_tensor
    Ok(())
}

#[test]
fn extremes_and_shares() -> Result<()> {
    let (x, y) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5, 4.0, 1.0], [2.0, 0.25, 8.0]]);

    _ = x.amax(); // amax
    _ = x.amax_along(axis::<1>()); // amax
    _ = x.amax_along(1)?; // amax
    _ = x.amin(); // amin
    _ = x.amin_along(axis::<1>()); // amin
    _ = x.amin_along(1)?; // amin
    _ = x.max(); // max
    _ = x.max_along(axis::<1>()); // max
    _ = x.max_along(1)?; // max
    _ = x.maximum(&y); // max
    _ = x.min(); // min
    _ = x.min_along(axis::<1>()); // min
    _ = x.min_along(1)?; // min
    _ = x.minimum(&y); // min
    _ = x.aminmax(); // aminmax
    _ = x.aminmax_along(axis::<1>()); // aminmax
    _ = x.aminmax_along(1)?; // aminmax
    _ = x.argmax(); // argmax
    _ = x.argmax_along(axis::<1>()); // argmax
    _ = x.argmax_along(1)?; // argmax
    _ = x.argmin(); // argmin
    _ = x.argmin_along(axis::<1>()); // argmin
    _ = x.argmin_along(1)?; // argmin
    _ = x.median(); // median
    _ = x.median_along(axis::<1>()); // median
    _ = x.median_along(1)?; // median
    _ = x.nanmedian(); // nanmedian
    _ = x.nanmedian_along(axis::<1>()); // nanmedian
    _ = x.nanmedian_along(1)?; // nanmedian
    _ = x.mode_along(axis::<1>()); // mode
    _ = x.mode_along(-1)?; // mode
    _ = x.quantile(0.5)?; // quantile
    _ = x.quantile_with(0.5, "midpoint")?; // quantile
    _ = x.quantile_along(&tensor![0.25, 0.75], axis::<1>()); // quantile
    _ = x.quantile_along_with(0.5, 1, "nearest")?; // quantile
    _ = x.nanquantile(0.5)?; // nanquantile
    _ = x.nanquantile_with(0.5, "lower")?; // nanquantile
    _ = x.nanquantile_along(0.5, axis::<1>()); // nanquantile
    _ = x.nanquantile_along_with(0.5, 1, "lower")?; // nanquantile
    Ok(())
}

#[test]
fn what_runs_along_a_dimension() -> Result<()> {
    let x = tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];

    _ = x.cumsum(axis::<1>()); // cumsum
    _ = x.cumsum(1)?; // cumsum
    _ = x.cumprod(axis::<1>()); // cumprod
    _ = x.cumprod(1)?; // cumprod
    _ = x.cummax(axis::<1>()); // cummax
    _ = x.cummax(1)?; // cummax
    _ = x.cummin(axis::<1>()); // cummin
    _ = x.cummin(1)?; // cummin
    _ = x.logcumsumexp(axis::<1>()); // logcumsumexp
    _ = x.logcumsumexp(1)?; // logcumsumexp
    _ = x.diff(); // diff
    _ = x.diff_with(1, axis::<0>()); // diff
    _ = x.diff_with(2, -1)?; // diff
    _ = x.gradient(); // gradient
    _ = x.gradient_with(0.5, [0, 1], 1)?; // gradient
    _ = x.trapezoid(); // trapezoid, trapz
    _ = x.trapezoid_with(&x, axis::<1>()); // trapezoid, trapz
    _ = x.trapezoid_with(&x, -1)?; // trapezoid, trapz
    _ = x.cumulative_trapezoid(); // cumulative_trapezoid
    _ = x.cumulative_trapezoid_with(&x, axis::<1>()); // cumulative_trapezoid
    _ = x.cumulative_trapezoid_with(&x, -1)?; // cumulative_trapezoid
    _ = x.cov(); // cov
    _ = x.cov_with(0, Some(&tensor![1, 2, 1]), None)?; // cov
    _ = x.corrcoef(); // corrcoef
    Ok(())
}
