#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn clamped(a: Tensor<c64, shape![3]>) {
    let b = a.clamp(0, 1);
}

fn main() {}
