//! A network with layers of any size learns, is saved by the names of its parameters, and comes back from a file of which a string says the dtype.

use latten::prelude::*;
use latten::{Result, manual_seed, optim};

struct Linear<const I: usize, const O: usize> {
    weight: Tensor<f32, shape![O, I]>,
    bias: Tensor<f32, shape![O]>,
}

impl<const I: usize, const O: usize> Linear<I, O> {
    fn new() -> Result<Self> {
        let bound = 1.0 / (I as f64).sqrt();
        let mut weight = Tensor::<f32, shape![O, I]>::zeros();
        weight.uniform_with_(-bound, bound)?.requires_grad_()?;
        Ok(Self { weight, bias: Tensor::zeros().requiring_grad()? })
    }

    fn forward<N: Dim>(&self, x: &Tensor<f32, shape![<N>, I]>) -> Tensor<f32, shape![<N>, O]> {
        x.matmul(&self.weight.t()) + &self.bias
    }
}

struct Network {
    first: Linear<2, 16>,
    second: Linear<16, 2>,
}

impl Network {
    fn forward<N: Dim>(&self, x: &Tensor<f32, shape![<N>, 2]>) -> Tensor<f32, shape![<N>, 2]> {
        self.second.forward(&self.first.forward(x).tanh()).sigmoid()
    }

    fn parameters(&self) -> [(&'static str, DynTensor); 4] {
        [
            ("first.weight", self.first.weight.erase()),
            ("first.bias", self.first.bias.erase()),
            ("second.weight", self.second.weight.erase()),
            ("second.bias", self.second.bias.erase()),
        ]
    }
}

fn zeros(dtype: &str, rows: usize) -> Result<DynTensor> {
    DynTensor::zeros([rows, 2], dtype.parse::<DType>()?)
}

pub(crate) fn main() -> Result<()> {
    manual_seed(0);
    let mut network = Network { first: Linear::new()?, second: Linear::new()? };
    let x = tensor![[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    // Exclusive or, and its opposite.
    let y = tensor![[0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
    let mut optimiser = optim::Adam::new(0.1);
    let mut last = f32::INFINITY;
    for _ in 0..60 {
        let loss = (network.forward(&x) - &y).square().mean();
        loss.backward()?;
        let Network { first, second } = &mut network;
        optimiser.step(&mut [&mut first.weight, &mut first.bias, &mut second.weight, &mut second.bias])?;
        first.weight.zero_grad();
        first.bias.zero_grad();
        second.weight.zero_grad();
        second.bias.zero_grad();
        last = loss.item();
    }
    assert!(last < 0.2, "{last}");

    let path = std::env::temp_dir().join(format!("latten-network-{}.safetensors", std::process::id()));
    latten::save(&path, &network.parameters())?;
    let archive = latten::load(&path)?;
    let weight: Tensor<f32, shape![16, 2]> = archive.get("first.weight")?;
    assert!(weight.equal(&network.first.weight));
    for (name, tensor) in archive.tensors()? {
        println!("{name}: {} {:?}", tensor.dtype(), tensor.sizes());
    }
    std::fs::remove_file(&path).ok();
    assert_eq!(zeros("float16", 3)?.dtype(), DType::F16);
    assert!(zeros("float17", 3).is_err());
    Ok(())
}
