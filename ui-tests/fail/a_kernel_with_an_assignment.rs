#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

#[kernel]
fn double(x: Floating) -> Floating {
    x += 1.0;
    x
}

fn main() {}
