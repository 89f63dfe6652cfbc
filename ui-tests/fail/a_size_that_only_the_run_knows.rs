#![allow(dead_code)]
use latten::prelude::*;

fn image(height: usize, width: usize) -> Tensor<u8, shape![height, width, 3]> {
    Tensor::<u8, shape![height, width, 3]>::zeros()
}

fn main() {}
