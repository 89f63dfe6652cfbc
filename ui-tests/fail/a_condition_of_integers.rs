#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn chosen(a: Tensor<i32, shape![3]>) {
    let b = latten::where_(&a, &a, 0);
}

fn main() {}
