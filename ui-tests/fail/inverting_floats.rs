#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn invert(a: Tensor<f32, shape![3]>) {
    let c = !&a;
}

fn main() {}
