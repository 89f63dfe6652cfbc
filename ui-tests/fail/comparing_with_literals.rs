#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn large(a: Tensor<f32, shape![2]>) {
    if a < 1.5 {}
    if a == 0 {}
    while a > 1 {}
}

fn borrowed(a: &Tensor<f32, shape![2]>) {
    if a < 1.5 {}
    if a == 0 {}
    let mask = &(a * 2.0) > 1;
}

fn main() {}
