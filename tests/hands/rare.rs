//! Methods of what few programs call: layers of windows, statistics in pairs, contractions, choices. They give what their operations give by name,
//! with the types that follow.

use latten::prelude::*;
use latten::signal::windows;
use latten::{block_diag, cartesian_prod, fft, linalg};

use super::declared::same;

/// Two results of a call by name, beside two of a method.
fn both<E: Element, S: Shape, F: Element, R: Shape>(
    name: &str,
    got: Result<(Tensor<E, S>, Tensor<F, R>)>,
    arguments: latten::by_name::Arguments<'_>,
) -> Result<()> {
    let (got, expected) = (got?, call(name, arguments)?.tensors()?);
    let got = [got.0.erase().to_string(), got.1.erase().to_string()];
    assert_eq!(got.as_slice(), expected.iter().map(ToString::to_string).collect::<Vec<_>>(), "{name}");
    Ok(())
}

#[test]
fn spreads_come_with_their_means() -> Result<()> {
    let x = Tensor::<f32>::linspace(-1.0, 2.0, 12)?.sin().view(shape![3, 4]);
    both("std_mean", x.try_std_mean(), args![&x])?;
    both("var_mean", Ok(x.var_mean_with(0)), args![&x, correction = 0])?;
    both::<_, shape![4], _, shape![4]>("var_mean", Ok(x.var_mean_along(axis::<0>())), args![&x, 0])?;
    both::<_, Rank<2>, _, _>("std_mean", x.std_mean_along(kept(1)), args![&x, 1, keepdim = true])?;
    both::<_, shape![3], _, _>("std_mean", Ok(x.std_mean_along_with(axis::<1>(), false)), args![&x, 1, false])?;
    both("var_mean", x.try_var_mean_along_with([0, 1], 2), args![&x, [0, 1], correction = 2])?;
    both::<_, shape![3, 1], _, _>("nanmedian", Ok(x.nanmedian_along(kept(axis::<1>()))), args![&x, 1, true])?;
    both::<_, Rank<2>, _, _>("mode", x.mode_along(kept(1)), args![&x, 1, true])?;
    both::<_, Rank<2>, _, _>("kthvalue", x.kthvalue(2, kept(0)), args![&x, 2, 0, true])?;
    let refused = x.std_mean_along(2).map(drop).expect_err("two dimensions");
    assert_eq!(refused.message(), x.std_along(2).map(drop).expect_err("two dimensions").message());
    Ok(())
}

#[test]
fn windows_go_over_rows_and_films() -> Result<()> {
    manual_seed(5);
    let (rows, film) = (Tensor::<f32, shape![2, 4, 6]>::randn(), Tensor::<f32, shape![1, 2, 4, 4, 4]>::randn());
    let (weights, cubes) = (Tensor::<f32, shape![4, 3, 2]>::randn(), Tensor::<f32, shape![2, 3, 2, 2, 2]>::randn());
    let picture = Tensor::<f32, shape![1, 2, 4, 4]>::randn();
    same::<f32, shape![2, 3, _]>("conv_transpose1d", Ok(rows.conv_transpose1d(&weights)), args![&rows, &weights])?;
    same("conv_transpose1d", rows.conv_transpose1d_with(&weights, None, 2, 1, 1), args![&rows, &weights, (), 2, 1, 1])?;
    same::<f32, shape![1, 3, _, _, _]>("conv_transpose3d", film.try_conv_transpose3d(&cubes), args![&film, &cubes])?;
    same::<f32, shape![2, 4, _]>("adaptive_avg_pool1d", rows.adaptive_avg_pool1d(3), args![&rows, 3])?;
    same("adaptive_avg_pool3d", film.adaptive_avg_pool3d([1, 2, 3]), args![&film, [1, 2, 3]])?;
    same("adaptive_max_pool1d", rows.adaptive_max_pool1d(4), args![&rows, 4])?;
    same("adaptive_max_pool2d", picture.adaptive_max_pool2d([3, 1]), args![&picture, [3, 1]])?;
    same("adaptive_max_pool3d", film.adaptive_max_pool3d(2), args![&film, 2])?;
    same("max_pool3d", film.max_pool3d(2), args![&film, 2])?;
    same::<f32, shape![1, 2, _, _, _]>("max_pool3d", film.max_pool3d_with(3, 2, 1), args![&film, 3, 2, 1])?;
    same("avg_pool3d", film.avg_pool3d(2), args![&film, 2])?;
    same("avg_pool3d", film.avg_pool3d_with(2, [1, 2, 2], 1), args![&film, 2, [1, 2, 2], 1])?;
    both("max_pool1d_with_indices", rows.max_pool1d_with_indices(2), args![&rows, 2])?;
    both("max_pool2d_with_indices", picture.max_pool2d_with_indices_with(3, 1, 1), args![&picture, 3, 1, 1])?;
    both("max_pool3d_with_indices", film.max_pool3d_with_indices(2), args![&film, 2])?;
    let (largest, places) = picture.max_pool2d_with_indices(2)?;
    let places: Tensor<i64, shape![1, 2, _, _]> = places;
    same::<f32, Rank<4>>("max_unpool2d", largest.max_unpool2d(&places, 2), args![&largest, &places, 2])?;
    same("max_unpool2d", largest.max_unpool2d_with(&places, 2, 2, 0), args![&largest, &places, 2, 2, 0])?;
    let (largest, places) = rows.max_pool1d_with_indices(3)?;
    same("max_unpool1d", largest.max_unpool1d(&places, 3), args![&largest, &places, 3])?;
    let (largest, places) = film.max_pool3d_with_indices(2)?;
    same("max_unpool3d", largest.max_unpool3d(&places, 2), args![&largest, &places, 2])?;
    Ok(())
}

