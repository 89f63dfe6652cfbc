#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn clamped(mut a: Tensor<i32, shape![3]>) {
    a.clamp_(0, 2.5);
}

fn main() {}
