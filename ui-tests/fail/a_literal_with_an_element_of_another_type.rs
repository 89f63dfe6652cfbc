#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn main() {
    let x = 2_i32; let y = tensor![1.5, x];
    let (x, z) = (2.5_f64, 0.5_f32); let y = tensor![1.0, x, z];
}
