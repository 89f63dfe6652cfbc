//! Literals beside tensors, and constructors whose type comes from where they go: no suffix.
#![allow(dead_code, unused_variables, clippy::all)]
use latten::prelude::*;

struct Model {
    weight: Tensor<f32, shape![3, 2]>,
    bias: Tensor<f32, shape![2]>,
}

fn mean(x: &Tensor<f32, shape![2]>) -> f32 {
    x.mean().item()
}

fn activation<E: Float, S: Shape>(x: &Tensor<E, S>) -> Tensor<E, S> {
    let inverted = 1.0 - x;
    0.5 / (1.0 + (-&inverted).exp()) * 2 - x / 4.0
}

pub(crate) fn main() -> latten::Result<()> {
    let image = Tensor::<u8, shape![4, 3]>::ones();
    let n = image.float() / 2.0;
    assert!(n.max().item() < 1.5);
    let p = tensor![0.25, 0.5];
    assert!((1.0 - &p).log().sum().item() < 0.0);
    assert!((1 - &p).log().sum().item() < 0.0);
    assert!((2.5 * &n).exp().mean().item() > 1.0);
    let a = &n * 2.0;
    assert_eq!(a.t().sizes(), [3, 4]);
    assert_eq!((&n * 2).mm(&a.t()).sizes(), [4, 4]);
    assert_eq!((&image * 2.5).t().sizes(), [3, 4]);
    let rate = 0.1;
    let w = &n - rate * &n;
    assert!(w.sum().item() > 0.0);
    assert!((&n * Complex::new(0.0, 1.0)).abs().max().item() < 1.5);
    assert!(n.clamp(0.0, 1.0).max().item() < 1.5);
    let weight = Tensor::zeros();
    let mut model = Model { weight, bias: Tensor::ones() };
    model.bias = Tensor::randn();
    model.bias = Tensor::full(0.5);
    let y = (model.weight.t().matmul(&tensor![1.0, 2.0, 3.0]) + &model.bias).exp();
    let s = 1.0 / (1.0 + (-&y).exp());
    assert!((2.0 * &s + 1.0).sqrt().sum().item() > 2.0);
    assert!(mean(&(2.0 * &s)) > 0.0);
    let f = fuse!(1.0 - s * 0.5);
    assert!(f.max().item() < 1.5);
    let range: Tensor<i64, Rank<1>> = Tensor::<i64>::arange(6)?;
    assert_eq!(range.sizes(), [6]);
    let some = Tensor::<f32>::zeros([2, 3])?;
    let any = DynTensor::zeros([2, 3], DType::F32)?;
    let wide: Tensor<f64, shape![2]> = 0.1 * Tensor::from([1.0_f64, 2.0]);
    assert_eq!(wide.to_vec(), [0.1, 0.2]);
    let rate: f64 = 0.1;
    let narrow: Tensor<f32, shape![2]> = rate * &y;
    assert_eq!(activation(&narrow).sizes(), [2]);
    Ok(())
}
