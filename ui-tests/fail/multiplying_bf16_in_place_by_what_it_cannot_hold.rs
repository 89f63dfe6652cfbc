#![allow(dead_code)]
use latten::prelude::*;

fn bf16_by_c32(mut a: Tensor<bf16, shape![3]>, b: Tensor<c32, shape![3]>) {
    a *= &b;
}

fn bf16_by_c64(mut a: Tensor<bf16, shape![3]>, b: Tensor<c64, shape![3]>) {
    a *= &b;
}

fn bf16_by_c128(mut a: Tensor<bf16, shape![3]>, b: Tensor<c128, shape![3]>) {
    a *= &b;
}

fn main() {}
