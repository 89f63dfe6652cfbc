#![allow(dead_code)]
use latten::prelude::*;

fn mean(a: Tensor<i32, shape![5, 2]>) {
    let _ = a.mean_along(axis::<0>());
}

fn main() {}
