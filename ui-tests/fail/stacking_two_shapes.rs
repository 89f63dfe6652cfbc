#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn beside(a: Tensor<f32, shape![2, 3]>, b: Tensor<f32, shape![2, 4]>) {
    let c = stack((&a, &b), axis::<0>());
}

fn main() {}
