#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

#[kernel]
fn both(x: Floating, y: Integral) -> Floating { x * y }

fn main() {}
