#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

#[kernel]
fn root(x: Floating) -> Floating { x.powi(2) }

fn main() {}
