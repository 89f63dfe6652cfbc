#![allow(dead_code, unused_variables)]
use latten::prelude::*;

const N: usize = 5000;

fn constants(a: Tensor<f32, shape![N]>, b: Tensor<f32, shape![5001]>) {
    let c = a + b;
}

fn parameters<const N: usize, const M: usize>(a: Tensor<f32, shape![N]>, b: Tensor<f32, shape![M]>) {
    let c = a + b;
}

fn main() {}
