#![allow(dead_code)]
use latten::prelude::*;

fn i32_by_f16(mut a: Tensor<i32, shape![3]>, b: Tensor<f16, shape![3]>) {
    a *= &b;
}

fn i32_by_bf16(mut a: Tensor<i32, shape![3]>, b: Tensor<bf16, shape![3]>) {
    a *= &b;
}

fn i32_by_f32(mut a: Tensor<i32, shape![3]>, b: Tensor<f32, shape![3]>) {
    a *= &b;
}

fn i32_by_f64(mut a: Tensor<i32, shape![3]>, b: Tensor<f64, shape![3]>) {
    a *= &b;
}

fn i32_by_c32(mut a: Tensor<i32, shape![3]>, b: Tensor<c32, shape![3]>) {
    a *= &b;
}

fn i32_by_c64(mut a: Tensor<i32, shape![3]>, b: Tensor<c64, shape![3]>) {
    a *= &b;
}

fn i32_by_c128(mut a: Tensor<i32, shape![3]>, b: Tensor<c128, shape![3]>) {
    a *= &b;
}

fn main() {}
