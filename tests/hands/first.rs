//! What strangers wrote before they had looked anything up: PyTorch's defaults by the plain names, tensors in `i![…]`, windows of signals.

use latten::linalg::{solve, solve_triangular, vector_norm, vector_norm_with};
use latten::prelude::*;
use latten::random::init::{Fan, Nonlinearity, Truncated};
use latten::{Accumulate, fft, meshgrid, meshgrid_with};

use super::declared::same;

#[test]
fn the_plain_name_has_pytorchs_defaults() -> Result<()> {
    let x = tensor![[1.0_f64, 2.0], [3.0, 4.0]];
    assert_eq!((x.tril().to_vec(), x.triu_with(1).to_vec()), (vec![1.0, 0.0, 3.0, 4.0], vec![0.0, 2.0, 0.0, 0.0]));
    let mut lower = x.clone();
    lower.tril_()?.triu_with_(-1)?;
    assert_eq!((lower.to_vec(), x.erase().triu().sizes()), (vec![1.0, 0.0, 3.0, 4.0], &[2, 2][..]));
    assert_eq!((x.diagonal().to_vec(), x.diagonal_with(1, 0, 1)?.to_vec()), (vec![1.0, 4.0], vec![2.0]));
    assert_eq!((x.diag().to_vec(), x.diag_with(-1).to_vec()), (vec![1.0, 4.0], vec![3.0]));
    assert_eq!((x.rot90().to_vec(), x.rot90_with(2, [0, 1])?.to_vec()), (vec![2.0, 4.0, 1.0, 3.0], vec![4.0, 3.0, 2.0, 1.0]));
    assert_eq!((vector_norm(&tensor![3.0, 4.0]).item(), vector_norm_with(&x, 1, ..)?.item()), (5.0, 10.0));
    let rows: Tensor<f64, shape![2]> = vector_norm_with(&x, f64::INFINITY, axis::<1>())?;
    let kept_columns: Tensor<f64, shape![1, 2]> = vector_norm_with(&x, 1, kept(axis::<0>()))?;
    assert_eq!((rows.to_vec(), kept_columns.to_vec()), (vec![2.0, 4.0], vec![4.0, 6.0]));
    assert_eq!((x.histc(100)?.sizes(), x.histc_with(2, 0, 4)?.to_vec()), (&[100][..], vec![1.0, 3.0]));
    let (a, b) = (tensor![1, 2], tensor![3, 4]);
    assert_eq!(meshgrid([&a, &b])[0].to_vec(), meshgrid_with(&[&b, &a], "xy")?[1].to_vec());
    let mut sums = tensor![[1.0_f64, 0.0], [0.0, 1.0]];
    sums.addmm_(&x, &x)?;
    assert!(sums.equal(&x.matmul(&x).add(&Tensor::<f64, shape![2, 2]>::eye())) && x.addmm(&x, &x).equal(&(&x + x.matmul(&x))));
    let (some, none) = (Some(rows.alias()), None::<Tensor<f64, shape![2]>>);
    assert!(x.linear_with(&x, &some).equal(&x.linear_with(&x, &rows)) && x.linear_with(&x, &none).equal(&x.linear_with(&x, None)));
    let solution: Tensor<f64, shape![2]> = solve(&x, &rows)?;
    assert!(x.matmul(&solution).allclose(&rows) && solve_triangular(&x, &kept_columns.t(), false)?.as_shape::<Any>().dim() == 2);
    assert!(x.linear(&x).equal(&x.matmul(&x.t())) && x.linear_with(&x, Some(&rows)).equal(&x.linear_with(&x, &rows)));
    let strided: Tensor<f64, Rank<1>> = x.as_strided([2], [2])?;
    assert_eq!((strided.to_vec(), x.as_strided_with([2], [2], 1)?.to_vec()), (vec![1.0, 3.0], vec![2.0, 4.0]));
    Ok(())
}

