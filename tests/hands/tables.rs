//! What the tables of the README show, line by line: each compiles as it stands there, with the type that the table says.

use latten::by_name::Arguments;
use latten::prelude::*;
use latten::{fft, linalg};

type F23 = Tensor<f32, shape![2, 3]>;
/// Numbers and their places.
type Pair<S> = (Tensor<f32, S>, Tensor<i64, S>);

/// What the type knows, beside what the run knows.
#[allow(clippy::too_many_lines, reason = "a line for each cell")]
fn known_and_not(n: usize, x: &F23, y: &F23) -> Result<()> {
    let list = vec![x.clone(), y.clone()];
    let _: Tensor<f32, shape![_, 3]> = cat(&list, axis::<0>())?;
    let _: Tensor<f32, Rank<2>> = cat(&list, 0)?;
    let _: Tensor<f32, shape![_, 2, 3]> = stack(&list, axis::<0>())?;
    let _: Tensor<f32, Rank<3>> = stack(&list, 0)?;
    let (at, mask): (Tensor<i64, shape![2, 1]>, _) = (tensor![[0], [1]], x.gt(1.0));
    let (rows, table) = (tensor![1, 0], Tensor::<f32, shape![10, 4]>::ones());
    let (images, kernels) = (Tensor::<f32, shape![2, 1, 8, 8]>::ones(), Tensor::<f32, shape![4, 1, 3, 3]>::ones());

    let _: F23 = Tensor::<f32, shape![2, 3]>::zeros();
    let _: Tensor<f32, Rank<2>> = Tensor::<f32>::zeros([n, 3])?;
    let _: F23 = Tensor::full(0.5);
    let _: Tensor<f32, Rank<2>> = Tensor::<f32>::full([n, 3], 0.5)?;
    let _: F23 = Tensor::normal(0.0, 0.1);
    let _: Tensor<f32, Rank<2>> = Tensor::<f32>::normal(0.0, 0.1, [n, 3])?;
    let _: Tensor<i64, shape![4]> = Tensor::randint(0, 9);
    let _: Tensor<i64, Rank<1>> = Tensor::<i64>::randint(0, 9, [n])?;
    let _: Tensor<i64, shape![4]> = Tensor::arange();
    let _: Tensor<i64, Rank<1>> = Tensor::<i64>::arange(n)?;
    let _: Tensor<f32, shape![3, 3]> = Tensor::eye();
    let _: Tensor<f32, Rank<2>> = Tensor::<f32>::eye(n)?;

    let _: Tensor<f32, shape![]> = x.sum();
    let _: Tensor<f32, shape![2]> = x.sum_along(axis::<1>());
    let _: Tensor<f32, shape![2, 1]> = x.sum_along(kept(axis::<1>()));
    let _: Tensor<f32, Rank<1>> = x.sum_along(1)?;
    let _: Tensor<f32, Rank<2>> = x.sum_along(kept(1))?;
    let _: Tensor<i64, shape![2]> = x.argmax_along(axis::<1>());
    let _: Pair<shape![2]> = x.max_along(axis::<1>());
    let _: Pair<Rank<1>> = x.max_along(1)?;

    let _: F23 = x.softmax(axis::<-1>());
    let _: F23 = x.softmax(-1)?;
    let _: Pair<shape![2, 3]> = x.sort(axis::<-1>());
    let _: Tensor<i64, shape![2, 3]> = x.argsort(-1)?;
    let _: F23 = x.layer_norm([3])?;
    let _: F23 = x.flip(axis::<1>());
    let _: F23 = x.roll(1, axis::<1>());

    let _: Tensor<f32, shape![3, 2]> = x.reshape(shape![3, 2]);
    let _: Tensor<f32, shape![3, _]> = x.reshape(shape![3, _]).as_shape();
    let _: Tensor<f32, Rank<2>> = x.reshape([n, 3])?;
    let _: Tensor<f32, shape![3, _]> = x.view(shape![3, _]);
    let _: Tensor<f32, Rank<3>> = x.expand([4, -1, 3])?;
    let _: Tensor<f32, shape![3, 2]> = x.transpose(axis::<0>(), axis::<1>());
    let _: Tensor<f32, Rank<2>> = x.transpose(0, 1)?;
    let _: Tensor<f32, shape![2, 1, 3]> = x.unsqueeze(axis::<1>());
    let _: Tensor<f32, Rank<3>> = x.unsqueeze(1)?;

    let _: Pair<shape![2, _]> = x.topk(2, axis::<1>())?;
    let _: Pair<Rank<2>> = x.topk(2, -1)?;
    let _: Tensor<f32, shape![_, 3]> = x.index_select(axis::<0>(), &rows)?;
    let _: Tensor<f32, shape![2, _]> = x.narrow(axis::<1>(), 0, 2)?;
    let _: Vec<Tensor<f32, shape![2, _]>> = x.split(2, axis::<1>())?;
    let _: Vec<Tensor<f32, Rank<2>>> = x.split([2, 1], 1)?;
    let _: Tensor<f32, Rank<1>> = x.quantile_along(0.5, 1)?;

    let _: Tensor<f32, shape![2, 1]> = x.gather(1, &at)?;
    let _: F23 = x.scatter_add(1, &at, y)?;
    let _: F23 = x.index_add(0, &rows, y)?;

    let _: Tensor<f32, shape![2, 2]> = x.matmul(&y.t());
    let _: Tensor<f32, shape![2, 4, _, _]> = images.conv2d(&kernels);
    let _: Tensor<f32, shape![2, 1, _, _]> = images.max_pool2d(2)?;
    let _: Tensor<f32, shape![2, 4]> = rows.embedding(&table);
    let _: Tensor<f32, Rank<1>> = x.diagonal();
    let _: Tensor<f32, Rank<1>> = x.masked_select(&mask);
    let _: Tensor<f32, Rank<1>> = x.flatten();

    let (a, b) = (x, y);
    let _ = x.size(0);
    let _ = x.diff();
    let _ = x.cov();
    let _ = x.nonzero();
    let _ = y.bernoulli();
    let _ = |x: F23| x.bernoulli();
    let _ = a.cosine_similarity(b);
    let _ = a.dist(b);
    let _ = x.hypot(y);
    let _ = x.lerp(y, 0.5);
    let _ = x.pow(2);
    let _ = x.softplus();
    let _ = |x: Tensor<f32, shape![2]>, y: &Tensor<f32, shape![3]>| x.outer(y);
    let _ = x.triu();
    let _ = x.randn_like();
    let _ = x.detach();
    let _ = x.to::<f64>();
    let _ = x.count_nonzero();
    let _ = x.isin(y);
    let _ = x.trapezoid();
    let _ = x.maximum(y);
    let _ = x.clamp_min(0);
    let _ = x.remainder(3);
    let _ = x.isinf();
    let _ = x.prod();
    let _ = x.trace();
    let _ = x.cdist(y);
    let _ = x.contiguous();
    let _ = x.get([0, 1])?;
    let _ = x.multinomial(2)?;
    let _ = x.kthvalue(1, -1)?;
    let _ = x.chunk(2, 0)?;
    let _ = x.diff_with(1, 0)?;
    let _ = x.unfold(1, 2, 1)?;
    let _ = x.histc(10)?;
    let _ = x.repeat([2, 2])?;
    let _ = x.scatter_reduce(1, &at, y, "amax")?;
    let _ = x.flatten_with(0, -1)?;

    let (u, sigma, vh) = linalg::svd(x)?;
    let _: (Tensor<f32, shape![2, 2]>, Tensor<f32, Rank<1>>) = (u, sigma);
    let _: Tensor<f32, shape![3, 3]> = vh;
    let (a, b) = (Tensor::<f32, shape![3, 3]>::eye(), x.t());
    let _: Tensor<f32, shape![3, 2]> = linalg::solve(&a, &b)?;
    let _: Tensor<f32, shape![]> = linalg::norm(x);
    let _ = linalg::svd_with(x, false)?;
    let (_, _) = linalg::eigh(&a)?;
    let (_, _) = linalg::qr(x)?;
    let rights = Tensor::<f32, shape![2, 4]>::ones();
    let _ = linalg::lstsq(x, &rights)?.solution;
    let _: Tensor<Complex<f32>, Rank<2>> = fft::rfft(x)?;
    Ok(())
}

