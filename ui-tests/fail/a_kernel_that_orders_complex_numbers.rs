#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

#[kernel]
fn larger(x: Number, y: Number) -> Number { if x > y { x } else { y } }

fn main() {}
