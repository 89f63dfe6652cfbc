#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn scale(mut a: Tensor<i32, shape![3]>) {
    a *= 2.5;
}

fn main() {}
