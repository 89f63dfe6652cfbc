#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn main() {
    let (a, b) = (tensor![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], tensor![1.0, 2.0, 3.0, 4.0]);
    let c = a.maximum(&b);
    let d = a.where_(&tensor![true, false], 0.0);
}
