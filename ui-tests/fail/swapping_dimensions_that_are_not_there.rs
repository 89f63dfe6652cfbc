#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn turned(a: Tensor<f32, shape![2, 3]>) {
    let b = a.transpose(axis::<0>(), axis::<2>());
    let c = a.permute(axes![0, 2]);
    let d = a.permute(axes![0, 0]);
    let e = a.permute(axes![1, 0, 2]);
    let f = a.unsqueeze(axis::<3>());
}

fn main() {}
