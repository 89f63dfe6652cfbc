use latten::prelude::*;

fn main() -> latten::Result<()> {
    let n = 3;
    let _: Tensor<f32, Rank<2>> = Tensor::randn([n, n])?;
    let _: Tensor<f32, Rank<1>> = Tensor::rand([n])?;
    Ok(())
}
