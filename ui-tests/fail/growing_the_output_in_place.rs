#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn grow(mut a: Tensor<f32, shape![1, 3, 1]>, b: Tensor<f32, shape![3, 1, 7]>) {
    a += &b;
}

fn main() {}
