//! A network's forward pass and a clustering, on data made here: `cargo run --release --example mlp`. Every shape stands in a type, so
//! that a layer of the wrong size doesn't compile.

use latten::Result;
use latten::prelude::*;

/// Flowers, their measures, hidden units, kinds.
const FLOWERS: usize = 60;
const MEASURES: usize = 4;
const HIDDEN: usize = 8;
const KINDS: usize = 3;

type Flowers = Tensor<f32, shape![FLOWERS, MEASURES]>;
type Centres = Tensor<f32, shape![KINDS, MEASURES]>;

fn main() -> Result<()> {
    let flowers = flowers()?;
    println!("the first measures:\n{}", flowers.i(i![..4]));
    let network = Network::new()?;
    let logits = network.forward(&flowers);
    println!("\nlogits of the first flowers:\n{}", logits.i(i![..4]));
    let shares: Tensor<f32, shape![FLOWERS, KINDS]> = logits.softmax(axis::<1>());
    println!("as shares:\n{}", shares.i(i![..4]));
    let ones = Tensor::<f32, shape![FLOWERS]>::ones();
    assert!(shares.sum_along(axis::<1>()).allclose(&ones));
    let loss: Tensor<f32, ()> = -logits.log_softmax(axis::<1>()).amax_along(axis::<1>()).mean();
    println!("surest guesses lose {loss} on average");

    let (centres, kinds) = cluster(&flowers)?;
    println!("\ncentres:\n{centres}");
    println!("kinds:\n{kinds}");
    let counts: Tensor<i64, shape![KINDS]> = one_hot(&kinds)?.sum_along(axis::<0>());
    println!("flowers of each kind: {counts}");
    Ok(())
}

/// Three heaps of flowers, with a little of a sine for noise.
fn flowers() -> Result<Flowers> {
    let heaps = Tensor::from([[5.0_f32, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.6, 2.0]]);
    let noise = Tensor::<f32>::arange(FLOWERS * MEASURES)?.view(shape![20, KINDS, MEASURES]);
    let noise: Tensor<f32, shape![20, KINDS, MEASURES]> = (noise * 12.9898).sin() * 0.3;
    Ok((noise + heaps).view(shape![FLOWERS, MEASURES]))
}

/// Two layers with a rectifier between them.
struct Network {
    first: Tensor<f32, shape![HIDDEN, MEASURES]>,
    second: Tensor<f32, shape![KINDS, HIDDEN]>,
    biases: (Tensor<f32, shape![HIDDEN]>, Tensor<f32, shape![KINDS]>),
}

impl Network {
    /// Weights that a seed would give, if there were one.
    fn new() -> Result<Self> {
        let first = Tensor::<f32>::linspace(-1.0, 1.0, HIDDEN * MEASURES)?.view(shape![HIDDEN, MEASURES]);
        let second = Tensor::<f32>::linspace(1.0, -1.0, KINDS * HIDDEN)?.view(shape![KINDS, HIDDEN]);
        Ok(Self {
            first: (first * 7.0).sin() * 0.2,
            second: (second * 5.0).cos() * 0.2,
            biases: (Tensor::<f32, shape![HIDDEN]>::zeros(), Tensor::from([0.1_f32, 0.0, -0.1])),
        })
    }

    fn forward(&self, flowers: &Flowers) -> Tensor<f32, shape![FLOWERS, KINDS]> {
        let hidden: Tensor<f32, shape![FLOWERS, HIDDEN]> = flowers.linear_with(&self.first, &self.biases.0).relu();
        hidden.linear_with(&self.second, &self.biases.1)
    }
}

/// k-means: each flower to the nearest centre, each centre to the mean of its flowers, until nothing moves.
fn cluster(flowers: &Flowers) -> Result<(Centres, Tensor<i64, shape![FLOWERS]>)> {
    let mut centres: Centres = flowers.i(i![..3]).clone();
    loop {
        let kinds = nearest(flowers, &centres)?;
        let members: Tensor<f32, shape![FLOWERS, KINDS]> = one_hot(&kinds)?.to();
        let counts: Tensor<f32, shape![KINDS, 1]> = members.sum_along(axis::<0>()).view(shape![KINDS, 1]);
        let moved: Centres = members.t().matmul(flowers) / counts;
        if moved.equal(&centres) {
            return Ok((centres, kinds));
        }
        centres = moved;
    }
}

fn nearest(flowers: &Flowers, centres: &Centres) -> Result<Tensor<i64, shape![FLOWERS]>> {
    let apart = flowers.view(shape![FLOWERS, 1, MEASURES]) - centres.view(shape![1, KINDS, MEASURES]);
    let distances: Tensor<f32, shape![FLOWERS, KINDS]> = apart.square().sum_along(axis::<2>());
    Ok(distances.argmin_along(axis::<1>()))
}

/// A column for each kind: true for the flowers of that kind.
fn one_hot(kinds: &Tensor<i64, shape![FLOWERS]>) -> Result<Tensor<bool, shape![FLOWERS, KINDS]>> {
    let column = kinds.view(shape![FLOWERS, 1]);
    let all = Tensor::from([0_i64, 1, 2]);
    Ok(column.eq(&all))
}
