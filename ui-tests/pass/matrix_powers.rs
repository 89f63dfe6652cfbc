//! Powers of a square matrix: Fibonacci's numbers, and where a random walk ends.
use latten::prelude::*;

fn power<E: Number, const N: usize>(base: &Tensor<E, shape![N, N]>, mut exponent: u32) -> latten::Result<Tensor<E, shape![N, N]>> {
    let mut result = Tensor::<E, shape![N, N]>::eye();
    let mut square = base.clone();
    while exponent > 0 {
        if exponent % 2 == 1 {
            result = result.matmul(&square);
        }
        square = square.matmul(&square);
        exponent /= 2;
    }
    Ok(result)
}

pub(crate) fn main() -> latten::Result<()> {
    let step = Tensor::from([[1_i64, 1], [1, 0]]);
    assert_eq!(power(&step, 50)?.get([0, 1])?, 12_586_269_025);
    let walk = tensor![[0.9, 0.1, 0.0], [0.2, 0.6, 0.2], [0.0, 0.3, 0.7]];
    assert!(walk.sum_along(axis::<1>()).allclose(&Tensor::<f32>::ones([3])?));
    let long = power(&walk, 200)?;
    let rest = long.i(i![0]);
    assert!((rest.matmul(&walk) - &rest).abs().max().item() < 1e-5);
    Ok(())
}
