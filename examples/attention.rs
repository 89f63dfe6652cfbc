//! Attention with several heads and a mask that hides the future, checked by a loop over single numbers.

use latten::manual_seed;
use latten::prelude::*;

const WIDTH: usize = 16;
const HEADS: usize = 4;
const HEAD: usize = WIDTH / HEADS;

struct Attention {
    queries: Tensor<f32, shape![WIDTH, WIDTH]>,
    keys: Tensor<f32, shape![WIDTH, WIDTH]>,
    values: Tensor<f32, shape![WIDTH, WIDTH]>,
}

impl Attention {
    fn forward<N: Dim>(&self, x: &Tensor<f32, shape![<N>, WIDTH]>) -> Result<Tensor<f32, shape![<N>, WIDTH]>> {
        let heads = |weights| x.matmul(weights).view([-1, HEADS as i64, HEAD as i64])?.transpose(0, 1);
        let (q, k, v) = (heads(&self.queries)?, heads(&self.keys)?, heads(&self.values)?);
        let scores = q.matmul(&k.transpose(-2, -1)?) / (HEAD as f64).sqrt();
        let later = Tensor::<bool>::ones(scores.sizes())?.triu_with(1);
        let weights = scores.masked_fill(&later, f32::NEG_INFINITY).softmax(-1)?;
        weights.matmul(&v).transpose(0, 1)?.reshape([-1, WIDTH as i64])?.typed()
    }
}

fn main() -> Result<()> {
    manual_seed(1);
    let weights = || Tensor::<f32>::randn(shape![WIDTH, WIDTH]);
    let attention = Attention { queries: weights()?, keys: weights()?, values: weights()? };
    let x = Tensor::<f32>::randn(shape![5, WIDTH])?;
    let y = attention.forward(&x)?;
    println!("{y:.3}");

    // The first place sees itself alone.
    let first = x.i(i![0]).matmul(&attention.values);
    assert!(y.i(i![0]).allclose_with(&first, 1e-5, 1e-4, false));
    // What comes later changes nothing before it.
    let other = x.clone();
    other.i(i![-1]).fill_(7)?;
    let changed = attention.forward(&other)?;
    assert!(changed.i(i![..-1]).equal(&y.i(i![..-1])) && !changed.equal(&y));
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn nobody_sees_the_future() -> latten::Result<()> {
        super::main()
    }
}
