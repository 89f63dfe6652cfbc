//! Indexing gives values, as `v[k]` does, and says at the caller's line what isn't there; what takes tensors alone does so, too.

use std::panic::{AssertUnwindSafe, Location, catch_unwind, take_hook};

use latten::prelude::*;
use latten::{cat, fft, stack};

/// Where something panics, and with what.
fn panic_of<T>(call: impl FnOnce() -> T) -> (u32, String) {
    static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock();
    let line = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
    let (seen, before) = (line.clone(), take_hook());
    let own = std::thread::current().id();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == own {
            seen.store(info.location().map_or(0, Location::line), std::sync::atomic::Ordering::Relaxed);
        }
    }));
    let outcome = catch_unwind(AssertUnwindSafe(|| drop(call())));
    std::panic::set_hook(before);
    let payload = outcome.expect_err("it panics");
    let text = payload.downcast_ref::<String>().cloned().or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    (line.load(std::sync::atomic::Ordering::Relaxed), text.expect("a text"))
}

#[test]
fn an_index_of_the_run_is_a_value() -> Result<()> {
    let (rows, k) = (4_usize, 2_usize);
    let mut table = Tensor::<f32>::zeros([rows, 3])?;
    table.i(i![0]).fill_(1.0)?;
    table.i(i![k, ..k]).copy_(&tensor![5.0, 6.0])?;
    table += table.i(i![rows - 4]).clone();
    let row: Tensor<f32, Rank<1>> = table.i(i![k]);
    let last: f32 = row.i(i![-1]).item();
    assert_eq!((row.to_vec(), last, table.i(i![k - 1..k + 1, 0]).to_vec()), (vec![6.0, 7.0, 1.0], 1.0, vec![1.0, 6.0]));
    let (line, text) = (line!() + 1, table.try_i(i![rows]).expect_err("four rows").message().to_owned());
    assert_eq!(panic_of(|| table.i(i![rows])), (line, text));
    let (line, text) = (line!() + 1, table.try_item().expect_err("twelve").message().to_owned());
    assert_eq!(panic_of(|| table.item()), (line, text));
    Ok(())
}

#[test]
fn tensors_beside_each_other_choose_together() -> Result<()> {
    let x = Tensor::<i64, shape![24]>::arange().reshape(shape![2, 3, 4]);
    let (a, b) = (tensor![1, 0, 1], tensor![2, 2, 0]);
    let rows: Tensor<i64, shape![3, 4]> = x.i(i![&a, &b]);
    let grid: Tensor<i64, shape![2, 3, 4]> = x.i(i![&tensor![[0], [1]], &b]);
    let inside: Tensor<i64, shape![2, 3]> = x.i(i![.., &b, &tensor![0, 1, 3]]);
    let all: Tensor<i64, shape![3]> = x.i(i![&a, &b, &b]);
    let open: Tensor<i64, shape![3, 1, 4]> = x.i(i![&a.as_shape::<Rank<1>>(), &b, NewAxis]);
    let masked: Tensor<i64, shape![2, 4]> = x.i(i![&tensor![true, true], &tensor![0, 2]]);
    let apart: Tensor<i64, Any> = x.i(i![&a, 0, &b]);
    assert_eq!((rows.to_vec()[..2].to_vec(), grid.sizes(), all.to_vec()), (vec![20, 21], &[2, 3, 4][..], vec![22, 10, 12]));
    assert_eq!(inside.to_vec(), [8, 9, 3, 20, 21, 15]);
    assert_eq!((open.to_vec(), masked.to_vec(), apart.to_vec()), (rows.to_vec(), vec![0, 1, 2, 3, 20, 21, 22, 23], vec![14, 2, 12]));
    for (typed, dynamic) in [
        (rows.erase(), x.index((&a, &b))?),
        (grid.erase(), x.index((&tensor![[0], [1]], &b))?),
        (inside.erase(), x.index((.., &b, &tensor![0, 1, 3]))?),
        (masked.erase(), x.index((&tensor![true, true], &tensor![0, 2]))?),
        (apart.erase(), x.index((&a, 0, &b))?),
    ] {
        assert!(typed.equal(&dynamic), "{typed} {dynamic}");
    }
    let refused = x.try_i(i![&tensor![0, 5, 0], &b]).expect_err("two planes");
    assert_eq!(refused.message(), "index 5 is out of bounds for dimension 0 with size 2");
    Ok(())
}

#[test]
fn a_chooser_may_be_made_where_it_stands() {
    let x = tensor![[1.0, -2.0, 3.0], [-4.0, 5.0, 6.0]];
    let first = x.i(i![0]);
    let positive: Tensor<f32, Rank<1>> = first.i(i![first.gt(0)]);
    let turned: Tensor<f32, shape![3, 3]> = x.i(i![tensor![1, 0, 1]]);
    let columns: Tensor<f32, shape![2, 2]> = x.i(i![.., tensor![2, 0]]);
    assert_eq!((positive.to_vec(), turned.sizes(), columns.to_vec()), (vec![1.0, 3.0], &[3, 3][..], vec![3.0, 1.0, 6.0, -4.0]));
}