#[test]
fn dimensions_and_ways_are_said_as_in_pytorch() -> Result<()> {
    let (x, y, z) = (tensor![[1, 2], [3, 4]], tensor![[5, 6]], tensor![[0.5, 1.5]]);
    let rows: Tensor<i64, Rank<2>> = cat((&x, &y), 0)?;
    let promoted: Tensor<f32, Rank<2>> = Tensor::cat((&x, &y, &z), -2)?;
    assert_eq!((rows.to_vec(), promoted.sizes()), (vec![1, 2, 3, 4, 5, 6], &[4, 2][..]));
    let refused = cat((&x, &y), 1).map(drop).expect_err("two rows and one");
    assert_eq!(
        refused.message(),
        "Sizes of tensors must match except in dimension 1. Expected size 2 but got size 1 for tensor number 1 in the list."
    );
    let refused = cat((&x, &tensor![7]), 0).map(drop).expect_err("two dimensions and one");
    assert_eq!(refused.message(), "Tensors must have same number of dimensions: got 2 and 1");
    let (groups, values) = (tensor![0, 1, 0], tensor![3, 5, 7]);
    let mut most = tensor![4, 4].scatter_reduce(0, &groups, &values, "amax")?;
    assert_eq!(most.to_vec(), [7, 5]);
    most.scatter_reduce_with_(0, &groups, &values, "sum", false)?;
    assert_eq!(most.to_vec(), [10, 5]);
    let refused = most.scatter_reduce_(0, &groups, &values, "maximum").map(drop).expect_err("no such way");
    assert_eq!(refused.message(), "reduce argument must be either sum, prod, mean, amax or amin, got maximum");
    let weights = tensor![1.0, 5.0].requiring_grad()?;
    let least = weights.scatter_reduce(0, &groups, &tensor![3.0, 4.0, 5.0], "min")?;
    let refused = least.sum().backward().expect_err("amin has one");
    assert_eq!(
        (least.to_vec(), refused.message()),
        (vec![1.0, 4.0], "Expected 'reduce' to be one of 'sum', 'prod', 'mean', 'amax', 'amin' but got min.")
    );
    assert_eq!(values.topk_with(1, 0, false, true)?.0.to_vec(), [3]);
    Ok(())
}

#[test]
fn a_causal_mask_needs_no_mask() -> Result<()> {
    let q = tensor![[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]];
    let seen = Tensor::<bool, shape![3, 3]>::ones().tril();
    let causal = q.scaled_dot_product_attention_with(&q, &q, None, 0.0, true)?;
    assert!(causal.equal(&q.scaled_dot_product_attention_with(&q, &q, &seen, 0.0, false)?));
    assert!(!causal.equal(&q.scaled_dot_product_attention(&q, &q)));
    Ok(())
}

#[test]
fn tensors_stand_in_an_index() -> Result<()> {
    let x = tensor![[1, 2, 3], [4, 5, 6]];
    let (rows, columns, mask) = (tensor![1, 0, 1], tensor![[0, 2]], x.i(i![.., 0]).gt(1));
    let picked: Tensor<i64, shape![3, 3]> = x.i(i![&rows]);
    let nested: Tensor<i64, shape![2, 1, 2]> = x.i(i![.., &columns]);
    let one: Tensor<i64, shape![3]> = x.i(i![&rows, 1]);
    let chosen: Tensor<i64, shape![_, 3]> = x.i(i![&mask]);
    let all: Tensor<i64, Rank<1>> = x.i(i![&x.gt(2)]);
    let row: Tensor<i64, shape![_, 1, 2]> = x.i(i![&mask, NewAxis, 1..]);
    assert_eq!((picked.to_vec(), nested.to_vec()), (vec![4, 5, 6, 1, 2, 3, 4, 5, 6], vec![1, 3, 4, 6]));
    assert_eq!((one.to_vec(), chosen.to_vec(), all.to_vec(), row.to_vec()), (vec![5, 2, 5], vec![4, 5, 6], vec![3, 4, 5, 6], vec![5, 6]));
    let of_any: Tensor<i64, Any> = x.i(i![&rows.as_shape::<Any>()]);
    let together: Tensor<i64, shape![3]> = x.i(i![&rows, &tensor![0, 1, 2]]);
    let behind: Tensor<i64, Any> = x.i(i![..., &rows]);
    assert_eq!((of_any.sizes(), together.to_vec(), behind.to_vec()), (&[3, 3][..], vec![4, 2, 6], vec![2, 1, 2, 5, 4, 5]));
    assert!(x.erase().i(i![.., &rows]).equal(&x.index((.., &rows))?.erase()));
    let refused = x.try_i(i![&tensor![2]]).expect_err("there is no third row");
    assert_eq!(refused.message(), x.index(&tensor![2]).expect_err("nor here").message());
    Ok(())
}

