use latten::prelude::*;

fn main() -> latten::Result<()> {
    let scores = tensor![[1, 2], [3, 4]];
    scores.cross_entropy(&tensor![0, 1])?;
    Ok(())
}
