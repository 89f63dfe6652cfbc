#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn store(a: Tensor<f32, shape![3]>, b: Tensor<f32, shape![3]>, mut out: Tensor<i32, shape![3]>) {
    let _ = a.atan2_out(&b, &mut out);
}

fn main() {}
