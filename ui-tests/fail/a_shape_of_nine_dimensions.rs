#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

type Deep = Tensor<f32, shape![1, 2, 3, 4, 5, 6, 7, 8, 9]>;

fn main() {}
