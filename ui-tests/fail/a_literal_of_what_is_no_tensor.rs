#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn main() {
    let x = vec![1.0]; let y = tensor![x, vec![2.0]];
}
