#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn main() {
    let z = tensor![1 + 2i];
    let y = fuse!(z * 2.0 + floor(z));
}
