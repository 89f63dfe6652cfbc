//! Layers whose sizes are parameters; sizes that don't fit don't compile.
use latten::prelude::*;

struct Linear<const I: usize, const O: usize> {
    weight: Tensor<f32, shape![O, I]>,
    bias: Tensor<f32, shape![O]>,
}

impl<const I: usize, const O: usize> Linear<I, O> {
    fn new() -> latten::Result<Self> {
        let bound = 1.0 / (I as f64).sqrt();
        let mut layer = Self { weight: Tensor::zeros(), bias: Tensor::zeros() };
        layer.weight.uniform_with_(-bound, bound)?;
        Ok(layer)
    }

    fn forward<N: Dim>(&self, x: &Tensor<f32, shape![<N>, I]>) -> Tensor<f32, shape![<N>, O]> {
        x.matmul(&self.weight.t()) + &self.bias
    }
}

struct Network {
    first: Linear<784, 5000>,
    second: Linear<5000, 10>,
}

impl Network {
    fn forward<N: Dim>(&self, x: &Tensor<f32, shape![<N>, 784]>) -> Tensor<f32, shape![<N>, 10]> {
        self.second.forward(&self.first.forward(x).relu())
    }
}

pub(crate) fn main() -> latten::Result<()> {
    let network = Network { first: Linear::new()?, second: Linear::new()? };
    let batch = Tensor::<f32, shape![2, 784]>::ones();
    let logits: Tensor<f32, shape![2, 10]> = network.forward(&batch);
    let some: Tensor<f32, shape![_, 784]> = batch.as_shape();
    let same = network.forward(&some);
    assert!(same.equal(&logits));
    Ok(())
}
