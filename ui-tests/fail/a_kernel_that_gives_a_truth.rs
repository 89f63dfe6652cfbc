#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

#[kernel]
fn positive(x: Floating) -> Floating { x > 0.0 }

fn main() {}
