#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn main() {
    let x = tensor![1u8, 2.5, 3i16];
}