#[test]
fn places_are_written_without_words() -> Result<()> {
    let (ids, table) = (tensor![2_i64, 0], tensor![[0.0, 0.5], [1.0, 1.5], [2.0, 2.5]]);
    let words: Tensor<f32, shape![2, 2]> = ids.embedding(&table);
    assert!(words.equal(&embedding(&ids, &table)) && words.equal(&ids.embedding_with(&table, 0)?));
    let mut most = tensor![0, 9].scatter_reduce(0, &tensor![0, 1, 0], &tensor![3, 5, 7], ScatterReduce::Amax)?;
    assert_eq!(most.to_vec(), [7, 9]);
    most.scatter_reduce_with_(0, &tensor![1], &tensor![2], ScatterReduce::Sum, false)?;
    assert_eq!(most.to_vec(), [7, 2]);
    most.index_put_(&tensor![0], 1)?.index_put_with_(&tensor![0, 0], 1, true)?;
    most.index_put_with_(&tensor![1], 1, Accumulate::No)?;
    assert_eq!(most.to_vec(), [3, 1]);
    let pixels: Tensor<i64, Rank<1>> = tensor![3_u8, 1, 3].bincount_with(None, 5)?;
    assert_eq!((pixels.to_vec(), tensor![1_i16, 1].bincount().to_vec()), (vec![0, 1, 0, 2, 0], vec![0, 2]));
    let (values, counts) = tensor![3, 1, 3].unique_counts();
    assert_eq!((values.to_vec(), counts.to_vec()), (vec![1, 3], vec![1, 2]));
    assert_eq!(tensor![3, 3, 1, 3].unique_consecutive().to_vec(), [3, 1, 3]);
    assert_eq!(tensor![3, 3, 1, 3].unique_consecutive_all().2.to_vec(), [2, 1, 1]);
    let (often, _): (Tensor<i64, shape![2]>, _) = tensor![[1, 1, 2], [3, 2, 3]].mode_along(axis::<1>());
    assert_eq!(often.to_vec(), [1, 3]);
    Ok(())
}

#[test]
fn what_types_know_to_fit_is_expanded() -> Result<()> {
    let column = tensor![[1.0], [2.0]];
    let wide: Tensor<f32, shape![3, 2, 4]> = column.expand(shape![3, 2, 4]);
    let kept_rows: Tensor<f32, shape![_, 4]> = column.broadcast_to(shape![_, 4]);
    let looked_at: Result<Tensor<f32, Rank<2>>> = column.expand([2, 3]);
    let open: Tensor<f32, shape![2, 4]> = column.as_shape::<Rank<2>>().expand(shape![2, 4]);
    assert_eq!((wide.sum().item(), kept_rows.sizes(), looked_at?.sizes(), open.sizes()), (36.0, &[2, 4][..], &[2, 3][..], &[2, 4][..]));
    assert_eq!(
        column.try_expand([3, 4]).expect_err("two rows").message(),
        "The expanded size of the tensor (3) must match the existing size (2) at non-singleton dimension 0.  Target sizes: [3, 4].  Tensor sizes: [2, 1]"
    );
    Ok(())
}

/// What PyTorch gives for seven numbers.
const WINDOWS: &[(&str, bool, [f32; 7])] = &[
    ("hann_window", true, [0.0, 0.1882551, 0.6112605, 0.95048445, 0.9504844, 0.61126053, 0.18825498]),
    ("hann_window", false, [0.0, 0.25, 0.75, 1.0, 0.74999994, 0.25000006, 0.0]),
    ("hamming_window", true, [0.08000001, 0.25319472, 0.6423597, 0.9544457, 0.9544457, 0.6423597, 0.2531946]),
    ("hamming_window", false, [0.08000001, 0.31000003, 0.77000004, 1.0, 0.77, 0.31000006, 0.08000001]),
    ("blackman_window", true, [-2.9802322e-08, 0.090453416, 0.45918295, 0.92036366, 0.92036355, 0.45918298, 0.09045333]),
    ("blackman_window", false, [-2.9802322e-08, 0.13, 0.63, 1.0, 0.62999994, 0.13000003, -2.9802322e-08]),
    ("bartlett_window", true, [0.0, 0.2857143, 0.5714286, 0.8571429, 0.8571428, 0.57142854, 0.28571415]),
    ("bartlett_window", false, [0.0, 0.33333334, 0.6666667, 1.0, 0.6666666, 0.33333325, 0.0]),
    ("kaiser_window", true, [5.2773437e-05, 0.03276829, 0.33089852, 0.8888684, 0.8888684, 0.33089852, 0.03276829]),
    ("kaiser_window", false, [5.2773437e-05, 0.054759316, 0.51884454, 1.0, 0.51884454, 0.054759316, 5.2773437e-05]),
];

