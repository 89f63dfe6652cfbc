//! Functions over a dtype whose lines have their types at once, and what a porter writes around them: grids, parameters from a file,
//! gradients that are clipped, numbers in a table.

use latten::optim::{Parameter, clip_grad_norm_, clip_grad_norm_with_};
use latten::prelude::*;
use latten::{ErrorKind, fft, linalg};

/// The number that the whole line is, where nothing but `E: Float` says which: literals are of no dtype of their own.
fn numbers<E: Float, S: Shape>(x: &Tensor<E, S>, s: f64, e: E) -> [f64; 8] {
    [
        (x * 3.0).max().item().into(),
        (x / 3).sum().item().into(),
        x.mul(3.0).max().item().into(),
        (x.pow(2) - x.clamp(0.0, 2.0) + 1).max().item().into(),
        (x * x - 1.0).exp().mean().item().into(),
        (1.0 - x * s).min().item().into(),
        (x * e).sum().item().into(),
        (x.max().item() - x.min().item()).into(),
    ]
}

/// Integers beside integers are integers at once, too.
fn of_integers<E: Integral, S: Shape>(x: &Tensor<E, S>) -> (usize, E) {
    ((x % 2).to_vec().len() + (x + 1).clamp(0, 2).to_vec().len(), (x * 3 + 1).max().item())
}

#[test]
fn integers_beside_integers() -> Result<()> {
    let x = tensor![[1, 2, 3, 4], [5, 6, 7, 8]];
    let w = &x + 1;
    assert_eq!((w.get([0, 0])?, (&x % 2).get([0, 1])?, x.clamp(0, 2).get([1, 1])?, x.floor_divide(2).get([1, 3])?), (2, 0, 2, 4));
    assert_eq!((w.to_vec().len(), w.sum_along(axis::<0>()).get([0])? as usize, w.eq(2).get([0, 0])?), (8, 8, true));
    assert_eq!(
        match w.max().item() {
            9 => "nine",
            _ => "another",
        },
        "nine"
    );
    let firsts = w.iter().map(|row| row.get([0])).collect::<Result<Vec<_>>>()?;
    assert_eq!((firsts, of_integers(&x), of_integers(&tensor![250; u8])), (vec![2, 6], (16, 25), (2, 239)));
    let (wrapped, counted, mut grown) = (tensor![7, 8; u8] + 250, tensor![true, false] + 1, &x * 3_usize);
    grown += 1_u8;
    assert_eq!((wrapped.get([0])?, counted.get([0])?, grown.get([1, 3])?, (&x * 0.5).sum().item()), (1, 2, 25, 18.0_f32));
    Ok(())
}

fn last<E: Real>(x: &Tensor<E, Rank<1>>) -> E {
    (x * 2 + 1).max().item()
}

/// A kind is part of those that say less.
fn of_floats<E: Float>(x: &Tensor<E, Rank<1>>) -> bool {
    let scaled = (Tensor::<E, shape![2]>::zeros() * 3.0).requiring_grad();
    scaled.is_ok() && last(x) > x.max().item()
}

#[test]
fn literals_beside_a_dtype_that_is_a_parameter() {
    let expected = [6.0, 1.0, 6.0, 3.0, 10.542_768, -0.0, 1.5, 1.0];
    let x = tensor![1.0, 2.0];
    for (found, expected) in numbers(&x, 0.5, 0.5).into_iter().zip(expected) {
        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
    }
    assert_eq!(numbers(&x.to::<f64>(), 0.5, 0.5)[..3], [6.0, 1.0, 6.0]);
    assert_eq!(numbers(&x.to::<bf16>().as_shape::<Any>(), 0.5, bf16::ONE)[6..], [3.0, 1.0]);
    assert!(of_floats(&x.as_shape()) && last(&tensor![1, 2].as_shape()) == 5);
}