#[test]
fn pictures_have_other_sizes() -> Result<()> {
    manual_seed(6);
    let (picture, grid) = (Tensor::<f32, shape![1, 2, 4, 4]>::randn(), Tensor::<f32, shape![1, 3, 5, 2]>::uniform(-1.0, 1.0));
    same::<f32, Rank<4>>("interpolate", picture.interpolate([6, 2]), args![&picture, [6, 2]])?;
    same("interpolate", picture.interpolate(8), args![&picture, 8])?;
    let bicubic = args![&picture, [7, 7], mode = "bicubic", align_corners = true];
    same("interpolate", picture.interpolate_with([7, 7], "bicubic", Some(true)), bicubic)?;
    same("interpolate", picture.interpolate_by(1.5), args![&picture, scale_factor = 1.5])?;
    let bilinear = args![&picture, scale_factor = 0.5, mode = "bilinear"];
    same("interpolate", picture.interpolate_by_with(0.5, "bilinear", None), bilinear)?;
    same::<f32, Rank<4>>("grid_sample", Ok(picture.grid_sample(&grid)), args![&picture, &grid])?;
    let turn = tensor![[[1.0, 0.5, 0.25], [-0.5, 2.0, 0.125]]];
    let known = tensor![
        -2.0 / 3.0,
        -0.541_666_6,
        0.0,
        -0.875,
        2.0 / 3.0,
        -1.208_333_4,
        -1.0 / 6.0,
        1.458_333_4,
        0.5,
        1.125,
        7.0 / 6.0,
        0.791_666_6
    ];
    assert!(turn.affine_grid([1, 1, 2, 3])?.flatten().allclose(&known), "what PyTorch gives");
    let refused = turn.affine_grid([1, 1, 2, 3, 4]).expect_err("matrices of pictures");
    assert_eq!(
        refused.message(),
        "Expected a batch of 3D affine matrices of shape Nx3x4 for size (1, 1, 2, 3, 4). Got torch.Size([1, 2, 3])."
    );
    same("affine_grid", turn.affine_grid([1, 1, 3, 2]), args![&turn, [1, 1, 3, 2]])?;
    same("affine_grid", turn.affine_grid_with([1, 1, 3, 2], true), args![&turn, [1, 1, 3, 2], align_corners = true])?;
    let nearest = picture.grid_sample_with(&grid, "nearest", "border", true);
    same("grid_sample", nearest, args![&picture, &grid, "nearest", "border", true])?;
    let refused = picture.interpolate_with(8, "nearest", Some(true)).expect_err("nearest has no corners");
    assert!(refused.message().starts_with("align_corners option can only be set"), "{refused}");
    Ok(())
}

