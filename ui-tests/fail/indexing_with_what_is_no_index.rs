#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn views(a: Tensor<f32, shape![8, 3]>) {
    let half = a.i(i![0.5]);
    let twice = a.i(i![..., 0, ...]);
    let back = a.i(i![..;0]);
    let stepped = a.i(i![3;2]);
}

fn main() {}
