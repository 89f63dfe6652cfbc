use latten::prelude::*;

fn main() -> Result<()> {
    let (x, scale) = (tensor![[1.0, 2.0, 4.0]], tensor![2.0, 1.0, 0.5]);
    let _ = x.layer_norm_with([3], Some(&scale), None, 1e-5)?;
    let _ = x.layer_norm_with([3], 2.0, None, 1e-5)?;
    let _ = x.isin(&tensor![1, 2]);
    Ok(())
}
