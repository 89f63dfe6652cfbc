#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn inverted(mask: Tensor<bool, shape![3]>) {
    let other = &mask - 1;
}

fn main() {}
