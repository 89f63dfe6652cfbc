//! The dtype alone, where a file's value is wanted.
use latten::prelude::*;

fn main() -> Result<()> {
    let bias = latten::load("net.safetensors")?.get::<f32>("bias")?;
    println!("{bias}");
    Ok(())
}