#[test]
fn signals_have_windows_and_frequencies() -> Result<()> {
    for (name, periodic, expected) in WINDOWS {
        let typed = match *name {
            "hann_window" => Tensor::<f32>::hann_window_with(7, *periodic)?,
            "hamming_window" => Tensor::hamming_window_with(7, *periodic, 0.54, 0.46)?,
            "blackman_window" => Tensor::blackman_window_with(7, *periodic)?,
            "bartlett_window" => Tensor::bartlett_window_with(7, *periodic)?,
            _ => Tensor::kaiser_window_with(7, *periodic, 12.0)?,
        };
        // PyTorch's Bessel functions are others by a few units in the last place.
        let near = |found: &f32, expected: &f32| found == expected || *name == "kaiser_window" && (found / expected - 1.0).abs() < 2e-6;
        assert!(typed.to_vec().iter().zip(expected).all(|(found, expected)| near(found, expected)), "{name} {periodic}: {typed}");
        assert!(typed.equal(&call(name, args![7, *periodic])?.typed::<f32, Rank<1>>()?), "{name} {periodic} by its name");
    }
    let half: Tensor<f64, Rank<1>> = Tensor::hann_window(4)?;
    assert!(half.allclose(&tensor![0.0_f64, 0.5, 1.0, 0.5]) && Tensor::<f32>::kaiser_window(1)?.to_vec() == [1.0]);
    let refused = |name: &str, arguments| call(name, arguments).map(|_| ()).expect_err("refused").message().to_owned();
    assert_eq!(refused("hann_window", args![-1]), "hann_window requires non-negative window_length, got window_length=-1");
    assert_eq!(
        refused("kaiser_window", args![3, dtype = DType::I64]),
        "kaiser_window expects floating point dtypes, got: TensorOptions(dtype=long int, device=cpu, layout=Strided (default), \
         requires_grad=false (default), pinned_memory=false, memory_format=(nullopt))"
    );
    assert_eq!(refused("bartlett_window", args![3, dtype = DType::C64]), "\"arange_cpu\" not implemented for 'ComplexFloat'");
    assert_eq!(
        (fft::fftfreq(5)?.to_vec(), fft::rfftfreq_with::<f32>(5, 0.5)?.to_vec()),
        (vec![0.0, 0.2, 0.4, -0.4, -0.2], vec![0.0, 0.4, 0.8])
    );
    assert_eq!(fft::fftfreq_with::<f64>(4, 0.25)?.to_vec(), [0.0, 1.0, -2.0, -1.0]);
    assert_eq!(refused("fft.fftfreq", args![4, dtype = DType::I64]), "fftfreq requires a floating point or complex dtype");
    Ok(())
}

