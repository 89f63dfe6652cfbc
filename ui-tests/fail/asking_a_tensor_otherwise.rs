#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn asked(a: Tensor<f32, shape![2, 3]>, b: Tensor<f32, shape![2, 3]>) {
    let first = &a[0];
    let small = a < 1.5_f32;
    let same = a == b;
}

fn main() {}
