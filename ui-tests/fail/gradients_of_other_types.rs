#![allow(dead_code, unused_variables, unused_mut)]
use latten::optim::Sgd;
use latten::prelude::*;

fn train(x: &Tensor<f32, shape![2]>, mut ids: Tensor<i64, shape![2]>) -> Result<()> {
    let y = x * 2.0;
    y.backward_with(&tensor![1.0, 2.0, 3.0])?;
    Sgd::new(0.1).step(&mut [&mut ids])?;
    let mask = x.gt(1.0).requiring_grad()?;
    ids.register_hook(|_| None)?;
    ids.retain_grad()?;
    Ok(())
}

fn main() {}