#[test]
fn functions_of_places_and_of_elements_make_tensors() -> Result<()> {
    // Where it goes says the type, and the pattern how many numbers a place has.
    fn image<const H: usize, const W: usize>() -> Tensor<u8, shape![H, W, 3]> {
        Tensor::from_fn(|[y, x, c]| (y * 7 + x * 3 + c) as u8)
    }
    assert_eq!(image::<1, 2>().to_vec(), [0, 1, 2, 3, 4, 5]);
    let known: Tensor<i64, shape![2, 3]> = Tensor::from_fn(|[i, j]| 10 * i as i64 + j as i64);
    let (rows, columns) = (3, 2);
    let open: Tensor<f64, Rank<2>> = Tensor::<f64>::from_fn([rows, columns], |[i, j]| i as f64 - j as f64)?;
    let partly = Tensor::<u8, shape![_, 2]>::from_fn([rows, 2], |[i, j]| u8::from(i == j))?;
    assert_eq!((known.to_vec(), open.to_vec()), (vec![0, 1, 2, 10, 11, 12], vec![0.0, -1.0, 1.0, 0.0, 2.0, 1.0]));
    assert_eq!((partly.to_vec(), Tensor::<i32, shape![]>::from_fn(|[]| 7).item()), (vec![1, 0, 0, 1, 0, 0], 7));
    assert_eq!(Tensor::<i64>::from_fn([0, 4], |_: [usize; 2]| unreachable!())?.sizes(), [0, 4]);
    // The memory that comes next held bytes that are no truths.
    drop(Tensor::<u8, shape![8, 10]>::full(5));
    let truths: Tensor<bool, shape![8, 10]> = Tensor::from_fn(|[i, j]| i == j);
    drop(Tensor::<u8, shape![8, 10]>::full(5));
    let given = Tensor::<bool>::from_fn([8, rows * 5], |[i, j]| i == j)?;
    assert_eq!((truths.sum().item(), given.sum().item()), (8, 8));
    let any = Tensor::<i64>::from_fn(&[2, 2][..], |place: &[usize]| place.iter().sum::<usize>() as i64)?;
    assert_eq!(any.to_vec(), [0, 1, 1, 2]);
    let even: Tensor<bool, shape![3, 2]> = known.t().map(|x| x % 2 == 0);
    assert_eq!(even.to_vec(), [true, true, false, false, true, true]);
    let leaf = tensor![1.0, 2.0].requiring_grad()?;
    let text = "Can't call map() on Tensor that requires grad. Use tensor.detach().map() instead.";
    assert_eq!(leaf.try_map(f32::sqrt).expect_err("it isn't recorded").message(), text);
    assert_eq!(leaf.detach().map(|x| x * 2.0).to_vec(), [2.0, 4.0]);
    Ok(())
}

/// What draws into a tensor.
type Draw = fn(&Generator, &mut Tensor<f32, shape![6, 5]>) -> Result<()>;

/// Draws by their plain names, and with PyTorch's defaults written out.
const DRAWS: &[(&str, Draw, Draw)] = &[
    ("uniform_", |g, x| g.uniform_(x).map(drop), |g, x| g.uniform_with_(x, 0, 1).map(drop)),
    ("normal_", |g, x| g.normal_(x).map(drop), |g, x| g.normal_with_(x, 0, 1).map(drop)),
    ("exponential_", |g, x| g.exponential_(x).map(drop), |g, x| g.exponential_with_(x, 1).map(drop)),
    ("cauchy_", |g, x| g.cauchy_(x).map(drop), |g, x| g.cauchy_with_(x, 0, 1).map(drop)),
    ("log_normal_", |g, x| g.log_normal_(x).map(drop), |g, x| g.log_normal_with_(x, 1, 2).map(drop)),
    ("bernoulli_", |g, x| g.bernoulli_(x).map(drop), |g, x| g.bernoulli_with_(x, 0.5).map(drop)),
    // As many integers as a float holds without gaps.
    ("random_", |g, x| g.random_(x).map(drop), |g, x| g.random_with_(x, 0, (1 << 24) + 1).map(drop)),
    ("kaiming_uniform_", |g, x| g.kaiming_uniform_(x).map(drop), |g, x| g.kaiming_uniform_with_(x, Fan::In, LEAKY).map(drop)),
    ("kaiming_normal_", |g, x| g.kaiming_normal_(x).map(drop), |g, x| g.kaiming_normal_with_(x, Fan::In, LEAKY).map(drop)),
    ("xavier_uniform_", |g, x| g.xavier_uniform_(x).map(drop), |g, x| g.xavier_uniform_with_(x, 1).map(drop)),
    ("xavier_normal_", |g, x| g.xavier_normal_(x).map(drop), |g, x| g.xavier_normal_with_(x, 1).map(drop)),
    ("trunc_normal_", |g, x| g.trunc_normal_(x).map(drop), |g, x| g.trunc_normal_with_(x, Truncated::default()).map(drop)),
    ("orthogonal_", |g, x| g.orthogonal_(x).map(drop), |g, x| g.orthogonal_with_(x, 1).map(drop)),
];

const LEAKY: Nonlinearity = Nonlinearity::LeakyRelu(0.0);

