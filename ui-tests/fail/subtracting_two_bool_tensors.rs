#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn difference(a: Tensor<bool, shape![3]>, b: Tensor<bool, shape![3]>) {
    let c = &a - &b;
}

fn main() {}
