#![allow(dead_code, unused_variables)]
use latten::prelude::*;

fn invert(mask: Tensor<bool, shape![3]>) {
    let c = mask.try_neg();
}

fn main() {}
