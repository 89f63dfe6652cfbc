#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

#[kernel]
fn double(x: u32) -> Integral { x * 2 }

fn main() {}
