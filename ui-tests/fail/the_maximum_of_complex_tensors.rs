#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn larger(a: Tensor<f32, shape![3]>, b: Tensor<c64, shape![3]>) {
    let c = a.maximum(&b);
}

fn main() {}
