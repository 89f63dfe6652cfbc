#![allow(dead_code)]
use latten::prelude::*;

fn variance(a: Tensor<u8, shape![5]>) {
    let _ = a.var();
}

fn main() {}
