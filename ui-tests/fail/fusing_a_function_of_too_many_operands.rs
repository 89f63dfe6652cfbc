#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn main() {
    let (a, n, mask) = (tensor![1.0, 2.0], tensor![1, 2], tensor![true, false]);
    let y = fuse!(clamp(a, 0.0) + 1.0);
}
