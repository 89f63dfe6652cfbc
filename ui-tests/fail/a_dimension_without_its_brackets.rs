#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn rows<V: Dim, const K: usize>(x: &Tensor<f32, shape![V, K]>) {}

fn main() {}