/// Names of PyTorch's, and what stands for them.
#[allow(clippy::too_many_lines, reason = "a line for each cell")]
fn names(n: usize, x: &F23, y: &F23, training: bool) -> Result<()> {
    let (mask, ids) = (x.gt(1.0), tensor![1, 0, 2]);
    let (a, b, p) = (x, y, &(y + 1.0));
    let (scores, classes, table) = (x, tensor![2, 0], Tensor::<f32, shape![10, 4]>::ones());
    let image = Tensor::<f32, shape![1, 3, 8, 8]>::ones();
    let (w, bias) = (Tensor::<f32, shape![4, 3, 3, 3]>::ones(), Tensor::<f32, shape![4]>::ones());
    let weights = tensor![0.5, 1.0, 2.0];
    let each = Tensor::<f32, shape![3, 1, 3, 3]>::ones();
    let (weight, mean, variance) = (Tensor::<f32, shape![3]>::ones(), Tensor::<f32, shape![3]>::zeros(), Tensor::<f32, shape![3]>::ones());
    let z = Tensor::<Complex<f32>, shape![3]>::ones();

    let _ = x.pad([1, 1])?;
    let _ = x.pad_with([1, 1], 0.5)?;
    let _ = x.pad_with([1, 1], Padding::Reflect)?;
    let _ = image.conv2d_with(&w, &bias, 1, 1, 1)?;
    let _ = image.conv2d_grouped(&each, None, 1, 1, 1, 3)?;
    let _ = image.max_pool2d_with(3, 2, 1)?;
    let _ = ids.one_hot_with(10)?;
    let _ = ids.embedding(&table);
    let _ = x.dropout(0.2, training);
    let _ = x.leaky_relu_with(0.2);
    let _ = x.elu();
    let _ = x.layer_norm([3])?;
    let _ = x.layer_norm_with([3], &weight, None, 1e-5)?;
    let _ = x.batch_norm(&mean, &variance);
    let _ = x.batch_norm_with(&mean, &variance, None, None, training, 0.1, 1e-5)?;
    let _ = a.mse_loss(b)?;
    let _ = a.mse_loss_with(b, Reduction::Sum)?;
    let _ = scores.cross_entropy(&classes)?;
    let _ = scores.cross_entropy_with(&classes, &weight, -100, Reduction::None, 0.1)?;
    let _ = a.triplet_margin_loss_with(b, p, 1.0, 2.0, 1e-6, false, Reduction::Mean)?;
    let _ = x.where_(&mask, 0.0);
    let _ = where_(&mask, x, y);
    let _: Tensor<f32, shape![1, 3, 8, 8]> = image.contiguous_with(MemoryFormat::ChannelsLast)?;
    let _: bool = image.is_contiguous_with(MemoryFormat::ChannelsLast);
    let _: (&[usize], usize) = (x.strides(), x.element_size());
    let _ = x.squeeze(..);
    let _ = x.repeat([2, 2])?;
    let _ = x.repeat_interleave_with(2, -1)?;
    let _ = x.mode_along(-1)?;
    let _ = x.mode_along(axis::<-1>());
    let counts = tensor![1, 0, 2];
    let _ = ids.repeat_interleave(&counts);
    let _ = ids.bincount();
    let _ = ids.bincount_with(None, 10)?;
    let _ = ids.bincount_with(&weights, 0)?;
    let (_values, _inverse, _counts) = x.unique_all();
    let _: Pair<shape![2, 3]> = x.sort_with(-1, Order::Descending)?;
    let _ = x.std_along_with(axis::<0>(), false);
    let _ = x.allclose_with(y, 1e-5, 1e-8, false);
    let _: (F23, F23) = (x.div_trunc(4), x.floor_divide(4));
    let _: DType = result_type(x, 1.0)?;
    let _: Tensor<f32, shape![]> = linalg::norm_with(x, "fro", ..)?;
    let _: Tensor<f32, shape![2]> = linalg::vector_norm_with(x, 1, axis::<1>())?;
    let _: Tensor<f32, shape![]> = linalg::matrix_norm_with(x, "nuc")?;
    let _ = ids.bucketize(&tensor![0, 2]);
    let _ = tensor![Complex::new(1.0_f32, 2.0)];
    let _ = (z.real(), z.imag(), z.conj(), z.abs());
    let _ = polar(a, b);
    let _ = fft::rfftfreq_with::<f64>(n, 0.01)?;
    let _ = fft::irfft_with(&fft::rfft(x)?, 3)?;
    let _: Tensor<i32, Rank<2>> = x.reinterpret::<i32>()?;
    let (row, window) = (Tensor::<f32, shape![16]>::ones(), Tensor::<f32>::hann_window(4)?);
    let _: Tensor<Complex<f32>, Rank<2>> = row.stft(4, 2, &window)?;
    let _: F23 = latten::special::ndtr(x);
    let arguments = Arguments::new().with(x).with_named("dim", 1);
    assert_eq!(call("sum", arguments)?.tensor()?.sizes(), [2]);
    let _ = latten::optim::Sgd::new(0.1).momentum(0.9).weight_decay(1e-4);
    let _ = latten::optim::AdamW::new(1e-3);
    let _ = latten::optim::RmsProp::new(1e-2);
    Ok(())
}

