#![allow(dead_code, unused_variables, unused_mut)]
use latten::prelude::*;

fn main() -> Result<()> {
    let (x, weight) = (tensor![[1.0, 2.0, 3.0]], Tensor::<f32, shape![5, 3]>::ones());
    let out = x.linear_with(&weight, &tensor![0.5, 0.5, 0.5]);
    let turned = x.linear_with(&weight.t(), None);
    let without = x.linear_with(&weight, 0.5);
    Ok(())
}
