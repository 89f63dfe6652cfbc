#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn write(mut a: Tensor<f32, shape![2, 2]>) {
    a[0] = tensor![1.0, 2.0];
}

fn main() {}
