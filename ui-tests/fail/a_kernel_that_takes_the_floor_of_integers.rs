#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

#[kernel]
fn whole(x: Real) -> Real { floor(x) }

fn main() {}
