#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn main() {
    let x: Tensor<u8, shape![2, 2]> = tensor![[1, 2], [300, -400]; u8];
}
