#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn main() {
    let x = Tensor::<f32, shape![8, 3]>::ones();
    let w = Tensor::<f32, shape![3, 4]>::ones();
    let y = fuse!(relu(matmul(x, w) + 1.0));
}
