#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn invert(mask: Tensor<bool, shape![3]>) {
    let c = 1i32 - &mask;
}

fn main() {}
