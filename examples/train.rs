//! Trains a small network on data made here: `cargo run --release --example train`. Every shape stands in a type, so that a layer of the
//! wrong size doesn't compile, and a gradient has the type of its parameter.

use latten::grad::no_grad;
use latten::optim::{Adam, Parameter, clip_grad_norm_};
use latten::prelude::*;
use latten::{Error, Scalar, manual_seed};

/// Points of two spirals, their coordinates, hidden units, spirals.
const POINTS: usize = 200;
const PLANE: usize = 2;
const HIDDEN: usize = 32;
const KINDS: usize = 2;

type Points = Tensor<f32, shape![POINTS, PLANE]>;
type Kinds = Tensor<f32, shape![POINTS, KINDS]>;
type Weights<const TO: usize, const FROM: usize> = Tensor<f32, shape![TO, FROM]>;
type Biases<const TO: usize> = Tensor<f32, shape![TO]>;

fn main() -> Result<(), Error> {
    manual_seed(1);
    let (points, kinds) = spirals()?;
    let mut network = Network::new()?;
    let mut adam = Adam::new(0.02);
    let first = network.loss(&points, &kinds)?.item();
    for step in 1..=300 {
        network.zero_grad();
        let loss = network.loss(&points, &kinds)?;
        loss.backward()?;
        let norm = clip_grad_norm_(&mut network.parameters(), 5.0)?;
        adam.step(&mut network.parameters())?;
        if step % 50 == 0 {
            println!("step {step:3}: loss {:.4}, norm of the gradients {:.3}", f64::from(loss.item()), number(norm.item()));
        }
    }
    let _unrecorded = no_grad();
    let last = network.loss(&points, &kinds)?.item();
    let guesses = network.forward(&points).argmax_along(axis::<1>());
    let right: Tensor<i64, ()> = guesses.eq(&kinds.argmax_along(axis::<1>())).sum();
    println!("{right} of {POINTS} points are told apart; the loss went from {:.4} to {last:.4}", first);
    assert!(last < 0.1 && last < first / 5.0, "the network didn't learn");
    Ok(())
}

fn number(scalar: Scalar) -> f64 {
    if let Scalar::Float(number) = scalar { number } else { f64::NAN }
}

/// Two spirals, one turned half way round from the other; and for each point a one in the column of its spiral.
fn spirals() -> Result<(Points, Kinds), Error> {
    let along = Tensor::<f32>::linspace(0.3, 1.0, POINTS)?.view(shape![POINTS, 1]);
    let side = Tensor::<f32>::arange(POINTS)?.view(shape![POINTS, 1]) % 2.0;
    let angle = &along * 8.0 + &side * std::f32::consts::PI;
    let points = &along * angle.cos() * tensor![1.0, 0.0] + &along * angle.sin() * tensor![0.0, 1.0];
    let kinds = &side * tensor![0.0, 1.0] + (1.0 - &side) * tensor![1.0, 0.0];
    Ok((points, kinds))
}

/// Two hidden layers: for each a row of weights for each unit, and a bias.
struct Network {
    first: (Weights<HIDDEN, PLANE>, Biases<HIDDEN>),
    second: (Weights<HIDDEN, HIDDEN>, Biases<HIDDEN>),
    third: (Weights<KINDS, HIDDEN>, Biases<KINDS>),
}

impl Network {
    fn new() -> Result<Self, Error> {
        Ok(Self {
            first: (Weights::<HIDDEN, PLANE>::randn().requiring_grad()?, Biases::<HIDDEN>::zeros().requiring_grad()?),
            second: ((Weights::<HIDDEN, HIDDEN>::randn() * 0.2).requiring_grad()?, Biases::<HIDDEN>::zeros().requiring_grad()?),
            third: ((Weights::<KINDS, HIDDEN>::randn() * 0.2).requiring_grad()?, Biases::<KINDS>::zeros().requiring_grad()?),
        })
    }

    fn forward(&self, points: &Points) -> Kinds {
        let hidden: Tensor<f32, shape![POINTS, HIDDEN]> = points.linear_with(&self.first.0, &self.first.1).tanh();
        let hidden: Tensor<f32, shape![POINTS, HIDDEN]> = hidden.linear_with(&self.second.0, &self.second.1).tanh();
        hidden.linear_with(&self.third.0, &self.third.1)
    }

    /// The cross entropy of what the network says and the spirals that the points are of.
    fn loss(&self, points: &Points, kinds: &Kinds) -> Result<Tensor<f32, ()>, Error> {
        let surprise: Kinds = self.forward(points).log_softmax(1)? * kinds;
        Ok(-surprise.sum() / POINTS as f32)
    }

    fn parameters(&mut self) -> [&mut dyn Parameter; 6] {
        let Self { first, second, third } = self;
        [&mut first.0, &mut first.1, &mut second.0, &mut second.1, &mut third.0, &mut third.1]
    }

    fn zero_grad(&mut self) {
        let Self { first, second, third } = self;
        first.0.zero_grad();
        first.1.zero_grad();
        second.0.zero_grad();
        second.1.zero_grad();
        third.0.zero_grad();
        third.1.zero_grad();
    }
}
