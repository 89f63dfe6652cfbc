#![allow(dead_code, unused_variables)]
use latten::prelude::*;

type Mat<const R: usize, const C: usize> = Tensor<f64, shape![R, C]>;

struct Kalman<const S: usize, const M: usize> {
    h: Mat<M, S>,
}

impl<const S: usize, const M: usize> Kalman<S, M> {
    fn update(&mut self, z: &Mat<M, 1>) {}
}

fn told_all(filter: &mut Kalman<2, 1>) {
    for z in [1.1, 1.9] {
        filter.update(&tensor![[z]]);
    }
}

fn main() {}
