#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn main() {
    let a = Tensor::<f32, shape![2, 3]>::ones();
    let b = Tensor::<f32, shape![3, 2]>::ones();
    let c = a.dot(&b);
}