#[test]
fn draws_without_arguments_have_pytorchs_defaults() -> Result<()> {
    for (name, plain, written) in DRAWS {
        let [mut x, mut y] = [Tensor::zeros(), Tensor::zeros()];
        plain(&Generator::seeded(3), &mut x)?;
        written(&Generator::seeded(3), &mut y)?;
        assert!(x.equal(&y) && x.ne(0).any().item(), "{name}: {x} {y}");
    }
    // Which rows are zero is drawn by the default generator, as in PyTorch.
    let [mut x, mut y] = [Tensor::<f32, shape![6, 5]>::zeros(), Tensor::zeros()];
    Generator::seeded(3).sparse_(&mut x, 0.2)?;
    Generator::seeded(3).sparse_with_(&mut y, 0.2, 0.01)?;
    let both = x.ne(0) & y.ne(0);
    assert!(both.any().item() && x.masked_select(&both).equal(&y.masked_select(&both)), "{x} {y}");
    Ok(())
}

#[test]
fn tensors_that_may_be_left_out_stand_as_they_are() -> Result<()> {
    let (x, scale) = (tensor![[1.0, 2.0, 4.0]], tensor![2.0, 1.0, 0.5]);
    let (field, empty) = (Some(scale.clone()), None::<Tensor<f32, shape![3]>>);
    let scaled = x.layer_norm_with([3], &scale, None, 1e-5)?;
    assert!(scaled.equal(&x.layer_norm_with([3], &field, &empty, 1e-5)?) && !scaled.equal(&x.layer_norm([3])?));
    let both: [Option<&dyn latten::grad::AnyTensor>; 2] = [Some(&scale), None];
    assert!(scaled.equal(&x.layer_norm_with([3], both[0], both[1], 1e-5)?));
    Ok(())
}

#[test]
fn places_pieces_and_moves_have_the_types_that_follow() -> Result<()> {
    let x = Tensor::<i64>::arange(24)?.view(shape![2, 3, 4]);
    let moved: Tensor<i64, shape![3, 4, 2]> = x.movedim(axis::<0>(), axis::<-1>());
    same("movedim", Ok(moved), args![&x, 0, -1])?;
    same::<i64, Rank<3>>("movedim", x.movedim([0, 1], vec![2, 0]), args![&x, [0, 1], [2, 0]])?;
    let refused = x.movedim(0, 3).map(drop).expect_err("three dimensions");
    assert_eq!(refused.message(), "Dimension out of range (expected to be in range of [-3, 2], but got 3)");
    let pieces: Vec<Tensor<i64, shape![2, _, 4]>> = x.tensor_split(vec![1], axis::<1>())?;
    assert_eq!(pieces.iter().map(|piece| piece.shape()).collect::<Vec<_>>(), [[2, 1, 4], [2, 2, 4]]);
    assert_eq!(x.hsplit([1, 2])?.len(), 3);

    let odd = x.remainder(5).eq(0);
    let [first, second, third] = odd.nonzero_as_tuple();
    assert_eq!(x.i(i![&first, &second, &third]).to_vec(), [0, 5, 10, 15, 20]);
    assert_eq!(x.index(odd.erase().nonzero_as_tuple())?.to_vec(), [0, 5, 10, 15, 20]);
    let [only] = tensor!(3).nonzero_as_tuple();
    assert_eq!(only.to_vec(), [0]);
    Ok(())
}

#[test]
fn a_number_stands_beside_a_tensor_where_pytorch_takes_one() -> Result<()> {
    let x = tensor![1.0, 2.0, 4.0];
    same::<i64, shape![]>("searchsorted", Ok(x.searchsorted(3)), args![&x, 3])?;
    same::<i64, shape![]>("searchsorted", Ok(x.searchsorted_with(2.0, true)), args![&x, 2.0, right = true])?;
    same::<bool, shape![3]>("isin", Ok(x.isin(2)), args![&x, 2])?;
    same::<f32, shape![3]>("copysign", Ok(x.copysign(-1)), args![&x, -1])?;
    same::<f32, shape![3]>("xlogy", Ok(x.xlogy(2)), args![&x, 2])?;
    same::<f64, shape![3]>("float_power", Ok(x.float_power(2)), args![&x, 2])?;
    Ok(())
}
