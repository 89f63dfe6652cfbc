#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

#[kernel]
fn double(x: Floating) -> Floating { x * two }

fn main() {}