#[test]
fn what_takes_tensors_alone_is_a_value() -> Result<()> {
    let x = tensor![3, 1, 3, 2];
    let (unique, (values, counts), all) = (x.unique(), x.unique_counts(), x.unique_all());
    assert_eq!((unique.to_vec(), values.to_vec(), counts.to_vec()), (vec![1, 2, 3], vec![1, 2, 3], vec![1, 1, 2]));
    assert_eq!((all.1.to_vec(), x.unique_consecutive().to_vec()), (vec![2, 0, 2, 1], vec![3, 1, 3, 2]));
    let (u, v) = (tensor![1.0, 2.0], tensor![3.0, 4.0]);
    assert_eq!((u.kron(&v).to_vec(), u.inner(&v).item(), u.dist(&u).item()), (vec![3.0, 4.0, 6.0, 8.0], 11.0, 0.0));
    assert_eq!((x.isin(&tensor![3]).sum().item(), u.trapezoid().item()), (2, 1.5));
    let sorted = tensor![1, 2, 2, 3];
    let before: Tensor<i64, shape![2]> = sorted.searchsorted(&tensor![0, 3]);
    assert_eq!(before.to_vec(), [0, 3]);
    assert_eq!((sorted.searchsorted(&tensor![2]).to_vec(), sorted.searchsorted_with(&tensor![2], true).to_vec()), (vec![1], vec![3]));
    assert_eq!((x.bucketize(&sorted).to_vec(), x.bucketize_with(&sorted, true).to_vec()), (vec![3, 0, 3, 1], vec![4, 1, 4, 3]));
    let complex = tensor![Complex::new(1.0, 2.0)];
    let refused = complex.try_unique().expect_err("complex numbers have no order").message().to_owned();
    assert!(panic_of(|| complex.unique()).1.ends_with(&refused), "{refused}");
    Ok(())
}

#[test]
fn parts_of_a_join_are_owned_or_borrowed() {
    let x = tensor![[0.0, 0.5]];
    let features: Tensor<f32, shape![1, 4]> = cat((x.sin(), x.cos()), axis::<-1>());
    let mixed: Tensor<f32, shape![1, 5]> = cat((&features, tensor![[9.0]]), axis::<1>());
    let stacked: Tensor<f32, shape![2, 1, 2]> = stack([x.sin(), x.cos()], axis::<0>());
    assert_eq!((features.i(i![0, 2]).item(), mixed.i(i![0, 4]).item(), stacked.i(i![1, 0, 0]).item()), (1.0, 9.0, 1.0));
}

/// Numbers of the program go into a literal that says its dtype.
fn turn<E: Float>(angle: f64) -> Tensor<E, shape![2, 2]> {
    let (sin, cos) = angle.sin_cos();
    tensor![[cos, -sin], [sin, 1.0 - (1.0 - cos)]; E]
}

#[test]
fn literals_that_say_a_dtype_take_floats() {
    let (dt, rate) = (0.1_f64, 0.5_f32);
    assert_eq!(tensor![dt, 2.0; f32].to_vec(), [0.1_f32, 2.0]);
    assert_eq!(tensor![dt, f64::from(rate); f16].to_vec(), [0.1, 0.5].map(f16::from_f64));
    assert_eq!(tensor![[rate, dt]; f64].to_vec(), [0.5, 0.1]);
    let near = |turned: &Tensor<f64, shape![2, 2]>| turned.allclose_with(&tensor![[0.0, -1.0], [1.0, 0.0]; f64], 0.0, 1e-2, false);
    assert!(near(&turn(std::f64::consts::FRAC_PI_2)) && near(&turn::<bf16>(std::f64::consts::FRAC_PI_2).to()));
}

/// Over any number of pictures: what is left without two of four dimensions.
fn pooled<B: Dim, const C: usize>(x: &Tensor<f32, shape![<B>, C, 4, 4]>) -> Tensor<f32, shape![<B>, C]> {
    x.mean_along(axes![2, 3])
}

#[test]
fn several_axes_go_over_a_parameter() {
    assert_eq!(pooled(&Tensor::<f32, shape![2, 3, 4, 4]>::ones()).to_vec(), [1.0; 6]);
}

