use latten::prelude::*;

fn main() -> Result<()> {
    let mut x = tensor![[1.0, 2.0], [3.0, 4.0]];
    x.slice_mut((1..2, ..))?;
    Ok(())
}
