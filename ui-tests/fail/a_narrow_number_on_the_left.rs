#![allow(dead_code, unused_variables)]
use latten::prelude::*;

fn step(rate: f32, slope: Tensor<f32, shape![3]>) {
    let change = rate * &slope;
}

fn counted(count: usize, slope: Tensor<f32, shape![3]>) {
    let change = count * &slope;
}

fn fused(rate: f32, slope: Tensor<f32, shape![3]>) {
    let change = fuse!(rate * slope);
}

fn main() {}
