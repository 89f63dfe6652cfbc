#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

#[kernel]
fn root(x: Real) -> Real { sqrt(x) }

fn main() {}
