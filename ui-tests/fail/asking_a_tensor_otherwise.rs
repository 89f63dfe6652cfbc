#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn asked(a: Tensor<f32, shape![2, 3]>, b: Tensor<f32, shape![2, 3]>) {
    let first = &a[0];
    let small = a < 1.5_f32;
    let smaller = a < b;
    let same = a == b;
}

fn borrowed(a: &Tensor<f32, shape![2, 3]>, b: &Tensor<f32, shape![2, 3]>) {
    let same = a == b;
    let all = a == &1.5_f32;
    assert_eq!(a, b);
    let exact = a == 1.5;
    let any = a > 0;
}

fn unknown(x: DynTensor) {
    for row in x.iter() {}
    let rows = x.len();
}

fn main() {}
