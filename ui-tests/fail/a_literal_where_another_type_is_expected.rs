#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn of_bytes(x: &Tensor<u8, Rank<1>>) {}

fn main() {
    let x: Tensor<f64, shape![3]> = tensor![1.0, 2.0];
    let y: Tensor<i64, shape![2]> = tensor![1.0, 2.0];
    let z: Tensor<f64, shape![2]> = tensor![1.0_f32, 2.0];
    of_bytes(&tensor![1, 256]);
    of_bytes(&tensor![[1, 2]]);
}
