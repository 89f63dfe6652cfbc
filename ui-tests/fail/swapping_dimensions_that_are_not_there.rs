#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn turned(a: Tensor<f32, shape![2, 3]>) {
    let b = a.swap::<0, 2>();
}

fn main() {}
