//! Dimensions that go, turn and shrink: what types know of them stays known.

use latten::linalg::lstsq;
use latten::prelude::*;

/// One column, of any number of rows.
fn column<N: Dim>(x: &Tensor<f32, shape![<N>, 1]>) -> Tensor<f32, (N,)> {
    x.squeeze(axis::<-1>())
}

#[test]
fn squeeze_is_told_which() -> Result<()> {
    let x = tensor![[[1.0], [3.0]]];
    let one: Tensor<f32, shape![1, 2]> = x.squeeze(axis::<2>());
    let both: Tensor<f32, shape![2]> = x.squeeze(axes![0, -1]);
    let all: Tensor<f32, Any> = x.squeeze(..);
    let looked_at: Result<Tensor<f32, Rank<2>>> = x.squeeze(-1);
    let row: Tensor<f32, Rank<1>> = x.squeeze([0, 2])?.to_shape()?;
    assert_eq!((one.to_vec(), both.to_vec(), all.sizes(), looked_at?.sizes()), (vec![1.0, 3.0], vec![1.0, 3.0], &[2][..], &[1, 2][..]));
    assert_eq!((row.to_vec(), column(&both.unsqueeze(axis::<1>())).to_vec()), (vec![1.0, 3.0], vec![1.0, 3.0]));
    assert_eq!(
        (x.erase().squeeze(1)?.sizes(), x.squeeze(())?.sizes(), x.erase().squeeze(0)?.sizes()),
        (&[1, 2, 1][..], &[1, 2, 1][..], &[2, 1][..])
    );
    let stays = x.squeeze(1).expect_err("two are there, and the type has room for two dimensions");
    let text = "squeeze: dimension 1 of [1, 2, 1] is larger than 1, and of a tensor whose type counts its dimensions it has to go; \
                `x.as_shape::<Any>().squeeze(dim)?` keeps it";
    assert_eq!(stays.message(), text);
    let refused = x.squeeze(3).expect_err("there are three");
    assert_eq!(refused.message(), "Dimension out of range (expected to be in range of [-3, 2], but got 3)");
    // A parameter that is 1 goes as well as a 1 that is written.
    let parameter: Tensor<f32, shape![2]> = Tensor::from([[1.0_f32], [2.0]]).squeeze(axis::<1>());
    assert_eq!(parameter.to_vec(), [1.0, 2.0]);
    Ok(())
}

#[test]
fn what_turns_or_shrinks_is_known() -> Result<()> {
    let board = tensor![[1, 2, 3], [4, 5, 6]];
    let turned: Tensor<i64, shape![3, 2]> = board.rot90();
    let upside_down: Tensor<i64, shape![2, 3]> = board.rot90().rot90().flip(axis::<1>()).fliplr();
    let steps: Tensor<i64, shape![2, _]> = board.diff();
    let rows: Tensor<i64, Rank<2>> = board.as_shape::<Rank<2>>().diff();
    assert_eq!((turned.to_vec(), upside_down.flipud().to_vec()), (vec![3, 6, 2, 5, 1, 4], board.fliplr().to_vec()));
    assert_eq!((steps.to_vec(), rows.sizes(), board.diff().gt(0).all().item()), (vec![1; 4], &[2, 2][..], true));
    let looked_at: [DynTensor; 3] = [board.erase().rot90(), board.erase().diff(), board.erase().flipud()];
    assert_eq!(looked_at.map(|found| found.sizes().to_vec()), [vec![3, 2], vec![2, 2], vec![2, 3]]);
    let refused = tensor!(1.0).try_diff().expect_err("no dimension");
    assert_eq!(refused.message(), "diff expects input to be at least one-dimensional");
    let refused = tensor![1.0].try_rot90().expect_err("one dimension");
    assert_eq!(refused.message(), "expected total dims >= 2, but got total dims = 1");
    assert_eq!(
        (tensor!(2.0).atleast_2d().sizes(), tensor![1.0, 2.0].diagflat().sizes(), tensor![3.0, f32::NAN].nanmedian().item()),
        (&[1, 1][..], &[2, 2][..], 3.0)
    );
    Ok(())
}

/// Columns of any number come nearest, of a matrix of sizes that parameters say.
fn fitted<const N: usize, const M: usize>(x: &Tensor<f64, shape![N, M]>, y: &Tensor<f64, shape![N]>) -> Result<Tensor<f64, shape![M]>> {
    Ok(lstsq(x, y)?.solution)
}

