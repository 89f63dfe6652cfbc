#![allow(dead_code)]
use latten::prelude::*;

fn choose(condition: Tensor<i32, shape![3]>, a: Tensor<f32, shape![3]>) {
    let _ = latten::where_(&condition, &a, 0.0);
}

fn main() {}
