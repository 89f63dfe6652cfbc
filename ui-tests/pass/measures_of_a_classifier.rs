//! What a classifier gives, measured: nearest neighbours, cross entropy, accuracy of the best k, a matrix of confusions.

use latten::prelude::*;
use latten::{Extreme, Result};

/// The majority of the labels of the k nearest rows, of two classes.
fn nearest<const N: usize, const D: usize>(
    known: &Tensor<f32, shape![N, D]>,
    labels: &Tensor<i64, shape![N]>,
    point: &Tensor<f32, shape![D]>,
    k: usize,
) -> Result<i64> {
    let distances = (known - point).square().sum_along(axis::<1>()).sqrt();
    let (_, places) = distances.topk_with(k, -1, Extreme::Smallest, true)?;
    let votes = labels.index(&places)?.sum().item();
    Ok(i64::from(2 * votes > k as i64))
}

fn cross_entropy<N: Dim, const C: usize>(scores: &Tensor<f32, shape![<N>, C]>, labels: &Tensor<i64, shape![<N>]>) -> Result<f32> {
    let picked = scores.log_softmax(-1)?.gather(1, &labels.unsqueeze(axis::<1>()))?;
    Ok((-picked).mean().item())
}

fn accuracy<const C: usize>(scores: &Tensor<f32, shape![_, C]>, labels: &Tensor<i64, shape![_]>, k: usize) -> Result<f64> {
    let (_, best) = scores.topk(k, -1)?;
    let hits = best.eq(&labels.unsqueeze(axis::<1>())).any_along(axis::<1>());
    Ok(hits.double().mean().item())
}

fn confusions(found: &Tensor<i64, Rank<1>>, labels: &Tensor<i64, Rank<1>>, classes: i64) -> Result<Tensor<i64, Rank<2>>> {
    let places = labels * classes + found;
    let mut counts = Tensor::<i64, Rank<1>>::zeros([classes * classes])?;
    counts.index_add_(0, &places, &places.ones_like())?;
    counts.view([classes, classes])
}

/// Without what is missing.
fn filled(x: &Tensor<f32, Rank<1>>) -> Tensor<f32, Rank<1>> {
    where_(&x.isnan(), &x.nanmean(), x)
}

pub(crate) fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let known = tensor![[0.0, 0.0], [0.0, 1.0], [5.0, 5.0], [6.0, 5.0]];
    let labels = tensor![0, 0, 1, 1];
    assert_eq!(nearest(&known, &labels, &tensor![5.0, 4.0], 3)?, 1);
    assert_eq!(nearest(&known, &labels, &tensor![1.0, 1.0], 3)?, 0);

    let scores = tensor![[2.0, 1.0, 0.0], [0.0, 2.0, 1.0], [1.0, 2.0, 0.0]];
    let labels = tensor![0, 2, 2];
    assert!((cross_entropy(&scores, &labels)? - 1.407_606).abs() < 1e-5);
    let (open, wanted): (Tensor<f32, shape![_, 3]>, Tensor<i64, shape![_]>) = (scores.as_shape(), labels.as_shape());
    assert_eq!((accuracy(&open, &wanted, 1)?, accuracy(&open, &wanted, 3)?), (1.0 / 3.0, 1.0));
    let found: Tensor<i64, Rank<1>> = scores.argmax_along(axis::<1>()).as_shape();
    assert_eq!(confusions(&found, &labels.as_shape(), 3)?.to_vec(), [1, 0, 0, 0, 0, 0, 0, 2, 0]);
    assert_eq!(filled(&tensor![1.0, f32::NAN, 3.0].as_shape()).to_vec(), [1.0, 2.0, 3.0]);
    Ok(())
}
