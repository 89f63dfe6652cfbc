#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn main() {
    let (pictures, weights) = (Tensor::<f32, shape![8, 3, 32, 32]>::ones(), Tensor::<f32, shape![16, 4, 3, 3]>::ones());
    let more = pictures.conv2d(&weights);
    let lines = pictures.conv1d(&weights);
    let pooled = tensor![[1.0, 2.0]].max_pool2d(2);
    let spread = pictures.conv_transpose2d(&weights);
}
