#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

#[kernel]
fn double(x: Floating) -> Floating { if x { x } else { 0.0 } }

fn main() {}
