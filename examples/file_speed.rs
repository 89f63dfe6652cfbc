//! How fast files are: `cargo run --release --example file_speed FOLDER [MEBIBYTES] [NAME…]` writes a checkpoint of 100 tensors into FOLDER in each
//! format, reads it back copied and mapped, and prints the best of five in milliseconds. `benches/peers/files_side.py` runs it in turns with
//! PyTorch, safetensors and numpy on the same files, and prints the ratios.

use std::path::Path;
use std::time::Instant;

use latten::io::{Archive, Dict, Durability, Load, Save, Value};
use latten::prelude::*;

const TENSORS: usize = 100;
const ROUNDS: usize = 5;

fn main() -> Result<(), String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, rest @ ..] = words.as_slice() else { return Err("usage: file_speed FOLDER [MEBIBYTES] [NAME…]".to_owned()) };
    let mebibytes: usize = rest.first().map_or(Ok(1000), |text| text.parse()).map_err(|error| format!("{}: {error}", rest[0]))?;
    let wanted = |name: &str| rest.len() < 2 || rest[1..].iter().any(|word| word == name);
    measure(Path::new(folder), mebibytes, wanted).map_err(|error| error.to_string())
}

fn measure(folder: &Path, mebibytes: usize, wanted: impl Fn(&str) -> bool) -> Result<()> {
    let count = (mebibytes << 20) / size_of::<f32>();
    let state =
        (0..TENSORS).map(|n| Ok((format!("layers.{n}.weight"), Value::from(&Tensor::<f32>::full([count / TENSORS], n as f32 + 0.5)?))));
    let state: Dict = state.collect::<Result<Vec<_>>>()?.into_iter().collect();
    for (format, value) in
        [("pt", Value::from(state.clone())), ("safetensors", state.into()), ("npy", Value::from(&Tensor::<f32>::full([count], 1.5)?))]
    {
        if !wanted(format) {
            continue;
        }
        let path = folder.join(format!("latten.{format}"));
        let save = |durability| Save::new().durability(durability).save(&path, &value);
        let (keep, remove) = (|| {}, || drop(std::fs::remove_file(&path)));
        row(format, "save", remove, || save(Durability::Written))?;
        row(format, "save over a file", keep, || save(Durability::Written))?;
        row(format, "save, synced", remove, || save(Durability::Synced))?;
        row(format, "load", keep, || Load::new().load(&path).map(drop))?;
        let mut kept: Option<Archive> = None;
        row(format, "load, mapped", keep, || {
            kept = Some(Load::new().mapped().load(&path)?);
            Ok(())
        })?;
    }
    Ok(())
}

/// Prints the best time of some rounds; what is done before each isn't counted.
fn row(format: &str, what: &str, before: impl Fn(), mut work: impl FnMut() -> Result<()>) -> Result<()> {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        before();
        let start = Instant::now();
        work()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{format}; {what}; {:.3}", best * 1e3);
    Ok(())
}
