#![allow(dead_code, clippy::all)]
use latten::prelude::*;

fn wide(a: &Tensor<f32, shape![8, 50257]>, b: &Tensor<f32, shape![1, 50257]>, c: &Tensor<f32, shape![_, 1]>) {
    let _: Tensor<f32, shape![8, 50257]> = a + b;
    let _: Tensor<f32, shape![8, 50257]> = a + c;
    let _: Tensor<f32, shape![_, 50257]> = b + c;
}

fn numbers(a: &Tensor<i32, shape![3]>, f: &Tensor<f32, shape![3]>, u: &Tensor<u8, shape![3]>, h: &Tensor<f16, ()>) {
    let _: Tensor<f32, shape![3]> = a * 2.5;
    let _: Tensor<f32, shape![3]> = 2.5 * a;
    let _: Tensor<f32, shape![3]> = f + 2.5f64;
    let _: Tensor<u8, shape![3]> = u + 300;
    let _: Tensor<c32, ()> = h * Complex::new(1.0f64, 2.0);
    let _: Tensor<f32, shape![3]> = a / a;
    let _: Tensor<i32, shape![3]> = a % 2u64;
    let _: Tensor<f32, shape![3]> = (a + 2.5).exp();
}

fn ranks(a: &Tensor<f32, Rank<2>>, zero: &Tensor<f64, ()>, any: &Tensor<f64>, dynamic: &DynTensor) {
    let _: Tensor<f32, Rank<2>> = a + zero;
    let _: Tensor<Any> = a + any;
    let _: DynTensor = dynamic * a;
    let _: Tensor<f64> = any + zero;
}

// Generic code needs no more than these bounds.
fn of_any_shape<S: Shape>(a: &Tensor<f32, S>, b: &Tensor<f32, S>) -> Tensor<f32, S> {
    a * b + 1
}

fn bias<const N: usize>(x: &Tensor<f32, shape![_, N]>, bias: &Tensor<f32, shape![N]>) -> Tensor<f32, shape![_, N]> {
    x + bias
}

fn values() {
    let _: (latten::D<2>, Dyn, latten::One, latten::D<50257>) = shape![2, _, 1, 50257];
}

pub(crate) fn main() {}
