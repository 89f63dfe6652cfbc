#![allow(dead_code)]
use latten::prelude::*;

fn join(a: Tensor<f32, shape![5, 2]>, b: Tensor<f32, shape![5, 3]>) {
    let _ = a.concat::<0, _>(&b);
}

fn main() {}
