#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn main() {
    let nothing = Tensor::<f32, shape![0]>::zeros();
    let first = nothing.i(i![0]);
}
