#![allow(dead_code)]
use latten::prelude::*;

fn product(a: Tensor<bool, shape![2, 3]>, b: Tensor<bool, shape![3, 4]>) {
    let _ = a.mm(&b);
}

fn main() {}
