#![allow(dead_code, clippy::all)]
//! Sizes from constants, parameters and arrays, without a bound.
use latten::prelude::*;

const D: usize = 5000;
const ROWS: usize = 3;

struct Linear<const I: usize, const O: usize> {
    weight: Tensor<f32, shape![O, I]>,
    bias: Tensor<f32, shape![O]>,
}

impl<const I: usize, const O: usize> Linear<I, O> {
    fn new() -> Self {
        Self { weight: Tensor::<f32, shape![O, I]>::zeros(), bias: Tensor::<f32, shape![O]>::ones() }
    }

    fn forward<N: Dim>(&self, x: &Tensor<f32, shape![<N>, I]>) -> Tensor<f32, shape![<N>, O]> {
        x.matmul(&self.weight.t()) + &self.bias
    }

    fn step(&mut self, slope: &Tensor<f32, shape![O, I]>) {
        self.weight -= slope * 0.1;
        self.bias += 1;
    }
}

struct Mlp<const HIDDEN: usize> {
    first: Linear<3072, HIDDEN>,
    second: Linear<HIDDEN, 1>,
}

impl<const HIDDEN: usize> Mlp<HIDDEN> {
    fn forward<N: Dim>(&self, x: &Tensor<f32, shape![<N>, 3072]>) -> Tensor<f32, shape![<N>, 1]> {
        self.second.forward(&self.first.forward(x).relu()).as_shape()
    }
}

fn layer_norm<const N: usize, const H: usize>(x: &Tensor<f32, shape![N, H]>, scale: &Tensor<f32, shape![H]>) -> Tensor<f32, shape![N, H]> {
    let centred = x - x.mean_along(kept(axis::<1>()));
    &centred / (centred.square().mean_along(kept(axis::<1>())) + 1e-5).sqrt() * scale
}

fn distances<const N: usize, const M: usize>(a: &Tensor<f32, shape![N, 1]>, b: &Tensor<f32, shape![1, M]>) -> Tensor<f32, shape![N, M]> {
    (a - b).abs()
}

fn wide(a: &Tensor<f32, shape![8, 50257]>, b: &Tensor<f32, shape![1, 50257]>, c: &Tensor<f32, shape![_, 1]>) {
    let _: Tensor<f32, shape![8, 50257]> = a + b;
    let _: Tensor<f32, shape![8, 50257]> = a + c;
    let _: Tensor<f32, shape![_, 50257]> = b + c;
}

pub(crate) fn main() {
    let wide = Tensor::<f32, shape![D, 64]>::zeros();
    let _: Tensor<f32, shape![5000, 64]> = &wide + Tensor::from([1.0_f32; 64]);
    let _: Tensor<f32, shape![D, 1]> = wide.mean_along(kept(axis::<1>()));
    let _: Tensor<f32, shape![2 * ROWS]> = Tensor::from([0.0_f32; 6]);
    let long: Tensor<f32, shape![D]> = Tensor::from([0.0_f32; 5000]);
    let _: Tensor<f32, shape![5000]> = &long - long.mean();
    let layer = Linear::<64, 3072>::new();
    let y: Tensor<f32, shape![5000, 3072]> = layer.forward(&wide);
    let net = Mlp::<16> { first: Linear::new(), second: Linear::new() };
    let errors = net.forward(&y) - Tensor::<f32, shape![5000, 1]>::zeros();
    assert_eq!(errors.sizes(), [5000, 1]);
    let grid: Tensor<f64, shape![2, 3]> = Tensor::from([[0.0], [10.0]]) + Tensor::from([[1.0, 2.0, 3.0]]);
    assert_eq!(grid.to_vec(), [1.0, 2.0, 3.0, 11.0, 12.0, 13.0]);
    let x = 0.5_f32;
    let _: Tensor<f32, shape![1, 2]> = tensor![[x, 2.0 * x]];
    let _ = layer_norm(&wide, &Tensor::from([1.0; 64]));
    let _: Tensor<f32, shape![2, 3]> = distances(&tensor![[1.0], [2.0]], &tensor![[1.0, 2.0, 3.0]]);
}
