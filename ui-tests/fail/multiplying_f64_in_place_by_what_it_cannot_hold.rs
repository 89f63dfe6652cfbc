#![allow(dead_code)]
use latten::prelude::*;

fn f64_by_c32(mut a: Tensor<f64, shape![3]>, b: Tensor<c32, shape![3]>) {
    a *= &b;
}

fn f64_by_c64(mut a: Tensor<f64, shape![3]>, b: Tensor<c64, shape![3]>) {
    a *= &b;
}

fn f64_by_c128(mut a: Tensor<f64, shape![3]>, b: Tensor<c128, shape![3]>) {
    a *= &b;
}

fn main() {}