fn whitened<E: WideFloat>(x: &Tensor<E, Rank<2>>) -> Result<Tensor<E, Rank<2>>> {
    let centred = x - x.mean_along(kept(0))?;
    let (_, s, vh) = linalg::svd_with(&centred, false)?;
    let scale: Tensor<E, Rank<1>> = s / (x.size(0) as f64 - 1.0).sqrt();
    Ok(centred.matmul(&vh.t()) / scale)
}

fn loudest<E: WideFloat>(x: &Tensor<E, Rank<1>>) -> Result<usize> {
    Ok(fft::rfft(x)?.abs().argmax().item() as usize)
}

/// Ranks of pages, which begin equal: numbers of the dtype come from `f64`.
fn ranks<E: Float, const N: usize>(links: &Tensor<E, shape![N, N]>, share: f64) -> Tensor<E, shape![N]> {
    let mut rank = Tensor::<E, shape![N]>::full(1.0 / N as f64);
    for _ in 0..50 {
        rank = links.matmul(&rank) * E::from_f64(share) + (1.0 - share) / N as f64;
    }
    rank
}

/// The median half of each column, by shares of the dtype that is a parameter.
fn middle<E: WideFloat>(x: &Tensor<E, Rank<2>>) -> Result<Tensor<E, Rank<2>>> {
    let shares: Tensor<E, Rank<1>> = tensor![0.25, 0.75];
    x.quantile_along(&shares, 0)
}

#[test]
fn numbers_of_a_dtype_that_is_a_parameter() -> Result<()> {
    let links = tensor![[0.0, 0.5, 1.0], [0.5, 0.0, 0.0], [0.5, 0.5, 0.0]];
    let rank = ranks(&links, 0.85);
    assert!((rank.sum().item() - 1.0).abs() < 1e-5 && rank.argmax().item() == 0, "{rank}");
    assert!(ranks(&links.to::<f64>(), 0.85).allclose_with(&rank.to::<f64>(), 1e-5, 1e-6, false));
    let x = Tensor::<f64, shape![10]>::arange().reshape(shape![5, 2]);
    assert_eq!(middle(&x.as_shape())?.tolist(), [[2.0, 3.0], [6.0, 7.0]]);
    Ok(())
}

fn halves<E: Float, const N: usize>() -> Tensor<E, shape![N]> {
    Tensor::full(0.5)
}

fn threes<E: Integral, const N: usize>() -> Tensor<E, shape![N]> {
    Tensor::full(3)
}

/// A number of a kind that leaves the dtype as it is.
#[test]
fn a_number_fills_tensors_of_its_kind() {
    let (truths, complex): (Tensor<bool, shape![2]>, Tensor<c64, shape![1]>) = (Tensor::full(true), Tensor::full(c64::new(1.0, 2.0)));
    let (brain, most, s): (Tensor<bf16, ()>, Tensor<u8, ()>, f64) = (Tensor::full(1), Tensor::full(255), 0.25);
    assert_eq!((truths.to_vec(), complex.to_vec(), brain.item(), most.item()), (vec![true; 2], vec![c64::new(1.0, 2.0)], bf16::ONE, 255));
    assert_eq!((halves::<f16, 2>() + Tensor::<f16, shape![2]>::full(s)).to_vec(), [f16::from_f32(0.75); 2]);
    assert_eq!((threes::<u8, 1>().to_vec(), Tensor::<f32, shape![1]>::full(f16::ONE).to_vec()), (vec![3], vec![1.0]));
}

#[test]
fn sizes_that_types_know_stay() -> Result<()> {
    let ids: Tensor<i64, shape![5]> = Tensor::<i64, shape![5]>::arange() % 3;
    let (table, x) = (Tensor::<f32, shape![3, 2]>::randn(), Tensor::<f64, shape![4, 4]>::eye());
    let words: Tensor<f32, shape![5, 2]> = ids.embedding(&table);
    let classes: Tensor<i64, shape![5, _]> = ids.one_hot_with(3)?;
    let (values, vectors) = linalg::eigh(&x)?;
    let values: Tensor<f64, shape![4]> = values;
    let spread: Tensor<f64, shape![4, 4]> = values.diag_embed() - vectors;
    let (least, most) = words.aminmax();
    assert_eq!((classes.sizes(), spread.sum().item(), least.le(&most).item()), (&[5, 3][..], 0.0, true));
    Ok(())
}

