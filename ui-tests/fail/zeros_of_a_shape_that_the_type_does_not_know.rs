#![allow(dead_code)]
use latten::prelude::*;

fn main() {
    let _ = Tensor::<f32, shape![5, _]>::zeros();
}
