#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn views(a: Tensor<f32, shape![8, 3, 32]>, large: Tensor<f32, shape![60000, 784]>) {
    let fourth = a.i(i![.., 3]);
    let before = a.i(i![..., -33]);
    let many = a.i(i![0, 1, 2, 3]);
    let beyond = a.i(i![.., 1..5]);
    let short = a.i(i![.., .., 30..-4]);
    let sample = large.i(i![0]);
}

fn main() {}
