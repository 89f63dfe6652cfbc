#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn main() {
    let x = 2.5_f64; let y = tensor![1.0, x];
}
