#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn invert(mask: Tensor<bool, shape![3]>) {
    let c = 1_i64 - &mask;
}

fn main() {}
