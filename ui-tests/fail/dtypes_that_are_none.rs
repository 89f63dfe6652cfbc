#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn counted(x: Tensor<usize, shape![3]>) {}

fn named() -> DType {
    DType::Int8
}

fn main() {}
