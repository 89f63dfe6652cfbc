#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

#[kernel]
fn sum(a: Real, b: Real, c: Real, d: Real) -> Real { a + b + c + d }

fn main() {}
