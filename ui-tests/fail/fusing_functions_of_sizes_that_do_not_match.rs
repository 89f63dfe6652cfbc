#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn main() {
    let (a, b, c) = (tensor![[1.0, 2.0], [3.0, 4.0]], tensor![1.0, 2.0, 3.0], tensor![1.0, 2.0, 3.0, 4.0]);
    let y = fuse!(maximum(a, b));
    let z = fuse!(lerp(a, a, c));
    let w = fuse!(if b > 0.0 { b } else { c });
}
