#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn part(a: Tensor<f32, shape![2, 3]>) {
    let b = a.imag();
}

fn main() {}
