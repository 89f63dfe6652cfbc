#![allow(dead_code)]
use latten::prelude::*;

fn sum(a: Tensor<f32, shape![5, 2]>) {
    let _ = a.sum_along(axis::<2>());
}

fn main() {}
