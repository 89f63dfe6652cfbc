#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

struct Image {
    height: usize,
}

fn sizes(x: Tensor<f32, shape![6]>, image: Image, n: usize) -> Result<()> {
    let lengths = x.reshape(shape![x.len(), 1]);
    let fields = x.reshape(shape![image.height, 1]);
    let sums = x.reshape(shape![2 * n, 3]);
    Ok(())
}

fn main() {}
