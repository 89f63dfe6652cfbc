#![allow(dead_code)]
use latten::prelude::*;

fn product(a: Tensor<f32, shape![5, 2]>, b: Tensor<f32, shape![3, 4]>) {
    let _ = a.matmul(&b);
}

fn main() {}
