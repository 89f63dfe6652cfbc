#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn and(a: Tensor<f32, shape![3]>, b: Tensor<i32, shape![3]>) {
    let c = &a & &b;
}

fn main() {}
