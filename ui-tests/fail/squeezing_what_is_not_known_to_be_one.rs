#![allow(dead_code, unused_variables)]
use latten::prelude::*;

fn squeezed(x: Tensor<f32, shape![2, 3]>, open: Tensor<f32, Rank<2>>, any: Tensor<f32>) {
    let a = x.squeeze(axis::<1>());
    let _: Tensor<f32, Rank<1>> = open.squeeze(axis::<1>()); // the run looks
    let c = any.squeeze(axis::<1>());
    let d = x.squeeze();
}

fn main() {}
