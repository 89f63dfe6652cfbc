#![allow(dead_code)]
use latten::prelude::*;

fn swap(a: Tensor<f32, shape![5, 2]>) {
    let _ = a.swap::<0, 2>();
}

fn main() {}
