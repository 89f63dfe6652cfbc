//! latten beside PyTorch, ndarray and candle: one table of medians and ratios.
//!
//! `cargo run --release -- [--python PATH] [--rounds N] [--quick] [--only TEXT]… [--sketch | --sweep]`. All sides of a row must give the same
//! numbers; then they take turns within the same seconds, so that their ratios hold on a machine that others use too. `--sketch` makes all
//! operands small, and one round: what rows compute is looked at, not how fast. `--sweep` measures the calls of `calls.txt` in place of the rows.

mod gradients;
mod latten;
mod limits;
mod measure;
mod rows;
mod sizes;
mod sweep;
mod table;
mod torch;
mod work;

use std::thread::sleep;
use std::time::Duration;

use limits::limits;
use measure::Sampler;
use rows::{Row, rows};
use table::{Measured, Table};
use torch::Torch;
use work::{Work, difference};

/// What the command line asks for.
struct Options {
    python: Option<String>,
    rounds: usize,
    only: Vec<String>,
    sweep: bool,
}

fn options() -> Result<Options, String> {
    let mut options = Options { python: None, rounds: 15, only: Vec::new(), sweep: false };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--python" => options.python = Some(value()?),
            "--rounds" => options.rounds = value()?.parse().map_err(|_| "--rounds needs a number")?,
            "--only" => options.only.push(value()?),
            "--quick" => options.rounds = 5,
            "--sweep" => options.sweep = true,
            "--sketch" => {
                sizes::sketch();
                options.rounds = 1;
            }
            _ => return Err(format!("{argument}? [--python PATH] [--rounds N] [--quick] [--only TEXT]… [--sketch | --sweep]")),
        }
    }
    Ok(options)
}

fn main() -> Result<(), String> {
    let options = options()?;
    let mut torch = options.python.as_deref().map(Torch::start).transpose()?;
    if options.sweep {
        let torch = torch.as_mut().ok_or("--sweep needs --python")?;
        return sweep::sweep(torch, &options.only);
    }
    let mut table = Table::new(limits(options.rounds.min(15)), torch.as_ref().map(|torch| torch.version.clone()));
    let (mut faults, mut compared) = (Vec::new(), 0);
    for row in rows() {
        if !options.only.is_empty() && !options.only.iter().any(|only| row.name.contains(only.as_str())) {
            continue;
        }
        eprintln!("{}", row.name);
        match measure(&row, torch.as_mut(), options.rounds)? {
            Ok((measured, others)) => {
                compared += others;
                table.push(row, measured);
            }
            Err(fault) => faults.push(format!("{}: {fault}", row.name)),
        }
    }
    print!("{table}");
    println!("\n{compared} answers of others are latten's.");
    if faults.is_empty() { Ok(()) } else { Err(format!("the sides don't compute the same:\n{}", faults.join("\n"))) }
}

/// Between two sides: threads of the one that was measured may wait for more work without sleeping, and take a core from the next.
const REST: Duration = Duration::from_millis(10);

/// Compares what all sides of a row give, then lets them take turns. The inner error is a difference.
fn measure(row: &Row, mut torch: Option<&mut Torch>, rounds: usize) -> Result<Result<(Measured, usize), String>, String> {
    let mut measured = Measured::default();
    let mut sides: Vec<(&str, Work)> = vec![("latten", (row.latten)())];
    sides.extend(row.ndarray.map(|prepare| ("ndarray", prepare())));
    sides.extend(row.candle.map(|prepare| ("candle", prepare())));
    let mut answers: Vec<(&str, Vec<f64>)> = sides.iter_mut().map(|(name, work)| (*name, work.answer())).collect();
    if let Some(torch) = torch.as_deref_mut() {
        answers.push(("PyTorch", torch.prepare([row.setup, row.statement, row.answer])?));
    }
    let own = answers.remove(0).1;
    for (name, other) in &answers {
        if let Some(fault) = difference(&own, other, row.within) {
            return Ok(Err(format!("latten has {fault} ({name})")));
        }
    }
    let compared = answers.len();
    drop(answers);
    let mut samplers: Vec<Sampler> = sides.iter_mut().map(|(_, work)| Sampler::calibrated(|| work.once())).collect();
    let theirs = torch.as_deref_mut().map(|torch| Sampler::from(|count| torch.run(count).unwrap_or(f64::INFINITY)));
    for _ in 0..rounds {
        for ((name, work), sampler) in sides.iter_mut().zip(&mut samplers) {
            sleep(REST);
            sampler.part().sample(|| work.once());
            measured.of(name).push(sampler.sample(|| work.once()));
        }
        if let (Some(torch), Some(sampler)) = (torch.as_deref_mut(), theirs) {
            sleep(REST);
            torch.run(sampler.part().count)?;
            measured.of("PyTorch").push(torch.run(sampler.count)? / sampler.count as f64);
        }
    }
    Ok(Ok((measured, compared)))
}
