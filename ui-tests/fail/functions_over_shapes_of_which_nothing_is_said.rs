#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn larger<S: Shape, R: Shape>(a: &Tensor<f32, S>, b: &Tensor<f32, R>) -> Tensor<f32, S> {
    a.maximum(b)
}

fn between<S: Shape, R: Shape>(a: &Tensor<f32, S>, b: &Tensor<f32, R>) -> Tensor<f32, S> {
    a.lerp(b, 0.5)
}

fn chosen<S: Shape, R: Shape>(a: &Tensor<f32, S>, mask: &Tensor<bool, R>) -> Tensor<f32, S> {
    a.where_(mask, 0.0)
}

fn product<S: Shape, R: Shape>(a: &Tensor<f32, S>, b: &Tensor<f32, R>) -> Tensor<f32, S> {
    a.matmul(b)
}

fn main() {}