/// That a method draws from a seed what a call by name draws from it. Other tests draw from the default generator meanwhile: then both draw again.
fn drawn_alike(name: &str, method: impl Fn() -> Result<String>, by_name: impl Fn() -> Result<String>) -> Result<()> {
    let draw = |from: &dyn Fn() -> Result<String>| {
        manual_seed(7);
        from()
    };
    for _ in 0..1000 {
        if draw(&method)? == draw(&by_name)? {
            return Ok(());
        }
    }
    assert_eq!((draw(&method)?, name), (draw(&by_name)?, name));
    Ok(())
}

#[test]
fn channels_are_left_out_as_a_whole() -> Result<()> {
    let x = Tensor::<f32, shape![2, 8, 4]>::ones();
    manual_seed(7);
    let thinned: Tensor<f32, shape![2, 8, 4]> = x.dropout1d(0.5, true);
    assert!(thinned.to_vec().chunks(4).all(|channel| channel == [0.0; 4] || channel == [2.0; 4]));
    for (name, got) in [
        ("dropout1d", (|x| x.dropout1d(0.5, true)) as fn(&Tensor<f32, shape![2, 8, 4]>) -> Tensor<f32, shape![2, 8, 4]>),
        ("dropout3d", |x| x.unsqueeze(axis::<-1>()).unsqueeze(axis::<-1>()).dropout3d(0.5, true).view(shape![2, 8, 4])),
        ("alpha_dropout", |x| x.alpha_dropout(0.5, true)),
        ("feature_alpha_dropout", |x| x.feature_alpha_dropout(0.5, true)),
        ("dropout2d", |x| x.dropout2d(0.5, false)),
    ] {
        let of = if name == "dropout3d" { x.view([2, 8, 4, 1, 1])?.erase() } else { x.erase() };
        let expected = || call(name, args![&of, 0.5, name != "dropout2d"])?.tensor()?.reshape([2, 8, 4]);
        drawn_alike(name, || Ok(got(&x).to_string()), || Ok(expected()?.to_string()))?;
    }
    assert!(x.try_dropout2d(1.5, true).is_err(), "no probability");
    Ok(())
}

#[test]
fn weights_have_first_values() -> Result<()> {
    let (mut weight, mut square) = (Tensor::<f32, shape![4, 2, 3]>::zeros(), Tensor::<f32, shape![2, 3]>::ones());
    weight.dirac_with_(2)?;
    square.eye_()?;
    let mut again = weight.zeros_like().erase();
    call("init.dirac_", args![&mut again, 2])?;
    assert!(weight.equal(&again));
    assert_eq!((weight.dirac_()?.sum().item(), square.to_vec()), (2.0, vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0]));
    let x = Tensor::<f32, shape![2, 4]>::zeros();
    for (arguments, draw) in [
        (vec![9], (|x| x.randint_like(9)) as fn(&Tensor<f32, shape![2, 4]>) -> Result<Tensor<f32, shape![2, 4]>>),
        (vec![3, 9], |x| x.randint_like_with(3, 9)),
    ] {
        let by_name = || {
            let arguments = arguments.iter().fold(args![&x], |arguments, &bound: &i64| arguments.with(bound));
            Ok(call("randint_like", arguments)?.tensor()?.to_string())
        };
        drawn_alike("randint_like", || Ok(draw(&x)?.to_string()), by_name)?;
    }
    square.sparse_(0.5)?;
    assert_eq!(square.count_nonzero().item(), 3);
    Ok(())
}

#[test]
fn bags_of_rows_are_joined() -> Result<()> {
    let weight = Tensor::<f32>::linspace(-1.0, 2.0, 12)?.view(shape![4, 3]);
    let (places, row) = (tensor![[0, 3], [2, 2]], tensor![0, 3, 2]);
    let means: Tensor<f32, Rank<2>> = places.embedding_bag(&weight);
    same("embedding_bag", Ok(means), args![&places, &weight])?;
    let begins = tensor![0, 2];
    same("embedding_bag", row.embedding_bag_with(&weight, &begins, "max"), args![&row, &weight, &begins, mode = "max"])?;
    Ok(())
}

