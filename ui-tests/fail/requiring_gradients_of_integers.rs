#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn train(mut counts: Tensor<i64, shape![3]>) {
    counts.requires_grad_();
}

fn main() {}
