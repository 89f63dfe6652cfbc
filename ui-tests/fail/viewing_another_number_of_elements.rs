#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn main() {
    let six = Tensor::<f32, shape![2, 3]>::zeros();
    let eight = six.view(shape![4, 2]);
}
