#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn shift(a: Tensor<bool, shape![3]>) {
    let c = &a << &a;
}

fn main() {}
