//! One function for every float dtype and every shape.
use latten::prelude::*;

fn standardise<E: Float, S: Shape>(x: &Tensor<E, S>) -> Tensor<E, S> {
    let mean = x.mean();
    let deviation = (x - &mean).square().mean().sqrt();
    (x - mean) / (deviation + 1e-6)
}

pub(crate) fn main() -> latten::Result<()> {
    let y = standardise(&tensor![[1.0, 2.0], [3.0, 4.0]]);
    assert!(y.mean().item().abs() < 1e-6 && (y.var().item() - 4.0 / 3.0).abs() < 1e-4);
    let z: Tensor<f64, shape![3]> = standardise(&Tensor::from([1.0_f64, 2.0, 6.0]));
    assert!(z.sum().item().abs() < 1e-12);
    let half = standardise(&Tensor::<f32>::arange(10)?.half());
    assert_eq!(half.dtype(), DType::F16);
    Ok(())
}
