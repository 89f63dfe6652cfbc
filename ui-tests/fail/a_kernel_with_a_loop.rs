#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

#[kernel]
fn double(x: Floating) -> Floating {
    let y = loop { break x };
    y * 2.0
}

fn main() {}