#[test]
fn linalg_and_fft_over_a_dtype() -> Result<()> {
    let x = tensor![[1.0, 0.0], [0.0, 2.0], [3.0, 1.0], [-1.0, -2.0]];
    assert!(whitened(&x.as_shape())?.t().cov().allclose_with(&Tensor::<f32, shape![2, 2]>::eye().as_shape::<Rank<2>>(), 1e-5, 1e-5, false));
    assert!(whitened(&x.to::<f64>().as_shape())?.t().corrcoef().allclose(&Tensor::<f64, shape![2, 2]>::eye().as_shape::<Rank<2>>()));
    let wave = (Tensor::<f64, shape![16]>::arange() * (3.0 * std::f64::consts::TAU / 16.0)).sin();
    assert_eq!(loudest(&wave.as_shape())?, 3);
    Ok(())
}

#[test]
fn tensors_like_one_and_grids_are_values() {
    manual_seed(1);
    let mu = Tensor::<f32, shape![64, 2]>::zeros();
    let drawn: Tensor<f32, shape![64, 2]> = &mu + mu.randn_like() * (mu.full_like(0.5) + mu.rand_like());
    assert!(drawn.std().item() > 0.5);
    let refused = DynTensor::zeros([2], DType::I64).and_then(|x| x.try_randn_like());
    assert!(refused.is_err_and(|error| error.message().contains("not implemented for 'Long'")));
    let (im, re) = (tensor![0.0_f64, 1.0, 2.0], tensor![3.0_f64, 4.0]);
    let (y, x) = meshgrid((&im, &re));
    let y: Tensor<f64, shape![3, 2]> = y;
    let c: Tensor<c64, shape![3, 2]> = complex(&x, &y).to();
    assert_eq!(c.i(i![2]).to_vec(), [c64::new(3.0, 2.0), c64::new(4.0, 2.0)]);
    let (a, b, d) = meshgrid((&im, &re, &re));
    assert_eq!((a.shape(), b.sum().item(), d.i(i![0, 0]).to_vec()), ([3, 2, 2], 42.0, vec![3.0, 4.0]));
}

#[test]
fn gates_are_cut_by_a_pattern() -> Result<()> {
    let gates: Tensor<f32, shape![2, 8]> = Tensor::<f32, shape![16]>::arange().reshape(shape![2, 8]);
    let [input, forget, cell, output] = gates.chunks(axis::<1>());
    let state: Tensor<f32, shape![2, 2]> = Tensor::<f32, shape![2, 2]>::ones() * forget.sigmoid() + input.sigmoid() * cell.tanh();
    assert_eq!((state.sizes(), output.to_vec()), (&[2, 2][..], vec![6.0, 7.0, 14.0, 15.0]));
    let refused = gates.chunks::<5, _>(1).expect_err("four pieces");
    assert_eq!(refused.message(), "chunks: the dimension makes 4 pieces, not 5");
    Ok(())
}

#[test]
fn what_has_no_dimensions_is_shown_as_a_number_where_a_width_is_asked_for() -> Result<()> {
    let x = tensor![1.293_47, -2.0];
    assert_eq!(format!("{:>8.3}|{:.1}|{:<6}|", x.i(i![0]), x.min(), x.sum()), "   1.293|-2.0|-0.70653|");
    assert_eq!(format!("{:5}|{:>6}|{:+.1}", tensor![7, 3].max(), tensor![true].all(), tensor![2.0_f64].sum().erase()), "    7|  true|+2.0");
    assert_eq!(format!("{:.1e}|{:e}|{:.1e}", x.sum(), tensor![300].sum(), x), "-7.1e-1|3e2|tensor([ 1.3e+00, -2.0e+00])");
    assert_eq!((format!("{}", x.min()), format!("{x:.1}")), ("tensor(-2.)".into(), "tensor([ 1.3, -2.0])".into()));
    assert_eq!(format!("{:.1}", complex(&x, &x).sum()), "-0.7-0.7i");
    Ok(())
}

