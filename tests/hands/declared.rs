//! Functions that are declared in terms of others give by their methods what they give by name, and have the types that follow.

use latten::meshgrid_with;
use latten::prelude::*;

pub(super) fn same<E: Element, S: Shape>(name: &str, got: Result<Tensor<E, S>>, arguments: latten::by_name::Arguments<'_>) -> Result<()> {
    let expected = call(name, arguments)?.tensor()?;
    assert_eq!((got?.erase().to_string(), name), (expected.to_string(), name));
    Ok(())
}

#[test]
fn what_is_declared_has_methods() -> Result<()> {
    let x = Tensor::<f32>::linspace(-1.0, 2.0, 12)?.view(shape![3, 4]);
    let y = Tensor::<f32>::linspace(2.0, 0.5, 12)?.view(shape![3, 4]);
    let places = tensor![[0], [3], [1]];
    let (ones, twos) = (Tensor::<f32, shape![4]>::ones(), Tensor::<f32, shape![4]>::full(2.0));
    let picture = Tensor::<f32>::linspace(0.0, 1.0, 32)?.view([1, 8, 2, 2])?;
    same("diff", x.try_diff(), args![&x])?;
    same("diff", x.diff_with(2, 0), args![&x, 2, 0])?;
    same("flipud", x.try_flipud(), args![&x])?;
    same("fliplr", x.try_fliplr(), args![&x])?;
    same("atleast_3d", x.try_atleast_3d(), args![&x])?;
    same("take_along_dim", x.take_along_dim(&places, 1), args![&x, &places, 1])?;
    same("index_fill", x.index_fill(1, &tensor![0, 2], 7), args![&x, 1, &tensor![0, 2], 7])?;
    same("inner", x.try_inner(&y), args![&x, &y])?;
    same::<f32, shape![3, 3]>("cov", x.try_cov(), args![&x])?;
    same("dist", x.try_dist(&y), args![&x, &y])?;
    same("dist", x.dist_with(&y, 1.0), args![&x, &y, 1.0])?;
    same::<f32, Any>("cdist", x.cdist_with(&y, 1.0), args![&x, &y, 1.0])?;
    same("var", x.try_var_with(0), args![&x, correction = 0])?;
    same::<f32, shape![3]>("var", x.try_var_along_with(axis::<1>(), false), args![&x, 1, false])?;
    same("std", x.try_std_along_with([0, -1], 2), args![&x, [0, -1], correction = 2])?;
    same("norm", x.try_norm_along_with(kept(axis::<0>()), 1), args![&x, 1, 0, true])?;
    let fused = Ok(fuse!(x + y).norm_along_with(axis::<1>(), f64::INFINITY));
    same::<f32, shape![3]>("norm", fused, args![&(&x + &y), f64::INFINITY, 1])?;
    same("trapezoid", x.try_trapezoid(), args![&x])?;
    same("trapezoid", x.trapezoid_with(&y, -1), args![&x, &y])?;
    same("layer_norm", x.layer_norm([4]), args![&x, [4]])?;
    same("layer_norm", x.layer_norm_with([4], &twos, &ones, 1e-3), args![&x, [4], &twos, &ones, 1e-3])?;
    same("rms_norm", x.rms_norm([4]), args![&x, [4]])?;
    same("rms_norm", x.rms_norm_with([4], &twos, 1e-3), args![&x, [4], &twos, 1e-3])?;
    same("group_norm", picture.group_norm(2), args![&picture, 2])?;
    let (eights, zeros) = (Tensor::<f32, shape![8]>::full(0.5), Tensor::<f32, shape![8]>::zeros());
    same("group_norm", picture.group_norm_with(2, &eights, None, 0.5), args![&picture, 2, &eights, (), 0.5])?;
    same("instance_norm", picture.try_instance_norm(), args![&picture])?;
    same("batch_norm", picture.try_batch_norm(&zeros, &eights), args![&picture, &zeros, &eights])?;
    same("normalize", x.try_normalize(), args![&x])?;
    same("normalize", x.normalize_with(1.0, 0, 1e-3), args![&x, 1.0, 0, 1e-3])?;
    same("cosine_similarity", x.try_cosine_similarity(&y), args![&x, &y])?;
    same("cosine_similarity", x.cosine_similarity_with(&y, 0, 1e-3), args![&x, &y, 0, 1e-3])?;
    same("pairwise_distance", x.try_pairwise_distance(&y), args![&x, &y])?;
    same("prelu", x.try_prelu(&twos), args![&x, &twos])?;
    same("glu", x.glu(1), args![&x, 1])?;
    same("softmin", x.softmin(1), args![&x, 1])?;
    same("pixel_shuffle", picture.pixel_shuffle(2), args![&picture, 2])?;
    same("pixel_unshuffle", picture.pixel_unshuffle(2), args![&picture, 2])?;
    same("channel_shuffle", picture.channel_shuffle(4), args![&picture, 4])?;
    let (weights, bias) = (picture.i(i![.., .., ..1, ..1]).clone(), tensor![0.5]);
    let (q, seen) = (tensor![0.0, 0.25, 1.0], Tensor::<bool, shape![3, 3]>::ones().tril());
    same("conv2d", picture.try_conv2d(&weights), args![&picture, &weights])?;
    same("conv2d", picture.conv2d_with(&weights, &bias, [2, 1], 1, [1, 2]), args![&picture, &weights, &bias, [2, 1], 1, [1, 2]])?;
    let of_run: DynTensor = picture.erase().conv2d_with(&weights.erase(), None, 1, 0, 1)?;
    assert!(of_run.equal(&picture.conv2d(&weights)));
    assert_eq!(tensor![[1, 1], [1, 0]].matrix_power(5)?.to_vec(), [8, 5, 5, 3]);
    assert_eq!(latten::linalg::vander(&tensor![2, 3])?.to_vec(), [1, 2, 1, 3]);
    same("conv2d", picture.conv2d_grouped(&weights, None, 1, [0, 1], 1, 1), args![&picture, &weights, (), 1, [0, 1], 1, 1])?;
    same("max_pool2d", picture.max_pool2d_with(2, 1, 1), args![&picture, 2, 1, 1])?;
    same("avg_pool2d", picture.avg_pool2d_with(2, [2, 1], 1), args![&picture, 2, [2, 1], 1])?;
    same(
        "conv1d",
        x.unsqueeze(axis::<0>()).conv1d_with(&y.i(i![NewAxis, .., ..2]), None, 1, 1, 1),
        args![&x.unsqueeze(axis::<0>()), &y.i(i![NewAxis, .., ..2]), (), 1, 1],
    )?;
    same("avg_pool2d", picture.avg_pool2d(2), args![&picture, 2])?;
    same("cdist", x.try_cdist(&y), args![&x, &y])?;
    same("quantile", x.quantile(&q), args![&x, &q])?;
    same("quantile", x.quantile(0.25), args![&x, 0.25])?;
    same("quantile", x.try_quantile_along(0.25, axis::<1>()), args![&x, 0.25, 1])?;
    same("repeat_interleave", x.repeat_interleave(2), args![&x, 2])?;
    same("repeat_interleave", x.repeat_interleave_with(&tensor![1, 0, 2], 0), args![&x, &tensor![1, 0, 2], 0])?;
    same("flatten", Ok(x.flatten()), args![&x])?;
    same("where", Ok(x.where_(&x.gt(0), -1.0)), args![&x.gt(0), &x, -1.0])?;
    same("histc", x.histc_with(4, -1, 2), args![&x, 4, -1, 2])?;
    same("scaled_dot_product_attention", x.scaled_dot_product_attention_with(&y, &y, &seen, 0.0, false), args![&x, &y, &y, &seen])?;
    same("trace", x.as_shape::<Rank<2>>().erase().try_trace(), args![&x])?;
    let counted: Tensor<i64, shape![]> = tensor![[1, 2], [3, 4]].trace();
    assert_eq!(counted.item(), 5);
    let classes = tensor![0, 2, 2, 1];
    same("bincount", classes.try_bincount(), args![&classes])?;
    same("bincount", classes.bincount_with(None, 5), args![&classes, (), 5])?;
    Ok(())
}