fn doubled<const N: usize>(x: &Tensor<f32, shape![N, 3]>) -> Tensor<f32, shape![N, 3]> {
    x * 2_usize
}

fn halved<B: Dim>(x: &Tensor<f32, shape![<B>, 3]>) -> Tensor<f32, shape![<B>, 3]> {
    x * 0.5_f32
}

/// A written 1 goes into a function over `<B>`, and as a parameter into one over numbers.
#[test]
fn one_row_goes_into_functions() {
    let row = tensor![[1.0, 2.0, 3.0]];
    let (half, double): (Tensor<f32, shape![1, 3]>, _) = (halved(&row), doubled(&row.as_sizes()));
    assert_eq!((half.to_vec(), double.to_vec()), (vec![0.5, 1.0, 1.5], vec![2.0, 4.0, 6.0]));
}

#[test]
fn what_the_tables_of_the_readme_show_compiles() -> Result<()> {
    let (x, y): (F23, F23) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], Tensor::ones());
    known_and_not(2, &x, &y)?;
    names(4, &x, &y, true)?;
    let here = include_str!("tables.rs");
    let readme = include_str!("../../README.md");
    let cells: Vec<&str> = readme
        .lines()
        .filter(|line| line.starts_with("| "))
        .flat_map(|line| line.split('|').skip(2).flat_map(|cell| cell.split('`').skip(1).step_by(2)))
        .collect();
    assert!(cells.len() > 60, "{} calls in the tables", cells.len());
    let missing: Vec<&str> = cells.into_iter().filter(|cell| cell.contains('(') && !here.contains(cell)).collect();
    assert!(missing.is_empty(), "not in tests/hands/tables.rs: {missing:#?}");
    Ok(())
}
