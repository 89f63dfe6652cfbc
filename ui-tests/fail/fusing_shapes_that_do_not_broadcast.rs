#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn main() {
    let (a, b, n) = (tensor![[1.0, 2.0], [3.0, 4.0]], tensor![1.0, 2.0, 3.0], tensor![1, 2]);
    let y = fuse!(sigmoid(a) * a + b);
}
