#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn chosen(x: Tensor<f32, shape![5, 2]>, k: usize, weights: Tensor<f32, shape![2]>, rows: Tensor<i64, shape![2]>) -> Result<()> {
    let by_a_number = x.i(i![&k]);
    let by_floats = x.i(i![.., &weights]);
    let too_many = x.i(i![&rows, 0, 0]);
    let turned_around = x.embedding(&rows);
    Ok(())
}

fn main() {}
