use latten::prelude::*;

fn squared<const R: usize>(x: &Tensor<f32, Rank<R>>) {
    let _ = x;
}

fn main() {}
