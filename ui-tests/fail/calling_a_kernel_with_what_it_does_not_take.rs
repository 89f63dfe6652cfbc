#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

#[kernel]
fn root(x: Floating) -> Floating { sqrt(x) }

fn main() {
    let y = root(&tensor![1i]);
    root_(&mut tensor![1, 2]);
}
