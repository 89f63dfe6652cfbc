#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn main() {
    let x = tensor!([1, 2], requires_grad = true);
}
