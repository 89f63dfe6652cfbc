#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn halve(mut a: Tensor<i32, shape![3]>) {
    a /= 2;
}

fn main() {}