#[test]
fn so_have_windows_and_places() -> Result<()> {
    manual_seed(2);
    let (rows, film) = (Tensor::<f32, shape![1, 2, 8]>::randn(), Tensor::<f32, shape![1, 2, 3, 3, 3]>::randn());
    let (picture, weights) = (Tensor::<f32, shape![1, 2, 4, 4]>::randn(), Tensor::<f32, shape![2, 3, 2, 2]>::randn());
    same("max_pool1d", rows.max_pool1d(2), args![&rows, 2])?;
    same("avg_pool1d", rows.avg_pool1d(4), args![&rows, 4])?;
    same("max_pool2d", picture.max_pool2d([2, 1]), args![&picture, [2, 1]])?;
    same("adaptive_avg_pool2d", picture.adaptive_avg_pool2d(2), args![&picture, 2])?;
    same("conv3d", film.conv3d_with(&film, None, 1, 1, 1), args![&film, &film, (), 1, 1])?;
    same("conv_transpose2d", picture.conv_transpose2d_with(&weights, None, 2, 0, 1), args![&picture, &weights, (), 2, 0, 1])?;
    let (x, small): (Tensor<f32, shape![3, 4]>, _) = (Tensor::randn(), Tensor::<f32, shape![2]>::randn());
    same("logcumsumexp", x.logcumsumexp(1), args![&x, 1])?;
    same("isin", x.try_isin(&x.i(i![1])), args![&x, &x.i(i![1])])?;
    same("bucketize", x.try_bucketize(&tensor![-0.5, 0.5]), args![&x, &tensor![-0.5, 0.5]])?;
    same("searchsorted", tensor![-0.5, 0.5].try_searchsorted(&x), args![&tensor![-0.5, 0.5], &x])?;
    same("kron", x.try_kron(&small), args![&x, &small])?;
    same::<f32, shape![3, 3]>("corrcoef", x.try_corrcoef(), args![&x])?;
    same("diagflat", small.try_diagflat(), args![&small])?;
    same::<f32, shape![3, 4, 4]>("diag_embed", x.try_diag_embed(), args![&x])?;
    same("nanmedian", x.try_nanmedian(), args![&x])?;
    same("index_copy", x.index_copy(1, &tensor![3, 0], &x.i(i![.., ..2])), args![&x, 1, &tensor![3, 0], &x.i(i![.., ..2])])?;
    same("masked_scatter", x.try_masked_scatter(&x.gt(0), &x), args![&x, &x.gt(0), &x])?;
    let (second, place): (Tensor<f32, Rank<1>>, Tensor<i64, Rank<1>>) = x.kthvalue(2, 1)?;
    assert!(x.gather(1, &place.unsqueeze(axis::<1>()))?.squeeze(axis::<1>()).equal(&second));
    let (most, at): (Tensor<i64, Rank<0>>, Tensor<i64, Rank<0>>) = tensor![1, 3, 1].mode_along(0)?;
    assert_eq!((most.item(), at.item()), (1, 2));
    let grid: Vec<Tensor<f32, Any>> = meshgrid_with(&[&x.i(i![0]), &x.i(i![1])], "xy")?;
    assert_eq!(grid[1].i(i![2]).to_vec(), [x.get([1, 2])?; 4]);
    let parts: Tensor<c64, shape![3, 4]> = complex(&x, &x.i(i![0]));
    assert!(parts.real().equal(&x) && polar(&parts.abs(), &parts.angle()).allclose(&parts));
    let thirds = tensor![0.0, 1.0 / 3.0, 1.0];
    same::<f32, Rank<2>>("quantile", x.try_quantile_along(&thirds, axis::<1>()), args![&x, &thirds, 1])?;
    same::<f32, shape![3]>("quantile", Ok(x.quantile_along(0.5, axis::<1>())), args![&x, 0.5, 1])?;
    let square = x.matmul(&x.t()) + Tensor::<f32, shape![3, 3]>::eye();
    let lower = latten::linalg::cholesky(&square)?;
    same::<f32, shape![3, 4]>("cholesky_solve", latten::linalg::cholesky_solve(&x, &lower), args![&x, &lower])?;
    Ok(())
}

