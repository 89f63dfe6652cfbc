#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn exponential(mut a: Tensor<i64, shape![3]>) {
    a.exp_();
}

fn main() {}
