#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn main() {
    let (a, mut b) = (tensor![[1.0, 2.0], [3.0, 4.0]], tensor![1.0, 2.0]);
    fuse!(b = a * 2.0);
}
