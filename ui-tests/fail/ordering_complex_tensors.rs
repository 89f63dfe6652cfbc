#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn order(a: Tensor<c64, shape![3]>, b: Tensor<f32, shape![3]>) {
    let c = a.lt(&b);
}

fn main() {}