#[test]
fn tensors_are_contracted_and_chosen_from() -> Result<()> {
    manual_seed(8);
    let (x, y) = (Tensor::<f64, shape![2, 3, 4]>::randn(), Tensor::<f64, shape![3, 4, 5]>::randn());
    same("tensordot", Ok(x.tensordot(&y)), args![&x, &y])?;
    same("tensordot", x.tensordot_with(&y.transpose(axis::<0>(), axis::<1>()), 1), args![&x, &y.transpose(axis::<0>(), axis::<1>()), 1])?;
    same("tensordot", x.tensordot_with(&y, [[1, 2], [0, 1]]), args![&x, &y, [[1, 2], [0, 1]]])?;
    same("tensordot", x.tensordot_with(&y, [vec![2], vec![1]]), args![&x, &y, [[2], [1]]])?;
    let row = tensor![1.0, 2.0, 3.0];
    same("combinations", Ok(row.combinations()), args![&row])?;
    same("combinations", row.combinations_with(3, true), args![&row, 3, true])?;
    same("cartesian_prod", Ok(cartesian_prod((&row, &row))), args![&row, &row])?;
    let (wide, long) = (tensor![[1, 2]], tensor![[3], [4]]);
    let joined: Tensor<i64, Rank<2>> = block_diag((&wide, &long));
    same("block_diag", Ok(joined), args![&wide, &long])?;
    let places: Tensor<i64, shape![2, _]> = Tensor::<i64>::tril_indices(3, 4)?;
    same("tril_indices", Ok(places), args![3, 4])?;
    same("triu_indices", Tensor::<i32>::triu_indices_with(3, 4, -1), args![3, 4, -1, dtype = DType::I32])?;
    let bytes: Vec<Tensor<i64, shape![2]>> = tensor![4, 5; u8].unravel_index([2, 3])?;
    assert_eq!((bytes[0].to_vec(), bytes[1].to_vec()), (vec![1, 1], vec![1, 2]));
    let given = tensor![[1, 7], [11, 4]];
    let along: Vec<Tensor<i64, shape![2, 2]>> = given.unravel_index([3, 4])?;
    let expected = call("unravel_index", args![&given, [3, 4]])?.tensors()?;
    assert!(along.iter().zip(&expected).all(|(got, expected)| got.equal(expected)) && along.len() == expected.len());
    Ok(())
}

#[test]
fn numbers_and_rows_are_measured() -> Result<()> {
    let x = Tensor::<f32>::linspace(-1.3, 2.1, 12)?.view(shape![3, 4]);
    let y = Tensor::<f32>::linspace(2.0, 0.5, 9)?.view(shape![3, 3]);
    same("softsign", Ok(x.softsign()), args![&x])?;
    same("pdist", Ok(x.pdist()), args![&x])?;
    same("pdist", x.pdist_with(1.0), args![&x, 1.0])?;
    let (weight, bias) = (Tensor::<f32>::linspace(-1.0, 1.0, 24)?.view(shape![2, 4, 3]), tensor![0.5, -0.5]);
    same::<f32, shape![3, _]>("bilinear", Ok(x.bilinear(&y, &weight)), args![&x, &y, &weight])?;
    same("bilinear", x.bilinear_with(&y, &weight, &bias), args![&x, &y, &weight, &bias])?;
    let picture = Tensor::<f32>::linspace(0.0, 1.0, 32)?.view([1, 8, 2, 2])?;
    same("local_response_norm", picture.local_response_norm(3), args![&picture, 3])?;
    let others = args![&picture, 3, 1e-3, 0.5, 2.0];
    same("local_response_norm", picture.local_response_norm_with(3, 1e-3, 0.5, 2.0), others)?;
    let powers = tensor![[1], [-2], [0]];
    same::<f32, shape![3, 4]>("ldexp", Ok(x.ldexp(&powers)), args![&x, &powers])?;
    same::<f16, shape![3, 4]>("ldexp", x.half().try_ldexp(&powers), args![&x.half(), &powers])?;
    same::<f64, shape![3, 1]>("ldexp", Ok(powers.ldexp(&powers.double())), args![&powers, &powers.double()])?;
    let (number, erased) = (tensor![1.5; f64].sum(), powers.erase());
    same::<f64, shape![3, 1]>("ldexp", Ok(number.ldexp(&powers)), args![&number, &powers])?;
    same::<Any, Any>("ldexp", erased.try_ldexp(&erased), args![&erased, &erased])?;
    let (places, source) = (tensor![0, 2, 0], Tensor::<f32, shape![3, 3]>::ones());
    same("index_reduce", y.index_reduce(1, &places, &source, "amax"), args![&y, 1, &places, &source, "amax"])?;
    let without = args![&y, 0, &places, &source, "mean", include_self = false];
    same("index_reduce", y.index_reduce_with(0, &places, &source, "mean", false), without)?;
    let slopes: Vec<Tensor<f32, shape![3, 4]>> = x.gradient();
    let expected = call("gradient", args![&x])?.tensors()?;
    assert!(slopes.len() == 2 && slopes.iter().zip(&expected).all(|(got, expected)| got.equal(expected)));
    let slopes = x.gradient_with(0.5, 1, 2)?;
    assert!(slopes.len() == 1 && slopes[0].equal(&call("gradient", args![&x, spacing = 0.5, dim = 1, edge_order = 2])?.tensors()?[0]));
    Ok(())
}

