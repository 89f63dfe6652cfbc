use latten::prelude::*;

fn main() -> latten::Result<()> {
    let _ = DynTensor::randn([2, 3])?;
    let _ = DynTensor::zeros([2, 3])?;
    Ok(())
}
