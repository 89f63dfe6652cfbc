#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

#[kernel]
fn one() -> Floating { 1.0 }

fn main() {}
