#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn halfway(a: Tensor<f32, shape![3]>, b: Tensor<f64, shape![3]>) {
    let c = a.lerp(&b, 0.5);
}

fn main() {}