#[test]
fn what_comes_nearest_has_a_known_shape() -> Result<()> {
    let (x, y) = (tensor![[1.0_f64, 0.0], [1.0, 1.0], [1.0, 2.0]], tensor![1.0_f64, 3.0, 5.0]);
    let line: Tensor<f64, shape![2]> = fitted(&x, &y)?;
    let column: Tensor<f64, shape![2]> = lstsq(&x, &y.unsqueeze(axis::<1>()))?.solution.squeeze(axis::<1>());
    let open: Tensor<f64, shape![_, 1]> = lstsq(&x.as_shape::<Rank<2>>(), &y.unsqueeze(axis::<1>()))?.solution;
    let any: Tensor<f64, Any> = lstsq(&x.as_shape::<Any>(), &y)?.solution;
    let rank: Tensor<i64, shape![]> = lstsq(&x, &y)?.rank;
    assert!(line.allclose(&tensor![1.0_f64, 2.0]) && column.allclose(&line) && any.allclose(&line));
    assert_eq!((open.sizes(), rank.item()), (&[2, 1][..], 2));
    Ok(())
}

/// A layer of any number of rows, beside sizes that are parameters.
struct Linear<const I: usize, const D: usize> {
    weight: Tensor<f32, shape![D, I]>,
    bias: Tensor<f32, shape![D]>,
}

impl<const I: usize, const D: usize> Linear<I, D> {
    fn forward<N: Dim>(&self, x: &Tensor<f32, shape![<N>, I]>) -> Tensor<f32, shape![<N>, D]> {
        x.linear_with(&self.weight, &self.bias)
    }

    fn largest<N: Dim>(&self, x: &Tensor<f32, shape![<N>, I]>) -> Tensor<f32, shape![<N>, 1]> {
        self.forward(x).amax_along(kept(axis::<1>()))
    }
}

#[test]
fn dimensions_stand_beside_sizes() {
    const D: usize = 2;
    let layer = Linear::<3, D> { weight: Tensor::ones(), bias: tensor![0.5, 1.0] };
    let scores: Tensor<f32, shape![4, 2]> = layer.forward(&Tensor::<f32, shape![4, 3]>::ones());
    let largest: Tensor<f32, shape![4, 1]> = layer.largest(&Tensor::<f32, shape![4, 3]>::ones());
    assert_eq!((scores.sum().item(), largest.to_vec()), (30.0, vec![4.0; 4]));
}

/// A dimension of the run is of any integer type, wherever one is asked for.
#[test]
fn reductions_go_along_integers_of_any_type() -> Result<()> {
    let x = tensor![[1.0, 2.0], [3.0, 4.0]];
    for (at, sums) in [(0_usize, [4.0, 6.0]), (1, [3.0, 7.0])] {
        let summed: Tensor<f32, Rank<1>> = x.sum_along(at)?;
        let stays: Tensor<f32, Rank<2>> = x.sum_along(kept(at))?;
        assert_eq!((summed.to_vec(), stays.to_vec()), (sums.to_vec(), sums.to_vec()));
        assert_eq!((x.sum_along(at as u8)?.to_vec(), x.sum_along(at as i64 - 2)?.to_vec()), (sums.to_vec(), sums.to_vec()));
        let (largest, places) = x.max_along(at)?;
        assert_eq!((largest.to_vec()[1], places.to_vec(), x.argmax_along(kept(at))?.sizes().len()), (4.0, vec![1, 1], 2));
        assert_eq!(x.softmax(at)?.sum_along(at)?.sum().item(), 2.0);
    }
    let mut y = x.clone();
    let mut rows = y.parts_mut(axis::<0>(), 1_usize)?;
    for row in &mut rows {
        let row: &mut Tensor<f32, shape![_, 2]> = row;
        row.add_(1.0)?;
    }
    drop(rows);
    assert_eq!(y.to_vec(), [2.0, 3.0, 4.0, 5.0]);
    Ok(())
}

fn extent<E: Real, S: Shape>(x: &Tensor<E, S>) -> (f64, f64) {
    (x.amin().item().to_f64(), x.amax().item().to_f64())
}

fn average<E: Float>(x: &Tensor<E, shape![_]>) -> f64 {
    x.mean().item().to_f64()
}

#[test]
fn numbers_of_a_kind_are_doubles_and_long_ranges_are_the_runs() {
    assert_eq!((extent(&tensor![3_u8, 200]), extent(&tensor![-1.5, 2.0])), ((3.0, 200.0), (-1.5, 2.0)));
    let long = Tensor::<f32, shape![2048]>::ones();
    let tail: Tensor<f32, shape![_]> = long.i(i![48..]);
    let short: Tensor<f32, shape![1024]> = long.i(i![1024..]);
    assert_eq!((tail.shape(), short.shape(), average(&tail)), ([2000], [1024], 1.0));
}
