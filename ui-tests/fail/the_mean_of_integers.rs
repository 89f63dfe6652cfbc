#![allow(dead_code)]
use latten::prelude::*;

fn mean(a: Tensor<i64, shape![5]>) {
    let _ = a.mean();
}

fn main() {}
