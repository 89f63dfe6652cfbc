#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn grow(mut a: Tensor<f32, shape![3]>, b: Tensor<f32, shape![2, 3]>) {
    a += &b;
}

fn main() {}
