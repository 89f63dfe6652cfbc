//! An activation of one's own: `#[kernel]` makes an operation of a formula, for every dtype of floats, alone and inside `fuse!`.
//! Run it with `cargo run --release --example activation`.

use latten::prelude::*;

/// Misra's activation, smooth and without an upper bound.
#[kernel]
fn mish(x: Floating) -> Floating {
    let softplus = if x > 20.0 { x } else { log1p(exp(x)) };
    x * tanh(softplus)
}

/// Its parameter says how much of the negative numbers stays.
#[kernel]
fn leaky(x: Real, slope: f64) -> Real {
    if x > 0 { x } else { x * slope }
}

fn main() -> Result<()> {
    let x = tensor![[-2.0, -0.5], [0.5, 3.0]];
    let bias = tensor![0.1, -0.1];
    println!("mish {}", mish(&x));
    println!("leaky {}", leaky(&x, 0.1));
    // In half precision it computes in single precision and rounds once, as the table's operations do.
    println!("halves {}", mish(&x.to::<f16>()));
    // Inside `fuse!` no tensor is made between the bias and the activation.
    let layer: Tensor<f32, shape![2, 2]> = fuse!(mish(x + bias) * 2.0);
    println!("fused {layer}");
    let mut in_place = x.clone();
    mish_(&mut in_place)?;
    assert_eq!(in_place.to_vec(), mish(&x).to_vec());
    println!("for CUDA:\n{}", mish::cuda_source());
    Ok(())
}