#[test]
fn generators_make_what_they_draw() -> Result<()> {
    let [a, b] = [Generator::seeded(4), Generator::seeded(4)];
    manual_seed(4);
    let drawn: Tensor<f32, shape![2, 3]> = a.randn(shape![2, 3])?;
    assert!(drawn.equal(&Tensor::<f32, shape![2, 3]>::randn()));
    let shares: Tensor<f64, Rank<2>> = a.rand([2, 3])?;
    assert!(shares.equal(&Tensor::<f64>::rand([2, 3])?));
    let dice: Tensor<i64, Rank<1>> = a.randint(1, 7, [5])?;
    assert!(dice.equal(&Tensor::<i64>::randint(1, 7, [5])?));
    assert!(a.randperm(9)?.equal(&Tensor::<i64>::randperm(9)?));
    assert!(a.bernoulli(&shares).equal(&shares.bernoulli()));
    let places: Tensor<i64, Rank<2>> = a.multinomial(&shares, 2)?;
    assert!(places.equal(&shares.multinomial(2)?));
    assert!(b.randn::<f32, _>([6])?.equal(&drawn.ravel()));
    Ok(())
}

#[derive(Clone, Debug, Default)]
struct Linear<const I: usize, const O: usize> {
    weight: Tensor<f32, shape![O, I]>,
    bias: Tensor<f32, shape![O]>,
}

