#![allow(dead_code)]
use latten::prelude::*;

fn product(a: Tensor<f32, shape![5, 2]>, b: Tensor<f64, shape![2, 4]>) {
    let _ = a.matmul(&b);
}

fn main() {}
