#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

#[kernel]
fn double<T>(x: Floating) -> Floating { x * 2.0 }

fn main() {}