#[test]
fn parameters_are_read_where_they_are_and_their_gradients_clipped() -> Result<()> {
    let path = std::env::temp_dir().join(format!("latten-hands-{}.safetensors", std::process::id()));
    let mut w = Tensor::<f32, shape![2]>::ones().requiring_grad()?;
    let mut b = Tensor::<f64, shape![2, 2]>::zeros();
    latten::save(&path, &[("w", tensor![3.0, 4.0].erase()), ("b", tensor![[1.0, 2.0], [3.0, 4.0]].erase())])?;
    let archive = latten::load(&path)?;
    archive.load_into("w", &mut w)?;
    archive.load_into("b", &mut b)?;
    assert_eq!((w.to_vec(), w.is_leaf(), b.to_vec()), (vec![3.0, 4.0], true, vec![1.0, 2.0, 3.0, 4.0]));
    let refused = archive.load_into("b", &mut w).expect_err("other sizes");
    let said = "size mismatch for b: copying a param with shape [2, 2] from checkpoint, the shape in current model is [2].";
    assert!(refused.message().contains(said) && refused.kind() == ErrorKind::Runtime && w.to_vec() == [3.0, 4.0], "{refused}");
    assert!(archive.load_into("v", &mut w).is_err());
    std::fs::remove_file(&path).map_err(|error| Error::new(ErrorKind::Io, error.to_string()))?;

    w.square().sum().backward()?;
    let all: &mut [&mut dyn Parameter] = &mut [&mut w];
    let norm = clip_grad_norm_(all, 5.0)?;
    assert_eq!(
        (format!("{norm:.3}"), all[0].grad().map(|grad| format!("{grad}"))),
        ("10.000".into(), Some("tensor([3.0000, 4.0000])".into()))
    );
    assert_eq!((all[0].numel(), all[0].sizes()), (2, vec![2]));
    all[0].requires_grad_()?;
    assert_eq!(format!("{:.1}", clip_grad_norm_with_(all, 1.0, f64::INFINITY, false)?), "4.0");
    Ok(())
}

/// `fuse!` over a dtype: what its operators give has the dtype's own type.
fn fused<E: Float, S: Shape>(x: &Tensor<E, S>, y: &Tensor<E, S>, alpha: f64) -> Tensor<E, S> {
    fuse!(x + alpha * (sigmoid(y) - 4.0 * x) / 2 - exp(-x) * maximum(x, y))
}

type Mask<N> = Tensor<bool, shape![<N>, 2]>;

fn fused_loss<E: Float, N: Dim>(x: &Tensor<E, shape![<N>, 2]>, y: &Tensor<E, shape![<N>, 2]>) -> (E, Tensor<E, shape![<N>]>, Mask<N>) {
    let means = fuse!(mean_along(square(x - y), axis::<1>()));
    (fuse!(sum(square(x - y))).item(), means, fuse!(x > y))
}

#[test]
fn fused_expressions_over_a_dtype() -> Result<()> {
    let (x, y) = (tensor![[1.0, 2.0], [0.5, -1.0]], tensor![[0.0, 2.0], [1.5, 1.0]]);
    let plain = &x + (y.sigmoid() - &x * 4.0) * 0.5 / 2 - (-&x).exp() * x.maximum(&y);
    assert!(fused(&x, &y, 0.5).allclose(&plain));
    assert!(fused(&x.to::<f64>(), &y.to::<f64>(), 0.5).to::<f32>().allclose(&plain));
    assert!(fused(&x.to::<f16>(), &y.to::<f16>(), 0.5).to::<f32>().allclose_with(&plain, 1e-2, 1e-2, false));
    let (loss, means, larger) = fused_loss(&x, &y);
    assert_eq!((loss, means.to_vec(), larger.to_vec()), (6.0, vec![0.5, 2.5], vec![true, false, false, false]));
    Ok(())
}

