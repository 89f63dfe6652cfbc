#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

type Wrong = Tensor<f32, shape![2, -3]>;

fn main() {}
