#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn append(a: Tensor<f32, shape![3]>) {
    let c = &a + "3";
}

fn main() {}
