#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn difference(a: Tensor<i32, shape![3]>, mask: Tensor<bool, shape![3]>) {
    let c = &a - &mask;
}

fn main() {}
