#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn main() {
    let (a, b) = (tensor![1.0, 2.0], tensor![2.0, 1.0]);
    let ended = fuse!((a - b).max(0.0));
    let inside = fuse!(max(a, b) * 2.0);
}