#[test]
fn texts_have_losses() -> Result<()> {
    manual_seed(9);
    let logs: Tensor<f32, shape![6, 2, 4]> = Tensor::<f32, shape![6, 2, 4]>::randn().log_softmax(axis::<2>());
    let (targets, steps, signs) = (tensor![[1, 2], [3, 3]], tensor![6, 5], tensor![2, 2]);
    same("ctc_loss", logs.ctc_loss(&targets, &steps, &signs), args![&logs, &targets, &steps, &signs])?;
    let each = logs.ctc_loss_with(&targets, &steps, &signs, 0, Reduction::None, true)?;
    let each: Tensor<f32, Rank<1>> = each;
    same("ctc_loss", Ok(each), args![&logs, &targets, &steps, &signs, 0, "none", true])?;
    Ok(())
}

#[test]
fn matrices_are_taken_apart_further() -> Result<()> {
    manual_seed(10);
    let x = Tensor::<f64, shape![3, 3]>::randn();
    let (positive, right) = (x.matmul(&x.t()) + Tensor::<f64, shape![3, 3]>::eye(), Tensor::<f64, shape![3, 2]>::randn());
    both("linalg.inv_ex", linalg::inv_ex(&x), args![&x])?;
    both("linalg.cholesky_ex", linalg::cholesky_ex(&positive), args![&positive])?;
    both::<_, shape![3, 2], _, shape![]>("linalg.solve_ex", linalg::solve_ex(&x, &right), args![&x, &right])?;
    let (lu, pivots, infos) = linalg::lu_factor_ex(&x)?;
    let (again, same_pivots) = linalg::lu_factor(&x)?;
    assert!(lu.equal(&again) && pivots.equal(&same_pivots) && infos.item() == 0);
    let (ld, _, info) = linalg::ldl_factor_ex(&positive)?;
    assert!(ld.equal(&linalg::ldl_factor(&positive)?.0) && info.item() == 0);
    both("linalg.ldl_factor", linalg::ldl_factor(&positive), args![&positive])?;
    let (factor, pivots) = linalg::ldl_factor(&positive)?;
    same("linalg.ldl_solve", linalg::ldl_solve(&factor, &pivots, &right), args![&factor, &pivots, &right])?;
    let mirrors = call("geqrf", args![&x])?.tensors()?;
    let (mirrors, tau) = (mirrors[0].typed::<f64, shape![3, 3]>()?, mirrors[1].typed::<f64, shape![3]>()?);
    same("linalg.householder_product", linalg::householder_product(&mirrors, &tau), args![&mirrors, &tau])?;
    both("linalg.polar", linalg::polar(&x.i(i![.., ..2])), args![&x.i(i![.., ..2])])?;
    same("linalg.matrix_sqrth", linalg::matrix_sqrth(&positive), args![&positive])?;
    let cube = Tensor::<f64, shape![4, 6, 8, 3]>::randn();
    same::<f64, Rank<4>>("linalg.tensorinv", linalg::tensorinv(&cube), args![&cube])?;
    let flat = cube.reshape(shape![24, 8, 3]);
    same("linalg.tensorinv", linalg::tensorinv_with(&flat, 1), args![&flat, 1])?;
    let known = Tensor::<f64, shape![4, 6]>::ones();
    same("linalg.tensorsolve", linalg::tensorsolve(&cube, &known), args![&cube, &known])?;
    let (turned, narrow) = (cube.permute(axes![0, 2, 1, 3]).reshape(shape![4, 8, 6, 3]), Tensor::<f64, shape![8, 3]>::ones());
    same("linalg.tensorsolve", linalg::tensorsolve_with(&turned, &narrow, [0, 2]), args![&turned, &narrow, [0, 2]])?;
    let row = tensor![1.0, 2.0, 3.0; f64];
    same::<f64, shape![3, 3]>("linalg.vander", linalg::vander(&row), args![&row])?;
    same("linalg.vander", linalg::vander_with(&row, 5), args![&row, N = 5])?;
    same("linalg.diagonal", linalg::diagonal(&cube), args![&cube])?;
    same("linalg.multi_dot", linalg::multi_dot(&[&x, &positive, &x]), args![[&x, &positive, &x]])?;
    Ok(())
}

