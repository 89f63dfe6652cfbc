#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn logits(a: Tensor<f32, shape![8, 50257]>, b: Tensor<f32, shape![50304]>) {
    let c = a + b;
}

fn main() {}
