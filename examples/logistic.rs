//! Logistic regression with its gradient written by hand, and the same gradient by `backward`.

use latten::manual_seed;
use latten::prelude::*;

const FEATURES: usize = 3;

fn main() -> Result<()> {
    manual_seed(7);
    let truth = tensor![1.5, -2.0, 0.5];
    let x = Tensor::<f32>::randn(shape![400, FEATURES])?;
    let y = x.matmul(&truth).gt(0).float();

    let mut weights = Tensor::<f32, shape![FEATURES]>::zeros();
    for step in 0..300 {
        let p = x.matmul(&weights).sigmoid();
        let loss = -(&y * p.log() + (1.0 - &y) * (1.0 - &p).log()).mean();
        let gradient = x.t().matmul(&(&p - &y)) / x.len() as f64;
        weights -= &gradient * 0.5;
        if step % 100 == 0 {
            println!("step {step}: loss {:.4}", loss.item());
        }
    }
    let right = x.matmul(&weights).gt(0).eq(y.gt(0)).float().mean().item();
    println!("weights {weights:.3}, {:.1} % right", 100.0 * right);
    assert!(right > 0.97);

    let learned = weights.clone().requiring_grad()?;
    let p = x.matmul(&learned).sigmoid();
    let loss = -(&y * p.log() + (1.0 - &y) * (1.0 - &p).log()).mean();
    loss.backward()?;
    let by_hand = x.t().matmul(&(p.detach() - &y)) / x.len() as f64;
    assert!(learned.grad().expect("a gradient").allclose_with(&by_hand, 1e-5, 1e-5, false));
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_sides_are_learned() -> latten::Result<()> {
        super::main()
    }
}
