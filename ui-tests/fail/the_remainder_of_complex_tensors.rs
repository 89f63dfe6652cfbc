#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn rest(a: Tensor<c64, shape![3]>) {
    let c = &a % 2;
}

fn main() {}