/// Joins of sizes that are parameters: along an axis of the type they have their type at once, as sums have.
fn phases<E: Float, N: Dim>(x: &Tensor<E, shape![<N>, 3]>, w: &Tensor<E, shape![<N>, 1]>) -> Tensor<E, shape![2, <N>, 4]> {
    let one = cat((w, x), axis::<1>());
    stack([&one, &(&one * 2.0)], axis::<0>())
}

fn matrices<N: Dim>(a: &Tensor<f64, shape![<N>]>, b: &Tensor<f64, shape![<N>]>) -> Tensor<f64, shape![<N>, 2, 2]> {
    let rows = stack([&stack([a, b], axis::<-1>()), &stack([&-b, a], axis::<-1>())], axis::<1>());
    let again: Tensor<f64, shape![<N>, 2, 2]> = stack(&[rows.i(i![.., 0]), rows.i(i![.., 1])], axis::<1>());
    again
}

#[test]
fn joins_over_sizes() -> Result<()> {
    let (x, w) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![[0.5], [0.25]]);
    assert_eq!(phases(&x, &w).to_vec()[4..12], [0.25, 4.0, 5.0, 6.0, 1.0, 2.0, 4.0, 6.0]);
    let of_the_run: Tensor<f32, shape![_, 3]> = x.to_shape()?;
    assert_eq!(phases(&of_the_run, &w.to_shape()?).shape(), [2, 2, 4]);
    assert_eq!(matrices(&tensor![1.0, 2.0], &tensor![3.0, 4.0]).to_vec(), [1.0, 3.0, -3.0, 1.0, 2.0, 4.0, -4.0, 2.0]);
    // Sizes of the run that differ: as operators do, these panic, and have a twin.
    let (two, three): (Tensor<f32, Rank<1>>, Tensor<f32, Rank<1>>) = (Tensor::<f32>::ones([2])?, Tensor::<f32>::ones([3])?);
    let text = "stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1";
    assert_eq!(latten::try_stack([&two, &three], axis::<0>()).expect_err("refused").message(), text);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| stack([&two, &three], axis::<0>())));
    assert_eq!(caught.expect_err("refused").downcast_ref::<String>().map(String::as_str), Some(text));
    assert_eq!(cat((&two, &three), axis::<0>()).shape(), [5]);
    Ok(())
}

/// What decompositions give has the sizes that follow, a dtype says its name, and numbers of any float are `f64`s.
type Square<E, const N: usize> = Tensor<E, shape![N, N]>;

fn low_rank<E: WideFloat, const M: usize, const N: usize>(x: &Tensor<E, shape![M, N]>) -> Result<(Square<E, M>, Square<E, N>, String)> {
    let (u, s, vh) = linalg::svd(x)?;
    let (q, r) = linalg::qr(x)?;
    let again: Tensor<E, shape![M, N]> = q.matmul(&r);
    assert!(again.allclose_with(x, 1e-4, 1e-4, false) && s.max().item().to_f64() > 0.0);
    Ok((u, vh, format!("{}", E::DTYPE)))
}

#[test]
fn decompositions_keep_sizes() -> Result<()> {
    let (u, vh, name) = low_rank(&tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]])?;
    assert_eq!((u.shape(), vh.shape(), &*name), ([2, 2], [3, 3], "float32"));
    let (a, b) = (tensor![[1, 0, 0], [0, 1, 0]], tensor![[0, 1, 0], [0, 0, 1]]);
    let normal: Tensor<i64, shape![2, 3]> = linalg::cross(&a, &b)?;
    assert_eq!(
        (normal.to_vec(), a.cross(&b).to_vec(), a.cross_with(&b, -1)?.to_vec()),
        (vec![0, 0, 1, 1, 0, 0], vec![0, 0, 1, 1, 0, 0], vec![0, 0, 1, 1, 0, 0])
    );
    Ok(())
}