#[test]
fn places_of_a_known_size_are_an_array() -> Result<()> {
    type Points<N> = Tensor<f64, shape![<N>, 3]>;
    let p: Points<dim![2]> = Tensor::from([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let [x, y, z] = p.unbind(axis::<1>());
    assert_eq!((x.to_vec(), (&y * &z).to_vec()), (vec![1.0, 4.0], vec![6.0, 30.0]));
    let (rows, open): (Vec<Tensor<f64, Rank<1>>>, _) = (p.unbind(0)?, p.as_shape::<shape![_, 3]>().unbind(axis::<0>()));
    assert_eq!((rows.len(), open.len()), (2, 2));
    Ok(())
}

#[test]
fn conditions_and_entries_are_owned_or_borrowed() -> Result<()> {
    let x = tensor![-1.0, 2.0];
    let mask = x.gt(0.0);
    let chosen = [where_(x.gt(0.0), &x, 0.0), where_(&mask, x.clone(), 0.0), x.where_(!&mask, 0.0)];
    assert_eq!(chosen.map(|chosen| chosen.to_vec()), [vec![0.0, 2.0], vec![0.0, 2.0], vec![-1.0, 0.0]]);
    let mut written = tensor![[0, 0], [0, 0]];
    written.index_put_(i![&tensor![0, 1], &tensor![1, 0]], 5)?;
    written.index_put_with_(i![1], &tensor![1, 2], true)?;
    assert_eq!((written.to_vec(), written.index(i![.., 1])?.to_vec()), (vec![0, 5, 6, 2], vec![5, 2]));
    let rows = &tensor![1, 0];
    assert_eq!(x.i(i![rows]).to_vec(), [2.0, -1.0]);
    Ok(())
}

/// Numbers beside a spectrum leave its dtype as it is.
fn low_pass<E: WideFloat, const N: usize>(x: &Tensor<E, shape![N]>, limit: f64) -> Result<Tensor<E, shape![N]>> {
    let (spectrum, keep) = (fft::rfft(x)?, fft::rfftfreq_with::<E>(N, 1.0)?.le(limit));
    fft::irfft_with(&(spectrum.where_(&keep, 0.0) * 2.0 - 0), N)?.to_shape()
}

/// The convolution of two signals by their spectra.
fn convolved<E: WideFloat>(a: &Tensor<E, Rank<1>>, b: &Tensor<E, Rank<1>>) -> Result<Tensor<E, Rank<1>>> {
    fft::irfft(&(fft::rfft(a)? * fft::rfft(b)?))
}

#[test]
fn spectra_over_a_dtype_go_both_ways() -> Result<()> {
    let (a, b) = (tensor![1.0, 2.0, 0.0, 0.0; f64], tensor![1.0, 0.0, 3.0, 0.0; f64]);
    assert!(convolved(&a.as_shape(), &b.as_shape())?.allclose(&tensor![1.0, 2.0, 3.0, 6.0; f64]));
    let kept = low_pass(&tensor![1.0, 0.0, 3.0, 0.0], 0.3)?;
    assert!(kept.allclose(&tensor![0.0, 2.0, 4.0, 2.0]));
    Ok(())
}

#[test]
fn any_dimension_may_be_an_axis() -> Result<()> {
    let x = tensor![[3.0, 4.0], [6.0, 8.0]];
    assert_eq!(x.normalize_with(2.0, axis::<-1>(), 1e-12).to_vec(), [0.6, 0.8, 0.6, 0.8]);
    let steps: Tensor<f32, shape![_, 2]> = x.diff_with(1, axis::<0>());
    assert_eq!((steps.to_vec(), x.diff_with(1, 0)?.to_vec(), x.size(axis::<1>())), (vec![3.0, 4.0], vec![3.0, 4.0], 2));
    assert_eq!(x.unfold(axis::<0>(), 2, 1)?.sizes(), [1, 2, 2]);
    assert_eq!(x.det()?.item(), 0.0);
    let factor = Tensor::from([[[2.0_f32, 0.0], [0.0, 1.0]]]);
    let solved: Tensor<f32, Any> = tensor![[4.0], [3.0]].cholesky_solve(&factor)?;
    assert_eq!((solved.sizes(), solved.to_vec()), (&[1, 2, 1][..], vec![1.0, 3.0]));
    assert!((tensor![[2.0, 0.0], [0.0, 4.0]].logdet()?.item() - 8.0_f32.ln()).abs() < 1e-6);
    Ok(())
}

/// What takes tensors alone is a value, whatever the types know; its twin returns what it panics with.
#[test]
fn values_and_their_twins() -> Result<()> {
    let (x, y) = (tensor![[1.0, 0.0, 0.0]; f64], tensor![[0.0, 1.0, 0.0]; f64]);
    assert_eq!(x.cross(&y).to_vec(), [0.0, 0.0, 1.0]);
    assert_eq!(tensor![0.0, 1.0, 2.0].searchsorted(&tensor![0.5, 1.5]).to_vec(), [1, 2]);
    assert_eq!(x.take(&tensor![0, 2]).to_vec(), [1.0, 0.0]);
    assert_eq!(tensor![[1.0, 3.0, 5.0]].cumulative_trapezoid().to_vec(), [2.0, 6.0]);
    assert_eq!(tensor![1, 0].one_hot().tolist(), [[0, 1], [1, 0]]);
    assert_eq!(x.bernoulli().to_vec(), [1.0, 0.0, 0.0]);
    assert_eq!(y.poisson().get([0, 0])?, 0.0);
    let pairs = tensor![[1.0, 2.0], [3.0, 4.0]];
    assert_eq!(pairs.view_as_complex().view_as_real().to_vec(), pairs.to_vec());
    assert_eq!(tensor![5.0].expand_as(&pairs).sum().item(), 20.0);
    assert_eq!((x.view_as(&y).sizes(), x.reshape_as(&y).sizes(), x.type_as(&pairs).dtype()), (&[1, 3][..], &[1, 3][..], DType::F32));
    let (any, square) = (x.as_shape::<Any>(), pairs.as_shape::<Any>());
    assert_eq!((any.t().sizes(), square.trace().item(), any.mT().sizes()), (&[3, 1][..], 5.0, &[3, 1][..]));
    assert_eq!(square.mm(&square).to_vec(), pairs.matmul(&pairs).to_vec());
    let sparse = y.to_sparse();
    assert_eq!((sparse.coalesce().indices().to_vec(), sparse.coalesce().values().to_vec()), (vec![0, 1], vec![1.0]));
    assert_eq!((sparse.t().to_dense().sizes(), (sparse.neg().sum() + sparse.abs().sum()).item()), (&[3, 1][..], 0.0));
    for (panic, error) in [
        (panic_of(|| any.mm(&any)), any.try_mm(&any).map(drop)),
        (panic_of(|| tensor![-1].one_hot()), tensor![-1].try_one_hot().map(drop)),
        (panic_of(|| tensor![2.0].bernoulli()), tensor![2.0].try_bernoulli().map(drop)),
        (panic_of(|| x.take(&tensor![3])), x.try_take(&tensor![3]).map(drop)),
        (panic_of(|| x.repeat_interleave(&tensor![3, 1])), x.try_repeat_interleave(&tensor![3, 1]).map(drop)),
        (panic_of(|| tensor![1].embedding(&x)), tensor![1].try_embedding(&x).map(drop)),
        (panic_of(|| tensor![-1].bincount()), tensor![-1].try_bincount().map(drop)),
        (panic_of(|| any.conv1d(&any)), any.try_conv1d(&any).map(drop)),
        (panic_of(|| any.addmm(&any, &any)), any.try_addmm(&any, &any).map(drop)),
    ] {
        assert_eq!(panic.1, error.expect_err("it is refused").message());
    }
    Ok(())
}

fn kernel<A: Dim, B: Dim>(a: &Tensor<f64, shape![<A>, 2]>, b: &Tensor<f64, shape![<B>, 2]>) -> Tensor<f64, shape![<A>, <B>]> {
    (a.cdist(b).square() * -0.5).exp()
}

fn unit<E: Float>(x: &Tensor<E, shape![3]>) -> Tensor<E, shape![3]> {
    x / latten::linalg::norm(x)
}

#[test]
fn distances_norms_and_means_keep_what_is_known() -> Result<()> {
    let (a, b) = (Tensor::<f64, shape![3, 2]>::ones(), Tensor::<f64, shape![4, 2]>::zeros());
    let k: Tensor<f64, shape![3, 4]> = kernel(&a, &b);
    assert!((k.get([2, 3])? - (-1.0_f64).exp()).abs() < 1e-12);
    let half: Tensor<f16, shape![3]> = unit(&tensor![3.0, 0.0, 4.0; f16]);
    assert_eq!(half.to::<f32>().to_vec(), [f16::from_f32(0.6).to_f32(), 0.0, f16::from_f32(0.8).to_f32()]);
    let pictures = Tensor::<f32>::ones([2, 3, 4, 4])?;
    let means: Tensor<f32, Rank<2>> = pictures.mean_along((2, 3))?;
    let same: Tensor<f32, Rank<2>> = pictures.mean_along([-1, -2])?;
    assert!(means.equal(&same));
    let wide = Tensor::<f32>::ones([2, 1, 2, 1, 2, 3])?;
    assert_eq!(wide.sum_along([0, 1, 2, 3, 4])?.to_vec(), [8.0; 3]);
    let drawn: Tensor<f32, Rank<2>> = Tensor::<f32>::uniform(2.0, 3.0, [5, 4])?;
    assert!(drawn.ge(2.0).all().item() && Tensor::<f64>::normal(7.0, 0.0, [3])?.equal(&tensor![7.0, 7.0, 7.0; f64]));
    Ok(())
}
