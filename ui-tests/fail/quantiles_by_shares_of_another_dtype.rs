use latten::prelude::*;

fn main() -> Result<()> {
    let x = tensor![[1.0_f64, 2.0], [3.0, 4.0]];
    let _ = x.quantile_along(&tensor![0.25, 0.75], 0)?;
    Ok(())
}
