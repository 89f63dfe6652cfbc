#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

#[kernel]
fn double(x: Floating) -> Floating { if x > 0.0 { x } }

fn main() {}