#[test]
fn complex_numbers_are_literals() -> Result<()> {
    let z = tensor![Complex::new(1.0, 2.0), Complex::new(0.0, -1.0)];
    let parts: Tensor<f32, _> = z.view_as_real();
    assert_eq!(parts.to_vec(), [1.0, 2.0, 0.0, -1.0]);
    let doubles: Tensor<c128, shape![1]> = tensor![Complex::new(1.0, 2.0)];
    let (said, suffixed, named) = (tensor![1 + 2i; Complex<f64>], tensor![Complex::new(1.0_f64, 2.0)], tensor![c128::new(1.0, 2.0)]);
    assert!([&said, &suffixed, &named].iter().all(|one| one.equal(&doubles)));
    let x = 2.0_f64;
    assert_eq!(tensor![Complex::new(x, 1.0)].get([0])?, c128::new(2.0, 1.0));
    Ok(())
}

#[test]
fn powers_of_ten() -> Result<()> {
    let known: Tensor<f64, shape![3]> = Tensor::logspace(-1, 1);
    assert_eq!((known.to_vec(), Tensor::<f32>::logspace(0, 2, 3)?.to_vec()), (vec![0.1, 1.0, 10.0], vec![1.0, 10.0, 100.0]));
    Ok(())
}

#[kernel]
fn softened(x: Floating, y: Floating, sharpness: f64) -> Floating {
    log(exp(x * sharpness) + exp(y * sharpness)) / sharpness
}

#[kernel]
fn halved_or_more(x: Real) -> bool {
    x + x > 3
}

/// A kernel over a dtype, alone and inside `fuse!`.
fn softer<E: Float, S: Shape>(x: &Tensor<E, S>, y: &Tensor<E, S>) -> (Tensor<E, S>, Tensor<E, S>, Tensor<bool, S>) {
    (softened(x, y, 2.0), fuse!(softened(x * 0.5, y, 2.0) - 1.0), halved_or_more(x))
}

fn many<E: Integral, S: Shape>(x: &Tensor<E, S>) -> (Tensor<bool, S>, Tensor<f32, S>) {
    (halved_or_more(x), softened(x, x, 1.0))
}

#[test]
fn kernels_over_a_dtype() {
    let (x, y) = (tensor![1.0, 2.0], tensor![0.0, 2.0]);
    let (alone, inside, larger) = softer(&x, &y);
    assert!(alone.allclose(&softened(&x, &y, 2.0)) && inside.allclose(&(softened(&(&x * 0.5), &y, 2.0) - 1.0)));
    assert_eq!(larger.to_vec(), [false, true]);
    assert!(softer(&x.to::<bf16>(), &y.to::<bf16>()).0.to::<f32>().allclose_with(&alone, 0.02, 0.02, false));
    let (counts, logarithms) = many(&tensor![1_u8, 2]);
    assert_eq!((counts.to_vec(), logarithms.floor().to_vec()), (vec![false, true], vec![1.0, 2.0]));
}

/// A dimension that a function leaves open, beside one that the run knows.
fn weighted<B: Dim, const D: usize>(
    x: &Tensor<f32, shape![<B>, D]>,
    weights: &Tensor<f32, Rank<1>>,
) -> Result<Tensor<f32, shape![<B>, D]>> {
    let rows = x.sum_along(axis::<1>()) * weights + weights * x.amax_along(axis::<1>());
    let _total = rows.dot(&x.sum_along(axis::<1>())) + rows.matmul(x).sum();
    (x * rows.unsqueeze(axis::<1>())).to_shape()
}

#[test]
fn open_dimensions_stand_beside_those_of_the_run() -> Result<()> {
    let (x, weights) = (tensor![[1.0, 2.0], [3.0, 4.0]], Tensor::<f32>::ones([2])?);
    let typed: Tensor<f32, shape![2, 2]> = weighted(&x, &weights)?;
    assert_eq!(typed.to_vec(), [5.0, 10.0, 33.0, 44.0]);
    let one: Tensor<f32, shape![1, 2]> = weighted(&tensor![[1.0, 2.0]], &Tensor::<f32>::ones([1])?)?;
    assert_eq!((one.to_vec(), weighted(&x.as_shape::<shape![_, 2]>(), &weights)?.sizes()), (vec![5.0, 10.0], &[2, 2][..]));
    Ok(())
}
