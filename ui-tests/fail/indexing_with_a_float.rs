#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn pick(a: Tensor<f32, shape![2, 3]>) {
    let b = a.i(i![.., 1.5]);
}

fn main() {}