#[test]
fn spectra_of_several_dimensions_are_real() -> Result<()> {
    manual_seed(11);
    let x = Tensor::<f32, shape![3, 4]>::randn();
    let half = fft::ihfft2(&x)?;
    same::<c64, Rank<2>>("fft.ihfft2", fft::ihfft2(&x), args![&x])?;
    same("fft.ihfftn", fft::ihfftn(&x), args![&x])?;
    same::<f32, Rank<2>>("fft.hfft2", fft::hfft2(&half), args![&half])?;
    same("fft.hfftn", fft::hfftn(&half), args![&half])?;
    Ok(())
}

type Window = fn(usize) -> Result<Tensor<f64, Rank<1>>>;

#[test]
fn windows_of_signals_are_symmetric() -> Result<()> {
    let plain: [(&str, Window); 10] = [
        ("bartlett", |n| windows::bartlett(n)),
        ("blackman", |n| windows::blackman(n)),
        ("cosine", |n| windows::cosine(n)),
        ("exponential", |n| windows::exponential(n)),
        ("gaussian", |n| windows::gaussian(n)),
        ("general_hamming", |n| windows::general_hamming(n)),
        ("hamming", |n| windows::hamming(n)),
        ("hann", |n| windows::hann(n)),
        ("kaiser", |n| windows::kaiser(n)),
        ("nuttall", |n| windows::nuttall(n)),
    ];
    for (name, window) in plain {
        same(&format!("signal.windows.{name}"), window(7), args![7, dtype = DType::F64])?;
    }
    let name = "signal.windows.exponential";
    same(name, windows::exponential_with::<f32>(6, 0, 3.0, false), args![6, center = 0.0, tau = 3.0, sym = false])?;
    same("signal.windows.gaussian", windows::gaussian_with::<f32>(6, 2.0, true), args![6, std = 2.0])?;
    same("signal.windows.kaiser", windows::kaiser_with::<f32>(6, 5.0, false), args![6, beta = 5.0, sym = false])?;
    same("signal.windows.general_hamming", windows::general_hamming_with::<f32>(6, 0.7, true), args![6, alpha = 0.7])?;
    let factors = [0.4, 0.5, 0.1];
    same("signal.windows.general_cosine", windows::general_cosine::<f32>(6, &factors), args![6, a = factors])?;
    same("signal.windows.general_cosine", windows::general_cosine_with::<f32>(6, &factors, false), args![6, a = factors, sym = false])?;
    same("signal.windows.hann", windows::hann_with::<f32>(6, false), args![6, sym = false])?;
    Ok(())
}