/// A number of any float dtype is shown as floats are.
fn shown<E: Float>(number: E) -> String {
    format!("{number} {number:?}")
}

#[test]
fn fields_are_derived_and_numbers_shown() {
    let layer = Linear::<2, 3>::default();
    assert_eq!((layer.clone().weight.sizes(), layer.bias.to_vec()), (&[3, 2][..], vec![0.0; 3]));
    assert!(format!("{layer:?}").starts_with("Linear { weight: tensor([[0., 0.],"));
    assert_eq!((shown(1.5_f64), shown(bf16::ONE)), ("1.5 1.5".to_owned(), "1 1.0".to_owned()));
}

/// What README shows of several parameters.
#[cfg(feature = "safetensors")]
#[test]
fn parameters_of_several_shapes_are_saved() -> Result<()> {
    let path = std::env::temp_dir().join(format!("latten-hands-{}.safetensors", std::process::id()));
    let (w, b) = (Tensor::<f32, shape![2, 3]>::ones(), Tensor::<f32, shape![2]>::zeros());
    latten::save(&path, &[("w", w.erase()), ("b", b.erase())])?;
    let archive: latten::Archive = latten::load(&path)?;
    std::fs::remove_file(&path).expect("the file is there");
    let again: Tensor<f32, shape![2, 3]> = archive.get("w")?;
    assert_eq!((archive.names(), archive.len(), archive.is_empty()), (vec!["w", "b"], 2, false));
    let x = Tensor::<f32, shape![4, 3]>::ones();
    let joined: Tensor<f32, shape![4, 6]> = cat((&x, &x), axis::<1>());
    let made: Tensor<f32, shape![4, 2]> = x.linear_with(&again, &b);
    assert!(again.equal(&w) && made.equal(&(joined.i(i![.., ..2]) * 3.0)));
    Ok(())
}
