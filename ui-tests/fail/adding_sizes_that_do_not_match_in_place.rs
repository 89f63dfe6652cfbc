#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn mismatch(mut a: Tensor<f32, shape![5, 2]>, b: Tensor<f32, shape![5, 3]>) {
    a -= b;
}

fn main() {}
